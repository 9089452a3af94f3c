/* n fibers that sleep until random instants in a window of one second: how late
 * they wake, and the processor time of the whole program.
 * usage: sleepers [workers] [n] */
#include <stdio.h>
#include <stdlib.h>

#include <weir/run.h>
#include <weir/scope.h>

#include "measure.h"

struct sleeper {
    wr_time at;
    int64_t *late;
};

struct dormitory {
    unsigned workers;
    size_t count;
    struct sleeper *sleepers;
    int64_t *late;
};

static wr_err sleep_until(void *arg)
{
    struct sleeper *sleeper = arg;
    MUST(wr_sleep(sleeper->at));
    *sleeper->late = wr_now() - sleeper->at;
    WR_ASSERT(*sleeper->late >= 0);
    return WR_OK;
}

static wr_err bench(void *arg)
{
    struct dormitory *dorm = arg;
    uint64_t state = MEASURE_SEED;
    struct wr_scope *scope;
    MUST(wr_scope_new(
        &scope, &(struct wr_scope_conf){ .name = "bench.sleepers", .deadline = WR_NEVER }));
    wr_time base = wr_after(WR_MS(500));
    for (size_t i = 0; i < dorm->count; i++) {
        dorm->sleepers[i] = (struct sleeper){
            .at = base + (wr_time)(measure_random(&state) % 1000000000),
            .late = &dorm->late[i],
        };
        MUST(wr_scope_go(scope, "bench.sleeper", sleep_until, &dorm->sleepers[i]));
    }
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));

    char prefix[64];
    snprintf(prefix, sizeof(prefix), "weir_sleepers_t%u_late", dorm->workers);
    printf("weir_sleepers_t%u_cpu_ms %.1f\n", dorm->workers, measure_cpu_ms());
    measure_percentiles(prefix, dorm->late, dorm->count);
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct dormitory dorm = {
        .workers = (unsigned)measure_arg(argc, argv, 1, 2),
        .count = measure_arg(argc, argv, 2, 100000),
    };
    dorm.sleepers = calloc(dorm.count, sizeof(*dorm.sleepers));
    dorm.late = calloc(dorm.count, sizeof(*dorm.late));
    if (!dorm.sleepers || !dorm.late)
        return 2;
    wr_err err = wr_run(&(struct wr_run_conf){ .workers = dorm.workers }, bench, &dorm);
    free(dorm.sleepers);
    free(dorm.late);
    return err != WR_OK;
}
