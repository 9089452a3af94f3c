/* method_list.c - what there is: tools, prompts, resources. */
#include <string.h>

#include "mcp/mcp_int.h"
#include "mcp/schema.h"

/* Lists are short and come whole, so there is no page to go on from. */
static bool whole(struct mcp_request *request)
{
    if (mcp_param(request, "cursor"))
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

/* The modern era has no word for it: there the server decides. */
static void write_execution(struct wr_json *json, enum mcp_deferral defers)
{
    static const char *const words[] = { [MCP_MAY_DEFER] = "optional",
                                         [MCP_MUST_DEFER] = "required" };
    wr_json_object(json, "execution");
    wr_json_str(json, "taskSupport", words[defers]);
    wr_json_end(json);
}

static void write_tool(struct mcp_request *request, const struct mcp_tool *tool)
{
    struct wr_json *json = &request->json;
    bool local = request->peer->local;
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
    if (tool->defers != MCP_NEVER_DEFERS && !request->modern)
        write_execution(json, tool->defers);
    wr_json_end(json);
}

void mcp_answer_tools(struct mcp_request *request)
{
    if (!whole(request))
        return;
    wr_json_array(&request->json, "tools");
    for (size_t i = 0; i < request->offer->tool_count; i++)
        write_tool(request, &request->offer->tools[i]);
    wr_json_end(&request->json);
}

void mcp_answer_prompts(struct mcp_request *request)
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

bool mcp_is_template(const struct mcp_resource *resource)
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
        if (mcp_is_template(resource) != templates)
            continue;
        wr_json_object(json, NULL);
        wr_json_str(json, uri, resource->uri);
        write_title(json, resource->name, resource->title, resource->what);
        wr_json_str(json, "mimeType", resource->media);
        wr_json_end(json);
    }
    wr_json_end(json);
}

void mcp_answer_resources(struct mcp_request *request)
{
    list_resources(request, "resources", "uri", false);
}

void mcp_answer_templates(struct mcp_request *request)
{
    list_resources(request, "resourceTemplates", "uriTemplate", true);
}
