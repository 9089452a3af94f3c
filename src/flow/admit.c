/* admit.c - limits of all connections, and of one address. */
#include <weir/admit.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "flow/roster.h"

#define ADDRESSES 4096
#define CONNECTIONS 256
#define COME_BACK WR_S(1)               /* when nothing better is known */

enum { ACCEPTS, REQUESTS, CONTROL, RATES };     /* the buckets of a guest */

/* The two words of a rate change one after the other: whoever reads between them
 * goes by a rate that was never set, once. */
struct live_rate { _Atomic wr_time interval; _Atomic uint32_t burst; };

struct wr_admit {
    struct roster *roster;
    _Atomic uint32_t connections, total_max;
    struct live_rate rates[RATES];
    _Atomic size_t total;
    _Atomic uint32_t busy;              /* calls of the control plane */
};

static void set_rate(struct live_rate *rate, struct wr_rate to)
{
    atomic_store_explicit(&rate->interval, to.interval, memory_order_relaxed);
    atomic_store_explicit(&rate->burst, to.burst, memory_order_relaxed);
}

void wr_admit_set(struct wr_admit *admit, const struct wr_admit_limits *limits)
{
    atomic_store(&admit->connections, limits->connections ? limits->connections : CONNECTIONS);
    set_rate(&admit->rates[ACCEPTS], limits->accepts);
    set_rate(&admit->rates[REQUESTS], limits->requests);
    set_rate(&admit->rates[CONTROL], limits->control);
}

void wr_admit_set_total(struct wr_admit *admit, uint32_t most)
{
    atomic_store(&admit->total_max, most);
}

size_t wr_admit_total(const struct wr_admit *admit)
{
    return atomic_load(&admit->total);
}

wr_err wr_admit_new(struct wr_admit **ret, const struct wr_admit_limits *limits,
                    size_t addresses)
{
    struct wr_admit *admit = calloc(1, sizeof(*admit));
    if (!admit)
        return WR_NOMEM;
    wr_err err = roster_new(&admit->roster, "flow.admit", addresses ? addresses : ADDRESSES);
    if (err) {
        free(admit);
        return err;
    }
    wr_admit_set(admit, limits);
    wr_admit_set_total(admit, UINT32_MAX);
    *ret = admit;
    return WR_OK;
}

void wr_admit_free(struct wr_admit *admit)
{
    if (!admit)
        return;
    WR_ASSERT(wr_admit_total(admit) == 0);
    roster_free(admit->roster);
    free(admit);
}

/* What an address counts as. */
static size_t key_of(const struct wr_addr *addr, const unsigned char **ret)
{
    static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
    bool carries_ip4 = addr->kind == WR_ADDR_IP6 && memcmp(addr->ip, mapped, 12) == 0;
    *ret = addr->ip + (carries_ip4 ? 12 : 0);
    return addr->kind == WR_ADDR_IP4 || carries_ip4 ? 4 : 8;
}

static wr_err refuse(struct wr_admit_refusal *why, const char *reason, wr_time wait)
{
    *why = (struct wr_admit_refusal){ .reason = reason, .wait = wait };
    return WR_BUSY;
}

static wr_err take(struct wr_admit *admit, struct wr_guest *guest, int which, wr_time now,
                   wr_time *wait)
{
    struct live_rate *live = &admit->rates[which];
    struct wr_rate rate = {
        .interval = atomic_load_explicit(&live->interval, memory_order_relaxed),
        .burst = atomic_load_explicit(&live->burst, memory_order_relaxed),
    };
    return wr_bucket_take_at(&guest->buckets[which], &rate, 1, now, wait);
}

/* For its address alone. */
static wr_err admit_peer(struct wr_admit *admit, const struct wr_addr *peer,
                         struct wr_guest **ret, struct wr_admit_refusal *why)
{
    const unsigned char *key;
    struct wr_guest *guest;
    wr_time wait;
    if (peer->kind == WR_ADDR_UNIX)
        return WR_OK;
    size_t len = key_of(peer, &key);
    uint32_t most = atomic_load(&admit->connections);
    wr_err err = roster_enter(admit->roster, key, len, most, &guest);
    if (err == WR_BUSY)
        return refuse(why, "ip_connections", COME_BACK);
    if (err)
        return refuse(why, "ip_table_full", COME_BACK);
    if (take(admit, guest, ACCEPTS, wr_now(), &wait)) {
        roster_leave(admit->roster, guest);
        return refuse(why, "ip_accept_rate", wait);
    }
    *ret = guest;
    return WR_OK;
}

wr_err wr_admit_connection(struct wr_admit *admit, const struct wr_addr *peer,
                           struct wr_guest **ret, struct wr_admit_refusal *why)
{
    *ret = NULL;
    wr_err err = atomic_fetch_add(&admit->total, 1) < atomic_load(&admit->total_max)
                     ? admit_peer(admit, peer, ret, why)
                     : refuse(why, "connections", COME_BACK);
    if (err)
        atomic_fetch_sub(&admit->total, 1);
    return err;
}

wr_err wr_admit_request(struct wr_admit *admit, struct wr_guest *guest, wr_time now,
                        struct wr_admit_refusal *why)
{
    wr_time wait;
    if (!guest || !take(admit, guest, REQUESTS, now, &wait))
        return WR_OK;
    return refuse(why, "ip_request_rate", wait);
}

wr_err wr_admit_control(struct wr_admit *admit, struct wr_guest *guest, wr_time now,
                        struct wr_admit_refusal *why)
{
    wr_time wait;
    if (!guest || !take(admit, guest, CONTROL, now, &wait))
        return WR_OK;
    return refuse(why, "ip_control_rate", wait);
}

/* Who has no address goes by the bound of all alone. */
wr_err wr_admit_control_enter(struct wr_admit *admit, struct wr_guest *guest,
                              struct wr_admit_refusal *why)
{
    if (guest && atomic_fetch_add(&guest->busy, 1) >= WR_ADMIT_CONTROL_SHARE) {
        atomic_fetch_sub(&guest->busy, 1);
        return refuse(why, "ip_control_share", COME_BACK);
    }
    if (atomic_fetch_add(&admit->busy, 1) < WR_ADMIT_CONTROL_MAX)
        return WR_OK;
    wr_admit_control_leave(admit, guest);
    return refuse(why, "control_share", COME_BACK);
}

void wr_admit_control_leave(struct wr_admit *admit, struct wr_guest *guest)
{
    if (guest)
        atomic_fetch_sub(&guest->busy, 1);
    atomic_fetch_sub(&admit->busy, 1);
}

void wr_admit_leave(struct wr_admit *admit, struct wr_guest *guest)
{
    if (guest)
        roster_leave(admit->roster, guest);
    atomic_fetch_sub(&admit->total, 1);
}
