/* iostat.c - see iostat.h. */
#include "net/iostat.h"

#include <weir/metric.h>

static struct wr_metric timeouts = {
    .name = "io_timeouts_total",
    .help = "Waits for a peer that a deadline ended, by what was waited for.",
    .type = WR_COUNTER,
    .labels = { "op" },
    .series_max = IOSTAT_OPS,
};

static struct wr_metric errors = {
    .name = "io_errors_total",
    .help = "Exchanges with a peer that failed, by what was being done.",
    .type = WR_COUNTER,
    .labels = { "op" },
    .series_max = IOSTAT_OPS,
};

static void count(struct wr_metric *metric, enum iostat_op op)
{
    static const char *const names[IOSTAT_OPS] = {
        [IOSTAT_CONNECT] = "connect", [IOSTAT_HANDSHAKE] = "handshake",
        [IOSTAT_READ] = "read", [IOSTAT_WRITE] = "write",
    };
    wr_counter_add(wr_metric_counter(metric, names[op]), 1);
}

void iostat_timeout(enum iostat_op op)
{
    count(&timeouts, op);
}

void iostat_error(enum iostat_op op)
{
    count(&errors, op);
}

void iostat_count(enum iostat_op op, wr_err err)
{
    if (err == WR_TIMEOUT)
        iostat_timeout(op);
    else if (err && err != WR_CANCELED)
        iostat_error(op);
}
