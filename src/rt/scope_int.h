/* scope_int.h - the inside of a scope, for the files that start, wake and end tasks. */
#ifndef WR_RT_SCOPE_INT_H
#define WR_RT_SCOPE_INT_H

#include "rt/rt_int.h"

/* The lock guards fibers, children, joiner, err and the last decrement of
 * live.  A parent's lock is taken before its child's. */
struct wr_scope {
    struct spin lock;
    _Atomic(wr_err) ended;          /* WR_OK while it runs, else CANCELED or TIMEOUT */
    bool shield, low, independent;
    bool control;                   /* there is a control worker, and its tasks run there */
    wr_err err;                     /* of the first task that failed */
    _Atomic size_t live;
    wr_time deadline;               /* effective: the earliest up to the root or a shield */
    struct worker *timer_home;      /* where the timer is that fires then */
    struct waitlist joiner;
    struct fiber *fibers;           /* those that have waited in it */
    struct wr_scope *children, *next, **link;   /* scopes below; among its siblings */
    struct wr_scope *parent;
    struct fiber *owner;
    struct wr_scope *owner_below;   /* the owner's next older scope */
    struct wr_scope *entered_from;  /* where the owner was before wr_scope_enter */
    unsigned depth;                 /* below the root */
    const char *name;
    struct wr_timer timer;
};

/* The scope of waits that must reach their end: never canceled, no deadline. */
extern struct wr_scope wr_scope_nowhere;

/* The scope that a run's first task lives in. */
void wr_scope_init_root(struct wr_scope *scope);

/* End a scope for a reason and everything below it. */
void wr_scope_end(struct wr_scope *scope, wr_err reason);

/* A task of the scope has returned: take notice, wake the joiner if it was
 * the last.  The scope may be gone when this returns. */
void wr_scope_task_done(struct wr_scope *scope, wr_err err);

/* Take `count` tasks that ended without error off at once. */
void wr_scope_tasks_ok(struct wr_scope *scope, size_t count);

#endif
