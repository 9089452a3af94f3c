/* fetch.c - one request: sent, redirected, decoded, within its limits. */
#include <weir/fetch.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <weir/metric.h>

#include "net/fetch.h"

#define RAW_SIZE 16384
#define OWN_HEADERS 3           /* User-Agent, Accept, Accept-Encoding */
#define HEADERS_MAX 64
#define BODY_FIRST 4096

static struct wr_metric requests = {
    .name = "fetch_requests_total",
    .help = "Requests of a client, by the class of their status or by their error.",
    .type = WR_COUNTER,
    .labels = { "client", "result" },
    .series_max = 128,
};

wr_err fetch_why(char *why, wr_err err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, WR_FETCH_WHY_MAX, format, args);
    va_end(args);
    for (char *c = why; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    return err;
}

/* ---- headers ---- */

static bool listed(const char *name, const char *const *list)
{
    while (*list && strcasecmp(*list, name) != 0)
        list++;
    return *list;
}

static bool token(const char *name)
{
    const char *end = name;
    while (fetch_token_char(*end))
        end++;
    return end > name && !*end;
}

static bool one_line(const char *value)
{
    for (; *value; value++)
        if (((unsigned char)*value < ' ' && *value != '\t') || *value == 127)
            return false;
    return true;
}

static wr_err check_request(const struct wr_fetch_request *request, char *why)
{
    static const char *const own[] = {
        "host", "content-length", "transfer-encoding", "connection", "keep-alive", "te",
        "trailer", "upgrade", "expect", "accept-encoding", "proxy-authorization",
        "proxy-connection", "http2-settings", NULL,
    };
    if (request->method && !token(request->method))
        return fetch_why(why, WR_INVALID, "\"%s\" is no method", request->method);
    if (request->header_count > HEADERS_MAX)
        return fetch_why(why, WR_INVALID, "%zu headers, at most %d can be sent",
                         request->header_count, HEADERS_MAX);
    for (size_t i = 0; i < request->header_count; i++) {
        const struct wr_fetch_header *header = &request->headers[i];
        if (!token(header->name))
            return fetch_why(why, WR_INVALID, "\"%s\" is no name of a header", header->name);
        if (!one_line(header->value))
            return fetch_why(why, WR_INVALID, "the value of header %s is not one line",
                             header->name);
        if (listed(header->name, own))
            return fetch_why(why, WR_INVALID, "the header %s is set by the client itself",
                             header->name);
    }
    return WR_OK;
}

/* What is being asked, while redirects change it. */
struct journey {
    const struct wr_fetch_request *request;
    const char *method;
    const void *body;
    size_t body_len;
    bool abroad;                    /* at another origin than the one that was asked for */
    unsigned redirects;
};

/* The caller's headers, as far as they may go there, and ours. */
static size_t list_headers(const struct wr_fetch_client *client, const struct journey *journey,
                           struct wr_fetch_header *list)
{
    static const char *const harmless[] = { "accept", "accept-language", "content-type",
                                            "range", "user-agent", NULL };
    size_t count = 0;
    bool agent = false, accept = false, range = false;
    for (size_t i = 0; i < journey->request->header_count; i++) {
        struct wr_fetch_header header = journey->request->headers[i];
        if (journey->abroad && !listed(header.name, harmless))
            continue;
        if (!journey->body && strcasecmp(header.name, "content-type") == 0)
            continue;
        agent |= strcasecmp(header.name, "user-agent") == 0;
        accept |= strcasecmp(header.name, "accept") == 0;
        range |= strcasecmp(header.name, "range") == 0;
        list[count++] = header;
    }
    if (!agent)
        list[count++] = (struct wr_fetch_header){ "User-Agent", client->conf.user_agent };
    if (!accept)
        list[count++] = (struct wr_fetch_header){ "Accept", "*/*" };
    if (!range)             /* a part of something coded cannot be decoded */
        list[count++] = (struct wr_fetch_header){ "Accept-Encoding", "gzip, zstd" };
    return count;
}

/* ---- sending ---- */

static wr_err send_once(struct wr_fetch *fetch, const struct journey *journey,
                        wr_time deadline, const char *place)
{
    struct wr_fetch_client *client = fetch->client;
    struct wr_fetch_header headers[HEADERS_MAX + OWN_HEADERS];
    bool proxied = client->proxy.text;
    struct fetch_ask ask = {
        .method = journey->method, .url = &fetch->url,
        .peer = proxied ? &client->proxy : &fetch->url, .headers = headers,
        .header_count = list_headers(client, journey, headers),
        .body = journey->body, .body_len = journey->body_len,
        .bodied = journey->body_len || strcasecmp(journey->method, "POST") == 0
            || strcasecmp(journey->method, "PUT") == 0
            || strcasecmp(journey->method, "PATCH") == 0,
    };
    fetch->op = IOSTAT_CONNECT;
    fetch_head_reset(&fetch->head);
    wr_err err = WR_OK;
    if (proxied && fetch->url.ip.kind)      /* names are for the proxy to resolve */
        err = fetch_names_find(client, &ask.addrs, &fetch->url, fetch->why, deadline);
    if (!err)
        err = fetch_names_find(client, &ask.addrs, ask.peer, fetch->why, deadline);
    return err ? err : client->ops->send(fetch, &ask, deadline, place);
}

/* ---- redirects ---- */

static bool redirects(unsigned status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* What becomes of the method: as browsers do it. */
static void change_method(struct journey *journey, unsigned status)
{
    bool head = strcmp(journey->method, "HEAD") == 0;
    bool post = strcmp(journey->method, "POST") == 0;
    if ((status == 303 && !head) || (status < 303 && post)) {
        journey->method = "GET";
        journey->body = NULL;
        journey->body_len = 0;
    }
}

static wr_err allowed(const struct wr_fetch *fetch, const struct journey *journey,
                      const struct fetch_url *next, bool *ret_follow, char *why)
{
    const struct wr_fetch_conf *conf = &fetch->client->conf;
    *ret_follow = conf->redirects == WR_REDIRECT_ANY
        || (conf->redirects == WR_REDIRECT_ORIGIN && fetch_url_same_origin(&fetch->url, next));
    if (!*ret_follow)
        return WR_OK;
    if (fetch->url.tls && !next->tls && !conf->redirect_to_http)
        return fetch_why(why, WR_DENIED, "%.100s redirects from https to http, to %.100s",
                         fetch->url.text, next->text);
    if (journey->redirects == conf->redirects_max)
        return fetch_why(why, WR_DENIED, "%.150s redirects once more after %u redirects",
                         fetch->url.text, journey->redirects);
    return WR_OK;
}

/* Whether the answer at hand is a redirect to follow; then fetch->url is where to. */
static wr_err follow(struct wr_fetch *fetch, struct journey *journey, bool *ret_follow)
{
    const char *location = fetch_head_get(&fetch->head, "location"), *clause;
    struct fetch_url next;
    *ret_follow = false;
    if (!redirects(fetch->head.status) || !location
        || fetch->client->conf.redirects == WR_REDIRECT_NONE)
        return WR_OK;
    wr_err err = fetch_url_parse(&next, location, &fetch->url, &clause);
    if (err)
        return fetch_why(fetch->why, err == WR_INVALID ? WR_DENIED : err,
                         "%.80s redirects to \"%.80s\": %s", fetch->url.text, location, clause);
    err = allowed(fetch, journey, &next, ret_follow, fetch->why);
    if (err || !*ret_follow) {
        fetch_url_free(&next);
        return err;
    }
    journey->redirects++;
    journey->abroad |= !fetch_url_same_origin(&fetch->url, &next);
    change_method(journey, fetch->head.status);
    fetch->client->ops->drop(fetch);
    fetch_url_free(&fetch->url);
    fetch->url = next;
    return WR_OK;
}

static wr_err travel(struct wr_fetch *fetch, struct journey *journey, wr_time deadline,
                     const char *place)
{
    for (;;) {
        bool on = false;
        wr_err err = send_once(fetch, journey, deadline, place);
        if (!err)
            err = follow(fetch, journey, &on);
        if (err || !on)
            return err;
    }
}

/* ---- the answer ---- */

static wr_err too_large(struct wr_fetch *fetch, const char *size)
{
    return fetch_why(fetch->why, WR_DENIED, "the answer of %.100s has %s bytes, at most %llu "
                     "are taken", fetch->url.text, size,
                     (unsigned long long)fetch->body_max);
}

static wr_err prepare_body(struct wr_fetch *fetch, const struct journey *journey)
{
    const char *length = fetch_head_get(&fetch->head, "content-length");
    const char *coding = fetch_head_get(&fetch->head, "content-encoding");
    bool none = strcmp(journey->method, "HEAD") == 0 || fetch->head.status == 204
        || fetch->head.status == 304;
    enum unzip_coding kind = UNZIP_IDENTITY;
    if (!none && length && strtoull(length, NULL, 10) > fetch->body_max)
        return too_large(fetch, length);
    if (!none && coding && *coding && unzip_coding(&kind, coding, strlen(coding)))
        return fetch_why(fetch->why, WR_UNSUPPORTED, "the answer of %.100s is coded as "
                         "\"%.40s\", which was not asked for", fetch->url.text, coding);
    if (kind != UNZIP_IDENTITY && !(fetch->raw = malloc(RAW_SIZE)))
        return WR_NOMEM;
    return unzip_open(&fetch->unzip, kind, fetch->body_max, fetch->client->conf.ratio_max);
}

/* What the transport could not say better. */
static void explain(struct wr_fetch *fetch, wr_err err)
{
    static const char *const doing[IOSTAT_OPS] = {
        [IOSTAT_CONNECT] = "connecting to", [IOSTAT_HANDSHAKE] = "shaking hands with",
        [IOSTAT_READ] = "waiting for", [IOSTAT_WRITE] = "sending to",
    };
    if (err == WR_TIMEOUT)
        iostat_timeout(fetch->op);
    else if (err == WR_IO)
        iostat_error(fetch->op);
    if (fetch->why[0] && err != WR_TIMEOUT && err != WR_CANCELED)
        return;
    (void)!fetch_why(fetch->why, err, "%s while %s %.150s", wr_err_text(err), doing[fetch->op],
                     fetch->url.text);
}

static void count(const struct wr_fetch *fetch, wr_err err)
{
    static const char *const classes[] = { "1xx", "2xx", "3xx", "4xx", "5xx" };
    unsigned class = fetch->head.status / 100;
    const char *result = err ? wr_err_name(err)
        : class >= 1 && class <= 5 ? classes[class - 1] : "other";
    wr_counter_add(wr_metric_counter(&requests, fetch->client->conf.name, result), 1);
}

static wr_err ask(struct wr_fetch *fetch, const struct wr_fetch_request *request,
                  wr_time deadline, const char *place)
{
    struct journey journey = { .request = request, .body = request->body,
                               .body_len = request->body ? request->body_len : 0 };
    const char *clause;
    journey.method = request->method ? request->method : request->body ? "POST" : "GET";
    wr_err err = check_request(request, fetch->why);
    if (err)
        return err;
    err = fetch_url_parse(&fetch->url, request->url, NULL, &clause);
    if (err)
        return fetch_why(fetch->why, err, "\"%.100s\": %s", request->url, clause);
    err = travel(fetch, &journey, deadline, place);
    return err ? err : prepare_body(fetch, &journey);
}

/* ---- calls ---- */

/* NULL, with the error and why: not now. */
static struct wr_fetch *open_slot(struct wr_fetch_client *client, wr_err *ret_err, char *why)
{
    if (atomic_load(&client->closed)) {
        *ret_err = WR_CLOSED;
        (void)!fetch_why(why, WR_CLOSED, "the client %s was closed", client->conf.name);
        return NULL;
    }
    if (wr_sem_try_acquire_many(client->slots, 1)) {
        *ret_err = WR_BUSY;
        (void)!fetch_why(why, WR_BUSY, "the client %s has %u requests under way",
                         client->conf.name, client->conf.requests_max);
        return NULL;
    }
    struct wr_fetch *fetch = calloc(1, sizeof(*fetch));
    if (!fetch) {
        *ret_err = WR_NOMEM;
        (void)!fetch_why(why, WR_NOMEM, "%s", wr_err_text(WR_NOMEM));
        wr_sem_release(client->slots);
        return NULL;
    }
    atomic_fetch_add(&client->refs, 1);
    fetch->client = client;
    return fetch;
}

wr_err (wr_fetch_open)(struct wr_fetch **ret, struct wr_fetch_client *client,
                       const struct wr_fetch_request *request, struct wr_fetch_reply *ret_head,
                       wr_time deadline, const char *place)
{
    wr_err err = WR_OK;
    *ret_head = (struct wr_fetch_reply){ 0 };
    struct wr_fetch *fetch = open_slot(client, &err, ret_head->why);
    if (!fetch)
        return err;
    fetch->body_max = request->body_max ? request->body_max : client->conf.body_max;
    err = ask(fetch, request, deadline, place);
    if (!err)
        err = fetch_head_give(&fetch->head, fetch->url.text, ret_head);
    count(fetch, err);
    if (err) {
        explain(fetch, err);
        memcpy(ret_head->why, fetch->why, sizeof(ret_head->why));
        wr_fetch_close(fetch);
        return err;
    }
    *ret = fetch;
    return WR_OK;
}

/* Decode what is on hand.  *ret 0: more must be received. */
static wr_err decode(struct wr_fetch *fetch, size_t *ret, char *buf, size_t size)
{
    wr_err err = unzip_step(&fetch->unzip, &fetch->raw_at, &fetch->raw_len, buf, size, ret);
    if (!err && *ret == 0 && fetch->raw_ended) {
        fetch->ended = true;
        err = fetch->unzip.in > 0 ? unzip_end(&fetch->unzip) : WR_OK;
    }
    if (!err)
        return WR_OK;
    return fetch_why(fetch->why, err == WR_INVALID ? WR_IO : err,
                     "the answer of %.100s cannot be decoded within its limits: %s",
                     fetch->url.text, fetch->unzip.why);
}

static wr_err read_coded(struct wr_fetch *fetch, size_t *ret, char *buf, size_t size,
                         wr_time deadline, const char *place)
{
    for (;;) {
        wr_err err = decode(fetch, ret, buf, size);
        if (err || *ret > 0 || fetch->ended)
            return err;
        err = fetch->client->ops->read(fetch, &fetch->raw_len, fetch->raw, RAW_SIZE, deadline,
                                       place);
        if (err)
            return err;
        fetch->raw_at = fetch->raw;
        fetch->raw_ended = fetch->raw_len == 0;
    }
}

static wr_err read_plain(struct wr_fetch *fetch, size_t *ret, char *buf, size_t size,
                         wr_time deadline, const char *place)
{
    wr_err err = fetch->client->ops->read(fetch, ret, buf, size, deadline, place);
    if (err)
        return err;
    fetch->ended = *ret == 0;
    fetch->unzip.out += *ret;
    return fetch->unzip.out > fetch->body_max ? too_large(fetch, "more") : WR_OK;
}

wr_err (wr_fetch_read)(struct wr_fetch *fetch, size_t *ret, void *buf, size_t size,
                       wr_time deadline, const char *place)
{
    WR_ASSERT(size > 0);
    *ret = 0;
    if (fetch->err || fetch->ended)
        return fetch->err;
    wr_err err = fetch->raw ? read_coded(fetch, ret, buf, size, deadline, place)
                            : read_plain(fetch, ret, buf, size, deadline, place);
    if (!err)
        return WR_OK;
    *ret = 0;
    explain(fetch, err);
    if (err != WR_TIMEOUT && err != WR_CANCELED)
        fetch->err = err;
    return err;
}

const char *wr_fetch_why(const struct wr_fetch *fetch)
{
    return fetch->why;
}

void wr_fetch_close(struct wr_fetch *fetch)
{
    if (!fetch)
        return;
    if (fetch->exchange)
        fetch->client->ops->drop(fetch);
    unzip_close(&fetch->unzip);
    free(fetch->raw);
    fetch_head_free(&fetch->head);
    fetch_url_free(&fetch->url);
    wr_sem_release(fetch->client->slots);
    fetch_client_unref(fetch->client);
    free(fetch);
}

/* ---- the whole of it ---- */

static wr_err read_all(struct wr_fetch *fetch, struct wr_fetch_reply *reply, wr_time deadline,
                       const char *place)
{
    size_t cap = BODY_FIRST, max = (size_t)fetch->body_max + 1, got;
    for (;;) {
        if (!reply->body || reply->body_len + 1 == cap) {
            cap = reply->body ? cap * 2 : cap;
            cap = cap > max + 1 ? max + 1 : cap;
            char *more = realloc(reply->body, cap);
            if (!more)
                return WR_NOMEM;
            reply->body = more;
        }
        wr_err err = (wr_fetch_read)(fetch, &got, reply->body + reply->body_len,
                                     cap - 1 - reply->body_len, deadline, place);
        if (err || got == 0) {
            reply->body[reply->body_len] = '\0';
            return err;
        }
        reply->body_len += got;
    }
}

wr_err (wr_fetch)(struct wr_fetch_client *client, const struct wr_fetch_request *request,
                  struct wr_fetch_reply *ret, wr_time deadline, const char *place)
{
    struct wr_fetch *fetch = NULL;
    wr_err err = (wr_fetch_open)(&fetch, client, request, ret, deadline, place);
    if (err)
        return err;
    err = read_all(fetch, ret, deadline, place);
    if (err)
        memcpy(ret->why, fetch->why, sizeof(ret->why));
    wr_fetch_close(fetch);
    return err;
}

const char *wr_fetch_reply_header(const struct wr_fetch_reply *reply, const char *name)
{
    for (size_t i = 0; i < reply->header_count; i++)
        if (strcmp(reply->headers[i].name, name) == 0)
            return reply->headers[i].value;
    return NULL;
}

void wr_fetch_reply_free(struct wr_fetch_reply *reply)
{
    free(reply->head);
    free(reply->body);
    reply->head = reply->body = NULL;
    reply->headers = NULL;
    reply->url = NULL;
    reply->header_count = reply->body_len = 0;
}
