/* cache_level.h - the store as the level behind a cache (weir/cache.h).
 *
 *     err = cache_level_new(&level, &(struct cache_level_conf){ .store = store });
 *     err = wr_scope_go(scope, "check.cache_level", cache_level_run, level);
 *     err = wr_cache_new(&cache, &(struct wr_cache_conf){
 *         .name = "check.crossref", .behind = cache_level_behind(level) });
 *
 * Answers outlive the process, and all nodes on one store find each other's.  One level serves
 * any number of caches, each by its name.
 *
 * It is never worse than nothing.  A store that is broken, or slower than `wait`, is a miss and
 * no error of the call, and is then left alone for `rest`: what would be looked for meanwhile
 * is a miss at once.  A put does not wait for a disk: it is queued, and written by the task
 * cache_level_run, eight at a time, those of one key in their order.  What does not fit into
 * the queue, or is in it when the task is canceled, is not written; who ends and wants it to be
 * calls cache_level_stop.  Each of these is counted in cache_behind_total{result}.
 *
 * An answer's time is over by the calendar, the store's and this node's: whichever says so
 * first.  On a server nodes whose calendars differ by a second may give out an answer a second
 * too long, and no longer.
 *
 * The task takes out rows whose time is over and, of more than rows_max, those whose time is
 * over soonest: some at a time, so that nobody waits long behind it.  Between its visits there
 * may be a sixteenth more than that.
 *
 * Under amnesia a cache neither asks nor tells what is behind it.
 */
#ifndef WR_STORE_CACHE_LEVEL_H
#define WR_STORE_CACHE_LEVEL_H

#include <weir/cache.h>

#include "store/store.h"

struct cache_level;

/* Zero is the default of everything but the store. */
struct cache_level_conf {
    struct store *store;            /* required; must outlive it */
    wr_time wait;                   /* for an answer of the store; 100 ms */
    wr_time rest;                   /* after a failure; 1 s */
    wr_time tick;                   /* how often rows are taken out; 10 s */
    size_t queue_max;               /* answers that wait to be written; 1024 */
    size_t bytes_max;               /* ... and their bytes; 16 MiB */
    size_t answer_max;              /* a larger one is not written; 64 KiB */
    uint64_t rows_max;              /* of all caches in the store; 100,000 */
};

struct cache_level_stat {
    uint64_t hits, misses;
    uint64_t failed;                /* the store did not say */
    uint64_t skipped;               /* it was left alone */
    uint64_t written, not_written;
    uint64_t removed;               /* rows, by this node */
};

/* Errors: NOMEM. */
wr_err cache_level_new(struct cache_level **ret, const struct cache_level_conf *conf);

/* No cache may be using it, and its task must have ended.  NULL is allowed. */
void cache_level_free(struct cache_level *level);

/* For wr_cache_conf.behind. */
const struct wr_cache_level *cache_level_behind(struct cache_level *level);

/* The task that writes and takes out, until it is canceled. */
wr_err cache_level_run(void *level);

/* Take no more: the task writes what waits, and returns.  Does not wait.  Once. */
void cache_level_stop(struct cache_level *level);

struct cache_level_stat cache_level_stat(const struct cache_level *level);

#endif
