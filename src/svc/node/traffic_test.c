/* traffic_test.c - each byte is in each ring once, for as long as the ring goes back. */
#include "svc/node/traffic.h"

#include "testing/node_rig.h"

#define AT(seconds) ((struct wr_wall){ WR_S(seconds) })
#define BYTES(in_, out_) ((struct wr_stream_bytes){ .in = (in_), .out = (out_) })
#define MINUTE INT64_C(60)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define JAN_31_2027 1801353600      /* its midnight */

static struct traffic *begin(int64_t at)
{
    struct traffic *traffic = NULL;
    CHECK_OK(traffic_new(&traffic, AT(at), BYTES(1000, 2000)));
    return traffic;
}

static struct wr_stream_bytes ring[TRAFFIC_BUCKETS_MAX];

/* What a bucket has that lies so far back. */
static uint64_t in_of(struct traffic *traffic, enum traffic_ring which, int64_t now,
                      size_t back)
{
    size_t count = traffic_read(traffic, which, AT(now), ring);
    return ring[count - 1 - back].in;
}

TEST(what_was_there_before_is_not_counted)
{
    struct traffic *traffic = begin(JAN_31_2027);
    traffic_note(traffic, AT(JAN_31_2027), BYTES(1000, 2000));
    CHECK_EQ(0, in_of(traffic, TRAFFIC_MONTHS, JAN_31_2027, 0));
    traffic_free(traffic);
}

TEST(rings_are_as_long_as_they_are_said_to_be)
{
    static const size_t sizes[] = { 60, 60, 24, 30, 12 };
    struct traffic *traffic = begin(JAN_31_2027);
    for (enum traffic_ring i = 0; i < TRAFFIC_RINGS; i++)
        CHECK_EQ(sizes[i], traffic_read(traffic, i, AT(JAN_31_2027), ring));
    traffic_free(traffic);
}

TEST(bytes_are_of_the_second_of_the_look_before)
{
    struct traffic *traffic = begin(JAN_31_2027);
    traffic_note(traffic, AT(JAN_31_2027 + 1), BYTES(1005, 2007));
    traffic_note(traffic, AT(JAN_31_2027 + 2), BYTES(1016, 2007));
    CHECK_EQ(0, in_of(traffic, TRAFFIC_SECONDS, JAN_31_2027 + 2, 0));
    CHECK_EQ(11, in_of(traffic, TRAFFIC_SECONDS, JAN_31_2027 + 2, 1));
    CHECK_EQ(5, in_of(traffic, TRAFFIC_SECONDS, JAN_31_2027 + 2, 2));
    CHECK_EQ(7, ring[57].out);
    traffic_free(traffic);
}

TEST(a_byte_is_in_each_ring_until_the_ring_has_gone_round)
{
    static const int64_t after[] = { 59, 59 * MINUTE, 23 * HOUR, 29 * DAY, 334 * DAY };
    static const int64_t gone[] = { 60, 60 * MINUTE, 24 * HOUR, 30 * DAY, 335 * DAY };
    struct traffic *traffic = begin(JAN_31_2027);
    traffic_note(traffic, AT(JAN_31_2027), BYTES(1009, 2000));
    for (enum traffic_ring i = 0; i < TRAFFIC_RINGS; i++) {
        size_t last = traffic_read(traffic, i, AT(JAN_31_2027), ring) - 1;
        CHECK_EQ(9, ring[last].in);
        CHECK_EQ(9, in_of(traffic, i, JAN_31_2027 + after[i], last));
        CHECK_EQ(0, in_of(traffic, i, JAN_31_2027 + gone[i], last));
    }
    traffic_free(traffic);
}

TEST(a_place_that_comes_round_again_is_empty_at_first)
{
    struct traffic *traffic = begin(JAN_31_2027);
    traffic_note(traffic, AT(JAN_31_2027 + 60), BYTES(1009, 2000));
    traffic_note(traffic, AT(JAN_31_2027 + 61), BYTES(1010, 2000));
    CHECK_EQ(1, in_of(traffic, TRAFFIC_SECONDS, JAN_31_2027 + 61, 1));
    CHECK_EQ(10, in_of(traffic, TRAFFIC_HOURS, JAN_31_2027 + 61, 0));
    traffic_free(traffic);
}

TEST(months_are_those_of_the_calendar)
{
    struct traffic *traffic = begin(JAN_31_2027 + DAY - 1);
    traffic_note(traffic, AT(JAN_31_2027 + DAY), BYTES(1003, 2000));
    traffic_note(traffic, AT(JAN_31_2027 + DAY), BYTES(1007, 2000));
    CHECK_EQ(4, in_of(traffic, TRAFFIC_MONTHS, JAN_31_2027 + DAY, 0));
    CHECK_EQ(3, in_of(traffic, TRAFFIC_MONTHS, JAN_31_2027 + DAY, 1));
    CHECK_EQ(3, in_of(traffic, TRAFFIC_MONTHS, JAN_31_2027 + 28 * DAY, 1));
    CHECK_EQ(3, in_of(traffic, TRAFFIC_MONTHS, JAN_31_2027 + 29 * DAY, 2));
    traffic_free(traffic);
}

TEST(a_count_that_comes_late_takes_nothing_away)
{
    struct traffic *traffic = begin(JAN_31_2027);
    traffic_note(traffic, AT(JAN_31_2027), BYTES(1009, 2000));
    traffic_note(traffic, AT(JAN_31_2027), BYTES(1004, 2000));
    traffic_note(traffic, AT(JAN_31_2027), BYTES(1011, 2000));
    CHECK_EQ(11, in_of(traffic, TRAFFIC_DAYS, JAN_31_2027, 0));
    traffic_free(traffic);
}

/* ---- the page ---- */

static struct answer answer;

static uint64_t number_after(const char *text)
{
    const char *at = strstr(answer.body, text);
    return at ? strtoull(at + strlen(text), NULL, 10) : 0;
}

TEST(the_node_counts_what_it_says_and_hears_second_by_second)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_EQ(200, rig_get(&rig, "/v1/hello", &answer));
    CHECK_OK(wr_sleep(wr_after(WR_S(10))));
    CHECK_EQ(200, rig_get(&rig, "/api/v1/system/net/accounting", &answer));
    uint64_t total = number_after("\"total\":{\"rxBytes\":");
    CHECK(total > 100);
    CHECK_EQ(total, number_after("\"rollups\":{\"minute\":{\"rxBytes\":"));
    CHECK_EQ(total, number_after("\"year\":{\"rxBytes\":"));
    /* The first call was ten seconds ago, this one is of now. */
    const char *seconds = strstr(answer.body, "\"second\":{\"rxBytes\":[");
    REQUIRE(seconds);
    const char *end = strchr(seconds, ']');
    unsigned moved = 0;
    for (const char *at = strchr(seconds, '['); at && at < end; at = strchr(at + 1, ','))
        moved += at[1] != '0';
    CHECK_EQ(2, moved);
    CHECK_OK(rig_end(&rig));
}
