/* scenario_timers.c - sleeping, ticking and timing out while clocks misbehave.
 *
 * Timers may be late and the wall clock may jump by years, ahead and back.
 * Nothing ends before its time, nothing that is due is forgotten, the clock of
 * deadlines never goes back, and the wall clock moves no deadline.
 */
#include <weir/select.h>

#include "sim/scenario.h"

#define SLEEPERS 4
#define SLEEPS 12
#define TICKERS 2
#define TICKS 15
#define HOLDERS 2
#define ROUNDS 8

struct timers {
    wr_time latest;                 /* the latest moment anybody has seen */
    int slept, ticked, timed_out;
};

/* Deadlines from now to a day ahead: every level of the wheel is used. */
static wr_time far_or_near(void)
{
    return wr_after((wr_time)wr_sim_below((uint64_t)1 << (10 + wr_sim_below(37))));
}

static wr_time look(struct timers *t)
{
    wr_time now = wr_now();
    WR_ASSERT(now >= t->latest);
    t->latest = now;
    return now;
}

static wr_err sleep_often(void *arg)
{
    struct timers *t = arg;
    for (int i = 0; i < SLEEPS; i++) {
        wr_time deadline = far_or_near();
        MUST(wr_sleep(deadline));
        WR_ASSERT(look(t) >= deadline);
        t->slept++;
    }
    return WR_OK;
}

/* A timer that is set anew while it runs counts from the new moment; one that
 * was cleared never ends a wait. */
static wr_err tick(void *arg)
{
    struct timers *t = arg;
    struct wr_timer timer = { 0 }, cleared = { 0 };
    for (int i = 0; i < TICKS; i++) {
        wr_time due = far_or_near();
        wr_timer_set(&cleared, wr_after(WR_US(1)));
        wr_timer_set(&timer, due);
        if (wr_sim_below(3) == 0) {
            wr_sim_point("before it is set anew");
            due = far_or_near();
            wr_timer_set(&timer, due);
        }
        wr_timer_clear(&cleared);
        struct wr_case cases[] = { WR_CASE_TIMER(&cleared), WR_CASE_TIMER(&timer) };
        size_t which;
        wr_time deadline = wr_sim_below(2) ? WR_NEVER : far_or_near();
        wr_err err = wr_select(&which, cases, 2, deadline);
        wr_time now = look(t);
        WR_ASSERT(!err ? which == 1 && now >= due : err == WR_TIMEOUT && now >= deadline);
        WR_ASSERT(wr_timer_due(&timer) == (now >= due));
        wr_timer_clear(&timer);
        WR_ASSERT(!wr_timer_due(&timer));
        t->ticked++;
    }
    return WR_OK;
}

/* A scope's deadline ends the waits in it, not before. */
static wr_err be_held(void *arg)
{
    struct timers *t = arg;
    for (int i = 0; i < ROUNDS; i++) {
        wr_time deadline = far_or_near(), until = far_or_near();
        struct wr_scope *scope;
        MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "held",
                                                           .deadline = deadline }));
        wr_scope_enter(scope);
        struct wr_wall before = wr_wall();
        wr_err err = wr_sleep(until);
        wr_time now = look(t);
        wr_sim_note("wall clock moved by %lld", (long long)(wr_wall().ns - before.ns));
        WR_ASSERT(err == WR_OK ? now >= until : err == WR_TIMEOUT && now >= deadline);
        wr_scope_leave(scope);
        MUST(wr_scope_close(scope));
        t->timed_out += err == WR_TIMEOUT;
    }
    return WR_OK;
}

static wr_err run(void *arg)
{
    struct timers *t = arg;
    struct wr_scope *scope = scope_named("timers");
    for (int i = 0; i < SLEEPERS; i++)
        MUST(wr_scope_go(scope, "timers.sleeper", sleep_often, t));
    for (int i = 0; i < TICKERS; i++)
        MUST(wr_scope_go(scope, "timers.ticker", tick, t));
    for (int i = 0; i < HOLDERS; i++)
        MUST(wr_scope_go(scope, "timers.held", be_held, t));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    WR_ASSERT(t->slept == SLEEPERS * SLEEPS && t->ticked == TICKERS * TICKS);
    return WR_OK;
}

static uint64_t state(void *arg)
{
    const struct timers *t = arg;
    uint64_t state = state_mix(0, (uint64_t)t->slept);
    state = state_mix(state, (uint64_t)t->ticked);
    return state_mix(state, (uint64_t)t->timed_out);
}

const struct scenario wr_scenario_timers = {
    .name = "timers",
    .what = "sleeps, ticks and deadlines under late timers and jumping clocks: never early",
    .size = sizeof(struct timers), .run = run, .state = state,
    .faults = WR_SIM_SLOW | WR_SIM_LATE | WR_SIM_WALL,
};
