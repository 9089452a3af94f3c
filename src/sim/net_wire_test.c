/* net_wire_test.c - what can go wrong with a connection, one fault at a time. */
#include "testing/wire_rig.h"

#define SEEDS 60

TEST_PLAIN(in_fair_weather_a_transfer_takes_a_few_round_trips)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct transfer t = { .within = WR_S(5) };
        CHECK(!transfer_under(&t, 0, seed));
        CHECK(t.answered);
        CHECK_EQ(1, t.connections);
        CHECK(t.took > WR_US(100) && t.took < WR_MS(100));
    }
}

TEST_PLAIN(what_is_lost_comes_later)
{
    int lost = 0, late = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct transfer t = { .within = WR_S(120) };
        lost += transfer_under(&t, WR_SIM_LOSS, seed);
        CHECK(t.answered);
        late += t.took >= WR_MS(200);
    }
    CHECK(lost > SEEDS / 4);
    CHECK(late > 0 && late <= lost);
}

TEST_PLAIN(a_slow_connection_is_slow_and_whole)
{
    int slow = 0, late = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct transfer t = { .within = WR_S(120) };
        slow += transfer_under(&t, WR_SIM_DELAY, seed);
        CHECK(t.answered);
        late += t.took >= WR_MS(16);
    }
    CHECK(slow > SEEDS / 4);
    CHECK(late >= slow / 2);
}

/* Of a segment that comes twice nothing is seen; of a connection that does, the server
 * sees one that breaks. */
TEST_PLAIN(what_comes_twice_is_passed_over)
{
    int twice = 0;
    size_t strangers = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct transfer t = { .within = WR_S(5) };
        twice += transfer_under(&t, WR_SIM_DUPLICATE, seed);
        CHECK_OK(t.connect);
        CHECK(t.answered);
        CHECK_EQ(t.connections, t.strangers + 1);
        strangers += t.strangers;
    }
    CHECK(twice > SEEDS / 4);
    CHECK(strangers > 0);
}

TEST_PLAIN(a_connection_may_be_refused_or_heard_a_second_later)
{
    int refused = 0, late = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)4 * SEEDS; seed++) {
        struct transfer t = { .within = WR_S(5) };
        bool happened = transfer_under(&t, WR_SIM_REFUSE, seed);
        CHECK(t.connect == WR_OK || t.connect == WR_IO);
        CHECK(happened || t.took < WR_S(1));
        CHECK(t.connect || t.answered);
        refused += t.connect == WR_IO;
        late += t.took >= WR_S(1);
    }
    CHECK(refused > 0);
    CHECK(late > 0);
}

/* What the server has got is a beginning of what was sent: the rig looks. */
TEST_PLAIN(a_reset_breaks_both_ends_and_loses_what_was_on_its_way)
{
    int broken = 0, cut_short = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct transfer t = { .within = WR_S(5), .keep = true };
        if (!transfer_under(&t, WR_SIM_RESET, seed)) {
            CHECK(t.answered);
            continue;
        }
        bool client_saw = t.write == WR_BROKENPIPE || t.reply == WR_BROKENPIPE;
        broken += client_saw && t.read == WR_BROKENPIPE;
        cut_short += t.got < LEN;
        CHECK(t.answered || client_saw);
    }
    CHECK(broken > SEEDS / 8);
    CHECK(cut_short > SEEDS / 8);
}

TEST_PLAIN(a_half_open_connection_is_silence_until_the_deadline)
{
    int silent = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct transfer t = { .within = WR_S(5), .keep = true };
        if (!transfer_under(&t, WR_SIM_HALFOPEN, seed)) {
            CHECK(t.answered);
            continue;
        }
        CHECK(t.answered || t.reply == WR_TIMEOUT);
        silent += t.reply == WR_TIMEOUT;
    }
    CHECK(silent > SEEDS / 8);
}

TEST_PLAIN(a_partition_stalls_and_heals)
{
    int stalled = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct transfer t = { .within = WR_S(59) };
        bool happened = transfer_under(&t, WR_SIM_PARTITION, seed);
        CHECK(t.answered);
        CHECK(happened || t.took < WR_MS(100));
        stalled += t.took > WR_MS(200);
    }
    CHECK(stalled > SEEDS / 8);
}

TEST_PLAIN(the_same_seed_goes_wrong_in_the_same_way)
{
    struct wr_sim_result first, second;
    struct transfer t = { .within = WR_S(5) };
    struct wr_sim_conf conf = { .name = "transfer", .seed = 1, .seeds = 20,
                                .faults = WR_SIM_NET };
    CHECK_OK(wr_sim_run(&first, &conf, transfer, &t));
    CHECK_OK(wr_sim_run(&second, &conf, transfer, &t));
    CHECK(first.hash == second.hash);
    CHECK(first.faults > 0);
    conf.seed = 21;
    CHECK_OK(wr_sim_run(&second, &conf, transfer, &t));
    CHECK(first.hash != second.hash);
}
