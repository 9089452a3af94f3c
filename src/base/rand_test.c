#include "base/rand.h"

#include <string.h>

#include "base/world.h"
#include "testing/test.h"

TEST_PLAIN(the_generator_gives_the_published_numbers)
{
    static const uint64_t published[] = {
        11520, 0, 1509978240, 1215971899390074240, 1216172134540287360, 607988272756665600,
    };
    struct wr_rand rand = { { 1, 2, 3, 4 } };
    for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++)
        CHECK(wr_rand_next(&rand) == published[i]);
}

TEST_PLAIN(a_seed_is_spread_over_the_state_as_published)
{
    struct wr_rand rand;
    wr_rand_seed(&rand, 1234567);
    CHECK(rand.state[0] == 6457827717110365317u);
    CHECK(rand.state[1] == 3203168211198807973u);
    CHECK(rand.state[2] == 9817491932198370423u);
    CHECK(rand.state[3] == 4593380528125082431u);
}

TEST_PLAIN(the_same_seed_gives_the_same_numbers_and_another_seed_others)
{
    struct wr_rand one, same, other;
    wr_rand_seed(&one, 0);
    wr_rand_seed(&same, 0);
    wr_rand_seed(&other, 1);
    int equal = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t bits = wr_rand_next(&one);
        CHECK(bits == wr_rand_next(&same));
        equal += bits == wr_rand_next(&other);
    }
    CHECK_EQ(0, equal);
}

TEST_PLAIN(below_reaches_every_value_and_never_the_limit)
{
    struct wr_rand rand;
    wr_rand_seed(&rand, 7);
    unsigned seen[6] = { 0 };
    for (int i = 0; i < 60000; i++) {
        uint64_t value = wr_rand_below(&rand, 6);
        REQUIRE(value < 6);
        seen[value]++;
    }
    /* Expected 10000 each, standard deviation 91: six of them either way. */
    for (int i = 0; i < 6; i++)
        CHECK(seen[i] > 9450 && seen[i] < 10550);
    CHECK_EQ(0, wr_rand_below(&rand, 1));
}

/* A limit of three quarters of all values: a plain multiplication would then
 * give the multiples of three twice the weight of their neighbours. */
TEST_PLAIN(below_is_unbiased_where_a_plain_multiplication_is_not)
{
    struct wr_rand rand;
    wr_rand_seed(&rand, 11);
    unsigned by_remainder[3] = { 0 };
    for (int i = 0; i < 30000; i++)
        by_remainder[wr_rand_below(&rand, UINT64_C(3) << 62) % 3]++;
    for (int i = 0; i < 3; i++)
        CHECK(by_remainder[i] > 9500 && by_remainder[i] < 10500);
}

TEST_PLAIN(span_includes_both_ends)
{
    struct wr_rand rand;
    wr_rand_seed(&rand, 3);
    bool low = false, high = false;
    for (int i = 0; i < 1000; i++) {
        int64_t value = wr_rand_span(&rand, -2, 2);
        REQUIRE(value >= -2 && value <= 2);
        low |= value == -2;
        high |= value == 2;
    }
    CHECK(low && high);
    CHECK_EQ(5, wr_rand_span(&rand, 5, 5));
}

TEST_PLAIN(span_covers_the_whole_range_of_integers)
{
    struct wr_rand rand;
    wr_rand_seed(&rand, 5);
    bool negative = false, positive = false;
    for (int i = 0; i < 100; i++) {
        int64_t value = wr_rand_span(&rand, INT64_MIN, INT64_MAX);
        negative |= value < 0;
        positive |= value > 0;
    }
    CHECK(negative && positive);
}

static void sevens(void *buf, size_t size)
{
    memset(buf, 7, size);
}

TEST_PLAIN(a_seed_from_the_world_is_the_worlds_entropy)
{
    const struct wr_world *real = wr_world;
    struct wr_world planted = *real;
    planted.entropy = sevens;
    wr_world = &planted;
    struct wr_rand rand, same;
    wr_rand_seed_from_world(&rand);
    wr_world = real;
    wr_rand_seed(&same, 0x0707070707070707);
    CHECK(memcmp(&rand, &same, sizeof(rand)) == 0);
}

TEST_DIES_PLAIN(below_nothing_is_a_panic, "rand\\.c:[0-9]+: assertion failed: limit > 0")
{
    struct wr_rand rand;
    wr_rand_seed(&rand, 1);
    (void)wr_rand_below(&rand, 0);
}

TEST_DIES_PLAIN(a_span_that_runs_backwards_is_a_panic, "assertion failed: min <= max")
{
    struct wr_rand rand;
    wr_rand_seed(&rand, 1);
    (void)wr_rand_span(&rand, 2, 1);
}

TEST_PLAIN(a_shared_one_draws_evenly_and_never_twice_from_the_same_state)
{
    struct wr_rand_shared shared = { 7 };
    unsigned seen[10] = { 0 };
    for (int i = 0; i < 10000; i++)
        seen[wr_rand_draw(&shared, 0, 9)]++;
    for (int i = 0; i < 10; i++)
        CHECK(seen[i] > 850 && seen[i] < 1150);
    struct wr_rand_shared one, other;
    wr_rand_share_from_world(&one);
    wr_rand_share_from_world(&other);
    CHECK(atomic_load(&one.state) != atomic_load(&other.state));
}
