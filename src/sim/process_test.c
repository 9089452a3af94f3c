#include <weir/sim.h>

#include <weir/chan.h>
#include <weir/scope.h>
#include <weir/time.h>

#include "testing/test.h"

/* A process that counts on its disk, and what it takes along when it dies. */
struct counter {
    int disk;
    int lives, kills, tasks;
    int wrote_when_dead, waited_when_dead;
};

static void leave(void *arg)
{
    ((struct counter *)arg)->tasks--;
}

static wr_err count_up(void *arg)
{
    struct counter *counter = arg;
    struct wr_cleanup cleanup = { .fn = leave, .arg = counter };
    counter->tasks++;
    wr_cleanup_push(&cleanup);
    while (counter->disk < 10) {
        int next = counter->disk + 1, before = counter->disk;
        if (!wr_sim_write(&counter->disk, &next, sizeof(next))) {
            counter->wrote_when_dead += counter->disk != before;
            counter->waited_when_dead += wr_sleep(wr_after(WR_MS(1))) == WR_OK;
            WR_ASSERT(wr_sim_alive());      /* the panic of a dead process is no failure */
        }
    }
    wr_cleanup_pop(&cleanup);
    leave(counter);
    return WR_OK;
}

/* Its own tasks die with it. */
static wr_err be_process(void *arg)
{
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "inner",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(scope, "process.task", count_up, arg);
    if (!err)
        err = wr_scope_join(scope, WR_NEVER);
    wr_err closed = wr_scope_close(scope);
    return err ? err : closed;
}

static wr_err live_and_die(void *arg)
{
    struct counter *counter = arg;
    *counter = (struct counter){ .kills = counter->kills };
    bool killed = true;
    while (killed) {
        counter->lives++;
        CHECK_OK(wr_sim_process(&killed, "counter", be_process, counter));
        CHECK_EQ(0, counter->tasks);
        counter->kills += killed;
    }
    CHECK_EQ(10, counter->disk);
    CHECK_EQ(0, counter->wrote_when_dead);
    CHECK_EQ(0, counter->waited_when_dead);
    return WR_OK;
}

TEST_PLAIN(a_killed_process_writes_nothing_more_and_leaves_no_task)
{
    struct counter counter = { 0 };
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "process", .seed = 1, .seeds = 50, .faults = WR_SIM_KILL }, live_and_die,
        &counter));
    CHECK(counter.kills > 20);
    CHECK_EQ(result.faults, counter.kills);
}

TEST_PLAIN(without_kills_a_process_is_only_a_task)
{
    struct counter counter = { 0 };
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){ .name = "process", .seeds = 5 },
                        live_and_die, &counter));
    CHECK_EQ(0, counter.kills);
}

static wr_err fail(void *arg)
{
    (void)arg;
    return WR_IO;
}

static wr_err panic(void *arg)
{
    (void)arg;
    wr_panic("the living are responsible");
}

static wr_err run_failing(void *arg)
{
    bool killed;
    CHECK_ERR(WR_IO, wr_sim_process(&killed, "failing", fail, arg));
    CHECK(!killed);
    return WR_OK;
}

static wr_err run_panicking(void *arg)
{
    bool killed;
    return wr_sim_process(&killed, "panicking", panic, arg);
}

TEST_PLAIN(the_error_of_a_process_is_returned)
{
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){ .name = "process" }, run_failing,
                        NULL));
}

TEST_PLAIN(the_panic_of_a_living_process_is_a_failure)
{
    struct wr_sim_result result;
    CHECK_ERR(WR_PANIC, wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "process", .quiet = true }, run_panicking, NULL));
    CHECK_EQ(WR_SIM_PANIC, result.failure);
}

TEST_PANICS(a_process_outside_a_simulation_is_refused, "process \"alone\" outside a simulation")
{
    bool killed;
    (void)!wr_sim_process(&killed, "alone", fail, NULL);
}
