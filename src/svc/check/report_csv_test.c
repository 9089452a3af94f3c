/* report_csv_test.c - a row and a line for each reference. */
#include <string.h>

#include "testing/report_rig.h"
#include "testing/test.h"

static struct wr_text written(const struct check_report *report)
{
    struct wr_text page = wr_text_heap(CHECK_PAGE_MAX);
    check_write_csv(&page, &report, 1);
    CHECK_EQ(0, page.cut);
    return page;
}

static size_t lines(const char *text)
{
    size_t count = 0;
    for (; (text = strchr(text, '\n')); text++)
        count++;
    return count;
}

#define HEAD "file,number,key,line,title,authors,year,venue,doi,arxiv_id,urls,verdict," \
             "mismatches,flags,reason,found_title,found_authors,found_year,found_venue," \
             "found_doi,source,source_id,similarity,source_url,retraction,raw\r\n"

TEST_PLAIN(report_csv_has_what_was_cited_and_what_was_found_in_a_row)
{
    struct check_report report = sample_report;
    report.findings = &sample_findings[1];
    report.count = 1;
    struct wr_text page = written(&report);
    CHECK_STR(HEAD
              "\"paper.bib\",2,\"motor\",7,\"Notes on the Motor\",\"Ada Lovelace; et al.\","
              "1844,\"\",\"\",\"\",\"\",\"mismatch\",\"title year\",\"\",\"\","
              "\"Notes on the Engine\",\"Ada Lovelace; J. van der Berg\",1843,"
              "\"Scientific Memoirs\",\"10.1000/engine\",\"Memoirs\",\"m1\",0.917,\"\",\"\","
              "\"'@article{motor}\"\r\n",
              page.at);
    wr_text_free(&page);
}

TEST_PLAIN(report_csv_has_a_line_for_each_reference_whatever_is_in_it)
{
    struct wr_text page = written(&sample_report);
    CHECK_EQ(7, lines(page.at));
    wr_text_free(&page);
    for (size_t i = 0; i < SAMPLE_COUNT(sample_attacks); i++) {
        struct sample_hostile hostile;
        page = written(sample_make_hostile(&hostile, sample_attacks[i], BIB_MISMATCH));
        CHECK_EQ(2, lines(page.at));
        wr_text_free(&page);
    }
}

static void check_cell(const char *want, const char *key)
{
    struct bib_reference reference = { .number = 1, .key = key };
    struct check_finding finding = { .reference = &reference };
    struct check_report report = { .file = "f", .findings = &finding, .count = 1,
                                   .unjudged = true };
    struct wr_text page = written(&report);
    const char *row = strstr(page.at, "\"f\",1,");
    CHECK(row != NULL);
    if (row) {
        row += strlen("\"f\",1,");
        CHECK(strncmp(row, want, strlen(want)) == 0 && row[strlen(want)] == ',');
    }
    wr_text_free(&page);
}

TEST_PLAIN(report_csv_doubles_quotes)
{
    check_cell("\"a\"\"b\"\"\"", "a\"b\"");
}

TEST_PLAIN(report_csv_takes_the_power_from_formulas)
{
    check_cell("\"'=1+1\"", "=1+1");
    check_cell("\"'+1\"", "+1");
    check_cell("\"'-1\"", "-1");
    check_cell("\"'@SUM(1)\"", "@SUM(1)");
    check_cell("\"' =1\"", " =1");
    check_cell("\"'  =1\"", "\t\r=1");
    check_cell("\"'\uff1d1\"", "\uff1d1");
    check_cell("\"1-1\"", "1-1");
}

TEST_PLAIN(report_csv_of_what_was_extracted_has_no_verdicts)
{
    struct check_report report = sample_report;
    report.unjudged = true;
    struct wr_text page = written(&report);
    const char *head = "file,number,key,line,title,authors,year,venue,doi,arxiv_id,urls,"
                       "raw\r\n";
    CHECK(strncmp(page.at, head, strlen(head)) == 0);
    wr_text_free(&page);
}

TEST_PLAIN(report_csv_of_nothing_is_its_head)
{
    struct wr_text page = written(&(struct check_report){ .file = "a.bib" });
    CHECK_STR(HEAD, page.at);
    wr_text_free(&page);
}
