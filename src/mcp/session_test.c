#include "mcp/session.h"

#include "testing/mcp_rig.h"

static struct client client;

TEST(a_legacy_client_is_greeted_with_the_version_it_wants)
{
    client_open(&client);
    const char *heard = client_say(&client,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
        "{\"protocolVersion\":\"2025-03-26\",\"capabilities\":{}}}");
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-03-26\","
              "\"capabilities\":{\"tools\":{},\"prompts\":{},\"resources\":{}},"
              "\"instructions\":\"Be brief.\",\"serverInfo\":{\"name\":\"rig\","
              "\"title\":\"The rig\",\"version\":\"7\"}}}\n", heard);
    CHECK(mcp_session_begun(client.session));
    client_close(&client);
}

TEST(a_legacy_client_with_a_version_that_is_not_known_gets_the_latest)
{
    client_open(&client);
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
                                  "\"params\":{\"protocolVersion\":\"2026-07-28\"}}"),
              "\"protocolVersion\":\"2025-11-25\""));
    client_close(&client);
}

TEST(an_initialize_without_version_is_refused_and_begins_nothing)
{
    client_open(&client);
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}"),
              "{\"code\":-32602,\"message\":\"params.protocolVersion must be a string\"}"));
    CHECK(!mcp_session_begun(client.session));
    client_close(&client);
}

TEST(before_initialize_only_a_ping_is_answered)
{
    client_open(&client);
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
              client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"));
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"),
              "\"code\":-32602"));
    CHECK(client.last.refused);
    client_close(&client);
}

TEST(a_modern_request_is_answered_without_any_beginning)
{
    client_open(&client);
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":\"d\",\"result\":{\"supportedVersions\":"
              "[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\",\"2024-11-05\"],"
              "\"capabilities\":{\"tools\":{},\"prompts\":{},\"resources\":{}},"
              "\"instructions\":\"Be brief.\",\"resultType\":\"complete\",\"ttlMs\":300000,"
              "\"cacheScope\":\"public\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"
              "{\"name\":\"rig\",\"version\":\"7\"}}}}\n",
              client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":\"d\",\"method\":"
                                  "\"server/discover\",\"params\":{" RIG_META "}}"));
    client_close(&client);
}

TEST(a_modern_version_that_is_not_known_is_refused_with_those_that_are)
{
    client_open(&client);
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32022,\"message\":\"this "
              "version of the protocol is not supported\",\"data\":{\"supported\":"
              "[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\",\"2024-11-05\"],"
              "\"requested\":\"1900-01-01\"}}}\n",
              client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
                  "\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                  "\"1900-01-01\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}"));
    client_close(&client);
}

TEST(a_modern_request_must_say_what_its_client_can)
{
    client_open(&client);
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
                  "\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                  "\"2026-07-28\"}}}"), "\"code\":-32602"));
    CHECK(client.last.refused);
    client_close(&client);
}

TEST(a_modern_version_must_be_a_string)
{
    client_open(&client);
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
                  "\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":7}}}"),
              "\"code\":-32602"));
    client_close(&client);
}

TEST(both_eras_are_spoken_in_one_session)
{
    client_begin(&client);
    CHECK(!has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"),
               "resultType"));
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
                                  "\"params\":{" RIG_META "}}"), "resultType"));
    client_close(&client);
}

TEST(a_method_of_the_other_era_is_not_found)
{
    client_begin(&client);
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\","
                                  "\"params\":{" RIG_META "}}"), "\"code\":-32601"));
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                                  "\"server/discover\"}"), "\"code\":-32601"));
    CHECK_EQ(MCP_METHOD_NOT_FOUND, client.last.code);
    client_close(&client);
}

TEST(notifications_and_responses_are_not_answered)
{
    client_begin(&client);
    CHECK_STR("", client_say(&client, "{\"jsonrpc\":\"2.0\",\"method\":"
                                      "\"notifications/initialized\"}"));
    CHECK_STR("", client_say(&client, "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}"));
    CHECK_STR("", client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"));
    CHECK_STR("", client_say(&client, "{\"jsonrpc\":\"2.0\",\"method\":"
                  "\"notifications/cancelled\",\"params\":{\"requestId\":77}}"));
    client_close(&client);
}

TEST(what_cannot_be_read_is_answered_without_an_id)
{
    client_begin(&client);
    CHECK(has(client_say(&client, "{"), "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700"));
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":1}"),
              "{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-32600"));
    client_close(&client);
}

TEST(a_method_that_nobody_offers_is_not_there)
{
    static const struct mcp_offer bare = { .name = "bare", .version = "1" };
    client_begin(&client);
    mcp_session_free(client.session);
    CHECK_OK(mcp_session_new(&client.session, &bare));
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
                                  "\"params\":{\"protocolVersion\":\"2025-11-25\"}}"),
              "\"capabilities\":{}"));
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}"),
              "\"code\":-32601"));
    client_close(&client);
}
