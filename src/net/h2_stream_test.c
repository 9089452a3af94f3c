/* h2_stream_test.c - single requests of an HTTP/2 connection: heads, bodies, answers. */
#include "testing/h2_rig.h"

TEST(a_head_that_is_too_large_is_refused)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    static char value[5000];
    memset(value, 'y', sizeof(value) - 1);
    for (int large = 3; large <= 4; large++) {
        struct peer *peer = peer_dial(&site);
        nghttp2_nv fields[8] = { PEER_NV(":method", "GET"), PEER_NV(":scheme", "http"),
                                 PEER_NV(":authority", "a"), PEER_NV(":path", "/hello/x") };
        for (int i = 0; i < large; i++)
            fields[4 + i] = PEER_NV("x-large", value);
        int32_t id = peer_send(peer, fields, 4 + (size_t)large, NULL);
        (void)peer_hear(peer, id);
        CHECK_STR(large == 3 ? "200" : "431", got_of(peer, id)->status);
        peer_close_all(peer);
    }
    close_site(&site);
}

TEST(a_body_over_the_limit_is_answered_and_the_rest_not_wanted)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    static char body[300001];
    memset(body, 'x', sizeof(body) - 1);
    nghttp2_nv fields[] = { PEER_NV(":method", "POST"), PEER_NV(":scheme", "http"),
                            PEER_NV(":authority", "a"), PEER_NV(":path", "/echo") };
    struct peer *peer = peer_dial(&site);
    int32_t id = peer_send(peer, fields, 4, body);
    CHECK(strncmp(peer_hear(peer, id), "413 ", 4) == 0);
    CHECK_EQ(NGHTTP2_NO_ERROR, got_of(peer, id)->code);
    body[100000] = '\0';
    id = peer_send(peer, fields, 4, body);
    CHECK(strncmp(peer_hear(peer, id), "200 xxx", 7) == 0);
    CHECK_EQ(100000, got_of(peer, id)->len);
    peer_close_all(peer);
    close_site(&site);
}

/* A peer with no window: it asks, and what it is told stays here. */
TEST(who_takes_no_answers_is_told_no_more_than_a_megabyte_of_them)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    static char body[100001];
    memset(body, 'x', sizeof(body) - 1);
    nghttp2_nv fields[] = { PEER_NV(":method", "POST"), PEER_NV(":scheme", "http"),
                            PEER_NV(":authority", "a"), PEER_NV(":path", "/echo") };
    struct peer *peer = peer_dial(&site);
    nghttp2_settings_entry none = { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0 };
    nghttp2_submit_settings(peer->session, 0, &none, 1);
    peer_settle(peer);
    unsigned refused = 0;
    for (int i = 0; i < 15; i++) {
        int32_t id = peer_send(peer, fields, 4, body);
        peer_settle(peer);
        refused += got_of(peer, id)->closed;
        CHECK_EQ(i >= 11, got_of(peer, id)->closed);
        if (got_of(peer, id)->closed)
            CHECK_EQ(NGHTTP2_REFUSED_STREAM, got_of(peer, id)->code);
    }
    CHECK_EQ(4, refused);
    none.value = 1 << 20;                   /* now it takes them, and may ask again */
    nghttp2_submit_settings(peer->session, 0, &none, 1);
    nghttp2_session_set_local_window_size(peer->session, 0, 0, 8 << 20);
    peer_settle(peer);
    CHECK(strncmp(peer_hear(peer, peer_send(peer, fields, 4, body)), "200 xxx", 7) == 0);
    peer_close_all(peer);
    close_site(&site);
}

TEST(what_belongs_to_one_connection_or_names_two_hosts_is_refused)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    static const char *const bad[][2] = {
        { "connection", "close" }, { "transfer-encoding", "chunked" }, { "upgrade", "h2c" },
        { "keep-alive", "1" }, { "host", "b" }, { "host", "a:443" }, { "te", "gzip" },
        { ":path", "/other" }, { "content-length", "5" },
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct peer *peer = peer_dial(&site);
        nghttp2_nv fields[] = { PEER_NV(":method", "GET"), PEER_NV(":scheme", "http"),
                                PEER_NV(":authority", "a"), PEER_NV(":path", "/hello/x"),
                                PEER_NV(bad[i][0], bad[i][1]) };
        const char *said = peer_hear(peer, peer_send(peer, fields, 5, NULL));
        if (strcmp(said, "closed") != 0 && !CHECK(strncmp(said, "400 ", 4) == 0))
            CHECK_STR(bad[i][0], said);
        peer_close_all(peer);
    }
    CHECK_STR("200 hello, x", ask2(&site, "GET /hello/x HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n"
                                          "\r\n"));
    close_site(&site);
}

static const char *ask_of(struct site *site, const char *scheme, const char *path,
                          const char *host)
{
    struct peer *peer = peer_dial(site);
    nghttp2_nv fields[] = { PEER_NV(":method", "GET"), PEER_NV(":scheme", scheme),
                            PEER_NV(":authority", "a"), PEER_NV(":path", path),
                            PEER_NV("host", host) };
    const char *said = peer_hear(peer, peer_send(peer, fields, 5, NULL));
    peer_close_all(peer);
    return said;
}

TEST(a_host_that_is_the_authority_in_other_letters_is_fine)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    CHECK_STR("200 hello, x", ask_of(&site, "http", "/hello/x", "A:80"));
    CHECK_STR("200 hello, x", ask_of(&site, "https", "/hello/x", "a:443"));
    CHECK(strncmp(ask_of(&site, "https", "/hello/x", "a:80"), "400 ", 4) == 0);
    close_site(&site);
}

TEST(a_whole_url_is_no_path_of_http_2)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    CHECK(strncmp(ask_of(&site, "odd", "http://b/hello/x", "a"), "400 ", 4) == 0);
    close_site(&site);
}

TEST(a_body_that_comes_too_slowly_is_given_up)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ .body_within = WR_S(4) });
    struct peer *peer = peer_dial(&site);
    nghttp2_nv fields[] = { PEER_NV(":method", "POST"), PEER_NV(":scheme", "http"),
                            PEER_NV(":authority", "a"), PEER_NV(":path", "/echo") };
    wr_time before = wr_now();
    int32_t id = peer_send(peer, fields, 4, "");
    CHECK(strncmp(peer_hear(peer, id), "408 ", 4) == 0);
    CHECK_EQ(WR_S(4), wr_now() - before);
    CHECK_STR("200 hello, next", peer_hear(peer, peer_get(peer, "/hello/next")));
    peer_close_all(peer);
    close_site(&site);
}

TEST(a_client_that_waits_for_100_is_told_to_go_on)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    nghttp2_nv fields[] = { PEER_NV(":method", "POST"), PEER_NV(":scheme", "http"),
                            PEER_NV(":authority", "a"), PEER_NV(":path", "/echo"),
                            PEER_NV("expect", "100-continue") };
    int32_t id = peer_send(peer, fields, 5, "");
    struct got *got = got_of(peer, id);
    while (!got->headed && peer_read(peer, WR_NEVER))
        ;
    CHECK_STR("100", got->status);
    got->left = "ok";
    got->left_len = 2;
    nghttp2_session_resume_data(peer->session, id);
    CHECK_STR("200 ok", peer_hear(peer, id));
    peer_close_all(peer);
    close_site(&site);
}

TEST(a_worker_that_does_not_listen_is_left_behind_at_the_deadline)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    wr_time before = wr_now();
    int32_t id = peer_get(peer, "/stubborn");
    CHECK(strncmp(peer_hear(peer, id), "504 ", 4) == 0);
    CHECK_EQ(WR_S(2), wr_now() - before);
    CHECK_OK(wr_once_set(gate, NULL));
    settle();
    CHECK_STR("200 hello, next", peer_hear(peer, peer_get(peer, "/hello/next")));
    peer_close_all(peer);
    close_site(&site);
}

TEST(an_answer_that_nobody_takes_is_given_up)
{
    struct site site;
    static char body[100001];
    memset(body, 'x', sizeof(body) - 1);
    open_site(&site, 0, (struct wr_http_conf){ .write_within = WR_S(3) });
    struct peer *peer = peer_dial(&site);
    nghttp2_submit_settings(peer->session, 0, &(nghttp2_settings_entry){
        NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 10 }, 1);
    nghttp2_nv fields[] = { PEER_NV(":method", "POST"), PEER_NV(":scheme", "http"),
                            PEER_NV(":authority", "a"), PEER_NV(":path", "/echo") };
    peer_settle(peer);
    nghttp2_session_set_local_window_size(peer->session, 0, 0, 10);
    wr_time before = wr_now();
    int32_t id = peer_send(peer, fields, 4, body);
    struct got *got = got_of(peer, id);
    /* It opens the window by what it has read: so little that it takes too long. */
    while (!got->closed && wr_now() - before < WR_S(60)) {
        CHECK_OK(wr_sleep(wr_after(WR_S(1))));
        char bytes[1000];
        size_t size;
        if (wr_stream_read(peer->stream, &size, bytes, sizeof(bytes), WR_NOW) || !size)
            continue;
        (void)!nghttp2_session_mem_recv(peer->session, (const uint8_t *)bytes, size);
        if (wr_now() - before < WR_S(1))
            peer_flush(peer);
    }
    CHECK(got->closed);
    CHECK(got->code != NGHTTP2_NO_ERROR);
    peer_close_all(peer);
    close_site(&site);
}
