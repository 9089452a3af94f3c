/* idle_test.c - workers with nothing to do: the virtual clock's jumps, waking up, and
 * staying quiet. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <weir/fd.h>
#include <weir/once.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "base/rand.h"
#include "base/world.h"
#include "rt/rt_int.h"
#include "testing/settle.h"
#include "testing/test.h"

#define PATIENCE WR_S(20)

static wr_time real_now(void)
{
    return wr_world_os.mono();
}

static wr_err run_on(unsigned workers, bool virtual_clock, wr_task_fn fn, void *arg)
{
    return wr_run(&(struct wr_run_conf){ .workers = workers, .virtual_clock = virtual_clock },
                  fn, arg);
}

/* ---- jumps ---- */

struct clockwork { _Atomic wr_time latest; atomic_int wakes; };
struct sleeper { struct clockwork *clockwork; uint64_t seed; };

/* Time never goes back, whoever looks, and every wake is at its exact moment. */
static wr_err sleep_at_random(void *arg)
{
    struct sleeper *sleeper = arg;
    struct wr_rand rand;
    wr_rand_seed(&rand, sleeper->seed);
    for (int i = 0; i < 50; i++) {
        wr_time deadline = wr_now() + 1 + (wr_time)wr_rand_below(&rand, WR_MS(10));
        CHECK_OK(wr_sleep(deadline));
        CHECK_EQ(deadline, wr_now());
        CHECK(atomic_exchange(&sleeper->clockwork->latest, deadline) <= deadline);
        sleeper->clockwork->wakes++;
    }
    return WR_OK;
}

static wr_err sleep_in_many(void *arg)
{
    static struct sleeper sleepers[40];
    struct wr_scope *scope = scope_open();
    for (uint64_t i = 0; i < 40; i++) {
        sleepers[i] = (struct sleeper){ arg, i + 1 };
        CHECK_OK(wr_scope_go(scope, "test.sleeper", sleep_at_random, &sleepers[i]));
    }
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(wakes_come_in_the_order_of_time_on_any_number_of_workers)
{
    for (unsigned workers = 1; workers <= 4; workers++) {
        struct clockwork clockwork = { 0 };
        CHECK_OK(run_on(workers, true, sleep_in_many, &clockwork));
        CHECK_EQ(40 * 50, clockwork.wakes);
    }
}

struct busy { atomic_int started, done; };

static wr_err compute(void *arg)
{
    struct busy *busy = arg;
    busy->started++;
    for (wr_time until = real_now() + WR_MS(1); real_now() < until;)
        ;
    busy->done++;
    return WR_OK;
}

static wr_err sleep_beside(void *arg)
{
    struct busy *busy = arg;
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 20; i++)        /* enough to wake the other worker */
        CHECK_OK(wr_scope_go(scope, "test.busy", compute, busy));
    wr_time give_up = real_now() + PATIENCE;
    while (!busy->started && real_now() < give_up)
        ;
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_EQ(20, busy->done);
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(the_clock_does_not_jump_while_another_worker_is_at_work)
{
    struct busy busy = { 0 };
    CHECK_OK(run_on(2, true, sleep_beside, &busy));
}

/* ---- the outside ---- */

struct outsider { pthread_t thread; int fd; atomic_bool asked; };

static void *write_when_asked(void *arg)
{
    struct outsider *outsider = arg;
    wr_time give_up = real_now() + PATIENCE;
    while (!outsider->asked && real_now() < give_up)
        wr_os_relax(255);
    if (write(outsider->fd, "x", 1) != 1)
        abort();
    return NULL;
}

TEST(with_a_descriptor_open_a_standstill_is_no_deadlock_the_outside_may_end_it)
{
    int ends[2];
    struct wr_fd *fd;
    struct outsider outsider = { 0 };
    char byte;
    size_t size;
    REQUIRE(pipe(ends) == 0);
    outsider.fd = ends[1];
    CHECK_OK(wr_fd_open(&fd, ends[0]));
    REQUIRE(pthread_create(&outsider.thread, NULL, write_when_asked, &outsider) == 0);
    outsider.asked = true;
    CHECK_OK(wr_fd_read(fd, &size, &byte, 1, WR_NEVER));
    pthread_join(outsider.thread, NULL);
    wr_fd_close(fd);
    close(ends[1]);
}

/* ---- waking and staying quiet ---- */

static wr_err wait_for(void *arg)
{
    return wr_once_wait(arg, NULL, WR_NEVER);
}

/* A chain over workers that all sleep in between, for real. */
static wr_err wake_again_and_again(void *arg)
{
    (void)arg;
    for (int i = 0; i < 20; i++) {
        struct wr_once *once;
        struct wr_scope *scope = scope_open();
        CHECK_OK(wr_once_new(&once, "wake", 0));
        for (int j = 0; j < 20; j++)
            CHECK_OK(wr_scope_go(scope, "test.waiting", wait_for, once));
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));     /* by now every worker may be asleep */
        CHECK_OK(wr_once_set(once, NULL));
        scope_done(scope);
        wr_once_free(once);
    }
    return WR_OK;
}

TEST_PLAIN(sleeping_workers_are_woken_every_time)
{
    for (unsigned workers = 1; workers <= 4; workers++)
        CHECK_OK(run_on(workers, false, wake_again_and_again, NULL));
}

static wr_time used(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return WR_S(ts.tv_sec) + ts.tv_nsec;
}

static wr_err stay_asleep(void *arg)
{
    wr_time *spent = arg;
    struct wr_once *once;
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_once_new(&once, "end", 0));
    for (int i = 0; i < 100; i++)
        CHECK_OK(wr_scope_go(scope, "test.waiting", wait_for, once));
    CHECK_OK(wr_sleep(wr_after(WR_MS(50))));        /* settle down first */
    wr_time before = used();
    CHECK_OK(wr_sleep(wr_after(WR_MS(300))));
    *spent = used() - before;
    CHECK_OK(wr_once_set(once, NULL));
    scope_done(scope);
    wr_once_free(once);
    return WR_OK;
}

TEST_PLAIN(a_program_whose_fibers_all_wait_uses_next_to_no_processor)
{
    wr_time spent = WR_S(1);
    CHECK_OK(run_on(4, false, stay_asleep, &spent));
    CHECK(spent < WR_MS(30));           /* a tenth; the bench has the real figure */
}
