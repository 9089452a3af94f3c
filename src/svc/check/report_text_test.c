/* report_text_test.c - what a person in a hurry sees. */
#include <string.h>

#include "testing/report_rig.h"
#include "testing/test.h"

static struct wr_text written(const struct check_report *report,
                              struct check_text_options options)
{
    struct wr_text page = wr_text_heap(CHECK_PAGE_MAX);
    check_write_text(&page, &report, 1, &options);
    CHECK_EQ(0, page.cut);
    return page;
}

static void check_page(const char *want, const struct check_report *report,
                       struct check_text_options options)
{
    struct wr_text page = written(report, options);
    CHECK_STR(want, page.at);
    wr_text_free(&page);
}

TEST_PLAIN(report_text_has_what_matters_first_and_the_sum_last)
{
    check_page(
        "[2] motor: Notes on the Motor (line 7)\n"
        "    not as cited: A work like this exists, but not as it is cited here.\n"
        "      title   cited  Notes on the Motor\n"
        "              found  Notes on the Engine\n"
        "      year    cited  1844\n"
        "              found  1843\n"
        "      seen in Memoirs m1, version 2026-01, title 91.7 % alike\n"
        "\n"
        "[3] A work nobody wrote\n"
        "    not found: Everybody was asked, and nobody knows this work.\n"
        "      cited as Eve Example: A work nobody wrote. 2031.\n"
        "    future date: The year has not come yet.\n"
        "\n"
        "[6] again: Notes on the Engine (line 20)\n"
        "    retracted: The work was retracted. The notice: 10.1000/notice\n"
        "    duplicate: The same work stands in this list already. It is [1].\n"
        "      seen in CrossRef 10.1000/engine, title 100 % alike\n"
        "\n"
        "Could not be decided:\n"
        "  [4] A work nobody could be asked about (arXiv could not be asked)\n"
        "\n"
        "paper.bib: 6 references: 2 verified, 1 not as cited, 1 not found, 1 undecided, "
        "1 skipped, 1 retracted\n"
        "3 of 6 need a look: a reason to check, not a proof.\n",
        &sample_report, (struct check_text_options){ 0 });
}

TEST_PLAIN(report_text_of_a_clean_document_is_two_lines)
{
    struct check_report report = { .file = "a.bib", .findings = sample_findings, .count = 1 };
    check_page("a.bib: 1 reference: 1 verified\nAll of them exist, as cited.\n", &report,
               (struct check_text_options){ 0 });
}

TEST_PLAIN(report_text_shows_everything_when_asked_to)
{
    struct check_report report = { .file = "a.bib", .findings = sample_findings, .count = 4 };
    struct wr_text page = written(&report, (struct check_text_options){ .verbose = true });
    const char *first = "[1] engine: Notes on the engine (line 1)\n"
                        "    verified: The work exists, as cited.\n"
                        "      seen in Memoirs m1, version 2026-01, title 100 % alike, "
                        "https://example.org/m1\n";
    CHECK(strncmp(page.at, first, strlen(first)) == 0);
    CHECK(strstr(page.at, "    undecided: Somebody who might know this work could not be asked."
                          " (arXiv could not be asked)\n      CrossRef: unknown\n"
                          "      arXiv: failed, it did not answer in 10 s\n") != NULL);
    CHECK(!strstr(page.at, "Could not be decided"));
    wr_text_free(&page);
}

TEST_PLAIN(report_text_does_not_call_clean_what_could_not_be_decided)
{
    struct check_report report = { .file = "a.bib", .findings = &sample_findings[3],
                                   .count = 1 };
    struct wr_text page = written(&report, (struct check_text_options){ 0 });
    CHECK(strstr(page.at, "a.bib: 1 reference: 1 undecided\n"
                          "Nothing that could be decided needs a look.\n") != NULL);
    wr_text_free(&page);
}

TEST_PLAIN(report_text_lists_ten_undecided_and_counts_the_rest)
{
    struct check_finding findings[12];
    for (size_t i = 0; i < 12; i++)
        findings[i] = sample_findings[3];
    struct check_report report = { .file = "a.bib", .findings = findings, .count = 12 };
    struct wr_text page = written(&report, (struct check_text_options){ 0 });
    size_t shown = 0;
    for (const char *at = page.at; (at = strstr(at, "  [4] ")); at++)
        shown++;
    CHECK_EQ(10, shown);
    CHECK(strstr(page.at, "  and 2 more\n") != NULL);
    wr_text_free(&page);
}

TEST_PLAIN(report_text_says_what_was_odd_and_that_it_ended_early)
{
    struct check_report report = { .file = "a.pdf", .findings = sample_findings, .count = 1,
                                   .note = "two bibliographies", .cut_short = true };
    check_page("a.pdf: 1 reference: 1 verified\ntwo bibliographies\n"
               "All of them exist, as cited.\n"
               "The check ended before it had judged all of them.\n",
               &report, (struct check_text_options){ 0 });
}

TEST_PLAIN(report_text_of_nothing_says_so)
{
    check_page("a.bib: 0 references\n", &(struct check_report){ .file = "a.bib" },
               (struct check_text_options){ 0 });
}

TEST_PLAIN(report_text_of_what_was_extracted_lists_it)
{
    struct check_report report = { .file = "a.bib", .findings = sample_findings, .count = 1,
                                   .unjudged = true };
    check_page("[1] engine: Notes on the engine (line 1)\n"
               "    Ada Lovelace, J. van der Berg: Notes on the engine. 1843.\n"
               "a.bib: 1 reference\n",
               &report, (struct check_text_options){ 0 });
}

TEST_PLAIN(report_text_is_coloured_only_when_asked_to)
{
    struct wr_text plain = written(&sample_report, (struct check_text_options){ 0 });
    CHECK(!strchr(plain.at, '\x1b'));
    struct wr_text inked = written(&sample_report,
                                   (struct check_text_options){ .color = true });
    CHECK(strstr(inked.at, "\x1b[1;31mnot found\x1b[0m") != NULL);
    wr_text_free(&plain);
    wr_text_free(&inked);
}

TEST_PLAIN(report_text_holds_nothing_that_a_terminal_obeys)
{
    for (size_t i = 0; i < SAMPLE_COUNT(sample_attacks); i++) {
        struct sample_hostile hostile;
        struct wr_text page = written(sample_make_hostile(&hostile, sample_attacks[i],
                                                          BIB_NOT_FOUND),
                                      (struct check_text_options){ .verbose = true });
        for (size_t j = 0; j < page.len; j++)
            CHECK((unsigned char)page.at[j] >= 0x20 ? page.at[j] != 0x7f : page.at[j] == '\n');
        CHECK(!strstr(page.at, "\xe2\x80\xae") && !strstr(page.at, "\xc2\x9b"));
        wr_text_free(&page);
    }
}
