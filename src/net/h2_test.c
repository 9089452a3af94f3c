/* h2_test.c - HTTP/2 connections: many requests at once, limits, floods, the end. */
#include "testing/h2_rig.h"
#include "testing/tls_rig.h"

TEST(many_requests_at_once_are_answered_each_on_its_stream)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    int32_t ids[90];
    char path[30], want[30];
    for (int i = 0; i < 90; i++) {
        snprintf(path, sizeof(path), "/hello/%d", i);
        ids[i] = peer_get(peer, path);
    }
    for (int i = 0; i < 90; i++) {
        snprintf(want, sizeof(want), "200 hello, %d", i);
        CHECK_STR(want, peer_hear(peer, ids[i]));
    }
    peer_close_all(peer);
    close_site(&site);
}

TEST(a_slow_call_does_not_hold_up_the_others_of_its_connection)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    int32_t slow = peer_get(peer, "/gated"), fast = peer_get(peer, "/healthz");
    CHECK_STR("204", peer_hear(peer, fast));
    CHECK(!got_of(peer, slow)->closed);
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_STR("200 through", peer_hear(peer, slow));
    peer_close_all(peer);
    close_site(&site);
}

TEST(http_2_over_tls_is_agreed_upon)
{
    struct site site;
    struct identity own;
    make_identity(&own, "server");
    struct wr_tls *server = make_tls(&own, NULL, NULL), *client = make_tls(NULL, &own, "h2");
    open_site(&site, 1, (struct wr_http_conf){ .tls = server });
    struct wr_stream *stream = dial(&site);
    REQUIRE_OK(wr_tls_connect(client, &stream, "localhost", WR_NEVER));
    CHECK_STR("h2", wr_tls_protocol(stream));
    struct peer *peer = peer_over(stream);
    int32_t first = peer_get(peer, "/hello/one"), second = peer_get(peer, "/hello/two");
    CHECK_STR("200 hello, two", peer_hear(peer, second));
    CHECK_STR("200 hello, one", peer_hear(peer, first));
    peer_close_all(peer);
    close_site(&site);
    wr_tls_free(server);
    wr_tls_free(client);
}

TEST(one_byte_at_a_time_is_read_like_any_other_connection)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    nghttp2_nv fields[] = { PEER_NV(":method", "GET"), PEER_NV(":scheme", "http"),
                            PEER_NV(":authority", "a"), PEER_NV(":path", "/hello/slow") };
    int32_t id = nghttp2_submit_request(peer->session, NULL, fields, 4, NULL, NULL);
    const uint8_t *bytes;
    ssize_t len;
    while ((len = nghttp2_session_mem_send(peer->session, &bytes)) > 0)
        for (ssize_t i = 0; i < len; i++) {
            size_t size;
            CHECK_OK(wr_stream_write(peer->stream, &size, &(struct wr_piece){ bytes + i, 1 }, 1,
                                     WR_NEVER));
            CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
        }
    CHECK_STR("200 hello, slow", peer_hear(peer, id));
    peer_close_all(peer);
    close_site(&site);
}

/* ---- limits ---- */

TEST(a_stream_more_than_allowed_is_refused_and_may_be_tried_again)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    peer_settle(peer);
    nghttp2_session_set_next_stream_id(peer->session, 1);
    int32_t last = 0;
    for (int i = 0; i < 101; i++)
        last = peer_get(peer, "/sleepy");
    /* This client keeps to what it was told, and sends the last one later. */
    peer_settle(peer);
    CHECK(!got_of(peer, last)->closed);
    CHECK_STR("504", (peer_hear(peer, 1), got_of(peer, 1)->status));
    peer_close_all(peer);
    close_site(&site);
}

TEST(calls_that_were_reset_still_count_until_they_are_over)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    peer_settle(peer);
    uint32_t code = 0;
    for (int i = 0; i < 140; i++) {
        int32_t id = peer_get(peer, "/stubborn");
        peer_settle(peer);
        if (got_of(peer, id)->closed)
            code = got_of(peer, id)->code;
        nghttp2_submit_rst_stream(peer->session, 0, id, NGHTTP2_CANCEL);
        peer_settle(peer);
    }
    CHECK_EQ(NGHTTP2_REFUSED_STREAM, code);
    CHECK(!peer->told_to_go);
    CHECK_OK(wr_once_set(gate, NULL));
    peer_settle(peer);
    CHECK_STR("200 hello, again", peer_hear(peer, peer_get(peer, "/hello/again")));
    peer_close_all(peer);
    close_site(&site);
}

TEST(streams_that_are_opened_to_be_reset_end_the_connection)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    for (int i = 0; i < 400 && !peer->told_to_go; i++) {
        int32_t id = peer_get(peer, "/hello/x");
        nghttp2_submit_rst_stream(peer->session, 0, id, NGHTTP2_CANCEL);
        peer_flush(peer);
        if (i % 10 == 9)
            peer_settle(peer);
    }
    while (!peer->told_to_go && peer_read(peer, WR_NEVER))
        ;
    CHECK(peer->told_to_go);
    peer_close_all(peer);
    CHECK_STR("200 hello, others", ask2(&site, GET("/hello/others")));
    close_site(&site);
}

/* A frame as bytes. */
static void raw(struct peer *peer, size_t len, unsigned type, unsigned flags, unsigned id,
                const char *bytes)
{
    unsigned char head[] = { (unsigned char)(len >> 16), (unsigned char)(len >> 8),
                             (unsigned char)len, (unsigned char)type, (unsigned char)flags,
                             (unsigned char)(id >> 24), (unsigned char)(id >> 16),
                             (unsigned char)(id >> 8), (unsigned char)id };
    struct wr_piece pieces[] = { { head, sizeof(head) }, { bytes, len } };
    size_t size;
    if (wr_stream_write(peer->stream, &size, pieces, 2, WR_NEVER))
        peer->ended = true;
}

/* What the server says at last, when it has enough; read as bytes, since by now the
 * client may have enough too. */
static uint32_t last_word(struct peer *peer)
{
    static unsigned char bytes[1 << 16];
    size_t len = 0, size;
    uint32_t code = 99;
    while (len < sizeof(bytes)
           && !wr_stream_read(peer->stream, &size, bytes + len, sizeof(bytes) - len, WR_NEVER)
           && size > 0)
        len += size;
    for (size_t at = 0; at + 17 <= len;
         at += 9 + ((size_t)bytes[at] << 16 | (size_t)bytes[at + 1] << 8 | bytes[at + 2]))
        if (bytes[at + 3] == NGHTTP2_GOAWAY)
            code = bytes[at + 16];
    return code;
}

TEST(pings_without_end_are_too_many)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    peer_settle(peer);
    for (int i = 0; i < 400; i++)
        raw(peer, 8, NGHTTP2_PING, 0, 0, "12345678");
    peer_settle(peer);
    CHECK(!peer->told_to_go);
    for (int i = 0; i < 400 && !peer->ended; i++)
        raw(peer, 8, NGHTTP2_PING, 0, 0, "12345678");
    CHECK_EQ(NGHTTP2_ENHANCE_YOUR_CALM, last_word(peer));
    peer_close_all(peer);
    close_site(&site);
}

TEST(settings_and_empty_data_without_end_are_too_many)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    for (int kind = 0; kind < 2; kind++) {
        struct peer *peer = peer_dial(&site);
        nghttp2_nv fields[] = { PEER_NV(":method", "POST"), PEER_NV(":scheme", "http"),
                                PEER_NV(":authority", "a"), PEER_NV(":path", "/echo") };
        int32_t id = peer_send(peer, fields, 4, "");
        peer_settle(peer);
        for (int i = 0; i < 600 && !peer->ended; i++)
            raw(peer, 0, kind ? NGHTTP2_DATA : NGHTTP2_SETTINGS, 0,
                kind ? (unsigned)id : 0, "");
        CHECK_EQ(NGHTTP2_ENHANCE_YOUR_CALM, last_word(peer));
        peer_close_all(peer);
    }
    close_site(&site);
}

TEST(a_head_in_endless_pieces_ends_the_connection)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    peer_settle(peer);
    raw(peer, 1, NGHTTP2_HEADERS, 0, 1, "\x82");
    for (int i = 0; i < 1000 && !peer->ended; i++)
        raw(peer, 4, NGHTTP2_CONTINUATION, 0, 1, "\x00\x01x\x00");
    wr_time before = wr_now();
    (void)last_word(peer);
    CHECK(wr_now() - before < WR_S(2));
    peer_close_all(peer);
    CHECK_STR("204", ask2(&site, GET("/healthz")));
    close_site(&site);
}

TEST(a_head_that_stops_half_way_is_given_up)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ .head_within = WR_S(3) });
    struct peer *peer = peer_dial(&site);
    peer_settle(peer);
    wr_time before = wr_now();
    raw(peer, 1, NGHTTP2_HEADERS, 0, 1, "\x82");
    (void)last_word(peer);
    CHECK_EQ(WR_S(3), wr_now() - before);
    peer_close_all(peer);
    close_site(&site);
}

/* ---- time ---- */

/* In clear the preface tells that it is HTTP/2, and settings must follow. */
TEST(a_connection_that_does_not_begin_is_given_up)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ .head_within = WR_S(3) });
    struct peer *peer = peer_dial(&site);
    wr_time before = wr_now();
    say(peer->stream, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    char bytes[1000];
    size_t size = 1;
    while (size > 0 && !wr_stream_read(peer->stream, &size, bytes, sizeof(bytes), WR_NEVER))
        ;
    CHECK_EQ(WR_S(3), wr_now() - before);
    peer_close_all(peer);
    close_site(&site);
}

TEST(an_idle_connection_is_told_goodbye)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ .idle_max = WR_S(7) });
    struct peer *peer = peer_dial(&site);
    CHECK_STR("204", peer_hear(peer, peer_get(peer, "/healthz")));
    wr_time before = wr_now();
    CHECK_EQ(NGHTTP2_NO_ERROR, last_word(peer));
    CHECK_EQ(WR_S(7), wr_now() - before);
    peer_close_all(peer);
    close_site(&site);
}

/* ---- the end ---- */

TEST(in_a_drain_the_peer_is_asked_to_go_and_served_until_it_does)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    int32_t id = peer_get(peer, "/gated");
    peer_settle(peer);
    wr_http_drain(site.http);
    peer_settle(peer);
    CHECK(peer->told_to_go);
    CHECK_EQ(NGHTTP2_NO_ERROR, peer->code);
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_STR("200 through", peer_hear(peer, id));
    wr_time before = wr_now();
    (void)last_word(peer);
    CHECK(wr_now() - before <= WR_S(2));
    peer_close_all(peer);
    CHECK(strncmp(ask2(&site, GET("/hello/late")), "503 ", 4) == 0);
    CHECK_STR("204", ask2(&site, GET("/healthz")));
    close_site(&site);
}

TEST(a_peer_that_goes_away_leaves_nothing_behind)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    for (int i = 0; i < 3; i++) {
        struct peer *peer = peer_dial(&site);
        peer_get(peer, "/sleepy");
        peer_get(peer, "/gated");
        peer_get(peer, "/hello/x");
        peer_settle(peer);
        peer_close_all(peer);
        settle();
        CHECK_EQ(0, wr_http_connections(site.http));
    }
    close_site(&site);
}

TEST(the_end_of_a_server_ends_calls_in_the_queue_and_calls_that_run)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    for (int i = 0; i < 5; i++)
        peer_get(peer, "/sleepy");
    peer_settle(peer);
    close_site(&site);
    peer_close_all(peer);
}
