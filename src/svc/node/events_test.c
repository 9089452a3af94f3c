/* events_test.c - who watches the bus hears what happens, and its end. */
#include <weir/task.h>

#include "testing/node_rig.h"

/* Everything until the stream ends. */
static const char *hear_all(struct wr_stream *stream)
{
    static char heard[20000];
    size_t len = 0, size = 1;
    while (size > 0 && len < sizeof(heard) - 1
           && !wr_stream_read(stream, &size, heard + len, sizeof(heard) - 1 - len,
                              wr_after(WR_S(1))))
        len += size;
    heard[len] = '\0';
    return heard;
}

#define EVENTS "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"

TEST(a_watcher_hears_how_it_stands_and_what_happens_until_the_end)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    struct wr_stream *stream = rig_dial(&rig);
    rig_say(stream, EVENTS);
    CHECK_OK(wr_sleep(wr_after(WR_MS(2500))));
    rig_stop(&rig);
    const char *heard = hear_all(stream);
    CHECK(strstr(heard, "text/event-stream"));
    CHECK(strstr(heard, "event: Snapshot\ndata: {\"ready\":true"));
    CHECK(strstr(heard, "event: Health\ndata: {\"service\":\"node\",\"ok\":true}"));
    CHECK(strstr(heard, "event: end\ndata: draining"));
    wr_stream_close(stream);
    CHECK_OK(rig_end(&rig));
}

TEST(there_are_so_many_watchers_and_no_more)
{
    struct rig rig;
    static struct answer answer;
    struct wr_stream *streams[2];
    rig_begin(&rig, (const char *const[]){ "--facets-feed", "2", NULL });
    for (int i = 0; i < 2; i++) {
        streams[i] = rig_dial(&rig);
        rig_say(streams[i], EVENTS);
    }
    settle();
    CHECK_EQ(429, rig_get(&rig, "/api/v1/events", &answer));
    wr_stream_close(streams[0]);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    struct wr_stream *third = rig_dial(&rig);
    rig_say(third, EVENTS);
    settle();
    rig_stop(&rig);
    CHECK(strstr(hear_all(third), "event: Snapshot"));
    wr_stream_close(streams[1]);
    wr_stream_close(third);
    CHECK_OK(rig_end(&rig));
}
