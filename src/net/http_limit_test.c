/* http_limit_test.c - what one address may ask of a server, and who may use its socket. */
#include <unistd.h>

#include "testing/http_rig.h"

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

static const char *ask_unix(const uint32_t *uids, size_t count)
{
    struct site site;
    struct wr_http_conf conf = { .routes = table, .count = sizeof(table) / sizeof(table[0]),
                                 .uids = uids, .uid_count = count };
    char text[60];
    snprintf(text, sizeof(text), "unix:/tmp/weir-limit-%d.sock", (int)getpid());
    site_prepare(&site, text, 0, NULL, NULL);
    REQUIRE_OK(wr_http_new(&site.http, &conf), "no server");
    site_start(&site, serve, 0);
    const char *answer = ask(&site, GET("/hello/neighbour"));
    close_site(&site);
    unlink(text + strlen("unix:"));
    return answer;
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
