/* queue_mcp_test.c - our tasks, as clients of MCP see them. */
#include "svc/queue/queue_mcp.h"

#include <stdio.h>

#include "svc/queue/queue_tool.h"
#include "testing/mcp_rig.h"
#include "testing/queue_rig.h"

#define META "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"extensions\":" \
    "{\"io.modelcontextprotocol/tasks\":{}}}}"
#define SAY(method, params) \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" params "," META "}" \
                                                                                           "}"
#define AWAIT SAY("tools/call", "\"name\":\"await_task\",\"arguments\":{\"task_id\":\"%s\"}")
#define OF_ROUND(method, n) SAY(method, "\"taskId\":\"%s." n "\"")
#define OF(method) OF_ROUND(method, "1")

static struct shop {
    struct queue_rig jobs;
    struct queue_desk desk;
    struct mcp_tool tools[QUEUE_TOOLS];
    struct mcp_tasks tasks;
    struct mcp_offer offer;
    struct client client;
    const char *task;
} shop;

static void shop_open(struct store *store)
{
    memset(&shop, 0, sizeof(shop));
    queue_rig_start(&shop.jobs, store);
    shop.desk.queue = shop.jobs.queue;
    atomic_store(&shop.desk.pages_max, 200);
    queue_tools(shop.tools, &shop.desk);
    shop.tasks = queue_mcp_tasks(&shop.desk);
    shop.offer = (struct mcp_offer){ .name = "shop", .version = "1", .tools = shop.tools,
                                     .tool_count = QUEUE_TOOLS, .tasks = &shop.tasks };
    client_open(&shop.client);
    mcp_session_free(shop.client.session);
    CHECK_OK(mcp_session_new(&shop.client.session, &shop.offer));
    shop.task = queue_rig_task(&shop.jobs);
}

static void shop_close(void)
{
    client_close(&shop.client);
    queue_rig_stop(&shop.jobs);
}

/* %s stands for the task. */
static const char *ask(const char *says)
{
    static char request[4000];
    snprintf(request, sizeof(request), says, shop.task);
    return client_say(&shop.client, request);
}

static bool hears(const char *says, const char *what)
{
    const char *heard = ask(says);
    if (strstr(heard, what))
        return true;
    printf("# %s\n", heard);
    return false;
}

LOCAL_TEST(a_task_works_until_nothing_of_it_is_open)
{
    shop_open(store);
    queue_rig_add(&shop.jobs, shop.task, "hold");
    queue_rig_add(&shop.jobs, shop.task, "ok");
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    CHECK(hears(OF("tasks/get"), "\"status\":\"working\",\"statusMessage\":\"1 of 2 jobs are "
                                 "over\""));
    CHECK_OK(wr_once_set(shop.jobs.gate, NULL));
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_COMPLETED, 2);
    CHECK(hears(OF("tasks/get"), "\"status\":\"completed\""));
    CHECK(hears(OF("tasks/get"), "\"structuredContent\":{\"ok\":true,\"task_id\":\""));
    CHECK(hears(SAY("tasks/get", "\"taskId\":\"task_0.1\""), "there is no task \\\"task_0.1"));
    CHECK(hears(OF_ROUND("tasks/get", "2"), "there is no task"));
    CHECK(hears(SAY("tasks/get", "\"taskId\":\"%s\""), "there is no task"));
    shop_close();
}

LOCAL_TEST(a_round_that_is_over_stays_so_when_more_is_queued)
{
    shop_open(store);
    queue_rig_add(&shop.jobs, shop.task, "ok");
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    CHECK(hears(OF("tasks/get"), "\"status\":\"completed\""));
    queue_rig_add(&shop.jobs, shop.task, "hold");
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    CHECK(hears(OF("tasks/get"), "\"status\":\"completed\""));
    CHECK(hears(OF_ROUND("tasks/get", "2"), "\"status\":\"working\""));
    CHECK(!has(ask(OF("tasks/cancel")), "\"error\""));
    CHECK(hears(OF_ROUND("tasks/get", "2"), "\"status\":\"working\""));
    CHECK(!has(ask(OF_ROUND("tasks/cancel", "2")), "\"error\""));
    CHECK(hears(OF_ROUND("tasks/get", "2"), "\"status\":\"cancelled\""));
    queue_rig_add(&shop.jobs, shop.task, "ok");
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_COMPLETED, 2);
    CHECK(hears(OF_ROUND("tasks/get", "3"), "\"status\":\"completed\""));
    CHECK(hears(OF_ROUND("tasks/get", "2"), "\"status\":\"cancelled\""));
    CHECK(hears(OF("tasks/get"), "\"status\":\"completed\""));
    shop_close();
}

LOCAL_TEST(a_round_that_was_completed_is_not_canceled_by_a_stop)
{
    struct queue_why why;
    struct queue_stopped stopped;
    shop_open(store);
    queue_rig_add(&shop.jobs, shop.task, "ok");
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    CHECK_OK(queue_stop(shop.jobs.queue, shop.task, &(struct queue_stop){ 0 }, &stopped, &why,
                        QUEUE_RIG_SOON));
    CHECK(hears(OF("tasks/get"), "\"status\":\"completed\""));
    shop_close();
}

LOCAL_TEST(without_targets_there_is_nothing_to_wait_for)
{
    shop_open(store);
    CHECK(hears(AWAIT, ".0\",\"status\":\"completed\",\"statusMessage\":\"no targets were "
                       "queued yet\""));
    queue_rig_add(&shop.jobs, shop.task, "hold");
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    CHECK(hears(OF_ROUND("tasks/get", "0"), "\"status\":\"completed\""));
    CHECK(hears(OF_ROUND("tasks/get", "0"), "the task has gone on"));
    CHECK(hears(AWAIT, ".1\",\"status\":\"working\""));
    shop_close();
}

LOCAL_TEST(to_cancel_a_task_is_to_stop_it_at_once)
{
    shop_open(store);
    queue_rig_add(&shop.jobs, shop.task, "hold");
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    wr_time before = wr_now();
    CHECK(!has(ask(OF("tasks/cancel")), "\"error\""));
    CHECK_EQ(0, wr_now() - before);
    CHECK(hears(OF("tasks/get"), "\"status\":\"cancelled\",\"statusMessage\":\"stopped: "
                                 "user_cancelled\""));
    CHECK_EQ(1, queue_rig_count(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_CANCELED));
    shop_close();
}

LOCAL_TEST(what_waits_for_a_person_asks_him)
{
    char says[800], name[QUEUE_ID];
    shop_open(store);
    queue_rig_add(&shop.jobs, shop.task, "person");
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_WAITING, 1);
    const char *heard = ask(OF("tasks/get"));
    CHECK(has(heard, "\"status\":\"input_required\",\"statusMessage\":\"1 things wait for a "
                     "person\""));
    CHECK(has(heard, "\"method\":\"elicitation/create\",\"params\":{\"message\":\"Open "
                     "https://a.example/x and do what it asks for (captcha), then accept.\""));
    const char *at = strstr(heard, "\"inputRequests\":{\"");
    REQUIRE(at);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(at + 18, "\""), at + 18);
    atomic_store(&shop.jobs.solved, true);
    snprintf(says, sizeof(says), SAY("tasks/update", "\"taskId\":\"%s.1\",\"inputResponses\":"
             "{\"%s\":{\"action\":\"accept\",\"content\":{\"done\":true}}}"), shop.task, name);
    CHECK(!has(client_say(&shop.client, says), "\"error\""));
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_COMPLETED, 1);
    CHECK(hears(OF("tasks/get"), "\"status\":\"completed\""));
    shop_close();
}

LOCAL_TEST(who_declines_has_it_fail)
{
    char says[800], name[QUEUE_ID];
    shop_open(store);
    queue_rig_add(&shop.jobs, shop.task, "person");
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_WAITING, 1);
    const char *at = strstr(ask(OF("tasks/get")), "\"inputRequests\":{\"");
    REQUIRE(at);
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(at + 18, "\""), at + 18);
    snprintf(says, sizeof(says), SAY("tasks/update", "\"taskId\":\"%s.1\",\"inputResponses\":"
             "{\"%s\":{\"action\":\"decline\"}}"), shop.task, name);
    CHECK(!has(client_say(&shop.client, says), "\"error\""));
    CHECK_EQ(1, queue_rig_count(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_FAILED));
    snprintf(says, sizeof(says), SAY("tasks/update", "\"taskId\":\"%s.1\",\"inputResponses\":"
             "{\"%s\":{}}"), shop.task, name);
    CHECK(has(client_say(&shop.client, says), "must have \\\"action\\\""));
    shop_close();
}

LOCAL_TEST(who_takes_tasks_gets_one_when_he_would_wait)
{
    shop_open(store);
    queue_rig_add(&shop.jobs, shop.task, "hold");
    queue_rig_until(&shop.jobs, shop.task, QUEUE_TARGET, STORE_JOB_RUNNING, 1);
    wr_time before = wr_now();
    const char *heard = ask(SAY("tools/call", "\"name\":\"await_task\",\"arguments\":"
                                "{\"task_id\":\"%s\",\"wait\":60}"));
    CHECK_EQ(0, wr_now() - before);
    CHECK(has(heard, "\"resultType\":\"task\""));
    CHECK(has(heard, "\"status\":\"working\""));
    heard = ask(SAY("tools/call", "\"name\":\"await_task\",\"arguments\":"
                    "{\"task_id\":\"task_0\"}"));
    CHECK(has(heard, "TASK_NOT_FOUND"));
    shop_close();
}

static wr_err open_gate(void *unused)
{
    (void)unused;
    wr_err err = wr_sleep(wr_after(WR_S(3)));
    return err ? err : wr_once_set(shop.jobs.gate, NULL);
}

#define LEGACY(method, params) "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"" method \
    "\",\"params\":{" params "}}"

LOCAL_TEST(a_client_of_old_waits_for_the_result)
{
    shop_open(store);
    queue_rig_add(&shop.jobs, shop.task, "hold");
    ask(LEGACY("initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
               "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}"));
    CHECK(hears(LEGACY("tools/call", "\"name\":\"await_task\",\"arguments\":"
                       "{\"task_id\":\"%s\"},\"task\":{\"ttl\":60000}"),
                "\"result\":{\"task\":{\"taskId\":\"task_"));
    struct wr_scope *scope = scope_open();
    go(scope, open_gate, NULL);
    wr_time before = wr_now();
    CHECK(hears(LEGACY("tasks/result", "\"taskId\":\"%s.1\""), "\"satisfied\":1,"));
    CHECK(wr_now() - before <= WR_S(3));        /* nobody looks now and then */
    scope_done(scope);
    CHECK(hears(LEGACY("tasks/list", "\"cursor\":null"), "\"error\""));
    CHECK(hears(LEGACY("tasks/cancel", "\"taskId\":\"%s.1\""), "has ended already"));
    shop_close();
}

LOCAL_TEST(in_a_drain_who_waits_for_a_task_is_told_that_it_goes_on)
{
    shop_open(store);
    queue_rig_add(&shop.jobs, shop.task, "hold");
    ask(LEGACY("initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
               "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}"));
    struct wr_scope *scope = scope_open();
    char says[300];
    snprintf(says, sizeof(says), LEGACY("tasks/result", "\"taskId\":\"%s.1\""), shop.task);
    wr_text_rewind(&shop.client.heard, 0);
    client_start(&shop.client, scope, says);
    queue_hush(shop.jobs.queue);
    scope_done(scope);
    CHECK(has(shop.client.heard.at, "goes on: ask again"));
    shop_close();
}

LOCAL_TEST(tasks_are_listed_the_newest_first)
{
    char first[QUEUE_ID];
    shop_open(store);
    snprintf(first, sizeof(first), "%s", shop.task);
    pass(WR_MS(5));
    queue_rig_task(&shop.jobs);
    ask(LEGACY("initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
               "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}"));
    const char *heard = ask("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tasks/list\"}");
    const char *newer = strstr(heard, shop.task), *older = strstr(heard, first);
    CHECK(newer && older && newer < older);
    shop_close();
}
