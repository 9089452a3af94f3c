/* conn_test.c - connections: requests one after the other, limits, time. */
#include "net/call.h"
#include "testing/http_rig.h"

/* ---- connections ---- */

TEST(a_connection_serves_many_requests_also_when_they_come_together)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    for (int i = 0; i < 3; i++) {
        say(stream, GET("/hello/again"));
        CHECK_STR("200 hello, again", hear(stream));
    }
    /* Not all at once: this client reads no further than one answer. */
    say(stream, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none"
                "DELETE /things/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    char bytes[1000];
    size_t len = 0, size;
    while (!wr_stream_read(stream, &size, bytes + len, sizeof(bytes) - 1 - len, WR_NEVER)
           && size)
        len += size;
    bytes[len] = '\0';
    CHECK(strstr(bytes, "\r\n\r\noneHTTP/1.1 204 ") != NULL);
    CHECK(strstr(bytes, "Connection: close\r\n") != NULL);
    wr_stream_close(stream);
    close_site(&site);
}

TEST(http_1_0_and_connection_close_end_the_connection)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    say(stream, "GET /hello/old HTTP/1.0\r\n\r\n");
    CHECK_STR("200 hello, old", hear(stream));
    CHECK_STR("closed", hear(stream));
    wr_stream_close(stream);
    close_site(&site);
}

TEST(one_byte_at_a_time_is_read_like_any_other_request)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    static const char text[] = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"
                               "bytes";
    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        say(stream, (char[]){ text[i], '\0' });
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    }
    CHECK_STR("200 bytes", hear(stream));
    wr_stream_close(stream);
    close_site(&site);
}

TEST(a_client_that_waits_for_100_is_told_to_go_on)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    say(stream, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
                "Expect: 100-continue\r\n\r\n");
    CHECK_STR("100", hear_of(stream, false));
    say(stream, "ok");
    CHECK_STR("200 ok", hear(stream));
    say(stream, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n"
                "Expect: 100-continue\r\n\r\n");
    CHECK(strncmp(hear(stream), "413 ", 4) == 0);
    wr_stream_close(stream);
    close_site(&site);
}

TEST(more_connections_than_allowed_are_reset)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ .connections_max = 1 });
    struct wr_stream *first = dial(&site), *second;
    say(first, GET("/hello/first"));
    CHECK_STR("200 hello, first", hear(first));
    second = dial_in_vain(&site);
    CHECK_STR("closed", hear(second));
    wr_stream_close(second);
    wr_stream_close(first);
    close_site(&site);
}

/* ---- limits ---- */

TEST(a_body_up_to_the_limit_is_taken_and_one_byte_more_is_not)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    static char text[200000];
    for (int over = 0; over < 2; over++)
        for (int chunked = 0; chunked < 2; chunked++) {
            struct wr_stream *stream = dial(&site);
            size_t size = 100000 + (size_t)over, read = 0, n = 1;
            int len = snprintf(text, sizeof(text),
                               "POST /echo HTTP/1.1\r\nHost: a\r\n%s: %s\r\n\r\n",
                               chunked ? "Transfer-Encoding" : "Content-Length",
                               chunked ? "chunked" : over ? "100001" : "100000");
            if (chunked)
                len += snprintf(text + len, 100, "%zx\r\n", size);
            memset(text + len, 'x', size);
            len += (int)size;
            len += snprintf(text + len, 100, "%s", chunked ? "\r\n0\r\n\r\n" : "");
            text[len] = '\0';
            (void)!wr_stream_write(stream, &n, &(struct wr_piece){ text, (size_t)len }, 1,
                                   WR_NEVER);
            wr_stream_shut(stream);
            while (!wr_stream_read(stream, &n, text + read, 200000 - read, WR_NEVER) && n)
                read += n;
            text[12] = '\0';
            CHECK_STR(over ? "HTTP/1.1 413" : "HTTP/1.1 200", text);
            if (!over)
                CHECK(read > size);
            wr_stream_close(stream);
        }
    close_site(&site);
}

TEST(a_head_that_is_too_large_is_refused)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    char text[14000];
    int len = snprintf(text, sizeof(text), "GET /hello/x HTTP/1.1\r\nHost: a\r\nX: ");
    memset(text + len, 'y', sizeof(text) - (size_t)len - 1);
    text[sizeof(text) - 1] = '\0';
    CHECK(strncmp(ask(&site, text), "431 ", 4) == 0);
    close_site(&site);
}

/* A call has little room at first; what needs more is moved, with what follows it. */
TEST(requests_around_the_size_of_a_call_are_read_whole_and_so_is_what_follows)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    static char fill[CALL_ROOM + 100], text[3 * CALL_ROOM];
    for (int in_head = 0; in_head < 2; in_head++)
        for (size_t size = CALL_ROOM - 90; size < CALL_ROOM + 10; size++) {
            memset(fill, 'y', size);
            fill[size] = '\0';
            snprintf(text, sizeof(text),
                     "POST /echo HTTP/1.1\r\nHost: a\r\nX: %s\r\n"
                     "Content-Length: %zu\r\n\r\n%sGET /hello/",
                     in_head ? fill : "", in_head ? 4 : size, in_head ? "body" : fill);
            say(stream, text);
            const char *heard = hear(stream);
            CHECK(strncmp(heard, "200 ", 4) == 0);
            CHECK_STR(in_head ? "body" : fill, heard + 4);
            say(stream, "next HTTP/1.1\r\nHost: a\r\n\r\n");
            CHECK_STR("200 hello, next", hear(stream));
        }
    wr_stream_close(stream);
    close_site(&site);
}

TEST(what_is_not_http_is_refused_and_the_connection_closed)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    say(stream, "\x16\x03\x01 hello\r\n\r\n");
    CHECK(strncmp(hear(stream), "400 ", 4) == 0);
    CHECK_STR("closed", hear(stream));
    wr_stream_close(stream);
    close_site(&site);
}

TEST(as_many_calls_of_a_path_run_as_it_allows)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct wr_stream *first = dial(&site);
    say(first, GET("/gated"));
    settle();
    CHECK(strncmp(ask(&site, GET("/gated")), "429 ", 4) == 0);
    CHECK(strstr(answer_head, "\r\nRetry-After: 1") != NULL);
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_STR("200 through", hear(first));
    wr_stream_close(first);
    close_site(&site);
}

TEST(a_full_queue_is_answered_at_once_and_priority_passes_it)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    struct wr_stream *busy[3];
    for (int i = 0; i < 3; i++) {           /* one runs, two fill the queue */
        busy[i] = dial(&site);
        say(busy[i], GET("/sleepy"));
        settle();
    }
    wr_time before = wr_now();
    CHECK(strncmp(ask(&site, GET("/hello/late")), "429 ", 4) == 0);
    CHECK_STR("204", ask(&site, GET("/healthz")));
    CHECK_EQ(0, wr_now() - before);
    for (int i = 0; i < 3; i++)
        wr_stream_close(busy[i]);
    close_site(&site);
}

/* ---- time ---- */

TEST(a_handler_that_waits_too_long_is_ended_at_three_quarters_of_the_deadline)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    wr_time before = wr_now();
    CHECK(strncmp(ask(&site, GET("/sleepy")), "504 ", 4) == 0);
    CHECK_EQ(WR_MS(1500), wr_now() - before);
    close_site(&site);
}

TEST(a_worker_that_does_not_listen_is_left_behind_at_the_deadline)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    wr_time before = wr_now();
    say(stream, GET("/stubborn") GET("/healthz"));
    CHECK(strncmp(hear_of(stream, false), "504", 3) == 0);
    CHECK_EQ(WR_S(2), wr_now() - before);
    CHECK_OK(wr_once_set(gate, NULL));      /* it answers nobody now */
    settle();
    CHECK_STR("200 hello, next", ask(&site, GET("/hello/next")));
    wr_stream_close(stream);
    close_site(&site);
}

TEST(a_deadline_runs_from_the_first_byte_and_not_from_the_connection)
{
    struct site site;
    open_site(&site, 1, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    settle();
    CHECK_OK(wr_sleep(wr_after(WR_S(3))));
    wr_time before = wr_now();
    say(stream, GET("/sleepy"));
    CHECK(strncmp(hear(stream), "504", 3) == 0);
    CHECK_EQ(WR_MS(1500), wr_now() - before);
    wr_stream_close(stream);
    close_site(&site);
}

TEST(a_head_that_comes_too_slowly_is_given_up)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ .head_within = WR_S(3) });
    struct wr_stream *stream = dial(&site);
    wr_time before = wr_now();
    say(stream, "GET /hello/slow HTTP/1.1\r\nHost");
    CHECK(strncmp(hear(stream), "408 ", 4) == 0);
    CHECK_EQ(WR_S(3), wr_now() - before);
    wr_stream_close(stream);
    close_site(&site);
}

TEST(the_head_of_the_first_request_is_awaited_from_the_connection_on)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ .head_within = WR_S(3) });
    struct wr_stream *silent = dial(&site), *slow = dial(&site);
    wr_time before = wr_now();
    settle();
    CHECK_OK(wr_sleep(before + WR_S(2)));
    say(slow, "GET /hello/slow HTTP/1.1\r\nHost");
    CHECK_STR("closed", hear(silent));
    CHECK_EQ(WR_S(3), wr_now() - before);
    CHECK(strncmp(hear(slow), "408 ", 4) == 0);
    CHECK_EQ(WR_S(3), wr_now() - before);
    wr_stream_close(silent);
    wr_stream_close(slow);
    close_site(&site);
}

TEST(the_head_of_a_later_request_is_awaited_from_its_first_byte_on)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ .head_within = WR_S(3) });
    struct wr_stream *stream = dial(&site);
    say(stream, GET("/hello/you"));
    CHECK_STR("200 hello, you", hear(stream));
    CHECK_OK(wr_sleep(wr_after(WR_S(50))));
    wr_time before = wr_now();
    say(stream, "GET /hello/slow HTTP/1.1\r\nHost");
    CHECK(strncmp(hear(stream), "408 ", 4) == 0);
    CHECK_EQ(WR_S(3), wr_now() - before);
    wr_stream_close(stream);
    close_site(&site);
}

/* Zeros before the size of a chunk, as many as one likes: none of it is a body. */
TEST(a_body_does_not_come_with_more_beside_it_than_chunks_need)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    static char zeros[8193];
    memset(zeros, '0', sizeof(zeros) - 1);
    say(stream, "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    wr_err err = WR_OK;
    for (int i = 0; i < 1000 && !err; i++) {
        size_t size;
        err = wr_stream_write(stream, &size, &(struct wr_piece){ zeros, 8192 }, 1,
                              wr_after(WR_S(1)));
    }
    CHECK(err != WR_OK);
    CHECK(strncmp(hear(stream), "413 ", 4) == 0);
    wr_stream_close(stream);
    close_site(&site);
}

TEST(a_body_that_comes_too_slowly_is_given_up)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ .body_within = WR_S(4) });
    struct wr_stream *stream = dial(&site);
    wr_time before = wr_now();
    say(stream, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nslow");
    CHECK(strncmp(hear(stream), "408 ", 4) == 0);
    CHECK_EQ(WR_S(4), wr_now() - before);
    wr_stream_close(stream);
    close_site(&site);
}

TEST(an_idle_connection_is_closed_without_a_word)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ .idle_max = WR_S(7) });
    struct wr_stream *stream = dial(&site);
    say(stream, GET("/hello/you"));
    CHECK_STR("200 hello, you", hear(stream));
    wr_time before = wr_now();
    CHECK_STR("closed", hear(stream));
    CHECK_EQ(WR_S(7), wr_now() - before);
    wr_stream_close(stream);
    close_site(&site);
}
