/* method_task.c - tasks: what goes on after the call that began it was answered.
 *
 * Two dialects of one idea.  The legacy one has the client ask for a task, and its result by a
 * request that waits; the modern one has the server decide, and the result in the task itself.
 */
#include <stdlib.h>
#include <string.h>

#include <weir/scope.h>

#include "base/forget.h"
#include "mcp/mcp_int.h"

#define LOOK_WITHIN WR_S(20)            /* for what is answered at once */
#define CANCEL_WITHIN WR_S(5)

/* A failure that the tool reports is a result in the modern era: there "failed" is for those
 * that are ours. */
static const char *state_name(const struct mcp_request *request, const struct mcp_task *task)
{
    static const char *const names[] = {
        [MCP_TASK_WORKING] = "working", [MCP_TASK_INPUT_REQUIRED] = "input_required",
        [MCP_TASK_COMPLETED] = "completed", [MCP_TASK_FAILED] = "failed",
        [MCP_TASK_CANCELLED] = "cancelled",
    };
    bool told = request->modern && task->state == MCP_TASK_FAILED && !task->broken;
    return names[told ? MCP_TASK_COMPLETED : task->state];
}

bool mcp_task_ended(const struct mcp_task *task)
{
    return task->state != MCP_TASK_WORKING && task->state != MCP_TASK_INPUT_REQUIRED;
}

static bool has_result(const struct mcp_task *task)
{
    return task->state == MCP_TASK_COMPLETED
        || (task->state == MCP_TASK_FAILED && !task->broken);
}

static void write_members(struct mcp_request *request, const struct mcp_task *task)
{
    struct wr_json *json = &request->json;
    const char *kept = request->modern ? "ttlMs" : "ttl";
    wr_json_str(json, "taskId", task->id);
    wr_json_str(json, "status", state_name(request, task));
    if (task->note[0])
        wr_json_str(json, "statusMessage", task->note);
    wr_json_time(json, "createdAt", (struct wr_wall){ WR_MS(task->created_ms) });
    wr_json_time(json, "lastUpdatedAt", (struct wr_wall){ WR_MS(task->changed_ms) });
    if (task->kept_ms)
        wr_json_i64(json, kept, task->kept_ms);
    else
        wr_json_null(json, kept);
    if (task->poll_ms)
        wr_json_i64(json, request->modern ? "pollIntervalMs" : "pollInterval", task->poll_ms);
}

void mcp_write_task(struct mcp_request *request, const struct mcp_task *task)
{
    if (request->modern) {
        request->result_type = "task";
        write_members(request, task);
        return;
    }
    wr_json_object(&request->json, "task");
    write_members(request, task);
    wr_json_end(&request->json);
}

/* ---- one of them ---- */

/* False: there is no name, or the client takes no tasks; that was said. */
static bool take_id(struct mcp_request *request)
{
    if (request->modern && !(request->abilities & MCP_TAKES_TASKS)) {
        mcp_request_require(request, MCP_TAKES_TASKS);
        return false;
    }
    request->uri = mcp_string_param(request, "taskId");
    request->arg = request->offer->tasks->arg;
    return request->uri;
}

static void refuse_task(struct mcp_request *request, wr_err err)
{
    if (err == WR_NOTFOUND)
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "there is no task \"%.80s\", or no "
                           "longer", request->uri);
    else
        mcp_request_refuse(request, MCP_INTERNAL, "%s",
                           request->why[0] ? request->why : wr_err_text(err));
}

static wr_err look(struct mcp_request *request, uint64_t seen, wr_time deadline)
{
    return request->offer->tasks->look(request, request->uri, seen, &request->task, deadline);
}

wr_err mcp_task_look(struct mcp_request *request, uint64_t seen, wr_time deadline)
{
    const struct mcp_tasks *tasks = request->offer->tasks;
    wr_err err = look(request, seen, deadline);
    if (err || !request->modern)
        return err;
    if (has_result(&request->task))
        request->outcome = tasks->result(request, request->uri);
    if (request->task.state == MCP_TASK_INPUT_REQUIRED && tasks->inputs)
        request->inputs = tasks->inputs(request, request->uri);
    return WR_OK;
}

static wr_err look_now(struct mcp_request *request)
{
    return mcp_task_look(request, 0, WR_NOW);
}

static void write_inputs(struct wr_json *json, const json_t *inputs)
{
    char *text = inputs ? json_dumps(inputs, JSON_COMPACT) : NULL;
    const char *none = "{}", *at = text ? text : none;
    wr_json_raw(json, "inputRequests", at, strlen(at));
    wr_forget_free(text);
}

static void write_broken(struct wr_json *json, const struct mcp_task *task)
{
    wr_json_object(json, "error");
    wr_json_i64(json, "code", MCP_INTERNAL);
    wr_json_str(json, "message", task->note[0] ? task->note : "it could not be done");
    wr_json_end(json);
}

void mcp_task_write(struct mcp_request *request)
{
    const struct mcp_task *task = &request->task;
    write_members(request, task);
    if (!request->modern)
        return;
    if (task->state == MCP_TASK_INPUT_REQUIRED)
        write_inputs(&request->json, request->inputs);
    if (task->state == MCP_TASK_FAILED && task->broken)
        write_broken(&request->json, task);
    if (!has_result(task))
        return;
    wr_json_object(&request->json, "result");
    mcp_write_result(request, request->outcome);
    wr_json_end(&request->json);
}

void mcp_answer_task_get(struct mcp_request *request)
{
    if (!take_id(request))
        return;
    wr_err err = mcp_request_run(request, look_now, LOOK_WITHIN);
    if (err)
        refuse_task(request, err);
    else
        mcp_task_write(request);
}

/* ---- its end ---- */

static json_t *related(const struct mcp_request *request)
{
    return json_pack("{s:{s:s}}", META "related-task", "taskId", request->uri);
}

/* What a task waits for is asked of who waits for it. */
static wr_err ask_inputs(struct mcp_request *request)
{
    const struct mcp_tasks *tasks = request->offer->tasks;
    json_t *inputs = request->inputs;
    wr_err err = WR_OK;
    for (void *at = json_object_iter(inputs); at && !err;
         at = json_object_iter_next(inputs, at)) {
        const char *name = json_object_iter_key(at);
        json_t *input = json_object_iter_value(at);
        json_t *params = json_object_get(input, "params");
        const char *method = json_string_value(json_object_get(input, "method"));
        const json_t *answer;
        if (!params || !method || !mcp_request_can(request, method))
            continue;
        json_object_set_new(params, "_meta", related(request));
        err = mcp_request_ask(request, name, method, json_incref(params), &answer);
        if (!err)
            err = tasks->update(request, request->uri, name, answer);
        if (err == WR_NOTFOUND)
            err = WR_OK;                /* somebody else was faster */
    }
    return err;
}

static wr_err answer_inputs(struct mcp_request *request)
{
    const struct mcp_tasks *tasks = request->offer->tasks;
    if (request->task.state != MCP_TASK_INPUT_REQUIRED || !tasks->inputs || !tasks->update)
        return WR_OK;
    json_decref(request->inputs);
    request->inputs = tasks->inputs(request, request->uri);
    return ask_inputs(request);
}

static wr_err await(struct mcp_request *request)
{
    const struct mcp_task *task = &request->task;
    wr_err err = look(request, 0, WR_NOW);
    while (!err && !mcp_task_ended(task)) {
        err = answer_inputs(request);
        if (!err)
            err = look(request, task->version, WR_NEVER);
        if (!err)
            err = wr_scope_check();
    }
    if (!err && has_result(task))
        request->outcome = request->offer->tasks->result(request, request->uri);
    return err;
}

/* The result is that of the call, and says of which task it is. */
static void write_related(struct mcp_request *request)
{
    wr_json_object(&request->json, "_meta");
    wr_json_object(&request->json, META "related-task");
    wr_json_str(&request->json, "taskId", request->task.id);
    wr_json_end(&request->json);
    wr_json_end(&request->json);
}

void mcp_answer_task_result(struct mcp_request *request)
{
    const struct mcp_task *task = &request->task;
    if (!take_id(request))
        return;
    wr_err err = mcp_request_run(request, await, MCP_WITHIN_DEFAULT);
    if (err == WR_TIMEOUT || err == WR_CANCELED || err == WR_DRAINING) {
        mcp_request_refuse(request, MCP_BUSY, "the task \"%.80s\" goes on: ask again",
                           request->uri);
    } else if (err) {
        refuse_task(request, err);
    } else if (has_result(task)) {
        mcp_write_result(request, request->outcome);
        write_related(request);
    } else {
        mcp_request_refuse(request, MCP_INTERNAL, "%s", task->note[0] ? task->note
                           : task->state == MCP_TASK_CANCELLED ? "the task was cancelled"
                                                               : "it could not be done");
    }
}

/* A legacy client is told what has become of it, so that is waited for, a little. */
static wr_err cancel(struct mcp_request *request)
{
    const struct mcp_task *task = &request->task;
    wr_err err = look(request, 0, WR_NOW);
    request->outcome = !err && mcp_task_ended(task) ? WR_EXISTS : WR_OK;
    if (err || mcp_task_ended(task))
        return err;
    err = request->offer->tasks->cancel(request, request->uri);
    wr_time until = wr_after(CANCEL_WITHIN);
    while (!err && !request->modern && !mcp_task_ended(task) && wr_now() < until)
        err = look(request, task->version, until);
    return err;
}

void mcp_answer_task_cancel(struct mcp_request *request)
{
    if (!mcp_request_may(request, request->offer->tasks->scope) || !take_id(request))
        return;
    wr_err err = mcp_request_run(request, cancel, LOOK_WITHIN);
    if (err)
        refuse_task(request, err);
    else if (!request->modern && request->outcome == WR_EXISTS)
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "the task \"%.80s\" has ended already: "
                           "it is %s", request->uri, state_name(request, &request->task));
    else if (!request->modern)
        write_members(request, &request->task);
}

/* ---- what it waits for ---- */

/* What nobody has asked for is passed over. */
static wr_err update(struct mcp_request *request)
{
    const struct mcp_tasks *tasks = request->offer->tasks;
    json_t *answers = (json_t *)(uintptr_t)mcp_param(request, "inputResponses");
    wr_err err = look(request, 0, WR_NOW);
    for (void *at = json_object_iter(answers); at && !err && tasks->update;
         at = json_object_iter_next(answers, at)) {
        err = tasks->update(request, request->uri, json_object_iter_key(at),
                            json_object_iter_value(at));
        if (err == WR_NOTFOUND)
            err = WR_OK;
    }
    return err;
}

void mcp_answer_task_update(struct mcp_request *request)
{
    if (!mcp_request_may(request, request->offer->tasks->scope) || !take_id(request))
        return;
    if (!json_is_object(mcp_param(request, "inputResponses"))) {
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.inputResponses must be an "
                           "object");
        return;
    }
    wr_err err = mcp_request_run(request, update, LOOK_WITHIN);
    if (err == WR_INVALID)
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "%s", request->why[0] ? request->why
                           : "this is no answer to what was asked");
    else if (err)
        refuse_task(request, err);
}

/* ---- all of them ---- */

struct mcp_page {
    const char *after;
    struct mcp_task tasks[MCP_TASK_PAGE];
    size_t count;
};

static wr_err list(struct mcp_request *request)
{
    struct mcp_page *page = request->page;
    return request->offer->tasks->list(request, page->after, page->tasks, MCP_TASK_PAGE,
                                       &page->count);
}

static void write_page(struct mcp_request *request, const struct mcp_page *page)
{
    struct wr_json *json = &request->json;
    wr_json_array(json, "tasks");
    for (size_t i = 0; i < page->count; i++) {
        wr_json_object(json, NULL);
        write_members(request, &page->tasks[i]);
        wr_json_end(json);
    }
    wr_json_end(json);
    if (page->count == MCP_TASK_PAGE)
        wr_json_str(json, "nextCursor", page->tasks[MCP_TASK_PAGE - 1].id);
}

void mcp_answer_task_list(struct mcp_request *request)
{
    const json_t *cursor = mcp_param(request, "cursor");
    struct mcp_page *page = calloc(1, sizeof(*page));
    wr_err err = WR_NOMEM;
    request->arg = request->offer->tasks->arg;
    if (page) {
        page->after = json_string_value(cursor);
        request->page = page;
        err = cursor && !page->after ? WR_NOTFOUND : mcp_request_run(request, list,
                                                                     LOOK_WITHIN);
    }
    if (!err)
        write_page(request, page);
    else if (err == WR_NOTFOUND)
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.cursor is none of ours");
    else
        mcp_request_refuse(request, MCP_INTERNAL, "%s", wr_err_text(err));
}
