/* identity.h - names of tasks and jobs, and the keys under which a job is the same as another.
 *
 *     char id[QUEUE_ID], key[QUEUE_KEY];
 *     queue_id(id, "tq_");                                "tq_01jd3x..."
 *     queue_key(key, task, "target_queue", "query/...");  "task_01.../9f3c..."
 */
#ifndef WR_QUEUE_IDENTITY_H
#define WR_QUEUE_IDENTITY_H

#define QUEUE_ID 40                     /* with the zero byte */
#define QUEUE_KEY 160

/* A new one: it sorts by time.  Returns buf. */
const char *queue_id(char buf[QUEUE_ID], const char *prefix);

/* Of a task, a kind of job, and whatever makes it the same as another.  Returns buf. */
const char *queue_key(char buf[QUEUE_KEY], const char *task, const char *kind,
                      const char *what);

#endif
