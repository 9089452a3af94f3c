/* method_resource.c - resources, read. */
#include <string.h>

#include "mcp/mcp_int.h"

static bool names(const struct mcp_resource *resource, const char *uri, const char **ret_rest)
{
    size_t stem = strcspn(resource->uri, "{");
    if (strncmp(resource->uri, uri, stem) != 0)
        return false;
    *ret_rest = uri + stem;
    return mcp_is_template(resource) ? **ret_rest : !**ret_rest;
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

void mcp_answer_read(struct mcp_request *request)
{
    const struct mcp_offer *offer = request->offer;
    size_t i = 0;
    request->uri = mcp_string_param(request, "uri");
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
