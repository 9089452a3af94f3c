/* scrape.c - reading the metrics: collect, then write the Prometheus text. */
#include <weir/metric.h>

#include <string.h>

#include <weir/panic.h>

#include "base/metric.h"
#include "base/text.h"

struct wr_scrape {
    struct wr_text text;
    struct wr_metric *metric;           /* whose lines are being written */
    bool headed;                        /* its family has its HELP and TYPE */
};

static atomic_bool is_read;
static uint64_t reading;                /* number of the present reading */

static void call(void (*collect)(struct wr_scrape *), struct wr_scrape *scrape)
{
    collect(scrape);
}

void (*wr_scrape_call)(void (*collect)(struct wr_scrape *), struct wr_scrape *scrape) = call;

/* The numbers of an unfinished reading are of no use to the next, which has
 * another number. */
void wr_scrape_abandon(void)
{
    atomic_store_explicit(&is_read, false, memory_order_release);
}

static void collected(struct wr_scrape *scrape, uint64_t value, const char *const *values,
                      enum wr_metric_type type)
{
    struct wr_metric *metric = scrape->metric;
    if (metric->type != type)
        wr_panic("metric %s is of another type", metric->name);
    struct wr_series *series = wr_metric_series(metric, values);
    if (!series)
        return;
    series->value = series->reading == reading ? series->value + value : value;
    series->reading = reading;
}

void (wr_scrape_counter)(struct wr_scrape *scrape, uint64_t value, const char *const *values)
{
    collected(scrape, value, values, WR_COUNTER);
}

void (wr_scrape_gauge)(struct wr_scrape *scrape, int64_t value, const char *const *values)
{
    collected(scrape, (uint64_t)value, values, WR_GAUGE);
}

static void write_head(struct wr_scrape *scrape)
{
    static const char *const types[] = {
        [WR_COUNTER] = "counter",
        [WR_GAUGE] = "gauge",
        [WR_HISTOGRAM] = "histogram",
    };
    const struct wr_metric *metric = scrape->metric;
    if (!scrape->headed)
        wr_text_format(&scrape->text, "# HELP %s %s\n# TYPE %s %s\n", metric->name,
                       metric->help, metric->name, types[metric->type]);
    scrape->headed = true;
}

static void write_value(struct wr_scrape *scrape, uint64_t value)
{
    unsigned digits = scrape->metric->digits;
    if (scrape->metric->type == WR_GAUGE || digits > 0)
        wr_text_decimal(&scrape->text, (int64_t)value, digits);
    else
        wr_text_u64(&scrape->text, value);
    wr_text_str(&scrape->text, "\n");
}

static void write_name(struct wr_scrape *scrape, const struct wr_series *series,
                       const char *suffix)
{
    struct wr_text *text = &scrape->text;
    wr_text_str(text, scrape->metric->name);
    wr_text_str(text, suffix);
    if (series->labels_len > 0) {
        wr_text_str(text, "{");
        wr_text_bytes(text, series->labels, series->labels_len);
        wr_text_str(text, "}");
    }
    wr_text_str(text, " ");
}

static void write_bucket(struct wr_scrape *scrape, const struct wr_series *series,
                         size_t bucket, uint64_t below)
{
    const struct wr_metric *metric = scrape->metric;
    struct wr_text *text = &scrape->text;
    wr_text_str(text, metric->name);
    wr_text_str(text, "_bucket{");
    wr_text_bytes(text, series->labels, series->labels_len);
    wr_text_str(text, series->labels_len > 0 ? ",le=\"" : "le=\"");
    if (bucket < metric->bounds_count)
        wr_text_decimal(text, metric->bounds[bucket], metric->digits);
    else
        wr_text_str(text, "+Inf");
    wr_text_str(text, "\"} ");
    wr_text_u64(text, below);
    wr_text_str(text, "\n");
}

/* The count is the sum of the buckets as they were read, not a number of its
 * own: the two can never disagree, however much is observed meanwhile. */
static void write_histogram(struct wr_scrape *scrape, const struct wr_series *series)
{
    size_t bounds = scrape->metric->bounds_count;
    uint64_t below = 0;
    for (size_t bucket = 0; bucket <= bounds; bucket++) {
        below += wr_metric_sum(&series->cells[bucket]);
        write_bucket(scrape, series, bucket, below);
    }
    write_name(scrape, series, "_sum");
    write_value(scrape, wr_metric_sum(&series->cells[bounds + 1]));
    write_name(scrape, series, "_count");
    wr_text_u64(&scrape->text, below);
    wr_text_str(&scrape->text, "\n");
}

static void write_series(struct wr_scrape *scrape, const struct wr_series *series)
{
    const struct wr_metric *metric = scrape->metric;
    if (metric->collect && series->reading != reading)
        return;
    write_head(scrape);
    if (metric->type == WR_HISTOGRAM) {
        write_histogram(scrape, series);
        return;
    }
    uint64_t value = metric->collect ? series->value
        : metric->type == WR_GAUGE   ? (uint64_t)wr_gauge_get(&series->gauge)
                                     : wr_metric_sum(series->cells);
    write_name(scrape, series, "");
    write_value(scrape, value);
}

static void collect_overflow(struct wr_scrape *scrape)
{
    struct wr_metric *at = atomic_load_explicit(&wr_metric_first, memory_order_acquire);
    for (; at; at = atomic_load_explicit(&at->next, memory_order_acquire)) {
        uint64_t count = atomic_load_explicit(&at->overflow, memory_order_relaxed);
        if (count > 0)
            wr_scrape_counter(scrape, count, at->name);
    }
}

static void collect_lost(struct wr_scrape *scrape)
{
    uint64_t count = atomic_load_explicit(&wr_metric_lost, memory_order_relaxed);
    wr_scrape_counter(scrape, count);
}

static struct wr_metric series_overflow = {
    .name = "metric_series_overflow_total",
    .help = "Label values that were counted as other because a metric had all its series.",
    .type = WR_COUNTER,
    .labels = { "metric" },
    .series_max = 256,
    .collect = collect_overflow,
};
static struct wr_metric series_lost = {
    .name = "metric_series_lost_total",
    .help = "Series that were not counted because there was no memory for them.",
    .type = WR_COUNTER,
    .collect = collect_lost,
};

static void write_all(struct wr_scrape *scrape)
{
    const char *family = "";
    struct wr_metric *metric = atomic_load_explicit(&wr_metric_first, memory_order_acquire);
    for (; metric; metric = atomic_load_explicit(&metric->next, memory_order_acquire)) {
        if (strcmp(family, metric->name) != 0)
            scrape->headed = false;
        family = metric->name;
        scrape->metric = metric;
        if (metric->collect)
            wr_scrape_call(metric->collect, scrape);
        struct wr_series *at = atomic_load_explicit(&metric->series, memory_order_acquire);
        for (; at; at = atomic_load_explicit(&at->next, memory_order_acquire))
            write_series(scrape, at);
    }
}

wr_err wr_metric_write(size_t *ret, char *buf, size_t cap)
{
    if (atomic_exchange_explicit(&is_read, true, memory_order_acquire))
        return WR_BUSY;
    wr_metric_declare(&series_overflow);
    wr_metric_declare(&series_lost);
    struct wr_scrape scrape = { .text = wr_text_over(buf, cap) };
    reading++;
    write_all(&scrape);
    atomic_store_explicit(&is_read, false, memory_order_release);

    struct wr_text text = scrape.text;
    *ret = text.cut ? text.len + text.cut + 1 : text.len;
    return text.cut ? WR_NOMEM : WR_OK;
}
