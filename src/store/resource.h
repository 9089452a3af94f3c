/* resource.h - who is at work on a page or a paper, whichever task wants it.
 *
 *     struct store_resource_claim claim;
 *     err = store_resource_claim(store, &(struct store_resource){ .type = "doi", .value = doi,
 *         .task = task, .worker = job_and_attempt }, WR_S(600), &claim, deadline);
 *     if (claim.mine)
 *         ...fetch it...
 *         store_resource_done(store, "doi", doi, worker, page, deadline);
 *     else if (claim.page[0])
 *         ...it is there already...
 *
 * One worker at a time has it.  Who has not finished after the time that was given, by the
 * store's clock, has lost it to the next who asks; so has one who failed.  What is completed
 * stays so.  The same worker that asks again has it still.
 */
#ifndef WR_STORE_RESOURCE_H
#define WR_STORE_RESOURCE_H

#include <stdbool.h>

#include "store/evidence.h"

#define STORE_RESOURCE_VALUE_MAX 4096
#define STORE_RESOURCE_WORD_MAX 255

struct store_resource { const char *type, *value, *task, *worker; };

struct store_resource_claim {
    bool mine, completed;
    char page[STORE_EVIDENCE_ID];   /* "" until it is known */
};

/* Errors: INVALID (too long a value or name). */
wr_err store_resource_claim(struct store *store, const struct store_resource *resource,
                            wr_time lease, struct store_resource_claim *ret, wr_time deadline);

/* It is this page now; NULL: it failed, and another may try.  Errors: NOTFOUND (it is not, or
 * no longer, this worker's). */
wr_err store_resource_done(struct store *store, const char *type, const char *value,
                           const char *worker, const char *page, wr_time deadline);

#endif
