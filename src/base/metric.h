/* metric.h - what the rest of the house knows of the metrics. */
#ifndef WR_BASE_METRIC_H
#define WR_BASE_METRIC_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/metric.h>

/* Give the calling thread cells of its own, so that it counts without atomic
 * read-modify-write; and take them back before the thread ends, for the next
 * one.  Threads that do not ask, or come when all are given away, share cells
 * and count a little slower. */
void wr_metric_thread_enter(void);
void wr_metric_thread_leave(void);

/* Where memory comes from, zeroed, as from calloc; a seam for the tests that
 * take it away. */
extern void *(*wr_metric_heap)(size_t count, size_t size);

/* How a collect function is called; the runtime has a way of its own, by which a
 * panic that ends the task, and not the process, ends the reading too. */
extern void (*wr_scrape_call)(void (*collect)(struct wr_scrape *), struct wr_scrape *scrape);
void wr_scrape_abandon(void);

/* ---- between metric.c and scrape.c ---- */

struct wr_gauge { _Atomic int64_t value; };
struct wr_histogram {
    const struct wr_metric *metric;
    _Atomic uint64_t *cells;            /* a bucket each, one above all, the sum */
};

struct wr_series {
    _Atomic(struct wr_series *) next;
    _Atomic uint64_t *cells;            /* counter: one; histogram: several */
    struct wr_gauge gauge;
    struct wr_histogram histogram;
    uint64_t reading;                   /* collected: the last reading that had it, */
    uint64_t value;                     /* and its value there */
    size_t labels_len;
    char labels[];                      /* queue="node.work",svc="node" */
};

extern _Atomic(struct wr_metric *) wr_metric_first;     /* sorted by name */
extern _Atomic uint64_t wr_metric_lost;                 /* look-ups without memory */

/* Find or make a series; NULL when there is no memory, which is counted. */
struct wr_series *wr_metric_series(struct wr_metric *metric, const char *const *values);

/* A counter's value: its cells in all rows. */
uint64_t wr_metric_sum(const _Atomic uint64_t *first);

#endif
