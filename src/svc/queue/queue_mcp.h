/* queue_mcp.h - our tasks, as tasks of the Model Context Protocol (mcp/offer.h).
 *
 *     struct mcp_tasks tasks = queue_mcp_tasks(desk);
 *     ...into an offer
 *
 * A task is WORKING while jobs of it are queued or run, and before it was given any;
 * INPUT_REQUIRED when all that are left wait for a person; COMPLETED when none is left; and
 * CANCELLED when it was stopped.  To cancel one is to stop it at once, and its result is its
 * status.  What only a person can do is asked for by elicitation, an item at a time: who
 * accepts has done it.
 */
#ifndef WR_QUEUE_MCP_H
#define WR_QUEUE_MCP_H

#include "mcp/offer.h"
#include "svc/queue/queue_desk.h"

/* The desk must outlive whoever serves them. */
struct mcp_tasks queue_mcp_tasks(struct queue_desk *desk);

/* What it is now.  Errors: as queue_look. */
wr_err queue_mcp_look(struct queue_desk *desk, const char *id, struct mcp_task *ret,
                      struct queue_why *why, wr_time deadline);

/* How many of its jobs are over, and how many there are. */
uint64_t queue_mcp_done(const struct queue_view *view);
uint64_t queue_mcp_total(const struct queue_view *view);

#endif
