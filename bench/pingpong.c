/* Two fibers bounce a message over two channels of capacity one; ns per one-way
 * handoff.  Then two fibers that only yield to one another.
 * usage: pingpong [workers] [round trips] */
#include <stdio.h>

#include <weir/chan.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "measure.h"

struct table {
    unsigned workers;
    uint64_t rounds;
    struct wr_chan *there, *back;
};

static wr_err echo(void *arg)
{
    struct table *table = arg;
    uint64_t ball;
    while (wr_chan_recv(table->there, &ball, WR_NEVER) == WR_OK) {
        ball++;
        MUST(wr_chan_send(table->back, &ball, WR_NEVER));
    }
    return WR_OK;
}

static wr_err ping(void *arg)
{
    struct table *table = arg;
    uint64_t ball = 0;
    for (uint64_t i = 0; i < table->rounds; i++) {
        MUST(wr_chan_send(table->there, &ball, WR_NEVER));
        MUST(wr_chan_recv(table->back, &ball, WR_NEVER));
    }
    WR_ASSERT(ball == table->rounds);
    wr_chan_close(table->there);
    return WR_OK;
}

static wr_err yield(void *arg)
{
    struct table *table = arg;
    for (uint64_t i = 0; i < table->rounds; i++)
        MUST(wr_yield());
    return WR_OK;
}

static void play(struct table *table, const char *name, wr_task_fn one, wr_task_fn other)
{
    struct wr_scope *scope;
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = name, .deadline = WR_NEVER }));
    int64_t start = measure_time(table->workers);
    MUST(wr_scope_go(scope, "bench.one", one, table));
    MUST(wr_scope_go(scope, "bench.other", other, table));
    MUST(wr_scope_join(scope, WR_NEVER));
    int64_t took = measure_time(table->workers) - start;
    MUST(wr_scope_close(scope));
    printf("weir_%s_t%u_ns %.1f\n", name, table->workers,
           (double)took / (double)(2 * table->rounds));
}

static wr_err bench(void *arg)
{
    struct table *table = arg;
    MUST(wr_chan_new(&table->there,
                     &(struct wr_chan_conf){ .name = "bench.there",
                                             .item_size = sizeof(uint64_t),
                                             .cap = 1,
                                             .policy = WR_WAIT }));
    MUST(wr_chan_new(&table->back,
                     &(struct wr_chan_conf){ .name = "bench.back",
                                             .item_size = sizeof(uint64_t),
                                             .cap = 1,
                                             .policy = WR_WAIT }));
    play(table, "pingpong", echo, ping);
    play(table, "yield", yield, yield);
    wr_chan_free(table->there);
    wr_chan_free(table->back);
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct table table = {
        .workers = (unsigned)measure_arg(argc, argv, 1, 1),
        .rounds = measure_arg(argc, argv, 2, 1000000),
    };
    return wr_run(&(struct wr_run_conf){ .workers = table.workers }, bench, &table) != WR_OK;
}
