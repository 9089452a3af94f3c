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
