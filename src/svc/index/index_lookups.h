/* index_lookups.h - where is it, and who has it, over HTTP.
 *
 *     GET /resolve/{key}?fresh=true
 *     GET /providers/{cid}?limit=5&region=eu&min_freshness=600&fresh=true
 *
 * Both are answered within index.deadline, counted from the first byte of the request, or are
 * 504 at that moment.  What is remembered is answered at once, by the connection's own fiber;
 * anything else waits for a worker of the resolver (resolver.h), not of the node.  Who comes
 * when index.work is full is 429, and so is who comes when 512 of his route wait already.
 *
 * Answers carry an ETag, and If-None-Match with the same is 304.  They may be kept for 5 s;
 * with fresh=true not at all.  Where a quota is on, RateLimit-Limit, -Remaining and -Reset say
 * what is left of it (index_quota.h).
 */
#ifndef WR_INDEX_LOOKUPS_H
#define WR_INDEX_LOOKUPS_H

#include "svc/index/index_desk.h"

#define INDEX_LOOKUP_ROUTES 2
#define INDEX_TENANTS_MAX 4096          /* whose quotas are told apart */

/* The desk must outlive whoever serves them. */
void index_lookup_routes(struct wr_route ret[INDEX_LOOKUP_ROUTES], struct index_desk *desk);

#endif
