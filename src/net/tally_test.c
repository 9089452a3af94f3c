/* tally_test.c - what the metrics page says of requests. */
#include "net/tally.h"

#include "testing/http_rig.h"

static char page[1 << 18];

static long long figure(const char *series)
{
    char line[200];
    size_t len;
    settle();                               /* answers are counted when they are out */
    REQUIRE_OK(wr_metric_write(&len, page, sizeof(page)), -1);
    snprintf(line, sizeof(line), "\n%s ", series);
    const char *at = strstr(page, line);
    return at ? strtoll(at + strlen(line), NULL, 10) : 0;
}

#define REQUESTS(route, method, status) \
    figure("http_requests_total{route=\"" route "\",method=\"" method "\",status=\"" status \
           "\"}")

TEST(an_answer_is_counted_by_its_route_method_and_status)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    long long hello = REQUESTS("/hello/{name}", "GET", "200");
    long long things = REQUESTS("/things/{id}", "PUT", "409");
    for (int i = 0; i < 3; i++)
        ask(&site, GET("/hello/you"));
    ask(&site, "PUT /things/7 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    CHECK_EQ(hello + 3, REQUESTS("/hello/{name}", "GET", "200"));
    CHECK_EQ(things + 1, REQUESTS("/things/{id}", "PUT", "409"));
    CHECK_EQ(0, REQUESTS("/hello/{name}", "GET", "409"));
    close_site(&site);
}

TEST(what_has_no_route_is_counted_as_none)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    long long before = REQUESTS("none", "any", "404");
    long long bad = REQUESTS("none", "any", "400");
    ask(&site, GET("/nowhere"));
    ask(&site, "GET / bad\r\n\r\n");
    CHECK_EQ(before + 1, REQUESTS("none", "any", "404"));
    CHECK_EQ(bad + 1, REQUESTS("none", "any", "400"));
    close_site(&site);
}

TEST(a_status_that_is_not_usual_is_counted_all_the_same)
{
    struct tally tally = { .route = "/odd", .method = "GET" };
    tally_count(&tally, 418);
    tally_count(&tally, 418);
    tally_count(&tally, 504);
    CHECK_EQ(2, REQUESTS("/odd", "GET", "418"));
    CHECK_EQ(1, REQUESTS("/odd", "GET", "504"));
}

TEST(requests_that_are_being_answered_are_seen_in_all_servers)
{
    struct site first, second;
    open_site(&first, 0, (struct wr_http_conf){ 0 });
    struct wr_stream *one = dial(&first);
    say(one, GET("/gated"));
    CHECK_EQ(1, figure("inflight_requests{route=\"/gated\"}"));
    open_site(&second, 0, (struct wr_http_conf){ 0 });
    struct wr_stream *other = dial(&second);
    say(other, GET("/gated"));
    CHECK_EQ(2, figure("inflight_requests{route=\"/gated\"}"));
    wr_stream_close(other);
    close_site(&second);
    CHECK_EQ(1, figure("inflight_requests{route=\"/gated\"}"));
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_STR("200 through", hear(one));
    CHECK_EQ(0, figure("inflight_requests{route=\"/gated\"}"));
    wr_stream_close(one);
    close_site(&first);
}
