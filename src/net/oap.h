/* oap.h - OAP/1 frames: read out of any pieces of a stream, and written.
 *
 *     offset size
 *          0    4  len           the whole frame, this head too; big endian, as all
 *          4    2  version       1
 *          6    2  flags         below; the upper eight are zero
 *          8    2  code          0 in requests, a status in responses
 *         10    2  proto         what is asked for; 0 is HELLO
 *         12   16  tenant        zero when unused
 *         28    2  cap_len       only with START
 *         30    8  corr          a response has that of its request
 *         38       cap           a capability token, opaque here
 *                  payload       the rest
 *
 * A decoder is fed whatever was read, and gives one frame after the other:
 *
 *     while (len > 0) {
 *         enum oap_state state = oap_feed(&decoder, bytes, len, &used, &frame);
 *         bytes += used, len -= used;
 *         if (state == OAP_FRAME)
 *             ...frame is the caller's: oap_frame_free
 *         else if (state == OAP_BAD)
 *             ...decoder.bad says why; nothing more can be read
 *     }
 *
 * How the stream was cut makes no difference.  A head is judged as soon as it is
 * there, before any memory is taken for what it announces; and memory for the rest
 * is taken as it arrives, so that nobody holds more of ours than twice what they
 * have sent.
 */
#ifndef WR_NET_OAP_H
#define WR_NET_OAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define OAP_HEAD 38
#define OAP_VERSION 1
#define OAP_FRAME_MAX ((size_t)1 << 20)
#define OAP_FRAME_MIN 1024              /* what frames may be limited to at the least */
#define OAP_CHUNK ((size_t)64 << 10)    /* of a payload that goes out in many frames */
#define OAP_INFLATE_MAX ((size_t)8 << 20)
#define OAP_INFLATE_RATIO 10
#define OAP_TENANT 16

enum oap_flag {
    OAP_REQ = 1, OAP_RESP = 2, OAP_EVENT = 4, OAP_START = 8, OAP_END = 16, OAP_ACK_REQ = 32,
    OAP_COMP = 64, OAP_APP_E2E = 128, OAP_FLAGS = 255,
};

/* Why something that came in was refused: X(name, reason in metrics, code, sentence). */
#define OAP_BAD_TABLE(X) \
    X(FINE, "", 200, "") \
    X(OVERSIZE, "frame_oversize", 413, "the frame is larger than was agreed") \
    X(MALFORMED, "header_malformed", 400, "the lengths in the head contradict each other") \
    X(VERSION, "bad_version", 400, "the version is not 1") \
    X(BITS, "bad_flags", 400, "flags are set that version 1 does not have") \
    X(CAP, "cap_on_non_start", 400, "a capability in a frame without START") \
    X(TRUNCATED, "truncated", 400, "the frame did not come to its end in time") \
    X(HELLO, "bad_hello", 400, "the first frame is not a HELLO that can be read") \
    X(ENVELOPE, "unknown_envelope", 400, "the frame is no request that can come here") \
    X(CREDIT, "credit_violation", 429, "more requests in flight than was agreed") \
    X(MISSING, "missing_obj", 404, "there is no such verb") \
    X(COMP, "comp_malformed", 400, "the payload does not inflate") \
    X(BOUND, "inflate_bound", 413, "the payload inflates to more than 10 times its size") \
    X(MEMORY, "no_memory", 503, "out of memory")

enum oap_bad {
#define X(name, reason, code, text) OAP_BAD_##name,
    OAP_BAD_TABLE(X)
#undef X
    OAP_BAD_COUNT,
};

const char *oap_bad_reason(enum oap_bad bad);
const char *oap_bad_text(enum oap_bad bad);
uint16_t oap_bad_code(enum oap_bad bad);

/* A frame.  One that was read owns its bytes. */
struct oap_frame {
    uint16_t flags, code, proto;
    uint64_t corr;
    unsigned char tenant[OAP_TENANT];   /* big endian */
    const unsigned char *cap, *payload;
    size_t cap_len, payload_len;
    unsigned char *memory;              /* what was allocated for both, or NULL */
};

/* Give back what a frame owns; it is empty then. */
void oap_frame_free(struct oap_frame *frame);

/* ---- reading ---- */

enum oap_state { OAP_MORE, OAP_FRAME, OAP_BAD };

struct oap_decoder {
    size_t frame_max;               /* may change between frames */
    enum oap_bad bad;
    unsigned char head[OAP_HEAD];
    size_t have;                    /* of this frame, head and all */
    size_t want;                    /* the whole frame; 0 while the head is not whole */
    struct oap_frame frame;
    size_t room;                    /* of frame.memory */
};

void oap_open(struct oap_decoder *decoder, size_t frame_max);

/* Give back what it holds of a frame that is not whole. */
void oap_close(struct oap_decoder *decoder);

/* Read on.  MORE: all bytes were used, and the frame is not whole.  FRAME: *ret is
 * the caller's; bytes beyond *used belong to the next.  BAD: the same again for
 * whatever comes after; decoder.frame has the corr and proto of what was refused. */
enum oap_state oap_feed(struct oap_decoder *decoder, const void *bytes, size_t len,
                        size_t *used, struct oap_frame *ret);

/* Inflate the payload of a frame with COMP, in place; the flag goes.  Others are left
 * alone, and so is what is opaque (APP_E2E). */
enum oap_bad oap_inflate(struct oap_frame *frame);

/* ---- writing ---- */

/* Write the head of a frame; its lengths are those of cap and payload, which follow
 * it on the wire in this order.  A frame that no decoder would take is a panic. */
void oap_encode(unsigned char head[OAP_HEAD], const struct oap_frame *frame);

/* The payload of an error: {"error":{"code","message","retryable","corr_id"}}. */
void oap_error(struct wr_text *text, const char *code, const char *message, bool retryable,
               uint64_t corr);

#endif
