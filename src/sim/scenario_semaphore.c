/* scenario_semaphore.c - many who want little, one who wants all.
 *
 * Never more units are taken than there are, and none is lost when a waiter
 * gives up or is canceled.  Who asked later does not get them sooner: the one
 * who wants all of them is not overtaken, and when one in front gives up, who
 * stands behind it and fits is served at once.
 */
#include <weir/once.h>
#include <weir/select.h>
#include <weir/sem.h>

#include "sim/scenario.h"

#define UNITS 3
#define SMALL 4
#define LARGE_ROUNDS 4
#define QUEUE_ROUNDS 6

struct semaphore {
    struct wr_sem *sem;
    struct wr_gate *gate;
    size_t held;
    int inside;                     /* of the gate */
    bool large_waits, large_done;
    wr_time large_since;
    uint64_t granted, given_up;
};

static void hold(struct semaphore *s, size_t units)
{
    s->held += units;
    s->granted++;
    WR_ASSERT(s->held <= UNITS);
    wr_sim_point("hold");
    if (wr_sim_below(3) == 0)
        (void)!wr_sleep(some_time(WR_MS(2)));
    s->held -= units;
    wr_sem_release_many(s->sem, units);
}

static void pass_gate(struct semaphore *s)
{
    if (wr_gate_enter(s->gate, some_time(WR_MS(2))) != WR_OK)
        return;
    WR_ASSERT(s->inside++ == 0);
    wr_sim_point("inside");
    s->inside--;
    wr_gate_leave(s->gate);
}

/* The clock moves only when nobody can run.  So a request that began at an
 * earlier moment than ours was in line before us. */
static wr_err take_some(struct semaphore *s, size_t units)
{
    wr_time since = wr_now();
    wr_time deadline = wr_sim_below(2) ? WR_NEVER : some_time(WR_MS(2));
    wr_err err = wr_sim_below(6) ? wr_sem_acquire_many(s->sem, units, deadline)
                                 : wr_sem_try_acquire_many(s->sem, units);
    WR_ASSERT(err || !s->large_waits || s->large_since >= since);
    return err;
}

static wr_err take_little(void *arg)
{
    struct semaphore *s = arg;
    while (!s->large_done) {
        size_t units = 1 + wr_sim_below(2);
        wr_err err = take_some(s, units);
        if (err)
            s->given_up++;
        else
            hold(s, units);
        if (wr_sim_below(4) == 0)
            pass_gate(s);
        if (err == WR_CANCELED || wr_sleep(wr_after(WR_US(10))))
            return WR_CANCELED;
    }
    return WR_OK;
}

/* Canceled while it waits in line, and started again. */
static wr_err keep_taking(void *arg)
{
    struct semaphore *s = arg;
    while (!s->large_done) {
        struct wr_scope *scope = scope_named("small");
        MUST(wr_scope_go(scope, "semaphore.small", take_little, s));
        wr_err err = wr_scope_join(scope, some_time(WR_MS(10)));
        if (err == WR_TIMEOUT && !wr_sim_fault("cancel", 3))
            (void)!wr_scope_join(scope, WR_NEVER);
        (void)!wr_scope_close(scope);
    }
    return WR_OK;
}

static wr_err take_all(void *arg)
{
    struct semaphore *s = arg;
    for (int i = 0; i < LARGE_ROUNDS; i++) {
        MUST(wr_sleep(some_time(WR_MS(3))));
        s->large_since = wr_now();
        s->large_waits = true;
        MUST(wr_sem_acquire_many(s->sem, UNITS, WR_NEVER));
        s->large_waits = false;
        WR_ASSERT(s->held == 0);
        hold(s, UNITS);
    }
    s->large_done = true;
    return WR_OK;
}

/* ---- one unit is free, and the first in line wants two ---- */

static wr_err give_up(void *arg)
{
    struct wr_sem *sem = arg;
    wr_time deadline = some_time(WR_MS(2));
    if (wr_sim_below(2))
        return wr_sem_acquire_many(sem, 2, deadline) == WR_CANCELED ? WR_CANCELED : WR_OK;
    struct wr_case cases[] = { WR_CASE_SEM(sem, 2) };
    size_t which;
    wr_err err = wr_select(&which, cases, 1, deadline);
    WR_ASSERT(err);
    return err == WR_CANCELED ? err : WR_OK;
}

static wr_err take_one(void *arg)
{
    MUST(wr_sem_acquire(arg, WR_NEVER));
    return WR_OK;
}

/* Whoever wants one gets it, although nothing is ever given back. */
static void queue_behind(void)
{
    struct wr_sem *sem;
    MUST(wr_sem_new(&sem, "semaphore.queue", UNITS));
    MUST(wr_sem_acquire_many(sem, UNITS - 1, WR_NOW));
    struct wr_scope *others = scope_named("others"), *first = scope_named("first");
    MUST(wr_scope_go(first, "semaphore.gives-up", give_up, sem));
    MUST(wr_scope_go(others, "semaphore.behind", take_one, sem));
    if (wr_sim_fault("cancel", 2))
        wr_scope_cancel(first);
    MUST(wr_scope_join(others, WR_NEVER));
    (void)!wr_scope_join(first, WR_NEVER);
    MUST(wr_scope_close(first));
    MUST(wr_scope_close(others));
    WR_ASSERT(wr_sem_stat(sem).taken == UNITS);
    wr_sem_release_many(sem, UNITS);
    wr_sem_free(sem);
}

static wr_err run(void *arg)
{
    struct semaphore *s = arg;
    MUST(wr_sem_new(&s->sem, "semaphore.units", UNITS));
    MUST(wr_gate_new(&s->gate, "semaphore.gate"));
    struct wr_scope *scope = scope_named("semaphore");
    for (int i = 0; i < SMALL; i++)
        MUST(wr_scope_go(scope, "semaphore.keeper", keep_taking, s));
    MUST(wr_scope_go(scope, "semaphore.large", take_all, s));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    WR_ASSERT(wr_sem_stat(s->sem).taken == 0 && s->held == 0);
    wr_sem_free(s->sem);
    s->sem = NULL;
    wr_gate_free(s->gate);
    for (int i = 0; i < QUEUE_ROUNDS; i++)
        queue_behind();
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct semaphore *s = arg;
    if (s->sem && wr_sem_stat(s->sem).taken > UNITS)
        return "more units are taken than there are";
    if (s->sem && wr_sem_stat(s->sem).taken < s->held)
        return "units in use are not counted as taken";
    return NULL;
}

static uint64_t state(void *arg)
{
    const struct semaphore *s = arg;
    uint64_t state = state_mix(0, s->sem ? wr_sem_stat(s->sem).taken : 9);
    state = state_mix(state, s->held);
    state = state_mix(state, s->large_waits);
    return state_mix(state, s->granted % 64);
}

const struct scenario wr_scenario_semaphore = {
    .name = "semaphore",
    .what = "many small requests and a large one: no unit too many, none lost, none overtakes",
    .size = sizeof(struct semaphore), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_LATE | WR_SIM_WALL,    /* not slow: see take_some */
};
