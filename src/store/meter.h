/* meter.h - what every store shows on the metrics page. */
#ifndef WR_STORE_METER_H
#define WR_STORE_METER_H

#include <weir/metric.h>
#include <weir/time.h>

#define METER_SLOW WR_MS(5)         /* a batch that took longer is counted as slow */

struct meter {
    struct wr_histogram *batch;
    struct wr_counter *writes;
    struct wr_gauge *log, *degraded;
};

void meter_init(struct meter *meter);

#endif
