/* method_tool.c - calls of tools. */
#include <string.h>

#include <weir/metric.h>

#include "mcp/mcp_int.h"
#include "mcp/schema.h"
#include "net/json_in.h"

/* A message is a line.  Between the values of JSON a break is a space like any other, and in a
 * string there is none. */
static void put_on_one_line(struct wr_text *json)
{
    for (size_t i = 0; i < json->len; i++)
        if (json->at[i] == '\n' || json->at[i] == '\r')
            json->at[i] = ' ';
}

/* Errors are for the model to read, and have nothing structured: clients would hold it against
 * the schema. */
void mcp_write_result(struct mcp_request *request, wr_err err)
{
    struct wr_json *json = &request->json;
    struct wr_text *structured = &request->structured;
    const char *why = request->why[0] ? request->why : wr_err_text(err);
    if (!err && (request->text.cut || request->blocks.cut || structured->cut)) {
        err = WR_INVALID;
        why = "the answer is too large to be sent; ask for less at a time";
    }
    if (err) {
        wr_json_array(json, "content");
        mcp_write_text(json, NULL, why, strlen(why));
        wr_json_end(json);
    } else {
        mcp_write_content(request);
    }
    put_on_one_line(structured);
    if (!err && structured->len)
        wr_json_raw(json, "structuredContent", structured->at, structured->len);
    wr_json_bool(json, "isError", err);
}

static const struct mcp_tool *find_tool(struct mcp_request *request, const char *name)
{
    char buf[300];
    struct wr_text text = WR_TEXT(buf);
    for (size_t i = 0; i < request->offer->tool_count; i++) {
        const struct mcp_tool *tool = &request->offer->tools[i];
        if (strcmp(tool->name, name) == 0)
            return tool;
        wr_text_format(&text, "%s%s", i ? ", " : "", tool->name);
    }
    mcp_request_refuse(request, MCP_INVALID_PARAMS,
                       "there is no tool \"%.100s\"; there are: %s", name, text.at);
    return NULL;
}

/* False: they are no object, and that was said. */
bool mcp_take_arguments(struct mcp_request *request)
{
    request->arguments = mcp_param(request, "arguments");
    if (request->arguments && !json_is_object(request->arguments))
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.arguments must be an object");
    json_in_whole((json_t *)(uintptr_t)request->arguments);
    return !request->code;
}

static struct wr_metric calls_metric = {
    .name = "mcp_calls_total", .help = "Calls of tools, by what became of them.",
    .type = WR_COUNTER, .labels = { "tool", "outcome" }, .series_max = 256,
};

/* Whether a task will do for an answer.  False: it is refused, by what the tool says of tasks
 * and what the client does. */
static bool settle_task(struct mcp_request *request, const struct mcp_tool *tool)
{
    bool asked = !request->modern && mcp_param(request, "task");
    bool takes = asked || (request->modern && (request->abilities & MCP_TAKES_TASKS));
    request->defers = takes && tool->defers != MCP_NEVER_DEFERS;
    if (asked && !request->defers)
        mcp_request_refuse(request, MCP_METHOD_NOT_FOUND, "\"%s\" cannot be called as a task",
                           tool->name);
    else if (tool->defers == MCP_MUST_DEFER && !request->defers && request->modern)
        mcp_request_require(request, MCP_TAKES_TASKS);
    else if (tool->defers == MCP_MUST_DEFER && !request->defers)
        mcp_request_refuse(request, MCP_METHOD_NOT_FOUND, "\"%s\" can only be called as a "
                           "task: with params.task", tool->name);
    return !request->code;
}

/* Who has asked for a task of the legacy era is given one or an error, and nothing else. */
static void write_outcome(struct mcp_request *request, wr_err err)
{
    bool owes = request->defers && !request->modern;
    if (!err && mcp_elicit_write(request))
        return;
    if (request->task.id[0] && !err)
        mcp_write_task(request, &request->task);
    else if (!owes)
        mcp_write_result(request, err);
    else
        mcp_request_refuse(request, err == WR_INVALID ? MCP_INVALID_PARAMS : MCP_INTERNAL, "%s",
                           err && request->why[0] ? request->why
                           : err                  ? wr_err_text(err)
                                                  : "it has ended, and is no task");
}

static wr_err refuse_arguments(struct mcp_request *request, const struct mcp_tool *tool,
                               const struct mcp_misfit *misfit)
{
    return tool->refused ? tool->refused(request, misfit->name, misfit->why)
                         : mcp_request_fail(request, WR_INVALID, "%s", misfit->why);
}

void mcp_answer_call(struct mcp_request *request)
{
    const char *name = mcp_string_param(request, "name");
    const struct mcp_tool *tool = name ? find_tool(request, name) : NULL;
    if (!tool || !mcp_request_may(request, tool->scope) || !mcp_take_arguments(request)
        || !settle_task(request, tool) || !mcp_elicit_read(request))
        return;
    struct mcp_misfit misfit;
    wr_err err;
    request->arg = tool->arg;
    if (mcp_schema_check(tool->fields, tool->field_count, request->peer->local,
                         request->arguments, &misfit))
        err = mcp_request_run(request, tool->handler,
                              tool->within ? tool->within : MCP_WITHIN_DEFAULT);
    else
        err = refuse_arguments(request, tool, &misfit);
    if (!request->code)
        write_outcome(request, err);
    wr_counter_add(wr_metric_counter(&calls_metric, tool->name,
                                     request->canceled      ? "canceled"
                                     : err || request->code ? "error" : "ok"), 1);
}
