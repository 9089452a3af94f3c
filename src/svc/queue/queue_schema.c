/* queue_schema.c - see queue_schema.h. */
#include "svc/queue/queue_schema.h"

#include <string.h>

#include "mcp/request.h"
#include "svc/queue/queue_feedback.h"
#include "svc/queue/vector_search.h"

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

static const char first_schema[] =
    "{\"type\":\"array\",\"minItems\":1,\"maxItems\":10000,\"items\":{\"type\":[\"string\","
    "\"object\"]},\"description\":\"What is looked at at once: as of queue_targets.\"}";

static const struct mcp_field create_fields[] = {
    { .name = "hypothesis", .required = true, .min = 1, .max = STORE_TASK_TEXT_MAX,
      .what = "What is to be found out, as a sentence that can be true or false." },
    { .name = "config", .type = MCP_OTHER, .schema = config_schema,
      .what = "How far it may go." },
    { .name = "targets", .type = MCP_OTHER, .schema = first_schema,
      .what = "What is looked at at once." },
    { .name = "options", .type = MCP_OTHER, .schema = "{\"type\":\"object\","
      "\"description\":\"Of these targets, as of queue_targets.\"}",
      .what = "Of these targets." },
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
    ",\"queued_count\":" NUMBER ",\"skipped_count\":" NUMBER ",\"target_ids\":" TEXTS
    ",\"task_resumed\":" FLAG
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
    "},\"total_count\":" NUMBER ",\"truncated\":{\"type\":\"boolean\"}},"
    "\"required\":[\"ok\",\"group_by\",\"total_count\"]}";
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

static const struct queue_schema table[] = {
    { .name = "create_task", FIELDS(create_fields), .gives = created },
    { .name = "get_status", FIELDS(status_fields), .gives = status },
    { .name = "await_task", FIELDS(await_fields), .gives = status },
    { .name = "queue_targets", FIELDS(target_fields), .gives = queued },
    { .name = "stop_task", FIELDS(stop_fields), .gives = stopped },
    { .name = "set_budget", FIELDS(budget_fields), .gives = allowed },
    { .name = "get_auth_queue", FIELDS(auths_fields), .gives = auths },
    { .name = "resolve_auth", FIELDS(resolve_fields), .gives = resolved },
    { .name = "feedback", FIELDS(feedback_fields), .gives = heeded },
    { .name = "query_sql", FIELDS(sql_fields), .gives = rows },
    { .name = "query_view", FIELDS(view_fields), .gives = rows },
    { .name = "list_views", .gives = views },
    { .name = "vector_search", FIELDS(vector_fields), .gives = likenesses },
    { .name = "queue_reference_candidates", FIELDS(candidate_fields), .gives = candidates },
};

const struct queue_schema *queue_schema(const char *tool)
{
    size_t i = 0;
    while (strcmp(table[i].name, tool) != 0)
        i++;
    return &table[i];
}
