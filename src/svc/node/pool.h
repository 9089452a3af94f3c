/* pool.h - the worker pool: one bounded queue, N supervised workers.
 *
 *     err = pool_submit(pool, &(struct work){ run_call, refuse_call, call });
 *
 * What is submitted is run once by a worker or refused once, never neither.  A full
 * queue refuses at once (BUSY); a closed one says DRAINING.  What is in the queue
 * is never dropped: whoever closes the pool refuses what no worker will take.
 *
 * A queue need not be full to be of no use: when work takes long, few that wait are too many to
 * be answered in time.  So when those who reach a worker have waited more than an eighth of the
 * time that a call has, and that for a quarter of it, newcomers are turned away (SHED) until
 * one comes through sooner: controlled delay, see weir/shed.h.  Turned away is who would have
 * been answered too late; a queue that is full and quick goes on to say BUSY.
 *
 * Workers are children of the node's supervisor.  One that panics is started again
 * by it; what it was doing is the work's own business (cleanups, task.h).
 */
#ifndef WR_NODE_POOL_H
#define WR_NODE_POOL_H

#include <stddef.h>

#include <weir/chan.h>
#include <weir/err.h>
#include <weir/once.h>

#include "conf/node_keys.h"

#define POOL_WORKERS_MAX WR_NODE_WORKERS_MAX

struct pool;

/* Both are called with no lock held; `refuse` must not wait. */
struct work {
    void (*run)(void *arg);
    void (*refuse)(void *arg, wr_err err);
    void *arg;
};

/* 1 to POOL_WORKERS_MAX workers.  Errors: NOMEM. */
wr_err pool_new(struct pool **ret, size_t workers, size_t queue_cap);

/* Closed, and without workers.  NULL is allowed. */
void pool_free(struct pool *pool);

size_t pool_size(const struct pool *pool);

/* The child function of a worker, and its arg, for the supervisor's table. */
wr_err pool_work(void *seat, struct wr_once *drain);
void *pool_seat(struct pool *pool, size_t index);

/* A call has so long in all, from now on; 2 s until it is said. */
void pool_pace(struct pool *pool, wr_time deadline);

/* Never waits.  Errors: BUSY (full), SHED (slow), DRAINING. */
wr_err pool_submit(struct pool *pool, const struct work *work);

/* Work whose worker was ended under it: it has waited already, so it goes first, and a
 * full queue does not refuse it.  Errors: DRAINING; BUSY only when more comes back than
 * there are workers. */
wr_err pool_resubmit(struct pool *pool, const struct work *work);

/* No more work; what waits is refused with DRAINING.  Twice is fine. */
void pool_close(struct pool *pool);

/* What waits, and what was taken so far. */
struct wr_chan_stat pool_stat(const struct pool *pool);

/* End a worker in the middle of what it does, as a crash would: for chaos.  Its
 * waits return CANCELED, then it panics.  Errors: NOTFOUND (it is not running). */
wr_err pool_kill(struct pool *pool, size_t index);

#endif
