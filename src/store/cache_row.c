#include "store/cache_row.h"

#include "store/schema.h"

const struct store_step store_cache_tables = {
    .sqlite =
        "create table cache_row (cache text not null, key blob not null, answer blob,"
        "  until integer not null, primary key (cache, key)) strict;"
        "create index cache_row_until on cache_row (until);",
    .postgres =
        "create table cache_row (cache text not null, key bytea not null, answer bytea,"
        "  until bigint not null, primary key (cache, key));"
        "create index cache_row_until on cache_row (until);",
};

static const struct store_verb get = {
    .name = "cache.get",
    .sqlite = { "select answer, until from cache_row where cache = ?1 and key = ?2"
                " and until > now_ms()" },
};

wr_err store_cache_get(struct store *store, const char *cache, const void *key, size_t len,
                       struct store_cached *ret, wr_time deadline)
{
    *ret = (struct store_cached){ 0 };
    wr_err err = store_do(store, &get, STORE_VALUES(STORE_TEXT(cache), STORE_BLOB(key, len)),
                          &ret->rows, deadline);
    if (err)
        return err;
    if (ret->rows.count == 0)
        return WR_NOTFOUND;
    ret->answer = store_value_at(&ret->rows, 0, 0);
    ret->nothing = ret->answer.type == STORE_IS_NULL;
    ret->until = store_wall(&ret->rows, 0, 1);
    return WR_OK;
}

void store_cache_free(struct store_cached *cached)
{
    store_rows_free(&cached->rows);
}

static const struct store_verb put = {
    .name = "cache.put", .writes = true,
    .sqlite = { "insert into cache_row (cache, key, answer, until) values (?1, ?2, ?3, ?4)"
                " on conflict (cache, key) do update set answer = excluded.answer,"
                " until = excluded.until" },
};

wr_err store_cache_put(struct store *store, const char *cache, const void *key, size_t len,
                       const struct store_value *answer, struct wr_wall until,
                       wr_time deadline)
{
    if (len > STORE_CACHE_KEY_MAX || (answer && answer->len > STORE_CACHE_ANSWER_MAX))
        return WR_INVALID;
    return store_do(store, &put, STORE_VALUES(
        STORE_TEXT(cache), STORE_BLOB(key, len), answer ? *answer : STORE_NULL,
        STORE_INT(until.ns / WR_MS(1))), NULL, deadline);
}

static const struct store_verb sweep = {
    .name = "cache.sweep", .writes = true,
    .sqlite = { "delete from cache_row where (cache, key) in (select cache, key from cache_row"
                " where until <= now_ms() order by until limit ?1)" },
};

wr_err store_cache_sweep(struct store *store, size_t max, uint64_t *ret, wr_time deadline)
{
    return store_change(store, &sweep, STORE_VALUES(STORE_INT((int64_t)max)), ret, deadline);
}

static const struct store_verb count_rows = {
    .name = "cache.count", .sqlite = { "select count(*) from cache_row" },
};

wr_err store_cache_count(struct store *store, uint64_t *ret, wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, &count_rows, (struct store_values){ 0 }, &rows, deadline);
    *ret = err ? 0 : (uint64_t)store_int(&rows, 0, 0);
    store_rows_free(&rows);
    return err;
}

static const struct store_verb trim = {
    .name = "cache.trim", .writes = true,
    .sqlite = { "delete from cache_row where (cache, key) in (select cache, key from cache_row"
                " order by until limit ?1)" },
};

wr_err store_cache_trim(struct store *store, size_t max, uint64_t *ret, wr_time deadline)
{
    return store_change(store, &trim, STORE_VALUES(STORE_INT((int64_t)max)), ret, deadline);
}
