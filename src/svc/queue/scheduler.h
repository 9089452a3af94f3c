/* scheduler.h - the one who does jobs: claims them, runs them, and writes down what came of it.
 *
 *     err = scheduler_new(&scheduler, &(struct scheduler_conf){ .store = store, .slots = slots,
 *         .news = news, .handlers = handlers });
 *     ...scheduler_run(scheduler, drain, moment) in a supervised child
 *     scheduler_free(scheduler);
 *
 * For each slot a task claims as many jobs as are free in it, when there are some; each runs in
 * two tasks, of which one does the work and the other outlives it, whatever becomes of it.
 *
 * A claim is a lease, and is renewed three times in its length.  Who cannot renew it, because
 * the job was canceled or given to another, or because the store cannot be reached until it has
 * run out, ends the work at once, and writes nothing.
 */
#ifndef WR_QUEUE_SCHEDULER_H
#define WR_QUEUE_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/err.h>
#include <weir/once.h>
#include <weir/time.h>

#include "store/store.h"
#include "svc/queue/task_news.h"
#include "svc/queue/slots.h"
#include "svc/queue/queue_work.h"

struct scheduler;

/* All must outlive it. */
struct scheduler_conf {
    struct store *store;
    struct slots *slots;
    struct news *news;
    const struct queue_handler *handlers;   /* QUEUE_KINDS of them */
    wr_time lease;
    bool fair;
};

/* Errors: NOMEM. */
wr_err scheduler_new(struct scheduler **ret, const struct scheduler_conf *conf);

/* Nothing may be running.  NULL is allowed. */
void scheduler_free(struct scheduler *scheduler);

/* Do jobs until it is told to end.  What runs then has `moment` to finish; what has not is
 * queued again, as if it had not been begun.  Errors: NOMEM, CANCELED. */
wr_err scheduler_run(struct scheduler *scheduler, struct wr_once *drain, wr_time moment);

bool scheduler_runs(const struct scheduler *scheduler);

/* Tasks take turns from now on, or not. */
void scheduler_tune(struct scheduler *scheduler, bool fair);

/* End the jobs of a task that run here, of one kind or (NULL) all: they are canceled in the
 * store already.  How many. */
size_t scheduler_interrupt(struct scheduler *scheduler, const char *task, const char *kind);

/* Wait until none of these runs here.  Errors: TIMEOUT, CANCELED. */
wr_err scheduler_await(struct scheduler *scheduler, const char *task, const char *kind,
                       wr_time deadline);

/* Something has happened to a task elsewhere: see at once whether its jobs are still ours.
 * Does not wait; any fiber. */
void scheduler_doubt(struct scheduler *scheduler, const char *task);

/* Tell everybody, here and elsewhere, that something has happened to a task. */
void scheduler_announce(struct scheduler *scheduler, const char *task);

#endif
