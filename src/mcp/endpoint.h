/* endpoint.h - the Model Context Protocol over HTTP ("Streamable HTTP"), at one path.
 *
 *     struct mcp_endpoint *endpoint;
 *     err = mcp_endpoint_new(&endpoint, &offer);
 *     struct wr_route routes[MCP_ROUTE_COUNT];
 *     mcp_endpoint_routes(endpoint, routes);
 *     ...into the table of a server
 *     mcp_endpoint_free(endpoint);
 *
 * A message is the body of a POST.  An answer is JSON when it comes at once; when something is
 * to be said before it, or when it lets itself be waited for, it is a stream of events, the
 * last of which it is.
 *
 * Modern requests stand for themselves: what their headers say must be what they say, and who
 * closes the connection cancels them.  Legacy clients begin a session and name it from then
 * on; DELETE ends it.  Of sessions there are MCP_SESSIONS_MAX: a new one takes the place of the
 * one that was silent longest, whose client is told so (404) and begins anew.  GET opens the
 * stream of a session for what is said unasked, where there is something (offer.news), else it
 * is 405.
 *
 * Who may call at all is not decided here: Host, Origin and tokens are the server's to check
 * (http.h, `admit`).  What a tool needs beyond that is held against what `admit` has said of
 * who calls (net/caller.h); 403.
 */
#ifndef WR_MCP_ENDPOINT_H
#define WR_MCP_ENDPOINT_H

#include <weir/err.h>
#include <weir/http.h>

#include "mcp/offer.h"

enum { MCP_ROUTE_POST, MCP_ROUTE_DELETE, MCP_ROUTE_GET, MCP_ROUTE_COUNT };
#define MCP_PATH "/mcp"
#define MCP_SESSIONS_MAX 1024

struct mcp_endpoint;

/* Errors: NOMEM. */
wr_err mcp_endpoint_new(struct mcp_endpoint **ret, const struct mcp_offer *offer);

/* Nobody may be calling any more.  NULL is allowed. */
void mcp_endpoint_free(struct mcp_endpoint *endpoint);

void mcp_endpoint_routes(struct mcp_endpoint *endpoint, struct wr_route *ret);

#endif
