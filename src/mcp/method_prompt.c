/* method_prompt.c - prompts, filled in. */
#include <string.h>

#include "mcp/mcp_int.h"
#include "mcp/schema.h"

#define COMPLETIONS_MAX 100         /* by the protocol */

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

static const struct mcp_prompt *find_prompt(struct mcp_request *request, const char *name)
{
    for (size_t i = 0; i < request->offer->prompt_count; i++)
        if (strcmp(request->offer->prompts[i].name, name) == 0)
            return &request->offer->prompts[i];
    mcp_request_refuse(request, MCP_INVALID_PARAMS, "there is no prompt \"%.100s\"", name);
    return NULL;
}

static void run_prompt(struct mcp_request *request, const struct mcp_prompt *prompt)
{
    request->arg = prompt->arg;
    request->prompts = true;
    wr_err err = mcp_request_run(request, prompt->handler, MCP_WITHIN_DEFAULT);
    if (!err && (request->text.cut || request->blocks.cut))
        err = mcp_request_fail(request, WR_INVALID, "the prompt is too large to be sent");
    if (err)
        mcp_request_refuse(request, err == WR_INVALID ? MCP_INVALID_PARAMS : MCP_INTERNAL, "%s",
                           request->why[0] ? request->why : wr_err_text(err));
}

void mcp_answer_prompt(struct mcp_request *request)
{
    const char *name = mcp_string_param(request, "name");
    const struct mcp_prompt *prompt = name ? find_prompt(request, name) : NULL;
    if (!prompt || !mcp_take_arguments(request))
        return;
    struct mcp_misfit misfit;
    if (!mcp_schema_check(prompt->fields, prompt->field_count, true, request->arguments,
                          &misfit)) {
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "%s", misfit.why);
        return;
    }
    if (!mcp_elicit_read(request))
        return;
    if (prompt->handler)
        run_prompt(request, prompt);
    else
        fill_in(request, prompt);
    if (!request->code && !mcp_elicit_write(request)) {
        wr_json_str(&request->json, "description", prompt->what);
        mcp_write_messages(request);
    }
}

/* ---- completion ---- */

/* What begins like what was typed so far. */
static size_t write_proposals(struct wr_json *json, const char *const *words, const char *typed,
                              size_t room)
{
    size_t count = 0;
    for (; words && *words && count < room; words++)
        if (strncmp(*words, typed, strlen(typed)) == 0) {
            wr_json_str(json, NULL, *words);
            count++;
        }
    return count;
}

static const struct mcp_field *find_field(struct mcp_request *request,
                                          const struct mcp_prompt *prompt, const char *name)
{
    for (size_t i = 0; i < prompt->field_count; i++)
        if (strcmp(prompt->fields[i].name, name) == 0)
            return &prompt->fields[i];
    mcp_request_refuse(request, MCP_INVALID_PARAMS, "the prompt \"%s\" has no argument "
                       "\"%.100s\"", prompt->name, name);
    return NULL;
}

static void complete(struct mcp_request *request, const struct mcp_field *field,
                     const char *typed)
{
    struct wr_json *json = &request->json;
    wr_json_object(json, "completion");
    wr_json_array(json, "values");
    size_t count = field ? write_proposals(json, field->words, typed, COMPLETIONS_MAX) : 0;
    if (field)
        count += write_proposals(json, field->proposals, typed, COMPLETIONS_MAX - count);
    wr_json_end(json);
    wr_json_u64(json, "total", count);
    wr_json_bool(json, "hasMore", false);
    wr_json_end(json);
}

/* Of resources nothing is proposed: their names are ids. */
void mcp_answer_complete(struct mcp_request *request)
{
    const json_t *ref = mcp_param(request, "ref"), *argument = mcp_param(request, "argument");
    const char *type = json_string_value(json_object_get(ref, "type"));
    const char *name = json_string_value(json_object_get(argument, "name"));
    const char *typed = json_string_value(json_object_get(argument, "value"));
    const char *what = json_string_value(json_object_get(ref, "name"));
    const struct mcp_field *field = NULL;
    if (!type || !name || !typed) {
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.ref must have a type, and "
                           "params.argument a name and a value, all of them strings");
        return;
    }
    if (strcmp(type, "ref/prompt") == 0) {
        const struct mcp_prompt *prompt = find_prompt(request, what ? what : "");
        field = prompt ? find_field(request, prompt, name) : NULL;
    } else if (strcmp(type, "ref/resource") != 0) {
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.ref.type is \"%.40s\"; it must "
                           "be ref/prompt or ref/resource", type);
    }
    if (!request->code)
        complete(request, field, typed);
}
