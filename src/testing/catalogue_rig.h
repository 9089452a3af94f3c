/* catalogue_rig.h - a source on loopback that answers by a script, and remembers who asked for
 * what, and when.  Time is virtual, so arrivals are exact.
 *
 *     struct catalogue catalogue = { .script = { { .status = 429 } } };
 *     catalogue_open(&catalogue);             (then 200 and .body, for ever)
 *     ...
 *     CHECK_EQ(WR_S(1), catalogue.at[1] - catalogue.at[0]);
 *     catalogue_close(&catalogue);
 */
#ifndef WR_TESTING_CATALOGUE_RIG_H
#define WR_TESTING_CATALOGUE_RIG_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/fetch.h>
#include <weir/scope.h>
#include <weir/stream.h>
#include <weir/task.h>

#include "testing/settle.h"
#include "testing/test.h"

#define RIG_CATALOGUE __attribute__((unused)) static
#define CATALOGUE_MAX 200

struct catalogue_reply {
    unsigned status;                /* 0: 200 */
    const char *headers;            /* "Retry-After: 7\r\n" */
    const char *body;               /* the catalogue's */
    wr_time delay;
    bool broken_off;                /* half of the body, then the end */
};

/* What is said to requests that have this in their first line. */
struct catalogue_way { const char *part; struct catalogue_reply reply; };

struct catalogue {
    struct catalogue_reply script[16];
    size_t scripted;                /* how much of the script is used; then `body` */
    struct catalogue_way ways[8];   /* after the script, before `body` */
    const char *body;
    wr_time delay;
    struct wr_listener *listener;
    struct wr_scope *scope;
    _Atomic unsigned asked, answering, most_at_once;
    wr_time at[CATALOGUE_MAX];
    char heads[CATALOGUE_MAX][500];
    char base[60];
};

struct catalogue_conn { struct catalogue *catalogue; struct wr_stream *stream; };

RIG_CATALOGUE wr_err catalogue_hear(struct wr_stream *stream, char *head, size_t size)
{
    size_t len = 0, got = 1;
    wr_err err = WR_OK;
    while (!err && got > 0 && !strstr(head, "\r\n\r\n") && len < size - 1) {
        err = wr_stream_read(stream, &got, head + len, size - 1 - len, WR_NEVER);
        len += err ? 0 : got;
    }
    return err ? err : got ? WR_OK : WR_CLOSED;
}

RIG_CATALOGUE void catalogue_say(struct catalogue *catalogue, struct wr_stream *stream,
                                 const struct catalogue_reply *reply)
{
    const char *body = reply->body ? reply->body : catalogue->body ? catalogue->body : "";
    size_t len = strlen(body), written;
    char head[400];
    int head_len = snprintf(head, sizeof(head),
                            "HTTP/1.1 %u X\r\nContent-Length: %zu\r\nConnection: close\r\n"
                            "%s\r\n", reply->status ? reply->status : 200, len,
                            reply->headers ? reply->headers : "");
    struct wr_piece pieces[] = { { head, (size_t)head_len },
                                 { body, reply->broken_off ? len / 2 : len } };
    (void)!wr_stream_write(stream, &written, pieces, 2, WR_NEVER);
}

RIG_CATALOGUE struct catalogue_reply catalogue_find(const struct catalogue *catalogue,
                                                    const char *head,
                                                    struct catalogue_reply otherwise)
{
    size_t line = strcspn(head, "\r");
    for (size_t i = 0; i < 8 && catalogue->ways[i].part; i++)
        if (memmem(head, line, catalogue->ways[i].part, strlen(catalogue->ways[i].part)))
            return catalogue->ways[i].reply;
    return otherwise;
}

RIG_CATALOGUE wr_err catalogue_answer(void *arg)
{
    struct catalogue_conn *conn = arg;
    struct catalogue *catalogue = conn->catalogue;
    char head[sizeof(catalogue->heads[0])] = "";
    wr_err err = catalogue_hear(conn->stream, head, sizeof(head));
    if (!err) {
        unsigned number = atomic_fetch_add(&catalogue->asked, 1);
        if (number < CATALOGUE_MAX) {
            catalogue->at[number] = wr_now();
            memcpy(catalogue->heads[number], head, sizeof(head));
        }
        unsigned now = atomic_fetch_add(&catalogue->answering, 1) + 1;
        if (now > catalogue->most_at_once)
            catalogue->most_at_once = now;
        struct catalogue_reply reply = { .delay = catalogue->delay };
        if (number < catalogue->scripted)
            reply = catalogue->script[number];
        else
            reply = catalogue_find(catalogue, head, reply);
        err = wr_sleep(wr_after(reply.delay));
        atomic_fetch_sub(&catalogue->answering, 1);
        if (!err)
            catalogue_say(catalogue, conn->stream, &reply);
    }
    wr_stream_close(conn->stream);
    free(conn);
    return WR_OK;
}

RIG_CATALOGUE wr_err catalogue_serve(void *arg)
{
    struct catalogue *catalogue = arg;
    struct wr_conn incoming;
    wr_err err;
    while (!(err = wr_accept(catalogue->listener, &incoming, WR_NEVER))) {
        struct catalogue_conn *conn = malloc(sizeof(*conn));
        conn->catalogue = catalogue;
        if (wr_stream_open(&conn->stream, &incoming)
            || wr_scope_go(catalogue->scope, "test.answer", catalogue_answer, conn))
            free(conn);
    }
    return err;
}

RIG_CATALOGUE void catalogue_open(struct catalogue *catalogue)
{
    struct wr_addr addr;
    CHECK_OK(wr_addr_parse(&addr, "127.0.0.1:0"));
    REQUIRE_OK(wr_listen(&catalogue->listener, &addr));
    CHECK_OK(wr_scope_new(&catalogue->scope, &(struct wr_scope_conf){
        .name = "test.catalogue", .deadline = WR_NEVER, .independent = true }));
    CHECK_OK(wr_scope_go(catalogue->scope, "test.catalogue", catalogue_serve, catalogue));
    snprintf(catalogue->base, sizeof(catalogue->base), "http://127.0.0.1:%u",
             wr_listener_addr(catalogue->listener)->port);
}

RIG_CATALOGUE void catalogue_close(struct catalogue *catalogue)
{
    wr_scope_cancel(catalogue->scope);
    (void)!wr_scope_close(catalogue->scope);
    wr_listener_close(catalogue->listener);
}

RIG_CATALOGUE struct wr_fetch_client *catalogue_client(void)
{
    static const struct wr_fetch_range loopback = {
        .ip = { .kind = WR_ADDR_IP4, .ip = { 127 } }, .bits = 8,
    };
    struct wr_fetch_client *client = NULL;
    CHECK_OK(wr_fetch_client_new(&client, &(struct wr_fetch_conf){
        .name = "test.client", .plain = true, .redirects = WR_REDIRECT_ANY,
        .allow = &loopback, .allow_count = 1 }));
    return client;
}

#endif
