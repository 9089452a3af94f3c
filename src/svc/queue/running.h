/* running.h - the jobs that run on this node: who wants to end one finds it here.
 *
 *     running_enter(running, work);
 *     if (running_begin(running, work, scope))        (nobody has ended it meanwhile)
 *         ...
 *     running_rest(running, work);                    (the scope is about to go)
 *     running_leave(running, work);
 *
 *     running_end(running, task, NULL, WORK_STOPPED);
 *
 * All of it is under one lock: whoever ends a job finds either its scope or that it has ended.
 */
#ifndef WR_QUEUE_RUNNING_H
#define WR_QUEUE_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/time.h>
#include <weir/watch.h>

#include "svc/queue/queue_work_int.h"

struct running;

/* Errors: NOMEM. */
wr_err running_new(struct running **ret);
void running_free(struct running *running);

void running_enter(struct running *running, struct queue_work *work);
void running_leave(struct running *running, struct queue_work *work);

/* Its handler begins in this scope; false: it is not to.  And it has ended. */
bool running_begin(struct running *running, struct queue_work *work, struct wr_scope *scope);
void running_rest(struct running *running, struct queue_work *work);

/* How it stands with it, and until when it is ours. */
enum work_fate running_fate(struct running *running, struct queue_work *work,
                            wr_time *ret_until);

/* It is ours for so long again; or it is not ours any more. */
void running_renew(struct running *running, struct queue_work *work, wr_time until);
void running_lose(struct running *running, struct queue_work *work);

/* End those of a task (NULL: of all), of one kind or (NULL) all.  How many. */
size_t running_end(struct running *running, const char *task, const char *kind,
                   enum work_fate fate);

/* Wait until none of these is left.  Errors: TIMEOUT, CANCELED. */
wr_err running_await(struct running *running, const char *task, const char *kind,
                     wr_time deadline);

/* Those of the task may not be ours any more: who reads `doubts` is to ask. */
void running_doubt(struct running *running, const char *task);
struct wr_watch_reader running_doubts(struct running *running);

/* Those that are ours, or of these only those that were doubted, each with a reference, and
 * *ret how many.  NULL: there is no memory.  To be freed. */
struct queue_work **running_pick(struct running *running, bool all, size_t *ret);

/* Take one out, as it is, after those who ran them have died; NULL: none is left. */
struct queue_work *running_bury(struct running *running);

#endif
