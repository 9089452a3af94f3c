/* capacity_test.c - readings of the metrics, and how many workers they ask for. */
#include "svc/index/capacity.h"

#include <math.h>

#include "testing/test.h"

static bool is_near(double want, double got)
{
    return fabs(want - got) < 1e-9;
}

/* The seed's example: 5 ms without the DHT, 40 ms with it. */
static const struct capacity_reading nothing;
static const struct capacity_reading hundred = {
    .asked = 1000, .asked_seconds = 1000 * 0.005 + 200 * 0.040,
    .lookups = 200, .lookup_seconds = 200 * 0.040, .hits = 800, .misses = 200,
};

TEST_PLAIN(utilisation_is_the_rate_times_what_each_takes_over_the_workers)
{
    struct capacity seen = capacity_of(&nothing, &hundred, 10, 2);
    CHECK(seen.known);
    CHECK(is_near(100, seen.rate));
    CHECK(is_near(0.005, seen.service));
    CHECK(is_near(0.040, seen.lookup));
    CHECK(is_near(0.8, seen.hit_ratio));
    CHECK(is_near(0.8 * 0.005 + 0.2 * 0.045, seen.each));
    CHECK(is_near(100 * 0.013 / 2, seen.used));             /* 0.65: enough */
    CHECK_EQ(2, seen.workers_wanted);                       /* 1.3 / 0.7 = 1.86 */
}

TEST_PLAIN(as_many_workers_are_wanted_as_keep_it_at_seven_tenths)
{
    struct capacity seen = capacity_of(&nothing, &hundred, 1, 4);
    CHECK(seen.used > CAPACITY_USED_MAX);
    CHECK_EQ(19, seen.workers_wanted);                      /* 13 / 0.7 = 18.57 */
    CHECK(capacity_of(&nothing, &hundred, 1, 19).used <= CAPACITY_USED_MAX);
    CHECK(capacity_of(&nothing, &hundred, 1, 18).used > CAPACITY_USED_MAX);
}

TEST_PLAIN(exactly_seven_tenths_needs_no_further_worker)
{
    const struct capacity_reading even = { .asked = 700, .asked_seconds = 0.7 };
    struct capacity seen = capacity_of(&nothing, &even, 1, 1);
    CHECK(is_near(0.7, seen.used));
    CHECK_EQ(1, seen.workers_wanted);
}

TEST_PLAIN(only_what_lies_between_both_readings_counts)
{
    struct capacity_reading later = hundred;
    later.asked += 100;
    later.asked_seconds += 100 * 0.002;
    later.hits += 100;
    struct capacity seen = capacity_of(&hundred, &later, 2, 8);
    CHECK(is_near(50, seen.rate));
    CHECK(is_near(0.002, seen.each));
    CHECK(is_near(1, seen.hit_ratio));
}

TEST_PLAIN(a_few_questions_are_rated_by_all_that_were_ever_asked)
{
    struct capacity_reading later = hundred;
    later.asked += CAPACITY_SEEN_MIN - 1;
    later.asked_seconds += 100;
    later.hits += CAPACITY_SEEN_MIN - 1;
    struct capacity seen = capacity_of(&hundred, &later, 1, 8);
    CHECK(is_near(19, seen.rate));
    CHECK(is_near((5 + 100) / 1019.0, seen.service));
    CHECK(is_near(819 / 1019.0, seen.hit_ratio));
}

TEST_PLAIN(questions_for_providers_count_too)
{
    const struct capacity_reading only = { .lookups = 90, .lookup_seconds = 9, .hits = 10,
                                           .misses = 90 };
    struct capacity seen = capacity_of(&nothing, &only, 1, 8);
    CHECK(is_near(100, seen.rate));
    CHECK(is_near(0, seen.service));
    CHECK(is_near(0.1, seen.lookup));
    CHECK(is_near(0.09, seen.each));
    CHECK_EQ(13, seen.workers_wanted);                      /* 9 / 0.7 = 12.86 */
}

TEST_PLAIN(questions_past_the_cache_count_too)
{
    const struct capacity_reading only = { .lookups = 90, .lookup_seconds = 9, .hits = 10 };
    struct capacity seen = capacity_of(&nothing, &only, 1, 8);
    CHECK(is_near(100, seen.rate));
    CHECK(is_near(0.1, seen.hit_ratio));
    CHECK(is_near(0.09, seen.each));
}

TEST_PLAIN(who_was_never_asked_wants_one_worker)
{
    struct capacity seen = capacity_of(&nothing, &nothing, 1, 8);
    CHECK(!seen.known);
    CHECK_EQ(1, seen.workers_wanted);
    CHECK(is_near(0, seen.used));
}

TEST_PLAIN(a_node_that_was_started_again_counts_from_its_start)
{
    struct capacity_reading fresh = { .asked = 30, .asked_seconds = 0.3 };
    struct capacity seen = capacity_of(&hundred, &fresh, 1, 8);
    CHECK(is_near(30, seen.rate));
    CHECK(is_near(0.01, seen.each));
}

TEST_PLAIN(metrics_are_read_with_any_labels_and_added_up)
{
    struct capacity_reading got;
    capacity_read(&got,
        "# HELP resolve_latency_seconds How long.\n"
        "# TYPE resolve_latency_seconds histogram\n"
        "resolve_latency_seconds_bucket{svc=\"index\",le=\"0.005\"} 7\n"
        "resolve_latency_seconds_sum{svc=\"index\"} 1.5\n"
        "resolve_latency_seconds_count{svc=\"index\"} 10\n"
        "index_dht_lookup_ms_sum{svc=\"index\"} 250\n"
        "index_dht_lookup_ms_count 4\n"
        "index_cache_hits_total{svc=\"index\",of=\"a b\"} 5\n"
        "index_cache_hits_total{svc=\"index\",of=\"c\"} 1\n"
        "index_cache_hits_total_other 100\n"
        "index_cache_misses_total{svc=\"index\"} NaN\n"
        "index_cache_misses_total{svc=\"index\"} 4");
    CHECK(is_near(10, got.asked));
    CHECK(is_near(1.5, got.asked_seconds));
    CHECK(is_near(4, got.lookups));
    CHECK(is_near(0.25, got.lookup_seconds));
    CHECK(is_near(6, got.hits));
    CHECK(is_near(4, got.misses));
}

TEST_PLAIN(metrics_without_an_index_are_zeros)
{
    struct capacity_reading got = { .asked = 9 };
    capacity_read(&got, "");
    CHECK(is_near(0, got.asked));
    capacity_read(&got, "resolve_latency_seconds_count\nresolve_latency_seconds_count{}");
    CHECK(is_near(0, got.asked));
}
