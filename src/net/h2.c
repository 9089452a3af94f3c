/* h2.c - an HTTP/2 connection: see h2.h.
 *
 * nghttp2 reads and writes the frames and keeps the peer to the protocol.  What it
 * would let pass, and costs more than it brings, is bounded here: frames that carry
 * nothing, streams that are opened to be reset, heads in endless pieces, heads and
 * bodies that are too large or too slow, answers that nobody takes.
 */
#include "net/h2.h"

#include <stdlib.h>
#include <string.h>

#include <weir/select.h>
#include <weir/task.h>

#include "base/forget.h"
#include "net/iostat.h"

#define IN_MAX ((size_t)64 * 1024)
#define OUT_MAX ((size_t)64 * 1024)
#define WINDOW (256 * 1024)             /* of a stream, in bytes */
#define CONNECTION_WINDOW (1024 * 1024)
#define RESETS_BURST 200                /* streams that the peer resets, */
#define RESETS_PER_SECOND 50
#define CONTINUATIONS_MAX 8             /* frames of one head */
#define IDLE_FRAMES_MAX 500             /* a second: PING, SETTINGS, PRIORITY, empty DATA */
#define DRAIN_GRACE WR_S(1)
#define REST_AFTER WR_MS(20)            /* without requests, buffers are kept so long */

/* ---- what nghttp2 tells ---- */

static struct h2_stream *stream_of(struct h2 *h2, int32_t id)
{
    return nghttp2_session_get_stream_user_data(h2->session, id);
}

static void make_ready(struct h2_stream *stream)
{
    struct h2 *h2 = stream->h2;
    if (stream->state != H2_READING || stream->then || h2->ready_end == &stream->then)
        return;
    *h2->ready_end = stream;
    h2->ready_end = &stream->then;
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct h2 *h2 = arg;
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    int32_t id = frame->hd.stream_id;
    struct h2_stream *stream = h2_stream_new(h2, id);
    if (!stream) {
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
        return 0;
    }
    return nghttp2_session_set_stream_user_data(session, id, stream);
}

/* Of trailers nothing is kept. */
static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *arg)
{
    (void)session, (void)flags;
    struct h2_stream *stream = stream_of(arg, frame->hd.stream_id);
    if (stream && !stream->judged)
        h2_stream_field(stream, (const char *)name, name_len, (const char *)value, value_len);
    return 0;
}

/* Frames that bring nothing are counted: a second has room for so many. */
static bool count_frame(struct h2 *h2)
{
    if (h2->now - h2->frames_since >= WR_S(1)) {
        h2->frames_since = h2->now;
        h2->frames = 0;
    }
    return ++h2->frames <= IDLE_FRAMES_MAX;
}

static bool brings_nothing(const nghttp2_frame *frame)
{
    switch (frame->hd.type) {
    case NGHTTP2_PING:
    case NGHTTP2_SETTINGS:
    case NGHTTP2_PRIORITY: return true;
    case NGHTTP2_DATA:
        return frame->hd.length == 0 && !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM);
    default: return false;
    }
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct h2 *h2 = arg;
    h2->greeted = true;             /* nghttp2 tells of none before its preface */
    if (brings_nothing(frame) && !count_frame(h2))
        nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM);
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    struct h2_stream *stream = stream_of(h2, frame->hd.stream_id);
    if (!stream)
        return 0;
    stream->whole |= (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (!stream->judged)
        h2_stream_head(stream);
    if (stream->whole || stream->refused)
        make_ready(stream);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes,
                   size_t len, void *arg)
{
    (void)session, (void)flags;
    struct h2_stream *stream = stream_of(arg, id);
    if (stream)
        h2_stream_body(stream, (const char *)bytes, len);
    return 0;
}

/* An answer went out whole while the request had not come whole: no more of it. */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    bool end = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
        && (frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS);
    struct h2_stream *stream = end ? stream_of(arg, frame->hd.stream_id) : NULL;
    if (stream && !stream->whole)
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                                  NGHTTP2_NO_ERROR);
    return 0;
}

/* One that waits to be run is taken out of that list by running it. */
static int on_close(nghttp2_session *session, int32_t id, uint32_t code, void *arg)
{
    (void)session, (void)code;
    struct h2 *h2 = arg;
    struct h2_stream *stream = stream_of(h2, id);
    if (!stream)
        return 0;
    struct h2_stream **at = &h2->ready;
    while (*at && *at != stream)
        at = &(*at)->then;
    if (*at) {
        *at = stream->then;
        if (h2->ready_end == &stream->then)
            h2->ready_end = at;
    }
    h2_stream_close(stream);
    return 0;
}

/* What it remembers of headers is memory like any other. */
static void *take(size_t size, void *arg)
{
    (void)arg;
    return malloc(size);
}

static void *take_zeros(size_t count, size_t size, void *arg)
{
    (void)arg;
    return calloc(count, size);
}

static void *take_more(void *memory, size_t size, void *arg)
{
    (void)arg;
    return wr_forget_realloc(memory, size);
}

static void give(void *memory, void *arg)
{
    (void)arg;
    wr_forget_free(memory);
}

static bool open_session(struct h2 *h2)
{
    nghttp2_mem forgetful = { .malloc = take, .calloc = take_zeros, .realloc = take_more,
                              .free = give };
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    bool good = !nghttp2_session_callbacks_new(&callbacks) && !nghttp2_option_new(&option);
    if (good) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
        nghttp2_option_set_no_closed_streams(option, 1);
        nghttp2_option_set_max_outbound_ack(option, IDLE_FRAMES_MAX);
        nghttp2_option_set_stream_reset_rate_limit(option, RESETS_BURST, RESETS_PER_SECOND);
        nghttp2_option_set_max_continuations(option, CONTINUATIONS_MAX);
        good = !nghttp2_session_server_new3(&h2->session, callbacks, h2, option,
                                            wr_forgets() ? &forgetful : NULL);
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    const nghttp2_settings_entry settings[] = {
        { NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, H2_STREAMS_MAX },
        { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW },
        { NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, H2_LIST_MAX },
    };
    return good && !nghttp2_submit_settings(h2->session, NGHTTP2_FLAG_NONE, settings, 3)
        && !nghttp2_session_set_local_window_size(h2->session, NGHTTP2_FLAG_NONE, 0,
                                                  CONNECTION_WINDOW);
}

/* ---- reading and writing ---- */

static void write_out(struct h2 *h2, const void *bytes, size_t len)
{
    struct wr_piece pieces[] = { { h2->out, h2->out_len }, { bytes, len } };
    size_t size;
    if (h2->out_len + len == 0)
        return;
    wr_err err = wr_stream_write(h2->stream, &size, pieces, 2,
                                 h2->now + h2->http->now.write_within);
    h2->out_len = 0;
    iostat_count(IOSTAT_WRITE, err);
    h2->over |= err != WR_OK;
}

/* All that nghttp2 has to say, in as few writes as there is room for. */
static void flush(struct h2 *h2)
{
    while (!h2->over) {
        const uint8_t *bytes;
        wr_foreign_enter();
        ssize_t len = nghttp2_session_mem_send(h2->session, &bytes);
        wr_foreign_leave();
        if (len <= 0) {
            h2->over |= len < 0;
            break;
        }
        if (!h2->out && !(h2->out = malloc(OUT_MAX))) {
            h2->over = true;
        } else if ((size_t)len > OUT_MAX - h2->out_len) {
            write_out(h2, bytes, (size_t)len);
        } else {
            memcpy(h2->out + h2->out_len, bytes, (size_t)len);
            h2->out_len += (size_t)len;
        }
    }
    write_out(h2, NULL, 0);
}

static void feed(struct h2 *h2, const char *bytes, size_t len)
{
    wr_foreign_enter();
    ssize_t used = nghttp2_session_mem_recv(h2->session, (const uint8_t *)bytes, len);
    wr_foreign_leave();
    if (used == NGHTTP2_ERR_FLOODED)
        nghttp2_session_terminate_session(h2->session, NGHTTP2_ENHANCE_YOUR_CALM);
    else
        h2->over |= used < 0;
    while (h2->ready) {
        if (h2->owed > H2_OWED_MAX)
            flush(h2);              /* what the peer takes is not owed any more */
        struct h2_stream *stream = h2->ready;
        if (!stream)
            break;
        h2->ready = stream->then;
        if (!h2->ready)
            h2->ready_end = &h2->ready;
        stream->then = NULL;
        const struct wr_route *route = stream->call->route;
        bool here = route && route->class == WR_ROUTE_PRIORITY;
        h2_stream_run(stream);
        if (here)                   /* a hundred may have come together */
            (void)!wr_yield();
    }
}

static void read_more(struct h2 *h2)
{
    size_t size;
    if (!h2->in && !(h2->in = malloc(IN_MAX))) {
        h2->over = true;
        return;
    }
    wr_err err = wr_stream_read(h2->stream, &size, h2->in, IN_MAX, WR_NOW);
    if (err == WR_TIMEOUT)
        return;
    if (err || size == 0)
        h2->over = true;
    else
        feed(h2, h2->in, size);
}

/* ---- the connection ---- */

/* What should have happened by now; and when the next thing should. */
static void look_after(struct h2 *h2)
{
    if (h2->now < h2->next_due)
        return;
    h2->next_due = WR_NEVER;
    for (struct h2_stream *stream = h2->streams, *next; stream; stream = next) {
        next = stream->next;
        if (stream->due <= h2->now)
            h2_stream_late(stream);
        else if (stream->due < h2->next_due)
            h2->next_due = stream->due;
    }
}

static void take_words(struct h2 *h2, struct wr_call *first)
{
    for (struct wr_call *call = first; call;) {
        h2_stream_word(call->conn);
        if (wr_chan_recv(h2->done, &call, WR_NOW))
            break;
    }
}

static void rest(struct h2 *h2)
{
    wr_forget_free(h2->in);
    wr_forget_free(h2->out);
    h2->in = h2->out = NULL;
}

/* The peer is asked to go elsewhere, and served until it does. */
static void begin_drain(struct h2 *h2)
{
    h2->draining = true;
    nghttp2_submit_shutdown_notice(h2->session);
}

static wr_time patience_of(const struct h2 *h2)
{
    if (h2->count > 0)
        return h2->next_due;
    if (h2->in || h2->out)
        return h2->last + REST_AFTER;
    if (!h2->greeted)
        return h2->began + h2->http->now.head_within;
    return h2->last + (h2->draining ? DRAIN_GRACE : h2->http->now.idle_max);
}

/* Nobody is served: first the buffers go, then the connection. */
static void nothing_happened(struct h2 *h2)
{
    if (h2->in || h2->out)
        rest(h2);
    else
        nghttp2_session_terminate_session(h2->session, NGHTTP2_NO_ERROR);
}

/* Wait for the next thing, and see to it. */
static void turn(struct h2 *h2)
{
    struct wr_call *call = NULL;
    struct wr_case cases[] = {
        WR_CASE_RECV(h2->done, &call),
        wr_stream_readable(h2->stream),
        WR_CASE_ONCE(h2->http->drain, NULL),
    };
    size_t which;
    wr_err err = wr_select(&which, cases, 3 - (size_t)h2->draining, patience_of(h2));
    h2->now = wr_now();
    if (err == WR_TIMEOUT) {
        if (h2->count == 0)
            nothing_happened(h2);
    } else if (err) {
        h2->over = true;
        return;
    } else {
        h2->last = h2->now;
        if (which == 0)
            take_words(h2, call);
        else if (which == 1)
            read_more(h2);
        else
            begin_drain(h2);
    }
    look_after(h2);
}

/* Tasks are ended with their scope; calls that workers have are left to them. */
static void let_go(void *arg)
{
    struct h2 *h2 = arg;
    size_t words = 0;
    for (struct h2_stream *stream = h2->streams; stream; stream = stream->next)
        if (stream->gone)
            (void)!wr_once_set(stream->gone, NULL);
    (void)!wr_scope_close(h2->scope);
    for (struct h2_stream *stream = h2->streams, *next; stream; stream = next) {
        next = stream->next;
        words += stream->state == H2_QUEUED && !call_abandon(stream->call);
    }
    void *word;
    while (words > 0) {
        if (!wr_chan_recv(h2->done, &word, WR_NOW))
            words -= ((struct h2_stream *)((struct wr_call *)word)->conn)->state == H2_QUEUED;
        else
            call_await_word(h2->done), words--;
    }
    while (h2->streams)
        h2_stream_free(h2->streams);
    nghttp2_session_del(h2->session);
    while (h2->spare) {
        struct wr_call *call = h2->spare;
        h2->spare = call->next;
        call_drop(call);
    }
    wr_chan_free(h2->done);
    rest(h2);
}

/* After a panic the scope has been closed already. */
static void let_go_broken(void *arg)
{
    ((struct h2 *)arg)->scope = NULL;
    let_go(arg);
}

void h2_serve(struct visit *visit, const char *bytes, size_t len)
{
    struct h2 h2 = { .visit = visit, .http = visit->http, .stream = visit->stream,
                     .now = wr_now(), .next_due = WR_NEVER };
    struct wr_cleanup cleanup = { .fn = let_go_broken, .arg = &h2 };
    h2.began = h2.last = h2.now;
    h2.ready_end = &h2.ready;
    wr_rand_seed_from_world(&h2.ids);
    wr_cleanup_push(&cleanup);
    wr_err err = wr_chan_new(&h2.done, &(struct wr_chan_conf){
        .name = "http.done", .cap = H2_CALLS_MAX, .item_size = sizeof(void *),
        .policy = WR_WAIT });
    if (!err && open_session(&h2)) {
        if (len > 0)
            feed(&h2, bytes, len);
        flush(&h2);
        while (!h2.over
               && (nghttp2_session_want_read(h2.session)
                   || nghttp2_session_want_write(h2.session))) {
            turn(&h2);
            flush(&h2);
        }
        if (!h2.over)
            door_linger(visit->stream);
    }
    wr_cleanup_pop(&cleanup);
    let_go(&h2);
}
