/* queue_events_test.c - the changes of a task as events, in a whole node. */
#include "svc/queue/queue_events.h"

#include <weir/task.h>

#include "testing/queue_node_rig.h"

/* Read a stream until it has this, or ends. */
static bool hear_until(struct wr_stream *stream, const char *what)
{
    size_t len = 0, size = 1;
    answer.body[0] = '\0';
    while (size > 0 && !strstr(answer.body, what)
           && !wr_stream_read(stream, &size, answer.body + len, sizeof(answer.body) - 1 - len,
                              wr_after(WR_S(10)))) {
        len += size;
        answer.body[len] = '\0';
    }
    return says(what);
}

TEST(events_tell_the_status_at_each_change)
{
    struct rig rig;
    char request[300];
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    struct wr_stream *stream = rig_dial(&rig);
    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
             queue_node_path("/events"));
    rig_say(stream, request);
    CHECK(hear_until(stream, "event: status\ndata: {\"ok\":true,"));
    CHECK(says("Content-Type: text/event-stream"));
    CHECK(says("\nid: "));
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"hold 1\"]}"));
    CHECK(hear_until(stream, "\"running\":1"));
    CHECK_OK(wr_once_set(queue_gate, NULL));
    CHECK(hear_until(stream, "\"satisfied\":1"));
    rig_stop(&rig);
    CHECK(hear_until(stream, "event: end\ndata: draining"));
    wr_stream_close(stream);
    queue_node_end(&rig);
}

TEST(events_of_a_task_that_was_quiet_come_when_they_happen)
{
    struct rig rig;
    char request[300];
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    struct wr_stream *stream = rig_dial(&rig);
    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
             queue_node_path("/events"));
    rig_say(stream, request);
    CHECK(hear_until(stream, "event: status\ndata: {\"ok\":true,"));
    CHECK_OK(wr_sleep(wr_after(WR_MS(2345))));
    wr_time before = wr_now();
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"hold 1\"]}"));
    CHECK(hear_until(stream, "\"running\":1"));
    CHECK(wr_now() - before < WR_MS(100));
    wr_stream_close(stream);
    queue_node_end(&rig);
}
