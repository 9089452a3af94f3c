/* admit.h - how many connections there may be, and how much one address may ask for:
 * connections at the same time, new connections per time, requests per time.
 *
 *     err = wr_admit_new(&admit, &(struct wr_admit_limits){
 *         .connections = 64, .requests = wr_rate_of(100, WR_S(1), 200) }, 0);
 *     wr_admit_set_total(admit, 1024);
 *     ...
 *     if (wr_admit_connection(admit, &conn.peer, &guest, &refusal))
 *         ...refusal.reason, refusal.wait
 *     if (wr_admit_request(admit, guest, wr_now(), &refusal))
 *         ...429, Retry-After: refusal.wait
 *     wr_admit_leave(admit, guest);
 *
 * All that is counted here is counted once, however many ways in share it: what is open by
 * one of them is missing by the others.
 *
 * Who asks for the control plane (health, readiness, figures) pays from a bucket of its own,
 * and has so many of these calls running at once, of all that there may be: however much one
 * address asks for, there is room for a question of another.  A place is held while the call
 * runs, and not while anything is awaited of the peer: else those who send or take nothing
 * could hold them all.
 *
 * An IPv4 address counts by itself, also when it is written as an IPv6 one; an IPv6
 * address counts as its /64, because a host has as many as it likes of those.
 * Loopback counts like any other.  A Unix socket has no address: it counts among all
 * connections, and for nobody.
 *
 * The number of addresses is bounded: an address without connections, and
 * with full buckets, may be forgotten in favour of another; no other is.
 */
#ifndef WEIR_ADMIT_H
#define WEIR_ADMIT_H

#include <stddef.h>
#include <stdint.h>

#include <weir/addr.h>
#include <weir/bucket.h>
#include <weir/err.h>
#include <weir/time.h>

struct wr_admit;
struct wr_guest;

#define WR_ADMIT_CONTROL_SHARE 64   /* calls of the control plane at once, of one address */
#define WR_ADMIT_CONTROL_MAX 256    /* ... and of all */

/* Of one address.  Zero is the default of `connections` and `addresses`; a rate
 * without a burst is no limit. */
struct wr_admit_limits {
    uint32_t connections;           /* 256 */
    struct wr_rate accepts;
    struct wr_rate requests;
    struct wr_rate control;         /* requests for the control plane */
};

/* Why not, as metrics name it ("connections", "ip_connections", "ip_accept_rate",
 * "ip_request_rate", "ip_control_rate", "ip_control_share", "control_share",
 * "ip_table_full"), and how long until it may be otherwise. */
struct wr_admit_refusal {
    const char *reason;
    wr_time wait;
};

/* addresses: 4096.  Any number of connections, until wr_admit_set_total.  Errors: NOMEM. */
wr_err wr_admit_new(struct wr_admit **ret, const struct wr_admit_limits *limits,
                    size_t addresses);

/* Every connection must have left.  NULL is allowed. */
void wr_admit_free(struct wr_admit *admit);

/* Other limits from now on; those who are in stay. */
void wr_admit_set(struct wr_admit *admit, const struct wr_admit_limits *limits);

/* So many connections in all, from now on. */
void wr_admit_set_total(struct wr_admit *admit, uint32_t most);

/* Connections that have come and not gone. */
size_t wr_admit_total(const struct wr_admit *admit);

/* A connection has come.  *ret may be NULL: it has no address, and may be passed on all
 * the same.  Errors: BUSY, with *why. */
wr_err wr_admit_connection(struct wr_admit *admit, const struct wr_addr *peer,
                           struct wr_guest **ret, struct wr_admit_refusal *why);

/* It asks for something, now.  Takes no lock.  Errors: BUSY, with *why. */
wr_err wr_admit_request(struct wr_admit *admit, struct wr_guest *guest, wr_time now,
                        struct wr_admit_refusal *why);

/* It asks for something of the control plane, now.  Takes no lock.  Errors: BUSY, with
 * *why. */
wr_err wr_admit_control(struct wr_admit *admit, struct wr_guest *guest, wr_time now,
                        struct wr_admit_refusal *why);

/* That runs from now on, until wr_admit_control_leave.  Takes no lock.  Errors: BUSY, with
 * *why: then there is nothing to leave. */
wr_err wr_admit_control_enter(struct wr_admit *admit, struct wr_guest *guest,
                              struct wr_admit_refusal *why);
void wr_admit_control_leave(struct wr_admit *admit, struct wr_guest *guest);

/* It has gone: once for each that was admitted, also with NULL. */
void wr_admit_leave(struct wr_admit *admit, struct wr_guest *guest);

#endif
