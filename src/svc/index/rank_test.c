#include "svc/index/rank.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rand.h"
#include "testing/test.h"

#define NOW ((struct wr_wall){ WR_S(1700000000) })
#define MANY 40

/* Seen so long ago, good for a minute more. */
static struct provider seen(const char *id, const char *region, uint64_t ago_s, wr_time latency)
{
    struct provider provider = { .seen_at = { NOW.ns - WR_S(ago_s) },
                                 .until = { NOW.ns + WR_S(60) }, .latency = latency };
    snprintf(provider.id, sizeof(provider.id), "%s", id);
    snprintf(provider.region, sizeof(provider.region), "%s", region);
    return provider;
}

static double score_of(struct provider provider, const struct rank_rule *rule,
                       const char *region)
{
    struct ranked ranked;
    bool more;
    REQUIRE(rank(&ranked, &provider, 1, rule,
                 &(struct rank_wish){ .region = region, .now = NOW }, &more) == 1, -1);
    return ranked.score;
}

static bool is_near(double want, double got)
{
    return fabs(want - got) < 1e-12;
}

TEST_PLAIN(half_of_the_score_is_how_lately_it_was_seen)
{
    CHECK(is_near(0.25 + 0.5, score_of(seen("a", "", 0, -1), &rank_usual, NULL)));
    CHECK(is_near(0.25 + 0.25, score_of(seen("a", "", 600, -1), &rank_usual, NULL)));
    CHECK(is_near(0.25 + 0.125, score_of(seen("a", "", 1200, -1), &rank_usual, NULL)));
    struct rank_rule brief = rank_usual;
    brief.half_life = WR_S(10);
    CHECK(is_near(0.25 + 0.25, score_of(seen("a", "", 10, -1), &brief, NULL)));
}

TEST_PLAIN(the_other_half_is_the_bucket_of_its_latency)
{
    static const struct { wr_time latency; double want; } rows[] = {
        { -1, 0.5 }, { 0, 1 }, { WR_MS(30), 1 }, { WR_MS(30) + 1, 0.75 }, { WR_MS(80), 0.75 },
        { WR_MS(200), 0.5 }, { WR_MS(500), 0.25 }, { WR_MS(500) + 1, 0 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        CHECK(is_near(0.5 + rows[i].want / 2,
                      score_of(seen("a", "", 0, rows[i].latency), &rank_usual, NULL)));
    struct rank_rule two = rank_usual;
    two.buckets = (const wr_time[]){ WR_MS(1), WR_MS(3) };
    two.bucket_count = 2;
    CHECK(is_near(0.5 + 0.25, score_of(seen("a", "", 0, WR_MS(2)), &two, NULL)));
}

TEST_PLAIN(a_wished_region_counts_for_as_much_as_the_bias_says)
{
    struct rank_rule strict = rank_usual, none = rank_usual;
    strict.bias = 1;
    none.bias = 0;
    struct provider here = seen("a", "eu", 0, -1), there = seen("b", "us", 0, -1);
    CHECK(is_near(0.6 + 0.4 * 0.75, score_of(here, &rank_usual, "eu")));
    CHECK(is_near(0.4 * 0.75, score_of(there, &rank_usual, "eu")));
    CHECK(is_near(0.75, score_of(here, &rank_usual, "")));
    CHECK(is_near(0, score_of(there, &strict, "eu")));
    CHECK(is_near(0.75, score_of(there, &none, "eu")));
}

static wr_time known_latency(void *arg, const char *id)
{
    return strcmp(id, arg) == 0 ? WR_MS(1) : -1;
}

TEST_PLAIN(what_is_known_of_a_provider_goes_before_what_is_in_the_set)
{
    struct rank_rule rule = rank_usual;
    rule.latency = known_latency;
    rule.arg = (char[]){ "a" };
    CHECK(is_near(1, score_of(seen("a", "", 0, WR_S(9)), &rule, NULL)));
    CHECK(is_near(0.75, score_of(seen("b", "", 0, -1), &rule, NULL)));
    CHECK(is_near(1, score_of(seen("b", "", 0, 0), &rule, NULL)));      /* as we are to us */
    CHECK(is_near(0.5, score_of(seen("b", "", 0, WR_S(9)), &rule, NULL)));
}

TEST_PLAIN(who_is_over_denied_elsewhere_or_too_old_is_out)
{
    struct provider set[] = { seen("fine", "eu", 5, -1), seen("over", "eu", 5, -1),
                              seen("denied", "eu", 5, -1), seen("elsewhere", "us", 5, -1),
                              seen("nowhere", "", 5, -1), seen("old", "eu", 6, -1) };
    set[1].until = NOW;
    struct rank_rule rule = rank_usual;
    rule.regions = (const char *const[]){ "asia", "eu" };
    rule.denied = (const char *const[]){ "x", "denied" };
    rule.region_count = rule.denied_count = 2;
    struct ranked ranked[6];
    bool more;
    CHECK_EQ(1, rank(ranked, set, 6, &rule,
                     &(struct rank_wish){ .seen_within_s = 5, .now = NOW }, &more));
    CHECK_STR("fine", ranked[0].provider->id);
    CHECK(!more);
}

TEST_PLAIN(a_record_from_a_clock_that_is_ahead_was_seen_now)
{
    struct provider ahead = seen("a", "", 0, -1);
    ahead.seen_at.ns = NOW.ns + WR_S(100);
    ahead.until.ns = NOW.ns + WR_S(700);
    struct ranked ranked;
    bool more;
    CHECK_EQ(1, rank(&ranked, &ahead, 1, &rank_usual,
                     &(struct rank_wish){ .seen_within_s = 1, .now = NOW }, &more));
    CHECK_EQ(0, ranked.last_seen_s);
    CHECK(is_near(0.75, ranked.score));
}

TEST_PLAIN(the_class_says_why_it_was_chosen)
{
    struct provider set[] = { seen("a", "eu", 9999, -1), seen("b", "us", 600, -1),
                              seen("c", "us", 601, -1) };
    static const enum rank_class want[] = { RANK_REGION_MATCH, RANK_FRESH, RANK_ANY };
    struct ranked ranked[3];
    bool more;
    REQUIRE(rank(ranked, set, 3, &rank_usual,
                 &(struct rank_wish){ .region = "eu", .now = NOW }, &more) == 3);
    for (size_t i = 0; i < 3; i++) {
        CHECK(ranked[i].provider == &set[i]);
        CHECK_EQ(want[i], ranked[i].class);
    }
    CHECK_STR("region_match", rank_classes[ranked[0].class]);
    CHECK_STR("fresh", rank_classes[ranked[1].class]);
    CHECK_STR("any", rank_classes[ranked[2].class]);
}

TEST_PLAIN(the_limit_is_within_its_bounds_and_says_what_it_left_out)
{
    static const struct { size_t limit, count; bool more; } rows[] = {
        { 0, RANK_LIMIT, true }, { 1, 1, true }, { 32, 32, true }, { 33, 32, true },
        { 9999, 32, true } };
    struct provider set[MANY];
    struct ranked ranked[MANY];
    bool more;
    for (int i = 0; i < MANY; i++)
        set[i] = seen((char[]){ (char)('0' + i), '\0' }, "", 0, -1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CHECK_EQ(rows[i].count, rank(ranked, set, MANY, &rank_usual,
            &(struct rank_wish){ .limit = rows[i].limit, .now = NOW }, &more));
        CHECK_EQ(rows[i].more, more);
    }
    CHECK_EQ(4, rank(ranked, set, 4, &rank_usual,
                     &(struct rank_wish){ .limit = 4, .now = NOW }, &more));
    CHECK(!more);
    CHECK_EQ(0, rank(ranked, NULL, 0, &rank_usual,
                     &(struct rank_wish){ .now = NOW }, &more));
    CHECK(!more);
}

TEST_PLAIN(equal_scores_go_by_last_seen_and_then_by_id)
{
    /* So old that nothing is left of being fresh: the score is the same. */
    struct provider set[] = { seen("c", "", 9000000, -1), seen("a", "", 9000001, -1),
                              seen("b", "", 9000001, -1) };
    struct ranked ranked[3];
    bool more;
    REQUIRE(rank(ranked, set, 3, &rank_usual, &(struct rank_wish){ .now = NOW },
                 &more) == 3);
    CHECK_STR("c", ranked[0].provider->id);
    CHECK_STR("a", ranked[1].provider->id);
    CHECK_STR("b", ranked[2].provider->id);
}

/* Property: any order in is the same order out, descending, within 0 to 1. */
TEST_PLAIN(the_same_set_has_the_same_order_however_it_came)
{
    static const char *const regions[] = { "", "eu", "us" };
    struct wr_rand rand;
    wr_rand_seed(&rand, 7);
    for (int round = 0; round < 200; round++) {
        struct provider set[MANY], other[MANY];
        struct ranked ranked[MANY], again[MANY];
        struct rank_wish wish = { .limit = 32, .now = NOW,
                                  .region = regions[wr_rand_below(&rand, 3)] };
        bool more;
        for (int i = 0; i < MANY; i++) {
            char id[8];
            snprintf(id, sizeof(id), "%02d", i);
            set[i] = seen(id, regions[wr_rand_below(&rand, 3)], wr_rand_below(&rand, 4) * 300,
                          WR_MS(wr_rand_below(&rand, 5)) * 150 - 1);
            set[i].until.ns += (int64_t)wr_rand_below(&rand, 2) * -WR_S(61);
        }
        memcpy(other, set, sizeof(set));
        for (int i = MANY - 1; i > 0; i--) {
            size_t j = wr_rand_below(&rand, (uint64_t)i + 1);
            struct provider moved = other[i];
            other[i] = other[j];
            other[j] = moved;
        }
        size_t count = rank(ranked, set, MANY, &rank_usual, &wish, &more);
        REQUIRE(rank(again, other, MANY, &rank_usual, &wish, &more) == count);
        for (size_t i = 0; i < count; i++) {
            CHECK_STR(ranked[i].provider->id, again[i].provider->id);
            CHECK(ranked[i].score >= 0 && ranked[i].score <= 1);
            CHECK(i == 0 || ranked[i - 1].score >= ranked[i].score);
        }
    }
}
