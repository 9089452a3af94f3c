/* storage.h - where the node's data lies, as operators see it: the disk, its store,
 * and the databases of its services (node.h), by name and never by path. */
#ifndef WR_NODE_STORAGE_H
#define WR_NODE_STORAGE_H

#include <weir/http.h>

#include "svc/node/node.h"

#define STORAGE_DATABASES_MAX 64    /* of all services */

/* Panics when services bring too many databases, one without a look, or a name that is
 * none, the store's, or there twice. */
void storage_check(const struct node_start *start);

/* Handlers; the arg of their routes is the node. */
wr_err storage_serve_summary(struct wr_call *call);
wr_err storage_serve_list(struct wr_call *call);
wr_err storage_serve_one(struct wr_call *call);     /* /databases/{name} */

#endif
