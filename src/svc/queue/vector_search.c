/* vector_search.c - see vector_search.h. */
#include "svc/queue/vector_search.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "store/claim.h"
#include "store/embedding.h"
#include "store/fragment.h"
#include "svc/queue/meaning.h"

#define TOP_PRESET 10
#define SIMILARITY_PRESET 0.5
#define PREVIEW_CHARACTERS 200

#define refuse(why, param, ...) \
    queue_why_say(why, WR_INVALID, "INVALID_PARAMS", param, __VA_ARGS__)

const char *const queue_vector_targets[] = { "claims", "fragments", NULL };

struct search {
    const char *query, *task;
    bool fragments;
    size_t max;
    double min;
    struct store_near_one found[STORE_EMBEDDING_NEAR_MAX];
    size_t count, searched;
};

/* ---- what is asked ---- */

static wr_err take_target(struct search *ret, const json_t *value, struct queue_why *why)
{
    const char *word = value ? json_string_value(value) : queue_vector_targets[0];
    ret->fragments = word && strcmp(word, queue_vector_targets[1]) == 0;
    if (!ret->fragments && (!word || strcmp(word, queue_vector_targets[0]) != 0))
        return refuse(why, "target", "target is \"%.40s\"; allowed are claims, fragments",
                      word ? word : "no text");
    return WR_OK;
}

static wr_err take(struct search *ret, const struct queue_said *said, struct queue_why *why)
{
    const json_t *top = queue_said_get(said, "top_k");
    const json_t *min = queue_said_get(said, "min_similarity");
    int64_t count = top ? json_integer_value(top) : TOP_PRESET;
    ret->query = json_string_value(queue_said_get(said, "query"));
    ret->task = json_string_value(queue_said_get(said, "task_id"));
    ret->min = min ? json_number_value(min) : SIMILARITY_PRESET;
    if (!ret->query || !ret->query[strspn(ret->query, " \t\r\n")])
        return refuse(why, "query", "query is missing: a text whose like is looked for");
    if (strlen(ret->query) > QUEUE_VECTOR_QUERY_MAX)
        return refuse(why, "query", "query has %zu bytes; %d are allowed", strlen(ret->query),
                      QUEUE_VECTOR_QUERY_MAX);
    if (queue_said_get(said, "task_id") && !ret->task)
        return refuse(why, "task_id", "task_id must be a text, as create_task named it");
    if ((top && !json_is_integer(top)) || count < 1 || count > STORE_EMBEDDING_NEAR_MAX)
        return refuse(why, "top_k", "top_k must be a whole number from 1 to %d",
                      STORE_EMBEDDING_NEAR_MAX);
    if ((min && !json_is_number(min)) || !(ret->min >= 0 && ret->min <= 1))
        return refuse(why, "min_similarity", "min_similarity must be a number from 0 to 1");
    ret->max = (size_t)count;
    return take_target(ret, queue_said_get(said, "target"), why);
}

/* ---- looking ---- */

static wr_err none_there(const struct search *search, const char *model, struct queue_why *why)
{
    return queue_why_say(why, WR_NOTFOUND, "RESOURCE_NOT_FOUND", search->task ? "task_id" : "",
                         "no %s%s has a vector of the model \"%.60s\" yet: embed jobs make "
                         "them after each target; get_status tells whether one is queued or "
                         "has failed", search->fragments ? "fragment" : "claim",
                         search->task ? " of this task" : "", model);
}

static wr_err look_for(struct search *search, struct store *store, struct embedder *embedder,
                       struct queue_why *why, wr_time deadline)
{
    struct embedder_vectors vector;
    char words[MODEL_WHY_MAX];
    wr_err err = embedder_ask(embedder, &search->query, 1, &vector, words, deadline);
    if (err)
        return err == WR_CANCELED ? err : queue_why_say(
            why, err == WR_TIMEOUT ? err : WR_IO, "EMBEDDING_FAILED", "", "%s", words);
    err = store_embedding_near(store, &(struct store_near){
        .type = search->fragments ? "fragment" : "claim", .task = search->task,
        .model = embedder_model(embedder), .vector = vector.at, .dimension = vector.dimension,
        .min = search->min, .max = search->max }, search->found, &search->count,
        &search->searched, deadline);
    embedder_vectors_free(&vector);
    if (!err && search->searched == 0)
        err = none_there(search, embedder_model(embedder), why);
    return err;
}

/* ---- what is told ---- */

static size_t preview(const char *text)
{
    size_t len = 0;
    for (size_t count = 0; text[len]; len++) {
        count += ((unsigned char)text[len] & 0xc0) != 0x80;
        if (count > PREVIEW_CHARACTERS)
            break;
    }
    return len;
}

static void write_one(struct wr_json *json, const struct store_near_one *one, const char *key,
                      const char *value, const char *text)
{
    char number[32];
    int len = snprintf(number, sizeof(number), "%.6f", one->similarity);
    wr_json_object(json, NULL);
    wr_json_str(json, "id", one->id);
    wr_json_raw(json, "similarity", number, (size_t)len);
    wr_json_bytes(json, "text_preview", text, preview(text));
    wr_json_str(json, key, value);
    wr_json_end(json);
}

/* One that has gone meanwhile is left out. */
static wr_err tell_one(struct wr_json *json, const struct search *search, struct store *store,
                       const struct store_near_one *one, wr_time deadline)
{
    struct store_fragments fragments = { 0 };
    struct store_claims claims = { 0 };
    wr_err err = search->fragments ? store_fragment_get(store, one->id, &fragments, deadline)
                                   : store_claim_get(store, one->id, &claims, deadline);
    if (!err && search->fragments) {
        struct store_fragment fragment = store_fragment_at(&fragments, 0);
        write_one(json, one, "url", fragment.url, fragment.text);
    } else if (!err) {
        struct store_claim claim = store_claim_at(&claims, 0);
        write_one(json, one, "task_id", claim.task, claim.text);
    }
    store_fragments_free(&fragments);
    store_claims_free(&claims);
    return err == WR_NOTFOUND ? WR_OK : err;
}

static wr_err tell(struct wr_text *text, const struct search *search, const char *model,
                   struct store *store, wr_time deadline)
{
    struct wr_json json = wr_json_to(text);
    wr_err err = WR_OK;
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    wr_json_array(&json, "results");
    for (size_t i = 0; !err && i < search->count; i++)
        err = tell_one(&json, search, store, &search->found[i], deadline);
    wr_json_end(&json);
    wr_json_u64(&json, "total_searched", search->searched);
    wr_json_str(&json, "model", model);
    wr_json_end(&json);
    return err;
}

wr_err queue_vector_search(struct queue_desk *desk, const struct queue_said *said,
                           struct wr_text *text, struct queue_why *why, wr_time deadline)
{
    struct embedder *embedder = desk->meaning ? desk->meaning->embedder : NULL;
    struct store *store = queue_store(desk->queue);
    struct search search = { 0 };
    struct queue_look_at at;
    wr_err err = take(&search, said, why);
    if (err)
        return err;
    if (!embedder)
        return queue_why_say(why, WR_UNSUPPORTED, "EMBEDDING_NOT_AVAILABLE", "", "there is no "
                             "model for vectors here: set queue.embedding.url to an endpoint "
                             "that has /v1/embeddings; query_sql and query_view do without");
    if (search.task) {
        err = queue_look(desk->queue, search.task, &(struct queue_look){ 0 }, &at, why,
                         deadline);
        if (err)
            return err;
        queue_view_unref(at.view);
    }
    err = look_for(&search, store, embedder, why, deadline);
    return err ? err : tell(text, &search, embedder_model(embedder), store, deadline);
}
