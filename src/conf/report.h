/* report.h - sentences about a configuration. */
#ifndef WR_CONF_REPORT_H
#define WR_CONF_REPORT_H

#include "conf/conf.h"

#define WR_SENTENCE_MAX 1024

/* One sentence more; text that came from outside must have been escaped. */
void wr_report_error(struct wr_conf_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void wr_report_warning(struct wr_conf_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* How many there were beyond those that are told. */
void wr_report_end(struct wr_conf_report *report);

#endif
