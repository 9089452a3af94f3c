/* scenario_pipeline.c - producers, a bounded channel, workers, results.
 *
 * Workers panic and are started again; the whole is drained or aborted at some
 * moment.  An item whose send returned WR_OK ends exactly once, collected or
 * lost; any other stays with its producer and never ends.
 */
#include <weir/chan.h>
#include <weir/once.h>

#include "sim/scenario.h"

#define PRODUCERS 3
#define WORKERS 3
#define ITEMS_EACH 40
#define ITEMS (PRODUCERS * ITEMS_EACH)
#define ITEMS_CAP 3
#define RESULTS_CAP 2

struct pipeline {
    struct wr_chan *items, *results;
    struct wr_once *enough;
    int stop_after, producer_count;
    int made, accepted, collected, lost;
    bool taken_in[ITEMS], ended[ITEMS];
};

struct item { struct pipeline *pipeline; int number; };

static void end_item(const struct item *item, int *count)
{
    WR_ASSERT(!item->pipeline->ended[item->number]);
    item->pipeline->ended[item->number] = true;
    (*count)++;
}

static void lose(void *arg)
{
    struct item *item = arg;
    end_item(item, &item->pipeline->lost);
}

static wr_err produce(void *arg)
{
    struct pipeline *p = arg;
    int first = p->producer_count++ * ITEMS_EACH;
    for (int i = 0; i < ITEMS_EACH; i++) {
        struct item item = { p, first + i };
        if (++p->made == p->stop_after)
            MUST(wr_once_set(p->enough, NULL));
        wr_time deadline = wr_sim_below(4) ? WR_NEVER : some_time(WR_MS(5));
        wr_err err = wr_chan_send(p->items, &item, deadline);
        if (err && err != WR_TIMEOUT)
            return err;
        p->taken_in[item.number] = err == WR_OK;
        p->accepted += err == WR_OK;
        if (wr_sim_below(3) == 0)
            err = wr_sleep(some_time(WR_MS(3)));
        if (err == WR_CANCELED)
            return err;
    }
    return WR_OK;
}

static wr_err work(void *arg)
{
    struct pipeline *p = arg;
    struct item item;
    wr_err err;
    while (!(err = wr_chan_recv(p->items, &item, WR_NEVER))) {
        struct wr_cleanup cleanup = { .fn = lose, .arg = &item };
        wr_cleanup_push(&cleanup);
        if (wr_sim_below(2))
            err = wr_sleep(some_time(WR_MS(4)));
        if (!err)
            err = wr_chan_send(p->results, &item, WR_NEVER);
        wr_cleanup_pop(&cleanup);
        if (err) {
            lose(&item);
            return err;
        }
    }
    return err == WR_CLOSED ? WR_OK : err;
}

/* A worker that panicked is replaced, for as long as there is a need. */
static wr_err keep_working(void *arg)
{
    wr_err err = WR_PANIC;
    while (err == WR_PANIC) {
        struct wr_scope *scope;
        err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "worker",
                                                            .deadline = WR_NEVER });
        if (err)
            return err;
        MUST(wr_scope_go(scope, "pipeline.worker", work, arg));
        err = wr_scope_join(scope, WR_NEVER);
        wr_err closed = wr_scope_close(scope);
        WR_ASSERT(err != WR_OK || closed == WR_OK);
    }
    return err;
}

static wr_err collect(void *arg)
{
    struct pipeline *p = arg;
    struct item item;
    wr_err err;
    while (!(err = wr_chan_recv(p->results, &item, WR_NEVER)))
        end_item(&item, &p->collected);
    return err == WR_CLOSED ? WR_OK : err;
}

static void check_ledger(const struct pipeline *p)
{
    for (int i = 0; i < ITEMS; i++)
        WR_ASSERT(p->taken_in[i] == p->ended[i]);
    WR_ASSERT(p->accepted == p->collected + p->lost);
}

static wr_err run(void *arg)
{
    struct pipeline *p = arg;
    p->stop_after = 30 + (int)wr_sim_below(ITEMS - 30);
    MUST(wr_once_new(&p->enough, "pipeline.enough", 0));
    MUST(wr_chan_new(&p->items, &(struct wr_chan_conf){
        .name = "pipeline.items", .item_size = sizeof(struct item), .cap = ITEMS_CAP,
        .policy = WR_WAIT, .drop = lose }));
    MUST(wr_chan_new(&p->results, &(struct wr_chan_conf){
        .name = "pipeline.results", .item_size = sizeof(struct item), .cap = RESULTS_CAP,
        .policy = WR_WAIT, .drop = lose }));
    struct wr_scope *collector = scope_named("collector"), *workers = scope_named("workers"),
                    *producers = scope_named("producers");
    MUST(wr_scope_go(collector, "pipeline.collector", collect, p));
    for (int i = 0; i < WORKERS; i++)
        MUST(wr_scope_go(workers, "pipeline.keeper", keep_working, p));
    for (int i = 0; i < PRODUCERS; i++)
        MUST(wr_scope_go(producers, "pipeline.producer", produce, p));

    MUST(wr_once_wait(p->enough, NULL, WR_NEVER));
    if (wr_sim_fault("abort", 3)) {
        wr_scope_cancel(workers);
        wr_scope_cancel(collector);
    }
    (void)!wr_scope_close(producers);
    wr_chan_close(p->items);
    (void)!wr_scope_join(workers, WR_NEVER);
    (void)!wr_scope_close(workers);
    wr_chan_close(p->results);
    (void)!wr_scope_join(collector, WR_NEVER);
    (void)!wr_scope_close(collector);
    wr_chan_free(p->results);
    wr_chan_free(p->items);
    p->items = p->results = NULL;
    wr_once_free(p->enough);
    check_ledger(p);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct pipeline *p = arg;
    int inside = p->accepted - p->collected - p->lost;
    if (inside > ITEMS_CAP + RESULTS_CAP + WORKERS + 1)
        return "more items are inside than there is room for";
    if (p->items && wr_chan_stat(p->items).len > ITEMS_CAP)
        return "a channel holds more than its capacity";
    return NULL;
}

static uint64_t state(void *arg)
{
    const struct pipeline *p = arg;
    uint64_t state = state_mix(0, (uint64_t)(p->accepted - p->collected - p->lost));
    state = state_mix(state, p->items ? wr_chan_stat(p->items).len : 99);
    state = state_mix(state, p->results ? wr_chan_stat(p->results).len : 99);
    return state_mix(state, (uint64_t)p->made);
}

const struct scenario wr_scenario_pipeline = {
    .name = "pipeline",
    .what = "producers, bounded channel, crashing workers, drain or abort: each item ends once",
    .size = sizeof(struct pipeline), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_SLOW | WR_SIM_LATE | WR_SIM_CRASH, .crash = "pipeline.worker",
};
