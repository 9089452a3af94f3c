/* scenario_select.c - waits for the first of several things.
 *
 * Tasks select over two channels to receive from, one to send to, a semaphore,
 * a timer and an event, with deadlines and cancels.  Of all cases exactly one
 * takes effect: values are taken once, units are given back once, and a case
 * that lost left nothing behind.
 */
#include <weir/select.h>

#include "sim/scenario.h"

#define FEEDERS 2
#define VALUES_EACH 40
#define SELECTORS 3
#define UNITS 2

struct select {
    struct wr_chan *in[FEEDERS], *out;
    struct wr_sem *sem;
    struct wr_once *stop;
    uint8_t taken[FEEDERS][VALUES_EACH];
    bool fed[FEEDERS][VALUES_EACH];
    int feeders;
    int units_held;
    uint64_t out_sent, out_received, selects, timers;
};

static wr_err feed(void *arg)
{
    struct select *s = arg;
    int feeder = s->feeders++;
    for (int i = 0; i < VALUES_EACH; i++) {
        wr_err err = wr_chan_send(s->in[feeder], &i, some_time(WR_MS(5)));
        if (err == WR_CANCELED)
            return err;
        s->fed[feeder][i] = !err;
        if (wr_sim_below(3) == 0 && wr_sleep(some_time(WR_MS(2))))
            return WR_CANCELED;
    }
    wr_chan_close(s->in[feeder]);
    return WR_OK;
}

static wr_err empty_out(void *arg)
{
    struct select *s = arg;
    uint64_t value;
    wr_err err;
    while (!(err = wr_chan_recv(s->out, &value, WR_NEVER))) {
        s->out_received++;
        if (wr_sim_below(2) && wr_sleep(some_time(WR_MS(3))))
            return WR_CANCELED;
    }
    return err == WR_CLOSED ? WR_OK : err;
}

enum { STOP, IN_0, IN_1, OUT, UNIT, TIMER, KINDS };

static void act(struct select *s, int kind, wr_err err, const int *got)
{
    switch (kind) {
    case IN_0:
    case IN_1:
        WR_ASSERT(!err || err == WR_CLOSED);
        WR_ASSERT(err || s->taken[kind - IN_0][*got]++ == 0);
        break;
    case OUT:
        WR_ASSERT(!err);
        s->out_sent++;
        break;
    case UNIT:
        s->units_held++;
        WR_ASSERT(!err && s->units_held <= UNITS);
        wr_sim_point("inside");
        s->units_held--;
        wr_sem_release(s->sem);
        break;
    case TIMER: s->timers++; break;
    }
}

/* One select over some of the cases: what happened, or KINDS. */
static int select_once(struct select *s, wr_err *ret)
{
    int got = -1, kinds[KINDS];
    uint64_t value = s->selects++;
    wr_time due = some_time(WR_MS(4));
    struct wr_timer timer = { 0 };
    struct wr_case cases[] = {
        WR_CASE_ONCE(s->stop, NULL),
        WR_CASE_RECV(s->in[0], &got), WR_CASE_RECV(s->in[1], &got),
        WR_CASE_SEND(s->out, &value), WR_CASE_SEM(s->sem, 1), WR_CASE_TIMER(&timer),
    };
    size_t count = 0, which;
    for (int kind = STOP; kind < KINDS; kind++)
        if (kind == STOP || wr_sim_below(2)) {
            cases[count] = cases[kind];
            kinds[count++] = kind;
        }
    wr_timer_set(&timer, due);
    *ret = wr_select(&which, cases, count, wr_sim_below(4) ? some_time(WR_MS(6)) : WR_NOW);
    wr_timer_clear(&timer);
    if (*ret)
        return KINDS;
    WR_ASSERT(which < count);
    WR_ASSERT(kinds[which] != TIMER || wr_now() >= due);
    act(s, kinds[which], cases[which].err, &got);
    return kinds[which];
}

static wr_err keep_selecting(void *arg)
{
    struct select *s = arg;
    wr_err err = WR_OK;
    while (err != WR_CANCELED && select_once(s, &err) != STOP)
        if (!err)
            err = wr_sleep(wr_after(WR_US(50)));
    return err == WR_CANCELED ? err : WR_OK;
}

/* Selectors are canceled in the middle of a select and replaced. */
static wr_err replace(void *arg)
{
    struct select *s = arg;
    wr_err err = WR_TIMEOUT;
    while (err == WR_TIMEOUT && !wr_once_done(s->stop)) {
        struct wr_scope *scope = scope_named("selector");
        MUST(wr_scope_go(scope, "select.selector", keep_selecting, s));
        err = wr_scope_join(scope, wr_after(WR_MS(3) + (wr_time)wr_sim_below(WR_MS(20))));
        if (err == WR_TIMEOUT && !wr_sim_fault("cancel", 2))
            err = wr_scope_join(scope, WR_NEVER);
        (void)!wr_scope_close(scope);
    }
    return WR_OK;
}

static void check_ledger(struct select *s)
{
    for (int feeder = 0; feeder < FEEDERS; feeder++) {
        int left;
        while (wr_chan_recv(s->in[feeder], &left, WR_NOW) == WR_OK)
            WR_ASSERT(s->taken[feeder][left]++ == 0);
        for (int i = 0; i < VALUES_EACH; i++)
            WR_ASSERT(s->taken[feeder][i] == s->fed[feeder][i]);
        wr_chan_free(s->in[feeder]);
    }
    WR_ASSERT(s->out_sent == s->out_received);
    WR_ASSERT(wr_sem_stat(s->sem).taken == 0);
}

static wr_err run(void *arg)
{
    struct select *s = arg;
    for (int i = 0; i < FEEDERS; i++)
        MUST(wr_chan_new(&s->in[i], &(struct wr_chan_conf){
            .name = "select.in", .item_size = sizeof(int), .cap = 1 + wr_sim_below(2),
            .policy = WR_WAIT }));
    MUST(wr_chan_new(&s->out, &(struct wr_chan_conf){
        .name = "select.out", .item_size = sizeof(uint64_t), .cap = 1, .policy = WR_WAIT }));
    MUST(wr_sem_new(&s->sem, "select.units", UNITS));
    MUST(wr_once_new(&s->stop, "select.stop", 0));
    struct wr_scope *sink = scope_named("sink"), *selectors = scope_named("selectors"),
                    *feeders = scope_named("feeders");
    MUST(wr_scope_go(sink, "select.sink", empty_out, s));
    for (int i = 0; i < SELECTORS; i++)
        MUST(wr_scope_go(selectors, "select.replacer", replace, s));
    for (int i = 0; i < FEEDERS; i++)
        MUST(wr_scope_go(feeders, "select.feeder", feed, s));
    MUST(wr_scope_join(feeders, WR_NEVER));
    MUST(wr_scope_close(feeders));
    MUST(wr_once_set(s->stop, NULL));
    MUST(wr_scope_join(selectors, WR_NEVER));
    MUST(wr_scope_close(selectors));
    wr_chan_close(s->out);
    MUST(wr_scope_join(sink, WR_NEVER));
    MUST(wr_scope_close(sink));
    check_ledger(s);
    wr_chan_free(s->out);
    s->out = NULL;
    wr_sem_free(s->sem);
    wr_once_free(s->stop);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct select *s = arg;
    return s->units_held > UNITS ? "more units are held than there are" : NULL;
}

static uint64_t state(void *arg)
{
    const struct select *s = arg;
    uint64_t state = state_mix(0, (uint64_t)s->units_held);
    state = state_mix(state, s->out ? wr_chan_stat(s->out).len : 9);
    state = state_mix(state, s->out_sent);
    return state_mix(state, s->timers);
}

const struct scenario wr_scenario_select = {
    .name = "select",
    .what = "selects over channels, semaphore, timer and event: one case happens, no other",
    .size = sizeof(struct select), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_SLOW | WR_SIM_LATE | WR_SIM_WALL,
};
