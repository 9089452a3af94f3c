/* fiber_rule_test.c - panics that cannot be contained end the process, and say why. */
#include <weir/task.h>

#include <stdio.h>

#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/offload.h>
#include <weir/once.h>
#include <weir/scope.h>
#include <weir/select.h>

#include "rt/rt_int.h"
#include "testing/settle.h"
#include "testing/test.h"

static struct wr_mutex mutex = WR_MUTEX("test.mutex", 10);

/* ---- a lock is held ---- */

TEST_DIES(a_panic_with_a_lock_held_ends_the_process_and_names_the_lock_and_its_place,
          "panic at src/rt/fiber_rule_test\\.c:[0-9]+: under the lock\n"
          "weir: in task main#[0-9]+, started at src/testing/test\\.c:[0-9]+, on worker [0-9]+"
          ": the process ends, because lock \"test\\.mutex\" is held since "
          "src/rt/fiber_rule_test\\.c:[0-9]+")
{
    wr_mutex_lock(&mutex);
    wr_panic("under the lock");
}

static wr_err keep_the_lock(void *arg)
{
    (void)arg;
    wr_mutex_lock(&mutex);
    return WR_OK;
}

TEST_DIES(a_task_that_returns_with_a_lock_names_itself_the_lock_and_the_place,
          "task test\\.task#[0-9]+ returned with lock \"test\\.mutex\" held since "
          "src/rt/fiber_rule_test\\.c:[0-9]+")
{
    go(scope_open(), keep_the_lock, NULL);
}

/* ---- frames of a library are below ---- */

TEST_DIES(a_panic_below_foreign_frames_ends_the_process,
          "in a callback\n.*the process ends, because foreign frames are below")
{
    wr_foreign_enter();
    wr_panic("in a callback");
}

TEST_DIES(waiting_below_foreign_frames_is_a_panic_that_names_task_and_place,
          "panic at src/rt/fiber_rule_test\\.c:[0-9]+: task main#[0-9]+ may wait on sleep "
          "below foreign frames")
{
    wr_foreign_enter();
    (void)!wr_sleep(wr_after(1));
}

TEST_DIES(yielding_below_foreign_frames_is_a_panic_too,
          "may wait on yield below foreign frames")
{
    wr_foreign_enter();
    (void)!wr_yield();
}

TEST(foreign_frames_nest_and_calls_that_do_not_wait_work_below_them)
{
    struct wr_once *once;
    wr_foreign_enter();
    wr_foreign_enter();
    CHECK_OK(wr_once_new(&once, "event", 0));
    CHECK_OK(wr_once_set(once, NULL));
    CHECK_OK(wr_once_wait(once, NULL, WR_NOW));
    wr_foreign_leave();
    wr_foreign_leave();
    settle();                   /* back outside: waiting is allowed again */
    wr_once_free(once);
}

TEST_PANICS(leaving_foreign_frames_that_were_not_entered_is_a_panic,
            "wr_foreign_leave without wr_foreign_enter.*the task ends")
{
    wr_foreign_leave();
}

static wr_err stay_abroad(void *arg)
{
    (void)arg;
    wr_foreign_enter();
    return WR_OK;
}

TEST_PANICS(a_task_that_returns_without_leaving_foreign_frames_is_named,
            "task test\\.task#[0-9]+ returned with foreign frames not left")
{
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.task", stay_abroad, NULL));
    CHECK_ERR(WR_PANIC, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_PANIC, wr_scope_close(scope));
    wr_panic("as claimed");
}

/* ---- in the middle of something ---- */

static void panic_again(void *arg)
{
    (void)arg;
    wr_panic("while cleaning up");
}

TEST_DIES(a_panic_in_a_cleanup_ends_the_process,
          "the first one.*while cleaning up.*because it was already panicking")
{
    struct wr_cleanup cleanup = { .fn = panic_again };
    wr_cleanup_push(&cleanup);
    wr_panic("the first one");
}

static bool never(void *on, const struct wr_case *c)
{
    (void)on, (void)c;
    return false;
}

static void refuse(void *on, const struct wr_case *c, struct waiter *waiter)
{
    (void)on, (void)c, (void)waiter;
    wr_panic("half way");
}

/* The first case is linked when the second is refused: giving up this stack
 * would leave a waiter in the channel that points into it. */
TEST_DIES(a_panic_half_way_into_a_wait_ends_the_process,
          "half way.*because others may already be about to end its wait")
{
    static const struct wr_waitable refusing = { .possible = never, .link = refuse };
    struct wr_chan *ch;
    int item;
    size_t which;
    CHECK_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "empty", .item_size = sizeof(int), .cap = 1, .policy = WR_WAIT }));
    struct wr_case cases[] = { WR_CASE_RECV(ch, &item), { .kind = &refusing } };
    (void)!wr_select(&which, cases, 2, WR_NEVER);
}

static void panic_on_a_thread(void *arg)
{
    (void)arg;
    wr_panic("not a task");
}

TEST_DIES(a_panic_in_an_offloaded_call_ends_the_process,
          "panic at src/rt/fiber_rule_test\\.c:[0-9]+: not a task")
{
    (void)!wr_offload(panic_on_a_thread, NULL, WR_NEVER);
}

TEST_DIES_PLAIN(a_panic_outside_any_run_ends_the_process,
                "panic at src/rt/fiber_rule_test\\.c:[0-9]+: all alone")
{
    wr_panic("all alone");
}

TEST_DIES_PLAIN(a_cleanup_outside_a_task_is_a_panic,
                "assertion failed: fiber && fiber->started")
{
    struct wr_cleanup cleanup = { .fn = panic_again };
    wr_cleanup_push(&cleanup);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1             /* its own handler speaks then, and says more */
#endif
#endif
#ifndef SANITIZED
TEST_DIES(a_bad_address_names_the_task_that_touched_it,
          "weir: signal 11 at address 0x40 in task main#[0-9]+")
{
    volatile uintptr_t address = 0x40;
    *(volatile int *)address = 1;
}
#endif
