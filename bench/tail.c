/* One call of a hundred takes a second, the others five milliseconds: how long the slowest one
 * of a thousand takes, alone and hedged, and how many more calls that costs.
 * usage: tail [calls] [callers] */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/hedge.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "measure.h"

#define SLOW_ONE_IN 100

struct bench {
    uint64_t calls, callers;
    const struct wr_way *way;
    _Atomic uint64_t next, asked, seed;
    int64_t *took;
};

static wr_err ask_slow_tail(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct bench *bench = way->self;
    uint64_t seed = atomic_fetch_add(&bench->seed, 0x9e3779b97f4a7c15) | 1;
    atomic_fetch_add(&bench->asked, 1);
    bool slow = measure_random(&seed) % SLOW_ONE_IN == 0;
    wr_time done = wr_after(slow ? WR_S(1) : WR_MS(5));
    wr_err err = wr_sleep(done < deadline ? done : deadline);
    return err ? err : wr_bytes_copy(&ask->answer, "x", 1);
}

static wr_err caller(void *arg)
{
    static const uint32_t targets[] = { 0, 1 };
    struct bench *bench = arg;
    for (;;) {
        uint64_t number = atomic_fetch_add(&bench->next, 1);
        if (number >= bench->calls)
            return WR_OK;
        struct wr_ask ask = { .safe = true, .targets = targets, .target_count = 2 };
        wr_time begun = wr_now();
        MUST(wr_way_ask(bench->way, &ask, wr_after(WR_S(5))));
        bench->took[number] = wr_now() - begun;
        wr_ask_done(&ask);
    }
}

static int compare(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

/* The slowest of a thousand, in ms. */
static double run(struct bench *bench, const struct wr_way *way)
{
    struct wr_scope *scope;
    bench->way = way;
    bench->next = bench->asked = 0;
    bench->seed = MEASURE_SEED;
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "callers",
                                                       .deadline = WR_NEVER }));
    for (uint64_t i = 0; i < bench->callers; i++)
        MUST(wr_scope_go(scope, "bench.caller", caller, bench));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    qsort(bench->took, bench->calls, sizeof(bench->took[0]), compare);
    return (double)bench->took[bench->calls * 999 / 1000] / 1e6;
}

static wr_err bench(void *arg)
{
    struct bench *bench = arg;
    struct wr_hedge *hedge;
    bench->took = calloc(bench->calls, sizeof(bench->took[0]));
    WR_ASSERT(bench->took != NULL);
    MUST(wr_hedge_new(&hedge, &(struct wr_hedge_conf){ .name = "bench" }));
    const struct wr_way *way = WR_WAY(ask_slow_tail, bench);
    double alone = run(bench, way);
    double hedged = run(bench, WR_HEDGED(hedge, way));
    double extra = (double)(bench->asked - bench->calls) * 100 / (double)bench->calls;
    printf("plain_tail_p999_ms %.2f\n", alone);
    printf("weir_tail_p999_ms %.2f\n", hedged);
    printf("weir_tail_cut %.1f\n", alone / hedged);
    printf("weir_tail_extra_percent %.2f\n", extra);
    wr_hedge_free(hedge);
    free(bench->took);
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct bench all = {
        .calls = measure_arg(argc, argv, 1, 50000),
        .callers = measure_arg(argc, argv, 2, 200),
    };
    return wr_run(&(struct wr_run_conf){ .workers = 2 }, bench, &all) != WR_OK;
}
