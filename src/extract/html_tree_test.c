/* html_tree_test.c - the elements and texts of a page in the order in which they stand. */
#include "extract/html_tree.h"

#include <string.h>

#include "base/text.h"
#include "testing/test.h"

struct rig {
    struct extract_markup markup;
    struct html_tree tree;
};

static void rig_open(struct rig *rig, const char *html)
{
    REQUIRE_OK(extract_markup(&rig->markup, html, strlen(html)));
    REQUIRE_OK(html_tree_build(&rig->tree, &rig->markup));
}

static void rig_close(struct rig *rig)
{
    html_tree_free(&rig->tree);
    extract_markup_free(&rig->markup);
}

/* (html (head) (body ...)), texts in quotes */
static void looks(const char *html, const char *want)
{
    char buf[1024];
    struct wr_text text = WR_TEXT(buf);
    struct rig rig;
    uint32_t open[64];
    size_t deep = 0;
    rig_open(&rig, html);
    for (uint32_t i = 0; i < rig.tree.count; i++) {
        const struct html_node *node = &rig.tree.at[i];
        for (; deep > 0 && rig.tree.at[open[deep - 1]].end == i; deep--)
            wr_text_str(&text, ")");
        CHECK(node->parent == (deep > 0 ? open[deep - 1] : HTML_NONE));
        if (node->tag == HTML_TEXT) {
            wr_text_format(&text, "'%.*s'", (int)node->len, node->text);
        } else {
            wr_text_format(&text, "(%s", gumbo_normalized_tagname((GumboTag)node->tag));
            open[deep++] = i;
        }
    }
    while (deep-- > 0)
        wr_text_str(&text, ")");
    CHECK_STR(want, buf);
    rig_close(&rig);
}

TEST_PLAIN(what_is_in_an_element_lies_between_it_and_its_end)
{
    looks("<title>the title</title><div><p>first</p>between<p>second</p></div>behind",
          "(html(head(title'the title'))(body(div(p'first')'between'(p'second'))'behind'))");
}

TEST_PLAIN(tags_that_are_not_closed_are)
{
    looks("<ul><li>first<li>second</ul><p>third<p>fourth",
          "(html(head)(body(ul(li'first')(li'second'))(p'third')(p'fourth')))");
}

TEST_PLAIN(no_page_at_all_is_an_empty_one)
{
    looks("", "(html(head)(body))");
}

TEST_PLAIN(entities_and_what_stands_around_them_are_one_text)
{
    looks("<p>Fran&ccedil;ois &amp; some others, &#x4e2d;&#25991;",
          "(html(head)(body(p'François & some others, 中文')))");
}

TEST_PLAIN(a_sign_that_a_page_made_of_an_entity_shows_no_text_twice)
{
    looks("<p>some text</p><p>&#xF0000;&#xF0000;&#xF0001;x</p>",
          "(html(head)(body(p'some text')(p'x')))");
}

TEST_PLAIN(attributes_are_found_with_and_without_entities)
{
    struct rig rig;
    rig_open(&rig, "<a href='?a&amp;b' class=c>text</a>");
    const struct html_node *link = &rig.tree.at[3];
    CHECK_EQ(GUMBO_TAG_A, link->tag);
    CHECK_STR("?a&b", html_attribute(link, "href"));
    CHECK_STR("c", html_attribute(link, "class"));
    CHECK(!html_attribute(link, "id"));
    rig_close(&rig);
}

TEST_PLAIN(a_word_of_a_value_is_whole_and_of_any_case)
{
    CHECK(html_has_word("NoIndex, follow", "noindex"));
    CHECK(html_has_word("a  b", "b"));
    CHECK(!html_has_word("noindexing", "noindex"));
    CHECK(!html_has_word("", "noindex"));
    CHECK(!html_has_word(NULL, "noindex"));
}
