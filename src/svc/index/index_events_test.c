/* index_events_test.c - who watches the index hears what happens. */
#include "svc/index/index_events.h"

#include <weir/task.h>

#include "testing/index_node_rig.h"
#include "testing/metric_rig.h"

#define EVENTS "GET /v1/index/events HTTP/1.1\r\nHost: localhost\r\n\r\n"

static char heard[200000];

/* Everything until the stream ends. */
static void hear_all(struct wr_stream *stream)
{
    size_t len = 0, size = 1;
    while (size > 0 && len < sizeof(heard) - 1
           && !wr_stream_read(stream, &size, heard + len, sizeof(heard) - 1 - len,
                              wr_after(WR_S(1))))
        len += size;
    heard[len] = '\0';
}

static bool has(const char *what)
{
    if (strstr(heard, what))
        return true;
    printf("# %s\n", heard);
    return false;
}

TEST(who_watches_hears_what_was_accepted_and_which_pin_was_changed)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    struct wr_stream *stream = rig_dial(&rig);
    rig_say(stream, EVENTS);
    settle();
    CHECK_EQ(202, index_node_send(&rig, "PUT", "/admin/seed", "X-Corr-ID: one\r\n",
                                  "{\"name\":\"a\",\"cid\":\"" CID_OF("a") "\"}"));
    CHECK_EQ(200, index_node_send(&rig, "POST", "/admin/pin", "X-Corr-ID: two\r\n",
                                  "{\"cid\":\"" CID_OF("a") "\"}"));
    CHECK_EQ(400, index_node_send(&rig, "POST", "/admin/pin", "", "{}"));
    CHECK_EQ(200, index_node_send(&rig, "GET", "/resolve/name:a", "X-Corr-ID: three\r\n",
                                  ""));
    rig_stop(&rig);
    hear_all(stream);
    CHECK(has("event: index.admin.accepted\ndata: {\"key_hint\":\"aaaaaaaaaaaa\",\"type\":"
              "\"index.seed\",\"corr_id\":\"one\"}"));
    CHECK(has("event: index.pin.changed\ndata: {\"key_hint\":\"aaaaaaaaaaaa\",\"type\":"
              "\"index.pin\",\"corr_id\":\"two\"}"));
    CHECK(has("event: index.resolve.observed\ndata: {\"key_hint\":\"080efe36aab8\",\"source\":"
              "\"db\",\"latency_ms\":"));
    CHECK(has(",\"corr_id\":\"three\"}"));
    CHECK(has("event: end\ndata: draining"));
    wr_stream_close(stream);
    index_node_end(&rig);
}

TEST(who_is_too_slow_is_told_how_many_he_has_missed)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    struct wr_stream *stream = rig_dial(&rig);
    rig_say(stream, EVENTS);
    settle();
    struct index_events *events = index_service_desk(service)->events;
    for (int i = 0; i < INDEX_EVENTS_KEPT + 7; i++)         /* before anybody else can run */
        index_events_tell(events, &(struct index_event){ .what = "index.pin" });
    settle();
    CHECK(metric_value("bus_lagged_total{svc=\"index\"}") >= 1);
    rig_stop(&rig);
    hear_all(stream);
    CHECK(has("event: lagged\ndata: {\"missed\":"));
    wr_stream_close(stream);
    index_node_end(&rig);
}
