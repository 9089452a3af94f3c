/* index_memory.c - see index_memory.h. */
#include "svc/index/index_memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>

#include "svc/index/index_key.h"
#include "svc/index/index_meter.h"
#include "svc/index/lookup.h"

#define PINS_MAX 10000
#define NEVER (-1)                      /* that there is none is not pinned */
#define LIVE_RANK 462

struct index_memory {
    struct wr_cache *cache, *pins;
    atomic_bool pinned;                     /* something was put into pins, sometime */
    struct index_memory *next, **link;      /* among all, for the metrics */
};

/* ---- all of them, for the metrics ---- */

static struct wr_mutex live_lock = WR_MUTEX("index.memories", LIVE_RANK);
static struct index_memory *live;

size_t index_memory_size(struct index_memory *memory)
{
    return wr_cache_stat(memory->cache).entries + wr_cache_stat(memory->pins).entries;
}

static size_t size_of_all(void)
{
    size_t size = 0;
    wr_mutex_lock(&live_lock);
    for (struct index_memory *memory = live; memory; memory = memory->next)
        size += index_memory_size(memory);
    wr_mutex_unlock(&live_lock);
    return size;
}

static void enter(struct index_memory *memory)
{
    wr_mutex_lock(&live_lock);
    memory->next = live;
    memory->link = &live;
    if (live)
        live->link = &memory->next;
    live = memory;
    wr_mutex_unlock(&live_lock);
    index_meter_size(size_of_all);
}

static void leave(struct index_memory *memory)
{
    wr_mutex_lock(&live_lock);
    *memory->link = memory->next;
    if (memory->next)
        memory->next->link = memory->link;
    wr_mutex_unlock(&live_lock);
}

/* ---- making it ---- */

static struct wr_cache_conf cache_of(const struct index_memory_conf *conf)
{
    return (struct wr_cache_conf){ .name = "index.cache", .entries_max = conf->entries_max,
                                   .ttl = conf->ttl, .ttl_nothing = conf->ttl_nothing };
}

static struct wr_cache_conf pins_of(const struct index_memory_conf *conf)
{
    size_t max = conf->pins_max ? conf->pins_max : PINS_MAX;
    return (struct wr_cache_conf){ .name = "index.pins", .entries_max = max,
                                   .ttl = conf->ttl, .ttl_nothing = NEVER };
}

wr_err index_memory_new(struct index_memory **ret, const struct index_memory_conf *conf)
{
    struct index_memory *memory = calloc(1, sizeof(*memory));
    struct wr_cache_conf cache = cache_of(conf), pins = pins_of(conf);
    if (!memory)
        return WR_NOMEM;
    wr_err err = wr_cache_new(&memory->cache, &cache);
    if (!err)
        err = wr_cache_new(&memory->pins, &pins);
    if (err) {
        index_memory_free(memory);
        return err;
    }
    enter(memory);
    *ret = memory;
    return WR_OK;
}

void index_memory_set(struct index_memory *memory, const struct index_memory_conf *conf)
{
    struct wr_cache_conf cache = cache_of(conf), pins = pins_of(conf);
    wr_cache_set(memory->cache, &cache);
    wr_cache_set(memory->pins, &pins);
}

void index_memory_free(struct index_memory *memory)
{
    if (!memory)
        return;
    if (memory->link)
        leave(memory);
    wr_cache_free(memory->cache);
    wr_cache_free(memory->pins);
    free(memory);
}

wr_err index_memory_start(struct index_memory *memory, struct wr_scope *scope)
{
    wr_err err = wr_scope_go(scope, "index.cache_janitor", wr_cache_run, memory->cache);
    return err ? err : wr_scope_go(scope, "index.pins_janitor", wr_cache_run, memory->pins);
}

/* ---- using it ---- */

struct key { size_t len; char text[1 + INDEX_KEY_TEXT]; };

/* What is behind its end is not set: most keys are much shorter than they may be. */
static struct key key_of(enum index_question kind, const char *text)
{
    struct key key;
    key.len = strlen(text) + 1;
    WR_ASSERT(key.len < sizeof(key.text));
    key.text[0] = kind == INDEX_MANIFEST ? 'r' : 'p';
    memcpy(key.text + 1, text, key.len);
    return key;
}

enum wr_cache_found index_memory_get(struct index_memory *memory, enum index_question kind,
                                     const char *text, struct wr_bytes **ret)
{
    struct key key = key_of(kind, text);
    enum wr_cache_found found = wr_cache_get(memory->cache, key.text, key.len, ret);
    if (found || !atomic_load_explicit(&memory->pinned, memory_order_relaxed))
        return found;
    return wr_cache_get(memory->pins, key.text, key.len, ret);
}

/* Of each id there is one in a set. */
static bool is_same_set(const struct found *a, const struct found *b)
{
    size_t same = 0;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            same += strcmp(a->providers[i].id, b->providers[j].id) == 0;
    return a->count == b->count && same == a->count;
}

/* What is pinned is not the last that is known any more: whoever pins it puts it again. */
void index_memory_put(struct index_memory *memory, enum index_question kind, const char *text,
                      struct wr_bytes *bytes)
{
    struct key key = key_of(kind, text);
    struct wr_bytes *old = NULL;
    if (kind == INDEX_PROVIDERS && bytes &&
        index_memory_get(memory, kind, text, &old) == WR_CACHE_HIT &&
        !is_same_set(found_in(old), found_in(bytes)))
        index_meter_changed();
    wr_bytes_unref(old);
    wr_cache_put(memory->cache, key.text, key.len, bytes);
    wr_cache_drop(memory->pins, key.text, key.len);
}

void index_memory_pin(struct index_memory *memory, enum index_question kind, const char *text,
                      struct wr_bytes *bytes)
{
    struct key key = key_of(kind, text);
    atomic_store_explicit(&memory->pinned, true, memory_order_relaxed);
    wr_cache_put(memory->pins, key.text, key.len, bytes);
}

void index_memory_drop(struct index_memory *memory, const char *text)
{
    for (int kind = INDEX_MANIFEST; kind <= INDEX_PROVIDERS; kind++) {
        struct key key = key_of((enum index_question)kind, text);
        wr_cache_drop(memory->cache, key.text, key.len);
        wr_cache_drop(memory->pins, key.text, key.len);
    }
}

void index_memory_clear(struct index_memory *memory)
{
    wr_cache_clear(memory->cache);
    wr_cache_clear(memory->pins);
}
