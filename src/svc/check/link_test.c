/* link_test.c - addresses that lead where they say, and nowhere else. */
#include <string.h>

#include "svc/check/link.h"
#include "testing/report_rig.h"
#include "testing/test.h"

static char buf[2048];

static const char *to(enum check_link link, const struct bib_work *work)
{
    struct wr_text out = WR_TEXT(buf);
    return check_link_to(&out, link, work) ? out.at : NULL;
}

static const char *given(const char *url)
{
    struct wr_text out = WR_TEXT(buf);
    return check_link_given(&out, url) ? out.at : NULL;
}

static const char *file(const char *name)
{
    struct wr_text out = WR_TEXT(buf);
    check_link_file(&out, name);
    return out.at;
}

TEST_PLAIN(link_leads_to_a_doi_whatever_is_in_it)
{
    struct bib_work work = { .doi = "10.1016/0021-9681(87)<1:x>2.0.co;2" };
    CHECK_STR("https://doi.org/10.1016/0021-9681%2887%29%3C1:x%3E2.0.co;2",
              to(CHECK_LINK_DOI, &work));
}

TEST_PLAIN(link_leads_to_arxiv)
{
    struct bib_work work = { .arxiv_id = "math.gt/0309136" };
    CHECK_STR("https://arxiv.org/abs/math.gt/0309136", to(CHECK_LINK_ARXIV, &work));
}

TEST_PLAIN(link_searches_for_a_title)
{
    struct bib_work work = { .title = "Über C&A?" };
    CHECK_STR("https://scholar.google.com/scholar?q=%C3%9Cber%20C%26A%3F",
              to(CHECK_LINK_SCHOLAR, &work));
}

TEST_PLAIN(link_searches_for_no_more_than_a_part_of_a_long_title)
{
    static char title[1000];
    memset(title, 'a', sizeof(title) - 1);
    struct bib_work work = { .title = title };
    CHECK_EQ(strlen("https://scholar.google.com/scholar?q=") + 300,
             strlen(to(CHECK_LINK_SCHOLAR, &work)));
}

TEST_PLAIN(link_is_none_to_what_is_not_known)
{
    struct bib_work work = { .doi = "" };
    for (unsigned i = 0; i < CHECK_LINK_COUNT; i++)
        CHECK(!to((enum check_link)i, &work));
}

TEST_PLAIN(link_is_none_of_any_other_scheme)
{
    CHECK(!given("javascript:alert(1)"));
    CHECK(!given("data:text/html,x"));
    CHECK(!given(" https://example.org"));
    CHECK(!given("httpsx://example.org"));
    CHECK(!given(NULL));
    CHECK_STR("HTTPS://example.org/", given("HTTPS://example.org/"));
}

TEST_PLAIN(link_holds_nothing_that_ends_it)
{
    CHECK_STR("http://example.org/?a=b&c=d#e%22%20onload=%27x%27%3E%29%60%0A%C3%BC",
              given("http://example.org/?a=b&c=d#e\" onload='x'>)`\nü"));
}

TEST_PLAIN(link_to_a_file_names_no_folder_of_this_machine)
{
    CHECK_STR("papers/a%20b.bib", file("papers/a b.bib"));
    CHECK_STR("a.bib", file("./a.bib"));
    CHECK_STR("a.bib", file("/home/ada/a.bib"));
    CHECK_STR("a.bib", file(".//home/ada/a.bib"));
    CHECK_STR("stdin", file("-"));
    CHECK_STR("stdin", file(""));
    CHECK_STR("C%3A%5Cx.bib", file("C:\\x.bib"));
}
