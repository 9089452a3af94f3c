/* queue_query.h - questions about what was found: in SQL, by named views, and what might be
 * looked at next.
 *
 *     err = queue_query_sql(desk, &said, &text, &why, deadline);
 *
 * SQL reads the tables of research and no other (store/sql_read.h): one statement, cut off by
 * its time and its steps.  A statement that is wrong is a failure with a sentence, and a hint
 * where people often go wrong.
 */
#ifndef WR_QUEUE_QUERY_H
#define WR_QUEUE_QUERY_H

#include "svc/queue/queue_desk.h"

/* As what queue_desk.h has. */

/* sql, options.{limit,timeout_ms,max_vm_steps,include_schema} */
wr_err queue_query_sql(struct queue_desk *desk, const struct queue_said *said,
                       struct wr_text *text, struct queue_why *why, wr_time deadline);

/* view_name, task_id, limit */
wr_err queue_query_view(struct queue_desk *desk, const struct queue_said *said,
                        struct wr_text *text, struct queue_why *why, wr_time deadline);

wr_err queue_list_views(struct queue_desk *desk, const struct queue_said *said,
                        struct wr_text *text, struct queue_why *why, wr_time deadline);

/* include_ids or exclude_ids, limit, dry_run, options.priority: pages that pages of the task
 * cite, as targets. */
wr_err queue_query_candidates(struct queue_desk *desk, const char *task,
                              const struct queue_said *said, struct wr_text *text,
                              struct queue_why *why, wr_time deadline);

#endif
