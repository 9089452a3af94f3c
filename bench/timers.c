/* Set n timers with deadlines spread over 1..61 s, then clear all of them; ns
 * per timer.  The timers' memory is fresh, so its first touch is in the figure
 * as it is in the peers', which allocate each timer.
 * usage: timers [n] */
#include <stdio.h>
#include <stdlib.h>

#include <weir/run.h>
#include <weir/timer.h>

#include "measure.h"

struct clockwork {
    size_t count;
    struct wr_timer *timers;
};

static wr_err bench(void *arg)
{
    struct clockwork *work = arg;
    uint64_t state = MEASURE_SEED;

    wr_time begin = wr_now();
    int64_t start = measure_time(1);
    for (size_t i = 0; i < work->count; i++) {
        wr_time span = WR_US(1000000 + measure_random(&state) % 60000000);
        wr_timer_set(&work->timers[i], wr_after(span));
    }
    int64_t set = measure_time(1);
    for (size_t i = 0; i < work->count; i++)
        wr_timer_clear(&work->timers[i]);
    int64_t cleared = measure_time(1);
    WR_ASSERT(wr_now() - begin < WR_S(1));      /* so none was due */

    double n = (double)work->count;
    printf("weir_timer_arm_ns %.1f\n", (double)(set - start) / n);
    printf("weir_timer_cancel_ns %.1f\n", (double)(cleared - set) / n);
    printf("weir_timer_ns %.1f\n", (double)(cleared - start) / n);
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct clockwork work = { .count = measure_arg(argc, argv, 1, 1000000) };
    work.timers = calloc(work.count, sizeof(*work.timers));
    if (!work.timers)
        return 2;
    wr_err err = wr_run(&(struct wr_run_conf){ .workers = 1 }, bench, &work);
    free(work.timers);
    return err != WR_OK;
}
