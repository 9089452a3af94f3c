#include "store/serving.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "store/schema.h"

#define ROW_MAX (STORE_SERVING_ID_MAX * 6 + 120)    /* bytes of one as JSON */

const struct store_step store_serving_tables = {
    .sqlite =
        "create table serving (hour integer not null, reporter text not null,"
        "  provider text not null, role integer not null, objects integer not null,"
        "  bytes integer not null, failed integer not null, batch integer not null,"
        "  primary key (hour, reporter, provider, role)) strict, without rowid;",
    .postgres =
        "create table serving (hour bigint not null, reporter text collate \"C\" not null,"
        "  provider text collate \"C\" not null, role bigint not null,"
        "  objects bigint not null, bytes bigint not null, failed bigint not null,"
        "  batch bigint not null, primary key (hour, reporter, provider, role));",
};

int64_t store_serving_hour(struct wr_wall moment)
{
    return moment.ns / WR_S(3600);
}

/* ---- adding ---- */

/* A row that has the batch already stays as it is. */
#define TAKE \
    " on conflict (hour, reporter, provider, role) do update set" \
    " objects = serving.objects + excluded.objects, bytes = serving.bytes + excluded.bytes," \
    " failed = serving.failed + excluded.failed, batch = excluded.batch" \
    " where serving.batch <> excluded.batch"
#define COLUMNS "insert into serving (hour, reporter, provider, role, objects, bytes, failed," \
    " batch)"

static const struct store_verb add = {
    .name = "serving.add", .writes = true, .undo = true,
    .sqlite = { COLUMNS
                " select value ->> 0, ?1, value ->> 1, value ->> 2, sum(value ->> 3),"
                " sum(value ->> 4), sum(value ->> 5), ?2 from json_each(?3) where true"
                " group by 1, 3, 4" TAKE },
    .postgres = COLUMNS
                " select (value ->> 0)::bigint, ?1::text, value ->> 1, (value ->> 2)::bigint,"
                " sum((value ->> 3)::bigint), sum((value ->> 4)::bigint),"
                " sum((value ->> 5)::bigint), ?2::bigint"
                " from jsonb_array_elements(?3::jsonb) as one (value)"
                " group by 1, 3, 4 order by 1, 3, 4" TAKE,
};

static bool is_id(const char *text)
{
    size_t len = text ? strlen(text) : 0;
    return len > 0 && len <= STORE_SERVING_ID_MAX;
}

static void write_rows(struct wr_text *text, const struct store_serving *rows, size_t count)
{
    struct wr_json json = wr_json_to(text);
    wr_json_array(&json, NULL);
    for (size_t i = 0; i < count; i++) {
        wr_json_array(&json, NULL);
        wr_json_i64(&json, NULL, rows[i].hour);
        wr_json_str(&json, NULL, rows[i].provider);
        wr_json_i64(&json, NULL, rows[i].role);
        wr_json_u64(&json, NULL, rows[i].objects);
        wr_json_u64(&json, NULL, rows[i].bytes);
        wr_json_u64(&json, NULL, rows[i].failed);
        wr_json_end(&json);
    }
    wr_json_end(&json);
}

wr_err store_serving_add(struct store *store, const char *reporter, int64_t batch,
                         const struct store_serving *rows, size_t count, wr_time deadline)
{
    bool fine = is_id(reporter) && count <= STORE_SERVING_ADD_MAX;
    for (size_t i = 0; i < count && fine; i++)
        fine = is_id(rows[i].provider) && rows[i].role >= STORE_SERVED
            && rows[i].role <= STORE_RECEIVED && rows[i].objects <= INT64_MAX
            && rows[i].bytes <= INT64_MAX && rows[i].failed <= INT64_MAX;
    if (!fine)
        return WR_INVALID;
    if (count == 0)
        return WR_OK;
    struct wr_text text = wr_text_heap(count * ROW_MAX);
    write_rows(&text, rows, count);
    wr_err err = text.cut ? WR_NOMEM
                          : store_do(store, &add, STORE_VALUES(
                                STORE_TEXT(reporter), STORE_INT(batch), STORE_TEXT(text.at)),
                                NULL, deadline);
    wr_text_free(&text);
    return err;
}

/* ---- reading ---- */

static const struct store_verb page = {
    .name = "serving.list",
    .sqlite = { "select hour, reporter, provider, role, objects, bytes, failed from serving"
                " where hour >= ?1 and hour < ?2"
                " and (hour, reporter, provider, role) > (?3, ?4, ?5, ?6)"
                " order by hour, reporter, provider, role limit ?7" },
};

wr_err store_serving_list(struct store *store, const struct store_serving_ask *ask,
                          struct store_servings *ret, wr_time deadline)
{
    static const struct store_serving first = { .hour = INT64_MIN, .reporter = "",
                                                .provider = "" };
    const struct store_serving *after = ask->after ? ask->after : &first;
    WR_ASSERT(ask->max > 0 && ask->max <= STORE_SERVING_LIST_MAX);
    wr_err err = store_do(store, &page, STORE_VALUES(
        STORE_INT(ask->from), STORE_INT(ask->to), STORE_INT(after->hour),
        STORE_TEXT(after->reporter), STORE_TEXT(after->provider), STORE_INT(after->role),
        STORE_INT((int64_t)ask->max)), &ret->rows, deadline);
    ret->count = ret->rows.count;
    return err;
}

struct store_serving store_serving_at(const struct store_servings *list, size_t i)
{
    const struct store_rows *rows = &list->rows;
    return (struct store_serving){
        .hour = store_int(rows, i, 0), .reporter = store_text(rows, i, 1),
        .provider = store_text(rows, i, 2),
        .role = (enum store_serving_role)store_int(rows, i, 3),
        .objects = (uint64_t)store_int(rows, i, 4), .bytes = (uint64_t)store_int(rows, i, 5),
        .failed = (uint64_t)store_int(rows, i, 6) };
}

void store_servings_free(struct store_servings *list)
{
    store_rows_free(&list->rows);
    list->count = 0;
}

/* ---- forgetting ---- */

static const struct store_verb forget = {
    .name = "serving.forget", .writes = true,
    .sqlite = { "delete from serving where (hour, reporter, provider, role) in"
                " (select hour, reporter, provider, role from serving where hour < ?1"
                " order by hour limit ?2)" },
};

wr_err store_serving_forget(struct store *store, int64_t before, size_t max, uint64_t *ret,
                            wr_time deadline)
{
    return store_change(store, &forget, STORE_VALUES(STORE_INT(before),
                                                     STORE_INT((int64_t)max)), ret, deadline);
}
