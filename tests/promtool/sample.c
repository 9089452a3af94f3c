/* sample.c - print a page of metrics with one of everything, for promtool. */
#include <stdio.h>
#include <stdlib.h>

#include <weir/metric.h>
#include <weir/time.h>

static struct wr_metric rejections[] = {
    {
        .name = "busy_rejections_total",
        .help = "Requests refused because a queue was full.",
        .type = WR_COUNTER,
        .labels = { "endpoint" },
        .series_max = 4,
        .svc = "node",
    },
    {
        .name = "busy_rejections_total",
        .help = "Requests refused because a queue was full.",
        .type = WR_COUNTER,
        .labels = { "route" },
        .series_max = 4,
        .svc = "index",
    },
};

static struct wr_metric dropped_results = {
    .name = "dropped_results_total",
    .help = "Results dropped when a drain ran out of time.",
    .type = WR_COUNTER,
};

static struct wr_metric unmet = {
    .name = "ready_dependency_unmet",
    .help = "Dependencies that are not ready: \"1\" is unmet.",
    .type = WR_GAUGE,
    .labels = { "dep" },
    .series_max = 8,
};

static struct wr_metric latency = {
    .name = "request_latency_seconds",
    .help = "Time from admission to the last byte of the answer.",
    .type = WR_HISTOGRAM,
    .labels = { "endpoint", "method" },
    .series_max = 8,
    .digits = WR_NS_AS_S,
    .bounds = { WR_MS(5), WR_MS(10), WR_MS(20), WR_MS(50), WR_MS(100), WR_MS(200), WR_MS(500),
                WR_S(1), WR_S(2), WR_S(5) },
};

static void collect_depth(struct wr_scrape *scrape)
{
    wr_scrape_gauge(scrape, 3, "node.work");
    wr_scrape_gauge(scrape, 2, "index.work");
    wr_scrape_gauge(scrape, 4, "node.work");
}

static struct wr_metric depth = {
    .name = "queue_depth",
    .help = "Values waiting in a queue.",
    .type = WR_GAUGE,
    .labels = { "queue" },
    .series_max = 8,
    .collect = collect_depth,
};

int main(void)
{
    static char page[64 * 1024];
    static const char *const routes[] = { "a", "b", "c", "d", "e", "f" };
    for (int i = 0; i < 6; i++)
        wr_counter_add(wr_metric_counter(&rejections[1], routes[i]), 1);
    wr_counter_add(wr_metric_counter(&rejections[0], "/v1/check"), UINT64_MAX);
    (void)wr_metric_counter(&dropped_results);
    wr_gauge_set(wr_metric_gauge(&unmet, "say \"hi\", C:\\\nand \xff\xc3\xbc \t="), -1);
    wr_gauge_set(wr_metric_gauge(&unmet, ""), 1);
    for (int i = 0; i < 1000; i++)
        wr_histogram_observe(wr_metric_histogram(&latency, "resolve", "GET"), i * WR_MS(7));
    (void)wr_metric_histogram(&latency, "resolve", "PUT");
    wr_metric_declare(&depth);

    size_t len;
    if (wr_metric_write(&len, page, sizeof(page)) != WR_OK)
        return EXIT_FAILURE;
    return fwrite(page, 1, len, stdout) == len ? EXIT_SUCCESS : EXIT_FAILURE;
}
