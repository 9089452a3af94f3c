/* task.h - research tasks: what is asked, how far it may go, and the jobs that are its.
 *
 *     err = store_task_add(store, &(struct store_task_new){ .id = id, .hypothesis = text,
 *         .pages_max = 200, .seconds_max = 3600 }, deadline);
 *
 *     err = store_task_submit(store, id, jobs, &took, deadline);      (all in one commit)
 *     ...took.was, took.skipped
 *     store_submitted_free(&took);
 *
 *     err = store_task_stop(store, id, &(struct store_task_stop){ .running = true,
 *         .reason = "user_cancelled" }, &counts, deadline);
 *
 * A task is created, exploring (jobs were queued), paused (it was stopped; more jobs resume it)
 * or failed, which takes no more.  Its jobs are those of job.h.
 *
 * Time counts against a task while it explores and something of it is open.  Pages are counted
 * one by one, before they are fetched (store_task_spend), so that no number of workers goes
 * beyond the limit together.
 */
#ifndef WR_STORE_TASK_H
#define WR_STORE_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/job.h"
#include "store/store.h"
#include "store/verb.h"

#define STORE_TASK_ID_MAX 64
#define STORE_TASK_TEXT_MAX (16 << 10)
#define STORE_TASK_LIST_MAX 100
#define STORE_TASK_KINDS_MAX 16         /* kinds of jobs that are told apart in counts */

enum store_task_status {
    STORE_TASK_CREATED = 1, STORE_TASK_EXPLORING, STORE_TASK_PAUSED, STORE_TASK_FAILED,
};

/* "exploring": as it stands in the table, where people read it. */
const char *store_task_word(enum store_task_status status);

struct store_task_new {
    const char *id, *hypothesis;        /* required */
    int64_t pages_max, seconds_max;
};

/* Texts are the result's. */
struct store_task {
    const char *id, *hypothesis;
    enum store_task_status status;
    const char *reason;                 /* of the last stop; NULL: none since it explores */
    int64_t pages_max, pages_used, seconds_max;
    int64_t active_ms;                  /* how long it has explored */
    struct wr_wall created_at, stopped_at;
    uint64_t rounds;                    /* how often it began to, with none open or stopped */
    uint64_t rounds_stopped;            /* bits: the lowest is of the last round, if it was
                                         * stopped before all was done, the next of the one
                                         * before */
};

/* A result: store_tasks_free gives it back, also after an error. */
struct store_tasks {
    struct store_task tasks[STORE_TASK_LIST_MAX];
    size_t count;
    struct store_rows rows;
};

/* Errors: EXISTS; INVALID (too long an id or hypothesis); see store_do. */
wr_err store_task_add(struct store *store, const struct store_task_new *task,
                      wr_time deadline);

/* Errors: NOTFOUND. */
wr_err store_task_get(struct store *store, const char *id, struct store_tasks *ret,
                      wr_time deadline);

/* Up to `max`, at most STORE_TASK_LIST_MAX, the newest first, from before the one of this id
 * on; NULL: from the newest on. */
wr_err store_task_list(struct store *store, const char *before, size_t max,
                       struct store_tasks *ret, wr_time deadline);
void store_tasks_free(struct store_tasks *tasks);

/* What became of jobs that were submitted. */
struct store_submitted {
    enum store_task_status was;         /* the task, before */
    bool no_pages, no_time;             /* what of its budget is used up */
    const char *skipped;                /* JSON: the numbers, from 0, of those that were not
                                         * queued because an open job has their key */
    struct store_rows rows;
};

/* Queue jobs, all in one commit.  They are a JSON array of arrays: [id, kind, slot, priority,
 * key, input], where key, if it is not null, is held by one open job at a time, and input is
 * any JSON.  A task that is created or paused explores from now on, if one was queued.
 * Slots are those of the wakes to be raised.  Errors: NOTFOUND (the task), DENIED (it has
 * failed), BUSY (its budget is used up), INVALID (no such JSON). */
wr_err store_task_submit(struct store *store, const char *id, const char *jobs,
                         const char *const *slots, struct store_submitted *ret,
                         wr_time deadline);
void store_submitted_free(struct store_submitted *submitted);

struct store_task_stop {
    const char *kind;                   /* only jobs of this kind; NULL: of all */
    bool running;                       /* those that run, too */
    const char *reason;                 /* required */
};

/* How many jobs of a kind are in which state: by enum store_job_state. */
struct store_count {
    char kind[STORE_JOB_SLOT_MAX + 1];
    uint64_t jobs[STORE_JOB_CANCELED + 1];
    int64_t finished_ms;                /* when the last was over; 0: none was */
};
struct store_counts {
    struct store_count counts[STORE_TASK_KINDS_MAX];
    size_t count;
};

/* Cancel jobs, whatever waits for a person, and pause the task.  *ret has those that were
 * canceled, by the state they were in.  A task that has failed stays so; one that was stopped
 * before is stopped again.  Errors: NOTFOUND. */
wr_err store_task_stop(struct store *store, const char *id, const struct store_task_stop *stop,
                       struct store_counts *ret, wr_time deadline);

/* How many of its jobs are in which state, finished ones included.  None: WR_OK. */
wr_err store_task_count(struct store *store, const char *id, struct store_counts *ret,
                        wr_time deadline);

/* The same of all tasks, open jobs alone.  It takes time with what is open. */
wr_err store_task_depth(struct store *store, struct store_counts *ret, wr_time deadline);

/* Its jobs, the text of results in *ret: open ones in the order in which they are claimed, or
 * finished ones of this state, the last first.  Up to `max`, at most STORE_JOB_CLAIM_MAX. */
wr_err store_task_open_jobs(struct store *store, const char *id, size_t max,
                            struct store_jobs *ret, wr_time deadline);
wr_err store_task_done_jobs(struct store *store, const char *id, enum store_job_state state,
                            size_t max, struct store_jobs *ret, wr_time deadline);

/* Count one page.  Errors: BUSY (pages_max are used), NOTFOUND. */
wr_err store_task_spend(struct store *store, const char *id, wr_time deadline);

/* It may go so far from now on; a negative number leaves what is.  Errors: NOTFOUND. */
wr_err store_task_allow(struct store *store, const char *id, int64_t pages_max,
                        int64_t seconds_max, wr_time deadline);

#endif
