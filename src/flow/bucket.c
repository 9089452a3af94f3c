/* bucket.c - token buckets, by the time at which they are full again. */
#include <weir/bucket.h>

#define FULL_WITHIN_MAX WR_S(366 * 86400)

struct wr_rate (wr_rate_of)(uint32_t tokens, wr_time span, uint32_t burst, const char *place)
{
    if (tokens == 0 || burst == 0 || span <= 0)
        wr_panic_at(place, "a rate of %u tokens in %lld ns, %u at once: none may be zero",
                    tokens, (long long)span, burst);
    wr_time interval = span / tokens + (span % tokens != 0);
    if (interval > FULL_WITHIN_MAX / burst)
        wr_panic_at(place, "a rate of %u tokens in %lld ns, %u at once: full after more than "
                    "a year", tokens, (long long)span, burst);
    return (struct wr_rate){ .interval = interval, .burst = burst };
}

/* How long an empty bucket takes to be full: that far ahead full_at may lie. */
static wr_time depth(const struct wr_rate *rate)
{
    return rate->interval * rate->burst;
}

wr_err wr_bucket_take(struct wr_bucket *bucket, const struct wr_rate *rate, uint32_t n,
                      wr_time *ret_wait)
{
    return wr_bucket_take_at(bucket, rate, n, wr_now(), ret_wait);
}

wr_err wr_bucket_take_at(struct wr_bucket *bucket, const struct wr_rate *rate, uint32_t n,
                         wr_time now, wr_time *ret_wait)
{
    wr_time nowhere, *wait = ret_wait ? ret_wait : &nowhere;
    *wait = 0;
    if (rate->burst == 0)
        return WR_OK;
    if (n > rate->burst) {
        *wait = WR_NEVER;
        return WR_BUSY;
    }
    wr_time full_at = atomic_load_explicit(&bucket->full_at, memory_order_relaxed), then;
    do {
        then = (full_at > now ? full_at : now) + rate->interval * n;
        if (then - now > depth(rate)) {
            *wait = then - now - depth(rate);
            return WR_BUSY;
        }
    } while (!atomic_compare_exchange_weak_explicit(&bucket->full_at, &full_at, then,
                                                    memory_order_relaxed,
                                                    memory_order_relaxed));
    return WR_OK;
}

uint32_t wr_bucket_level(const struct wr_bucket *bucket, const struct wr_rate *rate)
{
    wr_time missing = atomic_load_explicit(&bucket->full_at, memory_order_relaxed) - wr_now();
    if (missing <= 0 || rate->burst == 0)
        return rate->burst;
    return missing >= depth(rate) ? 0 : (uint32_t)((depth(rate) - missing) / rate->interval);
}
