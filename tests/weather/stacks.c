/* stacks.c - out of stacks: tasks that find no room for one wait until another task
 * has ended, and go on. */
#include <stdatomic.h>
#include <time.h>

#include <weir/once.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "rt/rt_int.h"
#include "shortage.h"
#include "testing/settle.h"
#include "testing/test.h"

enum { STACKS = 128 };          /* in the first stretch of address space */
enum { TASKS = 500 };

static wr_err run_on(unsigned workers, bool virtual_clock, wr_task_fn fn, void *arg)
{
    wr_err err = wr_run(&(struct wr_run_conf){ .workers = workers,
                                               .virtual_clock = virtual_clock }, fn, arg);
    shortage_end(OF_MAPPINGS);
    return err;
}

static wr_err sleep_a_little(void *arg)
{
    wr_err err = wr_sleep(wr_after(WR_MS(1)));
    atomic_fetch_add((atomic_int *)arg, 1);
    return err;
}

/* ---- they go on ---- */

static wr_err more_tasks_than_stacks(void *arg)
{
    struct wr_scope *scope = scope_open();
    shortage_begin(OF_MAPPINGS, 0, FOR_GOOD);
    for (int i = 0; i < TASKS; i++)
        CHECK_OK(wr_scope_go(scope, "weather.sleeper", sleep_a_little, arg));
    scope_done(scope);
    CHECK(wr_rt.stack_waits > 0 || !wr_rt.conf.virtual_clock);     /* some end early */
    return WR_OK;
}

TEST_PLAIN(more_tasks_than_stacks_all_get_their_turn)
{
    for (unsigned workers = 1; workers <= 4; workers++)
        for (int clock = 0; clock <= 1; clock++) {
            atomic_int ended = 0;
            CHECK_OK(run_on(workers, clock, more_tasks_than_stacks, &ended));
            CHECK_EQ(TASKS, ended);
        }
}

/* Two stacks are the runtime's: the rest sleeps in shifts. */
static wr_err sleep_in_shifts(void *arg)
{
    wr_time start = wr_now();
    CHECK_OK(more_tasks_than_stacks(arg));
    int shifts = (TASKS + STACKS - 3) / (STACKS - 2);
    CHECK_EQ(WR_MS(shifts), wr_now() - start);
    return WR_OK;
}

TEST_PLAIN(those_without_a_stack_wait_for_the_clock_like_everybody_else)
{
    atomic_int ended = 0;
    CHECK_OK(run_on(1, true, sleep_in_shifts, &ended));
    CHECK_EQ(TASKS, ended);
}

static wr_err panic_now(void *arg)
{
    (void)arg;
    CHECK_OK(wr_yield());
    wr_panic("and give the stack back");
}

static wr_err panic_for_room(void *arg)
{
    struct wr_scope *scope = scope_open(), *panics = scope_open();
    shortage_begin(OF_MAPPINGS, 0, FOR_GOOD);
    CHECK_OK(wr_scope_go(panics, "weather.panic", panic_now, NULL));
    for (int i = 0; i < TASKS; i++)
        CHECK_OK(wr_scope_go(scope, "weather.sleeper", sleep_a_little, arg));
    CHECK_ERR(WR_PANIC, wr_scope_join(panics, WR_NEVER));
    CHECK_ERR(WR_PANIC, wr_scope_close(panics));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(the_stack_of_a_task_that_panicked_is_free_for_the_next)
{
    atomic_int ended = 0;
    CHECK_OK(run_on(2, true, panic_for_room, &ended));
    CHECK_EQ(TASKS, ended);
}

/* ---- cancel and memory that comes back ---- */

struct stay { struct wr_once *end; atomic_int began; };

static wr_err stay_until_end(void *arg)
{
    struct stay *stay = arg;
    atomic_fetch_add(&stay->began, 1);
    return wr_once_wait(stay->end, NULL, WR_NEVER);
}

static wr_err cancel_those_without(void *arg)
{
    struct stay stay = { 0 };
    struct wr_scope *scope = scope_open();
    (void)arg;
    shortage_begin(OF_MAPPINGS, 0, FOR_GOOD);
    CHECK_OK(wr_once_new(&stay.end, "end", 0));
    for (int i = 0; i < TASKS; i++)
        CHECK_OK(wr_scope_go(scope, "weather.stay", stay_until_end, &stay));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    CHECK_EQ(STACKS - 2, stay.began);       /* the others wait for a stack */
    CHECK_EQ(TASKS, wr_scope_live(scope));
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_EQ(TASKS, stay.began);            /* what was accepted runs, canceled or not */
    wr_once_free(stay.end);
    return WR_OK;
}

TEST_PLAIN(a_cancel_reaches_tasks_that_wait_for_a_stack)
{
    for (unsigned workers = 1; workers <= 4; workers++)
        CHECK_OK(run_on(workers, true, cancel_those_without, NULL));
}

static wr_err memory_comes_back(void *arg)
{
    struct stay stay = { 0 };
    struct wr_scope *scope = scope_open();
    (void)arg;
    shortage_begin(OF_MAPPINGS, 0, FOR_GOOD);
    CHECK_OK(wr_once_new(&stay.end, "end", 0));
    for (int i = 0; i < TASKS; i++)
        CHECK_OK(wr_scope_go(scope, "weather.stay", stay_until_end, &stay));
    while (wr_rt.stack_waits == 0)
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    CHECK(stay.began < TASKS);
    shortage_end(OF_MAPPINGS);
    while (stay.began < TASKS)              /* nobody ends: it is the memory that is back */
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    CHECK_OK(wr_once_set(stay.end, NULL));
    scope_done(scope);
    wr_once_free(stay.end);
    return WR_OK;
}

TEST_PLAIN(when_there_is_memory_again_those_who_wait_for_it_start)
{
    CHECK_OK(run_on(1, false, memory_comes_back, NULL));
    CHECK_OK(run_on(2, false, memory_comes_back, NULL));
    CHECK_OK(run_on(2, true, memory_comes_back, NULL));
}

/* ---- what it costs, and what is said ---- */

static wr_time used(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return WR_S(ts.tv_sec) + ts.tv_nsec;
}

static wr_err wait_without_stacks(void *arg)
{
    struct stay stay = { 0 };
    struct wr_scope *scope = scope_open();
    shortage_begin(OF_MAPPINGS, 0, FOR_GOOD);
    CHECK_OK(wr_once_new(&stay.end, "end", 0));
    for (int i = 0; i < TASKS; i++)
        CHECK_OK(wr_scope_go(scope, "weather.stay", stay_until_end, &stay));
    CHECK_OK(wr_sleep(wr_after(WR_MS(50))));
    wr_time before = used();
    CHECK_OK(wr_sleep(wr_after(WR_MS(300))));
    *(wr_time *)arg = used() - before;
    CHECK_OK(wr_once_set(stay.end, NULL));
    scope_done(scope);
    wr_once_free(stay.end);
    return WR_OK;
}

TEST_PLAIN(waiting_for_a_stack_is_not_spinning)
{
    wr_time spent = 0;
    CHECK_OK(run_on(2, false, wait_without_stacks, &spent));
    CHECK(spent < WR_MS(60));
}

TEST_DIES_PLAIN(it_is_said_once_that_tasks_wait_for_a_stack,
                "weir: no memory for another stack; tasks that have not started wait until "
                "others have ended\nweir: panic")
{
    atomic_int ended = 0;
    (void)!run_on(1, true, more_tasks_than_stacks, &ended);
    wr_panic("as claimed");
}

static wr_err never_end(void *arg)
{
    struct stay stay = { 0 };
    struct wr_scope *scope = scope_open();
    (void)arg;
    shortage_begin(OF_MAPPINGS, 0, FOR_GOOD);
    CHECK_OK(wr_once_new(&stay.end, "end", 0));
    for (int i = 0; i < TASKS; i++)
        CHECK_OK(wr_scope_go(scope, "weather.stay", stay_until_end, &stay));
    return wr_scope_join(scope, WR_NEVER);
}

TEST_DIES_PLAIN(a_standstill_in_which_tasks_wait_for_a_stack_says_so,
                "deadlock: every task waits, and nothing can wake one.*"
                "374 tasks wait for memory for a stack")
{
    (void)!run_on(1, true, never_end, NULL);
}
