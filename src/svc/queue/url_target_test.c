/* url_target_test.c - what becomes of an address, whatever the site says. */
#include "store/fragment.h"
#include "store/sql_read.h"
#include "testing/expedition_rig.h"

static const char tides[] =
    "<title>Tides</title><article><h1>Tides</h1><p>The tides of the sea are caused by the "
    "gravity of the moon, as Newton explained in 1687 to everybody.</p></article>";

/* The one target fails like this. */
static void fails(const char *path, const char *with)
{
    add_url("a.test", path);
    done(STORE_JOB_FAILED, 1);
    const char *error = last_of(STORE_JOB_FAILED);
    if (!strstr(error, with))
        CHECK_STR(with, error);
}

LOCAL_TEST(who_is_asked_too_often_is_asked_again_when_he_said)
{
    BEGIN(store, { "/a", .status = 429, .headers = "Retry-After: 20\r\n" },
          { "/a", HTML, .body = tides });
    add_url("a.test", "/a");
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"pages_fetched\":1"));
    CHECK_STR("/robots.txt /a /a", stranger_paths(&expedition.stranger));
    CHECK(expedition.stranger.at[2] - expedition.stranger.at[1] >= WR_S(20));
    CHECK(expedition.stranger.at[2] - expedition.stranger.at[1] < WR_S(25));
    end();
}

LOCAL_TEST(who_is_not_to_be_asked_before_the_page_has_no_more_time_is_not)
{
    BEGIN(store, { "/a", .status = 429, .headers = "Retry-After: 3600\r\n" },
          { "/a", HTML, .body = tides });
    fails("/a", "HTTP_STATUS: it was answered with 429");
    CHECK_STR("/robots.txt /a", stranger_paths(&expedition.stranger));
    end();
}

LOCAL_TEST(where_a_page_comes_from_is_kept_with_it)
{
    struct store_answer answer;
    struct store_why why;
    char target[400];
    BEGIN(store, { "/a", HTML, .body = tides });
    snprintf(target, sizeof(target), "{\"kind\":\"url\",\"url\":\"%s\",\"depth\":1,"
             "\"reason\":\"citation_chase\",\"context\":{\"source_page_id\":\"page_7\"}}",
             url_of("a.test", "/a"));
    add_target(target, "{}");
    done(STORE_JOB_COMPLETED, 1);
    if (CHECK_OK(store_select(store, &(struct store_ask){
            .sql = "select reason, depth, source_page_id from task_pages", .rows_max = 2,
            .time_max = WR_S(2), .steps_max = 100000 }, &answer, &why, SOON))) {
        CHECK_STR("citation_chase", store_text(&answer.rows, 0, 0));
        CHECK_EQ(1, store_int(&answer.rows, 0, 1));
        CHECK_STR("page_7", store_text(&answer.rows, 0, 2));
        store_answer_free(&answer);
    }
    end();
}

#define GATE "<title>Wait</title><div class=\"h-captcha\" data-sitekey=x>"

LOCAL_TEST(a_page_behind_a_gate_is_read_when_somebody_has_opened_it)
{
    static struct store_auths auths;                    /* too large for a stack */
    struct queue_why why;
    uint64_t count;
    BEGIN(store, { "/a", HTML, .status = 403, .body = GATE }, { "/a", HTML, .body = tides },
          { "/b", HTML, .body = tides });
    add_url("a.test", "/a");
    done(STORE_JOB_WAITING, 1);
    add_url("a.test", "/b");                    /* nobody goes there meanwhile */
    done(STORE_JOB_WAITING, 2);
    CHECK_STR("/robots.txt /a", stranger_paths(&expedition.stranger));
    CHECK_OK(queue_auth_list(expedition.rig.queue, expedition.task, &auths, &count, &why,
                             SOON));
    CHECK_EQ(2, auths.count);
    CHECK_STR(auths.auths[0].domain, auths.auths[1].domain);
    CHECK_STR("hcaptcha", auths.auths[1].type);
    CHECK_OK(queue_auth_resolve(expedition.rig.queue, &(struct store_auth_which){
        .id = auths.auths[0].id }, STORE_AUTH_COMPLETED, &count, &why, SOON));
    CHECK_EQ(2, count);                         /* the site is open for both */
    store_auths_free(&auths);
    done(STORE_JOB_COMPLETED, 2);
    CHECK(says("\"pages_fetched\":1"));
    CHECK_EQ(4, expedition.stranger.asked);
    end();
}

LOCAL_TEST(a_site_that_another_node_has_seen_opened_is_asked_again)
{
    static struct store_auths auths;
    BEGIN(store, { "/a", HTML, .status = 403, .body = GATE }, { "/a", HTML, .body = tides });
    add_url("a.test", "/a");
    done(STORE_JOB_WAITING, 1);
    CHECK_OK(wr_sleep(wr_after(WR_S(60))));
    CHECK_OK(store_auth_resolve(store, &(struct store_auth_which){
        .task = expedition.task }, STORE_AUTH_COMPLETED, queue_slot_names, &auths, SOON));
    CHECK_EQ(1, auths.count);
    store_auths_free(&auths);
    done(STORE_JOB_COMPLETED, 1);
    end();
}

/* ---- politeness ---- */

LOCAL_TEST(a_site_with_few_turns_fails_nothing_and_keeps_nobody_waiting)
{
    expedition.crawl.domain.interval = WR_MS(1);
    BEGIN(store, { "/robots.txt", .body = "User-agent: *\nCrawl-delay: 50\n" },
          { "/1", HTML, .body = tides }, { "/2", HTML, .body = tides },
          { "/3", HTML, .body = tides }, { "/4", HTML, .body = tides },
          { "/5", HTML, .body = tides }, { "/6", HTML, .body = tides });
    CHECK_OK(store_task_allow(store, expedition.task, 100, -1, SOON));
    wr_time begun = wr_now();
    for (int i = 1; i <= 6; i++)
        add_url("a.test", (const char *[]){ "", "/1", "/2", "/3", "/4", "/5", "/6" }[i]);
    add_url("b.test", "/1");
    done(STORE_JOB_COMPLETED, 2);               /* the first of each */
    CHECK(wr_now() - begun < WR_S(8));
    for (unsigned i = 3; i <= 7; i++)
        done(STORE_JOB_COMPLETED, i);
    CHECK(wr_now() - begun >= WR_S(250) && wr_now() - begun < WR_S(300));
    end();
}

LOCAL_TEST(who_is_sent_to_a_site_with_few_turns_holds_no_slot_there)
{
    static char to[4][100];
    expedition.crawl.domain = (struct domain_conf){ .interval = WR_S(45), .jitter_min = WR_S(5),
                                                    .jitter_max = WR_S(5) };
    BEGIN(store, { "/4", HTML, .body = tides }, { "/1", .status = 302 },
          { "/2", .status = 302 }, { "/3", .status = 302 }, { "/5", HTML, .body = tides },
          { "/6", HTML, .body = tides });
    CHECK_OK(store_task_allow(store, expedition.task, 100, -1, SOON));
    for (int i = 1; i <= 3; i++) {
        snprintf(to[i], sizeof(to[i]), "Location: %s%d\r\n", url_of("d.test", "/"), i + 3);
        expedition.stranger.pages[i].headers = to[i];
    }
    wr_time begun = wr_now();
    add_url("a.test", "/1");                    /* sites of their own, and all lead to one */
    add_url("b.test", "/2");
    add_url("c.test", "/3");
    done(STORE_JOB_COMPLETED, 3);
    CHECK(wr_now() - begun < WR_S(8));
    for (unsigned i = 4; i <= 5; i++)           /* those that two of them have queued */
        done(STORE_JOB_COMPLETED, i);
    CHECK(wr_now() - begun >= WR_S(100) && wr_now() - begun < WR_S(110));
    end();
}

LOCAL_TEST(targets_that_nobody_wants_any_more_take_no_turns_from_others)
{
    struct queue_stopped stopped = { 0 };
    struct queue_why why = { 0 };
    char path[20];
    expedition.crawl.domain = (struct domain_conf){ .interval = WR_S(45), .jitter_min = WR_S(5),
                                                    .jitter_max = WR_S(5) };
    BEGIN(store, { "/a", HTML, .body = tides }, { "/b", HTML, .body = tides },
          { "/c", HTML, .body = tides });
    CHECK_OK(store_task_allow(store, expedition.task, 1000, -1, SOON));
    add_url("a.test", "/a");
    done(STORE_JOB_COMPLETED, 1);
    for (int i = 0; i < 100; i++) {
        snprintf(path, sizeof(path), "/a?%d", i);
        add_url("a.test", path);
    }
    rig_settle();
    CHECK_OK(queue_stop(expedition.rig.queue, expedition.task, &(struct queue_stop){
        .mode = QUEUE_IMMEDIATE, .reason = "user_cancelled" }, &stopped, &why, SOON));
    CHECK_OK(wr_sleep(wr_after(WR_S(60))));
    add_url("a.test", "/b");
    add_url("a.test", "/c");
    wr_time begun = wr_now();
    done(STORE_JOB_COMPLETED, 2);
    done(STORE_JOB_COMPLETED, 3);
    CHECK(wr_now() - begun < WR_S(55));
    end();
}

LOCAL_TEST(redirects_are_followed_to_their_end)
{
    BEGIN(store, { "/1", .status = 302, .headers = "Location: /2\r\n" },
          { "/2", .status = 301, .headers = "Location: /3\r\n" },
          { "/3", HTML, .body = tides });
    add_url("a.test", "/1");
    done(STORE_JOB_COMPLETED, 1);
    CHECK_STR("/robots.txt /1 /2 /3", stranger_paths(&expedition.stranger));
    end();
}

LOCAL_TEST(a_redirect_that_never_ends_is_not_followed_for_ever)
{
    expedition.crawl.redirects_max = 2;
    BEGIN(store, { "/a", .status = 302, .headers = "Location: /a\r\n" });
    fails("/a", "it leads on by more redirects than are followed");
    CHECK(strncmp(last_of(STORE_JOB_FAILED), "REFUSED: ", 9) == 0);
    CHECK_STR("/robots.txt /a /a /a", stranger_paths(&expedition.stranger));
    end();
}

LOCAL_TEST(a_redirect_to_an_internal_address_is_not_followed)
{
    BEGIN(store, { "/a", .status = 302, .headers = "Location: http://inside.test/\r\n" });
    fails("/a", "inside.test");
    CHECK_STR("/robots.txt /a", stranger_paths(&expedition.stranger));
    end();
}

LOCAL_TEST(what_robots_may_not_see_is_said_in_the_job)
{
    BEGIN(store, { "/robots.txt", .headers = "Content-Type: text/plain\r\n",
                   .body = "User-agent: *\nDisallow: /private\n" },
          { "/private/a", HTML, .body = tides });
    fails("/private/a", "ROBOTS_DENIED: ");
    CHECK_STR("/robots.txt", stranger_paths(&expedition.stranger));
    end();
}

LOCAL_TEST(what_is_too_large_is_refused)
{
    expedition.crawl.body_max = 100;
    BEGIN(store, { "/a", HTML, .body = tides });
    fails("/a", "REFUSED: ");
    CHECK(strstr(last_of(STORE_JOB_FAILED), "100"));
    end();
}

LOCAL_TEST(what_is_no_page_is_refused)
{
    BEGIN(store, { "/a.png", .headers = "Content-Type: image/png\r\n", .body = "\x89PNG" });
    fails("/a.png", "REFUSED: ");
    CHECK(strstr(last_of(STORE_JOB_FAILED), "image/png"));
    end();
}

LOCAL_TEST(what_another_task_has_fetched_is_not_asked_for_again)
{
    struct queue_why why;
    BEGIN(store, { "/a", HTML, .body = tides });
    add_url("a.test", "/a");
    done(STORE_JOB_COMPLETED, 1);
    CHECK_OK(queue_create(expedition.rig.queue, &(struct queue_task){ "The moon is far", 3,
                          3600 }, expedition.task, &why, SOON));
    add_url("a.test", "/a");
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"pages_fetched\":1"));
    CHECK_STR("/robots.txt /a", stranger_paths(&expedition.stranger));
    end();
}

#define APP "<div id=root></div><noscript>You need to enable JavaScript to run this app." \
    "</noscript><script src=/app.js></script>"

LOCAL_TEST(a_page_of_scripts_says_that_there_is_no_browser)
{
    BEGIN(store, { "/a", HTML, .body = APP });
    fails("/a", "NEEDS_SCRIPTS: its scripts could not run: no browser is configured "
                "(queue.browser.command)");
    end();
}

LOCAL_TEST(a_page_that_says_little_without_scripts_says_that_too)
{
    BEGIN(store, { "/a", HTML, .body = APP "<p>The moon causes the tides of the sea.</p>" });
    add_url("a.test", "/a");
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"status\":\"partial\""));
    CHECK(says("\"fragments_extracted\":1"));
    CHECK(says("\"error_code\":\"NEEDS_SCRIPTS\",\"error\":\"its scripts could not run: no "
               "browser is configured"));
    end();
}

LOCAL_TEST(a_page_of_scripts_says_why_the_browser_cannot_be_run)
{
    expedition.crawl.browser.path = "/nowhere/chromium";
    BEGIN(store, { "/a", HTML, .body = APP });
    fails("/a", "NEEDS_SCRIPTS: its scripts could not run: /nowhere/chromium cannot be run");
    end();
}
