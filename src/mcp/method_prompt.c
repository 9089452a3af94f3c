/* method_prompt.c - prompts, filled in. */
#include <string.h>

#include "mcp/mcp_int.h"
#include "mcp/schema.h"

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

void mcp_answer_prompt(struct mcp_request *request)
{
    struct wr_json *json = &request->json;
    const struct mcp_prompt *prompt = NULL;
    const char *name = mcp_string_param(request, "name");
    if (!name || !mcp_take_arguments(request))
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
    mcp_write_text(json, "content", request->text.at, request->text.len);
    wr_json_end(json);
    wr_json_end(json);
}
