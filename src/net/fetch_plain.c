/* fetch_plain.c - the transport over streams: HTTP/1.1, in the fiber of the caller.
 *
 * Each host has a number of places for connections.  A request takes one, with a
 * connection that is at rest or a new one, and gives both back when its answer is
 * whole.  One task closes connections that have rested too long.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/select.h>
#include <weir/stream.h>

#include "base/text.h"
#include "net/fetch.h"
#include "net/fetch_parse.h"

#define RANK_PLAIN 611
#define KEY_MAX 320
#define RESTING_MAX 64          /* connections at rest, of all hosts */
#define REQUEST_HEAD_MAX 131072
#define RAW_MAX 16384

struct rest { struct wr_stream *stream; wr_time since; struct rest *next; };

struct host {
    char key[KEY_MAX];              /* "http://example.com:8080" */
    struct wr_sem *places;
    unsigned users;                 /* requests that hold or want a place */
    struct rest *resting;           /* the latest first */
    struct host *next;
};

struct plain {
    struct wr_mutex lock;
    struct host *hosts;
    size_t resting;
    bool closed;
    struct wr_chan *kick;           /* something rests: see when it must go */
};

struct exchange {
    struct host *host;
    struct wr_stream *stream;
    struct answer answer;
    bool heard;                     /* a byte of the answer came */
    size_t at, len;                 /* of raw: received and not yet fed */
    char raw[RAW_MAX];
};

/* ---- hosts ---- */

static struct host *host_find(struct plain *plain, const char *key)
{
    struct host *host = plain->hosts;
    while (host && strcmp(host->key, key) != 0)
        host = host->next;
    return host;
}

static void host_free(struct host *host)
{
    if (host)
        wr_sem_free(host->places);
    free(host);
}

static struct host *host_new(const char *key, unsigned places)
{
    struct host *host = calloc(1, sizeof(*host));
    if (!host || wr_sem_new(&host->places, "fetch.host", places)) {
        free(host);
        return NULL;
    }
    memcpy(host->key, key, strlen(key) + 1);
    return host;
}

static struct host *host_ref(struct wr_fetch_client *client, const struct fetch_url *url)
{
    struct plain *plain = client->transport;
    char key[KEY_MAX];
    snprintf(key, sizeof(key), "%.*s", (int)(url->target - url->text), url->text);
    struct host *fresh = host_new(key, client->conf.host_connections_max);
    wr_mutex_lock(&plain->lock);
    struct host *host = host_find(plain, key);
    if (!host && fresh) {
        host = fresh;
        fresh = NULL;
        host->next = plain->hosts;
        plain->hosts = host;
    }
    if (host)
        host->users++;
    wr_mutex_unlock(&plain->lock);
    host_free(fresh);
    return host;
}

/* The lock is held.  A host with nobody in it is taken out, and returned to be freed. */
static struct host *host_if_empty(struct plain *plain, struct host *host)
{
    if (host->users || host->resting)
        return NULL;
    struct host **link = &plain->hosts;
    while (*link != host)
        link = &(*link)->next;
    *link = host->next;
    return host;
}

static void host_unref(struct plain *plain, struct host *host)
{
    wr_mutex_lock(&plain->lock);
    host->users--;
    struct host *empty = host_if_empty(plain, host);
    wr_mutex_unlock(&plain->lock);
    host_free(empty);
}

/* ---- connections at rest ---- */

/* Closed, unless there is room for it. */
static void lay_to_rest(struct plain *plain, struct host *host, struct wr_stream *stream)
{
    struct rest *rest = malloc(sizeof(*rest));
    bool kept = false;
    if (rest) {
        *rest = (struct rest){ .stream = stream, .since = wr_now() };
        wr_mutex_lock(&plain->lock);
        kept = !plain->closed && plain->resting < RESTING_MAX;
        if (kept) {
            rest->next = host->resting;
            host->resting = rest;
            plain->resting++;
        }
        wr_mutex_unlock(&plain->lock);
    }
    if (kept) {
        (void)!wr_chan_send(plain->kick, &(char){ 0 }, WR_NOW);
        return;
    }
    free(rest);
    wr_stream_close(stream);
}

static struct wr_stream *wake_up(struct plain *plain, struct host *host)
{
    wr_mutex_lock(&plain->lock);
    struct rest *rest = host->resting;
    if (rest) {
        host->resting = rest->next;
        plain->resting--;
    }
    wr_mutex_unlock(&plain->lock);
    struct wr_stream *stream = rest ? rest->stream : NULL;
    free(rest);
    return stream;
}

/* Nothing is said on a connection at rest: what can be read is its end. */
static struct wr_stream *wake_up_alive(struct plain *plain, struct host *host)
{
    for (;;) {
        struct wr_stream *stream = wake_up(plain, host);
        size_t which;
        if (!stream)
            return NULL;
        struct wr_case spoken = wr_stream_readable(stream);
        if (wr_select(&which, &spoken, 1, WR_NOW) == WR_TIMEOUT)
            return stream;
        wr_stream_close(stream);
    }
}

/* Take out what has rested since `limit` or longer; when the next is due.  The list
 * that is returned is closed outside of the lock. */
static struct rest *take_old(struct plain *plain, wr_time limit, wr_time *ret_oldest,
                             struct host **ret_empty)
{
    struct rest *old = NULL;
    *ret_oldest = WR_NEVER;
    *ret_empty = NULL;
    wr_mutex_lock(&plain->lock);
    for (struct host *host = plain->hosts, *next; host; host = next) {
        next = host->next;
        for (struct rest **link = &host->resting; *link;) {
            struct rest *rest = *link;
            if (rest->since > limit) {
                if (rest->since < *ret_oldest)
                    *ret_oldest = rest->since;
                link = &rest->next;
                continue;
            }
            *link = rest->next;
            rest->next = old;
            old = rest;
            plain->resting--;
        }
        struct host *empty = host_if_empty(plain, host);
        if (empty) {
            empty->next = *ret_empty;
            *ret_empty = empty;
        }
    }
    wr_mutex_unlock(&plain->lock);
    return old;
}

static wr_time close_old(struct plain *plain, wr_time limit)
{
    wr_time oldest;
    struct host *empty;
    for (struct rest *rest = take_old(plain, limit, &oldest, &empty), *next; rest;
         rest = next) {
        next = rest->next;
        wr_stream_close(rest->stream);
        free(rest);
    }
    for (struct host *next; empty; empty = next) {
        next = empty->next;
        host_free(empty);
    }
    return oldest;
}

static wr_err janitor(void *arg)
{
    struct wr_fetch_client *client = arg;
    struct plain *plain = client->transport;
    wr_time span = client->conf.idle_max;
    wr_err err = WR_OK;
    char nothing;
    while (!err || (err == WR_TIMEOUT && !wr_scope_check())) {
        wr_time oldest = close_old(plain, wr_now() - span);
        err = wr_chan_recv(plain->kick, &nothing,
                           oldest == WR_NEVER ? WR_NEVER : oldest + span);
    }
    wr_mutex_lock(&plain->lock);
    plain->closed = true;
    wr_mutex_unlock(&plain->lock);
    close_old(plain, WR_NEVER);
    return err;
}

/* ---- an exchange ---- */

static void exchange_free(struct plain *plain, struct exchange *exchange)
{
    wr_stream_close(exchange->stream);
    answer_close(&exchange->answer);
    wr_sem_release(exchange->host->places);
    host_unref(plain, exchange->host);
    free(exchange);
}

/* Wait for a case, or for the client's end. */
static wr_err wait_for(struct wr_fetch_client *client, struct wr_case what, wr_time deadline,
                       const char *place)
{
    struct wr_case cases[] = { WR_CASE_ONCE(client->stop, NULL), what };
    size_t which;
    wr_err err = (wr_select)(&which, cases, 2, deadline, place);
    if (err)
        return err;
    return which == 0 ? WR_CLOSED : cases[1].err;
}

static wr_err exchange_new(struct exchange **ret, struct wr_fetch_client *client,
                           const struct fetch_url *peer, wr_time deadline, const char *place)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    struct host *host = exchange ? host_ref(client, peer) : NULL;
    if (!host) {
        free(exchange);
        return WR_NOMEM;
    }
    wr_err err = wait_for(client, (struct wr_case)WR_CASE_SEM(host->places, 1), deadline,
                          place);
    if (err) {
        host_unref(client->transport, host);
        free(exchange);
        return err;
    }
    exchange->host = host;
    *ret = exchange;
    return WR_OK;
}

/* The first address that answers. */
static wr_err connect_any(struct wr_fetch *fetch, const struct fetch_ask *ask,
                          struct wr_stream **ret, wr_time deadline, const char *place)
{
    struct wr_fetch_client *client = fetch->client;
    char text[WR_ADDR_TEXT_MAX];
    wr_err err = WR_NOTFOUND;
    for (size_t i = 0; i < ask->addrs.count; i++) {
        const struct wr_addr *addr = &ask->addrs.list[i];
        if (ask->peer == ask->url && !fetch_may_reach(client, addr))
            return WR_DENIED;
        err = (wr_connect)(ret, addr, deadline, place);
        if (!err) {
            atomic_fetch_add(&client->connects, 1);
            fetch->why[0] = '\0';
            return WR_OK;
        }
        if (err != WR_IO)
            return err;
        (void)!fetch_why(fetch->why, err, "%s at %s refuses connections or cannot be reached",
                  ask->peer->host, wr_addr_print(addr, text));
    }
    return err;
}

static wr_err write_request(struct wr_fetch *fetch, const struct fetch_ask *ask,
                            wr_time deadline, const char *place)
{
    struct exchange *exchange = fetch->exchange;
    struct wr_text head = wr_text_heap(REQUEST_HEAD_MAX);
    size_t len, sent;
    const char *authority = fetch_url_authority(ask->url, &len);
    wr_text_format(&head, "%s %s HTTP/1.1\r\nHost: %.*s\r\n", ask->method,
                   ask->peer == ask->url ? ask->url->target : ask->url->text, (int)len,
                   authority);
    for (size_t i = 0; i < ask->header_count; i++)
        wr_text_format(&head, "%s: %s\r\n", ask->headers[i].name, ask->headers[i].value);
    if (ask->bodied)
        wr_text_format(&head, "Content-Length: %zu\r\n", ask->body_len);
    wr_text_str(&head, "\r\n");
    wr_err err = WR_OK;
    if (head.cut)
        err = fetch_why(fetch->why, WR_INVALID, "the head of the request is larger than %d "
                        "bytes", REQUEST_HEAD_MAX);
    struct wr_piece pieces[] = { { head.at, head.len }, { ask->body, ask->body_len } };
    if (!err) {
        fetch->op = IOSTAT_WRITE;
        err = (wr_stream_write)(exchange->stream, &sent, pieces, ask->body_len ? 2 : 1,
                                deadline, place);
    }
    wr_text_free(&head);
    return err;
}

/* Read what the peer says next; the end of it is told to the parser. */
static wr_err receive(struct wr_fetch *fetch, wr_time deadline, const char *place)
{
    struct exchange *exchange = fetch->exchange;
    fetch->op = IOSTAT_READ;
    for (;;) {
        wr_err err = wait_for(fetch->client, wr_stream_readable(exchange->stream), deadline,
                              place);
        if (err)
            return err;
        exchange->at = 0;
        err = (wr_stream_read)(exchange->stream, &exchange->len, exchange->raw, RAW_MAX,
                               WR_NOW, place);
        if (err == WR_TIMEOUT)
            continue;
        if (err)
            return err;
        exchange->heard |= exchange->len > 0;
        if (exchange->len == 0)
            answer_end(&exchange->answer);
        return WR_OK;
    }
}

static wr_err judge_answer(struct wr_fetch *fetch)
{
    const struct answer *answer = &((struct exchange *)fetch->exchange)->answer;
    if (answer->state != ANSWER_BAD)
        return WR_OK;
    return fetch_why(fetch->why, answer->err, "the answer of %.150s cannot be taken: %s",
                     fetch->url.text, answer->why);
}

static size_t feed(struct exchange *exchange, char *body, size_t size)
{
    size_t len = exchange->len < size ? exchange->len : size, got;
    size_t used = answer_feed(&exchange->answer, exchange->raw + exchange->at, len, body, &got);
    exchange->at += used;
    exchange->len -= used;
    return got;
}

static wr_err read_head(struct wr_fetch *fetch, wr_time deadline, const char *place)
{
    struct exchange *exchange = fetch->exchange;
    while (exchange->answer.state == ANSWER_HEAD) {
        wr_err err = receive(fetch, deadline, place);
        if (err)
            return err;
        feed(exchange, NULL, RAW_MAX);
    }
    feed(exchange, NULL, 0);        /* it may be whole already */
    return judge_answer(fetch);
}

static wr_err try_on(struct wr_fetch *fetch, const struct fetch_ask *ask, wr_time deadline,
                     const char *place)
{
    struct exchange *exchange = fetch->exchange;
    bool head = strcmp(ask->method, "HEAD") == 0;
    exchange->len = 0;
    exchange->heard = false;
    answer_close(&exchange->answer);
    answer_open(&exchange->answer, &fetch->head, head);
    wr_err err = write_request(fetch, ask, deadline, place);
    if (!err)
        err = read_head(fetch, deadline, place);
    if (err != WR_BROKENPIPE)
        return err;
    return fetch_why(fetch->why, WR_IO, "%s closed the connection before its answer was whole",
                     ask->peer->host);
}

static bool repeatable(const char *method)
{
    static const char *const safe[] = { "GET", "HEAD", "OPTIONS", "PUT", "DELETE" };
    for (size_t i = 0; i < sizeof(safe) / sizeof(safe[0]); i++)
        if (strcmp(method, safe[i]) == 0)
            return true;
    return false;
}

/* A connection that rested may have been closed by the peer just now: then, if not a
 * byte was heard, a new one is tried. */
static wr_err converse(struct wr_fetch *fetch, const struct fetch_ask *ask, wr_time deadline,
                       const char *place)
{
    struct exchange *exchange = fetch->exchange;
    exchange->stream = wake_up_alive(fetch->client->transport, exchange->host);
    if (exchange->stream) {
        wr_err err = try_on(fetch, ask, deadline, place);
        if (err != WR_IO || exchange->heard || !repeatable(ask->method))
            return err;
        wr_stream_close(exchange->stream);
        exchange->stream = NULL;
    }
    fetch->op = IOSTAT_CONNECT;
    wr_err err = connect_any(fetch, ask, &exchange->stream, deadline, place);
    return err ? err : try_on(fetch, ask, deadline, place);
}

/* ---- as a transport ---- */

static wr_err plain_send(struct wr_fetch *fetch, const struct fetch_ask *ask, wr_time deadline,
                         const char *place)
{
    struct exchange *exchange;
    if (ask->url->tls && (!fetch_simulated() || ask->peer != ask->url))
        return fetch_why(fetch->why, WR_UNSUPPORTED, "%.150s: a plain client has no https",
                         ask->url->text);
    wr_err err = exchange_new(&exchange, fetch->client, ask->peer, deadline, place);
    if (err)
        return err;
    fetch->exchange = exchange;
    err = converse(fetch, ask, deadline, place);
    if (err) {
        fetch->exchange = NULL;
        exchange_free(fetch->client->transport, exchange);
    }
    return err;
}

static wr_err plain_read(struct wr_fetch *fetch, size_t *ret, char *buf, size_t size,
                         wr_time deadline, const char *place)
{
    struct exchange *exchange = fetch->exchange;
    while (exchange->answer.state == ANSWER_BODY) {
        *ret = feed(exchange, buf, size);
        if (*ret > 0)
            return WR_OK;
        if (exchange->len > 0 || exchange->answer.state != ANSWER_BODY)
            continue;               /* what was fed was no body */
        wr_err err = receive(fetch, deadline, place);
        if (err == WR_BROKENPIPE)
            err = fetch_why(fetch->why, WR_IO, "%.150s closed the connection before its answer "
                            "was whole", fetch->url.text);
        if (err)
            return err;
    }
    *ret = 0;
    return judge_answer(fetch);
}

static void plain_drop(struct wr_fetch *fetch)
{
    struct exchange *exchange = fetch->exchange;
    const struct answer *answer = &exchange->answer;
    if (answer->state == ANSWER_DONE && answer->keep_alive && exchange->len == 0
        && !fetch->client->conf.fresh) {
        lay_to_rest(fetch->client->transport, exchange->host, exchange->stream);
        exchange->stream = NULL;
    }
    fetch->exchange = NULL;
    exchange_free(fetch->client->transport, exchange);
}

static uint64_t same(const void *item)
{
    (void)item;
    return 0;
}

static wr_err plain_start(struct wr_fetch_client *client)
{
    struct plain *plain = calloc(1, sizeof(*plain));
    if (!plain)
        return WR_NOMEM;
    plain->lock = (struct wr_mutex)WR_MUTEX("fetch.plain", RANK_PLAIN);
    client->transport = plain;
    wr_err err = wr_chan_new(&plain->kick, &(struct wr_chan_conf){
        .name = "fetch.kick", .item_size = 1, .cap = 1, .policy = WR_COALESCE, .key = same });
    return err ? err : wr_scope_go(client->scope, "fetch.janitor", janitor, client);
}

static void plain_free(struct wr_fetch_client *client)
{
    struct plain *plain = client->transport;
    if (!plain)
        return;
    close_old(plain, WR_NEVER);
    wr_chan_free(plain->kick);
    wr_mutex_fini(&plain->lock);
    free(plain);
}

const struct fetch_ops fetch_plain = {
    .start = plain_start, .free = plain_free, .send = plain_send, .read = plain_read,
    .drop = plain_drop,
};
