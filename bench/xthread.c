/* A handoff that must cross workers: two fibers on two workers, capacity-one
 * channels between them; ns per one-way handoff.  While one fiber runs, the
 * worker of the other has nothing to do and spins.
 * usage: xthread [round trips]
 *
 * A task is bound to a worker when it starts.  So the first fiber starts more
 * tasks than its own worker may keep for itself and holds that worker, without
 * waiting, until one of them has begun elsewhere: that one is the partner. */
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <weir/chan.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "measure.h"

#define CANDIDATES 64

struct court {
    uint64_t rounds;
    struct wr_chan *there, *back;
    pid_t home;                     /* the thread of the worker that serves */
    _Atomic pid_t away;             /* the thread of the partner's, 0 before it has begun */
};

static wr_err partner(void *arg)
{
    struct court *court = arg;
    pid_t none = 0;
    if (gettid() == court->home)
        return WR_OK;
    if (!atomic_compare_exchange_strong(&court->away, &none, gettid()))
        return WR_OK;

    uint64_t ball;
    while (wr_chan_recv(court->there, &ball, WR_NEVER) == WR_OK) {
        ball++;
        MUST(wr_chan_send(court->back, &ball, WR_NEVER));
    }
    WR_ASSERT(gettid() == atomic_load(&court->away));
    return WR_OK;
}

static void find_partner(struct court *court, struct wr_scope *scope)
{
    wr_time give_up = wr_after(WR_S(5));
    while (atomic_load(&court->away) == 0) {
        if (wr_now() > give_up)
            wr_panic("no task began on another worker");
        for (int i = 0; i < CANDIDATES; i++)
            MUST(wr_scope_go(scope, "bench.partner", partner, court));
        wr_time patience = wr_after(WR_MS(5));
        while (atomic_load(&court->away) == 0 && wr_now() < patience)
            ;
        if (atomic_load(&court->away) == 0)
            MUST(wr_yield());
    }
}

static void rally(struct court *court, uint64_t rounds)
{
    uint64_t ball = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        MUST(wr_chan_send(court->there, &ball, WR_NEVER));
        MUST(wr_chan_recv(court->back, &ball, WR_NEVER));
    }
    WR_ASSERT(ball == rounds);
}

static wr_err bench(void *arg)
{
    struct court *court = arg;
    MUST(wr_chan_new(&court->there,
                     &(struct wr_chan_conf){ .name = "bench.there",
                                             .item_size = sizeof(uint64_t),
                                             .cap = 1,
                                             .policy = WR_WAIT }));
    MUST(wr_chan_new(&court->back,
                     &(struct wr_chan_conf){ .name = "bench.back",
                                             .item_size = sizeof(uint64_t),
                                             .cap = 1,
                                             .policy = WR_WAIT }));
    struct wr_scope *scope;
    MUST(wr_scope_new(
        &scope, &(struct wr_scope_conf){ .name = "bench.xthread", .deadline = WR_NEVER }));
    court->home = gettid();
    find_partner(court, scope);

    rally(court, court->rounds / 10);
    wr_time start = wr_now();
    rally(court, court->rounds);
    wr_time took = wr_now() - start;
    WR_ASSERT(gettid() == court->home);

    wr_chan_close(court->there);
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    wr_chan_free(court->there);
    wr_chan_free(court->back);
    printf("weir_xthread_ns %.0f\n", (double)took / (double)(2 * court->rounds));
    return WR_OK;
}

int main(int argc, char **argv)
{
    struct court court = { .rounds = measure_arg(argc, argv, 1, 100000) };
    return wr_run(&(struct wr_run_conf){ .workers = 2 }, bench, &court) != WR_OK;
}
