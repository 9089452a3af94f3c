#include "store/meter.h"

static struct wr_metric batch_seconds = {
    .name = "store_batch_seconds",
    .help = "From the begin of a transaction to the moment at which it is on the disk.",
    .type = WR_HISTOGRAM, .digits = WR_NS_AS_S,
    .bounds = { WR_US(100), WR_US(200), WR_US(500), WR_MS(1), WR_MS(2), WR_MS(5), WR_MS(10),
                WR_MS(50), WR_MS(200), WR_S(1) },
};
static struct wr_metric writes_total = {
    .name = "store_writes_total", .help = "Verbs that were written.", .type = WR_COUNTER,
};
static struct wr_metric wal_bytes = {
    .name = "store_wal_bytes",
    .help = "Size of the write-ahead log; one above 64 MB means that a reader holds it back.",
    .type = WR_GAUGE,
};
static struct wr_metric degraded = {
    .name = "store_degraded", .help = "Stores that cannot write now.", .type = WR_GAUGE,
};

void meter_init(struct meter *meter)
{
    meter->batch = wr_metric_histogram(&batch_seconds);
    meter->writes = wr_metric_counter(&writes_total);
    meter->log = wr_metric_gauge(&wal_bytes);
    meter->degraded = wr_metric_gauge(&degraded);
}
