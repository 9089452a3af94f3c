/* cache.h - answers that are still good.
 *
 *     err = wr_cache_new(&cache, &(struct wr_cache_conf){ .name = "index.resolve" });
 *     err = wr_scope_go(scope, "index.cache_janitor", wr_cache_run, cache);
 *     ...
 *     switch (wr_cache_get(cache, key, len, &answer)) {
 *     case WR_CACHE_HIT:      ...answer is held once more: wr_bytes_unref
 *     case WR_CACHE_NOTHING:  ...it is known that there is none
 *     case WR_CACHE_MISS:     ...ask
 *     }
 *
 * or WR_CACHED(cache, call): what the ask's key leads to, else the answer of the inner call,
 * remembered.  Only answers are: WR_OK for `ttl`, NOTFOUND for `ttl_nothing`.  Errors never.
 *
 * Those who miss the same key at the same time ask once (of safe questions): one goes, the
 * others wait for what it brings, each until its own deadline.  When it brings an error that
 * is its own (its deadline passed, it was canceled) the next one goes.
 *
 * An entry is never given out after its time, not even a nanosecond, whether the janitor has
 * come or not.  The number of entries and their bytes are bounded, keys and all.  The janitor,
 * which is the task wr_cache_run, is the only one to take entries out: those whose time is
 * over, and, when a shard is nearly full, those that were not asked for since it last came by.
 * What comes into a full shard before it has made room is not remembered, and counted.
 *
 * With a second level (wr_cache_level; the node's is its store) what is not here is looked for
 * there, and what is put here is put there too, later and in batches: it outlives the process.
 * In a process that is to forget nothing is asked or put there, and entries are wiped when they
 * go.
 */
#ifndef WEIR_CACHE_H
#define WEIR_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include <weir/ask.h>
#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

#define WR_CACHE_KEY_MAX 512

struct wr_cache;

/* Another level behind this one.  get waits, and says when the answer's time is over, by the
 * calendar (*ret NULL: it is known that there is none); put does not wait. */
struct wr_cache_level {
    wr_err (*get)(void *self, const char *cache, const void *key, size_t len,
                  struct wr_bytes **ret, struct wr_wall *ret_until, wr_time deadline);
    void (*put)(void *self, const char *cache, const void *key, size_t len,
                struct wr_bytes *answer, struct wr_wall until);
    void *self;
};

/* Zero is the default of everything but the name. */
struct wr_cache_conf {
    const char *name;               /* required: a literal */
    size_t entries_max;             /* 100,000 */
    size_t bytes_max;               /* 256 MiB */
    wr_time ttl;                    /* 10 s; below 0: not remembered */
    wr_time ttl_nothing;            /* 2 s; the same */
    wr_time tick;                   /* how often the janitor comes by; 1 s */
    const struct wr_cache_level *behind;
};

struct wr_cache_stat {
    size_t entries, bytes;
    uint64_t hits, nothings, misses;
    uint64_t behind_hits;           /* misses here, hits behind */
    uint64_t shared;                /* answers that another one had asked for */
    uint64_t evicted, expired;
    uint64_t not_kept;              /* full, or too large */
};

enum wr_cache_found { WR_CACHE_MISS = 0, WR_CACHE_HIT, WR_CACHE_NOTHING };

/* Errors: NOMEM. */
wr_err wr_cache_new(struct wr_cache **ret, const struct wr_cache_conf *conf WR_AT);
#define wr_cache_new(...) wr_cache_new(__VA_ARGS__, WR_HERE)

/* Other bounds and times from now on: entries_max, bytes_max, ttl and ttl_nothing, where zero
 * is the default again; nothing else of `conf` counts.  What is remembered keeps its time; what
 * is too much now goes when the janitor comes by.  Any fiber. */
void wr_cache_set(struct wr_cache *cache, const struct wr_cache_conf *conf);

/* Nobody may be using it, and the janitor must have ended.  NULL is allowed. */
void wr_cache_free(struct wr_cache *cache);

/* The janitor, as a task: until it is canceled. */
wr_err wr_cache_run(void *cache);

/* Look here, not behind.  Does not wait. */
enum wr_cache_found wr_cache_get(struct wr_cache *cache, const void *key, size_t len,
                                 struct wr_bytes **ret);

/* Remember an answer (NULL: that there is none), here and behind, in place of what there was.
 * The caller keeps its reference. */
void wr_cache_put(struct wr_cache *cache, const void *key, size_t len, struct wr_bytes *answer);

/* Forget one, or everything; here. */
void wr_cache_drop(struct wr_cache *cache, const void *key, size_t len);
void wr_cache_clear(struct wr_cache *cache);

/* The counts of all shards, one after the other. */
struct wr_cache_stat wr_cache_stat(struct wr_cache *cache);

/* As a wrapper.  Errors: NOTFOUND (remembered or fresh); those of the inner call; TIMEOUT and
 * CANCELED while waiting for another's answer. */
wr_err wr_cache_ask(const struct wr_way *way, struct wr_ask *ask, wr_time deadline);
#define WR_CACHED(cache, inner_) \
    (&(const struct wr_way){ .ask = wr_cache_ask, .self = (cache), .inner = (inner_) })

#endif
