/* queue_begin.h - a task and its first targets, in one call.
 *
 *     err = queue_begin(desk, &said, &text, &why, deadline);
 *
 * It takes what queue_desk_create takes, and, if there is something to look at already, what
 * queue_desk_submit takes: all of it is good, or no task is made.  The answer is that of the
 * first with that of the second.  Errors: as theirs.
 */
#ifndef WR_QUEUE_BEGIN_H
#define WR_QUEUE_BEGIN_H

#include "svc/queue/queue_desk.h"

/* hypothesis, config, targets, options */
wr_err queue_begin(struct queue_desk *desk, const struct queue_said *said, struct wr_text *text,
                   struct queue_why *why, wr_time deadline);

#endif
