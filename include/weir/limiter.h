/* limiter.h - never ask more often than the other side allows.
 *
 *     err = wr_limiter_new(&limiter, &(struct wr_limiter_conf){
 *         .name = "crossref", .interval = WR_S(1) });
 *     ...
 *     err = wr_limiter_acquire(limiter, deadline);     (waits for its turn)
 *     ...ask; and when the answer is 429:
 *     wr_limiter_refused(limiter, asked, retry_after);
 *
 * or WR_LIMITED(limiter, call), which does both and asks once more after a refusal.
 *
 * Turns are `interval` apart, in the order of arrival; with a burst, so many may be taken
 * at once after a pause, and the long-run rate is the same.  A turn that would come after
 * the deadline is not waited for: TIMEOUT, at once, and the turn stays free.  A turn whose
 * taker was canceled is lost, never had twice.
 *
 * A refusal doubles the interval, up to factor_max times what it was; nobody asks before
 * the time that the other side gave has passed, and those who wait for a turn wait for a
 * later one.  Refusals of questions that were under way when the first came count as that
 * one.  After each `recovery` without a refusal the interval is halved again.
 *
 * What is kept is what the other side counts.  Between here and there a question may take
 * longer or less long, so two can arrive closer together than they were sent: `guard` is
 * added to each interval, and as long as the times of the way differ by no more than it,
 * no span of k intervals at the far end sees more than burst + k arrivals.
 *
 * Several nodes with one key have one limit: with a share, turns come from a budget elsewhere
 * (a store) that all of them draw from, by the batch.  A turn of a batch is for its moment: one
 * that was not used by then, and half the guard, is lost.  So batches begin small, double while
 * they are used up, to a fifth of a second's worth, and begin small again when turns were lost.
 * There is no burst then.  Nor is there a turn when the budget cannot be reached: whoever took
 * some on its own would exceed the limit together with those who can reach it.
 */
#ifndef WEIR_LIMITER_H
#define WEIR_LIMITER_H

#include <stdint.h>

#include <weir/ask.h>
#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_limiter;

/* A budget that lives elsewhere.  Both may wait. */
struct wr_limiter_share {
    /* Take so many turns, an interval apart; *ret_from is the moment of the first on this
     * process's clock.  Errors: any; acquire returns it. */
    wr_err (*take)(void *self, const char *name, wr_time interval, uint32_t turns,
                   wr_time *ret_from, wr_time deadline);
    /* No turn for so long: the other side said so to this node. */
    wr_err (*pause)(void *self, const char *name, wr_time span, wr_time deadline);
    void *self;
};

/* Zero is the default of everything but the name and the interval. */
struct wr_limiter_conf {
    const char *name;               /* required: a literal, the source as metrics name it */
    wr_time interval;               /* required: from one turn to the next */
    uint32_t burst;                 /* turns at once after a pause; 1 */
    wr_time guard;                  /* how much the times of the way differ; interval / 50 */
    uint32_t factor_max;            /* 16; a power of two, at most 128 */
    wr_time recovery;               /* 30 s */
    wr_time pause;                  /* after a refusal that does not say how long; 2 s */
    wr_time pause_max;              /* a refusal that says more is taken for this; 1 h */
    const struct wr_limiter_share *share;   /* must outlive it */
};

struct wr_limiter_stat {
    uint32_t factor;                /* 1, 2, 4, ... */
    wr_time next;                   /* when a turn would come */
    uint64_t turns, refusals, timeouts;
    uint64_t lost;                  /* turns of a share that were not used in time */
};

/* Errors: NOMEM. */
wr_err wr_limiter_new(struct wr_limiter **ret, const struct wr_limiter_conf *conf WR_AT);
#define wr_limiter_new(...) wr_limiter_new(__VA_ARGS__, WR_HERE)

/* Nobody may be waiting for a turn.  NULL is allowed. */
void wr_limiter_free(struct wr_limiter *limiter);

/* Wait for a turn.  Errors: TIMEOUT (it would come too late), BUSY (the same with WR_NOW),
 * CANCELED; with a share its errors, and WR_NOW is of no use. */
wr_err wr_limiter_acquire(struct wr_limiter *limiter, wr_time deadline WR_AT);
#define wr_limiter_acquire(limiter, deadline) wr_limiter_acquire(limiter, deadline, WR_HERE)

/* The other side has refused a question that was sent at `asked`, and wants to be left
 * alone for `wait` (0: it did not say).  With a share the others are told, which may wait a
 * second. */
void wr_limiter_refused(struct wr_limiter *limiter, wr_time asked, wr_time wait);

/* How slow it is now, when the next turn would come, and the counts. */
struct wr_limiter_stat wr_limiter_stat(const struct wr_limiter *limiter);

/* As a wrapper: a turn before each question; one that was refused is asked once more, if
 * its next turn comes in time.  Errors: BUSY (refused twice, or once and there is no time
 * left); those of acquire and of the inner call. */
wr_err wr_limiter_ask(const struct wr_way *way, struct wr_ask *ask, wr_time deadline);
#define WR_LIMITED(limiter, inner_) \
    (&(const struct wr_way){ .ask = wr_limiter_ask, .self = (limiter), .inner = (inner_) })

#endif
