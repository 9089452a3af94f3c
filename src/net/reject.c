/* reject.c - see reject.h. */
#include "net/reject.h"

#include <weir/metric.h>

static struct wr_metric rejected = {
    .name = "rejected_total",
    .help = "Connections and requests turned away.",
    .type = WR_COUNTER,
    .labels = { "reason" },
    .series_max = 32,
};

void reject_count(const char *reason)
{
    wr_counter_add(wr_metric_counter(&rejected, reason), 1);
}

void reject_count_call(const struct wr_call *call)
{
    static const struct { unsigned status; const char *reason; } reasons[] = {
        { 401, "unauth" }, { 403, "unauth" }, { 413, "413" },
        { 415, "415" },    { 429, "429" },    { 503, "503" },
    };
    if (call->rejected) {
        reject_count(call->rejected);
        return;
    }
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (call->status == reasons[i].status)
            reject_count(reasons[i].reason);
}
