/* header.h - what the headers of a modern request say about it, which must be true.
 *
 *     struct mcp_headers headers = { .version = ..., .method = ..., .name = ... };
 *     if (!mcp_headers_agree(&headers, &message, &fault))
 *         ...400, with the fault
 *
 * Whoever stands between a client and us may have decided by the headers; so a message that
 * says something else is refused.  Mcp-Name may be in base64, as =?base64?...?=.
 */
#ifndef WR_MCP_HEADER_H
#define WR_MCP_HEADER_H

#include <stdbool.h>

#include "mcp/message.h"

/* NULL: it was not sent. */
struct mcp_headers {
    const char *version;            /* MCP-Protocol-Version */
    const char *method;             /* Mcp-Method */
    const char *name;               /* Mcp-Name */
};

/* What Mcp-Name says of a message; NULL: it has none. */
const char *mcp_message_name(const struct mcp_message *message);

/* False: they differ, or one is missing, and the fault says which. */
bool mcp_headers_agree(const struct mcp_headers *headers, const struct mcp_message *message,
                       struct mcp_fault *fault);

#endif
