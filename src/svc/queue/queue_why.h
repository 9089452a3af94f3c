/* queue_why.h - why the queue does not do what it was asked to.
 *
 *     return queue_why_say(why, WR_NOTFOUND, "TASK_NOT_FOUND", "task_id",
 *                          "there is no task \"%.60s\"", task);
 *
 * The word is for programs, the sentence for whoever reads it.
 */
#ifndef WR_QUEUE_WHY_H
#define WR_QUEUE_WHY_H

#include <weir/err.h>

/* "TASK_NOT_FOUND", which argument it is about (or ""), and a sentence; what is longer is
 * cut. */
struct queue_why { char code[32], param[40], text[400]; };

/* Returns err. */
wr_err queue_why_say(struct queue_why *why, wr_err err, const char *code, const char *param,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
