/* queue_desk.h - what clients ask of the queue, whatever they come by: arguments in, JSON out.
 *
 *     struct queue_said said = { .get = of_body, .from = body };
 *     err = queue_desk_create(desk, &said, &text, &why, deadline);
 *     if (err)
 *         ...why.code, why.param, why.text, or if there is no code the error itself
 *
 * Routes (queue_service.h) and tools (queue_tool.h) differ in how they are asked and in how
 * they fail; what they take and what they say is this.  Arguments have the same names in both.
 */
#ifndef WR_QUEUE_DESK_H
#define WR_QUEUE_DESK_H

#include <stdatomic.h>

#include <jansson.h>

#include "base/text.h"
#include "svc/queue/queue.h"
#include "svc/queue/queue_said.h"

#define QUEUE_SCOPE "queue.use"                 /* of its routes, and of tools that write */
#define QUEUE_ANSWER_MAX ((size_t)4 << 20)      /* bytes of JSON */
#define QUEUE_SECONDS_MAX ((int64_t)30 * 24 * 3600) /* that a task may ask for */

struct meaning;                         /* meaning.h */

struct queue_desk {
    struct queue *queue;                /* NULL: there is none here */
    const struct meaning *meaning;      /* or NULL: no models */
    _Atomic int64_t pages_max;          /* that a task gets, and may ask for at a time */
    _Atomic int64_t seconds_max;        /* that a task gets */
};

/* Each writes an object of JSON into *text.  Errors: INVALID, NOTFOUND, DENIED and BUSY come
 * with a reason in *why; others may have none. */

/* hypothesis, config.budget.{max_pages,max_seconds} */
wr_err queue_desk_create(struct queue_desk *desk, const struct queue_said *said,
                         struct wr_text *text, struct queue_why *why, wr_time deadline);

/* targets, options (target.h) */
wr_err queue_desk_submit(struct queue_desk *desk, const char *task,
                         const struct queue_said *said, struct wr_text *text,
                         struct queue_why *why, wr_time deadline);

/* max_pages, max_seconds */
wr_err queue_desk_budget(struct queue_desk *desk, const char *task,
                         const struct queue_said *said, struct wr_text *text,
                         struct queue_why *why, wr_time deadline);

/* reason, mode, scope */
wr_err queue_desk_stop(struct queue_desk *desk, const char *task,
                       const struct queue_said *said, struct wr_text *text,
                       struct queue_why *why, wr_time deadline);

/* `cleared`: whether all that was its alone is gone already; else it will be soon. */
wr_err queue_desk_remove(struct queue_desk *desk, const char *task, struct wr_text *text,
                         struct queue_why *why, wr_time deadline);

/* task_id, group_by, priority_filter */
wr_err queue_desk_auths(struct queue_desk *desk, const struct queue_said *said,
                        struct wr_text *text, struct queue_why *why, wr_time deadline);

/* target, queue_id, domain, task_id, action, success */
wr_err queue_desk_resolve(struct queue_desk *desk, const struct queue_said *said,
                          struct wr_text *text, struct queue_why *why, wr_time deadline);

/* What somebody has looked at; `full` says more. */
wr_err queue_desk_status(struct queue_desk *desk, const struct queue_look_at *at, bool full,
                         struct wr_text *text, wr_time deadline);

/* The newest tasks, from before this one on (NULL: from the newest on): 1 to
 * STORE_TASK_LIST_MAX of them. */
wr_err queue_desk_tasks(struct queue_desk *desk, const char *before, size_t max,
                        struct wr_text *text, wr_time deadline);

wr_err queue_desk_job(struct queue_desk *desk, const char *id, struct wr_text *text,
                      struct queue_why *why, wr_time deadline);

/* Words of arguments: the last of each is NULL. */
extern const char *const queue_stop_reasons[], *const queue_stop_modes[],
    *const queue_stop_scopes[], *const queue_auth_targets[], *const queue_auth_actions[],
    *const queue_auth_groups[], *const queue_auth_filters[], *const queue_details[];

#endif
