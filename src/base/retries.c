/* retries.c - one metric for all that is tried again. */
#include "base/retries.h"

#include <weir/metric.h>

static struct wr_metric retries = {
    .name = "backoff_retries_total", .help = "Times something was tried again, after a pause.",
    .type = WR_COUNTER, .labels = { "op" }, .series_max = 64,
};

struct wr_counter *wr_retries_of(const char *op)
{
    return wr_metric_counter(&retries, op);
}
