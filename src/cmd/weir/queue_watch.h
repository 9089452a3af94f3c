/* queue_watch.h - following a task until nothing of it is left to do.
 *
 * How it goes is told on standard error, a line for each change; at the end its whole status on
 * standard output.  An interrupt ends the watching, not the task.
 */
#ifndef WEIR_CMD_QUEUE_WATCH_H
#define WEIR_CMD_QUEUE_WATCH_H

#include "cmd/weir/queue_ask.h"

#define QUEUE_GIVEN_UP 130              /* as a shell has it for an interrupt */

/* The exit status: 0 all is done, 1 something has failed, 2 it could not be watched, 3 what is
 * left waits for a person, QUEUE_GIVEN_UP it was interrupted. */
int queue_watch(struct queue_asking *asking, const char *task);

#endif
