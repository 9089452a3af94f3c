/* method.c - what can be asked of a server of the Model Context Protocol. */
#include <string.h>

#include "mcp/mcp_int.h"

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

const json_t *mcp_param(const struct mcp_request *request, const char *name)
{
    return json_object_get(request->message->params, name);
}

/* Of a parameter that must be a string; NULL: it is none, and that was said. */
const char *mcp_string_param(struct mcp_request *request, const char *name)
{
    const char *value = json_string_value(mcp_param(request, name));
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

static size_t has_news(const struct mcp_offer *offer)
{
    return offer->resource_count && offer->news;
}

static size_t has_logs(const struct mcp_offer *offer)
{
    return offer->logs;
}

/* Whether there is anything to propose. */
static size_t completes(const struct mcp_offer *offer)
{
    for (size_t i = 0; i < offer->prompt_count; i++)
        for (size_t j = 0; j < offer->prompts[i].field_count; j++)
            if (offer->prompts[i].fields[j].words || offer->prompts[i].fields[j].proposals)
                return 1;
    return 0;
}

static size_t has_tasks(const struct mcp_offer *offer)
{
    return offer->tasks != NULL;
}

static size_t lists_tasks(const struct mcp_offer *offer)
{
    return offer->tasks && offer->tasks->list;
}

/* An object that says nothing but that it is there. */
static void write_flag(struct wr_json *json, const char *key)
{
    wr_json_object(json, key);
    wr_json_end(json);
}

static void write_tasks(struct wr_json *json, const struct mcp_offer *offer, bool modern)
{
    wr_json_object(json, modern ? "extensions" : "tasks");
    if (modern) {
        write_flag(json, MCP_TASKS_EXTENSION);
    } else {
        if (lists_tasks(offer))
            write_flag(json, "list");
        write_flag(json, "cancel");
        wr_json_object(json, "requests");
        wr_json_object(json, "tools");
        write_flag(json, "call");
        wr_json_end(json);
        wr_json_end(json);
    }
    wr_json_end(json);
}

static void write_capabilities(struct wr_json *json, const struct mcp_offer *offer, bool modern)
{
    static const struct {
        const char *name;
        size_t (*count)(const struct mcp_offer *offer);
    } rows[] = {
        { "tools", has_tools },     { "prompts", has_prompts }, { "resources", has_resources },
        { "logging", has_logs },    { "completions", completes },
    };
    wr_json_object(json, "capabilities");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (rows[i].count(offer)) {
            wr_json_object(json, rows[i].name);
            if (rows[i].count == has_resources && has_news(offer))
                wr_json_bool(json, "subscribe", true);
            wr_json_end(json);
        }
    if (has_tasks(offer))
        write_tasks(json, offer, modern);
    wr_json_end(json);
    if (offer->instructions)
        wr_json_str(json, "instructions", offer->instructions);
}

static void answer_initialize(struct mcp_request *request)
{
    struct wr_json *json = &request->json;
    const char *wanted = mcp_string_param(request, "protocolVersion");
    if (!wanted)
        return;
    const char *version = legacy_version(wanted);
    if (!version)
        version = versions[FIRST_LEGACY];
    mcp_session_begin(request->session, version,
                      mcp_abilities(mcp_param(request, "capabilities")));
    wr_json_str(json, "protocolVersion", version);
    write_capabilities(json, request->offer, false);
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
    write_capabilities(&request->json, request->offer, true);
}

static void answer_ping(struct mcp_request *request)
{
    (void)request;
}

/* ---- what clients can ---- */

static const struct {
    const char *name;
    enum mcp_ability ability;
    bool extension;
} abilities[] = {
    { "sampling", MCP_SAMPLES, false },
    { "elicitation", MCP_ELICITS, false },
    { "roots", MCP_HAS_ROOTS, false },
    { MCP_TASKS_EXTENSION, MCP_TAKES_TASKS, true },
};
#define ABILITIES (sizeof(abilities) / sizeof(*abilities))

unsigned mcp_abilities(const json_t *capabilities)
{
    const json_t *extensions = json_object_get(capabilities, "extensions");
    unsigned all = 0;
    for (size_t i = 0; i < ABILITIES; i++)
        if (json_is_object(json_object_get(abilities[i].extension ? extensions : capabilities,
                                           abilities[i].name)))
            all |= abilities[i].ability;
    return all;
}

void mcp_request_require(struct mcp_request *request, enum mcp_ability ability)
{
    struct wr_json json = wr_json_to(&request->data);
    size_t i = 0;
    while (abilities[i].ability != ability)
        i++;
    if (request->code)
        return;
    mcp_request_refuse(request, MCP_MISSING_CAPABILITY, "this takes a client that says it can "
                       "\"%s\"", abilities[i].name);
    wr_json_object(&json, NULL);
    wr_json_object(&json, "requiredCapabilities");
    if (abilities[i].extension)
        wr_json_object(&json, "extensions");
    write_flag(&json, abilities[i].name);
    if (abilities[i].extension)
        wr_json_end(&json);
    wr_json_end(&json);
    wr_json_end(&json);
}

/* ---- the table ---- */

static const struct mcp_method methods[] = {
    { .name = "initialize", .eras = MCP_LEGACY, .early = true, .keep_ms = -1,
      .answer = answer_initialize },
    { .name = "ping", .eras = MCP_LEGACY, .early = true, .keep_ms = -1, .answer = answer_ping },
    { .name = "server/discover", .eras = MCP_NOW, .keep_ms = KEEP_MS,
      .answer = answer_discover },
    { .name = "subscriptions/listen", .eras = MCP_NOW, .waits = true, .keep_ms = -1,
      .answer = mcp_answer_listen },
    { .name = "tools/list", .eras = MCP_EVER, .keep_ms = KEEP_MS, .there = has_tools,
      .answer = mcp_answer_tools },
    { .name = "tools/call", .eras = MCP_EVER, .waits = true, .keep_ms = -1, .there = has_tools,
      .answer = mcp_answer_call },
    { .name = "prompts/list", .eras = MCP_EVER, .keep_ms = KEEP_MS, .there = has_prompts,
      .answer = mcp_answer_prompts },
    { .name = "prompts/get", .eras = MCP_EVER, .waits = true, .keep_ms = -1,
      .there = has_prompts, .answer = mcp_answer_prompt },
    { .name = "resources/list", .eras = MCP_EVER, .keep_ms = KEEP_MS, .there = has_resources,
      .answer = mcp_answer_resources },
    { .name = "resources/templates/list", .eras = MCP_EVER, .keep_ms = KEEP_MS,
      .there = has_resources, .answer = mcp_answer_templates },
    { .name = "resources/read", .eras = MCP_EVER, .waits = true, .there = has_resources,
      .answer = mcp_answer_read },
    { .name = "resources/subscribe", .eras = MCP_LEGACY, .keep_ms = -1, .there = has_news,
      .answer = mcp_answer_subscribe },
    { .name = "resources/unsubscribe", .eras = MCP_LEGACY, .keep_ms = -1, .there = has_news,
      .answer = mcp_answer_unsubscribe },
    { .name = "logging/setLevel", .eras = MCP_LEGACY, .keep_ms = -1, .there = has_logs,
      .answer = mcp_answer_level },
    { .name = "completion/complete", .eras = MCP_EVER, .keep_ms = -1, .there = completes,
      .answer = mcp_answer_complete },
    { .name = "tasks/get", .eras = MCP_EVER, .waits = true, .keep_ms = -1, .there = has_tasks,
      .answer = mcp_answer_task_get },
    { .name = "tasks/cancel", .eras = MCP_EVER, .waits = true, .keep_ms = -1,
      .there = has_tasks, .answer = mcp_answer_task_cancel },
    { .name = "tasks/result", .eras = MCP_LEGACY, .waits = true, .keep_ms = -1,
      .there = has_tasks, .answer = mcp_answer_task_result },
    { .name = "tasks/list", .eras = MCP_LEGACY, .waits = true, .keep_ms = -1,
      .there = lists_tasks, .answer = mcp_answer_task_list },
    { .name = "tasks/update", .eras = MCP_NOW, .waits = true, .keep_ms = -1,
      .there = has_tasks, .answer = mcp_answer_task_update },
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
