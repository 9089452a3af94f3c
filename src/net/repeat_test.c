/* repeat_test.c - calls whose worker ends under them, and the end of a server: run
 * again once where that is right, and everybody is answered. */
#include <weir/http.h>

#include "testing/http_rig.h"

static atomic_int begun, left;
static int panics;                  /* so many times before it goes well */

static wr_err fragile(struct wr_call *call)
{
    wr_call_print(call, "half of an ans");
    if (atomic_fetch_add(&begun, 1) < panics)
        wr_panic("as the test wants it");
    wr_call_print(call, "wer");
    return WR_OK;
}

static wr_err canceled_at_first(struct wr_call *call)
{
    wr_call_reply_header(call, "X-Try", "one");
    if (atomic_fetch_add(&begun, 1) < panics)
        return WR_CANCELED;
    wr_call_print(call, "done");
    return WR_OK;
}

static wr_err wait_a_second(struct wr_call *call)
{
    wr_err err = wr_sleep(wr_after(WR_S(1)));
    wr_call_print(call, "waited");
    return err;
}

/* It stays when it is run again. */
static wr_err slow_the_second_time(struct wr_call *call)
{
    int before = atomic_fetch_add(&begun, 1);
    if (before < panics && wr_call_query(call, "canceled"))
        return WR_CANCELED;
    if (before < panics)
        wr_panic("as the test wants it");
    return wait_a_second(call);
}

static const struct wr_route odd[] = {
    { .method = "GET", .path = "/slow", .handler = slow_the_second_time, .concurrency = 1 },
    { .method = "GET", .path = "/fragile", .handler = fragile },
    { .method = "POST", .path = "/fragile", .handler = fragile },
    { .method = "POST", .path = "/same", .handler = fragile, .repeatable = true },
    { .method = "GET", .path = "/canceled", .handler = canceled_at_first },
    { .method = "GET", .path = "/wait", .handler = wait_a_second },
    { .method = "GET", .path = "/healthz", .handler = nothing, .class = WR_ROUTE_PRIORITY },
};

static wr_err admit(void *arg, struct wr_call *call)
{
    (void)arg;
    return wr_call_query(call, "refuse") ? WR_DENIED : WR_OK;
}

static void leave(void *arg, struct wr_call *call)
{
    (void)arg;
    CHECK(wr_call_route(call) != NULL);
    left += (int)wr_call_answered(call);
}

static void open_odd(struct site *site, int workers)
{
    begun = left = 0;
    panics = 1;
    open_site_of(site, workers, (struct wr_http_conf){
        .routes = odd, .count = sizeof(odd) / sizeof(*odd), .admit = admit, .leave = leave });
}

#define POST(path) "POST " path " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"

TEST(a_get_whose_worker_panics_is_run_by_another_as_if_nothing_had_been)
{
    struct site site;
    open_odd(&site, 2);
    CHECK_STR("200 half of an answer", ask(&site, GET("/fragile")));
    CHECK_EQ(2, begun);
    close_site(&site);
}

TEST(it_is_tried_three_times_and_no_more)
{
    struct site site;
    open_odd(&site, 5);
    panics = 2;
    CHECK_STR("200 half of an answer", ask(&site, GET("/fragile")));
    CHECK_EQ(3, begun);
    panics = 3;
    begun = 0;
    CHECK(strncmp(ask(&site, GET("/fragile")), "500 ", 4) == 0);
    CHECK_EQ(3, begun);
    close_site(&site);
}

TEST(how_often_it_is_tried_can_be_said)
{
    struct site site;
    open_odd(&site, 4);
    wr_http_tune(site.http, &(struct wr_http_conf){ .tries_max = 1 });
    CHECK(strncmp(ask(&site, GET("/fragile")), "500 ", 4) == 0);
    CHECK_EQ(1, begun);
    wr_http_tune(site.http, &(struct wr_http_conf){ .tries_max = 2 });
    begun = 0;
    CHECK_STR("200 half of an answer", ask(&site, GET("/fragile")));
    CHECK_EQ(2, begun);
    close_site(&site);
}

TEST(a_post_is_not_run_again_unless_its_route_says_so)
{
    struct site site;
    open_odd(&site, 4);
    CHECK(strncmp(ask(&site, POST("/fragile")), "500 ", 4) == 0);
    CHECK_EQ(1, begun);
    begun = 0;
    CHECK_STR("200 half of an answer", ask(&site, POST("/same")));
    CHECK_EQ(2, begun);
    close_site(&site);
}

TEST(one_that_was_canceled_is_run_again_without_what_it_had_said)
{
    struct site site;
    open_odd(&site, 1);
    CHECK_STR("200 done", ask(&site, GET("/canceled")));
    const char *first = strstr(answer_head, "X-Try");
    CHECK(first && !strstr(first + 1, "X-Try"));
    CHECK_EQ(2, begun);
    close_site(&site);
}

TEST(one_that_is_run_again_counts_among_those_that_run)
{
    struct site site;
    const char *const first[] = { GET("/slow"), GET("/slow?canceled=1") };
    for (size_t i = 0; i < 2; i++) {
        open_odd(&site, 3);
        struct wr_stream *stream = dial(&site), *other = dial(&site);
        say(stream, first[i]);
        settle();
        CHECK_EQ(2, begun);
        say(other, GET("/slow"));
        CHECK(strncmp(hear(other), "429 ", 4) == 0);
        CHECK_STR("200 waited", hear(stream));
        say(other, GET("/slow"));
        CHECK_STR("200 waited", hear(other));
        wr_stream_close(stream);
        wr_stream_close(other);
        close_site(&site);
    }
}

TEST(who_was_admitted_leaves_once_and_who_was_not_does_not)
{
    struct site site;
    open_odd(&site, 1);
    panics = 0;
    CHECK_STR("200 half of an answer", ask(&site, GET("/fragile")));
    CHECK(strncmp(ask(&site, GET("/fragile?refuse=1")), "403 ", 4) == 0);
    CHECK(strncmp(ask(&site, GET("/nowhere")), "404 ", 4) == 0);
    settle();
    CHECK_EQ(200, left);
    close_site(&site);
}

TEST(a_server_has_finished_when_the_last_answer_is_out)
{
    struct site site;
    open_odd(&site, 2);
    struct wr_stream *slow = dial(&site), *idle = dial(&site);
    say(slow, GET("/wait"));
    settle();
    wr_time settled = wr_now();
    CHECK_OK(wr_http_finish(site.http, WR_NEVER));
    CHECK(wr_now() - settled > WR_MS(999));
    CHECK_STR("200 waited", hear(slow));
    CHECK_STR("204", ask(&site, GET("/healthz")));
    wr_stream_close(slow);
    wr_stream_close(idle);
    close_site(&site);
}

TEST(a_server_that_answers_nobody_has_finished_at_once)
{
    struct site site;
    open_odd(&site, 1);
    struct wr_stream *idle = dial(&site);
    settle();
    CHECK_OK(wr_http_finish(site.http, WR_NOW));
    wr_stream_close(idle);
    close_site(&site);
}

TEST(the_end_may_take_too_long)
{
    struct site site;
    open_odd(&site, 1);
    struct wr_stream *slow = dial(&site);
    say(slow, GET("/wait"));
    settle();
    CHECK_ERR(WR_TIMEOUT, wr_http_finish(site.http, wr_after(WR_MS(500))));
    wr_stream_close(slow);
    close_site(&site);
}
