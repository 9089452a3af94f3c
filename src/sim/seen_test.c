#include "sim/sim_int.h"
#include "testing/test.h"

TEST_PLAIN(each_state_is_counted_once)
{
    struct seen seen = { 0 };
    for (int round = 0; round < 3; round++)
        for (uint64_t state = 0; state < 5000; state++)
            wr_seen_add(&seen, state);
    CHECK_EQ(5000, seen.count);
    wr_seen_close(&seen);
    CHECK_EQ(0, seen.count);
}

TEST_PLAIN(states_that_differ_only_in_their_high_bits_are_different)
{
    struct seen seen = { 0 };
    for (uint64_t state = 0; state < 1000; state++)
        wr_seen_add(&seen, state << 54);
    CHECK_EQ(1000, seen.count);
    wr_seen_close(&seen);
}

TEST_PLAIN(the_count_stops_at_a_bound_instead_of_growing_for_ever)
{
    struct seen seen = { 0 };
    for (uint64_t state = 1; state < (uint64_t)5 << 19; state++)
        wr_seen_add(&seen, state);
    CHECK_EQ((uint64_t)1 << 21, seen.count);
    wr_seen_close(&seen);
}
