/* h2_task.c - calls of an HTTP/2 connection that run as tasks: see h2.h. */
#include <stdlib.h>
#include <string.h>

#include <weir/select.h>
#include <weir/task.h>

#include "base/forget.h"
#include "net/h2.h"

#define ROOM ((size_t)64 * 1024)    /* bytes of a stream that nobody has taken yet */
#define PART_MAX ((size_t)16 * 1024)
#define PART_COST_MIN ((size_t)1024)
#define LAST_WORD WR_MS(5)          /* from its deadline on, to say itself that it was that */

/* ---- tasks: their side ---- */

/* One part more; with the first of a list goes the word. */
static void hand_over(struct h2_stream *self, struct part *part)
{
    struct part *before = atomic_load_explicit(&self->parts, memory_order_relaxed);
    do
        part->next = before;
    while (!atomic_compare_exchange_weak_explicit(&self->parts, &before, part,
                                                  memory_order_acq_rel, memory_order_relaxed));
    if (!before)
        (void)!wr_chan_send(self->h2->done, &(void *){ self->call }, WR_NOW);
}

static wr_err task_begin(struct wr_call *call)
{
    struct h2_stream *self = call->conn;
    hand_over(self, &self->begin);
    return wr_once_done(self->gone) ? WR_BROKENPIPE : WR_OK;
}

static wr_err send_part(struct h2_stream *self, const char *bytes, size_t len, wr_time deadline)
{
    size_t cost = len > PART_COST_MIN ? len : PART_COST_MIN, which;
    struct wr_case cases[] = { WR_CASE_ONCE(self->gone, NULL), WR_CASE_SEM(self->room, cost) };
    wr_err err = wr_select(&which, cases, 2, deadline);
    if (err)
        return err;
    if (which == 0)
        return WR_BROKENPIPE;
    struct part *part = malloc(sizeof(*part) + len);
    if (!part) {
        wr_sem_release_many(self->room, cost);
        return WR_NOMEM;
    }
    *part = (struct part){ .kind = PART_BYTES, .cost = cost, .len = len,
                           .bytes = (char *)(part + 1) };
    memcpy(part->bytes, bytes, len);
    hand_over(self, part);
    return WR_OK;
}

static wr_err task_send(struct wr_call *call, const void *bytes, size_t len, wr_time deadline)
{
    struct h2_stream *self = call->conn;
    const char *at = bytes;
    wr_err err = WR_OK;
    while (len > 0 && !err) {
        size_t size = len < PART_MAX ? len : PART_MAX;
        err = send_part(self, at, size, deadline);
        at += size;
        len -= size;
    }
    return err;
}

static wr_err task_select(struct wr_call *call, size_t *ret, struct wr_case *cases,
                          size_t count, wr_time deadline, const char *place)
{
    struct h2_stream *self = call->conn;
    cases[count] = (struct wr_case)WR_CASE_ONCE(self->gone, NULL);
    wr_err err = (wr_select)(ret, cases, count + 1, deadline, place);
    return !err && *ret == count ? WR_BROKENPIPE : err;
}

static const struct call_io task_io = {
    .begin = task_begin, .send = task_send, .select = task_select,
};

static void end_broken(void *arg)
{
    struct h2_stream *self = arg;
    call_uncount(self->call);
    call_fail(self->call, WR_PANIC);
    hand_over(self, &self->end);
}

/* After the end was handed over, nothing here is ours. */
static wr_err run_task(void *arg)
{
    struct h2_stream *self = arg;
    struct wr_cleanup cleanup = { .fn = end_broken, .arg = self };
    wr_cleanup_push(&cleanup);
    call_handle(self->call);
    wr_cleanup_pop(&cleanup);
    hand_over(self, &self->end);
    return WR_OK;
}

/* ---- tasks: the connection's side ---- */

/* Of a short call the soft deadline was before. */
static wr_time patience_with(const struct wr_call *call)
{
    return call->hard_deadline + (call->route->class == WR_ROUTE_SHORT ? 0 : LAST_WORD);
}

wr_err h2_task_start(struct h2_stream *self)
{
    struct h2 *h2 = self->h2;
    wr_err err = WR_OK;
    if (!h2->scope)
        err = wr_scope_new(&h2->scope, &(struct wr_scope_conf){
            .name = "http.streams", .deadline = WR_NEVER, .independent = true });
    if (!err)
        err = wr_once_new(&self->gone, "http.gone", 0);
    if (!err && self->call->route->class == WR_ROUTE_STREAM)
        err = wr_sem_new(&self->room, "http.room", ROOM);
    self->begin.kind = PART_BEGIN;
    self->end.kind = PART_END;
    self->call->io = &task_io;
    self->state = H2_TASK;
    h2_stream_expect(self, patience_with(self->call));
    return err ? err : wr_scope_go(h2->scope, "http.stream", run_task, self);
}

static void drop_part(struct h2_stream *self)
{
    struct part *part = self->first;
    self->first = part->next;
    if (!self->first)
        self->last = NULL;
    wr_sem_release_many(self->room, part->cost);
    wr_forget_free(part);
    self->sent = 0;
}

static ssize_t end_of_parts(struct h2_stream *self, uint32_t *flags)
{
    const struct wr_call *call = self->call;
    if (!self->ended) {
        self->deferred = true;
        h2_stream_expect(self, call->hard_deadline + self->h2->http->now.write_within);
        return NGHTTP2_ERR_DEFERRED;
    }
    if (call->failed || (call->sized && call->left > 0))
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;       /* the peer sees it is not all */
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    return 0;
}

static ssize_t read_parts(nghttp2_session *session, int32_t id, uint8_t *to, size_t size,
                          uint32_t *flags, nghttp2_data_source *source, void *arg)
{
    struct h2_stream *self = source->ptr;
    size_t len = 0;
    (void)session, (void)id, (void)arg;
    while (self->first && len < size) {
        size_t left = self->first->len - self->sent;
        size_t n = left < size - len ? left : size - len;
        memcpy(to + len, self->first->bytes + self->sent, n);
        len += n;
        self->sent += n;
        if (n == left)
            drop_part(self);
    }
    if (len == 0)
        return end_of_parts(self, flags);
    h2_stream_expect(self, self->h2->now + self->h2->http->now.write_within);
    return (ssize_t)len;
}

static void begin_parts(struct h2_stream *self)
{
    nghttp2_data_provider body = { .source.ptr = self, .read_callback = read_parts };
    if (!self->closed)
        h2_stream_submit(self, reply_bodiless(self->call) ? NULL : &body);
}

static void take_part(struct h2_stream *self, struct part *part)
{
    part->next = NULL;
    if (part->kind == PART_BEGIN) {
        self->begun = true;
        begin_parts(self);
    } else if (part->kind == PART_END) {
        self->ended = true;
    } else {
        if (self->last)
            self->last->next = part;
        else
            self->first = part;
        self->last = part;
    }
}

/* All parts that were handed over, in the order they were. */
static void take_parts(struct h2_stream *self)
{
    struct part *taken = atomic_exchange_explicit(&self->parts, NULL, memory_order_acq_rel);
    struct part *ordered = NULL;
    while (taken) {
        struct part *next = taken->next;
        taken->next = ordered;
        ordered = taken;
        taken = next;
    }
    while (ordered) {
        struct part *next = ordered->next;
        take_part(self, ordered);
        ordered = next;
    }
}

/* The task may be on its way into a wait for room: that is given back to it. */
static void discard_parts(struct h2_stream *self)
{
    while (self->first)
        drop_part(self);
}

void h2_task_follow(struct h2_stream *self)
{
    take_parts(self);
    if (self->closed)
        discard_parts(self);
    if (self->ended && (self->closed || !self->call->begun)) {
        h2_stream_answer(self);
        return;
    }
    if (self->ended)
        self->state = H2_ANSWERED;
    if (self->deferred && (self->first || self->ended)) {
        self->deferred = false;
        nghttp2_session_resume_data(self->h2->session, self->id);
        h2_stream_expect(self, self->h2->now + self->h2->http->now.write_within);
    }
}

static void free_parts(struct part *part)
{
    while (part) {
        struct part *next = part->next;
        if (part->kind == PART_BYTES)
            wr_forget_free(part);
        part = next;
    }
}

void h2_task_free(struct h2_stream *self)
{
    free_parts(self->first);
    free_parts(atomic_load(&self->parts));
    wr_once_free(self->gone);
    wr_sem_free(self->room);
}
