/* oap_call.c - what a handler of OAP sees: see weir/oap.h, and oap_server.h for who
 * owns what. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "base/forget.h"
#include "base/hash.h"
#include "net/oap_server.h"

/* ---- making and letting go ---- */

static void drop_posted(void *item)
{
    oap_call_drop(*(struct wr_oap_call **)item);
}

void oap_part_drop(struct oap_part *part)
{
    wr_forget_free(part->bytes);
    oap_call_drop(part->call);
}

static void drop_part(void *item)
{
    oap_part_drop(item);
}

wr_err oap_mailbox_new(struct oap_mailbox **ret)
{
    struct oap_mailbox *mailbox = calloc(1, sizeof(*mailbox));
    if (!mailbox)
        return WR_NOMEM;
    atomic_init(&mailbox->holders, 1);
    wr_err err = wr_chan_new(&mailbox->done, &(struct wr_chan_conf){
        .name = "oap.done", .item_size = sizeof(struct wr_oap_call *), .cap = OAP_INFLIGHT_MAX,
        .policy = WR_REJECT, .drop = drop_posted });
    if (!err)
        err = wr_chan_new(&mailbox->parts, &(struct wr_chan_conf){
            .name = "oap.parts", .item_size = sizeof(struct oap_part), .cap = OAP_PARTS,
            .policy = WR_WAIT, .drop = drop_part });
    if (err)
        oap_mailbox_drop(mailbox);
    else
        *ret = mailbox;
    return err;
}

void oap_mailbox_drop(struct oap_mailbox *mailbox)
{
    if (!mailbox || atomic_fetch_sub(&mailbox->holders, 1) > 1)
        return;
    wr_chan_free(mailbox->done);
    wr_chan_free(mailbox->parts);
    free(mailbox);
}

struct wr_oap_call *oap_call_new(struct wr_oap *oap, struct oap_mailbox *mailbox,
                                 const struct wr_addr *peer, struct oap_frame *frame)
{
    struct wr_oap_call *call = calloc(1, sizeof(*call));
    if (!call)
        return NULL;
    call->oap = oap;
    call->mailbox = mailbox;
    atomic_fetch_add(&mailbox->holders, 1);
    call->peer = *peer;
    call->frame = *frame;
    *frame = (struct oap_frame){ 0 };
    call->began = wr_now();
    call->reply = wr_text_heap(OAP_REPLY_MAX);
    atomic_init(&call->holders, 1);
    atomic_fetch_add(&oap->calls, 1);
    return call;
}

wr_err oap_call_enter(struct wr_oap_call *call, unsigned most)
{
    struct { char share[CALLER_SHARE_MAX]; unsigned char tenant[OAP_TENANT]; } key = { 0 };
    snprintf(key.share, sizeof(key.share), "%s", caller_of_oap(call)->share);
    memcpy(key.tenant, call->frame.tenant, OAP_TENANT);
    struct wr_hash hash = wr_hash_of(&key, sizeof(key));
    return roster_enter(call->oap->tenants, hash.bytes, sizeof(hash.bytes), most, &call->guest);
}

void oap_call_drop(struct wr_oap_call *call)
{
    if (!call || atomic_fetch_sub(&call->holders, 1) > 1)
        return;
    if (call->guest)
        roster_leave(call->oap->tenants, call->guest);
    oap_mailbox_drop(call->mailbox);
    oap_call_release(call);
    wr_text_free(&call->reply);
    atomic_fetch_sub(&call->oap->calls, 1);     /* then the server may be freed */
    wr_forget_free(call);
}

void oap_call_release(struct wr_oap_call *call)
{
    if (call->let_in && call->oap->conf.leave)
        call->oap->conf.leave(call->oap->conf.arg, call);
    call->let_in = false;
    wr_forget_free(call->frame.memory);
    call->frame.memory = NULL;
    call->frame.cap_len = call->frame.payload_len = 0;
    wr_text_free(&call->collected);
}

size_t oap_call_size(const struct wr_oap_call *call)
{
    return call->frame.cap_len + (call->many ? call->collected.len : call->frame.payload_len);
}

/* ---- what a handler asks ---- */

const void *wr_oap_payload(const struct wr_oap_call *call, size_t *ret_len)
{
    *ret_len = call->many ? call->collected.len : call->frame.payload_len;
    return call->many ? (const void *)call->collected.at : call->frame.payload;
}

int64_t wr_oap_size(const struct wr_oap_call *call)
{
    unsigned flags = call->frame.flags;
    bool parts = (flags & OAP_START) && !(flags & OAP_END);
    return parts || (flags & OAP_COMP) ? -1 : (int64_t)call->frame.payload_len;
}

const unsigned char *wr_oap_tenant(const struct wr_oap_call *call)
{
    return call->frame.tenant;
}

const struct wr_addr *wr_oap_peer(const struct wr_oap_call *call)
{
    return &call->peer;
}

uint64_t wr_oap_corr(const struct wr_oap_call *call)
{
    return call->frame.corr;
}

wr_time wr_oap_began(const struct wr_oap_call *call)
{
    return call->began;
}

wr_time wr_oap_deadline(const struct wr_oap_call *call)
{
    return call->deadline;
}

void **wr_oap_memo(struct wr_oap_call *call)
{
    return &call->memo;
}

const struct wr_oap_verb *wr_oap_verb_of(const struct wr_oap_call *call)
{
    return call->verb;
}

void *wr_oap_arg(const struct wr_oap_call *call)
{
    return call->verb->arg;
}

void wr_oap_write(struct wr_oap_call *call, const void *bytes, size_t len)
{
    wr_text_bytes(&call->reply, bytes, len);
}

/* Hand a part to the connection. */
static wr_err post_part(struct wr_oap_call *call, const char *bytes, size_t len,
                        wr_time deadline)
{
    if (atomic_load(&call->claim) == OAP_ABANDONED)
        return WR_BROKENPIPE;
    struct oap_part part = { .call = call, .bytes = malloc(len), .len = len };
    if (!part.bytes)
        return WR_NOMEM;
    memcpy(part.bytes, bytes, len);
    atomic_fetch_add(&call->holders, 1);
    wr_err err = wr_chan_send(call->mailbox->parts, &part, deadline);
    if (err)
        oap_part_drop(&part);
    return err == WR_CLOSED ? WR_BROKENPIPE : err;
}

static void send_parts(struct wr_oap_call *call, const char *bytes, size_t len,
                       wr_time deadline)
{
    while (len > 0 && !call->lost) {
        size_t size = len < OAP_CHUNK ? len : OAP_CHUNK;
        call->lost = call->here ? oap_conn_send(call->here, call, bytes, size)
                                : post_part(call, bytes, size, deadline);
        bytes += size;
        len -= size;
    }
}

wr_err wr_oap_send(struct wr_oap_call *call, const void *bytes, size_t len, wr_time deadline)
{
    WR_ASSERT(!call->verb->priority);
    if (call->reply.cut)
        call->lost = WR_NOMEM;
    send_parts(call, call->reply.at, call->reply.len, deadline);
    wr_text_free(&call->reply);
    call->reply = wr_text_heap(OAP_REPLY_MAX);
    send_parts(call, bytes, len, deadline);
    return call->lost;
}

wr_err wr_oap_fail(struct wr_oap_call *call, wr_err err, const char *format, ...)
{
    struct wr_text text = WR_TEXT(call->why);
    va_list args;
    va_start(args, format);
    wr_text_vformat(&text, format, args);
    va_end(args);
    return err;
}

/* ---- running ---- */

static wr_err handle_in_time(struct wr_oap_call *call)
{
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = call->verb->name,
                                                               .deadline = call->deadline });
    if (err)
        return err;
    wr_scope_enter(scope);
    err = call->verb->handler(call);
    wr_scope_leave(scope);
    wr_err left = wr_scope_close(scope);
    return err ? err : left;
}

void oap_call_handle(struct wr_oap_call *call)
{
    call->failed = call->verb->priority ? call->verb->handler(call) : handle_in_time(call);
    if (!call->failed)
        call->failed = call->lost;
    if (!call->failed && call->reply.cut)
        call->failed = wr_oap_fail(call, WR_NOMEM, "the answer is larger than %zu bytes, or "
                                   "there is no memory for it", OAP_REPLY_MAX);
}

bool oap_call_claim(struct wr_oap_call *call, enum oap_claim claim)
{
    enum oap_claim pending = OAP_PENDING;
    return atomic_compare_exchange_strong(&call->claim, &pending, claim);
}

/* Post it, unless its connection has given up; what was the worker's goes with it. */
static void give_back(struct wr_oap_call *call)
{
    if (!oap_call_claim(call, OAP_ANSWERED)
        || wr_chan_send(call->mailbox->done, &call, WR_NOW))
        oap_call_drop(call);
}

void wr_oap_refuse(struct wr_oap_call *call, wr_err err)
{
    call->failed = err;
    give_back(call);
}

static void give_back_broken(void *arg)
{
    wr_oap_refuse(arg, WR_PANIC);
}

void wr_oap_run(struct wr_oap_call *call)
{
    struct wr_cleanup cleanup = { .fn = give_back_broken, .arg = call };
    wr_cleanup_push(&cleanup);
    oap_call_handle(call);
    wr_cleanup_pop(&cleanup);
    give_back(call);
}

/* ---- codes ---- */

/* Of the codes that OAP/1 has, the one that says the same. */
uint16_t oap_call_code(const struct wr_oap_call *call)
{
    if (!call->failed)
        return 200;
    if (call->code || !call->verb)
        return call->code ? call->code : 404;
    if (call->unauthorized && call->failed == WR_INVALID)
        return 401;
    int status = wr_err_http(call->failed);
    return status == 501 ? 404 : status == 409 ? 400 : status > 500 ? 503 : (uint16_t)status;
}
