/* pulse_test.c - the service manager hears of a node while it makes progress, and only
 * then. */
#include "svc/node/pulse.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <weir/manager.h>
#include <weir/run.h>
#include <weir/task.h>

#include "testing/node_rig.h"
#include "testing/settle.h"

/* ---- the rule ---- */

static bool beats(struct pulse *pulse, size_t len, uint64_t received, wr_time at)
{
    return pulse_beats(pulse, &(struct wr_chan_stat){ .len = len, .received = received }, 0,
                       at);
}

TEST_PLAIN(a_queue_that_moves_or_is_empty_is_progress)
{
    struct pulse pulse = { 0 };
    for (int i = 1; i < 100; i++)
        CHECK(beats(&pulse, 5, (uint64_t)i, i * WR_S(9)));
    for (int i = 100; i < 200; i++)
        CHECK(beats(&pulse, 0, 99, i * WR_S(9)));
}

TEST_PLAIN(a_queue_that_stands_still_for_too_long_is_none_until_it_moves)
{
    struct pulse pulse = { 0 };
    CHECK(beats(&pulse, 5, 7, WR_S(100)));
    CHECK(beats(&pulse, 5, 7, WR_S(110) - 1));
    CHECK(!beats(&pulse, 5, 7, WR_S(110)));
    CHECK(beats(&pulse, 4, 8, WR_S(111)));
}

TEST_PLAIN(a_worker_that_stands_still_for_too_long_is_none)
{
    struct pulse pulse = { 0 };
    struct wr_chan_stat empty = { 0 };
    CHECK(pulse_beats(&pulse, &empty, PULSE_PATIENCE - 1, WR_S(1)));
    CHECK(!pulse_beats(&pulse, &empty, PULSE_PATIENCE, WR_S(1)));
    CHECK(pulse_beats(&pulse, &empty, 0, WR_S(1)));
}

/* ---- a node and its manager ---- */

static struct wr_once *enough;

/* Keeps its worker, whatever is wanted of it. */
static wr_err ignore_all(struct wr_call *call)
{
    (void)call;
    return wait_shielded(enough, WR_S(1000));
}

static const struct wr_route routes[] = {
    { .method = "GET", .path = "/t/stay", .handler = ignore_all },
};
static const struct node_service service = { .name = "test", .routes = routes,
                                             .route_count = 1 };
static struct wr_manager *manager;
static int mailbox;

/* How many of its messages hold these words. */
static int heard(const char *words)
{
    char text[1000];
    int count = 0;
    for (ssize_t len; (len = recv(mailbox, text, sizeof(text) - 1, MSG_DONTWAIT)) >= 0;) {
        text[len] = '\0';
        count += strstr(text, words) != NULL;
    }
    return count;
}

/* Its box holds few messages. */
static int beats_within(int seconds)
{
    int count = 0;
    for (int i = 0; i < seconds; i++) {
        CHECK_OK(wr_sleep(wr_after(WR_S(1))));
        count += heard("WATCHDOG=1");
    }
    return count;
}

static wr_err live(void *unused)
{
    struct rig rig;
    struct wr_stream *streams[2];
    (void)unused;
    CHECK_OK(wr_once_new(&enough, "test.enough", 0));
    rig_service = &service;
    rig_manager = manager;
    rig_begin(&rig, (const char *const[]){ "--workers-count", "1", NULL });
    CHECK_EQ(1, heard("READY=1"));
    int beaten = beats_within(60);
    CHECK(beaten >= 119 && beaten <= 121);
    for (int i = 0; i < 2; i++) {           /* one keeps the worker, one waits for it */
        streams[i] = rig_dial(&rig);
        rig_say(streams[i], "GET /t/stay HTTP/1.1\r\nHost: localhost\r\n\r\n");
        settle();
    }
    beaten = beats_within(11);
    CHECK(beaten >= 19 && beaten <= 21);
    CHECK_EQ(0, beats_within(60));
    CHECK_OK(wr_once_set(enough, NULL));
    CHECK(beats_within(2) >= 3);
    for (int i = 0; i < 2; i++)
        wr_stream_close(streams[i]);
    CHECK_OK(rig_end(&rig));
    CHECK_EQ(1, heard("STOPPING=1"));
    wr_once_free(enough);
    return WR_OK;
}

TEST_PLAIN(the_manager_is_told_as_long_as_the_queue_moves_and_no_longer)
{
    char why[WR_MANAGER_WHY];
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + 1
        + (socklen_t)snprintf(addr.sun_path + 1, 60, "weir-pulse-%d", (int)getpid());
    char name[sizeof(addr.sun_path) + 1];
    snprintf(name, sizeof(name), "@%s", addr.sun_path + 1);
    mailbox = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    REQUIRE(bind(mailbox, (struct sockaddr *)&addr, size) == 0);
    setenv("NOTIFY_SOCKET", name, 1);
    setenv("WATCHDOG_USEC", "1000000", 1);
    REQUIRE_OK(wr_manager_open(&manager, why));
    CHECK_OK(wr_run(&(struct wr_run_conf){ .virtual_clock = true }, live, NULL));
    wr_manager_close(manager);
    close(mailbox);
}
