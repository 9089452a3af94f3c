#include "svc/node/vitals.h"

#include <weir/run.h>
#include <weir/task.h>

#include "svc/node/node_int.h"
#include "testing/node_rig.h"

#define WALL (2 * VITALS_WALL_MIN)

static struct vitals_view view;
static struct answer answer;

static wr_time said;

static wr_time clock_says(void)
{
    return said;
}

static bool look(struct vitals *vitals, wr_time stalled, wr_time now, int64_t wall)
{
    said = now;
    return vitals_look(vitals, stalled, clock_says, wall, &view);
}

TEST_PLAIN(who_lives_is_told_so)
{
    struct vitals vitals = { 0 };
    CHECK(look(&vitals, 0, WR_S(1), WALL));
    vitals_beat(&vitals, WR_S(2));
    CHECK(look(&vitals, VITALS_STALL - 1, WR_S(2) + VITALS_SILENT - 1, WALL));
    CHECK_STR("ok", view.event_loop);
    CHECK_STR("ok", view.clock);
}

TEST_PLAIN(a_worker_that_is_kept_for_two_seconds_is_a_loop_that_does_not_run)
{
    struct vitals vitals = { 0 };
    CHECK(!look(&vitals, WR_S(2), WR_S(9), WALL));
    CHECK_STR("a worker has stood still for 2000 ms", view.event_loop);
    CHECK_STR("ok", view.clock);
}

TEST_PLAIN(a_control_plane_that_is_silent_for_ten_seconds_does_not_run_unless_it_has_stopped)
{
    struct vitals vitals = { 0 };
    vitals_beat(&vitals, WR_S(5));
    CHECK(!look(&vitals, 0, WR_S(15), WALL));
    CHECK_STR("the control plane has not moved for 10000 ms", view.event_loop);
    vitals_beat(&vitals, 0);
    CHECK(look(&vitals, 0, WR_S(15), WALL));
}

TEST_PLAIN(a_clock_that_goes_back_or_was_never_set_is_none)
{
    struct vitals vitals = { 0 };
    CHECK(look(&vitals, 0, WR_S(100), WALL));
    CHECK(look(&vitals, 0, WR_S(100) - VITALS_BACK + 1, WALL));
    CHECK(!look(&vitals, 0, WR_S(70), WALL));
    CHECK_STR("it went back by 30000 ms", view.clock);
    CHECK_STR("ok", view.event_loop);
    CHECK(!look(&vitals, 0, WR_S(101), WR_S(7)));
    CHECK_STR("nobody has set it: it says 7 s after 1970", view.clock);
    CHECK(look(&vitals, 0, WR_S(101), WALL));
}

static struct vitals of_both;

/* Another looks, much later, before we have done anything with what we have read. */
static wr_time overtaken(void)
{
    CHECK(look(&of_both, 0, WR_S(109), WALL));
    return WR_S(100);
}

TEST_PLAIN(who_loses_the_processor_while_another_looks_sees_no_clock_go_back)
{
    CHECK(look(&of_both, 0, WR_S(90), WALL));
    CHECK(vitals_look(&of_both, 0, overtaken, WALL, &view));
    CHECK_STR("ok", view.clock);
    CHECK(!look(&of_both, 0, WR_S(100), WALL));     /* it is the latest that counts */
}

/* ---- in a node ---- */

TEST(a_node_whose_control_plane_is_silent_answers_503_and_says_why)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_OK(wr_sleep(wr_after(WR_S(100))));
    CHECK_EQ(200, rig_get(&rig, "/healthz", &answer));
    CHECK_STR("{\"ok\":true,\"checks\":{\"event_loop\":\"ok\",\"clock\":\"ok\","
              "\"store\":\"ok\"}}", answer.body);
    vitals_beat(&rig.node->vitals, wr_now() - WR_S(20));
    CHECK_EQ(503, rig_get(&rig, "/healthz", &answer));
    CHECK(strstr(answer.body, "{\"ok\":false,\"checks\":{\"event_loop\":\"the control plane has"
                              " not moved for 20000 ms\",\"clock\":\"ok\",\"store\":\"ok\"}}"));
    CHECK_OK(wr_sleep(wr_after(WR_S(2))));          /* it beats again */
    CHECK_EQ(200, rig_get(&rig, "/healthz", &answer));
    CHECK_OK(rig_end(&rig));
}

TEST(a_node_whose_clock_goes_back_answers_503_and_says_why)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_EQ(200, rig_get(&rig, "/healthz", &answer));
    atomic_store(&rig.node->vitals.latest, wr_now() + WR_S(9));
    CHECK_EQ(503, rig_get(&rig, "/healthz", &answer));
    CHECK(strstr(answer.body, "\"clock\":\"it went back by 9000 ms\""));
    CHECK_OK(wr_sleep(wr_after(WR_S(9))));
    CHECK_EQ(200, rig_get(&rig, "/healthz", &answer));
    CHECK_OK(rig_end(&rig));
}

/* ---- a worker that is really kept ---- */

static _Atomic bool enough;

static wr_err compute(struct wr_call *call)
{
    wr_time until = wr_now() + WR_S(20);
    (void)call;
    while (!atomic_load(&enough) && wr_now() < until)
        ;
    return WR_OK;
}

static const struct wr_route routes[] = {
    { .method = "GET", .path = "/t/compute", .handler = compute },
};
static const struct node_service service = { .name = "test", .routes = routes,
                                             .route_count = 1 };

/* In the control plane, as those who look at a node that is kept must be. */
static wr_err watch(void *arg)
{
    struct rig *rig = arg;
    struct wr_stream *stream = rig_dial(rig);
    rig_say(stream, "GET /t/compute HTTP/1.1\r\nHost: localhost\r\n\r\n");
    rig->face.http = rig->face.control;
    wr_time until = wr_now() + WR_S(15);
    while (rig_get(rig, "/healthz", &answer) == 200 && wr_now() < until)
        CHECK_OK(wr_sleep(wr_after(WR_MS(50))));
    CHECK_EQ(503, answer.status);
    CHECK(strstr(answer.body, "\"event_loop\":\"a worker has stood still for 2"));
    atomic_store(&enough, true);
    CHECK_OK(wr_sleep(wr_after(WR_MS(500))));
    CHECK_EQ(200, rig_get(rig, "/healthz", &answer));
    wr_stream_close(stream);
    return WR_OK;
}

static wr_err live(void *unused)
{
    struct rig rig;
    struct wr_scope *scope;
    (void)unused;
    rig_service = &service;
    rig_begin(&rig, (const char *const[]){ "--metrics-addr", "127.0.0.1:0", NULL });
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.control",
                                                           .deadline = WR_NEVER,
                                                           .control = true }));
    CHECK_OK(wr_scope_go(scope, "test.watch", watch, &rig));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    (void)!wr_scope_close(scope);
    (void)!rig_end(&rig);
    return WR_OK;
}

TEST_PLAIN(while_a_task_keeps_its_worker_for_two_seconds_health_is_503)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 2, .control = true }, live, NULL));
}
