/* fetch_rig.h - a site to fetch from, and peers that misbehave, for the tests of the
 * client: on real sockets and in simulation. */
#ifndef WR_TESTING_FETCH_RIG_H
#define WR_TESTING_FETCH_RIG_H

#include <weir/fetch.h>

#include <zlib.h>

#include "testing/http_rig.h"

/* ---- handlers ---- */

RIG wr_err say_hello(struct wr_call *call)
{
    wr_call_reply_header(call, "X-Mood", "fair");
    wr_call_print(call, "hello");
    return WR_OK;
}

/* What arrived: the method, and headers that matter to a test. */
RIG wr_err tell(struct wr_call *call)
{
    static const char *const names[] = { "user-agent",    "accept",    "accept-encoding",
                                         "authorization", "x-api-key", "content-type",
                                         "content-length", "x-empty",  "expect" };
    size_t len;
    const char *body = wr_call_body(call, &len);
    wr_call_print(call, "%s", wr_call_method(call));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = wr_call_header(call, names[i]);
        if (value)
            wr_call_print(call, " %s=%s", names[i], value);
    }
    wr_call_print(call, " body=%.*s", (int)len, body);
    return WR_OK;
}

RIG wr_err answer_with(struct wr_call *call)
{
    wr_call_status(call, (unsigned)strtoul(wr_call_param(call, "status"), NULL, 10));
    return WR_OK;
}

/* To the query's `to`, with the status of the path. */
RIG wr_err redirect(struct wr_call *call)
{
    const char *to = wr_call_query(call, "to");
    wr_call_status(call, (unsigned)strtoul(wr_call_param(call, "status"), NULL, 10));
    wr_call_reply_header(call, "Location", to ? to : "/tell");
    return WR_OK;
}

RIG wr_err count_down(struct wr_call *call)
{
    char to[40];
    unsigned long left = strtoul(wr_call_param(call, "left"), NULL, 10);
    if (left == 0) {
        wr_call_print(call, "arrived");
        return WR_OK;
    }
    snprintf(to, sizeof(to), "/down/%lu", left - 1);
    wr_call_status(call, 302);
    wr_call_reply_header(call, "Location", to);
    return WR_OK;
}

RIG wr_err bytes(struct wr_call *call)
{
    char block[1000];
    unsigned long left = strtoul(wr_call_param(call, "count"), NULL, 10);
    memset(block, 'x', sizeof(block));
    for (size_t part; left > 0; left -= part) {
        part = left < sizeof(block) ? left : sizeof(block);
        wr_call_write(call, block, part);
    }
    return WR_OK;
}

/* So many letters, gzipped: of all kinds, or one kind. */
RIG wr_err packed(struct wr_call *call)
{
    unsigned long count = strtoul(wr_call_param(call, "count"), NULL, 10);
    bool bomb = wr_call_query(call, "bomb");
    char *plain = malloc(count), *small = malloc(count + 1000);
    uint64_t state = 7;
    for (unsigned long i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        plain[i] = (char)('a' + (bomb ? 0 : state >> 60));
    }
    z_stream zlib = { 0 };
    deflateInit2(&zlib, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
    zlib.next_in = (z_const Bytef *)plain;
    zlib.avail_in = (uInt)count;
    zlib.next_out = (Bytef *)small;
    zlib.avail_out = (uInt)(count + 1000);
    deflate(&zlib, Z_FINISH);
    wr_call_reply_header(call, "Content-Encoding", "gzip");
    wr_call_write(call, small, count + 1000 - zlib.avail_out);
    deflateEnd(&zlib);
    free(plain);
    free(small);
    return WR_OK;
}

RIG wr_err unknown_coding(struct wr_call *call)
{
    wr_call_reply_header(call, "Content-Encoding", "br");
    wr_call_print(call, "???");
    return WR_OK;
}

/* Waits for the gate of the rig, as long as the peer does. */
RIG wr_err hold_on(struct wr_call *call)
{
    struct wr_case opened = WR_CASE_ONCE(gate, NULL);
    size_t which;
    wr_err err = wr_call_select(call, &which, &opened, 1, WR_NEVER);
    wr_call_print(call, "through");
    return err;
}

/* A body without an end, and how much of it the peer took. */
RIG _Atomic uint64_t poured;

RIG wr_err pour(struct wr_call *call)
{
    static char block[16384];
    uint64_t left = strtoull(wr_call_param(call, "count"), NULL, 10);
    wr_err err = wr_call_begin(call);
    for (size_t part; left > 0 && !err; left -= part) {
        part = left < sizeof(block) ? (size_t)left : sizeof(block);
        err = wr_call_send(call, block, part, WR_NEVER);
        if (!err)
            atomic_fetch_add(&poured, part);
    }
    return err;
}

RIG const struct wr_route fetch_table[] = {
    { .method = "GET", .path = "/hello", .handler = say_hello },
    { .method = "GET", .path = "/tell", .handler = tell },
    { .method = "POST", .path = "/tell", .handler = tell },
    { .method = "PUT", .path = "/tell", .handler = tell },
    { .method = "DELETE", .path = "/tell", .handler = tell },
    { .method = "GET", .path = "/status/{status}", .handler = answer_with },
    { .method = "GET", .path = "/go/{status}", .handler = redirect },
    { .method = "POST", .path = "/go/{status}", .handler = redirect },
    { .method = "GET", .path = "/down/{left}", .handler = count_down },
    { .method = "GET", .path = "/bytes/{count}", .handler = bytes },
    { .method = "GET", .path = "/packed/{count}", .handler = packed },
    { .method = "GET", .path = "/unknown", .handler = unknown_coding },
    { .method = "GET", .path = "/hold", .handler = hold_on, .class = WR_ROUTE_LONG,
      .deadline = WR_S(100) },
    { .method = "GET", .path = "/pour/{count}", .handler = pour, .class = WR_ROUTE_STREAM },
};

RIG void open_fetch_site(struct site *site, struct wr_http_conf conf)
{
    conf.routes = fetch_table;
    conf.count = sizeof(fetch_table) / sizeof(fetch_table[0]);
    conf.connections_max = conf.limits.ip_connections = 4096;
    open_site_of(site, 0, conf);
}

/* ---- a peer that says what it was told to ---- */

struct peer {
    struct wr_listener *listener;
    struct wr_scope *scope;
    const char *reply;
    bool stay;                      /* do not close afterwards */
    _Atomic unsigned connections;
    char heard[4000];               /* the last request */
};

RIG wr_err peer_serve(void *arg)
{
    struct peer *peer = arg;
    struct wr_conn conn;
    struct wr_stream *stream;
    wr_err err;
    while (!(err = wr_accept(peer->listener, &conn, WR_NEVER))) {
        size_t len = 0, got = 1;
        atomic_fetch_add(&peer->connections, 1);
        if (wr_stream_open(&stream, &conn))
            continue;
        memset(peer->heard, 0, sizeof(peer->heard));
        while (got > 0 && !strstr(peer->heard, "\r\n\r\n") && len < sizeof(peer->heard) - 1
               && !wr_stream_read(stream, &got, peer->heard + len,
                                  sizeof(peer->heard) - 1 - len, WR_NEVER))
            len += got;
        struct wr_piece reply = { peer->reply, strlen(peer->reply) };
        if (!wr_stream_write(stream, &got, &reply, 1, WR_NEVER) && peer->stay)
            (void)!wr_stream_await(stream, WR_NEVER);
        wr_stream_close(stream);
    }
    return err;
}

RIG void open_peer(struct peer *peer, const char *reply, bool stay)
{
    struct wr_addr addr;
    *peer = (struct peer){ .reply = reply, .stay = stay };
    CHECK_OK(wr_addr_parse(&addr, "127.0.0.1:0"));
    CHECK_OK(wr_scope_new(&peer->scope, &(struct wr_scope_conf){
        .name = "test.peer", .deadline = WR_NEVER, .independent = true }));
    REQUIRE_OK(wr_listen(&peer->listener, &addr));
    CHECK_OK(wr_scope_go(peer->scope, "test.peer", peer_serve, peer));
}

RIG void close_peer(struct peer *peer)
{
    wr_scope_cancel(peer->scope);
    (void)!wr_scope_close(peer->scope);
    wr_listener_close(peer->listener);
}

/* ---- the client ---- */

RIG const char *url_at(const struct wr_listener *listener, const char *path)
{
    static char texts[8][400];
    static _Atomic unsigned next;
    char *text = texts[atomic_fetch_add(&next, 1) % 8];
    snprintf(text, sizeof(texts[0]), "http://127.0.0.1:%u%s", wr_listener_addr(listener)->port,
             path);
    return text;
}

RIG const char *url_of(const struct site *site, const char *path)
{
    return url_at(site->listener, path);
}

RIG const struct wr_fetch_range loopback = {
    .ip = { .kind = WR_ADDR_IP4, .ip = { 127 } }, .bits = 8,
};

/* "200 body", or the error and why. */
RIG const char *got(struct wr_fetch_client *client, const struct wr_fetch_request *request)
{
    static char text[2000];
    struct wr_fetch_reply reply;
    wr_err err = wr_fetch(client, request, &reply, wr_after(WR_S(60)));
    if (err)
        snprintf(text, sizeof(text), "%s: %s", wr_err_name(err), reply.why);
    else
        snprintf(text, sizeof(text), "%u %s", reply.status, reply.body);
    wr_fetch_reply_free(&reply);
    return text;
}

RIG const char *get(struct wr_fetch_client *client, const char *url)
{
    return got(client, &(struct wr_fetch_request){ .url = url });
}

RIG bool contains(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        CHECK_STR(part, text);
        return false;
    }
    return true;
}

#endif
