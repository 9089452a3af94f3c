/* depot.h - the node's store (store.h): where it is, how it does, what may be done with it.
 *
 *     err = depot_open(&node->depot, conf, why);      before anybody can call
 *     ... store_audit_add(node->depot.store, ...) ...
 *     depot_close(&node->depot);                      after everybody has gone
 *
 * `store.url` says where: a path that does not begin with / lies in `data`.  Under amnesia it
 * is in memory.
 */
#ifndef WR_NODE_DEPOT_H
#define WR_NODE_DEPOT_H

#include <weir/http.h>

#include "base/json.h"
#include "conf/conf.h"
#include "store/store.h"
#include "svc/node/node.h"

#define DEPOT_URL_MAX 760               /* there must be room for the names beside it */
#define DEPOT_NAME "weir"               /* of the database, where they are listed */

struct depot {
    struct store *store;
    char url[DEPOT_URL_MAX];
    const char *path;                   /* of its file, in url; NULL: it has none */
    struct node_database database;
};

/* Where the store of this configuration is, for store_open; `url` has DEPOT_URL_MAX bytes.
 * *ret_path is the file in it, with links followed, or NULL.  Errors: INVALID (too long a
 * path), NOMEM. */
wr_err depot_place(const struct wr_conf *conf, char *url, const char **ret_path);

/* Open it.  Errors: as store_open, with a sentence in `why`, of NODE_WHY_MAX. */
wr_err depot_open(struct depot *depot, const struct wr_conf *conf, char *why);

/* One that was never opened is fine. */
void depot_close(struct depot *depot);

/* As store_health, but its sentence names no folders: who may see it may be anybody. */
void depot_health(struct depot *depot, struct store_health *ret);

/* How it does, as the object "store". */
void depot_write(struct depot *depot, struct wr_json *json);

/* Handlers; the arg of their routes is the node.  A backup is for who comes by the Unix socket:
 * it writes where he says, with the rights of the node. */
wr_err depot_serve_check(struct wr_call *call);
wr_err depot_serve_backup(struct wr_call *call);

#endif
