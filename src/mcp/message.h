/* message.h - JSON-RPC 2.0: a message out of bytes that somebody sent.
 *
 *     struct mcp_message message;
 *     struct mcp_fault fault;
 *     if (!mcp_message_read(&message, bytes, len, &fault))
 *         ...fault.code and fault.why go back; message.id says to which request, if it has one
 *     ...message.kind, message.method, message.params
 *     mcp_message_free(&message);
 *
 * jansson calls itself as deep as brackets nest, and takes memory for each value; so bytes that
 * nest deeper than JSON_IN_DEPTH_MAX, or have more values than MCP_VALUES_MAX, are not read at
 * all.  Nor is what is no UTF-8, has a key twice, or is a batch, which MCP has given up.
 */
#ifndef WR_MCP_MESSAGE_H
#define WR_MCP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#define MCP_MESSAGE_MAX ((size_t)4 << 20)
#define MCP_VALUES_MAX 100000
#define MCP_ID_MAX 256                  /* bytes of an id, as JSON */

/* Codes of errors: those of JSON-RPC, those of MCP, and one of ours, which as such lies
 * outside of the range that they reserve. */
enum mcp_code {
    MCP_OK = 0,
    MCP_DENIED = 403,                   /* a token that does not allow it */
    MCP_BUSY = 429,                     /* too many calls at a time */
    MCP_RESOURCE_NOT_FOUND = -32002,    /* up to 2025-11-25; later it is INVALID_PARAMS */
    MCP_HEADER_MISMATCH = -32020,
    MCP_MISSING_CAPABILITY = -32021,    /* of the client */
    MCP_UNSUPPORTED_VERSION = -32022,
    MCP_INVALID_REQUEST = -32600,
    MCP_METHOD_NOT_FOUND = -32601,
    MCP_INVALID_PARAMS = -32602,
    MCP_INTERNAL = -32603,
    MCP_PARSE = -32700,
};

struct mcp_fault {
    enum mcp_code code;
    char why[300];
};

enum mcp_kind { MCP_REQUEST, MCP_NOTIFICATION, MCP_RESPONSE };

struct mcp_message {
    json_t *json;                   /* all of it; what follows points into it */
    enum mcp_kind kind;
    char id[MCP_ID_MAX];            /* as JSON, to be sent back; empty: it has none */
    const char *method;             /* NULL: a response */
    const json_t *params;           /* an object; NULL: none */
};

/* False: it is none, and the fault says why.  It must be freed in any case. */
bool mcp_message_read(struct mcp_message *ret, const char *bytes, size_t len,
                      struct mcp_fault *fault);
void mcp_message_free(struct mcp_message *message);

/* From now on the memory of messages is given back as forget.h has it.  jansson is told so for
 * the whole process: before anybody else may be using it. */
void mcp_message_forgets(void);

/* Of params._meta; NULL: it is not there. */
const json_t *mcp_message_meta(const struct mcp_message *message, const char *key);

/* An id, or whatever is a string or an integer, as JSON.  False: it is neither, or too
 * long. */
bool mcp_id_print(char ret[MCP_ID_MAX], const json_t *id);

#endif
