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
              "slow, fail, flood, brief, panic\""));
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
