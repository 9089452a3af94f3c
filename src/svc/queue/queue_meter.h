/* queue_meter.h - what operators see of the jobs of a node, as metrics (docs/queue.md).
 *
 *     queue_meter_claimed(job);                      it was taken up
 *     queue_meter_ended(kind, "completed", took);    and this came of it
 *     queue_meter_depth(&counts);                    now and then: what is open in all
 *     wr_histogram_observe(queue_meter_wakes(), late);    who waited for a task goes on
 */
#ifndef WR_QUEUE_METER_H
#define WR_QUEUE_METER_H

#include <weir/metric.h>
#include <weir/time.h>

#include "store/task.h"
#include "svc/queue/job_kind.h"

/* How long it has waited is counted from when it was first queued. */
void queue_meter_claimed(const struct store_job *job);

/* "completed", "failed", "awaiting_auth" or "interrupted"; kind NULL: nobody knows it. */
void queue_meter_ended(const struct queue_kind *kind, const char *result, wr_time took);

/* Open jobs of all tasks, as store_task_depth has counted them. */
void queue_meter_depth(const struct store_counts *counts);

/* How long after something had happened to a task each who waited for it went on. */
struct wr_histogram *queue_meter_wakes(void);

#endif
