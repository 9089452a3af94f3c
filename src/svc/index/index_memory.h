/* index_memory.h - what was found lately.
 *
 *     switch (index_memory_get(memory, INDEX_PROVIDERS, "b3:...", &bytes)) {
 *     case WR_CACHE_HIT:      ...found_in(bytes), held: wr_bytes_unref
 *     case WR_CACHE_NOTHING:  ...it is known that there is none
 *     case WR_CACHE_MISS:     ...look for it
 *     }
 *     index_memory_put(memory, INDEX_PROVIDERS, "b3:...", bytes);
 *     index_memory_pin(memory, INDEX_PROVIDERS, "b3:...", bytes);
 *
 * Two caches (weir/cache.h): one for all, in which new ones crowd out those that nobody asks
 * for, and one for what is pinned.  Both forget at the same time.  Nothing waits.
 */
#ifndef WR_INDEX_MEMORY_H
#define WR_INDEX_MEMORY_H

#include <stddef.h>

#include <weir/bytes.h>
#include <weir/cache.h>
#include <weir/err.h>
#include <weir/scope.h>
#include <weir/time.h>

struct index_memory;

enum index_question { INDEX_MANIFEST, INDEX_PROVIDERS };

/* Zero is the default. */
struct index_memory_conf {
    size_t entries_max, pins_max;       /* 100,000 and 10,000 */
    wr_time ttl, ttl_nothing;           /* 10 s, 2 s; below 0: not remembered */
};

/* Errors: NOMEM. */
wr_err index_memory_new(struct index_memory **ret, const struct index_memory_conf *conf);

/* Other bounds and times from now on (wr_cache_set).  Any fiber. */
void index_memory_set(struct index_memory *memory, const struct index_memory_conf *conf);

/* Its janitors have ended.  NULL is allowed. */
void index_memory_free(struct index_memory *memory);

/* Its janitors, as tasks of a scope: until they are canceled.  Errors: those of wr_scope_go. */
wr_err index_memory_start(struct index_memory *memory, struct wr_scope *scope);

/* `text` is a key's (index_key.h). */
enum wr_cache_found index_memory_get(struct index_memory *memory, enum index_question kind,
                                     const char *text, struct wr_bytes **ret);

/* Remember what was found (lookup.h), or, with NULL, that there is none. */
void index_memory_put(struct index_memory *memory, enum index_question kind, const char *text,
                      struct wr_bytes *bytes);
void index_memory_pin(struct index_memory *memory, enum index_question kind, const char *text,
                      struct wr_bytes *bytes);

/* Forget what is known of a key; or everything. */
void index_memory_drop(struct index_memory *memory, const char *text);
void index_memory_clear(struct index_memory *memory);

/* How much there is. */
size_t index_memory_size(struct index_memory *memory);

#endif
