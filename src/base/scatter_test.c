#include "base/scatter.h"

#include "base/world.h"
#include "testing/test.h"

static const uint64_t seed[2] = { 0x0123456789abcdef, 0xfedcba9876543210 };

TEST_PLAIN(the_same_key_goes_to_the_same_place_and_its_length_counts)
{
    CHECK(wr_scatter(seed, "abcdefghij", 10) == wr_scatter(seed, "abcdefghijK", 10));
    CHECK(wr_scatter(seed, "a\0", 1) != wr_scatter(seed, "a\0", 2));
    CHECK(wr_scatter(seed, "", 0) != wr_scatter(seed, "\0", 1));
}

TEST_PLAIN(another_seed_gives_another_place)
{
    uint64_t other[2] = { seed[0] ^ 1, seed[1] }, third[2] = { seed[0], seed[1] ^ 2 };
    CHECK(wr_scatter(seed, "key", 3) != wr_scatter(other, "key", 3));
    CHECK(wr_scatter(seed, "key", 3) != wr_scatter(third, "key", 3));
}

/* Numbers one after the other, as keys are that a program counts up: 64 places of a table get
 * 1000 each, give or take; a place that got a fifth more would be seen. */
TEST_PLAIN(keys_that_differ_little_are_spread_over_all_places)
{
    unsigned low[64] = { 0 }, high[64] = { 0 };
    for (uint64_t key = 0; key < 64000; key++) {
        uint64_t sum = wr_scatter(seed, &key, sizeof(key));
        low[sum % 64]++;
        high[(sum >> 32) % 64]++;
    }
    for (int i = 0; i < 64; i++) {
        CHECK(low[i] > 800 && low[i] < 1200);
        CHECK(high[i] > 800 && high[i] < 1200);
    }
}
