#include "crawl/permit.h"

#include <zlib.h>

#include "testing/stranger_rig.h"

static struct wr_fetch_client *client;
static struct domains *domains;
static struct stranger stranger;
static char why[DOMAIN_WHY];

static void begin(const struct stranger_page *pages, size_t count)
{
    static const struct wr_fetch_conf conf = STRANGER_FETCH;
    stranger = (struct stranger){ 0 };
    memcpy(stranger.pages, pages, count * sizeof(*pages));
    stranger_open(&stranger);
    CHECK_OK(wr_fetch_client_new(&client, &conf));
    CHECK_OK(domains_new(&domains, &(struct domain_conf){ .interval = WR_S(5) }));
}
#define BEGIN(...) do { const struct stranger_page pages_[] = { __VA_ARGS__ }; \
    begin(pages_, sizeof(pages_) / sizeof(pages_[0])); } while (0)

static void end(void)
{
    wr_fetch_client_close(client, WR_NOW);
    domains_free(domains);
    stranger_close(&stranger);
}

static wr_err check(const char *path)
{
    struct permit permit = { .client = client };
    struct domain *domain;
    struct fetch_url url;
    const char *clause;
    REQUIRE_OK(fetch_url_parse(&url, stranger_url(&stranger, "a.test", path), NULL, &clause),
               WR_INVALID);
    REQUIRE_OK(domain_enter(&domain, domains, "a.test", why, WR_NEVER), WR_INVALID);
    wr_err err = permit_check(&permit, domain, &url, why, wr_after(WR_S(60)));
    domain_leave(domain, DOMAIN_NOTHING, 0);
    fetch_url_free(&url);
    return err;
}

#define RULES "User-agent: weir\nDisallow: /x\n"

TEST(what_the_rules_say_holds_and_they_are_read_once_a_day)
{
    BEGIN({ "/robots.txt", .body = RULES });
    CHECK_OK(check("/a"));
    CHECK_ERR(WR_DENIED, check("/x/y"));
    CHECK_STR("robots.txt of a.test does not allow /x/y", why);
    CHECK_STR("/robots.txt", stranger_paths(&stranger));
    CHECK_OK(wr_sleep(wr_after(WR_S(24 * 3600) - 1)));
    CHECK_OK(check("/a"));
    CHECK_EQ(1, stranger.asked);
    CHECK_OK(wr_sleep(wr_after(1)));
    CHECK_OK(check("/a"));
    CHECK_EQ(2, stranger.asked);
    end();
}

TEST(reading_the_rules_is_one_of_the_day_and_no_turn)
{
    BEGIN({ "/robots.txt", .body = RULES });
    CHECK_OK(check("/a"));
    CHECK_EQ(1, domain_stat(domains, "a.test").today);
    CHECK_EQ(0, domain_stat(domains, "a.test").turn_in);
    end();
}

TEST(a_site_without_rules_allows_all)
{
    BEGIN({ "/robots.txt", .status = 404 });
    CHECK_OK(check("/x"));
    CHECK_OK(check("/x"));
    CHECK_EQ(1, stranger.asked);
    end();
    BEGIN({ "/robots.txt", .status = 403 });
    CHECK_OK(check("/x"));
    end();
}

TEST(a_site_whose_rules_cannot_be_read_allows_nothing_for_a_while)
{
    BEGIN({ "/robots.txt", .status = 503 }, { "/robots.txt", .status = 429 },
          { "/robots.txt", .silent = true }, { "/robots.txt", .body = RULES });
    static const char *const clauses[] = {
        "it was answered with 503", "it was answered with 429", "there was no answer" };
    for (int i = 0; i < 3; i++) {
        char told[DOMAIN_WHY];
        CHECK_ERR(WR_IO, check("/a"));
        snprintf(told, sizeof(told), "robots.txt of a.test cannot be read: %s; until it can "
                 "be, no page is (next try in 300 s)", clauses[i]);
        CHECK_STR(told, why);
        CHECK_OK(wr_sleep(wr_after(WR_S(299))));
        CHECK_ERR(WR_IO, check("/a"));
        CHECK(strstr(why, "(next try in 1 s)"));
        CHECK_EQ(i + 1, stranger.asked);
        CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    }
    CHECK_OK(check("/a"));
    end();
}

TEST(old_rules_go_on_while_no_new_ones_can_be_read)
{
    BEGIN({ "/robots.txt", .body = RULES }, { "/robots.txt", .status = 500 },
          { "/robots.txt", .body = "" });
    CHECK_OK(check("/a"));
    CHECK_OK(wr_sleep(wr_after(WR_S(24 * 3600))));
    CHECK_OK(check("/a"));
    CHECK_ERR(WR_DENIED, check("/x"));
    CHECK_EQ(2, stranger.asked);
    CHECK_OK(wr_sleep(wr_after(WR_S(300))));
    CHECK_OK(check("/x"));
    end();
}

TEST(five_redirects_are_followed_and_no_more)
{
    BEGIN({ "/robots.txt", .status = 301, .headers = "Location: /1\r\n" },
          { "/1", .status = 302, .headers = "Location: http://b.test:1/2\r\n" });
    snprintf((char *)(uintptr_t)stranger.heads[STRANGER_LOG - 1], 100, "Location: %s\r\n",
             stranger_url(&stranger, "b.test", "/2"));
    stranger.pages[1].headers = stranger.heads[STRANGER_LOG - 1];
    static const struct stranger_page more[] = {
        { "/2", .status = 307, .headers = "Location: /3\r\n" },
        { "/3", .status = 308, .headers = "Location: /4\r\n" },
        { "/4", .status = 303, .headers = "Location: /5\r\n" },
        { "/5", .body = RULES },
    };
    memcpy(stranger.pages + 2, more, sizeof(more));
    CHECK_ERR(WR_DENIED, check("/x"));
    CHECK_STR("/robots.txt /1 /2 /3 /4 /5", stranger_paths(&stranger));
    CHECK(strstr(stranger.heads[2], "b.test"));
    end();
    BEGIN({ "/robots.txt", .status = 301, .headers = "Location: /robots.txt\r\n" });
    CHECK_OK(check("/x"));
    CHECK_EQ(6, stranger.asked);
    end();
}

TEST(rules_that_are_moved_to_an_internal_address_cannot_be_read)
{
    BEGIN({ "/robots.txt", .status = 301, .headers = "Location: http://10.0.0.1/r\r\n" });
    CHECK_ERR(WR_IO, check("/a"));
    CHECK_STR("robots.txt of a.test cannot be read: it is inside this network or too large; "
              "until it can be, no page is (next try in 300 s)", why);
    end();
}

TEST(rules_that_grow_too_much_when_they_are_unpacked_are_at_no_internal_address)
{
    static unsigned char plain[400000], packed[4000];
    z_stream stream = { .next_in = plain, .avail_in = sizeof(plain), .next_out = packed,
                        .avail_out = sizeof(packed) };
    memset(plain, '#', sizeof(plain));
    REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    BEGIN({ "/robots.txt", .headers = "Content-Encoding: gzip\r\n", .body = (char *)packed,
            .body_len = stream.total_out });
    deflateEnd(&stream);
    CHECK_ERR(WR_IO, check("/a"));
    CHECK_STR("robots.txt of a.test cannot be read: it is inside this network or too large; "
              "until it can be, no page is (next try in 300 s)", why);
    end();
}

TEST(a_site_whose_name_has_no_address_has_no_rules_that_can_be_read)
{
    BEGIN({ "/robots.txt", .body = RULES });
    struct permit permit = { .client = client };
    struct domain *domain;
    struct fetch_url url;
    const char *clause;
    REQUIRE_OK(fetch_url_parse(&url, "http://nobody.test/x", NULL, &clause));
    REQUIRE_OK(domain_enter(&domain, domains, "nobody.test", why, WR_NEVER));
    CHECK_ERR(WR_IO, permit_check(&permit, domain, &url, why, wr_after(WR_S(60))));
    CHECK_STR("robots.txt of nobody.test cannot be read: the name has no address; until it can "
              "be, no page is (next try in 300 s)", why);
    domain_leave(domain, DOMAIN_NOTHING, 0);
    fetch_url_free(&url);
    end();
}

TEST(a_deadline_that_passes_says_nothing_of_the_site)
{
    BEGIN({ "/robots.txt", .body = "", .delay = WR_S(8) }, { "/robots.txt", .body = RULES });
    struct permit permit = { .client = client };
    struct domain *domain;
    struct fetch_url url;
    const char *clause;
    REQUIRE_OK(fetch_url_parse(&url, stranger_url(&stranger, "a.test", "/x"), NULL, &clause));
    REQUIRE_OK(domain_enter(&domain, domains, "a.test", why, WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, permit_check(&permit, domain, &url, why, wr_after(WR_S(3))));
    domain_leave(domain, DOMAIN_NOTHING, 0);
    fetch_url_free(&url);
    CHECK_ERR(WR_DENIED, check("/x"));
    end();
}

TEST(a_site_that_takes_longer_than_ten_seconds_cannot_be_read)
{
    BEGIN({ "/robots.txt", .body = "", .delay = WR_S(11) });
    wr_time begun = wr_now();
    CHECK_ERR(WR_IO, check("/a"));
    CHECK_EQ(WR_S(10), wr_now() - begun);
    end();
}

TEST(large_rules_are_read_and_matched_away_from_the_workers)
{
    static char file[ROBOTS_MAX + 50000];
    size_t size = sizeof(file), len = 0;
    len += (size_t)snprintf(file, size, "User-agent: weir\nDisallow: /x\n");
    while (len + 20 < size)
        len += (size_t)snprintf(file + len, size - len, "Disallow: *%zu$\n", len);
    BEGIN({ "/robots.txt", .body = file });
    CHECK_OK(check("/a"));
    CHECK_ERR(WR_DENIED, check("/x"));
    end();
}
