/* http_rig.h - a server on loopback with a table of odd handlers, and a client that
 * talks to it in bytes, for the tests of the server's parts. */
#ifndef WR_TESTING_HTTP_RIG_H
#define WR_TESTING_HTTP_RIG_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/http.h>

#include "testing/metric_rig.h"
#include "testing/site_rig.h"

/* ---- handlers of every test ---- */

RIG wr_err hello(struct wr_call *call)
{
    const char *mood = wr_call_query(call, "mood");
    wr_call_print(call, "hello, %s%s%s", wr_call_param(call, "name"), mood ? ", " : "",
                  mood ? mood : "");
    return WR_OK;
}

RIG wr_err echo(struct wr_call *call)
{
    size_t len;
    const char *body = wr_call_body(call, &len);
    wr_call_type(call, "application/octet-stream");
    wr_call_write(call, body, len);
    return WR_OK;
}

RIG wr_err created(struct wr_call *call)
{
    wr_call_status(call, 201);
    wr_call_reply_header(call, "Location", "/things/7");
    return WR_OK;
}

RIG wr_err nothing(struct wr_call *call)
{
    wr_call_status(call, 204);
    return WR_OK;
}

RIG wr_err conflict(struct wr_call *call)
{
    return wr_call_fail(call, WR_EXISTS, "there is a \"%s\" already", "thing");
}

RIG wr_err sleepy(struct wr_call *call)
{
    (void)call;
    return wr_sleep(wr_after(WR_S(100)));
}

RIG wr_err gated(struct wr_call *call)
{
    wr_err err = wr_once_wait(gate, NULL, WR_NEVER);
    wr_call_print(call, "through");
    return err;
}

/* A handler that its deadline does not reach: it waits outside of it. */
RIG wr_err stubborn(struct wr_call *call)
{
    wr_err err = wait_shielded(gate, WR_S(100));
    wr_call_print(call, "far too late");
    return err;
}

RIG wr_err panicking(struct wr_call *call)
{
    (void)call;
    wr_panic("as the test wants it");
}

/* ---- handlers for tables of a test's own ---- */

/* "1,2,..." up to {last}, one in a second; then it fails or panics, if it shall. */
RIG wr_err count_to(struct wr_call *call)
{
    long last = strtol(wr_call_param(call, "last"), NULL, 10);
    if (wr_call_query(call, "length"))
        wr_call_length(call, strtoull(wr_call_query(call, "length"), NULL, 10));
    wr_call_type(call, "text/event-stream");
    wr_err err = wr_call_begin(call);
    for (long i = 1; i <= last && !err; i++) {
        err = wr_sleep(wr_after(WR_S(1)));
        char text[30];
        snprintf(text, sizeof(text), "%ld,", i);
        if (!err)
            err = wr_call_send(call, text, strlen(text), wr_after(WR_S(1)));
    }
    if (!err && wr_call_query(call, "panics"))
        wr_panic("as the test wants it");
    return !err && wr_call_query(call, "fails") ? WR_IO : err;
}

RIG wr_err ended_with;

/* Ends when the peer goes or the server does. */
RIG wr_err wait_for_nothing(struct wr_call *call)
{
    size_t which;
    ended_with = wr_call_select(call, &which, NULL, 0, WR_NEVER);
    wr_call_print(call, "enough");
    return ended_with == WR_DRAINING ? WR_OK : ended_with;
}

/* ---- the server ---- */

RIG const struct wr_route table[] = {
    { .method = "GET", .path = "/hello/{name}", .handler = hello },
    { .method = "POST", .path = "/echo", .handler = echo, .body_max = 100000 },
    { .method = "POST", .path = "/things", .handler = created },
    { .method = "DELETE", .path = "/things/{id}", .handler = nothing },
    { .method = "PUT", .path = "/things/{id}", .handler = conflict },
    { .method = "GET", .path = "/sleepy", .handler = sleepy },
    { .method = "GET", .path = "/gated", .handler = gated, .concurrency = 1,
      .deadline = WR_S(50) },
    { .method = "GET", .path = "/stubborn", .handler = stubborn },
    { .method = "GET", .path = "/healthz", .handler = nothing, .class = WR_ROUTE_PRIORITY },
    { .method = "GET", .path = "/panic", .handler = panicking },
};

RIG wr_err serve(void *arg)
{
    struct site *site = arg;
    return wr_http_serve(site->http, site->listener);
}

RIG wr_err submit(void *arg, struct wr_call *call)
{
    struct site *site = arg;
    return wr_chan_send(site->work, &call, WR_NOW);
}

RIG void run_call(void *call)
{
    wr_call_run(call);
}

RIG void drop_call(void *item)
{
    wr_call_refuse(*(struct wr_call **)item, WR_DRAINING);
}

/* With `workers`, short calls are queued for so many of them. */
RIG void open_site_of(struct site *site, int workers, struct wr_http_conf conf)
{
    site_prepare(site, ANYWHERE, workers ? 2 : 0, run_call, drop_call);
    if (workers) {
        conf.submit = submit;
        conf.arg = site;
    }
    REQUIRE_OK(wr_http_new(&site->http, &conf));
    site_start(site, serve, workers);
}

RIG void open_site(struct site *site, int workers, struct wr_http_conf conf)
{
    conf.routes = table;
    conf.count = sizeof(table) / sizeof(table[0]);
    open_site_of(site, workers, conf);
}

RIG void close_site(struct site *site)
{
    site_stop(site);
    CHECK_EQ(0, wr_http_connections(site->http));
    wr_http_free(site->http);
}

/* ---- the client ---- */

RIG struct wr_stream *dial(struct site *site)
{
    struct wr_stream *stream = NULL;
    CHECK_OK(wr_connect(&stream, wr_listener_addr(site->listener), WR_NEVER));
    return stream;
}

/* The same for who is to be sent away: that may be before he is through. */
RIG struct wr_stream *dial_in_vain(struct site *site)
{
    struct wr_stream *stream = NULL;
    wr_err err = wr_connect(&stream, wr_listener_addr(site->listener), WR_NEVER);
    CHECK(!err || err == WR_BROKENPIPE);
    return stream;
}

RIG void say(struct wr_stream *stream, const char *text)
{
    size_t size;
    CHECK_OK(wr_stream_write(stream, &size, &(struct wr_piece){ text, strlen(text) }, 1,
                             WR_NEVER));
}

/* Read an answer: "200 body"; with the headers that a test asks for elsewhere. */
RIG char answer_head[4000];

RIG const char *hear_of(struct wr_stream *stream, bool with_body)
{
    static char answer[4000];
    char bytes[4000];
    size_t len = 0, size;
    char *end = NULL;
    while (!end) {
        if (!stream
            || wr_stream_read(stream, &size, bytes + len, sizeof(bytes) - 1 - len, WR_NEVER)
            || size == 0)
            return "closed";
        len += size;
        bytes[len] = '\0';
        end = strstr(bytes, "\r\n\r\n");
    }
    *end = '\0';
    snprintf(answer_head, sizeof(answer_head), "%s", bytes);
    const char *length = strstr(bytes, "Content-Length: ");
    size_t want = length && with_body ? strtoul(length + 16, NULL, 10) : 0;
    char *body = end + 4;
    while (len - (size_t)(body - bytes) < want) {
        REQUIRE_OK(wr_stream_read(stream, &size, bytes + len, sizeof(bytes) - 1 - len,
                                  WR_NEVER), "lost");
        len += size;
    }
    if (with_body)
        CHECK_EQ(want, len - (size_t)(body - bytes));
    snprintf(answer, sizeof(answer), "%.3s%s%.*s", bytes + 9, want ? " " : "", (int)want, body);
    return answer;
}

RIG const char *hear(struct wr_stream *stream)
{
    return hear_of(stream, true);
}

RIG const char *ask(struct site *site, const char *text)
{
    struct wr_stream *stream = dial(site);
    say(stream, text);
    const char *answer = hear(stream);
    wr_stream_close(stream);
    return answer;
}

/* How many were refused for this reason. */
RIG long long rejected(const char *reason)
{
    settle();                               /* answers are counted when they are out */
    long long count = metric_value("rejected_total{reason=\"%s\"}", reason);
    return count < 0 ? 0 : count;
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"

#endif
