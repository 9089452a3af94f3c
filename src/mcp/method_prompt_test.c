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
