/* crowd.c - a thousand fibers that fail at once: each failure is counted, all are
 * joined, and the first is the one that is told. */
#include <stdatomic.h>

#include <weir/once.h>
#include <weir/scope.h>

#include "rt/topo_int.h"
#include "testing/settle.h"
#include "testing/test.h"

enum { CROWD = 1000 };

struct crowd { struct wr_once *start; atomic_int ended; };

static void open_crowd(struct crowd *crowd, struct wr_scope *scope, struct wr_kind *kind,
                       wr_task_fn fn)
{
    *crowd = (struct crowd){ 0 };
    CHECK_OK(wr_once_new(&crowd->start, "start", 0));
    for (int i = 0; i < CROWD; i++)
        CHECK_OK(wr_scope_go_kind(scope, kind, fn, crowd));
    settle();                   /* they all stand at the start now */
    CHECK_EQ(CROWD, wr_scope_live(scope));
}

/* ---- errors ---- */

static wr_err fail_at_the_start(void *arg)
{
    struct crowd *crowd = arg;
    wr_err err = wr_once_wait(crowd->start, NULL, WR_NEVER);
    crowd->ended++;
    return err ? err : WR_IO;
}

TEST(a_thousand_errors_at_once_are_one_error_of_the_scope)
{
    static struct wr_kind kind = WR_KIND("weather.failing");
    struct crowd crowd;
    struct wr_scope *scope = scope_open();
    open_crowd(&crowd, scope, &kind, fail_at_the_start);
    CHECK_OK(wr_once_set(crowd.start, NULL));
    CHECK_ERR(WR_IO, wr_scope_join(scope, WR_NEVER));
    CHECK_EQ(CROWD, crowd.ended);
    CHECK_EQ(0, wr_scope_live(scope));
    CHECK_ERR(WR_IO, wr_scope_close(scope));
    CHECK_EQ(CROWD, KIND_COUNT(&kind, completed));
    wr_once_free(crowd.start);
}

/* ---- panics ---- */

static void count_cleanup(void *arg)
{
    struct crowd *crowd = arg;
    crowd->ended++;
}

static wr_err panic_at_the_start(void *arg)
{
    struct crowd *crowd = arg;
    struct wr_cleanup cleanup = { .fn = count_cleanup, .arg = crowd };
    wr_cleanup_push(&cleanup);
    CHECK_OK(wr_once_wait(crowd->start, NULL, WR_NEVER));
    wr_panic("one of a thousand");
}

/* In a child process, because each of them is reported. */
TEST_PANICS(a_thousand_panics_at_once_are_contained_each_with_its_cleanup,
            "one of a thousand.*in task weather\\.panicking#[0-9]+.*the task ends")
{
    static struct wr_kind kind = WR_KIND("weather.panicking");
    struct crowd crowd;
    struct wr_scope *scope = scope_open();
    open_crowd(&crowd, scope, &kind, panic_at_the_start);
    CHECK_OK(wr_once_set(crowd.start, NULL));
    CHECK_ERR(WR_PANIC, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_PANIC, wr_scope_close(scope));
    CHECK_EQ(CROWD, crowd.ended);
    CHECK_EQ(CROWD, KIND_COUNT(&kind, panicked));
    wr_once_free(crowd.start);
    wr_panic("as claimed");
}

/* ---- deadlines and cancels ---- */

static wr_err wait_at_the_start(void *arg)
{
    struct crowd *crowd = arg;
    wr_err err = wr_once_wait(crowd->start, NULL, WR_NEVER);
    crowd->ended++;
    return err;
}

TEST(a_thousand_waits_end_at_one_deadline_and_at_the_same_moment)
{
    static struct wr_kind kind = WR_KIND("weather.late");
    struct crowd crowd;
    struct wr_scope *scope;
    wr_time deadline = wr_after(WR_MS(5));
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "late",
                                                             .deadline = deadline }));
    open_crowd(&crowd, scope, &kind, wait_at_the_start);
    CHECK_ERR(WR_TIMEOUT, wr_scope_join(scope, WR_NEVER));
    CHECK_EQ(deadline, wr_now());
    CHECK_EQ(CROWD, crowd.ended);
    CHECK_ERR(WR_TIMEOUT, wr_scope_close(scope));
    wr_once_free(crowd.start);
}

TEST(a_thousand_fibers_are_canceled_at_once)
{
    static struct wr_kind kind = WR_KIND("weather.canceled");
    struct crowd crowd;
    struct wr_scope *scope = scope_open();
    open_crowd(&crowd, scope, &kind, wait_at_the_start);
    wr_time start = wr_now();
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(start, wr_now());
    CHECK_EQ(CROWD, crowd.ended);
    CHECK_EQ(CROWD, KIND_COUNT(&kind, canceled));
    wr_once_free(crowd.start);
}

/* ---- each in a scope of its own ---- */

static wr_err fail_below(void *arg)
{
    struct crowd *crowd = arg;
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "weather.below", fail_at_the_start, crowd));
    wr_err err = wr_scope_join(scope, WR_NEVER);
    CHECK_ERR(WR_IO, wr_scope_close(scope));
    return err == WR_IO ? WR_OK : WR_INVALID;       /* dealt with */
}

TEST(a_thousand_failures_in_scopes_of_their_own_disturb_nobody_else)
{
    static struct wr_kind kind = WR_KIND("weather.owner");
    struct crowd crowd;
    struct wr_scope *scope = scope_open();
    open_crowd(&crowd, scope, &kind, fail_below);
    CHECK_OK(wr_once_set(crowd.start, NULL));
    scope_done(scope);
    CHECK_EQ(CROWD, crowd.ended);
    wr_once_free(crowd.start);
}
