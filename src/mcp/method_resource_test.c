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

static wr_err read_bytes(struct mcp_request *request)
{
    wr_text_str(mcp_request_text(request), mcp_request_rest(request));
    mcp_request_media(request, "image/png", true);
    return WR_OK;
}

static const struct mcp_resource between[] = {
    { .uri = "test://a/{id}/data", .name = "data", .what = "Bytes.", .media = "text/plain",
      .read = read_bytes } };
static const struct mcp_offer bytes = { .name = "b", .version = "1", .resources = between,
                                        .resource_count = 1 };

TEST(a_name_may_stand_in_the_middle_and_bytes_be_no_text)
{
    client_open_with(&client, &bytes);
    CHECK(has(ask("resources/read", "\"uri\":\"test://a/7/data\"," RIG_META),
              "{\"uri\":\"test://a/7/data\",\"mimeType\":\"image/png\",\"blob\":\"Nw==\"}"));
    ask("resources/read", "\"uri\":\"test://a//data\"," RIG_META);
    CHECK(has(client.heard.at, "\"code\":-32602"));
    ask("resources/read", "\"uri\":\"test://a/data\"," RIG_META);
    CHECK(has(client.heard.at, "\"code\":-32602"));
    CHECK(has(ask("resources/read", "\"uri\":\"test://a/7/dat\"," RIG_META),
              "\"data\":{\"uri\":\"test://a/7/dat\"}"));
    client_close(&client);
}
