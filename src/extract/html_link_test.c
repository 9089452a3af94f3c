/* html_link_test.c - links of the main text. */
#include "extract/html_link.h"

#include <stdlib.h>

#include "base/text.h"
#include "testing/page_rig.h"

static void is(const struct extract_link *link, const char *url, const char *text,
               const char *context)
{
    CHECK_STR(url, link->url);
    CHECK_STR(text, link->text);
    CHECK_STR(context, link->context);
}

TEST_PLAIN(a_link_has_its_address_its_text_and_its_sentence)
{
    struct page_rig rig;
    page_open(&rig, "<p>It was long. See <a href='../b'>the  other\n<b>bridge</b></a> first. "
              PROSE);
    REQUIRE(rig.page.link_count == 1);
    is(&rig.page.links[0], "https://example.org/b", "the other bridge",
       "See the other bridge first.");
    CHECK_EQ(17, rig.page.links[0].offset);
    page_close(&rig);
}

TEST_PLAIN(links_beside_the_text_and_to_nowhere_are_none)
{
    struct page_rig rig;
    page_open(&rig, "<nav><a href=/n>n</a></nav><p>" PROSE " <a href='javascript:x()'>js</a> "
              "<a href='#top'>up</a> <a href='mailto:a@b'>mail</a> <a href=/in>in</a>.");
    REQUIRE(rig.page.link_count == 1);
    CHECK_STR("https://example.org/in", rig.page.links[0].url);
    page_close(&rig);
}

TEST_PLAIN(an_address_is_told_once)
{
    struct page_rig rig;
    page_open(&rig, "<p>" PROSE " <a href=/a>one</a>, <a href='/a#b'>two</a>, "
              "<a href=/c>c</a>.");
    REQUIRE(rig.page.link_count == 2);
    CHECK_STR("one", rig.page.links[0].text);
    CHECK_STR("c", rig.page.links[1].text);
    page_close(&rig);
}

TEST_PLAIN(links_are_relative_to_the_base_of_the_page)
{
    struct page_rig rig;
    page_open(&rig, "<base href='//cdn.example/x/'><base href=//no.example/><p>" PROSE
              " <a href=y>y</a>.");
    REQUIRE(rig.page.link_count == 1);
    CHECK_STR("https://cdn.example/x/y", rig.page.links[0].url);
    page_close(&rig);
}

TEST_PLAIN(a_base_that_leads_nowhere_changes_nothing)
{
    struct page_rig rig;
    page_open(&rig, "<base href='javascript:x'><p>" PROSE " <a href=y>y</a>.");
    REQUIRE(rig.page.link_count == 1);
    CHECK_STR("https://example.org/dir/y", rig.page.links[0].url);
    page_close(&rig);
}

TEST_PLAIN(of_a_long_sentence_the_part_around_the_link_is_told)
{
    struct page_rig rig;
    char page[4096];
    struct wr_text text = WR_TEXT(page);
    wr_text_str(&text, "<p>");
    for (int i = 0; i < 200; i++)
        wr_text_str(&text, "wörd ");
    wr_text_str(&text, "<a href=/a>here</a>");
    for (int i = 0; i < 200; i++)
        wr_text_str(&text, " wörd");
    page_open(&rig, page);
    REQUIRE(rig.page.link_count == 1);
    size_t len = strlen(rig.page.links[0].context);
    CHECK(len <= EXTRACT_HTML_CONTEXT && len > EXTRACT_HTML_CONTEXT - 8);
    CHECK(strstr(rig.page.links[0].context, "here"));
    page_close(&rig);
}

TEST_PLAIN(there_is_a_most_of_links)
{
    struct page_rig rig;
    struct wr_text text = wr_text_heap(1 << 20);
    for (int i = 0; i < EXTRACT_HTML_LINKS + 10; i++)
        wr_text_format(&text, "<p>A sentence with a link in it, of which this is number "
                       "<a href=/%d>%d</a>.", i, i);
    page_open(&rig, text.at);
    CHECK_EQ(EXTRACT_HTML_LINKS, rig.page.link_count);
    CHECK(rig.page.cut);
    page_close(&rig);
    wr_text_free(&text);
}
