/* crawl_memory_test.c - what is kept, and what is rendered of it. */
#include <unistd.h>

#include <weir/run.h>

#include "crawl/browser.h"
#include "testing/crawl_rig.h"

/* ---- memory ---- */

struct shelf { char url[200]; struct crawl_page kept; unsigned recalls, keeps; bool broken; };

static void copy_page(struct crawl_page *to, const struct crawl_page *from)
{
    *to = *from;
    to->url = strdup(from->url);
    to->etag = from->etag ? strdup(from->etag) : NULL;
    to->last_modified = from->last_modified ? strdup(from->last_modified) : NULL;
    to->bytes = wr_bytes_ref(from->bytes);
}

static wr_err shelf_recall(void *self, const char *url, struct crawl_page *ret,
                           wr_time deadline)
{
    struct shelf *shelf = self;
    (void)deadline;
    shelf->recalls++;
    if (shelf->broken)
        return WR_IO;
    if (strcmp(shelf->url, url) != 0)
        return WR_NOTFOUND;
    copy_page(ret, &shelf->kept);
    return WR_OK;
}

static wr_err shelf_keep(void *self, const char *url, const struct crawl_page *kept,
                         wr_time deadline)
{
    struct shelf *shelf = self;
    (void)deadline;
    if (shelf->broken)
        return WR_IO;
    shelf->keeps++;
    crawl_page_free(&shelf->kept);
    copy_page(&shelf->kept, kept);
    snprintf(shelf->url, sizeof(shelf->url), "%s", url);
    return WR_OK;
}

#define WEEK WR_S(7 * 24 * 3600)

static struct crawl_conf with(struct shelf *shelf, struct crawl_memory *memory)
{
    struct crawl_conf conf = FREE;
    *memory = (struct crawl_memory){ shelf_recall, shelf_keep, shelf };
    conf.memory = memory;
    return conf;
}

TEST(what_is_kept_is_not_asked_for_again_for_a_week)
{
    struct shelf shelf = { 0 };
    struct crawl_memory memory;
    BEGIN(with(&shelf, &memory), { "/a", .body = "one" }, { "/a", .body = "two" });
    CHECK_OK(get("/a"));
    CHECK_OK(wr_sleep(wr_after(WEEK - WR_S(1))));
    CHECK_OK(get("/a#part"));
    CHECK_STR("remembered", outcome());
    CHECK_STR("one", (char *)page.bytes->data);
    CHECK_EQ(2, stranger.asked);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_OK(get("/a"));
    CHECK_STR("fetched", outcome());
    CHECK_STR("two", (char *)page.bytes->data);
    CHECK_OK(get_as((struct crawl_ask){ .renew = true }, "a.test", "/a"));
    CHECK_STR("fetched", outcome());
    crawl_page_free(&shelf.kept);
    end();
}

TEST(what_is_old_is_asked_for_only_if_it_has_changed)
{
    struct shelf shelf = { 0 };
    struct crawl_memory memory;
    BEGIN(with(&shelf, &memory), { "/go", .status = 301, .headers = "Location: /a\r\n" },
          { "/a", .headers = "Content-Type: text/plain\r\nETag: \"1\"\r\n", .body = "one" },
          { "/a", .status = 304 });
    CHECK_OK(get("/go"));
    CHECK_OK(wr_sleep(wr_after(WEEK)));
    CHECK_OK(get("/go"));
    CHECK_STR("unchanged", outcome());
    CHECK_STR("one", (char *)page.bytes->data);
    CHECK_EQ(200, page.status);
    CHECK_EQ(1, page.redirects);
    CHECK_EQ(MEDIA_PLAIN, page.media);
    CHECK_EQ(2, shelf.keeps);                       /* and is young again */
    CHECK(!strstr(stranger.heads[4], "If-None-Match"));     /* that was another URL's */
    CHECK(strstr(stranger.heads[5], "If-None-Match: \"1\"\r\n"));
    CHECK_OK(get("/go"));
    CHECK_STR("remembered", outcome());
    crawl_page_free(&shelf.kept);
    end();
}

TEST(only_pages_are_kept_and_not_what_somebody_alone_may_see)
{
    struct shelf shelf = { 0 };
    struct crawl_memory memory;
    BEGIN(with(&shelf, &memory), { "/404", .status = 404 },
          { "/login", .body = "<form>Login<input type=password>" }, { "/a", .body = "x" });
    CHECK_OK(get("/404"));
    CHECK_OK(get("/login"));
    CHECK_OK(get_as((struct crawl_ask){ .cookie = "a=b" }, "a.test", "/a"));
    CHECK_EQ(0, shelf.keeps);
    CHECK_EQ(2, shelf.recalls);
    end();
}

TEST(who_keeps_pages_himself_is_told_to_unless_the_memory_has_another_name_for_it)
{
    struct shelf shelf = { 0 };
    struct crawl_memory memory;
    BEGIN(with(&shelf, &memory), { "/a", .body = "x" }, { "/404", .status = 404 });
    CHECK_OK(get_as((struct crawl_ask){ .keeps = true }, "a.test", "/a"));
    CHECK(page.unkept);
    CHECK_EQ(0, shelf.keeps);
    CHECK_OK(get_as((struct crawl_ask){ .keeps = true }, "a.test", "/404"));
    CHECK(!page.unkept);
    CHECK_OK(get_as((struct crawl_ask){ .keeps = true }, "a.test", "/a#part"));
    CHECK(!page.unkept);
    CHECK_EQ(1, shelf.keeps);
    crawl_page_free(&shelf.kept);
    end();
}

TEST(a_memory_that_fails_is_counted_and_done_without)
{
    struct shelf shelf = { .broken = true };
    struct crawl_memory memory;
    BEGIN(with(&shelf, &memory), { "/a", .body = "x" });
    long long before = metric_value("crawl_memory_failures_total");
    CHECK_OK(get("/a"));
    CHECK_EQ(before + 2, metric_value("crawl_memory_failures_total"));
    end();
}

/* ---- rendering ---- */

static wr_err render(const char *path)
{
    struct crawl_ask ask = { .url = stranger_url(&stranger, "a.test", path) };
    return crawl_render(crawl, &ask, &page, wr_after(WR_S(600)));
}

#define APP "<body><script src=/app.js></script>"

TEST(a_page_that_cannot_be_rendered_is_as_it_was_fetched)
{
    struct crawl_conf conf = FREE;
    BEGIN(conf, { "/a", .body = APP });
    CHECK_OK(get("/a"));
    CHECK_ERR(WR_NOTFOUND, render("/a"));
    CHECK(!page.rendered);
    CHECK_STR(APP, (char *)page.bytes->data);
    CHECK_STR("its scripts could not run: no browser is configured (queue.browser.command)",
              page.why);
    end();
    conf.browser.path = "/nowhere/chromium";
    BEGIN(conf, { "/a", .body = APP });
    CHECK_OK(get("/a"));
    CHECK_ERR(WR_NOTFOUND, render("/a"));
    CHECK(!page.rendered);
    CHECK(strstr(page.why, "/nowhere/chromium cannot be run: No such file or directory"));
    end();
}

TEST(a_page_that_is_none_of_html_has_no_scripts)
{
    struct crawl_conf conf = FREE;
    conf.browser.path = "/nowhere/chromium";
    BEGIN(conf, { "/a", .headers = "Content-Type: text/plain\r\n", .body = "as it is" },
          { "/gone", .status = 404 });
    CHECK_OK(get("/a"));
    CHECK_ERR(WR_NOTFOUND, render("/a"));
    CHECK_STR("its scripts could not run: it is no page of HTML", page.why);
    CHECK_STR("as it is", (char *)page.bytes->data);
    CHECK_OK(get("/gone"));
    CHECK_ERR(WR_NOTFOUND, render("/gone"));
    end();
}

TEST(whether_a_page_of_scripts_has_changed_is_not_asked)
{
    struct shelf shelf = { 0 };
    struct crawl_memory memory;
    BEGIN(with(&shelf, &memory), { "/a", .body = APP, .headers = "Content-Type: text/html\r\n"
                                                                 "ETag: \"1\"\r\n" });
    CHECK_OK(get("/a"));
    shelf.kept.rendered = true;
    CHECK_OK(wr_sleep(wr_after(WEEK)));
    CHECK_OK(get("/a"));
    CHECK_STR("fetched", outcome());
    CHECK(!page.rendered);
    CHECK_STR("/robots.txt /a /robots.txt /a", stranger_paths(&stranger));
    CHECK(!strstr(stranger.heads[3], "If-None-Match"));
    end();
    crawl_page_free(&shelf.kept);
}

static wr_err render_pages(void *arg)
{
    struct shelf shelf = { 0 };
    struct crawl_memory memory;
    struct crawl_conf conf = with(&shelf, &memory);
    (void)arg;
    conf.browser.path = BROWSER_PATH;
    conf.browser.quiet = WR_S(2);           /* others use the processors, too */
    conf.domain.interval = WR_S(5);
    BEGIN(conf, { "/a", .body = APP "<script src=/forbidden.js></script>"
                                "<script src=http://10.0.0.1/x.js></script>" },
          { "/robots.txt", .body = "User-agent: *\nDisallow: /forbidden\n" },
          { "/app.js", .status = 302, .headers = "Location: /app2.js\r\n" },
          { "/app2.js", .headers = "Content-Type: text/javascript\r\n",
            .body = "fetch('/data').then(r => r.text()).then(t => document.body.append(t))" },
          { "/data", .headers = "Content-Type: application/json\r\n", .body = "seen" });
    CHECK_OK(get("/a"));
    CHECK_OK(render("/a"));
    CHECK_STR("", page.why);
    CHECK(page.rendered);
    CHECK(page.bytes && strstr((char *)page.bytes->data, "seen</body>"));
    CHECK_STR("utf-8", page.charset);
    CHECK_STR("/robots.txt /a /app.js /app2.js /data", stranger_paths(&stranger));
    CHECK_EQ(2, shelf.keeps);               /* as it came, and as it is then */
    CHECK_OK(get("/a"));
    CHECK_STR("remembered", outcome());
    CHECK(page.rendered);
    CHECK(page.bytes && strstr((char *)page.bytes->data, "seen</body>"));
    CHECK_STR("/robots.txt /a /app.js /app2.js /data", stranger_paths(&stranger));
    end();
    crawl_page_free(&shelf.kept);
    return WR_OK;
}

TEST_PLAIN(what_a_page_asks_for_passes_the_same_rules)
{
    if (access(BROWSER_PATH, X_OK) != 0)
        SKIP("there is no " BROWSER_PATH);
    if (getenv("WEIR_TEST_SLOW"))
        SKIP("a browser beside valgrind or an emulator is too slow");
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, render_pages, NULL));
}
