/* measure.h - what the benchmark programs share.
 *
 * Each program answers one question and prints lines "metric value", as the
 * peers' programs do; run.py runs them in turns and makes the table.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>

/* The n-th argument of the command line as a number. */
uint64_t measure_arg(int argc, char **argv, int n, uint64_t otherwise);

/* User plus system time of this process. */
double measure_cpu_ms(void);

/* A stopwatch in nanoseconds.  With one worker it counts processor time, which
 * other programs on the machine do not change; with more, real time. */
int64_t measure_time(unsigned workers);

/* What this process occupies, in bytes: its resident set and its page tables. */
uint64_t measure_memory(void);

/* xorshift64*: the same generator in every language of the suite. */
uint64_t measure_random(uint64_t *state);
#define MEASURE_SEED 88172645463325252u

/* Print p50, p99 and the maximum of nanosecond samples, which it sorts. */
void measure_percentiles(const char *prefix, int64_t *samples, size_t count);

/* A benchmark has no use for errors: any is the end of it. */
#define MUST(call) do { \
    wr_err must_err = (call); \
    if (must_err != WR_OK) \
        wr_panic("%s: %s", #call, wr_err_text(must_err)); \
} while (0)

#endif
