/* proxy_rig.h - a network of OpenDHT, and proxies of it that do what a test tells them.
 *
 *     struct cloud cloud = { 0 };
 *     cloud_open(&cloud, 5);
 *     cloud_put(&cloud, key, bytes, len);
 *     cloud.proxies[1].frozen = true;             (as by SIGSTOP: it goes on when it is not)
 *     ...cloud.urls, .plain and .internal in wr_fetch_conf
 *     CHECK_EQ(3, cloud_asked(&cloud));
 *     cloud_close(&cloud);
 *
 * On loopback, with virtual time: what they take is exact.  Answers are those of dhtnode
 * 2.4.12, in chunks, on connections that are kept.  What a proxy does may be changed at any
 * time.
 */
#ifndef WR_TESTING_PROXY_RIG_H
#define WR_TESTING_PROXY_RIG_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/scope.h>
#include <weir/stream.h>
#include <weir/task.h>

#include "testing/test.h"

#define RIG_PROXY __attribute__((unused)) static
#define CLOUD_PROXIES 16
#define CLOUD_VALUES 4096
#define CLOUD_TEXT 2200                 /* of a value, as base64 */

struct cloud_value { char key[41], id[24], data[CLOUD_TEXT]; };

struct cloud_proxy {
    struct cloud *cloud;
    struct wr_listener *listener;
    _Atomic wr_time takes;              /* before it says anything */
    _Atomic wr_time between;            /* before each value */
    _Atomic wr_time stalls;             /* before the end of what it says */
    atomic_bool frozen;                 /* it says nothing, until it is not */
    atomic_bool dead;                   /* it hangs up, at once */
    atomic_bool cut_off;                /* it knows of no value */
    atomic_bool alone;                  /* it knows of no other node */
    atomic_bool short_of;               /* it breaks off before the end */
    _Atomic unsigned status;            /* 0: 200 */
    _Atomic(const char *) nonsense;     /* instead of values */
    _Atomic unsigned lies;              /* so many values of its own before all others: */
    unsigned char lie[1600];            /* ... this, with a number in its last four bytes */
    size_t lie_len;
    _Atomic unsigned gets, puts, pings, listens, left;  /* left: asked, and then hung up on */
};

struct cloud {
    struct cloud_proxy proxies[CLOUD_PROXIES];
    size_t count;
    const char *urls[CLOUD_PROXIES];
    char url_texts[CLOUD_PROXIES][40];
    struct wr_scope *scope;
    struct wr_mutex lock;               /* of the values */
    struct cloud_value *values;
    size_t value_count;
};

struct cloud_conn { struct cloud_proxy *proxy; struct wr_stream *stream; };

/* ---- values ---- */

RIG_PROXY void cloud_base64(char *text, const unsigned char *bytes, size_t len)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < len; i += 3, text += 4) {
        unsigned word = (unsigned)bytes[i] << 16;
        word |= i + 1 < len ? (unsigned)bytes[i + 1] << 8 : 0;
        word |= i + 2 < len ? bytes[i + 2] : 0;
        text[0] = digits[word >> 18];
        text[1] = digits[word >> 12 & 63];
        text[2] = text[3] = '=';
        if (i + 1 < len)
            text[2] = digits[word >> 6 & 63];
        if (i + 2 < len)
            text[3] = digits[word & 63];
    }
    *text = '\0';
}

/* As the network has it: a value whose id is there already is not replaced. */
RIG_PROXY void cloud_keep(struct cloud *cloud, const char *key, const char *id,
                          const char *data)
{
    wr_mutex_lock(&cloud->lock);
    bool is_new = cloud->value_count < CLOUD_VALUES;
    for (size_t i = 0; i < cloud->value_count && is_new; i++)
        is_new = strcmp(cloud->values[i].key, key) != 0
                 || strcmp(cloud->values[i].id, id) != 0;
    if (is_new) {
        struct cloud_value *value = &cloud->values[cloud->value_count++];
        snprintf(value->key, sizeof(value->key), "%s", key);
        snprintf(value->id, sizeof(value->id), "%s", id);
        snprintf(value->data, sizeof(value->data), "%s", data);
    }
    wr_mutex_unlock(&cloud->lock);
}

/* Put something there, whatever it is: at most 1600 bytes. */
RIG_PROXY void cloud_put(struct cloud *cloud, const unsigned char key[20], const void *bytes,
                         size_t len)
{
    char text[41], id[24], data[CLOUD_TEXT];
    for (unsigned i = 0; i < 20; i++)
        snprintf(text + 2 * (size_t)i, 3, "%02x", key[i]);
    cloud_base64(data, bytes, len);
    snprintf(id, sizeof(id), "9%zu", cloud->value_count + 1);
    cloud_keep(cloud, text, id, data);
}

/* The next value under a key, from *at on; false: there is none. */
RIG_PROXY bool cloud_next(struct cloud *cloud, const char *key, size_t *at,
                          struct cloud_value *ret)
{
    bool found = false;
    wr_mutex_lock(&cloud->lock);
    for (; *at < cloud->value_count && !found; ++*at)
        if (strcmp(cloud->values[*at].key, key) == 0) {
            *ret = cloud->values[*at];
            found = true;
        }
    wr_mutex_unlock(&cloud->lock);
    return found;
}

/* ---- what it says ---- */

RIG_PROXY wr_err cloud_write(struct cloud_conn *conn, const char *text)
{
    size_t written;
    struct wr_piece piece = { text, strlen(text) };
    return wr_stream_write(conn->stream, &written, &piece, 1, WR_NEVER);
}

/* Whether the other side has hung up.  A stream may be called readable though nothing is there.
 * */
RIG_PROXY bool cloud_left(struct cloud_conn *conn)
{
    char byte;
    size_t got;
    return wr_stream_read(conn->stream, &got, &byte, 1, WR_NOW) != WR_TIMEOUT;
}

/* Let time pass, unless the other side hangs up. */
RIG_PROXY wr_err cloud_wait(struct cloud_conn *conn, wr_time span)
{
    wr_time until = wr_after(span);
    while (!conn->proxy->dead && (wr_now() < until || conn->proxy->frozen)) {
        wr_time step = wr_now() < until ? until : wr_after(WR_MS(1));
        wr_err err = wr_stream_await(conn->stream, step);
        if (err == WR_CANCELED || (!err && cloud_left(conn))) {
            atomic_fetch_add(&conn->proxy->left, !err);
            return WR_CANCELED;
        }
    }
    return conn->proxy->dead ? WR_CLOSED : WR_OK;
}

RIG_PROXY wr_err cloud_say(struct cloud_conn *conn, unsigned status, const char *body)
{
    char text[CLOUD_TEXT + 400];
    snprintf(text, sizeof(text), "HTTP/1.1 %u X\r\nConnection: keep-alive\r\n"
             "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", status,
             strlen(body), body);
    return cloud_write(conn, text);
}

RIG_PROXY wr_err cloud_chunk(struct cloud_conn *conn, const char *body)
{
    char text[CLOUD_TEXT + 200];
    snprintf(text, sizeof(text), "%zx\r\n%s\r\n", strlen(body), body);
    return cloud_write(conn, text);
}

RIG_PROXY wr_err cloud_line(struct cloud_conn *conn, const char *data, const char *id)
{
    char line[CLOUD_TEXT + 100];
    wr_err err = cloud_wait(conn, conn->proxy->between);
    snprintf(line, sizeof(line), "{\"data\":\"%s\",\"id\":\"%s\",\"type\":0}\n", data, id);
    return err ? err : cloud_chunk(conn, line);
}

RIG_PROXY wr_err cloud_lie(struct cloud_conn *conn)
{
    struct cloud_proxy *proxy = conn->proxy;
    unsigned char lie[sizeof(proxy->lie)];
    char data[CLOUD_TEXT];
    wr_err err = WR_OK;
    for (unsigned i = 0; i < proxy->lies && !err; i++) {
        memcpy(lie, proxy->lie, proxy->lie_len);
        memcpy(lie + proxy->lie_len - sizeof(i), &i, sizeof(i));
        cloud_base64(data, lie, proxy->lie_len);
        err = cloud_line(conn, data, "7");
    }
    return err;
}

RIG_PROXY wr_err cloud_values(struct cloud_conn *conn, const char *key, bool listens)
{
    struct cloud_proxy *proxy = conn->proxy;
    struct cloud_value value;
    size_t at = 0;
    wr_err err = cloud_write(conn, "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n"
                             "Content-Type: application/json\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n");
    if (!err && proxy->nonsense)
        err = cloud_chunk(conn, proxy->nonsense);
    err = err ? err : cloud_lie(conn);
    while (!err && !proxy->nonsense) {
        if (!proxy->cut_off && cloud_next(proxy->cloud, key, &at, &value))
            err = cloud_line(conn, value.data, value.id);
        else if (listens)
            err = cloud_wait(conn, WR_MS(1));
        else
            break;
    }
    err = err ? err : cloud_wait(conn, proxy->stalls);
    if (!err && proxy->short_of)
        return WR_CLOSED;
    return err ? err : cloud_write(conn, "0\r\n\r\n");
}

RIG_PROXY wr_err cloud_take(struct cloud_conn *conn, const char *key, const char *body)
{
    char data[CLOUD_TEXT] = "", id[24] = "", said[CLOUD_TEXT + 100];
    if (sscanf(body, "{\"data\":\"%2199[^\"]\",\"id\":\"%23[0-9]\"}", data, id) != 2)
        return cloud_say(conn, 400, "{\"err\":\"no value\"}");
    cloud_keep(conn->proxy->cloud, key, id, data);
    if (conn->proxy->alone)
        return cloud_say(conn, 502, "{\"err\":\"Put failed\"}");
    snprintf(said, sizeof(said), "{\"data\":\"%s\",\"id\":\"%s\",\"type\":0}\n", data, id);
    return cloud_say(conn, 200, said);
}

RIG_PROXY wr_err cloud_answer(struct cloud_conn *conn, const char *head, const char *body)
{
    struct cloud_proxy *proxy = conn->proxy;
    char key[41] = "";
    bool is_put = strncmp(head, "POST", 4) == 0;
    bool is_key = sscanf(strchr(head, '/'), "/key/%40[0-9a-f]", key) == 1;
    bool listens = is_key && strstr(head, "/listen ") != NULL;
    atomic_fetch_add(is_put ? &proxy->puts : listens ? &proxy->listens
                     : is_key ? &proxy->gets : &proxy->pings, 1);
    wr_err err = cloud_wait(conn, proxy->takes);
    if (err)
        return err;
    if (proxy->status)
        return cloud_say(conn, proxy->status, "{\"err\":\"as told\"}");
    if (is_put)
        return cloud_take(conn, key, body);
    if (is_key)
        return cloud_values(conn, key, listens);
    return cloud_say(conn, 200, proxy->alone
        ? "{\"ipv4\":{\"dubious\":0,\"good\":0,\"incoming\":0},\"ops\":1}"
        : "{\"ipv4\":{\"dubious\":0,\"good\":7,\"incoming\":0},\"ops\":1}");
}

/* One request after the other. */
RIG_PROXY wr_err cloud_serve_conn(void *arg)
{
    struct cloud_conn *conn = arg;
    char *text = calloc(1, 4096);
    size_t len = 0, got = 1, want = 0;
    wr_err err = WR_OK;
    while (!err && got > 0) {
        char *body = strstr(text, "\r\n\r\n");
        const char *size = body ? strcasestr(text, "content-length:") : NULL;
        want = body ? (size_t)(body - text) + 4 + (size && size < body
                                                   ? strtoul(size + 15, NULL, 10) : 0) : 0;
        if (body && len >= want) {
            err = cloud_answer(conn, text, body + 4);
            memmove(text, text + want, len - want + 1);
            len -= want;
        } else {
            err = wr_stream_read(conn->stream, &got, text + len, 4095 - len, WR_NEVER);
            len += err ? 0 : got;
            text[len] = '\0';
            err = err || !conn->proxy->dead ? err : WR_CLOSED;
        }
    }
    wr_stream_close(conn->stream);
    free(text);
    free(conn);
    return WR_OK;
}

RIG_PROXY wr_err cloud_serve(void *arg)
{
    struct cloud_proxy *proxy = arg;
    struct wr_conn incoming;
    wr_err err;
    while (!(err = wr_accept(proxy->listener, &incoming, WR_NEVER))) {
        struct cloud_conn *conn = malloc(sizeof(*conn));
        conn->proxy = proxy;
        if (wr_stream_open(&conn->stream, &incoming)
            || wr_scope_go(proxy->cloud->scope, "test.proxy", cloud_serve_conn, conn))
            free(conn);
    }
    return err;
}

/* ---- life ---- */

RIG_PROXY void cloud_open(struct cloud *cloud, size_t count)
{
    struct wr_addr addr;
    cloud->count = count;
    cloud->values = calloc(CLOUD_VALUES, sizeof(*cloud->values));
    cloud->lock = (struct wr_mutex)WR_MUTEX("test.cloud", 2000);
    CHECK_OK(wr_addr_parse(&addr, "127.0.0.1:0"));
    CHECK_OK(wr_scope_new(&cloud->scope, &(struct wr_scope_conf){
        .name = "test.cloud", .deadline = WR_NEVER, .independent = true }));
    for (size_t i = 0; i < count; i++) {
        struct cloud_proxy *proxy = &cloud->proxies[i];
        proxy->cloud = cloud;
        REQUIRE_OK(wr_listen(&proxy->listener, &addr));
        snprintf(cloud->url_texts[i], sizeof(cloud->url_texts[0]), "http://127.0.0.1:%u",
                 wr_listener_addr(proxy->listener)->port);
        cloud->urls[i] = cloud->url_texts[i];
        CHECK_OK(wr_scope_go(cloud->scope, "test.proxies", cloud_serve, proxy));
    }
}

RIG_PROXY void cloud_close(struct cloud *cloud)
{
    wr_scope_cancel(cloud->scope);
    (void)!wr_scope_close(cloud->scope);
    for (size_t i = 0; i < cloud->count; i++)
        wr_listener_close(cloud->proxies[i].listener);
    wr_mutex_fini(&cloud->lock);
    free(cloud->values);
}

/* How often all of them were asked for values. */
RIG_PROXY unsigned cloud_asked(const struct cloud *cloud)
{
    unsigned asked = 0;
    for (size_t i = 0; i < cloud->count; i++)
        asked += cloud->proxies[i].gets;
    return asked;
}

#endif
