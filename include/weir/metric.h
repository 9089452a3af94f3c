/* metric.h - counters, gauges and histograms.
 *
 * A metric is declared as data and lives as long as the program:
 *
 *     static struct wr_metric refused = {
 *         .name = "busy_rejections_total",
 *         .help = "Requests refused because a queue was full.",
 *         .type = WR_COUNTER,
 *         .labels = { "endpoint" },
 *         .series_max = 32,
 *     };
 *
 * Each combination of label values is a series.  Get it once, keep the handle,
 * and counting costs a nanosecond or two, from any thread:
 *
 *     struct wr_counter *busy = wr_metric_counter(&refused, "resolve");
 *     ...
 *     wr_counter_add(busy, 1);
 *
 * The number of series is bounded.  When a metric has series_max of them,
 * further label values all go to one series whose labels read "other", and
 * each such look-up is counted in metric_series_overflow_total{metric}.
 * Getting a series never fails either: without memory the handle leads
 * nowhere, and metric_series_lost_total says how often that happened.
 *
 * What something else counts already (the depth of a queue) is not counted
 * again but collected: such a metric has a function that is asked when the
 * metrics are read, and costs nothing until then.  It must not wait.
 *
 *     static void collect_depth(struct wr_scrape *scrape)
 *     {
 *         for (each queue)
 *             wr_scrape_gauge(scrape, queue->len, queue->name);
 *     }
 *     static struct wr_metric depth = {
 *         .name = "queue_depth", .help = "Values waiting in a queue.",
 *         .type = WR_GAUGE, .labels = { "queue" }, .series_max = 64,
 *         .collect = collect_depth,
 *     };
 *     wr_metric_declare(&depth);
 *
 * Values are integers throughout.  A metric whose unit outside is larger than
 * inside says so by `digits`: nanoseconds are shown as seconds exactly, never
 * by way of a float.
 */
#ifndef WEIR_METRIC_H
#define WEIR_METRIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>

#define WR_METRIC_LABELS_MAX 4
#define WR_METRIC_BOUNDS_MAX 20

/* For `digits`: nanoseconds inside, seconds or milliseconds outside. */
#define WR_NS_AS_S  9
#define WR_NS_AS_MS 6

enum wr_metric_type {
    WR_COUNTER = 1,         /* only rises; its name ends in _total */
    WR_GAUGE,               /* rises and falls */
    WR_HISTOGRAM,           /* how many values were how large */
};

struct wr_series;
struct wr_scrape;

struct wr_metric {
    const char *name;               /* required */
    const char *help;               /* required: a sentence, no newline or backslash */
    enum wr_metric_type type;       /* required */
    const char *labels[WR_METRIC_LABELS_MAX];   /* names; the rest NULL */
    unsigned series_max;            /* required with labels */
    const char *svc;                /* the service, as a constant label; may be NULL */
    unsigned digits;                /* 1 outside is 10^digits inside; at most 18 */
    bool any_name;                  /* a counter whose name was given without _total */
    int64_t bounds[WR_METRIC_BOUNDS_MAX];   /* histogram, required: see below */
    void (*collect)(struct wr_scrape *scrape);  /* counters and gauges only */

    atomic_bool known;              /* from here on: the registry's own */
    _Atomic(struct wr_metric *) next;
    _Atomic(struct wr_series *) series;
    _Atomic unsigned series_count;
    _Atomic uint64_t overflow;
    size_t bounds_count;
};

/* The bounds of a histogram are the upper ends of its buckets in the inside
 * unit, above zero and ascending: .bounds = { WR_MS(5), WR_MS(10) }.  A bucket
 * for what is above all of them is always there. */

/* Make a metric known, which getting a series of it does too; twice is fine.
 * Metrics of one name may differ in svc or in their labels and are shown as
 * one family; any other contradiction is a panic. */
void wr_metric_declare(struct wr_metric *metric);

/* ---- counting ---- */

struct wr_counter;
struct wr_gauge;
struct wr_histogram;

/* The values of a metric's labels, in their order. */
#define WR_LABEL_VALUES(...) ((const char *const[WR_METRIC_LABELS_MAX + 1]){ __VA_ARGS__ })

/* The series with these label values, made if there is none.  The values are
 * written one after the other, as many as the metric has labels:
 * wr_metric_counter(&requests, "resolve", "GET").  Any thread.  A look-up
 * walks the series of the metric: keep the handle where it matters. */
struct wr_counter *wr_metric_counter(struct wr_metric *metric, const char *const *values);
struct wr_gauge *wr_metric_gauge(struct wr_metric *metric, const char *const *values);
struct wr_histogram *wr_metric_histogram(struct wr_metric *metric, const char *const *values);
#define wr_metric_counter(metric, ...) \
    wr_metric_counter(metric, WR_LABEL_VALUES(__VA_ARGS__))
#define wr_metric_gauge(metric, ...) \
    wr_metric_gauge(metric, WR_LABEL_VALUES(__VA_ARGS__))
#define wr_metric_histogram(metric, ...) \
    wr_metric_histogram(metric, WR_LABEL_VALUES(__VA_ARGS__))

/* Add to a counter; what it has come to.  Not from signal handlers. */
void wr_counter_add(struct wr_counter *counter, uint64_t n);
uint64_t wr_counter_get(const struct wr_counter *counter);

/* Set a gauge, or move it up or down; where it stands. */
void wr_gauge_set(struct wr_gauge *gauge, int64_t value);
void wr_gauge_add(struct wr_gauge *gauge, int64_t n);
int64_t wr_gauge_get(const struct wr_gauge *gauge);

/* Count a value, in the inside unit.  One below zero (a clock that was set
 * back) counts as zero.  Not from signal handlers. */
void wr_histogram_observe(struct wr_histogram *histogram, int64_t value);

/* ---- reading ---- */

/* For collect functions: the value of one series, then its label values.
 * Values given for the same labels in one reading are added up. */
void wr_scrape_counter(struct wr_scrape *scrape, uint64_t value, const char *const *values);
void wr_scrape_gauge(struct wr_scrape *scrape, int64_t value, const char *const *values);
#define wr_scrape_counter(scrape, value, ...) \
    wr_scrape_counter(scrape, value, WR_LABEL_VALUES(__VA_ARGS__))
#define wr_scrape_gauge(scrape, value, ...) \
    wr_scrape_gauge(scrape, value, WR_LABEL_VALUES(__VA_ARGS__))

/* Write all metrics in the Prometheus text format (version 0.0.4), sorted by
 * name and labels, as a string; *ret is its length.
 * Errors: NOMEM (it does not fit; *ret is the cap that would have been enough,
 * and buf is of no use), BUSY (another thread is reading). */
wr_err wr_metric_write(size_t *ret, char *buf, size_t cap);

#endif
