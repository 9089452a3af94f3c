#include "testing/mcp_rig.h"

static struct client client;

static const char *ask(const char *method, const char *params)
{
    static char says[2000];
    snprintf(says, sizeof(says),
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s}}", method,
             params);
    return client_say(&client, says);
}

TEST(tools_are_listed_with_schemas_and_hints_in_the_order_of_the_table)
{
    client_begin(&client);
    const char *heard = ask("tools/list", "");
    CHECK(has(heard, "{\"tools\":[{\"name\":\"echo\",\"title\":\"Echo\","
                     "\"description\":\"Gives back a text.\","
                     "\"inputSchema\":{\"type\":\"object\",\"properties\":{"));
    CHECK(has(heard, "\"outputSchema\":{\"type\":\"object\"},"
                     "\"annotations\":{\"title\":\"Echo\",\"readOnlyHint\":true,"
                     "\"destructiveHint\":false,\"idempotentHint\":true,"
                     "\"openWorldHint\":false}},{\"name\":\"slow\","));
    CHECK(has(heard, "\"path\""));
    client.peer.local = false;
    CHECK(!has(ask("tools/list", ""), "\"path\""));
    client_close(&client);
}

TEST(a_list_comes_whole_so_a_cursor_is_refused)
{
    client_begin(&client);
    CHECK(has(ask("tools/list", "\"cursor\":\"x\""), "\"code\":-32602"));
    CHECK(has(ask("prompts/list", "\"cursor\":\"x\""), "\"code\":-32602"));
    CHECK(has(ask("resources/list", "\"cursor\":\"x\""), "\"code\":-32602"));
    client_close(&client);
}

TEST(prompts_are_listed_with_their_arguments)
{
    client_begin(&client);
    CHECK(has(ask("prompts/list", ""),
              "{\"prompts\":[{\"name\":\"greet\",\"title\":\"Greet\",\"description\":\"Greets "
              "somebody.\",\"arguments\":[{\"name\":\"who\",\"description\":\"whom to greet\","
              "\"required\":true},{\"name\":\"how\",\"description\":\"in which words\","
              "\"required\":false}]}]}"));
    client_close(&client);
}

TEST(resources_and_templates_are_listed_apart)
{
    client_begin(&client);
    CHECK(has(ask("resources/list", ""), "{\"resources\":[{\"uri\":\"test://fixed\",\"name\":"
              "\"fixed\",\"description\":\"One thing.\",\"mimeType\":\"text/plain\"}]}"));
    CHECK(has(ask("resources/templates/list", ""),
              "{\"resourceTemplates\":[{\"uriTemplate\":\"test://item/{id}\","));
    client_close(&client);
}
