/* seam.h - the runtime's objects without its scheduler: each model thread is a
 * worker with one fiber that runs a task.
 *
 * Real: wait.c, fiber.c and the objects.  Ours: the switch away from a fiber
 * (it waits for a permit), making it ready (it gets one), time (it passes
 * when a fiber waits with a deadline, at any moment or never before the wake).
 */
#ifndef MODEL_SEAM_H
#define MODEL_SEAM_H

#include "model.h"
#include "rt/wait_int.h"

/* In setup: the workers, their fibers, and the root scope that they are in. */
void seam_open(void);

/* First in each thread: become the fiber of worker model_self(). */
void seam_enter(void);

/* The fiber of a thread, and the scope all of them start in. */
struct fiber *seam_fiber(unsigned thread);
extern struct wr_scope seam_root;

/* The whole body of a thread that runs one task started with wr_scope_go: thread
 * 1 takes the first task, thread 2 the second.  A real fiber runs it. */
void seam_run_task(void);

/* The whole body of a thread that is the one which the runtime starts, a pool's or a
 * lane's; and that it is not started any more, if it was not yet. */
void seam_be_thread(void);
void seam_no_thread(void);

#define MODEL_OK(err) MODEL_CHECK((err) == WR_OK)

#endif
