/* metrics.c - the runtime's own figures, read when somebody asks.
 *
 * Nothing is counted twice: channels, kinds of tasks and locks keep their
 * counts anyway, and these functions collect them.
 */
#include <string.h>

#include <weir/lock.h>
#include <weir/metric.h>

#include "base/metric.h"
#include "rt/topo_int.h"

#define SERIES_MAX 256

/* ---- objects ---- */

static void depth_of(void *arg, const struct topo_row *row)
{
    if (strcmp(row->kind, "chan") == 0)
        wr_scrape_gauge(arg, (int64_t)row->depth, row->name);
}

static void inflight_of(void *arg, const struct topo_row *row)
{
    if (strcmp(row->kind, "sem") == 0)
        wr_scrape_gauge(arg, (int64_t)row->depth, row->name);
}

static void dropped_of(void *arg, const struct topo_row *row)
{
    if (strcmp(row->kind, "chan") == 0)
        wr_scrape_counter(arg, row->dropped, row->name);
}

static void refused_of(void *arg, const struct topo_row *row)
{
    if (strcmp(row->kind, "chan") == 0)
        wr_scrape_counter(arg, row->refused, row->name);
}

static void coalesced_of(void *arg, const struct topo_row *row)
{
    if (row->policy && strcmp(row->policy, "coalesce") == 0)
        wr_scrape_counter(arg, row->coalesced, row->name);
}

static void lagged_of(void *arg, const struct topo_row *row)
{
    if (strcmp(row->kind, "bcast") == 0)
        wr_scrape_counter(arg, row->lagged, row->name);
}

#define COLLECT_ROWS(name, of) \
    static void name(struct wr_scrape *scrape) \
    { \
        wr_topo_each(of, scrape); \
    }
COLLECT_ROWS(collect_depth, depth_of)
COLLECT_ROWS(collect_inflight, inflight_of)
COLLECT_ROWS(collect_dropped, dropped_of)
COLLECT_ROWS(collect_refused, refused_of)
COLLECT_ROWS(collect_coalesced, coalesced_of)
COLLECT_ROWS(collect_lagged, lagged_of)

/* ---- tasks and locks ---- */

#define COLLECT_KINDS(fn, value) \
    static void fn(struct wr_scrape *scrape) \
    { \
        for (struct wr_kind *kind = wr_kind_first(); kind; kind = atomic_load(&kind->next)) \
            wr_scrape_counter(scrape, value, kind->name); \
    }
COLLECT_KINDS(collect_spawned, KIND_COUNT(kind, spawned))
COLLECT_KINDS(collect_completed, KIND_COUNT(kind, completed))
COLLECT_KINDS(collect_canceled, KIND_COUNT(kind, canceled))
COLLECT_KINDS(collect_panicked, KIND_COUNT(kind, panicked))
COLLECT_KINDS(collect_aborted, atomic_load_explicit(&kind->aborted, memory_order_relaxed))
COLLECT_KINDS(collect_stalls, atomic_load_explicit(&kind->stalls, memory_order_relaxed))

static void held_long_of(void *arg, const struct wr_lock_info *info)
{
    const char *place = atomic_load(&info->held_long_place);
    wr_scrape_counter(arg, atomic_load(&info->held_long), info->name, place ? place : "");
}

static void collect_held_long(struct wr_scrape *scrape)
{
    wr_lock_each(held_long_of, scrape);
}

static void collect_stack_waits(struct wr_scrape *scrape)
{
    wr_scrape_counter(scrape, atomic_load(&wr_rt.stack_waits));
}

static void collect_workers(struct wr_scrape *scrape)
{
    wr_scrape_gauge(scrape, wr_rt.count);
}

#define FAMILY(kind_, name_, label, help_, fn) \
    { \
        .name = name_, .help = help_, .type = kind_, .labels = { label }, \
        .series_max = SERIES_MAX, .collect = fn \
    }

static struct wr_metric families[] = {
    FAMILY(WR_GAUGE, "queue_depth", "queue", "Values waiting in a channel.", collect_depth),
    FAMILY(WR_GAUGE, "semaphore_inflight", "facet", "Units of a semaphore in use.",
           collect_inflight),
    FAMILY(WR_COUNTER, "queue_dropped_total", "queue", "Values a full channel lost or gave up.",
           collect_dropped),
    FAMILY(WR_COUNTER, "busy_rejections_total", "queue", "Sends refused by a full channel.",
           collect_refused),
    FAMILY(WR_COUNTER, "config_coalesced_total", "queue", "Values replaced by newer ones.",
           collect_coalesced),
    FAMILY(WR_COUNTER, "bus_lagged_total", "bus", "Values that slow readers missed.",
           collect_lagged),
    FAMILY(WR_COUNTER, "tasks_spawned_total", "kind", "Tasks started.", collect_spawned),
    FAMILY(WR_COUNTER, "tasks_completed_total", "kind", "Tasks ended.", collect_completed),
    FAMILY(WR_COUNTER, "tasks_canceled_total", "kind", "Tasks ended by a cancel.",
           collect_canceled),
    FAMILY(WR_COUNTER, "tasks_panicked_total", "kind", "Tasks ended by a panic.",
           collect_panicked),
    FAMILY(WR_COUNTER, "tasks_aborted_total", "kind",
           "Tasks canceled because a drain ran out of time.", collect_aborted),
    FAMILY(WR_COUNTER, "runtime_stalls_total", "where",
           "Times a task kept its worker for 10 ms.", collect_stalls),
    { .name = "lock_held_long_total",
      .help = "Times a lock was held for more than 1 ms.",
      .type = WR_COUNTER,
      .labels = { "lock", "place" },
      .series_max = SERIES_MAX,
      .collect = collect_held_long },
    { .name = "runtime_stack_waits_total",
      .help = "Times a task waited for memory for its stack.",
      .type = WR_COUNTER,
      .collect = collect_stack_waits },
    { .name = "runtime_workers",
      .help = "Worker threads of the runtime.",
      .type = WR_GAUGE,
      .collect = collect_workers },
};

static void abandon(void *unused)
{
    (void)unused;
    wr_scrape_abandon();
}

static void call_as_task(void (*collect)(struct wr_scrape *), struct wr_scrape *scrape)
{
    struct fiber *fiber = fiber_self();
    struct wr_cleanup cleanup = { .fn = abandon };
    bool in_task = fiber && fiber->started;
    if (in_task)
        wr_cleanup_push(&cleanup);
    collect(scrape);
    if (in_task)
        wr_cleanup_pop(&cleanup);
}

void wr_rt_metrics(void)
{
    wr_scrape_call = call_as_task;
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
        wr_metric_declare(&families[i]);
}
