/* model.c - see model.h. */
#include "source/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <weir/breaker.h>
#include <weir/fetch.h>
#include <weir/limiter.h>
#include <weir/retry.h>

#include "base/text.h"
#include "source/asking.h"

#define URL_MAX 1024
#define KEY_MAX 512
#define EXCERPT_MAX 120                 /* bytes of what it says about an error */
#define INTERVAL WR_MS(5)
#define PAUSE_MIN WR_MS(200)
#define PAUSE_MAX WR_MS(400)
#define REQUESTS_MAX 64

struct model {
    struct model_conf conf;
    struct wr_fetch_client *client;
    struct wr_limiter *limiter;
    struct wr_breakers *breakers;
    struct wr_retry *retry;
};

wr_err model_new(struct model **ret, const struct model_conf *conf)
{
    struct model *endpoint = calloc(1, sizeof(*endpoint));
    if (!endpoint)
        return WR_NOMEM;
    endpoint->conf = *conf;
    wr_err err = wr_fetch_client_new(&endpoint->client, &(struct wr_fetch_conf){
        .name = conf->name, .internal = true, .plain = conf->plain,
        .requests_max = REQUESTS_MAX, .host_connections_max = MODEL_AT_ONCE });
    if (!err)
        err = wr_limiter_new(&endpoint->limiter, &(struct wr_limiter_conf){
            .name = conf->name, .interval = INTERVAL, .burst = MODEL_AT_ONCE });
    if (!err)
        err = wr_breakers_new(&endpoint->breakers, &(struct wr_breakers_conf){
            .name = conf->name, .targets = 1 });
    if (!err)
        err = wr_retry_new(&endpoint->retry, &(struct wr_retry_conf){
            .name = conf->name, .try_max = MODEL_WITHIN, .pause_min = PAUSE_MIN,
            .pause_max = PAUSE_MAX, .floor = 2 });
    if (err)
        model_free(endpoint, WR_NOW);
    else
        *ret = endpoint;
    return err;
}

wr_err model_run(void *endpoint)
{
    return wr_breakers_run(((struct model *)endpoint)->breakers);
}

void model_free(struct model *endpoint, wr_time deadline)
{
    if (!endpoint)
        return;
    wr_retry_free(endpoint->retry);
    wr_breakers_free(endpoint->breakers);
    wr_limiter_free(endpoint->limiter);
    wr_fetch_client_close(endpoint->client, deadline);
    free(endpoint);
}

const char *model_url(const struct model *endpoint)
{
    return endpoint->conf.url;
}

wr_err model_fail(const struct model *endpoint, wr_err err, char *why, const char *format,
                     ...)
{
    va_list args;
    int len = snprintf(why, MODEL_WHY_MAX, "the %s endpoint %.120s ", endpoint->conf.name,
                       endpoint->conf.url);
    va_start(args, format);
    vsnprintf(why + len, MODEL_WHY_MAX - (size_t)len, format, args);
    va_end(args);
    return err;
}

/* ---- one request ---- */

struct post {
    struct model *endpoint;
    const struct model_ask *ask;
    char *why;
};

/* What it says about an error, if it says it as such servers do; else nothing. */
static void excerpt(struct wr_text *ret, const struct wr_fetch_reply *reply)
{
    json_t *root = json_loadb(reply->body, reply->body_len, 0, NULL);
    const json_t *error = json_object_get(root, "error");
    if (json_is_object(error))
        error = json_object_get(error, "message");
    const char *said = json_string_value(error);
    for (size_t i = 0; said && said[i] && i < EXCERPT_MAX; i++)
        wr_text_bytes(ret, (unsigned char)said[i] < ' ' ? " " : &said[i], 1);
    json_decref(root);
}

static wr_err judge_status(const struct post *post, const struct wr_fetch_reply *reply,
                           wr_time *retry_after)
{
    char buf[EXCERPT_MAX + 4] = "";
    struct wr_text said = WR_TEXT(buf);
    wr_time wait = asking_retry_after(wr_fetch_reply_header(reply, "retry-after"), wr_wall());
    unsigned status = reply->status;
    wr_err err = status == 429 || (status == 503 && wait) ? WR_BUSY
                 : status >= 500                          ? WR_IO
                 : status == 401 || status == 403         ? WR_DENIED
                 : status == 404 || status == 405         ? WR_UNSUPPORTED
                                                          : WR_INVALID;
    if (status >= 200 && status < 300)
        return WR_OK;
    excerpt(&said, reply);
    *retry_after = err == WR_BUSY ? wait : 0;
    return model_fail(post->endpoint, err, post->why, "answered %s with %u%s%s",
                         post->ask->path, status, said.len ? ": " : "", buf);
}

/* No answer.  What the client calls BUSY is its own limit, not the endpoint's; and that a name
 * has no address is no answer to the question. */
static wr_err no_answer(const struct post *post, wr_err err, const char *why)
{
    wr_err as = err == WR_BUSY                             ? WR_SHED
                : err == WR_NOTFOUND || err == WR_UNSUPPORTED ? WR_IO
                                                              : err;
    return model_fail(post->endpoint, as, post->why, "did not answer: %.200s",
                         why[0] ? why : wr_err_text(err));
}

static wr_err send_once(const struct post *post, const char *token, struct wr_ask *ask,
                        wr_time deadline)
{
    const struct model *endpoint = post->endpoint;
    size_t len = strlen(endpoint->conf.url);
    char url[URL_MAX];
    struct wr_fetch_reply reply;
    struct wr_fetch_header headers[] = { { "Content-Type", "application/json" },
                                         { "Accept", "application/json" },
                                         { "Authorization", token } };
    len -= len && endpoint->conf.url[len - 1] == '/';
    int written = snprintf(url, sizeof(url), "%.*s%s", (int)len, endpoint->conf.url,
                           post->ask->path);
    if (written < 0 || (size_t)written >= sizeof(url))
        return model_fail(endpoint, WR_INVALID, post->why, "has too long an address");
    wr_err err = wr_fetch(endpoint->client, &(struct wr_fetch_request){
        .url = url, .headers = headers, .header_count = token ? 3 : 2, .body = post->ask->body,
        .body_len = post->ask->len, .body_max = post->ask->answer_max }, &reply, deadline);
    if (err)
        err = no_answer(post, err, reply.why);
    else
        err = judge_status(post, &reply, &ask->retry_after);
    if (!err)
        err = wr_bytes_copy(&ask->answer, reply.body, reply.body_len);
    wr_fetch_reply_free(&reply);
    return err;
}

static wr_err send_post(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    const struct post *post = ask->question;
    struct wr_secret *key = post->endpoint->conf.key;
    size_t len = key ? wr_secret_size(key) : 0;
    char token[KEY_MAX] = "Bearer ";
    (void)way;
    if (len + sizeof("Bearer ") > sizeof(token))
        return model_fail(post->endpoint, WR_INVALID, post->why, "has a key of %zu bytes; "
                             "%d are allowed", len, KEY_MAX - (int)sizeof("Bearer "));
    if (len)
        memcpy(token + strlen("Bearer "), wr_secret_bytes(key), len);
    wr_err err = send_once(post, len ? token : NULL, ask, deadline);
    explicit_bzero(token, sizeof(token));
    return err;
}

wr_err model_post(struct model *endpoint, const struct model_ask *ask,
                     struct wr_bytes **ret, char *why, wr_time deadline)
{
    struct post post = { endpoint, ask, why };
    struct wr_ask question = { .question = &post, .safe = true };
    why[0] = '\0';
    wr_err err = wr_way_ask(
        WR_RETRIED(endpoint->retry, WR_LIMITED(endpoint->limiter,
            WR_GUARDED(endpoint->breakers, WR_WAY(send_post, endpoint)))), &question, deadline);
    if (err == WR_OPENCIRCUIT)
        return model_fail(endpoint, err, why, "has failed too often of late to be asked");
    if (err && !why[0])
        return model_fail(endpoint, err, why, "was not asked: %s", wr_err_text(err));
    if (err)
        return err;
    why[0] = '\0';
    *ret = question.answer;
    return WR_OK;
}
