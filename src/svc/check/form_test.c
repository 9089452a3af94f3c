/* form_test.c - what holds of every form. */
#include <stdlib.h>
#include <string.h>

#include "svc/check/form.h"
#include "testing/report_rig.h"
#include "testing/test.h"

TEST_PLAIN(form_is_found_by_its_name)
{
    REQUIRE(check_form("html") != NULL);
    CHECK_STR("text/html; charset=utf-8", check_form("html")->media);
    CHECK(!check_form("pdf"));
    CHECK(!check_form(""));
}

TEST_PLAIN(form_writes_the_same_bytes_each_time)
{
    const struct check_report *reports[] = { &sample_report, &sample_report };
    for (size_t i = 0; i < CHECK_FORM_COUNT; i++) {
        struct wr_text once = wr_text_heap(CHECK_PAGE_MAX);
        struct wr_text again = wr_text_heap(CHECK_PAGE_MAX);
        check_forms[i].write(&once, reports, 2);
        check_forms[i].write(&again, reports, 2);
        CHECK(once.len > 0 && once.cut == 0);
        CHECK_STR(once.at, again.at);
        wr_text_free(&once);
        wr_text_free(&again);
    }
}

TEST_PLAIN(form_that_does_not_fit_is_known_to_be_cut)
{
    const struct check_report *report = &sample_report;
    for (size_t i = 0; i < CHECK_FORM_COUNT; i++) {
        struct wr_text whole = wr_text_heap(CHECK_PAGE_MAX);
        check_forms[i].write(&whole, &report, 1);
        struct wr_text page = wr_text_heap(whole.len);
        check_forms[i].write(&page, &report, 1);
        CHECK(page.cut > 0);
        CHECK(strncmp(whole.at, page.at, page.len) == 0);
        wr_text_free(&whole);
        wr_text_free(&page);
    }
}

static size_t replaced(const char *text)
{
    size_t count = 0;
    for (; (text = strstr(text, "\xef\xbf\xbd")); text++)
        count++;
    return count;
}

/* The escaper of labels replaces what is no UTF-8, and nothing else. */
static bool is_utf8(const struct wr_text *text)
{
    struct wr_text copy = wr_text_heap(3 * text->len + 1);
    wr_text_label(&copy, text->at, text->len);
    bool same = copy.cut == 0 && replaced(copy.at) == replaced(text->at);
    wr_text_free(&copy);
    return same;
}

TEST_PLAIN(form_is_text_whatever_bytes_it_is_made_of)
{
    for (size_t i = 0; i < SAMPLE_COUNT(sample_attacks); i++) {
        for (size_t j = 0; j < CHECK_FORM_COUNT; j++) {
            struct sample_hostile hostile;
            const struct check_report *report = sample_make_hostile(&hostile, sample_attacks[i],
                                                                    BIB_MISMATCH);
            struct wr_text page = wr_text_heap(CHECK_PAGE_MAX);
            check_forms[j].write(&page, &report, 1);
            CHECK(is_utf8(&page) && strlen(page.at) == page.len);
            wr_text_free(&page);
        }
    }
}

TEST_PLAIN(form_takes_twenty_thousand_references)
{
    struct check_report report = sample_make_long((size_t)test_rounds(20000));
    const struct check_report *reports = &report;
    CHECK(report.count > 0);
    for (size_t i = 0; i < CHECK_FORM_COUNT; i++) {
        struct wr_text page = wr_text_heap(CHECK_PAGE_MAX);
        check_forms[i].write(&page, &reports, 1);
        CHECK(page.cut == 0 && page.len > report.count * 10);
        wr_text_free(&page);
    }
    free(report.findings);
}

TEST_PLAIN(form_takes_a_reference_of_which_nothing_is_known)
{
    struct bib_reference reference = { .number = 1 };
    struct check_evidence evidence = { 0 };
    struct bib_mismatch mismatch = { 0 };
    struct check_asked asked = { 0 };
    struct check_library library = { 0 };
    struct check_finding finding = {
        .reference = &reference, .evidence = &evidence, .evidence_count = 1, .asked = &asked,
        .asked_count = 1,
        .verdict = { .outcome = BIB_MISMATCH, .mismatches = &mismatch, .mismatch_count = 1 },
    };
    struct check_report report = { .findings = &finding, .count = 1, .libraries = &library,
                                   .library_count = 1 };
    const struct check_report *reports = &report;
    for (size_t i = 0; i < CHECK_FORM_COUNT; i++) {
        struct wr_text page = wr_text_heap(CHECK_PAGE_MAX);
        check_forms[i].write(&page, &reports, 1);
        CHECK(page.len > 0 && page.cut == 0);
        wr_text_free(&page);
    }
}
