/* object_route.h - objects by HTTP.
 *
 *     GET  /v1/index/objects/{cid}                ours, or a provider's; verified either way
 *     PUT  /v1/index/objects/{cid}?offer=true     keep these bytes, and offer them to others
 *
 *     struct wr_route routes[OBJECT_ROUTES];
 *     object_routes(routes, &desk);
 *
 * GET answers with the bytes, and who gave them (X-Provider: an id; absent for our own); with
 * conditions and ranges (etag.h), and as what never changes.  It needs index.read.  404: nobody
 * has it; 502: those who say that they have it do not give it; 429: too many are fetched.
 *
 * PUT needs index.admin, and bytes whose id is the one in the path (409 otherwise), of at most
 * STORE_BLOB_MAX.  They are announced unless offer=false.  Its answer is
 * {"cid":"b3:...","bytes":3,"offered":true}.  Twice is as good as once.
 */
#ifndef WR_INDEX_OBJECT_ROUTE_H
#define WR_INDEX_OBJECT_ROUTE_H

#include <weir/http.h>

#include "svc/index/object_desk.h"

#define OBJECT_ROUTES 2

/* Rows for node_service.routes; the desk must outlive them, and be open while they are
 * asked. */
void object_routes(struct wr_route *ret, struct object_desk *desk);

#endif
