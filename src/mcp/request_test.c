#include "mcp/request.h"

#include "testing/mcp_rig.h"

static struct client client;

#define SLOW(id, rest) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\"," \
    "\"params\":{\"name\":\"slow\"," rest "}}"

TEST(without_a_token_nothing_is_said_of_progress)
{
    client_begin(&client);
    client_say(&client, SLOW("1", "\"arguments\":{\"seconds\":60}"));
    CHECK_EQ(1, client.count);
    client_close(&client);
}

TEST(progress_is_told_to_who_has_given_a_token)
{
    client_begin(&client);
    const char *heard = client_say(&client, SLOW("1",
        "\"arguments\":{\"seconds\":3},\"_meta\":{\"progressToken\":\"t\"}"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
              "{\"progressToken\":\"t\",\"progress\":1,\"total\":3,\"message\":\"step 1\"}}\n"
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
              "{\"progressToken\":\"t\",\"progress\":2,\"total\":3,\"message\":\"step 2\"}}\n"
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
              "\"text\":\"done\"}],\"isError\":false}}\n", heard);
    client_close(&client);
}

TEST(a_silent_tool_gives_a_sign_of_life_every_ten_seconds_and_more_each_time)
{
    client_begin(&client);
    const char *heard = client_say(&client, SLOW("1",
        "\"arguments\":{\"seconds\":35,\"silent\":true},\"_meta\":{\"progressToken\":5}"));
    CHECK_EQ(4, client.count);
    CHECK(has(heard, "\"progressToken\":5,\"progress\":0}"));
    CHECK(has(heard, "\"progress\":0.01}"));
    CHECK(has(heard, "\"progress\":0.02}"));
    client_close(&client);
}

TEST(signs_of_life_never_reach_the_next_step)
{
    client_begin(&client);
    client_say(&client,
               SLOW("1",
                    "\"arguments\":{\"seconds\":1000,\"silent\":true},\"_meta\":{"
                    "\"progressToken\":5}"));
    CHECK(!has(client.heard.at, "\"progress\":1"));
    client_close(&client);
}

TEST(a_token_that_is_none_is_passed_over)
{
    client_begin(&client);
    client_say(&client, SLOW("1", "\"arguments\":{\"seconds\":3},"
                                  "\"_meta\":{\"progressToken\":{}}"));
    CHECK_EQ(1, client.count);
    client_close(&client);
}

TEST(a_canceled_call_ends_at_once_and_is_not_answered)
{
    struct wr_scope *scope = scope_open();
    client_begin(&client);
    wr_time start = wr_now();
    client_start(&client, scope, SLOW("\"a\"", "\"arguments\":{\"seconds\":100}"));
    client_say(&client, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                        "\"params\":{\"requestId\":\"b\"}}");
    settle();
    CHECK_EQ(1, wr_scope_live(scope));
    client_say(&client, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                        "\"params\":{\"requestId\":\"a\",\"reason\":\"enough\"}}");
    scope_done(scope);
    CHECK(wr_now() - start < WR_MS(1));
    CHECK_EQ(0, client.count);
    client_close(&client);
}

TEST(a_call_that_takes_too_long_is_ended_and_says_so)
{
    client_begin(&client);
    wr_time start = wr_now();
    const char *heard = client_say(&client,
                                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
                                   "call\",\"params\":{\"name\":\"brief\","
                                   "\"arguments\":{\"seconds\":100}}}");
    CHECK_EQ(WR_S(5), wr_now() - start);
    CHECK(has(heard, "\"text\":\"deadline passed\"}],\"isError\":true"));
    client_close(&client);
}

TEST(one_call_too_many_is_refused_and_the_others_go_on)
{
    struct wr_scope *scope = scope_open();
    client_begin(&client);
    for (int i = 0; i < MCP_CALLS_MAX; i++)
        client_start(&client, scope, SLOW("1", "\"arguments\":{\"seconds\":9}"));
    CHECK(has(client_say(&client, SLOW("2", "\"arguments\":{}")), "\"code\":429"));
    scope_done(scope);
    CHECK_EQ(MCP_CALLS_MAX + 1, client.answers);
    CHECK(has(client_say(&client, SLOW("3", "\"arguments\":{}")), "\"done\""));
    client_close(&client);
}

TEST(a_client_that_hears_nothing_any_more_ends_its_call)
{
    client_begin(&client);
    client.deaf = WR_BROKENPIPE;
    wr_time start = wr_now();
    client_say(&client, SLOW("1", "\"arguments\":{\"seconds\":100},\"_meta\":"
                                  "{\"progressToken\":5}"));
    CHECK(wr_now() - start <= WR_MS(1200));
    client_close(&client);
}

TEST(whoever_ends_the_connection_ends_the_call_which_is_still_answered)
{
    struct wr_scope *scope = scope_open();
    client_begin(&client);
    client_start(&client, scope, SLOW("1", "\"arguments\":{\"seconds\":100}"));
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    CHECK(has(client.heard.at, "canceled by its owner"));
    client_close(&client);
}

/* ---- what is logged ---- */

static wr_err log_two(struct mcp_request *request)
{
    mcp_request_log(request, MCP_INFO, "so %s", "far");
    mcp_request_log(request, MCP_ERROR, "so bad");
    return WR_OK;
}

static const struct mcp_tool loud[] = { { .name = "loud", .what = "Logs.",
                                          .handler = log_two } };
static const struct mcp_offer logging = { .name = "log", .version = "1", .tools = loud,
                                          .tool_count = 1, .logs = true };

static unsigned logged(const char *says)
{
    client.count = 0;
    client_say(&client, says);
    return client.count - 1;
}

#define LOUD(rest) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":" \
                   "{\"name\":\"loud\"" rest "}}"
#define LEVEL(level) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\"," \
                     "\"params\":{\"level\":" level "}}"
#define HEEDS(more) ",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
                    "\"io.modelcontextprotocol/clientCapabilities\":{}" more "}"

TEST(a_legacy_client_says_once_what_it_wants_to_hear)
{
    client_open_with(&client, &logging);
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
                         "\"params\":{\"protocolVersion\":\"2025-11-25\"}}"),
              "\"logging\":{}"));
    CHECK_EQ(1, logged(LOUD("")));
    CHECK(has(client.heard.at, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","
              "\"params\":{\"level\":\"error\",\"logger\":\"log\",\"data\":\"so bad\"}}"));
    CHECK(has(client_say(&client, LEVEL("\"debug\"")), "\"result\":{}"));
    CHECK_EQ(2, logged(LOUD("")));
    client_say(&client, LEVEL("\"alert\""));
    CHECK_EQ(0, logged(LOUD("")));
    CHECK(has(client_say(&client, LEVEL("\"loud\"")), "\"code\":-32602"));
    CHECK(has(client_say(&client, LEVEL("1")), "\"code\":-32602"));
    client_close(&client);
}

TEST(a_modern_client_says_it_with_each_request_or_hears_nothing)
{
    client_open_with(&client, &logging);
    CHECK_EQ(0, logged(LOUD(HEEDS(""))));
    CHECK_EQ(2, logged(LOUD(HEEDS(",\"io.modelcontextprotocol/logLevel\":\"info\""))));
    CHECK_EQ(1, logged(LOUD(HEEDS(",\"io.modelcontextprotocol/logLevel\":\"notice\""))));
    CHECK_EQ(0, logged(LOUD(HEEDS(",\"io.modelcontextprotocol/logLevel\":7"))));
    client_close(&client);
}
