/* inlet.h - a way into the node, which can be moved while it runs.
 *
 *     err = inlet_new(&inlet, &(struct inlet_conf){ .name = "http", .front = front, ... });
 *     ... inlet_run as a child of the supervisor, with the inlet as its arg
 *     inlet_put(inlet, another, wr_after(WR_S(3)));
 *
 * At each moment an inlet has one front (front.h), or none: then it is shut.  When another
 * is put in its place the old one takes no more connections, and sees off those it has
 * until the deadline; the new one has begun by then.  An inlet that fails is started again
 * with the front that it has.
 */
#ifndef WR_NODE_INLET_H
#define WR_NODE_INLET_H

#include <weir/once.h>
#include <weir/watch.h>

#include "svc/node/front.h"

#define INLET_FRONTS_MAX 4          /* one that serves, and some that see off their guests */

struct inlet;

struct inlet_conf {
    const char *name;               /* required; "http" */
    struct front *front;            /* to begin with; the inlet's from then on.  NULL: shut */
    struct wr_watch *shutdown;      /* required, of bool: when true, new calls are refused */
    void (*last)(void *arg);        /* when it is told to leave, before it waits; may be NULL */
    void *arg;
};

/* Errors: NOMEM. */
wr_err inlet_new(struct inlet **ret, const struct inlet_conf *conf);

/* It is not run, and nobody has a call of its fronts, which are closed.  NULL is allowed. */
void inlet_free(struct inlet *inlet);

/* Whether it has room for one more front.  False: others are not over yet. */
bool inlet_ready(struct inlet *inlet);

/* Put a front, or NULL, in the place of the one there is, which is to be over at the
 * deadline.  It is the inlet's now; without a listener of its own it gets that of the old
 * one.  One fiber does this, when the inlet is ready.  Does not wait. */
void inlet_put(struct inlet *inlet, struct front *front, wr_time deadline);

/* Where it listens.  False: nowhere. */
bool inlet_addr(struct inlet *inlet, struct wr_addr *ret);

/* Connections that are open, those of old fronts too. */
size_t inlet_connections(struct inlet *inlet);

/* Other bounds for the front it has. */
void inlet_tune(struct inlet *inlet, const struct wr_http_conf *http,
                const struct wr_oap_conf *oap);

/* The child's function; its arg is the inlet. */
wr_err inlet_run(void *arg, struct wr_once *drain);

#endif
