/* offload.h - blocking calls, away from the workers.
 *
 * Files, DNS, SQLite and heavy arithmetic run on a pool of threads of their
 * own, whose number and queue are bounded (run.h).  The calling fiber waits.
 *
 * A call that has not begun when the deadline or a cancel comes is taken back
 * and never runs.  One that has begun cannot be stopped: wr_offload waits for
 * it and returns WR_OK, so that nothing it points to goes away under it.
 */
#ifndef WEIR_OFFLOAD_H
#define WEIR_OFFLOAD_H

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

/* Run fn(arg) on a pool thread; WR_OK when it has returned.  fn must not call
 * anything that can wait.
 * Errors: BUSY (the queue is full), NOMEM (there is no thread, and none can be
 * started), TIMEOUT, CANCELED; with all of them it did not run. */
wr_err wr_offload(void (*fn)(void *arg), void *arg, wr_time deadline WR_AT);
#define wr_offload(fn, arg, deadline) wr_offload(fn, arg, deadline, WR_HERE)

#endif
