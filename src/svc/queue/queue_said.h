/* queue_said.h - what was said to the queue: arguments by their names, from whatever side.
 *
 *     struct queue_said said = { of_body, body };
 *     err = queue_said_number(queue_said_get(&said, "limit"), "limit", 1, 200, &limit, &why);
 *
 * An argument that is null was not given.
 */
#ifndef WR_QUEUE_SAID_H
#define WR_QUEUE_SAID_H

#include <stdint.h>

#include <jansson.h>

#include "svc/queue/queue_why.h"

struct queue_said {
    const json_t *(*get)(const void *from, const char *name);   /* NULL: it was not given */
    const void *from;
};

/* NULL: it was not given. */
const json_t *queue_said_get(const struct queue_said *said, const char *name);

/* A whole number from min to max, of an argument or a part of one; *ret stays as it is where
 * none is given.  Errors: INVALID, and *why names it. */
wr_err queue_said_number(const json_t *value, const char *name, int64_t min, int64_t max,
                         int64_t *ret, struct queue_why *why);

#endif
