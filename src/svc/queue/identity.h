/* identity.h - names of tasks and jobs, and the keys under which a job is the same as another.
 *
 *     char id[QUEUE_ID], key[QUEUE_KEY];
 *     queue_id(id, "tq_");                                "tq_01jd3x..."
 *     queue_key(key, task, "query", text, len);  "9f3c..."
 */
#ifndef WR_QUEUE_IDENTITY_H
#define WR_QUEUE_IDENTITY_H

#include <stddef.h>

#define QUEUE_ID 40                     /* with the zero byte */
#define QUEUE_KEY 33

/* A new one: it sorts by time.  Returns buf. */
const char *queue_id(char buf[QUEUE_ID], const char *prefix);

/* Of a task, a kind of job or target, and what makes it the same as another: half a hash of
 * them, as every open job has its key in an index, and what is short stays together there.
 * Returns buf. */
const char *queue_key(char buf[QUEUE_KEY], const char *task, const char *kind,
                      const char *what, size_t len);

#endif
