/* embedder.c - see embedder.h. */
#include "source/embedder.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <weir/panic.h>

#include "base/forget.h"
#include "base/json.h"
#include "source/asking.h"

#define ANSWER_MAX ((size_t)4 << 20)    /* 32 vectors of 4,096 numbers of 32 bytes */
#define BODY_MAX ((size_t)EMBEDDER_TEXTS_MAX * EMBEDDER_TEXT_MAX * 6 + 4096)

_Static_assert(EMBEDDER_TEXTS_MAX <= 64, "read_rows has a bit for each");

struct embedder {
    struct model *endpoint;
    const char *model;
    _Atomic size_t dimension;           /* of all answers; 0: there was none yet */
};

wr_err embedder_new(struct embedder **ret, const struct embedder_conf *conf)
{
    struct embedder *embedder = calloc(1, sizeof(*embedder));
    if (!embedder)
        return WR_NOMEM;
    embedder->model = conf->model;
    wr_err err = model_new(&embedder->endpoint, &(struct model_conf){
        .name = "embedding", .url = conf->url, .key = conf->key, .plain = conf->plain });
    if (err)
        free(embedder);
    else
        *ret = embedder;
    return err;
}

wr_err embedder_run(void *embedder)
{
    return model_run(((struct embedder *)embedder)->endpoint);
}

void embedder_free(struct embedder *embedder, wr_time deadline)
{
    if (!embedder)
        return;
    model_free(embedder->endpoint, deadline);
    free(embedder);
}

const char *embedder_model(const struct embedder *embedder)
{
    return embedder->model;
}

/* ---- the question ---- */

/* Whole characters alone: half of one would be replaced by something else. */
static size_t whole(const char *text)
{
    size_t len = strnlen(text, EMBEDDER_TEXT_MAX + 1);
    if (len <= EMBEDDER_TEXT_MAX)
        return len;
    len = EMBEDDER_TEXT_MAX;
    while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80)
        len--;
    return len;
}

static void write_question(struct wr_text *body, const char *model, const char *const *texts,
                           size_t count)
{
    struct wr_json json = wr_json_to(body);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "model", model);
    wr_json_str(&json, "encoding_format", "float");
    wr_json_array(&json, "input");
    for (size_t i = 0; i < count; i++)
        wr_json_bytes(&json, NULL, texts[i], whole(texts[i]));
    wr_json_end(&json);
    wr_json_end(&json);
}

/* ---- the answer ---- */

struct reading {
    const struct wr_bytes *answer;
    size_t count, before;               /* texts; numbers in the vectors of answers before */
    struct embedder_vectors *vectors;
    char *why;
    wr_err err;
};

#define refuse(reading, ...) \
    (snprintf((reading)->why, MODEL_WHY_MAX, __VA_ARGS__), WR_IO)

static wr_err read_vector(struct reading *reading, const json_t *list, size_t place)
{
    size_t dimension = reading->vectors->dimension;
    float *vector = reading->vectors->at + place * dimension;
    bool zero = true;
    if (json_array_size(list) != dimension)
        return refuse(reading, "answered with vectors of %zu and of %zu numbers; they must be "
                      "of one model", dimension, json_array_size(list));
    for (size_t i = 0; i < dimension; i++) {
        const json_t *one = json_array_get(list, i);
        vector[i] = json_is_number(one) ? (float)json_number_value(one) : NAN;
        if (!isfinite(vector[i]))
            return refuse(reading, "answered with a vector whose number %zu is none", i);
        zero &= vector[i] == 0;
    }
    return zero ? refuse(reading, "answered with a vector of zeros, which has no direction")
                : WR_OK;
}

/* Where the i-th belongs: it may say so itself. */
static size_t place_of(const json_t *row, size_t i)
{
    const json_t *index = json_object_get(row, "index");
    return json_is_integer(index) ? (size_t)json_integer_value(index) : i;
}

static wr_err make_room(struct reading *reading, const json_t *data)
{
    const json_t *first = json_object_get(json_array_get(data, 0), "embedding");
    size_t dimension = json_array_size(first);
    if (json_array_size(data) != reading->count)
        return refuse(reading, "answered with %zu vectors for %zu texts", json_array_size(data),
                      reading->count);
    if (dimension == 0 || dimension > EMBEDDER_DIMENSION_MAX)
        return refuse(reading, "answered with a vector of %zu numbers; 1 to %d are allowed",
                      dimension, EMBEDDER_DIMENSION_MAX);
    if (reading->before && reading->before != dimension)
        return refuse(reading, "answered with vectors of %zu numbers, and of %zu before: it "
                      "serves another model now; give that its own queue.embedding.model",
                      dimension, reading->before);
    reading->vectors->at = calloc(reading->count * dimension, sizeof(float));
    reading->vectors->count = reading->count;
    reading->vectors->dimension = dimension;
    return reading->vectors->at ? WR_OK : refuse(reading, "answered; there is no room for it");
}

static wr_err read_rows(struct reading *reading, const json_t *data)
{
    uint64_t seen = 0;
    wr_err err = make_room(reading, data);
    for (size_t i = 0; !err && i < reading->count; i++) {
        const json_t *row = json_array_get(data, i);
        size_t place = place_of(row, i);
        if (place >= reading->count || (seen >> place & 1))
            return refuse(reading, "answered with a vector of index %zu, for %zu texts", place,
                          reading->count);
        seen |= UINT64_C(1) << place;
        err = read_vector(reading, json_object_get(row, "embedding"), place);
    }
    return err;
}

static void run_read(void *arg)
{
    struct reading *reading = arg;
    json_error_t error;
    json_t *root = json_loadb((const char *)reading->answer->data, reading->answer->len,
                              JSON_REJECT_DUPLICATES, &error);
    if (!root)
        reading->err = refuse(reading, "answered with what is no JSON: %.100s", error.text);
    else if (!json_is_array(json_object_get(root, "data")))
        reading->err = refuse(reading, "answered with JSON that has no list \"data\"");
    else
        reading->err = read_rows(reading, json_object_get(root, "data"));
    json_decref(root);
}

wr_err embedder_read(const struct wr_bytes *answer, size_t count, size_t before,
                     struct embedder_vectors *ret, char *why)
{
    struct reading reading = { answer, count, before, ret, why, WR_OK };
    *ret = (struct embedder_vectors){ 0 };
    run_read(&reading);
    if (reading.err)
        embedder_vectors_free(ret);
    return reading.err;
}

wr_err embedder_ask(struct embedder *embedder, const char *const *texts, size_t count,
                    struct embedder_vectors *ret, char *why, wr_time deadline)
{
    struct wr_text body = wr_text_heap(BODY_MAX);
    struct wr_bytes *answer = NULL;
    WR_ASSERT(count > 0 && count <= EMBEDDER_TEXTS_MAX);
    *ret = (struct embedder_vectors){ 0 };
    write_question(&body, embedder->model, texts, count);
    wr_err err = body.cut ? model_fail(embedder->endpoint, WR_NOMEM, why, "was not asked: "
                                          "there is no memory for the question")
        : model_post(embedder->endpoint, &(struct model_ask){
            .path = "/v1/embeddings", .body = body.at, .len = body.len,
            .answer_max = ANSWER_MAX }, &answer, why, deadline);
    wr_text_free(&body);
    if (!err) {
        WR_ASSERT(answer);
        char words[MODEL_WHY_MAX];
        struct reading reading = { answer, count, atomic_load(&embedder->dimension), ret, words,
                                   WR_OK };
        err = asking_read(run_read, &reading, answer->len, deadline);
        if (err)
            (void)!model_fail(embedder->endpoint, err, why, "answered; it was not read: %s",
                                 wr_err_text(err));
        else if (reading.err)
            err = model_fail(embedder->endpoint, reading.err, why, "%s", words);
        else
            atomic_store(&embedder->dimension, ret->dimension);
    }
    wr_bytes_unref(answer);
    if (err)
        embedder_vectors_free(ret);
    return err;
}

const float *embedder_vector(const struct embedder_vectors *vectors, size_t i)
{
    WR_ASSERT(i < vectors->count);
    return vectors->at + i * vectors->dimension;
}

void embedder_vectors_free(struct embedder_vectors *vectors)
{
    wr_forget_free(vectors->at);
    *vectors = (struct embedder_vectors){ 0 };
}
