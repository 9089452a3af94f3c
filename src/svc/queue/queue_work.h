/* queue_work.h - a job while it runs, as whoever does it sees it.
 *
 *     static wr_err explore(void *arg, struct queue_work *work)
 *     {
 *         json_t *input = json_loads(queue_work_input(work), 0, NULL);
 *         ...
 *         if (asks_for_a_human)
 *             queue_work_await(work, &(struct queue_auth_item){ url, domain, "captcha" });
 *         err = queue_work_chain(work, QUEUE_CITATIONS, key, more);   (queued at once)
 *         queue_work_then(work, QUEUE_VERIFY, key, NULL);             (when this is finished)
 *         wr_text_str(queue_work_output(work), "{\"ok\":true}");
 *         return WR_OK;
 *     }
 *
 *     static const struct queue_handler handlers[QUEUE_KINDS] = {
 *         [QUEUE_TARGET] = { .run = explore, .arg = self, .within = WR_S(300) } };
 *
 * It runs in a scope of its own, which ends when the task is stopped, when the job was given to
 * somebody else, when the node drains, and after `within`: each wait returns then, and nothing
 * that it says afterwards counts.  So every step must be safe to be given up, and to be done
 * again: a job whose node dies runs a second time.
 *
 * WR_OK: it is completed, with what was written as its output; or it is set aside for a person,
 * if something was awaited, or put off.  An error: it has failed, with what queue_work_fail
 * said.  WR_IO of which it has said nothing is the store's, which may be there again in a
 * moment: then it is queued again, once.  It has failed, too, if what it says is too much: more
 * than 1 MiB of output, of jobs that are to follow, or of what a person is to do.
 */
#ifndef WR_QUEUE_QUEUE_WORK_H
#define WR_QUEUE_QUEUE_WORK_H

#include <weir/err.h>
#include <weir/time.h>

#include "base/text.h"
#include "svc/queue/job_kind.h"

#define QUEUE_AWAITED_MAX 16            /* things of one job that wait for a person */
#define QUEUE_THEN_MAX 8

struct queue_work;

struct queue_handler {
    wr_err (*run)(void *arg, struct queue_work *work);
    void *arg;
    wr_time within;                     /* 0: QUEUE_WITHIN */
};
#define QUEUE_WITHIN WR_S(300)

const char *queue_work_job(const struct queue_work *work);
const char *queue_work_task(const struct queue_work *work);
uint32_t queue_work_attempt(const struct queue_work *work);     /* only rises, for a job */
const char *queue_work_input(const struct queue_work *work);    /* JSON, as it was submitted */

/* To be written into: JSON. */
struct wr_text *queue_work_output(struct queue_work *work);

/* Say why it failed: a word such as "ALL_FETCHES_FAILED" and a sentence; returns err, to be
 * returned. */
wr_err queue_work_fail(struct queue_work *work, wr_err err, const char *code,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Something that only a person can do.  More than QUEUE_AWAITED_MAX are not listed. */
struct queue_auth_item { const char *url, *domain, *type, *priority; };
void queue_work_await(struct queue_work *work, const struct queue_auth_item *item);

/* It cannot be done now, but may be after so long; of several the first.  It is queued again
 * then, as if it had not been begun, and what it has written so far is dropped. */
void queue_work_later(struct queue_work *work, wr_time by);

/* Queue another job of the same task: now, if this one is still ours; or with its end, in the
 * same commit, if that is a good one.  `key` (NULL: none) is held by one open job of the task
 * at a time; one more is left out.  input is JSON (NULL: {}).  Errors: of the store; NOTFOUND:
 * it is not ours any more. */
wr_err queue_work_chain(struct queue_work *work, enum queue_kind_id kind, const char *key,
                        const char *input, wr_time deadline);
void queue_work_then(struct queue_work *work, enum queue_kind_id kind, const char *key,
                     const char *input);

/* Queue another target of the task, as urgent as this one; `kind` and `text` are what it is
 * known by (target.h), as if a client had queued it.  Errors: as above. */
wr_err queue_work_target(struct queue_work *work, const char *kind, const char *text,
                         const char *input, wr_time deadline);

/* A place in another slot than its own, for as long as something needs that; one at a time.
 * What is not given back is when the job ends.  Errors: TIMEOUT, CANCELED. */
wr_err queue_work_take(struct queue_work *work, enum queue_slot slot, wr_time deadline);
void queue_work_give(struct queue_work *work);

/* How many of a slot this node does now, of any task. */
size_t queue_work_beside(const struct queue_work *work, enum queue_slot slot);

/* There is something new to be seen of the task: who waits for that is woken. */
void queue_work_news(struct queue_work *work);

/* Count a page against the task's budget.  Errors: BUSY (none is left). */
wr_err queue_work_spend(struct queue_work *work, wr_time deadline);

#endif
