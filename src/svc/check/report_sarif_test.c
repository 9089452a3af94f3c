/* report_sarif_test.c - results that a code host can put beside a line. */
#include <string.h>

#include "svc/check/rule.h"
#include "testing/report_rig.h"
#include "testing/test.h"

static struct wr_text written(const struct check_report *report)
{
    struct wr_text page = wr_text_heap(CHECK_PAGE_MAX);
    check_write_sarif(&page, &report, 1);
    CHECK_EQ(0, page.cut);
    return page;
}

static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

static const char *results(const struct wr_text *page)
{
    const char *at = strstr(page->at, "\"results\":");
    return at ? at : "";
}

TEST_PLAIN(report_sarif_has_every_rule_with_its_help)
{
    struct wr_text page = written(&sample_report);
    CHECK_EQ(CHECK_RULE_COUNT, occurrences(page.at, "\"shortDescription\":"));
    CHECK(strstr(page.at, "{\"id\":\"mismatch/year\",\"shortDescription\":{\"text\":\"year "
                          "differs\"},\"fullDescription\":{\"text\":\"The work that was found "
                          "is of another year.\"},\"help\":{\"text\":\"Correct the year, or "
                          "cite the edition that is meant.\"},\"defaultConfiguration\":{"
                          "\"level\":\"warning\"}}") != NULL);
    wr_text_free(&page);
}

TEST_PLAIN(report_sarif_has_a_result_for_each_thing_that_is_said)
{
    struct check_report report = sample_report;
    report.findings = &sample_findings[1];
    report.count = 1;
    struct wr_text page = written(&report);
    CHECK_EQ(2, occurrences(results(&page), "\"ruleId\""));
    CHECK(strstr(results(&page),
                 "{\"ruleId\":\"mismatch/year\",\"ruleIndex\":7,\"level\":\"warning\","
                 "\"message\":{\"text\":\"Reference 2, \\\"Notes on the Motor\\\": The work "
                 "that was found is of another year. Cited: 1844 Found: 1843\"},\"locations\":["
                 "{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"paper.bib\"},"
                 "\"region\":{\"startLine\":7,\"endLine\":11}}}],\"partialFingerprints\":{"
                 "\"reference/v1\":\"") != NULL);
    wr_text_free(&page);
}

TEST_PLAIN(report_sarif_has_no_result_for_what_is_fine)
{
    struct check_report report = { .file = "a.bib", .findings = sample_findings, .count = 1 };
    struct wr_text page = written(&report);
    CHECK_STR("\"results\":[]}]}\n", results(&page));
    wr_text_free(&page);
    report.findings = &sample_findings[4];
    page = written(&report);
    CHECK_STR("\"results\":[]}]}\n", results(&page));
    wr_text_free(&page);
}

TEST_PLAIN(report_sarif_has_a_retracted_work_that_is_verified)
{
    struct wr_text page = written(&sample_report);
    CHECK_EQ(1, occurrences(results(&page), "\"ruleId\":\"retracted\""));
    CHECK_EQ(7, occurrences(results(&page), "\"ruleId\""));
    wr_text_free(&page);
}

TEST_PLAIN(report_sarif_names_no_region_of_a_file_without_lines)
{
    struct check_report report = { .file = "a.pdf", .findings = &sample_findings[3],
                                   .count = 1 };
    struct wr_text page = written(&report);
    CHECK_EQ(1, occurrences(results(&page), "\"uri\":\"a.pdf\""));
    CHECK_EQ(0, occurrences(results(&page), "\"region\""));
    wr_text_free(&page);
}

TEST_PLAIN(report_sarif_knows_a_reference_again_that_has_moved)
{
    struct bib_reference moved = sample_references[2];
    moved.line = 99;
    moved.number = 42;
    struct check_finding finding = sample_findings[2];
    struct check_report report = { .file = "a.bib", .findings = &finding, .count = 1 };
    struct wr_text before = written(&report);
    finding.reference = &moved;
    struct wr_text after = written(&report);
    const char *a = strstr(before.at, "\"reference/v1\":"), *b = strstr(after.at,
                                                                        "\"reference/v1\":");
    REQUIRE(a && b);
    CHECK(strncmp(a, b, strlen("\"reference/v1\":\"\"") + 32) == 0);
    moved.work.title = "Another work";
    struct wr_text other = written(&report);
    const char *c = strstr(other.at, "\"reference/v1\":");
    REQUIRE(c != NULL);
    CHECK(strncmp(a, c, strlen("\"reference/v1\":\"\"") + 32) != 0);
    wr_text_free(&before);
    wr_text_free(&after);
    wr_text_free(&other);
}

TEST_PLAIN(report_sarif_names_no_folder_of_this_machine)
{
    struct check_report report = sample_report;
    report.file = "/home/ada/paper.bib";
    struct wr_text page = written(&report);
    CHECK(!strstr(page.at, "/home/ada"));
    wr_text_free(&page);
}

TEST_PLAIN(report_sarif_of_what_was_extracted_has_no_results)
{
    struct check_report report = sample_report;
    report.unjudged = true;
    struct wr_text page = written(&report);
    CHECK_STR("\"results\":[]}]}\n", results(&page));
    wr_text_free(&page);
}
