/* node_test.c - a whole node: it becomes ready, works, breaks, drains. */
#include "svc/node/node.h"

#include <unistd.h>

#include <weir/task.h>

#include "testing/node_rig.h"

#define SLEEP(ms) "GET /api/v1/debug/sleep?ms=" ms " HTTP/1.1\r\nHost: localhost\r\n\r\n"

static struct answer answer;

TEST(a_node_becomes_ready_and_answers_by_way_of_its_workers)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_EQ(200, rig_get(&rig, "/v1/hello", &answer));
    CHECK_STR("{\"hello\":\"world\"}", answer.body);
    CHECK_OK(rig_end(&rig));
}

TEST(every_key_of_readiness_is_there_and_ok)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_OK(wr_sleep(wr_after(WR_MS(10))));        /* one worker is enough to be ready */
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    CHECK(strstr(answer.body, "\"deps\":{\"config\":\"loaded\",\"entropy\":\"ok\","
                              "\"store\":\"ok\",\"services\":\"ok\","
                              "\"metrics\":\"ok\",\"bus\":\"ok\",\"network\":\"ok\","
                              "\"workers\":\"ok\"},\"missing\":[]"));
    CHECK_OK(rig_end(&rig));
}

TEST(without_a_service_that_is_required_it_is_not_ready)
{
    struct rig rig;
    rig_open(&rig, (const char *const[]){ "--readiness-required-services", "svc-index", NULL });
    CHECK_ERR(WR_TIMEOUT, wr_once_wait(rig.ready, NULL, wr_after(WR_S(5))));
    rig_stop(&rig);
    CHECK_OK(rig_end(&rig));
}

static void panic_when_ready(void *arg, const struct node_face *face)
{
    (void)arg, (void)face;
    wr_panic("as the test wants it");
}

TEST(a_node_that_could_hear_no_signals_any_more_ends)
{
    char *argv[] = { "weir", "--amnesia", "--log-level", "error", "--http-addr",
                     "127.0.0.1:0" };
    struct wr_conf_source source = { .tables = rig_tables, .argc = 6, .argv = argv, .cpus = 2 };
    struct wr_conf_report report = { 0 };
    struct node_start start = { .source = &source, .ready = panic_when_ready,
                                .no_signals = true };
    REQUIRE_OK(wr_conf_load(&start.conf, &source, &report));
    CHECK_ERR(WR_PANIC, node_run(&start, NULL));
    wr_conf_unref(start.conf);
}

TEST(health_and_readiness_answer_while_the_queue_is_full)
{
    struct rig rig;
    struct wr_stream *streams[8];
    rig_begin(&rig, (const char *const[]){ "--workers-count", "2", "--channels-work", "4",
                                           NULL });
    for (int i = 0; i < 6; i++) {
        streams[i] = rig_dial(&rig);
        rig_say(streams[i], SLEEP("300"));
        settle();
    }
    wr_time before = wr_now();
    CHECK_EQ(429, rig_get(&rig, "/v1/hello", &answer));
    CHECK(strstr(answer.head, "\r\nRetry-After: "));
    CHECK_EQ(200, rig_get(&rig, "/healthz", &answer));
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    CHECK_EQ(200, rig_get(&rig, "/version", &answer));
    CHECK_EQ(200, rig_get(&rig, "/metrics", &answer));
    CHECK(strstr(answer.body, "\nqueue_depth{queue=\"node.work\"} 4\n"));
    CHECK(strstr(answer.body, "\nbusy_rejections_total{endpoint=\"/v1/hello\"} "));
    CHECK(wr_now() - before < WR_MS(1));
    for (int i = 0; i < 6; i++) {
        CHECK_EQ(200, rig_hear(streams[i], &answer));
        wr_stream_close(streams[i]);
    }
    CHECK_OK(rig_end(&rig));
}

TEST(when_the_queue_stands_still_newcomers_are_sent_away_with_503_until_it_moves)
{
    struct rig rig;
    struct wr_stream *streams[3];
    rig_begin(&rig, (const char *const[]){ "--workers-count", "2", NULL });
    for (int i = 0; i < 3; i++) {
        streams[i] = rig_dial(&rig);
        rig_say(streams[i], SLEEP("700"));
        settle();
    }
    CHECK_OK(wr_sleep(wr_after(WR_MS(600))));       /* the third waits, and nothing moves */
    CHECK_EQ(503, rig_get(&rig, "/v1/hello", &answer));
    CHECK(strstr(answer.head, "\r\nRetry-After: "));
    CHECK(strstr(answer.body, "\"Shed\""));
    CHECK_EQ(200, rig_get(&rig, "/healthz", &answer));
    CHECK_EQ(200, rig_get(&rig, "/metrics", &answer));
    CHECK(strstr(answer.body, "\nqueue_shed_total{queue=\"node.work\"} 1\n"));
    CHECK(strstr(answer.body, "\nqueue_dropped_total{queue=\"node.work\"} 0\n"));
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(200, rig_hear(streams[i], &answer));
        wr_stream_close(streams[i]);
    }
    CHECK_EQ(200, rig_get(&rig, "/v1/hello", &answer));
    CHECK_OK(rig_end(&rig));
}

TEST(a_call_that_takes_too_long_is_answered_at_its_deadline)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    wr_time before = wr_now();
    CHECK_EQ(504, rig_get(&rig, "/api/v1/debug/sleep?ms=60000", &answer));
    CHECK(wr_now() - before >= WR_MS(1500) && wr_now() - before < WR_MS(1505));
    CHECK_OK(rig_end(&rig));
}

TEST(how_long_a_call_and_how_large_a_body_may_be_is_configured)
{
    struct rig rig;
    rig_begin(&rig, (const char *const[]){ "--overlay-request-deadline", "1s",
                                           "--limits-max-body-bytes", "1KiB", NULL });
    wr_time before = wr_now();
    CHECK_EQ(504, rig_get(&rig, "/api/v1/debug/sleep?ms=60000", &answer));
    CHECK_EQ(WR_MS(750), wr_now() - before);
    struct wr_stream *stream = rig_dial(&rig);
    rig_say(stream, "POST /api/v1/debug/sleep?ms=1 HTTP/1.1\r\nHost: localhost\r\n"
                    "Content-Length: 1025\r\n\r\n");
    CHECK_EQ(413, rig_hear(stream, &answer));
    wr_stream_close(stream);
    CHECK_OK(rig_end(&rig));
}

TEST(a_drain_answers_what_was_taken_and_sends_away_the_rest)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    struct wr_stream *busy = rig_dial(&rig), *later = rig_dial(&rig);
    rig_say(busy, SLEEP("1000"));
    settle();
    wr_time before = wr_now();
    rig_stop(&rig);
    settle();
    rig_say(later, "GET /v1/hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK_EQ(503, rig_hear(later, &answer));
    CHECK(strstr(answer.body, "\"Draining\""));
    CHECK_EQ(503, rig_get(&rig, "/readyz", &answer));
    CHECK(strstr(answer.body, "\"draining\":true"));
    CHECK_EQ(200, rig_get(&rig, "/healthz", &answer));
    CHECK_EQ(200, rig_hear(busy, &answer));
    wr_stream_close(busy);
    wr_stream_close(later);
    CHECK_OK(rig_end(&rig));
    CHECK(wr_now() - before < WR_S(2));
}

TEST(a_drain_ends_at_its_deadline_and_says_what_it_cut)
{
    struct rig rig;
    rig_begin(&rig, (const char *const[]){ "--graceful-timeout", "1s", NULL });
    struct wr_stream *busy = rig_dial(&rig);
    rig_say(busy, SLEEP("1400"));
    settle();
    wr_time before = wr_now();
    rig_stop(&rig);
    CHECK_EQ(503, rig_hear(busy, &answer));
    wr_stream_close(busy);
    CHECK_ERR(WR_TIMEOUT, rig_end(&rig));
    CHECK(wr_now() - before < WR_MS(1100));
}

TEST(a_long_poll_is_answered_when_a_drain_begins)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    struct wr_stream *poll = rig_dial(&rig);
    rig_say(poll, "GET /api/v1/debug/wait HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK_OK(wr_sleep(wr_after(WR_S(100))));
    wr_time before = wr_now();
    rig_stop(&rig);
    CHECK_EQ(200, rig_hear(poll, &answer));
    CHECK(wr_now() - before < WR_MS(1));
    wr_stream_close(poll);
    CHECK_OK(rig_end(&rig));
}

TEST(a_get_outlives_the_worker_that_ran_it)
{
    struct rig rig;
    struct wr_stream *busy[2];
    rig_begin(&rig, (const char *const[]){ "--workers-count", "2", NULL });
    for (int i = 0; i < 2; i++) {
        busy[i] = rig_dial(&rig);
        rig_say(busy[i], SLEEP("500"));
    }
    settle();
    CHECK_EQ(202, rig_post(&rig, "/api/v1/debug/crash?service=node.worker", &answer));
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(200, rig_hear(busy[i], &answer));
        wr_stream_close(busy[i]);
    }
    CHECK_OK(rig_end(&rig));
}

TEST(a_get_outlives_its_worker_also_when_the_queue_is_full)
{
    struct rig rig;
    struct wr_stream *busy[4];
    rig_begin(&rig, (const char *const[]){ "--workers-count", "2", "--channels-work", "2",
                                           NULL });
    for (int i = 0; i < 4; i++) {
        busy[i] = rig_dial(&rig);
        rig_say(busy[i], SLEEP("300"));
        settle();
    }
    CHECK_EQ(202, rig_post(&rig, "/api/v1/debug/crash?service=node.worker", &answer));
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(200, rig_hear(busy[i], &answer));
        wr_stream_close(busy[i]);
    }
    CHECK_OK(rig_end(&rig));
}

TEST(without_workers_it_is_not_ready_until_they_are_back)
{
    struct rig rig;
    rig_begin(&rig, (const char *const[]){ "--workers-count", "2", NULL });
    for (int i = 0; i < 2; i++)
        CHECK_EQ(202, rig_post(&rig, "/api/v1/debug/crash?service=node.worker", &answer));
    settle();
    CHECK_EQ(503, rig_get(&rig, "/readyz", &answer));
    CHECK(strstr(answer.head, "\r\nRetry-After: 5"));
    CHECK(strstr(answer.body, "\"missing\":[\"workers\"]"));
    CHECK(strstr(answer.body, "\"why\":{\"workers\":\"0 of 2 run\"}"));
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    CHECK_OK(rig_end(&rig));
}

TEST(a_service_restarted_too_often_is_degraded_and_recovers)
{
    struct rig rig;
    rig_begin(&rig, (const char *const[]){ "--workers-count", "2", NULL });
    for (int i = 0; i < 14; i++) {
        CHECK_EQ(202, rig_post(&rig, "/api/v1/debug/crash?service=node.worker", &answer));
        CHECK_OK(wr_sleep(wr_after(WR_S(3))));
    }
    CHECK_OK(wr_sleep(wr_after(WR_S(5))));
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    CHECK(strstr(answer.body, "\"degraded\":true"));
    CHECK(strstr(answer.body, "\"workers\":\"degraded\""));
    CHECK_OK(wr_sleep(wr_after(WR_S(70))));
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    CHECK(strstr(answer.body, "\"degraded\":false"));
    CHECK_OK(rig_end(&rig));
}

TEST(its_owner_can_use_the_unix_socket)
{
    struct rig rig;
    struct wr_addr addr;
    char folder[] = "/tmp/weir-local-XXXXXX", path[60], text[80];
    REQUIRE(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/node.sock", folder);
    snprintf(text, sizeof(text), "unix:%s", path);
    rig_begin(&rig, (const char *const[]){ "--uds", path, NULL });
    CHECK_OK(wr_addr_parse(&addr, text));
    struct wr_stream *stream = NULL;
    REQUIRE_OK(wr_connect(&stream, &addr, wr_after(WR_S(1))));
    rig_say(stream, "GET /v1/hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK_EQ(200, rig_hear(stream, &answer));
    wr_stream_close(stream);
    CHECK_OK(rig_end(&rig));
    rmdir(folder);
}

/* The answer; 0: whoever comes there is turned away. */
static int come(const struct wr_addr *addr, const char *text, struct wr_stream **ret)
{
    size_t size;
    CHECK_OK(wr_connect(ret, addr, wr_after(WR_S(1))));
    (void)!wr_stream_write(*ret, &size, &(struct wr_piece){ text, strlen(text) }, 1,
                           wr_after(WR_S(1)));
    return rig_hear(*ret, &answer);
}

TEST(its_owner_has_64_connections_and_can_stop_it_when_strangers_have_all_others)
{
    static const char hello[] = "GET /v1/hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
    struct rig rig;
    struct wr_addr local = { .kind = WR_ADDR_UNIX };
    char folder[] = "/tmp/weir-local-XXXXXX";
    struct wr_stream *strangers[3] = { 0 }, *own[65] = { 0 };
    REQUIRE(mkdtemp(folder));
    snprintf(local.path, sizeof(local.path), "%s/node.sock", folder);
    rig_begin(&rig, (const char *const[]){ "--uds", local.path, "--max-conns", "2", NULL });
    for (int i = 0; i < 3; i++)
        CHECK_EQ(i < 2 ? 200 : 0, come(&rig.face.http, hello, &strangers[i]));
    for (int i = 0; i < 65; i++)
        CHECK_EQ(i < 64 ? 200 : 0, come(&local, hello, &own[i]));
    rig_say(own[0], "POST /api/v1/shutdown HTTP/1.1\r\nHost: localhost\r\n"
                    "Content-Length: 0\r\n\r\n");
    CHECK_EQ(202, rig_hear(own[0], &answer));
    for (int i = 0; i < 3; i++)
        wr_stream_close(strangers[i]);
    for (int i = 0; i < 65; i++)
        wr_stream_close(own[i]);
    CHECK_OK(wr_once_wait(rig.over, NULL, wr_after(WR_S(1))));
    CHECK_OK(rig_end(&rig));
    rmdir(folder);
}

TEST(an_admin_can_stop_it)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_EQ(202, rig_post(&rig, "/api/v1/shutdown", &answer));
    CHECK_OK(wr_once_wait(rig.over, NULL, wr_after(WR_S(1))));
    CHECK_OK(rig_end(&rig));
}

TEST(an_address_that_is_taken_is_one_sentence_and_nothing_started)
{
    struct rig first, second;
    char text[WR_ADDR_TEXT_MAX];
    rig_begin(&first, NULL);
    wr_addr_print(&first.face.http, text);
    rig_open(&second, (const char *const[]){ "--http-addr", text, NULL });
    CHECK_OK(wr_once_wait(second.over, NULL, wr_after(WR_S(1))));
    CHECK(strstr(second.start.why, "cannot listen on 127.0.0.1:"));
    CHECK(strstr(second.start.why, ": something listens there already"));
    CHECK_ERR(WR_EXISTS, rig_end(&second));
    CHECK_OK(rig_end(&first));
}

TEST(a_node_for_this_machine_alone_has_its_unix_socket_and_is_ready_with_that)
{
    struct rig rig;
    struct wr_stream *stream;
    char folder[] = "/tmp/weir-node-XXXXXX";
    struct wr_addr local = { .kind = WR_ADDR_UNIX };
    REQUIRE(mkdtemp(folder));
    snprintf(local.path, sizeof(local.path), "%s/socket", folder);
    rig_local_only = true;
    rig_begin(&rig, (const char *const[]){ "--uds", local.path, "--metrics-addr",
                                           "127.0.0.1:0", NULL });
    CHECK_EQ(200, come(&local, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n", &stream));
    wr_stream_close(stream);
    CHECK_EQ(WR_ADDR_NONE, rig.face.http.kind);
    CHECK_EQ(WR_ADDR_NONE, rig.face.control.kind);
    CHECK_OK(rig_end(&rig));
    CHECK_EQ(0, rmdir(folder));
}

TEST(a_node_that_nobody_can_reach_is_ready_all_the_same)
{
    struct rig rig;
    rig_local_only = true;
    rig_begin(&rig, NULL);
    CHECK_OK(rig_end(&rig));
}
