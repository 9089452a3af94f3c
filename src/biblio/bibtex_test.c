/* bibtex_test.c - .bib files, whole and broken. */
#include "biblio/bibtex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

static struct wr_arena arena = WR_ARENA((size_t)8 << 20);
static struct bibtex_file file;

static size_t parse(const char *text)
{
    wr_arena_free(&arena);
    CHECK_OK(bibtex_parse(text, strlen(text), &arena, &file));
    return file.count;
}

static const char *value(size_t entry, const char *name)
{
    const struct bibtex_field *field = entry < file.count
        ? bibtex_field(&file.entries[entry], name) : NULL;
    return field ? field->value : NULL;
}

TEST_PLAIN(an_entry_has_a_type_a_key_and_fields_in_lower_case)
{
    REQUIRE(parse("@Article{Knuth:84, Title = {Literate {P}rogramming}, YEAR=1984,}") == 1);
    CHECK_STR("article", file.entries[0].type);
    CHECK_STR("Knuth:84", file.entries[0].key);
    CHECK_STR("Literate {P}rogramming", value(0, "title"));
    CHECK_STR("1984", value(0, "year"));
    CHECK(!bibtex_field(&file.entries[0], "author"));
    CHECK_EQ(0, file.fault_count);
}

TEST_PLAIN(parentheses_and_quotes_delimit_too)
{
    REQUIRE(parse("@book(k, title = \"A {\"}quoted{\"} (word)\" , note={x})") == 1);
    CHECK_STR("A {\"}quoted{\"} (word)", value(0, "title"));
    CHECK_STR("x", value(0, "note"));
    CHECK_EQ(0, file.fault_count);
}

TEST_PLAIN(macros_and_parts_are_joined)
{
    REQUIRE(parse("@string{cacm = \"Comm. \" # \"ACM\"} @STRING(x={X})\n"
                  "@article{k, journal = CACM # { } # 12 # x, month = jan, note = none}") == 1);
    CHECK_STR("Comm. ACM 12X", value(0, "journal"));
    CHECK_STR("jan", value(0, "month"));
    CHECK_EQ(0, file.fault_count);
}

TEST_PLAIN(of_two_macros_of_a_name_the_last_and_of_two_fields_the_first_counts)
{
    REQUIRE(parse("@string{a={1}}@string{A={2}}@misc{k, x=a, x={3}}") == 1);
    CHECK_STR("2", value(0, "x"));
}

TEST_PLAIN(comments_and_what_stands_between_entries_are_passed_over)
{
    REQUIRE(parse("someone@example.org wrote\n@comment{ @misc{no, x={1}} }\n@preamble{\"\\x\" "
                  "# {y}}\n"
                  "@misc{yes, x={1}} @comment no braces")
            == 1);
    CHECK_STR("yes", file.entries[0].key);
    CHECK_EQ(0, file.fault_count);
}

TEST_PLAIN(a_comment_that_is_not_closed_hides_nothing)
{
    REQUIRE(parse("@comment{ open\n@misc{a, x={1}}\n@comment{ open\n@misc{b, x={1}}") == 2);
}

TEST_PLAIN(places_are_those_of_the_file)
{
    static const char text[] =
        "% one\n\n@misc{k,\n  title = {A\n B},\n  year = \"19\" #\n 99\n}\n"
        "@misc{l}\n";
    REQUIRE(parse(text) == 2);
    const struct bibtex_entry *entry = &file.entries[0];
    CHECK_EQ(3, entry->at.line);
    CHECK_EQ(8, entry->at.line_end);
    CHECK_EQ('@', text[entry->at.begin]);
    CHECK_EQ('}', text[entry->at.end - 1]);
    const struct bibtex_field *title = bibtex_field(entry, "title");
    const struct bibtex_field *year = bibtex_field(entry, "year");
    CHECK_EQ(4, title->at.line);
    CHECK_EQ(5, title->at.line_end);
    CHECK(strncmp(text + title->at.begin, "{A\n B}", title->at.end - title->at.begin) == 0);
    CHECK_EQ(6, title->at.end - title->at.begin);
    CHECK_EQ(6, year->at.line);
    CHECK_EQ(7, year->at.line_end);
    CHECK(strncmp(text + year->at.begin, "\"19\" #\n 99", year->at.end - year->at.begin) == 0);
    CHECK_EQ(9, file.entries[1].at.line);
}

TEST_PLAIN(a_broken_entry_is_said_and_the_next_one_is_read)
{
    REQUIRE(parse("@misc{a, title = {one}}\n@misc{b, year = 1, title = {not closed,\n x = {1}\n"
                  "@misc{c, title = {three}}\n") == 3);
    CHECK_STR("three", value(2, "title"));
    CHECK_STR("1", value(1, "year"));
    CHECK_EQ(1, file.fault_count);
    CHECK_EQ(2, file.faults[0].line);
    CHECK_STR("the entry is not closed", file.faults[0].what);
    CHECK_EQ(3, file.entries[1].at.line_end);
}

TEST_PLAIN(a_missing_comma_costs_nothing_but_a_fault)
{
    REQUIRE(parse("@misc{k, title = {A}\n author = {B}, year = 2000}") == 1);
    CHECK_STR("B", value(0, "author"));
    CHECK_STR("2000", value(0, "year"));
    REQUIRE(file.fault_count == 1);
    CHECK_EQ(2, file.faults[0].line);
}

TEST_PLAIN(a_value_without_delimiters_is_read_to_the_end_of_its_line)
{
    REQUIRE(parse("@misc{k, title = Some bare words,\n year = , note = {n}}") == 1);
    CHECK_STR("Some bare words", value(0, "title"));
    CHECK_STR("n", value(0, "note"));
    CHECK(!value(0, "year"));
    CHECK_EQ(1, file.fault_count);
}

TEST_PLAIN(an_entry_without_a_key_has_its_fields)
{
    REQUIRE(parse("@misc{title = {A}, year = 1}\n@misc{, title = {B}}") == 2);
    CHECK(!file.entries[0].key);
    CHECK_STR("A", value(0, "title"));
    CHECK(!file.entries[1].key);
    CHECK_STR("B", value(1, "title"));
}

TEST_PLAIN(rubbish_between_fields_is_passed_over)
{
    REQUIRE(parse("@misc{k, = {x}, {y, z}, ???, title = {A}}") == 1);
    CHECK_STR("A", value(0, "title"));
    CHECK(file.fault_count > 0);
}

TEST_PLAIN(macros_that_double_each_other_stay_small)
{
    char text[4096];
    size_t len = 0;
    for (int i = 0; i < 40; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "@string{s%d = s%d # s%d}\n",
                                i + 1, i, i);
    snprintf(text + len, sizeof(text) - len, "@misc{k, title = s40}");
    REQUIRE(parse(text) == 1);
    CHECK_EQ(BIBTEX_VALUE_MAX - 1, strlen(value(0, "title")));
    CHECK(file.fault_count > 0);
}

TEST_PLAIN(a_megabyte_of_any_sign_is_read_in_linear_time)
{
    static const char *const signs[] = { "{", "@a{", "@a{}", "@a{b={", "@comment{",
                                         "\n@a{b,{", "\"", "@a(b=c#" };
    static char text[1 << 20];
    size_t size = sizeof(text);
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        size_t len = strlen(signs[i]);
        for (size_t at = 0; at < size; at++)
            text[at] = signs[i][at % len];
        struct wr_arena big = WR_ARENA((size_t)256 << 20);
        CHECK_OK(bibtex_parse(text, size, &big, &file));
        wr_arena_free(&big);
    }
}

TEST_PLAIN(a_full_arena_is_no_memory)
{
    struct wr_arena small = WR_ARENA(3000);
    static const char text[] = "@misc{k, title={A long enough title}}";
    CHECK_ERR(WR_NOMEM, bibtex_parse(text, strlen(text), &small, &file));
    wr_arena_free(&small);
}
