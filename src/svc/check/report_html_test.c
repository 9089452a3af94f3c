/* report_html_test.c - a page that people like to read, and that obeys nobody.
 *
 * tests/report reads pages with a parser of HTML; here are the parts.
 */
#include <string.h>

#include "testing/report_rig.h"
#include "testing/test.h"

static struct wr_text written(const struct check_report *const *reports, size_t count)
{
    struct wr_text page = wr_text_heap(CHECK_PAGE_MAX);
    check_write_html(&page, reports, count);
    CHECK_EQ(0, page.cut);
    return page;
}

static struct wr_text written_one(const struct check_report *report)
{
    return written(&report, 1);
}

static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

TEST_PLAIN(report_html_marks_the_words_that_differ_side_by_side)
{
    struct wr_text page = written_one(&sample_report);
    CHECK(strstr(page.at, "<tr><th scope=\"row\">Title</th>"
                          "<td data-side=\"cited\"><bdi>Notes on the <mark>Motor</mark></bdi>"
                          "</td><td data-side=\"found\"><bdi>Notes on the <mark>Engine</mark>"
                          "</bdi></td></tr>\n") != NULL);
    wr_text_free(&page);
}

TEST_PLAIN(report_html_says_in_words_what_colours_say)
{
    struct wr_text page = written_one(&sample_report);
    CHECK(strstr(page.at, "<span class=\"badge error\"><span aria-hidden=\"true\">✗</span> "
                          "not found</span>") != NULL);
    CHECK(strstr(page.at, "<span class=\"badge error\"><span aria-hidden=\"true\">✗</span> "
                          "retracted</span>") != NULL);
    wr_text_free(&page);
}

TEST_PLAIN(report_html_tells_at_a_glance)
{
    struct wr_text page = written_one(&sample_report);
    CHECK(strstr(page.at, "<p class=\"big\">3 of 6 need a look.</p>") != NULL);
    CHECK(strstr(page.at, "<li><b>1</b> retracted</li>") != NULL);
    wr_text_free(&page);
    struct check_report clean = { .file = "a.bib", .findings = sample_findings, .count = 1 };
    page = written_one(&clean);
    CHECK(strstr(page.at, "<p class=\"big\">All works exist, as cited.</p>") != NULL);
    wr_text_free(&page);
}

TEST_PLAIN(report_html_shows_first_what_needs_a_look_if_anything_does)
{
    struct wr_text page = written_one(&sample_report);
    CHECK(strstr(page.at, "id=\"show-look\" checked>") != NULL);
    CHECK_EQ(3, occurrences(page.at, " look\" id=\"r1-"));
    CHECK_EQ(1, occurrences(page.at, " undecided\" id=\"r1-4\""));
    wr_text_free(&page);
    struct check_report clean = { .file = "a.bib", .findings = sample_findings, .count = 1 };
    page = written_one(&clean);
    CHECK(strstr(page.at, "id=\"show-all\" checked>") != NULL);
    wr_text_free(&page);
}

TEST_PLAIN(report_html_links_to_where_a_work_can_be_looked_up)
{
    struct wr_text page = written_one(&sample_report);
    CHECK(strstr(page.at, "<p class=\"links\">Look it up: <a href=\"https://doi.org/10.1000/"
                          "engine\" target=\"_blank\" rel=\"noopener noreferrer\">DOI</a> · "
                          "<a href=\"https://scholar.google.com/scholar?q=Notes%20on%20the%20"
                          "engine\"") != NULL);
    CHECK(strstr(page.at, "<a href=\"https://arxiv.org/abs/2403.00108\"") != NULL);
    CHECK_EQ(occurrences(page.at, "<a "), occurrences(page.at, "rel=\"noopener noreferrer\""));
    wr_text_free(&page);
}

TEST_PLAIN(report_html_lets_nothing_in_whatever_the_texts_are)
{
    static const enum bib_outcome outcomes[] = { BIB_VERIFIED, BIB_MISMATCH, BIB_NOT_FOUND };
    for (size_t i = 0; i < SAMPLE_COUNT(sample_attacks) * SAMPLE_COUNT(outcomes); i++) {
        struct sample_hostile hostile;
        struct wr_text page = written_one(sample_make_hostile(&hostile, sample_attacks[i / 3],
                                                              outcomes[i % 3]));
        CHECK(!strstr(page.at, "<script") && !strstr(page.at, "<img"));
        CHECK(!strstr(page.at, "href=\"javascript") && !strstr(page.at, "href=\"data:"));
        CHECK(!strstr(page.at, "\" onload") && !strstr(page.at, "\"onload"));
        CHECK_EQ(1, occurrences(page.at, "</style>"));
        CHECK(!strchr(page.at, '\x1b') && !strstr(page.at, "\xe2\x80\xae"));
        wr_text_free(&page);
    }
}

TEST_PLAIN(report_html_loads_nothing)
{
    struct wr_text page = written_one(&sample_report);
    static const char *const loading[] = { "src=", "<link", "@import", "url(", "<script" };
    for (size_t i = 0; i < SAMPLE_COUNT(loading); i++)
        CHECK_EQ(0, occurrences(page.at, loading[i]));
    wr_text_free(&page);
}

TEST_PLAIN(report_html_tells_the_documents_apart)
{
    struct wr_text page = written((const struct check_report *[]){ &sample_report,
                                                                   &sample_report }, 2);
    CHECK_EQ(1, occurrences(page.at, "id=\"r1-3\""));
    CHECK_EQ(1, occurrences(page.at, "id=\"r2-3\""));
    CHECK(strstr(page.at, "All (12)") != NULL);
    wr_text_free(&page);
}

TEST_PLAIN(report_html_of_nothing_is_a_whole_page)
{
    struct wr_text page = written(NULL, 0);
    CHECK(strncmp(page.at, "<!DOCTYPE html>\n", 16) == 0);
    CHECK(strstr(page.at, "</html>\n") != NULL);
    wr_text_free(&page);
    page = written_one(&(struct check_report){ .file = "a.bib" });
    CHECK(strstr(page.at, "No references were found.") != NULL);
    wr_text_free(&page);
}
