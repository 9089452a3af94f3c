/* queue_service.h - research tasks, as a service of the node.
 *
 *     POST  /v1/queue/tasks                   a hypothesis -> a task
 *     GET   /v1/queue/tasks                   tasks, the newest first
 *     GET   /v1/queue/tasks/{id}              how far it is; may wait for a change
 *     POST  /v1/queue/tasks/{id}/targets      things to look at
 *     POST  /v1/queue/tasks/{id}/stop         end it, for now
 *     POST  /v1/queue/tasks/{id}/budget       how far it may go
 *     GET   /v1/queue/tasks/{id}/events       its status at each change, as server-sent events
 *     GET   /v1/queue/jobs/{id}               one job, whole
 *     POST  /v1/queue/vector_search           what was found, by what it means
 *     GET   /v1/queue/auth                    what waits for a person
 *     POST  /v1/queue/auth/resolve            ... and what became of it
 *
 * One task is supervised, queue.service: it does the jobs (queue_run), and forgets finished
 * ones when their time is over.  In a drain no job is begun, those that run have two fifths of
 * its time and are queued again after that, and whoever waits is answered at once.
 *
 * Without a store there is no queue, and nothing of this is there.
 */
#ifndef WR_QUEUE_SERVICE_H
#define WR_QUEUE_SERVICE_H

#include "svc/queue/explorer.h"
#include "svc/queue/queue_desk.h"
#include "svc/queue/queue_work.h"
#include "svc/service.h"

struct queue_service;

/* What does the jobs: QUEUE_KINDS handlers, which are copied; NULL: they are left to other
 * nodes.  The explorer that they belong to, if they do, must outlive it.  Errors: NOMEM. */
wr_err queue_service_new(struct queue_service **ret, const struct queue_handler *handlers,
                         struct explorer *explorer);

/* For the node; it lives as long as the service. */
const struct node_service *queue_service_row(const struct queue_service *service);

/* Where its clients are served; its queue is NULL while it is not open.  It lives as long as
 * the service. */
struct queue_desk *queue_service_desk(struct queue_service *service);

/* No node may have it.  NULL is allowed. */
void queue_service_free(struct queue_service *service);

#endif
