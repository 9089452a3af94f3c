/* run.h - the runtime: start it, run a task in it, be done.
 *
 *     static wr_err hello(void *arg) { ... return WR_OK; }
 *     int main(void) { return wr_run(&(struct wr_run_conf){ 0 }, hello, NULL) != WR_OK; }
 *
 * wr_run returns when the task and everything it started have ended; no thread
 * and no memory of the runtime is left.  One run at a time per process.
 *
 * After fork() the child has no runtime: using it there is a panic that says
 * so.  Start programs with posix_spawn, or exec at once.
 */
#ifndef WEIR_RUN_H
#define WEIR_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/task.h>

/* Everything has a default: zero. */
struct wr_run_conf {
    unsigned workers;               /* WEIR_THREADS, else one per core; at most 64 in all */
    size_t stack_size;              /* 64 KiB, see below; more under sanitizers */
    size_t tasks_max;               /* 4 million tasks alive; kept exactly below 65536 */
    unsigned offload_threads_max;   /* 16 */
    size_t offload_queue_max;       /* 1024 */
    bool virtual_clock;             /* time jumps when nothing can run */
    bool control;                   /* one worker more, for the scopes with .control */
};

/* stack_size is rounded up to a power of two, and its lowest page (4 KiB) is the
 * guard: of the default, 60 KiB are usable.  16 KiB to 64 MiB are allowed.
 *
 * A task that outgrows its stack is named and the process ends.  That a frame of
 * more than a page cannot step over the guard is the compiler's work: build with
 * -fstack-clash-protection, as `pkg-config --cflags weir` says. */

/* The control worker is a thread that runs the tasks of control scopes (scope.h)
 * and nothing else: what must answer while every other worker is kept by code that
 * does not wait.  It neither takes tasks from the others nor gives them any, and it
 * never spins.  There is one beside any number of workers, also beside one; under
 * the virtual clock there is none, since no time passes there while a task computes,
 * and the tasks of control scopes run like all others. */

/* Run fn(arg) as the first task; its result.
 * Errors besides: NOMEM, NOFILE (the runtime could not be started). */
wr_err wr_run(const struct wr_run_conf *conf, wr_task_fn fn, void *arg WR_AT);
#define wr_run(...) wr_run(__VA_ARGS__, WR_HERE)

/* Print the fibers that have waited in the scope they are in, on what they wait
 * and where, to standard error; 4096 of them, and how many more there are.
 * Everything else goes on meanwhile: one that just woke is shown where it waited.
 * Names are read where they are, so they must outlive their objects, as literals
 * do.  Any task, and any thread that keeps the run from ending, may call it. */
void wr_run_dump(void);

#endif
