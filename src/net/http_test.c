/* http_test.c - what a server answers, and how it ends. */
#include "testing/h2_rig.h"

/* ---- answers ---- */

typedef const char *(*asker)(struct site *site, const char *text);

static void check_answers(asker asked, int workers)
{
    struct site site;
    open_site(&site, workers, (struct wr_http_conf){ 0 });
    CHECK_STR("200 hello, world", asked(&site, GET("/hello/world")));
    CHECK_STR("200 hello, a b, c/d &", asked(&site, GET("/hello/a%20b?x=1&mood=c/d+%26")));
    CHECK_STR("200 data", asked(&site, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
                                     "\r\ndata"));
    CHECK_STR("201", asked(&site, "POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n"
                                "\r\n"));
    CHECK(strstr(answer_head, "\r\nLocation: /things/7") != NULL);
    CHECK_STR("204", asked(&site, "DELETE /things/7 HTTP/1.1\r\nHost: a\r\n\r\n"));
    CHECK(!strstr(answer_head, "Content-Length"));
    CHECK_STR("204", asked(&site, GET("/healthz")));
    CHECK_STR("409 {\"error\":{\"code\":\"Exists\","
              "\"message\":\"there is a \\\"thing\\\" already\","
              "\"retryable\":false,\"corr_id\":\"c\"}}",
              asked(&site, "PUT /things/7 HTTP/1.1\r\nHost: a\r\nX-Corr-ID: c\r\n"
                         "Content-Length: 0\r\n\r\n"));
    close_site(&site);
}

TEST(calls_are_answered_where_they_arrive)
{
    check_answers(ask, 0);
    check_answers(ask2, 0);
}

TEST(calls_are_answered_by_workers)
{
    check_answers(ask, 2);
    check_answers(ask2, 2);
}

TEST(a_target_may_be_a_url_and_a_body_may_come_in_chunks)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    CHECK_STR("200 hello, me", ask(&site, GET("http://a/hello/me")));
    CHECK_STR("200 chunks", ask(&site, "POST /echo HTTP/1.1\r\nHost: a\r\n"
                                       "Transfer-Encoding: chunked\r\n\r\n"
                                       "3\r\nchu\r\n3\r\nnks\r\n0\r\n\r\n"));
    close_site(&site);
}

TEST(a_head_request_gets_the_length_and_no_body)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    say(stream, "HEAD /hello/you HTTP/1.1\r\nHost: a\r\n\r\n" GET("/hello/me"));
    CHECK_STR("200", hear_of(stream, false));
    CHECK(strstr(answer_head, "\r\nContent-Length: 10") != NULL);
    wr_stream_close(stream);
    close_site(&site);
}

TEST(unknown_paths_and_methods_are_told_apart)
{
    struct site site;
    static const asker asks[] = { ask, ask2 };
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    for (int i = 0; i < 2; i++) {
        CHECK(strncmp(asks[i](&site, GET("/nowhere")), "404 ", 4) == 0);
        CHECK(strncmp(asks[i](&site, "POST /hello/x HTTP/1.1\r\nHost: a\r\n"
                                     "Content-Length: 0\r\n\r\n"), "405 ", 4) == 0);
        CHECK(strstr(answer_head, "\r\nAllow: GET, HEAD") != NULL);
        CHECK(strncmp(asks[i](&site, GET("/hello/%zz")), "400 ", 4) == 0);
        CHECK(strncmp(asks[i](&site, GET("/hello/%00")), "400 ", 4) == 0);
    }
    close_site(&site);
}

/* ---- panics ---- */

TEST(a_handler_that_panics_is_answered_for_and_the_next_worker_goes_on)
{
    static const asker asks[] = { ask, ask2 };
    for (int i = 0; i < 2; i++) {
        struct site site;
        open_site(&site, 4, (struct wr_http_conf){ 0 });
        CHECK(strncmp(asks[i](&site, GET("/panic")), "500 ", 4) == 0);
        CHECK_STR("200 hello, survivor", asks[i](&site, GET("/hello/survivor")));
        close_site(&site);
    }
}

TEST(a_panic_where_the_call_arrived_closes_that_connection_alone)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    CHECK_STR("closed", ask(&site, GET("/panic")));
    CHECK_STR("200 hello, others", ask(&site, GET("/hello/others")));
    close_site(&site);
}

/* ---- the end ---- */

TEST(in_a_drain_priority_answers_and_everything_else_is_sent_away)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    struct wr_stream *open = dial(&site);
    say(open, GET("/hello/before"));
    CHECK_STR("200 hello, before", hear(open));
    wr_http_drain(site.http);
    say(open, GET("/hello/after"));
    CHECK(strncmp(hear(open), "503 ", 4) == 0);
    CHECK(strstr(answer_head, "\r\nConnection: close") != NULL);
    CHECK_STR("closed", hear(open));
    CHECK_STR("204", ask(&site, GET("/healthz")));
    wr_stream_close(open);
    close_site(&site);
}

TEST(the_end_of_a_server_closes_its_connections_also_those_with_a_call_in_the_queue)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    struct wr_stream *streams[4];
    for (int i = 0; i < 4; i++) {
        streams[i] = dial(&site);
        if (i < 3)
            say(streams[i], GET("/sleepy"));
    }
    settle();
    close_site(&site);
    for (int i = 0; i < 4; i++)
        wr_stream_close(streams[i]);
}
