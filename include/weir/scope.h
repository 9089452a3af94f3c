/* scope.h - structured concurrency: who belongs to whom, until when.
 *
 * Every task is started in a scope, and a scope cannot end while a task of it
 * lives: wr_scope_close waits for them.  Scopes form a tree.  A scope carries
 * a deadline and a cancel state, and both reach everything below it:
 *
 *   - the effective deadline of a scope is the earliest on its way to the root;
 *   - when it passes, waits below return WR_TIMEOUT;
 *   - when a scope is canceled, waits below return WR_CANCELED;
 *   - the first task that returns an error cancels its siblings, and that
 *     error is what wr_scope_join and wr_scope_close return.  WR_CANCELED from
 *     a task that was canceled is no error: it did as it was told.
 *
 * Cancellation is delivered at waits and nowhere else: a task that does not
 * wait is not disturbed, and a value that was handed over stays handed over.
 * In a canceled scope each call that may wait returns at once; WR_NOW calls
 * still work, so that cleanup code can empty its queues.
 *
 * A task that was accepted always runs, even when its scope is canceled before
 * its first instruction: it owns its argument and must be able to release it.
 *
 * A scope belongs to the fiber that made it, which must close it before its
 * own task returns; forgetting to is a panic that names the scope.  Only its
 * owner joins, enters and closes it; tasks may be started in it by its owner
 * and by any fiber below it.  Anybody else who tries panics.
 *
 * A control scope is for the few tasks that must answer while all else is busy:
 * health, metrics, the operator's calls.  Its tasks, and those of all scopes below
 * it, run on the run's control worker (run.h) and nowhere else; without one, like
 * any other.  Where a task runs is a matter of its scope, not of who starts it: one
 * that a control task starts in a scope above goes back to the other workers.  A
 * control task shares its thread with the others of its sort: one that computes for
 * long keeps them all waiting.
 */
#ifndef WEIR_SCOPE_H
#define WEIR_SCOPE_H

#include <stddef.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/task.h>
#include <weir/time.h>

struct wr_scope;

struct wr_scope_conf {
    const char *name;       /* for people: seen in panics and in the topology */
    wr_time deadline;       /* required; WR_NEVER leaves the parent's in force */
    bool shield;            /* not canceled from above; needs a real deadline */
    bool low;               /* its tasks run when nothing of normal class can */
    bool independent;       /* a task that fails does not cancel the others */
    bool control;           /* its tasks run on the control worker, if there is one */
};

/* Make a scope below the one the caller is in.
 * Errors: NOMEM; BUSY (500 scopes deep: a cancel goes down level by level);
 * CANCELED or TIMEOUT when the caller's scope has ended (a shield is made all
 * the same). */
wr_err wr_scope_new(struct wr_scope **ret, const struct wr_scope_conf *conf WR_AT);
#define wr_scope_new(...) wr_scope_new(__VA_ARGS__, WR_HERE)

/* Start fn(arg) as a task of this scope.  `name` is a string literal: the kind
 * of task, as metrics and the topology show it ("queue.worker").
 * On any error fn will not run and arg stays with the caller.  A task for whose
 * stack there is no memory waits until another has ended.
 * Errors: NOMEM, BUSY (the run's tasks_max is reached), CANCELED, TIMEOUT
 * (the scope has ended). */
wr_err wr_scope_go_kind(struct wr_scope *scope, struct wr_kind *kind, wr_task_fn fn, void *arg);
#define wr_scope_go(scope, name, fn, arg) __extension__({ \
    static struct wr_kind wr_kind_here = WR_KIND(name); \
    wr_scope_go_kind(scope, &wr_kind_here, fn, arg); })

/* Wait until no task of the scope is left.  More may be started afterwards.
 * Returns the first error of its tasks, WR_OK when there was none; TIMEOUT or
 * CANCELED when the wait itself was cut short (wr_scope_live tells). */
wr_err wr_scope_join(struct wr_scope *scope, wr_time deadline WR_AT);
#define wr_scope_join(scope, deadline) wr_scope_join(scope, deadline, WR_HERE)

/* Cancel everything in the scope and below.  Does not wait.  Twice is fine. */
void wr_scope_cancel(struct wr_scope *scope);

/* Cancel what still runs, wait for it, free the scope; the first error of its
 * tasks, or WR_OK.  The wait has no deadline of its own: each wait of each
 * task below returns at once, so what keeps it is code that does not wait,
 * and that is reported as a stall.  NULL is allowed. */
wr_err wr_scope_close(struct wr_scope *scope WR_AT);
#define wr_scope_close(scope) wr_scope_close(scope, WR_HERE)

/* Put the calling fiber's own waits under the scope, and back.  They nest.
 * This is how a block of code gets a deadline, or a shield. */
void wr_scope_enter(struct wr_scope *scope WR_AT);
#define wr_scope_enter(scope) wr_scope_enter(scope, WR_HERE)
void wr_scope_leave(struct wr_scope *scope WR_AT);
#define wr_scope_leave(scope) wr_scope_leave(scope, WR_HERE)

/* Tasks of the scope that have not ended. */
size_t wr_scope_live(const struct wr_scope *scope);

/* The scope that governs the calling fiber's waits. */
struct wr_scope *wr_scope_self(void);

/* Whether the caller should stop: WR_OK, or the CANCELED or TIMEOUT that its
 * next wait would return.  For loops that compute and do not wait; in a low
 * scope it also lets normal tasks run first. */
wr_err wr_scope_check(void);

/* The effective deadline of the calling fiber's scope. */
wr_time wr_scope_deadline(void);

#endif
