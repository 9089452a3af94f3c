/* tool.h - checking references, for agents: what check offers over the Model Context Protocol.
 *
 *     struct mcp_tool tool = check_tool(&intake);
 *     struct mcp_resource resource = check_resource(&intake);
 *     ...into an offer (mcp/offer.h), with check_prompt
 *
 * check_references takes a bibliography as text, or for clients on this machine a path, and
 * waits for a while.  When it is not through by then, that is the answer, with an id by which
 * to go on waiting.  A client that cancels, or goes, while it waits for what it has just handed
 * in has that ended; who only waits ends nothing.
 *
 * Reports are those of intake.h; by weir://check/{id} they can be read again.
 */
#ifndef WR_CHECK_TOOL_H
#define WR_CHECK_TOOL_H

#include "mcp/offer.h"
#include "svc/check/intake.h"

/* The intake is looked up when a tool is called: NULL says that nothing is checked here. */
struct mcp_tool check_tool(struct intake *const *intake);
struct mcp_resource check_resource(struct intake *const *intake);

extern const struct mcp_prompt check_prompt;

#endif
