/* metric_rig.h - what the metrics page says, for tests of what is counted. */
#ifndef WR_TESTING_METRIC_RIG_H
#define WR_TESTING_METRIC_RIG_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/metric.h>

#include "testing/test.h"

/* The value of a series, "busy_total{endpoint=\"/a\"}"; -1 when it is not there. */
__attribute__((unused, format(printf, 1, 2)))
static long long metric_value(const char *format, ...)
{
    static char page[1 << 18];
    char series[200] = "\n";
    size_t len;
    va_list args;
    va_start(args, format);
    vsnprintf(series + 1, sizeof(series) - 1, format, args);
    va_end(args);
    REQUIRE_OK(wr_metric_write(&len, page, sizeof(page)), -1);
    const char *at = strstr(page, series);
    return at && at[strlen(series)] == ' ' ? strtoll(at + strlen(series), NULL, 10) : -1;
}

#endif
