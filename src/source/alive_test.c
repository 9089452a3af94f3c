#include "source/asking.h"

#include "testing/fetch_rig.h"

/* Paths of the site: GET also answers HEAD. */
static wr_err only_get(struct wr_call *call)
{
    if (strcmp(wr_call_method(call), "HEAD") == 0)
        wr_call_status(call, 405);
    return WR_OK;
}

static wr_err slow(struct wr_call *call)
{
    (void)call;
    return wr_sleep(wr_after(WR_S(100)));
}

static const struct wr_route pages[] = {
    { .method = "GET", .path = "/there", .handler = say_hello },
    { .method = "GET", .path = "/a-b", .handler = say_hello },
    { .method = "GET", .path = "/cd", .handler = say_hello },
    { .method = "GET", .path = "/only-get", .handler = only_get },
    { .method = "GET", .path = "/status/{status}", .handler = answer_with },
    { .method = "GET", .path = "/slow", .handler = slow, .class = WR_ROUTE_LONG },
};

static struct site site;
static struct asking asking;
static struct wr_arena arena = { .max = 10000 };
static struct source_question question;
static struct source_reading reading;

static void begin(bool internal)
{
    open_site_of(&site, 0, (struct wr_http_conf){ .routes = pages,
                                                  .count = sizeof(pages) / sizeof(pages[0]) });
    asking = (struct asking){ .driver = &source_alive };
    CHECK_OK(wr_fetch_client_new(&asking.client, &(struct wr_fetch_conf){
        .name = "test.client", .plain = true, .internal = internal,
        .redirects = WR_REDIRECT_ANY }));
    CHECK_OK(wr_limiter_new(&asking.limiter, &(struct wr_limiter_conf){
        .name = "test", .interval = source_alive.interval, .guard = 1 }));
}

static void end(void)
{
    wr_fetch_client_close(asking.client, WR_NOW);
    wr_limiter_free(asking.limiter);
    close_site(&site);
    wr_arena_free(&arena);
}

/* The path that is there, or the error. */
static const char *found(const char *path)
{
    question = (struct source_question){
        .by = SOURCE_BY_URL, .text = path[0] == '/' ? url_of(&site, path) : path };
    reading = (struct source_reading){ .driver = &source_alive, .question = &question,
                                       .arena = &arena };
    wr_err err = asking_run(&asking, &reading, wr_after(WR_S(120)));
    return err ? wr_err_name(err) : strchr(reading.records[0].work.urls[0] + 8, '/');
}

TEST(a_page_that_answers_is_there)
{
    begin(true);
    CHECK_STR("/there", found("/there"));
    CHECK_STR("/status/401", found("/status/401"));
    CHECK_STR("/status/403", found("/status/403"));
    CHECK_STR("/only-get", found("/only-get"));
    end();
}

TEST(a_page_is_gone_only_if_it_says_so)
{
    begin(true);
    CHECK_STR("NotFound", found("/nowhere"));
    CHECK_STR("NotFound", found("/status/410"));
    CHECK_STR("Io", found("/status/500"));
    CHECK(strstr(reading.why, "500"));
    CHECK_STR("Io", found("http://127.0.0.1:1/x"));
    end();
}

TEST(underscores_are_tried_as_hyphens_and_as_nothing)
{
    begin(true);
    CHECK_STR("/a-b", found("/a_b"));
    CHECK_STR(question.text, reading.records[0].work.urls[1]);      /* as cited */
    CHECK_STR("/cd", found("/c_d"));
    end();
}

TEST(each_request_takes_a_turn)
{
    begin(true);
    wr_time begun = wr_now();
    CHECK_STR("NotFound", found("/nowhere"));           /* HEAD, GET */
    CHECK_STR("/there", found("/there"));
    CHECK_EQ(3, asking.requests);
    CHECK(wr_now() - begun >= WR_S(1));
    end();
}

TEST(defect_20_slow_pages_take_no_longer_than_all_may_together)
{
    begin(true);
    wr_time begun = wr_now();
    CHECK_STR("Timeout", found("/slow?a_b"));
    CHECK_EQ(WR_S(20), wr_now() - begun);
    end();
}

TEST(an_address_of_our_own_network_is_nobodys_page)
{
    begin(false);
    CHECK_STR("NotFound", found("/there"));
    CHECK_STR("NotFound", found("http://169.254.169.254/latest/meta-data/"));
    CHECK_STR("NotFound", found("http://[::1]/"));
    end();
}

TEST(a_page_of_a_publisher_says_nothing)
{
    begin(false);
    CHECK_STR("NotFound", found("https://dl.acm.org/doi/pdf/10.1145/none"));
    CHECK_STR("NotFound", found("https://arxiv.org"));
    CHECK_EQ(0, asking.requests);
    end();
}
