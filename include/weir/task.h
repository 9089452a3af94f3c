/* task.h - tasks: functions that run as fibers.
 *
 * A task is a function and its argument, started in a scope (scope.h).  Until
 * its first instruction it is only a record, which any worker may take; from
 * then on it is a fiber with a stack of its own, and stays on the worker that
 * started it (docs/design/0001-migration.md says why).
 *
 * What belongs to the thread is shared by the fibers of a worker: errno, and the
 * floating-point modes (fesetround).  Copy the one at once; do not wait while
 * the other is changed.
 */
#ifndef WEIR_TASK_H
#define WEIR_TASK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

/* What a task runs.  Any result but WR_OK is an error of its scope. */
typedef wr_err (*wr_task_fn)(void *arg);

#define WR_KIND_SHARDS 8

/* A kind of task, with its counts.  wr_scope_go makes one per place; make one
 * yourself (static, or never freed: the map keeps it) for a name that is not a
 * literal. */
struct wr_kind {
    const char *name;
    const char *place;
    _Atomic(struct wr_kind *) next;     /* in the list of known kinds */
    atomic_bool known;
    struct {
        _Alignas(64) _Atomic uint64_t spawned;
        _Atomic uint64_t completed;     /* returned, whatever it returned */
        _Atomic uint64_t canceled;      /* of these: returned WR_CANCELED */
        _Atomic uint64_t panicked;      /* of these: ended by a panic */
    } count[WR_KIND_SHARDS];            /* by worker, so that counting is never contended */
    _Atomic uint64_t aborted;           /* canceled because a drain ran out of time */
    _Atomic uint64_t stalls;            /* kept its worker for more than 10 ms */
    _Atomic uint64_t control;           /* of the spawned: for the control worker */
};
#define WR_KIND(text) { .name = (text), .place = WR_HERE }

/* Let others run.  Errors: CANCELED, TIMEOUT (of the scope). */
wr_err wr_yield(const char *place);
#define wr_yield() wr_yield(WR_HERE)

/* Wait until the deadline; WR_OK when it has come.
 * Errors: CANCELED, TIMEOUT (of the scope). */
wr_err wr_sleep(wr_time deadline WR_AT);
#define wr_sleep(deadline) wr_sleep(deadline, WR_HERE)

/* The calling task, for messages: "queue.worker#17"; "thread" outside fibers.
 * Valid until the task ends. */
const char *wr_task_name(void);

/* Something to release when the task ends by a panic.  Pushed and popped in
 * pairs by the task; a panic runs what is still there, last in first out, and
 * closes the task's scopes in that same order: what a cleanup releases is not in
 * use any more by tasks that were started after its push.  A panic in a cleanup
 * ends the process. */
struct wr_cleanup {
    void (*fn)(void *arg);
    void *arg;
    struct wr_cleanup *below;       /* these two are the runtime's */
    struct wr_scope *scope;
};
void wr_cleanup_push(struct wr_cleanup *cleanup);
void wr_cleanup_pop(struct wr_cleanup *cleanup WR_AT);
#define wr_cleanup_pop(cleanup) wr_cleanup_pop(cleanup, WR_HERE)

/* Mark frames of a library that must not be abandoned: between enter and leave
 * a panic ends the process instead of the task, and waiting is a panic. */
void wr_foreign_enter(void);
void wr_foreign_leave(const char *place);
#define wr_foreign_leave() wr_foreign_leave(WR_HERE)

#endif
