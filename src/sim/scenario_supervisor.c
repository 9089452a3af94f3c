/* scenario_supervisor.c - children that crash, fail, dawdle and do not listen.
 *
 * A supervisor with three groups is stopped at some moment, and perhaps once
 * more.  A child never runs twice at a time and is not started again before
 * its pause is over; a group is told to finish, or is aborted, only when all
 * groups above it are gone; when the supervisor has returned nothing runs.
 */
#include <weir/select.h>
#include <weir/sup.h>

#include "sim/scenario.h"

#define CHILDREN 5
#define PAUSE_MIN WR_MS(100)

struct seat { struct supervised *all; size_t index; };

struct supervised {
    struct wr_sup *sup;
    struct wr_child children[CHILDREN];
    struct seat seats[CHILDREN];
    int running[CHILDREN];
    uint64_t starts[CHILDREN];
    wr_time ended[CHILDREN];
    bool stopped;
};

static void note_end(void *arg)
{
    struct seat *seat = arg;
    seat->all->running[seat->index]--;
    seat->all->ended[seat->index] = wr_now();
}

static void check_groups_above_are_gone(const struct seat *seat)
{
    const struct supervised *all = seat->all;
    for (size_t i = 0; i < CHILDREN; i++)
        WR_ASSERT(all->children[i].group <= all->children[seat->index].group
                  || all->running[i] == 0);
}

/* Told to finish: at once, after a while, or never by itself. */
static wr_err finish(void)
{
    switch (wr_sim_below(4)) {
    case 0: return wr_sleep(some_time(WR_MS(800)));
    case 1: return wr_sim_fault("does not listen", 2) ? wr_sleep(WR_NEVER) : WR_OK;
    default: return WR_OK;
    }
}

static wr_err live(struct seat *seat, struct wr_once *drain)
{
    for (;;) {
        struct wr_case cases[] = { WR_CASE_ONCE(drain, NULL) };
        size_t which;
        wr_err err = wr_select(&which, cases, 1, some_time(WR_MS(40)));
        if (err == WR_CANCELED) {
            check_groups_above_are_gone(seat);
            return err;
        }
        if (!err) {
            check_groups_above_are_gone(seat);
            return finish();
        }
        if (wr_sim_fault("fail", 30))
            return WR_IO;
        if (seat->index == 3 && wr_sim_below(10) == 0)
            return WR_OK;           /* done: not to be started again */
    }
}

static wr_err be_child(void *arg, struct wr_once *drain)
{
    struct seat *seat = arg;
    struct supervised *all = seat->all;
    size_t self = seat->index;
    WR_ASSERT(!all->stopped);
    WR_ASSERT(all->running[self]++ == 0);
    WR_ASSERT(all->starts[self]++ == 0 || wr_now() >= all->ended[self] + PAUSE_MIN);
    struct wr_cleanup cleanup = { .fn = note_end, .arg = seat };
    wr_cleanup_push(&cleanup);
    wr_err err = live(seat, drain);
    wr_cleanup_pop(&cleanup);
    note_end(seat);
    return err;
}

static wr_err stop_sometime(void *arg)
{
    struct supervised *all = arg;
    MUST(wr_sleep(wr_after(WR_MS(300)) + (wr_time)wr_sim_below(WR_S(4))));
    wr_sup_stop(all->sup);
    if (!wr_sim_fault("second stop", 3))
        return WR_OK;
    wr_err err = wr_sleep(some_time(WR_S(1)));
    if (!err)
        wr_sup_stop(all->sup);
    return err;
}

static void check_end(struct supervised *all, wr_err err)
{
    bool aborted = false;
    for (size_t i = 0; i < CHILDREN; i++) {
        struct wr_child_stat stat = wr_sup_stat(all->sup, i);
        aborted |= stat.aborted;
        WR_ASSERT(all->running[i] == 0);
        WR_ASSERT(all->starts[i] <= stat.restarts + 1);
        WR_ASSERT(stat.state == WR_CHILD_STOPPED || stat.state == WR_CHILD_DOWN
                  || stat.state == WR_CHILD_NEW);
        WR_ASSERT(!stat.degraded || stat.restarts > 5);
    }
    WR_ASSERT(err == (aborted ? WR_TIMEOUT : WR_OK));
    enum wr_phase phase;
    (void)wr_watch_get(wr_sup_phase(all->sup), &phase);
    WR_ASSERT(phase == WR_PHASE_STOPPED);
}

static wr_err run(void *arg)
{
    static const struct wr_child table[CHILDREN] = {
        { .name = "supervised.metrics", .restart = WR_RESTART_ALWAYS, .group = 0 },
        { .name = "supervised.worker", .restart = WR_RESTART_ALWAYS, .group = 1 },
        { .name = "supervised.worker", .restart = WR_RESTART_ALWAYS, .group = 1,
          .stop_within = WR_MS(500) },
        { .name = "supervised.once", .restart = WR_RESTART_ON_ERROR, .group = 1 },
        { .name = "supervised.ingress", .restart = WR_RESTART_ALWAYS, .group = 2,
          .stop_within = WR_S(1) },
    };
    struct supervised *all = arg;
    for (size_t i = 0; i < CHILDREN; i++) {
        all->seats[i] = (struct seat){ all, i };
        all->children[i] = table[i];
        all->children[i].run = be_child;
        all->children[i].arg = &all->seats[i];
    }
    MUST(wr_sup_new(&all->sup, &(struct wr_sup_conf){
        .name = "supervised", .children = all->children, .count = CHILDREN, .quiet = true }));
    struct wr_scope *scope = scope_named("supervisor");
    MUST(wr_scope_go(scope, "supervisor.stopper", stop_sometime, all));
    wr_err err = wr_sup_run(all->sup);
    all->stopped = true;
    check_end(all, err);
    (void)!wr_scope_close(scope);
    wr_sup_free(all->sup);
    all->sup = NULL;
    return WR_OK;
}

static uint64_t state(void *arg)
{
    const struct supervised *all = arg;
    uint64_t state = 0;
    for (size_t i = 0; i < CHILDREN && all->sup; i++) {
        struct wr_child_stat stat = wr_sup_stat(all->sup, i);
        state = state_mix(state, stat.state * 2 + stat.degraded);
        state = state_mix(state, stat.restarts);
    }
    return state;
}

const struct scenario wr_scenario_supervisor = {
    .name = "supervisor",
    .what = "children crash, fail, do not listen: restarts with pauses, a drain in order",
    .size = sizeof(struct supervised), .run = run, .state = state,
    .faults = WR_SIM_SLOW | WR_SIM_LATE | WR_SIM_WALL | WR_SIM_CRASH, .crash = "supervised.",
};
