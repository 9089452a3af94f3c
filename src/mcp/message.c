/* message.c - JSON-RPC 2.0: a message out of bytes that somebody sent. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/forget.h"
#include "base/text.h"
#include "mcp/message.h"
#include "net/json_in.h"

static bool refuse(struct mcp_fault *fault, enum mcp_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool refuse(struct mcp_fault *fault, enum mcp_code code, const char *format, ...)
{
    va_list args;
    fault->code = code;
    va_start(args, format);
    vsnprintf(fault->why, sizeof(fault->why), format, args);
    va_end(args);
    return false;
}

/* Whether jansson may have it. */
static bool measure(const char *bytes, size_t len, struct mcp_fault *fault)
{
    enum json_in_size size = json_in_measure(bytes, len, MCP_VALUES_MAX);
    if (size == JSON_IN_DEEP)
        return refuse(fault, MCP_PARSE, "it nests deeper than %d levels", JSON_IN_DEPTH_MAX);
    if (size == JSON_IN_MANY)
        return refuse(fault, MCP_PARSE, "it has more than %d values", MCP_VALUES_MAX);
    return true;
}

bool mcp_id_print(char ret[MCP_ID_MAX], const json_t *id)
{
    struct wr_text text = wr_text_over(ret, MCP_ID_MAX);
    if (json_is_integer(id))
        wr_text_i64(&text, json_integer_value(id));
    else if (json_is_string(id))
        wr_text_json(&text, json_string_value(id), json_string_length(id));
    else
        return false;
    if (text.cut)
        ret[0] = '\0';
    return !text.cut;
}

static bool read_envelope(struct mcp_message *ret, struct mcp_fault *fault)
{
    const json_t *json = ret->json, *id = json_object_get(json, "id");
    const json_t *method = json_object_get(json, "method");
    if (!json_is_object(json))
        return refuse(fault, MCP_INVALID_REQUEST,
                      json_is_array(json) ? "batches are not supported: send one message"
                                          : "a message is a JSON object");
    bool named = id && mcp_id_print(ret->id, id);
    const char *version = json_string_value(json_object_get(json, "jsonrpc"));
    if (!version || strcmp(version, "2.0") != 0)
        return refuse(fault, MCP_INVALID_REQUEST, "\"jsonrpc\" must be \"2.0\"");
    if (id && !named)
        return refuse(fault, MCP_INVALID_REQUEST,
                      "\"id\" must be an integer or a string of less than %d bytes",
                      MCP_ID_MAX - 2);
    ret->params = json_object_get(json, "params");
    ret->method = json_string_value(method);
    ret->kind = !ret->method ? MCP_RESPONSE : id ? MCP_REQUEST : MCP_NOTIFICATION;
    if (method && !ret->method)
        return refuse(fault, MCP_INVALID_REQUEST, "\"method\" must be a string");
    if (!method && !json_object_get(json, "result") && !json_object_get(json, "error"))
        return refuse(fault, MCP_INVALID_REQUEST, "\"method\" is missing");
    if (ret->params && !json_is_object(ret->params))
        return refuse(fault, MCP_INVALID_REQUEST, "\"params\" must be an object");
    return true;
}

bool mcp_message_read(struct mcp_message *ret, const char *bytes, size_t len,
                      struct mcp_fault *fault)
{
    json_error_t error;
    *ret = (struct mcp_message){ .json = NULL };
    if (len > MCP_MESSAGE_MAX)
        return refuse(fault, MCP_INVALID_REQUEST, "it has more than %zu bytes",
                      MCP_MESSAGE_MAX);
    if (!measure(bytes, len, fault))
        return false;
    ret->json = json_loadb(bytes, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!ret->json && json_error_code(&error) == json_error_numeric_overflow)
        return refuse(fault, MCP_PARSE, "it has a number that is too large, at byte %d; "
                      "integers have 64 bits", error.position);
    if (!ret->json)
        return refuse(fault, MCP_PARSE, "it is no JSON, at byte %d: %s", error.position,
                      error.text);
    return read_envelope(ret, fault);
}

void mcp_message_forgets(void)
{
    json_set_alloc_funcs(malloc, wr_forget_free);
}

void mcp_message_free(struct mcp_message *message)
{
    json_decref(message->json);
    message->json = NULL;
}

const json_t *mcp_message_meta(const struct mcp_message *message, const char *key)
{
    return json_object_get(json_object_get(message->params, "_meta"), key);
}
