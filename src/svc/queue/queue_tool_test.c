/* queue_tool_test.c - research tasks, as agents use them. */
#include "svc/queue/queue_tool.h"

#include <stdio.h>

#include "testing/mcp_rig.h"
#include "testing/queue_rig.h"

#define CALL(name, arguments) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"," \
    "\"params\":{\"name\":\"" name "\",\"arguments\":" arguments "," RIG_META "}}"

static struct shop {
    struct queue_rig jobs;
    struct queue_desk desk;
    struct mcp_tool tools[QUEUE_TOOLS];
    struct mcp_offer offer;
    struct client client;
    char task[QUEUE_ID];
} shop;

static void shop_open(struct store *store)
{
    memset(&shop, 0, sizeof(shop));
    if (store) {
        queue_rig_start(&shop.jobs, store);
        shop.desk.queue = shop.jobs.queue;
    }
    atomic_store(&shop.desk.pages_max, 200);
    atomic_store(&shop.desk.seconds_max, 3600);
    queue_tools(shop.tools, &shop.desk);
    shop.offer = (struct mcp_offer){ .name = "shop", .version = "1", .tools = shop.tools,
                                     .tool_count = QUEUE_TOOLS, .prompts = &queue_prompt,
                                     .prompt_count = 1 };
    client_open(&shop.client);
    mcp_session_free(shop.client.session);
    CHECK_OK(mcp_session_new(&shop.client.session, &shop.offer));
}

static void shop_close(void)
{
    client_close(&shop.client);
    if (shop.desk.queue)
        queue_rig_stop(&shop.jobs);
}

/* %s stands for the task. */
static const char *ask(const char *says)
{
    static char request[4000];
    snprintf(request, sizeof(request), says, shop.task);
    return client_say(&shop.client, request);
}

static void make_task(void)
{
    const char *heard = ask(CALL("create_task", "{\"hypothesis\":\"wine is red\"}"));
    const char *at = strstr(heard, "\"structuredContent\":{\"ok\":true,\"task_id\":\"");
    REQUIRE(at);
    at = strstr(at, "task_id\":\"") + 10;
    snprintf(shop.task, sizeof(shop.task), "%.*s", (int)strcspn(at, "\""), at);
}

LOCAL_TEST(an_agent_makes_a_task_queues_targets_and_waits_for_them)
{
    shop_open(store);
    make_task();
    const char *heard = ask(CALL("queue_targets", "{\"task_id\":\"%s\",\"targets\":[\"ok 1\","
                                 "\"ok 2\"],\"options\":{\"priority\":\"high\"}}"));
    CHECK(has(heard, "\"structuredContent\":{\"ok\":true,\"queued_count\":2,"));
    CHECK(has(heard, "\"text\":\"{\\\"ok\\\":true,\\\"queued_count\\\":2,"));
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_COMPLETED, 2);
    heard = ask(CALL("get_status", "{\"task_id\":\"%s\",\"wait\":0,\"detail\":\"full\"}"));
    CHECK(has(heard, "\"searches\":{\"satisfied\":2,\"running\":0,\"total\":2}"));
    CHECK(has(heard, "\"queue_items\":[{"));
    CHECK(has(heard, "\"isError\":false"));
    heard = ask(CALL("stop_task", "{\"task_id\":\"%s\",\"mode\":\"full\"}"));
    CHECK(has(heard, "\"final_status\":\"paused\""));
    shop_close();
}

LOCAL_TEST(that_nothing_has_happened_is_an_answer)
{
    shop_open(store);
    make_task();
    ask(CALL("queue_targets", "{\"task_id\":\"%s\",\"targets\":[\"hold 1\"]}"));
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    rig_settle();
    ask(CALL("get_status", "{\"task_id\":\"%s\",\"wait\":0}"));
    wr_time before = wr_now();
    const char *heard = ask(CALL("get_status", "{\"task_id\":\"%s\"}"));
    CHECK_EQ(WR_S(30), wr_now() - before);
    CHECK(has(heard, "\"isError\":false"));
    CHECK(has(heard, "\"queue\":{\"depth\":0,\"running\":1}"));
    before = wr_now();
    heard = ask(CALL("await_task", "{\"task_id\":\"%s\",\"wait\":9}"));
    CHECK_EQ(WR_S(9), wr_now() - before);
    CHECK(has(heard, "\"isError\":false"));
    shop_close();
}

/* The node drains: what a server does then is to cancel whoever is being answered. */
static const char *cut_off(const char *says)
{
    static char request[4000];
    struct wr_scope *scope = scope_open();
    snprintf(request, sizeof(request), says, shop.task);
    wr_text_rewind(&shop.client.heard, 0);
    client_start(&shop.client, scope, request);
    wr_time before = wr_now();
    CHECK_EQ(0, shop.client.heard.len);
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    CHECK(wr_now() - before < WR_MS(1));
    return shop.client.heard.at;
}

#define LEGACY(name, arguments) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"," \
    "\"params\":{\"name\":\"" name "\",\"arguments\":" arguments "}}"
#define INITIALIZE "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":" \
    "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}"
#define RUNS "\"queue\":{\"depth\":0,\"running\":1}"
#define STATUS(call) call("get_status", "{\"task_id\":\"%s\",\"wait\":300}")
#define AWAIT(call) call("await_task", "{\"task_id\":\"%s\",\"wait\":300}")

LOCAL_TEST(in_a_drain_who_waits_is_told_the_status)
{
    shop_open(store);
    make_task();
    ask(CALL("queue_targets", "{\"task_id\":\"%s\",\"targets\":[\"hold 1\"]}"));
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    const char *modern[] = { STATUS(CALL), AWAIT(CALL) };
    const char *legacy[] = { STATUS(LEGACY), AWAIT(LEGACY) };
    for (size_t i = 0; i < 2; i++) {
        const char *heard = cut_off(modern[i]);
        CHECK(has(heard, "\"isError\":false"));
        CHECK(has(heard, RUNS));
    }
    ask(INITIALIZE);
    for (size_t i = 0; i < 2; i++) {
        const char *heard = cut_off(legacy[i]);
        CHECK(has(heard, "\"isError\":false"));
        CHECK(has(heard, RUNS));
    }
    shop_close();
}

LOCAL_TEST(in_a_drain_a_graceful_stop_is_answered_and_done)
{
    shop_open(store);
    make_task();
    ask(CALL("queue_targets", "{\"task_id\":\"%s\",\"targets\":[\"hold 1\"]}"));
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    const char *heard = cut_off(CALL("stop_task", "{\"task_id\":\"%s\"}"));
    CHECK(has(heard, "\"isError\":false"));
    CHECK(has(heard, "\"jobs_waited\":1,"));
    CHECK(has(heard, "\"summary\":{\"total_searches\":1,\"satisfied_searches\":0,"
                     "\"total_claims\":0,"));
    heard = ask(CALL("get_status", "{\"task_id\":\"%s\",\"wait\":0}"));
    CHECK(has(heard, "\"status\":\"paused\""));
    CHECK_OK(wr_once_set(shop.jobs.gate, NULL));
    shop_close();
}

LOCAL_TEST(what_has_no_fraction_is_an_integer)
{
    shop_open(store);
    make_task();
    const char *heard = ask(CALL("set_budget", "{\"task_id\":\"%s\",\"max_pages\":7.0}"));
    CHECK(has(heard, "\"budget\":{\"max_pages\":7,"));
    heard = ask(CALL("set_budget", "{\"task_id\":\"%s\",\"max_pages\":7.5}"));
    CHECK(has(heard, "\"isError\":true"));
    heard = ask(CALL("create_task", "{\"hypothesis\":\"h\",\"config\":{\"budget\":{"
                     "\"max_pages\":5.0}}}"));
    CHECK(has(heard, "\"budget\":{\"max_pages\":5,"));
    shop_close();
}

static wr_err open_gate(void *unused)
{
    (void)unused;
    wr_err err = wr_sleep(wr_after(WR_S(3)));
    return err ? err : wr_once_set(shop.jobs.gate, NULL);
}

LOCAL_TEST(who_waits_for_the_end_of_a_task_is_told_of_it)
{
    shop_open(store);
    make_task();
    ask(CALL("queue_targets", "{\"task_id\":\"%s\",\"targets\":[\"hold 1\",\"hold 2\","
             "\"hold 3\",\"hold 4\",\"hold 5\",\"hold 6\"]}"));
    struct wr_scope *scope = scope_open();
    go(scope, open_gate, NULL);
    wr_time before = wr_now();
    const char *heard = ask(CALL("await_task", "{\"task_id\":\"%s\",\"wait\":60}"));
    CHECK(wr_now() - before <= WR_S(3));
    CHECK(has(heard, "\"searches\":{\"satisfied\":6,\"running\":0,\"total\":6}"));
    scope_done(scope);
    shop_close();
}

LOCAL_TEST(what_is_wrong_is_told_as_json_without_structured_content)
{
    shop_open(store);
    const char *heard = ask(CALL("get_status", "{\"task_id\":\"task_0\",\"wait\":300}"));
    CHECK(has(heard, "\"text\":\"{\\\"ok\\\":false,\\\"error_code\\\":\\\"TASK_NOT_FOUND\\\","
                     "\\\"error\\\":\\\"there is no task"));
    CHECK(has(heard, "\\\"details\\\":{\\\"param_name\\\":\\\"task_id\\\"}}\""));
    CHECK(has(heard, "\"isError\":true"));
    CHECK(!has(heard, "structuredContent"));
    make_task();
    heard = ask(CALL("queue_targets", "{\"task_id\":\"%s\",\"targets\":[{\"kind\":\"url\","
                     "\"url\":\"ftp://x\"}]}"));
    CHECK(has(heard, "\\\"error_code\\\":\\\"INVALID_PARAMS\\\""));
    CHECK(has(heard, "\\\"param_name\\\":\\\"targets[0].url\\\""));
    heard = ask(CALL("get_status", "{\"task_id\":\"%s\",\"wait\":301}"));
    CHECK(has(heard, "\"isError\":true"));
    heard = ask(CALL("create_task", "{\"hypothesis\":\"h\",\"config\":{\"budget\":"
                     "{\"max_pages\":-1}}}"));
    CHECK(has(heard, "config.budget.max_pages is -1; allowed are whole numbers from 0 to 200"));
    shop_close();
}

/* Long values do not make half a JSON of it. */
LOCAL_TEST(an_error_is_whole_json_or_a_sentence)
{
    static char says[6000], text[4200];
    shop_open(store);
    make_task();
    memset(text, '"', 300);
    size_t len = 0;
    for (size_t i = 0; i < 300; i++)
        len += (size_t)snprintf(text + len, 3, "\\\"");
    snprintf(says, sizeof(says), CALL("queue_targets", "{\"task_id\":\"%s\",\"targets\":"
             "[{\"kind\":\"doi\",\"doi\":\"%s\"}]}"), shop.task, text);
    const char *heard = client_say(&shop.client, says);
    CHECK(has(heard, "a DOI looks like 10.1000/182"));
    CHECK(has(heard, "\"isError\":true"));
    shop_close();
}

LOCAL_TEST(budgets_and_people_have_their_tools)
{
    shop_open(store);
    make_task();
    const char *heard = ask(CALL("set_budget", "{\"task_id\":\"%s\",\"max_pages\":7}"));
    CHECK(has(heard, "\"budget\":{\"max_pages\":7,\"max_seconds\":3600}"));
    ask(CALL("queue_targets", "{\"task_id\":\"%s\",\"targets\":[\"person 1\"]}"));
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_WAITING, 1);
    heard = ask(CALL("get_auth_queue", "{}"));
    CHECK(has(heard, "\"items\":[{\"queue_id\":"));
    atomic_store(&shop.jobs.solved, true);
    heard = ask(CALL("resolve_auth", "{\"target\":\"task\",\"task_id\":\"%s\","
                     "\"action\":\"complete\"}"));
    CHECK(has(heard, "\"resolved_count\":1,\"success\":true"));
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    shop_close();
}

LOCAL_TEST(without_a_model_a_search_by_meaning_says_what_to_set)
{
    shop_open(store);
    const char *heard = ask(CALL("vector_search", "{\"query\":\"wine\"}"));
    CHECK(has(heard, "\"isError\":true"));
    CHECK(has(heard, "\\\"error_code\\\":\\\"EMBEDDING_NOT_AVAILABLE\\\""));
    CHECK(has(heard, "set queue.embedding.url to an endpoint that has /v1/embeddings"));
    CHECK(!strstr(heard, "structuredContent"));
    heard = ask(CALL("vector_search", "{\"query\":\"wine\",\"top_k\":51}"));
    CHECK(has(heard, "top_k"));
    shop_close();
}

LOCAL_TEST(what_does_not_fit_is_told_as_all_that_goes_wrong)
{
    static const struct { const char *says, *error, *param; } cases[] = {
        { CALL("create_task", "{\"hypothesis\":\"h\",\"budget\":{}}"),
          "there is no argument \\\\\\\"budget\\\\\\\"; there are", "budget" },
        { CALL("create_task", "{\"hypothesis\":\" \\n\"}"),
          "hypothesis\\\\\\\" is empty", "hypothesis" },
        { CALL("create_task", "{\"hypothesis\":\"h\",\"config\":{\"bugdet\":{}}}"),
          "config has no member \\\\\\\"bugdet\\\\\\\"", "config" },
        { CALL("get_status", "{\"task_id\":\"%s\",\"wait\":301}"),
          "from 0 to 300 is allowed", "wait" },
        { CALL("queue_targets", "{\"task_id\":\"%s\",\"targets\":[\"a\"],\"priority\":1}"),
          "there is no argument \\\\\\\"priority\\\\\\\"", "priority" },
        { CALL("stop_task", "{\"task_id\":\"%s\",\"mode\":\"hard\"}"),
          "must be one of", "mode" },
        { CALL("stop_task", "{}"), "task_id\\\\\\\" is missing", "task_id" },
        { CALL("resolve_auth", "{\"action\":\"skip\",\"queue_id\":\" \"}"),
          "queue_id must be a text that is not empty", "queue_id" },
    };
    char param[80];
    shop_open(store);
    make_task();
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *heard = ask(cases[i].says);
        snprintf(param, sizeof(param), "\\\"details\\\":{\\\"param_name\\\":\\\"%s\\\"}",
                 cases[i].param);
        CHECK(has(heard, "{\\\"ok\\\":false,\\\"error_code\\\":\\\"INVALID_PARAMS\\\","));
        CHECK(has(heard, cases[i].error) && has(heard, param));
        CHECK(has(heard, "\"isError\":true"));
    }
    CHECK(has(ask(CALL("get_status", "{\"task_id\":\"%s\",\"wait\":0.0}")),
              "\"isError\":false"));
    shop_close();
}

LOCAL_TEST(errors_say_which_tool_helps)
{
    shop_open(store);
    CHECK(has(ask(CALL("get_status", "{\"task_id\":\"task_0\"}")), "; create_task makes one"));
    CHECK(has(ask(CALL("resolve_auth", "{\"action\":\"skip\",\"queue_id\":\"nope\"}")),
              "; get_auth_queue lists what does"));
    shop_close();
}

TEST(without_a_queue_the_tools_say_so)
{
    shop_open(NULL);
    static const char *const calls[] = {
        CALL("create_task", "{\"hypothesis\":\"h\"}"),
        CALL("get_status", "{\"task_id\":\"t\"}"),
        CALL("await_task", "{\"task_id\":\"t\"}"),
        CALL("queue_targets", "{\"task_id\":\"t\",\"targets\":[\"a\"]}"),
        CALL("stop_task", "{\"task_id\":\"t\"}"), CALL("get_auth_queue", "{}"),
        CALL("set_budget", "{\"task_id\":\"t\",\"max_pages\":1}"),
        CALL("resolve_auth", "{\"action\":\"skip\"}"),
        CALL("feedback", "{\"action\":\"claim_restore\"}"),
        CALL("query_sql", "{\"sql\":\"select 1\"}"),
        CALL("query_view", "{\"view_name\":\"v\"}"), CALL("list_views", "{}"),
        CALL("vector_search", "{\"query\":\"q\"}"),
        CALL("queue_reference_candidates", "{\"task_id\":\"t\"}"),
    };
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        CHECK(has(ask(calls[i]), "there is no queue here"));
    shop_close();
}

TEST(every_tool_has_schemas_that_are_json_and_hints)
{
    static const struct { const char *name; bool reads, destroys, repeatable; } hints[] = {
        { "create_task", false, false, false }, { "get_status", true, false, true },
        { "await_task", true, false, true }, { "queue_targets", false, false, true },
        { "stop_task", false, true, false }, { "set_budget", false, false, true },
        { "get_auth_queue", true, false, true }, { "resolve_auth", false, false, true },
        { "feedback", false, false, false }, { "query_sql", true, false, true },
        { "query_view", true, false, true }, { "list_views", true, false, true },
        { "vector_search", true, false, true },
        { "queue_reference_candidates", false, false, true },
    };
    shop_open(NULL);
    for (size_t i = 0; i < QUEUE_TOOLS; i++) {
        const struct mcp_tool *tool = &shop.tools[i];
        CHECK_STR(hints[i].name, tool->name);
        CHECK(tool->reads_only == hints[i].reads && tool->destroys == hints[i].destroys);
        CHECK_EQ(hints[i].repeatable, tool->repeatable);
        CHECK(tool->title && tool->what);
        json_t *schema = json_loads(tool->output, 0, NULL);
        if (!CHECK(schema))
            printf("# %s\n", tool->name);
        json_decref(schema);
        for (size_t j = 0; j < tool->field_count; j++) {
            const char *said = tool->fields[j].schema;
            schema = said ? json_loads(said, 0, NULL) : NULL;
            if (!CHECK(!said || schema))
                printf("# %s.%s\n", tool->name, tool->fields[j].name);
            json_decref(schema);
        }
    }
    shop_close();
}

TEST(the_prompt_has_the_question_in_it)
{
    shop_open(NULL);
    const char *heard = ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\","
                            "\"params\":{\"name\":\"research_question\",\"arguments\":"
                            "{\"question\":\"Is wine red?\"}," RIG_META "}}");
    CHECK(has(heard, "The question:\\n\\nIs wine red?\\n"));
    shop_close();
}
