#include "testing/crawl_rig.h"

/* ---- a page ---- */

TEST(a_page_is_fetched_after_the_rules_by_an_honest_name)
{
    BEGIN(FREE, { "/a?b", .body = "<p>hello", .headers =
                  "Content-Type: text/html;charset=utf-8\r\nETag: W/\"1\"\r\n" });
    CHECK_OK(get("/a?b#c"));
    CHECK_STR("fetched", outcome());
    CHECK_EQ(200, page.status);
    CHECK_STR("<p>hello", (char *)page.bytes->data);
    CHECK_EQ(MEDIA_HTML, page.media);
    CHECK_STR("utf-8", page.charset);
    CHECK_STR("W/\"1\"", page.etag);
    CHECK_STR(stranger_url(&stranger, "a.test", "/a?b"), page.url);
    CHECK_STR("/robots.txt /a?b", stranger_paths(&stranger));
    for (int i = 0; i < 2; i++) {
        CHECK(strstr(stranger.heads[i], "User-Agent: weir/"));
        CHECK(strstr(stranger.heads[i], " (+mailto:us@example.org)\r\n"));
    }
    end();
}

TEST(an_answer_without_a_page_is_an_answer)
{
    BEGIN(FREE, { "/gone", .status = 410 });
    CHECK_OK(get("/gone"));
    CHECK_STR("status", outcome());
    CHECK_EQ(410, page.status);
    CHECK(!page.bytes);
    end();
}

TEST(what_is_no_url_to_fetch_is_refused)
{
    BEGIN(FREE, { "/a", .body = "" });
    CHECK_ERR(WR_INVALID, get("ftp://a.test/"));
    CHECK_STR("invalid", outcome());
    CHECK_STR("ftp://a.test/: it does not begin with http:// or https://", page.why);
    CHECK_ERR(WR_INVALID, get("http://me:secret@a.test/"));
    CHECK_ERR(WR_INVALID, get("file:///etc/passwd"));
    CHECK_EQ(0, stranger.asked);
    end();
}

TEST(an_internal_address_is_not_asked)
{
    BEGIN(FREE, { "/a", .body = "" });
    CHECK_ERR(WR_DENIED, get("http://10.1.2.3/"));
    CHECK_STR("refused", outcome());
    CHECK(strstr(page.why, "an internal address"));
    CHECK_ERR(WR_DENIED, get("http://inside.test/"));
    CHECK_ERR(WR_DENIED, get("http://169.254.169.254/latest/meta-data"));
    CHECK_EQ(0, stranger.asked);
    end();
}

TEST(what_is_of_another_kind_is_refused_and_not_tried_again)
{
    BEGIN(FREE, { "/a.png", .headers = "Content-Type: image/png\r\n", .body = "x" },
          { "/a.pdf", .headers = "Content-Type: application/pdf\r\n", .body = "%PDF-1" });
    CHECK_ERR(WR_UNSUPPORTED, get("/a.png"));
    CHECK_STR("refused", outcome());
    CHECK_ERR(WR_UNSUPPORTED, get("/a.pdf"));
    CHECK_OK(get_as((struct crawl_ask){ .accept_pdf = true }, "a.test", "/a.pdf"));
    CHECK_EQ(MEDIA_PDF, page.media);
    CHECK_STR("/robots.txt /a.png /a.pdf /a.pdf", stranger_paths(&stranger));
    end();
}

TEST(what_robots_forbid_is_not_asked_for)
{
    BEGIN(FREE, { "/robots.txt", .body = "User-agent: *\nDisallow: /x\n" },
          { "/a", .body = "" });
    CHECK_ERR(WR_DENIED, get("/x/1"));
    CHECK_STR("robots", outcome());
    CHECK(strstr(page.why, "does not allow /x/1"));
    CHECK_STR("/robots.txt", stranger_paths(&stranger));
    CHECK_OK(get("/a"));
    end();
}

static wr_err is_listed(void *arg, const char *host)
{
    if (strcmp(host, "c.test") == 0)
        return WR_TIMEOUT;
    return strcmp(arg, host) == 0 ? WR_DENIED : WR_OK;
}

TEST(what_is_on_the_list_is_not_asked)
{
    static char listed[] = "b.test";
    struct crawl_conf conf = FREE;
    conf.listed = is_listed;
    conf.listed_arg = listed;
    BEGIN(conf, { "/a", .body = "x" }, { "/go", .body = "" });
    send_on(1, "b.test", "/a");
    CHECK_ERR(WR_DENIED, get_from("b.test", "/a"));
    CHECK_STR("listed", outcome());
    CHECK_EQ(0, stranger.asked);
    CHECK_OK(get("/a"));
    CHECK_ERR(WR_DENIED, get("/go"));
    CHECK_STR("listed", outcome());
    CHECK_STR("/robots.txt /a /go", stranger_paths(&stranger));
    end();
}

TEST(while_nobody_can_read_the_list_nobody_is_asked)
{
    static char listed[] = "b.test";
    struct crawl_conf conf = FREE;
    conf.listed = is_listed;
    conf.listed_arg = listed;
    BEGIN(conf, { "/a", .body = "x" });
    CHECK_ERR(WR_TIMEOUT, get_from("c.test", "/a"));
    CHECK_STR("held", outcome());
    CHECK(strstr(page.why, "whether its domain may be visited is not known now"));
    CHECK_EQ(0, stranger.asked);
    end();
}

/* ---- politeness ---- */

TEST(pages_of_a_domain_come_in_turns_and_others_in_theirs)
{
    BEGIN(STEADY, { "/a", .body = "x" });
    wr_time begun = wr_now();
    CHECK_OK(get_from("a.test", "/a"));
    CHECK_OK(get_from("b.test", "/a"));
    CHECK_EQ(0, wr_now() - begun);
    CHECK_OK(get_from("a.test", "/a"));
    CHECK_EQ(WR_S(7), wr_now() - begun);
    CHECK_OK(get_from("a.test.", "/a"));            /* the same, with a dot */
    CHECK_EQ(WR_S(14), wr_now() - begun);
    end();
}

TEST(a_turn_that_is_too_late_is_said_at_once)
{
    BEGIN(STEADY, { "/a", .body = "x" });
    CHECK_OK(get("/a"));
    wr_time begun = wr_now();
    struct crawl_ask ask = { .url = stranger_url(&stranger, "a.test", "/a") };
    crawl_page_free(&page);
    CHECK_ERR(WR_TIMEOUT, crawl_get(crawl, &ask, &page, wr_after(WR_S(5))));
    CHECK_STR("late", outcome());
    CHECK(strstr(page.why, "is in 7000 ms, after the deadline"));
    CHECK_EQ(0, wr_now() - begun);
    end();
}

struct visitor { const char *host; };

static wr_err fetch_slow(void *arg)
{
    const struct visitor *visitor = arg;
    struct crawl_page own;
    struct crawl_ask ask = { .url = stranger_url(&stranger, visitor->host, "/slow") };
    CHECK_OK(crawl_get(crawl, &ask, &own, wr_after(WR_S(600))));
    crawl_page_free(&own);
    return WR_OK;
}

TEST(so_many_are_fetched_at_once_and_one_of_a_domain)
{
    static const struct visitor visitors[] = { { "a.test" }, { "a.test" }, { "b.test" },
                                               { "c.test" }, { "d.test" }, { "e.test" } };
    struct wr_scope *scope;
    struct crawl_conf conf = FREE;
    conf.at_once = 3;
    BEGIN(conf, { "/slow", .body = "x", .delay = WR_S(10) });
    wr_time begun = wr_now();
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test",
                                                             .deadline = WR_NEVER }));
    for (size_t i = 0; i < 6; i++)
        CHECK_OK(wr_scope_go(scope, "test.fetch", fetch_slow, (void *)&visitors[i]));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    CHECK(stranger.most_inside <= 5);               /* with the rules, which are not counted */
    /* One more turn when both of a domain come late. */
    wr_time took = wr_now() - begun;
    CHECK(took == WR_S(20) || took == WR_S(30));
    end();
}

TEST(a_day_has_so_many_requests)
{
    struct crawl_conf conf = FREE;
    conf.domain.daily = 3;
    BEGIN(conf, { "/a", .body = "x" });
    CHECK_OK(get("/a"));
    CHECK_OK(get("/a"));
    CHECK_ERR(WR_BUSY, get("/a"));
    CHECK_STR("spent", outcome());
    end();
}

/* ---- redirects ---- */

TEST(a_redirect_goes_by_the_rules_of_where_it_leads)
{
    BEGIN(STEADY, { "/go", .body = "" }, { "/there", .body = "hello" });
    send_on(0, "b.test", "/there");
    wr_time begun = wr_now();
    CHECK_OK(get("/go"));
    CHECK_EQ(0, wr_now() - begun);
    CHECK_STR(stranger_url(&stranger, "b.test", "/there"), page.url);
    CHECK_EQ(1, page.redirects);
    CHECK_STR("/robots.txt /go /robots.txt /there", stranger_paths(&stranger));
    CHECK_OK(get_from("b.test", "/there"));
    CHECK_EQ(WR_S(7), wr_now() - begun);
    end();
}

TEST(a_redirect_to_where_robots_may_not_go_is_not_followed)
{
    BEGIN(FREE, { "/robots.txt", .body = "User-agent: *\nDisallow: /x\n" },
          { "/go", .status = 301, .headers = "Location: /x\r\n" });
    CHECK_ERR(WR_DENIED, get("/go"));
    CHECK_STR("robots", outcome());
    CHECK_STR("/robots.txt /go", stranger_paths(&stranger));
    end();
}

TEST(that_robots_txt_cannot_be_read_is_told_apart_from_what_it_forbids)
{
    BEGIN(FREE, { "/robots.txt", .status = 503 });
    CHECK_ERR(WR_IO, get("/a"));
    CHECK_STR("robots_unreachable", outcome());
    end();
}

TEST(a_redirect_to_an_internal_address_is_not_followed)
{
    BEGIN(FREE, { "/go", .status = 301, .headers = "Location: http://10.0.0.1/\r\n" },
          { "/name", .status = 301, .headers = "Location: http://inside.test/\r\n" },
          { "/file", .status = 301, .headers = "Location: file:///etc/passwd\r\n" });
    CHECK_ERR(WR_DENIED, get("/go"));
    CHECK_STR("refused", outcome());
    CHECK_ERR(WR_DENIED, get("/name"));
    CHECK_ERR(WR_INVALID, get("/file"));
    CHECK_STR("refused", outcome());
    end();
}

TEST(a_redirect_within_a_domain_takes_a_turn)
{
    BEGIN(STEADY, { "/go", .status = 308, .headers = "Location: b\r\n" },
          { "/b", .body = "x" });
    wr_time begun = wr_now();
    CHECK_OK(get("/go"));
    CHECK_EQ(WR_S(7), wr_now() - begun);
    end();
}

TEST(five_redirects_are_followed)
{
    BEGIN(FREE, { "/1", .status = 302, .headers = "Location: /2\r\n" },
          { "/2", .status = 302, .headers = "Location: /3\r\n" },
          { "/3", .status = 302, .headers = "Location: /4\r\n" },
          { "/4", .status = 302, .headers = "Location: /5\r\n" },
          { "/5", .status = 302, .headers = "Location: /6\r\n" }, { "/6", .body = "x" },
          { "/0", .status = 302, .headers = "Location: /1\r\n" });
    CHECK_OK(get("/1"));
    CHECK_EQ(5, page.redirects);
    CHECK_ERR(WR_DENIED, get("/0"));
    CHECK(strstr(page.why, "it leads on by more redirects than are followed"));
    end();
}

TEST(a_cookie_stays_in_its_domain)
{
    BEGIN(FREE, { "/go", .body = "" }, { "/there", .body = "x" });
    send_on(0, "b.test", "/there");
    CHECK_OK(get_as((struct crawl_ask){ .cookie = "a=b" }, "a.test", "/go"));
    CHECK(strstr(stranger.heads[1], "Cookie: a=b\r\n"));
    CHECK(!strstr(stranger.heads[0], "Cookie"));
    CHECK(!strstr(stranger.heads[3], "Cookie"));
    end();
}

/* ---- when it does not work ---- */

TEST(what_does_not_work_is_tried_three_times_more)
{
    BEGIN(FREE, { "/robots.txt", .status = 404 }, { "/a", .status = 500 },
          { "/a", .silent = true }, { "/a", .body = "broken", .short_of = true },
          { "/a", .body = "fine" }, { "/b", .status = 502 });
    wr_time begun = wr_now();
    CHECK_OK(get("/a"));
    CHECK_STR("fine", (char *)page.bytes->data);
    CHECK_EQ(WR_S(2 + 4 + 8), wr_now() - begun);
    CHECK_EQ(5, stranger.asked);
    CHECK_OK(get("/b"));
    CHECK_STR("status", outcome());
    CHECK_EQ(502, page.status);
    CHECK_EQ(9, stranger.asked);
    end();
}

TEST(no_answer_at_all_is_an_error)
{
    struct crawl_conf conf = FREE;
    conf.tries_max = 1;
    BEGIN(conf, { "/a", .silent = true });
    CHECK_ERR(WR_IO, get("/a"));
    CHECK_STR("failed", outcome());
    CHECK(page.why[0]);
    end();
}

TEST(a_request_has_half_a_minute)
{
    struct crawl_conf conf = FREE;
    conf.tries_max = 1;
    BEGIN(conf, { "/a", .body = "x", .delay = WR_S(31) });
    wr_time begun = wr_now();
    CHECK_ERR(WR_TIMEOUT, get("/a"));
    CHECK_EQ(WR_S(30), wr_now() - begun);
    CHECK_STR("late", outcome());
    end();
}

TEST(who_asks_for_patience_gets_it)
{
    BEGIN(STEADY, { "/a", .status = 429, .headers = "Retry-After: 50\r\n" },
          { "/a", .body = "fine" });
    wr_time begun = wr_now();
    CHECK_OK(get("/a"));
    CHECK_STR("fine", (char *)page.bytes->data);
    CHECK_EQ(WR_S(50), wr_now() - begun);
    end();
}

TEST(a_refusal_that_lasts_longer_than_the_deadline_is_the_answer)
{
    BEGIN(FREE, { "/a", .status = 429, .headers = "Retry-After: 700\r\n" });
    wr_time begun = wr_now();
    CHECK_OK(get("/a"));
    CHECK_EQ(429, page.status);
    CHECK_EQ(WR_S(2), wr_now() - begun);
    CHECK_EQ(WR_S(698), crawl_domain(crawl, name_at("a.test")).turn_in);
    end();
}

TEST(who_wants_a_person_is_left_alone_until_there_was_one)
{
    BEGIN(FREE, { "/a", .status = 403, .body = "<div class=\"cf-turnstile\">" },
          { "/a", .body = "fine" }, { "/b", .body = "<form>Login<input type=password>" });
    CHECK_OK(get("/a"));
    CHECK_STR("challenged", outcome());
    CHECK_EQ(CHALLENGE_TURNSTILE, page.challenge);
    CHECK_EQ(403, page.status);
    CHECK_EQ(0, page.challenged);
    CHECK_EQ(2, stranger.asked);                    /* a challenge is not tried again */
    CHECK_OK(wr_sleep(wr_after(WR_S(100))));
    CHECK_OK(get("/b"));                            /* who comes next wants the same person */
    CHECK_STR("challenged", outcome());
    CHECK_EQ(CHALLENGE_TURNSTILE, page.challenge);
    CHECK_EQ(WR_S(100), page.challenged);
    CHECK_EQ(WR_S(3500), page.retry_in);
    CHECK_EQ(2, stranger.asked);
    crawl_release(crawl, name_at("a.test"));
    CHECK_OK(get("/a"));
    CHECK_STR("fetched", outcome());
    CHECK_OK(get("/b"));
    CHECK_EQ(CHALLENGE_LOGIN, page.challenge);
    CHECK_EQ(0, crawl_domain(crawl, name_at("a.test")).cooling);
    end();
}

TEST(who_fails_too_often_is_left_alone_and_wants_no_person)
{
    BEGIN(FREE, { "/a", .status = 500 });
    CHECK_OK(get("/a"));
    CHECK_OK(get("/a"));
    CHECK_EQ(6, stranger.asked);                    /* five times on end, and robots.txt */
    CHECK_ERR(WR_OPENCIRCUIT, get("/a"));
    CHECK_STR("cooling", outcome());
    CHECK_EQ(CHALLENGE_NONE, page.challenge);
    end();
}

/* ---- what the caller has a say in ---- */

static wr_err count_and_say(void *arg, wr_time deadline)
{
    int *left = arg;
    CHECK(deadline > wr_now());
    return (*left)-- > 0 ? WR_OK : WR_BUSY;
}

TEST(a_request_goes_out_if_the_caller_lets_it_and_is_asked_of_him_once)
{
    int left = 1;
    struct crawl_ask ask = { .go = count_and_say, .go_arg = &left };
    BEGIN(FREE, { "/a", .status = 500 }, { "/a", .status = 302, .headers = "Location: b\r\n" },
          { "/b", .body = "x" }, { "/robots.txt", .body = "User-agent: *\nDisallow: /no\n" });
    CHECK_OK(get_as(ask, "a.test", "/a"));          /* with a retry and a redirect */
    CHECK_EQ(0, left);
    CHECK_ERR(WR_DENIED, get_as(ask, "a.test", "/no"));
    CHECK_EQ(0, left);                              /* nobody would have been asked */
    unsigned asked = stranger.asked;
    CHECK_ERR(WR_BUSY, get_as(ask, "a.test", "/b"));
    CHECK_STR("held", outcome());
    CHECK_EQ(asked, stranger.asked);
    end();
}

static wr_err take_too_long(void *arg, wr_time deadline)
{
    (void)arg, (void)deadline;
    return WR_TIMEOUT;
}

TEST(a_caller_who_cannot_say_whether_it_may_go_out_is_not_a_page_that_is_late)
{
    struct crawl_ask ask = { .go = take_too_long };
    BEGIN(FREE, { "/a", .body = "x" });
    CHECK_ERR(WR_TIMEOUT, get_as(ask, "a.test", "/a"));
    CHECK_STR("held", outcome());
    CHECK_STR("/robots.txt", stranger_paths(&stranger));
    end();
}

TEST(who_has_no_patience_is_told_when_to_come_again_each_another_time)
{
    struct crawl_ask ask = { .patience = WR_S(2) };
    BEGIN(STEADY, { "/a", .body = "x" });
    CHECK_OK(get_as(ask, "a.test", "/a"));
    wr_time begun = wr_now();
    for (int i = 0; i < 20; i++) {                  /* not all for the same turn */
        CHECK_ERR(WR_BUSY, get_as(ask, "a.test", "/a"));
        CHECK_STR("later", outcome());
        CHECK(!page.url);
        CHECK_EQ(WR_S(7), page.retry_in);
        CHECK_EQ((1 + i / 8) * WR_S(7), crawl_put_off(crawl, name_at("a.test")));
    }
    CHECK_EQ(0, wr_now() - begun);
    CHECK_OK(get_as(ask, "b.test", "/a"));          /* that has its own turns */
    CHECK_OK(wr_sleep(begun + WR_S(5)));
    CHECK_OK(get_as(ask, "a.test", "/a"));          /* which is soon enough */
    CHECK_EQ(WR_S(7), wr_now() - begun);
    CHECK_EQ(WR_S(7), crawl_put_off(crawl, name_at("a.test")));     /* as if none had been */
    end();
}

TEST(who_has_no_patience_is_put_off_when_a_site_wants_to_be_asked_later)
{
    struct crawl_ask ask = { .patience = WR_S(2) };
    BEGIN(FREE, { "/a", .status = 429, .headers = "Retry-After: 40\r\n" },
          { "/a", .body = "fine" },
          { "/b", .status = 429, .headers = "Retry-After: 3600\r\n" });
    wr_time begun = wr_now();
    CHECK_ERR(WR_BUSY, get_as(ask, "a.test", "/a"));
    CHECK_STR("later", outcome());
    CHECK_EQ(WR_S(40), page.retry_in);
    CHECK_EQ(0, wr_now() - begun);
    CHECK_OK(wr_sleep(begun + WR_S(40)));
    CHECK_OK(get_as(ask, "a.test", "/a"));
    CHECK_STR("fetched", outcome());
    CHECK_OK(get_as(ask, "a.test", "/b"));          /* that is its answer */
    CHECK_EQ(429, page.status);
    end();
}

static wr_err get_slowly(void *arg)
{
    struct crawl_page *slow = arg;
    (void)!crawl_get(crawl, &(struct crawl_ask){ .url = stranger_url(&stranger, "a.test", "/s"),
                                                 .patience = WR_S(2) }, slow,
                     wr_after(WR_S(600)));
    return WR_OK;
}

TEST(who_would_be_the_third_in_a_slow_site_does_not_wait)
{
    struct crawl_page slow[2] = { 0 };
    struct wr_scope *scope;
    BEGIN(FREE, { "/s", .body = "x", .delay = WR_S(20) });
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test",
                                                             .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.slow", get_slowly, &slow[0]));
    CHECK_OK(wr_scope_go(scope, "test.slow", get_slowly, &slow[1]));
    settle();
    wr_time begun = wr_now();
    CHECK_ERR(WR_BUSY, get_as((struct crawl_ask){ .patience = WR_S(2) }, "a.test", "/s"));
    CHECK_STR("later", outcome());
    CHECK_EQ(0, wr_now() - begun);
    (void)!wr_scope_join(scope, WR_NEVER);
    CHECK_EQ(CRAWL_FETCHED + CRAWL_LATER, slow[0].outcome + slow[1].outcome);
    (void)!wr_scope_close(scope);
    crawl_page_free(&slow[0]);
    crawl_page_free(&slow[1]);
    end();
}

TEST(who_was_sent_to_another_site_that_has_no_turn_is_told_where)
{
    struct crawl_ask ask = { .patience = WR_S(2) };
    BEGIN(STEADY, { "/a", .body = "" }, { "/b", .body = "x" });
    send_on(0, "b.test", "/b");
    CHECK_OK(get_as(ask, "b.test", "/b"));
    CHECK_ERR(WR_BUSY, get_as(ask, "a.test", "/a"));
    CHECK_STR("later", outcome());
    CHECK_STR(stranger_url(&stranger, "b.test", "/b"), page.url);
    end();
}

TEST(who_was_sent_on_within_a_site_waits_for_the_turn_there)
{
    struct crawl_ask ask = { .patience = WR_S(2) };
    BEGIN(STEADY, { "/a", .status = 302, .headers = "Location: b\r\n" }, { "/b", .body = "x" });
    wr_time begun = wr_now();
    CHECK_OK(get_as(ask, "a.test", "/a"));
    CHECK_EQ(WR_S(7), wr_now() - begun);
    end();
}

static wr_err cancel_soon(void *scope)
{
    wr_err err = wr_sleep(wr_after(WR_S(3)));
    wr_scope_cancel(scope);
    return err;
}

TEST(who_is_canceled_between_two_tries_ends_at_once)
{
    struct wr_scope *scope, *aside;
    BEGIN(FREE, { "/a", .status = 500 });
    wr_time begun = wr_now();
    REQUIRE_OK(wr_scope_new(&aside, &(struct wr_scope_conf){ .name = "aside",
                                                             .deadline = WR_NEVER }));
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test",
                                                             .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(aside, "test.cancel", cancel_soon, scope));
    wr_scope_enter(scope);
    CHECK_ERR(WR_CANCELED, get("/a"));
    wr_scope_leave(scope);
    CHECK_STR("canceled", outcome());
    CHECK_EQ(WR_S(3), wr_now() - begun);
    CHECK_OK(wr_scope_close(scope));
    CHECK_OK(wr_scope_close(aside));
    end();
}

/* ---- what is counted ---- */

TEST(each_outcome_is_counted_by_its_name)
{
    BEGIN(FREE, { "/a", .body = "x" });
    long long before = metric_value("crawl_fetches_total{outcome=\"fetched\"}");
    long long invalid = metric_value("crawl_fetches_total{outcome=\"invalid\"}");
    CHECK_OK(get("/a"));
    CHECK_ERR(WR_INVALID, get("nonsense"));
    CHECK_EQ(before + 1, metric_value("crawl_fetches_total{outcome=\"fetched\"}"));
    CHECK_EQ(invalid + 1, metric_value("crawl_fetches_total{outcome=\"invalid\"}"));
    end();
}
