#include "extract/passage.h"

#include <string.h>

#include "testing/test.h"

static struct wr_arena arena = WR_ARENA(1 << 20);
static struct extract_page page;

static void read_text(const char *text)
{
    struct extract_lines lines = { 0 };
    CHECK_OK(extract_lines_split(&lines, &arena, text, strlen(text)));
    CHECK_OK(extract_passages(&page, &lines, &arena));
}

static void read_blocks(const char *const *texts, const uint32_t *blocks, size_t count)
{
    struct extract_lines lines = { 0 };
    for (size_t i = 0; i < count; i++)
        CHECK_OK(extract_lines_add(&lines, &arena, &(struct extract_line){
            .text = texts[i], .len = strlen(texts[i]), .page = 1, .block = blocks[i] }));
    CHECK_OK(extract_passages(&page, &lines, &arena));
}

TEST(an_empty_line_ends_a_passage_and_lines_are_joined)
{
    read_text("Water is wet, as\n  everybody knows.\n\n\nFire is not wet at all.\n");
    CHECK_STR("Water is wet, as everybody knows.\n\nFire is not wet at all.", page.main);
    CHECK_EQ(2, page.paragraph_count);
    CHECK_EQ(0, strncmp("Fire is not", page.paragraphs[1].text, 11));
    CHECK_EQ(23, page.paragraphs[1].len);
    CHECK_EQ(strlen(page.main), page.main_len);
    wr_arena_free(&arena);
}

TEST(a_word_that_is_parted_is_one_word_and_a_compound_stays)
{
    read_text("The influence of tempera-\nture on well-\nBeing was seen by nobody.");
    CHECK_STR("The influence of temperature on well- Being was seen by nobody.", page.main);
    wr_arena_free(&arena);
}

TEST(blocks_are_passages_unless_a_sentence_goes_on)
{
    const char *const texts[] = { "The first column ends in the middle of a",
                                  "sentence that goes on here.", "Another block begins here." };
    read_blocks(texts, (const uint32_t[]){ 1, 2, 3 }, 3);
    CHECK_EQ(2, page.paragraph_count);
    CHECK_STR("The first column ends in the middle of a sentence that goes on here.\n\n"
              "Another block begins here.", page.main);
    wr_arena_free(&arena);
}

TEST(short_ones_are_in_the_text_alone)
{
    read_text("Page 7\n\nThis is long enough to be a paragraph.");
    CHECK_EQ(1, page.paragraph_count);
    CHECK_STR("Page 7\n\nThis is long enough to be a paragraph.", page.main);
    wr_arena_free(&arena);
}

TEST(nothing_is_nothing)
{
    read_text("");
    CHECK_STR("", page.main);
    CHECK_EQ(0, page.paragraph_count);
    wr_arena_free(&arena);
}
