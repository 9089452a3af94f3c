/* queue_route.h - the queue over HTTP: what is at which path (queue_service.h lists it).
 *
 *     struct wr_route routes[QUEUE_ROUTES];
 *     queue_routes(routes, desk);
 *
 * What is refused is answered as application/problem+json, with the word of the queue as
 * "error_code" and the argument that it is about as "param":
 *
 *     {"type":"urn:weir:problem:TASK_NOT_FOUND","title":"not there","status":404,
 *      "detail":"there is no task ...","error_code":"TASK_NOT_FOUND","param":"task_id",...}
 */
#ifndef WR_QUEUE_ROUTE_H
#define WR_QUEUE_ROUTE_H

#include <weir/http.h>

#include "svc/queue/queue_desk.h"

#define QUEUE_ROUTES 13

/* The desk must outlive whoever serves them. */
void queue_routes(struct wr_route ret[QUEUE_ROUTES], struct queue_desk *desk);

#endif
