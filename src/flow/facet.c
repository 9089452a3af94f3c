/* facet.c - five semaphores, and a rule beside each. */
#include "flow/facet.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/metric.h>
#include <weir/panic.h>
#include <weir/sem.h>

#include "base/hash.h"
#include "flow/roster.h"

#define LOCK_RANK 900
#define PERMITS_MIN 2
#define GRAPH_NODES_MAX 20000
#define MAILBOX_TENANT_MAX 32
#define TENANTS_MAX 1024
#define COME_BACK WR_S(1)

static const struct {
    const char *name;
    unsigned per_cpu;
} table[FACET_COUNT] = {
    [FACET_FEED] = { "feed", 4 },
    [FACET_GRAPH] = { "graph", 2 },
    [FACET_SEARCH] = { "search", 4 },
    [FACET_INDEX] = { "index", 1 },
    [FACET_MAILBOX] = { "mailbox", 4 },
};

static struct wr_metric busy = {
    .name = "facet_busy_total",
    .help = "Work of a facet that was refused because of its bounds.",
    .type = WR_COUNTER,
    .labels = { "facet" },
    .series_max = FACET_COUNT,
};

static struct wr_metric late = {
    .name = "facet_deadline_timeouts_total",
    .help = "Work of a facet that was not done at its deadline.",
    .type = WR_COUNTER,
    .labels = { "facet" },
    .series_max = FACET_COUNT,
};

struct facet {
    struct wr_sem *sem;
    _Atomic unsigned permits;           /* never more than the semaphore has had */
    struct wr_counter *busy, *late;
};

struct facets {
    struct facet each[FACET_COUNT];
    _Atomic uint64_t graph_nodes_max;
    _Atomic unsigned mailbox_tenant_max;
    struct wr_mutex lock;               /* of what follows */
    struct facet_permit *oldest, *newest;   /* fan-outs that have not been shed */
    struct wr_rate search_tenant;
    struct roster *searchers, *owners;  /* tenants of search and of mailbox, */
    struct roster *waiters;             /* ... and those of it who wait */
};

/* ---- making ---- */

static unsigned units_of(const struct facets_conf *conf, int kind)
{
    unsigned units = table[kind].per_cpu * conf->cpus;
    if (conf->permits[kind])
        return conf->permits[kind];
    return units < PERMITS_MIN ? PERMITS_MIN : units;
}

void facets_set(struct facets *facets, const struct facets_conf *conf)
{
    for (int i = 0; i < FACET_COUNT; i++) {
        wr_sem_resize(facets->each[i].sem, units_of(conf, i));
        atomic_store(&facets->each[i].permits, units_of(conf, i));
    }
    atomic_store(&facets->graph_nodes_max,
                 conf->graph_nodes_max ? conf->graph_nodes_max : GRAPH_NODES_MAX);
    atomic_store(&facets->mailbox_tenant_max,
                 conf->mailbox_tenant_max ? conf->mailbox_tenant_max : MAILBOX_TENANT_MAX);
    wr_mutex_lock(&facets->lock);
    facets->search_tenant =
        conf->search_tenant.burst ? conf->search_tenant : wr_rate_of(20, WR_S(1), 40);
    wr_mutex_unlock(&facets->lock);
}

wr_err facets_new(struct facets **ret, const struct facets_conf *conf)
{
    WR_ASSERT(conf->cpus > 0);
    struct facets *facets = calloc(1, sizeof(*facets));
    if (!facets)
        return WR_NOMEM;
    facets->lock = (struct wr_mutex)WR_MUTEX("flow.facets", LOCK_RANK);
    wr_err err = WR_OK;
    for (int i = 0; i < FACET_COUNT && !err; i++) {
        struct facet *facet = &facets->each[i];
        err = wr_sem_new(&facet->sem, table[i].name, units_of(conf, i));
        facet->busy = wr_metric_counter(&busy, table[i].name);
        facet->late = wr_metric_counter(&late, table[i].name);
    }
    size_t tenants = conf->tenants_max ? conf->tenants_max : TENANTS_MAX;
    if (!err)
        err = roster_new(&facets->searchers, "flow.searchers", tenants);
    if (!err)
        err = roster_new(&facets->owners, "flow.mailboxes", tenants);
    if (!err)
        err = roster_new(&facets->waiters, "flow.waiters", tenants);
    if (err) {
        facets_free(facets);
        return err;
    }
    facets_set(facets, conf);
    *ret = facets;
    return WR_OK;
}

void facets_free(struct facets *facets)
{
    if (!facets)
        return;
    roster_free(facets->waiters);
    roster_free(facets->owners);
    roster_free(facets->searchers);
    for (int i = 0; i < FACET_COUNT; i++)
        wr_sem_free(facets->each[i].sem);
    wr_mutex_fini(&facets->lock);
    free(facets);
}

const char *facet_name(enum facet_kind kind)
{
    return table[kind].name;
}

unsigned facet_permits(const struct facets *facets, enum facet_kind kind)
{
    return atomic_load(&facets->each[kind].permits);
}

/* ---- units ---- */

static wr_err refuse(struct facet_refusal *no, const char *why, wr_time wait)
{
    *no = (struct facet_refusal){ .why = why, .wait = wait };
    return WR_BUSY;
}

static wr_err take(struct facet *facet, unsigned units, struct facet_refusal *no)
{
    if (units > atomic_load(&facet->permits))
        return refuse(no, "more units than there are", WR_NEVER);
    if (wr_sem_try_acquire_many(facet->sem, units))
        return refuse(no, "as much work of this kind runs as may", COME_BACK);
    return WR_OK;
}

/* ---- feed: the oldest beyond its deadline ---- */

/* Under the lock. */
static void unlink_fanout(struct facets *facets, struct facet_permit *permit)
{
    *(permit->older ? &permit->older->newer : &facets->oldest) = permit->newer;
    *(permit->newer ? &permit->newer->older : &facets->newest) = permit->older;
}

/* Under the lock. */
static bool shed_one(struct facets *facets)
{
    struct facet *facet = &facets->each[FACET_FEED];
    struct facet_permit *permit = facets->oldest;
    wr_time now = wr_now();
    while (permit && permit->deadline >= now)
        permit = permit->newer;
    if (!permit)
        return false;
    unlink_fanout(facets, permit);
    wr_sem_release_many(facet->sem, permit->units);
    permit->units = 0;
    wr_counter_add(facet->late, 1);
    return true;
}

static wr_err enter_feed(struct facets *facets, struct facet_permit *permit,
                         struct facet_refusal *no)
{
    wr_mutex_lock(&facets->lock);
    wr_err err = take(&facets->each[FACET_FEED], permit->units, no);
    while (err && no->wait != WR_NEVER && shed_one(facets))
        err = take(&facets->each[FACET_FEED], permit->units, no);
    if (!err) {
        permit->older = facets->newest;
        *(facets->newest ? &facets->newest->newer : &facets->oldest) = permit;
        facets->newest = permit;
    }
    wr_mutex_unlock(&facets->lock);
    return err;
}

bool facet_shed(const struct facet_permit *permit)
{
    if (permit->kind != FACET_FEED)
        return false;
    wr_mutex_lock(&permit->facets->lock);
    bool shed = permit->units == 0;
    wr_mutex_unlock(&permit->facets->lock);
    return shed;
}

/* ---- graph: how many nodes it could come to ---- */

static wr_err enter_graph(struct facets *facets, const struct facet_ask *ask,
                          struct facet_permit *permit, struct facet_refusal *no)
{
    uint64_t most = atomic_load(&facets->graph_nodes_max), level = 1, nodes = 0;
    for (uint32_t i = 0; i < ask->depth && ask->degree; i++) {
        if (level > most / ask->degree || nodes > most - level * ask->degree)
            return refuse(no, "it could come to more nodes than may be visited", WR_NEVER);
        level *= ask->degree;
        nodes += level;
    }
    return take(&facets->each[FACET_GRAPH], permit->units, no);
}

/* ---- search and mailbox: tenants ---- */

static wr_err come_in(struct roster *roster, const char *tenant, uint32_t max,
                      struct wr_guest **ret)
{
    WR_ASSERT(tenant);
    struct wr_hash hash = wr_hash_of(tenant, strlen(tenant));
    return roster_enter(roster, hash.bytes, sizeof(hash.bytes), max, ret);
}

static wr_err enter_search(struct facets *facets, const char *tenant,
                           struct facet_permit *permit, struct facet_refusal *no)
{
    struct facet *facet = &facets->each[FACET_SEARCH];
    struct wr_guest *guest;
    wr_time wait;
    wr_err err = take(facet, permit->units, no);
    if (err)
        return err;
    wr_mutex_lock(&facets->lock);
    struct wr_rate rate = facets->search_tenant;
    wr_mutex_unlock(&facets->lock);
    if (come_in(facets->searchers, tenant, UINT32_MAX, &guest)) {
        err = refuse(no, "more tenants search than can be told apart", COME_BACK);
    } else {
        if (wr_bucket_take(&guest->buckets[0], &rate, 1, &wait))
            err = refuse(no, "this tenant searches more often than it may", wait);
        roster_leave(facets->searchers, guest);
    }
    if (err)
        wr_sem_release_many(facet->sem, permit->units);
    return err;
}

/* How much of it one tenant may have: what is left of the units is for others. */
static unsigned share_of(const struct facets *facets)
{
    unsigned most = atomic_load(&facets->mailbox_tenant_max);
    unsigned half = facet_permits(facets, FACET_MAILBOX) / 2;
    half = half ? half : 1;
    return most < half ? most : half;
}

static wr_err enter_mailbox(struct facets *facets, const struct facet_ask *ask,
                            struct facet_permit *permit, struct facet_refusal *no)
{
    unsigned most = ask->waits ? atomic_load(&facets->mailbox_tenant_max) : share_of(facets);
    permit->among = ask->waits ? facets->waiters : facets->owners;
    wr_err err = come_in(permit->among, ask->tenant, most, &permit->tenant);
    if (err)
        return refuse(no, err == WR_BUSY ? "as much work of this tenant runs as may"
                                         : "more tenants work than can be told apart",
                      COME_BACK);
    if (ask->waits)
        permit->units = 0;
    else
        err = take(&facets->each[FACET_MAILBOX], permit->units, no);
    if (err)
        roster_leave(permit->among, permit->tenant);
    return err;
}

/* ---- calls ---- */

wr_err facet_enter(struct facets *facets, enum facet_kind kind, const struct facet_ask *ask,
                   struct facet_permit *permit, struct facet_refusal *no)
{
    wr_err err = WR_OK;
    WR_ASSERT(ask->deadline > 0);
    *permit = (struct facet_permit){ .facets = facets, .kind = kind, .deadline = ask->deadline,
                                     .units = ask->units ? ask->units : 1 };
    switch (kind) {
    case FACET_FEED: err = enter_feed(facets, permit, no); break;
    case FACET_GRAPH: err = enter_graph(facets, ask, permit, no); break;
    case FACET_SEARCH: err = enter_search(facets, ask->tenant, permit, no); break;
    case FACET_INDEX: err = take(&facets->each[FACET_INDEX], permit->units, no); break;
    case FACET_MAILBOX: err = enter_mailbox(facets, ask, permit, no); break;
    }
    if (err)
        wr_counter_add(facets->each[kind].busy, 1);
    return err;
}

void facet_leave(struct facet_permit *permit)
{
    struct facets *facets = permit->facets;
    struct facet *facet = &facets->each[permit->kind];
    unsigned units;
    if (permit->kind == FACET_FEED) {
        wr_mutex_lock(&facets->lock);
        units = permit->units;          /* none when it was shed */
        if (units)
            unlink_fanout(facets, permit);
        wr_mutex_unlock(&facets->lock);
    } else {
        units = permit->units;
    }
    if (permit->kind == FACET_MAILBOX)
        roster_leave(permit->among, permit->tenant);
    if (!units)
        return;                         /* it waited; or was shed, and counted then */
    wr_sem_release_many(facet->sem, units);
    if (wr_now() > permit->deadline)
        wr_counter_add(facet->late, 1);
}

void facet_refused(enum facet_kind kind)
{
    wr_counter_add(wr_metric_counter(&busy, table[kind].name), 1);
}
