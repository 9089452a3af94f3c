/* A hit in the cache's second level: a row of the store's file, from two threads, through the
 * cache, whose own memory has forgotten it.  Beside it, in turns, what SQLite takes for the
 * same row when the thread that asks reads it itself.
 * usage: level FILE [rows] [look-ups] */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/cache.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "../measure.h"
#include "store/cache_level.h"
#include "store/cache_row.h"

#define READERS 2
#define PAYLOAD 512
#define TURN 100

struct bench {
    const char *path;
    uint64_t rows, lookups;
    struct store *store;
    struct wr_cache *cache;
};

struct reader {
    struct bench *bench;
    uint64_t part;                  /* its keys: what one looks for no other has just found */
    uint64_t seed;
    int64_t *ours, *plain;
    sqlite3 *db;
    sqlite3_stmt *select;
};

static wr_err nobody(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    (void)way;
    (void)ask;
    (void)deadline;
    return WR_INVALID;              /* it was to be found before */
}

static int64_t read_ours(struct reader *reader, uint64_t key)
{
    struct wr_cache *cache = reader->bench->cache;
    struct wr_ask ask = { .key = &key, .key_len = sizeof(key), .safe = true };
    wr_cache_drop(cache, &key, sizeof(key));
    wr_time begun = wr_now();
    MUST(wr_way_ask(WR_CACHED(cache, WR_WAY(nobody, NULL)), &ask, wr_after(WR_S(10))));
    int64_t took = wr_now() - begun;
    WR_ASSERT(ask.answer->len == PAYLOAD);
    wr_ask_done(&ask);
    return took;
}

static int64_t read_plain(struct reader *reader, uint64_t key)
{
    wr_time begun = wr_now();
    sqlite3_bind_blob(reader->select, 1, &key, sizeof(key), SQLITE_STATIC);
    WR_ASSERT(sqlite3_step(reader->select) == SQLITE_ROW);
    WR_ASSERT(sqlite3_column_bytes(reader->select, 0) == PAYLOAD);
    sqlite3_reset(reader->select);
    return wr_now() - begun;
}

static uint64_t pick(struct reader *reader)
{
    uint64_t keys = reader->bench->rows / READERS;
    return measure_random(&reader->seed) % keys * READERS + reader->part;
}

static wr_err read_some(void *arg)
{
    struct reader *reader = arg;
    struct bench *bench = reader->bench;
    for (uint64_t i = 0; i < bench->lookups; i += TURN) {
        for (uint64_t k = i; k < i + TURN; k++)
            reader->ours[k] = read_ours(reader, pick(reader));
        for (uint64_t k = i; k < i + TURN; k++)
            reader->plain[k] = read_plain(reader, pick(reader));
        MUST(wr_yield());
    }
    return WR_OK;
}

static void fill(struct bench *bench)
{
    static char payload[PAYLOAD];
    struct wr_wall until = { wr_wall().ns + WR_S(3600) };
    struct store_value answer = STORE_BLOB(payload, PAYLOAD);
    for (uint64_t key = 0; key < bench->rows; key++)
        MUST(store_cache_put(bench->store, "bench", &key, sizeof(key), &answer, until,
                             WR_NEVER));
}

static void open_plain(struct reader *reader)
{
    WR_ASSERT(sqlite3_open_v2(reader->bench->path, &reader->db, SQLITE_OPEN_READONLY, NULL)
              == SQLITE_OK);
    WR_ASSERT(sqlite3_prepare_v2(reader->db, "select answer, until from cache_row where"
                                 " cache = 'bench' and key = ?1", -1, &reader->select, NULL)
              == SQLITE_OK);
}

static void measure(struct bench *bench)
{
    struct reader readers[READERS];
    struct wr_scope *scope;
    size_t count = READERS * bench->lookups;
    int64_t *ours = calloc(count, sizeof(*ours)), *plain = calloc(count, sizeof(*plain));
    WR_ASSERT(ours && plain);
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "readers",
                                                       .deadline = WR_NEVER }));
    for (unsigned i = 0; i < READERS; i++) {
        readers[i] = (struct reader){ .bench = bench, .part = i, .seed = MEASURE_SEED + i,
                                      .ours = ours + i * bench->lookups,
                                      .plain = plain + i * bench->lookups };
        open_plain(&readers[i]);
        MUST(wr_scope_go(scope, "bench.reader", read_some, &readers[i]));
    }
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    for (unsigned i = 0; i < READERS; i++) {
        sqlite3_finalize(readers[i].select);
        sqlite3_close(readers[i].db);
    }
    measure_percentiles("weir_level", ours, count);
    measure_percentiles("plain_level", plain, count);
    free(ours);
    free(plain);
}

static wr_err run(void *arg)
{
    struct bench *bench = arg;
    struct cache_level *level;
    struct store_why why;
    char url[300];
    snprintf(url, sizeof(url), "sqlite:%s", bench->path);
    if (store_open(&bench->store, &(struct store_conf){ .url = url }, &why, WR_NEVER))
        wr_panic("%s", why.text);
    fill(bench);
    MUST(cache_level_new(&level, &(struct cache_level_conf){ .store = bench->store }));
    MUST(wr_cache_new(&bench->cache, &(struct wr_cache_conf){
        .name = "bench", .ttl = WR_S(3600), .behind = cache_level_behind(level) }));
    measure(bench);
    struct cache_level_stat stat = cache_level_stat(level);
    WR_ASSERT(stat.hits == READERS * bench->lookups);
    wr_cache_free(bench->cache);
    cache_level_free(level);
    store_close(bench->store, WR_NEVER);
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct bench bench = { .path = argc > 1 ? argv[1] : "level.db",
                           .rows = measure_arg(argc, argv, 2, 2000),
                           .lookups = measure_arg(argc, argv, 3, 20000) };
    return wr_run(&(struct wr_run_conf){ .workers = READERS }, run, &bench) != WR_OK;
}
