/* unzip_test.c - decoding, whatever the pieces, and what is refused. */
#include "net/unzip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "testing/test.h"

#define BIG (4 << 20)

static char plain[BIG], packed[BIG], back[BIG];

/* Text that shrinks to about a half: of 16 letters, in no order. */
static void fill(size_t len)
{
    uint64_t state = 7;
    for (size_t i = 0; i < len; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        plain[i] = (char)('a' + (state >> 60));
    }
}

static size_t gzip(const char *bytes, size_t len, int header)
{
    z_stream zlib = { 0 };
    deflateInit2(&zlib, 9, Z_DEFLATED, header, 8, Z_DEFAULT_STRATEGY);
    zlib.next_in = (z_const Bytef *)bytes;
    zlib.avail_in = (uInt)len;
    zlib.next_out = (Bytef *)packed;
    zlib.avail_out = sizeof(packed);
    deflate(&zlib, Z_FINISH);
    size_t size = sizeof(packed) - zlib.avail_out;
    deflateEnd(&zlib);
    return size;
}

static size_t zstd(const char *bytes, size_t len)
{
    return ZSTD_compress(packed, sizeof(packed), bytes, len, 3);
}

/* Decode `size` bytes of packed, fed and taken in pieces of at most these sizes. */
static wr_err decode(struct unzip *unzip, size_t size, size_t feed, size_t take, size_t *ret)
{
    size_t len = 0, fed = 0;
    wr_err err = WR_OK;
    while (fed < size && !err) {
        const char *bytes = packed + fed;
        size_t left = size - fed < feed ? size - fed : feed, got;
        fed += left;
        do {
            size_t room = sizeof(back) - len < take ? sizeof(back) - len : take;
            err = unzip_step(unzip, &bytes, &left, back + len, room, &got);
            len += got;
        } while (!err && (left > 0 || got == take));
    }
    *ret = len;
    return err ? err : unzip_end(unzip);
}

static void round_trip(enum unzip_coding coding, size_t size, size_t len)
{
    static const struct { size_t feed, take; } pieces[] = {
        { BIG, BIG }, { 1, BIG }, { BIG, 1 }, { 7, 13 },
    };
    for (int i = 0; i < 4; i++) {
        struct unzip unzip;
        size_t got;
        memset(back, 0, len);
        REQUIRE_OK(unzip_open(&unzip, coding, len, UNZIP_RATIO_MAX));
        CHECK_OK(decode(&unzip, size, pieces[i].feed, pieces[i].take, &got));
        CHECK_EQ(len, got);
        CHECK(memcmp(plain, back, len) == 0);
        unzip_close(&unzip);
    }
}

TEST_PLAIN(gzip_comes_back_from_any_pieces)
{
    fill(100000);
    round_trip(UNZIP_GZIP, gzip(plain, 100000, 15 + 16), 100000);
}

TEST_PLAIN(deflate_comes_back_from_any_pieces)
{
    fill(100000);
    round_trip(UNZIP_GZIP, gzip(plain, 100000, 15), 100000);
}

TEST_PLAIN(zstd_comes_back_from_any_pieces)
{
    fill(100000);
    round_trip(UNZIP_ZSTD, zstd(plain, 100000), 100000);
}

TEST_PLAIN(an_empty_body_comes_back_empty)
{
    round_trip(UNZIP_GZIP, gzip(plain, 0, 15 + 16), 0);
    round_trip(UNZIP_ZSTD, zstd(plain, 0), 0);
}

TEST_PLAIN(members_one_after_the_other_are_one_body)
{
    fill(2000);
    size_t first = gzip(plain, 1200, 15 + 16);
    char *kept = malloc(first);
    memcpy(kept, packed, first);
    size_t second = gzip(plain + 1200, 800, 15 + 16);
    memmove(packed + first, packed, second);
    memcpy(packed, kept, first);
    free(kept);
    round_trip(UNZIP_GZIP, first + second, 2000);
}

static wr_err outcome(enum unzip_coding coding, size_t size, uint64_t max, unsigned ratio,
                      struct unzip *ret)
{
    size_t got;
    wr_err err = unzip_open(ret, coding, max, ratio);
    if (!err)
        err = decode(ret, size, 512, 4096, &got);
    unzip_close(ret);
    return err;
}

TEST_PLAIN(a_bomb_is_refused_by_its_ratio_after_the_first_64_kib)
{
    struct unzip unzip;
    memset(plain, 'a', 1 << 20);
    CHECK_ERR(WR_DENIED, outcome(UNZIP_GZIP, gzip(plain, 1 << 20, 31), BIG, 10, &unzip));
    CHECK_STR("it grows too much in decoding", unzip.why);
    CHECK(unzip.out <= UNZIP_FREE + 4096);
    CHECK_ERR(WR_DENIED, outcome(UNZIP_ZSTD, zstd(plain, 1 << 20), BIG, 10, &unzip));
    CHECK(unzip.out <= UNZIP_FREE + 4096);
}

TEST_PLAIN(a_short_text_of_one_letter_is_no_bomb)
{
    struct unzip unzip;
    memset(plain, 'a', UNZIP_FREE);
    CHECK_OK(outcome(UNZIP_GZIP, gzip(plain, UNZIP_FREE, 31), BIG, 10, &unzip));
    CHECK_EQ(UNZIP_FREE, unzip.out);
}

TEST_PLAIN(the_size_that_was_set_is_the_most)
{
    struct unzip unzip;
    fill(50000);
    size_t size = gzip(plain, 50000, 31);
    CHECK_OK(outcome(UNZIP_GZIP, size, 50000, 10, &unzip));
    CHECK_ERR(WR_DENIED, outcome(UNZIP_GZIP, size, 49999, 10, &unzip));
    CHECK_STR("it is larger than is taken", unzip.why);
}

TEST_PLAIN(what_breaks_off_is_not_whole)
{
    struct unzip unzip;
    fill(5000);
    size_t size = gzip(plain, 5000, 31);
    CHECK_ERR(WR_INVALID, outcome(UNZIP_GZIP, size - 1, BIG, 10, &unzip));
    CHECK_STR("it breaks off", unzip.why);
    size = zstd(plain, 5000);
    CHECK_ERR(WR_INVALID, outcome(UNZIP_ZSTD, size - 1, BIG, 10, &unzip));
    CHECK_ERR(WR_INVALID, outcome(UNZIP_ZSTD, 0, BIG, 10, &unzip));
}

TEST_PLAIN(what_is_not_the_coding_is_refused)
{
    struct unzip unzip;
    size_t size = (size_t)snprintf(packed, sizeof(packed), "hello, this is plain text");
    CHECK_ERR(WR_INVALID, outcome(UNZIP_GZIP, size, BIG, 10, &unzip));
    CHECK_ERR(WR_INVALID, outcome(UNZIP_ZSTD, size, BIG, 10, &unzip));
    fill(5000);
    size = gzip(plain, 5000, 31);
    packed[size - 6] ^= 1;
    CHECK_ERR(WR_INVALID, outcome(UNZIP_GZIP, size, BIG, 10, &unzip));
}

TEST_PLAIN(a_frame_that_wants_a_huge_window_is_refused)
{
    struct unzip unzip;
    ZSTD_CCtx *zstd_ctx = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd_ctx, ZSTD_c_windowLog, 27);
    ZSTD_CCtx_setParameter(zstd_ctx, ZSTD_c_contentSizeFlag, 0);
    fill(50000);
    ZSTD_inBuffer from = { plain, 50000, 0 };
    ZSTD_outBuffer to = { packed, sizeof(packed), 0 };
    ZSTD_compressStream2(zstd_ctx, &to, &from, ZSTD_e_flush);
    ZSTD_compressStream2(zstd_ctx, &to, &from, ZSTD_e_end);
    ZSTD_freeCCtx(zstd_ctx);
    CHECK_ERR(WR_INVALID, outcome(UNZIP_ZSTD, to.pos, BIG, 10, &unzip));
}

TEST_PLAIN(codings_are_known_by_their_names_in_any_case)
{
    enum unzip_coding coding;
    CHECK_OK(unzip_coding(&coding, "GZip", 4));
    CHECK_EQ(UNZIP_GZIP, coding);
    CHECK_OK(unzip_coding(&coding, "zstd, x", 4));
    CHECK_EQ(UNZIP_ZSTD, coding);
    CHECK_OK(unzip_coding(&coding, "identity", 8));
    CHECK_EQ(UNZIP_IDENTITY, coding);
    CHECK_ERR(WR_UNSUPPORTED, unzip_coding(&coding, "br", 2));
    CHECK_ERR(WR_UNSUPPORTED, unzip_coding(&coding, "gzip, gzip", 10));
}
