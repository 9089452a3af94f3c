/* index_admin.h - what operators do to the index, over HTTP.
 *
 *     POST /admin/reindex   {"keys":[...],"priority":"low|normal|high"}   202 {"task_id"}
 *     POST /admin/pin       {"cid":"b3:..."}                              200 {"ok":true}
 *     POST /admin/unpin     {"cid":"b3:..."}                              200 {"ok":true}
 *     PUT  /admin/seed      {"name":"...","cid":"b3:..."}            202 {"ok","name","cid"}
 *
 * Each that is accepted is one event of the audit (store/audit.h), written before it is
 * answered; one that is refused is none.  With an Idempotency-Key the same request is done once
 * in a day: who sends it again gets the first answer, and no second event.  The same key with
 * another body is 409, and so is one that is being done.
 */
#ifndef WR_INDEX_ADMIN_H
#define WR_INDEX_ADMIN_H

#include "svc/index/index_desk.h"

#define INDEX_ADMIN_ROUTES 4
#define INDEX_REINDEX_MAX 1000          /* keys of one request */

/* The desk must outlive whoever serves them. */
void index_admin_routes(struct wr_route ret[INDEX_ADMIN_ROUTES], struct index_desk *desk);

#endif
