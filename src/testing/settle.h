/* settle.h - for tests in which several fibers meet.
 *
 * The virtual clock moves only when no fiber can run.  So after settle() every
 * other fiber has gone as far as it can: it waits, or has ended.  That holds
 * with any number of workers, and is what a test needs before it acts on
 * "the other one waits now".
 */
#ifndef WR_TESTING_SETTLE_H
#define WR_TESTING_SETTLE_H

#include <weir/once.h>
#include <weir/scope.h>
#include <weir/task.h>
#include <weir/time.h>

#include "testing/test.h"

/* Takes one nanosecond of virtual time. */
static inline void settle(void)
{
    CHECK_OK(wr_sleep(wr_after(1)));
}

/* Wait where neither a deadline nor a cancel reaches, as code that is not fair would. */
static inline wr_err wait_shielded(struct wr_once *once, wr_time span)
{
    struct wr_scope *shield;
    wr_err err = wr_scope_new(&shield, &(struct wr_scope_conf){
        .name = "test.shield", .deadline = wr_after(span), .shield = true });
    if (err)
        return err;
    wr_scope_enter(shield);
    err = wr_once_wait(once, NULL, WR_NEVER);
    wr_scope_leave(shield);
    (void)!wr_scope_close(shield);
    return err;
}

static inline struct wr_scope *scope_open(void)
{
    struct wr_scope *scope = NULL;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.scope",
                                                           .deadline = WR_NEVER }));
    return scope;
}

/* Start a task and let it run until it waits. */
static inline void go(struct wr_scope *scope, wr_task_fn fn, void *arg)
{
    CHECK_OK(wr_scope_go(scope, "test.task", fn, arg));
    settle();
}

/* All tasks have ended well. */
static inline void scope_done(struct wr_scope *scope)
{
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
}

#endif
