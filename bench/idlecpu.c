/* Processor time of a process in which nothing happens: 1000 parked fibers, no
 * timer but the one that ends it; percent of one core.
 * usage: idlecpu [seconds] */
#include <stdio.h>

#include <weir/once.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "measure.h"

static wr_err park(void *arg)
{
    return wr_once_wait(arg, NULL, WR_NEVER);
}

static wr_err bench(void *arg)
{
    uint64_t seconds = *(const uint64_t *)arg;
    struct wr_once *end;
    MUST(wr_once_new(&end, "bench.end", 0));
    struct wr_scope *scope;
    MUST(wr_scope_new(&scope,
                      &(struct wr_scope_conf){ .name = "bench.idle", .deadline = WR_NEVER }));
    for (int i = 0; i < 1000; i++)
        MUST(wr_scope_go(scope, "bench.parked", park, end));
    MUST(wr_sleep(wr_after(WR_MS(200))));
    double before = measure_cpu_ms();
    MUST(wr_sleep(wr_after(WR_S(seconds))));
    printf("weir_idlecpu_percent %.4f\n", (measure_cpu_ms() - before) / (double)seconds / 10);

    MUST(wr_once_set(end, NULL));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    wr_once_free(end);
    return WR_OK;
}

int main(int argc, char **argv)
{
    uint64_t seconds = measure_arg(argc, argv, 1, 5);
    return wr_run(&(struct wr_run_conf){ .workers = 2 }, bench, &seconds) != WR_OK;
}
