/* queue_work_int.h - a job while it runs, from inside: who runs it, and what it has said. */
#ifndef WR_QUEUE_QUEUE_WORK_INT_H
#define WR_QUEUE_QUEUE_WORK_INT_H

#include <stdatomic.h>
#include <stdbool.h>

#include <weir/scope.h>

#include "store/job.h"
#include "store/store.h"
#include "store/task.h"
#include "svc/queue/queue_work.h"
#include "svc/queue/slots.h"

#define WORK_ERROR_MAX 600
#define WORK_OUTPUT_MAX ((size_t)STORE_JOB_OUTPUT_MAX)
#define WORK_ROWS_MAX ((size_t)1 << 20)

/* What has become of it while it ran. */
enum work_fate {
    WORK_OURS,
    WORK_STOPPED,                       /* its task was stopped: it is canceled already */
    WORK_LOST,                          /* somebody else has it, or nobody */
    WORK_DRAINED,                       /* the node ends */
};

struct queue_work {
    atomic_uint refs;
    struct store *store;
    void (*news)(void *arg, const char *task);
    void *news_arg;
    const struct queue_kind *kind;      /* NULL: nobody here knows it */
    enum queue_slot slot;
    struct slots *slots;
    bool borrows;                       /* a place in that slot, too */
    enum queue_slot borrowed;
    uint32_t attempt;
    int32_t priority;
    char id[STORE_JOB_ID_MAX + 1], task[STORE_TASK_ID_MAX + 1];
    char *input;

    struct queue_work *next;            /* under the scheduler's lock, with all of these */
    struct wr_scope *scope;             /* NULL: the handler has not begun, or has ended */
    enum work_fate fate;
    wr_time lease_until;
    bool doubted;                       /* it may not be ours any more: ask */

    wr_err returned;                    /* by the handler, */
    bool ended;                         /* ... if it has ended by itself */
    struct wr_text output, rows, awaited;
    unsigned awaited_count;
    wr_time later;                      /* put it off by so long; 0: do not */
    char error[WORK_ERROR_MAX];
};

/* Errors: NOMEM. */
wr_err work_new(struct queue_work **ret, struct store *store, const struct store_job *job);
struct queue_work *work_ref(struct queue_work *work);
void work_unref(struct queue_work *work);

_Static_assert(WORK_ROWS_MAX == WORK_OUTPUT_MAX, "one number is told of both");

/* What comes next, and what is awaited, as the store wants it; NULL: nothing, or more than fits
 * (its text is cut), and then the job has failed. */
const char *work_next(struct queue_work *work);
const char *work_awaited(struct queue_work *work);

#endif
