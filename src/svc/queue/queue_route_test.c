/* queue_route_test.c - the queue over HTTP, in a whole node. */
#include "svc/queue/queue_route.h"

#include <weir/task.h>

#include "base/text.h"
#include "testing/metric_rig.h"
#include "testing/queue_node_rig.h"

#define LARGE_BODY 65536                /* such a one is read beside the fibers */

TEST(a_script_makes_a_task_gives_it_targets_and_waits_for_them)
{
    struct rig rig;
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    CHECK(says("\"budget\":{\"max_pages\":200,\"max_seconds\":3600}"));
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"ok 1\",\"fail 2\"]}"));
    CHECK(says("\"queued_count\":2,\"skipped_count\":0,"));
    for (int i = 0; i < 9 && !strstr(answer.body, "\"target_queue_drained\":true"); i++)
        CHECK_EQ(200, queue_node_get(&rig, "?wait=10&detail=full"));
    CHECK(says("\"searches\":{\"satisfied\":1,\"running\":0,\"total\":2}"));
    CHECK(says("\"error_code\":\"ALL_FETCHES_FAILED\",\"message\":\"it is broken\""));
    CHECK(says("\"queue_items\":["));
    CHECK_EQ(200, queue_node_get(&rig, ""));
    CHECK(!strstr(answer.body, "queue_items"));
    queue_node_end(&rig);
}

TEST(a_wait_ends_when_something_has_happened)
{
    struct rig rig;
    char since[QUEUE_CHANGE], path[100];
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"hold 1\"]}"));
    settle();
    CHECK_EQ(200, queue_node_get(&rig, ""));
    const char *at = strstr(answer.body, "\"change\":\"");
    REQUIRE(at);
    snprintf(since, sizeof(since), "%.*s", (int)strcspn(at + 10, "\""), at + 10);
    snprintf(path, sizeof(path), "?wait=7&since=%s", since);
    wr_time before = wr_now();
    CHECK_EQ(200, queue_node_get(&rig, path));          /* nothing has */
    CHECK_EQ(WR_S(7), wr_now() - before);
    CHECK(says("\"running\":1"));
    struct wr_stream *stream = rig_dial(&rig);
    char request[300];
    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
             queue_node_path(path));
    rig_say(stream, request);
    settle();
    before = wr_now();
    CHECK_OK(wr_once_set(queue_gate, NULL));
    CHECK_EQ(200, rig_hear(stream, &answer));
    CHECK_EQ(0, wr_now() - before);
    CHECK(says("\"satisfied\":1"));
    wr_stream_close(stream);
    queue_node_end(&rig);
}

TEST(what_is_wrong_is_said_with_the_word_and_the_argument)
{
    struct rig rig;
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    CHECK_EQ(400, queue_node_post(&rig, "/targets", "{\"targets\":[\"\"]}"));
    CHECK(strstr(answer.head, "Content-Type: application/problem+json"));
    CHECK_STR("{\"type\":\"urn:weir:problem:INVALID_PARAMS\",\"title\":\"not a valid value\","
              "\"status\":400,\"detail\":\"targets[0] is empty: say what is to be looked at\","
              "\"error_code\":\"INVALID_PARAMS\",\"param\":\"targets[0]\",\"retryable\":false}",
              answer.body);
    CHECK_EQ(400, queue_node_post(&rig, "/targets", "[]"));
    CHECK(says("the body must be an object of JSON: it is no object"));
    CHECK_EQ(400, queue_node_post(&rig, "/targets", "{"));
    CHECK(says("it is no JSON"));
    CHECK_EQ(400, queue_node_get(&rig, "?wait=301"));
    CHECK(says("wait is \\\"301\\\"; allowed are whole numbers from 0 to 300"));
    CHECK_EQ(400, queue_node_get(&rig, "?wait=soon"));
    CHECK_EQ(400, rig_get(&rig, "/v1/queue/tasks?limit=0", &answer));
    CHECK(says("allowed are whole numbers from 1 to 100"));
    CHECK_EQ(400, queue_node_get(&rig, "?since=yesterday"));
    CHECK(says("\"param\":\"since\""));
    CHECK_EQ(400, queue_node_get(&rig, "?detail=all"));
    CHECK_EQ(400, queue_node_post(&rig, "/stop", "{\"mode\":\"gentle\"}"));
    CHECK_EQ(404, rig_get(&rig, "/v1/queue/tasks/task_0", &answer));
    CHECK(says("\"error_code\":\"TASK_NOT_FOUND\",\"param\":\"task_id\""));
    CHECK_EQ(404, rig_get(&rig, "/v1/queue/tasks/task_0?wait=300", &answer));
    CHECK_EQ(404, rig_get(&rig, "/v1/queue/tasks/task_0/events", &answer));
    CHECK_EQ(404, rig_get(&rig, "/v1/queue/jobs/tq_0", &answer));
    CHECK(says("RESOURCE_NOT_FOUND"));
    CHECK_EQ(404, queue_node_send(&rig, "/v1/queue/tasks/task_0/budget", "{\"max_pages\":1}"));
    queue_node_end(&rig);
}

TEST(what_nobody_has_a_name_for_is_refused)
{
    static const struct { const char *target, *body, *names; } cases[] = {
        { "/v1/queue/tasks", "{\"hypothesis\":\"h\",\"x\":1}",
          "\\\"hypothesis\\\" \\\"config\\\" \\\"targets\\\" \\\"options\\\"" },
        { "/v1/queue/auth/resolve", "{\"action\":\"skip\",\"x\":1}",
          "\\\"target\\\" \\\"queue_id\\\" \\\"domain\\\"" },
        { "/v1/queue/vector_search", "{\"query\":\"q\",\"x\":1}",
          "\\\"query\\\" \\\"target\\\"" },
        { NULL, "{\"targets\":[\"ok 1\"],\"x\":1}",
          "there are \\\"targets\\\" \\\"options\\\"\"" },
        { "/stop", "{\"x\":1}", "there are \\\"reason\\\" \\\"mode\\\" \\\"scope\\\"\"" },
        { "/budget", "{\"x\":1}", "there are \\\"max_pages\\\" \\\"max_seconds\\\"\"" },
        { "/candidates", "{\"x\":1}", "there are \\\"include_ids\\\" " },
    };
    struct rig rig;
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *target = cases[i].target ? cases[i].target : "/targets";
        CHECK_EQ(400, strncmp(target, "/v1", 3) == 0
                          ? queue_node_send(&rig, target, cases[i].body)
                          : queue_node_post(&rig, target, cases[i].body));
        CHECK(says("there is no argument \\\"x\\\"") && says(cases[i].names));
        CHECK(says("\"error_code\":\"INVALID_PARAMS\",\"param\":\"x\""));
    }
    queue_node_end(&rig);
}

TEST(a_task_is_made_with_its_first_targets_or_not_at_all)
{
    struct rig rig;
    queue_node_begin(&rig, NULL);
    CHECK_EQ(400, queue_node_send(&rig, "/v1/queue/tasks", "{\"hypothesis\":\"h\","
                                  "\"targets\":[\"ok 1\"],\"options\":{\"priority\":\"x\"}}"));
    CHECK(says("priority"));
    CHECK_EQ(200, rig_get(&rig, "/v1/queue/tasks", &answer));
    CHECK(says("\"tasks\":[]"));
    CHECK_EQ(201, queue_node_send(&rig, "/v1/queue/tasks", "{\"hypothesis\":\"h\","
                                  "\"targets\":[\"ok 1\",\"ok 2\"]}"));
    CHECK(says("\"task_id\":\"task_") && says("\"queued_count\":2"));
    queue_node_end(&rig);
}

TEST(a_task_whose_pages_are_used_up_takes_no_more)
{
    struct rig rig;
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    CHECK_EQ(200, queue_node_post(&rig, "/budget", "{\"max_pages\":0}"));
    CHECK_EQ(409, queue_node_post(&rig, "/targets", "{\"targets\":[\"ok 1\"]}"));
    CHECK(says("\"error_code\":\"BUDGET_EXHAUSTED\""));
    CHECK(says("\"retryable\":false"));
    CHECK_EQ(200, queue_node_post(&rig, "/budget", "{\"max_pages\":5}"));
    CHECK(says("\"budget\":{\"max_pages\":5,\"max_seconds\":3600}"));
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"ok 1\"]}"));
    queue_node_end(&rig);
}

TEST(a_stop_needs_no_body_and_is_seen_by_who_waits)
{
    struct rig rig;
    char request[300];
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"hold 1\"]}"));
    settle();
    CHECK_EQ(200, queue_node_get(&rig, ""));
    struct wr_stream *stream = rig_dial(&rig);
    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
             queue_node_path("?wait=300"));
    rig_say(stream, request);
    settle();
    CHECK_EQ(200, queue_node_post(&rig, "/stop", "{\"mode\":\"immediate\"}"));
    CHECK(says("\"running_cancelled\":1,"));
    wr_time before = wr_now();
    CHECK_EQ(200, rig_hear(stream, &answer));
    CHECK_EQ(0, wr_now() - before);
    CHECK(says("\"status\":\"paused\",\"stop_reason\":\"session_completed\""));
    wr_stream_close(stream);
    CHECK_EQ(200, queue_node_post(&rig, "/stop", ""));
    CHECK(says("\"mode\":\"graceful\""));
    queue_node_end(&rig);
}

TEST(a_task_is_removed_when_nothing_of_it_is_open)
{
    struct rig rig;
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"hold 1\"]}"));
    settle();
    CHECK_EQ(409, rig_ask(&rig, "DELETE", queue_node_path(""), "", &answer));
    CHECK(says("stop it first"));
    CHECK_EQ(200, queue_node_post(&rig, "/stop", "{\"mode\":\"immediate\"}"));
    CHECK_EQ(200, rig_ask(&rig, "DELETE", queue_node_path(""), "", &answer));
    CHECK(says("\"cleared\":true"));
    CHECK_EQ(404, queue_node_get(&rig, ""));
    CHECK_EQ(200, rig_ask(&rig, "DELETE", queue_node_path(""), "", &answer));
    queue_node_end(&rig);
}

TEST(tasks_and_jobs_can_be_listed)
{
    struct rig rig;
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    CHECK_OK(wr_sleep(wr_after(WR_MS(5))));
    queue_node_task(&rig);
    CHECK_EQ(200, rig_get(&rig, "/v1/queue/tasks?limit=1", &answer));
    CHECK(says("\"next_cursor\":\"task_"));
    CHECK(says(queue_task));
    CHECK_EQ(200, rig_get(&rig, "/v1/queue/tasks", &answer));
    CHECK(!strstr(answer.body, "next_cursor"));
    CHECK_EQ(400, rig_get(&rig, "/v1/queue/tasks?limit=101", &answer));
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"hold 1\"]}"));
    const char *at = strstr(answer.body, "tq_");
    char path[100];
    REQUIRE(at);
    snprintf(path, sizeof(path), "/v1/queue/jobs/%.*s", (int)strcspn(at, "\""), at);
    CHECK_EQ(200, rig_get(&rig, path, &answer));
    CHECK(says("\"query\":\"hold 1\""));
    queue_node_end(&rig);
}

TEST(what_waits_for_a_person_is_shown_and_resolved)
{
    struct rig rig;
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"person 1\"]}"));
    settle();
    CHECK_EQ(200, queue_node_get(&rig, ""));
    CHECK(says("\"pending_auth_count\":1"));
    CHECK_EQ(200, rig_get(&rig, "/v1/queue/auth?group_by=domain", &answer));
    CHECK(says("\"groups\":{\"a.example\":[{\"queue_id\":"));
    CHECK_EQ(400, rig_get(&rig, "/v1/queue/auth?group_by=colour", &answer));
    CHECK_EQ(200, queue_node_send(&rig, "/v1/queue/auth/resolve", "{\"target\":\"domain\","
                                  "\"domain\":\"a.example\",\"action\":\"skip\"}"));
    CHECK(says("\"resolved_count\":1"));
    CHECK_EQ(200, queue_node_get(&rig, ""));
    CHECK(says("\"error_code\":\"AUTH_REQUIRED\""));
    queue_node_end(&rig);
}

TEST(a_search_by_meaning_without_a_model_says_what_to_set)
{
    struct rig rig;
    queue_node_begin(&rig, NULL);
    CHECK_EQ(501, queue_node_send(&rig, "/v1/queue/vector_search", "{\"query\":\"moon\"}"));
    CHECK(says("\"error_code\":\"EMBEDDING_NOT_AVAILABLE\""));
    CHECK(says("set queue.embedding.url"));
    CHECK_EQ(400, queue_node_send(&rig, "/v1/queue/vector_search", "{\"query\":\"\"}"));
    CHECK(says("\"param\":\"query\""));
    queue_node_end(&rig);
}

TEST(what_a_task_cannot_have_is_refused)
{
    struct rig rig;
    queue_node_begin(&rig, NULL);
    CHECK_EQ(400, queue_node_send(&rig, "/v1/queue/tasks", "{\"hypothesis\":\" \\n\\t\"}"));
    CHECK(says("hypothesis must be a text that is not empty"));
    CHECK_EQ(400, queue_node_send(&rig, "/v1/queue/tasks", "{}"));
    CHECK(says("hypothesis is missing"));
    CHECK_EQ(400, queue_node_send(&rig, "/v1/queue/tasks", "{\"hypothesis\":\"h\",\"config\":"
                                  "{\"bugdet\":{}}}"));
    CHECK(says("config has no member \\\"bugdet\\\"; it may have budget"));
    CHECK_EQ(400, queue_node_send(&rig, "/v1/queue/tasks", "{\"hypothesis\":\"h\",\"config\":"
                                  "{\"budget\":{\"pages\":1}}}"));
    CHECK(says("it may have max_pages and max_seconds"));
    CHECK_EQ(400, queue_node_send(&rig, "/v1/queue/tasks", "{\"hypothesis\":\"h\",\"config\":"
                                  "{\"budget\":{\"max_pages\":99999999999999999999}}}"));
    CHECK(says("it has a number that is too large"));
    queue_node_end(&rig);
}

TEST(who_resolves_what_is_not_there_is_told_so)
{
    struct rig rig;
    queue_node_begin(&rig, NULL);
    CHECK_EQ(404, queue_node_send(&rig, "/v1/queue/auth/resolve", "{\"queue_id\":\"iq_0\","
                                  "\"action\":\"complete\"}"));
    CHECK(says("\"error_code\":\"RESOURCE_NOT_FOUND\""));
    CHECK(says("nothing waits for a person under the name \\\"iq_0\\\""));
    queue_node_end(&rig);
}

TEST(who_goes_while_he_waits_is_not_waited_for)
{
    struct rig rig;
    char request[300];
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    CHECK_EQ(200, queue_node_post(&rig, "/targets", "{\"targets\":[\"hold 1\"]}"));
    settle();
    CHECK_EQ(200, queue_node_get(&rig, ""));
    struct wr_stream *stream = rig_dial(&rig);
    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
             queue_node_path("?wait=300"));
    rig_say(stream, request);
    settle();
    CHECK_EQ(1, metric_value("queue_polls{svc=\"queue\"}"));
    wr_stream_close(stream);
    settle();
    CHECK_EQ(0, metric_value("queue_polls{svc=\"queue\"}"));
    CHECK_EQ(1, metric_value("queue_polls_total{result=\"gone\",svc=\"queue\"}"));
    queue_node_end(&rig);
}

TEST(what_is_cited_is_listed_and_queued)
{
    struct rig rig;
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    CHECK_EQ(200, queue_node_post(&rig, "/candidates", "{}"));
    CHECK(says("\"queued_count\":0,"));
    CHECK(says("\"message\":\"there are no candidates\",\"dry_run\":false,"
               "\"candidates\":[]}"));
    CHECK_EQ(400, queue_node_post(&rig, "/candidates",
                                  "{\"include_ids\":[],\"exclude_ids\":[]}"));
    CHECK(says("\"error_code\":\"INVALID_PARAMS\",\"param\":\"include_ids\""));
    queue_node_end(&rig);
}

TEST(a_large_body_is_taken_up_to_four_mebibytes)
{
    static char body[8000 * 20];
    struct rig rig;
    char head[300];
    struct wr_text text = WR_TEXT(body);
    queue_node_begin(&rig, NULL);
    queue_node_task(&rig);
    wr_text_str(&text, "{\"targets\":[\"ok\"");
    for (int i = 0; i < 5000; i++)
        wr_text_format(&text, ",\"ok number %d\"", i);
    wr_text_str(&text, "]}");
    CHECK(text.len > LARGE_BODY && text.cut == 0);
    struct wr_stream *stream = rig_dial(&rig);
    snprintf(head, sizeof(head), "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %zu"
             "\r\n\r\n", queue_node_path("/targets"), text.len);
    rig_say(stream, head);
    rig_say(stream, body);
    CHECK_EQ(200, rig_hear(stream, &answer));
    CHECK(says("\"queued_count\":5001,"));
    wr_stream_close(stream);
    CHECK_EQ(200, queue_node_get(&rig, ""));
    CHECK(says("\"total\":5001}"));
    stream = rig_dial(&rig);
    snprintf(head, sizeof(head), "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d"
             "\r\n\r\n", queue_node_path("/targets"), (4 << 20) + 1);
    rig_say(stream, head);
    CHECK_EQ(413, rig_hear(stream, &answer));
    wr_stream_close(stream);
    queue_node_end(&rig);
}
