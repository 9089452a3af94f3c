/* html_text_test.c - the main text of a page in paragraphs under their headings. */
#include "extract/html_text.h"

#include "base/text.h"
#include "testing/page_rig.h"

TEST_PLAIN(white_space_is_one_space_and_marks_inside_a_line_do_not_part_it)
{
    page_says("<p>One\n  <b>two</b>\tthree<i>four</i>,&nbsp;five <a name=x>six</a>.",
              "One two threefour, five six.");
    page_says("<p>　日本語の　文。", "日本語の 文。");
}

TEST_PLAIN(one_break_is_a_line_end_and_two_are_the_end_of_a_paragraph)
{
    page_says("<p>One<br>two<br><br>three<br>", "One\ntwo\n\nthree");
}

TEST_PLAIN(code_keeps_its_lines)
{
    page_says("<pre>if x:\r\n    y()\n\n\tz</pre>", "if x:\n    y()\n\n\tz");
}

TEST_PLAIN(cells_of_a_row_stand_in_one_line)
{
    page_says("<table><tr><td>a<td>b<td>c<tr><td>d<td><td>f</table>", "a | b | c\nd | f");
}

TEST_PLAIN(a_heading_that_nothing_stands_under_is_left_out)
{
    page_says("<h1>A</h1><h2>B</h2><h2>C</h2><p>" PROSE "<h2>D</h2>", "A\n\nC\n\n" PROSE);
}

TEST_PLAIN(a_paragraph_knows_the_headings_above_it)
{
    struct page_rig rig;
    page_open(&rig, "<h1>Top</h1><p>" PROSE "<h2>Part</h2><h3>Point</h3><p>" PROSE
              "<h2>Other</h2><p>" PROSE);
    REQUIRE(rig.page.paragraph_count == 3);
    const struct extract_paragraph *all = rig.page.paragraphs;
    CHECK_STR("Top", all[0].heading);
    CHECK_EQ(1, all[0].path_len);
    CHECK_STR("Point", all[1].heading);
    REQUIRE(all[1].path_len == 3);
    CHECK_STR("Top", all[1].path[0]);
    CHECK_STR("Part", all[1].path[1]);
    CHECK_STR("Point", all[1].path[2]);
    REQUIRE(all[2].path_len == 2);
    CHECK_STR("Other", all[2].path[1]);
    page_close(&rig);
}

TEST_PLAIN(a_heading_of_the_page_that_stands_before_its_text_is_above_it)
{
    struct page_rig rig;
    page_open(&rig, "<header><h1>The <b>title</b></h1></header><article><p>" PROSE "<p>" PROSE
              "</article>");
    REQUIRE(rig.page.paragraph_count == 2);
    CHECK_STR("The title", rig.page.paragraphs[0].heading);
    CHECK_STR(PROSE "\n\n" PROSE, rig.page.main);
    page_close(&rig);
}

TEST_PLAIN(paragraphs_lie_in_the_main_text_and_short_ones_are_none)
{
    struct page_rig rig;
    page_open(&rig, "<p>Nineteen letters, b<p>Twenty letters, they.<p>" PROSE);
    REQUIRE(rig.page.paragraph_count == 2);
    const struct extract_paragraph *one = &rig.page.paragraphs[0];
    CHECK_EQ(21, one->offset);
    CHECK_EQ(21, one->len);
    CHECK(one->text == rig.page.main + one->offset);
    CHECK(!one->heading);
    CHECK_EQ(0, one->path_len);
    CHECK_EQ(strlen(PROSE), rig.page.paragraphs[1].len);
    page_close(&rig);
}

TEST_PLAIN(ten_signs_of_chinese_are_a_paragraph_and_nine_are_not)
{
    struct page_rig rig;
    page_open(&rig, "<p>一二三四五六七八九<p>一二三四五六七八九十");
    CHECK_EQ(1, rig.page.paragraph_count);
    page_close(&rig);
}

TEST_PLAIN(items_are_put_together_up_to_a_length)
{
    struct page_rig rig;
    char page[4096] = "";
    struct wr_text text = WR_TEXT(page);
    wr_text_str(&text, "<p>" PROSE "<ul>");
    for (int i = 0; i < 30; i++)
        wr_text_str(&text, "<li>An item of which there are fifty letters, or so.");
    page_open(&rig, page);
    REQUIRE(rig.page.paragraph_count == 3);
    CHECK(rig.page.paragraphs[1].len >= EXTRACT_HTML_GROUP);
    CHECK(rig.page.paragraphs[1].len < EXTRACT_HTML_GROUP + 60);
    CHECK_EQ(rig.page.main_len, rig.page.paragraphs[2].offset + rig.page.paragraphs[2].len);
    page_close(&rig);
}

TEST_PLAIN(a_long_title_is_cut_between_characters)
{
    struct page_rig rig;
    char page[4096] = "";
    struct wr_text text = WR_TEXT(page);
    wr_text_str(&text, "<h1>x");
    for (int i = 0; i < 300; i++)
        wr_text_str(&text, "ä");
    wr_text_str(&text, "</h1><div><p>" PROSE "<p>" PROSE "</div>");
    page_open(&rig, page);
    REQUIRE(rig.page.paragraph_count == 2);
    CHECK_EQ(EXTRACT_HTML_HEADING - 1, strlen(rig.page.paragraphs[0].heading));
    page_close(&rig);
}

TEST_PLAIN(what_is_too_long_for_a_heading_is_a_paragraph)
{
    struct page_rig rig;
    char page[4096] = "";
    struct wr_text text = WR_TEXT(page);
    wr_text_str(&text, "<p>" PROSE "<h3>");
    for (int i = 0; i < EXTRACT_HTML_HEADING; i++)
        wr_text_str(&text, "x");
    wr_text_str(&text, "</h3><h3>y");
    for (int i = 0; i < EXTRACT_HTML_HEADING; i++)
        wr_text_str(&text, "y");
    wr_text_str(&text, "</h3><p>" PROSE);
    page_open(&rig, page);
    REQUIRE(rig.page.paragraph_count == 3);
    CHECK_EQ(EXTRACT_HTML_HEADING + 1, rig.page.paragraphs[1].len);
    REQUIRE(rig.page.paragraphs[1].heading);
    CHECK_EQ(EXTRACT_HTML_HEADING, strlen(rig.page.paragraphs[1].heading));
    page_close(&rig);
}
