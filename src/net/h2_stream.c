/* h2_stream.c - one request of an HTTP/2 connection: see h2.h. */
#include "net/h2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/forget.h"
#include "net/iostat.h"
#include "net/reject.h"

#define HEAD_ROOM 2048              /* most heads fit; more is allocated */
#define SPARE_MAX 32
#define HELD_MAX ((size_t)8 << 20)  /* bytes of bodies of one connection */

/* ---- making and letting go ---- */

static struct wr_call *take_call(struct h2 *h2)
{
    struct wr_call *call = h2->spare;
    if (!call)
        return call_new(h2->visit, HEAD_ROOM);
    h2->spare = call->next;
    h2->spare_count--;
    call->fill = 0;
    return call;
}

/* One that a worker is still about to let go of is not used again. */
static void give_call(struct h2 *h2, struct wr_call *call)
{
    if (h2->spare_count < SPARE_MAX
        && atomic_load_explicit(&call->holders, memory_order_acquire) == 1) {
        call_reset(call);
        wr_forget(call->bytes, call->room);
        call->next = h2->spare;
        h2->spare = call;
        h2->spare_count++;
    } else {
        call_drop(call);
    }
}

struct h2_stream *h2_stream_new(struct h2 *h2, int32_t id)
{
    struct h2_stream *self = h2->count < H2_CALLS_MAX ? calloc(1, sizeof(*self)) : NULL;
    struct wr_call *call = self ? take_call(h2) : NULL;
    if (!call) {
        free(self);
        return NULL;
    }
    call->began = h2->now;
    call->conn = self;
    call->head.version = 20;
    self->h2 = h2;
    self->call = call;
    self->id = id;
    self->next = h2->streams;
    if (self->next)
        self->next->prev = self;
    h2->streams = self;
    h2->count++;
    h2_stream_expect(self, h2->now + h2->http->now.head_within);
    return self;
}

void h2_stream_free(struct h2_stream *self)
{
    struct h2 *h2 = self->h2;
    h2->held -= self->held;
    h2->owed -= self->owed;
    if (self->prev)
        self->prev->next = self->next;
    else
        h2->streams = self->next;
    if (self->next)
        self->next->prev = self->prev;
    h2->count--;
    h2_task_free(self);
    give_call(h2, self->call);
    free(self);
}

void h2_stream_expect(struct h2_stream *self, wr_time due)
{
    self->due = due;
    if (due < self->h2->next_due)
        self->h2->next_due = due;
}

void h2_stream_close(struct h2_stream *self)
{
    self->closed = true;
    self->due = WR_NEVER;
    if (self->gone)
        (void)!wr_once_set(self->gone, NULL);
    if (self->state == H2_ANSWERED)
        server_count(self->h2->http, self->call, wr_now());
    if (self->state != H2_QUEUED && self->state != H2_TASK)
        h2_stream_free(self);
}

/* ---- the request ---- */

static bool refuse(struct h2_stream *self, wr_err err, unsigned status, const char *why)
{
    self->refused = true;
    call_identify(self->call, &self->h2->ids);
    call_refuse(self->call, err, status, why);
    return false;
}

/* A copy in the call's memory, with a zero byte behind it. */
static struct slice keep(struct wr_call *call, const char *bytes, size_t len)
{
    char *to = NULL;
    if (len < call->room - call->fill) {
        to = call->bytes + call->fill;
        call->fill += len + 1;
    } else {
        to = wr_call_alloc(call, len + 1);
    }
    if (!to)
        return (struct slice){ 0 };
    memcpy(to, bytes, len);
    to[len] = '\0';
    return (struct slice){ to, len };
}

static bool keep_pseudo(struct h2_stream *self, struct slice name, struct slice value)
{
    struct head *head = &self->call->head;
    if (SLICE_IS(name, ":method"))
        head->method = value.at;
    else if (SLICE_IS(name, ":path"))
        head->target = value;
    else if (SLICE_IS(name, ":scheme"))
        head->scheme = value;
    else if (SLICE_IS(name, ":authority"))
        head->host = value;
    return true;
}

/* What two readers could take for two different hosts, or bodies, is nothing. */
static bool keep_meaning(struct h2_stream *self, const struct field *field)
{
    struct head *head = &self->call->head;
    if (SLICE_IS(field->name, "host")) {
        if (head->host.at && !head_same_host(head->scheme, head->host, field->value))
            return refuse(self, WR_INVALID, 400, "a host other than the authority");
        if (!head->host.at)
            head->host = field->value;
    } else if (SLICE_IS(field->name, "content-length")) {
        head->length_known = true;
        head->length = strtoull(field->value.at, NULL, 10);
    } else if (SLICE_IS(field->name, "expect")) {
        if (!SLICE_IS(field->value, "100-continue"))
            return refuse(self, WR_INVALID, 417, "an expectation other than 100-continue");
        head->expects_continue = true;
    } else {
        const char *twice = head_note_single(head, field);
        if (twice)
            return refuse(self, WR_INVALID, 400, twice);
        head_note_corr(head, field);
    }
    return true;
}

bool h2_stream_field(struct h2_stream *self, const char *name, size_t name_len,
                     const char *value, size_t value_len)
{
    struct head *head = &self->call->head;
    self->list += name_len + value_len + 32;
    if (self->refused)
        return false;
    if (self->list > H2_LIST_MAX)
        return refuse(self, WR_INVALID, 431, "the head of the request is too large");
    struct slice kept = keep(self->call, value, value_len);
    if (name_len > 0 && name[0] == ':')
        return kept.at ? keep_pseudo(self, (struct slice){ name, name_len }, kept)
                       : refuse(self, WR_NOMEM, 503, NULL);
    if (head->count == HEAD_FIELDS_MAX)
        return refuse(self, WR_INVALID, 431, "too many header fields");
    struct field *field = &head->fields[head->count];
    *field = (struct field){ keep(self->call, name, name_len), kept };
    if (!field->name.at || !kept.at)
        return refuse(self, WR_NOMEM, 503, NULL);
    head->count++;
    return keep_meaning(self, field);
}

/* The body is wanted. */
static void go_on(struct h2_stream *self)
{
    static const nghttp2_nv status = { (uint8_t *)(uintptr_t) ":status",
                                       (uint8_t *)(uintptr_t) "100", 7, 3,
                                       NGHTTP2_NV_FLAG_NONE };
    if (nghttp2_submit_headers(self->h2->session, NGHTTP2_FLAG_NONE, self->id, NULL, &status, 1,
                               NULL))
        self->h2->over = true;
}

void h2_stream_head(struct h2_stream *self)
{
    struct h2 *h2 = self->h2;
    struct head *head = &self->call->head;
    self->judged = true;
    if (!head->method)
        head->method = "GET";               /* what was refused before it was told */
    head->length_known |= self->whole;      /* the head was all: there is no body */
    if (!self->refused && !head->target.at)
        refuse(self, WR_UNSUPPORTED, 501, "this is no proxy");
    if (!self->refused && head->target.at[0] != '/' && !SLICE_IS(head->target, "*"))
        refuse(self, WR_INVALID, 400, "a target that is no path");
    if (!self->refused)
        self->refused = !call_judge(self->call, &h2->ids, h2->now);
    if (!self->refused && head->expects_continue)
        go_on(self);
    h2_stream_expect(self, h2->now + call_body_within(self->call));
}

void h2_stream_body(struct h2_stream *self, const char *bytes, size_t len)
{
    struct wr_call *call = self->call;
    struct h2 *h2 = self->h2;
    if (self->refused || !self->judged)
        return;
    if (h2->held + len > HELD_MAX && h2->held > self->held) {
        nghttp2_submit_rst_stream(h2->session, NGHTTP2_FLAG_NONE, self->id,
                                  NGHTTP2_REFUSED_STREAM);
        self->refused = true;
        return;
    }
    call_collect(call, bytes, len);
    h2->held += call->collected.len - self->held;
    self->held = call->collected.len;
    if (call->body_over)
        refuse(self, WR_INVALID, 413, "the body is larger than this path takes");
}

/* ---- the answer ---- */

#define NV(name_, value_, len_, flags_) \
    (nghttp2_nv) \
    { \
        (uint8_t *)(uintptr_t)(name_), (uint8_t *)(uintptr_t)(value_), sizeof(name_) - 1, \
            len_, NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE | (flags_) \
    }

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* The lines that the handler added, as they are in its text. */
static size_t add_lines(nghttp2_nv *to, struct wr_text *lines)
{
    size_t count = 0;
    for (char *at = lines->at, *end = at + lines->len; at < end;) {
        char *colon = strchr(at, ':'), *stop = strstr(at, "\r\n");
        for (char *c = at; c < colon; c++)
            *c = lower(*c);
        to[count++] = (nghttp2_nv){ (uint8_t *)at, (uint8_t *)(colon + 2),
                                    (size_t)(colon - at), (size_t)(stop - colon - 2),
                                    NGHTTP2_NV_FLAG_NO_COPY_NAME
                                        | NGHTTP2_NV_FLAG_NO_COPY_VALUE };
        at = stop + 2;
    }
    return count;
}

void h2_stream_submit(struct h2_stream *self, const nghttp2_data_provider *body)
{
    struct wr_call *call = self->call;
    nghttp2_nv fields[CALL_HEADERS_COUNT_MAX + 8];
    size_t count = 0;
    bool typed = call->status != 204 && call->status != 304;
    bool sized = typed && (call->sized || !call->begun);
    unsigned status = call->status % 1000;
    self->status[0] = (char)('0' + status / 100);
    self->status[1] = (char)('0' + status / 10 % 10);
    self->status[2] = (char)('0' + status % 10);
    fields[count++] = NV(":status", self->status, 3, 0);
    if (typed)
        fields[count++] = NV("content-type", call->type, strlen(call->type), 0);
    if (sized) {
        struct wr_text text = WR_TEXT(self->length);
        wr_text_u64(&text, call->begun ? call->left : call->reply.len);
        fields[count++] = NV("content-length", self->length, text.len, 0);
    }
    fields[count++] = NV("x-content-type-options", "nosniff", 7, 0);
    date_stamp(&call->http->date, self->h2->now, self->date);
    fields[count++] = NV("date", self->date, DATE_TEXT - 1, 0);
    size_t len = strlen(call->corr);
    fields[count++] = NV("x-corr-id", call->corr, len, NGHTTP2_NV_FLAG_NO_INDEX);
    fields[count++] = NV("x-request-id", call->corr, len, NGHTTP2_NV_FLAG_NO_INDEX);
    const char *retry_after = reply_retry_after(call);
    if (retry_after)
        fields[count++] = NV("retry-after", retry_after, strlen(retry_after), 0);
    count += add_lines(fields + count, &call->headers);
    if (nghttp2_submit_response(self->h2->session, self->id, fields, count, body))
        self->h2->over = true;
}

static ssize_t read_reply(nghttp2_session *session, int32_t id, uint8_t *to, size_t size,
                          uint32_t *flags, nghttp2_data_source *source, void *arg)
{
    struct h2_stream *self = source->ptr;
    const struct wr_text *reply = &self->call->reply;
    size_t left = reply->len - self->sent, len = left < size ? left : size;
    (void)session, (void)id, (void)arg;
    memcpy(to, reply->at + self->sent, len);
    self->sent += len;
    if (len == left)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    h2_stream_expect(self, self->h2->now + self->h2->http->now.write_within);
    return (ssize_t)len;
}

void h2_stream_answer(struct h2_stream *self)
{
    self->state = H2_ANSWERED;
    if (self->closed) {
        h2_stream_free(self);
        return;
    }
    bool empty = self->call->reply.len == 0 || reply_bodiless(self->call);
    self->owed = empty ? 0 : self->call->reply.len;
    self->h2->owed += self->owed;       /* until it is freed */
    nghttp2_data_provider body = { .source.ptr = self, .read_callback = read_reply };
    h2_stream_submit(self, empty ? NULL : &body);
    h2_stream_expect(self, self->h2->now + self->h2->http->now.write_within);
}

/* ---- running ---- */

static void reset(struct h2_stream *self, uint32_t code)
{
    h2_stream_expect(self, WR_NEVER);
    nghttp2_submit_rst_stream(self->h2->session, NGHTTP2_FLAG_NONE, self->id, code);
}

void h2_stream_run(struct h2_stream *self)
{
    struct wr_call *call = self->call;
    struct h2 *h2 = self->h2;
    if (h2->owed > H2_OWED_MAX) {           /* it asks, and takes nothing */
        reject_count("answers_not_taken");
        reset(self, NGHTTP2_REFUSED_STREAM);
    } else if (self->refused || !call_count(call)) {
        h2_stream_answer(self);
    } else if (call->route->class == WR_ROUTE_PRIORITY) {
        call_handle(call);
        h2_stream_answer(self);
    } else if (call->route->class == WR_ROUTE_SHORT && h2->http->conf.submit) {
        self->state = H2_QUEUED;
        h2_stream_expect(self, call->hard_deadline);
        if (!call_submit(call, h2->done))
            h2_stream_answer(self);
    } else {
        wr_err err = h2_task_start(self);
        if (err) {
            call_uncount(call);
            call_fail(call, err);
            h2_stream_answer(self);
        }
    }
}

void h2_stream_word(struct h2_stream *self)
{
    if (self->state == H2_TASK)
        h2_task_follow(self);
    else
        h2_stream_answer(self);
}

/* The task is not done and has not begun to answer: it goes on as if the peer had gone,
 * and another answers in its place. */
static void leave_task(struct h2_stream *self)
{
    struct h2 *h2 = self->h2;
    struct wr_call *call = call_replace(self->call, HEAD_ROOM);
    struct h2_stream *heir = call ? h2_stream_new(h2, self->id) : NULL;
    if (!heir) {
        call_drop(call);
        reset(self, NGHTTP2_CANCEL);
        return;
    }
    give_call(h2, heir->call);
    heir->call = call;
    call->conn = heir;
    heir->judged = heir->whole = true;
    (void)nghttp2_session_set_stream_user_data(h2->session, self->id, heir);
    h2_stream_close(self);
    h2_stream_answer(heir);
}

/* A part that was handed over comes with a word, which is on the way then. */
static void late_task(struct h2_stream *self)
{
    bool handed = atomic_load_explicit(&self->parts, memory_order_relaxed);
    if (self->begun && !self->deferred) {
        iostat_timeout(IOSTAT_WRITE);       /* it sends, and nobody takes it */
        reset(self, NGHTTP2_CANCEL);
    } else if (!handed && !self->begun) {
        leave_task(self);
    } else if (!handed) {
        reset(self, NGHTTP2_CANCEL);        /* it has begun, and does not come to its end */
    }
}

void h2_stream_late(struct h2_stream *self)
{
    struct wr_call *old = self->call, *call;
    self->due = WR_NEVER;
    switch (self->state) {
    case H2_READING:
        if (!self->judged) {
            self->h2->over = true;          /* of a head that is not whole nothing is known */
        } else {
            iostat_timeout(IOSTAT_READ);
            refuse(self, WR_TIMEOUT, 408, "the body of the request came too slowly");
            h2_stream_answer(self);
        }
        break;
    case H2_QUEUED:
        if (!call_abandon(old))
            break;                          /* its word is on the way */
        call = call_replace(old, HEAD_ROOM);
        if (!call) {
            self->h2->over = true;
            break;
        }
        call->conn = self;
        self->call = call;
        call_drop(old);
        h2_stream_answer(self);
        break;
    case H2_TASK: late_task(self); break;
    case H2_ANSWERED:
        iostat_timeout(IOSTAT_WRITE);
        reset(self, NGHTTP2_CANCEL);
        break;
    }
}
