/* report_test.c - tests of report.c. */
#include "conf/report.h"

#include <string.h>

#include "testing/test.h"

TEST_PLAIN(a_sentence_is_a_line_and_a_warning_says_so)
{
    struct wr_conf_report report = { 0 };
    wr_report_error(&report, "a.toml:%d: wrong", 3);
    wr_report_warning(&report, "odd");
    wr_report_end(&report);
    CHECK_STR("a.toml:3: wrong\nwarning: odd\n", report.text.at);
    CHECK_EQ(1, report.errors);
    CHECK_EQ(1, report.warnings);
    wr_conf_report_free(&report);
    CHECK_EQ(0, report.errors);
}

TEST_PLAIN(sentences_beyond_the_limit_are_only_counted)
{
    struct wr_conf_report report = { 0 };
    for (unsigned i = 0; i < WR_CONF_SENTENCES_MAX + 5; i++)
        wr_report_error(&report, "sentence %u", i);
    wr_report_end(&report);
    CHECK_EQ(WR_CONF_SENTENCES_MAX + 5, report.errors);
    const char *last = strstr(report.text.at, "sentence 63\n");
    REQUIRE(last != NULL);
    CHECK_STR("sentence 63\n... and 5 more\n", last);
    wr_conf_report_free(&report);
}

TEST_PLAIN(a_sentence_that_is_too_long_is_cut_and_says_so)
{
    struct wr_conf_report report = { 0 };
    char long_text[2 * WR_SENTENCE_MAX];
    memset(long_text, 'a', sizeof(long_text));
    long_text[sizeof(long_text) - 1] = '\0';
    wr_report_error(&report, "%s", long_text);
    CHECK_EQ(WR_SENTENCE_MAX - 1 + 4, report.text.len);
    CHECK_STR("aaa...\n", report.text.at + report.text.len - 7);
    wr_conf_report_free(&report);
}
