/* conn.c - one connection: requests in, answers out, one after the other.
 *
 * A connection that waits for its next request holds no call and no buffer.  What
 * came behind a request is kept, in the call's bytes, and read as the next one.
 * An answer that cannot be followed by another request closes the connection: the
 * peer is told, then the rest of what it sends is read and dropped for a moment,
 * so that a reset does not overtake the answer.
 */
#include <stdio.h>
#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "net/server.h"

#define HEAD_MAX (CALL_HEAD_MAX - 4096)     /* so that a body has room behind it */
#define LINGER WR_S(1)
#define LINGER_BYTES ((size_t)1 << 20)

struct conn {
    struct wr_http *http;
    struct wr_stream *stream;
    struct wr_call *call;           /* NULL between requests */
    struct wr_chan *done;           /* made with the first call that is queued */
    size_t fed;                     /* of call->bytes: read by the parser */
    size_t head_end;
    bool closing;                   /* no request after this one */
};

enum outcome { GOES_ON, ANSWER, OVER };

/* ---- reading ---- */

static void on_body(void *arg, const char *bytes, size_t len)
{
    struct wr_call *call = ((struct conn *)arg)->call;
    if (call->body_over)
        return;
    if (call->h1.length_known && call->h1.length == len && call->collected.len == 0) {
        call->body = (struct slice){ bytes, len };
        return;
    }
    if (call->collected.max == 1)
        call->collected = wr_text_heap(call->route->body_max + 1);
    wr_text_bytes(&call->collected, bytes, len);
    call->body_over = call->collected.cut;
    call->body = (struct slice){ call->collected.at, call->collected.len };
}

static enum outcome refuse(struct conn *conn, wr_err err, unsigned status, const char *why)
{
    call_refuse(conn->call, err, status, why);
    conn->closing = true;
    return ANSWER;
}

/* More bytes behind those that are there. */
static enum outcome fill(struct conn *conn, wr_time deadline, const char *late)
{
    struct wr_call *call = conn->call;
    size_t size;
    wr_err err = wr_stream_read(conn->stream, &size, call->bytes + call->fill,
                                CALL_HEAD_MAX - call->fill, deadline);
    if (err == WR_TIMEOUT && call->fill > 0)
        return refuse(conn, WR_TIMEOUT, 408, late);
    if (err || size == 0)
        return OVER;
    call->fill += size;
    return GOES_ON;
}

static enum outcome feed(struct conn *conn, enum h1_state *ret)
{
    struct wr_call *call = conn->call;
    size_t used;
    *ret = h1_feed(&call->h1, call->bytes + conn->fed, call->fill - conn->fed, &used);
    conn->fed += used;
    if (*ret == H1_BAD)
        return refuse(conn, WR_INVALID, call->h1.status, call->h1.why);
    return GOES_ON;
}

/* From the first byte of a request to the end of its head. */
static enum outcome read_head(struct conn *conn)
{
    struct wr_call *call = conn->call;
    wr_time within = conn->http->conf.head_within;
    enum h1_state state;
    call->began = wr_now();
    for (;;) {
        enum outcome outcome = feed(conn, &state);
        if (outcome != GOES_ON || state == H1_HEAD)
            return outcome;
        if (call->fill >= HEAD_MAX)
            return refuse(conn, WR_INVALID, 431, "the head of the request is too large");
        outcome = fill(conn, call->began + within, "the head of the request came too slowly");
        if (outcome != GOES_ON)
            return outcome;
    }
}

static enum outcome no_route(struct conn *conn, struct found found)
{
    struct wr_call *call = conn->call;
    conn->closing |= call->h1.chunked || call->h1.length > 0;
    if (!found.path_known) {
        call_refuse(call, WR_NOTFOUND, 404, "there is nothing at this path");
        return ANSWER;
    }
    char allowed[100];
    routes_allowed(conn->http->routes, call->path, allowed, sizeof(allowed));
    wr_call_reply_header(call, "Allow", allowed);
    call_refuse(call, WR_UNSUPPORTED, 405, "the path does not have this method");
    return ANSWER;
}

/* What can be said before the body is there. */
static enum outcome judge_head(struct conn *conn)
{
    struct wr_call *call = conn->call;
    if (call_head(call)) {
        conn->closing = true;
        return ANSWER;
    }
    struct found found =
        routes_find(conn->http->routes, call->h1.method, call->path, &call->params);
    if (!found.route)
        return no_route(conn, found);
    call->route = found.route;
    call->route_index = found.index;
    call->hard_deadline = call->began + call->route->deadline;
    call->deadline = call->hard_deadline - call->route->deadline / 4;
    if (call->h1.length > call->route->body_max)
        return refuse(conn, WR_INVALID, 413, "the body is larger than this path takes");
    return GOES_ON;
}

static enum outcome read_body(struct conn *conn)
{
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct wr_call *call = conn->call;
    wr_time deadline = wr_now() + conn->http->conf.body_within;
    enum h1_state state;
    size_t size;
    conn->head_end = conn->fed;
    if (call->h1.expects_continue && call->fill == conn->fed && call->h1.minor > 0)
        if (wr_stream_write(conn->stream, &size, &(struct wr_piece){ go_on, strlen(go_on) }, 1,
                            deadline))
            return OVER;
    for (;;) {
        enum outcome outcome = feed(conn, &state);
        if (outcome == GOES_ON && call->body_over)
            return refuse(conn, WR_INVALID, 413, "the body is larger than this path takes");
        if (outcome != GOES_ON || state == H1_DONE)
            return outcome;
        if (call->fill == CALL_HEAD_MAX)
            call->fill = conn->fed = conn->head_end;    /* what was there has been copied */
        outcome = fill(conn, deadline, "the body of the request came too slowly");
        if (outcome != GOES_ON)
            return outcome;
    }
}

static enum outcome read_request(struct conn *conn)
{
    h1_open(&conn->call->h1, on_body, conn);
    enum outcome outcome = read_head(conn);
    if (outcome == GOES_ON)
        outcome = judge_head(conn);
    if (outcome == GOES_ON)
        outcome = read_body(conn);
    if (outcome == GOES_ON)
        conn->closing |= !conn->call->h1.keep_alive;
    return outcome;
}

/* ---- answering ---- */

static const char *reason(unsigned status)
{
    static const struct { unsigned status; const char *text; } reasons[] = {
        { 200, "OK" }, { 201, "Created" }, { 202, "Accepted" }, { 204, "No Content" },
        { 206, "Partial Content" }, { 304, "Not Modified" }, { 400, "Bad Request" },
        { 401, "Unauthorized" }, { 403, "Forbidden" }, { 404, "Not Found" },
        { 405, "Method Not Allowed" }, { 408, "Request Timeout" }, { 409, "Conflict" },
        { 413, "Content Too Large" }, { 415, "Unsupported Media Type" },
        { 417, "Expectation Failed" }, { 429, "Too Many Requests" },
        { 431, "Request Header Fields Too Large" }, { 500, "Internal Server Error" },
        { 501, "Not Implemented" }, { 502, "Bad Gateway" }, { 503, "Service Unavailable" },
        { 504, "Gateway Timeout" }, { 505, "HTTP Version Not Supported" },
    };
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].status == status)
            return reasons[i].text;
    return "Status";
}

static wr_err write_answer(struct conn *conn)
{
    struct wr_call *call = conn->call;
    char head[512];
    bool empty = call->status == 204 || call->status == 304 || call->status < 200;
    bool only_head = call->h1.method && strcmp(call->h1.method, "HEAD") == 0;
    struct wr_text text = WR_TEXT(head);
    wr_text_format(&text, "HTTP/1.1 %u %s\r\n", call->status, reason(call->status));
    if (!empty)
        wr_text_format(&text, "Content-Type: %s\r\nContent-Length: %zu\r\n", call->type,
                       call->reply.len);
    if (call->status == 429 || call->status == 503)
        wr_text_str(&text, "Retry-After: 1\r\n");
    wr_text_str(&text, "X-Content-Type-Options: nosniff\r\n");
    if (conn->closing)
        wr_text_str(&text, "Connection: close\r\n");
    wr_text_bytes(&call->headers, "\r\n", 2);
    struct wr_piece pieces[] = {
        { text.at, text.len },
        { call->headers.at, call->headers.len },
        { call->reply.at, empty || only_head ? 0 : call->reply.len },
    };
    size_t size;
    return wr_stream_write(conn->stream, &size, pieces, 3,
                           wr_after(conn->http->conf.write_within));
}

/* ---- handling ---- */

/* The worker has won: its word is on the way, and comes though our scope may have
 * ended. */
static void await_word(struct conn *conn)
{
    struct wr_scope *shield;
    void *word;
    struct wr_scope_conf conf = { .name = "http.word", .deadline = wr_after(WR_S(60)),
                                  .shield = true };
    if (wr_scope_new(&shield, &conf)) {
        while (wr_chan_recv(conn->done, &word, WR_NOW) != WR_OK)
            ;
        return;
    }
    wr_scope_enter(shield);
    (void)!wr_chan_recv(conn->done, &word, WR_NEVER);
    wr_scope_leave(shield);
    (void)!wr_scope_close(shield);
}

/* The worker has not answered in time: it keeps the call, and we answer alone. */
static enum outcome abandon(struct conn *conn)
{
    struct wr_call *old = conn->call, *call = call_new(conn->http, &old->peer);
    if (!call)
        return OVER;
    size_t left = old->fill - conn->fed;
    call->fill = left;
    memcpy(call->bytes, old->bytes + conn->fed, left);
    conn->fed = 0;
    call->route = old->route;
    call->route_index = old->route_index;
    call->began = old->began;
    call->h1.method = old->h1.method;
    conn->call = call;
    call_drop(old);
    call_refuse(call, WR_TIMEOUT, 504, "there was no answer within the deadline");
    return ANSWER;
}

static enum outcome run_queued(struct conn *conn)
{
    struct wr_call *call = conn->call;
    struct wr_http *http = conn->http;
    if (!conn->done
        && wr_chan_new(&conn->done, &(struct wr_chan_conf){ .name = "http.done", .cap = 1,
                                                            .item_size = sizeof(void *),
                                                            .policy = WR_WAIT })) {
        call_refuse(call, WR_NOMEM, 503, NULL);
        return ANSWER;
    }
    call->done = conn->done;
    atomic_store(&call->state, CALL_PENDING);
    atomic_store(&call->holders, 2);
    wr_err err = http->conf.submit(http->conf.arg, call);
    if (err) {
        atomic_store(&call->holders, 1);
        call_refuse(call, err, (unsigned)wr_err_http(err), NULL);
        return ANSWER;
    }
    void *word;
    err = wr_chan_recv(conn->done, &word, call->hard_deadline);
    if (!err)
        return ANSWER;
    if (atomic_exchange(&call->state, CALL_ABANDONED) == CALL_ANSWERED) {
        await_word(conn);
        return ANSWER;
    }
    return err == WR_TIMEOUT ? abandon(conn) : OVER;
}

/* Its answer is there: tell the connection, if that still waits, and let go. */
static void give_back(struct wr_call *call)
{
    if (atomic_exchange(&call->state, CALL_ANSWERED) == CALL_PENDING)
        (void)!wr_chan_send(call->done, &(void *){ call }, WR_NOW);
    call_drop(call);
}

void wr_call_refuse(struct wr_call *call, wr_err err)
{
    call_refuse(call, err, (unsigned)wr_err_http(err), NULL);
    give_back(call);
}

static void give_back_broken(void *arg)
{
    wr_call_refuse(arg, WR_PANIC);
}

void wr_call_run(struct wr_call *call)
{
    struct wr_cleanup cleanup = { .fn = give_back_broken, .arg = call };
    wr_cleanup_push(&cleanup);
    call_handle(call);
    wr_cleanup_pop(&cleanup);
    give_back(call);
}

static enum outcome handle(struct conn *conn)
{
    struct wr_call *call = conn->call;
    const struct wr_route *route = call->route;
    struct route_state *state = &conn->http->states[call->route_index];
    if (route->class != WR_ROUTE_PRIORITY && atomic_load(&conn->http->draining)) {
        conn->closing = true;
        call_refuse(call, WR_DRAINING, 503, NULL);
        return ANSWER;
    }
    unsigned before = atomic_fetch_add(&state->running, 1);
    enum outcome outcome = ANSWER;
    if (route->concurrency && before >= route->concurrency)
        call_refuse(call, WR_BUSY, 429, "as many calls of this path run as may");
    else if (route->class == WR_ROUTE_SHORT && conn->http->conf.submit)
        outcome = run_queued(conn);
    else
        call_handle(call);
    atomic_fetch_sub(&state->running, 1);
    return outcome;
}

/* ---- the connection ---- */

/* Keep what came behind the request; without any, keep nothing. */
static void next_request(struct conn *conn)
{
    struct wr_call *call = conn->call;
    size_t left = call->fill - conn->fed;
    if (left == 0) {
        call_drop(call);
        conn->call = NULL;
    } else {
        memmove(call->bytes, call->bytes + conn->fed, left);
        call->fill = left;
        call_reset(call);
    }
    conn->fed = 0;
}

static bool begin_request(struct conn *conn)
{
    if (conn->call)
        return true;
    if (wr_stream_await(conn->stream, wr_after(conn->http->conf.idle_max)))
        return false;
    conn->call = call_new(conn->http, wr_stream_peer(conn->stream));
    return conn->call;
}

static void linger(struct conn *conn)
{
    char bytes[1024];
    size_t size = 1, sum = 0;
    wr_time until = wr_after(LINGER);
    wr_stream_shut(conn->stream);
    while (sum < LINGER_BYTES && size > 0
           && !wr_stream_read(conn->stream, &size, bytes, sizeof(bytes), until))
        sum += size;
}

/* Also what is left to do when a handler panics on this fiber. */
static void let_go(void *arg)
{
    struct conn *conn = arg;
    call_drop(conn->call);
    wr_chan_free(conn->done);
}

void conn_serve(struct wr_http *http, struct wr_stream *stream)
{
    struct conn conn = { .http = http, .stream = stream };
    struct wr_cleanup cleanup = { .fn = let_go, .arg = &conn };
    wr_cleanup_push(&cleanup);
    while (!conn.closing && begin_request(&conn)) {
        enum outcome outcome = read_request(&conn);
        if (outcome == GOES_ON)
            outcome = handle(&conn);
        if (outcome == OVER)
            break;
        conn.closing |= atomic_load_explicit(&http->draining, memory_order_relaxed);
        wr_err err = write_answer(&conn);
        server_count(http, conn.call);
        if (err)
            break;
        next_request(&conn);
    }
    if (conn.closing)
        linger(&conn);
    wr_cleanup_pop(&cleanup);
    let_go(&conn);
}
