/* hedge.h - ask several, take who answers first.
 *
 *     err = wr_hedge_new(&hedge, &(struct wr_hedge_conf){
 *         .name = "dht", .alpha = 3, .beta = 2, .delay_max = WR_MS(150) });
 *
 *     uint32_t peers[] = { 4, 0, 2, 1, 3 };        (best first, all different)
 *     struct wr_ask ask = { ..., .targets = peers, .target_count = 5, .safe = true };
 *     err = wr_way_ask(WR_HEDGED(hedge, WR_GUARDED(breakers, call)), &ask, deadline);
 *
 * The first `alpha` targets are asked at once, each by a task (a leg) with its own ask whose
 * target is set.  When the delay has passed without enough satisfactory answers, or when
 * every leg so far has failed, the next `beta` are asked too.  As soon as `quorum` answers
 * are satisfactory the other legs are canceled, and the call returns when all of them have
 * ended: nothing of it is left, whatever the outcome.
 *
 * An ask that is not safe, or has fewer than two targets, goes to its first target only; an
 * ask without targets goes on as it is.
 *
 * The delay is what `quantile_permille` of the first answers took lately, measured here, but
 * never more than delay_max; while little was measured it is delay_max.  Extra legs come from
 * a budget: each call adds budget_permille / 1000 of a leg, so that nobody is asked much more
 * often than needed when nothing is slow, or when everything is.  Without budget the call
 * goes on with the legs it has; but legs in place of legs that all failed are free: so when
 * nobody answers, each call, and each try of a retry around it, asks alpha + beta.  With
 * `late_free` those that start at delay_max are free as well: whoever has heard nothing for so
 * long asks others in any case, and the budget is for those that are asked earlier.
 *
 * With `jitter_permille` each call draws up to that part off its delay, so that many who began
 * together do not all ask again at one moment; it is never later than without.
 *
 * Without a quorum the error is BUSY if any leg was refused, with the longest retry_after, so
 * that a limiter around it slows down; else that of the first leg that failed.
 *
 * A call that sent extra legs is counted: a win when one of them was among the quorum first,
 * a loss when none was, a tie when both were there before anybody looked.
 */
#ifndef WEIR_HEDGE_H
#define WEIR_HEDGE_H

#include <stdbool.h>
#include <stdint.h>

#include <weir/ask.h>
#include <weir/err.h>
#include <weir/metric.h>
#include <weir/panic.h>
#include <weir/time.h>

#define WR_HEDGE_LEGS_MAX 16

struct wr_hedge;

/* Zero is the default of everything but the name. */
struct wr_hedge_conf {
    const char *name;               /* required: a literal */
    uint32_t alpha;                 /* asked at once; 1 */
    uint32_t beta;                  /* asked later; 1.  alpha + beta <= WR_HEDGE_LEGS_MAX */
    uint32_t quorum;                /* satisfactory answers that are enough; 1; <= alpha */
    wr_time delay_max;              /* 150 ms */
    uint32_t quantile_permille;     /* 990; 1000: always delay_max */
    uint32_t budget_permille;       /* extra legs of all calls; 20; 1000 * beta: all */
    bool late_free;                 /* at delay_max extra legs cost nothing */
    uint32_t jitter_permille;       /* of the delay, drawn off it; 0; <= 1000 */
    /* A counter with one label, for "win", "lose" and "tie", instead of hedged_calls_total. */
    struct wr_metric *metric;
    /* Whether an answer counts; NULL: every one that came with WR_OK does. */
    bool (*satisfies)(const struct wr_ask *ask, const struct wr_bytes *answer);
    /* One answer out of the satisfactory ones, as many as `count`, in the order of their
     * targets.  NULL: the first that came.  It must not wait.  Errors: any. */
    wr_err (*merge)(struct wr_bytes **ret, struct wr_bytes *const *answers, uint32_t count);
};

struct wr_hedge_stat {
    uint64_t calls, legs, extra;    /* extra: legs beyond the first wave */
    uint64_t win, lose, tie;
    uint64_t over_budget;           /* times that a call would have liked extra legs */
    wr_time delay;                  /* now in force */
};

/* Errors: NOMEM. */
wr_err wr_hedge_new(struct wr_hedge **ret, const struct wr_hedge_conf *conf WR_AT);
#define wr_hedge_new(...) wr_hedge_new(__VA_ARGS__, WR_HERE)

/* Nobody may be asking.  NULL is allowed. */
void wr_hedge_free(struct wr_hedge *hedge);

/* The counts, and the delay in force. */
struct wr_hedge_stat wr_hedge_stat(const struct wr_hedge *hedge);

/* As a wrapper.  When no quorum comes: NOTFOUND if every leg that answered said so, or
 * answered without satisfying; OPENCIRCUIT if every leg was refused by its breaker; TIMEOUT,
 * CANCELED; else the error of the first leg that failed. */
wr_err wr_hedge_ask(const struct wr_way *way, struct wr_ask *ask, wr_time deadline);
#define WR_HEDGED(hedge, inner_) \
    (&(const struct wr_way){ .ask = wr_hedge_ask, .self = (hedge), .inner = (inner_) })

#endif
