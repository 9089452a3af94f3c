/* body.c - the body of a request on its way in: collected, and decoded as it comes.
 *
 * A body in gzip or zstd is decoded piece by piece and only the result is kept, so that
 * the memory it takes is what the path takes of a plain one.  What comes to more than
 * the limits is not an error at once but when the body is there: nothing is kept of it
 * from then on, and its end is awaited within the limits of any body.
 *
 * A large one goes to a file step by step, and comes back as memory when it is whole.
 */
#include <stdlib.h>
#include <string.h>

#include "base/forget.h"
#include "net/server.h"
#include "net/body_file.h"
#include "net/unzip.h"

#define STEP 4096
#define LARGE_MAX 16            /* large bodies at once */

struct call_coding {
    struct unzip unzip;
    uint64_t came;              /* bytes, encoded */
    wr_err err;
};

static bool refused(struct wr_call *call, wr_err err, unsigned status, const char *why)
{
    call_refuse(call, err, status, why);
    return false;
}

/* The one coding of the body.  Several are a chain of decoders that a few bytes could
 * set to work, so they are refused like one that is not known. */
static wr_err coding_of(const struct head *head, enum unzip_coding *ret)
{
    bool seen = false;
    *ret = UNZIP_IDENTITY;
    for (size_t i = 0; i < head->count; i++) {
        const struct field *field = &head->fields[i];
        if (!SLICE_IS(field->name, "content-encoding"))
            continue;
        if (seen || unzip_coding(ret, field->value.at, field->value.len))
            return WR_UNSUPPORTED;
        seen = true;
    }
    return WR_OK;
}

/* One of the few that may be large at a time. */
static bool enter_large(struct wr_call *call)
{
    if (call->large || atomic_fetch_add(&call->http->large_bodies, 1) < LARGE_MAX)
        return call->large = true;
    atomic_fetch_sub(&call->http->large_bodies, 1);
    return false;
}

static bool refuse_large(struct wr_call *call)
{
    return refused(call, WR_BUSY, 429, "as many large bodies come in as may at a time");
}

bool call_body_open(struct wr_call *call)
{
    enum unzip_coding coding;
    if (call->head.length > call->body_max)
        return refused(call, WR_INVALID, 413, "the body is larger than this path takes");
    if (!call->head.length_known && !call->body_max && call->route->class == WR_ROUTE_PRIORITY)
        return refused(call, WR_INVALID, 413, "this path takes no body");
    if (coding_of(&call->head, &coding)) {
        wr_call_reply_header(call, "Accept-Encoding", "gzip, zstd");
        return refused(call, WR_UNSUPPORTED, 415,
                       "the body may be plain, or in one of gzip and zstd, once");
    }
    bool told = call->head.length_known && call->head.length > BODY_FILE_STEP;
    if (call->route->spool && told && !enter_large(call))
        return refuse_large(call);
    if (coding == UNZIP_IDENTITY)
        return true;
    const struct limits *now = &call->http->now;
    size_t max = now->decoded_max;
    if (max > call->body_max)
        max = call->body_max;
    call->coding = calloc(1, sizeof(*call->coding));
    wr_err err = call->coding ? unzip_open(&call->coding->unzip, coding, max,
                                           now->decoded_ratio_max)
                              : WR_NOMEM;
    return !err || refused(call, err, 503, NULL);
}

void call_body_close(struct wr_call *call)
{
    if (call->coding)
        unzip_close(&call->coding->unzip);
    free(call->coding);
    call->coding = NULL;
    body_file_free(call->file);
    call->file = NULL;
    call->file_err = WR_OK;
    call->spilled = 0;
    wr_file_unmap(&call->map);
    call->map = (struct wr_file_map){ 0 };
    if (call->large)
        atomic_fetch_sub(&call->http->large_bodies, 1);
    call->large = false;
}

/* What is in memory goes to the file. */
static void spill(struct wr_call *call)
{
    if (!call->file_err)
        call->file_err = body_file_add(&call->file, call->http->conf.spool, call->collected.at,
                                    call->collected.len);
    call->spilled += call->collected.len;
    wr_text_rewind(&call->collected, 0);
}

static void keep(struct wr_call *call, const char *bytes, size_t len)
{
    if (call->collected.max == 1)
        call->collected = wr_text_heap(call->body_max + 1);
    if (call->spilled + call->collected.len + len > call->body_max) {
        call->body_over = true;
        return;
    }
    if (call->route->spool && call->collected.len + len > BODY_FILE_STEP) {
        if (!enter_large(call))
            call->file_err = WR_BUSY;
        else if (call->http->conf.spool)
            spill(call);
    }
    if (call->file_err)
        return;                         /* what comes is not kept, and its end awaited */
    wr_text_bytes(&call->collected, bytes, len);
    call->body_over |= call->collected.cut > 0;
    call->body = (struct slice){ call->collected.at, call->collected.len };
}

static void decode(struct wr_call *call, const char *bytes, size_t len)
{
    struct call_coding *coding = call->coding;
    char out[STEP];
    size_t got = STEP;
    coding->came += len;
    call->body_over = coding->came > call->body_max;
    while (!coding->err && (len > 0 || got == STEP)) {
        coding->err = unzip_step(&coding->unzip, &bytes, &len, out, sizeof(out), &got);
        if (!coding->err)
            keep(call, out, got);
    }
    if (coding->err) {
        call->body = (struct slice){ "", 0 };
        wr_text_free(&call->collected);
    }
}

void call_collect(struct wr_call *call, const char *bytes, size_t len)
{
    if (call->body_over)
        return;
    if (call->coding)
        decode(call, bytes, len);
    else
        keep(call, bytes, len);
}

static bool whole_again(struct wr_call *call)
{
    if (call->file_err == WR_BUSY && !call->large)
        return refuse_large(call);
    if (!call->file && !call->file_err)
        return true;
    spill(call);
    if (!call->file_err)
        call->file_err = body_file_map(call->file, &call->map);
    if (call->file_err)
        return refused(call, call->file_err, 503, "the body could not be put on the disk");
    call->body = (struct slice){ (const char *)call->map.at, call->map.size };
    return true;
}

static bool decoded(struct wr_call *call)
{
    struct call_coding *coding = call->coding;
    if (!coding || coding->came == 0)
        return true;
    struct unzip *unzip = &coding->unzip;
    if (!coding->err)
        coding->err = unzip_end(unzip);
    if (!coding->err && unzip->out > unzip->in * unzip->ratio) {
        unzip->why = "it grows too much in decoding";      /* few bytes may, while it comes */
        coding->err = WR_DENIED;
    }
    if (!coding->err)
        return true;
    if (coding->err == WR_NOMEM)
        return refused(call, WR_NOMEM, 503, unzip->why);
    if (coding->err == WR_DENIED)
        call->rejected = "decompress_cap";
    bool large = coding->err == WR_DENIED && unzip->out > call->body_max;
    return refused(call, WR_INVALID, large ? 413 : 400, unzip->why);
}

bool call_body_whole(struct wr_call *call)
{
    return decoded(call) && whole_again(call);
}

wr_time call_body_within(const struct wr_call *call)
{
    wr_time own = call->route ? call->route->body_within : 0;
    return own ? own : call->http->now.body_within;
}

/* ---- beyond the call ---- */

wr_err wr_call_take_body(struct wr_call *call, struct wr_body *ret)
{
    *ret = (struct wr_body){ .at = call->body.at, .len = call->body.len };
    if (call->map.at) {
        ret->map = call->map;
        call->map = (struct wr_file_map){ 0 };
    } else if (call->collected.len > 0) {
        ret->memory = call->collected.at;
        call->collected = wr_text_heap(1);
    } else if (ret->len > 0) {
        ret->at = ret->memory = malloc(ret->len);
        if (!ret->memory)
            return WR_NOMEM;
        memcpy(ret->memory, call->body.at, ret->len);
    }
    call->body = (struct slice){ "", 0 };
    return WR_OK;
}

void wr_body_free(struct wr_body *body)
{
    wr_file_unmap(&body->map);
    wr_forget_free(body->memory);
    *body = (struct wr_body){ 0 };
}
