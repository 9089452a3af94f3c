/* queue.h - research tasks, their targets, and what becomes of them.
 *
 *     struct queue *queue;
 *     err = queue_new(&queue, &(struct queue_conf){ .store = store, .handlers = handlers });
 *     ...queue_run(queue, drain) as a supervised child
 *     err = queue_create(queue, &task, id, &why, deadline);
 *     err = queue_submit(queue, id, rows, &submitted, &why, deadline);
 *     err = queue_look(queue, id, &(struct queue_look){ .wait = WR_S(30), .since = since },
 *                      &at, &why, deadline);
 *     ...
 *     queue_free(queue);
 *
 * Everything is in the store before a call returns.  The jobs are done by queue_run, here and
 * on every other node that has the same store.  Who looks at a task may wait until something
 * has happened to it, on whatever node.
 *
 * An error comes with its word and a sentence (queue_why.h).
 */
#ifndef WR_QUEUE_QUEUE_H
#define WR_QUEUE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/once.h>
#include <weir/scope.h>
#include <weir/time.h>

#include "store/auth.h"
#include "store/task.h"
#include "svc/queue/identity.h"
#include "svc/queue/job_kind.h"
#include "svc/queue/view.h"
#include "svc/queue/queue_why.h"
#include "svc/queue/queue_work.h"

#define QUEUE_CHANGE 40                 /* bytes of a `change`, with the zero byte */
#define QUEUE_WAIT_MAX WR_S(300)
#define QUEUE_GRACE WR_S(30)            /* a graceful stop waits so long for what runs */
#define QUEUE_TARGETS_MAX 10000         /* in one call */

struct queue;

/* Zero is the default of everything but the store. */
struct queue_conf {
    struct store *store;
    const struct queue_handler *handlers;   /* QUEUE_KINDS of them; one without `run` is done
                                             * by other nodes, if by any */
    unsigned limits[QUEUE_SLOTS];           /* 1, 1, 4, 8 */
    bool fair;
    wr_time lease;                          /* 30 s */
    size_t views_max;                       /* tasks of which something is remembered; 4096 */
    /* A person has done what this domain or engine asked for; may be NULL. */
    void (*helped)(void *arg, const char *domain);
    void *helped_arg;
};

/* Errors: NOMEM. */
wr_err queue_new(struct queue **ret, const struct queue_conf *conf);

/* Nobody may be using it.  NULL is allowed. */
void queue_free(struct queue *queue);

/* Do jobs until it is told to end.  What runs then has `moment` to finish; what has not is
 * queued again, as if it had not been begun. */
wr_err queue_run(struct queue *queue, struct wr_once *drain, wr_time moment);

/* Whether somebody does jobs. */
bool queue_runs(const struct queue *queue);

/* From now on so many at a time. */
void queue_tune(struct queue *queue, const unsigned limits[QUEUE_SLOTS], bool fair);

/* Those who wait are answered now, and nobody waits any more: the node drains. */
void queue_hush(struct queue *queue);

/* ---- what a client asks for ---- */

struct queue_task { const char *hypothesis; int64_t pages_max, seconds_max; };

/* Errors: INVALID; of the store. */
wr_err queue_create(struct queue *queue, const struct queue_task *task, char ret_id[QUEUE_ID],
                    struct queue_why *why, wr_time deadline);

/* It may go so far from now on; a negative number leaves what is.  Errors: NOTFOUND. */
wr_err queue_allow(struct queue *queue, const char *task, int64_t pages_max,
                   int64_t seconds_max, struct queue_why *why, wr_time deadline);

/* Targets as target.h has read them: the rows of store_task_submit. */
struct queue_submitted {
    bool resumed;                       /* it was paused */
    const char *skipped;                /* JSON: numbers of those that were open already */
    struct store_submitted took;
};

/* Errors: NOTFOUND, DENIED (the task has failed, or its budget is used up), INVALID. */
wr_err queue_submit(struct queue *queue, const char *task, const char *rows,
                    struct queue_submitted *ret, struct queue_why *why, wr_time deadline);
void queue_submitted_free(struct queue_submitted *submitted);

struct queue_look {
    wr_time wait;                       /* at most QUEUE_WAIT_MAX; 0: do not */
    const char *since;                  /* the `change` of a view that was seen; NULL: what is
                                         * new from now on */
    bool follow;                        /* wait also while nothing is open: more may come */
};

struct queue_look_at {
    struct queue_view *view;            /* to be unref'd */
    char change[QUEUE_CHANGE];          /* to be given as `since` */
};

/* A view of the task: at once, or when it has changed since; when nothing of it is open any
 * more, only who follows waits.  After `wait`, and in a drain, it is what it is.
 * Errors: NOTFOUND; INVALID (wait, since); CANCELED; of the store. */
wr_err queue_look(struct queue *queue, const char *task, const struct queue_look *look,
                  struct queue_look_at *ret, struct queue_why *why, wr_time deadline);

enum queue_mode { QUEUE_GRACEFUL, QUEUE_IMMEDIATE, QUEUE_FULL };

struct queue_stop {
    const char *reason;                 /* NULL: "session_completed" */
    enum queue_mode mode;
    bool targets_only;                  /* the scope: else all jobs */
};

struct queue_stopped {
    struct store_counts canceled;       /* by the state they were in */
    uint64_t waited;                    /* jobs that a graceful stop waited for */
    uint64_t interrupted;               /* of these and the canceled ones: on this node */
};

/* Cancel what is in the scope as the mode says, and pause the task.  Once begun it is done,
 * also when whoever asked is canceled; then nothing is waited for any more.
 * Errors: NOTFOUND; of the store. */
wr_err queue_stop(struct queue *queue, const char *task, const struct queue_stop *stop,
                  struct queue_stopped *ret, struct queue_why *why, wr_time deadline);

/* Remove a task, with all that only it has (store/removal.h).  *ret_cleared is whether all of
 * that was cleared in time; if not the rest follows, here or on another node
 * (queue_janitor.h).  Who waits for the task learns that there is none.  Errors: NOTFOUND;
 * DENIED (something of it is open); of the store. */
wr_err queue_remove(struct queue *queue, const char *task, bool *ret_cleared,
                    struct queue_why *why, wr_time deadline);

/* What waits for a person (store/auth.h): the oldest of them, and how many there are; and what
 * became of it: *ret is how many have changed, which may be none. */
wr_err queue_auth_list(struct queue *queue, const char *task, struct store_auths *ret,
                       uint64_t *ret_waiting, struct queue_why *why, wr_time deadline);
wr_err queue_auth_resolve(struct queue *queue, const struct store_auth_which *which,
                          enum store_auth_end end, uint64_t *ret, struct queue_why *why,
                          wr_time deadline);

struct store *queue_store(const struct queue *queue);

/* What comes between these is done for up to `within` also where the scope has been canceled:
 * in a drain whoever waited has, and is still to be answered.  Errors: NOMEM. */
wr_err queue_shield(struct wr_scope **ret, wr_time within);
void queue_shield_end(struct wr_scope *shield);

#endif
