/* report_json_test.c - the contract that programs build on, literally. */
#include <string.h>

#include "testing/report_rig.h"
#include "testing/test.h"

static const struct check_report *const sample[] = { &sample_report };

static struct wr_text written(const struct check_report *const *reports, size_t count)
{
    struct wr_text page = wr_text_heap(CHECK_PAGE_MAX);
    check_write_json(&page, reports, count);
    CHECK_EQ(0, page.cut);
    return page;
}

TEST_PLAIN(report_json_has_the_keys_of_the_contract_in_their_order)
{
    struct check_report report = sample_report;
    report.findings = &sample_findings[1];
    report.count = 1;
    struct wr_text page = written((const struct check_report *[]){ &report }, 1);
    CHECK_STR(
        "{\"version\":1,\"file\":\"paper.bib\",\"note\":null,\"complete\":true,"
        "\"summary\":{\"total\":1,\"verified\":0,\"mismatch\":1,\"not_found\":0,"
        "\"inconclusive\":0,\"skipped\":0,\"detected\":1,\"flags\":{\"retracted\":0,"
        "\"duplicate\":0,\"future_date\":0,\"placeholder_authors\":0,"
        "\"foreign_identifier\":0,\"authors_unjudged\":0,\"preprint_of_published\":0,"
        "\"truncated\":0}},\"libraries\":[{\"name\":\"Memoirs\",\"kind\":\"bib\","
        "\"version\":\"2026-01\",\"records\":12}],\"references\":[{\"key\":\"motor\","
        "\"number\":2,\"raw\":\"@article{motor}\",\"title\":\"Notes on the Motor\","
        "\"authors\":[\"Ada Lovelace\"],\"et_al\":true,\"year\":1844,\"venue\":null,"
        "\"volume\":null,\"pages\":null,\"doi\":null,\"arxiv_id\":null,\"urls\":[],"
        "\"line\":7,\"line_end\":11,\"verdict\":\"mismatch\",\"reason\":null,"
        "\"mismatches\":[{\"field\":\"title\",\"cited\":\"Notes on the Motor\","
        "\"found\":\"Notes on the Engine\"},{\"field\":\"year\",\"cited\":\"1844\","
        "\"found\":\"1843\"}],\"flags\":[],\"duplicate_of\":null,\"evidence\":[{"
        "\"source\":\"Memoirs\",\"id\":\"m1\",\"similarity\":0.917,\"url\":null,"
        "\"version\":\"2026-01\",\"time\":null,\"retraction\":null,\"work\":{"
        "\"title\":\"Notes on the Engine\",\"authors\":[\"Ada Lovelace\","
        "\"J. van der Berg\"],\"et_al\":false,\"year\":1843,"
        "\"venue\":\"Scientific Memoirs\",\"volume\":null,\"pages\":null,"
        "\"doi\":\"10.1000/engine\",\"arxiv_id\":null,\"urls\":[]}}],\"asked\":[]}]}\n",
        page.at);
    wr_text_free(&page);
}

static void check_has(const struct wr_text *page, const char *part)
{
    if (!CHECK(strstr(page->at, part) != NULL))
        CHECK_STR(part, page->at);
}

TEST_PLAIN(report_json_shows_a_retraction_and_when_it_was_told)
{
    struct wr_text page = written(sample, 1);
    check_has(&page, "\"verdict\":\"verified\",\"reason\":null,\"mismatches\":[],"
                     "\"flags\":[\"retracted\",\"duplicate\"],\"duplicate_of\":1,");
    check_has(&page, "\"version\":null,\"time\":\"2001-09-09T01:46:40.000000Z\","
                     "\"retraction\":\"10.1000/notice\"");
    wr_text_free(&page);
}

TEST_PLAIN(report_json_has_no_similarity_where_titles_were_not_compared)
{
    struct check_evidence evidence = { .source = "Notices", .id = "n1" };
    struct check_finding finding = sample_findings[0];
    finding.evidence = &evidence;
    struct check_report report = { .findings = &finding, .count = 1 };
    struct wr_text page = written((const struct check_report *[]){ &report }, 1);
    check_has(&page, "\"id\":\"n1\",\"similarity\":null,\"url\":null");
    wr_text_free(&page);
}

TEST_PLAIN(report_json_says_who_could_not_be_asked)
{
    struct wr_text page = written(sample, 1);
    check_has(&page, "\"verdict\":\"inconclusive\",\"reason\":\"arXiv could not be asked\"");
    check_has(&page, "\"asked\":[{\"source\":\"CrossRef\",\"answer\":\"unknown\",\"why\":null},"
                     "{\"source\":\"arXiv\",\"answer\":\"failed\","
                     "\"why\":\"it did not answer in 10 s\"}]");
    wr_text_free(&page);
}

TEST_PLAIN(report_json_of_what_was_only_extracted_judges_nothing)
{
    struct check_report report = sample_report;
    report.unjudged = true;
    struct wr_text page = written((const struct check_report *[]){ &report }, 1);
    check_has(&page, "\"summary\":{\"total\":6},");
    check_has(&page, "\"skip\":\"it names no work\",\"truncated\":false}");
    static const char *const absent[] = { "verdict", "mismatches", "flags", "evidence" };
    for (size_t i = 0; i < SAMPLE_COUNT(absent); i++)
        CHECK(!strstr(page.at, absent[i]));
    wr_text_free(&page);
}

TEST_PLAIN(report_json_of_several_documents_is_an_array)
{
    struct check_report empty = { .file = "empty.bib" };
    struct wr_text page = written((const struct check_report *[]){ &empty, &empty }, 2);
    CHECK(strncmp(page.at, "[{\"version\":1,", 14) == 0);
    check_has(&page, "\"references\":[]},{\"version\":1,");
    wr_text_free(&page);
    page = written(NULL, 0);
    CHECK_STR("[]\n", page.at);
    wr_text_free(&page);
}

TEST_PLAIN(report_json_is_the_same_bytes_each_time)
{
    struct wr_text once = written(sample, 1), again = written(sample, 1);
    CHECK_STR(once.at, again.at);
    wr_text_free(&once);
    wr_text_free(&again);
}

TEST_PLAIN(report_json_that_does_not_fit_is_known_to_be_cut)
{
    struct wr_text page = wr_text_heap(600);
    check_write_json(&page, sample, 1);
    CHECK(page.cut > 0);
    wr_text_free(&page);
}

TEST_PLAIN(report_json_writes_a_name_of_any_length)
{
    static char family[100000];
    memset(family, 'x', sizeof(family) - 1);
    struct bib_name name = { family, NULL };
    struct bib_reference reference = { .work = { .authors = &name, .author_count = 1 } };
    struct check_finding finding = { .reference = &reference };
    struct check_report report = { .findings = &finding, .count = 1 };
    struct wr_text page = written((const struct check_report *[]){ &report }, 1);
    CHECK(strstr(page.at, family) != NULL);
    wr_text_free(&page);
}
