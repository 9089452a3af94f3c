/* hooks.h - where a simulation takes the runtime's decisions (sim/).
 *
 * With hooks there is one worker on the caller's thread and a virtual clock;
 * every task switch goes through the scheduler's loop, which asks what to run.
 * All hooks but `point` are called on the scheduler's own stack, between two
 * fibers.
 */
#ifndef WR_RT_HOOKS_H
#define WR_RT_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/run.h>
#include <weir/scope.h>
#include <weir/task.h>
#include <weir/time.h>

/* A fiber or task that could run now.  Tasks are numbered from 1 as they are
 * spawned. */
struct rt_candidate {
    uint64_t id;
    const char *kind;
    bool fresh;                 /* it has not started */
};

/* A call at which another fiber might run on a second worker. */
struct rt_point {
    uint64_t id;
    const char *kind;
    const char *what;
    const char *place;          /* of the call, or the name of what is called */
    bool contained;             /* a panic here would end the task alone */
};

struct rt_hooks {
    wr_time (*turn)(wr_time now);       /* before each choice; the clock may go on */
    size_t (*choose)(const struct rt_candidate *among, size_t count);
    bool (*point)(const struct rt_point *point);    /* give way?  On the fiber's stack */
    wr_time (*next)(void);              /* what else the clock stops for; may be NULL */
    wr_time (*advance)(wr_time to);     /* nothing can run until `to`; that, or later */
    void (*stuck)(void);                /* nothing can ever run: cancel or abandon the run */
    int64_t (*wall)(wr_time now);       /* the calendar's moment */
};

/* As wr_run, under the hooks of a simulation. */
wr_err wr_run_hooked(const struct wr_run_conf *conf, const struct rt_hooks *hooks,
                     wr_task_fn fn, void *arg);

/* For `turn` and `stuck`: cancel every task of the run; or leave the run at
 * once, with its tasks where they are.  What an abandoned task has allocated
 * is lost. */
void wr_run_cancel(void);
void wr_run_abandon(void);

/* The number of the calling task; 0 outside tasks. */
uint64_t wr_task_number(void);

/* Whether the calling task was started in this scope or below it. */
bool wr_scope_within(const struct wr_scope *outer);

/* A point in a task's code, which `point` is asked about. */
void wr_sim_point_slow(const char *what, const char *place);

#endif
