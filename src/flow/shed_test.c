#include <weir/shed.h>

#include "testing/settle.h"
#include "testing/test.h"

static void pause_for(wr_time span)
{
    CHECK_OK(wr_sleep(wr_after(span)));
}

static void enter(struct wr_shed *shed, int count)
{
    for (int i = 0; i < count; i++)
        CHECK(!wr_shed_enter(shed, WR_SHED_NORMAL));
}

static void leave_after(struct wr_shed *shed, wr_time waited)
{
    wr_shed_leave(shed, wr_now() - waited);
}

TEST(a_queue_that_is_worked_off_in_time_refuses_nobody)
{
    struct wr_shed shed = WR_SHED_INIT;
    enter(&shed, 10);                           /* and never empty */
    for (int i = 0; i < 1000; i++) {
        pause_for(WR_MS(1));
        leave_after(&shed, WR_MS(5));
        enter(&shed, 1);
    }
    CHECK_EQ(0, shed.refused);
}

/* From here on those who leave have waited too long; the interval is over. */
static void overload(struct wr_shed *shed)
{
    enter(shed, 20);
    leave_after(shed, WR_MS(5) + 1);
    for (int i = 0; i < 9; i++) {
        pause_for(WR_MS(10));
        leave_after(shed, WR_MS(6));
        enter(shed, 1);
    }
    pause_for(WR_MS(10) - 1);
    enter(shed, 1);
    pause_for(1);
    CHECK(wr_shed_enter(shed, WR_SHED_NORMAL));
    CHECK_EQ(1, shed->refused);
}

TEST(newcomers_are_refused_when_all_have_waited_too_long_for_an_interval_exactly)
{
    struct wr_shed shed = WR_SHED_INIT;
    overload(&shed);
}

TEST(one_that_waited_no_longer_than_the_target_ends_the_refusing)
{
    struct wr_shed shed = WR_SHED_INIT;
    overload(&shed);
    leave_after(&shed, WR_MS(5) + 1);
    CHECK(wr_shed_enter(&shed, WR_SHED_NORMAL));
    leave_after(&shed, WR_MS(5));
    enter(&shed, 5);
}

TEST(after_an_overload_the_first_slow_one_is_enough_for_an_interval)
{
    struct wr_shed shed = WR_SHED_INIT;
    overload(&shed);
    leave_after(&shed, WR_MS(6));
    leave_after(&shed, WR_MS(1));
    pause_for(WR_SHED_INTERVAL - 1);
    enter(&shed, 1);
    leave_after(&shed, WR_MS(6));
    CHECK(wr_shed_enter(&shed, WR_SHED_NORMAL));    /* and the interval begins anew */
    leave_after(&shed, WR_MS(1));
    pause_for(WR_SHED_INTERVAL - 1);
    leave_after(&shed, WR_MS(1));
    pause_for(1);
    leave_after(&shed, WR_MS(6));
    enter(&shed, 1);
}

TEST(an_empty_queue_takes_the_next_one_whatever_was)
{
    struct wr_shed shed = WR_SHED_INIT;
    overload(&shed);
    while (shed.waiting > 0)
        leave_after(&shed, WR_MS(50));
    enter(&shed, 2);
}

TEST(a_queue_that_nobody_takes_from_refuses_after_the_interval)
{
    struct wr_shed shed = WR_SHED_INIT;
    CHECK(!wr_shed_enter(&shed, WR_SHED_NORMAL));
    pause_for(WR_SHED_INTERVAL - 1);
    CHECK(!wr_shed_enter(&shed, WR_SHED_NORMAL));
    pause_for(1);
    CHECK(wr_shed_enter(&shed, WR_SHED_NORMAL));
    CHECK_EQ(2, shed.waiting);
}

TEST(one_that_is_not_queued_after_all_changes_nothing)
{
    struct wr_shed shed = WR_SHED_INIT;
    CHECK(!wr_shed_enter(&shed, WR_SHED_NORMAL));
    pause_for(WR_SHED_INTERVAL - 1);
    CHECK(!wr_shed_enter(&shed, WR_SHED_NORMAL));
    wr_shed_withdraw(&shed);
    pause_for(1);
    CHECK(wr_shed_enter(&shed, WR_SHED_NORMAL));
    CHECK_EQ(1, shed.waiting);
}

/* `load` times what can be done comes, a millisecond each.  Returns the longest wait
 * of those served after the first interval and the queue it left. */
static wr_time longest_wait(struct wr_shed *shed, int load)
{
    static wr_time entered[10000];
    wr_time longest = 0;
    size_t head = 0, tail = 0;
    for (int ms = 0; ms < 2000; ms++) {
        for (int i = 0; i < load; i++)
            if (!wr_shed_enter(shed, WR_SHED_NORMAL))
                entered[tail++] = wr_now();
        CHECK(head < tail);                     /* the worker is never idle */
        wr_time waited = wr_now() - entered[head];
        wr_shed_leave(shed, entered[head++]);
        longest = ms > 1000 && waited > longest ? waited : longest;
        pause_for(WR_MS(1));
    }
    return longest;
}

TEST(under_any_load_those_who_enter_wait_little_more_than_the_load_times_the_target)
{
    struct wr_shed twice = WR_SHED_INIT, four_times = WR_SHED_INIT;
    CHECK(longest_wait(&twice, 2) <= 2 * (WR_SHED_TARGET + WR_MS(1)));
    CHECK(longest_wait(&four_times, 4) <= 4 * (WR_SHED_TARGET + WR_MS(1)));
    CHECK(twice.refused > 1800 && four_times.refused > 5400);
}

TEST(the_low_class_is_refused_at_the_first_slow_one_and_the_high_class_after_ten_intervals)
{
    struct wr_shed shed = WR_SHED_INIT;
    enter(&shed, 200);
    CHECK(!wr_shed_enter(&shed, WR_SHED_LOW));
    leave_after(&shed, WR_MS(6));
    wr_time slow_since = wr_now();
    CHECK(wr_shed_enter(&shed, WR_SHED_LOW));
    CHECK(!wr_shed_enter(&shed, WR_SHED_NORMAL));
    while (wr_now() - slow_since < 10 * WR_SHED_INTERVAL - WR_MS(50)) {
        CHECK(!wr_shed_enter(&shed, WR_SHED_HIGH));
        pause_for(WR_MS(50));
        leave_after(&shed, WR_MS(6));
    }
    CHECK(wr_shed_enter(&shed, WR_SHED_NORMAL));
    CHECK(!wr_shed_enter(&shed, WR_SHED_HIGH));
    pause_for(WR_MS(50));
    CHECK(wr_shed_enter(&shed, WR_SHED_HIGH));
    leave_after(&shed, WR_MS(5));
    CHECK(!wr_shed_enter(&shed, WR_SHED_LOW));
    CHECK(!wr_shed_enter(&shed, WR_SHED_HIGH));
}

TEST_PANICS(one_that_never_entered_cannot_leave, "before > 0")
{
    struct wr_shed shed = WR_SHED_INIT;
    wr_shed_leave(&shed, wr_now());
}
