/* header.c - what the headers of a modern request say about it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/forget.h"
#include "mcp/header.h"
#include "mcp/session.h"

#define OPEN "=?base64?"
#define CLOSE "?="

static bool differ(struct mcp_fault *fault, const char *header, const char *how)
{
    fault->code = MCP_HEADER_MISMATCH;
    snprintf(fault->why, sizeof(fault->why), "the header %s %s", header, how);
    return false;
}

static bool same(struct mcp_fault *fault, const char *header, const char *said,
                 const char *meant)
{
    if (!said)
        return differ(fault, header, "is missing");
    return strcmp(said, meant) == 0 || differ(fault, header, "is not what the message says");
}

/* Base64 as others write it is that of base/base64.h but for two letters and the padding. */
static bool decodes_to(const char *text, size_t len, const char *meant)
{
    size_t size = strlen(meant), got;
    char *letters = malloc(len + 1), *bytes = malloc(size + 1);
    bool good = letters && bytes;
    while (len && text[len - 1] == '=')
        len--;
    for (size_t i = 0; good && i < len; i++) {
        letters[i] = text[i];
        if (text[i] == '+')
            letters[i] = '-';
        if (text[i] == '/')
            letters[i] = '_';
        good = text[i] != '-' && text[i] != '_';
    }
    good = good && !wr_base64_parse(&got, bytes, size + 1, letters, len) && got == size
        && memcmp(bytes, meant, size) == 0;
    wr_forget_free(letters);
    wr_forget_free(bytes);
    return good;
}

static bool same_name(struct mcp_fault *fault, const char *said, const char *meant)
{
    size_t len = said ? strlen(said) : 0, marks = strlen(OPEN CLOSE);
    if (len < marks || strncmp(said, OPEN, strlen(OPEN)) != 0
        || strcmp(said + len - strlen(CLOSE), CLOSE) != 0)
        return same(fault, "Mcp-Name", said, meant);
    return decodes_to(said + strlen(OPEN), len - marks, meant)
        || differ(fault, "Mcp-Name", "is not what the message says");
}

const char *mcp_message_name(const struct mcp_message *message)
{
    static const struct { const char *method, *param; } rows[] = {
        { "tools/call", "name" }, { "prompts/get", "name" }, { "resources/read", "uri" },
        { "tasks/get", "taskId" }, { "tasks/update", "taskId" }, { "tasks/cancel", "taskId" },
    };
    for (size_t i = 0; message->method && i < sizeof(rows) / sizeof(*rows); i++)
        if (strcmp(rows[i].method, message->method) == 0)
            return json_string_value(json_object_get(message->params, rows[i].param));
    return NULL;
}

bool mcp_headers_agree(const struct mcp_headers *headers, const struct mcp_message *message,
                       struct mcp_fault *fault)
{
    const char *version = mcp_message_version(message), *name = mcp_message_name(message);
    if (version && !same(fault, "MCP-Protocol-Version", headers->version, version))
        return false;
    if (message->kind != MCP_REQUEST)
        return true;
    return same(fault, "Mcp-Method", headers->method, message->method)
        && (!name || same_name(fault, headers->name, name));
}
