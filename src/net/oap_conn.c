/* oap_conn.c - one connection: frames in, answers out as they are ready.
 *
 * One fiber reads and writes.  It waits for whatever comes first: bytes, an answer of a
 * worker, a deadline, the drain.  A request is in the table from its first frame to its
 * answer; one that was refused before its END stays there, so that the rest of it is
 * known and dropped.
 */
#include <string.h>

#include <weir/panic.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "base/forget.h"
#include "net/iostat.h"
#include "net/oap_hello.h"
#include "net/oap_server.h"
#include "net/reject.h"

#define READ_SIZE 8192
#define TURN 16                     /* steps after which others come first */

struct conn {
    struct wr_oap *oap;
    struct wr_stream *stream;
    struct wr_guest *guest;            /* at the door; NULL when it has no address */
    struct oap_mailbox *mailbox;
    struct oap_decoder decoder;
    size_t frame_max;               /* of our frames */
    struct wr_oap_call *calls[OAP_INFLIGHT_MAX];
    size_t count;
    size_t live, running;           /* of these: not refused; of these: whole */
    size_t held;                    /* bytes of requests */
    wr_time frame_until;            /* the frame that has begun must be whole; or NEVER */
    wr_time idle_until;
    unsigned steps;
    bool greeted, ended, closing, broken;   /* ended: the peer sends no more */
    bool late;                      /* there is a drain: leaves with its last answer */
};

/* ---- writing ---- */

static void write_frame(struct conn *conn, const struct oap_frame *frame)
{
    unsigned char head[OAP_HEAD];
    size_t size;
    if (conn->broken)
        return;
    oap_encode(head, frame);
    struct wr_piece pieces[] = { { head, sizeof(head) },
                                 { frame->payload, frame->payload_len } };
    wr_err err = wr_stream_write(conn->stream, &size, pieces, frame->payload_len ? 2 : 1,
                                 wr_after(conn->oap->now.write_within));
    iostat_count(IOSTAT_WRITE, err);
    if (err)
        conn->broken = conn->closing = true;
}

/* A frame that answers this one. */
static void write_answer(struct conn *conn, const struct oap_frame *to, unsigned flags,
                         uint16_t code, struct wr_piece payload)
{
    struct oap_frame frame = {
        .flags = (uint16_t)(OAP_RESP | flags), .code = code, .proto = to->proto,
        .corr = to->corr, .payload = payload.at, .payload_len = payload.len,
    };
    memcpy(frame.tenant, to->tenant, OAP_TENANT);
    write_frame(conn, &frame);
}

static void refuse_frame(struct conn *conn, const struct oap_frame *to, enum oap_bad bad)
{
    char buf[400];
    struct wr_text text = WR_TEXT(buf);
    oap_count_reject(bad);
    oap_error(&text, oap_bad_reason(bad), oap_bad_text(bad), oap_bad_code(bad) >= 429,
              to->corr);
    write_answer(conn, to, OAP_END, oap_bad_code(bad), (struct wr_piece){ text.at, text.len });
}

/* ... and that is the end of the connection. */
static void give_up(struct conn *conn, const struct oap_frame *to, enum oap_bad bad)
{
    refuse_frame(conn, to, bad);
    conn->closing = true;
}

static void write_error(struct conn *conn, const struct wr_oap_call *call)
{
    char buf[600];
    struct wr_text text = WR_TEXT(buf);
    const char *name = call->verb ? wr_err_name(call->failed) : "NotImplemented";
    const char *why = call->why[0] ? call->why : wr_err_text(call->failed);
    oap_error(&text, name, why, wr_err_retryable(call->failed), call->frame.corr);
    write_answer(conn, &call->frame, OAP_END, oap_call_code(call),
                 (struct wr_piece){ text.at, text.len });
}

/* A part of an answer.  START is on the first frame of all, END on the last. */
static void write_part(struct conn *conn, struct wr_oap_call *call, struct wr_piece part,
                       bool last)
{
    size_t chunk_max = conn->oap->conf.chunk_max;
    size_t most = conn->frame_max - OAP_HEAD < chunk_max ? conn->frame_max - OAP_HEAD
                                                         : chunk_max;
    const char *at = part.at;
    size_t left = part.len;
    do {
        size_t size = left < most ? left : most;
        unsigned flags = (call->begun ? 0 : OAP_START) | (last && size == left ? OAP_END : 0);
        write_answer(conn, &call->frame, flags, 200, (struct wr_piece){ at, size });
        call->begun = true;
        at += size;
        left -= size;
    } while (left > 0 && !conn->broken);
}

wr_err oap_conn_send(void *arg, struct wr_oap_call *call, const void *bytes, size_t len)
{
    struct conn *conn = arg;
    write_part(conn, call, (struct wr_piece){ bytes, len }, false);
    return conn->broken ? WR_BROKENPIPE : WR_OK;
}

/* A part that a worker sent.  Its connection may have given the call up since. */
static void take_part(struct conn *conn, struct oap_part *part)
{
    if (atomic_load(&part->call->claim) != OAP_ABANDONED)
        write_part(conn, part->call, (struct wr_piece){ part->bytes, part->len }, false);
    oap_part_drop(part);
}

/* ---- the table ---- */

static struct wr_oap_call *find(const struct conn *conn, uint64_t corr)
{
    for (size_t i = 0; i < conn->count; i++)
        if (conn->calls[i]->frame.corr == corr)
            return conn->calls[i];
    return NULL;
}

static void forget(struct conn *conn, struct wr_oap_call *call)
{
    size_t i = 0;
    while (conn->calls[i] != call)
        i++;
    conn->calls[i] = conn->calls[--conn->count];
    conn->running -= call->phase == OAP_RUNNING;
    if (call->phase != OAP_REFUSED) {
        conn->held -= oap_call_size(call);
        conn->live--;
    }
    oap_call_drop(call);
    conn->closing |= (conn->late || conn->ended) && conn->live == 0;
}

static void answer(struct conn *conn, struct wr_oap_call *call)
{
    if (call->failed)
        write_error(conn, call);
    else
        write_part(conn, call, (struct wr_piece){ call->reply.at, call->reply.len }, true);
    oap_count_call(call);
    forget(conn, call);
}

/* Answer a request that will not be run; when more of it is to come, that is dropped. */
static void refuse(struct conn *conn, struct wr_oap_call *call, wr_err err, bool whole)
{
    call->failed = err;
    if (whole) {
        answer(conn, call);
        return;
    }
    write_error(conn, call);
    oap_count_call(call);
    conn->held -= oap_call_size(call);
    conn->live--;
    call->phase = OAP_REFUSED;
    oap_call_release(call);
}

static void refuse_large(struct conn *conn, struct wr_oap_call *call, bool whole)
{
    (void)!wr_oap_fail(call, WR_INVALID, "the payload has more than %zu bytes",
                       call->verb->payload_max);
    call->code = 413;
    refuse(conn, call, WR_INVALID, whole);
}

/* ---- requests ---- */

static const struct wr_oap_verb *verb_of(const struct wr_oap *oap, uint16_t id)
{
    for (size_t i = 0; i < oap->conf.count; i++)
        if (oap->conf.verbs[i].id == id)
            return &oap->conf.verbs[i];
    return NULL;
}

/* Its address asks more often than it may.  What has priority is answered at once, one
 * after the other: a connection has one of those, and needs no place for it. */
static wr_err pay(struct conn *conn, struct wr_oap_call *call)
{
    struct wr_admit_refusal why;
    struct wr_admit *admit = conn->oap->door.admit;
    bool control = call->verb->priority;
    wr_err err = control ? wr_admit_control(admit, conn->guest, call->began, &why)
                         : wr_admit_request(admit, conn->guest, call->began, &why);
    if (err) {
        reject_count(why.reason);
        (void)!wr_oap_fail(call, err, "this address asks more often than it may; come again in "
                           "%lld ms", (long long)((why.wait + WR_MS(1) - 1) / WR_MS(1)));
    }
    return err;
}

/* Whether the request may be: before any of it is queued, and before it is inflated. */
static wr_err admit(struct conn *conn, struct wr_oap_call *call)
{
    struct wr_oap *oap = call->oap;
    call->verb = verb_of(oap, call->frame.proto);
    if (!call->verb)
        return wr_oap_fail(call, WR_UNSUPPORTED, "there is no verb of this number");
    call->hard_deadline = call->began + call->verb->deadline;
    call->deadline = call->hard_deadline - call->verb->deadline / 4;
    if (atomic_load(&oap->draining) && !call->verb->priority)
        return WR_DRAINING;
    wr_err err = pay(conn, call);
    if (err)
        return err;
    if (oap->conf.auth) {
        err = oap->conf.auth(oap->conf.arg, call, call->frame.cap, call->frame.cap_len);
        if (err) {
            call->unauthorized = true;
            return err;
        }
    }
    call->let_in = true;
    unsigned most = oap->now.tenant_max;
    if (oap_call_enter(call, most))
        return wr_oap_fail(call, WR_BUSY, "the tenant has as many requests in flight as it "
                           "may (%u), or there are too many tenants", most);
    return WR_OK;
}

static void run(struct conn *conn, struct wr_oap_call *call)
{
    struct wr_oap *oap = conn->oap;
    call->phase = OAP_RUNNING;
    conn->running++;
    if (call->verb->priority || !oap->conf.submit) {
        call->here = conn;
        oap_call_handle(call);
        answer(conn, call);
        return;
    }
    atomic_store(&call->holders, 2);
    wr_err err = oap->conf.submit(oap->conf.arg, call);
    if (err) {
        atomic_store(&call->holders, 1);
        refuse(conn, call, err, true);
    }
}

/* More of a payload.  False when it was refused. */
static bool collect(struct conn *conn, struct wr_oap_call *call, const struct oap_frame *frame)
{
    bool whole = frame->flags & OAP_END;
    if (conn->held + frame->payload_len > OAP_BUFFER_MAX) {
        (void)!wr_oap_fail(call, WR_BUSY, "the requests of this connection hold %zu bytes, "
                           "which is all they may", conn->held);
        refuse(conn, call, WR_BUSY, whole);
        return false;
    }
    size_t before = call->collected.len;
    wr_text_bytes(&call->collected, (const char *)frame->payload, frame->payload_len);
    conn->held += call->collected.len - before;
    if (!call->collected.cut)
        return true;
    refuse_large(conn, call, whole);
    return false;
}

static bool inflate(struct conn *conn, struct wr_oap_call *call, struct oap_frame *frame,
                    bool whole)
{
    enum oap_bad bad = oap_inflate(frame);
    if (!bad)
        return true;
    oap_count_reject(bad);
    (void)!wr_oap_fail(call, WR_INVALID, "%s", oap_bad_text(bad));
    call->code = oap_bad_code(bad);
    refuse(conn, call, bad == OAP_BAD_MEMORY ? WR_NOMEM : WR_INVALID, whole);
    return false;
}

/* The first frame of many: from now on the payload grows, and of the frame only its ids
 * are needed. */
static void begin_collecting(struct conn *conn, struct wr_oap_call *call)
{
    struct oap_frame first = call->frame;
    conn->held -= oap_call_size(call);
    call->frame.memory = NULL;
    call->frame.cap_len = call->frame.payload_len = 0;
    call->many = true;
    call->collected = wr_text_heap(call->verb->payload_max + 1);
    (void)collect(conn, call, &first);
    oap_frame_free(&first);
}

static void begin(struct conn *conn, struct oap_frame *frame)
{
    bool whole = !(frame->flags & OAP_START) || frame->flags & OAP_END;
    if (conn->count == conn->oap->conf.inflight_max) {
        refuse_frame(conn, frame, OAP_BAD_CREDIT);
        conn->closing |= !whole;        /* its rest could not be told from a request */
        return;
    }
    struct wr_oap_call *call = oap_call_new(conn->oap, conn->mailbox,
                                            wr_stream_peer(conn->stream), frame);
    if (!call) {
        give_up(conn, frame, OAP_BAD_MEMORY);
        return;
    }
    conn->calls[conn->count++] = call;
    conn->live++;
    conn->held += oap_call_size(call);
    wr_err err = admit(conn, call);
    if (!call->verb)
        oap_count_reject(OAP_BAD_MISSING);
    if (err) {
        refuse(conn, call, err, whole);
        return;
    }
    size_t before = oap_call_size(call);
    if (!inflate(conn, call, &call->frame, whole))
        return;
    conn->held += oap_call_size(call) - before;
    if (call->frame.payload_len > call->verb->payload_max)
        refuse_large(conn, call, whole);
    else if (whole)
        run(conn, call);
    else
        begin_collecting(conn, call);
}

/* A frame between START and END, or END itself. */
static void go_on(struct conn *conn, struct wr_oap_call *call, struct oap_frame *frame)
{
    bool whole = frame->flags & OAP_END;
    if (call->phase == OAP_REFUSED) {
        if (whole)
            forget(conn, call);
        return;
    }
    if (!inflate(conn, call, frame, whole) || !collect(conn, call, frame))
        return;
    if (whole)
        run(conn, call);
    else if (frame->flags & OAP_ACK_REQ)
        write_answer(conn, frame, 0, 206, (struct wr_piece){ 0 });
}

static void greet(struct conn *conn, const struct oap_frame *frame)
{
    char buf[300];
    struct wr_text text = WR_TEXT(buf);
    if (!oap_hello_read(&conn->frame_max, frame->payload, frame->payload_len)
        || (!conn->mailbox && oap_mailbox_new(&conn->mailbox))) {
        give_up(conn, frame, OAP_BAD_HELLO);
        return;
    }
    conn->greeted = true;
    conn->decoder.frame_max = conn->frame_max;
    oap_hello_write(&text, conn->frame_max, conn->oap->conf.inflight_max, conn->oap->conf.tls);
    write_answer(conn, frame, 0, 200, (struct wr_piece){ text.at, text.len });
}

static void take_frame(struct conn *conn, struct oap_frame *frame)
{
    const unsigned kind = OAP_REQ | OAP_RESP | OAP_EVENT;
    if ((frame->flags & kind) != OAP_REQ || frame->code != 0) {
        give_up(conn, frame, OAP_BAD_ENVELOPE);
        return;
    }
    if (frame->proto == WR_OAP_HELLO || !conn->greeted) {
        if (frame->proto == WR_OAP_HELLO)
            greet(conn, frame);
        else
            give_up(conn, frame, OAP_BAD_HELLO);
        return;
    }
    struct wr_oap_call *call = find(conn, frame->corr);
    bool first = !call && (frame->flags & OAP_START || !(frame->flags & OAP_END));
    bool next = call && call->phase != OAP_RUNNING && !(frame->flags & OAP_START)
        && call->frame.proto == frame->proto;
    if (first)
        begin(conn, frame);
    else if (next)
        go_on(conn, call, frame);
    else
        give_up(conn, frame, OAP_BAD_ENVELOPE);
}

/* ---- reading ---- */

static void feed(struct conn *conn, const unsigned char *bytes, size_t len)
{
    size_t used;
    struct oap_frame frame;
    while (len > 0 && !conn->closing) {
        enum oap_state state = oap_feed(&conn->decoder, bytes, len, &used, &frame);
        bytes += used;
        len -= used;
        if (state == OAP_BAD) {
            give_up(conn, &conn->decoder.frame, conn->decoder.bad);
        } else if (state == OAP_FRAME) {
            conn->frame_until = WR_NEVER;
            take_frame(conn, &frame);
            oap_frame_free(&frame);
        }
    }
    if (conn->decoder.have > 0 && conn->frame_until == WR_NEVER)
        conn->frame_until = wr_after(conn->oap->now.read_within);
}

static void read_some(struct conn *conn)
{
    unsigned char bytes[READ_SIZE];
    size_t size;
    wr_err err = wr_stream_read(conn->stream, &size, bytes, sizeof(bytes), WR_NOW);
    if (!err && size > 0) {
        feed(conn, bytes, size);
    } else if (!err) {
        conn->ended = true;             /* what is whole is still answered */
        conn->closing = conn->running == 0;
        if (conn->decoder.have > 0)
            give_up(conn, &conn->decoder.frame, OAP_BAD_TRUNCATED);
    } else if (err != WR_TIMEOUT && err != WR_BUSY) {
        iostat_error(IOSTAT_READ);
        conn->broken = conn->closing = true;
    }
    wr_forget(bytes, sizeof(bytes));
}

/* ---- waiting ---- */

/* The next moment at which something is too late. */
static wr_time next_deadline(const struct conn *conn)
{
    wr_time next = conn->frame_until;
    for (size_t i = 0; i < conn->count; i++)
        if (conn->calls[i]->phase != OAP_REFUSED && conn->calls[i]->hard_deadline < next)
            next = conn->calls[i]->hard_deadline;
    return conn->live == 0 && conn->idle_until < next ? conn->idle_until : next;
}

/* A worker that is not done keeps the call; its answer will be nobody's.  One that is
 * done has posted it, or is about to. */
static void give_up_call(struct conn *conn, struct wr_oap_call *call)
{
    if (call->phase == OAP_COLLECTING) {
        (void)!wr_oap_fail(call, WR_TIMEOUT, "the request did not come to its end in time");
        refuse(conn, call, WR_TIMEOUT, false);
        return;
    }
    if (!oap_call_claim(call, OAP_ABANDONED)) {
        call->hard_deadline = WR_NEVER;
        return;
    }
    struct wr_oap_call late = { .oap = call->oap, .verb = call->verb, .began = call->began,
                                .frame = call->frame, .failed = WR_TIMEOUT };
    write_error(conn, &late);
    oap_count_call(&late);
    forget(conn, call);
}

static void be_late(struct conn *conn, wr_time now)
{
    for (size_t i = conn->count; i > 0; i--)
        if (conn->calls[i - 1]->phase != OAP_REFUSED
            && conn->calls[i - 1]->hard_deadline <= now)
            give_up_call(conn, conn->calls[i - 1]);
    if (conn->frame_until <= now) {
        iostat_timeout(conn->greeted ? IOSTAT_READ : IOSTAT_HANDSHAKE);
        give_up(conn, &conn->decoder.frame, OAP_BAD_TRUNCATED);
    } else if (conn->live == 0 && conn->idle_until <= now) {
        if (!conn->greeted)
            iostat_timeout(IOSTAT_HANDSHAKE);
        conn->closing = true;
    }
}

/* A worker is done with a call.  What it sent before is still among the parts: no more
 * than these wait, so the rest are others'. */
static void finish(struct conn *conn, struct wr_oap_call *call)
{
    struct oap_part part;
    for (int i = 0; i < OAP_PARTS && !wr_chan_recv(conn->mailbox->parts, &part, WR_NOW); i++)
        take_part(conn, &part);
    answer(conn, call);
    oap_call_drop(call);                /* what was the worker's */
}

/* Wait for one thing, and do it. */
static void step(struct conn *conn)
{
    struct wr_oap_call *call = NULL;
    struct oap_part part;
    size_t which = 0, count = 0, done = 4, parts = 4, readable = 4;
    struct wr_case cases[4];
    if (conn->mailbox) {
        done = count;
        cases[count++] = (struct wr_case)WR_CASE_RECV(conn->mailbox->done, &call);
        parts = count;
        cases[count++] = (struct wr_case)WR_CASE_RECV(conn->mailbox->parts, &part);
    }
    if (!conn->ended && (conn->held < OAP_BUFFER_MAX || conn->running == 0)) {
        readable = count;
        cases[count++] = wr_stream_readable(conn->stream);
    }
    if (!conn->late)
        cases[count++] = (struct wr_case)WR_CASE_ONCE(conn->oap->drain, NULL);
    wr_time until = next_deadline(conn);
    wr_err err = wr_select(&which, cases, count, until);
    if (err == WR_TIMEOUT && !wr_scope_check()) {
        be_late(conn, wr_now());
        return;
    }
    if (err) {
        conn->broken = conn->closing = true;
    } else if (which == done) {
        WR_ASSERT(call);
        finish(conn, call);
    } else if (which == parts) {
        take_part(conn, &part);
    } else if (which == readable) {
        read_some(conn);
    } else {
        conn->late = true;
        conn->closing = conn->live == 0 && conn->decoder.have == 0;
    }
    wr_time now = wr_now();
    if (conn->greeted && !err)
        conn->idle_until = now + conn->oap->now.idle_max;
    if (until <= now)
        be_late(conn, now);             /* there is always something to do */
}

/* ---- the end ---- */

static void let_go(void *arg)
{
    struct conn *conn = arg;
    struct wr_oap_call *call;
    struct oap_part part;
    oap_close(&conn->decoder);
    if (conn->mailbox) {
        wr_chan_close(conn->mailbox->done);
        wr_chan_close(conn->mailbox->parts);
    }
    for (size_t i = 0; i < conn->count; i++) {
        (void)oap_call_claim(conn->calls[i], OAP_ABANDONED);
        oap_call_drop(conn->calls[i]);
    }
    while (conn->mailbox && !wr_chan_recv(conn->mailbox->parts, &part, WR_NOW))
        oap_part_drop(&part);
    while (conn->mailbox && !wr_chan_recv(conn->mailbox->done, &call, WR_NOW))
        oap_call_drop(call);
    oap_mailbox_drop(conn->mailbox);
}

void oap_conn_serve(struct wr_oap *oap, struct wr_stream *stream, struct wr_guest *guest)
{
    struct conn conn = {
        .oap = oap, .stream = stream, .guest = guest, .frame_max = oap->conf.frame_max,
        .frame_until = WR_NEVER, .idle_until = wr_after(oap->now.hello_within),
        .late = atomic_load(&oap->draining),
    };
    struct wr_cleanup cleanup = { .fn = let_go, .arg = &conn };
    oap_open(&conn.decoder, oap->conf.frame_max);
    wr_cleanup_push(&cleanup);
    while (!conn.closing) {
        step(&conn);
        if (++conn.steps % TURN == 0)
            conn.closing |= wr_yield() != WR_OK;
    }
    if (!conn.broken)
        door_linger(stream);
    wr_cleanup_pop(&cleanup);
    let_go(&conn);
}
