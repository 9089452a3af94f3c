/* report_style.h - how the page of a report looks: on a screen by day and night, on paper. */
#ifndef WR_CHECK_REPORT_STYLE_H
#define WR_CHECK_REPORT_STYLE_H

extern const char check_report_style[];

#endif
