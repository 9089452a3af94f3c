/* report.c - sentences about a configuration. */
#include "conf/report.h"

#include <stdarg.h>

#define REPORT_MAX (WR_CONF_SENTENCES_MAX * (WR_SENTENCE_MAX + 16ul))

static void say(struct wr_conf_report *report, const char *kind, const char *format,
                va_list args)
{
    if (report->errors + report->warnings > WR_CONF_SENTENCES_MAX)
        return;
    if (!report->text.at)
        report->text = wr_text_heap(REPORT_MAX);
    char buf[WR_SENTENCE_MAX];
    struct wr_text sentence = WR_TEXT(buf);
    wr_text_vformat(&sentence, format, args);
    wr_text_format(&report->text, "%s%s%s\n", kind, buf, sentence.cut ? "..." : "");
}

void wr_report_error(struct wr_conf_report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report->errors++;
    say(report, "", format, args);
    va_end(args);
}

void wr_report_warning(struct wr_conf_report *report, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report->warnings++;
    say(report, "warning: ", format, args);
    va_end(args);
}

void wr_report_end(struct wr_conf_report *report)
{
    unsigned all = report->errors + report->warnings;
    if (all > WR_CONF_SENTENCES_MAX)
        wr_text_format(&report->text, "... and %u more\n", all - WR_CONF_SENTENCES_MAX);
}

void wr_conf_report_free(struct wr_conf_report *report)
{
    wr_text_free(&report->text);
    *report = (struct wr_conf_report){ 0 };
}
