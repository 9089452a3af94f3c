/* queue_report.h - what a task has found, to be read: resources of the Model Context Protocol.
 *
 *     struct mcp_resource resources[QUEUE_RESOURCES];
 *     queue_resources(resources, desk);
 *
 *     weir://task/{task_id}           the report of a task, as Markdown: the hypothesis, how
 *                                     far it is, claims with what speaks for and against them,
 *                                     where they are from, and what could not be read
 *     weir://fragment/{fragment_id}   a piece of a page, with where it stands
 *     weir://blob/{cid}               a page as it was fetched
 *
 * What pages say is quoted, in one line each and with all that Markdown would obey escaped.
 * A report has at most QUEUE_REPORT_CLAIMS claims, and says so when there are more.
 */
#ifndef WR_QUEUE_REPORT_H
#define WR_QUEUE_REPORT_H

#include "mcp/offer.h"
#include "svc/queue/queue_desk.h"

#define QUEUE_RESOURCES 3
#define QUEUE_REPORT_CLAIMS 100
#define QUEUE_REPORT_EDGES 8            /* of one claim */

/* The desk must outlive whoever serves them. */
void queue_resources(struct mcp_resource ret[QUEUE_RESOURCES], struct queue_desk *desk);

/* Errors: NOTFOUND; of the store. */
wr_err queue_report_write(struct queue_desk *desk, const char *task, struct wr_text *text,
                          wr_time deadline);

#endif
