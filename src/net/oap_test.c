#include "net/oap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "base/rand.h"
#include "testing/test.h"

/* ---- streams of bytes ---- */

static unsigned char stream[3 << 20];
static size_t stream_len;

static void append(const void *bytes, size_t len)
{
    memcpy(stream + stream_len, bytes, len);
    stream_len += len;
}

static void append_frame(const struct oap_frame *frame)
{
    unsigned char head[OAP_HEAD];
    oap_encode(head, frame);
    append(head, sizeof(head));
    if (frame->cap_len)
        append(frame->cap, frame->cap_len);
    if (frame->payload_len)
        append(frame->payload, frame->payload_len);
}

static struct oap_frame with(uint16_t flags, const char *cap, const char *payload)
{
    return (struct oap_frame){
        .flags = flags, .proto = 7, .corr = 9,
        .cap = (const unsigned char *)cap, .cap_len = strlen(cap),
        .payload = (const unsigned char *)payload, .payload_len = strlen(payload),
    };
}

static struct wr_text log_text;

static void note_bytes(const unsigned char *bytes, size_t len)
{
    uint64_t sum = len;
    for (size_t i = 0; i < len; i++)
        sum = sum * 31 + bytes[i];
    wr_text_format(&log_text, " %zu:%llx", len, (unsigned long long)sum);
}

/* Everything that can be seen of a decoder, as text: fed up to each of the cuts. */
static const char *decode(const size_t *cuts, size_t count)
{
    static char buf[1 << 16];
    struct oap_decoder decoder;
    size_t at = 0;
    log_text = WR_TEXT(buf);
    oap_open(&decoder, OAP_FRAME_MAX);
    for (size_t i = 0; i <= count; i++) {
        size_t end = i < count ? cuts[i] : stream_len;
        while (at < end) {
            struct oap_frame frame;
            size_t used;
            enum oap_state state = oap_feed(&decoder, stream + at, end - at, &used, &frame);
            at += used;
            if (state == OAP_BAD) {
                wr_text_format(&log_text, "bad %s\n", oap_bad_reason(decoder.bad));
                oap_close(&decoder);
                return buf;
            }
            if (state == OAP_MORE) {
                CHECK_EQ(end, at);
                break;
            }
            wr_text_format(&log_text, "%x %u %u %llx", frame.flags, frame.code, frame.proto,
                           (unsigned long long)frame.corr);
            note_bytes(frame.tenant, OAP_TENANT);
            note_bytes(frame.cap, frame.cap_len);
            note_bytes(frame.payload, frame.payload_len);
            wr_text_str(&log_text, "\n");
            oap_frame_free(&frame);
        }
    }
    wr_text_format(&log_text, "left %zu\n", decoder.have);
    oap_close(&decoder);
    return buf;
}

static char *unhex(const char *hex)
{
    static char bytes[200];
    for (size_t i = 0; hex[2 * i]; i++) {
        unsigned value;
        sscanf(hex + 2 * i, "%2x", &value);
        bytes[i] = (char)value;
    }
    return bytes;
}

/* ---- the bytes that others agreed on ---- */

#define HELLO \
    "000000360001000100000000000000000000000000000000000000aa0000000000000000002a" \
    "7b227561223a2273646b2f302e31227d"
#define ASK \
    "0000002a000100090000007b0000000000000000000000000000abcd000300000000000000636361" "7078"

TEST_PLAIN(golden_frames_are_written_byte_by_byte)
{
    struct oap_frame hello = with(OAP_REQ, "", "{\"ua\":\"sdk/0.1\"}");
    hello.proto = 0;
    hello.corr = 42;
    hello.tenant[15] = 0xaa;
    stream_len = 0;
    append_frame(&hello);
    CHECK_EQ(54, stream_len);
    CHECK(memcmp(stream, unhex(HELLO), 54) == 0);

    struct oap_frame ask = with(OAP_REQ | OAP_START, "cap", "x");
    ask.proto = 123;
    ask.corr = 99;
    ask.tenant[14] = 0xab;
    ask.tenant[15] = 0xcd;
    stream_len = 0;
    append_frame(&ask);
    CHECK_EQ(42, stream_len);
    CHECK(memcmp(stream, unhex(ASK), 42) == 0);
}

TEST_PLAIN(golden_frames_are_read_field_by_field)
{
    struct oap_decoder decoder;
    struct oap_frame frame;
    size_t used;
    oap_open(&decoder, OAP_FRAME_MAX);
    REQUIRE(oap_feed(&decoder, unhex(ASK), 42, &used, &frame) == OAP_FRAME);
    CHECK_EQ(42, used);
    CHECK_EQ(OAP_REQ | OAP_START, frame.flags);
    CHECK_EQ(0, frame.code);
    CHECK_EQ(123, frame.proto);
    CHECK_EQ(99, frame.corr);
    CHECK_EQ(0xab, frame.tenant[14]);
    CHECK_EQ(0xcd, frame.tenant[15]);
    CHECK_EQ(3, frame.cap_len);
    CHECK(memcmp(frame.cap, "cap", 3) == 0);
    CHECK_EQ(1, frame.payload_len);
    CHECK_EQ('x', frame.payload[0]);
    oap_frame_free(&frame);
}

/* ---- any split ---- */

static void append_good_ones(void)
{
    static unsigned char big[5000];
    memset(big, 'b', sizeof(big));
    struct oap_frame frames[] = {
        with(OAP_REQ, "", ""), with(OAP_REQ | OAP_START | OAP_END, "token", "payload"),
        with(OAP_RESP | OAP_END, "", "{}"), with(OAP_REQ | OAP_START, "only a token", ""),
    };
    for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
        append_frame(&frames[i]);
    struct oap_frame large = with(OAP_EVENT | OAP_COMP | OAP_APP_E2E, "", "");
    large.payload = big;
    large.payload_len = 300;
    append_frame(&large);
}

static void every_split_is_the_same(void)
{
    char *whole = strdup(decode(NULL, 0));
    bool same = true;
    for (size_t a = 0; a <= stream_len && same; a++) {
        size_t b = (a + stream_len) / 2;
        same = CHECK_STR(whole, decode(&a, 1))
            && CHECK_STR(whole, decode((size_t[]){ a, b }, 2));
    }
    size_t *each = malloc((stream_len + 1) * sizeof(*each));
    for (size_t i = 0; i < stream_len; i++)
        each[i] = i;
    CHECK_STR(whole, decode(each, stream_len));
    free(each);
    free(whole);
}

TEST_PLAIN(frames_are_the_same_for_every_split_of_the_stream)
{
    stream_len = 0;
    append_good_ones();
    CHECK(strstr(decode(NULL, 0), "left 0\n") != NULL);
    every_split_is_the_same();
}

TEST_PLAIN(a_stream_that_stops_inside_a_frame_is_the_same_for_every_split)
{
    stream_len = 0;
    append_good_ones();
    stream_len -= 100;
    CHECK(strstr(decode(NULL, 0), "left 238\n") != NULL);
    every_split_is_the_same();
}

/* A good frame, then one whose head has this value at this place. */
static const char *after_a_good_one(size_t place, size_t size, uint64_t value)
{
    struct oap_frame good = with(OAP_REQ, "", "good"), bad = with(OAP_REQ, "", "bad");
    stream_len = 0;
    append_frame(&good);
    size_t at = stream_len + place;
    append_frame(&bad);
    append_frame(&good);
    for (size_t i = 0; i < size; i++)
        stream[at + i] = (unsigned char)(value >> 8 * (size - 1 - i));
    return strchr(decode(NULL, 0), '\n') + 1;
}

TEST_PLAIN(a_bad_head_is_refused_for_its_reason_in_every_split)
{
    static const struct { size_t place, size; uint64_t value; const char *want; } heads[] = {
        { 0, 4, 0, "bad header_malformed\n" },
        { 0, 4, 37, "bad header_malformed\n" },
        { 0, 4, (1 << 20) + 1, "bad frame_oversize\n" },
        { 0, 4, UINT32_MAX, "bad frame_oversize\n" },
        { 4, 2, 0, "bad bad_version\n" },
        { 4, 2, 2, "bad bad_version\n" },
        { 4, 2, 0x100, "bad bad_version\n" },
        { 6, 2, 0x0101, "bad bad_flags\n" },
        { 6, 2, 0x8001, "bad bad_flags\n" },
        { 28, 2, 1, "bad cap_on_non_start\n" },
        { 6, 2, OAP_REQ | OAP_START, "9 0 7 9" },
    };
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        const char *got = after_a_good_one(heads[i].place, heads[i].size, heads[i].value);
        CHECK(strncmp(heads[i].want, got, strlen(heads[i].want)) == 0);
        every_split_is_the_same();
    }
}

TEST_PLAIN(a_capability_larger_than_its_frame_is_refused)
{
    struct oap_frame frame = with(OAP_REQ | OAP_START, "cap", "load");
    stream_len = 0;
    append_frame(&frame);
    stream[29] = 7;                     /* all of the rest is the capability */
    CHECK(strstr(decode(NULL, 0), "bad") == NULL);
    stream[29] = 8;
    CHECK_STR("bad header_malformed\n", decode(NULL, 0));
    every_split_is_the_same();
}

static uint16_t random_flags(struct wr_rand *rand)
{
    return (uint16_t)(wr_rand_below(rand, 50) ? wr_rand_below(rand, 256)
                                              : wr_rand_below(rand, 65536));
}

static void append_random_frame(struct wr_rand *rand)
{
    static unsigned char bytes[70000];
    struct oap_frame frame = {
        .flags = OAP_START | (random_flags(rand) & OAP_FLAGS),
        .code = (uint16_t)wr_rand_next(rand), .proto = (uint16_t)wr_rand_next(rand),
        .corr = wr_rand_next(rand), .cap = bytes, .payload = bytes,
        .cap_len = wr_rand_below(rand, wr_rand_below(rand, 5) ? 40 : 4097),
        .payload_len = wr_rand_below(rand, wr_rand_below(rand, 5) ? 100 : sizeof(bytes)),
    };
    for (size_t i = 0; i < 1000; i++)
        bytes[wr_rand_below(rand, sizeof(bytes))] = (unsigned char)wr_rand_next(rand);
    append_frame(&frame);
}

TEST_PLAIN(random_streams_are_the_same_for_random_splits)
{
    struct wr_rand rand;
    wr_rand_seed(&rand, 1);
    for (int round = 0; round < test_rounds(300); round++) {
        stream_len = 0;
        for (uint64_t i = wr_rand_below(&rand, 8); i <= 8; i++)
            append_random_frame(&rand);
        if (wr_rand_below(&rand, 2))        /* and a fault somewhere */
            stream[wr_rand_below(&rand, stream_len)] ^= 1u << wr_rand_below(&rand, 8);
        char *whole = strdup(decode(NULL, 0));
        size_t cuts[64], count = wr_rand_below(&rand, 64), at = 0;
        for (size_t i = 0; i < count; i++) {
            at += wr_rand_below(&rand, 2 * stream_len / count);
            cuts[i] = at = at < stream_len ? at : stream_len;
        }
        CHECK_STR(whole, decode(cuts, count));
        free(whole);
    }
}

TEST_PLAIN(what_goes_out_comes_in_again)
{
    static unsigned char before[sizeof(stream)];
    struct wr_rand rand;
    wr_rand_seed(&rand, 2);
    for (int round = 0; round < test_rounds(500); round++) {
        struct oap_decoder decoder;
        struct oap_frame frame;
        size_t used;
        stream_len = 0;
        append_random_frame(&rand);
        memcpy(before, stream, stream_len);
        oap_open(&decoder, OAP_FRAME_MAX);
        REQUIRE(oap_feed(&decoder, stream, stream_len, &used, &frame) == OAP_FRAME);
        size_t len = stream_len;
        stream_len = 0;
        append_frame(&frame);
        CHECK_EQ(len, stream_len);
        CHECK(memcmp(before, stream, len) == 0);
        oap_frame_free(&frame);
    }
}

/* ---- limits ---- */

TEST_PLAIN(the_largest_frame_passes_and_one_byte_more_does_not)
{
    static unsigned char payload[1 << 20];
    struct oap_frame frame = { .flags = OAP_REQ, .payload = payload,
                               .payload_len = OAP_FRAME_MAX - OAP_HEAD };
    stream_len = 0;
    append_frame(&frame);
    CHECK(strstr(decode(NULL, 0), "left 0") != NULL);
    stream[3] = 1;                      /* 0x00100001 */
    CHECK_STR("bad frame_oversize\n", decode(NULL, 0));
}

TEST_PLAIN(a_lower_limit_that_was_agreed_holds)
{
    struct oap_decoder decoder;
    struct oap_frame frame = with(OAP_REQ, "", "0123456789");
    size_t used;
    stream_len = 0;
    append_frame(&frame);
    oap_open(&decoder, 47);
    CHECK(oap_feed(&decoder, stream, stream_len, &used, &frame) == OAP_BAD);
    CHECK_STR("frame_oversize", oap_bad_reason(decoder.bad));
    oap_open(&decoder, 48);
    CHECK(oap_feed(&decoder, stream, stream_len, &used, &frame) == OAP_FRAME);
    oap_frame_free(&frame);
}

TEST_PLAIN(after_a_refusal_nothing_more_is_read)
{
    struct oap_decoder decoder;
    struct oap_frame frame = with(OAP_REQ, "", "");
    size_t used;
    stream_len = 0;
    append_frame(&frame);
    oap_open(&decoder, 20);
    CHECK(oap_feed(&decoder, stream, stream_len, &used, &frame) == OAP_BAD);
    CHECK(oap_feed(&decoder, stream, stream_len, &used, &frame) == OAP_BAD);
    CHECK_EQ(0, used);
}

TEST_PLAIN(memory_is_taken_for_what_came_not_for_what_was_announced)
{
    struct oap_decoder decoder;
    struct oap_frame frame;
    static unsigned char payload[1 << 20];
    size_t used;
    stream_len = 0;
    append_frame(&(struct oap_frame){ .flags = OAP_REQ, .payload = payload,
                                      .payload_len = OAP_FRAME_MAX - OAP_HEAD });
    oap_open(&decoder, OAP_FRAME_MAX);
    CHECK(oap_feed(&decoder, stream, OAP_HEAD, &used, &frame) == OAP_MORE);
    CHECK_EQ(0, decoder.room);
    for (size_t at = OAP_HEAD; at + 700 < stream_len; at += 700) {
        CHECK(oap_feed(&decoder, stream + at, 700, &used, &frame) == OAP_MORE);
        size_t came = at + 700 - OAP_HEAD;
        CHECK(decoder.room <= 2 * came || decoder.room <= 1024);
    }
    oap_close(&decoder);
}

TEST_PLAIN(an_oversize_head_takes_no_memory)
{
    struct oap_decoder decoder;
    struct oap_frame frame = with(OAP_REQ, "", "");
    size_t used;
    stream_len = 0;
    append_frame(&frame);
    memset(stream, 0xff, 4);
    oap_open(&decoder, OAP_FRAME_MAX);
    CHECK(oap_feed(&decoder, stream, OAP_HEAD, &used, &frame) == OAP_BAD);
    CHECK_EQ(413, oap_bad_code(decoder.bad));
    CHECK_EQ(0, decoder.room);
    CHECK(decoder.frame.memory == NULL);
}

TEST_DIES_PLAIN(a_frame_that_no_decoder_takes_is_not_written, "cap_len == 0")
{
    unsigned char head[OAP_HEAD];
    struct oap_frame frame = with(OAP_REQ, "cap", "");
    oap_encode(head, &frame);
}

/* ---- compression ---- */

static struct oap_frame packed(const void *bytes, size_t len, const char *cap)
{
    size_t cap_len = strlen(cap), bound = ZSTD_compressBound(len);
    struct oap_frame frame = { .flags = OAP_REQ | OAP_START | OAP_COMP };
    frame.memory = malloc(cap_len + bound);
    memcpy(frame.memory, cap, cap_len);
    frame.cap = frame.memory;
    frame.cap_len = cap_len;
    frame.payload = frame.memory + cap_len;
    frame.payload_len = ZSTD_compress(frame.memory + cap_len, bound, bytes, len, 3);
    return frame;
}

TEST_PLAIN(a_compressed_payload_is_inflated_behind_its_capability)
{
    static const char text[] = "a compressed payload, compressed as far as that goes";
    struct oap_frame frame = packed(text, sizeof(text), "token");
    CHECK_EQ(OAP_BAD_FINE, oap_inflate(&frame));
    CHECK_EQ(OAP_REQ | OAP_START, frame.flags);
    CHECK_EQ(sizeof(text), frame.payload_len);
    CHECK_STR(text, (const char *)frame.payload);
    CHECK(memcmp(frame.cap, "token", 5) == 0);
    oap_frame_free(&frame);
}

TEST_PLAIN(a_payload_that_inflates_too_far_is_refused)
{
    static unsigned char zeros[9 << 20];
    struct oap_frame frame = packed(zeros, sizeof(zeros), "");
    CHECK_EQ(OAP_BAD_BOUND, oap_inflate(&frame));
    CHECK_EQ(413, oap_bad_code(OAP_BAD_BOUND));
    oap_frame_free(&frame);
}

/* Without its size in front, the bound is met on the way. */
TEST_PLAIN(a_payload_that_hides_how_far_it_inflates_is_refused)
{
    static unsigned char zeros[1 << 20];
    struct oap_frame frame = packed("", 0, "");
    unsigned char *room = malloc(4096);
    ZSTD_CStream *zip = ZSTD_createCStream();
    ZSTD_inBuffer in = { zeros, sizeof(zeros), 0 };
    ZSTD_outBuffer out = { room, 4096, 0 };
    CHECK_EQ(0, ZSTD_isError(ZSTD_compressStream2(zip, &out, &in, ZSTD_e_flush)));
    CHECK_EQ(0, ZSTD_isError(ZSTD_compressStream2(zip, &out, &in, ZSTD_e_end)));
    ZSTD_freeCStream(zip);
    oap_frame_free(&frame);
    frame = (struct oap_frame){ .flags = OAP_REQ | OAP_COMP, .memory = room, .payload = room,
                                .payload_len = out.pos };
    CHECK_EQ(OAP_BAD_BOUND, oap_inflate(&frame));
    oap_frame_free(&frame);
}

TEST_PLAIN(a_payload_that_is_not_compressed_is_refused)
{
    struct oap_frame frame = with(OAP_REQ | OAP_COMP, "", "plain text");
    CHECK_EQ(OAP_BAD_COMP, oap_inflate(&frame));
    frame = with(OAP_REQ | OAP_COMP, "", "");
    CHECK_EQ(OAP_BAD_COMP, oap_inflate(&frame));
}

TEST_PLAIN(an_opaque_payload_is_left_alone)
{
    struct oap_frame frame = with(OAP_REQ | OAP_COMP | OAP_APP_E2E, "", "sealed");
    CHECK_EQ(OAP_BAD_FINE, oap_inflate(&frame));
    CHECK_EQ(6, frame.payload_len);
    CHECK_EQ(OAP_REQ | OAP_COMP | OAP_APP_E2E, frame.flags);
}

/* ---- errors ---- */

TEST_PLAIN(an_error_says_what_it_is_and_whose)
{
    char buf[200];
    struct wr_text text = WR_TEXT(buf);
    oap_error(&text, "Busy", "queue full", true, UINT64_MAX);
    CHECK_STR("{\"error\":{\"code\":\"Busy\",\"message\":\"queue full\",\"retryable\":true,"
              "\"corr_id\":\"18446744073709551615\"}}", buf);
}
