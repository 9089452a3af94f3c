/* h2_task_test.c - calls that run beside others on one HTTP/2 connection. */
#include "testing/h2_rig.h"

/* More than the peer's window, as fast as it goes. */
static wr_err pour(struct wr_call *call)
{
    static const char bytes[50000];
    wr_err err = wr_call_begin(call);
    for (int i = 0; i < 40 && !err; i++)
        err = wr_call_send(call, bytes, sizeof(bytes), wr_after(WR_S(2)));
    ended_with = err;
    return err;
}

/* Parts that wait for one another at the connection. */
static wr_err letters(struct wr_call *call)
{
    wr_err err = wr_call_begin(call);
    for (char letter = 'a'; letter <= 'j' && !err; letter++)
        err = wr_call_send(call, &letter, 1, wr_after(WR_S(2)));
    return err;
}

/* It begins, and then neither sends nor ends. */
static wr_err begin_and_stay(struct wr_call *call)
{
    wr_err err = wr_call_begin(call);
    return err ? err : stubborn(call);
}

static const struct wr_route own[] = {
    { .method = "GET", .path = "/stubborn", .handler = stubborn },
    { .method = "GET", .path = "/stubborn/long", .handler = stubborn, .class = WR_ROUTE_LONG,
      .deadline = WR_S(7) },
    { .method = "GET", .path = "/stubborn/stream", .handler = begin_and_stay,
      .class = WR_ROUTE_STREAM, .deadline = WR_S(7) },
    { .method = "GET", .path = "/letters", .handler = letters, .class = WR_ROUTE_STREAM },
    { .method = "GET", .path = "/count/{last}", .handler = count_to, .class = WR_ROUTE_STREAM },
    { .method = "GET", .path = "/wait", .handler = wait_for_nothing, .class = WR_ROUTE_LONG },
    { .method = "GET", .path = "/pour", .handler = pour, .class = WR_ROUTE_STREAM },
    { .method = "GET", .path = "/panic", .handler = panicking },
    { .method = "GET", .path = "/hello/{name}", .handler = hello },
};

static struct peer *open_own(struct site *site)
{
    open_site_of(site, 0, (struct wr_http_conf){ .routes = own,
                                                 .count = sizeof(own) / sizeof(*own) });
    return peer_dial(site);
}

TEST(a_stream_goes_out_as_it_is_sent_beside_others)
{
    struct site site;
    struct peer *peer = open_own(&site);
    wr_time before = wr_now();
    int32_t one = peer_get(peer, "/count/2"), two = peer_get(peer, "/count/3");
    while (!got_of(peer, one)->headed && peer_read(peer, WR_NEVER))
        ;
    CHECK_EQ(0, wr_now() - before);
    while (got_of(peer, one)->len == 0 && peer_read(peer, WR_NEVER))
        ;
    CHECK_EQ(WR_S(1), wr_now() - before);
    CHECK_STR("1,", got_of(peer, one)->body);
    CHECK_STR("200 1,2,3,", peer_hear(peer, two));
    CHECK_STR("200 1,2,", peer_hear(peer, one));
    CHECK_EQ(NGHTTP2_NO_ERROR, got_of(peer, one)->code);
    CHECK_EQ(WR_S(3), wr_now() - before);
    peer_close_all(peer);
    close_site(&site);
}

TEST(parts_arrive_in_the_order_they_were_sent_in)
{
    struct site site;
    struct peer *peer = open_own(&site);
    CHECK_STR("200 abcdefghij", peer_hear(peer, peer_get(peer, "/letters")));
    peer_close_all(peer);
    close_site(&site);
}

TEST(a_stream_that_is_not_whole_is_reset_so_that_the_peer_sees_it)
{
    struct site site;
    struct peer *peer = open_own(&site);
    static const char *const paths[] = { "/count/1?fails=1", "/count/1?panics=1",
                                         "/count/1?length=3" };
    for (int i = 0; i < 3; i++) {
        int32_t id = peer_get(peer, paths[i]);
        CHECK_STR("200 1,", peer_hear(peer, id));
        CHECK_EQ(NGHTTP2_INTERNAL_ERROR, got_of(peer, id)->code);
    }
    int32_t id = peer_get(peer, "/count/1?length=2");
    CHECK_STR("200 1,", peer_hear(peer, id));
    CHECK_EQ(NGHTTP2_NO_ERROR, got_of(peer, id)->code);
    CHECK(strstr(answer_head, "\r\nContent-Length: 2") != NULL);
    peer_close_all(peer);
    close_site(&site);
}

TEST(a_panic_of_one_call_leaves_the_others_of_its_connection)
{
    struct site site;
    struct peer *peer = open_own(&site);
    int32_t good = peer_get(peer, "/count/1"), bad = peer_get(peer, "/panic");
    CHECK(strncmp(peer_hear(peer, bad), "500 ", 4) == 0);
    CHECK_STR("200 1,", peer_hear(peer, good));
    peer_close_all(peer);
    close_site(&site);
}

TEST(a_head_request_for_a_stream_gets_its_head)
{
    struct site site;
    struct peer *peer = open_own(&site);
    nghttp2_nv fields[] = { PEER_NV(":method", "HEAD"), PEER_NV(":scheme", "http"),
                            PEER_NV(":authority", "a"), PEER_NV(":path", "/count/5") };
    CHECK_STR("200", peer_hear(peer, peer_send(peer, fields, 4, NULL)));
    peer_close_all(peer);
    close_site(&site);
}

TEST(more_than_the_peers_window_arrives_whole)
{
    struct site site;
    struct peer *peer = open_own(&site);
    int32_t id = peer_get(peer, "/pour");
    (void)peer_hear(peer, id);
    CHECK_EQ(NGHTTP2_NO_ERROR, got_of(peer, id)->code);
    CHECK_EQ(40 * 50000, got_of(peer, id)->len);
    CHECK_OK(ended_with);
    peer_close_all(peer);
    close_site(&site);
}

TEST(a_peer_that_takes_nothing_ends_its_stream_and_holds_up_no_other)
{
    struct site site;
    struct peer *peer = open_own(&site);
    nghttp2_submit_settings(peer->session, 0, &(nghttp2_settings_entry){
        NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0 }, 1);
    peer_settle(peer);
    int32_t id = peer_get(peer, "/pour");
    peer_settle(peer);
    CHECK_EQ(0, got_of(peer, id)->len);
    CHECK_STR("404", (peer_hear(peer, peer_get(peer, "/count")), "404"));
    CHECK_OK(wr_sleep(wr_after(WR_S(6))));
    CHECK_ERR(WR_TIMEOUT, ended_with);
    peer_close_all(peer);
    close_site(&site);
}

TEST(a_wait_ends_when_its_stream_is_reset_and_when_the_connection_goes)
{
    struct site site;
    struct peer *peer = open_own(&site);
    for (int i = 0; i < 2; i++) {
        ended_with = WR_OK;
        int32_t id = peer_get(peer, "/wait");
        peer_settle(peer);
        CHECK_OK(ended_with);
        if (i == 0) {
            nghttp2_submit_rst_stream(peer->session, 0, id, NGHTTP2_CANCEL);
            peer_settle(peer);
            CHECK_ERR(WR_BROKENPIPE, ended_with);
        }
    }
    peer_close_all(peer);
    settle();
    CHECK_ERR(WR_BROKENPIPE, ended_with);
    close_site(&site);
}

TEST(a_wait_ends_when_the_server_drains)
{
    struct site site;
    struct peer *peer = open_own(&site);
    int32_t id = peer_get(peer, "/wait");
    peer_settle(peer);
    wr_http_drain(site.http);
    CHECK_STR("200 enough", peer_hear(peer, id));
    CHECK_ERR(WR_DRAINING, ended_with);
    peer_close_all(peer);
    close_site(&site);
}

TEST(a_stream_that_is_reset_while_it_sends_leaves_nothing)
{
    struct site site;
    struct peer *peer = open_own(&site);
    nghttp2_submit_settings(peer->session, 0, &(nghttp2_settings_entry){
        NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1000 }, 1);
    peer_settle(peer);
    for (int i = 0; i < 5; i++) {
        int32_t id = peer_get(peer, "/pour");
        settle();
        nghttp2_submit_rst_stream(peer->session, 0, id, NGHTTP2_CANCEL);
        peer_settle(peer);
        CHECK_ERR(WR_BROKENPIPE, ended_with);
    }
    CHECK(strncmp(peer_hear(peer, peer_get(peer, "/nowhere")), "404", 3) == 0);
    peer_close_all(peer);
    close_site(&site);
}

TEST(a_call_that_ignores_its_deadline_is_answered_at_it)
{
    struct site site;
    struct peer *peer = open_own(&site);
    static const struct { const char *path; wr_time at; } calls[] = {
        { "/stubborn", WR_S(2) }, { "/stubborn/long", WR_S(7) + WR_MS(5) } };
    static const char answered[] =
        "request_latency_seconds_count{endpoint=\"%s\",method=\"GET\"}";
    for (int i = 0; i < 2; i++) {
        long long counted = metric_value(answered, calls[i].path);
        wr_time before = wr_now();
        int32_t late = peer_get(peer, calls[i].path);
        CHECK(strncmp(peer_hear(peer, late), "504 ", 4) == 0);
        CHECK_EQ(calls[i].at, wr_now() - before);
        CHECK_EQ(NGHTTP2_NO_ERROR, got_of(peer, late)->code);
        CHECK_EQ(counted + 1, metric_value(answered, calls[i].path));
    }
    CHECK_STR("200 hello, you", peer_hear(peer, peer_get(peer, "/hello/you")));
    CHECK_OK(wr_once_set(gate, NULL));
    peer_settle(peer);
    CHECK_STR("200 hello, all", peer_hear(peer, peer_get(peer, "/hello/all")));
    peer_close_all(peer);
    close_site(&site);
}

TEST(a_connection_can_end_while_a_call_ignores_its_deadline)
{
    struct site site;
    struct peer *peer = open_own(&site);
    CHECK(strncmp(peer_hear(peer, peer_get(peer, "/stubborn")), "504 ", 4) == 0);
    peer_close_all(peer);
    close_site(&site);
}

TEST(a_stream_that_ignores_its_deadline_is_reset)
{
    struct site site;
    struct peer *peer = open_own(&site);
    wr_time before = wr_now();
    int32_t id = peer_get(peer, "/stubborn/stream");
    CHECK_STR("200", peer_hear(peer, id));
    CHECK_EQ(NGHTTP2_CANCEL, got_of(peer, id)->code);
    CHECK_EQ(WR_S(7 + 5), wr_now() - before);
    CHECK_STR("200 hello, you", peer_hear(peer, peer_get(peer, "/hello/you")));
    peer_close_all(peer);
    close_site(&site);
}
