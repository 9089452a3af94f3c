#include "svc/queue/queue_schema.h"

#include <jansson.h>
#include <string.h>

#include "svc/queue/queue_tool.h"
#include "testing/test.h"

TEST_PLAIN(every_tool_has_its_schema)
{
    static struct queue_desk desk;
    struct mcp_tool tools[QUEUE_TOOLS];
    queue_tools(tools, &desk);
    for (size_t i = 0; i < QUEUE_TOOLS; i++) {
        const struct queue_schema *schema = queue_schema(tools[i].name);
        CHECK_STR(tools[i].name, schema->name);
        CHECK(tools[i].fields == schema->fields && tools[i].output == schema->gives);
        json_t *gives = json_loads(schema->gives, 0, NULL);
        CHECK(gives);
        json_decref(gives);
    }
}

TEST_PLAIN(a_task_that_must_be_named_is_named_first)
{
    static struct queue_desk desk;
    struct mcp_tool tools[QUEUE_TOOLS];
    queue_tools(tools, &desk);
    for (size_t i = 0; i < QUEUE_TOOLS; i++)
        for (size_t j = 0; j < tools[i].field_count; j++) {
            const struct mcp_field *field = &tools[i].fields[j];
            CHECK(strcmp(field->name, "task_id") != 0 || !field->required || j == 0);
        }
}
