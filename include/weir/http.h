/* http.h - an HTTP server whose handlers are plain functions.
 *
 *     static wr_err hello(struct wr_call *call)
 *     {
 *         wr_call_print(call, "hello, %s\n", wr_call_param(call, "name"));
 *         return WR_OK;
 *     }
 *
 *     static const struct wr_route routes[] = {
 *         { .method = "GET", .path = "/hello/{name}", .handler = hello },
 *     };
 *     ...
 *     err = wr_http_new(&server, &(struct wr_http_conf){ .routes = routes, .count = 1 });
 *     err = wr_http_serve(server, listener);
 *
 * A handler gets a call: the request as it came, whole and within its limits, and
 * a reply to fill.  It runs inside a scope with the route's deadline, so every
 * wait in it ends in time.  What it returns besides WR_OK becomes the answer, with
 * the status of err.h, or the one of 400 and above that it has set, and a body that
 * says what and why.
 *
 * Every reply carries X-Content-Type-Options, X-Corr-ID and the same id as
 * X-Request-Id; 429 and 503 carry Retry-After, of 1 s unless another was added.
 *
 * Connections cost nothing but their fiber while they are idle.  Everything that
 * comes in has a limit, and what is over it is answered, not buffered.
 */
#ifndef WEIR_HTTP_H
#define WEIR_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/addr.h>
#include <weir/bucket.h>
#include <weir/err.h>
#include <weir/file.h>
#include <weir/panic.h>
#include <weir/select.h>
#include <weir/stream.h>
#include <weir/time.h>

struct wr_http;
struct wr_scope;                /* scope.h */
struct wr_tls;                  /* tls.h */
struct wr_call;

typedef wr_err (*wr_handler)(struct wr_call *call);

enum wr_route_class {
    WR_ROUTE_SHORT = 0,         /* queued, answered within its deadline */
    WR_ROUTE_PRIORITY,          /* answered at once, whatever is queued; must not wait */
    WR_ROUTE_LONG,              /* waits for something; not queued */
    WR_ROUTE_STREAM,            /* sends its body bit by bit; not queued */
};

#define WR_BODY_LARGE SIZE_MAX

/* A row of the table.  Zero is the default of everything but method, path and
 * handler. */
struct wr_route {
    const char *method;             /* "GET"; which answers HEAD too */
    const char *path;               /* "/epochs/{id}/compute" */
    wr_handler handler;
    void *arg;                      /* wr_call_arg gives it back */
    enum wr_route_class class;
    /* Bytes; conf.body_max, or with WR_BODY_LARGE conf.body_large.  GET, HEAD and
     * DELETE: none, and priority none where it says 0. */
    size_t body_max;
    /* A large body that may be on the disk while it comes (conf.spool); of these 16 at once
     * come in, and one more is 429. */
    bool spool;
    wr_time body_within;            /* conf.body_within; longer for what is large */
    /* From the first byte to the end of the answer: conf.deadline; long ones 300 s, streams
     * an hour.  A short handler must be done at three quarters of it. */
    wr_time deadline;
    unsigned concurrency;           /* calls at the same time; 0 is no bound of its own */
    bool repeatable;                /* twice is as good as once; GET, PUT, DELETE always are */
    const char *scope;              /* what a caller must be allowed to; for `admit` */
    const void *policy;             /* more for `admit`, of the kind that it knows */
    const char *summary;            /* a sentence for people and /openapi.json */
    const char *tag;                /* ... which group of paths it belongs to */
    const char *query;              /* ... "limit: how many, 1 to 50\noffset: from which on" */
    const char *unwell;             /* ... when the handler itself answers 503 */
    const char *takes, *gives;      /* ... JSON Schema of its body, and of its answer */
};

/* What one address may ask for: IPv6 counts by its /64, loopback like any other, a Unix
 * socket not at all.  4096 addresses are told apart; one without connections may be
 * forgotten for another. */
struct wr_http_limits {
    unsigned ip_connections;        /* at the same time; 256.  One too many is reset */
    struct wr_rate ip_accepts;      /* new ones; beyond it they are reset.  Zero: no limit */
    struct wr_rate ip_requests;     /* but for priority; beyond it 429.  Zero: no limit */
    struct wr_rate ip_control;      /* ... of priority; the same.  Of these 64 at once, and
                                     * 256 of all addresses; one more is 429 */
};

struct wr_http_conf {
    const struct wr_route *routes;
    size_t count;
    /* Paths where errors are application/problem+json (RFC 7807), with all that is below
     * them: "/api"; the last is NULL.  Elsewhere they are {"error":{...}}.  They must
     * outlive the server; NULL: nowhere. */
    const char *const *problems;
    /* In the same way, paths where they are {"code":...,"message":...}, without more. */
    const char *const *flats;
    /* Run short calls: queue it and have wr_call_run called by a worker, or return
     * BUSY, SHED or DRAINING.  NULL: they run where they arrive. */
    wr_err (*submit)(void *arg, struct wr_call *call);
    /* Whether a call may come in: asked when its head is there and its route known,
     * before its body is read and before any queue.  It must not wait.  An error is
     * the answer, as a handler's would be. */
    wr_err (*admit)(void *arg, struct wr_call *call);
    /* Once for each call that was admitted: it is over, whatever became of it.  It must
     * not wait. */
    void (*leave)(void *arg, struct wr_call *call);
    void *arg;                      /* of all three */
    struct wr_tls *tls;             /* who comes must speak it; NULL: in clear */
    size_t body_max, body_large;    /* bytes of a body, where its route says no number:
                                     * 1 MiB; 4 MiB for those with WR_BODY_LARGE */
    wr_time deadline;               /* of routes that say none and do not wait; 2 s */
    unsigned tries_max;             /* of a call whose worker ends under it; 3 */
    size_t decoded_max;             /* bytes of a body that came in gzip or zstd; 32 MiB */
    unsigned decoded_ratio_max;     /* ... for each byte that came; 10 */
    unsigned connections_max;       /* 1024 */
    const char *spool;              /* a folder for the large bodies of routes that say so;
                                     * NULL: they come to memory.  Must outlive the server */
    struct wr_http_limits limits;
    const uint32_t *uids;           /* who may use a Unix socket, else 403; none: whoever */
    size_t uid_count;               /* ... can open it.  They must outlive the server */
    wr_time handshake_within;       /* of TLS; 2 s */
    wr_time head_within;            /* a head must be whole so soon; 5 s */
    wr_time body_within;            /* ... and a body, after it; 5 s */
    wr_time write_within;           /* an answer must be taken so soon; 5 s */
    wr_time idle_max;               /* between requests; 60 s */
};

/* Errors: NOMEM.  A table that contradicts itself is a panic. */
wr_err wr_http_new(struct wr_http **ret, const struct wr_http_conf *conf WR_AT);
#define wr_http_new(...) wr_http_new(__VA_ARGS__, WR_HERE)

/* Free it.  Nobody may be serving, and no call of it may be queued or run.  NULL is
 * allowed. */
void wr_http_free(struct wr_http *http);

/* Take connections and answer them until the calling fiber's scope ends; then all
 * connections are closed.  Errors: CANCELED, TIMEOUT, NOMEM, IO. */
wr_err wr_http_serve(struct wr_http *http, struct wr_listener *listener);

/* The same in two halves, for who wants to stop taking and go on answering: connections
 * are tasks of `scope`, which must be independent, and the caller's or one above it; they
 * outlive this call.  The listener is as it was, for another server.  Errors: as above. */
wr_err wr_http_take(struct wr_http *http, struct wr_listener *listener,
                    struct wr_scope *scope);

/* Other limits from now on; connections that are open stay. */
void wr_http_limit(struct wr_http *http, const struct wr_http_limits *limits);

/* The bounds of conf (body_max to idle_max) for what begins from now on. */
void wr_http_tune(struct wr_http *http, const struct wr_http_conf *conf);

/* From now on connections are closed after their answer, and wr_call_select ends in
 * those that wait; calls are still answered.  For a server that another replaces. */
void wr_http_retire(struct wr_http *http);

/* Retire; and all calls but those of priority are answered 503. */
void wr_http_drain(struct wr_http *http);

/* Drain, and wait until nobody is being answered any more, and no worker has a call of
 * it.  Errors: TIMEOUT, CANCELED. */
wr_err wr_http_finish(struct wr_http *http, wr_time deadline WR_AT);
#define wr_http_finish(http, deadline) wr_http_finish(http, deadline, WR_HERE)

/* Connections that are open. */
size_t wr_http_connections(const struct wr_http *http);

/* ---- the request ---- */

/* "GET", "POST", ... */
const char *wr_call_method(const struct wr_call *call);

/* The path without the query, with %xx decoded. */
const char *wr_call_path(const struct wr_call *call);

/* The part of the path where the route has {name}, decoded; never NULL for a name
 * that the route has. */
const char *wr_call_param(const struct wr_call *call, const char *name);

/* The value of name=value in the query, decoded; NULL when it is not there. */
const char *wr_call_query(struct wr_call *call, const char *name);

/* A header by its name in lower case; NULL when it is not there.  Of several the first;
 * but a request with two of a field that decides something is refused before: Host (which
 * is :authority in HTTP/2), Authorization, Content-Type, Origin, X-Tenant, Last-Event-ID,
 * Range, If-Range and the two dates.  Where there is `admit`, Authorization is for that
 * alone, and empty afterwards. */
const char *wr_call_header(const struct wr_call *call, const char *name);

/* How many bytes of body are to come, as they come; -1 when nobody has said.  For `admit`,
 * which is asked before them. */
int64_t wr_call_size(const struct wr_call *call);

/* The body, whole, and decoded if it came in gzip or zstd. */
const char *wr_call_body(const struct wr_call *call, size_t *ret_len);

/* Have the body beyond the call, which has none then.  Errors: NOMEM. */
struct wr_body {
    const char *at;
    size_t len;
    void *memory;                   /* where it is: there, */
    struct wr_file_map map;         /* ... or in a file without a name */
};
wr_err wr_call_take_body(struct wr_call *call, struct wr_body *ret);

/* Give it back; one that is empty, or all zero, is fine. */
void wr_body_free(struct wr_body *body);

/* The id of the request, for logs: the X-Corr-ID or X-Request-Id that came with it,
 * when it has at most 64 printable characters and no space; else a new one. */
const char *wr_call_corr_id(const struct wr_call *call);

/* When its first byte came, and when it must have been answered. */
wr_time wr_call_began(const struct wr_call *call);
wr_time wr_call_deadline(const struct wr_call *call);

/* Who asks. */
const struct wr_addr *wr_call_peer(const struct wr_call *call);

/* Its row of the table, with the defaults filled in. */
const struct wr_route *wr_call_route(const struct wr_call *call);

/* Whether it is given to `submit` a second time: its worker was ended under it. */
bool wr_call_repeated(const struct wr_call *call);

/* The status of the answer, so far. */
unsigned wr_call_answered(const struct wr_call *call);

/* A place for a pointer, NULL at first: what `admit` puts there `leave` finds. */
void **wr_call_memo(struct wr_call *call);

/* The arg of the route. */
void *wr_call_arg(const struct wr_call *call);

/* Memory that goes with the call; NULL when there is no more (1 MiB each). */
void *wr_call_alloc(struct wr_call *call, size_t size);

/* ---- the reply ---- */

/* 200 unless it is set. */
void wr_call_status(struct wr_call *call, unsigned status);

/* Add a header.  A line break in it is a panic. */
void wr_call_reply_header(struct wr_call *call, const char *name, const char *value);

/* When to come again, for 429 and 503: in whole seconds, 1 to 3600.  They say 1
 * unless it is set. */
void wr_call_retry_after(struct wr_call *call, wr_time wait);

/* Add to the body; the type is text/plain unless it is set. */
void wr_call_type(struct wr_call *call, const char *type);
void wr_call_write(struct wr_call *call, const void *bytes, size_t len);
void wr_call_print(struct wr_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Say why a call failed, for the body of the answer; returns err, to be returned. */
wr_err wr_call_fail(struct wr_call *call, wr_err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- long calls and streams ----
 *
 *     wr_call_type(call, "text/event-stream");
 *     err = wr_call_begin(call);
 *     while (!err && !(err = wr_call_select(call, &which, cases, 1, WR_NEVER)))
 *         err = wr_call_send(call, event, len, wr_after(WR_S(5)));
 *     return err == WR_DRAINING ? say_goodbye(call) : err;
 *
 * They run where they arrive.  What wr_call_print wrote before wr_call_begin is not
 * sent.  An error that a handler returns after wr_call_begin breaks the reply off,
 * so that the peer sees it was not all. */

/* The body will have so many bytes: said before wr_call_begin, it goes out as
 * Content-Length.  More are a panic, fewer break the reply off. */
void wr_call_length(struct wr_call *call, uint64_t length);

/* Status and headers go out now, the body follows.  Only in routes of the class
 * STREAM.  Errors: TIMEOUT, CANCELED, BROKENPIPE, IO. */
wr_err wr_call_begin(struct wr_call *call);

/* A part of the body.  Waits until the peer takes it.  Errors: TIMEOUT (it did not:
 * nothing more can be sent), CANCELED, BROKENPIPE, IO; CLOSED (the request was a HEAD:
 * no body is wanted; return). */
wr_err wr_call_send(struct wr_call *call, const void *bytes, size_t len, wr_time deadline);

/* Wait as wr_select does, but no longer than there is somebody to answer.  In routes
 * of the classes LONG and STREAM; at most WR_CALL_SELECT_MAX cases, and none is fine.
 * Errors: TIMEOUT, CANCELED, BROKENPIPE (the peer has gone), DRAINING (the server is
 * about to end: say what there is to say, and return). */
#define WR_CALL_SELECT_MAX (WR_SELECT_MAX - 2)
wr_err wr_call_select(struct wr_call *call, size_t *ret, struct wr_case *cases, size_t count,
                      wr_time deadline WR_AT);
#define wr_call_select(...) wr_call_select(__VA_ARGS__, WR_HERE)

/* ---- queued calls ---- */

/* Run a call that was given to `submit`, in the calling fiber, and answer it.  If
 * the handler panics the call is answered with 500, and the panic goes on.
 *
 * A call that is cut short by a panic or a cancel of its worker, and that may be
 * repeated, is given to `submit` again instead, while there is time, at most twice. */
void wr_call_run(struct wr_call *call);

/* Answer a call that was given to `submit` and will not be run. */
void wr_call_refuse(struct wr_call *call, wr_err err);

#endif
