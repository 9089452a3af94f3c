/* index_quota.h - how often one may look things up in a minute, by whatever way he comes.
 *
 *     struct index_quota quota = { .call = call };
 *     err = index_answer_resolve(desk, &quota, ...);
 *     if (quota.is_used_up) ...come again after quota.wait
 *
 * Answers (index_answer.h) take from it, so that routes, verbs and tools cannot do without.
 * Whose it is says caller.h: a tenant that a token is bound to, or an address.  Each has a
 * bucket for index.quotas.resolves_per_min and one for index.quotas.providers_per_min; 0 is no
 * quota.
 */
#ifndef WR_INDEX_QUOTA_H
#define WR_INDEX_QUOTA_H

#include <weir/oap.h>

#include "svc/index/index_desk.h"

enum index_quota_of { INDEX_QUOTA_RESOLVES, INDEX_QUOTA_PROVIDERS };

struct index_quota {
    /* Who asks: one of them. */
    struct wr_call *call;
    struct wr_oap_call *oap;
    const char *share;
    /* What is left of it; a rate of burst 0: there is none. */
    struct wr_rate rate;
    uint32_t left;
    bool is_used_up;
    wr_time wait;                       /* ... until there is one again */
};

/* Take one.  Errors: BUSY (used up). */
wr_err index_quota_take(struct index_quota *quota, struct index_desk *desk,
                        enum index_quota_of which);

/* Its metric is there from now on. */
void index_quota_declare(void);

#endif
