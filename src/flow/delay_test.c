#include "flow/delay.h"

#include "testing/test.h"

TEST_PLAIN(of_nothing_there_is_no_quantile)
{
    struct delay delay = { 0 };
    CHECK_EQ(0, delay_quantile(&delay, 990));
}

TEST_PLAIN(a_quantile_is_never_too_low_and_at_most_an_eighth_too_high)
{
    for (wr_time took = 1; took < WR_S(600); took = took * 3 / 2 + 1) {
        struct delay delay = { 0 };
        delay_note(&delay, took);
        wr_time got = delay_quantile(&delay, 500);
        CHECK(got >= took);
        CHECK(got <= took + took / 8 + 1);
    }
}

TEST_PLAIN(so_many_of_a_thousand_took_no_longer)
{
    struct delay delay = { 0 };
    for (int i = 0; i < 990; i++)
        delay_note(&delay, WR_MS(5));
    for (int i = 0; i < 10; i++)
        delay_note(&delay, WR_S(1));
    CHECK(delay_quantile(&delay, 990) < WR_MS(6));
    CHECK(delay_quantile(&delay, 991) >= WR_S(1));
    CHECK(delay_quantile(&delay, 1000) >= WR_S(1));
}

TEST_PLAIN(what_is_long_ago_is_forgotten)
{
    struct delay delay = { 0 };
    for (int i = 0; i < DELAY_FORGET; i++)
        delay_note(&delay, WR_S(1));
    for (int i = 0; i < 4 * DELAY_FORGET; i++)
        delay_note(&delay, WR_MS(1));
    CHECK(delay_quantile(&delay, 900) < WR_MS(2));
    CHECK(delay.total < DELAY_FORGET);
}

TEST_PLAIN(no_time_is_out_of_range)
{
    struct delay delay = { 0 };
    delay_note(&delay, -5);
    delay_note(&delay, 0);
    CHECK_EQ(0, delay_quantile(&delay, 1000));
    delay_note(&delay, INT64_MAX);
    CHECK(delay_quantile(&delay, 1000) > WR_S(600));
}
