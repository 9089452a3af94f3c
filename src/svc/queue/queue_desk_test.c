/* queue_desk_test.c - what clients ask of the queue, and what they are told. */
#include "svc/queue/queue_desk.h"

#include <stdlib.h>

#include "testing/queue_rig.h"

static struct queue_rig jobs;
static struct queue_desk desk;
static struct queue_why why;
static struct wr_text text;
static char task[QUEUE_ID];

static void open_desk(struct store *store)
{
    memset(&jobs, 0, sizeof(jobs));
    queue_rig_start(&jobs, store);
    desk.queue = jobs.queue;
    atomic_store(&desk.pages_max, 200);
    atomic_store(&desk.seconds_max, 3600);
    text = wr_text_heap(QUEUE_ANSWER_MAX);
}

static void close_desk(void)
{
    wr_text_free(&text);
    queue_rig_stop(&jobs);
}

static const json_t *of_json(const void *from, const char *name)
{
    return json_object_get(from, name);
}

typedef wr_err (*ask_fn)(struct queue_desk *, const struct queue_said *, struct wr_text *,
                         struct queue_why *, wr_time);
typedef wr_err (*ask_of_fn)(struct queue_desk *, const char *, const struct queue_said *,
                            struct wr_text *, struct queue_why *, wr_time);

static wr_err ask(ask_fn fn, const char *arguments)
{
    json_t *json = json_loads(arguments, 0, NULL);
    CHECK(json);
    why = (struct queue_why){ 0 };
    wr_text_rewind(&text, 0);
    wr_err err = fn(&desk, &(struct queue_said){ of_json, json }, &text, &why, QUEUE_RIG_SOON);
    json_decref(json);
    return err;
}

static wr_err ask_of(ask_of_fn fn, const char *id, const char *arguments)
{
    json_t *json = json_loads(arguments, 0, NULL);
    CHECK(json);
    why = (struct queue_why){ 0 };
    wr_text_rewind(&text, 0);
    wr_err err = fn(&desk, id, &(struct queue_said){ of_json, json }, &text, &why,
                    QUEUE_RIG_SOON);
    json_decref(json);
    return err;
}

static bool says(const char *what)
{
    if (strstr(text.at, what))
        return true;
    printf("# %s\n", text.at);
    return false;
}

static void make_task(const char *arguments)
{
    CHECK_OK(ask(queue_desk_create, arguments));
    const char *at = strstr(text.at, "\"task_id\":\"");
    REQUIRE(at);
    snprintf(task, sizeof(task), "%.*s", (int)strcspn(at + 11, "\""), at + 11);
}

static void check_refused(ask_fn fn, const char *arguments, const char *param, const char *said)
{
    CHECK_ERR(WR_INVALID, ask(fn, arguments));
    CHECK_STR("INVALID_PARAMS", why.code);
    CHECK_STR(param, why.param);
    CHECK_STR(said, why.text);
}

LOCAL_TEST(a_task_has_the_budget_that_it_asks_for_or_the_usual_one)
{
    open_desk(store);
    make_task("{\"hypothesis\":\"wine is red\"}");
    CHECK(strncmp(task, "task_", 5) == 0);
    CHECK(says("{\"ok\":true,\"task_id\":\"task_"));
    CHECK(says("\"hypothesis\":\"wine is red\",\"created_at\":\""));
    CHECK(says("\"budget\":{\"max_pages\":200,\"max_seconds\":3600}"));
    make_task("{\"hypothesis\":\"h\",\"config\":{\"budget\":{\"max_pages\":0,"
              "\"max_seconds\":7}}}");
    CHECK(says("\"budget\":{\"max_pages\":0,\"max_seconds\":7}"));
    make_task("{\"hypothesis\":\"h\",\"config\":{\"budget\":{\"max_seconds\":-1}}}");
    CHECK(says("\"max_seconds\":0}"));
    close_desk();
}

LOCAL_TEST(what_no_task_can_be_made_of_is_refused)
{
    open_desk(store);
    check_refused(queue_desk_create, "{}", "hypothesis",
                  "hypothesis is missing: say what is to be found out");
    check_refused(queue_desk_create, "{\"hypothesis\":7}", "hypothesis",
                  "hypothesis must be a text that is not empty");
    check_refused(queue_desk_create, "{\"hypothesis\":\"\"}", "hypothesis",
                  "hypothesis must be a text that is not empty");
    check_refused(queue_desk_create, "{\"hypothesis\":\"h\",\"config\":[]}", "config",
                  "config must be an object");
    check_refused(queue_desk_create, "{\"hypothesis\":\"h\",\"config\":{\"budget\":"
                  "{\"max_pages\":201}}}", "config.budget.max_pages", "config.budget.max_pages "
                  "is 201; allowed are whole numbers from 0 to 200");
    check_refused(queue_desk_create, "{\"hypothesis\":\"h\",\"config\":{\"budget\":"
                  "{\"budget_pages\":1}}}", "config.budget.budget_pages",
                  "config.budget.budget_pages is no name any more: say max_pages");
    close_desk();
}

LOCAL_TEST(targets_are_queued_once_and_a_stopped_task_resumes)
{
    open_desk(store);
    make_task("{\"hypothesis\":\"h\"}");
    CHECK_OK(ask_of(queue_desk_submit, task,
                    "{\"targets\":[\"hold a\",\"hold b\",\"hold a\"]}"));
    CHECK(says("\"queued_count\":2,\"skipped_count\":1,"));
    CHECK(says("\"task_resumed\":false"));
    CHECK_OK(ask_of(queue_desk_stop, task, "{\"mode\":\"immediate\"}"));
    CHECK_OK(ask_of(queue_desk_submit, task, "{\"targets\":[\"hold a\"]}"));
    CHECK(says("\"queued_count\":1,\"skipped_count\":0,"));
    CHECK(says("\"task_resumed\":true"));
    CHECK_ERR(WR_NOTFOUND, ask_of(queue_desk_submit, "task_0", "{\"targets\":[\"a\"]}"));
    CHECK_STR("TASK_NOT_FOUND", why.code);
    CHECK_ERR(WR_INVALID, ask_of(queue_desk_submit, "task_0", "{\"targets\":[]}"));
    CHECK_STR("targets", why.param);        /* before the task is looked for */
    close_desk();
}

LOCAL_TEST(many_targets_are_read_beside_the_fibers)
{
    open_desk(store);
    make_task("{\"hypothesis\":\"h\"}");
    json_t *list = json_array(), *all = json_object();
    for (int i = 0; i < 1000; i++) {
        char one[40];
        snprintf(one, sizeof(one), "ok %d", i);
        json_array_append_new(list, json_string(one));
    }
    json_object_set_new(all, "targets", list);
    char *arguments = json_dumps(all, 0);
    CHECK_OK(ask_of(queue_desk_submit, task, arguments));
    CHECK(says("\"queued_count\":1000,\"skipped_count\":0,"));
    queue_rig_until(&jobs, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1000);
    free(arguments);
    json_decref(all);
    close_desk();
}

LOCAL_TEST(a_stop_says_what_it_has_ended)
{
    open_desk(store);
    make_task("{\"hypothesis\":\"h\"}");
    CHECK_OK(ask_of(queue_desk_submit, task, "{\"targets\":[\"hold 1\",\"hold 2\",\"hold 3\","
                    "\"hold 4\",\"hold 5\",\"hold 6\"]}"));
    queue_rig_until(&jobs, task, QUEUE_TARGET, STORE_JOB_RUNNING, 4);
    CHECK_OK(ask_of(queue_desk_stop, task, "{\"mode\":\"immediate\",\"reason\":"
                    "\"user_cancelled\",\"scope\":\"target_queue_only\"}"));
    CHECK(says("\"final_status\":\"paused\",\"reason\":\"user_cancelled\","
               "\"mode\":\"immediate\",\"scope\":\"target_queue_only\",\"cancelled_counts\":{"
               "\"queued_cancelled\":2,\"running_cancelled\":4,"
               "\"awaiting_auth_cancelled\":0,"));
    CHECK(says("\"by_kind\":{\"target_queue\":{\"queued\":2,\"running\":4,"
               "\"awaiting_auth\":0}}}"));
    CHECK(says("\"unaffected_kinds\":[\"verify_nli\",\"citation_graph\",\"embed\",\"nli\"]"));
    CHECK(says("\"summary\":{\"total_searches\":6,\"satisfied_searches\":0,"
               "\"total_claims\":0,\"primary_source_ratio\":0,\"pages_used\":0},"
               "\"is_resumable\":true}"));
    CHECK_OK(ask_of(queue_desk_stop, task, "{}"));
    CHECK(says("\"reason\":\"session_completed\",\"mode\":\"graceful\",\"scope\":\"all_jobs\","
               "\"cancelled_counts\":{\"queued_cancelled\":0,\"running_cancelled\":0,"));
    CHECK(says("\"by_kind\":{}},\"unaffected_kinds\":[],"));
    CHECK_ERR(WR_INVALID, ask_of(queue_desk_stop, task, "{\"mode\":\"gentle\"}"));
    CHECK_STR("mode is \"gentle\"; allowed are graceful, immediate, full", why.text);
    CHECK_ERR(WR_NOTFOUND, ask_of(queue_desk_stop, "task_0", "{}"));
    CHECK_STR("TASK_NOT_FOUND", why.code);
    close_desk();
}

LOCAL_TEST(a_budget_grows_by_as_much_as_a_task_gets)
{
    open_desk(store);
    make_task("{\"hypothesis\":\"h\"}");
    CHECK_OK(store_task_spend(store, task, QUEUE_RIG_SOON));
    CHECK_OK(ask_of(queue_desk_budget, task, "{\"max_pages\":201}"));
    CHECK(says("\"budget\":{\"max_pages\":201,\"max_seconds\":3600},\"pages_used\":1}"));
    CHECK_ERR(WR_INVALID, ask_of(queue_desk_budget, task, "{\"max_pages\":202}"));
    CHECK_STR("max_pages is 202; allowed are whole numbers from 0 to 201", why.text);
    CHECK_OK(ask_of(queue_desk_budget, task, "{\"max_seconds\":9000}"));
    CHECK(says("\"budget\":{\"max_pages\":201,\"max_seconds\":9000}"));
    CHECK_ERR(WR_INVALID, ask_of(queue_desk_budget, task, "{}"));
    CHECK_STR("neither max_pages nor max_seconds is given", why.text);
    CHECK_ERR(WR_NOTFOUND, ask_of(queue_desk_budget, "task_0", "{\"max_pages\":1}"));
    close_desk();
}

LOCAL_TEST(what_waits_for_a_person_is_listed_and_goes_on_when_one_has_helped)
{
    open_desk(store);
    make_task("{\"hypothesis\":\"h\"}");
    CHECK_OK(ask_of(queue_desk_submit, task, "{\"targets\":[\"person 1\",\"person 2\"]}"));
    queue_rig_until(&jobs, task, QUEUE_TARGET, STORE_JOB_WAITING, 2);
    CHECK_OK(ask(queue_desk_auths, "{}"));
    CHECK(says("{\"ok\":true,\"group_by\":\"none\",\"items\":[{\"queue_id\":\""));
    CHECK(says("\"url\":\"https://a.example/x\",\"domain\":\"a.example\","
               "\"auth_type\":\"captcha\",\"priority\":\"high\",\"created_at\":\""));
    CHECK(says("\"total_count\":2}"));
    CHECK_OK(ask(queue_desk_auths, "{\"group_by\":\"domain\",\"priority_filter\":\"high\"}"));
    CHECK(says("\"groups\":{\"a.example\":[{\"queue_id\":"));
    CHECK(says("\"total_count\":2}"));
    CHECK_OK(ask(queue_desk_auths, "{\"group_by\":\"type\",\"priority_filter\":\"low\"}"));
    CHECK(says("\"group_by\":\"type\",\"groups\":{},\"total_count\":0}"));
    atomic_store(&jobs.solved, true);
    CHECK_OK(ask(queue_desk_resolve, "{\"target\":\"domain\",\"domain\":\"a.example\","
                                     "\"action\":\"complete\"}"));
    CHECK_STR("{\"ok\":true,\"target\":\"domain\",\"action\":\"complete\","
              "\"domain\":\"a.example\",\"resolved_count\":2,\"success\":true}", text.at);
    queue_rig_until(&jobs, task, QUEUE_TARGET, STORE_JOB_COMPLETED, 2);
    close_desk();
}

LOCAL_TEST(what_nobody_will_do_fails)
{
    char arguments[200];
    open_desk(store);
    make_task("{\"hypothesis\":\"h\"}");
    CHECK_OK(ask_of(queue_desk_submit, task, "{\"targets\":[\"person 1\",\"person 2\"]}"));
    queue_rig_until(&jobs, task, QUEUE_TARGET, STORE_JOB_WAITING, 2);
    CHECK_OK(ask(queue_desk_auths, "{}"));
    const char *at = strstr(text.at, "\"queue_id\":\"");
    REQUIRE(at);
    snprintf(arguments, sizeof(arguments), "{\"queue_id\":\"%.*s\",\"action\":\"complete\","
             "\"success\":false}", (int)strcspn(at + 12, "\""), at + 12);
    CHECK_OK(ask(queue_desk_resolve, arguments));
    CHECK(says("\"resolved_count\":1,\"success\":false}"));
    snprintf(arguments, sizeof(arguments), "{\"target\":\"task\",\"task_id\":\"%s\","
             "\"action\":\"skip\"}", task);
    CHECK_OK(ask(queue_desk_resolve, arguments));
    CHECK(says("\"resolved_count\":1,\"success\":null}"));
    CHECK_OK(ask(queue_desk_resolve, arguments));
    CHECK(says("\"resolved_count\":0,"));               /* once more is fine */
    CHECK_EQ(2, queue_rig_count(&jobs, task, QUEUE_TARGET, STORE_JOB_FAILED));
    check_refused(queue_desk_resolve, "{}", "action",
                  "action is missing; allowed are complete, skip");
    check_refused(queue_desk_resolve, "{\"action\":\"skip\"}", "queue_id",
                  "queue_id is missing: with target \"item\" it says which");
    check_refused(queue_desk_resolve, "{\"action\":\"skip\",\"target\":\"all\"}", "target",
                  "target is \"all\"; allowed are item, domain, task");
    check_refused(queue_desk_resolve, "{\"action\":\"skip\",\"queue_id\":\"a\",\"success\":1}",
                  "success", "success must be true or false");
    close_desk();
}

LOCAL_TEST(tasks_are_listed_page_by_page_and_jobs_are_shown)
{
    char first[QUEUE_ID], id[QUEUE_ID];
    open_desk(store);
    make_task("{\"hypothesis\":\"first\"}");
    memcpy(first, task, sizeof(first));
    pass(WR_MS(5));
    make_task("{\"hypothesis\":\"second\"}");
    wr_text_rewind(&text, 0);
    CHECK_OK(queue_desk_tasks(&desk, NULL, 1, &text, QUEUE_RIG_SOON));
    CHECK(says("\"status\":\"created\",\"hypothesis\":\"second\""));
    CHECK(!strstr(text.at, "first"));
    CHECK(says("\"next_cursor\":\"task_"));
    wr_text_rewind(&text, 0);
    CHECK_OK(queue_desk_tasks(&desk, task, 2, &text, QUEUE_RIG_SOON));
    CHECK(says("\"hypothesis\":\"first\"") && !strstr(text.at, "next_cursor"));
    CHECK_OK(ask_of(queue_desk_submit, first, "{\"targets\":[\"hold\"]}"));
    const char *at = strstr(text.at, "tq_");
    REQUIRE(at);
    snprintf(id, sizeof(id), "%.*s", (int)strcspn(at, "\""), at);
    wr_text_rewind(&text, 0);
    CHECK_OK(queue_desk_job(&desk, id, &text, &why, QUEUE_RIG_SOON));
    CHECK(says("\"input\":{\"target\":{\"kind\":\"query\",\"query\":\"hold\"},"
               "\"options\":{}}"));
    CHECK_ERR(WR_NOTFOUND, queue_desk_job(&desk, "tq_0", &text, &why, QUEUE_RIG_SOON));
    CHECK_STR("RESOURCE_NOT_FOUND", why.code);
    close_desk();
}
