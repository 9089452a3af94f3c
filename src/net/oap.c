/* oap.c - the codec: see oap.h. */
#include "net/oap.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>
#include <zstd_errors.h>

#include <weir/panic.h>

#include "base/forget.h"
#include "base/json.h"

#define ROOM_MIN ((size_t)1024)

static const struct { const char *reason, *text; uint16_t code; } bads[] = {
#define X(name, reason_, code_, text_) { .reason = reason_, .text = text_, .code = code_ },
    OAP_BAD_TABLE(X)
#undef X
};

const char *oap_bad_reason(enum oap_bad bad)
{
    return bads[bad].reason;
}

const char *oap_bad_text(enum oap_bad bad)
{
    return bads[bad].text;
}

uint16_t oap_bad_code(enum oap_bad bad)
{
    return bads[bad].code;
}

void oap_frame_free(struct oap_frame *frame)
{
    wr_forget_free(frame->memory);
    *frame = (struct oap_frame){ 0 };
}

/* ---- numbers ---- */

static uint64_t get(const unsigned char *at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | at[i];
    return value;
}

static void put(unsigned char *at, size_t size, uint64_t value)
{
    while (size > 0) {
        at[--size] = (unsigned char)value;
        value >>= 8;
    }
}

/* ---- reading ---- */

void oap_open(struct oap_decoder *decoder, size_t frame_max)
{
    *decoder = (struct oap_decoder){ .frame_max = frame_max };
}

void oap_close(struct oap_decoder *decoder)
{
    oap_frame_free(&decoder->frame);
}

/* The head is whole: all that can be said against it.  Memory comes later. */
static enum oap_bad judge(struct oap_decoder *decoder)
{
    const unsigned char *head = decoder->head;
    struct oap_frame *frame = &decoder->frame;
    size_t len = get(head, 4), cap_len = get(head + 28, 2);
    uint64_t flags = get(head + 6, 2);
    frame->code = (uint16_t)get(head + 8, 2);
    frame->proto = (uint16_t)get(head + 10, 2);
    memcpy(frame->tenant, head + 12, OAP_TENANT);
    frame->corr = get(head + 30, 8);
    if (len > decoder->frame_max)
        return OAP_BAD_OVERSIZE;
    if (len < OAP_HEAD)
        return OAP_BAD_MALFORMED;
    if (get(head + 4, 2) != OAP_VERSION)
        return OAP_BAD_VERSION;
    if (flags & ~(uint64_t)OAP_FLAGS)
        return OAP_BAD_BITS;
    if (cap_len > 0 && !(flags & OAP_START))
        return OAP_BAD_CAP;
    if (cap_len > len - OAP_HEAD)
        return OAP_BAD_MALFORMED;
    frame->flags = (uint16_t)flags;
    frame->cap_len = cap_len;
    frame->payload_len = len - OAP_HEAD - cap_len;
    decoder->want = len;
    return OAP_BAD_FINE;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Room for `size` bytes of the body: twice what there was, never more than it needs. */
static bool make_room(struct oap_decoder *decoder, size_t size)
{
    if (size <= decoder->room)
        return true;
    size_t room = decoder->room * 2 > size ? decoder->room * 2 : size;
    room = least(room > ROOM_MIN ? room : ROOM_MIN, decoder->want - OAP_HEAD);
    unsigned char *memory = wr_forget_realloc(decoder->frame.memory, room);
    if (!memory)
        return false;
    decoder->frame.memory = memory;
    decoder->room = room;
    return true;
}

static enum oap_state hand_over(struct oap_decoder *decoder, struct oap_frame *ret)
{
    *ret = decoder->frame;
    ret->cap = ret->memory;
    ret->payload = ret->memory ? ret->memory + ret->cap_len : NULL;
    oap_open(decoder, decoder->frame_max);
    return OAP_FRAME;
}

static enum oap_state refuse(struct oap_decoder *decoder, enum oap_bad bad)
{
    wr_forget_free(decoder->frame.memory);
    decoder->frame.memory = NULL;
    decoder->bad = bad;
    return OAP_BAD;
}

enum oap_state oap_feed(struct oap_decoder *decoder, const void *bytes, size_t len,
                        size_t *used, struct oap_frame *ret)
{
    *used = 0;
    if (decoder->bad)
        return OAP_BAD;
    if (!decoder->want) {
        size_t size = least(len, OAP_HEAD - decoder->have);
        if (size > 0)
            memcpy(decoder->head + decoder->have, bytes, size);
        decoder->have += size;
        *used = size;
        if (decoder->have < OAP_HEAD)
            return OAP_MORE;
        enum oap_bad bad = judge(decoder);
        if (bad)
            return refuse(decoder, bad);
    }
    size_t size = least(len - *used, decoder->want - decoder->have);
    size_t at = decoder->have - OAP_HEAD;
    if (!make_room(decoder, at + size))
        return refuse(decoder, OAP_BAD_MEMORY);
    if (size > 0)
        memcpy(decoder->frame.memory + at, (const unsigned char *)bytes + *used, size);
    decoder->have += size;
    *used += size;
    return decoder->have == decoder->want ? hand_over(decoder, ret) : OAP_MORE;
}

enum oap_bad oap_inflate(struct oap_frame *frame)
{
    if (!(frame->flags & OAP_COMP) || frame->flags & OAP_APP_E2E)
        return OAP_BAD_FINE;
    size_t bound = least(frame->payload_len * OAP_INFLATE_RATIO, OAP_INFLATE_MAX);
    unsigned long long said = ZSTD_getFrameContentSize(frame->payload, frame->payload_len);
    if (said == ZSTD_CONTENTSIZE_ERROR)
        return OAP_BAD_COMP;
    if (said != ZSTD_CONTENTSIZE_UNKNOWN && said > bound)
        return OAP_BAD_BOUND;
    /* The capability stays in front: it is the same memory. */
    unsigned char *memory = malloc(frame->cap_len + bound + 1);
    if (!memory)
        return OAP_BAD_MEMORY;
    size_t size = ZSTD_decompress(memory + frame->cap_len, bound, frame->payload,
                                  frame->payload_len);
    if (ZSTD_isError(size)) {
        wr_forget_free(memory);
        return ZSTD_getErrorCode(size) == ZSTD_error_dstSize_tooSmall ? OAP_BAD_BOUND
                                                                      : OAP_BAD_COMP;
    }
    unsigned char *smaller = wr_forget_realloc(memory, frame->cap_len + size + 1);
    memory = smaller ? smaller : memory;
    if (frame->cap_len > 0)
        memcpy(memory, frame->cap, frame->cap_len);
    wr_forget_free(frame->memory);
    frame->memory = memory;
    frame->cap = memory;
    frame->payload = memory + frame->cap_len;
    frame->payload_len = size;
    frame->flags &= (uint16_t)~OAP_COMP;
    return OAP_BAD_FINE;
}

/* ---- writing ---- */

void oap_encode(unsigned char head[OAP_HEAD], const struct oap_frame *frame)
{
    WR_ASSERT(frame->cap_len <= UINT16_MAX && frame->payload_len <= OAP_FRAME_MAX);
    WR_ASSERT(OAP_HEAD + frame->cap_len + frame->payload_len <= OAP_FRAME_MAX);
    WR_ASSERT(frame->cap_len == 0 || frame->flags & OAP_START);
    WR_ASSERT((frame->flags & ~OAP_FLAGS) == 0);
    put(head, 4, OAP_HEAD + frame->cap_len + frame->payload_len);
    put(head + 4, 2, OAP_VERSION);
    put(head + 6, 2, frame->flags);
    put(head + 8, 2, frame->code);
    put(head + 10, 2, frame->proto);
    memcpy(head + 12, frame->tenant, OAP_TENANT);
    put(head + 28, 2, frame->cap_len);
    put(head + 30, 8, frame->corr);
}

void oap_error(struct wr_text *text, const char *code, const char *message, bool retryable,
               uint64_t corr)
{
    char number[24];
    struct wr_text digits = WR_TEXT(number);
    wr_text_u64(&digits, corr);
    struct wr_json json = wr_json_to(text);
    wr_json_object(&json, NULL);
    wr_json_object(&json, "error");
    wr_json_str(&json, "code", code);
    wr_json_str(&json, "message", message);
    wr_json_bool(&json, "retryable", retryable);
    wr_json_str(&json, "corr_id", number);
    wr_json_end(&json);
    wr_json_end(&json);
}
