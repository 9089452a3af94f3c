/* index_service.h - where a name or a content id is, and who has it, as a service of the node.
 *
 *     GET         /resolve/{key}, /providers/{cid}    (index_lookups.h)
 *     PUT,GET     /v1/index/assets/{cid}/manifest     pointers (index_pointers.h)
 *     PUT,GET     /v1/index/sites/{name}/manifest
 *     PUT,DELETE  /v1/index/offers/{key}
 *     GET         /v1/index/offers
 *     POST        /admin/reindex, /admin/pin, /admin/unpin    (index_admin.h)
 *     PUT         /admin/seed
 *
 *     GET         /search/{query}                             (index_search.h)
 *     GET         /graph/{node}                               (index_graph.h)
 *     PUT,GET     /v1/index/objects/{cid}                     (object_route.h)
 *
 * By OAP/1: OBJ_GET (object_verb.h), INDEX_RESOLVE and INDEX_PROVIDERS (lookup_verb.h).
 *
 * Its tasks are children of the node: index.resolver (workers), index.dht (who is asked),
 * index.dhtnode (one of these, as a process of its own), index.announcer (what we offer),
 * index.objects (who hands out objects and answers verbs), index.service (janitors).
 *
 * What is refused is answered as flat.h has it.  Without a store there is no index, and nothing
 * of this is there.  Without a DHT it answers from its store, and /readyz says `degraded`.
 */
#ifndef WR_INDEX_SERVICE_H
#define WR_INDEX_SERVICE_H

#include "svc/index/index_desk.h"
#include "svc/service.h"

struct index_service;

/* Errors: NOMEM. */
wr_err index_service_new(struct index_service **ret);

/* For the node; it lives as long as the service. */
const struct node_service *index_service_row(const struct index_service *service);

/* What its clients share; its store is NULL while it is not open.  It lives as long as the
 * service. */
struct index_desk *index_service_desk(struct index_service *service);

/* No node may have it.  NULL is allowed. */
void index_service_free(struct index_service *service);

#endif
