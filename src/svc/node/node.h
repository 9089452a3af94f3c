/* node.h - the node: everything that runs, from one configuration.
 *
 * The node listens, admits, queues, works, watches its configuration, reports and
 * leaves in order.  Its tasks and queues are those of `weir topology`:
 *
 *   node.metrics    the control plane; the last to leave
 *   node.http       HTTP in; stays until the workers have gone, as health and
 *                   metrics are answered to the end
 *   node.health     probes readiness, tells the bus
 *   node.config     watches the configuration file, reads it again
 *   node.worker     runs what is queued in node.work
 *   node.ingress    OAP/1 in; the first to leave
 *   node.audit      writes down what was done to it; leaves with the control plane
 *
 * It has a store (store/store.h), opened before anything else and closed after everything.
 *
 * A service takes part by a row of struct node_service: its routes, its databases, and two
 * calls by which it gets the store and gives it back.
 */
#ifndef WR_NODE_NODE_H
#define WR_NODE_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/addr.h>
#include <weir/err.h>
#include <weir/http.h>
#include <weir/manager.h>
#include <weir/sup.h>
#include <weir/time.h>

#include "base/text.h"
#include "conf/conf.h"

#include "flow/facet.h"

#define NODE_WHY_MAX 512

struct node;
struct store;                       /* store/store.h */

/* What to tell people when it has begun. */
struct node_face {
    struct wr_addr http;            /* where it listens; */
    bool tls;                       /* ... and speaks TLS */
    struct wr_addr control;         /* NONE: on the same port */
    struct wr_addr oap;             /* NONE: not at all */
    wr_time took;                   /* from wr_run to ready */
    bool moved;                     /* it was ready before: it listens elsewhere now */
};

/* The policy of a route (http.h) whose work can explode: it needs units of a facet,
 * from before it is queued until it has been answered, and 429 is its answer when it
 * does not get them. */
struct node_policy {
    enum facet_kind facet;
    /* What is asked for, beyond one unit until the route's deadline, for the tenant in
     * X-Tenant; may be NULL. */
    void (*ask)(struct wr_call *call, struct facet_ask *ask);
};

/* How a database is at a moment. */
struct node_database_view {
    uint64_t size;                      /* bytes */
    enum wr_health health;
};

/* A database of a service, as operators see it (storage.h).  Its name is what people call
 * it, of a-z, 0-9, '-', '_' and '.': never a path. */
struct node_database {
    const char *name, *engine, *mode;   /* "pointers", "sqlite", "wal" */
    /* Look at it, within the scope of a short call.  An error: it cannot be looked at. */
    wr_err (*look)(void *arg, struct node_database_view *ret);
    void *arg;
};

/* What a service brings.  Everything it points to must outlive the node. */
struct node_service {
    const char *name;                   /* "index" */
    const struct wr_route *routes;
    size_t route_count;
    const struct node_database *databases;
    size_t database_count;
    /* Before anybody can call it, with the node's store; an error ends the start, with a
     * sentence in `why`, of NODE_WHY_MAX.  May wait; may be NULL. */
    wr_err (*open)(void *arg, struct store *store, char *why);
    /* When nobody can call it any more, and before the store is closed; if open has succeeded.
     * May be NULL. */
    void (*close)(void *arg);
    void *arg;                          /* of both */
};

struct node_start {
    struct wr_conf *conf;           /* required; the node takes a reference */
    const struct wr_conf_source *source;    /* to read it again; NULL: never */
    const struct node_service *services;
    size_t service_count;
    /* Called when the node is ready, and again when an address has changed; may be NULL. */
    void (*ready)(void *arg, const struct node_face *face);
    void *arg;
    const char *local;              /* a Unix socket, unless uds.path says another; or NULL */
    struct wr_manager *manager;     /* told the news, asked for sockets; may be NULL */
    bool no_signals;                /* the caller stops it by node_stop */
    /* When it fails before it is ready: a sentence. */
    char why[NODE_WHY_MAX];
};

/* Run a node in the calling fiber until it was stopped: by a signal, by an admin's
 * call, or by node_stop.  `*ret`, when given, is set as soon as there is one to stop.
 * Errors: TIMEOUT (stopped, but work had to be aborted); with `why`: EXISTS (an
 * address is taken), BUSY (another process has the store), DENIED, INVALID, NOTFOUND, NOMEM,
 * NOFILE, IO. */
wr_err node_run(struct node_start *start, struct node **ret);

/* Drain; called again: abort.  Does not wait; any fiber. */
void node_stop(struct node *node);

/* Read the configuration again, as SIGHUP does.  Does not wait; any fiber. */
void node_reload(struct node *node);

#endif
