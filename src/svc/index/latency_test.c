#include "svc/index/latency.h"

#include <stdio.h>

#include <weir/task.h>

#include "testing/test.h"

static struct latencies *make(void)
{
    struct latencies *latencies = NULL;
    CHECK_OK(latencies_new(&latencies));
    return latencies;
}

TEST(of_who_was_never_asked_nothing_is_known)
{
    struct latencies *latencies = make();
    CHECK_EQ(-1, latency_of(latencies, "aa"));
    latency_seen(latencies, "aa", WR_MS(40));
    CHECK_EQ(WR_MS(40), latency_of(latencies, "aa"));
    CHECK_EQ(-1, latency_of(latencies, "ab"));
    latencies_free(latencies);
}

TEST(a_quarter_of_what_is_new_counts)
{
    struct latencies *latencies = make();
    latency_seen(latencies, "aa", WR_MS(40));
    latency_seen(latencies, "aa", WR_MS(80));
    CHECK_EQ(WR_MS(50), latency_of(latencies, "aa"));
    latencies_free(latencies);
}

TEST(who_has_failed_is_slowest_until_he_does_better)
{
    struct latencies *latencies = make();
    latency_seen(latencies, "aa", WR_MS(40));
    latency_failed(latencies, "aa");
    CHECK_EQ(LATENCY_FAILED, latency_of(latencies, "aa"));
    latency_seen(latencies, "aa", WR_MS(30));
    CHECK_EQ(WR_MS(30), latency_of(latencies, "aa"));
    latency_seen(latencies, "aa", WR_S(1000));
    CHECK_EQ(LATENCY_FAILED, latency_of(latencies, "aa"));
    latencies_free(latencies);
}

TEST(after_ten_minutes_nothing_is_known_any_more)
{
    struct latencies *latencies = make();
    latency_failed(latencies, "aa");
    CHECK_OK(wr_sleep(wr_after(LATENCY_OLD - 1)));
    CHECK_EQ(LATENCY_FAILED, latency_of(latencies, "aa"));
    CHECK_OK(wr_sleep(wr_after(1)));
    CHECK_EQ(-1, latency_of(latencies, "aa"));
    latency_seen(latencies, "aa", WR_MS(8));
    CHECK_EQ(WR_MS(8), latency_of(latencies, "aa"));
    latencies_free(latencies);
}

TEST(more_than_there_is_room_for_take_the_places_of_others_and_nothing_else)
{
    struct latencies *latencies = make();
    char id[80];
    size_t known = 0;
    for (int i = 0; i < 10000; i++) {
        snprintf(id, sizeof(id), "%064x", (unsigned)i);
        latency_seen(latencies, id, i + 1);
        CHECK_EQ(i + 1, latency_of(latencies, id));
    }
    for (int i = 0; i < 10000; i++) {
        snprintf(id, sizeof(id), "%064x", (unsigned)i);
        wr_time latency = latency_of(latencies, id);
        CHECK(latency == i + 1 || latency == -1);
        known += latency > 0;
    }
    CHECK(known > 3000 && known <= 4096);
    latencies_free(latencies);
}

TEST(what_is_no_id_is_not_remembered)
{
    struct latencies *latencies = make();
    char id[100];
    snprintf(id, sizeof(id), "%080d", 7);
    latency_seen(latencies, id, 1);
    latency_seen(latencies, "", 1);
    CHECK_EQ(-1, latency_of(latencies, id));
    CHECK_EQ(-1, latency_of(latencies, ""));
    latencies_free(latencies);
}
