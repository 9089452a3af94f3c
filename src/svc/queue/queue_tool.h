/* queue_tool.h - research tasks, for agents: what the queue offers over the Model Context
 * Protocol.
 *
 *     struct mcp_tool tools[QUEUE_TOOLS];
 *     queue_tools(tools, desk);
 *     ...into an offer (mcp/offer.h), with queue_prompt, queue_resource and queue_mcp_tasks
 *
 * An agent makes a task of a hypothesis, queues what is to be looked at, and asks for the
 * status until it knows enough.  No call takes longer than it is told to wait, and that
 * something is still under way is an answer like any other.  What an answer has as structured
 * content stands in its text too, for clients that look there.
 *
 * What fails is told in the text, as {"ok":false,"error_code":...,"error":...,"details":{...}},
 * without structured content.
 */
#ifndef WR_QUEUE_TOOL_H
#define WR_QUEUE_TOOL_H

#include "mcp/offer.h"
#include "svc/queue/queue_desk.h"

#define QUEUE_TOOLS 14

/* The desk must outlive whoever serves them. */
void queue_tools(struct mcp_tool ret[QUEUE_TOOLS], struct queue_desk *desk);

extern const struct mcp_prompt queue_prompt;

#endif
