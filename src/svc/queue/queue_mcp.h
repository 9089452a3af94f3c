/* queue_mcp.h - our tasks, as tasks of the Model Context Protocol (mcp/offer.h).
 *
 *     struct mcp_tasks tasks = queue_mcp_tasks(desk);
 *     ...into an offer
 *
 * A task of MCP that has ended never goes on, and ours do when more is queued: so each round of
 * ours is one of theirs, from what is queued while nothing is open until nothing is any more;
 * "task_1.2" is the second one of task_1.  It is WORKING while jobs are queued or run,
 * INPUT_REQUIRED when all that are left wait for a person, COMPLETED when none is left, and
 * CANCELLED when it was stopped before.  A task that was given nothing yet is in round 0, which
 * is COMPLETED: there is nothing to wait for.  To cancel a round that goes on is to stop the
 * task at once, and the result of each is the status of the task as it is.  What only a person
 * can do is asked for by elicitation, an item at a time: who accepts has done it.
 */
#ifndef WR_QUEUE_MCP_H
#define WR_QUEUE_MCP_H

#include "mcp/offer.h"
#include "svc/queue/queue_desk.h"

/* The desk must outlive whoever serves them. */
struct mcp_tasks queue_mcp_tasks(struct queue_desk *desk);

/* The round that one of ours is in.  Errors: as queue_look. */
wr_err queue_mcp_look(struct queue_desk *desk, const char *task, struct mcp_task *ret,
                      struct queue_why *why, wr_time deadline);

/* How many of its jobs are over, and how many there are. */
uint64_t queue_mcp_done(const struct queue_view *view);
uint64_t queue_mcp_total(const struct queue_view *view);

#endif
