/* queue_events.h - the status of a task at each change, as events that a server sends.
 *
 *     static wr_err get_events(struct wr_call *call)
 *     {
 *         ...
 *         return queue_events(call, desk, wr_call_param(call, "id"));
 *     }
 *
 * Each event is a status, and its id the change of that: who has lost the connection goes on
 * after the last that he has seen (Last-Event-ID).  It ends when the client goes, when too many
 * follow something, and when the node drains.
 */
#ifndef WR_QUEUE_EVENTS_H
#define WR_QUEUE_EVENTS_H

#include <weir/http.h>

#include "svc/queue/queue_desk.h"

/* Of a task that there is.  Errors: those of the connection; NOMEM. */
wr_err queue_events(struct wr_call *call, struct queue_desk *desk, const char *task);

#endif
