/* model_rig.h - models that are no models, on loopback: each answers /v1/embeddings and
 * /predict by the words of the texts, and counts who asked.
 *
 *     struct model_rig model = { .script = { { .status = 429 } }, .scripted = 1 };
 *     model_open(&model);             (the script first, then as below for ever)
 *     ...model.base
 *     model_close(&model);
 *
 * The vector of a text has a number for each of MODEL_WORDS that is in it, and a small one
 * besides, so that texts with the same words are near one another, and none is zero.  A pair is
 * a contradiction if the premise has "no " and an entailment if it has "yes ", else neutral.
 */
#ifndef WR_TESTING_MODEL_RIG_H
#define WR_TESTING_MODEL_RIG_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <weir/fetch.h>
#include <weir/scope.h>
#include <weir/stream.h>
#include <weir/task.h>

#include "testing/settle.h"
#include "testing/test.h"

#define RIG_MODEL __attribute__((unused)) static
#define MODEL_WORDS { "moon", "tide", "sea", "wine", "heart", "gravity", "satellite" }
#define MODEL_DIMENSION 8
#define MODEL_LOG 64

struct model_reply {
    unsigned status;                /* 0: 200 */
    const char *headers;            /* "Retry-After: 7\r\n" */
    const char *body;               /* NULL: what a model says */
    wr_time delay;
    bool broken_off;                /* half of the body, then the end */
};

struct model_rig {
    struct model_reply script[16];
    size_t scripted;
    struct wr_listener *listener;
    struct wr_scope *scope;
    _Atomic unsigned asked, texts, pairs;   /* requests, and what they had */
    wr_time at[MODEL_LOG];
    char heads[MODEL_LOG][600];     /* the beginning of each request, */
    char last[16384];               /* ... the last whole body */
    char base[60];
};

struct model_conn { struct model_rig *model; struct wr_stream *stream; };

/* A vector, as JSON. */
RIG_MODEL json_t *model_vector(const char *text)
{
    static const char *const words[] = MODEL_WORDS;
    json_t *vector = json_array();
    for (size_t i = 0; i < MODEL_DIMENSION - 1; i++)
        json_array_append_new(vector, json_real(strcasestr(text, words[i]) ? 1.0 : 0.0));
    json_array_append_new(vector, json_real(0.125));
    return vector;
}

RIG_MODEL json_t *model_embed(struct model_rig *model, const json_t *input)
{
    json_t *data = json_array(), *text;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)input, i, text) {
        atomic_fetch_add(&model->texts, 1);
        json_array_append_new(data, json_pack("{s:s, s:i, s:o}", "object", "embedding", "index",
            (int)i, "embedding", model_vector(json_string_value(text))));
    }
    return json_pack("{s:s, s:o}", "object", "list", "data", data);
}

RIG_MODEL json_t *model_predict(struct model_rig *model, const json_t *inputs)
{
    json_t *all = json_array(), *pair;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)inputs, i, pair) {
        const char *premise = json_string_value(json_array_get(pair, 0));
        bool against = premise && strstr(premise, "no "), with = premise && strstr(premise,
                                                                                   "yes ");
        atomic_fetch_add(&model->pairs, 1);
        json_array_append_new(all, json_pack("[{s:s, s:f}, {s:s, s:f}, {s:s, s:f}]",
            "label", "ENTAILMENT", "score", with ? 0.9 : 0.05,
            "label", "neutral", "score", against || with ? 0.05 : 0.9,
            "label", "contradiction", "score", against ? 0.9 : 0.05));
    }
    return all;
}

/* What a model says to this; to be freed. */
RIG_MODEL char *model_answer(struct model_rig *model, const char *head, const char *body)
{
    json_t *asked = json_loads(body, 0, NULL), *said = NULL;
    if (asked && strncmp(head, "POST /v1/embeddings ", 20) == 0)
        said = model_embed(model, json_object_get(asked, "input"));
    else if (asked && strncmp(head, "POST /predict ", 14) == 0)
        said = model_predict(model, json_object_get(asked, "inputs"));
    char *text = said ? json_dumps(said, JSON_COMPACT) : strdup("{}");
    json_decref(said);
    json_decref(asked);
    return text;
}

/* The whole request; where its body begins, or NULL. */
RIG_MODEL const char *model_hear(struct wr_stream *stream, char *buf, size_t size)
{
    size_t len = 0, got = 1;
    const char *body = NULL, *says;
    wr_err err = WR_OK;
    while (!err && got > 0 && len < size - 1) {
        err = wr_stream_read(stream, &got, buf + len, size - 1 - len, WR_NEVER);
        len += err ? 0 : got;
        buf[len] = '\0';
        body = strstr(buf, "\r\n\r\n");
        says = strcasestr(buf, "content-length:");
        if (body && says && buf + len >= body + 4 + strtoul(says + 15, NULL, 10))
            return body + 4;
    }
    return NULL;
}

RIG_MODEL void model_say(struct wr_stream *stream, const struct model_reply *reply,
                         const char *body)
{
    size_t len = strlen(body), written;
    char head[400];
    int head_len = snprintf(head, sizeof(head),
                            "HTTP/1.1 %u X\r\nContent-Length: %zu\r\nConnection: close\r\n"
                            "Content-Type: application/json\r\n%s\r\n",
                            reply->status ? reply->status : 200, len,
                            reply->headers ? reply->headers : "");
    struct wr_piece pieces[] = { { head, (size_t)head_len },
                                 { body, reply->broken_off ? len / 2 : len } };
    (void)!wr_stream_write(stream, &written, pieces, 2, WR_NEVER);
}

RIG_MODEL wr_err model_serve_one(void *arg)
{
    struct model_conn *conn = arg;
    struct model_rig *model = conn->model;
    size_t size = (size_t)1 << 20;
    char *buf = calloc(1, size);
    const char *body = model_hear(conn->stream, buf, size);
    if (body) {
        unsigned number = atomic_fetch_add(&model->asked, 1);
        struct model_reply reply = { 0 };
        if (number < MODEL_LOG) {
            model->at[number] = wr_now();
            snprintf(model->heads[number], sizeof(model->heads[0]), "%.599s", buf);
        }
        snprintf(model->last, sizeof(model->last), "%.16383s", body);
        if (number < model->scripted)
            reply = model->script[number];
        if (!wr_sleep(wr_after(reply.delay))) {
            char *said = reply.body ? strdup(reply.body) : model_answer(model, buf, body);
            model_say(conn->stream, &reply, said);
            free(said);
        }
    }
    wr_stream_close(conn->stream);
    free(buf);
    free(conn);
    return WR_OK;
}

RIG_MODEL wr_err model_serve(void *arg)
{
    struct model_rig *model = arg;
    struct wr_conn incoming;
    wr_err err;
    while (!(err = wr_accept(model->listener, &incoming, WR_NEVER))) {
        struct model_conn *conn = malloc(sizeof(*conn));
        conn->model = model;
        if (wr_stream_open(&conn->stream, &incoming)
            || wr_scope_go(model->scope, "test.model", model_serve_one, conn))
            free(conn);
    }
    return err;
}

RIG_MODEL void model_open(struct model_rig *model)
{
    struct wr_addr addr;
    CHECK_OK(wr_addr_parse(&addr, "127.0.0.1:0"));
    REQUIRE_OK(wr_listen(&model->listener, &addr));
    CHECK_OK(wr_scope_new(&model->scope, &(struct wr_scope_conf){
        .name = "test.model", .deadline = WR_NEVER, .independent = true }));
    CHECK_OK(wr_scope_go(model->scope, "test.models", model_serve, model));
    snprintf(model->base, sizeof(model->base), "http://127.0.0.1:%u",
             wr_listener_addr(model->listener)->port);
}

RIG_MODEL void model_close(struct model_rig *model)
{
    wr_scope_cancel(model->scope);
    (void)!wr_scope_close(model->scope);
    wr_listener_close(model->listener);
}

#endif
