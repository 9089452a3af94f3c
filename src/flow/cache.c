/* cache.c - a table in shards, swept by one.
 *
 * A shard has a lock and a hash table of entries.  Entries are made before the lock is taken
 * and freed after it was given back.
 */
#include <weir/cache.h>

#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/metric.h>
#include <weir/scope.h>
#include <weir/sem.h>
#include <weir/task.h>

#include "base/forget.h"
#include "base/scatter.h"
#include "base/world.h"
#include "flow/flight.h"

#define LOCK_RANK 1002
#define SHARDS 64                   /* at most; and as few as have so many entries: */
#define SHARD_ENTRIES_MIN 32
#define SWEEP 256                   /* slots that are looked at with the lock held */

struct entry {
    struct entry *chain;
    uint64_t hash;
    wr_time until;
    struct wr_bytes *answer;        /* NULL: there is none */
    uint32_t key_len;
    bool wanted;                    /* since the janitor last came by */
    unsigned char key[];
};

/* Laid out so that a hit writes to one line of it: the slots push the lock's word, which is at
 * its end, to the begin of the second line, where the counts are. */
struct shard {
    _Alignas(64) struct entry **slots;
    struct wr_mutex lock;
    uint64_t hits, nothings, misses;
    size_t entries, bytes;
    size_t hand;                    /* the slot that the janitor looks at next */
    uint64_t evicted, expired, not_kept;
};
static_assert(offsetof(struct shard, lock.word) % 64 == 0);

struct wr_cache {
    struct wr_cache_conf conf;
    uint64_t seed[2];
    unsigned shard_count;           /* a power of two */
    size_t slot_count;              /* of a shard: a power of two */
    _Atomic size_t entries_max, bytes_max;      /* of a shard */
    _Atomic wr_time ttl, ttl_nothing;
    struct wr_sem *crowded;         /* a unit: the janitor is wanted before its time */
    atomic_bool called;
    atomic_bool running;
    struct flights *flights;        /* who has gone to ask */
    _Atomic uint64_t behind_hits, shared;
    struct wr_cache *next, **link;  /* among all, for the metrics */
    struct shard shards[SHARDS];
};

static void collect_entries(struct wr_scrape *scrape);
static void collect_lookups(struct wr_scrape *scrape);
static struct wr_metric entries = {
    .name = "cache_entries", .help = "Answers that a cache holds.",
    .type = WR_GAUGE, .labels = { "cache" }, .series_max = 32, .collect = collect_entries,
};
static struct wr_metric lookups = {
    .name = "cache_lookups_total", .help = "Times that a cache was asked, and what it had.",
    .type = WR_COUNTER, .labels = { "cache", "found" }, .series_max = 4 * 32,
    .collect = collect_lookups,
};

static struct {
    struct wr_mutex lock;
    struct wr_cache *first;
} all = { .lock = WR_MUTEX("flow.caches", 1001) };

struct key { const void *bytes; size_t len; uint64_t hash; };

static struct key key_of(const struct wr_cache *cache, const void *bytes, size_t len)
{
    WR_ASSERT(len <= WR_CACHE_KEY_MAX);
    return (struct key){ bytes, len, wr_scatter(cache->seed, bytes, len) };
}

static struct shard *shard_of(struct wr_cache *cache, const struct key *key)
{
    return &cache->shards[key->hash >> 32 & (cache->shard_count - 1)];
}

static struct entry **slot_of(struct wr_cache *cache, struct shard *shard, uint64_t hash)
{
    return &shard->slots[hash & (cache->slot_count - 1)];
}

/* What an entry counts for, its key and its place in the table included. */
static size_t weight(const struct entry *entry)
{
    return sizeof(*entry) + sizeof(void *) + entry->key_len
           + (entry->answer ? sizeof(*entry->answer) + entry->answer->len : 0);
}

static void free_entry(struct entry *entry)
{
    wr_bytes_unref(entry->answer);
    wr_forget_free(entry);
}

/* ---- with the lock of a shard ---- */

static struct entry **find(struct wr_cache *cache, struct shard *shard, const struct key *key)
{
    struct entry **link = slot_of(cache, shard, key->hash);
    while (*link && ((*link)->hash != key->hash || (*link)->key_len != key->len
                     || memcmp((*link)->key, key->bytes, key->len) != 0))
        link = &(*link)->chain;
    return link;
}

static struct entry *take_out(struct shard *shard, struct entry **link)
{
    struct entry *entry = *link;
    *link = entry->chain;
    shard->entries--;
    shard->bytes -= weight(entry);
    return entry;
}

static enum wr_cache_found look(struct wr_cache *cache, struct shard *shard,
                                const struct key *key, wr_time now, struct wr_bytes **ret)
{
    struct entry *entry = *find(cache, shard, key);
    if (!entry || entry->until <= now)
        return WR_CACHE_MISS;
    if (!entry->wanted)             /* else the line stays as clean as it was */
        entry->wanted = true;
    *ret = wr_bytes_ref(entry->answer);
    return entry->answer ? WR_CACHE_HIT : WR_CACHE_NOTHING;
}

static void count(struct shard *shard, enum wr_cache_found found)
{
    shard->hits += found == WR_CACHE_HIT;
    shard->nothings += found == WR_CACHE_NOTHING;
    shard->misses += found == WR_CACHE_MISS;
}

/* ---- get and put ---- */

enum wr_cache_found wr_cache_get(struct wr_cache *cache, const void *bytes, size_t len,
                                 struct wr_bytes **ret)
{
    struct key key = key_of(cache, bytes, len);
    struct shard *shard = shard_of(cache, &key);
    __builtin_prefetch(&shard->lock.word, 1);       /* both come while the clock is read */
    __builtin_prefetch(slot_of(cache, shard, key.hash));
    wr_time now = wr_now();
    *ret = NULL;
    wr_mutex_lock(&shard->lock);
    enum wr_cache_found found = look(cache, shard, &key, now, ret);
    count(shard, found);
    wr_mutex_unlock(&shard->lock);
    return found;
}

/* When the janitor begins to take out what is still good, and when it stops. */
#define CROWDED 7                   /* eighths */
#define ROOMY 6

static bool fuller(const struct wr_cache *cache, const struct shard *shard, unsigned eighths)
{
    return shard->entries > cache->entries_max * eighths / 8
           || shard->bytes > cache->bytes_max / 8 * eighths;
}

static void call_janitor(struct wr_cache *cache)
{
    if (!atomic_exchange(&cache->called, true))
        wr_sem_release(cache->crowded);
}

static void insert(struct wr_cache *cache, const struct key *key, struct entry *entry)
{
    struct shard *shard = shard_of(cache, key);
    struct entry *old = NULL;
    wr_mutex_lock(&shard->lock);
    struct entry **link = find(cache, shard, key);
    if (*link)
        old = take_out(shard, link);
    bool fits = shard->entries < cache->entries_max
                && shard->bytes + weight(entry) <= cache->bytes_max;
    if (fits) {
        struct entry **slot = slot_of(cache, shard, key->hash);
        entry->chain = *slot;
        *slot = entry;
        shard->entries++;
        shard->bytes += weight(entry);
    }
    shard->not_kept += !fits;
    bool crowded = !fits || fuller(cache, shard, CROWDED);
    wr_mutex_unlock(&shard->lock);
    if (old)
        free_entry(old);
    if (!fits)
        free_entry(entry);
    if (crowded)
        call_janitor(cache);
}

/* Here only, until then. */
static void put_here(struct wr_cache *cache, const struct key *key, struct wr_bytes *answer,
                     wr_time until)
{
    struct entry *entry = malloc(sizeof(*entry) + key->len);
    if (!entry)
        return;
    *entry = (struct entry){ .hash = key->hash, .until = until, .key_len = (uint32_t)key->len,
                             .answer = wr_bytes_ref(answer) };
    if (key->len)
        memcpy(entry->key, key->bytes, key->len);
    insert(cache, key, entry);
}

void wr_cache_put(struct wr_cache *cache, const void *bytes, size_t len,
                  struct wr_bytes *answer)
{
    wr_time ttl = answer ? cache->ttl : cache->ttl_nothing;
    if (ttl < 0)
        return;
    struct key key = key_of(cache, bytes, len);
    put_here(cache, &key, answer, wr_after(ttl));
    const struct wr_cache_level *behind = cache->conf.behind;
    if (behind && !wr_forgets())
        behind->put(behind->self, cache->conf.name, bytes, len, answer,
                    (struct wr_wall){ wr_wall().ns + ttl });
}

void wr_cache_drop(struct wr_cache *cache, const void *bytes, size_t len)
{
    struct key key = key_of(cache, bytes, len);
    struct shard *shard = shard_of(cache, &key);
    wr_mutex_lock(&shard->lock);
    struct entry **link = find(cache, shard, &key);
    struct entry *old = *link ? take_out(shard, link) : NULL;
    wr_mutex_unlock(&shard->lock);
    if (old)
        free_entry(old);
}

/* ---- the janitor ---- */

enum sweep { SWEEP_EXPIRED, SWEEP_UNWANTED, SWEEP_ALL };

/* Look at some slots, from the hand on; what was taken out. */
static struct entry *sweep_some(struct wr_cache *cache, struct shard *shard, enum sweep what,
                                wr_time now)
{
    struct entry *out = NULL;
    wr_mutex_lock(&shard->lock);
    for (unsigned i = 0; i < SWEEP && i < cache->slot_count; i++) {
        struct entry **link = &shard->slots[shard->hand++ & (cache->slot_count - 1)];
        while (*link) {
            struct entry *entry = *link;
            bool expired = entry->until <= now;
            bool unwanted = what == SWEEP_UNWANTED && !entry->wanted
                            && fuller(cache, shard, ROOMY);
            if (what == SWEEP_UNWANTED)
                entry->wanted = false;
            if (!expired && !unwanted && what != SWEEP_ALL) {
                link = &entry->chain;
                continue;
            }
            shard->expired += expired;
            shard->evicted += unwanted && !expired;
            take_out(shard, link);
            entry->chain = out;
            out = entry;
        }
    }
    wr_mutex_unlock(&shard->lock);
    return out;
}

static void sweep(struct wr_cache *cache, struct shard *shard, enum sweep what)
{
    wr_time now = wr_now();
    for (size_t seen = 0; seen < cache->slot_count; seen += SWEEP) {
        struct entry *out = sweep_some(cache, shard, what, now);
        while (out) {
            struct entry *entry = out;
            out = entry->chain;
            free_entry(entry);
        }
    }
}

static bool is_crowded(struct wr_cache *cache, struct shard *shard)
{
    wr_mutex_lock(&shard->lock);
    bool crowded = fuller(cache, shard, CROWDED);
    wr_mutex_unlock(&shard->lock);
    return crowded;
}

/* The first round of a crowded shard takes what nobody wanted since the last, and forgets
 * that the others were wanted; the second takes of those, where it is crowded with them: what
 * was put meanwhile is no reason. */
static void tidy(struct wr_cache *cache, struct shard *shard)
{
    sweep(cache, shard, SWEEP_EXPIRED);
    for (int round = 0; round < 2 && is_crowded(cache, shard); round++)
        sweep(cache, shard, SWEEP_UNWANTED);
}

wr_err wr_cache_run(void *arg)
{
    struct wr_cache *cache = arg;
    if (atomic_exchange(&cache->running, true))
        wr_panic("cache \"%s\" has a janitor already", cache->conf.name);
    wr_err err;
    do {
        err = wr_sem_acquire(cache->crowded, wr_after(cache->conf.tick));
        atomic_store(&cache->called, false);
        for (unsigned i = 0; i < cache->shard_count && err != WR_CANCELED; i++)
            tidy(cache, &cache->shards[i]);
    } while (!err || (err == WR_TIMEOUT && !wr_scope_check()));
    atomic_store(&cache->running, false);
    return WR_CANCELED;
}

void wr_cache_clear(struct wr_cache *cache)
{
    for (unsigned i = 0; i < cache->shard_count; i++)
        sweep(cache, &cache->shards[i], SWEEP_ALL);
}

/* ---- as a wrapper ---- */

/* What the level behind has, if anything; it is kept here too, no longer than there.  One that
 * has more time left than an answer is given was put there before the calendar was set back:
 * nobody knows how old it is. */
static bool ask_behind(struct wr_cache *cache, const struct key *key, struct wr_ask *ask,
                       wr_err *ret, wr_time deadline)
{
    const struct wr_cache_level *behind = cache->conf.behind;
    struct wr_wall until;
    struct wr_bytes *answer = NULL;
    if (!behind || wr_forgets()
        || behind->get(behind->self, cache->conf.name, key->bytes, key->len, &answer, &until,
                       deadline))
        return false;
    wr_time left = until.ns - wr_wall().ns;
    if (left <= 0 || left > (answer ? cache->ttl : cache->ttl_nothing)) {
        wr_bytes_unref(answer);
        return false;
    }
    put_here(cache, key, answer, wr_after(left));
    atomic_fetch_add_explicit(&cache->behind_hits, 1, memory_order_relaxed);
    ask->answer = answer;
    *ret = answer ? WR_OK : WR_NOTFOUND;
    return true;
}

static wr_err ask_inner(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct wr_cache *cache = way->self;
    struct key key = key_of(cache, ask->key, ask->key_len);
    wr_err err;
    if (ask_behind(cache, &key, ask, &err, deadline))
        return err;
    err = wr_way_ask(way->inner, ask, deadline);
    if (!err || err == WR_NOTFOUND)
        wr_cache_put(cache, ask->key, ask->key_len, ask->answer);
    return err;
}

/* Whether a leader's error says nothing about the question. */
static bool own_error(wr_err err)
{
    return err == WR_TIMEOUT || err == WR_CANCELED || err == WR_PANIC;
}

static enum wr_cache_found look_again(void *arg, const void *bytes, size_t len,
                                      struct wr_bytes **ret)
{
    struct wr_cache *cache = arg;
    struct key key = key_of(cache, bytes, len);
    struct shard *shard = shard_of(cache, &key);
    wr_time now = wr_now();
    wr_mutex_lock(&shard->lock);
    enum wr_cache_found found = look(cache, shard, &key, now, ret);
    wr_mutex_unlock(&shard->lock);
    return found;
}

static wr_err found_to_err(enum wr_cache_found found)
{
    return found == WR_CACHE_HIT ? WR_OK : WR_NOTFOUND;
}

/* One goes and asks, the others wait for it. */
static wr_err ask_together(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct wr_cache *cache = way->self;
    for (;;) {
        struct flight *flight;
        bool leads;
        enum wr_cache_found found = WR_CACHE_MISS;
        wr_err err = flight_board(cache->flights, ask->key, ask->key_len, &flight, &leads);
        if (err)
            return err;
        if (leads) {
            found = look_again(cache, ask->key, ask->key_len, &ask->answer);
            err = found ? found_to_err(found) : ask_inner(way, ask, deadline);
            flight_land(flight, err, ask->answer);
            return err;
        }
        wr_err waited = flight_wait(flight, &err, &ask->answer, deadline);
        if (waited)
            return waited;
        if (!own_error(err)) {
            atomic_fetch_add_explicit(&cache->shared, 1, memory_order_relaxed);
            return err;
        }
    }
}

wr_err wr_cache_ask(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct wr_cache *cache = way->self;
    if (ask->key_len == 0)
        return wr_way_ask(way->inner, ask, deadline);
    enum wr_cache_found found = wr_cache_get(cache, ask->key, ask->key_len, &ask->answer);
    if (found)
        return found_to_err(found);
    return ask->safe ? ask_together(way, ask, deadline) : ask_inner(way, ask, deadline);
}

/* ---- life ---- */

static size_t entries_of(const struct wr_cache_conf *conf)
{
    return conf->entries_max ? conf->entries_max : 100000;
}

void wr_cache_set(struct wr_cache *cache, const struct wr_cache_conf *conf)
{
    size_t bytes = conf->bytes_max ? conf->bytes_max : (size_t)256 << 20;
    cache->entries_max = (entries_of(conf) + cache->shard_count - 1) / cache->shard_count;
    cache->bytes_max = bytes / cache->shard_count;
    cache->ttl = conf->ttl ? conf->ttl : WR_S(10);
    cache->ttl_nothing = conf->ttl_nothing ? conf->ttl_nothing : WR_S(2);
}

/* The table is made for as many as there may be at first; more are longer chains. */
static void set_up(struct wr_cache *cache)
{
    struct wr_cache_conf *conf = &cache->conf;
    conf->tick = conf->tick ? conf->tick : WR_S(1);
    cache->shard_count = SHARDS;
    while (cache->shard_count > 1 && entries_of(conf) / SHARD_ENTRIES_MIN < cache->shard_count)
        cache->shard_count /= 2;
    wr_cache_set(cache, conf);
    cache->slot_count = 1;
    while (cache->slot_count < cache->entries_max)
        cache->slot_count *= 2;
}

static void join_all(struct wr_cache *cache)
{
    wr_metric_declare(&entries);
    wr_metric_declare(&lookups);
    wr_mutex_lock(&all.lock);
    cache->next = all.first;
    cache->link = &all.first;
    if (all.first)
        all.first->link = &cache->next;
    all.first = cache;
    wr_mutex_unlock(&all.lock);
}

wr_err (wr_cache_new)(struct wr_cache **ret, const struct wr_cache_conf *conf,
                      const char *place)
{
    if (!conf->name)
        wr_panic_at(place, "a cache has no name, which is required");
    struct wr_cache *cache = aligned_alloc(64, sizeof(*cache));
    if (!cache)
        return WR_NOMEM;
    memset(cache, 0, sizeof(*cache));
    cache->conf = *conf;
    set_up(cache);
    wr_world->entropy(cache->seed, sizeof(cache->seed));
    join_all(cache);
    bool whole = !flights_new(&cache->flights, conf->name)
                 && !wr_sem_new(&cache->crowded, conf->name, 1)
                 && !wr_sem_try_acquire_many(cache->crowded, 1);
    for (unsigned i = 0; i < cache->shard_count; i++) {
        cache->shards[i].lock = (struct wr_mutex)WR_MUTEX(conf->name, LOCK_RANK);
        cache->shards[i].slots = calloc(cache->slot_count, sizeof(struct entry *));
        whole &= cache->shards[i].slots != NULL;
    }
    if (!whole) {
        wr_cache_free(cache);
        return WR_NOMEM;
    }
    *ret = cache;
    return WR_OK;
}

void wr_cache_free(struct wr_cache *cache)
{
    if (!cache)
        return;
    WR_ASSERT(!atomic_load(&cache->running));
    wr_mutex_lock(&all.lock);
    *cache->link = cache->next;
    if (cache->next)
        cache->next->link = cache->link;
    wr_mutex_unlock(&all.lock);
    for (unsigned i = 0; i < cache->shard_count; i++) {
        if (cache->shards[i].slots)
            sweep(cache, &cache->shards[i], SWEEP_ALL);
        free(cache->shards[i].slots);
        wr_mutex_fini(&cache->shards[i].lock);
    }
    wr_sem_free(cache->crowded);
    flights_free(cache->flights);
    free(cache);
}

/* ---- for people ---- */

struct wr_cache_stat wr_cache_stat(struct wr_cache *cache)
{
    struct wr_cache_stat stat = {
        .behind_hits = atomic_load(&cache->behind_hits), .shared = atomic_load(&cache->shared),
    };
    for (unsigned i = 0; i < cache->shard_count; i++) {
        struct shard *shard = &cache->shards[i];
        wr_mutex_lock(&shard->lock);
        stat.entries += shard->entries;
        stat.bytes += shard->bytes;
        stat.hits += shard->hits;
        stat.nothings += shard->nothings;
        stat.misses += shard->misses;
        stat.evicted += shard->evicted;
        stat.expired += shard->expired;
        stat.not_kept += shard->not_kept;
        wr_mutex_unlock(&shard->lock);
    }
    return stat;
}

static void collect_entries(struct wr_scrape *scrape)
{
    wr_mutex_lock(&all.lock);
    for (struct wr_cache *cache = all.first; cache; cache = cache->next)
        wr_scrape_gauge(scrape, (int64_t)wr_cache_stat(cache).entries, cache->conf.name);
    wr_mutex_unlock(&all.lock);
}

static void collect_lookups(struct wr_scrape *scrape)
{
    wr_mutex_lock(&all.lock);
    for (struct wr_cache *cache = all.first; cache; cache = cache->next) {
        struct wr_cache_stat stat = wr_cache_stat(cache);
        wr_scrape_counter(scrape, stat.hits, cache->conf.name, "hit");
        wr_scrape_counter(scrape, stat.nothings, cache->conf.name, "nothing");
        wr_scrape_counter(scrape, stat.misses, cache->conf.name, "miss");
        wr_scrape_counter(scrape, stat.shared, cache->conf.name, "shared");
    }
    wr_mutex_unlock(&all.lock);
}
