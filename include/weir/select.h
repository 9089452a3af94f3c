/* select.h - wait for the first of several things.
 *
 *     struct wr_case cases[] = {
 *         WR_CASE_ONCE(stop, NULL),
 *         WR_CASE_RECV(jobs, &job),
 *         WR_CASE_TIMER(&tick),
 *     };
 *     size_t which;
 *     wr_err err = wr_select(&which, cases, 3, deadline);
 *
 * Exactly one case happens, the others have no effect.  When several could,
 * the first in the list does: put shutdown first, and put what must not starve
 * before what never runs dry.
 *
 * The result of the case (CLOSED, LAGGED, ...) is in cases[which].err; wr_select
 * itself returns WR_OK when a case happened.
 */
#ifndef WEIR_SELECT_H
#define WEIR_SELECT_H

#include <stddef.h>

#include <weir/bcast.h>
#include <weir/chan.h>
#include <weir/err.h>
#include <weir/fd.h>
#include <weir/once.h>
#include <weir/panic.h>
#include <weir/sem.h>
#include <weir/time.h>
#include <weir/timer.h>
#include <weir/watch.h>

#define WR_SELECT_MAX 16

struct wr_waitable;             /* what the runtime knows of a kind of case */

struct wr_case {
    const struct wr_waitable *kind;
    void *on;
    void *item;
    size_t units;               /* semaphore units; readiness wanted of an fd */
    wr_err err;                 /* the result, when this case happened */
};

extern const struct wr_waitable wr_case_send, wr_case_recv, wr_case_watch, wr_case_bcast,
    wr_case_once, wr_case_sem, wr_case_timer, wr_case_fd;

/* A send waits for room when the policy is WAIT or COALESCE; with the other
 * policies it always happens, with BUSY in err if it was refused. */
#define WR_CASE_SEND(ch, item_) \
    { .kind = &wr_case_send, .on = (ch), .item = (void *)(item_) }
#define WR_CASE_RECV(ch, item_)      { .kind = &wr_case_recv, .on = (ch), .item = (item_) }
#define WR_CASE_WATCH(reader, item_) { .kind = &wr_case_watch, .on = (reader), .item = (item_) }
#define WR_CASE_BCAST(reader, item_) { .kind = &wr_case_bcast, .on = (reader), .item = (item_) }
#define WR_CASE_ONCE(once, item_)    { .kind = &wr_case_once, .on = (once), .item = (item_) }
#define WR_CASE_SEM(sem, units_)     { .kind = &wr_case_sem, .on = (sem), .units = (units_) }
#define WR_CASE_TIMER(timer)         { .kind = &wr_case_timer, .on = (timer) }
#define WR_CASE_FD(fd, events)       { .kind = &wr_case_fd, .on = (fd), .units = (events) }

/* Errors: TIMEOUT (none happened; with WR_NOW: none could at once), CANCELED. */
wr_err wr_select(size_t *ret, struct wr_case *cases, size_t count, wr_time deadline WR_AT);
#define wr_select(ret, cases, count, deadline) wr_select(ret, cases, count, deadline, WR_HERE)

#endif
