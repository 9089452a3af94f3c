/* layout_test.c - lines of plain text, and of what pdftotext writes. */
#include "extract/layout.h"

#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

static struct wr_arena arena = WR_ARENA((size_t)64 << 20);
static struct extract_lines lines;

static size_t split(const char *text)
{
    wr_arena_free(&arena);
    lines = (struct extract_lines){ 0 };
    CHECK_OK(extract_lines_split(&lines, &arena, text, strlen(text)));
    return lines.count;
}

static size_t read_layout(const char *text, uint32_t pages)
{
    CHECK_OK(extract_layout(text, strlen(text), pages, &arena, &lines));
    return lines.count;
}

static bool is(size_t i, const char *want)
{
    return i < lines.count && lines.at[i].len == strlen(want)
        && memcmp(lines.at[i].text, want, strlen(want)) == 0;
}

TEST_PLAIN(lines_end_in_any_way_and_are_numbered)
{
    REQUIRE(split("a\nb\r\n\r c\rlast") == 5);
    CHECK(is(0, "a") && is(1, "b") && is(2, "") && is(3, " c") && is(4, "last"));
    CHECK_EQ(1, lines.at[0].number);
    CHECK_EQ(5, lines.at[4].number);
    CHECK_EQ(0, lines.at[4].page);
}

TEST_PLAIN(a_form_feed_begins_a_page)
{
    REQUIRE(split("a\n\fb\nc\f") == 4);
    CHECK(is(0, "a") && is(1, "") && is(2, "b") && is(3, "c"));
    CHECK_EQ(1, lines.at[0].page);
    CHECK_EQ(2, lines.at[2].page);
    CHECK_EQ(2, lines.at[2].number);
    CHECK_EQ(3, lines.at[3].number);
}

static const char sample[] =
    "<doc>\n  <page width=\"595.2\" height=\"841.92\">\n    <flow>\n"
    "      <block xMin=\"1\" yMin=\"2\" xMax=\"3\" yMax=\"4\">\n"
    "        <line xMin=\"82.584000\" yMin=\"-75.5\" xMax=\"512.25\" yMax=\"88\">\n"
    "          <word xMin=\"8\" yMin=\"7\" xMax=\"3\" yMax=\"8\">R&amp;D</word>\n"
    "          <word xMin=\"8\" yMin=\"7\" xMax=\"3\" yMax=\"8\">&lt;x&gt;&other;</word>\n"
    "        </line>\n        <line xMin=\"1\" yMin=\"1\" xMax=\"1\" yMax=\"1\">\n        "
    "</line>\n"
    "      </block>\n    </flow>\n  </page>\n  <page width=\"1\" height=\"1\">\n"
    "      <block xMin=\"1\" yMin=\"2\" xMax=\"3\" yMax=\"4\">\n"
    "        <line xMin=\"1\" yMin=\"2\" xMax=\"3\" yMax=\"4\">\n"
    "          <word xMin=\"8\" yMin=\"7\" xMax=\"3\" yMax=\"8\">two-</word>\n        "
    "</line>\n";

TEST_PLAIN(words_of_a_layout_are_lines_with_their_place)
{
    split("");
    REQUIRE(read_layout(sample, 0) == 2);
    CHECK(is(0, "R&D <x>&other;") && is(1, "two-"));
    CHECK(lines.at[0].x0 > 82.58f && lines.at[0].x0 < 82.59f);
    CHECK(lines.at[0].y0 == -75.5f && lines.at[0].x1 == 512.25f && lines.at[0].y1 == 88.0f);
    CHECK_EQ(1, lines.at[0].page);
    CHECK_EQ(2, lines.at[1].page);
    CHECK_EQ(1, lines.at[0].block);
    CHECK_EQ(2, lines.at[1].block);
    CHECK_EQ(2, lines.at[1].number);
}

TEST_PLAIN(a_second_part_goes_on_where_the_first_one_ended)
{
    split("");
    read_layout(sample, 0);
    REQUIRE(read_layout(sample, 2) == 4);
    CHECK_EQ(3, lines.at[2].page);
    CHECK_EQ(3, lines.at[2].block);
    CHECK_EQ(3, lines.at[2].number);
}

TEST_PLAIN(what_is_no_layout_has_no_lines)
{
    split("");
    CHECK_EQ(0, read_layout("", 0));
    CHECK_EQ(0, read_layout("<word x>a</word>\n</line>\n<line \n<word a\n<word >\n</line>\n"
                            "<page", 0));
}

TEST_PLAIN(a_word_without_end_is_cut)
{
    static const char begin[] = "<line x>\n<word >", end[] = "</word>\n</line>\n";
    static char text[1 << 20];
    size_t size = sizeof(text);
    memset(text, 'x', size);
    for (size_t i = 0; i < sizeof(begin) - 1; i++)
        text[i] = begin[i];
    for (size_t i = 0; i < sizeof(end) - 1; i++)
        text[size - (sizeof(end) - 1) + i] = end[i];
    split("");
    CHECK_OK(extract_layout(text, size, 0, &arena, &lines));
    REQUIRE(lines.count == 1);
    CHECK(lines.at[0].len < 65536);
}

TEST_PLAIN(lines_that_do_not_fit_are_no_memory)
{
    struct wr_arena small = WR_ARENA(100);
    struct extract_lines some = { 0 };
    CHECK_ERR(WR_NOMEM, extract_lines_split(&some, &small, "a\nb", 3));
    CHECK_ERR(WR_NOMEM, extract_layout(sample, strlen(sample), 0, &small, &some));
    wr_arena_free(&small);
}
