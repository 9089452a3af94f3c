#include "extract/section.h"

#include <string.h>

#include "testing/test.h"

static struct extract_line lines[64];
static size_t line_count;
static struct wr_arena arena;

static struct extract_sections find(const char *const *texts, size_t count)
{
    struct extract_sections sections = { 0 };
    line_count = count;
    for (size_t i = 0; i < count; i++)
        lines[i] = (struct extract_line){ .text = texts[i], .len = strlen(texts[i]) };
    wr_arena_free(&arena);
    arena = WR_ARENA(1 << 16);
    CHECK_OK(extract_sections(&sections, lines, count, &arena));
    return sections;
}

#define FIND(...) \
    find((const char *const[]){ __VA_ARGS__ }, \
         sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static bool heads(const char *text)
{
    struct extract_line line = { .text = text, .len = strlen(text) };
    return extract_section_heads(&line);
}

TEST_PLAIN(headings_have_numbers_capitals_gaps_and_languages)
{
    CHECK(heads("References"));
    CHECK(heads("  REFERENCES:"));
    CHECK(heads("7 References"));
    CHECK(heads("VII. BIBLIOGRAPHY"));
    CHECK(heads("R EFERENCES"));
    CHECK(heads("R E F E R E N C E S"));
    CHECK(heads("References and Notes"));
    CHECK(heads("Literaturverzeichnis"));
    CHECK(heads("Références bibliographiques"));
    CHECK(heads("参考文献"));
    CHECK(heads("Список литературы"));
}

TEST_PLAIN(a_sentence_with_the_word_is_no_heading)
{
    CHECK(!heads("See the references"));
    CHECK(!heads("References are listed in the appendix."));
    CHECK(!heads("Cross-references"));
    CHECK(!heads(""));
}

#define BODY "The river was slow and wide.", "We measured it for a while."
#define CITED "[1] A. Smith, Rivers, 1999.", "[2] B. Jones, Lakes, 2001."

TEST_PLAIN(a_section_goes_from_its_heading_to_what_is_something_else)
{
    struct extract_sections it = FIND(BODY, "References", CITED, "Appendix A", BODY);
    REQUIRE(it.count == 1);
    CHECK_EQ(3, it.at[0].from);
    CHECK_EQ(5, it.at[0].to);
}

TEST_PLAIN(an_appendix_without_the_word_ends_a_section_too)
{
    struct extract_sections it = FIND("References", CITED, "A Proofs", BODY);
    REQUIRE(it.count == 1);
    CHECK_EQ(3, it.at[0].to);
    it = FIND("References", CITED, "A.1", BODY);
    REQUIRE(it.count == 1);
    CHECK_EQ(3, it.at[0].to);
}

TEST_PLAIN(every_chapter_may_have_a_bibliography)
{
    struct extract_sections it = FIND(BODY, "References", CITED, "Acknowledgements", BODY,
                                      "References", CITED);
    REQUIRE(it.count == 2);
    CHECK_EQ(9, it.at[1].from);
    CHECK_EQ(11, it.at[1].to);
}

TEST_PLAIN(a_heading_with_prose_behind_it_is_not_one_of_a_bibliography)
{
    CHECK_EQ(0, FIND("References", BODY, BODY, BODY).count);
}

TEST_PLAIN(a_text_that_is_a_bibliography_needs_no_heading)
{
    struct extract_sections it = FIND(CITED, "[3] C. Brown, Seas, 2003.");
    REQUIRE(it.count == 1);
    CHECK_EQ(0, it.at[0].from);
    CHECK_EQ(3, it.at[0].to);
}

TEST_PLAIN(a_list_of_labels_is_found_without_a_heading)
{
    struct extract_sections it = FIND(BODY, BODY, BODY, BODY, "[1] Rivers are", "wide.",
                                      "[2] Lakes are deep.", "[3] Seas are salt.");
    REQUIRE(it.count == 1);
    CHECK_EQ(8, it.at[0].from);
}

TEST_PLAIN(prose_has_no_bibliography)
{
    CHECK_EQ(0, FIND(BODY, BODY).count);
    CHECK_EQ(0, FIND("").count);
}

TEST_PLAIN(heads_that_return_on_every_page_are_noise)
{
    for (uint32_t page = 1; page <= 3; page++) {
        for (size_t k = 0; k < 6; k++) {
            const char *text = k == 0 ? "SMITH ET AL. 12" : k == 5 ? "- 7 -" : "Jones, Lakes.";
            lines[(size_t)(page - 1) * 6 + k] = (struct extract_line){
                .text = text, .page = page, .len = strlen(text) };
        }
    }
    CHECK(extract_section_noise(lines, 18, 6));
    CHECK(extract_section_noise(lines, 18, 11));
    CHECK(!extract_section_noise(lines, 18, 9));
    for (size_t i = 0; i < 18; i++)
        lines[i].page = 0;
    CHECK(!extract_section_noise(lines, 18, 6));
}

TEST_PLAIN(a_lettered_heading_with_prose_behind_it_ends_the_bibliography)
{
    struct extract_sections sections = FIND(
        "References", "Lee A (2003). On words. Nature, 12, 1-9.",
        "Smith B (1998). More words. Springer, New York.",
        "A. Partitioned and other algorithms", "This appendix considers the memory that is",
        "needed by both kinds of algorithm in detail,", "and shows which of them is to be used",
        "for problems that are as large as ours");
    REQUIRE(sections.count == 1);
    CHECK_EQ(3, sections.at[0].to);
    sections = FIND("References", "Lee A (2003). On words. Nature, 12, 1-9.",
                    "A. Turing. On computable numbers, with an", "application. Proc. 42, 1936.",
                    "A. Smith. More words of the old kind", "Springer, 1999.");
    REQUIRE(sections.count == 1);
    CHECK_EQ(6, sections.at[0].to);
}

TEST_PLAIN(a_head_in_the_same_place_on_other_pages_is_noise_wherever_it_is_read)
{
    line_count = 24;
    for (size_t i = 0; i < line_count; i++) {
        bool head = i % 8 == 4;
        lines[i] = (struct extract_line){
            .text = head ? "Journal of Words 10 (2008) 003" : "Lee A, 2003 Nature 12 1",
            .len = head ? 30 : 23, .page = (uint32_t)(i / 8 + 1), .x0 = 60, .x1 = 300,
            .y0 = head ? 780 : (float)(100 + 10 * i) };
    }
    CHECK(extract_section_noise(lines, line_count, 4));
    CHECK(!extract_section_noise(lines, line_count, 5));
}
