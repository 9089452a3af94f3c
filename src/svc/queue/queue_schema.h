/* queue_schema.h - what the tools of the queue take and give, as schemas.
 *
 *     const struct queue_schema *schema = queue_schema("stop_task");
 *     ...schema->fields, schema->gives
 *
 * A route has the arguments of the tool of the same purpose, but for the task, which its path
 * names, and answers with the same.
 */
#ifndef WR_QUEUE_SCHEMA_H
#define WR_QUEUE_SCHEMA_H

#include <stddef.h>

#include "mcp/offer.h"

struct queue_schema {
    const char *name;                   /* of the tool */
    const struct mcp_field *fields;     /* where there is a task_id that must be given, it is
                                         * the first */
    size_t field_count;
    const char *gives;                  /* JSON Schema */
};

/* Of a tool that there is. */
const struct queue_schema *queue_schema(const char *tool);

#endif
