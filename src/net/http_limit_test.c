/* http_limit_test.c - what one address may ask of a server, and who may use its socket. */
#include <unistd.h>

#include <weir/admit.h>
#include "testing/h2_rig.h"

/* Whether a new connection is answered; if it is, it stays open in *ret. */
static bool gets_in(struct site *site, struct wr_stream **ret)
{
    *ret = NULL;
    if (wr_connect(ret, wr_listener_addr(site->listener), WR_NEVER))
        return false;
    settle();
    static const char text[] = GET("/hello/you");
    size_t size;
    if (wr_stream_write(*ret, &size, &(struct wr_piece){ text, strlen(text) }, 1, WR_NEVER))
        return false;
    return strcmp(hear(*ret), "200 hello, you") == 0;
}

TEST(an_address_has_no_more_connections_than_it_may_and_gets_them_back)
{
    struct site site;
    struct wr_stream *first, *second, *third;
    open_site(&site, 0, (struct wr_http_conf){ .limits = { .ip_connections = 2 } });
    long long before = rejected("ip_connections");
    CHECK(gets_in(&site, &first));
    CHECK(gets_in(&site, &second));
    CHECK(!gets_in(&site, &third));
    wr_stream_close(third);
    CHECK_EQ(before + 1, rejected("ip_connections"));
    CHECK_EQ(2, wr_http_connections(site.http));
    wr_stream_close(first);
    settle();
    CHECK(gets_in(&site, &first));
    wr_stream_close(first);
    wr_stream_close(second);
    close_site(&site);
}

TEST(without_a_word_256_connections_of_one_address_are_the_limit)
{
    struct site site;
    static struct wr_stream *streams[257];
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    for (int i = 0; i < 256; i++)
        CHECK(gets_in(&site, &streams[i]));
    CHECK(!gets_in(&site, &streams[256]));
    for (int i = 0; i < 257; i++)
        wr_stream_close(streams[i]);
    close_site(&site);
}

TEST(new_connections_beyond_their_rate_are_reset)
{
    struct site site;
    struct wr_stream *stream;
    open_site(&site, 0, (struct wr_http_conf){
        .limits = { .ip_accepts = wr_rate_of(1, WR_S(1), 2) } });
    long long before = rejected("ip_accept_rate");
    for (int i = 0; i < 2; i++) {
        CHECK(gets_in(&site, &stream));
        wr_stream_close(stream);
    }
    CHECK(!gets_in(&site, &stream));
    wr_stream_close(stream);
    CHECK_EQ(before + 1, rejected("ip_accept_rate"));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK(gets_in(&site, &stream));
    wr_stream_close(stream);
    close_site(&site);
}

TEST(requests_beyond_their_rate_are_429_with_the_time_to_wait_and_priority_is_not_counted)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){
        .limits = { .ip_requests = wr_rate_of(1, WR_S(10), 2) } });
    struct wr_stream *stream = dial(&site), *other = dial(&site);
    long long before = rejected("ip_request_rate");
    for (int i = 0; i < 5; i++) {
        say(stream, GET("/healthz"));
        CHECK_STR("204", hear(stream));
    }
    wr_time start = wr_now();
    say(stream, GET("/hello/a"));
    CHECK_STR("200 hello, a", hear(stream));
    say(other, GET("/hello/b"));
    CHECK_STR("200 hello, b", hear(other));
    say(stream, GET("/hello/c"));
    CHECK(strncmp(hear(stream), "429 ", 4) == 0);
    CHECK(strstr(answer_head, "\r\nRetry-After: 10") != NULL);
    CHECK(!strstr(answer_head, "Connection: close"));
    CHECK_EQ(before + 1, rejected("ip_request_rate"));
    CHECK_OK(wr_sleep(start + WR_S(10)));
    say(stream, GET("/hello/d"));
    CHECK_STR("200 hello, d", hear(stream));
    wr_stream_close(stream);
    wr_stream_close(other);
    close_site(&site);
}

TEST(what_does_not_exist_is_paid_for_like_the_rest)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){
        .limits = { .ip_requests = wr_rate_of(1, WR_S(10), 3) } });
    struct wr_stream *stream = dial(&site);
    say(stream, GET("/nowhere"));
    CHECK(strncmp(hear(stream), "404 ", 4) == 0);
    say(stream, "DELETE /sleepy HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(strncmp(hear(stream), "405 ", 4) == 0);
    say(stream, GET("/hello/%0"));
    CHECK(strncmp(hear(stream), "400 ", 4) == 0);
    static const char *const more[] = { GET("/nowhere"), GET("/hello/%0"), GET("/hello/a"),
                                        "DELETE /sleepy HTTP/1.1\r\nHost: a\r\n\r\n" };
    for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
        say(stream, more[i]);
        CHECK(strncmp(hear(stream), "429 ", 4) == 0);
        CHECK(strstr(answer_head, "\r\nRetry-After: 10") != NULL);
    }
    wr_stream_close(stream);
    close_site(&site);
}

TEST(priority_has_a_rate_of_its_own_and_is_429_beyond_it)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){
        .limits = { .ip_control = wr_rate_of(1, WR_S(5), 100) } });
    struct wr_stream *stream = dial(&site);
    long long before = rejected("ip_control_rate");
    for (int i = 0; i < 100; i++) {             /* more than may be open at once */
        say(stream, GET("/healthz"));
        CHECK_STR("204", hear(stream));
    }
    say(stream, GET("/healthz"));
    CHECK(strncmp(hear(stream), "429 ", 4) == 0);
    CHECK(strstr(answer_head, "\r\nRetry-After: 5") != NULL);
    CHECK_EQ(before + 1, rejected("ip_control_rate"));
    say(stream, GET("/hello/b"));
    CHECK_STR("200 hello, b", hear(stream));
    wr_stream_close(stream);
    close_site(&site);
}

/* ---- the share of the control plane ---- */

#define STALLED (WR_ADMIT_CONTROL_MAX + 20)    /* more than all addresses together may run */

static wr_err well(struct wr_call *call)
{
    wr_call_print(call, "well");
    return WR_OK;
}

static const struct wr_route control[] = {
    { .method = "GET", .path = "/well", .handler = well, .class = WR_ROUTE_PRIORITY },
    { .method = "POST", .path = "/do", .handler = well, .class = WR_ROUTE_PRIORITY },
    { .method = "POST", .path = "/take", .handler = echo, .class = WR_ROUTE_PRIORITY,
      .body_max = 100 },
    { .method = "GET", .path = "/gated", .handler = gated, .class = WR_ROUTE_PRIORITY },
};
#define CONTROL .routes = control, .count = sizeof(control) / sizeof(control[0])

TEST(answers_that_nobody_takes_hold_no_place_of_the_control_plane)
{
    struct site site;
    struct peer *peers[4];
    open_site_of(&site, 0, (struct wr_http_conf){ CONTROL });
    for (int i = 0; i < 4; i++) {
        peers[i] = peer_dial(&site);
        nghttp2_settings_entry shut = { NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0 };
        CHECK_EQ(0, nghttp2_submit_settings(peers[i]->session, 0, &shut, 1));
        for (int j = 0; j < STALLED / 4; j++)
            (void)peer_get(peers[i], "/well");
        peer_settle(peers[i]);
    }
    CHECK_STR("200 well", ask(&site, GET("/well")));
    for (int i = 0; i < 4; i++)
        peer_close_all(peers[i]);
    close_site(&site);
}

TEST(bodies_that_do_not_come_hold_no_place_of_the_control_plane)
{
    static struct wr_stream *streams[STALLED];
    struct site site;
    open_site_of(&site, 0, (struct wr_http_conf){
        CONTROL, .limits = { .ip_connections = STALLED + 1 } });
    for (int i = 0; i < STALLED; i++) {
        streams[i] = dial(&site);
        say(streams[i], "POST /take HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        settle();
    }
    CHECK_STR("200 well", ask(&site, GET("/well")));
    for (int i = 0; i < STALLED; i++)
        wr_stream_close(streams[i]);
    close_site(&site);
}

TEST(priority_that_takes_no_body_refuses_one_before_it_comes)
{
    struct site site;
    open_site_of(&site, 0, (struct wr_http_conf){ CONTROL });
    wr_time start = wr_now();
    CHECK(strncmp(ask(&site, "GET /well HTTP/1.1\r\nHost: a\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n"), "413 ", 4) == 0);
    CHECK(strncmp(ask(&site, "POST /do HTTP/1.1\r\nHost: a\r\n"
                             "Transfer-Encoding: chunked\r\n\r\n"), "413 ", 4) == 0);
    CHECK(strncmp(ask(&site, "POST /do HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n"),
                  "413 ", 4) == 0);
    CHECK_STR("200 well", ask(&site, "POST /do HTTP/1.1\r\nHost: a\r\n\r\n"));
    struct peer *peer = peer_dial(&site);
    nghttp2_nv fields[] = { PEER_NV(":method", "POST"), PEER_NV(":scheme", "http"),
                            PEER_NV(":authority", "a"), PEER_NV(":path", "/do") };
    CHECK(strncmp(peer_hear(peer, peer_send(peer, fields, 4, "")), "413 ", 4) == 0);
    CHECK_STR("200 well", peer_hear(peer, peer_send(peer, fields, 4, NULL)));
    CHECK_EQ(0, wr_now() - start);
    peer_close_all(peer);
    close_site(&site);
}

/* Dials until one is refused; that answer. */
static const char *run_too_many(struct site *site, struct wr_stream **streams, int most)
{
    for (int i = 0; i <= most; i++) {
        streams[i] = dial(site);
        say(streams[i], GET("/gated"));
        settle();
    }
    return hear(streams[most]);
}

TEST(of_one_address_no_more_calls_of_priority_run_than_its_share)
{
    static struct wr_stream *streams[WR_ADMIT_CONTROL_SHARE + 1];
    struct site site;
    open_site_of(&site, 0, (struct wr_http_conf){ CONTROL });
    long long before = rejected("ip_control_share");
    const char *answer = run_too_many(&site, streams, WR_ADMIT_CONTROL_SHARE);
    CHECK(strncmp(answer, "429 ", 4) == 0);
    CHECK(strstr(answer, "as many calls of this kind run as may, of this address") != NULL);
    CHECK(strstr(answer_head, "\r\nRetry-After: 1") != NULL);
    CHECK_EQ(before + 1, rejected("ip_control_share"));
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_STR("200 through", hear(streams[0]));
    CHECK_STR("200 through", ask(&site, GET("/gated")));
    for (int i = 0; i <= WR_ADMIT_CONTROL_SHARE; i++)
        wr_stream_close(streams[i]);
    close_site(&site);
}

TEST(limits_change_while_connections_are_open)
{
    struct site site;
    struct wr_stream *first, *second;
    open_site(&site, 0, (struct wr_http_conf){ .limits = { .ip_connections = 1 } });
    CHECK(gets_in(&site, &first));
    CHECK(!gets_in(&site, &second));
    wr_stream_close(second);
    wr_http_limit(site.http, &(struct wr_http_limits){ .ip_connections = 2 });
    CHECK(gets_in(&site, &second));
    wr_http_limit(site.http, &(struct wr_http_limits){
        .ip_requests = wr_rate_of(1, WR_S(1), 1) });
    say(first, GET("/hello/a"));
    CHECK_STR("200 hello, a", hear(first));
    say(second, GET("/hello/b"));
    CHECK(strncmp(hear(second), "429 ", 4) == 0);
    wr_stream_close(first);
    wr_stream_close(second);
    close_site(&site);
}

TEST(connections_beyond_those_of_the_server_are_counted_too)
{
    struct site site;
    struct wr_stream *first, *second;
    open_site(&site, 0, (struct wr_http_conf){ .connections_max = 1 });
    long long before = rejected("connections");
    CHECK(gets_in(&site, &first));
    CHECK(!gets_in(&site, &second));
    CHECK_EQ(before + 1, rejected("connections"));
    wr_stream_close(first);
    wr_stream_close(second);
    close_site(&site);
}

/* ---- Unix sockets ---- */

static const char *open_unix(struct site *site, const struct wr_http_conf *conf)
{
    static char text[60];
    snprintf(text, sizeof(text), "unix:/tmp/weir-limit-%d.sock", (int)getpid());
    site_prepare(site, text, 0, NULL, NULL);
    REQUIRE_OK(wr_http_new(&site->http, conf), "no server");
    site_start(site, serve, 0);
    return text + strlen("unix:");
}

static const char *ask_unix(const uint32_t *uids, size_t count)
{
    struct site site;
    struct wr_http_conf conf = { .routes = table, .count = sizeof(table) / sizeof(table[0]),
                                 .uids = uids, .uid_count = count };
    const char *path = open_unix(&site, &conf);
    const char *answer = ask(&site, GET("/hello/neighbour"));
    close_site(&site);
    unlink(path);
    return answer;
}

/* A socket has no address: it goes by the bound of all. */
TEST(who_is_refused_because_of_others_is_not_told_that_it_asks_too_often)
{
    static struct wr_stream *streams[WR_ADMIT_CONTROL_MAX + 1];
    struct site site;
    const char *path = open_unix(&site, &(struct wr_http_conf){ CONTROL });
    const char *answer = run_too_many(&site, streams, WR_ADMIT_CONTROL_MAX);
    CHECK(strncmp(answer, "429 ", 4) == 0);
    CHECK(strstr(answer, "as many calls of this kind run as may, of all addresses") != NULL);
    for (int i = 0; i <= WR_ADMIT_CONTROL_MAX; i++)
        wr_stream_close(streams[i]);
    close_site(&site);
    unlink(path);
}

TEST(a_unix_socket_answers_those_who_are_listed_and_tells_others_so)
{
    uint32_t me = (uint32_t)geteuid(), listed[] = { me + 1, me }, others[] = { me + 1, me + 2 };
    long long before = rejected("unauth");
    CHECK_STR("200 hello, neighbour", ask_unix(NULL, 0));
    CHECK_STR("200 hello, neighbour", ask_unix(listed, 2));
    CHECK(strncmp(ask_unix(others, 2), "403 ", 4) == 0);
    CHECK_EQ(before + 1, rejected("unauth"));
}

TEST(the_list_of_users_is_for_unix_sockets_alone)
{
    static const uint32_t nobody_here[] = { UINT32_MAX - 1 };
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ .uids = nobody_here, .uid_count = 1 });
    CHECK_STR("200 hello, you", ask(&site, GET("/hello/you")));
    close_site(&site);
}
