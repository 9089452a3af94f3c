/* queue_route.c - see queue_route.h. */
#include "svc/queue/queue_route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/metric.h>
#include <weir/offload.h>
#include <weir/once.h>
#include <weir/scope.h>
#include <weir/sse.h>
#include <weir/task.h>

#include "base/json.h"
#include "mcp/schema.h"
#include "net/json_in.h"
#include "svc/queue/queue_begin.h"
#include "svc/queue/queue_events.h"
#include "svc/queue/queue_query.h"
#include "svc/queue/queue_schema.h"
#include "svc/queue/vector_search.h"
#include "svc/service.h"

#define BODY_MAX ((size_t)4 << 20)
#define BODY_WITHIN WR_S(20)
#define LARGE ((size_t)64 << 10)        /* such a body is read beside the fibers */
#define SUBMIT_WITHIN WR_S(30)
#define STOP_WITHIN (QUEUE_GRACE + WR_S(15))
#define LOOK_WITHIN (QUEUE_WAIT_MAX + WR_S(5))
#define SEARCH_WITHIN WR_S(30)
#define ANSWER_WITHIN WR_S(2)           /* of what was waited for */
#define LIST_PRESET 20

static struct wr_metric polls_metric = {
    .name = "queue_polls", .help = "Clients that wait for something to happen to a task.",
    .type = WR_GAUGE, .svc = "queue" };
static struct wr_metric answered_metric = {
    .name = "queue_polls_total",
    .help = "Waits for something to happen to a task, by how they ended.",
    .type = WR_COUNTER, .labels = { "result" }, .series_max = 8, .svc = "queue" };

/* ---- answers ---- */

static wr_err answer(struct wr_call *call, unsigned status, struct wr_text *text)
{
    bool whole = !text->cut;
    if (whole) {
        wr_call_status(call, status);
        wr_call_type(call, "application/json");
        wr_call_write(call, text->at, text->len);
    }
    wr_text_free(text);
    return whole ? WR_OK : WR_NOMEM;
}

/* A store that fails is ours, and no gateway. */
static unsigned status_of(wr_err err, const struct queue_why *why)
{
    bool ours = err == WR_IO && strcmp(why->code, "INTERNAL_ERROR") == 0;
    return err == WR_DENIED ? 409 : ours ? 503 : (unsigned)wr_err_http(err);
}

/* As the queue says it; what it does not say is the server's to word. */
static wr_err fail(struct wr_call *call, wr_err err, const struct queue_why *why)
{
    char buf[2000], type[80];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    if (!why->code[0])
        return err;
    snprintf(type, sizeof(type), "urn:weir:problem:%s", why->code);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "type", type);
    wr_json_str(&json, "title", wr_err_text(err));
    wr_json_u64(&json, "status", status_of(err, why));
    wr_json_str(&json, "detail", why->text);
    wr_json_str(&json, "error_code", why->code);
    if (why->param[0])
        wr_json_str(&json, "param", why->param);
    wr_json_bool(&json, "retryable", wr_err_retryable(err));
    wr_json_end(&json);
    wr_call_status(call, status_of(err, why));
    wr_call_type(call, "application/problem+json");
    wr_call_write(call, text.at, text.len);
    return WR_OK;
}

static wr_err finish(struct wr_call *call, wr_err err, unsigned status, struct wr_text *text,
                     const struct queue_why *why)
{
    if (!err)
        return answer(call, status, text);
    wr_text_free(text);
    return fail(call, err, why);
}

/* The desk, if there is a queue behind it. */
static wr_err desk_of(struct wr_call *call, struct queue_desk **ret)
{
    *ret = wr_call_arg(call);
    if ((*ret)->queue)
        return WR_OK;
    return wr_call_fail(call, WR_UNSUPPORTED, "there is no queue here: it needs a store");
}

/* ---- arguments ---- */

struct body {
    const char *at;
    size_t len;
    json_t *json;
    const char *why;
};

static void parse(void *arg)
{
    struct body *body = arg;
    body->json = json_in_large(body->at, body->len, &body->why);
}

/* No body is no argument. */
static wr_err read_body(struct wr_call *call, json_t **ret, struct queue_why *why)
{
    struct body body = { .why = "there is no memory for it" };
    body.at = wr_call_body(call, &body.len);
    wr_err err = WR_OK;
    if (body.len == 0)
        body.json = json_object();
    else if (body.len < LARGE)
        parse(&body);
    else
        err = wr_offload(parse, &body, wr_call_deadline(call));
    *ret = body.json;
    if (!err && !body.json)
        err = queue_why_say(why, WR_INVALID, "INVALID_PARAMS", "body", "the body must be an "
                            "object of JSON: %s", body.why);
    return err;
}

static const json_t *of_body(const void *from, const char *name)
{
    return json_object_get(from, name);
}

/* A number of the query; *ret stays as it is where there is none. */
static wr_err take_query(struct wr_call *call, const char *name, long min, long max, long *ret,
                         struct queue_why *why)
{
    const char *text = wr_call_query(call, name);
    char *end;
    if (!text)
        return WR_OK;
    *ret = strtol(text, &end, 10);
    if (!*text || *end || *ret < min || *ret > max)
        return queue_why_say(why, WR_INVALID, "INVALID_PARAMS", name, "%s is \"%.40s\"; "
                             "allowed are whole numbers from %ld to %ld", name, text, min, max);
    return WR_OK;
}

/* ---- what is asked and answered at once ---- */

typedef wr_err (*ask_fn)(struct queue_desk *desk, const struct queue_said *said,
                         struct wr_text *text, struct queue_why *why, wr_time deadline);
typedef wr_err (*ask_of_fn)(struct queue_desk *desk, const char *task,
                            const struct queue_said *said, struct wr_text *text,
                            struct queue_why *why, wr_time deadline);

/* What nobody has a name for is no argument: it would be passed over in silence. */
static wr_err check_names(const char *tool, bool of_task, const json_t *body,
                          struct queue_why *why)
{
    const struct queue_schema *schema = queue_schema(tool);
    struct mcp_misfit misfit;
    if (mcp_schema_names(schema->fields + of_task, schema->field_count - of_task, false, body,
                         &misfit))
        return WR_OK;
    return queue_why_say(why, WR_INVALID, "INVALID_PARAMS", misfit.name, "%s", misfit.why);
}

/* One of both; the tool takes the same, but for the task. */
static wr_err pass_on(struct wr_call *call, const char *tool, ask_fn ask, ask_of_fn ask_of)
{
    struct wr_text text = wr_text_heap(QUEUE_ANSWER_MAX);
    struct queue_why why = { 0 };
    struct queue_desk *desk;
    json_t *body = NULL;
    wr_err err = desk_of(call, &desk);
    if (err)
        return err;
    err = read_body(call, &body, &why);
    if (!err)
        err = check_names(tool, !ask, body, &why);
    struct queue_said said = { of_body, body };
    if (!err && ask)
        err = ask(desk, &said, &text, &why, wr_call_deadline(call));
    else if (!err)
        err = ask_of(desk, wr_call_param(call, "id"), &said, &text, &why,
                     wr_call_deadline(call));
    json_decref(body);
    return finish(call, err, ask == queue_begin ? 201 : 200, &text, &why);
}

static wr_err post_task(struct wr_call *call)
{
    return pass_on(call, "create_task", queue_begin, NULL);
}

static wr_err post_targets(struct wr_call *call)
{
    return pass_on(call, "queue_targets", NULL, queue_desk_submit);
}

static wr_err post_stop(struct wr_call *call)
{
    return pass_on(call, "stop_task", NULL, queue_desk_stop);
}

static wr_err post_budget(struct wr_call *call)
{
    return pass_on(call, "set_budget", NULL, queue_desk_budget);
}

static wr_err post_search(struct wr_call *call)
{
    return pass_on(call, "vector_search", queue_vector_search, NULL);
}

static wr_err post_candidates(struct wr_call *call)
{
    return pass_on(call, "queue_reference_candidates", NULL, queue_query_candidates);
}

static wr_err post_resolve(struct wr_call *call)
{
    return pass_on(call, "resolve_auth", queue_desk_resolve, NULL);
}

static wr_err get_auths(struct wr_call *call)
{
    static const char *const names[] = { "task_id", "group_by", "priority_filter" };
    struct wr_text text = wr_text_heap(QUEUE_ANSWER_MAX);
    struct queue_why why = { 0 };
    struct queue_desk *desk;
    wr_err err = desk_of(call, &desk);
    if (err)
        return err;
    json_t *query = json_object();
    for (size_t i = 0; i < 3; i++)
        if (wr_call_query(call, names[i]))
            json_object_set_new(query, names[i], json_string(wr_call_query(call, names[i])));
    err = queue_desk_auths(desk, &(struct queue_said){ of_body, query }, &text, &why,
                           wr_call_deadline(call));
    json_decref(query);
    return finish(call, err, 200, &text, &why);
}

static wr_err get_tasks(struct wr_call *call)
{
    struct wr_text text = wr_text_heap(QUEUE_ANSWER_MAX);
    struct queue_why why = { 0 };
    struct queue_desk *desk;
    long limit = LIST_PRESET;
    wr_err err = desk_of(call, &desk);
    if (err)
        return err;
    err = take_query(call, "limit", 1, STORE_TASK_LIST_MAX, &limit, &why);
    if (!err)
        err = queue_desk_tasks(desk, wr_call_query(call, "cursor"),
                               (size_t)limit, &text, wr_call_deadline(call));
    return finish(call, err, 200, &text, &why);
}

static wr_err delete_task(struct wr_call *call)
{
    struct wr_text text = wr_text_heap(QUEUE_ANSWER_MAX);
    struct queue_why why = { 0 };
    struct queue_desk *desk;
    wr_err err = desk_of(call, &desk);
    if (err)
        return err;
    err = queue_desk_remove(desk, wr_call_param(call, "id"), &text, &why,
                            wr_call_deadline(call));
    return finish(call, err, 200, &text, &why);
}

static wr_err get_job(struct wr_call *call)
{
    struct wr_text text = wr_text_heap(QUEUE_ANSWER_MAX);
    struct queue_why why = { 0 };
    struct queue_desk *desk;
    wr_err err = desk_of(call, &desk);
    if (err)
        return err;
    err = queue_desk_job(desk, wr_call_param(call, "id"), &text, &why, wr_call_deadline(call));
    return finish(call, err, 200, &text, &why);
}

/* ---- who waits ---- */

/* A look in a task of its own, so that whoever has gone is noticed meanwhile. */
struct poll {
    struct queue *queue;
    const char *task;
    struct queue_look look;
    struct queue_look_at at;
    struct queue_why why;
    wr_time deadline;
    struct wr_once *seen;
    wr_err err;
};

static wr_err run_poll(void *arg)
{
    struct poll *poll = arg;
    poll->err = queue_look(poll->queue, poll->task, &poll->look, &poll->at, &poll->why,
                           poll->deadline);
    (void)!wr_once_set(poll->seen, NULL);
    return WR_OK;
}

static const char *word_of(wr_err err)
{
    return err == WR_OK ? "answered" : err == WR_DRAINING ? "drained" : "gone";
}

/* In a drain what is known is told. */
static wr_err wait_poll(struct wr_call *call, struct poll *poll)
{
    struct wr_scope *scope;
    size_t which;
    poll->err = WR_CANCELED;
    wr_err err = wr_once_new(&poll->seen, "queue.poll", 0);
    if (err)
        return err;
    err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "queue.poll",
                                                        .deadline = poll->deadline });
    if (!err) {
        struct wr_case cases[] = { WR_CASE_ONCE(poll->seen, NULL) };
        err = wr_scope_go(scope, "queue.poll", run_poll, poll);
        if (!err)
            err = wr_call_select(call, &which, cases, 1, poll->deadline);
        if (err)
            wr_scope_cancel(scope);
        (void)!wr_scope_close(scope);
        wr_counter_add(wr_metric_counter(&answered_metric, word_of(err)), 1);
    }
    wr_once_free(poll->seen);
    if (!poll->err)
        return WR_OK;                       /* it was in time after all */
    if (err == WR_DRAINING) {
        poll->look.wait = 0;
        return queue_look(poll->queue, poll->task, &poll->look, &poll->at, &poll->why,
                          wr_call_deadline(call));
    }
    return err ? err : poll->err;
}

static wr_err look(struct wr_call *call, struct poll *poll)
{
    if (poll->look.wait == 0)
        return queue_look(poll->queue, poll->task, &poll->look, &poll->at, &poll->why,
                          poll->deadline);
    wr_gauge_add(wr_metric_gauge(&polls_metric), 1);
    wr_err err = wait_poll(call, poll);
    wr_gauge_add(wr_metric_gauge(&polls_metric), -1);
    return err;
}

static wr_err take_detail(struct wr_call *call, bool *ret_full, struct queue_why *why)
{
    const char *detail = wr_call_query(call, "detail");
    *ret_full = detail && strcmp(detail, queue_details[1]) == 0;
    if (detail && !*ret_full && strcmp(detail, queue_details[0]) != 0)
        return queue_why_say(why, WR_INVALID, "INVALID_PARAMS", "detail", "detail is "
                             "\"%.40s\"; allowed are summary, full", detail);
    return WR_OK;
}

static wr_err get_status(struct wr_call *call)
{
    struct wr_text text = wr_text_heap(QUEUE_ANSWER_MAX);
    struct queue_desk *desk;
    long wait = 0;
    bool full;
    wr_err err = desk_of(call, &desk);
    if (err)
        return err;
    struct poll poll = { .queue = desk->queue, .task = wr_call_param(call, "id"),
                         .deadline = wr_call_deadline(call) - ANSWER_WITHIN };
    poll.look.since = wr_call_query(call, "since");
    err = take_query(call, "wait", 0, QUEUE_WAIT_MAX / WR_S(1), &wait, &poll.why);
    if (!err)
        err = take_detail(call, &full, &poll.why);
    poll.look.wait = WR_S(wait);
    if (!err)
        err = look(call, &poll);
    if (!err) {
        err = queue_desk_status(desk, &poll.at, full, &text, wr_call_deadline(call));
        queue_view_unref(poll.at.view);
    }
    return finish(call, err, 200, &text, &poll.why);
}

static wr_err get_events(struct wr_call *call)
{
    struct queue_why why = { 0 };
    struct queue_look_at at;
    struct queue_desk *desk;
    const char *task = wr_call_param(call, "id");
    wr_err err = desk_of(call, &desk);
    if (err)
        return err;
    err = queue_look(desk->queue, task, &(struct queue_look){ .since = wr_sse_last_id(call) },
                     &at, &why, wr_after(ANSWER_WITHIN));
    if (err)
        return fail(call, err, &why);
    queue_view_unref(at.view);
    return queue_events(call, desk, task);
}

/* ---- the table ---- */

static const struct node_policy feed = { .facet = FACET_FEED };
static const struct node_policy search = { .facet = FACET_SEARCH };

#define OBJECT(needs, properties) \
    "{\"type\":\"object\",\"required\":[" needs "],\"properties\":{" properties "}}"
#define TEXT(name) "\"" name "\":{\"type\":\"string\"}"
#define NUMBER(name) "\"" name "\":{\"type\":\"integer\",\"minimum\":0}"
#define IDS(name) "\"" name "\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"

#define TARGETS "\"targets\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":10000," \
    "\"items\":{\"type\":[\"string\",\"object\"]}},\"options\":{\"type\":\"object\"}"
static const char task_takes[] = OBJECT("\"hypothesis\"", TEXT("hypothesis") ",\"config\":"
    OBJECT("", "\"budget\":" OBJECT("", NUMBER("max_pages") "," NUMBER("max_seconds"))) ","
    TARGETS);
static const char targets_takes[] = OBJECT("\"targets\"", TARGETS);
static const char candidates_takes[] = OBJECT("", IDS("include_ids") "," IDS("exclude_ids") ","
    NUMBER("limit") ",\"dry_run\":{\"type\":\"boolean\"},\"options\":{\"type\":\"object\"}");
static const char stop_takes[] = OBJECT("", "\"reason\":{\"enum\":[\"session_completed\","
    "\"budget_exhausted\",\"user_cancelled\"]},\"mode\":{\"enum\":[\"graceful\","
    "\"immediate\",\"full\"]},\"scope\":{\"enum\":[\"all_jobs\",\"target_queue_only\"]}");
static const char budget_takes[] = OBJECT("", NUMBER("max_pages") "," NUMBER("max_seconds"));
static const char resolve_takes[] = OBJECT("\"action\"", "\"target\":{\"enum\":[\"item\","
    "\"domain\",\"task\"]},\"action\":{\"enum\":[\"complete\",\"skip\"]},\"success\":{"
    "\"type\":\"boolean\"}," TEXT("queue_id") "," TEXT("domain") "," TEXT("task_id"));
static const char search_takes[] = OBJECT("\"query\"", TEXT("query") ",\"target\":{\"enum\":["
    "\"claims\",\"fragments\"]}," TEXT("task_id") "," NUMBER("top_k") ",\"min_similarity\":{"
    "\"type\":\"number\",\"minimum\":0,\"maximum\":1}");
static const char tasks_gives[] = OBJECT("\"ok\",\"tasks\"", "\"ok\":{\"type\":\"boolean\"},"
    "\"tasks\":{\"type\":\"array\",\"items\":" OBJECT("\"task_id\",\"status\"",
    TEXT("task_id") "," TEXT("status") "," TEXT("hypothesis")) "}," TEXT("next_cursor"));
static const char removed_gives[] = OBJECT("\"ok\",\"task_id\",\"cleared\"",
    "\"ok\":{\"type\":\"boolean\"}," TEXT("task_id") ",\"cleared\":{\"type\":\"boolean\"}");
static const char job_gives[] = OBJECT("\"id\",\"status\"", TEXT("id") "," TEXT("task_id") ","
    TEXT("kind") "," TEXT("status") ",\"input\":{\"type\":\"object\"}");

/* Which tool answers with the same. */
static const struct { wr_handler handler; const char *tool; } twins[] = {
    { post_task, "create_task" }, { get_status, "get_status" },
    { post_targets, "queue_targets" }, { post_stop, "stop_task" },
    { post_budget, "set_budget" }, { get_auths, "get_auth_queue" },
    { post_resolve, "resolve_auth" }, { post_search, "vector_search" },
    { post_candidates, "queue_reference_candidates" },
};

#define QUEUE_ROUTE .scope = QUEUE_SCOPE, .tag = "queue"

static const struct wr_route table[QUEUE_ROUTES] = {
    { .method = "POST", .path = "/v1/queue/tasks", .handler = post_task, QUEUE_ROUTE,
      .body_max = BODY_MAX, .body_within = BODY_WITHIN, .deadline = SUBMIT_WITHIN,
      .takes = task_takes,
      .summary = "Make a research task of a hypothesis, and queue its first targets." },
    { .method = "GET", .path = "/v1/queue/tasks", .handler = get_tasks, QUEUE_ROUTE,
      .summary = "The tasks, the newest first.", .gives = tasks_gives,
      .query = "limit: how many, 1 to 100; 20\n"
               "cursor: the next_cursor of an earlier answer" },
    { .method = "GET", .path = "/v1/queue/tasks/{id}", .handler = get_status, QUEUE_ROUTE,
      .class = WR_ROUTE_LONG, .deadline = LOOK_WITHIN,
      .summary = "How far a task is; at once, or when something has happened to it.",
      .query = "wait: seconds to wait for that, 0 to 300; 0\n"
               "since: the change of an earlier answer, after which something is new\n"
               "detail: summary or full" },
    { .method = "DELETE", .path = "/v1/queue/tasks/{id}", .handler = delete_task, QUEUE_ROUTE,
      .deadline = SUBMIT_WITHIN, .gives = removed_gives,
      .summary = "Remove a task of which nothing is open, with all that only it has." },
    { .method = "POST", .path = "/v1/queue/tasks/{id}/targets", .handler = post_targets,
      QUEUE_ROUTE, .body_max = BODY_MAX, .body_within = BODY_WITHIN, .deadline = SUBMIT_WITHIN,
      .takes = targets_takes,
      .summary = "Queue queries, addresses and DOIs; those that are queued already are left "
                 "out." },
    { .method = "POST", .path = "/v1/queue/tasks/{id}/candidates", .handler = post_candidates,
      QUEUE_ROUTE, .deadline = SUBMIT_WITHIN, .takes = candidates_takes,
      .summary = "Queue what pages of a task cite and nobody has looked at; or list it." },
    { .method = "POST", .path = "/v1/queue/tasks/{id}/stop", .handler = post_stop, QUEUE_ROUTE,
      .class = WR_ROUTE_LONG, .deadline = STOP_WITHIN, .takes = stop_takes,
      .summary = "Stop a task; more targets resume it." },
    { .method = "POST", .path = "/v1/queue/tasks/{id}/budget", .handler = post_budget,
      QUEUE_ROUTE, .takes = budget_takes,
      .summary = "Say how many pages and seconds a task may take." },
    { .method = "GET", .path = "/v1/queue/tasks/{id}/events", .handler = get_events,
      QUEUE_ROUTE, .class = WR_ROUTE_STREAM, .policy = &feed,
      .summary = "The status of a task, now and at each change." },
    { .method = "GET", .path = "/v1/queue/jobs/{id}", .handler = get_job, QUEUE_ROUTE,
      .gives = job_gives, .summary = "One job: what was asked, and what came of it." },
    { .method = "POST", .path = "/v1/queue/vector_search", .handler = post_search, QUEUE_ROUTE,
      .deadline = SEARCH_WITHIN, .policy = &search, .takes = search_takes,
      .summary = "Claims or fragments that mean what a text means." },
    { .method = "GET", .path = "/v1/queue/auth", .handler = get_auths, QUEUE_ROUTE,
      .summary = "What waits for a person.",
      .query = "task_id: of this task alone\ngroup_by: none, domain or type\n"
               "priority_filter: high, medium, low or all" },
    { .method = "POST", .path = "/v1/queue/auth/resolve", .handler = post_resolve, QUEUE_ROUTE,
      .takes = resolve_takes,
      .summary = "Say that a person has done it, or that nobody will." },
};

void queue_routes(struct wr_route ret[QUEUE_ROUTES], struct queue_desk *desk)
{
    memcpy(ret, table, sizeof(table));
    for (size_t i = 0; i < QUEUE_ROUTES; i++) {
        ret[i].arg = desk;
        for (size_t j = 0; j < sizeof(twins) / sizeof(twins[0]); j++)
            if (ret[i].handler == twins[j].handler)
                ret[i].gives = queue_schema(twins[j].tool)->gives;
    }
    wr_metric_declare(&polls_metric);
    wr_metric_declare(&answered_metric);
}
