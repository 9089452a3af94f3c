/* markup_test.c - the markup of a page, made small and safe. */
#include "extract/markup.h"

#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

#define HEAD "<!DOCTYPE html>"

/* The markup, with pieces and attributes where their signs stand. */
static void spell(struct wr_text *ret, const struct extract_markup *markup)
{
    uint32_t sign, tag = 0;
    for (const char *at = markup->text.at + strlen(HEAD); *at; at++) {
        size_t used = extract_markup_sign(at, &sign);
        bool in_tag = used && at[-1] == '=';
        if (in_tag) {
            const struct markup_attributes *all = &markup->elements[tag++];
            wr_text_rewind(ret, ret->len - 2);
            for (size_t i = 0; i < all->count; i++)
                wr_text_format(ret, "%s%s=%s", i ? " " : "",
                               markup->attributes[all->first + i].name,
                               markup->attributes[all->first + i].value);
        } else if (used) {
            wr_text_bytes(ret, markup->pieces[sign].at, markup->pieces[sign].len);
        } else {
            wr_text_bytes(ret, at, 1);
        }
        at += used ? used - 1 : 0;
    }
}

static void becomes(const char *html, const char *want)
{
    char buf[4096];
    struct wr_text text = WR_TEXT(buf);
    struct extract_markup markup;
    REQUIRE_OK(extract_markup(&markup, html, strlen(html)));
    spell(&text, &markup);
    CHECK_STR(want, buf);
    extract_markup_free(&markup);
}

TEST_PLAIN(tags_and_texts_stay_in_their_order)
{
    becomes("<div>one<p>two</p> three</div>", "<div>one<p>two</p> three</div>");
    becomes("<DIV>a long text<P>b", "<div>a long text<p>b");
}

TEST_PLAIN(only_attributes_that_are_asked_for_stay_and_the_first_of_a_name_wins)
{
    becomes("<a onclick='x()' HREF=\"/a\" href=/b target=_blank>x</a>", "<a href=/a>x</a>");
    becomes("<div data-x=1 class = 'a b' id=c>x", "<div class=a b id=c>x");
    becomes("<p class=a/b>x", "<p class=a/b>x");
}

TEST_PLAIN(a_value_with_entities_or_quotes_is_left_to_the_parser)
{
    becomes("<a href='?a&amp;b'>x", "<a href=\"?a&amp;b\">x");
    becomes("<a href='?a&amp;\"'>x", "<a href=\"?a&amp;&quot;\">x");
}

TEST_PLAIN(entities_in_a_text_are_left_to_the_parser)
{
    struct extract_markup markup;
    REQUIRE_OK(extract_markup(&markup, "before&amp;behind", 17));
    CHECK(strstr(markup.text.at, "&amp;"));
    CHECK_EQ(2, markup.piece_count);
    extract_markup_free(&markup);
    becomes("AT&T and R&D", "AT&T and R&D");
}

TEST_PLAIN(a_number_that_no_character_has_is_replaced)
{
    becomes("a&#x10FFFF;b&#x110000;c&#99999999999;d", "a&#x10FFFF;b\uFFFDc\uFFFDd");
    becomes("<a href='?&#x110000;'>x", "<a href=\"?\uFFFD\">x");
}

TEST_PLAIN(scripts_styles_comments_and_drawings_are_gone)
{
    becomes("a<script>if (a < b) '<p>'</script>b", "ab");
    becomes("a<style>p > a { }</STYLE >b", "ab");
    becomes("a<!-- <p> -->b<!-->c<!doctype x>d<?php e ?>f</ g>h", "abcdfh");
    becomes("a<svg><title>no</title><path d=1><text>no</text></svg>b", "ab");
    becomes("a<iframe><p>no</p></iframe><textarea><p></textarea>b", "ab");
}

TEST_PLAIN(a_drawing_that_is_not_closed_ends_at_the_next_paragraph)
{
    becomes("a<svg><g>no<p>yes", "a<p>yes");
}

TEST_PLAIN(a_formula_is_its_letters)
{
    becomes("a<math><mi>x</mi><mo>+</mo><annotation>\\x</annotation></math>b", "ax+b");
}

TEST_PLAIN(tags_that_say_how_letters_look_are_left_out)
{
    becomes("a <b>b <i>c</b> d</i> <span>e</span> <span class=x>f</span>",
            "a b c d e <span class=x>f</span>");
}

TEST_PLAIN(what_is_hidden_by_its_style_is_called_hidden)
{
    becomes("<div style='color:red; Display : NONE'>x", "<div hidden=>x");
    becomes("<div style='display:block'>x", "<div>x");
}

TEST_PLAIN(an_end_without_a_beginning_is_left_out)
{
    becomes("<div>a</p></span></div></div>", "<div>a</div>");
}

TEST_PLAIN(a_sign_of_less_that_begins_no_tag_is_text)
{
    becomes("a < b <3 <", "a &lt; b &lt;3 &lt;");
}

TEST_PLAIN(a_tag_in_which_the_page_ends_is_none)
{
    becomes("a<p class=\"x", "a");
    becomes("a<script>b", "a");
    becomes("a<!-- b", "a");
}

TEST_PLAIN(zero_bytes_go_and_signs_of_the_page_are_no_signs)
{
    char buf[256];
    struct wr_text text = WR_TEXT(buf);
    struct extract_markup markup;
    static const char page[] = "zero\0byte <p>\xf3\xb0\x80\x80 own";
    REQUIRE_OK(extract_markup(&markup, page, sizeof(page) - 1));
    spell(&text, &markup);
    CHECK_STR("zerobyte <p>\xef\xbf\xbd own", buf);
    extract_markup_free(&markup);
}

TEST_PLAIN(scripts_are_counted_and_the_date_in_one_is_kept)
{
    struct extract_markup markup;
    static const char page[] = "<script src=a></script><script type='application/ld+json'>"
        "{\"a\":1,\"datePublished\" : \"2020-05-06T07:08\"}</script>";
    REQUIRE_OK(extract_markup(&markup, page, strlen(page)));
    CHECK_EQ(2, markup.scripts);
    CHECK_STR("2020-05-06T07:08", markup.published);
    extract_markup_free(&markup);
}

TEST_PLAIN(an_element_that_is_empty_as_in_xml_does_not_swallow_the_page)
{
    becomes("<p>a<iframe src=x /> <p>b", "<p>a </p><p>b");
    becomes("<script src='x'/>\n<p>b", "\n<p>b");
    becomes("<title/><p>b", "<title></title><p>b");
    becomes("<script />x = 1</script><p>b", "<p>b");
    becomes("<script src=x/>1</script><p>b", "<p>b");
    becomes("<script /src=x><p>1</p></script><p>b", "<p>b");
}

static char *repeated(const char *piece, size_t times)
{
    size_t len = strlen(piece);
    char *page = malloc(len * times + 1);
    for (size_t i = 0; page && i <= times; i++)
        memcpy(page + len * i, piece, i < times ? len : 1);
    if (page)
        page[len * times] = '\0';
    return page;
}

/* How many are open at once, as a reader that closes nothing by itself counts. */
static size_t deepest(const char *text)
{
    size_t deep = 0, most = 0;
    for (; (text = strchr(text, '<')); text++) {
        deep += text[1] == '/' ? (size_t)-1 : text[1] != '!';
        most = deep > most ? deep : most;
    }
    return most;
}

TEST_PLAIN(a_million_open_tags_are_not_passed_on)
{
    struct extract_markup markup;
    char *page = repeated("<div>", 1000000);
    REQUIRE(page);
    REQUIRE_OK(extract_markup(&markup, page, strlen(page)));
    CHECK_EQ(EXTRACT_MARKUP_DEPTH, deepest(markup.text.at));
    CHECK(markup.cut);
    extract_markup_free(&markup);
    free(page);
}

TEST_PLAIN(beyond_the_depth_ends_belong_to_tags_that_were_left_out)
{
    char page[EXTRACT_MARKUP_DEPTH * 5 + 64];
    struct wr_text text = WR_TEXT(page);
    for (int i = 0; i < EXTRACT_MARKUP_DEPTH; i++)
        wr_text_str(&text, "<div>");
    wr_text_str(&text, "<p>lost</p></div>end");
    struct extract_markup markup;
    REQUIRE_OK(extract_markup(&markup, page, text.len));
    CHECK_EQ(EXTRACT_MARKUP_DEPTH, deepest(markup.text.at));
    CHECK_EQ(EXTRACT_MARKUP_DEPTH + 1, markup.tags);
    extract_markup_free(&markup);
}

TEST_PLAIN(items_and_cells_that_are_not_closed_do_not_lie_in_each_other)
{
    struct extract_markup markup;
    char *page = repeated("<li>item<p>a<p>b<table><tr><td>c<td>d<tr><td>e</table>", 1000);
    REQUIRE(page);
    REQUIRE_OK(extract_markup(&markup, page, strlen(page)));
    CHECK(!markup.cut);
    extract_markup_free(&markup);
    free(page);
}

TEST_PLAIN(there_is_a_most_of_tags)
{
    struct extract_markup markup;
    char *page = repeated("<p>text</p>", EXTRACT_MARKUP_TAGS);
    REQUIRE(page);
    REQUIRE_OK(extract_markup(&markup, page, strlen(page)));
    CHECK(markup.cut);
    size_t tags = 0;
    for (const char *at = markup.text.at; (at = strchr(at, '<')); at++)
        tags++;
    CHECK_EQ(EXTRACT_MARKUP_TAGS + 1, tags);
    extract_markup_free(&markup);
    free(page);
}

TEST_PLAIN(a_long_value_is_left_out)
{
    struct extract_markup markup;
    char *page = repeated("x", EXTRACT_MARKUP_VALUE + 20);
    REQUIRE(page);
    for (size_t i = 0; i < 15; i++)
        page[i] = "<p id=ab class="[i];
    page[EXTRACT_MARKUP_VALUE + 19] = '>';
    REQUIRE_OK(extract_markup(&markup, page, strlen(page)));
    CHECK_EQ(1, markup.attribute_count);
    CHECK_STR("ab", markup.attributes[0].value);
    extract_markup_free(&markup);
    free(page);
}

TEST_PLAIN(a_noscript_with_a_long_text_is_read)
{
    struct extract_markup markup;
    char page[8192] = "";
    struct wr_text text = WR_TEXT(page);
    wr_text_str(&text, "<noscript><p>one");
    for (int i = 0; i < 500; i++)
        wr_text_str(&text, " two");
    wr_text_str(&text, "<noscript><p>three</noscript><p>four");
    REQUIRE_OK(extract_markup(&markup, page, text.len));
    CHECK_EQ(5, markup.tags);
    CHECK(!markup.asks_for_scripts);
    extract_markup_free(&markup);
}

TEST_PLAIN(a_noscript_that_asks_for_scripts_is_not_read)
{
    struct extract_markup markup;
    char page[8192] = "";
    struct wr_text text = WR_TEXT(page);
    wr_text_str(&text, "<noscript><p>This page needs JavaScript");
    for (int i = 0; i < 500; i++)
        wr_text_str(&text, " now");
    wr_text_str(&text, "</noscript><p>four");
    REQUIRE_OK(extract_markup(&markup, page, text.len));
    CHECK_EQ(1, markup.tags);
    CHECK(markup.asks_for_scripts);
    extract_markup_free(&markup);
}

TEST_PLAIN(a_million_noscripts_are_read_once)
{
    struct extract_markup markup;
    char *page = repeated("<noscript>", 1000000);
    REQUIRE(page);
    REQUIRE_OK(extract_markup(&markup, page, strlen(page)));
    CHECK_EQ(0, markup.tags);
    extract_markup_free(&markup);
    free(page);
}
