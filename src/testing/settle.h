/* settle.h - for tests in which several fibers meet.
 *
 * The virtual clock moves only when no fiber can run.  So after settle() every
 * other fiber has gone as far as it can: it waits, or has ended.  That holds
 * with any number of workers, and is what a test needs before it acts on
 * "the other one waits now".
 */
#ifndef WR_TESTING_SETTLE_H
#define WR_TESTING_SETTLE_H

#include <weir/scope.h>
#include <weir/task.h>
#include <weir/time.h>

#include "testing/test.h"

/* Takes one nanosecond of virtual time. */
static inline void settle(void)
{
    CHECK_OK(wr_sleep(wr_after(1)));
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
