/* node_rig.h - a whole node on loopback and the virtual clock, and a client for it. */
#ifndef WR_TESTING_NODE_RIG_H
#define WR_TESTING_NODE_RIG_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <weir/once.h>
#include <weir/scope.h>
#include <weir/stream.h>

#include "conf/node_keys.h"
#include "svc/node/node.h"
#include "testing/settle.h"
#include "testing/test.h"

#define RIG __attribute__((unused)) static
#define NODE_FLAGS_MAX 24

struct rig {
    struct wr_conf_source source;
    struct node_start start;
    struct node *node;
    struct node_face face;
    struct wr_once *ready, *over;
    struct wr_scope *scope;
    char *argv[NODE_FLAGS_MAX];
    int argc;
    bool stopped;
    wr_err result;
};

/* From the second on those of the services, if they have some. */
RIG const struct wr_conf_table *rig_tables[4] = { &wr_node_keys };

RIG void rig_ready(void *arg, const struct node_face *face)
{
    struct rig *rig = arg;
    if (face->moved)
        return;
    rig->face = *face;
    (void)!wr_once_set(rig->ready, NULL);
}

RIG wr_err rig_run(void *arg)
{
    struct rig *rig = arg;
    rig->result = node_run(&rig->start, &rig->node);
    (void)!wr_once_set(rig->over, NULL);
    return WR_OK;
}

/* Read the configuration of these flags; the last one is NULL.  The port is a free
 * one and nothing is written, unless the flags say otherwise. */
RIG const struct node_service *rig_service;     /* one that the next node has, */
RIG size_t rig_service_count = 1;               /* ... or the first of several */
RIG const char *const *rig_services;            /* what its services may be called */
RIG char *const *rig_env;                       /* its environment */
RIG struct wr_manager *rig_manager;             /* and its service manager */
RIG bool rig_by_file;                           /* its file says where it listens */
RIG bool rig_local_only;                        /* the next one: at its Unix socket alone */

RIG void rig_open(struct rig *rig, const char *const *flags)
{
    struct wr_conf_report report = { 0 };
    memset(rig, 0, sizeof(*rig));
    static char *const always[] = { "weir", "--amnesia", "--log-level", "error",
                                    "--http-addr", "127.0.0.1:0" };
    size_t count = sizeof(always) / sizeof(*always) - (rig_by_file ? 2 : 0);
    for (size_t i = 0; i < count; i++)
        rig->argv[rig->argc++] = always[i];
    for (size_t i = 0; flags && flags[i]; i++)
        rig->argv[rig->argc++] = (char *)(uintptr_t)flags[i];
    rig->source = (struct wr_conf_source){ .tables = rig_tables, .argc = rig->argc,
                                           .argv = rig->argv, .cpus = 2,
                                           .env = rig_env, .services = rig_services };
    rig->start = (struct node_start){ .source = &rig->source, .ready = rig_ready, .arg = rig,
                                      .no_signals = true };
    rig->start.manager = rig_manager;
    rig->start.local_only = rig_local_only;
    rig_local_only = false;
    rig->start.services = rig_service;
    rig->start.service_count = rig_service ? rig_service_count : 0;
    rig_service = NULL;
    if (!CHECK_OK(wr_conf_load(&rig->start.conf, &rig->source, &report)))
        printf("# %s", report.text.at);
    wr_conf_report_free(&report);
    CHECK_OK(wr_once_new(&rig->ready, "test.ready", 0));
    CHECK_OK(wr_once_new(&rig->over, "test.over", 0));
    CHECK_OK(wr_scope_new(&rig->scope, &(struct wr_scope_conf){ .name = "test.node",
                                                                .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(rig->scope, "test.node", rig_run, rig));
}

/* ... and wait until it is ready. */
RIG void rig_begin(struct rig *rig, const char *const *flags)
{
    rig_open(rig, flags);
    CHECK_OK(wr_once_wait(rig->ready, NULL, wr_after(WR_S(5))));
}

RIG void rig_stop(struct rig *rig)
{
    rig->stopped = true;
    node_stop(rig->node);
}

/* What it ended with; it is stopped if it has not been. */
RIG wr_err rig_end(struct rig *rig)
{
    if (rig->node && !rig->stopped && !wr_once_done(rig->over))
        rig_stop(rig);
    CHECK_OK(wr_once_wait(rig->over, NULL, wr_after(WR_S(10))));
    (void)!wr_scope_close(rig->scope);
    wr_once_free(rig->ready);
    wr_once_free(rig->over);
    wr_conf_unref(rig->start.conf);
    return rig->result;
}

/* ---- a client ---- */

struct answer {
    int status;                 /* 0: the connection was closed instead */
    char head[2000];
    char body[200000];
};

/* Come from another address of this machine: "127.0.0.2". */
RIG struct wr_stream *rig_dial_from(const struct wr_addr *to, const char *from)
{
    struct sockaddr_in here = { .sin_family = AF_INET };
    struct sockaddr_in there = { .sin_family = AF_INET, .sin_port = htons(to->port) };
    struct wr_conn conn = { .peer = *to, .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };
    struct wr_stream *stream = NULL;
    memcpy(&there.sin_addr, to->ip, 4);
    CHECK(inet_pton(AF_INET, from, &here.sin_addr) == 1);
    CHECK(bind(conn.fd, (struct sockaddr *)&here, sizeof(here)) == 0);
    CHECK(connect(conn.fd, (struct sockaddr *)&there, sizeof(there)) == 0);
    CHECK(fcntl(conn.fd, F_SETFL, O_NONBLOCK) == 0);
    CHECK_OK(wr_stream_open(&stream, &conn));
    return stream;
}

RIG struct wr_stream *rig_dial(struct rig *rig)
{
    struct wr_stream *stream = NULL;
    CHECK_OK(wr_connect(&stream, &rig->face.http, wr_after(WR_S(5))));
    return stream;
}

RIG void rig_say(struct wr_stream *stream, const char *text)
{
    size_t size;
    CHECK_OK(wr_stream_write(stream, &size, &(struct wr_piece){ text, strlen(text) }, 1,
                             wr_after(WR_S(5))));
}

/* An answer with a length; one at a time on a stream. */
RIG int rig_hear(struct wr_stream *stream, struct answer *ret)
{
    size_t len = 0, size, want = 0;
    char *end = NULL;
    memset(ret, 0, sizeof(*ret));
    while (!end || len < want) {
        if (wr_stream_read(stream, &size, ret->body + len, sizeof(ret->body) - 1 - len,
                           wr_after(WR_S(400))) || size == 0)
            return ret->status = 0;
        len += size;
        ret->body[len] = '\0';
        if (!end && (end = strstr(ret->body, "\r\n\r\n"))) {
            const char *length = strstr(ret->body, "Content-Length: ");
            want = (size_t)(end + 4 - ret->body)
                + (length && length < end ? strtoul(length + 16, NULL, 10) : 0);
        }
    }
    size_t head = (size_t)(end - ret->body);
    snprintf(ret->head, sizeof(ret->head), "%.*s", (int)head, ret->body);
    memmove(ret->body, end + 4, len - head - 4 + 1);
    return ret->status = (int)strtol(ret->head + 9, NULL, 10);
}

RIG int rig_ask_by(struct wr_stream *stream, const char *method, const char *target,
                   const char *headers, struct answer *ret)
{
    char text[8000];
    snprintf(text, sizeof(text), "%s %s HTTP/1.1\r\nHost: localhost\r\n%s%s\r\n", method,
             target, strcmp(method, "POST") == 0 ? "Content-Length: 0\r\n" : "", headers);
    rig_say(stream, text);
    rig_hear(stream, ret);
    wr_stream_close(stream);
    return ret->status;
}

RIG int rig_ask(struct rig *rig, const char *method, const char *target, const char *headers,
                struct answer *ret)
{
    return rig_ask_by(rig_dial(rig), method, target, headers, ret);
}

/* The same from another address. */
RIG int rig_ask_from(struct rig *rig, const char *from, const char *target, const char *headers,
                     struct answer *ret)
{
    return rig_ask_by(rig_dial_from(&rig->face.http, from), "GET", target, headers, ret);
}

RIG int rig_get(struct rig *rig, const char *target, struct answer *ret)
{
    return rig_ask(rig, "GET", target, "", ret);
}

RIG int rig_post(struct rig *rig, const char *target, struct answer *ret)
{
    return rig_ask(rig, "POST", target, "", ret);
}

#endif
