/* cache_row.h - answers that outlive the process: the level behind weir/cache.h.
 *
 *     err = store_cache_put(store, "check.crossref", key, len, &STORE_BLOB(json, size), until,
 *                           deadline);
 *     err = store_cache_get(store, "check.crossref", key, len, &answer, deadline);
 *     ...answer.nothing, answer.answer.bytes, answer.answer.len, answer.until
 *     store_cache_free(&answer);
 *
 * A row is of one cache, has a key and an answer, or says that there is none.  It is never
 * given out once its time is over, by the store's clock; rows whose time is over are taken out
 * by store_cache_sweep, some at a time.
 */
#ifndef WR_STORE_CACHE_ROW_H
#define WR_STORE_CACHE_ROW_H

#include "store/store.h"
#include "store/verb.h"

#define STORE_CACHE_KEY_MAX 1024
#define STORE_CACHE_ANSWER_MAX (4 << 20)

struct store_cached {
    bool nothing;                   /* it is known that there is none */
    struct store_value answer;
    struct wr_wall until;
    struct store_rows rows;
};

/* Errors: NOTFOUND (not known, or no longer). */
wr_err store_cache_get(struct store *store, const char *cache, const void *key, size_t len,
                       struct store_cached *ret, wr_time deadline);
void store_cache_free(struct store_cached *cached);

/* In place of what there was.  A NULL answer: there is none.
 * Errors: INVALID (a key or answer that is too long). */
wr_err store_cache_put(struct store *store, const char *cache, const void *key, size_t len,
                       const struct store_value *answer, struct wr_wall until,
                       wr_time deadline);

/* Take out up to `max` rows whose time is over.  *ret is how many: as many as `max` means that
 * there may be more. */
wr_err store_cache_sweep(struct store *store, size_t max, uint64_t *ret, wr_time deadline);

/* How many rows there are, those included whose time is over. */
wr_err store_cache_count(struct store *store, uint64_t *ret, wr_time deadline);

/* Take out `max` rows, those first whose time is over soonest.  *ret is how many. */
wr_err store_cache_trim(struct store *store, size_t max, uint64_t *ret, wr_time deadline);

#endif
