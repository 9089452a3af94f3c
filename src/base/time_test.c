#include <weir/time.h>

#include <weir/once.h>
#include <weir/run.h>
#include <weir/task.h>

#include "base/world.h"
#include "testing/test.h"

static wr_time fixed_mono;

static wr_time read_fixed(void)
{
    return fixed_mono;
}

/* What wr_after says when it is `now`. */
static wr_time after_at(wr_time now, wr_time span)
{
    const struct wr_world *before = wr_world;
    struct wr_world fixed = *before;
    fixed.mono = read_fixed;
    fixed_mono = now;
    wr_world = &fixed;
    wr_time moment = wr_after(span);
    wr_world = before;
    return moment;
}

TEST_PLAIN(units_are_nanoseconds)
{
    CHECK_EQ(1000, WR_US(1));
    CHECK_EQ(1000000, WR_MS(1));
    CHECK_EQ(1000000000, WR_S(1));
    CHECK_EQ(-5000, WR_US(-5));
    CHECK_EQ(86400LL * 365 * 1000000000, WR_S(86400 * 365));
    CHECK_EQ(WR_S(3), WR_MS(3000));
}

TEST_PLAIN(wr_now_and_wr_never_are_the_ends_of_time)
{
    CHECK(WR_NOW < wr_now());
    CHECK(WR_NEVER > wr_now());
    CHECK_EQ(INT64_MAX, WR_NEVER);
}

TEST_PLAIN(after_is_now_and_the_span)
{
    CHECK_EQ(WR_S(5) + 7, after_at(WR_S(5), 7));
    CHECK_EQ(WR_S(6), after_at(WR_S(5), WR_S(1)));
}

TEST_PLAIN(after_a_negative_span_is_now)
{
    CHECK_EQ(WR_S(5), after_at(WR_S(5), 0));
    CHECK_EQ(WR_S(5), after_at(WR_S(5), -1));
    CHECK_EQ(WR_S(5), after_at(WR_S(5), INT64_MIN));
}

TEST_PLAIN(after_a_huge_span_is_never)
{
    CHECK_EQ(WR_NEVER, after_at(WR_S(5), WR_NEVER));
    CHECK_EQ(WR_NEVER, after_at(WR_S(5), WR_NEVER - WR_S(5)));
    CHECK_EQ(WR_NEVER, after_at(WR_S(5), WR_NEVER - WR_S(5) + 1));
    CHECK_EQ(WR_NEVER - 1, after_at(WR_S(5), WR_NEVER - WR_S(5) - 1));
}

TEST_PLAIN(the_real_clock_only_goes_forward)
{
    wr_time last = wr_now();
    for (int i = 0; i < 100000; i++) {
        wr_time now = wr_now();
        REQUIRE(now >= last);
        last = now;
    }
}

TEST_PLAIN(the_calendar_is_read_from_the_world_and_is_in_this_century)
{
    int64_t ns = wr_wall().ns;
    CHECK(ns > WR_S(1700000000) && ns < WR_S(4102444800));
}

TEST(the_virtual_clock_stands_still_while_anything_runs)
{
    wr_time start = wr_now();
    int64_t wall = wr_wall().ns;
    for (volatile int i = 0; i < 1000000; i++)
        ;
    CHECK_OK(wr_yield());
    CHECK_EQ(start, wr_now());
    CHECK_EQ(wall, wr_wall().ns);
}

TEST(under_the_virtual_clock_a_wait_takes_exactly_as_long_as_it_should_and_no_time_at_all)
{
    wr_time start = wr_now(), real = wr_world_os.mono();
    int64_t wall = wr_wall().ns;
    CHECK_OK(wr_sleep(wr_after(WR_S(86400))));
    CHECK_EQ(WR_S(86400), wr_now() - start);
    CHECK_EQ(WR_S(86400), wr_wall().ns - wall);
    CHECK(wr_world_os.mono() - real < WR_S(60));
}

/* Three calls one after the other, each of which would wait for ever. */
TEST(a_deadline_passed_down_never_adds_up_to_more_than_was_granted)
{
    struct wr_once *never;
    REQUIRE_OK(wr_once_new(&never, "test.never", 0));
    wr_time start = wr_now(), deadline = wr_after(WR_MS(50));
    for (int i = 0; i < 3; i++)
        CHECK_ERR(WR_TIMEOUT, wr_once_wait(never, NULL, deadline));
    CHECK_EQ(WR_MS(50), wr_now() - start);
    wr_once_free(never);
}

static wr_err note_world(void *arg)
{
    *(const struct wr_world **)arg = wr_world;
    return WR_OK;
}

TEST_PLAIN(the_clock_belongs_to_the_driver_and_the_real_one_is_back_after_the_run)
{
    const struct wr_world *before = wr_world, *during = NULL;
    CHECK_OK(wr_run(&(struct wr_run_conf){ .virtual_clock = true }, note_world, &during));
    CHECK(during != before);
    CHECK(wr_world == before);
    CHECK_OK(wr_run(&(struct wr_run_conf){ .virtual_clock = false }, note_world, &during));
    CHECK(during == before);
}
