/* summary_test.c - a report in a few numbers. */
#include "testing/report_rig.h"
#include "testing/test.h"

TEST_PLAIN(summary_counts_outcomes_flags_and_what_was_detected)
{
    struct check_summary summary = check_summarise(&sample_report);
    CHECK_EQ(6, summary.total);
    CHECK_EQ(2, summary.outcomes[BIB_VERIFIED]);
    CHECK_EQ(1, summary.outcomes[BIB_MISMATCH]);
    CHECK_EQ(1, summary.outcomes[BIB_NOT_FOUND]);
    CHECK_EQ(1, summary.outcomes[BIB_INCONCLUSIVE]);
    CHECK_EQ(1, summary.outcomes[BIB_SKIPPED]);
    CHECK_EQ(1, summary.flags[BIB_FLAG_RETRACTED]);
    CHECK_EQ(1, summary.flags[BIB_FLAG_DUPLICATE]);
    CHECK_EQ(1, summary.flags[BIB_FLAG_FUTURE_DATE]);
    CHECK_EQ(0, summary.flags[BIB_FLAG_TRUNCATED]);
    CHECK_EQ(2, summary.detected);
}

TEST_PLAIN(summary_asks_for_attention_to_a_retracted_work_that_is_cited_rightly)
{
    struct check_summary summary = check_summarise(&sample_report);
    CHECK_EQ(3, summary.attention);
    CHECK_EQ(0, summary.noted);
}

TEST_PLAIN(summary_notes_what_is_verified_with_something_to_know)
{
    struct check_finding finding = sample_findings[0];
    finding.verdict.flags = BIB_FLAG(PREPRINT_OF_PUBLISHED);
    struct check_report report = { .findings = &finding, .count = 1 };
    CHECK_EQ(1, check_summarise(&report).noted);
    CHECK_EQ(0, check_summarise(&report).attention);
}

TEST_PLAIN(summary_of_what_was_only_extracted_has_no_verdicts)
{
    struct check_report report = sample_report;
    report.unjudged = true;
    struct check_summary summary = check_summarise(&report);
    CHECK_EQ(6, summary.total);
    CHECK_EQ(0, summary.outcomes[BIB_VERIFIED]);
    CHECK_EQ(0, summary.attention);
}
