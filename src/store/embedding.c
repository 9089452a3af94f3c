#include "store/embedding.h"

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/offload.h>

#include "base/json.h"
#include "store/fragment_scope.h"
#include "store/schema.h"
#include "store/verb.h"

#define CHUNK_BYTES (1 << 20)       /* of vectors that are looked at at once */
#define TARGETS_BYTES (STORE_EMBEDDING_PUT_MAX * 64)

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

#define INTO "insert into embeddings (target_type, target_id, model_id, embedding_blob," \
    " dimension, created_at)"
#define AGAIN " on conflict (target_type, target_id, model_id) do update set" \
    " embedding_blob = excluded.embedding_blob, dimension = excluded.dimension," \
    " created_at = excluded.created_at"

/* The vectors are one behind the other in ?3, each of ?4 numbers. */
static const struct store_verb put = {
    .name = "embedding.put", .writes = true,
    .sqlite = { INTO " select value ->> 0, value ->> 1, ?1, substr(?3, key * ?4 * 4 + 1,"
                " ?4 * 4), ?4, now_ms() from json_each(?2) where true" AGAIN },
    .postgres = INTO " select value ->> 0, value ->> 1, ?1, substr(?3::bytea,"
                " ((place - 1) * ?4::bigint * 4 + 1)::integer, (?4::bigint * 4)::integer),"
                " ?4::bigint, now_ms() from jsonb_array_elements(?2::jsonb) with ordinality"
                " as one (value, place) order by value ->> 1" AGAIN,
};

static void write_targets(struct wr_text *text, const struct store_embedded *targets,
                          size_t count)
{
    struct wr_json json = wr_json_to(text);
    wr_json_array(&json, NULL);
    for (size_t i = 0; i < count; i++) {
        wr_json_array(&json, NULL);
        wr_json_str(&json, NULL, targets[i].type);
        wr_json_str(&json, NULL, targets[i].id);
        wr_json_end(&json);
    }
    wr_json_end(&json);
}

wr_err store_embedding_put(struct store *store, const char *model,
                           const struct store_embedded *targets, size_t count,
                           const float *vectors, size_t dimension, wr_time deadline)
{
    char buf[TARGETS_BYTES];
    struct wr_text text = WR_TEXT(buf);
    size_t numbers = count * dimension;
    if (dimension == 0 || dimension > STORE_EMBEDDING_DIMENSION_MAX || count == 0
        || count > STORE_EMBEDDING_PUT_MAX)
        return WR_INVALID;
    write_targets(&text, targets, count);
    if (text.cut)
        return WR_INVALID;
    uint32_t *words = calloc(numbers, sizeof(*words));
    if (!words)
        return WR_NOMEM;
    for (size_t i = 0; i < numbers; i++) {
        uint32_t bits;
        memcpy(&bits, &vectors[i], sizeof(bits));
        words[i] = htole32(bits);
    }
    wr_err err = store_do(store, &put, STORE_VALUES(
        STORE_TEXT(model), STORE_TEXT(buf), STORE_BLOB(words, numbers * sizeof(*words)),
        STORE_INT((int64_t)dimension)), NULL, deadline);
    free(words);
    return err;
}

/* ---- what there is, and what there is not ---- */

static void unpack(float *ret, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, bytes + i * sizeof(bits), sizeof(bits));
        bits = le32toh(bits);
        memcpy(&ret[i], &bits, sizeof(bits));
    }
}

static const struct store_verb get = {
    .name = "embedding.get",
    .sqlite = { "select embedding_blob from embeddings where target_type = ?1"
                " and target_id = ?2 and model_id = ?3" },
};

wr_err store_embedding_get(struct store *store, struct store_embedded target, const char *model,
                           float *ret, size_t *ret_dimension, wr_time deadline)
{
    struct store_rows rows;
    wr_err err = store_do(store, &get, STORE_VALUES(
        STORE_TEXT(target.type), STORE_TEXT(target.id), STORE_TEXT(model)), &rows, deadline);
    if (!err && !rows.count)
        err = WR_NOTFOUND;
    if (!err) {
        struct store_value value = store_value_at(&rows, 0, 0);
        *ret_dimension = value.len / sizeof(float);
        WR_ASSERT(*ret_dimension <= STORE_EMBEDDING_DIMENSION_MAX);
        unpack(ret, value.bytes, *ret_dimension);
    }
    store_rows_free(&rows);
    return err;
}

#define LACKS(type, id) " and not exists (select 1 from embeddings e where" \
    " e.target_type = '" type "' and e.target_id = " id " and e.model_id = ?2)"

static const struct store_verb lacking_verb = {
    .name = "embedding.lacking",
    .sqlite = { "select 'claim', c.id, c.claim_text from claims c where c.task_id = ?1"
                LACKS("claim", "c.id")
                " union all select 'fragment', f.id, f.text_content from task_pages t"
                " join fragments f on f.page_id = t.page_id where t.task_id = ?1"
                LACKS("fragment", "f.id") " limit ?3" },
};

wr_err store_embedding_lacking(struct store *store, const char *task, const char *model,
                               size_t max, struct store_lacking *ret, wr_time deadline)
{
    WR_ASSERT(max > 0 && max <= STORE_EMBEDDING_LACKING_MAX);
    wr_err err = store_do(store, &lacking_verb, STORE_VALUES(
        STORE_TEXT(task), STORE_TEXT(model), STORE_INT((int64_t)max)), &ret->rows, deadline);
    ret->count = ret->rows.count;
    return err;
}

struct store_lacking_one store_lacking_at(const struct store_lacking *lacking, size_t i)
{
    const struct store_rows *rows = &lacking->rows;
    return (struct store_lacking_one){
        .target = { store_text(rows, i, 0), store_text(rows, i, 1) },
        .text = store_text(rows, i, 2) };
}

void store_lacking_free(struct store_lacking *lacking)
{
    store_rows_free(&lacking->rows);
    lacking->count = 0;
}

/* ---- searching ---- */

/* Each has the place from which the next chunk goes on, the id, and the vector; ?1 is the
 * model, ?2 the place, ?3 how many. */
static const struct store_verb chunk_of_all = {
    .name = "embedding.chunk",
    .sqlite = { "select e.seq, e.target_id, e.embedding_blob from embeddings e"
                " where e.model_id = ?1 and e.target_type = ?4 and e.seq > ?2"
                " order by e.seq limit ?3" },
};

static const struct store_verb chunk_of_claims = {
    .name = "embedding.chunk_claims",
    .sqlite = { "select c.seq, e.target_id, e.embedding_blob from claims c"
                " join embeddings e on e.target_type = 'claim' and e.target_id = c.id"
                " and e.model_id = ?1 where c.task_id = ?4 and c.seq > ?2"
                " order by c.seq limit ?3" },
};

/* What is sorted has no vectors in it. */
static const struct store_verb chunk_of_fragments = {
    .name = "embedding.chunk_fragments",
    .sqlite = { "with hit as materialized (select f.seq as place, e.seq as seq"
                "  from task_pages t join fragments f on f.page_id = t.page_id"
                "  join embeddings e on e.target_type = 'fragment' and e.target_id = f.id"
                "  and e.model_id = ?1 where t.task_id = ?4 and f.seq > ?2 "
                "and " STORE_FRAGMENT_MAY_JUDGE(
                    "?5") " order by f.seq limit ?3)"
                          " select hit.place, e.target_id, e.embedding_blob from hit"
                          " join embeddings e on e.seq = hit.seq order by hit.place" },
};

static wr_err read_chunk(struct store *store, const struct store_near *query, int64_t after,
                         size_t max, struct store_rows *ret, wr_time deadline)
{
    bool is_claim = strcmp(query->type, "claim") == 0;
    struct store_value model = STORE_TEXT(query->model), from = STORE_INT(after);
    struct store_value count = STORE_INT((int64_t)max);
    if (!query->task)
        return store_do(store, &chunk_of_all, STORE_VALUES(model, from, count,
                                                           STORE_TEXT(query->type)), ret,
                        deadline);
    if (is_claim)
        return store_do(store, &chunk_of_claims, STORE_VALUES(model, from, count,
                                                              STORE_TEXT(query->task)), ret,
                        deadline);
    return store_do(store, &chunk_of_fragments, STORE_VALUES(
        model, from, count, STORE_TEXT(query->task), STORE_TEXT(query->claim)), ret, deadline);
}

struct comparing {
    const struct store_near *query;
    const struct store_rows *rows;
    struct store_near_one *best;    /* the nearest first */
    size_t count;
    double own;                     /* the square of the query's length */
};

/* So many sums side by side, as a sum of its own need not wait for the one before. */
#define LANES 8

/* Of two vectors, and of the second by itself. */
static void multiply(const float *one, const unsigned char *bytes, size_t count,
                     double *ret_dot, double *ret_square)
{
    double dots[LANES] = { 0 }, squares[LANES] = { 0 };
    float other[LANES];
    for (size_t i = 0; i < count; i += LANES) {
        size_t here = count - i < LANES ? count - i : LANES;
        if (here < LANES)
            memset(other, 0, sizeof(other));
        unpack(other, bytes + i * sizeof(float), here);
        for (size_t k = 0; k < here; k++) {
            dots[k] += (double)one[i + k] * (double)other[k];
            squares[k] += (double)other[k] * (double)other[k];
        }
    }
    *ret_dot = *ret_square = 0;
    for (size_t k = 0; k < LANES; k++) {
        *ret_dot += dots[k];
        *ret_square += squares[k];
    }
}

/* The cosine; -2 where there is none. */
static double compare(const struct comparing *comparing, struct store_value value)
{
    const struct store_near *query = comparing->query;
    double dot, square;
    if (value.len != query->dimension * sizeof(float))
        return -2;
    multiply(query->vector, value.bytes, query->dimension, &dot, &square);
    double cosine = dot / sqrt(comparing->own * square);
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
        double similarity = compare(comparing, store_value_at(rows, i, 2));
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
    WR_ASSERT(!query->claim || (query->task && strcmp(query->type, "fragment") == 0));
    for (size_t i = 0; i < query->dimension; i++)
        comparing.own += (double)query->vector[i] * (double)query->vector[i];
    max = CHUNK_BYTES / (query->dimension * sizeof(float));
    max = max < STORE_ROWS_MAX ? max : STORE_ROWS_MAX;
    for (bool more = true; more && !err;) {
        struct store_rows rows;
        err = read_chunk(store, query, after, max, &rows, deadline);
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
