/* metric.c - the registry of metrics.
 *
 * Metrics are a list sorted by name, and the series of a metric a list sorted
 * by labels.  Both only grow, so readers walk them without a lock; growing
 * happens under one short spin lock.
 *
 * Where counters live.  A slab is a table of cells: a column is a counter (a
 * histogram takes several), a row belongs to one thread.  A thread that has a
 * row adds to its own cell with a plain load and store, which no other thread
 * writes and whose cache line no other thread touches; threads without one
 * share row 0 and use atomic additions.  A counter's value is the sum of its
 * column.  Rows outlive their threads: the next owner goes on adding.
 */
#include <weir/metric.h>

#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

#include "base/metric.h"
#include "base/text.h"

#define ROWS 32
#define COLUMNS 512             /* a row is a page */
#define LABELS_TEXT_MAX 512     /* all labels of a series, as they are written */

typedef _Atomic uint64_t cell;

struct wr_counter {
    cell cell;
}; /* in row 0; the others follow at a fixed distance */

struct slab {
    _Alignas(64) cell cells[ROWS][COLUMNS];
};

_Atomic(struct wr_metric *) wr_metric_first;
_Atomic uint64_t wr_metric_lost;

static atomic_bool growing;
static struct slab first_slab, *slab = &first_slab;

/* Where handles lead when there is no memory for their series. */
enum { SINK_CELLS = 2 };
static unsigned columns_used = SINK_CELLS;
static const struct wr_metric sink_metric;
static struct wr_series sink = {
    .cells = first_slab.cells[0],
    .histogram = { .metric = &sink_metric, .cells = first_slab.cells[0] },
};

void *(*wr_metric_heap)(size_t count, size_t size) = calloc;

/* Who waits only looks, so that the holder's store gets through. */
static void lock(void)
{
    while (atomic_exchange_explicit(&growing, true, memory_order_acquire))
        while (atomic_load_explicit(&growing, memory_order_relaxed))
            ;
}

static void unlock(void)
{
    atomic_store_explicit(&growing, false, memory_order_release);
}

/* ---- rows and cells ---- */

static _Atomic uint32_t rows_taken = 1;         /* row 0 is everybody's */
static _Thread_local size_t own_row;            /* its distance from row 0, in bytes */

void wr_metric_thread_enter(void)
{
    WR_ASSERT(own_row == 0);
    uint32_t taken = atomic_load_explicit(&rows_taken, memory_order_relaxed);
    while (taken != UINT32_MAX) {
        unsigned row = (unsigned)__builtin_ctz(~taken);
        /* Acquire: what the last owner of the row stored is there to add to. */
        if (atomic_compare_exchange_weak_explicit(&rows_taken, &taken, taken | 1u << row,
                                                  memory_order_acquire, memory_order_relaxed)) {
            own_row = row * sizeof(first_slab.cells[0]);
            return;
        }
    }
}

void wr_metric_thread_leave(void)
{
    if (own_row == 0)
        return;
    uint32_t bit = 1u << own_row / sizeof(first_slab.cells[0]);
    own_row = 0;
    atomic_fetch_and_explicit(&rows_taken, ~bit, memory_order_release);
}

static void add(cell *first, uint64_t n)
{
    if (own_row == 0) {
        atomic_fetch_add_explicit(first, n, memory_order_relaxed);
        return;
    }
    cell *own = (cell *)((char *)first + own_row);
    uint64_t before = atomic_load_explicit(own, memory_order_relaxed);
    atomic_store_explicit(own, before + n, memory_order_relaxed);
}

uint64_t wr_metric_sum(const cell *first)
{
    uint64_t total = 0;
    for (size_t row = 0; row < ROWS; row++)
        total += atomic_load_explicit(first + row * COLUMNS, memory_order_relaxed);
    return total;
}

/* Under the lock.  NULL when there is no memory. */
static cell *take_columns(unsigned count)
{
    if (columns_used + count > COLUMNS) {
        char *block = wr_metric_heap(1, sizeof(struct slab) + _Alignof(struct slab) - 1);
        if (!block)
            return NULL;
        slab = (struct slab *)(block + -(uintptr_t)block % _Alignof(struct slab));
        columns_used = 0;
    }
    cell *cells = &slab->cells[0][columns_used];
    columns_used += count;
    return cells;
}

/* ---- declaring ---- */

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    if (!name || !*name || !strchr(letters, *name))
        return false;
    size_t len = strlen(name);
    for (size_t i = 0; i < len; i++)
        if (!strchr(letters, name[i]) && !strchr("0123456789", name[i]))
            return false;
    return true;
}

static bool ends_in(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);
    return len > end_len && strcmp(text + len - end_len, end) == 0;
}

static const char *fault_of_labels(const struct wr_metric *metric)
{
    bool ended = false;
    for (size_t i = 0; i < WR_METRIC_LABELS_MAX; i++) {
        const char *label = metric->labels[i];
        if (!label) {
            ended = true;
            continue;
        }
        if (ended)
            return "has a gap between its labels";
        if (!is_name(label) || strncmp(label, "__", 2) == 0)
            return "has a label whose name is not allowed";
        if (strcmp(label, "le") == 0 || strcmp(label, "svc") == 0)
            return "has a label that means something else: le or svc";
    }
    return metric->labels[0] && metric->series_max == 0 ? "has labels but no series_max" : NULL;
}

static size_t count_bounds(const struct wr_metric *metric)
{
    size_t count = 0;
    while (count < WR_METRIC_BOUNDS_MAX && metric->bounds[count] != 0)
        count++;
    return count;
}

static bool bounds_ascend(const struct wr_metric *metric)
{
    size_t count = count_bounds(metric);
    int64_t below = 0;
    for (size_t i = 0; i < WR_METRIC_BOUNDS_MAX; i++) {
        int64_t bound = metric->bounds[i];
        if (i < count ? bound <= below : bound != 0)
            return false;
        below = bound;
    }
    return true;
}

static const char *fault_of_type(const struct wr_metric *metric)
{
    if (metric->type == WR_COUNTER && !metric->any_name && !ends_in(metric->name, "_total"))
        return "is a counter, so its name must end in _total";
    if (metric->type != WR_HISTOGRAM)
        return metric->bounds[0] ? "has bounds but is no histogram" : NULL;
    if (metric->collect)
        return "is a histogram, which cannot be collected";
    if (metric->bounds[0] == 0)
        return "is a histogram and needs bounds";
    return bounds_ascend(metric) ? NULL : "has bounds that do not ascend from above zero";
}

static const char *fault_of(const struct wr_metric *metric)
{
    if (metric->type < WR_COUNTER || metric->type > WR_HISTOGRAM)
        return "has no type";
    if (!metric->help || !*metric->help || strpbrk(metric->help, "\\\n"))
        return "needs a help text without backslash and newline";
    if (metric->digits > 18)
        return "has more than 18 digits";
    const char *fault = fault_of_labels(metric);
    return fault ? fault : fault_of_type(metric);
}

static bool same(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

/* Whether a series of one could be written exactly like a series of the other. */
static bool collide(const struct wr_metric *one, const struct wr_metric *other)
{
    for (size_t i = 0; i < WR_METRIC_LABELS_MAX; i++)
        if (!same(one->labels[i], other->labels[i]))
            return false;
    return same(one->svc, other->svc);
}

/* Under the lock.  What speaks against it, else it is in the list. */
static const char *enlist(struct wr_metric *metric)
{
    if (atomic_load_explicit(&metric->known, memory_order_relaxed))
        return NULL;
    _Atomic(struct wr_metric *) *link = &wr_metric_first;
    struct wr_metric *at;
    while ((at = atomic_load_explicit(link, memory_order_relaxed))) {
        int order = strcmp(at->name, metric->name);
        if (order > 0)
            break;
        if (order == 0 && at->type != metric->type)
            return "is declared twice, with different types";
        if (order == 0 && collide(at, metric))
            return "is declared twice, with the same svc and labels";
        link = &at->next;
    }
    metric->bounds_count = count_bounds(metric);
    atomic_store_explicit(&metric->next, at, memory_order_relaxed);
    atomic_store_explicit(link, metric, memory_order_release);
    atomic_store_explicit(&metric->known, true, memory_order_release);
    return NULL;
}

void wr_metric_declare(struct wr_metric *metric)
{
    if (atomic_load_explicit(&metric->known, memory_order_acquire))
        return;
    if (!is_name(metric->name))
        wr_panic("a metric has a name that is not allowed: \"%s\"",
                 metric->name ? metric->name : "");
    const char *fault = fault_of(metric);
    if (!fault) {
        lock();
        fault = enlist(metric);
        unlock();
    }
    if (fault)
        wr_panic("metric %s %s", metric->name, fault);
}

/* ---- series ---- */

static void render_label(struct wr_text *text, const char *name, const char *value)
{
    if (text->len > 0)
        wr_text_str(text, ",");
    wr_text_str(text, name);
    wr_text_str(text, "=\"");
    wr_text_label(text, value, strlen(value));
    wr_text_str(text, "\"");
}

/* The labels as they are written: also what tells series apart.  Without
 * values every one is "other". */
static void render(struct wr_text *text, const struct wr_metric *metric,
                   const char *const *values)
{
    size_t count = 0;
    for (; count < WR_METRIC_LABELS_MAX && metric->labels[count]; count++) {
        const char *value = values ? values[count] : "other";
        if (!value)
            wr_panic("metric %s: its label %s has no value", metric->name,
                     metric->labels[count]);
        render_label(text, metric->labels[count], value);
    }
    if (values && values[count])
        wr_panic("metric %s: a value more than it has labels: \"%s\"", metric->name,
                 values[count]);
    if (metric->svc)
        render_label(text, "svc", metric->svc);
}

static int compare(const struct wr_series *series, const struct wr_text *labels)
{
    size_t len = series->labels_len < labels->len ? series->labels_len : labels->len;
    int order = memcmp(series->labels, labels->at, len);
    return order ? order : (series->labels_len > len) - (labels->len > len);
}

/* The link that leads to the series, or to the place where it belongs. */
static _Atomic(struct wr_series *) *place_of(struct wr_metric *metric,
                                             const struct wr_text *labels,
                                             struct wr_series **ret)
{
    _Atomic(struct wr_series *) *link = &metric->series;
    struct wr_series *at;
    int order = -1;
    while ((at = atomic_load_explicit(link, memory_order_acquire))
           && (order = compare(at, labels)) < 0)
        link = &at->next;
    *ret = at && order == 0 ? at : NULL;
    return link;
}

static unsigned columns_of(const struct wr_metric *metric)
{
    if (metric->collect || metric->type == WR_GAUGE)
        return 0;
    return metric->type == WR_COUNTER ? 1 : (unsigned)metric->bounds_count + 2;
}

/* Under the lock.  NULL when there is no memory. */
static struct wr_series *make(const struct wr_metric *metric, const struct wr_text *labels)
{
    struct wr_series *series = wr_metric_heap(1, sizeof(*series) + labels->len);
    if (!series)
        return NULL;
    unsigned columns = columns_of(metric);
    if (columns > 0) {
        series->cells = take_columns(columns);
        if (!series->cells) {
            free(series);
            return NULL;
        }
    }
    series->histogram = (struct wr_histogram){ .metric = metric, .cells = series->cells };
    series->labels_len = labels->len;
    memcpy(series->labels, labels->at, labels->len);
    return series;
}

static bool is_full(const struct wr_metric *metric)
{
    unsigned max = metric->labels[0] ? metric->series_max : 1;
    return atomic_load_explicit(&metric->series_count, memory_order_acquire) >= max;
}

/* Under the lock.  "Other" is beyond the maximum and not counted.
 * Errors: BUSY (no more series), NOMEM. */
static wr_err insert(struct wr_series **ret, struct wr_metric *metric,
                     const struct wr_text *labels, bool is_other)
{
    _Atomic(struct wr_series *) *link = place_of(metric, labels, ret);
    if (*ret)
        return WR_OK;           /* another thread was faster */
    if (!is_other && is_full(metric))
        return WR_BUSY;
    struct wr_series *series = make(metric, labels);
    if (!series)
        return WR_NOMEM;
    struct wr_series *after = atomic_load_explicit(link, memory_order_relaxed);
    atomic_store_explicit(&series->next, after, memory_order_relaxed);
    atomic_store_explicit(link, series, memory_order_release);
    if (!is_other)
        atomic_fetch_add_explicit(&metric->series_count, 1, memory_order_release);
    *ret = series;
    return WR_OK;
}

/* Errors: as insert.  Only a series that is new takes the lock: label values
 * beyond the maximum, however many come, do not.  What was full before the
 * walk began has all its series in the list, so what the walk does not find
 * is not there. */
static wr_err find_or_insert(struct wr_series **ret, struct wr_metric *metric,
                             const char *const *values)
{
    char buf[LABELS_TEXT_MAX];
    struct wr_text labels = WR_TEXT(buf);
    render(&labels, metric, values);
    if (labels.cut)
        return WR_BUSY;
    bool was_full = is_full(metric);
    place_of(metric, &labels, ret);
    if (*ret)
        return WR_OK;
    if (values && was_full)
        return WR_BUSY;
    lock();
    wr_err err = insert(ret, metric, &labels, !values);
    unlock();
    return err;
}

struct wr_series *wr_metric_series(struct wr_metric *metric, const char *const *values)
{
    wr_metric_declare(metric);
    struct wr_series *series = NULL;
    wr_err err = find_or_insert(&series, metric, values);
    if (err == WR_BUSY) {
        atomic_fetch_add_explicit(&metric->overflow, 1, memory_order_relaxed);
        err = find_or_insert(&series, metric, NULL);
    }
    if (err) {
        atomic_fetch_add_explicit(&wr_metric_lost, 1, memory_order_relaxed);
        return NULL;
    }
    return series;
}

static struct wr_series *counted(struct wr_metric *metric, const char *const *values,
                                 enum wr_metric_type type)
{
    if (metric->type != type || metric->collect)
        wr_panic("metric %s is of another type, or collected", metric->name);
    struct wr_series *series = wr_metric_series(metric, values);
    return series ? series : &sink;
}

struct wr_counter *(wr_metric_counter)(struct wr_metric *metric, const char *const *values)
{
    return (struct wr_counter *)counted(metric, values, WR_COUNTER)->cells;
}

struct wr_gauge *(wr_metric_gauge)(struct wr_metric *metric, const char *const *values)
{
    return &counted(metric, values, WR_GAUGE)->gauge;
}

struct wr_histogram *(wr_metric_histogram)(struct wr_metric *metric, const char *const *values)
{
    return &counted(metric, values, WR_HISTOGRAM)->histogram;
}

/* ---- counting ---- */

void wr_counter_add(struct wr_counter *counter, uint64_t n)
{
    add(&counter->cell, n);
}

uint64_t wr_counter_get(const struct wr_counter *counter)
{
    return wr_metric_sum(&counter->cell);
}

void wr_gauge_set(struct wr_gauge *gauge, int64_t value)
{
    atomic_store_explicit(&gauge->value, value, memory_order_relaxed);
}

void wr_gauge_add(struct wr_gauge *gauge, int64_t n)
{
    atomic_fetch_add_explicit(&gauge->value, n, memory_order_relaxed);
}

int64_t wr_gauge_get(const struct wr_gauge *gauge)
{
    return atomic_load_explicit(&gauge->value, memory_order_relaxed);
}

void wr_histogram_observe(struct wr_histogram *histogram, int64_t value)
{
    const struct wr_metric *metric = histogram->metric;
    size_t bucket = 0;
    if (value < 0)
        value = 0;
    while (bucket < metric->bounds_count && value > metric->bounds[bucket])
        bucket++;
    add(&histogram->cells[bucket], 1);
    add(&histogram->cells[metric->bounds_count + 1], (uint64_t)value);
}
