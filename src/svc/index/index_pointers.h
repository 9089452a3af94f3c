/* index_pointers.h - what points to what, over HTTP.
 *
 *     PUT  /v1/index/assets/{cid}/manifest     the pointer of an asset: 202
 *     GET  /v1/index/assets/{cid}/manifest
 *     PUT  /v1/index/sites/{name}/manifest     ... of a site
 *     GET  /v1/index/sites/{name}/manifest
 *     PUT  /v1/index/offers/{key}              tell others that we have it, from now on: 202
 *     DELETE  /v1/index/offers/{key}           ... no longer
 *     GET  /v1/index/offers                    what is offered
 *
 * A pointer that is put is on the disk when it is answered, and what was remembered of its key
 * is forgotten.  How pointers look is catalog.h's.
 */
#ifndef WR_INDEX_POINTERS_H
#define WR_INDEX_POINTERS_H

#include "svc/index/index_desk.h"

#define INDEX_POINTER_ROUTES 7

/* The desk must outlive whoever serves them. */
void index_pointer_routes(struct wr_route ret[INDEX_POINTER_ROUTES], struct index_desk *desk);

#endif
