#include "crawl/robots.h"

#include <stdio.h>
#include <string.h>

#include "testing/test.h"

/* Whether a file lets us read a path. */
static bool allows(const char *file, const char *path)
{
    struct robots *robots = NULL;
    REQUIRE_OK(robots_parse(&robots, file, strlen(file), "weir"), false);
    bool allowed = robots_allow(robots, path);
    robots_free(robots);
    return allowed;
}

static wr_time delay_of(const char *file)
{
    struct robots *robots = NULL;
    REQUIRE_OK(robots_parse(&robots, file, strlen(file), "weir"), -1);
    wr_time delay = robots_delay(robots);
    robots_free(robots);
    return delay;
}

/* One rule for us, and a path. */
static bool forbids(const char *pattern, const char *path)
{
    char file[300] = "User-agent: weir\nDisallow: ";
    strncat(file, pattern, sizeof(file) - strlen(file) - 1);
    return !allows(file, path);
}

/* ---- groups ---- */

TEST_PLAIN(an_empty_file_allows_everything)
{
    CHECK(allows("", "/"));
    CHECK(allows("Disallow: /\n", "/"));        /* of no group */
    CHECK(allows("User-agent: weir\nDisallow:\n", "/a"));
    CHECK(allows("User-agent: other\nDisallow: /\n", "/a"));
}

TEST_PLAIN(the_group_that_names_us_wins_over_the_one_for_all)
{
    static const char file[] = "User-agent: *\nDisallow: /\n\nUser-Agent: Weir\nDisallow: /x\n";
    CHECK(allows(file, "/a"));
    CHECK(!allows(file, "/x"));
}

TEST_PLAIN(the_group_for_all_holds_where_none_names_us)
{
    static const char file[] = "User-agent: other\nAllow: /\n\nUser-agent: *\nDisallow: /a\n";
    CHECK(!allows(file, "/a"));
    CHECK(allows(file, "/b"));
}

TEST_PLAIN(a_name_counts_without_its_version_and_only_whole)
{
    CHECK(!allows("user-agent: WEIR/2.0 (like water)\ndisallow: /\n", "/"));
    CHECK(allows("user-agent: weirdo\ndisallow: /\n", "/"));
    CHECK(allows("user-agent: wei\ndisallow: /\n", "/"));
    CHECK(allows("user-agent: *weir\ndisallow: /\n", "/"));
}

TEST_PLAIN(groups_that_name_us_are_one_group)
{
    static const char file[] = "User-agent: weir\nDisallow: /a\n"
                               "User-agent: other\nDisallow: /b\n"
                               "User-agent: weir\nDisallow: /c\n";
    CHECK(!allows(file, "/a"));
    CHECK(allows(file, "/b"));
    CHECK(!allows(file, "/c"));
}

TEST_PLAIN(several_names_may_head_a_group)
{
    static const char file[] = "User-agent: one\nUser-agent: weir\n\nSitemap: /x\n"
                               "User-agent: two\nDisallow: /a\n";
    CHECK(!allows(file, "/a"));
}

TEST_PLAIN(a_rule_ends_the_names_of_its_group)
{
    CHECK(allows("User-agent: weir\nAllow: /b\nUser-agent: two\nDisallow: /a\n", "/a"));
}

/* ---- lines ---- */

TEST_PLAIN(lines_end_in_any_way_and_may_have_comments)
{
    CHECK(!allows("\xEF\xBB\xBFUser-agent: weir\r\nDisallow: /a # not this\r\n", "/a"));
    CHECK(!allows("User-agent:weir\rDisallow:/a", "/a"));
    CHECK(!allows("  User-agent \t: weir \n\tDisallow :\t/a \n", "/a/b"));
    CHECK(allows("User-agent: weir\n# Disallow: /a\n", "/a"));
    CHECK(allows("User-agent: weir\nDisallow /a\nNonsense\n", "/a"));
}

TEST_PLAIN(what_is_beyond_the_limit_is_not_looked_at)
{
    static char file[ROBOTS_MAX + 100];
    size_t size = sizeof(file);
    memset(file, '\n', size);
    static const char head[] = "User-agent: weir\nDisallow: /a\n", tail[] = "\nDisallow: /b\n";
    memcpy(file, head, sizeof(head) - 1);
    memcpy(file + ROBOTS_MAX, tail, sizeof(tail) - 1);
    struct robots *robots = NULL;
    CHECK_OK(robots_parse(&robots, file, size, "weir"));
    CHECK(!robots_allow(robots, "/a"));
    CHECK(robots_allow(robots, "/b"));
    robots_free(robots);
}

/* ---- rules ---- */

TEST_PLAIN(a_rule_matches_what_begins_with_it)
{
    CHECK(forbids("/fish", "/fish"));
    CHECK(forbids("/fish", "/fish.html"));
    CHECK(forbids("/fish", "/fish/salmon?id=1"));
    CHECK(!forbids("/fish", "/Fish"));
    CHECK(!forbids("/fish", "/catfish"));
    CHECK(!forbids("/fish/", "/fish"));
    CHECK(forbids("/a?b", "/a?b=c"));
}

TEST_PLAIN(the_longest_rule_decides)
{
    static const char file[] = "User-agent: weir\nDisallow: /example/page/\n"
                               "Allow: /example/page/disallowed.gif\nAllow: /example/\n";
    CHECK(!allows(file, "/example/page/a"));
    CHECK(allows(file, "/example/page/disallowed.gif"));
    CHECK(allows(file, "/example/b"));
}

TEST_PLAIN(of_rules_of_one_length_the_one_that_allows_decides)
{
    CHECK(allows("User-agent: weir\nDisallow: /page\nAllow: /page\n", "/page"));
    CHECK(allows("User-agent: weir\nAllow: /page\nDisallow: /page\n", "/page"));
    CHECK(!allows("User-agent: weir\nAllow: /page\nDisallow: /page$\n", "/page"));
}

TEST_PLAIN(a_star_is_anything)
{
    CHECK(forbids("/*.php", "/index.php"));
    CHECK(forbids("/*.php", "/folder/any.php.file"));
    CHECK(!forbids("/*.php", "/windows.PHP"));
    CHECK(forbids("*", "/"));
    CHECK(forbids("/a*b*c", "/a1b2c3"));
    CHECK(!forbids("/a*b*c", "/acb"));
    CHECK(forbids("/**x", "/x"));
}

TEST_PLAIN(a_dollar_at_the_end_is_the_end)
{
    CHECK(forbids("/$", "/"));
    CHECK(!forbids("/$", "/a"));
    CHECK(forbids("/*.pdf$", "/a.pdf"));
    CHECK(!forbids("/*.pdf$", "/a.pdf?x"));
    CHECK(forbids("/*.pdf$", "/a.pdf.pdf"));
    CHECK(forbids("/a*$", "/abc"));
    CHECK(!forbids("/ab*ab$", "/ab"));          /* the two pieces must not share letters */
    CHECK(forbids("/ab*b$", "/abb"));
    CHECK(!forbids("/a$b", "/a"));
    CHECK(forbids("/a$b", "/a$bc"));
}

TEST_PLAIN(both_sides_are_compared_as_encoded)
{
    CHECK(forbids("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar"));
    CHECK(forbids("/foo/bar/\xE3\x83\x84", "/foo/bar/%E3%83%84"));
    CHECK(forbids("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"));
    CHECK(forbids("/foo/bar/%62%61%7A", "/foo/bar/baz"));
    CHECK(forbids("/%7Ejoe", "/~joe"));
    CHECK(!forbids("/a%2Fb", "/a/b"));
    CHECK(forbids("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"));
    CHECK(!forbids("/path/file-with-a-%2A.html", "/path/file-with-a-b.html"));
    CHECK(forbids("/100%", "/100%"));
}

TEST_PLAIN(the_file_itself_may_always_be_read)
{
    CHECK(!forbids("/", "/robots.txt"));
    CHECK(forbids("/", "/robots.txt.bak"));
}

TEST_PLAIN(a_path_that_is_longer_than_any_is_not_allowed)
{
    static char path[40000];
    memset(path, 'a', sizeof(path) - 1);
    path[0] = '/';
    CHECK(forbids("/b", path));
}

/* ---- the delay ---- */

TEST_PLAIN(a_delay_is_a_number_of_seconds)
{
    CHECK_EQ(WR_S(10), delay_of("User-agent: *\nCrawl-delay: 10\n"));
    CHECK_EQ(WR_MS(2500), delay_of("User-agent: weir\nCrawl-delay: 2.5\n"));
    CHECK_EQ(0, delay_of("User-agent: weir\nCrawl-delay: soon\n"));
    CHECK_EQ(0, delay_of("User-agent: weir\nCrawl-delay: -3\n"));
    CHECK_EQ(0, delay_of("User-agent: other\nCrawl-delay: 10\n"));
    CHECK_EQ(ROBOTS_DELAY_MAX,
             delay_of("User-agent: weir\nCrawl-delay: 9999999999999999999\n"));
}

TEST_PLAIN(of_several_delays_the_longest_holds)
{
    CHECK_EQ(WR_S(9), delay_of("User-agent: weir\nCrawl-delay: 9\nCrawl-delay: 3\n"));
}

/* ---- bounds ---- */

TEST_PLAIN(what_is_kept_is_bounded_and_known)
{
    static char file[ROBOTS_MAX];
    size_t size = sizeof(file), len = 0;
    len += (size_t)snprintf(file, size, "User-agent: weir\n");
    while (len + 20 < size)
        len += (size_t)snprintf(file + len, size - len, "Disallow: /*\x80\x80$\n");
    struct robots *robots = NULL;
    REQUIRE_OK(robots_parse(&robots, file, len, "weir"));
    CHECK(robots_size(robots) > 256 << 10);
    CHECK(robots_size(robots) < 4 << 20);
    CHECK(robots_effort(robots, 100) > 2000000);
    CHECK(robots_allow(robots, "/a"));
    robots_free(robots);
}
