/* report_markdown_test.c - a report that a pull request can show. */
#include <string.h>

#include "testing/report_rig.h"
#include "testing/test.h"

static struct wr_text written(const struct check_report *report)
{
    struct wr_text page = wr_text_heap(CHECK_PAGE_MAX);
    check_write_markdown(&page, &report, 1);
    CHECK_EQ(0, page.cut);
    return page;
}

TEST_PLAIN(report_markdown_has_the_sum_a_table_and_the_details)
{
    struct check_report report = sample_report;
    report.count = 2;
    struct wr_text page = written(&report);
    CHECK_STR(
        "## References of paper.bib\n\n"
        "2 references, 1 verified, 1 not as cited. **1 needs a look**: a reason to check, not "
        "a "
        "proof.\n\n"
        "| number | key | title | verdict |\n|---:|---|---|---|\n"
        "| 2 | motor | Notes on the Motor | not as cited: title, year |\n\n"
        "### \\[2\\] Notes on the Motor\n\n"
        "| field | cited | found |\n|---|---|---|\n"
        "| title | Notes on the Motor | Notes on the Engine |\n"
        "| year | 1844 | 1843 |\n\n"
        "- **not as cited**: A work like this exists, but not as it is cited here. Compare "
        "what "
        "is cited with what was found, and correct the reference.\n"
        "- cited as Ada Lovelace, et al.: Notes on the Motor. 1844.\n"
        "- found in Memoirs m1, version 2026-01, title 91.7 % alike: Ada Lovelace, "
        "J. van der Berg: Notes on the Engine. Scientific Memoirs, 1843.\n"
        "- look it up: [Google Scholar](<https://scholar.google.com/scholar?q=Notes%20on%20the"
        "%20Motor>)\n\n"
        "<details><summary>1 without a finding</summary>\n\n"
        "| number | key | title | verdict |\n|---:|---|---|---|\n"
        "| 1 | engine | Notes on the engine | verified |\n\n"
        "</details>\n\n",
        page.at);
    wr_text_free(&page);
}

TEST_PLAIN(report_markdown_shows_a_retracted_work_that_is_verified)
{
    struct wr_text page = written(&sample_report);
    CHECK(strstr(page.at, "| 6 | again | Notes on the Engine | verified; **retracted**; "
                          "**duplicate** |\n") != NULL);
    CHECK(strstr(page.at, " **Retracted**, the notice: 10.1000/notice\n") != NULL);
    wr_text_free(&page);
}

TEST_PLAIN(report_markdown_escapes_what_begins_something)
{
    struct bib_reference reference = {
        .number = 1, .work = { .title = "a|b <i>*c* [d](e) `f` &amp; $g$ \n# h ~i~ \\" },
    };
    struct check_finding finding = { .reference = &reference,
                                     .verdict = { .outcome = BIB_NOT_FOUND } };
    struct wr_text page = written(&(struct check_report){ .file = "x_y_z", .count = 1,
                                                          .findings = &finding });
    CHECK(strstr(page.at, "| 1 |  | a\\|b \\<i\\>\\*c\\* \\[d\\](e) \\`f\\` \\&amp; \\$g\\$  "
                          "\\# h \\~i\\~ \\\\ | not found |\n") != NULL);
    CHECK(strstr(page.at, "## References of x\\_y\\_z\n") != NULL);
    wr_text_free(&page);
}

static bool is_bare(const char *page, const char *part)
{
    for (const char *at = page; (at = strstr(at, part)); at++)
        if (at == page || at[-1] != '\\')
            return true;
    return false;
}

/* However the texts are chosen, the page has the same lines: nothing begins a new one. */
TEST_PLAIN(report_markdown_keeps_its_shape_whatever_is_in_it)
{
    size_t want = 0;
    for (size_t i = 0; i < SAMPLE_COUNT(sample_attacks); i++) {
        if (sample_attacks[i][0] == '\0')
            continue;                       /* what is empty has no link */
        struct sample_hostile hostile;
        struct wr_text page = written(sample_make_hostile(&hostile, sample_attacks[i],
                                                          BIB_MISMATCH));
        size_t lines = 0;
        for (const char *at = page.at; (at = strchr(at, '\n')); at++)
            lines++;
        want = want ? want : lines;
        CHECK_EQ(want, lines);
        CHECK(!is_bare(page.at, "<script") && !is_bare(page.at, "<img"));
        CHECK(!is_bare(page.at, "(<javascript") && !is_bare(page.at, "](javascript"));
        wr_text_free(&page);
    }
}

TEST_PLAIN(report_markdown_of_what_was_extracted_is_a_table)
{
    struct check_report report = { .file = "a.bib", .findings = sample_findings, .count = 1,
                                   .unjudged = true };
    struct wr_text page = written(&report);
    CHECK_STR("## References of a.bib\n\n1 reference, extracted only.\n\n"
              "| number | key | reference |\n|---:|---|---|\n"
              "| 1 | engine | Ada Lovelace, J. van der Berg: Notes on the engine. 1843. |\n\n",
              page.at);
    wr_text_free(&page);
}

TEST_PLAIN(report_markdown_of_nothing_has_no_table)
{
    struct wr_text page = written(&(struct check_report){ .file = "a.bib" });
    CHECK_STR("## References of a.bib\n\n0 references. Nothing that could be decided needs a "
              "look.\n\n", page.at);
    wr_text_free(&page);
}
