#include <weir/metric.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/time.h>

#include "base/metric.h"
#include "testing/test.h"

static char page[256 * 1024];

static const char *read_page(void)
{
    size_t len = 0;
    CHECK_OK(wr_metric_write(&len, page, sizeof(page)));
    CHECK_EQ(strlen(page), len);
    return page;
}

/* The lines of one family, from its HELP on. */
static const char *family(const char *name)
{
    static char lines[4096];
    char head[128];
    snprintf(head, sizeof(head), "# HELP %s ", name);
    const char *begin = strstr(read_page(), head);
    if (!begin)
        return "";
    const char *end = strstr(begin + 1, "# HELP ");
    size_t len = end ? (size_t)(end - begin) : strlen(begin);
    snprintf(lines, sizeof(lines), "%.*s", (int)len, begin);
    return lines;
}

TEST_PLAIN(a_family_is_its_help_its_type_and_its_series_by_labels)
{
    static struct wr_metric metric = {
        .name = "shown_total",
        .help = "Shown to people.",
        .type = WR_COUNTER,
        .labels = { "route", "method" },
        .series_max = 8,
    };
    wr_counter_add(wr_metric_counter(&metric, "resolve", "PUT"), 3);
    wr_counter_add(wr_metric_counter(&metric, "providers", "GET"), 18446744073709551615u);
    (void)wr_metric_counter(&metric, "resolve", "GET");
    CHECK_STR("# HELP shown_total Shown to people.\n"
              "# TYPE shown_total counter\n"
              "shown_total{route=\"providers\",method=\"GET\"} 18446744073709551615\n"
              "shown_total{route=\"resolve\",method=\"GET\"} 0\n"
              "shown_total{route=\"resolve\",method=\"PUT\"} 3\n",
              family("shown_total"));
}

TEST_PLAIN(label_values_are_escaped_and_always_utf8)
{
    static struct wr_metric metric = {
        .name = "odd",
        .help = "Odd \"values\".",
        .type = WR_GAUGE,
        .labels = { "path" },
        .series_max = 8,
    };
    wr_gauge_set(wr_metric_gauge(&metric, "C:\\dir \"x\"\n\xff"), -1);
    CHECK_STR("# HELP odd Odd \"values\".\n"
              "# TYPE odd gauge\n"
              "odd{path=\"C:\\\\dir \\\"x\\\"\\n\xef\xbf\xbd\"} -1\n",
              family("odd"));
}

TEST_PLAIN(a_metric_without_labels_has_no_braces_and_one_with_svc_has_that_label)
{
    static struct wr_metric bare = { .name = "bare", .help = "Bare.", .type = WR_GAUGE };
    static struct wr_metric owned = {
        .name = "owned",
        .help = "Owned.",
        .type = WR_GAUGE,
        .svc = "index",
    };
    wr_gauge_set(wr_metric_gauge(&bare), 5);
    wr_gauge_set(wr_metric_gauge(&owned), 6);
    CHECK_STR("# HELP bare Bare.\n# TYPE bare gauge\nbare 5\n", family("bare"));
    CHECK_STR("# HELP owned Owned.\n# TYPE owned gauge\nowned{svc=\"index\"} 6\n",
              family("owned"));
}

TEST_PLAIN(metrics_of_several_services_are_one_family)
{
    static struct wr_metric lagged[] = {
        { .name = "bus_lagged_total", .help = "Missed.", .type = WR_COUNTER, .svc = "index" },
        { .name = "bus_lagged_total",
          .help = "Missed.",
          .type = WR_COUNTER,
          .labels = { "service" },
          .series_max = 4,
          .svc = "node" },
        { .name = "bus_lagged_total",
          .help = "Missed.",
          .type = WR_COUNTER,
          .labels = { "events" },
          .series_max = 4,
          .svc = "rewards" },
    };
    wr_counter_add(wr_metric_counter(&lagged[2], "epoch"), 3);
    wr_counter_add(wr_metric_counter(&lagged[0]), 1);
    wr_counter_add(wr_metric_counter(&lagged[1], "index"), 2);
    const char *text = family("bus_lagged_total");
    CHECK(strstr(text, "\nbus_lagged_total{svc=\"index\"} 1\n"));
    CHECK(strstr(text, "\nbus_lagged_total{service=\"index\",svc=\"node\"} 2\n"));
    CHECK(strstr(text, "\nbus_lagged_total{events=\"epoch\",svc=\"rewards\"} 3\n"));
    CHECK(!strstr(strstr(text, "# TYPE") + 1, "# TYPE"));
}

TEST_PLAIN(a_histogram_counts_each_value_into_every_bucket_that_holds_it)
{
    static struct wr_metric metric = {
        .name = "took_seconds",
        .help = "Time taken.",
        .type = WR_HISTOGRAM,
        .labels = { "op" },
        .series_max = 2,
        .digits = WR_NS_AS_S,
        .bounds = { WR_MS(5), WR_MS(50), WR_S(1) },
    };
    struct wr_histogram *took = wr_metric_histogram(&metric, "read");
    wr_histogram_observe(took, 0);
    wr_histogram_observe(took, WR_MS(5));           /* a bound belongs to its bucket */
    wr_histogram_observe(took, WR_MS(5) + 1);
    wr_histogram_observe(took, WR_MS(999));
    wr_histogram_observe(took, WR_S(60));
    wr_histogram_observe(took, -WR_S(1));           /* a clock set back */
    CHECK_STR("# HELP took_seconds Time taken.\n"
              "# TYPE took_seconds histogram\n"
              "took_seconds_bucket{op=\"read\",le=\"0.005\"} 3\n"
              "took_seconds_bucket{op=\"read\",le=\"0.05\"} 4\n"
              "took_seconds_bucket{op=\"read\",le=\"1\"} 5\n"
              "took_seconds_bucket{op=\"read\",le=\"+Inf\"} 6\n"
              "took_seconds_sum{op=\"read\"} 61.009000001\n"
              "took_seconds_count{op=\"read\"} 6\n",
              family("took_seconds"));
}

TEST_PLAIN(the_unit_outside_may_be_milliseconds_or_a_plain_number)
{
    static struct wr_metric lookup = {
        .name = "lookup_ms",
        .help = "Lookup.",
        .type = WR_HISTOGRAM,
        .digits = WR_NS_AS_MS,
        .bounds = { WR_US(2500) },
    };
    static struct wr_metric providers = {
        .name = "providers",
        .help = "Providers.",
        .type = WR_HISTOGRAM,
        .bounds = { 1, 13 },
    };
    static struct wr_metric busy = {
        .name = "busy_seconds_total",
        .help = "Busy.",
        .type = WR_COUNTER,
        .digits = WR_NS_AS_S,
    };
    wr_histogram_observe(wr_metric_histogram(&lookup), WR_US(1500));
    wr_histogram_observe(wr_metric_histogram(&providers), 8);
    wr_counter_add(wr_metric_counter(&busy), 1250000000);
    CHECK(strstr(family("lookup_ms"), "lookup_ms_bucket{le=\"2.5\"} 1\n"));
    CHECK(strstr(family("lookup_ms"), "lookup_ms_sum 1.5\n"));
    CHECK(strstr(family("providers"), "providers_bucket{le=\"13\"} 1\n"));
    CHECK(strstr(family("providers"), "providers_sum 8\n"));
    CHECK(strstr(family("busy_seconds_total"), "busy_seconds_total 1.25\n"));
}

TEST_PLAIN(a_metric_without_series_is_not_shown)
{
    static struct wr_metric metric = {
        .name = "unused_total",
        .help = "Unused.",
        .type = WR_COUNTER,
        .labels = { "key" },
        .series_max = 2,
    };
    wr_metric_declare(&metric);
    CHECK_STR("", family("unused_total"));
}

/* ---- collected metrics ---- */

struct queue {
    const char *name;
    int64_t len;
};
static const struct queue *queues;
static size_t queue_count;

static void collect_depth(struct wr_scrape *scrape)
{
    for (size_t i = 0; i < queue_count; i++)
        wr_scrape_gauge(scrape, queues[i].len, queues[i].name);
}

static struct wr_metric depth = {
    .name = "queue_depth",
    .help = "Values waiting.",
    .type = WR_GAUGE,
    .labels = { "queue" },
    .series_max = 3,
    .collect = collect_depth,
};

static const char *depth_of(const struct queue *table, size_t count)
{
    queues = table;
    queue_count = count;
    const char *text = family("queue_depth");
    return *text ? strstr(text, "gauge\n") + 6 : "";
}

TEST_PLAIN(collected_values_are_asked_for_at_each_reading)
{
    static const struct queue two[] = { { "node.work", 7 }, { "index.work", -2 } };
    static const struct queue one[] = { { "node.work", 0 } };
    wr_metric_declare(&depth);
    CHECK_STR("", depth_of(NULL, 0));
    CHECK_STR("queue_depth{queue=\"index.work\"} -2\nqueue_depth{queue=\"node.work\"} 7\n",
              depth_of(two, 2));
    CHECK_STR("queue_depth{queue=\"node.work\"} 0\n", depth_of(one, 1));
    CHECK_STR("", depth_of(NULL, 0));
}

TEST_PLAIN(collected_values_with_the_same_labels_are_added_up)
{
    static const struct queue same[] = { { "w", 1 }, { "w", 2 }, { "w", 3 } };
    wr_metric_declare(&depth);
    CHECK_STR("queue_depth{queue=\"w\"} 6\n", depth_of(same, 3));
    depth_of(NULL, 0);
}

TEST_PLAIN(collected_series_are_bounded_like_others)
{
    static const struct queue many[] = {
        { "a", 1 }, { "b", 2 }, { "c", 4 }, { "d", 8 }, { "e", 16 },
    };
    static struct wr_metric bounded = {
        .name = "bounded_depth", .help = "Values waiting.", .type = WR_GAUGE,
        .labels = { "queue" }, .series_max = 3, .collect = collect_depth,
    };
    wr_metric_declare(&bounded);
    queues = many;
    queue_count = 5;
    CHECK_STR("# HELP bounded_depth Values waiting.\n"
              "# TYPE bounded_depth gauge\n"
              "bounded_depth{queue=\"a\"} 1\n"
              "bounded_depth{queue=\"b\"} 2\n"
              "bounded_depth{queue=\"c\"} 4\n"
              "bounded_depth{queue=\"other\"} 24\n", family("bounded_depth"));
    queue_count = 0;
    CHECK(strstr(family("metric_series_overflow_total"), "{metric=\"bounded_depth\"} 2\n"));
}

static void collect_wrongly(struct wr_scrape *scrape)
{
    wr_scrape_counter(scrape, 1);
}

TEST_DIES_PLAIN(collecting_a_value_of_another_type_is_a_panic,
                "metric crooked is of another type")
{
    static struct wr_metric crooked = {
        .name = "crooked",
        .help = "Crooked.",
        .type = WR_GAUGE,
        .collect = collect_wrongly,
    };
    wr_metric_declare(&crooked);
    read_page();
}

/* ---- the page ---- */

TEST_PLAIN(overflow_and_loss_are_metrics_themselves)
{
    static struct wr_metric metric = {
        .name = "wide_total",
        .help = "Wide.",
        .type = WR_COUNTER,
        .labels = { "key" },
        .series_max = 1,
    };
    CHECK_STR("# HELP metric_series_lost_total "
              "Series that were not counted because there was no memory for them.\n"
              "# TYPE metric_series_lost_total counter\n"
              "metric_series_lost_total 0\n",
              family("metric_series_lost_total"));
    CHECK(!strstr(family("metric_series_overflow_total"), "wide_total"));
    (void)wr_metric_counter(&metric, "a");
    wr_counter_add(wr_metric_counter(&metric, "b"), 5);
    wr_counter_add(wr_metric_counter(&metric, "c"), 6);
    CHECK(strstr(family("wide_total"), "wide_total{key=\"other\"} 11\n"));
    CHECK(strstr(family("metric_series_overflow_total"), "{metric=\"wide_total\"} 2\n"));
}

TEST_PLAIN(families_come_in_the_order_of_their_names)
{
    char last[256] = "", name[256];
    for (const char *at = read_page(); (at = strstr(at, "# HELP ")); at++) {
        CHECK_EQ(1, sscanf(at, "# HELP %255s", name));
        CHECK(strcmp(last, name) < 0);
        snprintf(last, sizeof(last), "%s", name);
    }
    CHECK(*last);
}

TEST_PLAIN(a_buffer_too_small_is_an_error_that_says_how_much_it_takes)
{
    size_t len, need, again;
    char tiny[100];
    CHECK_OK(wr_metric_write(&len, page, sizeof(page)));
    CHECK_ERR(WR_NOMEM, wr_metric_write(&need, tiny, sizeof(tiny)));
    CHECK_EQ(len + 1, need);
    CHECK_ERR(WR_NOMEM, wr_metric_write(&again, page, need - 1));
    CHECK_EQ(need, again);
    CHECK_OK(wr_metric_write(&again, page, need));
    CHECK_EQ(len, again);
}

static wr_err err_inside;

static void collect_inside(struct wr_scrape *scrape)
{
    char small[64];
    size_t len;
    err_inside = wr_metric_write(&len, small, sizeof(small));
    wr_scrape_counter(scrape, 1);
}

TEST_PLAIN(one_reading_at_a_time)
{
    static struct wr_metric metric = {
        .name = "nested_total",
        .help = "Nested.",
        .type = WR_COUNTER,
        .collect = collect_inside,
    };
    wr_metric_declare(&metric);
    CHECK(strstr(family("nested_total"), "nested_total 1\n"));
    CHECK_ERR(WR_BUSY, err_inside);
    CHECK(*read_page());
}

/* ---- while others count ---- */

static struct wr_metric busy_sizes = {
    .name = "busy_sizes",
    .help = "Sizes.",
    .type = WR_HISTOGRAM,
    .bounds = { 1, 2, 3, 4 },
};
static struct wr_metric busy_keys = {
    .name = "busy_keys_total",
    .help = "Keys.",
    .type = WR_COUNTER,
    .labels = { "key" },
    .series_max = 500,
};
static atomic_bool enough;

static void *observe_for_a_while(void *arg)
{
    (void)arg;
    wr_metric_thread_enter();
    struct wr_histogram *sizes = wr_metric_histogram(&busy_sizes);
    char key[16];
    for (unsigned i = 0; !enough; i++) {
        wr_histogram_observe(sizes, i % 6);
        snprintf(key, sizeof(key), "%u", i % 600);
        wr_counter_add(wr_metric_counter(&busy_keys, key), 1);
    }
    wr_metric_thread_leave();
    return NULL;
}

static unsigned long long number_after(const char *text, const char *what)
{
    const char *at = strstr(text, what);
    return at ? strtoull(at + strlen(what), NULL, 10) : 0;
}

TEST_PLAIN(a_page_read_while_others_count_is_consistent_in_itself)
{
    unsigned long long last = 0;
    pthread_t threads[2];
    (void)wr_metric_histogram(&busy_sizes);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, observe_for_a_while, NULL);
    for (int i = 0; i < 50; i++) {
        const char *text = family("busy_sizes");
        unsigned long long most = number_after(text, "le=\"4\"} ");
        unsigned long long all = number_after(text, "le=\"+Inf\"} ");
        CHECK_EQ(all, number_after(text, "busy_sizes_count "));
        CHECK(most <= all);
        CHECK(last <= all);                         /* a counter never falls */
        last = all;
    }
    enough = true;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
