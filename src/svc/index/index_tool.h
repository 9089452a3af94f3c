/* index_tool.h - the index, for agents: resolve, providers and publish as tools of MCP.
 *
 *     index_tools(tools, desk);           INDEX_TOOLS rows for an mcp_offer
 *
 * They say what the routes say (index_answer.h), with the same deadline.
 */
#ifndef WR_INDEX_TOOL_H
#define WR_INDEX_TOOL_H

#include "mcp/offer.h"
#include "svc/index/index_desk.h"

#define INDEX_TOOLS 3

/* The desk must outlive whoever serves them. */
void index_tools(struct mcp_tool ret[INDEX_TOOLS], struct index_desk *desk);

#endif
