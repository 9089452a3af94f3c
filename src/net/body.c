/* body.c - the body of a request on its way in: collected, and decoded as it comes.
 *
 * A body in gzip or zstd is decoded piece by piece and only the result is kept, so that
 * the memory it takes is what the path takes of a plain one.  What comes to more than
 * the limits is not an error at once but when the body is there: nothing is kept of it
 * from then on, and its end is awaited within the limits of any body.
 */
#include <stdlib.h>

#include "net/server.h"
#include "net/unzip.h"

#define STEP 4096

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
}

static void keep(struct wr_call *call, const char *bytes, size_t len)
{
    if (call->collected.max == 1)
        call->collected = wr_text_heap(call->body_max + 1);
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

bool call_body_whole(struct wr_call *call)
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
