/* cache_level.c - see cache_level.h. */
#include "store/cache_level.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/metric.h>
#include <weir/scope.h>
#include <weir/sem.h>
#include <weir/task.h>

#include "base/forget.h"
#include "base/scatter.h"
#include "base/world.h"
#include "store/cache_row.h"

#define WRITERS 8
#define WRITE_WITHIN WR_S(2)
#define SLICE 256                   /* rows that are taken out at once */

enum result { HIT, MISS, FAILED, SKIPPED, WRITTEN, NOT_WRITTEN, REMOVED, RESULTS };

static const char *const result_names[RESULTS] = {
    "hit", "miss", "failed", "skipped", "written", "not_written", "removed",
};

static struct wr_metric behind_total = {
    .name = "cache_behind_total",
    .help = "What came of looking for answers in the store, of writing and removing them.",
    .type = WR_COUNTER, .labels = { "result" }, .series_max = RESULTS,
};

/* An answer that is to be written. */
struct pending {
    struct cache_level *level;
    const char *cache;
    struct wr_wall until;
    struct wr_bytes *answer;        /* NULL: there is none */
    size_t key_len;
    unsigned char key[];
};

struct writer { struct cache_level *level; struct wr_chan *queue; };

struct cache_level {
    struct cache_level_conf conf;
    struct wr_cache_level behind;
    uint64_t seed[2];
    struct writer writers[WRITERS];
    struct wr_sem *wanted;          /* a unit: rows are to be taken out before their time */
    atomic_bool called;
    atomic_bool stopped;
    _Atomic uint64_t since;         /* rows written since they were last counted */
    _Atomic size_t bytes;           /* of those that are pending */
    _Atomic wr_time rest_until;
    _Atomic uint64_t counts[RESULTS];
    struct wr_counter *counters[RESULTS];
};

static void count(struct cache_level *level, enum result result, uint64_t n)
{
    atomic_fetch_add_explicit(&level->counts[result], n, memory_order_relaxed);
    wr_counter_add(level->counters[result], n);
}

/* ---- when the store fails ---- */

static bool resting(const struct cache_level *level)
{
    return wr_now() < atomic_load_explicit(&level->rest_until, memory_order_relaxed);
}

static void leave_alone(struct cache_level *level)
{
    atomic_store_explicit(&level->rest_until, wr_after(level->conf.rest), memory_order_relaxed);
}

/* ---- get ---- */

static wr_err copy_out(const struct store_cached *cached, struct wr_bytes **ret,
                       struct wr_wall *ret_until)
{
    *ret = NULL;
    *ret_until = cached->until;
    return cached->nothing ? WR_OK
                           : wr_bytes_copy(ret, cached->answer.bytes, cached->answer.len);
}

static wr_err get(void *self, const char *cache, const void *key, size_t len,
                  struct wr_bytes **ret, struct wr_wall *ret_until, wr_time deadline)
{
    struct cache_level *level = self;
    struct store_cached cached;
    if (resting(level)) {
        count(level, SKIPPED, 1);
        return WR_NOTFOUND;
    }
    wr_time patience = wr_after(level->conf.wait);
    bool hurried = deadline < patience;
    wr_err err = store_cache_get(level->conf.store, cache, key, len, &cached,
                                 hurried ? deadline : patience);
    if (!err)
        err = copy_out(&cached, ret, ret_until);
    store_cache_free(&cached);
    count(level, !err ? HIT : err == WR_NOTFOUND ? MISS : FAILED, 1);
    bool own = err == WR_CANCELED || (hurried && (err == WR_TIMEOUT || err == WR_BUSY));
    if (err && err != WR_NOTFOUND && !own)
        leave_alone(level);
    return err ? WR_NOTFOUND : WR_OK;
}

/* ---- put ---- */

static size_t weight(const struct pending *pending)
{
    return sizeof(*pending) + pending->key_len + (pending->answer ? pending->answer->len : 0);
}

static void discard(struct pending *pending)
{
    atomic_fetch_sub(&pending->level->bytes, weight(pending));
    wr_bytes_unref(pending->answer);
    wr_forget_free(pending);
}

/* The channel's, for what nobody will write. */
static void drop(void *item)
{
    struct pending *pending = *(struct pending **)item;
    count(pending->level, NOT_WRITTEN, 1);
    discard(pending);
}

static bool may_queue(struct cache_level *level, const struct wr_bytes *answer)
{
    return !resting(level) && (!answer || answer->len <= level->conf.answer_max)
           && atomic_load(&level->bytes) < level->conf.bytes_max;
}

static void put(void *self, const char *cache, const void *key, size_t len,
                struct wr_bytes *answer, struct wr_wall until)
{
    struct cache_level *level = self;
    struct pending *pending = NULL;
    if (may_queue(level, answer))
        pending = malloc(sizeof(*pending) + len);
    if (!pending) {
        count(level, NOT_WRITTEN, 1);
        return;
    }
    *pending = (struct pending){ .level = level, .cache = cache, .until = until,
                                 .answer = wr_bytes_ref(answer), .key_len = len };
    if (len)
        memcpy(pending->key, key, len);
    atomic_fetch_add(&level->bytes, weight(pending));
    struct writer *writer = &level->writers[wr_scatter(level->seed, key, len) % WRITERS];
    if (wr_chan_send(writer->queue, &pending, WR_NOW))
        drop(&pending);
}

static void call_janitor(struct cache_level *level)
{
    if (!atomic_exchange(&level->called, true))
        wr_sem_release(level->wanted);
}

static void write_one(struct cache_level *level, struct pending *pending)
{
    struct store_value value = STORE_NULL;
    wr_err err = WR_NOTFOUND;       /* too late for it */
    if (pending->answer)
        value = STORE_BLOB(pending->answer->data, pending->answer->len);
    if (!resting(level) && pending->until.ns > wr_wall().ns)
        err = store_cache_put(level->conf.store, pending->cache, pending->key,
                              pending->key_len, pending->answer ? &value : NULL,
                              pending->until, wr_after(WRITE_WITHIN));
    count(level, err ? NOT_WRITTEN : WRITTEN, 1);
    if (err && err != WR_NOTFOUND && err != WR_CANCELED && err != WR_INVALID)
        leave_alone(level);
    if (!err && atomic_fetch_add(&level->since, 1) >= level->conf.rows_max / 16)
        call_janitor(level);
    discard(pending);
}

static wr_err write_on(void *arg)
{
    struct writer *writer = arg;
    struct pending *pending;
    wr_err err;
    while (!(err = wr_chan_recv(writer->queue, &pending, WR_NEVER)))
        write_one(writer->level, pending);
    return err == WR_CLOSED ? WR_OK : err;
}

/* ---- taking out ---- */

/* One slice of those whose time is over; whether there may be more. */
static bool sweep(struct cache_level *level)
{
    uint64_t removed;
    if (store_cache_sweep(level->conf.store, SLICE, &removed, wr_after(WRITE_WITHIN)))
        return false;
    count(level, REMOVED, removed);
    return removed == SLICE;
}

/* One slice of those that are too many. */
static bool trim(struct cache_level *level)
{
    uint64_t rows, removed, most = level->conf.rows_max;
    if (store_cache_count(level->conf.store, &rows, wr_after(WRITE_WITHIN)) || rows <= most)
        return false;
    size_t slice = rows - most < SLICE ? (size_t)(rows - most) : SLICE;
    if (store_cache_trim(level->conf.store, slice, &removed, wr_after(WRITE_WITHIN)))
        return false;
    count(level, REMOVED, removed);
    return removed > 0;
}

static void tidy(struct cache_level *level)
{
    atomic_store(&level->called, false);
    atomic_store(&level->since, 0);
    while (!resting(level) && sweep(level))
        ;
    while (!resting(level) && trim(level))
        ;
}

wr_err cache_level_run(void *arg)
{
    struct cache_level *level = arg;
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "store.cache_level",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    for (int i = 0; i < WRITERS && !err; i++)
        err = wr_scope_go(scope, "store.cache_writer", write_on, &level->writers[i]);
    while (!err || err == WR_TIMEOUT) {
        err = wr_sem_acquire(level->wanted, wr_after(level->conf.tick));
        if (level->stopped || (err && (err != WR_TIMEOUT || wr_scope_check())))
            break;
        tidy(level);
    }
    if (level->stopped)
        err = wr_scope_join(scope, WR_NEVER);       /* until all is written */
    (void)!wr_scope_close(scope);
    return err == WR_TIMEOUT ? wr_scope_check() : err;
}

/* ---- life ---- */

static void set_defaults(struct cache_level_conf *conf)
{
    conf->wait = conf->wait ? conf->wait : WR_MS(100);
    conf->rest = conf->rest ? conf->rest : WR_S(1);
    conf->tick = conf->tick ? conf->tick : WR_S(10);
    conf->queue_max = conf->queue_max ? conf->queue_max : 1024;
    conf->bytes_max = conf->bytes_max ? conf->bytes_max : 16 << 20;
    conf->answer_max = conf->answer_max ? conf->answer_max : 64 << 10;
    conf->rows_max = conf->rows_max ? conf->rows_max : 100000;
}

wr_err cache_level_new(struct cache_level **ret, const struct cache_level_conf *conf)
{
    WR_ASSERT(conf->store && conf->answer_max <= STORE_CACHE_ANSWER_MAX);
    struct cache_level *level = calloc(1, sizeof(*level));
    if (!level)
        return WR_NOMEM;
    level->conf = *conf;
    set_defaults(&level->conf);
    level->behind = (struct wr_cache_level){ get, put, level };
    wr_world->entropy(level->seed, sizeof(level->seed));
    for (int i = 0; i < RESULTS; i++)
        level->counters[i] = wr_metric_counter(&behind_total, result_names[i]);
    wr_err err = wr_sem_new(&level->wanted, "store.cache_level", 1);
    if (!err)
        err = wr_sem_try_acquire_many(level->wanted, 1);
    for (int i = 0; i < WRITERS && !err; i++) {
        level->writers[i].level = level;
        err = wr_chan_new(&level->writers[i].queue, &(struct wr_chan_conf){
            .name = "store.cache_puts", .item_size = sizeof(struct pending *),
            .cap = (level->conf.queue_max + WRITERS - 1) / WRITERS, .policy = WR_REJECT,
            .drop = drop });
    }
    if (err) {
        cache_level_free(level);
        return err;
    }
    *ret = level;
    return WR_OK;
}

void cache_level_stop(struct cache_level *level)
{
    for (int i = 0; i < WRITERS; i++)
        wr_chan_close(level->writers[i].queue);
    level->stopped = true;
    call_janitor(level);
}

void cache_level_free(struct cache_level *level)
{
    if (!level)
        return;
    for (int i = 0; i < WRITERS; i++)
        wr_chan_free(level->writers[i].queue);
    wr_sem_free(level->wanted);
    free(level);
}

const struct wr_cache_level *cache_level_behind(struct cache_level *level)
{
    return &level->behind;
}

struct cache_level_stat cache_level_stat(const struct cache_level *level)
{
    uint64_t counts[RESULTS];
    for (int i = 0; i < RESULTS; i++)
        counts[i] = atomic_load_explicit(&level->counts[i], memory_order_relaxed);
    return (struct cache_level_stat){
        .hits = counts[HIT], .misses = counts[MISS], .failed = counts[FAILED],
        .skipped = counts[SKIPPED], .written = counts[WRITTEN],
        .not_written = counts[NOT_WRITTEN], .removed = counts[REMOVED],
    };
}
