/* drainer.h - the one who asks a source, for everybody in the node.
 *
 *     struct drainer *drainer;
 *     err = drainer_new(&drainer, &(struct drainer_conf){
 *         .driver = &source_crossref, .client = client, .cache = cache, .mailto = mailto });
 *     err = drainer_run(drainer, drain);           (in a task that is supervised)
 *     ...
 *     for (each question of source_questions)
 *         switch (drainer_recall(drainer, &question, &bytes, deadline)) {
 *         case WR_OK: case WR_NOTFOUND:    ...report it to the gather: nobody need be asked
 *         default:
 *             err = drainer_ask(drainer, &(struct drainer_job){
 *                 .question = question, .gather = wr_gather_ref(gather), .slot = slot,
 *                 .about = reference, .deadline = deadline }, deadline);
 *             if (err) ...the job was not taken: report err, and give the reference back
 *         }
 *     ...
 *     (its task has ended)
 *     drainer_free(drainer);
 *
 * or drainer_open and drainer_close, which have the task along.
 *
 * The drainer and its task are two things.  Who sends to it holds a pointer to the first, which
 * is there from beginning to end; the second may break down, and whoever supervises it runs it
 * again: what waits in the queue goes on, what was being asked has been reported.
 *
 * A source counts all that comes from us, so all of it passes through one place: a queue of
 * DRAINER_QUEUE jobs and a limiter that nobody else draws from.  Whoever finds the queue full
 * waits for room until his deadline.
 *
 * Each job that was taken is reported to its gather exactly once, as a struct drainer_answer
 * or an error:
 *
 *   OK           records were found; they are packed (answer.h), and whoever gets the answer
 *                gives them back with wr_bytes_unref
 *   NOTFOUND     the source says that it knows none
 *   CANCELED     it was not asked: the question was settled before, or unwanted, or the drainer
 *                was closed
 *   TIMEOUT      there was no answer in time, or no turn before the deadline
 *   BUSY         the source said twice that we ask too often
 *   OPENCIRCUIT  it has failed too often of late to be asked
 *   PANIC        who asked broke down over it
 *   IO, DENIED, INVALID, UNSUPPORTED, SHED, NOMEM     see source.h
 *
 * Only OK and NOTFOUND say something of the work.  They are remembered in the cache, under the
 * source, what the question goes by, and its text; errors never are.
 *
 * Of an answer to a title only records are kept whose title resembles it; when none does, it is
 * NOTFOUND: what a search brings up for want of better is no finding.
 */
#ifndef WR_SOURCE_DRAINER_H
#define WR_SOURCE_DRAINER_H

#include <weir/breaker.h>
#include <weir/bytes.h>
#include <weir/cache.h>
#include <weir/fetch.h>
#include <weir/gather.h>
#include <weir/limiter.h>
#include <weir/once.h>
#include <weir/secret.h>

#include "source/source.h"

#define DRAINER_QUEUE 512
#define DRAINER_TTL WR_S(7 * 24 * 3600)             /* for the conf of the cache */
#define DRAINER_TTL_NOTHING WR_S(24 * 3600)

struct drainer;

/* Zero is the default of everything but the driver and the client.  What it points to must
 * outlive the drainer. */
struct drainer_conf {
    const struct source_driver *driver;
    struct wr_fetch_client *client;     /* fresh, and follows redirects anywhere */
    struct wr_cache *cache;
    struct wr_breakers *breakers;       /* that have a janitor; */
    uint32_t target;                    /* ... which of them */
    const struct wr_limiter_share *share;
    const char *base, *mailto;
    struct wr_secret *key;
    wr_time interval, timeout;          /* the driver's */
};

/* The texts of the question, and what `about` points to, must stay until the report. */
struct drainer_job {
    struct source_question question;
    struct wr_gather *gather;           /* of struct drainer_answer; a reference goes along */
    uint32_t slot;                      /* ... the place of this question in it */
    const void *about;                  /* comes back with the answer */
    bool (*unwanted)(const void *about);    /* whether nobody waits any more; may be NULL */
    wr_time deadline;                   /* of the reference; at most so long it waits here */
    wr_time timeout;                    /* of one request, for who is patient; 0: as ever */
};

struct drainer_answer {
    const void *about;
    struct wr_bytes *records;
    wr_time took;                       /* while the source was asked, without the waits */
    bool remembered;                    /* it was in the cache */
};

struct drainer_stat {
    size_t queued, asking;              /* at present */
    uint64_t requests, found, nothing, failed, refused, skipped;
    uint64_t remembered;                /* of found and nothing: from the cache */
    uint32_t factor;                    /* how many times slower than published */
    wr_time turn_in;                    /* until the next turn, 0: there is one now */
    wr_err last_err;                    /* of the last one that failed, */
    char last_why[SOURCE_WHY_MAX];      /* ... in a sentence */
};

/* Errors: NOMEM. */
wr_err drainer_new(struct drainer **ret, const struct drainer_conf *conf);

/* Ask, until `drain` is set: a wr_child_fn.  What is under way then is reported as CANCELED,
 * what is queued stays.  One at a time; it may be run again.
 * Errors: PANIC (one of those who ask broke down); NOMEM, BUSY, CANCELED, TIMEOUT. */
wr_err drainer_run(void *drainer, struct wr_once *drain);

/* Take no more, for good; what is queued is reported as CANCELED.  Twice is fine. */
void drainer_stop(struct drainer *drainer);

/* Stop it, and free it.  Its task must have ended, and nobody may be asking it.  NULL is
 * allowed. */
void drainer_free(struct drainer *drainer);

/* The drainer and its task, in a scope below the caller's, who must close it before his task
 * returns.  Errors: NOMEM, BUSY, CANCELED, TIMEOUT. */
wr_err drainer_open(struct drainer **ret, const struct drainer_conf *conf);

/* Stop, wait until all is reported, and free it.  Nobody may be asking it.  NULL is allowed. */
void drainer_close(struct drainer *drainer);

const struct source_driver *drainer_driver(const struct drainer *drainer);

/* Whether it has a key, or what counts as one: for source_questions. */
bool drainer_keyed(const struct drainer *drainer);

/* What is remembered of a question.  *ret is set with OK.
 * Errors: NOTFOUND (it is remembered that the source knows none), OPENCIRCUIT (nothing is
 * remembered), TIMEOUT, CANCELED. */
wr_err drainer_recall(struct drainer *drainer, const struct source_question *question,
                      struct wr_bytes **ret, wr_time deadline);

/* Queue a job.  Errors: TIMEOUT (there was no room), CLOSED, CANCELED; the job is the caller's
 * then, with its reference. */
wr_err drainer_ask(struct drainer *drainer, const struct drainer_job *job, wr_time deadline);

/* Whether it can be asked by all of these (SOURCE_BITs).  Some sources give strangers less than
 * those with a key; where a base is configured somebody has seen to that. */
bool drainer_takes(const struct drainer *drainer, uint32_t by);

/* Fetch something of the source as it is (asking_fetch), in its turn and as one of those that
 * may be under way: what comes from here is counted there like any question.  It is done by the
 * caller's fiber.  `timeout` is that of one request; 0: the driver's.
 * Errors: those of asking_fetch; OPENCIRCUIT. */
wr_err drainer_fetch(struct drainer *drainer, const char *path, size_t body_max,
                     wr_time timeout, struct wr_fetch_reply *ret, wr_time deadline);

struct drainer_stat drainer_stat(struct drainer *drainer);

#endif
