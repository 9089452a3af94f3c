/* monitor_test.c - stalls, on the real clock: a worker that is kept is noticed, named,
 * counted and relieved. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include <weir/run.h>
#include <weir/scope.h>

#include "base/world.h"
#include "rt/monitor.h"
#include "testing/settle.h"
#include "testing/test.h"

#define PATIENCE WR_S(20)

static wr_time real_now(void)
{
    return wr_world_os.mono();
}

static wr_err run_on(unsigned workers, wr_task_fn fn, void *arg)
{
    return wr_run(&(struct wr_run_conf){ .workers = workers }, fn, arg);
}

/* Compute until the kind has been counted as stalled, or patience ends. */
static wr_err compute(void *arg)
{
    struct wr_kind *kind = arg;
    wr_time give_up = real_now() + PATIENCE;
    while (kind->stalls == 0 && real_now() < give_up)
        ;
    return WR_OK;
}

static wr_err block(void *arg)
{
    struct wr_kind *kind = arg;
    wr_time give_up = real_now() + PATIENCE;
    while (kind->stalls == 0 && real_now() < give_up)
        poll(NULL, 0, 200);
    return WR_OK;
}

static wr_err go_one(struct wr_kind *kind, wr_task_fn fn, void *arg)
{
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go_kind(scope, kind, fn, arg));
    scope_done(scope);
    return WR_OK;
}

static struct wr_kind computing = WR_KIND("test.computing");
static struct wr_kind blocking = WR_KIND("test.blocking");
static struct wr_kind polite = WR_KIND("test.polite");

static wr_err go_compute(void *arg)
{
    (void)arg;
    return go_one(&computing, compute, &computing);
}

static wr_err go_block(void *arg)
{
    (void)arg;
    return go_one(&blocking, block, &blocking);
}

/* ---- noticed ---- */

TEST_PLAIN(a_task_that_computes_without_a_pause_is_counted_as_a_stall_of_its_kind)
{
    CHECK_OK(run_on(1, go_compute, NULL));
    CHECK_EQ(1, computing.stalls);
}

TEST_PLAIN(a_task_that_blocks_its_worker_in_a_call_is_counted_too)
{
    CHECK_OK(run_on(1, go_block, NULL));
    CHECK_EQ(1, blocking.stalls);
}

static wr_err stall_for(void *arg)
{
    wr_time until = real_now() + *(wr_time *)arg;
    while (real_now() < until)
        ;
    return WR_OK;
}

static struct wr_kind once = WR_KIND("test.once");

static wr_err go_stall(void *arg)
{
    return go_one(&once, stall_for, arg);
}

TEST_PLAIN(one_long_stall_is_counted_once)
{
    wr_time span = WR_MS(200);
    CHECK_OK(run_on(1, go_stall, &span));
    CHECK(once.stalls <= 1);            /* 0 when the machine gave us no processor time */
}

/* How long it is said to last, from within. */
static wr_err stall_until_told(void *arg)
{
    wr_time give_up = real_now() + PATIENCE, *longest = arg;
    while (*longest < WR_MS(30) && real_now() < give_up)
        *longest = wr_monitor_stalled();
    return WR_OK;
}

static wr_err go_stall_until_told(void *arg)
{
    CHECK_EQ(0, wr_monitor_stalled());
    wr_err err = go_one(&once, stall_until_told, arg);
    for (int i = 0; i < 1000 && wr_monitor_stalled(); i++)
        CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    CHECK_EQ(0, wr_monitor_stalled());
    return err;
}

TEST_PLAIN(how_long_a_stall_lasts_can_be_asked_while_it_does)
{
    wr_time longest = 0;
    CHECK_OK(run_on(1, go_stall_until_told, &longest));
    CHECK(longest >= WR_MS(30));
}

static wr_err be_polite(void *arg)
{
    (void)arg;
    wr_time until = real_now() + WR_MS(60);
    while (real_now() < until) {
        CHECK_OK(wr_yield());
        CHECK_OK(wr_sleep(wr_after(WR_US(100))));
    }
    return WR_OK;
}

static wr_err go_polite(void *arg)
{
    (void)arg;
    return go_one(&polite, be_polite, NULL);
}

TEST_PLAIN(a_task_that_waits_now_and_then_is_no_stall)
{
    CHECK_OK(run_on(1, go_polite, NULL));
    CHECK_EQ(0, polite.stalls);
}

static wr_err sleep_long(void *arg)
{
    (void)arg;
    return wr_sleep(wr_after(WR_MS(60)));
}

static wr_err go_sleep(void *arg)
{
    (void)arg;
    return go_one(&polite, sleep_long, NULL);
}

TEST_PLAIN(a_worker_that_sleeps_is_no_stall)
{
    CHECK_OK(run_on(2, go_sleep, NULL));
    CHECK_EQ(0, polite.stalls);
}

/* ---- named ---- */

TEST_DIES_PLAIN(a_stall_names_the_task_where_it_was_started_its_worker_and_the_remedy,
                "weir: stall: task test\\.computing#[0-9]+, started at "
                "src/rt/monitor_test\\.c:[0-9]+, has kept worker 0 for 10 ms; blocking calls "
                "belong in wr_offload, long loops need wr_yield")
{
    (void)!run_on(1, go_compute, NULL);
    wr_panic("as claimed");
}

static wr_err go_compute_in_control(void *arg)
{
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "test.control", .deadline = WR_NEVER, .control = true }), WR_NOMEM);
    (void)arg;
    CHECK_OK(wr_scope_go_kind(scope, &computing, compute, &computing));
    scope_done(scope);
    return WR_OK;
}

TEST_DIES_PLAIN(a_stall_of_the_control_worker_is_named_as_such,
                "weir: stall: task test\\.computing#[0-9]+, started at "
                "src/rt/monitor_test\\.c:[0-9]+, has kept the control worker for 10 ms;")
{
    (void)!wr_run(&(struct wr_run_conf){ .workers = 1, .control = true },
                  go_compute_in_control, NULL);
    wr_panic("as claimed");
}

TEST_DIES_PLAIN(a_stall_is_reported_with_a_backtrace_and_how_to_read_it,
                "stall: task.*\n.*monitor_test\\(.*\\[0x.*\n"
                "weir: lines: addr2line -fpe /[^ ]*monitor_test( 0x[0-9a-f]+)+\n")
{
    (void)!run_on(1, go_block, NULL);
    wr_panic("as claimed");
}

/* ---- asked, and late with the answer ---- */

static struct wr_kind late = WR_KIND("test.late");
static struct wr_kind other = WR_KIND("test.other");
static atomic_bool late_asked, other_asked, late_answered;

static void let_ask(int how)
{
    sigset_t urgent;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    pthread_sigmask(how, &urgent, NULL);
}

static void await_the_question(void)
{
    sigset_t pending;
    wr_time give_up = real_now() + PATIENCE;
    do
        sigpending(&pending);
    while (!sigismember(&pending, SIGURG) && real_now() < give_up);
}

/* It is asked and cannot answer; it does when the other is asked. */
static wr_err answer_late(void *arg)
{
    let_ask(SIG_BLOCK);
    await_the_question();
    atomic_store(&late_asked, true);
    wr_time give_up = real_now() + PATIENCE;
    while (!atomic_load(&other_asked) && real_now() < give_up)
        ;
    let_ask(SIG_UNBLOCK);
    atomic_store(&late_answered, true);
    return compute(arg);
}

static wr_err answer_after_that(void *arg)
{
    while (!atomic_load(&late_asked))
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    let_ask(SIG_BLOCK);
    await_the_question();
    atomic_store(&other_asked, true);
    while (!atomic_load(&late_answered))
        ;
    poll(NULL, 0, 5);           /* what came in its place would have been taken by now */
    let_ask(SIG_UNBLOCK);
    return compute(arg);
}

static wr_err go_both(void *arg)
{
    struct wr_scope *scope = scope_open();
    (void)arg;
    CHECK_OK(wr_scope_go_kind(scope, &late, answer_late, &late));
    CHECK_OK(wr_scope_go_kind(scope, &other, answer_after_that, &other));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(a_late_answer_is_not_taken_for_that_of_another_worker)
{
    CHECK_OK(run_on(2, go_both, NULL));
    CHECK(late.stalls >= 1);
    CHECK(other.stalls >= 1);
}

/* ---- relieved ---- */

static wr_err note(void *arg)
{
    atomic_store((atomic_bool *)arg, true);
    return WR_OK;
}

/* One task is not enough to wake a sleeping worker; a stall is. */
static wr_err spawn_one_and_compute(void *arg)
{
    atomic_bool *ran = arg;
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_sleep(wr_after(WR_MS(20))));            /* the other worker sleeps by now */
    CHECK_OK(wr_scope_go(scope, "test.waiting", note, ran));
    wr_time give_up = real_now() + PATIENCE;
    while (!atomic_load(ran) && real_now() < give_up)
        ;
    CHECK(atomic_load(ran));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(a_task_behind_a_stalled_one_is_given_to_a_worker_that_sleeps)
{
    atomic_bool ran = false;
    CHECK_OK(run_on(2, spawn_one_and_compute, &ran));
}

TEST_PLAIN(who_is_woken_to_help_is_never_the_control_worker)
{
    atomic_bool ran = false;
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 2, .control = true },
                    spawn_one_and_compute, &ran));
}
