/* timer.h - a moment to wait for together with other things.
 *
 * For a plain pause there is wr_sleep, and every wait has a deadline anyway; a
 * timer is for select loops that do something at intervals:
 *
 *     struct wr_timer tick = { 0 };
 *     wr_timer_set(&tick, wr_after(WR_S(1)));
 *     ... WR_CASE_TIMER(&tick) ...
 *
 * It is a plain value, in the frame or struct of the fiber that uses it, and
 * belongs to that fiber's worker: while it is set only fibers of that worker
 * may touch it, and only one may wait for it.
 * Setting and clearing cost some ten nanoseconds, whatever else is set.
 */
#ifndef WEIR_TIMER_H
#define WEIR_TIMER_H

#include <stdbool.h>

#include <weir/panic.h>
#include <weir/time.h>

struct wr_timer {               /* zero is a cleared timer; the fields are the runtime's */
    struct wr_timer *next, *prev;
    wr_time deadline;
    void *owner;
    void *stack_of;             /* the fiber on whose stack it lies, while it is set */
    unsigned char slot, level, kind, state, home;
};

/* Set, or set anew.  Waits for it end at the deadline; it stays due until it
 * is set or cleared. */
void wr_timer_set(struct wr_timer *timer, wr_time deadline WR_AT);
#define wr_timer_set(timer, deadline) wr_timer_set(timer, deadline, WR_HERE)

/* A timer must be cleared before its memory goes.  Twice is fine.  A task that
 * returns with one set on its stack ends the process. */
void wr_timer_clear(struct wr_timer *timer WR_AT);
#define wr_timer_clear(timer) wr_timer_clear(timer, WR_HERE)

/* Whether it was set and its deadline has come. */
bool wr_timer_due(const struct wr_timer *timer);

#endif
