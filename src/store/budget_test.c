#include "store/budget.h"

#include <weir/task.h>

#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))

/* How long from now until the first turn. */
static wr_time take(struct store *store, const char *name, uint32_t turns)
{
    wr_time from = 0;
    CHECK_OK(store_budget_take(store, name, WR_MS(100), turns, 0, &from, SOON));
    return from - wr_now();
}

STORE_TEST(turns_follow_one_another_whoever_takes_them)
{
    CHECK(take(store, "a", 5) <= WR_MS(2));
    wr_time second = take(store, "a", 3);
    CHECK(second >= WR_MS(500) - rig_slack() && second <= WR_MS(502));
    wr_time third = take(store, "a", 1);
    CHECK(third >= WR_MS(800) - rig_slack() && third <= WR_MS(802));
    CHECK(take(store, "b", 1) <= WR_MS(2));         /* another budget */
}

STORE_TEST(what_is_spared_stays_free_and_a_part_of_a_microsecond_counts_as_one)
{
    wr_time from = 0;
    CHECK_OK(store_budget_take(store, "a", WR_US(1) + 1, 1000, WR_MS(50), &from, SOON));
    wr_time next = take(store, "a", 1);
    CHECK(next >= WR_US(51001) && next <= WR_US(53001));
}

STORE_TEST(turns_that_nobody_took_are_not_saved_up)
{
    CHECK(take(store, "a", 1) <= WR_MS(2));
    pass(WR_S(100));
    CHECK(take(store, "a", 1) <= WR_MS(2));
    CHECK(take(store, "a", 1) >= WR_MS(100) - rig_slack());
}

STORE_TEST(no_turn_begins_in_a_pause)
{
    CHECK(take(store, "a", 1) <= WR_MS(2));
    CHECK_OK(store_budget_pause(store, "a", WR_S(30), SOON));
    CHECK_OK(store_budget_pause(store, "a", WR_S(10), SOON));   /* the longer one counts */
    wr_time wait = take(store, "a", 1);
    CHECK(wait >= WR_S(30) - rig_slack() && wait <= WR_S(30) + WR_MS(2));
}
