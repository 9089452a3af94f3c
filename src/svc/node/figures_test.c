/* figures_test.c - the metrics page is new, unless it is asked for all the time. */
#include "svc/node/figures.h"

#include <weir/scope.h>

#include "testing/http_rig.h"

static struct figures *figures_under_test;
static _Atomic unsigned value;

static struct wr_metric asked = {
    .name = "figures_asked", .help = "How often the test has asked.", .type = WR_GAUGE,
};

static wr_err serve_figures(struct wr_call *call)
{
    wr_gauge_set(wr_metric_gauge(&asked), ++value);
    return figures_serve(figures_under_test, call);
}

static const struct wr_route page[] = {
    { .method = "GET", .path = "/metrics", .handler = serve_figures,
      .class = WR_ROUTE_PRIORITY },
};

/* What the page says it was asked; the page is longer than the rig takes. */
static long told_into(struct site *site, char *text, size_t room)
{
    size_t len = 0, size = 1;
    struct wr_stream *stream = dial(site);
    say(stream, "GET /metrics HTTP/1.0\r\n\r\n");
    while (size > 0
           && !wr_stream_read(stream, &size, text + len, room - 1 - len, WR_NEVER))
        len += size;
    text[len] = '\0';
    wr_stream_close(stream);
    const char *line = strstr(text, "\nfigures_asked ");
    return line ? strtol(line + 15, NULL, 10) : -1;
}

static long told(struct site *site)
{
    static char text[400000];
    return told_into(site, text, sizeof(text));
}

static void open_page(struct site *site)
{
    value = 0;
    REQUIRE_OK(figures_new(&figures_under_test));
    open_site_of(site, 0, (struct wr_http_conf){ .routes = page, .count = 1 });
}

static void close_page(struct site *site)
{
    close_site(site);
    figures_free(figures_under_test);
}

TEST(the_page_is_new_a_few_times_and_then_the_last_one_for_a_tenth_of_a_second)
{
    struct site site;
    open_page(&site);
    for (long round = 0; round < 3; round++) {
        long base = value;
        for (long i = 1; i <= FIGURES_FRESH_MAX; i++)
            CHECK_EQ(base + i, told(&site));
        for (long i = 0; i < 5; i++)
            CHECK_EQ(base + FIGURES_FRESH_MAX, told(&site));
        CHECK_OK(wr_sleep(wr_after(FIGURES_SPAN - 1)));
        CHECK_EQ(base + FIGURES_FRESH_MAX, told(&site));
        CHECK_OK(wr_sleep(wr_after(1)));
    }
    close_page(&site);
}

/* ---- many at once ---- */

#define AT_ONCE 16
#define PAGE_MAX 400000

/* Over several spans: a page is replaced while others are given the one before. */
static wr_err ask_often(void *arg)
{
    struct site *site = arg;
    char *text = malloc(PAGE_MAX);
    if (!text)
        return WR_NOMEM;
    for (int i = 0; i < 20; i++) {
        CHECK(told_into(site, text, PAGE_MAX) > 0);
        CHECK(strlen(text) > 0 && text[strlen(text) - 1] == '\n');
        CHECK_OK(wr_sleep(wr_after(FIGURES_SPAN / 7)));
    }
    free(text);
    return WR_OK;
}

TEST(many_who_ask_at_once_get_whole_pages_while_these_are_replaced)
{
    struct site site;
    struct wr_scope *scope = NULL;
    open_page(&site);
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.readers",
                                                             .deadline = WR_NEVER }));
    for (int i = 0; i < AT_ONCE; i++)
        CHECK_OK(wr_scope_go(scope, "test.reader", ask_often, &site));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    (void)!wr_scope_close(scope);
    close_page(&site);
}

TEST(who_asks_now_and_then_always_sees_it_new)
{
    struct site site;
    open_page(&site);
    for (long i = 1; i <= 50; i++) {
        CHECK_EQ(i, told(&site));
        CHECK_OK(wr_sleep(wr_after(FIGURES_SPAN / FIGURES_FRESH_MAX)));
    }
    close_page(&site);
}
