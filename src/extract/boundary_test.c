#include "extract/boundary.h"

#include <string.h>

#include "testing/test.h"

#define LINES_MAX 32

static struct extract_line lines[LINES_MAX];
static size_t line_count;

static void set(const char *const *texts, size_t count)
{
    line_count = count;
    for (size_t i = 0; i < count; i++)
        lines[i] = (struct extract_line){ .text = texts[i], .len = strlen(texts[i]),
                                          .number = (uint32_t)i + 1 };
}

#define SET(...) \
    set((const char *const[]){ __VA_ARGS__ }, \
        sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

TEST_PLAIN(labels_that_follow_one_another_are_in_order)
{
    struct extract_boundary_text text;
    SET("[1] A. Smith, One.", "[2] B. Jones, Two, see", "[17] there.", "[3] C. Brown, Three.");
    REQUIRE_OK(extract_boundary_read(&text, lines, line_count));
    CHECK_EQ('[', text.form);
    CHECK(text.lines[0].in_order && text.lines[1].in_order && text.lines[3].in_order);
    CHECK(!text.lines[2].in_order);
    extract_boundary_free(&text);
}

TEST_PLAIN(numbers_that_begin_lines_by_chance_are_no_labels)
{
    struct extract_boundary_text text;
    SET("A. Smith, One, Nature", "12, 1998.", "B. Jones, Two, Nature", "7. 1999.");
    REQUIRE_OK(extract_boundary_read(&text, lines, line_count));
    CHECK_EQ(0, text.form);
    extract_boundary_free(&text);
}

TEST_PLAIN(indented_lines_are_known_by_spaces_or_by_their_place_on_the_page)
{
    struct extract_boundary_text text;
    SET("Smith, A. One.", "   more of it.", "Jones, B. Two.", "   more of it.");
    REQUIRE_OK(extract_boundary_read(&text, lines, line_count));
    CHECK(text.lines[0].indent == 1 && text.lines[1].indent == 2);
    extract_boundary_free(&text);
    SET("Smith, A. One.", "more of it.", "Jones, B. Two.", "more of it.");
    for (size_t i = 0; i < line_count; i++) {
        lines[i].x0 = i % 2 ? 82 : 72;
        lines[i].x1 = 300;
    }
    REQUIRE_OK(extract_boundary_read(&text, lines, line_count));
    CHECK(text.lines[0].indent == 1 && text.lines[1].indent == 2);
    CHECK(text.lines[2].indent == 1 && text.lines[3].indent == 2);
    extract_boundary_free(&text);
}

TEST_PLAIN(each_reference_begins_once)
{
    struct extract_boundary_text text;
    struct extract_chain chain;
    uint8_t labels[256];
    size_t begins = 0;
    SET("[1] A. Smith and B. Jones, Phys. Rev. D 12, 345 (1999).",
        "[2] C. Brown, Phys. Lett. B 67,", "89 (2001).", "[3] D. Green, JHEP 05, 12 (2003).");
    REQUIRE_OK(extract_boundary_read(&text, lines, line_count));
    REQUIRE(text.count < sizeof(labels));
    extract_boundary_chain(&chain);
    REQUIRE_OK(extract_boundary_label(&chain, &text, labels));
    for (size_t i = 0; i < text.count; i++)
        begins += labels[i] == EXTRACT_BEGINS;
    CHECK_EQ(3, begins);
    CHECK_EQ(EXTRACT_BEGINS, labels[0]);
    extract_boundary_free(&text);
}

TEST_PLAIN(no_lines_are_no_text)
{
    struct extract_boundary_text text;
    REQUIRE_OK(extract_boundary_read(&text, lines, 0));
    CHECK_EQ(0, text.count);
    extract_boundary_free(&text);
}
