#include "store/embedding.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/offload.h>

#include "store/schema.h"
#include "store/verb.h"

#define CHUNK_BYTES (1 << 20)       /* of vectors that are looked at at once */

const struct store_step store_embedding_tables = {
    .sqlite =
        "create table embeddings (seq integer primary key, target_type text not null,"
        "  target_id text not null, model_id text not null,"
        "  embedding_blob blob not null, dimension integer not null,"
        "  created_at integer not null,"
        "  unique (target_type, target_id, model_id)) strict;"
        "create index embeddings_model on embeddings (model_id, target_type, seq);",
    .postgres =
        "create table embeddings (seq bigint generated always as identity primary key,"
        "  target_type text not null, target_id text collate \"C\" not null,"
        "  model_id text not null, embedding_blob bytea not null,"
        "  dimension bigint not null, created_at bigint not null,"
        "  unique (target_type, target_id, model_id));"
        "create index embeddings_model on embeddings (model_id, target_type, seq);",
};

static const struct store_verb put = {
    .name = "embedding.put", .writes = true,
    .sqlite = { "insert into embeddings (target_type, target_id, model_id, embedding_blob,"
                " dimension, created_at) values (?1, ?2, ?3, ?4, ?5, now_ms())"
                " on conflict (target_type, target_id, model_id) do update set"
                " embedding_blob = excluded.embedding_blob,"
                " dimension = excluded.dimension, created_at = excluded.created_at" },
};

wr_err store_embedding_put(struct store *store, const char *type, const char *id,
                           const char *model, const float *vector, size_t dimension,
                           wr_time deadline)
{
    if (dimension == 0 || dimension > STORE_EMBEDDING_DIMENSION_MAX)
        return WR_INVALID;
    uint32_t *words = calloc(dimension, sizeof(*words));
    if (!words)
        return WR_NOMEM;
    for (size_t i = 0; i < dimension; i++) {
        uint32_t bits;
        memcpy(&bits, &vector[i], sizeof(bits));
        words[i] = htole32(bits);
    }
    wr_err err = store_do(store, &put, STORE_VALUES(
        STORE_TEXT(type), STORE_TEXT(id), STORE_TEXT(model),
        STORE_BLOB(words, dimension * sizeof(*words)), STORE_INT((int64_t)dimension)), NULL,
        deadline);
    free(words);
    return err;
}

/* ---- searching ---- */

static const struct store_verb chunk = {
    .name = "embedding.chunk",
    .sqlite = { "select e.seq, e.target_id, e.embedding_blob from embeddings e"
                " where e.model_id = ?1 and e.target_type = ?2 and e.seq > ?3"
                " and (cast(?4 as text) is null or exists (select 1 from claims c"
                "  where c.id = e.target_id and c.task_id = ?4) or exists (select 1"
                "  from fragments f join task_pages t on t.page_id = f.page_id"
                "  where f.id = e.target_id and t.task_id = ?4))"
                " order by e.seq limit ?5" },
};

struct comparing {
    const struct store_near *query;
    const struct store_rows *rows;
    struct store_near_one *best;    /* the nearest first */
    size_t count;
};

static float component(const unsigned char *bytes, size_t i)
{
    uint32_t bits;
    float value;
    memcpy(&bits, bytes + i * sizeof(bits), sizeof(bits));
    bits = le32toh(bits);
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The cosine; -2 where there is none. */
static double compare(const struct store_near *query, struct store_value value)
{
    double dot = 0, own = 0, other = 0;
    if (value.len != query->dimension * sizeof(float))
        return -2;
    for (size_t i = 0; i < query->dimension; i++) {
        double a = query->vector[i], b = component(value.bytes, i);
        dot += a * b;
        own += a * a;
        other += b * b;
    }
    double cosine = dot / sqrt(own * other);
    return isfinite(cosine) ? cosine : -2;
}

/* Ties stay in the order in which they came. */
static void insert(struct comparing *comparing, const char *id, double similarity)
{
    size_t max = comparing->query->max, at = comparing->count;
    struct store_near_one *best = comparing->best;
    while (at > 0 && best[at - 1].similarity < similarity)
        at--;
    if (at == max)
        return;
    size_t kept = comparing->count < max ? comparing->count : max - 1;
    memmove(&best[at + 1], &best[at], (kept - at) * sizeof(*best));
    comparing->count = kept + 1;
    best[at].similarity = similarity;
    snprintf(best[at].id, sizeof(best[at].id), "%s", id);
}

static void compare_there(void *arg)
{
    struct comparing *comparing = arg;
    const struct store_rows *rows = comparing->rows;
    for (size_t i = 0; i < rows->count; i++) {
        double similarity = compare(comparing->query, store_value_at(rows, i, 2));
        if (similarity >= comparing->query->min && similarity >= -1.5)
            insert(comparing, store_text(rows, i, 1), similarity);
    }
}

wr_err store_embedding_near(struct store *store, const struct store_near *query,
                            struct store_near_one *ret, size_t *ret_count,
                            size_t *ret_searched, wr_time deadline)
{
    struct comparing comparing = { .query = query, .best = ret };
    size_t searched = 0, max;
    int64_t after = 0;
    wr_err err = WR_OK;
    WR_ASSERT(query->max > 0 && query->max <= STORE_EMBEDDING_NEAR_MAX);
    WR_ASSERT(query->dimension > 0 && query->dimension <= STORE_EMBEDDING_DIMENSION_MAX);
    max = CHUNK_BYTES / (query->dimension * sizeof(float));
    max = max < STORE_ROWS_MAX ? max : STORE_ROWS_MAX;
    for (bool more = true; more && !err;) {
        struct store_rows rows;
        err = store_do(store, &chunk, STORE_VALUES(
            STORE_TEXT(query->model), STORE_TEXT(query->type), STORE_INT(after),
            STORE_TEXT(query->task), STORE_INT((int64_t)max)), &rows, deadline);
        more = rows.count == max;
        comparing.rows = &rows;
        if (!err && rows.count) {
            after = store_int(&rows, rows.count - 1, 0);
            searched += rows.count;
            err = wr_offload(compare_there, &comparing, deadline);
        }
        store_rows_free(&rows);
    }
    *ret_count = err ? 0 : comparing.count;
    *ret_searched = searched;
    return err;
}
