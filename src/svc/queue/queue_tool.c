/* queue_tool.c - see queue_tool.h. */
#include "svc/queue/queue_tool.h"

#include <string.h>

#include "base/json.h"
#include "mcp/request.h"
#include "svc/queue/queue_feedback.h"
#include "svc/queue/queue_mcp.h"
#include "svc/queue/queue_query.h"
#include "svc/queue/target.h"
#include "svc/queue/vector_search.h"

#define WITHIN WR_S(20)                 /* of what does not wait */
#define LAST_WITHIN WR_S(2)             /* of what is told in a drain */
#define ERROR_MAX 560                   /* bytes of an error that a model is told */

/* ---- answers ---- */

/* As JSON, also what the queue has no word for. */
static wr_err fail(struct mcp_request *request, wr_err err, const struct queue_why *why)
{
    char buf[ERROR_MAX];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    if (err == WR_CANCELED)
        return err;
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", false);
    wr_json_str(&json, "error_code", why->code[0]        ? why->code
                                     : err == WR_TIMEOUT ? "TIMEOUT"
                                                         : "INTERNAL_ERROR");
    wr_json_str(&json, "error", why->text[0] ? why->text : wr_err_text(err));
    if (why->param[0]) {
        wr_json_object(&json, "details");
        wr_json_str(&json, "param_name", why->param);
        wr_json_end(&json);
    }
    wr_json_end(&json);
    return mcp_request_fail(request, err, "%s", text.cut ? why->text : buf);
}

/* The same in both places. */
static wr_err finish(struct mcp_request *request, wr_err err, const struct queue_why *why)
{
    const struct wr_text *out = mcp_request_structured(request);
    if (err)
        return fail(request, err, why);
    wr_text_bytes(mcp_request_text(request), out->at, out->len);
    return WR_OK;
}

static const json_t *of_request(const void *from, const char *name)
{
    return mcp_request_json(from, name);
}

static wr_err desk_of(struct mcp_request *request, struct queue_desk **ret)
{
    *ret = mcp_request_arg(request);
    if ((*ret)->queue)
        return WR_OK;
    return mcp_request_fail(request, WR_UNSUPPORTED, "there is no queue here: the service "
                            "\"queue\" is not enabled, or there is no store");
}

/* ---- what is answered at once ---- */

typedef wr_err (*ask_fn)(struct queue_desk *desk, const struct queue_said *said,
                         struct wr_text *text, struct queue_why *why, wr_time deadline);
typedef wr_err (*ask_of_fn)(struct queue_desk *desk, const char *task,
                            const struct queue_said *said, struct wr_text *text,
                            struct queue_why *why, wr_time deadline);

/* One of both. */
static wr_err pass_on(struct mcp_request *request, ask_fn ask, ask_of_fn ask_of, wr_time within)
{
    struct queue_why why = { 0 };
    struct queue_desk *desk;
    wr_err err = desk_of(request, &desk);
    if (err)
        return err;
    struct queue_said said = { of_request, request };
    struct wr_text *text = mcp_request_structured(request);
    err = ask ? ask(desk, &said, text, &why, wr_after(within))
              : ask_of(desk, mcp_request_string(request, "task_id", NULL), &said, text, &why,
                       wr_after(within));
    return finish(request, err, &why);
}

static wr_err create_task(struct mcp_request *request)
{
    return pass_on(request, queue_desk_create, NULL, WITHIN);
}

static wr_err queue_targets(struct mcp_request *request)
{
    return pass_on(request, NULL, queue_desk_submit, WITHIN);
}

static wr_err stop_task(struct mcp_request *request)
{
    return pass_on(request, NULL, queue_desk_stop, QUEUE_GRACE + WITHIN);
}

static wr_err set_budget(struct mcp_request *request)
{
    return pass_on(request, NULL, queue_desk_budget, WITHIN);
}

static wr_err get_auth_queue(struct mcp_request *request)
{
    return pass_on(request, queue_desk_auths, NULL, WITHIN);
}

static wr_err resolve_auth(struct mcp_request *request)
{
    return pass_on(request, queue_desk_resolve, NULL, WITHIN);
}

static wr_err feedback(struct mcp_request *request)
{
    return pass_on(request, queue_feedback, NULL, WITHIN);
}

static wr_err query_sql(struct mcp_request *request)
{
    return pass_on(request, queue_query_sql, NULL, WITHIN);
}

static wr_err query_view(struct mcp_request *request)
{
    return pass_on(request, queue_query_view, NULL, WITHIN);
}

static wr_err list_views(struct mcp_request *request)
{
    return pass_on(request, queue_list_views, NULL, WITHIN);
}

static wr_err vector_search(struct mcp_request *request)
{
    return pass_on(request, queue_vector_search, NULL, WITHIN);
}

static wr_err queue_candidates(struct mcp_request *request)
{
    return pass_on(request, NULL, queue_query_candidates, WITHIN);
}

/* ---- who waits ---- */

static wr_err write_status(struct mcp_request *request, struct queue_desk *desk,
                           struct queue_look_at *at)
{
    const char *detail = mcp_request_string(request, "detail", NULL);
    bool full = detail && strcmp(detail, queue_details[1]) == 0;
    wr_err err = queue_desk_status(desk, at, full, mcp_request_structured(request),
                                   wr_after(WITHIN));
    queue_view_unref(at->view);
    return err;
}

/* Who waits is canceled when the node drains, and is told what is: that something still runs is
 * no error.  If it was the client who canceled, nobody hears this. */
static wr_err tell_after_all(struct mcp_request *request, struct queue_desk *desk,
                             const char *task, struct queue_why *why)
{
    struct queue_look_at at;
    struct wr_scope *shield;
    wr_err err = queue_shield(&shield, LAST_WITHIN);
    if (err)
        return err;
    *why = (struct queue_why){ 0 };
    wr_text_rewind(mcp_request_structured(request), 0);
    err = queue_look(desk->queue, task, &(struct queue_look){ 0 }, &at, why, WR_NEVER);
    if (!err)
        err = write_status(request, desk, &at);
    queue_shield_end(shield);
    return err;
}

static wr_err get_status(struct mcp_request *request)
{
    struct queue_why why = { 0 };
    struct queue_look_at at;
    struct queue_desk *desk;
    const char *task = mcp_request_string(request, "task_id", NULL);
    struct queue_look look = {
        .wait = WR_S(mcp_request_integer(request, "wait", MCP_WAIT_DEFAULT_S)),
        .since = mcp_request_string(request, "since", NULL) };
    wr_err err = desk_of(request, &desk);
    if (err)
        return err;
    mcp_request_progress(request, 0, 0, "waiting for something to happen to the task");
    err = queue_look(desk->queue, task, &look, &at, &why, wr_after(look.wait + WITHIN));
    if (!err)
        err = write_status(request, desk, &at);
    if (err == WR_CANCELED)
        err = tell_after_all(request, desk, task, &why);
    return finish(request, err, &why);
}

/* Until nothing of it is open, change by change. */
static wr_err await_end(struct mcp_request *request, struct queue_desk *desk, const char *task,
                        struct queue_look_at *at, struct queue_why *why)
{
    wr_time until = wr_after(WR_S(mcp_request_integer(request, "wait", MCP_WAIT_DEFAULT_S)));
    char since[QUEUE_CHANGE] = "";
    wr_err err = queue_look(desk->queue, task, &(struct queue_look){ 0 }, at, why,
                            wr_after(WITHIN));
    while (!err && queue_view_open(at->view) && wr_now() < until
           && strcmp(since, at->change) != 0) {
        mcp_request_progress(request, (uint32_t)queue_mcp_done(at->view),
                             (uint32_t)queue_mcp_total(at->view), "jobs of the task are done");
        memcpy(since, at->change, sizeof(since));
        queue_view_unref(at->view);
        wr_time left = until - wr_now();
        struct queue_look look = { .wait = left, .since = since };
        err = queue_look(desk->queue, task, &look, at, why, wr_after(left + WITHIN));
    }
    return err;
}

static wr_err await_task(struct mcp_request *request)
{
    struct queue_why why = { 0 };
    struct queue_look_at at;
    struct queue_desk *desk;
    const char *task = mcp_request_string(request, "task_id", NULL);
    wr_err err = desk_of(request, &desk);
    if (err)
        return err;
    if (mcp_request_defers(request)) {
        struct mcp_task as_task;
        err = queue_mcp_look(desk, task, &as_task, &why, wr_after(WITHIN));
        if (err)
            return fail(request, err, &why);
        mcp_request_defer(request, &as_task);
        return WR_OK;
    }
    err = await_end(request, desk, task, &at, &why);
    if (!err)
        err = write_status(request, desk, &at);
    if (err == WR_CANCELED)
        err = tell_after_all(request, desk, task, &why);
    return finish(request, err, &why);
}

/* ---- what they take ---- */

#define TASK_ID { .name = "task_id", .required = true, .min = 1, .max = STORE_TASK_ID_MAX, \
                  .what = "The task, as create_task named it." }
#define WORDS_OF_OPTIONS \
    "\"serp_engines\":{\"type\":[\"array\",\"null\"],\"minItems\":1,\"items\":{\"enum\":[" \
    "\"duckduckgo\",\"mojeek\",\"google\",\"brave\",\"ecosia\",\"startpage\",\"bing\"]}," \
    "\"description\":\"Search engines; leave it out for those that are there.\"}," \
    "\"academic_apis\":{\"type\":[\"array\",\"null\"],\"minItems\":1,\"items\":{\"enum\":[" \
    "\"semantic_scholar\",\"openalex\"]},\"description\":\"Leave it out for both.\"}," \
    "\"budget_pages\":{\"type\":[\"integer\",\"null\"],\"minimum\":1,\"maximum\":10000," \
    "\"description\":\"Pages that are fetched for one query at most.\"}," \
    "\"priority\":{\"enum\":[\"high\",\"medium\",\"low\",null],\"default\":\"medium\"}"
#define OPTIONS "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{" \
    WORDS_OF_OPTIONS "}}"
#define OF_ADDRESS "\"depth\":{\"type\":\"integer\",\"minimum\":0}," \
    "\"reason\":{\"enum\":[\"manual\",\"citation_chase\"]}," \
    "\"context\":{\"type\":\"object\"},\"policy\":{\"type\":\"object\"},\"options\":" OPTIONS

static const char config_schema[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{\"budget\":{"
    "\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"max_pages\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"Pages that it may "
    "fetch; leave it out for as many as are allowed.\"},"
    "\"max_seconds\":{\"type\":\"integer\",\"description\":\"Seconds that it may explore; "
    "3600 unless it is said.\"}}}}}";
static const char targets_schema[] =
    "{\"type\":\"array\",\"minItems\":1,\"maxItems\":10000,\"items\":{\"anyOf\":["
    "{\"type\":\"string\",\"minLength\":1,\"description\":\"An address if it begins with "
    "http:// or https://, a DOI if it looks like one, else a query.\"},"
    "{\"type\":\"object\",\"required\":[\"kind\",\"query\"],\"properties\":{\"kind\":{"
    "\"const\":\"query\"},\"query\":{\"type\":\"string\"},\"options\":" OPTIONS "}},"
    "{\"type\":\"object\",\"required\":[\"kind\",\"url\"],\"properties\":{\"kind\":{"
    "\"const\":\"url\"},\"url\":{\"type\":\"string\"}," OF_ADDRESS "}},"
    "{\"type\":\"object\",\"required\":[\"kind\",\"doi\"],\"properties\":{\"kind\":{"
    "\"const\":\"doi\"},\"doi\":{\"type\":\"string\"}," OF_ADDRESS "}}]}}";

static const struct mcp_field create_fields[] = {
    { .name = "hypothesis", .required = true, .min = 1, .max = STORE_TASK_TEXT_MAX,
      .what = "What is to be found out, as a sentence that can be true or false." },
    { .name = "config", .type = MCP_OTHER, .schema = config_schema,
      .what = "How far it may go." },
};
static const struct mcp_field status_fields[] = {
    TASK_ID,
    { .name = "wait", .type = MCP_INTEGER, .max = MCP_WAIT_MAX_S, .preset = "30",
      .what = "Seconds to wait for something to happen; 0: none. Clients give up after a "
              "minute." },
    { .name = "detail", .words = queue_details, .preset = "\"summary\"",
      .what = "full also lists the jobs." },
    { .name = "since", .max = QUEUE_CHANGE,
      .what = "The \"change\" of a status: wait for what is new after that, else after now." },
};
static const struct mcp_field await_fields[] = {
    TASK_ID,
    { .name = "wait", .type = MCP_INTEGER, .max = MCP_WAIT_MAX_S, .preset = "30",
      .what = "Seconds to wait at most; it may not be over then." },
};
static const struct mcp_field target_fields[] = {
    TASK_ID,
    { .name = "targets", .type = MCP_OTHER, .required = true, .schema = targets_schema,
      .what = "Queries, addresses and DOIs." },
    { .name = "options", .type = MCP_OTHER, .schema = OPTIONS,
      .what = "Of all targets that do not say their own." },
};
static const struct mcp_field stop_fields[] = {
    TASK_ID,
    { .name = "reason", .words = queue_stop_reasons, .preset = "\"session_completed\"",
      .what = "Why; it is kept with the task." },
    { .name = "mode", .words = queue_stop_modes, .preset = "\"graceful\"",
      .what = "What becomes of jobs that run: graceful lets them finish, for up to 30 seconds; "
              "immediate ends them; full ends them and waits until they have." },
    { .name = "scope", .words = queue_stop_scopes, .preset = "\"all_jobs\"",
      .what = "target_queue_only leaves verification and citations to finish." },
};
static const struct mcp_field budget_fields[] = {
    TASK_ID,
    { .name = "max_pages", .type = MCP_INTEGER, .max = 1000000,
      .what = "Pages in all, those that were fetched included." },
    { .name = "max_seconds", .type = MCP_INTEGER, .max = QUEUE_SECONDS_MAX,
      .what = "Seconds in all, those that it has explored included." },
};
static const struct mcp_field auths_fields[] = {
    { .name = "task_id", .max = STORE_TASK_ID_MAX, .what = "Of this task alone." },
    { .name = "group_by", .words = queue_auth_groups, .preset = "\"none\"",
      .what = "A list, or lists by domain or by type." },
    { .name = "priority_filter", .words = queue_auth_filters, .preset = "\"all\"",
      .what = "Only those of this priority." },
};
static const struct mcp_field resolve_fields[] = {
    { .name = "target", .words = queue_auth_targets, .preset = "\"item\"",
      .what = "Whether it is one item (queue_id), all of a domain, or all of a task." },
    { .name = "queue_id", .what = "The item." },
    { .name = "domain", .what = "The domain." },
    { .name = "task_id", .what = "The task." },
    { .name = "action", .required = true, .words = queue_auth_actions,
      .what = "complete: a person has done it, and what waited goes on; skip: nobody will." },
    { .name = "success", .type = MCP_BOOLEAN, .preset = "true",
      .what = "Of complete: whether it has worked." },
};

static const struct mcp_field feedback_fields[] = {
    { .name = "action", .required = true, .words = queue_feedback_actions,
      .what = "What it is about." },
    { .name = "domain_pattern", .max = 255,
      .what = "Of domain_...: a host, or *. and a domain." },
    { .name = "claim_id", .what = "Of claim_...: the claim." },
    { .name = "edge_id", .what = "Of edge_correct: the judgement." },
    { .name = "correct_relation", .words = queue_feedback_relations,
      .what = "Of edge_correct: what the fragment really says of the claim." },
    { .name = "reason", .what = "Why; needed to block or unblock a domain and to reject a "
                                "claim." },
};

static const char sql_schema[] =
    "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
    "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":200,\"default\":50},"
    "\"timeout_ms\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":2000,\"default\":300},"
    "\"max_vm_steps\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":5000000,"
    "\"default\":500000},\"include_schema\":{\"type\":\"boolean\",\"default\":false}}}";
static const struct mcp_field sql_fields[] = {
    { .name = "sql", .required = true, .min = 1, .max = 65536, .what = "One SELECT." },
    { .name = "options", .type = MCP_OTHER, .schema = sql_schema, .what = "Its bounds." },
};
static const struct mcp_field view_fields[] = {
    { .name = "view_name", .required = true, .what = "One of list_views." },
    { .name = "task_id", .what = "Of this task alone." },
    { .name = "limit", .type = MCP_INTEGER, .min = 1, .max = 200, .preset = "50",
      .what = "Rows at most." },
};
static const struct mcp_field vector_fields[] = {
    { .name = "query", .required = true, .min = 1, .max = QUEUE_VECTOR_QUERY_MAX,
      .what = "A text; what means the same is looked for, in whatever words." },
    { .name = "target", .words = queue_vector_targets, .preset = "\"claims\"",
      .what = "What is looked at: claims, or the fragments of pages they come from." },
    { .name = "task_id", .max = STORE_TASK_ID_MAX, .what = "Of this task alone." },
    { .name = "top_k", .type = MCP_INTEGER, .min = 1, .max = 50, .preset = "10",
      .what = "How many at most." },
    { .name = "min_similarity", .type = MCP_OTHER, .schema = "{\"type\":\"number\","
      "\"minimum\":0,\"maximum\":1,\"default\":0.5}",
      .what = "The least cosine of the two vectors." },
};
static const char ids_schema[] = "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}";
static const struct mcp_field candidate_fields[] = {
    TASK_ID,
    { .name = "include_ids", .type = MCP_OTHER, .schema = ids_schema,
      .what = "Only those of these citation edges." },
    { .name = "exclude_ids", .type = MCP_OTHER, .schema = ids_schema,
      .what = "All but those of these citation edges." },
    { .name = "limit", .type = MCP_INTEGER, .min = 1, .max = 200, .preset = "10",
      .what = "How many at most." },
    { .name = "dry_run", .type = MCP_BOOLEAN, .preset = "false",
      .what = "Only say which there are." },
    { .name = "options", .type = MCP_OTHER, .schema = OPTIONS, .what = "As of queue_targets." },
};

/* ---- what they say ---- */

#define TEXT "{\"type\":\"string\"}"
#define NUMBER "{\"type\":\"integer\"}"
#define FLAG "{\"type\":\"boolean\"}"
#define TEXTS "{\"type\":\"array\",\"items\":" TEXT "}"
#define OBJECT "{\"type\":\"object\"}"
#define OBJECTS "{\"type\":\"array\",\"items\":" OBJECT "}"
#define BUDGET "{\"type\":\"object\",\"properties\":{\"max_pages\":" NUMBER \
    ",\"max_seconds\":" NUMBER "},\"required\":[\"max_pages\",\"max_seconds\"]}"

static const char created[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":" FLAG ",\"task_id\":" TEXT
    ",\"hypothesis\":" TEXT ",\"created_at\":" TEXT ",\"budget\":" BUDGET ",\"message\":" TEXT
    "},\"required\":[\"ok\",\"task_id\",\"hypothesis\",\"created_at\",\"budget\"]}";
static const char status[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":" FLAG ",\"task_id\":" TEXT
    ",\"status\":{\"enum\":[\"created\",\"exploring\",\"paused\",\"completed\",\"failed\"]}"
    ",\"stop_reason\":" TEXT ",\"hypothesis\":" TEXT ",\"change\":" TEXT
    ",\"progress\":{\"type\":\"object\",\"properties\":{\"searches\":" OBJECT
    ",\"queue\":" OBJECT ",\"jobs_by_phase\":" OBJECT
    ",\"eta_seconds\":{\"type\":[\"integer\",\"null\"]}}}"
    ",\"metrics\":" OBJECT ",\"budget\":" OBJECT ",\"milestones\":{\"type\":\"object\","
    "\"properties\":{\"target_queue_drained\":" FLAG ",\"nli_verification_done\":" FLAG
    ",\"citation_chase_ready\":" FLAG "}},\"waiting_for\":" OBJECTS
    ",\"pending_auth_count\":" NUMBER ",\"errors\":{\"type\":\"array\",\"items\":{\"type\":"
    "\"object\",\"properties\":{\"job_id\":" TEXT ",\"kind\":" TEXT ",\"target\":" TEXT
    ",\"error_code\":" TEXT ",\"message\":" TEXT "}}},\"error_count\":" NUMBER
    ",\"warnings\":" TEXTS ",\"searches_detail\":" OBJECTS ",\"queue_items\":" OBJECTS
    ",\"pending_auth_detail\":" OBJECT ",\"jobs_by_kind\":" OBJECT ",\"idle_seconds\":" NUMBER
    ",\"blocked_domains\":" TEXTS ",\"domain_overrides\":" OBJECTS
    ",\"evidence_summary\":" OBJECT "},\"required\":[\"ok\",\"task_id\",\"status\","
    "\"hypothesis\",\"change\",\"progress\",\"metrics\",\"budget\",\"milestones\","
    "\"waiting_for\",\"pending_auth_count\",\"errors\",\"warnings\"]}";
static const char queued[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":" FLAG ",\"queued_count\":" NUMBER
    ",\"skipped_count\":" NUMBER ",\"target_ids\":" TEXTS ",\"message\":" TEXT
    ",\"task_resumed\":" FLAG "},\"required\":[\"ok\",\"queued_count\",\"skipped_count\","
    "\"target_ids\",\"task_resumed\"]}";
static const char stopped[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":" FLAG ",\"task_id\":" TEXT
    ",\"final_status\":" TEXT ",\"reason\":" TEXT ",\"mode\":" TEXT ",\"scope\":" TEXT
    ",\"cancelled_counts\":" OBJECT ",\"unaffected_kinds\":" TEXTS ",\"summary\":" OBJECT
    ",\"is_resumable\":" FLAG "},\"required\":[\"ok\",\"task_id\",\"final_status\",\"reason\","
    "\"mode\",\"scope\",\"cancelled_counts\",\"unaffected_kinds\",\"is_resumable\"]}";
static const char allowed[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":" FLAG ",\"task_id\":" TEXT
    ",\"budget\":" BUDGET ",\"pages_used\":" NUMBER
    "},\"required\":[\"ok\",\"task_id\",\"budget\"]}";
static const char auths[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":" FLAG ",\"group_by\":" TEXT
    ",\"items\":" OBJECTS ",\"groups\":{\"type\":\"object\",\"additionalProperties\":" OBJECTS
    "},\"total_count\":" NUMBER "},\"required\":[\"ok\",\"group_by\",\"total_count\"]}";
static const char resolved[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":" FLAG ",\"target\":" TEXT ",\"action\":" TEXT
    ",\"queue_id\":" TEXT ",\"domain\":" TEXT ",\"task_id\":" TEXT ",\"resolved_count\":" NUMBER
    ",\"success\":{\"type\":[\"boolean\",\"null\"]}},\"required\":[\"ok\",\"target\","
    "\"action\",\"resolved_count\"]}";

static const char heeded[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":" FLAG ",\"action\":" TEXT
    ",\"domain_pattern\":" TEXT ",\"rule_id\":" TEXT ",\"cleared_rules\":" NUMBER
    ",\"claim_id\":" TEXT ",\"edge_id\":" TEXT ",\"previous_relation\":" TEXT
    ",\"new_relation\":" TEXT ",\"sample_id\":" TEXT "},\"required\":[\"ok\",\"action\"]}";

static const char rows[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":" FLAG ",\"view_name\":" TEXT
    ",\"columns\":" TEXTS ",\"rows\":" OBJECTS ",\"row_count\":" NUMBER ",\"truncated\":" FLAG
    ",\"elapsed_ms\":" NUMBER ",\"schema\":" OBJECT
    "},\"required\":[\"ok\",\"columns\",\"rows\",\"row_count\",\"truncated\"]}";
static const char views[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":" FLAG ",\"views\":" OBJECTS
    ",\"count\":" NUMBER "},\"required\":[\"ok\",\"views\",\"count\"]}";
static const char likenesses[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":" FLAG ",\"results\":{\"type\":\"array\","
    "\"items\":{\"type\":\"object\",\"properties\":{\"id\":" TEXT ",\"similarity\":{\"type\":"
    "\"number\"},\"text_preview\":" TEXT ",\"task_id\":" TEXT ",\"url\":" TEXT
    "},\"required\":[\"id\",\"similarity\",\"text_preview\"]}},\"total_searched\":" NUMBER
    ",\"model\":" TEXT "},\"required\":[\"ok\",\"results\",\"total_searched\"]}";
static const char candidates[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":" FLAG ",\"queued_count\":" NUMBER
    ",\"skipped_count\":" NUMBER ",\"target_ids\":" TEXTS ",\"task_resumed\":" FLAG
    ",\"message\":" TEXT ",\"dry_run\":" FLAG ",\"candidates\":" OBJECTS
    "},\"required\":[\"ok\",\"queued_count\",\"candidates\",\"dry_run\"]}";

/* ---- the table ---- */

#define FIELDS(list) .fields = list, .field_count = sizeof(list) / sizeof(*(list))

static const struct mcp_tool table[QUEUE_TOOLS] = {
    { .name = "create_task", .title = "Create a research task", FIELDS(create_fields),
      .output = created, .handler = create_task,
      .what = "Begin to find out whether a hypothesis holds. The answer has the task_id that "
              "all other calls take. Nothing is looked at before queue_targets says what." },
    { .name = "get_status", .title = "Status of a task", FIELDS(status_fields),
      .output = status, .reads_only = true, .repeatable = true, .handler = get_status,
      .what = "How far a task is: progress, findings, budget, errors of single targets, and "
              "what is waited for. Waits until something has happened, or for \"wait\" "
              "seconds; that it is still running is no error: call it again. Done when all "
              "milestones are true." },
    { .name = "await_task", .title = "Wait for a task", FIELDS(await_fields), .output = status,
      .reads_only = true, .repeatable = true, .handler = await_task, .defers = MCP_MAY_DEFER,
      .what = "The status when nothing of a task is queued or running any more, or after "
              "\"wait\" seconds. Clients that know tasks get one instead, and need not wait." },
    { .name = "queue_targets", .title = "Queue targets", FIELDS(target_fields),
      .output = queued, .repeatable = true, .outward = true, .handler = queue_targets,
      .what = "Things to look at for a task: search queries, addresses of pages, DOIs. Returns "
              "at once; pages are fetched and read in the background. Targets that are queued "
              "or running already are left out. A task that was stopped goes on." },
    { .name = "stop_task", .title = "Stop a task", FIELDS(stop_fields), .output = stopped,
      .destroys = true, .handler = stop_task,
      .what = "End what a task does. Jobs that wait are cancelled; what was found stays. "
              "queue_targets resumes it." },
    { .name = "set_budget", .title = "Set the budget of a task", FIELDS(budget_fields),
      .output = allowed, .repeatable = true, .handler = set_budget,
      .what = "How many pages and seconds a task may take in all. Needed when a status says "
              "that the budget is used up." },
    { .name = "get_auth_queue", .title = "What waits for a person", FIELDS(auths_fields),
      .output = auths, .reads_only = true, .repeatable = true, .handler = get_auth_queue,
      .what = "Pages and search engines that want to see a human (CAPTCHA, login): show them "
              "to the user, who opens the address and does what is asked." },
    { .name = "resolve_auth", .title = "Say that a person has helped", FIELDS(resolve_fields),
      .output = resolved, .repeatable = true, .handler = resolve_auth,
      .what = "After the user has done what get_auth_queue lists, or will not: what waited for "
              "it goes on, or fails." },
    { .name = "feedback", .title = "Correct what was found", FIELDS(feedback_fields),
      .output = heeded, .handler = feedback,
      .what = "What the user says of sources, claims and judgements: block a domain, reject a "
              "claim, correct what a fragment is said to say of one." },
    { .name = "query_sql", .title = "Ask in SQL", FIELDS(sql_fields), .output = rows,
      .reads_only = true, .repeatable = true, .handler = query_sql,
      .what = "One SELECT over what was found: tasks, jobs, queries, serp_items, pages, "
              "task_pages, fragments, claims, edges, works and others; options.include_schema "
              "shows their columns. Pages, fragments, edges and works belong to all tasks." },
    { .name = "query_view", .title = "Ask a view", FIELDS(view_fields), .output = rows,
      .reads_only = true, .repeatable = true, .handler = query_view,
      .what = "A question about what was found that has a name: contradictions, unsupported "
              "claims, where claims are from, what is cited; list_views has them." },
    { .name = "list_views", .title = "Views that there are", .output = views,
      .reads_only = true, .repeatable = true, .handler = list_views,
      .what = "The names that query_view takes, and what each is about." },
    { .name = "vector_search", .title = "Search by meaning", FIELDS(vector_fields),
      .output = likenesses, .reads_only = true, .repeatable = true, .handler = vector_search,
      .what = "Claims, or fragments of pages, that mean what a text means. It needs a model "
              "for vectors; without one it fails and says so: then use query_sql." },
    { .name = "queue_reference_candidates", .title = "Queue what is cited",
      FIELDS(candidate_fields), .output = candidates, .repeatable = true, .outward = true,
      .handler = queue_candidates,
      .what = "Pages that the pages of a task cite and that were not looked at yet, as "
              "targets; with dry_run only to see which." },
};

void queue_tools(struct mcp_tool ret[QUEUE_TOOLS], struct queue_desk *desk)
{
    memcpy(ret, table, sizeof(table));
    for (size_t i = 0; i < QUEUE_TOOLS; i++)
        ret[i].arg = desk;
}

const char *queue_tool_gives(const char *name)
{
    size_t i = 0;
    while (strcmp(table[i].name, name) != 0)
        i++;
    return table[i].output;
}

static const struct mcp_field prompt_fields[] = {
    { .name = "question", .required = true, .what = "What is to be found out." },
};

const struct mcp_prompt queue_prompt = {
    .name = "research_question",
    .title = "Research a question",
    .what = "Find sources for and against an answer to a question, and weigh them.",
    .fields = prompt_fields,
    .field_count = 1,
    .text =
        "Research the question below with the tools of this server.\n\n"
        "1. Put it as a hypothesis, a sentence that can be true or false, and call create_task "
        "with it.\n"
        "2. Call queue_targets with a handful of search queries: some that would find support, "
        "some that would find the contrary, some in the words of the field. Add addresses and "
        "DOIs that you know.\n"
        "3. Call get_status with \"wait\" 30, and with the last \"change\" as \"since\", "
        "until its milestones are all true. Meanwhile look at what comes in, and queue more "
        "where something is missing. Single errors are normal; if pending_auth_count is not 0, "
        "ask the user to look at get_auth_queue.\n"
        "4. Read what was found before you conclude: claims with their sources, and what "
        "speaks for and against them. Prefer several independent sources to one.\n"
        "5. Answer with the sources beside each statement. Say what is contested, what you "
        "could not find, and how sure you are. Say nothing from memory as if it had been "
        "found.\n6. Call stop_task.\n\n"
        "The question:\n\n{question}\n",
};
