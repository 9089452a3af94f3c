/* service.h - what a service brings to the node that runs it.
 *
 *     static const struct node_service service = {
 *         .name = "check", .routes = routes, .route_count = COUNT(routes),
 *         .open = open_check, .close = close_check, .arg = &check,
 *         .children = children, .child_count = COUNT(children),
 *     };
 *
 * A row: its routes, its databases, its tasks, and the calls by which it gets the configuration
 * and the store, and gives the store back.  Services know this page and not one another.
 */
#ifndef WR_SVC_SERVICE_H
#define WR_SVC_SERVICE_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/http.h>
#include <weir/sup.h>

#include "conf/conf.h"
#include "flow/facet.h"

#define NODE_WHY_MAX 512

struct store;                       /* store/store.h */

/* The policy of a route (http.h) whose work can explode: it needs units of a facet,
 * from before it is queued until it has been answered, and 429 is its answer when it
 * does not get them.  Its permit is the memo of the call. */
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

/* Everything it points to must outlive the node. */
struct node_service {
    const char *name;                   /* "index" */
    const struct wr_route *routes;
    size_t route_count;
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
    /* Tasks that the node supervises beside its workers, and drains with them; of a row name,
     * run, arg and restart count. */
    const struct wr_child *children;
    size_t child_count;
    /* Other services send to its tasks, which are told to finish when theirs are gone. */
    bool serves_others;
};

#endif
