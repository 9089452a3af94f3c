/* conn.c - one connection: requests in, answers out, one after the other.
 *
 * A connection that waits for its next request holds no call and no buffer.  What
 * came behind a request is kept, in the call's bytes, and read as the next one.
 * An answer that cannot be followed by another request closes the connection: the
 * peer is told, then the rest of what it sends is read and dropped for a moment,
 * so that a reset does not overtake the answer.
 */
#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>
#include <weir/tls.h>

#include "net/h1.h"
#include "net/h2.h"
#include "net/iostat.h"
#include "net/server.h"

#define READS_MAX 32                    /* of a body that is there already, in one go */
#define HEAD_MAX (CALL_ROOM_MAX - 4096) /* so that a body has room behind it */

struct conn {
    struct visit *visit;
    struct wr_http *http;
    struct wr_stream *stream;
    struct wr_call *call;           /* NULL between requests */
    struct wr_chan *done;           /* made with the first call that is queued */
    struct wr_rand ids;
    struct h1 h1;
    size_t fed;                     /* of call->bytes: read by the parser */
    size_t head_end;
    bool answered;                  /* a request; from then on it is HTTP/1 */
    bool begun;                     /* the head of its first request is there */
    bool other;                     /* it is HTTP/2, and its bytes are in the call */
    bool closing;                   /* no request after this one */
    bool broken;                    /* nothing can be written any more */
    wr_time heard;                  /* when the last of the head came */
    wr_time over;                   /* when the last answer went out, or it began */
};

enum outcome { GOES_ON, ANSWER, OVER };

/* How a client begins that speaks HTTP/2 without asking. */
static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/* ---- reading ---- */

static void on_body(void *arg, const char *bytes, size_t len)
{
    struct wr_call *call = ((struct conn *)arg)->call;
    if (call->head.length_known && call->head.length == len && !call->coding)
        call->body = (struct slice){ bytes, len };
    else
        call_collect(call, bytes, len);
}

static enum outcome refuse(struct conn *conn, wr_err err, unsigned status, const char *why)
{
    call_identify(conn->call, &conn->ids);
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
                                call->room - call->fill, deadline);
    if (err == WR_TIMEOUT && call->fill > 0) {
        iostat_timeout(IOSTAT_READ);
        return refuse(conn, WR_TIMEOUT, 408, late);
    }
    if (err || size == 0)
        return OVER;
    call->fill += size;
    return GOES_ON;
}

static enum outcome feed(struct conn *conn, enum h1_state *ret)
{
    struct wr_call *call = conn->call;
    size_t used;
    *ret = h1_feed(&conn->h1, call->bytes + conn->fed, call->fill - conn->fed, &used);
    conn->fed += used;
    if (*ret == H1_BAD)
        return refuse(conn, WR_INVALID, conn->h1.status, conn->h1.why);
    return GOES_ON;
}

/* Whether what came so far is how HTTP/2 begins, as far as it goes. */
static bool may_be_other(struct conn *conn)
{
    const struct wr_call *call = conn->call;
    size_t len = sizeof(preface) - 1;
    if (conn->answered || call->fill == 0
        || memcmp(call->bytes, preface, call->fill < len ? call->fill : len) != 0)
        return false;
    conn->other = call->fill >= len;
    return true;
}

/* How long it may say nothing.  Who has just come has come to ask. */
static wr_time idle_until(const struct conn *conn)
{
    const struct limits *now = &conn->http->now;
    return conn->over + (conn->begun ? now->idle_max : now->head_within);
}

/* A larger call for the same request, which is read again from its first byte. */
static bool enlarge(struct conn *conn)
{
    struct wr_call *small = conn->call, *call = call_new(conn->visit, CALL_ROOM_MAX);
    if (!call)
        return false;
    memcpy(call->bytes, small->bytes, small->fill);
    call->fill = small->fill;
    call->began = small->began;
    call_give(small, conn->visit);
    conn->call = call;
    conn->fed = 0;
    h1_open(&conn->h1, &call->head, on_body, conn);
    return true;
}

/* Whether a body that follows the head has to go where there is more room. */
static bool body_outgrows(const struct conn *conn)
{
    const struct wr_call *call = conn->call;
    return call->room < CALL_ROOM_MAX
        && (conn->h1.chunked || call->head.length > call->room - conn->fed);
}

/* From the first byte of a request to the end of its head. */
static enum outcome read_head(struct conn *conn)
{
    wr_time within = conn->http->now.head_within;
    enum h1_state state = H1_MORE;
    if (conn->call->fill > 0)
        conn->call->began = conn->heard = wr_now();
    for (;;) {
        enum outcome outcome = GOES_ON;
        if (!may_be_other(conn))
            outcome = feed(conn, &state);
        else if (conn->other)
            return OVER;
        struct wr_call *call = conn->call;
        bool whole = state == H1_HEAD;
        if (outcome != GOES_ON || (whole && !body_outgrows(conn)))
            return outcome;
        if (!whole && call->fill >= HEAD_MAX)
            return refuse(conn, WR_INVALID, 431, "the head of the request is too large");
        if (whole || call->fill == call->room) {
            if (!enlarge(conn))
                return OVER;
            continue;
        }
        bool silent = call->fill == 0;
        outcome = fill(conn, silent || !conn->begun ? idle_until(conn) : call->began + within,
                       "the head of the request came too slowly");
        if (outcome != GOES_ON)
            return outcome;
        conn->heard = wr_now();
        if (silent)
            call->began = conn->heard;
    }
}

/* What can be said before the body is there; a body that is not wanted is not waited
 * for. */
static enum outcome judge_head(struct conn *conn)
{
    if (call_judge(conn->call, &conn->ids, conn->heard))
        return GOES_ON;
    conn->closing |= conn->h1.chunked || conn->call->head.length > 0;
    return ANSWER;
}

/* Chunks are bytes as well.  A body of so many in chunks of one each is less than this; what
 * is more is made of what nobody reads. */
static uint64_t chunks_max(const struct wr_call *call)
{
    return 8 * (uint64_t)call->body_max + (uint64_t)4 * H1_TRAILERS_MAX;
}

static enum outcome read_body(struct conn *conn)
{
    static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct wr_call *call = conn->call;
    wr_time deadline = 0;               /* most have no body, and need no clock for it */
    enum h1_state state;
    size_t size;
    uint64_t came = 0;
    unsigned reads = 0;
    conn->head_end = conn->fed;
    if (call->head.expects_continue && call->fill == conn->fed && call->head.version > 10)
        if (wr_stream_write(conn->stream, &size, &(struct wr_piece){ go_on, strlen(go_on) }, 1,
                            wr_after(conn->http->now.write_within)))
            return OVER;
    for (;;) {
        enum outcome outcome = feed(conn, &state);
        if (outcome == GOES_ON && call->body_over)
            return refuse(conn, WR_INVALID, 413, "the body is larger than this path takes");
        if (outcome != GOES_ON || state == H1_DONE)
            return outcome;
        if (call->fill == call->room)
            call->fill = conn->fed = conn->head_end;    /* what was there has been copied */
        if (!deadline)
            deadline = wr_after(call_body_within(call));
        size_t before = call->fill;
        outcome = fill(conn, deadline, "the body of the request came too slowly");
        if (outcome != GOES_ON)
            return outcome;
        came += call->fill - before;
        if (came > chunks_max(call) && conn->h1.chunked)
            return refuse(conn, WR_INVALID, 413, "the body comes with too much beside it");
        if (++reads % READS_MAX == 0 && wr_yield())
            return OVER;
    }
}

static enum outcome read_request(struct conn *conn)
{
    h1_open(&conn->h1, &conn->call->head, on_body, conn);
    enum outcome outcome = read_head(conn);
    conn->begun = true;
    if (outcome == GOES_ON)
        outcome = judge_head(conn);
    if (outcome == GOES_ON)
        outcome = read_body(conn);
    conn->closing |= !conn->h1.keep_alive;
    return outcome;
}

/* ---- answering ---- */

static void add_length(struct wr_text *text, uint64_t length)
{
    wr_text_str(text, "Content-Length: ");
    wr_text_u64(text, length);
    wr_text_str(text, "\r\n");
}

/* Most go well, and that is one text. */
static void add_status(struct wr_text *text, unsigned status)
{
    if (status == 200) {
        wr_text_str(text, "HTTP/1.1 200 OK");
        return;
    }
    wr_text_str(text, "HTTP/1.1 ");
    wr_text_u64(text, status);
    wr_text_str(text, " ");
    wr_text_str(text, reply_reason(status));
}

/* Everything of a head but the length of the body and what the handler added. */
static void add_head(struct conn *conn, struct wr_text *text, wr_time now)
{
    struct wr_call *call = conn->call;
    char date[DATE_STAMP_TEXT];
    add_status(text, call->status);
    if (call->status != 204 && call->status != 304) {
        wr_text_str(text, "\r\nContent-Type: ");
        wr_text_str(text, call->type);
    }
    wr_text_str(text, "\r\nX-Content-Type-Options: nosniff\r\nDate: ");
    wr_text_bytes(text, date_stamp(&conn->http->date, now, date), DATE_TEXT - 1);
    wr_text_str(text, "\r\nX-Corr-ID: ");
    wr_text_str(text, call->corr);
    wr_text_str(text, "\r\nX-Request-Id: ");
    wr_text_str(text, call->corr);
    wr_text_str(text, "\r\n");
    const char *retry_after = reply_retry_after(call);
    if (retry_after) {
        wr_text_str(text, "Retry-After: ");
        wr_text_str(text, retry_after);
        wr_text_str(text, "\r\n");
    }
    if (conn->closing)
        wr_text_str(text, "Connection: close\r\n");
}

/* What the handler added is the end of it. */
static void end_head(const struct wr_call *call, struct wr_text *text)
{
    wr_text_bytes(text, call->headers.at, call->headers.len);
    wr_text_bytes(text, "\r\n", 2);
}

static wr_err send_pieces(struct conn *conn, const struct wr_piece *pieces, size_t count,
                          wr_time deadline)
{
    size_t size;
    wr_err err = wr_stream_write(conn->stream, &size, pieces, count, deadline);
    conn->broken |= err != WR_OK;
    iostat_count(IOSTAT_WRITE, err);
    return err;
}

/* What is small goes out in one piece: copying it costs less than the list of pieces,
 * and it lasts no time, so that the clock need not be asked again. */
static void write_answer(struct conn *conn)
{
    struct wr_call *call = conn->call;
    char bytes[CALL_HEADERS_MAX + 1024];
    struct wr_text text = WR_TEXT(bytes);
    conn->over = wr_now();
    add_head(conn, &text, conn->over);
    if (call->status != 204 && call->status != 304)
        add_length(&text, call->reply.len);
    end_head(call, &text);
    size_t body = reply_bodiless(call) ? 0 : call->reply.len, count = 1;
    if (text.len + body < sizeof(bytes))
        wr_text_bytes(&text, call->reply.at, body);
    else
        count = 2;
    struct wr_piece pieces[] = { { text.at, text.len }, { call->reply.at, body } };
    (void)!send_pieces(conn, pieces, count, conn->over + conn->http->now.write_within);
    if (count > 1)
        conn->over = wr_now();
}

/* ---- a reply that goes out bit by bit ---- */

/* In HTTP/1.0 there are no chunks: the end of the connection is the end. */
static bool chunked(const struct wr_call *call)
{
    return !call->sized && call->head.version > 10;
}

static wr_err stream_begin(struct wr_call *call)
{
    struct conn *conn = call->conn;
    char head[CALL_HEADERS_MAX + 512];
    struct wr_text text = WR_TEXT(head);
    wr_time now = wr_now();
    conn->closing |= !call->sized && !chunked(call);
    add_head(conn, &text, now);
    if (call->sized)
        add_length(&text, call->left);
    else if (chunked(call))
        wr_text_str(&text, "Transfer-Encoding: chunked\r\n");
    end_head(call, &text);
    return send_pieces(conn, &(struct wr_piece){ text.at, text.len }, 1,
                       now + conn->http->now.write_within);
}

static wr_err stream_send(struct wr_call *call, const void *bytes, size_t len, wr_time deadline)
{
    struct conn *conn = call->conn;
    if (conn->broken)
        return WR_BROKENPIPE;
    if (!chunked(call))
        return send_pieces(conn, &(struct wr_piece){ bytes, len }, 1, deadline);
    char size[20];
    struct wr_text text = WR_TEXT(size);
    wr_text_format(&text, "%zx\r\n", len);
    struct wr_piece pieces[] = { { text.at, text.len }, { bytes, len }, { "\r\n", 2 } };
    return send_pieces(conn, pieces, 3, deadline);
}

/* The peer says more: kept for later, as long as there is room.  Its end is told. */
static wr_err listen_to_peer(struct conn *conn)
{
    struct wr_call *call = conn->call;
    size_t size;
    wr_err err = wr_stream_read(conn->stream, &size, call->bytes + call->fill,
                                call->room - call->fill, WR_NOW);
    if (err == WR_TIMEOUT)
        return WR_OK;               /* it was nothing that a reader sees */
    if (err || size == 0) {
        conn->closing = true;
        return err == WR_CANCELED ? err : WR_BROKENPIPE;
    }
    call->fill += size;
    return WR_OK;
}

static wr_err stream_select(struct wr_call *call, size_t *ret, struct wr_case *cases,
                            size_t count, wr_time deadline, const char *place)
{
    struct conn *conn = call->conn;
    for (;;) {
        bool listens = call->fill < call->room;
        if (listens)
            cases[count] = wr_stream_readable(conn->stream);
        wr_err err = (wr_select)(ret, cases, count + listens, deadline, place);
        if (err || *ret < count)
            return err;
        err = listen_to_peer(conn);
        if (err)
            return err;
    }
}

static const struct call_io stream_io = {
    .begin = stream_begin, .send = stream_send, .select = stream_select,
};

/* The handler has returned: end the body, or break it off where it is not whole. */
static void finish_stream(struct conn *conn)
{
    struct wr_call *call = conn->call;
    bool bodiless = reply_bodiless(call);
    bool whole = bodiless || (!call->failed && !(call->sized && call->left > 0));
    if (whole && !bodiless && chunked(call))
        (void)!send_pieces(conn, &(struct wr_piece){ "0\r\n\r\n", 5 }, 1,
                           wr_after(conn->http->now.write_within));
    conn->broken |= !whole;
    conn->over = wr_now();
}

/* ---- handling ---- */

/* The worker has not answered in time: it keeps the call, and we answer alone. */
static enum outcome leave_behind(struct conn *conn)
{
    struct wr_call *old = conn->call, *call = call_replace(old, old->room);
    size_t left = old->fill - conn->fed;
    if (call) {
        call->fill = left;
        memcpy(call->bytes, old->bytes + conn->fed, left);
    }
    conn->fed = 0;
    conn->call = call;
    call_drop(old);
    return call ? ANSWER : OVER;
}

static enum outcome run_queued(struct conn *conn)
{
    struct wr_call *call = conn->call;
    if (!conn->done
        && wr_chan_new(&conn->done, &(struct wr_chan_conf){ .name = "http.done", .cap = 1,
                                                            .item_size = sizeof(void *),
                                                            .policy = WR_WAIT })) {
        call_uncount(call);
        call_fail(call, WR_NOMEM);
        return ANSWER;
    }
    if (!call_submit(call, conn->done))
        return ANSWER;
    void *word;
    wr_err err = wr_chan_recv(conn->done, &word, call->hard_deadline);
    if (!err)
        return ANSWER;
    if (!call_abandon(call)) {
        call_await_word(conn->done);
        return ANSWER;
    }
    if (err == WR_TIMEOUT)
        return leave_behind(conn);
    call_drop(call);
    conn->call = NULL;
    return OVER;
}

static enum outcome handle(struct conn *conn)
{
    struct wr_call *call = conn->call;
    if (!call_count(call))
        return ANSWER;
    if (call->route->class == WR_ROUTE_SHORT && conn->http->conf.submit)
        return run_queued(conn);
    call->io = &stream_io;
    call->conn = conn;
    call_handle(call);
    return ANSWER;
}

/* ---- the connection ---- */

/* Keep what came behind the request; without any, keep nothing. */
static void next_request(struct conn *conn)
{
    struct wr_call *call = conn->call;
    size_t left = call->fill - conn->fed;
    if (left == 0) {
        call_give(call, conn->visit);
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
    if (wr_stream_await(conn->stream, idle_until(conn)))
        return false;
    conn->call = call_take(conn->visit);
    return conn->call;
}

/* Also what is left to do when a handler panics on this fiber. */
static void let_go(void *arg)
{
    struct conn *conn = arg;
    if (conn->call)
        call_uncount(conn->call);
    call_drop(conn->call);
    wr_chan_free(conn->done);
}

void conn_serve(struct visit *visit)
{
    const char *agreed = wr_tls_protocol(visit->stream);
    if (strcmp(agreed, "h2") == 0) {
        h2_serve(visit, NULL, 0);
        return;
    }
    struct conn conn = { .visit = visit, .http = visit->http, .stream = visit->stream,
                         .answered = agreed[0] != '\0', .over = wr_now() };
    struct wr_cleanup cleanup = { .fn = let_go, .arg = &conn };
    wr_rand_seed_from_world(&conn.ids);
    wr_cleanup_push(&cleanup);
    while (!conn.closing && !conn.broken && begin_request(&conn)) {
        enum outcome outcome = read_request(&conn);
        if (outcome == GOES_ON)
            outcome = handle(&conn);
        if (outcome == OVER)
            break;
        conn.closing |= atomic_load_explicit(&conn.http->retiring, memory_order_relaxed);
        if (conn.call->begun)
            finish_stream(&conn);
        else
            write_answer(&conn);
        server_count(conn.http, conn.call, conn.over);
        next_request(&conn);
        conn.answered = true;
    }
    if (conn.call && conn.other)
        h2_serve(visit, conn.call->bytes, conn.call->fill);
    if (conn.closing && !conn.broken)
        door_linger(visit->stream);
    wr_cleanup_pop(&cleanup);
    let_go(&conn);
}
