/* oap_fuzz.c - a stream of frames means the same however it was cut.
 *
 * For any bytes: read whole, byte by byte, and in pieces of one size, a decoder gives
 * the same frames and the same refusal; a frame that was read is written as the bytes
 * it was; what it holds never exceeds twice what came; and a payload inflates to no
 * more than it may.
 *
 * The first byte of an input is the size of the pieces, the second limits the frames.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "base/hash.h"
#include "net/oap.h"

#define ROOM_MIN 1024

struct seen {
    size_t frames;
    enum oap_bad bad;
    size_t left;                /* of a frame that is not whole */
    struct wr_hash frames_hash;
};

static void check_inflated(struct oap_frame *frame)
{
    size_t before = frame->payload_len;
    if (oap_inflate(frame) == OAP_BAD_FINE && !(frame->flags & OAP_COMP))
        WR_ASSERT(frame->payload_len <= 10 * before || frame->payload_len == before);
    WR_ASSERT(frame->payload_len <= OAP_INFLATE_MAX);
}

static struct seen decode(const uint8_t *data, size_t size, size_t piece, size_t frame_max)
{
    struct seen seen = { 0 };
    struct oap_decoder decoder;
    struct wr_hash_state hash;
    size_t at = 0, begin = 0;
    oap_open(&decoder, frame_max);
    wr_hash_begin(&hash);
    while (at < size) {
        struct oap_frame frame;
        size_t used, len = piece < size - at ? piece : size - at;
        enum oap_state state = oap_feed(&decoder, data + at, len, &used, &frame);
        at += used;
        WR_ASSERT(used <= len);
        WR_ASSERT(decoder.room <= 2 * (at - begin) + ROOM_MIN);
        if (state == OAP_BAD)
            break;
        WR_ASSERT(state == OAP_FRAME || used == len);
        if (state == OAP_FRAME) {
            unsigned char head[OAP_HEAD];
            oap_encode(head, &frame);
            WR_ASSERT(memcmp(head, data + begin, OAP_HEAD) == 0);
            WR_ASSERT(OAP_HEAD + frame.cap_len + frame.payload_len == at - begin);
            wr_hash_add(&hash, head, OAP_HEAD);
            wr_hash_add(&hash, frame.cap, frame.cap_len);
            wr_hash_add(&hash, frame.payload, frame.payload_len);
            check_inflated(&frame);
            oap_frame_free(&frame);
            begin = at;
            seen.frames++;
        }
    }
    seen.bad = decoder.bad;
    seen.left = decoder.have;
    seen.frames_hash = wr_hash_end(&hash);
    oap_close(&decoder);
    return seen;
}

static void same(const struct seen *a, const struct seen *b)
{
    WR_ASSERT(a->frames == b->frames && a->bad == b->bad && a->left == b->left);
    WR_ASSERT(wr_hash_equal(&a->frames_hash, &b->frames_hash));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return -1;
    size_t piece = (size_t)data[0] + 1, frame_max = (size_t)(data[1] + 1) << 12;
    data += 2;
    size -= 2;
    struct seen whole = decode(data, size, size + 1, frame_max);
    struct seen bytes = decode(data, size, 1, frame_max);
    struct seen pieces = decode(data, size, piece, frame_max);
    same(&whole, &bytes);
    same(&whole, &pieces);
    return 0;
}
