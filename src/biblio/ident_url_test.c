/* ident_url_test.c - addresses, and what a PDF makes of them. */
#include <string.h>

#include "biblio/ident_int.h"
#include "testing/test.h"

static char buf[IDENT_URL_MAX];

static const char *url(const char *text)
{
    struct wr_text out = WR_TEXT(buf);
    struct rest rest = { text, strlen(text) };
    return ident_match_url(rest, &out) ? buf : NULL;
}

TEST_PLAIN(an_address_ends_where_the_sentence_goes_on)
{
    CHECK_STR("https://a.org/x", url("https://a.org/x. Accessed 2019."));
    CHECK_STR("https://a.org/x_(y)", url("https://a.org/x_(y))."));
    CHECK_STR("www.a.org", url("www.a.org, 2019"));
    CHECK(!url("http://"));
    CHECK(!url("https everywhere"));
}

TEST_PLAIN(blanks_in_the_scheme_are_taken_out)
{
    CHECK_STR("https://a.org/x", url("ht tp s : / /a.org/x"));
}

TEST_PLAIN(an_address_goes_on_behind_a_broken_line)
{
    CHECK_STR("https://a.org/long-name", url("https://a.org/long-\nname"));
    CHECK_STR("https://a.org/b/index.html", url("https://a.org/b/\nindex.html"));
    CHECK_STR("https://a.org/b/c", url("https://a.org\n/b/c"));
}

TEST_PLAIN(a_word_behind_a_broken_line_is_no_part_of_it)
{
    CHECK_STR("https://a.org/x", url("https://a.org/x\naccessed on May 1"));
    CHECK_STR("https://a.org/", url("https://a.org/\n2019."));
    CHECK_STR("https://a.org/", url("https://a.org/\nhttps://b.org/"));
    CHECK_STR("https://a.org/", url("https://a.org/ visited"));
}
