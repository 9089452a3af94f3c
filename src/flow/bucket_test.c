#include <weir/bucket.h>

#include "base/rand.h"
#include "testing/settle.h"
#include "testing/test.h"

/* How many single tokens can be had at this moment. */
static unsigned drain(struct wr_bucket *bucket, const struct wr_rate *rate)
{
    unsigned count = 0;
    while (!wr_bucket_take(bucket, rate, 1, NULL))
        count++;
    return count;
}

TEST(a_bucket_of_zero_bytes_is_full_and_gives_its_burst_at_once)
{
    struct wr_bucket bucket = { 0 };
    struct wr_rate rate = wr_rate_of(10, WR_S(1), 5);
    CHECK_EQ(5, wr_bucket_level(&bucket, &rate));
    CHECK_EQ(5, drain(&bucket, &rate));
    CHECK_EQ(0, wr_bucket_level(&bucket, &rate));
}

TEST(a_token_comes_back_with_each_interval_to_the_nanosecond)
{
    struct wr_bucket bucket = { 0 };
    struct wr_rate rate = wr_rate_of(10, WR_S(1), 5);
    drain(&bucket, &rate);
    wr_time emptied = wr_now(), wait;
    for (int i = 1; i <= 20; i++) {
        CHECK_ERR(WR_BUSY, wr_bucket_take(&bucket, &rate, 1, &wait));
        CHECK_EQ(WR_MS(100), wait);
        CHECK_OK(wr_sleep(emptied + i * WR_MS(100) - 1));
        CHECK_ERR(WR_BUSY, wr_bucket_take(&bucket, &rate, 1, &wait));
        CHECK_EQ(1, wait);
        CHECK_OK(wr_sleep(emptied + i * WR_MS(100)));
        CHECK_OK(wr_bucket_take(&bucket, &rate, 1, &wait));
        CHECK_EQ(0, wait);
    }
}

TEST(no_more_than_the_burst_is_saved_up)
{
    struct wr_bucket bucket = { 0 };
    struct wr_rate rate = wr_rate_of(1000, WR_S(1), 7);
    drain(&bucket, &rate);
    CHECK_OK(wr_sleep(wr_after(WR_S(3600))));
    CHECK_EQ(7, drain(&bucket, &rate));
    CHECK_OK(wr_sleep(wr_after(WR_MS(3))));
    CHECK_EQ(3, wr_bucket_level(&bucket, &rate));
    CHECK_EQ(3, drain(&bucket, &rate));
}

TEST(many_tokens_are_had_at_once_or_not_at_all_and_a_refusal_costs_nothing)
{
    struct wr_bucket bucket = { 0 };
    struct wr_rate rate = wr_rate_of(1, WR_S(1), 10);
    wr_time wait;
    CHECK_OK(wr_bucket_take(&bucket, &rate, 7, NULL));
    for (int i = 0; i < 3; i++) {
        CHECK_ERR(WR_BUSY, wr_bucket_take(&bucket, &rate, 5, &wait));
        CHECK_EQ(WR_S(2), wait);
    }
    CHECK_OK(wr_bucket_take(&bucket, &rate, 3, NULL));
    CHECK_ERR(WR_BUSY, wr_bucket_take(&bucket, &rate, 10, &wait));
    CHECK_OK(wr_sleep(wr_after(wait)));
    CHECK_OK(wr_bucket_take(&bucket, &rate, 10, NULL));
    CHECK_ERR(WR_BUSY, wr_bucket_take(&bucket, &rate, 11, &wait));
    CHECK_EQ(WR_NEVER, wait);
}

TEST(an_interval_that_is_not_whole_is_rounded_up)
{
    struct wr_rate rate = wr_rate_of(3, WR_S(1), 1);
    CHECK_EQ(333333334, rate.interval);
    rate = wr_rate_of(1000000, WR_S(1), 1);
    CHECK_EQ(1000, rate.interval);
}

TEST(without_a_burst_there_is_no_limit)
{
    struct wr_bucket bucket = { 0 };
    struct wr_rate rate = { 0 };
    for (int i = 0; i < 1000; i++)
        CHECK_OK(wr_bucket_take(&bucket, &rate, 1000000, NULL));
}

TEST(a_slower_rate_holds_from_the_next_token_on)
{
    struct wr_bucket bucket = { 0 };
    struct wr_rate fast = wr_rate_of(10, WR_S(1), 10), slow = wr_rate_of(1, WR_S(1), 2);
    wr_time wait;
    drain(&bucket, &fast);                          /* full again in a second */
    CHECK_ERR(WR_BUSY, wr_bucket_take(&bucket, &slow, 2, &wait));
    CHECK_EQ(WR_S(1), wait);
    CHECK_OK(wr_bucket_take(&bucket, &slow, 1, NULL));
    CHECK_ERR(WR_BUSY, wr_bucket_take(&bucket, &slow, 1, &wait));
    CHECK_EQ(WR_S(1), wait);
}

/* ---- never exceeded, as counted where the tokens arrive ---- */

enum { TAKES_MAX = 1000 };
struct taken { wr_time at; uint32_t n; };

/* In every window that begins and ends with a token: at most the burst and what
 * has grown since. */
static void check_windows(const struct taken *taken, size_t count, const struct wr_rate *rate)
{
    for (size_t first = 0; first < count; first++) {
        uint64_t sum = 0;
        for (size_t last = first; last < count; last++) {
            sum += taken[last].n;
            wr_time span = taken[last].at - taken[first].at;
            if (sum > rate->burst + (uint64_t)(span / rate->interval)) {
                CHECK_EQ(rate->burst + (uint64_t)(span / rate->interval), sum);
                return;
            }
        }
    }
}

TEST(no_window_of_any_length_sees_more_than_the_rate_allows)
{
    struct wr_rand rand;
    wr_rand_seed(&rand, 7);
    static struct taken taken[TAKES_MAX];
    for (int round = 0; round < 20; round++) {
        struct wr_bucket bucket = { 0 };
        struct wr_rate rate = wr_rate_of((uint32_t)wr_rand_span(&rand, 1, 5000), WR_S(1),
                                      (uint32_t)wr_rand_span(&rand, 1, 50));
        wr_time step = rate.interval * 2;
        size_t count = 0;
        for (int i = 0; i < TAKES_MAX; i++) {
            uint32_t n = (uint32_t)wr_rand_span(&rand, 1, rate.burst);
            if (!wr_bucket_take(&bucket, &rate, n, NULL))
                taken[count++] = (struct taken){ wr_now(), n };
            CHECK_OK(wr_sleep(wr_after(wr_rand_span(&rand, 0, step))));
        }
        CHECK(count > 20);
        check_windows(taken, count, &rate);
    }
}

TEST(who_comes_when_told_gets_all_that_the_rate_allows)
{
    struct wr_bucket bucket = { 0 };
    struct wr_rate rate = wr_rate_of(7, WR_S(1), 3);
    wr_time start = wr_now(), wait;
    unsigned had = 0;
    while (had < 1000) {
        if (!wr_bucket_take(&bucket, &rate, 1, &wait))
            had++;
        else
            CHECK_OK(wr_sleep(wr_after(wait)));
    }
    CHECK_EQ(997 * rate.interval, wr_now() - start);
}

/* ---- shared ---- */

struct share {
    struct wr_bucket *bucket;
    const struct wr_rate *rate;
    _Atomic unsigned *had;
};

static wr_err take_share(void *arg)
{
    struct share *share = arg;
    wr_time end = wr_after(WR_MS(100)), wait;
    while (wr_now() < end) {
        if (!wr_bucket_take(share->bucket, share->rate, 1, &wait))
            atomic_fetch_add(share->had, 1);
        else if (wr_sleep(wr_after(wait)))
            break;
    }
    return WR_OK;
}

TEST(takers_on_several_workers_get_together_what_one_would)
{
    struct wr_bucket bucket = { 0 };
    struct wr_rate rate = wr_rate_of(10000, WR_S(1), 10);
    _Atomic unsigned had = 0;
    struct share share = { &bucket, &rate, &had };
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 8; i++)
        CHECK_OK(wr_scope_go(scope, "test.taker", take_share, &share));
    scope_done(scope);
    CHECK_EQ(10 + 999, had);        /* the last would come at the very end */
}

TEST_PANICS(a_rate_without_tokens_is_refused, "none may be zero")
{
    (void)wr_rate_of(0, WR_S(1), 1);
}

TEST_PANICS(a_rate_that_takes_years_is_refused, "more than a year")
{
    (void)wr_rate_of(1, WR_S(86400), 400);
}
