/* query_log.h - what was asked of search engines, and what they answered.
 *
 *     struct store_hit hits[] = { { .engine = "mojeek", .rank = 1, .url = url } };
 *     err = store_query_put(store, &(struct store_query){ .id = id, .task = task,
 *         .text = "tea and sleep", .engines = "mojeek", .hits = hits, .hit_count = 1 },
 *         deadline);
 *
 * A query is written once, with its answers, in the tables queries and serp_items.  One that is
 * written again stays as it was.
 */
#ifndef WR_STORE_QUERY_LOG_H
#define WR_STORE_QUERY_LOG_H

#include "store/store.h"

#define STORE_QUERY_HITS_MAX 512
#define STORE_QUERY_BYTES_MAX (1 << 20)     /* all of it, as JSON */

struct store_hit {
    const char *engine, *url;       /* required */
    const char *title, *snippet, *published;
    unsigned rank, page;
};

struct store_query {
    const char *id, *task, *text;   /* required; the id is made by the caller */
    const char *type, *engines, *cause;
    const struct store_hit *hits;
    size_t hit_count;
};

/* Errors: INVALID (too many hits, too long). */
wr_err store_query_put(struct store *store, const struct store_query *query, wr_time deadline);

#define STORE_QUERY_PRUNE_MAX 100

/* Forget queries that were made before this moment, with what was found: up to `max`, at most
 * STORE_QUERY_PRUNE_MAX.  *ret is how many: as many as `max` says that there may be more. */
wr_err store_query_prune(struct store *store, struct wr_wall before, size_t max, uint64_t *ret,
                         wr_time deadline);

#endif
