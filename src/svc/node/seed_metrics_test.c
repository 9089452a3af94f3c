/* seed_metrics_test.c - the names and labels that the contract writes, literally: over
 * one scenario in which all of it happens, each of them moves. */
#include <weir/metric.h>
#include <weir/task.h>

#include "testing/node_rig.h"

static struct answer answer;

/* What the contract calls a figure: a series of it, and between what it has moved. */
static struct figure { const char *series; long long least, most; } figures[] = {
    { .series = "queue_depth{queue=\"node.work\"}" },
    { .series = "queue_dropped_total{queue=\"node.telemetry\"}" },
    { .series = "tasks_spawned_total{kind=\"node.worker\"}" },
    { .series = "tasks_completed_total{kind=\"node.worker\"}" },
    { .series = "tasks_canceled_total{kind=\"node.supervisor\"}" },
    { .series = "tasks_aborted_total{kind=\"node.worker\"}" },
    { .series = "io_timeouts_total{op=\"read\"}" },
    { .series = "io_timeouts_total{op=\"write\"}" },
    { .series = "io_timeouts_total{op=\"handshake\"}" },
    { .series = "io_errors_total{op=\"write\"}" },
    { .series = "backoff_retries_total{op=\"restart\"}" },
    { .series = "busy_rejections_total{endpoint=\"/v1/hello\"}" },
    { .series = "service_restarts_total{service=\"node.worker\"}" },
    { .series = "request_latency_seconds_count{endpoint=\"/v1/hello\",method=\"GET\"}" },
    { .series = "readyz_state{service=\"workers\"}" },
    { .series = "ready_dependency_unmet{dep=\"workers\"}" },
    { .series = "semaphore_inflight{facet=\"feed\"}" },
    { .series = "facet_busy_total{facet=\"feed\"}" },
    { .series = "facet_deadline_timeouts_total{facet=\"feed\"}" },
    { .series = "bus_lagged_total{service=\"health\"}" },
    { .series = "config_coalesced_total{queue=\"node.reloads\"}" },
    { .series = "process_uptime_seconds" },
    { .series = "ready_state" },
    { .series = "rejected_total{reason=\"429\"}" },
    { .series = "http_requests_total{route=\"/v1/hello\",method=\"GET\",status=\"200\"}" },
    { .series = "inflight_requests{route=\"/api/v1/debug/sleep\"}" },
    { .series = "io_bytes_total{op=\"write\"}" },
};

static long long value_of(const char *series)
{
    char line[200];
    snprintf(line, sizeof(line), "\n%s ", series);
    const char *at = strstr(answer.body, line);
    return at ? strtoll(at + strlen(line), NULL, 10) : 0;
}

static void note_all(bool first)
{
    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
        struct figure *figure = &figures[i];
        long long value = value_of(figure->series);
        figure->least = first || value < figure->least ? value : figure->least;
        figure->most = first || value > figure->most ? value : figure->most;
    }
    /* Work is refused, and never lost. */
    CHECK_EQ(0, value_of("queue_dropped_total{queue=\"node.work\"}"));
}

static void look(struct rig *rig)
{
    CHECK_EQ(200, rig_get(rig, "/metrics", &answer));
    CHECK(strstr(answer.body, "\nqueue_dropped_total{queue=\"node.work\"} 0\n"));
    note_all(false);
}

/* When there is no node any more: what its page would have said. */
static void look_back(void)
{
    size_t len;
    CHECK_OK(wr_metric_write(&len, answer.body, sizeof(answer.body)));
    note_all(false);
}

/* ---- a service to misuse ---- */

/* Neither its deadline nor a cancel reaches it. */
static wr_err ignore_all(struct wr_call *call)
{
    struct wr_scope *shield;
    (void)call;
    wr_err err = wr_scope_new(&shield, &(struct wr_scope_conf){
        .name = "test.shield", .deadline = wr_after(WR_S(4)), .shield = true });
    if (err)
        return err;
    wr_scope_enter(shield);
    err = wr_sleep(wr_after(WR_S(3)));
    wr_scope_leave(shield);
    (void)!wr_scope_close(shield);
    return err;
}

static wr_err fail(struct wr_call *call)
{
    (void)call;
    return WR_IO;
}

static const struct node_policy feed = { .facet = FACET_FEED };
static const struct wr_route routes[] = {
    { .method = "GET", .path = "/t/stay", .handler = ignore_all, .policy = &feed },
    { .method = "GET", .path = "/t/fail", .handler = fail, .class = WR_ROUTE_PRIORITY },
};
static const struct node_service service = { .name = "test", .routes = routes,
                                             .route_count = 2 };

#define GET(path) "GET " path " HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define RELOAD "POST /api/v1/reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"

static void say_often(struct wr_stream *stream, const char *text, int times)
{
    for (int i = 0; i < times; i++)
        rig_say(stream, text);
}

/* ---- what happens ---- */

/* Both workers are kept, one call waits, another is sent away; so it is with a facet. */
static void crowd(struct rig *rig)
{
    struct wr_stream *streams[4];
    for (int i = 0; i < 2; i++) {
        streams[i] = rig_dial(rig);
        rig_say(streams[i], GET("/t/stay"));
        settle();
    }
    streams[2] = rig_dial(rig);
    rig_say(streams[2], GET("/api/v1/debug/sleep?ms=1"));
    settle();
    CHECK_EQ(429, rig_get(rig, "/v1/hello", &answer));
    CHECK_EQ(429, rig_get(rig, "/t/stay", &answer));
    look(rig);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(504, rig_hear(streams[i], &answer));
        wr_stream_close(streams[i]);
    }
    CHECK_OK(wr_sleep(wr_after(WR_S(2))));
    CHECK_EQ(200, rig_get(rig, "/v1/hello", &answer));
    look(rig);
}

/* Peers that do not speak, do not listen, or are gone; and one that never greets. */
static void bad_peers(struct rig *rig)
{
    struct wr_stream *slow = rig_dial(rig), *deaf = rig_dial(rig), *gone = rig_dial(rig);
    struct wr_stream *mute = NULL;
    CHECK_OK(wr_connect(&mute, &rig->face.oap, wr_after(WR_S(5))));
    rig_say(slow, "GET /v1/he");
    say_often(deaf, GET("/metrics"), 500);
    say_often(gone, GET("/metrics"), 100);
    wr_stream_close(gone);
    CHECK_OK(wr_sleep(wr_after(WR_S(10))));
    wr_stream_close(slow);
    wr_stream_close(deaf);
    wr_stream_close(mute);
    look(rig);
}

/* More at once than there is room for: of wishes, and of lines for the log. */
static void haste(struct rig *rig)
{
    struct wr_stream *stream = rig_dial(rig);
    say_often(stream, RELOAD, 30);
    say_often(stream, GET("/t/fail"), 200);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    wr_stream_close(stream);
    look(rig);
}

static void crashes(struct rig *rig)
{
    for (int i = 0; i < 2; i++)
        CHECK_EQ(202, rig_post(rig, "/api/v1/debug/crash?service=node.worker", &answer));
    settle();
    CHECK_EQ(503, rig_get(rig, "/readyz", &answer));
    look(rig);
    CHECK_OK(wr_sleep(wr_after(WR_S(2))));
    look(rig);
}

TEST(every_figure_of_the_contract_moves_under_its_name)
{
    struct rig rig;
    rig_service = &service;
    rig_begin(&rig, (const char *const[]){ "--workers-count", "2", "--channels-work", "1",
                                           "--channels-bus", "1", "--channels-telemetry", "1",
                                           "--facets-feed", "2", "--oap-addr", "127.0.0.1:0",
                                           "--graceful-timeout", "1s", NULL });
    CHECK_EQ(200, rig_get(&rig, "/metrics", &answer));
    note_all(true);
    CHECK_EQ(1, value_of("amnesia_mode{status=\"on\"}"));
    CHECK(strstr(answer.body, "\nbuild_info{version="));
    crowd(&rig);
    bad_peers(&rig);
    haste(&rig);
    crashes(&rig);
    struct wr_stream *stays = rig_dial(&rig);
    rig_say(stays, GET("/t/stay"));
    settle();
    CHECK_ERR(WR_TIMEOUT, rig_end(&rig));
    wr_stream_close(stays);
    look_back();
    for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
        if (!CHECK(figures[i].least < figures[i].most))
            printf("# %s stays at %lld\n", figures[i].series, figures[i].least);
}
