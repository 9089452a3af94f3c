/* bucket.h - token buckets: so many at once, and so many in the long run.
 *
 *     static struct wr_bucket bucket;                     (full)
 *     struct wr_rate rate = wr_rate_of(100, WR_S(1), 20);    (100 a second, 20 at once)
 *     wr_time wait;
 *     if (wr_bucket_take(&bucket, &rate, 1, &wait))
 *         ...refused: it would fit in `wait`
 *
 * In any span of time at most burst + span / interval tokens are had, counted to
 * the nanosecond; a token that is refused costs nothing.
 *
 * A bucket is one word: the moment at which it will be full again.  It needs no
 * timer and no lock, and zero is a full one.  The rate stands apart, because many
 * buckets share one and because it may change: what was taken at the old rate
 * stays taken.  Any thread may use a bucket.
 */
#ifndef WEIR_BUCKET_H
#define WEIR_BUCKET_H

#include <stdatomic.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_rate {
    wr_time interval;           /* from one token to the next */
    uint32_t burst;             /* tokens of a full bucket; 0 is no limit at all */
};

struct wr_bucket { _Atomic wr_time full_at; };

/* `tokens` in every `span`, `burst` of them at once.  An interval that is not whole
 * is rounded up: rather a token less than one too many.  Without tokens or burst,
 * or with more than a year until it is full, it is a panic. */
struct wr_rate wr_rate_of(uint32_t tokens, wr_time span, uint32_t burst WR_AT);
#define wr_rate_of(tokens, span, burst) wr_rate_of(tokens, span, burst, WR_HERE)

/* Take n tokens, or none.  Errors: BUSY; *ret_wait (may be NULL) is how long until
 * they would be there if nobody else took any, WR_NEVER for more than the burst.
 * With WR_OK it is 0. */
wr_err wr_bucket_take(struct wr_bucket *bucket, const struct wr_rate *rate, uint32_t n,
                      wr_time *ret_wait);

/* The same for who has looked at the clock a moment ago. */
wr_err wr_bucket_take_at(struct wr_bucket *bucket, const struct wr_rate *rate, uint32_t n,
                         wr_time now, wr_time *ret_wait);

/* Tokens that are in it now. */
uint32_t wr_bucket_level(const struct wr_bucket *bucket, const struct wr_rate *rate);

#endif
