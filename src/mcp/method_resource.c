/* method_resource.c - resources, read. */
#include <string.h>

#include "mcp/mcp_int.h"

/* Whether it is this one.  What stands for {name} is any text but none. */
static bool names(struct mcp_request *request, const struct mcp_resource *resource)
{
    const char *uri = request->uri, *open = strchr(resource->uri, '{');
    size_t stem = strcspn(resource->uri, "{"), len = strlen(uri);
    const char *tail = open ? strchr(open, '}') + 1 : "";
    size_t end = strlen(tail);
    if (strncmp(resource->uri, uri, stem) != 0)
        return false;
    request->rest = uri + stem;
    if (!open || !*tail)
        return open ? *request->rest : !*request->rest;
    if (len <= stem + end || strcmp(uri + len - end, tail) != 0)
        return false;
    wr_text_rewind(&request->middle, 0);
    wr_text_bytes(&request->middle, uri + stem, len - stem - end);
    request->rest = request->middle.at;
    return true;
}

/* What is not there is named in the error. */
static void write_missing(struct mcp_request *request)
{
    struct wr_json json = wr_json_to(&request->data);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "uri", request->uri);
    wr_json_end(&json);
}

static void refuse_read(struct mcp_request *request, wr_err err)
{
    if (err == WR_NOTFOUND) {
        mcp_request_refuse(request, request->modern ? MCP_INVALID_PARAMS
                                                    : MCP_RESOURCE_NOT_FOUND,
                           "there is no resource \"%.200s\"", request->uri);
        write_missing(request);
    } else {
        mcp_request_refuse(request, MCP_INTERNAL, "%s",
                           request->why[0] ? request->why : wr_err_text(err));
    }
}

static void write_contents(struct mcp_request *request, const struct mcp_resource *resource)
{
    struct wr_json *json = &request->json;
    wr_json_array(json, "contents");
    wr_json_object(json, NULL);
    wr_json_str(json, "uri", request->uri);
    wr_json_str(json, "mimeType", request->media ? request->media : resource->media);
    if (request->binary)
        mcp_write_base64(json, "blob", request->text.at, request->text.len);
    else
        wr_json_bytes(json, "text", request->text.at, request->text.len);
    wr_json_end(json);
    wr_json_end(json);
}

void mcp_answer_read(struct mcp_request *request)
{
    const struct mcp_offer *offer = request->offer;
    size_t i = 0;
    request->uri = mcp_string_param(request, "uri");
    if (!request->uri || !mcp_elicit_read(request))
        return;
    while (i < offer->resource_count && !names(request, &offer->resources[i]))
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
    else if (!mcp_elicit_write(request))
        write_contents(request, &offer->resources[i]);
}
