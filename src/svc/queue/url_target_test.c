/* url_target_test.c - what becomes of an address, whatever the site says. */
#include "store/fragment.h"
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

#define GATE "<title>Wait</title><div class=\"h-captcha\" data-sitekey=x>"

LOCAL_TEST(a_page_behind_a_gate_is_read_when_somebody_has_opened_it)
{
    static struct store_auths auths, resolved;          /* too large for a stack */
    struct queue_why why;
    BEGIN(store, { "/a", HTML, .status = 403, .body = GATE }, { "/a", HTML, .body = tides },
          { "/b", HTML, .body = tides });
    add_url("a.test", "/a");
    done(STORE_JOB_WAITING, 1);
    add_url("a.test", "/b");                    /* nobody goes there meanwhile */
    done(STORE_JOB_FAILED, 1);
    CHECK(strstr(last_of(STORE_JOB_FAILED), "DOMAIN_COOLING: "));
    CHECK_OK(queue_auth_list(expedition.rig.queue, expedition.task, &auths, &why, SOON));
    CHECK_EQ(1, auths.count);
    CHECK_STR(url_of("a.test", "/a"), auths.auths[0].url);
    CHECK_OK(queue_auth_resolve(expedition.rig.queue, &(struct store_auth_which){
        .id = auths.auths[0].id }, STORE_AUTH_COMPLETED, &resolved, &why, SOON));
    CHECK_EQ(1, resolved.count);
    store_auths_free(&resolved);
    store_auths_free(&auths);
    done(STORE_JOB_COMPLETED, 1);
    CHECK(says("\"pages_fetched\":1"));
    CHECK_STR("/robots.txt /a /a", stranger_paths(&expedition.stranger));
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
