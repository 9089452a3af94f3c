/* body_test.c - bodies that come in gzip or zstd. */
#include <malloc.h>

#include <zlib.h>
#include <zstd.h>

#include "testing/h2_rig.h"

enum { PLAIN_MAX = 4 << 20 };

static char plain[PLAIN_MAX], packed[PLAIN_MAX + 1000];

/* The bytes that arrived: how many, and a sum that depends on their order. */
static uint32_t sum_of(const char *bytes, size_t len)
{
    return (uint32_t)crc32(0, (const Bytef *)bytes, (uInt)len);
}

static wr_err measure(struct wr_call *call)
{
    size_t len;
    const char *body = wr_call_body(call, &len);
    wr_call_print(call, "%zu %08x", len, sum_of(body, len));
    return WR_OK;
}

static const struct wr_route routes[] = {
    { .method = "POST", .path = "/measure", .handler = measure },
    { .method = "POST", .path = "/large", .handler = measure, .body_max = PLAIN_MAX },
    { .method = "POST", .path = "/small", .handler = measure, .body_max = 2000 },
};

static void open_measuring(struct site *site, struct wr_http_conf conf)
{
    conf.routes = routes;
    conf.count = sizeof(routes) / sizeof(routes[0]);
    open_site_of(site, 1, conf);
}

/* Text that shrinks to about a quarter. */
static void fill_plain(size_t len)
{
    uint32_t state = 1;
    for (size_t i = 0; i < len; i++) {
        state = state * 1664525 + 1013904223;
        plain[i] = "etaoinsh"[state >> 30];
    }
}

static size_t pack_gzip(size_t len, int level)
{
    z_stream z = { 0 };
    CHECK_EQ(Z_OK, deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY));
    z.next_in = (Bytef *)plain;
    z.avail_in = (uInt)len;
    z.next_out = (Bytef *)packed;
    z.avail_out = sizeof(packed);
    CHECK_EQ(Z_STREAM_END, deflate(&z, Z_FINISH));
    size_t size = sizeof(packed) - z.avail_out;
    deflateEnd(&z);
    return size;
}

static size_t pack_zstd(size_t len)
{
    return ZSTD_compress(packed, sizeof(packed), plain, len, 3);
}

static void say_bytes(struct wr_stream *stream, const char *bytes, size_t len)
{
    size_t size;
    CHECK_OK(wr_stream_write(stream, &size, &(struct wr_piece){ bytes, len }, 1, WR_NEVER));
}

static void say_head(struct wr_stream *stream, const char *path, const char *coding, size_t len)
{
    char head[300];
    snprintf(head, sizeof(head),
             "POST %s HTTP/1.1\r\nHost: a\r\nContent-Encoding: %s\r\n"
             "Content-Length: %zu\r\n\r\n", path, coding, len);
    say(stream, head);
}

static const char *post(struct site *site, const char *path, const char *coding, size_t len)
{
    struct wr_stream *stream = dial(site);
    say_head(stream, path, coding, len);
    say_bytes(stream, packed, len);
    const char *answer = hear(stream);
    wr_stream_close(stream);
    return answer;
}

static const char *measured(size_t len)
{
    static char text[50];
    snprintf(text, sizeof(text), "200 %zu %08x", len, sum_of(plain, len));
    return text;
}

TEST(a_body_in_gzip_or_zstd_arrives_as_it_was)
{
    struct site site;
    open_measuring(&site, (struct wr_http_conf){ 0 });
    static const size_t sizes[] = { 1, 100, 5000, 100000, 1 << 20 };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        fill_plain(sizes[i]);
        CHECK_STR(measured(sizes[i]), post(&site, "/measure", "gzip", pack_gzip(sizes[i], 6)));
        CHECK_STR(measured(sizes[i]), post(&site, "/measure", "ZSTD", pack_zstd(sizes[i])));
    }
    CHECK_STR(measured(0), post(&site, "/measure", "gzip", 0));
    memcpy(packed, plain, 100);
    CHECK_STR(measured(100), post(&site, "/measure", "identity", 100));
    close_site(&site);
}

TEST(how_a_body_is_cut_makes_no_difference)
{
    struct site site;
    open_measuring(&site, (struct wr_http_conf){ 0 });
    fill_plain(3000);
    size_t len = pack_gzip(3000, 6);
    struct wr_stream *stream = dial(&site);
    say(stream, "POST /measure HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n"
                "Transfer-Encoding: chunked\r\n\r\n");
    for (size_t i = 0; i < len; i++) {
        say(stream, "1\r\n");
        say_bytes(stream, packed + i, 1);
        say(stream, "\r\n");
        settle();
    }
    say(stream, "0\r\n\r\n");
    CHECK_STR(measured(3000), hear(stream));
    say_head(stream, "/measure", "gzip", len);          /* the connection is still of use */
    say_bytes(stream, packed, len);
    CHECK_STR(measured(3000), hear(stream));
    wr_stream_close(stream);
    close_site(&site);
}

TEST(a_coding_that_is_not_known_and_two_of_them_are_415_and_the_answer_says_which_are)
{
    struct site site;
    open_measuring(&site, (struct wr_http_conf){ 0 });
    static const char *const codings[] = { "br", "gzip, gzip", "gzip,zstd", "" };
    for (size_t i = 0; i < sizeof(codings) / sizeof(codings[0]); i++) {
        long long before = rejected("415");
        CHECK(strncmp(post(&site, "/measure", codings[i], 10), "415 ", 4) == 0);
        CHECK(strstr(answer_head, "\r\nAccept-Encoding: gzip, zstd") != NULL);
        CHECK_EQ(before + 1, rejected("415"));
    }
    CHECK(strncmp(ask(&site, "POST /measure HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n"
                             "Content-Length: 1\r\nContent-Encoding: gzip\r\n\r\nx"),
                  "415 ", 4) == 0);
    close_site(&site);
}

TEST(what_is_not_gzip_or_breaks_off_is_400)
{
    struct site site;
    open_measuring(&site, (struct wr_http_conf){ 0 });
    long long before = rejected("decompress_cap");
    fill_plain(1000);
    size_t len = pack_gzip(1000, 6);
    CHECK(strncmp(post(&site, "/measure", "gzip", len - 1), "400 ", 4) == 0);
    packed[len / 2] ^= 1;
    CHECK(strncmp(post(&site, "/measure", "gzip", len), "400 ", 4) == 0);
    CHECK(strncmp(post(&site, "/measure", "zstd", len), "400 ", 4) == 0);
    len = pack_zstd(1000);
    CHECK(strncmp(post(&site, "/measure", "zstd", len - 1), "400 ", 4) == 0);
    CHECK_EQ(before, rejected("decompress_cap"));
    close_site(&site);
}

TEST(more_than_ten_bytes_for_one_are_refused_whatever_the_size)
{
    struct site site;
    open_measuring(&site, (struct wr_http_conf){ 0 });
    static const size_t sizes[] = { 1000, 50000, 1 << 20 };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        long long before = rejected("decompress_cap");
        memset(plain, 'a', sizes[i]);
        CHECK(strncmp(post(&site, "/measure", "gzip", pack_gzip(sizes[i], 9)), "400 ", 4) == 0);
        CHECK(strncmp(post(&site, "/measure", "zstd", pack_zstd(sizes[i])), "400 ", 4) == 0);
        CHECK_EQ(before + 2, rejected("decompress_cap"));
    }
    close_site(&site);
}

TEST(exactly_ten_for_one_is_taken)
{
    struct site site;
    open_measuring(&site, (struct wr_http_conf){ 0 });
    for (size_t len = 200; len < 1000; len++) {
        memset(plain, 'a', len);
        size_t size = pack_gzip(len, 9);
        if (len > size * 10 + 2)
            break;
        CHECK(strncmp(post(&site, "/measure", "gzip", size),
                      len > size * 10 ? "400 " : "200 ", 4) == 0);
    }
    close_site(&site);
}

TEST(what_is_decoded_is_held_against_the_path_and_the_server)
{
    struct site site;
    open_measuring(&site, (struct wr_http_conf){ .decoded_max = 10000 });
    long long before = rejected("decompress_cap");
    fill_plain(20000);
    CHECK_STR(measured(2000), post(&site, "/small", "gzip", pack_gzip(2000, 6)));
    CHECK(strncmp(post(&site, "/small", "gzip", pack_gzip(2001, 6)), "413 ", 4) == 0);
    CHECK_STR(measured(10000), post(&site, "/measure", "gzip", pack_gzip(10000, 6)));
    CHECK(strncmp(post(&site, "/measure", "zstd", pack_zstd(10001)), "400 ", 4) == 0);
    wr_http_tune(site.http, &(struct wr_http_conf){ .decoded_max = 10001 });
    CHECK_STR(measured(10001), post(&site, "/measure", "zstd", pack_zstd(10001)));
    wr_http_tune(site.http, &(struct wr_http_conf){ .decoded_ratio_max = 1 });
    CHECK(strncmp(post(&site, "/measure", "zstd", pack_zstd(1000)), "400 ", 4) == 0);
    CHECK_EQ(before + 3, rejected("decompress_cap"));
    CHECK(strncmp(post(&site, "/small", "gzip", pack_gzip(10000, 0)), "413 ", 4) == 0);
    close_site(&site);
}

TEST(nothing_in_many_bytes_is_as_large_as_the_bytes)
{
    struct site site;
    open_measuring(&site, (struct wr_http_conf){ 0 });
    size_t len = pack_gzip(0, 9);
    struct wr_stream *stream = dial(&site);
    say(stream, "POST /small HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n"
                "Transfer-Encoding: chunked\r\n\r\n");
    for (size_t sum = 0; sum <= 2000; sum += len) {
        char size[20];
        snprintf(size, sizeof(size), "%zx\r\n", len);
        say(stream, size);
        say_bytes(stream, packed, len);
        say(stream, "\r\n");
    }
    CHECK(strncmp(hear(stream), "413 ", 4) == 0);
    wr_stream_close(stream);
    close_site(&site);
}

static const char *post2(struct peer *peer, const char *coding, size_t len)
{
    nghttp2_nv fields[] = { PEER_NV(":method", "POST"), PEER_NV(":scheme", "http"),
                            PEER_NV(":authority", "a"), PEER_NV(":path", "/measure"),
                            PEER_NV("content-encoding", coding) };
    int32_t id = peer_send(peer, fields, 5, "");
    got_of(peer, id)->left = packed;
    got_of(peer, id)->left_len = len;
    nghttp2_session_resume_data(peer->session, id);
    return peer_hear(peer, id);
}

TEST(http_2_decodes_and_refuses_alike)
{
    struct site site;
    open_measuring(&site, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    fill_plain(50000);
    CHECK_STR(measured(50000), post2(peer, "gzip", pack_gzip(50000, 6)));
    CHECK_STR(measured(50000), post2(peer, "zstd", pack_zstd(50000)));
    long long before = rejected("decompress_cap");
    memset(plain, 'a', 50000);
    CHECK(strncmp(post2(peer, "gzip", pack_gzip(50000, 6)), "400 ", 4) == 0);
    CHECK(strncmp(post2(peer, "br", 100), "415 ", 4) == 0);
    CHECK_EQ(before + 1, rejected("decompress_cap"));
    peer_close_all(peer);
    close_site(&site);
}

/* Gigabytes in a few: members of gzip that hold 4 MiB each, one after the other. */
TEST(a_bomb_takes_no_memory)
{
    struct site site;
    open_measuring(&site, (struct wr_http_conf){ .body_within = WR_S(100) });
    long long bombs = rejected("decompress_cap");
    memset(plain, 0, sizeof(plain));
    size_t len = pack_gzip(PLAIN_MAX, 9);
    int members = (int)((PLAIN_MAX - 1) / len);
    struct wr_stream *stream = dial(&site);
    say_head(stream, "/large", "gzip", (size_t)members * len + 1);
    say_bytes(stream, packed, len);
    settle();
    struct mallinfo2 before = mallinfo2();
    for (int i = 1; i < members; i++) {
        say_bytes(stream, packed, len);
        settle();
        struct mallinfo2 now = mallinfo2();
        if (now.uordblks + now.hblkhd > before.uordblks + before.hblkhd + 100000) {
            CHECK_EQ(before.uordblks + before.hblkhd, now.uordblks + now.hblkhd);
            break;
        }
    }
    say(stream, "x");
    CHECK(strncmp(hear(stream), "400 ", 4) == 0);
    CHECK_EQ(bombs + 1, rejected("decompress_cap"));
    wr_stream_close(stream);
    close_site(&site);
}
