/* scenario_signals.c - a program that is told to reload, to stop, and to stop now.
 *
 * Signals arrive at any moment, many at once.  Each is received, or was
 * swallowed by an equal one that was still waiting; the first SIGTERM drains,
 * the second aborts; phases only go forward; jobs that were taken in before
 * the drain are finished, unless it was aborted.  Then the program is started
 * again.
 */
#include <signal.h>

#include <weir/chan.h>
#include <weir/select.h>
#include <weir/signal.h>
#include <weir/sup.h>

#include "sim/scenario.h"

#define LIVES 4
#define JOBS 4000               /* more than it ever gets to */

struct signals {
    struct wr_signal *signals;
    struct wr_sup *sup;
    struct wr_chan *jobs;
    uint64_t reloads, stops, received;
    uint64_t taken_in, finished;
    struct wr_child children[2];
    enum wr_phase phase;
    int lives;
};

/* Takes jobs in until it is told to finish. */
static wr_err take_in(void *arg, struct wr_once *drain)
{
    struct signals *s = arg;
    for (uint64_t job = 0; job < JOBS; job++) {
        struct wr_case cases[] = { WR_CASE_ONCE(drain, NULL), WR_CASE_SEND(s->jobs, &job) };
        size_t which;
        wr_err err = wr_select(&which, cases, 2, WR_NEVER);
        if (err)
            return err;
        if (which == 0)
            break;
        s->taken_in++;
        err = wr_sleep(some_time(WR_MS(3)));
        if (err)
            return err;
    }
    return WR_OK;
}

/* Finishes jobs; when told to, those that are left, and no other: the group
 * above it is gone by then. */
static wr_err finish_jobs(void *arg, struct wr_once *drain)
{
    struct signals *s = arg;
    uint64_t job;
    struct wr_case cases[] = { WR_CASE_RECV(s->jobs, &job), WR_CASE_ONCE(drain, NULL) };
    size_t which;
    wr_err err;
    while (!(err = wr_select(&which, cases, 2, WR_NEVER)) && which == 0) {
        s->finished++;
        if (wr_sim_below(3) == 0 && wr_sleep(some_time(WR_MS(6))))
            return WR_CANCELED;
    }
    return err;
}

static wr_err obey(void *arg)
{
    struct signals *s = arg;
    int number;
    wr_err err;
    wr_time end = wr_after(WR_MS(200) + (wr_time)wr_sim_below(WR_MS(400)));
    while (!(err = wr_chan_recv(wr_signal_chan(s->signals), &number, end))) {
        WR_ASSERT(number == SIGHUP || number == SIGTERM);
        s->received++;
        s->reloads += number == SIGHUP;
        if (number == SIGTERM) {
            s->stops++;
            wr_sup_stop(s->sup);
        }
    }
    if (err == WR_TIMEOUT && s->stops == 0) {
        s->stops++;
        wr_sup_stop(s->sup);
    }
    return WR_OK;
}

static wr_err watch_phase(void *arg)
{
    struct signals *s = arg;
    struct wr_watch_reader reader = wr_watch_reader(wr_sup_phase(s->sup));
    enum wr_phase phase;
    while (!wr_watch_wait(&reader, &phase, WR_NEVER)) {
        WR_ASSERT(phase > s->phase);
        s->phase = phase;
    }
    return WR_OK;
}

static void check_end(struct signals *s, wr_err err)
{
    int number;
    while (wr_chan_recv(wr_signal_chan(s->signals), &number, WR_NOW) == WR_OK)
        s->received++;
    struct wr_signal_stat stat = wr_signal_stat(s->signals);
    WR_ASSERT(stat.caught == s->received + stat.coalesced);
    WR_ASSERT(err == WR_OK || err == WR_TIMEOUT);
    WR_ASSERT(s->phase == WR_PHASE_STOPPED);
    if (err == WR_OK)
        WR_ASSERT(s->finished == s->taken_in);
    WR_ASSERT(s->finished <= s->taken_in);
}

/* Signals are the process's: a run that fails must leave them to the next. */
static void close_signals(void *arg)
{
    wr_signal_close(((struct signals *)arg)->signals);
}

static void live(struct signals *s)
{
    static const int wanted[] = { SIGHUP, SIGTERM };
    s->children[0] = (struct wr_child){
        .name = "signals.finisher", .run = finish_jobs, .arg = s,
        .restart = WR_RESTART_ALWAYS, .group = 0 };
    s->children[1] = (struct wr_child){
        .name = "signals.ingress", .run = take_in, .arg = s,
        .restart = WR_RESTART_ON_ERROR, .group = 1 };
    MUST(wr_signal_open(&s->signals, wanted, 2));
    struct wr_cleanup cleanup = { .fn = close_signals, .arg = s };
    wr_cleanup_push(&cleanup);
    MUST(wr_chan_new(&s->jobs, &(struct wr_chan_conf){
        .name = "signals.jobs", .item_size = 8, .cap = 4, .policy = WR_WAIT }));
    MUST(wr_sup_new(&s->sup, &(struct wr_sup_conf){
        .name = "signals", .children = s->children, .count = 2, .quiet = true }));
    struct wr_scope *scope = scope_named("signals");
    MUST(wr_scope_go(scope, "signals.obey", obey, s));
    MUST(wr_scope_go(scope, "signals.phase", watch_phase, s));
    wr_err err = wr_sup_run(s->sup);
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    check_end(s, err);
    wr_sup_free(s->sup);
    wr_chan_free(s->jobs);
    s->jobs = NULL;
    wr_cleanup_pop(&cleanup);
    close_signals(s);
}

static wr_err run(void *arg)
{
    struct signals *s = arg;
    for (int i = 0; i < LIVES; i++) {
        *s = (struct signals){ .lives = i };
        live(s);
    }
    return WR_OK;
}

static uint64_t state(void *arg)
{
    const struct signals *s = arg;
    uint64_t state = state_mix(0, s->phase);
    state = state_mix(state, s->jobs ? wr_chan_stat(s->jobs).len : 9);
    state = state_mix(state, s->reloads);
    state = state_mix(state, (uint64_t)s->lives);
    return state_mix(state, s->stops);
}

/* Mostly reloads: a run should not be over before it has begun. */
static const int signals[] = { SIGHUP, SIGHUP, SIGHUP, SIGHUP, SIGHUP, SIGHUP, SIGHUP, SIGHUP,
                               SIGHUP, SIGHUP, SIGHUP, SIGTERM, 0 };

const struct scenario wr_scenario_signals = {
    .name = "signals",
    .what = "reload, stop and stop-now signals at any moment: none lost, work is finished",
    .size = sizeof(struct signals), .run = run, .state = state,
    .faults = WR_SIM_SLOW | WR_SIM_LATE | WR_SIM_SIGNAL, .signals = signals,
};
