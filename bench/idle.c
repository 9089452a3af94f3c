/* Bytes per parked fiber, page tables included: when the last of them has
 * parked, and three seconds later, when the runtime has given back what a
 * parked fiber does not need.
 * usage: idle [fibers] */
#include <stdatomic.h>
#include <stdio.h>

#include <weir/once.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "measure.h"

struct crowd {
    uint64_t count;
    _Atomic uint64_t parked;
    struct wr_once *end;
};

static wr_err park(void *arg)
{
    struct crowd *crowd = arg;
    atomic_fetch_add(&crowd->parked, 1);
    return wr_once_wait(crowd->end, NULL, WR_NEVER);
}

static double per_fiber(const struct crowd *crowd, uint64_t before)
{
    return (double)(measure_memory() - before) / (double)crowd->count;
}

static wr_err bench(void *arg)
{
    struct crowd *crowd = arg;
    MUST(wr_once_new(&crowd->end, "bench.end", 0));
    struct wr_scope *scope;
    MUST(wr_scope_new(&scope,
                      &(struct wr_scope_conf){ .name = "bench.crowd", .deadline = WR_NEVER }));
    uint64_t before = measure_memory();
    for (uint64_t i = 0; i < crowd->count; i++)
        MUST(wr_scope_go(scope, "bench.parked", park, crowd));
    while (atomic_load(&crowd->parked) < crowd->count)
        MUST(wr_sleep(wr_after(WR_MS(5))));
    MUST(wr_sleep(wr_after(WR_MS(50))));
    printf("weir_idle_%llu_fresh_bytes %.1f\n", (unsigned long long)crowd->count,
           per_fiber(crowd, before));
    MUST(wr_sleep(wr_after(WR_S(3))));
    printf("weir_idle_%llu_bytes %.1f\n", (unsigned long long)crowd->count,
           per_fiber(crowd, before));

    MUST(wr_once_set(crowd->end, NULL));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    wr_once_free(crowd->end);
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct crowd crowd = { .count = measure_arg(argc, argv, 1, 100000) };
    return wr_run(&(struct wr_run_conf){ .workers = 2 }, bench, &crowd) != WR_OK;
}
