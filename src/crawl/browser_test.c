/* browser_test.c - pages that need scripts, in a real browser and real time. */
#include "crawl/browser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/run.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "testing/test.h"

/* What is asked for, and what it is. */
static char asked[2000];
static const struct { const char *url, *type, *body; } things[] = {
    { "https://a.test/app.js", "text/javascript",
      "document.body.append('made by a script; ');"
      "fetch('https://b.test/data').then(r => r.text()).then(t => document.body.append(t))" },
    { "https://b.test/data", "text/plain", "read by a script" },
    { "https://a.test/alert.js", "text/javascript",
      "alert('stop'); document.body.append('went on')" },
    { "https://a.test/loop.js", "text/javascript", "for (;;) ;" },
    { "https://a.test/many.js", "text/javascript",
      "for (let i = 0; i < 50; i++) fetch('/x' + i).catch(e => 0)" },
    { "https://a.test/leave.js", "text/javascript",
      "document.body.append('still here'); location = 'https://evil.test/'" },
    { "https://a.test/post.js", "text/javascript",
      "fetch('/post', { method: 'POST', body: 'x' }).catch(e => document.body.append('no'))" },
    { "https://a.test/grow.js", "text/javascript",
      "let a = []; for (let i = 0; i < 3000; i++) a.push(new Uint8Array(1 << 20).fill(1));"
      "document.body.append('all of it')" },
};

static wr_err load(void *arg, const char *url, struct browser_answer *ret, wr_time deadline)
{
    (void)arg;
    (void)deadline;
    size_t len = strlen(asked);
    snprintf(asked + len, sizeof(asked) - len, "%s%s", len ? " " : "", url);
    for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++)
        if (strcmp(url, things[i].url) == 0) {
            ret->status = 200;
            ret->type = strdup(things[i].type);
            return wr_bytes_copy(&ret->bytes, things[i].body, strlen(things[i].body));
        }
    return WR_DENIED;
}

static char why[BROWSER_WHY];

struct job { const char *html; struct browser_conf conf; char text[4000]; wr_time took; };

/* The text of the page, or the error. */
static wr_err show(void *arg)
{
    struct job *job = arg;
    struct browser *browser;
    struct wr_bytes *bytes;
    job->conf.load = load;
    asked[0] = '\0';
    REQUIRE_OK(browser_open(&browser, &job->conf), WR_OK);
    wr_time begun = wr_now();
    wr_err err = browser_render(browser, &(struct browser_page){
        .url = "https://a.test/page", .type = "text/html; charset=windows-1252",
        .bytes = job->html, .len = strlen(job->html) }, &bytes, why, wr_after(WR_S(60)));
    job->took = wr_now() - begun;
    if (err) {
        snprintf(job->text, sizeof(job->text), "%s: %s", wr_err_name(err), why);
    } else {
        snprintf(job->text, sizeof(job->text), "%s", (char *)bytes->data);
        wr_bytes_unref(bytes);
    }
    browser_close(browser);
    return WR_OK;
}

static bool shows(struct job *job, const char *part)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, show, job));
    if (!strstr(job->text, part))
        return CHECK_STR(part, job->text);
    return true;
}

#define NEEDS_BROWSER() do { \
    if (access(BROWSER_PATH, X_OK) != 0) \
        SKIP("there is no " BROWSER_PATH); \
    if (getenv("WEIR_TEST_SLOW")) \
        SKIP("a browser beside valgrind or an emulator is too slow"); } while (0)

TEST_PLAIN(what_scripts_make_and_read_is_in_the_page)
{
    NEEDS_BROWSER();
    struct job job = { .html = "<p>gr\xFC\xDF </p><script src=/app.js></script>" };
    CHECK(shows(&job, "made by a script; "));
    CHECK(strstr(job.text, "read by a script"));
    CHECK(strstr(job.text, "gr\xC3\xBC\xC3\x9F"));      /* as UTF-8, whatever it was */
    CHECK_STR("https://a.test/app.js https://b.test/data", asked);
    CHECK(strncmp(job.text, "<!DOCTYPE html><html>", 21) == 0);
}

TEST_PLAIN(only_what_scripts_need_is_asked_for)
{
    NEEDS_BROWSER();
    struct job job = { .html =
        "<link rel=stylesheet href=/s.css><img src=/i.png><iframe src=/f></iframe>"
        "<video src=/v.mp4></video><script src=/post.js></script>"
        "<form action=/go method=post id=f></form><script>f.submit()</script>" };
    CHECK(shows(&job, "no</body>"));
    CHECK_STR("https://a.test/post.js", asked);
}

TEST_PLAIN(a_page_that_leads_elsewhere_stays)
{
    NEEDS_BROWSER();
    struct job job = { .html = "<body><script src=/leave.js></script>" };
    CHECK(shows(&job, "still here"));
    CHECK_STR("https://a.test/leave.js", asked);
}

TEST_PLAIN(a_page_may_ask_for_so_much)
{
    NEEDS_BROWSER();
    struct job job = { .html = "<body><script src=/many.js></script>", .conf.loads_max = 10 };
    CHECK(shows(&job, "<script"));
    size_t count = 1;
    for (const char *at = asked; (at = strchr(at, ' ')); at++)
        count++;
    CHECK_EQ(10, count);
}

TEST_PLAIN(a_dialog_stops_nobody)
{
    NEEDS_BROWSER();
    struct job job = { .html = "<body><script src=/alert.js></script>" };
    CHECK(shows(&job, "went on"));
}

TEST_PLAIN(a_script_without_an_end_ends_with_its_time)
{
    NEEDS_BROWSER();
    struct job job = { .html = "<body><script src=/loop.js></script>",
                       .conf.time_max = WR_S(1) };
    CHECK(shows(&job, "Timeout: the page came to no end in the browser: deadline passed"));
    CHECK(job.took < WR_S(40));
}

TEST_PLAIN(a_script_without_bounds_ends_with_its_memory)
{
    NEEDS_BROWSER();
    struct job job = { .html = "<body><script src=/grow.js></script>",
                       .conf.memory_max = (size_t)512 << 20 };
    CHECK(shows(&job, "script"));       /* it has failed, and the rest is there */
    CHECK(!strstr(job.text, "all of it"));
    CHECK(job.took < WR_S(40));
}

TEST_PLAIN(a_browser_that_is_not_there_is_said_with_its_path)
{
    struct job job = { .html = "x", .conf.path = "/nowhere/chromium" };
    CHECK(shows(&job, "NotFound: /nowhere/chromium cannot be run: No such file or directory"));
}

TEST_PLAIN(a_program_that_is_no_browser_is_found_out)
{
    struct job job = { .html = "x", .conf.path = "/bin/true" };
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, show, &job));
    CHECK(!strstr(job.text, "<html"));
    CHECK(strstr(job.text, ": "));
}

static wr_err cancel_it(void *scope)
{
    wr_err err = wr_sleep(wr_after(WR_MS(300)));
    wr_scope_cancel(scope);
    return err;
}

static wr_err be_canceled(void *arg)
{
    struct wr_scope *scope, *aside;
    struct job *job = arg;
    REQUIRE_OK(wr_scope_new(&aside, &(struct wr_scope_conf){ .name = "aside",
                                                             .deadline = WR_NEVER }), WR_OK);
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test",
                                                             .deadline = WR_NEVER }), WR_OK);
    CHECK_OK(wr_scope_go(aside, "test.cancel", cancel_it, scope));
    wr_scope_enter(scope);
    CHECK_OK(show(job));
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    CHECK_OK(wr_scope_close(aside));
    return WR_OK;
}

TEST_PLAIN(who_is_canceled_does_not_wait_for_the_browser)
{
    NEEDS_BROWSER();
    struct job job = { .html = "<body><script src=/loop.js></script>" };
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, be_canceled, &job));
    CHECK(strstr(job.text, "Canceled: "));
    CHECK(job.took < WR_S(10));
}
