/* job.h - work that is to be done once: queued, claimed, finished.
 *
 *     struct store_job_new new = { .id = id, .task = task, .kind = "target_queue",
 *         .slot = "network_client", .priority = 50, .unique = key, .input = json };
 *     err = store_job_add(store, &new, deadline);          (EXISTS: an open one has the key)
 *
 *     err = store_job_claim(store, &(struct store_job_claim){ .slot = "network_client",
 *         .max = free, .lease = WR_S(30) }, &jobs, deadline);
 *     for (each job)
 *         ...store_job_beat(store, &held, 1, WR_S(30), ...) while it runs
 *         store_job_finish(store, job->id, job->attempt, &outcome, deadline)
 *
 * A job is queued, running, waiting (for a person: auth.h) or gone to history: completed,
 * failed or canceled.  One that cannot be done now may be put off: it is queued, but not before
 * a time.  Only one open job has a `unique` key; a finished one does not stand in
 * its way.
 *
 * Claims come in the order of priority (low first), then of the time at which the job was
 * first queued, then of arrival; a job that is queued again keeps its place.  Over PostgreSQL
 * several nodes claim at once and skip what another is just taking: a job is overtaken by at
 * most as many as there are claimers, and none starves.
 *
 * A claim is a lease.  It carries the attempt, a number that only rises: whoever beats or
 * finishes says which attempt it is, and one whose lease has run out, whose job was canceled
 * (task.h) or claimed again, gets NOTFOUND and changes nothing.  A job whose lease runs out is
 * queued again with that attempt counted; the last of attempts_max fails it.  So a job is
 * finished once, by one attempt, whatever crashes; what it did outside may have been done
 * twice, and needs a key of its own (idempotency.h).
 *
 * Nobody polls: store_job_wait returns when there may be something to claim.
 */
#ifndef WR_STORE_JOB_H
#define WR_STORE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"
#include "store/verb.h"

#define STORE_JOB_ID_MAX 64
#define STORE_JOB_NAME_MAX 255      /* bytes of a task, kind or unique key */
#define STORE_JOB_SLOT_MAX 63       /* so that it can be waited for */
#define STORE_JOB_INPUT_MAX (1 << 20)
#define STORE_JOB_OUTPUT_MAX (1 << 20)
#define STORE_JOB_ERROR_MAX (1 << 16)
#define STORE_JOB_CLAIM_MAX 64
#define STORE_JOB_BEAT_MAX 256
#define STORE_JOB_PUT_OFF_MAX WR_S(3600)
#define STORE_JOB_PRUNE_MAX 1000

enum store_job_state {
    STORE_JOB_QUEUED = 1, STORE_JOB_RUNNING, STORE_JOB_WAITING,
    STORE_JOB_COMPLETED, STORE_JOB_FAILED, STORE_JOB_CANCELED,
};

struct store_job_new {
    const char *id;                 /* required, made by the caller: sorts by time */
    const char *task;               /* required */
    const char *kind, *slot;        /* required */
    int32_t priority;               /* the lowest first */
    const char *unique;             /* NULL: any number of them */
    const char *input;              /* NULL: none */
    uint32_t attempts_max;          /* 2 */
};

/* One that was claimed, or looked up.  Texts are the result's; NULL where there is none. */
struct store_job {
    const char *id, *task, *kind, *slot, *input;
    int32_t priority;
    uint32_t attempt;
    enum store_job_state state;
    struct wr_wall queued_at, started_at, finished_at;
    const char *output, *error;     /* in history */
};

/* A result: store_jobs_free gives it back, also after an error. */
struct store_jobs {
    struct store_job jobs[STORE_JOB_CLAIM_MAX];
    size_t count;
    wr_time lease_until;            /* on this process's clock, reckoned from before the claim
                                     * was sent: who passes it must stop */
    struct store_rows rows;
};

struct store_job_end {
    enum store_job_state state;     /* COMPLETED or FAILED */
    const char *output, *error;
    const char *next;               /* jobs of the same task that are queued with it, as in
                                     * store_task_submit; NULL: none */
    const char *const *slots;       /* ... and those of them; the last is NULL */
};

/* Queue one.  Errors: EXISTS (the id, of whatever state, or an open one with its unique key),
 * INVALID (a text that is too long, see above); see store_do. */
wr_err store_job_add(struct store *store, const struct store_job_new *job, wr_time deadline);

struct store_job_claim {
    const char *slot;               /* required */
    size_t max;                     /* required: at most STORE_JOB_CLAIM_MAX */
    wr_time lease;                  /* required */
    bool fair;                      /* within a priority tasks take turns, and who has fewer
                                     * running comes first; it takes time with what is queued */
};

/* Take some, for the time of the lease.  None: WR_OK and a count of 0. */
wr_err store_job_claim(struct store *store, const struct store_job_claim *which,
                       struct store_jobs *ret, wr_time deadline);
void store_jobs_free(struct store_jobs *jobs);

/* A job that somebody holds. */
struct store_job_held {
    const char *id;
    uint32_t attempt;
    bool ours;                      /* what is found out; false: stop */
};

/* Still at these, at most STORE_JOB_BEAT_MAX: the leases are that long again, from now. */
wr_err store_job_beat(struct store *store, struct store_job_held *held, size_t count,
                      wr_time lease, wr_time deadline);

/* Nobody does it any more, whatever the lease says: it is queued again by the next expiry, with
 * the attempt counted.  For who has lost it, or cannot be sure: a clock that was set ahead ends
 * a lease, and one that is set back makes it last.  One that is another's, or over, stays as it
 * is. */
wr_err store_job_release(struct store *store, const char *id, uint32_t attempt,
                         wr_time deadline);

/* Done.  Errors: NOTFOUND: it is not yours any more, and nothing has changed; INVALID (too long
 * an output or error; it is still yours). */
wr_err store_job_finish(struct store *store, const char *id, uint32_t attempt,
                        const struct store_job_end *end, wr_time deadline);

/* Queue more jobs of its task while it is held, as store_job_end has them; one whose key an
 * open job has is left out.  Errors: NOTFOUND: it is not yours any more; INVALID (no such
 * JSON). */
wr_err store_job_chain(struct store *store, const char *id, uint32_t attempt, const char *next,
                       const char *const *slots, wr_time deadline);

/* Back into the queue, in its old place: with the attempt counted, or as if it had not been
 * claimed (a drain).  Of a task that was stopped for its kind it is canceled, here and with the
 * next two.  The caller decides, whatever attempts_max is.  Errors: NOTFOUND. */
wr_err store_job_requeue(struct store *store, const char *id, uint32_t attempt, bool counted,
                         wr_time deadline);

/* Back into the queue, in its old place, but not before so long has passed, at most
 * STORE_JOB_PUT_OFF_MAX; not counted, or
 * counted if there is an attempt left.  Errors: NOTFOUND (none is, or it is not yours any
 * more; nothing has changed). */
wr_err store_job_put_off(struct store *store, const char *id, uint32_t attempt, wr_time by,
                         bool counted, wr_time deadline);

/* Queue again those whose lease has run out and those that were put off until now, fail those
 * with no attempt left: up to STORE_JOB_CLAIM_MAX at once, which are in *ret, without their
 * input.  *ret_next is how long until the next is due; WR_NEVER: there is none. */
wr_err store_job_expire(struct store *store, struct store_jobs *ret, wr_time *ret_next,
                        wr_time deadline);

/* The leases of all that runs are over, and nothing is put off any more.  For a process that
 * has just opened a store that is its own: who held them is gone.  On a server, which others
 * use too, nothing is done. */
wr_err store_job_disown(struct store *store, wr_time deadline);

/* Wait until something was queued for this slot since *seen was last set (0 at first).
 * Errors: TIMEOUT, CANCELED; BUSY (more than WAKES_MAX slots). */
wr_err store_job_wait(struct store *store, const char *slot, uint64_t *seen, wr_time deadline
                      WR_AT);
#define store_job_wait(...) store_job_wait(__VA_ARGS__, WR_HERE)

/* Forget finished jobs that were over before this moment: up to `max`, at most
 * STORE_JOB_PRUNE_MAX, so that nobody waits long behind it; in a file those that were over
 * first.  *ret is how many: as many as `max` says that there may be more.  Nothing calls it by
 * itself: how long history is kept is for the queue's service to say.  The id of a job that is
 * forgotten can be given again. */
wr_err store_job_prune(struct store *store, struct wr_wall before, size_t max, uint64_t *ret,
                       wr_time deadline);

/* One job, open or finished.  Errors: NOTFOUND. */
wr_err store_job_get(struct store *store, const char *id, struct store_jobs *ret,
                     wr_time deadline);

#endif
