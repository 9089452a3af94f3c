/* bench.h - probes of the node by itself (probe.h), asked for by an admin: one at a time,
 * and the last few are remembered.
 *
 *     POST /api/v1/bench/run  {"suite":"admin_plane","durationSecs":10,"concurrency":8}
 *     GET  /api/v1/bench/runs/{id}
 *     GET  /api/v1/bench/runs/{id}/result
 *
 * A run is queued, then running, then done or failed.  A run that a drain finds under way
 * fails.
 */
#ifndef WR_NODE_BENCH_H
#define WR_NODE_BENCH_H

#include <weir/err.h>
#include <weir/http.h>
#include <weir/once.h>

#define BENCH_RUNS_MAX 8            /* that are remembered */

struct bench;

/* Errors: NOMEM. */
wr_err bench_new(struct bench **ret);
void bench_free(struct bench *bench);

/* The child that runs them; its arg is the node. */
wr_err bench_run(void *arg, struct wr_once *drain);

/* Handlers; the arg of their routes is the node. */
wr_err bench_serve_start(struct wr_call *call);
wr_err bench_serve_status(struct wr_call *call);
wr_err bench_serve_result(struct wr_call *call);

#endif
