/* A thousand callers, and nobody answers for some seconds: how much more is sent than was asked
 * for, and how long after the recovery the first one is let through.
 * usage: outage [callers] [seconds] */
#include <stdatomic.h>
#include <stdio.h>

#include <weir/breaker.h>
#include <weir/retry.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "measure.h"

struct bench {
    uint64_t callers, seconds;
    const struct wr_way *way;
    _Atomic uint64_t questions, sent;
    _Atomic wr_time recovers_at, reached_at;
    wr_time ends_at;
};

static wr_err ask_dead(const struct wr_way *way, struct wr_ask *ask, wr_time deadline)
{
    struct bench *bench = way->self;
    (void)deadline;
    atomic_fetch_add(&bench->sent, 1);
    if (wr_now() < bench->recovers_at) {
        wr_err err = wr_sleep(wr_after(WR_MS(2)));
        return err ? err : WR_IO;
    }
    wr_time none = 0;
    atomic_compare_exchange_strong(&bench->reached_at, &none, wr_now());
    return wr_bytes_copy(&ask->answer, "x", 1);
}

/* A question every 100 ms. */
static wr_err caller(void *arg)
{
    struct bench *bench = arg;
    while (wr_now() < bench->ends_at) {
        struct wr_ask ask = { .safe = true };
        atomic_fetch_add(&bench->questions, 1);
        (void)!wr_way_ask(bench->way, &ask, wr_after(WR_S(1)));
        wr_ask_done(&ask);
        MUST(wr_sleep(wr_after(WR_MS(100))));
    }
    return WR_OK;
}

/* How many are sent for each question while all is dead. */
static double run(struct bench *bench, const struct wr_way *way, bool recovers)
{
    struct wr_scope *scope;
    bench->way = way;
    bench->questions = bench->sent = 0;
    bench->reached_at = 0;
    bench->ends_at = wr_after(WR_S(bench->seconds + (recovers ? 3 : 0)));
    bench->recovers_at = recovers ? wr_after(WR_S(bench->seconds)) : WR_NEVER;
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "callers",
                                                       .deadline = WR_NEVER }));
    for (uint64_t i = 0; i < bench->callers; i++)
        MUST(wr_scope_go(scope, "bench.caller", caller, bench));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    return (double)bench->sent / (double)bench->questions;
}

static wr_err bench(void *arg)
{
    struct bench *bench = arg;
    struct wr_retry *retry, *blind;
    struct wr_breakers *breakers;
    struct wr_scope *janitor;
    MUST(wr_retry_new(&retry, &(struct wr_retry_conf){ .name = "bench" }));
    MUST(wr_retry_new(&blind, &(struct wr_retry_conf){ .name = "blind", .floor = 1000000 }));
    MUST(wr_breakers_new(&breakers, &(struct wr_breakers_conf){
        .name = "bench", .targets = 1, .cooldown = WR_MS(500) }));
    MUST(wr_scope_new(&janitor, &(struct wr_scope_conf){ .name = "janitor",
                                                         .deadline = WR_NEVER }));
    MUST(wr_scope_go(janitor, "bench.janitor", wr_breakers_run, breakers));
    const struct wr_way *way = WR_WAY(ask_dead, bench);
    printf("blind_amplification %.3f\n", run(bench, WR_RETRIED(blind, way), false));
    printf("weir_amplification %.3f\n", run(bench, WR_RETRIED(retry, way), false));
    run(bench, WR_RETRIED(retry, WR_GUARDED(breakers, way)), true);
    WR_ASSERT(bench->reached_at != 0);
    printf("weir_probe_ms %.1f\n", (double)(bench->reached_at - bench->recovers_at) / 1e6);
    MUST(wr_scope_close(janitor));
    wr_breakers_free(breakers);
    wr_retry_free(blind);
    wr_retry_free(retry);
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct bench all = {
        .callers = measure_arg(argc, argv, 1, 1000),
        .seconds = measure_arg(argc, argv, 2, 3),
    };
    return wr_run(&(struct wr_run_conf){ .workers = 2 }, bench, &all) != WR_OK;
}
