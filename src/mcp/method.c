/* method.c - what can be asked of a server of the Model Context Protocol. */
#include <string.h>

#include <weir/metric.h>
#include <weir/task.h>

#include "mcp/mcp_int.h"
#include "mcp/schema.h"

#define KEEP_MS 300000              /* tables of ours change with the program alone */

static const char *const versions[] = { MCP_MODERN, "2025-11-25", "2025-06-18", "2025-03-26",
                                        "2024-11-05" };
#define VERSIONS (sizeof(versions) / sizeof(*versions))
#define FIRST_LEGACY 1

static const char *legacy_version(const char *wanted)
{
    for (size_t i = FIRST_LEGACY; i < VERSIONS; i++)
        if (strcmp(versions[i], wanted) == 0)
            return versions[i];
    return NULL;
}

bool mcp_version_known(const char *version)
{
    return legacy_version(version);
}

void mcp_versions_write(struct wr_json *json, const char *key)
{
    wr_json_array(json, key);
    for (size_t i = 0; i < VERSIONS; i++)
        wr_json_str(json, NULL, versions[i]);
    wr_json_end(json);
}

static const json_t *param(const struct mcp_request *request, const char *name)
{
    return json_object_get(request->message->params, name);
}

/* Of a parameter that must be a string; NULL: it is none, and that was said. */
static const char *string_param(struct mcp_request *request, const char *name)
{
    const char *value = json_string_value(param(request, name));
    if (!value)
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.%s must be a string", name);
    return value;
}

/* ---- the beginning ---- */

static size_t has_tools(const struct mcp_offer *offer)
{
    return offer->tool_count;
}

static size_t has_prompts(const struct mcp_offer *offer)
{
    return offer->prompt_count;
}

static size_t has_resources(const struct mcp_offer *offer)
{
    return offer->resource_count;
}

static void write_capabilities(struct wr_json *json, const struct mcp_offer *offer)
{
    static const struct {
        const char *name;
        size_t (*count)(const struct mcp_offer *offer);
    } rows[] = {
        { "tools", has_tools }, { "prompts", has_prompts }, { "resources", has_resources },
    };
    wr_json_object(json, "capabilities");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (rows[i].count(offer)) {
            wr_json_object(json, rows[i].name);
            wr_json_end(json);
        }
    wr_json_end(json);
    if (offer->instructions)
        wr_json_str(json, "instructions", offer->instructions);
}

static void answer_initialize(struct mcp_request *request)
{
    struct wr_json *json = &request->json;
    const char *wanted = string_param(request, "protocolVersion");
    if (!wanted)
        return;
    const char *version = legacy_version(wanted);
    if (!version)
        version = versions[FIRST_LEGACY];
    mcp_session_begin(request->session, version);
    wr_json_str(json, "protocolVersion", version);
    write_capabilities(json, request->offer);
    wr_json_object(json, "serverInfo");
    wr_json_str(json, "name", request->offer->name);
    if (request->offer->title)
        wr_json_str(json, "title", request->offer->title);
    wr_json_str(json, "version", request->offer->version);
    wr_json_end(json);
}

static void answer_discover(struct mcp_request *request)
{
    mcp_versions_write(&request->json, "supportedVersions");
    write_capabilities(&request->json, request->offer);
}

static void answer_ping(struct mcp_request *request)
{
    (void)request;
}

/* Nothing of ours changes while it runs: what can be listened to is nothing, until the end. */
static wr_err listen(struct mcp_request *request)
{
    (void)request;
    return wr_sleep(WR_NEVER);
}

static void answer_listen(struct mcp_request *request)
{
    char buf[1024];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    const char *id = request->message->id;
    if (!json_is_object(param(request, "notifications"))) {
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.notifications must be an "
                           "object");
        return;
    }
    wr_json_object(&json, NULL);
    wr_json_str(&json, "jsonrpc", "2.0");
    wr_json_str(&json, "method", "notifications/subscriptions/acknowledged");
    wr_json_object(&json, "params");
    wr_json_object(&json, "_meta");
    wr_json_raw(&json, META "subscriptionId", id, strlen(id));
    wr_json_end(&json);
    wr_json_object(&json, "notifications");
    wr_json_end(&json);
    wr_json_end(&json);
    wr_json_end(&json);
    struct mcp_out out = { .at = text.at, .len = text.len };
    if (!request->peer->send(request->peer->arg, &out))
        (void)!mcp_request_run(request, listen, WR_NEVER);
}

/* ---- lists ---- */

/* Lists are short and come whole, so there is no page to go on from. */
static bool whole(struct mcp_request *request)
{
    if (param(request, "cursor"))
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.cursor is none of ours: the "
                           "list comes whole");
    return !request->code;
}

static void write_title(struct wr_json *json, const char *name, const char *title,
                        const char *what)
{
    wr_json_str(json, "name", name);
    if (title)
        wr_json_str(json, "title", title);
    wr_json_str(json, "description", what);
}

static void write_tool(struct wr_json *json, const struct mcp_tool *tool, bool local)
{
    wr_json_object(json, NULL);
    write_title(json, tool->name, tool->title, tool->what);
    mcp_schema_write(json, "inputSchema", tool->fields, tool->field_count, local);
    if (tool->output)
        wr_json_raw(json, "outputSchema", tool->output, strlen(tool->output));
    wr_json_object(json, "annotations");
    if (tool->title)
        wr_json_str(json, "title", tool->title);
    wr_json_bool(json, "readOnlyHint", tool->reads_only);
    wr_json_bool(json, "destructiveHint", tool->destroys);
    wr_json_bool(json, "idempotentHint", tool->repeatable);
    wr_json_bool(json, "openWorldHint", tool->outward);
    wr_json_end(json);
    wr_json_end(json);
}

static void answer_tools(struct mcp_request *request)
{
    if (!whole(request))
        return;
    wr_json_array(&request->json, "tools");
    for (size_t i = 0; i < request->offer->tool_count; i++)
        write_tool(&request->json, &request->offer->tools[i], request->peer->local);
    wr_json_end(&request->json);
}

static void answer_prompts(struct mcp_request *request)
{
    struct wr_json *json = &request->json;
    if (!whole(request))
        return;
    wr_json_array(json, "prompts");
    for (size_t i = 0; i < request->offer->prompt_count; i++) {
        const struct mcp_prompt *prompt = &request->offer->prompts[i];
        wr_json_object(json, NULL);
        write_title(json, prompt->name, prompt->title, prompt->what);
        wr_json_array(json, "arguments");
        for (size_t j = 0; j < prompt->field_count; j++) {
            wr_json_object(json, NULL);
            write_title(json, prompt->fields[j].name, NULL, prompt->fields[j].what);
            wr_json_bool(json, "required", prompt->fields[j].required);
            wr_json_end(json);
        }
        wr_json_end(json);
        wr_json_end(json);
    }
    wr_json_end(json);
}

static bool is_template(const struct mcp_resource *resource)
{
    return strchr(resource->uri, '{');
}

static void list_resources(struct mcp_request *request, const char *key, const char *uri,
                           bool templates)
{
    struct wr_json *json = &request->json;
    if (!whole(request))
        return;
    wr_json_array(json, key);
    for (size_t i = 0; i < request->offer->resource_count; i++) {
        const struct mcp_resource *resource = &request->offer->resources[i];
        if (is_template(resource) != templates)
            continue;
        wr_json_object(json, NULL);
        wr_json_str(json, uri, resource->uri);
        write_title(json, resource->name, resource->title, resource->what);
        wr_json_str(json, "mimeType", resource->media);
        wr_json_end(json);
    }
    wr_json_end(json);
}

static void answer_resources(struct mcp_request *request)
{
    list_resources(request, "resources", "uri", false);
}

static void answer_templates(struct mcp_request *request)
{
    list_resources(request, "resourceTemplates", "uriTemplate", true);
}

/* ---- tools ---- */

static void write_text(struct wr_json *json, const char *key, const char *text, size_t len)
{
    wr_json_object(json, key);
    wr_json_str(json, "type", "text");
    wr_json_bytes(json, "text", text, len);
    wr_json_end(json);
}

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
static void write_result(struct mcp_request *request, const struct mcp_tool *tool, wr_err err)
{
    struct wr_json *json = &request->json;
    const struct wr_text *text = &request->text;
    struct wr_text *structured = &request->structured;
    const char *why = request->why[0] ? request->why : wr_err_text(err);
    if (!err && (text->cut || structured->cut)) {
        err = WR_INVALID;
        why = "the answer is too large to be sent; ask for less at a time";
    }
    wr_json_array(json, "content");
    write_text(json, NULL, err ? why : text->at, err ? strlen(why) : text->len);
    wr_json_end(json);
    put_on_one_line(structured);
    if (!err && tool->output)
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
static bool take_arguments(struct mcp_request *request)
{
    request->arguments = param(request, "arguments");
    if (request->arguments && !json_is_object(request->arguments))
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.arguments must be an object");
    return !request->code;
}

static struct wr_metric calls_metric = {
    .name = "mcp_calls_total", .help = "Calls of tools, by what became of them.",
    .type = WR_COUNTER, .labels = { "tool", "outcome" }, .series_max = 256,
};

static void answer_call(struct mcp_request *request)
{
    const char *name = string_param(request, "name");
    const struct mcp_tool *tool = name ? find_tool(request, name) : NULL;
    if (!tool || !take_arguments(request))
        return;
    wr_err err = WR_INVALID;
    request->arg = tool->arg;
    if (mcp_schema_check(tool->fields, tool->field_count, request->peer->local,
                         request->arguments, request->why))
        err = mcp_request_run(request, tool->handler,
                              tool->within ? tool->within : MCP_WITHIN_DEFAULT);
    if (!request->code)
        write_result(request, tool, err);
    wr_counter_add(wr_metric_counter(&calls_metric, tool->name,
                                     request->canceled             ? "canceled"
                                     : err || request->code ? "error" : "ok"), 1);
}

/* ---- prompts ---- */

/* Which argument {name} stands for; its number, or field_count: none. */
static size_t placeholder(const struct mcp_prompt *prompt, const char *at, size_t len)
{
    size_t i = 0;
    while (i < prompt->field_count && !(strlen(prompt->fields[i].name) == len
                                        && memcmp(prompt->fields[i].name, at, len) == 0))
        i++;
    return i;
}

/* The text, with what was given in the place of {name}. */
static void fill_in(struct mcp_request *request, const struct mcp_prompt *prompt)
{
    struct wr_text *text = &request->text;
    const char *at = prompt->text, *open;
    while ((open = strchr(at, '{'))) {
        size_t name = strcspn(open + 1, "}"), len;
        size_t field = placeholder(prompt, open + 1, name);
        wr_text_bytes(text, at, (size_t)(open - at));
        at = open + 1;
        if (field == prompt->field_count || !open[1 + name]) {
            wr_text_str(text, "{");
            continue;
        }
        const char *value = mcp_request_string(request, prompt->fields[field].name, &len);
        wr_text_bytes(text, value ? value : "", len);
        at += name + 1;
    }
    wr_text_str(text, at);
}

static void answer_prompt(struct mcp_request *request)
{
    struct wr_json *json = &request->json;
    const struct mcp_prompt *prompt = NULL;
    const char *name = string_param(request, "name");
    if (!name || !take_arguments(request))
        return;
    for (size_t i = 0; i < request->offer->prompt_count; i++)
        if (strcmp(request->offer->prompts[i].name, name) == 0)
            prompt = &request->offer->prompts[i];
    if (!prompt) {
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "there is no prompt \"%.100s\"", name);
        return;
    }
    char why[MCP_SCHEMA_WHY];
    if (!mcp_schema_check(prompt->fields, prompt->field_count, true, request->arguments, why)) {
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "%s", why);
        return;
    }
    fill_in(request, prompt);
    wr_json_str(json, "description", prompt->what);
    wr_json_array(json, "messages");
    wr_json_object(json, NULL);
    wr_json_str(json, "role", "user");
    write_text(json, "content", request->text.at, request->text.len);
    wr_json_end(json);
    wr_json_end(json);
}

/* ---- resources ---- */

static bool names(const struct mcp_resource *resource, const char *uri, const char **ret_rest)
{
    size_t stem = strcspn(resource->uri, "{");
    if (strncmp(resource->uri, uri, stem) != 0)
        return false;
    *ret_rest = uri + stem;
    return is_template(resource) ? **ret_rest : !**ret_rest;
}

static void refuse_read(struct mcp_request *request, wr_err err)
{
    if (err == WR_NOTFOUND)
        mcp_request_refuse(request, request->modern ? MCP_INVALID_PARAMS
                                                    : MCP_RESOURCE_NOT_FOUND,
                           "there is no resource \"%.200s\"", request->uri);
    else
        mcp_request_refuse(request, MCP_INTERNAL, "%s", wr_err_text(err));
}

static void write_contents(struct mcp_request *request, const struct mcp_resource *resource)
{
    struct wr_json *json = &request->json;
    wr_json_array(json, "contents");
    wr_json_object(json, NULL);
    wr_json_str(json, "uri", request->uri);
    wr_json_str(json, "mimeType", resource->media);
    wr_json_bytes(json, "text", request->text.at, request->text.len);
    wr_json_end(json);
    wr_json_end(json);
}

static void answer_read(struct mcp_request *request)
{
    const struct mcp_offer *offer = request->offer;
    size_t i = 0;
    request->uri = string_param(request, "uri");
    if (!request->uri)
        return;
    while (i < offer->resource_count
           && !names(&offer->resources[i], request->uri, &request->rest))
        i++;
    if (i == offer->resource_count) {
        refuse_read(request, WR_NOTFOUND);
        return;
    }
    request->arg = offer->resources[i].arg;
    wr_err err = mcp_request_run(request, offer->resources[i].read, MCP_WITHIN_DEFAULT);
    if (!err && request->text.cut)
        err = WR_INVALID;               /* a part of it would be something else */
    if (err)
        refuse_read(request, err);
    else
        write_contents(request, &offer->resources[i]);
}

/* ---- the table ---- */

static const struct mcp_method methods[] = {
    { .name = "initialize", .eras = MCP_LEGACY, .early = true, .keep_ms = -1,
      .answer = answer_initialize },
    { .name = "ping", .eras = MCP_LEGACY, .early = true, .keep_ms = -1, .answer = answer_ping },
    { .name = "server/discover", .eras = MCP_NOW, .keep_ms = KEEP_MS,
      .answer = answer_discover },
    { .name = "subscriptions/listen", .eras = MCP_NOW, .waits = true, .keep_ms = -1,
      .answer = answer_listen },
    { .name = "tools/list", .eras = MCP_EVER, .keep_ms = KEEP_MS, .there = has_tools,
      .answer = answer_tools },
    { .name = "tools/call", .eras = MCP_EVER, .waits = true, .keep_ms = -1, .there = has_tools,
      .answer = answer_call },
    { .name = "prompts/list", .eras = MCP_EVER, .keep_ms = KEEP_MS, .there = has_prompts,
      .answer = answer_prompts },
    { .name = "prompts/get", .eras = MCP_EVER, .keep_ms = -1, .there = has_prompts,
      .answer = answer_prompt },
    { .name = "resources/list", .eras = MCP_EVER, .keep_ms = KEEP_MS, .there = has_resources,
      .answer = answer_resources },
    { .name = "resources/templates/list", .eras = MCP_EVER, .keep_ms = KEEP_MS,
      .there = has_resources, .answer = answer_templates },
    { .name = "resources/read", .eras = MCP_EVER, .waits = true, .there = has_resources,
      .answer = answer_read },
};

const struct mcp_method *mcp_method(const char *name)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
    return NULL;
}

bool mcp_message_waits(const struct mcp_message *message)
{
    const struct mcp_method *method = message->method ? mcp_method(message->method) : NULL;
    return message->kind == MCP_REQUEST && method && method->waits;
}
