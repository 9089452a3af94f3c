/* view.h - a task as it is at a moment: what a status is written from.
 *
 *     struct queue_view *view;
 *     err = queue_view_read(store, task, &view, deadline);
 *     ...view->hypothesis, view->counts
 *     queue_view_unref(view);
 *
 * A view does not change.  Many may have the same one.
 */
#ifndef WR_QUEUE_VIEW_H
#define WR_QUEUE_VIEW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/time.h>

#include "store/task.h"
#include "svc/queue/job_kind.h"

struct queue_view {
    atomic_uint refs;
    enum store_task_status status;
    char reason[40];                    /* of the last stop; empty: none */
    int64_t pages_max, pages_used, seconds_max;
    int64_t active_ms;                  /* until read_at; it goes on while it explores and
                                         * something is open */
    struct wr_wall created_at, stopped_at, read_at;
    struct store_counts counts;
    uint64_t auths;                     /* things that wait for a person */
    uint64_t rounds, rounds_stopped;    /* as store/task.h has them */
    char id[STORE_TASK_ID_MAX + 1];
    char hypothesis[];
};

/* Read it anew.  Errors: NOTFOUND; of the store; NOMEM. */
wr_err queue_view_read(struct store *store, const char *task, struct queue_view **ret,
                       wr_time deadline);
struct queue_view *queue_view_ref(struct queue_view *view);
void queue_view_unref(struct queue_view *view);

/* Whether anybody who looks sees the same, but for the time. */
bool queue_view_same(const struct queue_view *one, const struct queue_view *other);

/* How many jobs of a kind are in a state; of all kinds, open ones: queued, running, waiting. */
uint64_t queue_view_count(const struct queue_view *view, enum queue_kind_id kind,
                          enum store_job_state state);
uint64_t queue_view_open(const struct queue_view *view);

#endif
