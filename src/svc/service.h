/* service.h - what a service brings to the node that runs it.
 *
 *     static const struct node_service service = {
 *         .name = "check", .routes = routes, .route_count = COUNT(routes),
 *         .open = open_check, .close = close_check, .arg = &check,
 *         .children = children, .child_count = COUNT(children),
 *     };
 *
 * A row: its routes and verbs, its databases, its tasks, and the calls by which it gets the
 * configuration and the store, and gives the store back.  Services know this page and not one
 * another.
 */
#ifndef WR_SVC_SERVICE_H
#define WR_SVC_SERVICE_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/http.h>
#include <weir/oap.h>
#include <weir/sup.h>

#include "conf/conf.h"
#include "flow/facet.h"

#define NODE_WHY_MAX 512
#define NODE_VERBS_MAX 16

struct store;                       /* store/store.h */

/* The policy of a route (http.h) whose work can explode: it needs units of a facet,
 * from before it is queued until it has been answered, and 429 is its answer when it
 * does not get them.  Its permit is the memo of the call. */
struct node_policy {
    enum facet_kind facet;
    /* What is asked for, beyond one unit until the route's deadline, for the share of who
     * calls (net/caller.h); may be NULL. */
    void (*ask)(struct wr_call *call, struct facet_ask *ask);
};

/* A verb of OAP/1 (oap.h) that a service answers, while it is enabled.  Like every call of
 * OAP that has no priority it needs a unit of the facet mailbox, for the share of who calls
 * (net/caller.h), from before it is queued until nobody has it any more; 429 is its answer when
 * it does not get one.  A token's tenant is that of the frame, as 32 hex digits. */
struct node_verb {
    struct wr_oap_verb row;             /* of no priority; its arg is that of submit too */
    const char *scope;                  /* what a token must allow; NULL: any will do */
    /* Asked without a token from anywhere: for what is public anyhow.  A token that is given
     * must be right. */
    bool open_to_all;
    /* Of what strangers may ask for: instead of that unit, for which they would contend with
     * those who have a token, a place that the service has for it.  To come in, which is BUSY
     * with a sentence where there is none, and to leave; the memo of the call is theirs.  They
     * must not wait.  NULL: it is the mailbox. */
    wr_err (*enter)(void *arg, struct wr_oap_call *call);
    void (*leave)(void *arg, struct wr_oap_call *call);
    /* Have it run, as wr_oap_conf.submit, by tasks of the service's own: for what waits for
     * others, and would keep a worker of the node from its work.  NULL: a worker runs it. */
    wr_err (*submit)(void *arg, struct wr_oap_call *call);
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

/* A part of a service that can be well or not by itself: a key of its own in /readyz. */
struct node_part {
    const char *name;                   /* "dht_client_ready" */
    /* As that of the service, which is its arg. */
    enum wr_health (*probe)(void *arg, char *why);
    bool spare;                         /* who requires the service can do without it */
};

/* When a task of a service is told to finish: with the workers of the node, or when those and
 * the tasks of all services are gone, since they send to it. */
enum { NODE_TASKS, NODE_BELOW };

/* Everything it points to must outlive the node. */
struct node_service {
    const char *name;                   /* "index" */
    const struct wr_route *routes;
    size_t route_count;
    const struct node_verb *verbs;      /* NODE_VERBS_MAX of all services together */
    size_t verb_count;
    const struct node_database *databases;
    size_t database_count;
    /* Before anybody can call it, with the node's configuration and store; an error ends the
     * start, with a sentence in `why`, of NODE_WHY_MAX.  May wait; may be NULL. */
    wr_err (*open)(void *arg, const struct wr_conf *conf, struct store *store, char *why);
    /* When nobody can call it any more, and before the store is closed; if open has succeeded.
     * May be NULL. */
    void (*close)(void *arg);
    /* Another configuration is in force; of its keys those that are live may have changed.
     * Must not wait; may be NULL. */
    void (*reload)(void *arg, const struct wr_conf *conf);
    /* Whether it can do its work; a sentence in `why`, of READY_WHY_MAX, if not.  Must not
     * wait; any fiber.  NULL: it always can. */
    enum wr_health (*probe)(void *arg, char *why);
    void *arg;                          /* of all four */
    const struct node_part *parts;      /* ... and of their probes; may be NULL */
    size_t part_count;
    /* Tasks that the node supervises beside its workers; of a row name, run, arg, restart and
     * group count, and that is one of NODE_TASKS and NODE_BELOW. */
    const struct wr_child *children;
    size_t child_count;
};

#endif
