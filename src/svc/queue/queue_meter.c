/* queue_meter.c - see queue_meter.h. */
#include "svc/queue/queue_meter.h"

#include <string.h>

#define SECONDS { WR_MS(5), WR_MS(25), WR_MS(100), WR_MS(500), WR_S(1), WR_S(5), WR_S(15), \
                  WR_S(60), WR_S(300), WR_S(1800) }

static struct wr_metric ended_metric = {
    .name = "queue_jobs_total", .help = "Jobs that this node has done, by what came of them.",
    .type = WR_COUNTER, .labels = { "kind", "result" }, .series_max = 32, .svc = "queue" };
static struct wr_metric wait_metric = {
    .name = "queue_wait_seconds", .help = "How long jobs waited until they were taken up.",
    .type = WR_HISTOGRAM, .labels = { "kind" }, .series_max = 8, .svc = "queue",
    .digits = WR_NS_AS_S, .bounds = SECONDS };
static struct wr_metric run_metric = {
    .name = "queue_run_seconds", .help = "How long jobs ran.",
    .type = WR_HISTOGRAM, .labels = { "kind" }, .series_max = 8, .svc = "queue",
    .digits = WR_NS_AS_S, .bounds = SECONDS };
static struct wr_metric depth_metric = {
    .name = "queue_jobs", .help = "Jobs of all tasks that are open, by slot, kind and state.",
    .type = WR_GAUGE, .labels = { "slot", "kind", "state" }, .series_max = 32,
    .svc = "queue" };
static struct wr_metric wake_metric = {
    .name = "queue_wake_seconds",
    .help = "How long after something had happened to a task who waited for it went on.",
    .type = WR_HISTOGRAM, .svc = "queue", .digits = WR_NS_AS_S,
    .bounds = { WR_US(10), WR_US(50), WR_US(100), WR_US(300), WR_MS(1), WR_MS(3), WR_MS(10),
                WR_MS(100), WR_S(1) } };

void queue_meter_claimed(const struct store_job *job)
{
    const struct queue_kind *kind = queue_kind_find(job->kind);
    wr_histogram_observe(wr_metric_histogram(&wait_metric, kind ? kind->name : "other"),
                         wr_wall().ns - job->queued_at.ns);
}

void queue_meter_ended(const struct queue_kind *kind, const char *result, wr_time took)
{
    const char *name = kind ? kind->name : "other";
    wr_counter_add(wr_metric_counter(&ended_metric, name, result), 1);
    wr_histogram_observe(wr_metric_histogram(&run_metric, name), took);
}

/* Of a kind; nothing, where it was not counted. */
static const struct store_count *count_of(const struct store_counts *counts, const char *kind)
{
    static const struct store_count none;
    for (size_t i = 0; i < counts->count; i++)
        if (strcmp(counts->counts[i].kind, kind) == 0)
            return &counts->counts[i];
    return &none;
}

void queue_meter_depth(const struct store_counts *counts)
{
    static const char *const states[] = { [STORE_JOB_QUEUED] = "queued",
                                          [STORE_JOB_RUNNING] = "running",
                                          [STORE_JOB_WAITING] = "awaiting_auth" };
    for (size_t kind = 0; kind < QUEUE_KINDS; kind++) {
        const struct queue_kind *known = &queue_kinds[kind];
        const struct store_count *count = count_of(counts, known->name);
        for (int state = STORE_JOB_QUEUED; state <= STORE_JOB_WAITING; state++)
            wr_gauge_set(wr_metric_gauge(&depth_metric, queue_slot_names[known->slot],
                                         known->name, states[state]),
                         (int64_t)count->jobs[state]);
    }
}

struct wr_histogram *queue_meter_wakes(void)
{
    return wr_metric_histogram(&wake_metric);
}
