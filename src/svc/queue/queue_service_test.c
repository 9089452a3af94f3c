/* queue_service_test.c - research tasks in a whole node: its life, its limits, its memory. */
#include "svc/queue/queue_service.h"

#include <unistd.h>

#include <jansson.h>

#include <weir/file.h>
#include <weir/task.h>

#include "base/world.h"
#include "svc/queue/queue_route.h"
#include "testing/deadline_rig.h"
#include "testing/metric_rig.h"
#include "testing/queue_node_rig.h"

TEST(it_is_ready_and_says_so_by_its_name)
{
    struct rig rig;
    queue_node_begin(&rig, NULL);
    settle();
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    CHECK(says("\"services\":{\"queue\":{\"keys\":{\"queue\":\"ok\"},"));
    queue_node_end(&rig);
}

TEST(one_that_does_no_jobs_takes_them_and_is_ready)
{
    struct rig rig;
    queue_node_begin(&rig, (const char *[]){ "--queue-work=false", NULL });
    queue_node_task(&rig);
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"ok 1\"]}"));
    CHECK_OK(wr_sleep(wr_after(WR_S(100))));
    CHECK_EQ(200, queue_node_get(&rig, ""));
    CHECK(says("\"queue\":{\"depth\":1,\"running\":0}"));
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    queue_node_end(&rig);
}

/* Whether it has a schema that says of what type it is. */
static bool has_schema(const json_t *json, const char *where)
{
    const json_t *content = json_object_get(json_object_get(json, where), "content");
    const json_t *schema = json_object_get(json_object_get(content, "application/json"),
                                           "schema");
    return json_string_value(json_object_get(schema, "type"));
}

static void check_described(const char *path, const char *method, const json_t *operation)
{
    bool is_stream = strstr(path, "/events");
    bool takes = strcmp(method, "post") != 0 || has_schema(operation, "requestBody");
    bool gives = is_stream || has_schema(json_object_get(operation, "responses"), "2XX");
    if (!CHECK(takes && gives && json_object_get(operation, "summary")))
        printf("# %s %s\n", method, path);
}

TEST(every_route_of_it_is_described_with_what_it_takes_and_gives)
{
    struct rig rig;
    const char *path, *method;
    json_t *item, *operation;
    size_t count = 0;
    queue_node_begin(&rig, NULL);
    settle();
    CHECK_EQ(200, rig_get(&rig, "/openapi.json", &answer));
    json_t *json = json_loads(answer.body, JSON_REJECT_DUPLICATES, NULL);
    REQUIRE(json);
    json_object_foreach(json_object_get(json, "paths"), path, item)
    {
        if (strncmp(path, "/v1/queue/", 10) != 0)
            continue;
        json_object_foreach(item, method, operation)
        {
            check_described(path, method, operation);
            count++;
        }
    }
    CHECK_EQ(QUEUE_ROUTES, count);
    json_decref(json);
    queue_node_end(&rig);
}

TEST(a_drain_answers_who_waits_at_once_and_puts_back_what_runs)
{
    struct rig rig;
    char request[300];
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"hold 1\",\"hold 2\","
                                  "\"hold 3\",\"hold 4\",\"hold 5\",\"hold 6\"]}"));
    settle();
    CHECK_EQ(200, queue_node_get(&rig, ""));
    struct wr_stream *stream = rig_dial(&rig);
    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
             queue_node_path("?wait=300"));
    rig_say(stream, request);
    settle();
    wr_time before = wr_now();
    rig_stop(&rig);
    CHECK_EQ(200, rig_hear(stream, &answer));
    CHECK_EQ(0, wr_now() - before);
    CHECK(says("\"running\":4"));
    wr_stream_close(stream);
    queue_node_end(&rig);                   /* with no error: nobody had to be aborted */
    CHECK(wr_now() - before <= WR_S(3));
}

TEST(its_routes_keep_their_deadlines)
{
    queue_node_service();
    struct node_service row = *queue_service_row(service);
    struct wr_route routes[16];
    REQUIRE(row.route_count < 16);
    memcpy(routes, row.routes, row.route_count * sizeof(*routes));
    routes[row.route_count] = stay_routes[0];
    row.routes = routes;
    row.route_count++;
    check_deadlines(&row);
    queue_node_free();
}

static void write_conf(const char *path, const char *text)
{
    CHECK_OK(wr_file_write_atomic(path, text, strlen(text), 0600, WR_NEVER));
}

static uint64_t running(struct rig *rig)
{
    settle();
    CHECK_EQ(200, queue_node_get(rig, ""));
    const char *at = strstr(answer.body, "\"queue\":{\"depth\":");
    at = at ? strstr(at, "\"running\":") : NULL;
    CHECK(at);
    return at ? strtoull(at + 10, NULL, 10) : 0;
}

TEST(what_is_live_is_in_force_after_a_reload_and_the_rest_after_a_new_start)
{
    struct rig rig;
    char path[] = "/tmp/weir-queue-XXXXXX", flag[60];
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    snprintf(flag, sizeof(flag), "--config=%s", path);
    write_conf(path, "[queue]\npages_max = 200\nlease = \"20s\"\n[queue.slots]\n"
                     "network_client = 1\n");
    queue_node_begin(&rig, (const char *const[]){ flag, NULL });
    queue_node_task(&rig);
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"hold 1\",\"hold 2\","
                                  "\"hold 3\",\"hold 4\"]}"));
    CHECK_EQ(1, running(&rig));
    write_conf(path, "[queue]\npages_max = 7\nlease = \"40s\"\n[queue.slots]\n"
                     "network_client = 3\n");
    CHECK_EQ(202, rig_post(&rig, "/api/v1/reload", &answer));
    CHECK_OK(wr_sleep(wr_after(WR_MS(100))));
    CHECK_EQ(3, running(&rig));
    CHECK_EQ(400, queue_node_send(&rig, "/v1/queue/tasks", "{\"hypothesis\":\"h\",\"config\":"
                                  "{\"budget\":{\"max_pages\":8}}}"));
    CHECK(says("whole numbers from 0 to 7"));
    CHECK_EQ(200, rig_get(&rig, "/api/v1/config", &answer));
    CHECK(says("\"queue.slots.network_client\":{\"value\":3,"));
    CHECK(says("\"queue.lease\":{\"value\":\"20s\""));
    CHECK_OK(wr_once_set(queue_gate, NULL));
    queue_node_end(&rig);
    CHECK_OK(wr_file_remove(path, WR_NEVER));
}

static const struct wr_world *true_world;
static wr_time ahead_by;

static int64_t wall_ahead(void)
{
    return true_world->wall() + ahead_by;
}

TEST(a_clock_that_is_set_ahead_ends_no_job_of_a_node_with_its_own_file)
{
    struct rig rig;
    if (IN_TSAN)
        SKIP("the world is exchanged while others read it");
    true_world = wr_world;
    struct wr_world ahead = *wr_world;
    ahead.wall = wall_ahead;
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"hold 1\"]}"));
    CHECK_EQ(1, running(&rig));
    wr_world = &ahead;
    for (int days = 1; days <= 3; days++) {         /* more often than a job has attempts */
        ahead_by = days * WR_S(24 * 3600);
        CHECK_OK(wr_sleep(wr_after(WR_S(40))));
        CHECK_EQ(1, running(&rig));
    }
    CHECK_OK(wr_once_set(queue_gate, NULL));
    settle();
    CHECK_EQ(200, queue_node_get(&rig, ""));
    CHECK(says("\"completed\":1"));
    wr_world = true_world;
    queue_node_end(&rig);
}

TEST(finished_jobs_are_forgotten_when_their_time_is_over)
{
    struct rig rig;
    char path[100];
    queue_node_begin(&rig, (const char *const[]){ "--queue-history=100s", NULL });
    queue_node_task(&rig);
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"ok 1\"]}"));
    const char *at = strstr(answer.body, "tq_");
    REQUIRE(at);
    snprintf(path, sizeof(path), "/v1/queue/jobs/%.*s", (int)strcspn(at, "\""), at);
    CHECK_OK(wr_sleep(wr_after(WR_S(99))));
    CHECK_EQ(200, rig_get(&rig, path, &answer));
    CHECK(says("\"status\":\"completed\""));
    CHECK_OK(wr_sleep(wr_after(WR_S(62))));
    CHECK_EQ(404, rig_get(&rig, path, &answer));
    queue_node_end(&rig);
}

TEST(without_a_store_there_is_no_queue)
{
    char why[NODE_WHY_MAX] = "";
    struct wr_conf *conf;
    struct wr_conf_report report = { 0 };
    char *argv[] = { (char *)"weir", NULL };
    queue_node_service();
    REQUIRE_OK(wr_conf_load(&conf, &(struct wr_conf_source){
        .tables = rig_tables, .argc = 1, .argv = argv, .cpus = 2 }, &report));
    const struct node_service *row = queue_service_row(service);
    CHECK_OK(row->open(row->arg, conf, NULL, why));
    CHECK(!queue_service_desk(service)->queue);
    CHECK_EQ(WR_HEALTH_READY, row->probe(row->arg, why));
    row->reload(row->arg, conf);
    row->close(row->arg);
    wr_conf_report_free(&report);
    wr_conf_unref(conf);
    queue_node_free();
}

/* The names and labels that docs/queue.md gives; each must have moved. */
TEST(every_metric_of_it_moves)
{
    static const char *const names[] = {
        "queue_polls_total{result=\"answered\",svc=\"queue\"}",
        "queue_polls_total{result=\"drained\",svc=\"queue\"}",
        "queue_jobs_total{kind=\"target_queue\",result=\"completed\",svc=\"queue\"}",
        "queue_jobs_total{kind=\"target_queue\",result=\"failed\",svc=\"queue\"}",
        "queue_jobs_total{kind=\"target_queue\",result=\"awaiting_auth\",svc=\"queue\"}",
        "queue_jobs_total{kind=\"target_queue\",result=\"interrupted\",svc=\"queue\"}",
        "queue_wait_seconds_count{kind=\"target_queue\",svc=\"queue\"}",
        "queue_run_seconds_count{kind=\"target_queue\",svc=\"queue\"}",
        "queue_wake_seconds_count{svc=\"queue\"}",
    };
    struct rig rig;
    char request[300];
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"ok 1\",\"fail 2\","
                                  "\"hold 3\",\"person 4\"]}"));
    CHECK_OK(wr_sleep(wr_after(WR_S(6))));
    CHECK_EQ(200, queue_node_get(&rig, "?wait=1"));
    struct wr_stream *stream = rig_dial(&rig);
    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
             queue_node_path("?wait=300"));
    rig_say(stream, request);
    settle();
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"ok 5\"]}"));
    CHECK_EQ(200, rig_hear(stream, &answer));
    settle();
    CHECK_EQ(200, queue_node_get(&rig, ""));
    rig_say(stream, request);
    settle();
    CHECK_EQ(1, metric_value("queue_polls{svc=\"queue\"}"));
    CHECK_EQ(1, metric_value("queue_jobs{slot=\"network_client\",kind=\"target_queue\","
                             "state=\"running\",svc=\"queue\"}"));
    rig_stop(&rig);
    CHECK_EQ(200, rig_hear(stream, &answer));
    wr_stream_close(stream);
    queue_node_end(&rig);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (!CHECK(metric_value("%s", names[i]) >= 1))
            printf("# %s\n", names[i]);
}
