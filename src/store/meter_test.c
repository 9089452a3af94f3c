#include "store/meter.h"

#include "testing/test.h"

TEST_PLAIN(two_stores_count_into_the_same_figures)
{
    struct meter one, other;
    meter_init(&one);
    meter_init(&other);
    uint64_t before = wr_counter_get(one.writes);
    wr_counter_add(other.writes, 3);
    CHECK_EQ(before + 3, wr_counter_get(one.writes));
}
