#include <weir/metric.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/metric.h"
#include "testing/test.h"

TEST_PLAIN(a_counter_is_the_sum_of_what_was_added)
{
    static struct wr_metric metric = { .name = "test_added_total",
                                       .help = "Added.",
                                       .type = WR_COUNTER };
    struct wr_counter *counter = wr_metric_counter(&metric);
    CHECK_EQ(0, wr_counter_get(counter));
    wr_counter_add(counter, 1);
    wr_counter_add(counter, 41);
    CHECK_EQ(42, wr_counter_get(counter));
}

TEST_PLAIN(a_gauge_is_what_it_was_set_to_and_moved_by)
{
    static struct wr_metric metric = { .name = "test_level",
                                       .help = "Level.",
                                       .type = WR_GAUGE };
    struct wr_gauge *gauge = wr_metric_gauge(&metric);
    wr_gauge_set(gauge, 7);
    wr_gauge_add(gauge, 3);
    wr_gauge_add(gauge, -15);
    CHECK_EQ(-5, wr_gauge_get(gauge));
}

/* ---- series ---- */

TEST_PLAIN(the_same_labels_are_the_same_series_and_others_another)
{
    static struct wr_metric metric = {
        .name = "test_series_total",
        .help = "Series.",
        .type = WR_COUNTER,
        .labels = { "route", "method" },
        .series_max = 8,
    };
    struct wr_counter *one = wr_metric_counter(&metric, "resolve", "GET");
    CHECK(wr_metric_counter(&metric, "resolve", "GET") == one);
    CHECK(wr_metric_counter(&metric, "resolve", "PUT") != one);
    CHECK(wr_metric_counter(&metric, "GET", "resolve") != one);
    CHECK(wr_metric_counter(&metric, "", "") != one);
}

TEST_PLAIN(values_that_look_like_labels_do_not_make_two_series_one)
{
    static struct wr_metric metric = {
        .name = "test_quoted_total",
        .help = "Quoted.",
        .type = WR_COUNTER,
        .labels = { "a", "b" },
        .series_max = 8,
    };
    CHECK(wr_metric_counter(&metric, "x\",b=\"y", "z")
          != wr_metric_counter(&metric, "x", "y\",b=\"z"));
    CHECK(wr_metric_counter(&metric, "x\\", "y") != wr_metric_counter(&metric, "x", "\\y"));
}

TEST_PLAIN(beyond_the_maximum_all_label_values_share_one_series)
{
    static struct wr_metric metric = {
        .name = "test_bounded_total",
        .help = "Bounded.",
        .type = WR_COUNTER,
        .labels = { "key" },
        .series_max = 3,
    };
    struct wr_counter *kept[3];
    char key[16];
    for (int i = 0; i < 3; i++) {
        snprintf(key, sizeof(key), "key-%d", i);
        kept[i] = wr_metric_counter(&metric, key);
    }
    struct wr_counter *other = wr_metric_counter(&metric, "key-3");
    for (int i = 4; i < 1000; i++) {
        snprintf(key, sizeof(key), "key-%d", i);
        CHECK(wr_metric_counter(&metric, key) == other);
    }
    CHECK_EQ(997, metric.overflow);
    CHECK_EQ(3, metric.series_count);
    for (int i = 0; i < 3; i++) {
        snprintf(key, sizeof(key), "key-%d", i);
        CHECK(wr_metric_counter(&metric, key) == kept[i]);
        CHECK(kept[i] != other);
    }
    CHECK_EQ(997, metric.overflow);
}

TEST_PLAIN(a_label_value_too_long_to_keep_counts_as_other)
{
    static struct wr_metric metric = {
        .name = "test_long_total",
        .help = "Long.",
        .type = WR_COUNTER,
        .labels = { "key" },
        .series_max = 3,
    };
    char key[4096];
    memset(key, 'k', sizeof(key));
    key[sizeof(key) - 1] = '\0';
    struct wr_counter *other = wr_metric_counter(&metric, key);
    key[0] = 'j';
    CHECK(wr_metric_counter(&metric, key) == other);
    CHECK(wr_metric_counter(&metric, "other") == other);
    CHECK_EQ(2, metric.overflow);
    CHECK_EQ(0, metric.series_count);               /* it takes nobody's place */
}

TEST_PLAIN(more_counters_than_a_slab_has_columns_are_all_apart)
{
    static struct wr_metric metric = {
        .name = "test_many_total",
        .help = "Many.",
        .type = WR_COUNTER,
        .labels = { "key" },
        .series_max = 1500,
    };
    char key[16];
    for (int round = 0; round < 2; round++)
        for (unsigned i = 0; i < 1500; i++) {
            snprintf(key, sizeof(key), "%u", i);
            wr_counter_add(wr_metric_counter(&metric, key), i + 1);
        }
    for (unsigned i = 0; i < 1500; i++) {
        snprintf(key, sizeof(key), "%u", i);
        CHECK_EQ(2 * (i + 1), wr_counter_get(wr_metric_counter(&metric, key)));
    }
    CHECK_EQ(0, metric.overflow);
}

/* ---- no memory ---- */

static int blocks_left;

static void *scarce(size_t count, size_t size)
{
    return blocks_left-- > 0 ? calloc(count, size) : NULL;
}

static uint64_t everything_counted(void)
{
    uint64_t result = 0;
    for (struct wr_metric *metric = wr_metric_first; metric; metric = metric->next)
        for (struct wr_series *series = metric->series; series; series = series->next)
            result += series->cells ? wr_metric_sum(series->cells) : 0;
    return result;
}

TEST_PLAIN(without_memory_handles_still_work_and_the_loss_is_counted)
{
    static struct wr_metric counted = {
        .name = "test_poor_total",
        .help = "Poor.",
        .type = WR_COUNTER,
        .labels = { "key" },
        .series_max = 4,
    };
    static struct wr_metric level = { .name = "test_poor_level",
                                      .help = "Poor.",
                                      .type = WR_GAUGE };
    static struct wr_metric sizes = {
        .name = "test_poor_bytes", .help = "Poor.", .type = WR_HISTOGRAM, .bounds = { 1, 2, 3 }
    };
    uint64_t before = wr_metric_lost, counted_before = everything_counted();
    wr_metric_heap = scarce;
    blocks_left = 0;
    wr_counter_add(wr_metric_counter(&counted, "a"), 5);
    wr_gauge_set(wr_metric_gauge(&level), 5);
    wr_histogram_observe(wr_metric_histogram(&sizes), 2);
    wr_metric_heap = calloc;
    CHECK_EQ(3, wr_metric_lost - before);
    CHECK_EQ(0, counted.overflow);
    CHECK_EQ(counted_before, everything_counted());

    /* With memory again the series is there, and has lost what came before. */
    struct wr_counter *counter = wr_metric_counter(&counted, "a");
    CHECK_EQ(0, wr_counter_get(counter));
    CHECK_EQ(3, wr_metric_lost - before);
}

TEST_PLAIN(memory_for_the_series_but_none_for_its_cells_is_no_memory)
{
    static struct wr_metric metric = {
        .name = "test_half_total",
        .help = "Half.",
        .type = WR_COUNTER,
        .labels = { "key" },
        .series_max = 2000,
    };
    uint64_t before = wr_metric_lost;
    char key[16];
    unsigned made = 0;
    wr_metric_heap = scarce;
    /* Fill the slab in use; then a series needs two blocks and gets one. */
    for (; wr_metric_lost == before && made < 600; made++) {
        blocks_left = 1;
        snprintf(key, sizeof(key), "%u", made);
        wr_counter_add(wr_metric_counter(&metric, key), 1);
    }
    wr_metric_heap = calloc;
    CHECK(made < 600);
    CHECK_EQ(made - 1, metric.series_count);
    CHECK_EQ(0, wr_counter_get(wr_metric_counter(&metric, key)));
    CHECK_EQ(made, metric.series_count);
}

/* ---- threads ---- */

#define THREADS 40              /* more than there are rows */
#define ROUNDS 5000

static struct wr_metric contended = {
    .name = "test_contended_total",
    .help = "Contended.",
    .type = WR_COUNTER,
    .labels = { "key" },
    .series_max = 4,
};
static struct wr_metric spread = {
    .name = "test_spread_bytes", .help = "Spread.", .type = WR_HISTOGRAM, .bounds = { 10, 20 }
};

static pthread_barrier_t all_here;

static void *count_for_a_while(void *enter)
{
    static const char *const keys[] = { "a", "b", "c", "d", "e", "f" };
    if (enter)
        wr_metric_thread_enter();
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < ROUNDS; i++) {
        wr_counter_add(wr_metric_counter(&contended, keys[i % 6]), 1);
        wr_histogram_observe(wr_metric_histogram(&spread), i % 30);
    }
    wr_metric_thread_leave();
    return NULL;
}

static uint64_t total(void)
{
    static const char *const keys[] = { "a", "b", "c", "d", "e", "f", "other" };
    uint64_t result = 0, overflow = contended.overflow;
    struct wr_counter *seen[8];
    for (size_t i = 0, count = 0; i < 7; i++) {
        struct wr_counter *counter = wr_metric_counter(&contended, keys[i]);
        bool again = false;
        for (size_t j = 0; j < count; j++)
            again |= seen[j] == counter;
        if (!again)
            result += wr_counter_get(seen[count++] = counter);
    }
    contended.overflow = overflow;
    return result;
}

TEST_PLAIN(threads_with_and_without_cells_of_their_own_lose_no_count)
{
    for (int half = 0; half < 2; half++) {
        uint64_t before = total();
        pthread_t threads[THREADS];
        pthread_barrier_init(&all_here, NULL, THREADS);
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, count_for_a_while,
                           half && i % 2 ? NULL : &contended);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        pthread_barrier_destroy(&all_here);
        CHECK_EQ(THREADS * ROUNDS, total() - before);
    }
    CHECK_EQ(4, contended.series_count);
}

static struct wr_counter *shared;

static void *add_a_million(void *arg)
{
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < 1000000; i++)
        wr_counter_add(shared, 1);
    return arg;
}

TEST_PLAIN(threads_that_share_cells_at_the_same_time_lose_no_count)
{
    static struct wr_metric metric = { .name = "test_shared_total",
                                       .help = "Shared.",
                                       .type = WR_COUNTER };
    pthread_t threads[2];
    shared = wr_metric_counter(&metric);
    pthread_barrier_init(&all_here, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add_a_million, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_here);
    CHECK_EQ(2000000, wr_counter_get(shared));
}

static struct wr_metric crowded = {
    .name = "test_crowded_total",
    .help = "Crowded.",
    .type = WR_COUNTER,
    .labels = { "key" },
    .series_max = 2000,
};

static void *make_series(void *arg)
{
    char key[16];
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < 2000; i++) {
        snprintf(key, sizeof(key), "%d", i * 7919 % 2000);
        wr_counter_add(wr_metric_counter(&crowded, key), 1);
    }
    return arg;
}

TEST_PLAIN(threads_that_want_the_same_new_series_get_the_same_one)
{
    pthread_t threads[4];
    pthread_barrier_init(&all_here, NULL, 4);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, make_series, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_here);
    CHECK_EQ(2000, crowded.series_count);
    for (struct wr_series *series = crowded.series; series; series = series->next)
        CHECK_EQ(4, wr_metric_sum(series->cells));
}

static struct wr_counter *passed_on;

static void *count_once(void *arg)
{
    (void)arg;
    wr_metric_thread_enter();
    wr_counter_add(passed_on, 1);
    wr_metric_thread_leave();
    return NULL;
}

TEST_PLAIN(cells_go_from_thread_to_thread_with_what_is_in_them)
{
    static struct wr_metric metric = { .name = "test_passed_on_total",
                                       .help = "Passed on.",
                                       .type = WR_COUNTER };
    passed_on = wr_metric_counter(&metric);
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, count_once, NULL);
        pthread_join(thread, NULL);
    }
    CHECK_EQ(100, wr_counter_get(passed_on));
}

TEST_PLAIN(leaving_without_having_entered_does_nothing)
{
    wr_metric_thread_leave();
    wr_metric_thread_enter();
    wr_metric_thread_leave();
    wr_metric_thread_leave();
}

/* ---- contradictions ---- */

static struct wr_metric sound = {
    .name = "test_sound_total",
    .help = "Sound.",
    .type = WR_COUNTER,
    .labels = { "key" },
    .series_max = 2,
};

#define REFUSES(name, regex, ...) \
    TEST_DIES_PLAIN(name, regex) \
    { \
        static struct wr_metric bad = { __VA_ARGS__ }; \
        wr_metric_declare(&bad); \
    }

REFUSES(a_name_with_a_dash_is_refused, "name that is not allowed: \"a-b\"", .name = "a-b",
        .help = "H.", .type = WR_GAUGE)
REFUSES(a_name_that_begins_with_a_digit_is_refused, "name that is not allowed: \"2go\"",
        .name = "2go", .help = "H.", .type = WR_GAUGE)
REFUSES(a_missing_name_is_refused, "name that is not allowed: \"\"", .help = "H.",
        .type = WR_GAUGE)
REFUSES(a_missing_type_is_refused, "metric a has no type", .name = "a", .help = "H.")
REFUSES(a_missing_help_is_refused, "metric a needs a help", .name = "a", .type = WR_GAUGE)
REFUSES(a_help_of_two_lines_is_refused, "metric a needs a help", .name = "a", .help = "H.\nI.",
        .type = WR_GAUGE)
REFUSES(a_counter_without_total_is_refused, "metric a is a counter, so its name must end",
        .name = "a", .help = "H.", .type = WR_COUNTER)
REFUSES(labels_without_a_maximum_are_refused, "metric a has labels but no series_max",
        .name = "a", .help = "H.", .type = WR_GAUGE, .labels = { "x" })
REFUSES(a_gap_between_labels_is_refused, "metric a has a gap", .name = "a", .help = "H.",
        .type = WR_GAUGE, .labels = { "x", NULL, "y" }, .series_max = 1)
REFUSES(a_label_with_a_bad_name_is_refused, "metric a has a label whose name", .name = "a",
        .help = "H.", .type = WR_GAUGE, .labels = { "x y" }, .series_max = 1)
REFUSES(a_label_called_le_is_refused, "metric a has a label that means something else",
        .name = "a", .help = "H.", .type = WR_GAUGE, .labels = { "le" }, .series_max = 1)
REFUSES(a_histogram_without_bounds_is_refused, "metric a is a histogram and needs", .name = "a",
        .help = "H.", .type = WR_HISTOGRAM)
REFUSES(bounds_that_do_not_ascend_are_refused, "metric a has bounds that do not ascend",
        .name = "a", .help = "H.", .type = WR_HISTOGRAM, .bounds = { 1, 3, 3 })
REFUSES(bounds_with_a_gap_are_refused, "metric a has bounds that do not ascend", .name = "a",
        .help = "H.", .type = WR_HISTOGRAM, .bounds = { 1, 0, 3 })
REFUSES(bounds_below_zero_are_refused, "metric a has bounds that do not ascend", .name = "a",
        .help = "H.", .type = WR_HISTOGRAM, .bounds = { -1, 3 })
REFUSES(bounds_of_a_gauge_are_refused, "metric a has bounds but is no histogram", .name = "a",
        .help = "H.", .type = WR_GAUGE, .bounds = { 1 })

TEST_DIES_PLAIN(two_types_under_one_name_are_refused,
                "test_sound_total is declared twice, .*types")
{
    static struct wr_metric again = { .name = "test_sound_total",
                                      .help = "Again.",
                                      .type = WR_GAUGE };
    wr_metric_declare(&sound);
    wr_metric_declare(&again);
}

TEST_DIES_PLAIN(two_metrics_with_the_same_series_are_refused,
                "test_sound_total is declared twice, .*labels")
{
    static struct wr_metric again = {
        .name = "test_sound_total",
        .help = "Again.",
        .type = WR_COUNTER,
        .labels = { "key" },
        .series_max = 9,
    };
    wr_metric_declare(&sound);
    wr_metric_declare(&again);
}

TEST_PLAIN(one_name_may_have_a_metric_per_service_and_set_of_labels)
{
    static struct wr_metric again[] = {
        { .name = "test_sound_total", .help = "Again.", .type = WR_COUNTER },
        { .name = "test_sound_total", .help = "Again.", .type = WR_COUNTER, .svc = "index" },
        { .name = "test_sound_total",
          .help = "Again.",
          .type = WR_COUNTER,
          .labels = { "key" },
          .series_max = 2,
          .svc = "index" },
    };
    wr_metric_declare(&sound);
    wr_metric_declare(&sound);
    for (int i = 0; i < 3; i++)
        wr_metric_declare(&again[i]);
    CHECK(wr_metric_counter(&again[2], "a") != wr_metric_counter(&sound, "a"));
}

TEST_DIES_PLAIN(too_few_label_values_are_a_panic,
                "test_sound_total: its label key has no value")
{
    (void)wr_metric_counter(&sound);
}

TEST_DIES_PLAIN(too_many_label_values_are_a_panic, "test_sound_total: a value more .*\"b\"")
{
    (void)wr_metric_counter(&sound, "a", "b");
}

TEST_DIES_PLAIN(a_handle_of_another_type_is_a_panic, "test_sound_total is of another type")
{
    (void)wr_metric_gauge(&sound, "a");
}
