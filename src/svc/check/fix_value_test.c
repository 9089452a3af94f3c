/* fix_value_test.c - values of BibTeX, one by one. */
#include <string.h>

#include "svc/check/fix_value.h"
#include "testing/test.h"

static void check_value(const char *want, enum bib_field kind, struct bib_work found,
                        const char *old)
{
    struct wr_arena arena = WR_ARENA(1 << 20);
    const char *value = check_fix_value(&arena, kind, &found, old, strlen(old));
    if (want && CHECK(value != NULL))
        CHECK_STR(want, value);
    else
        CHECK(want || !value);
    wr_arena_free(&arena);
}

static void check_title(const char *want, const char *title, const char *old)
{
    check_value(want, BIB_FIELD_TITLE, (struct bib_work){ .title = title }, old);
}

TEST_PLAIN(fix_value_escapes_what_tex_would_obey)
{
    check_title("{R\\&d: 50\\% of \\$5 \\#1 a\\_b}", "R&d: 50% of $5 #1 a_b", "{x}");
    check_title("{\\textasciitilde{} \\textasciicircum{} \\textbackslash{}}", "~ ^ \\", "{x}");
    check_title("{a -{}- b '{}' c}", "a -- b '' c", "{x}");
}

TEST_PLAIN(fix_value_keeps_braces_balanced)
{
    check_title("{a \\textbraceleft{} b}", "a { b", "{x}");
    check_value(NULL, BIB_FIELD_DOI, (struct bib_work){ .doi = "10.1000/a}b" }, "{x}");
}

TEST_PLAIN(fix_value_protects_capitals_inside_a_word)
{
    check_title("{{BERT} for the {iPhone} and Pre-Training}",
                "BERT for the iPhone and Pre-Training", "{x}");
}

TEST_PLAIN(fix_value_protects_all_of_a_title_that_was_protected)
{
    check_title("{{Notes on it}}", "Notes on it", "{{x}}");
    check_title("\"{Notes on it}\"", "Notes on it", "\"{x}\"");
    check_title("{Notes on it}", "Notes on it", "{{x} y {z}}");
}

TEST_PLAIN(fix_value_keeps_the_delimiters)
{
    check_title("\"Notes\"", "Notes", "\"x\"");
    check_title("{say \"hi\"}", "say \"hi\"", "\"x\"");
    check_title("{Notes}", "Notes", "macro # \"x\"");
    check_value("1843", BIB_FIELD_YEAR, (struct bib_work){ .year = 1843 }, "1844");
    check_value("{1843}", BIB_FIELD_YEAR, (struct bib_work){ .year = 1843 }, "{1844}");
    check_value("{1843}", BIB_FIELD_YEAR, (struct bib_work){ .year = 1843 }, "thisyear");
}

TEST_PLAIN(fix_value_writes_names_that_read_the_same)
{
    static const struct bib_name names[] = {
        { "van der Berg", "Jan Q." }, { "Google Research", NULL }, { "Gödel", "Kurt" },
    };
    check_value("{van der Berg, Jan Q. and {Google Research} and Gödel, Kurt}",
                BIB_FIELD_AUTHORS, (struct bib_work){ .authors = names, .author_count = 3 },
                "{x}");
}

TEST_PLAIN(fix_value_writes_no_name_that_would_be_two)
{
    static const struct bib_name names[] = { { "Salt and Pepper", "A." } };
    check_value(NULL, BIB_FIELD_AUTHORS,
                (struct bib_work){ .authors = names, .author_count = 1 }, "{x}");
}

TEST_PLAIN(fix_value_writes_nothing_where_nothing_was_found)
{
    for (unsigned i = 0; i < BIB_FIELD_COUNT; i++)
        check_value(NULL, (enum bib_field)i, (struct bib_work){ .year = 0 }, "{x}");
}

TEST_PLAIN(fix_value_finds_the_field_that_says_what_is_cited)
{
    const char *bib = "@inproceedings{a, title={Not{es}}, booktitle={Proc.}, publisher={ACM}, "
                      "author={A. Lovelace}, year={1843}}";
    struct wr_arena arena = WR_ARENA(1 << 20);
    struct bibtex_file file;
    REQUIRE_OK(bibtex_parse(bib, strlen(bib), &arena, &file));
    struct bib_work cited = { .title = "Notes", .venue = "ACM", .year = 1844 };
    const struct bibtex_field *field = check_fix_field(&arena, BIB_FIELD_VENUE,
                                                       &file.entries[0], &cited);
    REQUIRE(field != NULL);
    CHECK_STR("publisher", field->name);
    CHECK(check_fix_field(&arena, BIB_FIELD_TITLE, &file.entries[0], &cited) != NULL);
    CHECK(!check_fix_field(&arena, BIB_FIELD_YEAR, &file.entries[0], &cited));
    CHECK(!check_fix_field(&arena, BIB_FIELD_AUTHORS, &file.entries[0], &cited));
    CHECK(!check_fix_field(&arena, BIB_FIELD_DOI, &file.entries[0], &cited));
    wr_arena_free(&arena);
}
