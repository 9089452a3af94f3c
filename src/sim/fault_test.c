#include <weir/sim.h>

#include <signal.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/scope.h>
#include <weir/signal.h>
#include <weir/time.h>

#include "testing/test.h"

static wr_err simulate(struct wr_sim_result *ret, unsigned faults, wr_task_fn fn, void *arg)
{
    return wr_sim_run(ret, &(struct wr_sim_conf){
        .name = "fault", .seed = 1, .seeds = 20, .faults = faults, .crash = "may crash",
        .signals = (const int[]){ SIGHUP, 0 } }, fn, arg);
}

/* ---- time ---- */

struct times { wr_time late, slow; int64_t wall_back, wall_ahead; };

static wr_err watch_clocks(void *arg)
{
    struct times *times = arg;
    for (int i = 0; i < 100; i++) {
        wr_time deadline = wr_after(WR_MS(10));
        CHECK_OK(wr_sleep(deadline));
        wr_time before = wr_now();
        times->late += before - deadline;
        CHECK(before >= deadline);
        int64_t wall = wr_wall().ns - before;
        for (int j = 0; j < 3; j++)
            CHECK_OK(wr_yield());
        wr_time passed = wr_now() - before;
        CHECK(passed >= 0);
        times->slow += passed;
        int64_t jumped = wr_wall().ns - wr_now() - wall;
        *(jumped < 0 ? &times->wall_back : &times->wall_ahead) += jumped;
    }
    return WR_OK;
}

TEST_PLAIN(without_faults_clocks_are_exact)
{
    struct times times = { 0 };
    struct wr_sim_result result;
    CHECK_OK(simulate(&result, 0, watch_clocks, &times));
    CHECK_EQ(0, result.faults);
    CHECK(times.late == 0 && times.slow == 0 && times.wall_back == 0 && times.wall_ahead == 0);
}

TEST_PLAIN(late_timers_are_late_and_nothing_else)
{
    struct times times = { 0 };
    struct wr_sim_result result;
    CHECK_OK(simulate(&result, WR_SIM_LATE, watch_clocks, &times));
    CHECK(result.faults > 0 && times.late > 0);
    CHECK(times.slow == 0 && times.wall_back == 0 && times.wall_ahead == 0);
}

TEST_PLAIN(slowness_lets_time_pass_while_tasks_could_run)
{
    struct times times = { 0 };
    struct wr_sim_result result;
    CHECK_OK(simulate(&result, WR_SIM_SLOW, watch_clocks, &times));
    CHECK(result.faults > 0 && times.slow > 0);
    CHECK(times.wall_back == 0 && times.wall_ahead == 0);
}

TEST_PLAIN(the_wall_clock_jumps_both_ways_and_takes_no_deadline_along)
{
    struct times times = { 0 };
    struct wr_sim_result result;
    CHECK_OK(simulate(&result, WR_SIM_WALL, watch_clocks, &times));
    CHECK(result.faults > 0 && times.wall_back < 0 && times.wall_ahead > 0);
    CHECK(times.late == 0 && times.slow == 0);
}

/* ---- crashes ---- */

struct crashes { int panicked, ended, cleaned; };

static void clean(void *arg)
{
    ((struct crashes *)arg)->cleaned++;
}

static wr_err may_crash(void *arg)
{
    struct crashes *crashes = arg;
    struct wr_cleanup cleanup = { .fn = clean, .arg = crashes };
    wr_cleanup_push(&cleanup);
    for (int i = 0; i < 10; i++)
        wr_sim_point("work");
    wr_cleanup_pop(&cleanup);
    crashes->ended++;
    return WR_OK;
}

static wr_err crash_often(void *arg)
{
    struct crashes *crashes = arg;
    for (int i = 0; i < 20; i++) {
        struct wr_scope *scope;
        REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "crash",
                                                                 .deadline = WR_NEVER }),
                   WR_NOMEM);
        CHECK_OK(i % 2 ? wr_scope_go(scope, "may crash", may_crash, crashes)
                       : wr_scope_go(scope, "may not crash", may_crash, crashes));
        wr_err err = wr_scope_join(scope, WR_NEVER);
        CHECK(err == WR_OK || (err == WR_PANIC && i % 2));
        crashes->panicked += err == WR_PANIC;
        (void)!wr_scope_close(scope);
    }
    return WR_OK;
}

TEST_PLAIN(only_tasks_that_may_are_made_to_panic_and_their_cleanups_run)
{
    struct crashes crashes = { 0 };
    struct wr_sim_result result;
    CHECK_OK(simulate(&result, WR_SIM_CRASH, crash_often, &crashes));
    CHECK(crashes.panicked > 0);
    CHECK_EQ(result.faults, crashes.panicked);
    CHECK_EQ(crashes.panicked, crashes.cleaned);
    CHECK_EQ(20 * 20, crashes.ended + crashes.panicked);
}

/* ---- signals ---- */

static wr_err count_signals(void *arg)
{
    int *received = arg;
    static const int wanted[] = { SIGHUP };
    struct wr_signal *signals;
    REQUIRE_OK(wr_signal_open(&signals, wanted, 1), WR_OK);
    for (int i = 0; i < 100; i++) {
        int number;
        wr_err err = wr_chan_recv(wr_signal_chan(signals), &number, wr_after(WR_MS(1)));
        CHECK(err == WR_TIMEOUT || (err == WR_OK && number == SIGHUP));
        *received += err == WR_OK;
    }
    wr_signal_close(signals);
    return WR_OK;
}

TEST_PLAIN(signals_arrive_from_nowhere)
{
    int received = 0;
    struct wr_sim_result result;
    CHECK_OK(simulate(&result, WR_SIM_SIGNAL, count_signals, &received));
    CHECK(received > 0);
    CHECK(result.faults >= (uint64_t)received);
}

/* ---- the program's own ---- */

static wr_err have_own_faults(void *arg)
{
    int *fired = arg;
    for (int i = 0; i < 100; i++)
        *fired += wr_sim_fault("a wheel falls off", 10);
    return WR_OK;
}

TEST_PLAIN(faults_of_the_programs_own_are_drawn_and_counted)
{
    int fired = 0;
    struct wr_sim_result result;
    CHECK_OK(simulate(&result, 0, have_own_faults, &fired));
    CHECK_EQ(result.faults, fired);
    CHECK(fired > 100 && fired < 300);
}

static wr_err crash_sometimes(void *arg)
{
    int *survived = arg;
    wr_sim_crash("a wheel falls off", 4);
    ++*survived;
    return WR_OK;
}

static wr_err start_crashing(void *arg)
{
    struct wr_scope *scope;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "test.crash", .deadline = WR_NEVER, .independent = true }));
    for (int i = 0; i < 20; i++)
        CHECK_OK(wr_scope_go(scope, "test.crash", crash_sometimes, arg));
    (void)!wr_scope_join(scope, WR_NEVER);
    (void)!wr_scope_close(scope);
    return WR_OK;
}

TEST_PLAIN(a_crash_of_the_programs_own_is_a_fault_and_no_failure)
{
    int survived = 0;
    struct wr_sim_result result;
    CHECK_OK(simulate(&result, 0, start_crashing, &survived));
    CHECK(result.faults > 0);
    CHECK_EQ(20 * result.runs, (uint64_t)survived + result.faults);
}

TEST(outside_a_simulation_nothing_goes_wrong)
{
    for (int i = 0; i < 100; i++)
        CHECK(!wr_sim_fault("never", 1));
    wr_sim_crash("never", 1);
    wr_sim_point("does nothing");
    wr_sim_note("goes nowhere");
    CHECK(wr_sim_alive());
}
