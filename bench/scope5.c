/* A race of five fibers on one worker: four wait for an answer that does not
 * come, the fifth has one; the rest are canceled and all five are joined.  The
 * scope is made and closed each time; ns per race.
 * usage: scope5 [races] */
#include <stdio.h>

#include <weir/chan.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "measure.h"

#define RUNNERS 5

struct race {
    struct wr_chan *never;
    struct wr_scope *scope;
    uint64_t won;
};

static wr_err lose(void *arg)
{
    struct race *race = arg;
    uint64_t answer;
    wr_err err = wr_chan_recv(race->never, &answer, WR_NEVER);
    WR_ASSERT(err == WR_CANCELED);
    return WR_OK;
}

static wr_err win(void *arg)
{
    struct race *race = arg;
    MUST(wr_yield());               /* the others wait by now */
    race->won++;
    wr_scope_cancel(race->scope);
    return WR_OK;
}

static void races(struct race *race, uint64_t count)
{
    race->won = 0;
    for (uint64_t i = 0; i < count; i++) {
        MUST(wr_scope_new(
            &race->scope,
            &(struct wr_scope_conf){ .name = "bench.race", .deadline = WR_NEVER }));
        for (int j = 0; j < RUNNERS - 1; j++)
            MUST(wr_scope_go(race->scope, "bench.loser", lose, race));
        MUST(wr_scope_go(race->scope, "bench.winner", win, race));
        MUST(wr_scope_join(race->scope, WR_NEVER));
        MUST(wr_scope_close(race->scope));
    }
    WR_ASSERT(race->won == count);
}

static wr_err bench(void *arg)
{
    uint64_t count = *(const uint64_t *)arg;
    struct race race = { 0 };
    MUST(wr_chan_new(&race.never,
                     &(struct wr_chan_conf){ .name = "bench.never",
                                             .item_size = sizeof(uint64_t),
                                             .cap = 1,
                                             .policy = WR_WAIT }));
    races(&race, count / 10);
    int64_t start = measure_time(1);
    races(&race, count);
    int64_t took = measure_time(1) - start;
    wr_chan_free(race.never);
    printf("weir_scope5_ns %.0f\n", (double)took / (double)count);
    return WR_OK;
}

int main(int argc, char **argv)
{
    uint64_t count = measure_arg(argc, argv, 1, 100000);
    return wr_run(&(struct wr_run_conf){ .workers = 1 }, bench, &count) != WR_OK;
}
