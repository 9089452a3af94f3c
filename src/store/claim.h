/* claim.h - what pages say, as far as it concerns a task.
 *
 *     struct store_claims claims;
 *     err = store_claim_list(store, &(struct store_claim_query){ .task = task, .due = true,
 *         .max = 50 }, &claims, deadline);
 *     for (size_t i = 0; i < claims.count; i++) {
 *         struct store_claim claim = store_claim_at(&claims, i);
 *         ...judge it...
 *         store_claim_judged(store, claim.id, claims.at, deadline);
 *     }
 *     store_claims_free(&claims);
 *
 * A claim is written with its page (webpage.h) and is adopted until a person rejects it.  It is
 * due while pages have joined its task since it was last judged, so that a task with many
 * claims is not gone through again for nothing.
 */
#ifndef WR_STORE_CLAIM_H
#define WR_STORE_CLAIM_H

#include <stdbool.h>

#include "store/store.h"
#include "store/verb.h"

#define STORE_CLAIM_LIST_MAX 200
#define STORE_CLAIM_REASON_MAX 2048

struct store_claim {
    const char *id, *task, *text, *type;
    double confidence;              /* -1: nobody has said */
    bool adopted;
    const char *rejected;           /* why it was not */
    int64_t number;                 /* rises with each claim */
};

struct store_claims {
    size_t count;
    struct wr_wall at;              /* by the store's clock; 0 when there are none */
    struct store_rows rows;
};

struct store_claim_query {
    const char *task;               /* required */
    bool due;                       /* those alone that are to be judged, and are adopted */
    int64_t after;                  /* with a number above this */
    size_t max;                     /* 1..STORE_CLAIM_LIST_MAX */
};

/* In the order in which they came. */
wr_err store_claim_list(struct store *store, const struct store_claim_query *query,
                        struct store_claims *ret, wr_time deadline);

/* Those whose words are like the sentence's, the best first; of a task, or (NULL) of all. */
wr_err store_claim_search(struct store *store, const char *sentence, const char *task,
                          size_t max, struct store_claims *ret, wr_time deadline);

/* One.  Errors: NOTFOUND. */
wr_err store_claim_get(struct store *store, const char *id, struct store_claims *ret,
                       wr_time deadline);

struct store_claim store_claim_at(const struct store_claims *claims, size_t i);
void store_claims_free(struct store_claims *claims);

/* It was judged with all that was there at this moment.  Errors: NOTFOUND. */
wr_err store_claim_judged(struct store *store, const char *id, struct wr_wall at,
                          wr_time deadline);

/* A person says no, and why; or takes that back.  Doing it twice is fine.  Errors: NOTFOUND,
 * INVALID (too long a reason). */
wr_err store_claim_reject(struct store *store, const char *id, const char *reason,
                          wr_time deadline);
wr_err store_claim_restore(struct store *store, const char *id, wr_time deadline);

#endif
