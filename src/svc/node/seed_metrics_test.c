/* seed_metrics_test.c - the names and labels that the contract writes, literally: after
 * one scenario in which all of it happens, each has moved. */
#include <weir/task.h>

#include "testing/node_rig.h"

static struct answer answer;

/* What the contract calls a figure, and a series of it that has moved. */
static const char *const figures[] = {
    "queue_depth{queue=\"node.work\"} ",
    "queue_dropped_total{queue=\"node.work\"} 0\n",
    "queue_dropped_total{queue=\"node.telemetry\"} ",
    "tasks_spawned_total{kind=\"node.worker\"} ",
    "tasks_completed_total{kind=\"node.worker\"} ",
    "tasks_canceled_total{kind=\"http.conn\"} ",
    "tasks_aborted_total{kind=\"node.worker\"} ",
    "io_timeouts_total{op=\"read\"} ",
    "busy_rejections_total{endpoint=\"/v1/hello\"} ",
    "service_restarts_total{service=\"node.worker\"} ",
    "request_latency_seconds_count{endpoint=\"/v1/hello\",method=\"GET\"} ",
    "readyz_state{service=\"workers\"} ",
    "ready_dependency_unmet{dep=\"workers\"} ",
    "semaphore_inflight{facet=\"feed\"} ",
    "facet_busy_total{facet=\"feed\"} ",
    "facet_deadline_timeouts_total{facet=\"feed\"} ",
    "bus_lagged_total{service=\"health\"} ",
    "config_coalesced_total{queue=\"node.cfg_updates\"} ",
    "amnesia_mode{status=\"on\"} 1\n",
    "process_uptime_seconds ",
    "build_info{version=",
};

static long long value_of(const char *series)
{
    char line[200];
    snprintf(line, sizeof(line), "\n%s", series);
    const char *at = strstr(answer.body, line);
    return at ? strtoll(at + strlen(line), NULL, 10) : -1;
}

TEST(every_figure_of_the_contract_is_there_by_its_name)
{
    struct rig rig;
    rig_begin(&rig, (const char *const[]){ "--workers-count", "2", "--channels-work", "1",
                                           "--facets-feed", "2", NULL });
    struct wr_stream *streams[6];
    for (int i = 0; i < 4; i++) {
        streams[i] = rig_dial(&rig);
        rig_say(streams[i], "GET /api/v1/debug/sleep?ms=500 HTTP/1.1\r\nHost: a\r\n\r\n");
        settle();
    }
    CHECK_EQ(403, rig_hear(streams[3], &answer));
    for (int i = 0; i < 4; i++)
        wr_stream_close(streams[i]);
    for (int i = 0; i < 3; i++) {
        streams[i] = rig_dial(&rig);
        rig_say(streams[i],
                "GET /api/v1/debug/sleep?ms=500 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        settle();
    }
    CHECK_EQ(429, rig_get(&rig, "/v1/hello", &answer));
    CHECK_OK(wr_sleep(wr_after(WR_S(2))));
    for (int i = 0; i < 3; i++)
        wr_stream_close(streams[i]);
    CHECK_EQ(200, rig_get(&rig, "/v1/hello", &answer));
    for (int i = 0; i < 3; i++) {
        streams[i] = rig_dial(&rig);
        rig_say(streams[i], "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        settle();
    }
    struct wr_stream *slow = rig_dial(&rig);
    rig_say(slow, "GET /v1/he");
    CHECK_EQ(202, rig_post(&rig, "/api/v1/debug/crash?service=node.worker", &answer));
    CHECK_OK(wr_sleep(wr_after(WR_S(10))));
    CHECK_EQ(200, rig_get(&rig, "/metrics", &answer));
    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
        if (!CHECK(strstr(answer.body, figures[i])))
            printf("# %s\n", figures[i]);
    CHECK(value_of("busy_rejections_total{endpoint=\"/v1/hello\"} ") > 0);
    CHECK(value_of("service_restarts_total{service=\"node.worker\"} ") > 0);
    CHECK(value_of(figures[10]) > 0);
    CHECK(value_of("io_timeouts_total{op=\"read\"} ") > 0);
    CHECK(value_of("facet_busy_total{facet=\"feed\"} ") > 0);
    CHECK_EQ(2, value_of("semaphore_inflight{facet=\"feed\"} "));
    CHECK_EQ(2, value_of("readyz_state{service=\"workers\"} "));
    CHECK(value_of("process_uptime_seconds ") >= 10);
    for (int i = 0; i < 3; i++)
        wr_stream_close(streams[i]);
    wr_stream_close(slow);
    CHECK_OK(rig_end(&rig));
}
