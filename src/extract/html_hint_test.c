/* html_hint_test.c - what the classes and ids of a page give away. */
#include "extract/html_main.h"

#include "testing/test.h"

TEST_PLAIN(words_are_known_however_they_are_put_together)
{
    CHECK(html_hint_against("sidebar"));
    CHECK(html_hint_against("left-sidebar wide"));
    CHECK(html_hint_against("siteFooter"));
    CHECK(html_hint_against("x COOKIE_bar"));
    CHECK(html_hint_against("ad"));
    CHECK(html_hint_for("post-content"));
    CHECK(html_hint_for("articleBody"));
}

TEST_PLAIN(a_word_in_another_is_none)
{
    CHECK(!html_hint_against("shadow header-image"));
    CHECK(!html_hint_against("commentary"));
    CHECK(!html_hint_against("unfooter"));
    CHECK(!html_hint_against(""));
    CHECK(!html_hint_for("contents"));
}

TEST_PLAIN(names_that_programs_make_up_have_no_words)
{
    CHECK(html_hint_against("ad2 sidebar-12"));
    CHECK(!html_hint_against("x41ad5 sc-ad7310 e5ad"));
    CHECK(!html_hint_for("x41text5"));
}

TEST_PLAIN(every_word_of_the_lists_is_found)
{
    static const char *const some[] = { "ad", "aside", "comments", "footer", "nav", "related",
                                        "share", "toc", "widget", "widgets" };
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
        CHECK(html_hint_against(some[i]));
    CHECK(html_hint_for("article"));
    CHECK(html_hint_for("text"));
}

TEST_PLAIN(comments_and_teasers_are_told_from_the_rest)
{
    CHECK_EQ(HTML_HINT_COMMENTS, html_hint_against("comment"));
    CHECK_EQ(HTML_HINT_COMMENTS, html_hint_against("kommentare wide"));
    CHECK_EQ(HTML_HINT_COMMENTS, html_hint_against("comments-sidebar"));
    CHECK_EQ(HTML_HINT_AGAINST, html_hint_against("sidebar"));
    CHECK_EQ(HTML_HINT_AGAINST, html_hint_against("related-teaser"));
    CHECK_EQ(HTML_HINT_TEASER, html_hint_against("teaser-text"));
    CHECK_EQ(HTML_HINT_NONE, html_hint_against("text"));
}

TEST_PLAIN(a_very_long_word_is_nothing)
{
    CHECK(!html_hint_against("navnavnavnavnavnavnavnavnavnavnavnavnavnavnavnav"));
}
