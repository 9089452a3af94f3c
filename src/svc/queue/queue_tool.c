/* queue_tool.c - see queue_tool.h. */
#include "svc/queue/queue_tool.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "mcp/request.h"
#include "svc/queue/queue_begin.h"
#include "svc/queue/queue_feedback.h"
#include "svc/queue/queue_mcp.h"
#include "svc/queue/queue_query.h"
#include "svc/queue/queue_schema.h"
#include "svc/queue/vector_search.h"

#define WITHIN WR_S(20)                 /* of what does not wait */
#define LAST_WITHIN WR_S(2)             /* of what is told in a drain */
#define ERROR_MAX 600                   /* bytes of an error that a model is told */

/* ---- answers ---- */

/* Which tool helps. */
static const char *advice(const struct queue_why *why)
{
    static const struct { const char *code, *param, *advice; } table[] = {
        { "TASK_NOT_FOUND", "task_id", "; create_task makes one" },
        { "BUDGET_EXHAUSTED", "task_id", "; set_budget says how much" },
        { "RESOURCE_NOT_FOUND", "queue_id", "; get_auth_queue lists what does" },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
        if (strcmp(table[i].code, why->code) == 0 && strcmp(table[i].param, why->param) == 0)
            return table[i].advice;
    return "";
}

/* As JSON, also what the queue has no word for. */
static wr_err fail(struct mcp_request *request, wr_err err, const struct queue_why *why)
{
    char buf[ERROR_MAX], error[sizeof(why->text) + 60];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    if (err == WR_CANCELED)
        return err;
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", false);
    wr_json_str(&json, "error_code", why->code[0]        ? why->code
                                     : err == WR_TIMEOUT ? "TIMEOUT"
                                                         : "INTERNAL_ERROR");
    snprintf(error, sizeof(error), "%s%s", why->text[0] ? why->text : wr_err_text(err),
             advice(why));
    wr_json_str(&json, "error", error);
    if (why->param[0]) {
        wr_json_object(&json, "details");
        wr_json_str(&json, "param_name", why->param);
        wr_json_end(&json);
    }
    wr_json_end(&json);
    return mcp_request_fail(request, err, "%s", text.cut ? error : buf);
}

/* An argument that does not fit is told as all else. */
static wr_err misfit(struct mcp_request *request, const char *name, const char *sentence)
{
    struct queue_why why = { .code = "INVALID_PARAMS" };
    snprintf(why.param, sizeof(why.param), "%s", name);
    snprintf(why.text, sizeof(why.text), "%s", sentence);
    return fail(request, WR_INVALID, &why);
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
    return pass_on(request, queue_begin, NULL, WITHIN);
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

/* ---- the table ---- */

static const struct mcp_tool table[QUEUE_TOOLS] = {
    { .name = "create_task", .title = "Create a research task", .handler = create_task,
      .what = "Begin to find out whether a hypothesis holds. The answer has the task_id that "
              "all other calls take. Nothing is looked at before targets are queued: with it, "
              "or later by queue_targets." },
    { .name = "get_status", .title = "Status of a task",
      .reads_only = true, .repeatable = true, .handler = get_status,
      .what = "How far a task is: progress, findings, budget, errors of single targets, and "
              "what is waited for. Waits until something has happened, or for \"wait\" "
              "seconds; that it is still running is no error: call it again. Done when all "
              "milestones are true." },
    { .name = "await_task", .title = "Wait for a task",
      .reads_only = true, .repeatable = true, .handler = await_task, .defers = MCP_MAY_DEFER,
      .what = "The status when nothing of a task is queued or running any more, or after "
              "\"wait\" seconds. Clients that know tasks get one instead, and need not wait." },
    { .name = "queue_targets", .title = "Queue targets",
      .repeatable = true, .outward = true, .handler = queue_targets,
      .what = "Things to look at for a task: search queries, addresses of pages, DOIs. Returns "
              "at once; pages are fetched and read in the background. Targets that are queued "
              "or running already are left out. A task that was stopped goes on." },
    { .name = "stop_task", .title = "Stop a task",
      .destroys = true, .handler = stop_task,
      .what = "End what a task does. Jobs that wait are cancelled; what was found stays. "
              "queue_targets resumes it." },
    { .name = "set_budget", .title = "Set the budget of a task",
      .repeatable = true, .handler = set_budget,
      .what = "How many pages and seconds a task may take in all. Needed when a status says "
              "that the budget is used up." },
    { .name = "get_auth_queue", .title = "What waits for a person",
      .reads_only = true, .repeatable = true, .handler = get_auth_queue,
      .what = "Pages and search engines that want to see a human (CAPTCHA, login): show them "
              "to the user, who opens the address and does what is asked." },
    { .name = "resolve_auth", .title = "Say that a person has helped",
      .repeatable = true, .handler = resolve_auth,
      .what = "After the user has done what get_auth_queue lists, or will not: what waited for "
              "it goes on, or fails." },
    { .name = "feedback", .title = "Correct what was found", .handler = feedback,
      .what = "What the user says of sources, claims and judgements: block a domain, reject a "
              "claim, correct what a fragment is said to say of one." },
    { .name = "query_sql", .title = "Ask in SQL",
      .reads_only = true, .repeatable = true, .handler = query_sql,
      .what = "One SELECT over what was found: tasks, jobs, queries, serp_items, pages, "
              "task_pages, fragments, claims, edges, works and others; options.include_schema "
              "shows their columns. Pages, fragments, edges and works belong to all tasks." },
    { .name = "query_view", .title = "Ask a view",
      .reads_only = true, .repeatable = true, .handler = query_view,
      .what = "A question about what was found that has a name: contradictions, unsupported "
              "claims, where claims are from, what is cited; list_views has them." },
    { .name = "list_views", .title = "Views that there are",
      .reads_only = true, .repeatable = true, .handler = list_views,
      .what = "The names that query_view takes, and what each is about." },
    { .name = "vector_search", .title = "Search by meaning",
      .reads_only = true, .repeatable = true, .handler = vector_search,
      .what = "Claims, or fragments of pages, that mean what a text means. It needs a model "
              "for vectors; without one it fails and says so: then use query_sql." },
    { .name = "queue_reference_candidates", .title = "Queue what is cited",
      .repeatable = true, .outward = true,
      .handler = queue_candidates,
      .what = "Pages that the pages of a task cite and that were not looked at yet, as "
              "targets; with dry_run only to see which." },
};

void queue_tools(struct mcp_tool ret[QUEUE_TOOLS], struct queue_desk *desk)
{
    memcpy(ret, table, sizeof(table));
    for (size_t i = 0; i < QUEUE_TOOLS; i++) {
        const struct queue_schema *schema = queue_schema(table[i].name);
        ret[i].fields = schema->fields;
        ret[i].field_count = schema->field_count;
        ret[i].output = schema->gives;
        ret[i].refused = misfit;
        ret[i].scope = table[i].reads_only ? NULL : QUEUE_SCOPE;
        ret[i].arg = desk;
    }
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
