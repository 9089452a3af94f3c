/* index_answer.h - what is answered to who asks where something is, and who has it: JSON.
 *
 *     char etag[WR_CID_TEXT];
 *     err = index_answer_resolve(desk, &quota, &key, false, &text, etag, deadline);
 *     err = index_answer_providers(desk, &quota, &cid, &(struct index_wish){ .limit = 5 },
 *                                  &text, etag, deadline);
 *
 * Routes, tools and verbs differ in how they are asked; what they say is this:
 *
 *     {"key":"name:weir.example","kind":"name","manifest_cid":"b3:...","source":"db",
 *      "integrity":{"algo":"blake3","digest":"..."},"etag":"b3:...","freshness_s":0,
 *      "providers_hint":2,"degraded":false,"manifest":"b3:...","providers":[{"id":...}]}
 *
 *     {"cid":"b3:...","providers":[{"id":"...","addr":"tcp://...","region":"eu",
 *      "class":"fresh","score":0.87,"last_seen_s":12}],"hedge":{"alpha_ms":2,"beta_ms":0,
 *      "winner":"alpha"},"truncated":false,"degraded":false,"etag":"b3:..."}
 *
 * `degraded`: the DHT could not be asked, this is what the store has.  `hedge` is there when
 * the DHT was asked for this answer.  The tag of a resolve is the manifest's id; that of
 * providers is of who they are and where, in the order that is answered.
 */
#ifndef WR_INDEX_ANSWER_H
#define WR_INDEX_ANSWER_H

#include "base/hash.h"
#include "svc/index/index_desk.h"
#include "svc/index/index_key.h"
#include "svc/index/index_quota.h"

struct index_wish {
    bool fresh;                         /* do not look into the cache */
    size_t limit;                       /* 0: RANK_LIMIT */
    const char *region;                 /* NULL: any */
    uint64_t seen_within_s;             /* 0: whenever */
};

/* Each takes one of the quota first, and is BUSY when that is used up, which it says.  Errors:
 * as resolver_resolve and resolver_providers (resolver.h). */
wr_err index_answer_resolve(struct index_desk *desk, struct index_quota *quota,
                            const struct index_key *key, bool fresh, struct wr_text *text,
                            char etag[WR_CID_TEXT], wr_time deadline);
wr_err index_answer_providers(struct index_desk *desk, struct index_quota *quota,
                              const struct index_key *cid, const struct index_wish *wish,
                              struct wr_text *text, char etag[WR_CID_TEXT], wr_time deadline);

/* Who has it, the best first: for object.h, whose `find` this is; the arg is the desk.  Errors:
 * as resolver_providers. */
wr_err index_answer_find(void *desk, const struct wr_hash *cid, struct provider *ret,
                         size_t max, size_t *ret_count, wr_time deadline);

#endif
