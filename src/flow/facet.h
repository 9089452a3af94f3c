/* facet.h - the five kinds of work that can explode, each with its own bound.
 *
 *     struct facet_ask ask = { .tenant = tenant, .deadline = deadline };
 *     struct facet_permit permit;
 *     struct facet_refusal no;
 *     if (facet_enter(facets, FACET_SEARCH, &ask, &permit, &no))
 *         return wr_call_fail(call, WR_BUSY, "%s", no.why);       (429)
 *     ...search
 *     facet_leave(&permit);
 *
 * A facet is a semaphore that nobody waits for: who does not get its units at once is
 * refused and counted (facet_busy_total; the runtime shows semaphore_inflight).  Beside
 * it each has a rule against its own way to explode:
 *
 *   feed     fan-outs.  When there are no units, fan-outs that are beyond their deadline
 *            are shed, the oldest first: their units go to the newcomer, and facet_shed
 *            tells them to stop.
 *   graph    expansions.  How many neighbours on how many levels is declared first; what
 *            could come to more nodes than graph_nodes_max is refused before any work.
 *   search   queries.  Each tenant has a token bucket of its own.
 *   index    updates.  Pointers go through a queue of 256 in which a newer one of a key
 *            takes the place of the waiting one (svc/index/scribe.h).
 *   mailbox  operations.  Each tenant has at most mailbox_tenant_max at the same time, and no
 *            more than half of the units, so that one alone never has them all.  Operations
 *            that wait for others take no unit: they are counted apart, for their tenant.
 *
 * A tenant is whoever has a share of his own (net/caller.h).  Tenants are remembered in a
 * bounded table (roster.h).  Any fiber may use it.
 */
#ifndef WR_FLOW_FACET_H
#define WR_FLOW_FACET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/bucket.h>
#include <weir/err.h>
#include <weir/time.h>

enum facet_kind { FACET_FEED, FACET_GRAPH, FACET_SEARCH, FACET_INDEX, FACET_MAILBOX };
#define FACET_COUNT (FACET_MAILBOX + 1)

struct facets;
struct roster;                          /* roster.h */

/* Zero is the default of everything but cpus. */
struct facets_conf {
    unsigned cpus;                      /* required: the default permits are per processor */
    unsigned permits[FACET_COUNT];      /* units; 4, 2, 4, 1, 4 x cpus, at least 2 */
    uint64_t graph_nodes_max;           /* 20000: 16 neighbours on 3 levels, 128 on 2 */
    struct wr_rate search_tenant;       /* 20 a second, 40 at once */
    unsigned mailbox_tenant_max;        /* 32 */
    size_t tenants_max;                 /* 1024; not changed by facets_set */
};

/* Errors: NOMEM. */
wr_err facets_new(struct facets **ret, const struct facets_conf *conf);

/* All permits must have been given back.  NULL is allowed. */
void facets_free(struct facets *facets);

/* Other limits from now on.  With fewer permits than are out, nobody gets any until
 * enough have come back. */
void facets_set(struct facets *facets, const struct facets_conf *conf);

/* "feed", "graph", ..., as metrics name them; how many units it has now. */
const char *facet_name(enum facet_kind kind);
unsigned facet_permits(const struct facets *facets, enum facet_kind kind);

/* ---- work ---- */

struct facet_ask {
    unsigned units;             /* 0 is 1 */
    wr_time deadline;           /* required: until when the work should be done */
    const char *tenant;         /* search, mailbox: required */
    bool waits;                 /* mailbox: it waits more than it works, and takes no unit */
    uint64_t degree;            /* graph: neighbours of a node, at most */
    uint32_t depth;             /* graph: levels */
};

/* The right to work; it lies where its user has it and does not move. */
struct facet_permit {
    struct facets *facets;
    enum facet_kind kind;
    unsigned units;             /* 0: shed, or it waits */
    wr_time deadline;
    struct roster *among;       /* mailbox: where the tenant is */
    struct wr_guest *tenant;
    struct facet_permit *older, *newer;
};

struct facet_refusal {
    const char *why;            /* a clause */
    wr_time wait;               /* until it may be otherwise; WR_NEVER: ask for less */
};

/* Never waits.  Errors: BUSY, with *no. */
wr_err facet_enter(struct facets *facets, enum facet_kind kind, const struct facet_ask *ask,
                   struct facet_permit *permit, struct facet_refusal *no);

/* Whether a fan-out has been shed and must stop; to be asked between deliveries. */
bool facet_shed(const struct facet_permit *permit);

/* The work is done.  Beyond its deadline that is counted, once. */
void facet_leave(struct facet_permit *permit);

/* Work of this kind was refused where its bound is kept elsewhere: it is counted here. */
void facet_refused(enum facet_kind kind);

#endif
