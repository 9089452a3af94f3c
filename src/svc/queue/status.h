/* status.h - a task as clients see it, as JSON.
 *
 *     struct queue_status status;
 *     err = queue_status_read(&status, store, view, full, deadline);
 *     if (!err)
 *         queue_status_write(&text, &status);
 *     queue_status_free(&status);
 *
 * Everything is of one moment but for what a full status lists: of each sort of jobs the first
 * STORE_JOB_CLAIM_MAX.  What is over for a kind of jobs that follow targets: nothing of it is
 * open, and more cannot come of targets, or some has been.
 */
#ifndef WR_QUEUE_STATUS_H
#define WR_QUEUE_STATUS_H

#include "base/text.h"
#include "store/evidence.h"
#include "store/verb.h"
#include "svc/queue/view.h"

#define QUEUE_IDLE_MAX WR_S(300)        /* a task that does nothing for so long is warned of */
#define QUEUE_STATUS_MAX ((size_t)4 << 20)  /* bytes of one */

struct store;
struct store_auths;                     /* store/auth.h */
struct store_jobs;                      /* store/job.h */

struct queue_status {
    const struct queue_view *view;      /* the caller's */
    const char *change;                 /* what to wait for next; the caller's */
    bool full;
    struct wr_wall now;
    struct store_evidence found;
    struct store_jobs *failed;          /* NULL: none has */
    struct store_jobs *open, *completed, *canceled;     /* of a full one; NULL: none */
    struct store_auths *auths;          /* the same */
    struct store_rows domains, rules;   /* the same: of what pages are, and what is said */
};

/* *ret is to be freed, also after an error.  Errors: of the store; NOMEM. */
wr_err queue_status_read(struct queue_status *ret, struct store *store,
                         const struct queue_view *view, bool full, wr_time deadline);
void queue_status_free(struct queue_status *status);

void queue_status_write(struct wr_text *text, const struct queue_status *status);

/* What a task has come to when it is stopped, as "summary"; of a thousand pages so many are
 * primary. */
struct wr_json;
void queue_status_summary(struct wr_json *json, const struct queue_view *view, uint64_t claims,
                          int primary);

/* What is to be seen of jobs: none queued or running of targets; and of the kinds that follow
 * them. */
struct queue_milestones { bool targets_drained, verified, citations_ready; };
struct queue_milestones queue_status_milestones(const struct queue_view *view);

/* The error of a job, "CODE: a sentence", in its parts: which lie in it.  One that has no code
 * has PIPELINE_ERROR. */
struct queue_job_error { char code[40]; const char *message; };
struct queue_job_error queue_job_error(const char *text);

/* What a job is about, of its input: up to `size` bytes, in which no character is cut. */
const char *queue_job_subject(const char *input, char *buf, size_t size);

/* One job, open or finished, as an object of JSON. */
struct store_job;
void queue_job_write(struct wr_json *json, const struct store_job *job, bool whole);

#endif
