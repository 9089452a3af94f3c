/* Twice as much comes as can be done: how long those who are served have waited for it, and
 * how much of what can be done is done, with a plain queue and with shedding by waiting time.
 * usage: shedding [seconds] */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/chan.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/shed.h>
#include <weir/task.h>

#include "measure.h"

#define WORKERS 8
#define EACH WR_MS(5)
#define QUEUE 2048
#define INTERVAL WR_MS(50)
#define GOOD_WITHIN WR_S(1)         /* later it is of no use to anybody */

struct bench {
    uint64_t seconds;
    struct wr_chan *queue;
    struct wr_shed shed;
    bool sheds;
    int64_t *took;
    _Atomic uint64_t served, good;
};

static wr_err work(void *arg)
{
    struct bench *bench = arg;
    wr_time came;
    while (wr_chan_recv(bench->queue, &came, WR_NEVER) == WR_OK) {
        if (bench->sheds)
            wr_shed_leave(&bench->shed, came);
        MUST(wr_sleep(wr_after(EACH)));
        wr_time took = wr_now() - came;
        bench->took[atomic_fetch_add(&bench->served, 1)] = took;
        atomic_fetch_add(&bench->good, took <= GOOD_WITHIN);
    }
    return WR_OK;
}

static void arrive(struct bench *bench)
{
    if (bench->sheds && wr_shed_enter(&bench->shed, WR_SHED_NORMAL))
        return;
    wr_time came = wr_now();
    if (wr_chan_send(bench->queue, &came, WR_NOW) && bench->sheds)
        wr_shed_withdraw(&bench->shed);
}

static int compare(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

static void run(struct bench *bench, const char *name, bool sheds)
{
    struct wr_scope *scope;
    wr_time apart = EACH / WORKERS / 2, begun = wr_now();
    uint64_t count = bench->seconds * (uint64_t)(WR_S(1) / apart);
    bench->sheds = sheds;
    bench->served = bench->good = 0;
    bench->shed = (struct wr_shed){ .target = WR_SHED_TARGET, .interval = INTERVAL };
    MUST(wr_chan_new(&bench->queue, &(struct wr_chan_conf){
        .name = "bench.queue", .item_size = sizeof(wr_time), .cap = QUEUE,
        .policy = WR_REJECT }));
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "workers",
                                                       .deadline = WR_NEVER }));
    for (int i = 0; i < WORKERS; i++)
        MUST(wr_scope_go(scope, "bench.worker", work, bench));
    for (uint64_t i = 0; i < count; i++) {
        MUST(wr_sleep(begun + (wr_time)i * apart));
        arrive(bench);
    }
    uint64_t good = bench->good, served = bench->served;
    double could = (double)(wr_now() - begun) / (double)EACH * WORKERS;
    wr_chan_close(bench->queue);
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    wr_chan_free(bench->queue);
    qsort(bench->took, served, sizeof(bench->took[0]), compare);
    printf("%s_overload_p99_ms %.1f\n", name, (double)bench->took[served * 99 / 100] / 1e6);
    printf("%s_overload_goodput_percent %.1f\n", name, (double)good * 100 / could);
}

static wr_err bench(void *arg)
{
    struct bench *bench = arg;
    bench->took = calloc(bench->seconds * 10000 + QUEUE, sizeof(bench->took[0]));
    WR_ASSERT(bench->took != NULL);
    run(bench, "plain", false);
    run(bench, "weir", true);
    free(bench->took);
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct bench all = { .seconds = measure_arg(argc, argv, 1, 5) };
    return wr_run(&(struct wr_run_conf){ .workers = 2 }, bench, &all) != WR_OK;
}
