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

TEST(a_tool_answers_with_text_and_with_what_is_structured)
{
    client_begin(&client);
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
              "\"text\":\"hi\\\"hi\\\"\"}],"
              "\"structuredContent\":{\"bytes\":6, \"file\":false} ,"
              "\"isError\":false}}\n",
              ask("tools/call", "\"name\":\"echo\",\"arguments\":{\"text\":\"hi\\\"\","
                                "\"times\":2}"));
    client_close(&client);
}

TEST(a_tool_that_fails_says_why_and_nothing_structured)
{
    client_begin(&client);
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
              "\"text\":\"the \\\"disk\\\" is full\"}],\"isError\":true}}\n",
              ask("tools/call", "\"name\":\"fail\""));
    CHECK(has(ask("tools/call", "\"name\":\"fail\",\"arguments\":{\"silent\":true}"),
              "\"text\":\"not there\""));
    client_close(&client);
}

TEST(wrong_arguments_are_an_error_of_the_tool_that_a_model_can_mend)
{
    client_begin(&client);
    const char *heard = ask("tools/call", "\"name\":\"echo\",\"arguments\":{\"txt\":\"x\"}");
    CHECK(has(heard, "there is no argument \\\"txt\\\""));
    CHECK(has(heard, "\"isError\":true"));
    CHECK_EQ(MCP_OK, client.last.code);
    client_close(&client);
}

TEST(a_tool_that_is_not_there_is_an_error_of_the_protocol)
{
    client_begin(&client);
    CHECK(has(ask("tools/call", "\"name\":\"ecko\""),
              "\"code\":-32602,\"message\":\"there is no tool \\\"ecko\\\"; there are: echo, "
              "slow, fail, flood, brief\""));
    CHECK(!client.last.refused);
    CHECK(has(ask("tools/call", "\"name\":7"), "params.name must be a string"));
    CHECK(has(ask("tools/call", "\"name\":\"echo\",\"arguments\":[]"),
              "params.arguments must be an object"));
    client_close(&client);
}

TEST(an_answer_that_is_too_large_is_an_error)
{
    client_begin(&client);
    CHECK(has(ask("tools/call", "\"name\":\"flood\""), "too large to be sent"));
    CHECK(has(client.heard.at, "\"isError\":true"));
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

TEST(a_prompt_is_filled_in_with_what_is_given_and_nothing_else)
{
    client_begin(&client);
    CHECK(has(ask("prompts/get", "\"name\":\"greet\",\"arguments\":{\"who\":\"{how}\"}"),
              "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":"
              "\"Greet {how} , not {whom}. {\"}}]"));
    client_close(&client);
}

TEST(a_prompt_without_what_it_needs_is_refused)
{
    client_begin(&client);
    CHECK(has(ask("prompts/get", "\"name\":\"greet\""), "\"code\":-32602"));
    CHECK(has(ask("prompts/get", "\"name\":\"leave\""), "there is no prompt \\\"leave\\\""));
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

TEST(a_resource_is_read_by_its_uri)
{
    client_begin(&client);
    CHECK(has(ask("resources/read", "\"uri\":\"test://item/x/y\""),
              "{\"contents\":[{\"uri\":\"test://item/x/y\",\"mimeType\":\"text/plain\","
              "\"text\":\"<x/y>\"}]}"));
    CHECK(has(ask("resources/read", "\"uri\":\"test://fixed\""), "\"text\":\"<>\""));
    client_close(&client);
}

TEST(a_resource_that_is_not_there_has_the_code_of_its_era)
{
    client_begin(&client);
    CHECK(has(ask("resources/read", "\"uri\":\"test://fixed/\""), "\"code\":-32002"));
    CHECK(has(ask("resources/read", "\"uri\":\"test://item/\""), "\"code\":-32002"));
    CHECK(has(ask("resources/read", "\"uri\":\"test://item/missing\""), "\"code\":-32002"));
    CHECK(has(ask("resources/read", "\"uri\":\"test://item/missing\"," RIG_META),
              "\"code\":-32602"));
    CHECK(has(ask("resources/read", "\"uri\":\"test://item/broken\""), "\"code\":-32603"));
    client_close(&client);
}

TEST(what_is_read_may_not_be_kept_but_lists_may)
{
    client_begin(&client);
    CHECK(has(ask("resources/read", "\"uri\":\"test://fixed\"," RIG_META),
              "\"ttlMs\":0,\"cacheScope\":\"private\""));
    CHECK(has(ask("resources/list", RIG_META), "\"ttlMs\":300000,\"cacheScope\":\"public\""));
    CHECK(!has(ask("tools/call", "\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}," RIG_META),
               "ttlMs"));
    client_close(&client);
}

TEST(who_listens_hears_that_nothing_changes_and_then_the_end)
{
    struct wr_scope *scope = scope_open();
    client_begin(&client);
    client_start(&client, scope,
                 "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":"
                 "\"subscriptions/"
                 "listen\",\"params\":{\"notifications\":{\"toolsListChanged\":true}," RIG_META
                 "}}");
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\","
              "\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":4},"
              "\"notifications\":{}}}\n", client.heard.at);
    wr_text_rewind(&client.heard, 0);
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    CHECK(has(client.heard.at, "\"io.modelcontextprotocol/subscriptionId\":4"));
    CHECK(has(client.heard.at, "\"resultType\":\"complete\""));
    client_close(&client);
}
