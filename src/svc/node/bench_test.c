/* bench_test.c - a node that measures itself, one run at a time. */
#include "svc/node/bench.h"

#include <weir/task.h>

#include "testing/node_rig.h"

static struct answer answer;

static int post(struct rig *rig, const char *headers, const char *body)
{
    char text[1000];
    struct wr_stream *stream = rig_dial(rig);
    snprintf(text, sizeof(text),
             "POST /api/v1/bench/run HTTP/1.1\r\nHost: localhost\r\n%s"
             "Content-Length: %zu\r\n\r\n%s", headers, strlen(body), body);
    rig_say(stream, text);
    rig_hear(stream, &answer);
    wr_stream_close(stream);
    return answer.status;
}

#define RUN(rest) "{\"suite\":\"admin_plane\",\"durationSecs\":1,\"concurrency\":2" rest "}"
#define SMALL RUN(",\"samples\":50")

/* The path of the run that was asked for last. */
static const char *path_of_run(const char *rest)
{
    static char path[100];
    const char *at = strstr(answer.head, "\r\nLocation: ");
    REQUIRE(at, "/none");
    at += 12;
    snprintf(path, sizeof(path), "%.*s%s", (int)strcspn(at, "\r"), at, rest);
    return path;
}

static void await_state(struct rig *rig, const char *path, const char *word)
{
    for (int i = 0; i < 100; i++) {
        settle();
        CHECK_EQ(200, rig_get(rig, path, &answer));
        if (strstr(answer.body, word))
            return;
        CHECK_OK(wr_sleep(wr_after(WR_MS(100))));
    }
    CHECK_STR(word, answer.body);
}

TEST(a_run_is_taken_done_and_has_a_result)
{
    struct rig rig;
    char path[100];
    rig_begin(&rig, NULL);
    CHECK_EQ(202, post(&rig, "", SMALL));
    CHECK(strncmp(answer.body, "{\"runId\":\"", 10) == 0);
    snprintf(path, sizeof(path), "%s", path_of_run(""));
    await_state(&rig, path, "\"status\":\"done\",\"progress\":1}");
    snprintf(path + strlen(path), 10, "/result");
    CHECK_EQ(200, rig_get(&rig, path, &answer));
    CHECK(strstr(answer.body, "\"requests\":50,\"errors\":0,"));
    CHECK(strstr(answer.body, "{\"endpoint\":\"/metrics\",\"requests\":"));
    CHECK_OK(rig_end(&rig));
}

TEST(pages_do_not_fail_because_many_ask_for_them_at_once)
{
    struct rig rig;
    char path[100];
    rig_begin(&rig, NULL);
    CHECK_EQ(202, post(&rig, "", "{\"suite\":\"admin_plane\",\"durationSecs\":5,"
                                 "\"concurrency\":64,\"samples\":1000}"));
    snprintf(path, sizeof(path), "%s", path_of_run(""));
    await_state(&rig, path, "\"status\":\"done\"");
    snprintf(path + strlen(path), 10, "/result");
    CHECK_EQ(200, rig_get(&rig, path, &answer));
    CHECK(strstr(answer.body, "\"requests\":1000,\"errors\":0,"));
    CHECK_OK(rig_end(&rig));
}

#define DEEP8 "[[[[[[[["
#define DEEP DEEP8 DEEP8 DEEP8 DEEP8 DEEP8 DEEP8 DEEP8 DEEP8 DEEP8 DEEP8 DEEP8 DEEP8

TEST(wishes_that_are_none_are_told_what_is_allowed)
{
    static const struct { const char *body, *why; } rows[] = {
        { "hello", "the body is no JSON object" },
        { "[1]", "the body is no JSON object" },
        { DEEP DEEP, "or nests too deep" },
        { "{\"suite\":\"moon\",\"durationSecs\":1,\"concurrency\":1}",
          "suite is \\\"moon\\\"; there is admin_plane" },
        { "{\"suite\":\"admin_plane\",\"concurrency\":1}", "durationSecs is missing; a whole "
          "number from 1 to 120 is needed" },
        { "{\"suite\":\"admin_plane\",\"durationSecs\":121,\"concurrency\":1}",
          "durationSecs is 121; 1 to 120 are allowed" },
        { "{\"suite\":\"admin_plane\",\"durationSecs\":1.5,\"concurrency\":1}",
          "durationSecs is something else" },
        { "{\"suite\":\"admin_plane\",\"durationSecs\":1,\"concurrency\":65}",
          "concurrency is 65; 1 to 64 are allowed" },
        { "{\"suite\":\"admin_plane\",\"durationSecs\":1,\"concurrency\":0}",
          "concurrency is 0; 1 to 64 are allowed" },
        { RUN(",\"samples\":50001"), "samples is 50001; 0 to 50000 are allowed" },
        { RUN(",\"payloadSize\":1"), "payloadSize is 1; 0 to 0 are allowed" },
        { RUN(",\"duration\":1"), "\\\"duration\\\" is not known; suite, " },
    };
    struct rig rig;
    rig_begin(&rig, NULL);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        CHECK_EQ(400, post(&rig, "", rows[i].body));
        if (!CHECK(strstr(answer.body, rows[i].why)))
            printf("# %s\n", answer.body);
    }
    CHECK_OK(rig_end(&rig));
}

TEST(only_an_admin_may_start_a_run_where_there_is_one)
{
    struct rig rig;
    rig_env = (char *[]){ "RON_ADMIN_TOKEN=open-sesame", NULL };
    rig_begin(&rig, NULL);
    rig_env = NULL;
    CHECK_EQ(401, post(&rig, "", SMALL));
    CHECK_EQ(202, post(&rig, "Authorization: Bearer open-sesame\r\n", SMALL));
    CHECK_OK(rig_end(&rig));
}

TEST(a_run_that_nobody_knows_is_a_problem)
{
    struct rig rig;
    rig_begin(&rig, NULL);
    CHECK_EQ(404, rig_get(&rig, "/api/v1/bench/runs/moon", &answer));
    CHECK(strstr(answer.body, "urn:weir:problem:NotFound"));
    CHECK_EQ(404, rig_get(&rig, "/api/v1/bench/runs/moon/result", &answer));
    CHECK_OK(rig_end(&rig));
}

TEST(the_oldest_run_is_forgotten_for_the_ninth)
{
    struct rig rig;
    char first[100] = "", path[100] = "";
    rig_begin(&rig, NULL);
    for (int i = 0; i < BENCH_RUNS_MAX + 1; i++) {
        CHECK_EQ(202, post(&rig, "", SMALL));
        snprintf(path, sizeof(path), "%s", path_of_run(""));
        if (i == 0)
            snprintf(first, sizeof(first), "%s", path);
        if (i == BENCH_RUNS_MAX)
            break;
        await_state(&rig, path, "\"status\":\"done\"");
        CHECK_EQ(200, rig_get(&rig, first, &answer));
    }
    CHECK_EQ(404, rig_get(&rig, first, &answer));
    CHECK_EQ(200, rig_get(&rig, path, &answer));
    CHECK_OK(rig_end(&rig));
}

/* ---- while a run is under way ---- */

TEST(a_second_run_is_refused_until_the_first_is_over)
{
    struct rig rig;
    char path[100];
    rig_begin(&rig, NULL);
    struct wr_stream *both = rig_dial(&rig);
    char text[1000];
    snprintf(text, sizeof(text),
             "POST /api/v1/bench/run HTTP/1.1\r\nHost: localhost\r\n"
             "Content-Length: %zu\r\n\r\n%s",
             strlen(RUN("")), RUN(""));
    rig_say(both, text);
    CHECK_EQ(202, rig_hear(both, &answer));
    snprintf(path, sizeof(path), "%s", path_of_run(""));
    rig_say(both, text);
    CHECK_EQ(429, rig_hear(both, &answer));
    CHECK(strstr(answer.head, "\r\nRetry-After: 1"));
    CHECK(strstr(answer.body, "a run is under way"));
    wr_stream_close(both);
    CHECK_EQ(200, rig_get(&rig, path, &answer));
    CHECK(strstr(answer.body, "\"status\":\"running\",\"progress\":0"));
    snprintf(path + strlen(path), 10, "/result");
    CHECK_EQ(404, rig_get(&rig, path, &answer));
    CHECK(strstr(answer.body, "the run is running: it has no result"));
    wr_time before = wr_now();
    CHECK_OK(rig_end(&rig));                /* it does not wait for the run */
    CHECK(wr_now() - before < WR_S(1));
}
