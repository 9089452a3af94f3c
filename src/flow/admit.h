/* admit.h - how much one address may ask for: connections at the same time, new
 * connections per time, requests per time.
 *
 *     if (admit_connection(admit, &conn.peer, &visit, &refusal))
 *         ...refusal.reason, refusal.wait
 *     if (admit_request(admit, visit, wr_now(), &refusal))
 *         ...429
 *     admit_leave(admit, visit);
 *
 * An IPv4 address counts by itself, also when it is written as an IPv6 one; an IPv6
 * address counts as its /64, because a host has as many as it likes of those.
 * Loopback counts like any other.  A Unix socket has no address: it is admitted and
 * not counted.
 *
 * The number of addresses is bounded (see roster.h): an address without connections
 * may be forgotten in favour of another, one with some never is.
 */
#ifndef WR_FLOW_ADMIT_H
#define WR_FLOW_ADMIT_H

#include <stddef.h>
#include <stdint.h>

#include <weir/addr.h>
#include <weir/bucket.h>
#include <weir/err.h>

struct admit;
struct guest;

/* Of one address.  Zero is the default of `connections` and `addresses`; a rate
 * without a burst is no limit. */
struct admit_limits {
    uint32_t connections;           /* 256 */
    struct wr_rate accepts;
    struct wr_rate requests;
};

/* Why not, as metrics name it ("ip_connections", "ip_accept_rate",
 * "ip_request_rate", "ip_table_full"), and how long until it may be otherwise. */
struct admit_refusal {
    const char *reason;
    wr_time wait;
};

/* addresses: 4096.  Errors: NOMEM. */
wr_err admit_new(struct admit **ret, const struct admit_limits *limits, size_t addresses);

/* Every connection must have left.  NULL is allowed. */
void admit_free(struct admit *admit);

/* Other limits from now on; those who are in stay. */
void admit_set(struct admit *admit, const struct admit_limits *limits);

/* A connection has come.  *ret may be NULL: it is not counted, and may be passed on
 * all the same.  Errors: BUSY, with *why. */
wr_err admit_connection(struct admit *admit, const struct wr_addr *peer, struct guest **ret,
                        struct admit_refusal *why);

/* It asks for something, now.  Takes no lock.  Errors: BUSY, with *why. */
wr_err admit_request(struct admit *admit, struct guest *guest, wr_time now,
                     struct admit_refusal *why);

/* It has gone. */
void admit_leave(struct admit *admit, struct guest *guest);

#endif
