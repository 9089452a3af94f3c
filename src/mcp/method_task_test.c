#include <weir/watch.h>

#include "testing/mcp_rig.h"

/* ---- where tasks are ---- */

#define TASKS 60

struct shelf {
    struct wr_mutex lock;
    struct mcp_task tasks[TASKS];
    size_t count;
    char said[100];                 /* to the one that waits */
    bool stubborn;                  /* what is to end takes two seconds */
    struct wr_watch *news;
    struct wr_watch_writer writer;
    uint64_t versions;
};
static struct shelf shelf;
static struct client client;

static struct mcp_task *find(const char *id)
{
    for (size_t i = 0; i < shelf.count; i++)
        if (strcmp(shelf.tasks[i].id, id) == 0)
            return &shelf.tasks[i];
    return NULL;
}

static void change(const char *id, enum mcp_task_state state)
{
    struct mcp_task *task = find(id);
    REQUIRE(task);
    task->state = state;
    task->version = ++shelf.versions;
    task->changed_ms += 1000;
    wr_watch_set(&shelf.writer, &shelf.versions);
}

static struct mcp_task *add(const char *id)
{
    struct mcp_task *task = &shelf.tasks[shelf.count++];
    *task = (struct mcp_task){ .version = ++shelf.versions, .poll_ms = 500,
                               .created_ms = 1000000000000, .changed_ms = 1000000000000 };
    snprintf(task->id, sizeof(task->id), "%s", id);
    return task;
}

static wr_err shelf_look(struct mcp_request *request, const char *id, uint64_t seen,
                         struct mcp_task *ret, wr_time deadline)
{
    struct wr_watch_reader reader = wr_watch_reader(shelf.news);
    struct mcp_task *task = find(id);
    uint64_t version;
    wr_err err = WR_OK;
    CHECK(mcp_request_arg(request) == &shelf);
    if (!task || (mcp_request_tenant(request) && strcmp(mcp_request_tenant(request), "b") == 0))
        return WR_NOTFOUND;
    while (!err && task->version == seen)
        err = wr_watch_wait(&reader, &version, deadline);
    *ret = *task;
    return err == WR_TIMEOUT && wr_now() >= deadline ? WR_OK : err;
}

static wr_err shelf_result(struct mcp_request *request, const char *id)
{
    if (find(id)->state == MCP_TASK_FAILED)
        return mcp_request_fail(request, WR_IO, "the mill is broken");
    wr_text_format(mcp_request_text(request), "flour of %s", id);
    wr_text_str(mcp_request_structured(request), "{\"bags\":2}");
    return WR_OK;
}

static wr_err shelf_cancel(struct mcp_request *request, const char *id)
{
    (void)request;
    if (!shelf.stubborn)
        change(id, MCP_TASK_CANCELLED);
    return WR_OK;
}

static wr_err shelf_list(struct mcp_request *request, const char *after, struct mcp_task *ret,
                         size_t max, size_t *ret_count)
{
    const struct mcp_task *last = after ? find(after) : NULL;
    size_t from = last ? (size_t)(last - shelf.tasks) + 1 : 0;
    (void)request;
    if (after && !last)
        return WR_NOTFOUND;
    for (*ret_count = 0; *ret_count < max && from < shelf.count;)
        ret[(*ret_count)++] = shelf.tasks[from++];
    return WR_OK;
}

static json_t *shelf_inputs(struct mcp_request *request, const char *id)
{
    (void)request;
    (void)id;
    return json_pack("{s:{s:s,s:{s:s}}}", "sort", "method", "elicitation/create", "params",
                     "message", "Which?");
}

static wr_err shelf_update(struct mcp_request *request, const char *id, const char *name,
                           const json_t *answer)
{
    if (strcmp(name, "sort") != 0)
        return WR_NOTFOUND;
    if (!json_is_object(answer))
        return mcp_request_fail(request, WR_INVALID, "a sort is an object");
    snprintf(shelf.said, sizeof(shelf.said), "%s",
             json_string_value(json_object_get(answer, "action")));
    change(id, MCP_TASK_WORKING);
    return WR_OK;
}

static const struct mcp_tasks tasks = {
    .look = shelf_look, .result = shelf_result, .cancel = shelf_cancel, .list = shelf_list,
    .inputs = shelf_inputs, .update = shelf_update, .arg = &shelf,
};

/* ---- who begins them ---- */

static wr_err grind(struct mcp_request *request)
{
    if (mcp_request_boolean(request, "silent", false))
        return mcp_request_fail(request, WR_INVALID, "there is no corn");
    if (mcp_request_defers(request) && mcp_request_integer(request, "seconds", 1) != 0) {
        struct mcp_task *task = add("corn");
        task->kept_ms = mcp_request_kept_ms(request);
        mcp_request_defer(request, task);
    } else {
        wr_text_str(mcp_request_text(request), "flour");
    }
    return WR_OK;
}

static const struct mcp_tool tools[] = {
    { .name = "grind", .what = "Grinds.", .fields = rig_slow_fields, .field_count = 2,
      .defers = MCP_MAY_DEFER, .handler = grind },
    { .name = "mill", .what = "Grinds.", .defers = MCP_MUST_DEFER, .handler = grind },
    { .name = "echo", .what = "Grinds.", .handler = grind },
};
static const struct mcp_offer offer = { .name = "mill", .version = "1", .tools = tools,
                                        .tool_count = 3, .tasks = &tasks };

static void mill_open(void)
{
    shelf = (struct shelf){ .versions = 1 };
    CHECK_OK(wr_watch_new(&shelf.news, &shelf.writer,
                          &(struct wr_watch_conf){ .name = "test.shelf",
                                                   .size = sizeof(shelf.versions),
                                                   .initial = &shelf.versions }));
    client_open_with(&client, &offer);
    client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
                        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}");
}

static void mill_close(void)
{
    client_close(&client);
    wr_watch_close(&shelf.writer);
    wr_watch_free(shelf.news);
}

#define MODERN "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":" \
    "{\"io.modelcontextprotocol/tasks\":{}}}}"

static const char *ask(const char *method, const char *params)
{
    static char says[2000];
    snprintf(says, sizeof(says),
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s}}", method,
             params);
    return client_say(&client, says);
}

#define TIMES "\"createdAt\":\"2001-09-09T01:46:40.000000Z\"," \
              "\"lastUpdatedAt\":\"2001-09-09T01:46:40.000000Z\","

TEST(each_era_is_told_of_tasks_in_its_own_words)
{
    mill_open();
    CHECK(has(ask("initialize", "\"protocolVersion\":\"2025-11-25\""),
              "\"tasks\":{\"list\":{},\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}}"));
    CHECK(has(ask("server/discover", RIG_META),
              "\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}"));
    CHECK(!has(client.heard.at, "\"tasks\":"));
    const char *heard = ask("tools/list", "");
    CHECK(has(heard, "\"execution\":{\"taskSupport\":\"optional\"}"));
    CHECK(has(heard, "\"execution\":{\"taskSupport\":\"required\"}"));
    CHECK(!has(ask("tools/list", RIG_META), "execution"));
    mill_close();
}

TEST(a_call_becomes_a_task_for_a_legacy_client_that_asks_for_one)
{
    mill_open();
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"task\":{\"taskId\":\"corn\","
              "\"status\":\"working\"," TIMES "\"ttl\":60000,\"pollInterval\":500}}}\n",
              ask("tools/call", "\"name\":\"grind\",\"task\":{\"ttl\":60000}"));
    CHECK(has(ask("tools/call", "\"name\":\"grind\""), "\"text\":\"flour\""));
    mill_close();
}

TEST(a_call_becomes_a_task_for_a_modern_client_that_takes_them)
{
    mill_open();
    CHECK(has(ask("tools/call", "\"name\":\"grind\"," MODERN),
              "\"result\":{\"taskId\":\"corn\",\"status\":\"working\"," TIMES
              "\"ttlMs\":null,\"pollIntervalMs\":500,\"resultType\":\"task\","));
    CHECK(has(ask("tools/call", "\"name\":\"grind\"," RIG_META), "\"text\":\"flour\""));
    CHECK(has(client.heard.at, "\"resultType\":\"complete\""));
    mill_close();
}

TEST(a_legacy_client_is_given_a_task_or_an_error)
{
    mill_open();
    CHECK(has(ask("tools/call", "\"name\":\"grind\",\"arguments\":{\"silent\":true},"
                                "\"task\":{}"),
              "\"code\":-32602,\"message\":\"there is no corn\""));
    CHECK(has(ask("tools/call", "\"name\":\"grind\",\"arguments\":{\"seconds\":0},"
                                "\"task\":{}"), "\"code\":-32603"));
    CHECK(has(ask("tools/call", "\"name\":\"grind\",\"arguments\":{\"silent\":true}," MODERN),
              "\"text\":\"there is no corn\"}],\"isError\":true"));
    mill_close();
}

TEST(what_a_tool_says_of_tasks_is_held_to)
{
    mill_open();
    CHECK(has(ask("tools/call", "\"name\":\"echo\",\"task\":{}"), "\"code\":-32601"));
    CHECK(has(ask("tools/call", "\"name\":\"mill\""), "\"code\":-32601"));
    CHECK(has(ask("tools/call", "\"name\":\"mill\"," RIG_META),
              "\"code\":-32021,\"message\":\"this takes a client that says it can "
              "\\\"io.modelcontextprotocol/tasks\\\"\",\"data\":{\"requiredCapabilities\":"
              "{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}"));
    CHECK(has(ask("tools/call", "\"name\":\"echo\",\"task\":{}," MODERN),
              "\"text\":\"flour\""));
    mill_close();
}

TEST(a_task_is_asked_for_by_its_id)
{
    mill_open();
    add("corn")->kept_ms = 5;
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"taskId\":\"corn\",\"status\":"
              "\"working\"," TIMES "\"ttl\":5,\"pollInterval\":500}}\n",
              ask("tasks/get", "\"taskId\":\"corn\""));
    CHECK(has(ask("tasks/get", "\"taskId\":\"rye\""), "\"code\":-32602"));
    CHECK(has(ask("tasks/get", "\"taskId\":7"), "\"code\":-32602"));
    client.peer.tenant = "b";
    CHECK(has(ask("tasks/get", "\"taskId\":\"corn\""), "\"code\":-32602"));
    mill_close();
}

TEST(a_modern_client_must_say_that_it_takes_tasks)
{
    mill_open();
    add("corn");
    CHECK(has(ask("tasks/get", "\"taskId\":\"corn\"," RIG_META), "\"code\":-32021"));
    CHECK(has(ask("tasks/update", "\"taskId\":\"corn\",\"inputResponses\":{}," RIG_META),
              "\"code\":-32021"));
    CHECK(has(ask("tasks/cancel", "\"taskId\":\"corn\"," RIG_META), "\"code\":-32021"));
    CHECK(has(ask("tasks/result", "\"taskId\":\"corn\"," MODERN), "\"code\":-32601"));
    CHECK(has(ask("tasks/list", MODERN), "\"code\":-32601"));
    mill_close();
}

TEST(a_modern_task_that_has_ended_has_its_result_in_it)
{
    mill_open();
    add("corn")->state = MCP_TASK_COMPLETED;
    CHECK(has(ask("tasks/get", "\"taskId\":\"corn\"," MODERN),
              "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"flour of corn\"}],"
              "\"structuredContent\":{\"bags\":2},\"isError\":false},\"resultType\":"
              "\"complete\""));
    mill_close();
}

TEST(what_the_tool_reports_as_failed_is_completed_in_the_modern_era)
{
    mill_open();
    add("corn")->state = MCP_TASK_FAILED;
    CHECK(has(ask("tasks/get", "\"taskId\":\"corn\""), "\"status\":\"failed\""));
    CHECK(has(ask("tasks/get", "\"taskId\":\"corn\"," MODERN), "\"status\":\"completed\""));
    CHECK(has(client.heard.at, "\"text\":\"the mill is broken\"}],\"isError\":true"));
    mill_close();
}

TEST(what_fails_by_our_fault_is_an_error)
{
    mill_open();
    struct mcp_task *task = add("corn");
    task->state = MCP_TASK_FAILED;
    task->broken = true;
    snprintf(task->note, sizeof(task->note), "the wheel fell off");
    CHECK(has(ask("tasks/get", "\"taskId\":\"corn\"," MODERN),
              "\"error\":{\"code\":-32603,\"message\":\"the wheel fell off\"}"));
    CHECK(has(client.heard.at, "\"status\":\"failed\",\"statusMessage\":\"the wheel"));
    CHECK(has(ask("tasks/result", "\"taskId\":\"corn\""),
              "\"error\":{\"code\":-32603,\"message\":\"the wheel fell off\"}"));
    mill_close();
}

TEST(a_result_is_waited_for_until_the_task_ends)
{
    mill_open();
    struct wr_scope *scope = scope_open();
    add("corn");
    wr_text_rewind(&client.heard, 0);
    client_start(&client, scope, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tasks/result\","
                                 "\"params\":{\"taskId\":\"corn\"}}");
    change("corn", MCP_TASK_INPUT_REQUIRED);
    settle();
    CHECK_EQ(1, wr_scope_live(scope));
    change("corn", MCP_TASK_COMPLETED);
    scope_done(scope);
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\","
              "\"text\":\"flour of corn\"}],\"structuredContent\":{\"bags\":2},\"isError\":"
              "false,\"_meta\":{\"io.modelcontextprotocol/related-task\":{\"taskId\":"
              "\"corn\"}}}}\n", client.heard.at);
    mill_close();
}

TEST(a_result_that_does_not_come_is_told_to_be_asked_for_again)
{
    mill_open();
    add("corn");
    wr_time start = wr_now();
    CHECK(has(ask("tasks/result", "\"taskId\":\"corn\""), "\"code\":429"));
    CHECK_EQ(MCP_WITHIN_DEFAULT, wr_now() - start);
    CHECK(has(ask("tasks/result", "\"taskId\":\"rye\""), "\"code\":-32602"));
    mill_close();
}

TEST(a_canceled_task_has_no_result)
{
    mill_open();
    add("corn")->state = MCP_TASK_CANCELLED;
    CHECK(has(ask("tasks/result", "\"taskId\":\"corn\""), "the task was cancelled"));
    CHECK(!has(ask("tasks/get", "\"taskId\":\"corn\"," MODERN), "\"result\":{\"content"));
    mill_close();
}

TEST(a_legacy_cancel_says_what_has_become_of_the_task)
{
    mill_open();
    add("corn");
    CHECK(has(ask("tasks/cancel", "\"taskId\":\"corn\""),
              "\"result\":{\"taskId\":\"corn\",\"status\":\"cancelled\","));
    CHECK(has(ask("tasks/cancel", "\"taskId\":\"corn\""),
              "\"code\":-32602,\"message\":\"the task \\\"corn\\\" has ended already: it is "
              "cancelled\""));
    mill_close();
}

TEST(a_legacy_cancel_waits_five_seconds_for_one_that_does_not_end)
{
    mill_open();
    add("corn");
    shelf.stubborn = true;
    wr_time start = wr_now();
    CHECK(has(ask("tasks/cancel", "\"taskId\":\"corn\""), "\"status\":\"working\""));
    CHECK_EQ(WR_S(5), wr_now() - start);
    mill_close();
}

TEST(a_modern_cancel_is_acknowledged_and_as_often_as_one_likes)
{
    mill_open();
    add("corn");
    const char *heard = ask("tasks/cancel", "\"taskId\":\"corn\"," MODERN);
    CHECK(has(heard, "\"result\":{\"resultType\":\"complete\""));
    CHECK_EQ(MCP_TASK_CANCELLED, shelf.tasks[0].state);
    heard = ask("tasks/cancel", "\"taskId\":\"corn\"," MODERN);
    CHECK(has(heard, "\"result\":{\"resultType\":\"complete\""));
    CHECK(has(ask("tasks/cancel", "\"taskId\":\"rye\"," MODERN), "\"code\":-32602"));
    mill_close();
}

TEST(a_modern_client_sees_what_a_task_waits_for_and_gives_it)
{
    mill_open();
    add("corn")->state = MCP_TASK_INPUT_REQUIRED;
    CHECK(has(ask("tasks/get", "\"taskId\":\"corn\"," MODERN),
              "\"inputRequests\":{\"sort\":{\"method\":\"elicitation/create\",\"params\":"
              "{\"message\":\"Which?\"}}}"));
    CHECK(has(ask("tasks/update", "\"taskId\":\"corn\",\"inputResponses\":{\"no\":{},\"sort\":"
                                  "{\"action\":\"accept\"}}," MODERN),
              "\"result\":{\"resultType\":\"complete\""));
    CHECK_STR("accept", shelf.said);
    CHECK(has(ask("tasks/get", "\"taskId\":\"corn\"," MODERN), "\"status\":\"working\""));
    mill_close();
}

TEST(an_answer_that_is_none_is_refused)
{
    mill_open();
    add("corn")->state = MCP_TASK_INPUT_REQUIRED;
    CHECK(has(ask("tasks/update",
                  "\"taskId\":\"corn\",\"inputResponses\":{\"sort\":1}," MODERN),
              "\"code\":-32602,\"message\":\"a sort is an object\""));
    CHECK(has(ask("tasks/update", "\"taskId\":\"corn\",\"inputResponses\":null," MODERN),
              "\"code\":-32602"));
    CHECK(has(ask("tasks/update", "\"taskId\":\"rye\",\"inputResponses\":{}," MODERN),
              "\"code\":-32602"));
    mill_close();
}

TEST(tasks_are_listed_by_the_page)
{
    mill_open();
    for (size_t i = 0; i < TASKS; i++) {
        char id[10];
        snprintf(id, sizeof(id), "t%zu", i);
        add(id);
    }
    CHECK(has(ask("tasks/list", ""), "\"taskId\":\"t49\""));
    CHECK(!has(client.heard.at, "\"taskId\":\"t50\""));
    CHECK(has(client.heard.at, "\"nextCursor\":\"t49\""));
    CHECK(has(ask("tasks/list", "\"cursor\":\"t49\""), "{\"tasks\":[{\"taskId\":\"t50\""));
    CHECK(!has(client.heard.at, "nextCursor"));
    CHECK(has(ask("tasks/list", "\"cursor\":\"x\""), "\"code\":-32602"));
    CHECK(has(ask("tasks/list", "\"cursor\":1"), "\"code\":-32602"));
    mill_close();
}

TEST(a_legacy_client_that_waits_for_a_result_is_asked_what_the_task_needs)
{
    mill_open();
    struct wr_scope *scope = scope_open();
    client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
                        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
                        "{\"elicitation\":{}}}}");
    add("corn")->state = MCP_TASK_INPUT_REQUIRED;
    wr_text_rewind(&client.heard, 0);
    client_start(&client, scope, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tasks/result\","
                                 "\"params\":{\"taskId\":\"corn\"}}");
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":\"weir-1\",\"method\":\"elicitation/create\","
              "\"params\":{\"message\":\"Which?\",\"_meta\":{"
              "\"io.modelcontextprotocol/related-task\":{\"taskId\":\"corn\"}}}}\n",
              client.heard.at);
    client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":\"weir-1\",\"result\":{\"action\":"
                        "\"accept\"}}");
    settle();
    CHECK_STR("accept", shelf.said);
    change("corn", MCP_TASK_COMPLETED);
    scope_done(scope);
    CHECK(has(client.heard.at, "\"id\":7,\"result\""));
    mill_close();
}

TEST(a_modern_client_is_told_of_each_change_of_a_task_until_it_ends)
{
    mill_open();
    struct wr_scope *scope = scope_open();
    add("corn");
    wr_text_rewind(&client.heard, 0);
    client_start(&client, scope, "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":"
                                 "\"subscriptions/listen\",\"params\":{\"notifications\":"
                                 "{\"taskIds\":[\"corn\",\"rye\"]}," MODERN "}}");
    CHECK(has(client.heard.at, "\"notifications\":{\"taskIds\":[\"corn\",\"rye\"]}"));
    CHECK(has(client.heard.at, "\"method\":\"notifications/tasks\",\"params\":{\"_meta\":"
                               "{\"io.modelcontextprotocol/subscriptionId\":4},\"taskId\":"
                               "\"corn\",\"status\":\"working\""));
    wr_text_rewind(&client.heard, 0);
    change("corn", MCP_TASK_INPUT_REQUIRED);
    settle();
    CHECK(has(client.heard.at, "\"inputRequests\":{\"sort\":"));
    wr_text_rewind(&client.heard, 0);
    change("corn", MCP_TASK_COMPLETED);
    settle();
    CHECK(has(client.heard.at, "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"flour "
                               "of corn\"}]"));
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    mill_close();
}
