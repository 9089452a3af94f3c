/* retry.h - ask again, but never so that it makes an outage worse.
 *
 *     err = wr_retry_new(&retry, &(struct wr_retry_conf){ .name = "dht.lookup" });
 *     err = wr_way_ask(WR_RETRIED(retry, call), &ask, deadline);
 *
 * Only safe questions are asked again, only after errors that may pass (wr_err_retryable),
 * and not when the breaker is open or the other side said that we ask too often.  The pause
 * before a new try is drawn between pause_min and pause_max, doubled for each further try
 * up to pause_cap; when it would not end before the deadline there is no new try, and the
 * error is the last one.
 *
 * All askers draw on one budget.  Each question adds budget_permille / 1000 of a try to it,
 * each new try takes one out, and `floor` tries in a second are free; so when everything
 * fails, what is sent is at most that much more than what was asked.
 */
#ifndef WEIR_RETRY_H
#define WEIR_RETRY_H

#include <stdint.h>

#include <weir/ask.h>
#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_retry;

/* Zero is the default of everything but the name. */
struct wr_retry_conf {
    const char *name;               /* required: the {op} of backoff_retries_total */
    uint32_t tries_max;             /* of one question, the first included; 3 */
    wr_time try_max;                /* one try is cut off after this; no limit of its own */
    wr_time pause_min, pause_max;   /* 50 and 100 ms */
    wr_time pause_cap;              /* 5 s */
    uint32_t budget_permille;       /* 200 */
    uint32_t budget_max;            /* tries that can be saved up; 100 */
    uint32_t floor;                 /* free tries in a second; 1 */
};

struct wr_retry_stat {
    uint64_t questions, again;      /* asked, and asked again */
    uint64_t over_budget;           /* not asked again for lack of budget */
    uint64_t too_late;              /* ... of time */
};

/* Errors: NOMEM. */
wr_err wr_retry_new(struct wr_retry **ret, const struct wr_retry_conf *conf WR_AT);
#define wr_retry_new(...) wr_retry_new(__VA_ARGS__, WR_HERE)

/* Nobody may be asking.  NULL is allowed. */
void wr_retry_free(struct wr_retry *retry);

/* The counts. */
struct wr_retry_stat wr_retry_stat(const struct wr_retry *retry);

/* As a wrapper.  Errors: the last one of the inner call; CANCELED. */
wr_err wr_retry_ask(const struct wr_way *way, struct wr_ask *ask, wr_time deadline);
#define WR_RETRIED(retry, inner_) \
    (&(const struct wr_way){ .ask = wr_retry_ask, .self = (retry), .inner = (inner_) })

#endif
