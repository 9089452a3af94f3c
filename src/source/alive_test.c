#include "source/alive.h"

#include "testing/fetch_rig.h"

static struct wr_fetch_client *client_for(bool internal)
{
    struct wr_fetch_client *client = NULL;
    CHECK_OK(wr_fetch_client_new(&client, &(struct wr_fetch_conf){
        .name = "test.client", .plain = true, .internal = internal,
        .redirects = WR_REDIRECT_ANY }));
    return client;
}

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
static struct wr_fetch_client *client;
static struct wr_arena arena = { .max = 10000 };

static void begin(void)
{
    open_site_of(&site, 0, (struct wr_http_conf){ .routes = pages,
                                                  .count = sizeof(pages) / sizeof(pages[0]) });
    client = client_for(true);
}

static void end(void)
{
    wr_fetch_client_close(client, WR_NOW);
    close_site(&site);
    wr_arena_free(&arena);
}

/* The path that is there, or the error. */
static const char *found(size_t count, const char *const *paths)
{
    const char *urls[8], *url = "";
    for (size_t i = 0; i < count; i++)
        urls[i] = paths[i][0] == '/' ? url_of(&site, paths[i]) : paths[i];
    wr_err err = alive_find(client, urls, count, &arena, &url, wr_after(WR_S(20)));
    const char *path = err ? NULL : strchr(url + 8, '/');
    return path ? path : wr_err_name(err);
}

#define FOUND(...) found(sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *), \
                         (const char *const[]){ __VA_ARGS__ })

TEST(a_page_that_answers_is_there)
{
    begin();
    CHECK_STR("/there", FOUND("/there"));
    CHECK_STR("/status/401", FOUND("/status/401"));
    CHECK_STR("/status/403", FOUND("/status/403"));
    CHECK_STR("/only-get", FOUND("/only-get"));
    end();
}

TEST(a_page_is_gone_only_if_it_says_so)
{
    begin();
    CHECK_STR("NotFound", FOUND("/nowhere"));
    CHECK_STR("NotFound", FOUND("/status/410"));
    CHECK_STR("Io", FOUND("/status/500"));
    CHECK_STR("Io", FOUND("/nowhere", "/status/500"));
    CHECK_STR("Io", FOUND("http://127.0.0.1:1/x"));
    CHECK_STR("Invalid", FOUND("ftp://a.example/x", "mailto:x"));
    end();
}

TEST(underscores_are_tried_as_hyphens_and_as_nothing)
{
    begin();
    CHECK_STR("/a-b", FOUND("/a_b"));
    CHECK_STR("/cd", FOUND("/c_d"));
    end();
}

TEST(any_of_several_is_enough_but_not_any_number)
{
    begin();
    CHECK_STR("/there", FOUND("/nowhere", "/status/500", "/there"));
    CHECK_STR("NotFound", FOUND("/n1", "/n2", "/n3", "/there"));
    end();
}

TEST(defect_20_slow_pages_take_no_longer_than_all_may_together)
{
    begin();
    wr_time begun = wr_now();
    CHECK_STR("Timeout", FOUND("/slow", "/slow?a_b", "/slow?c_d"));
    CHECK_EQ(WR_S(20), wr_now() - begun);
    end();
}

TEST(an_address_of_our_own_network_is_refused)
{
    begin();
    struct wr_fetch_client *strict = client_for(false);
    const char *const urls[] = { url_of(&site, "/there") }, *url;
    CHECK_ERR(WR_DENIED, alive_find(strict, urls, 1, &arena, &url, wr_after(WR_S(20))));
    wr_fetch_client_close(strict, WR_NOW);
    end();
}
