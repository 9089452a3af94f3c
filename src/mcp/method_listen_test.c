#include "mcp/news.h"

#include "testing/mcp_rig.h"

static struct client client;

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

/* ---- what changes ---- */

static struct mcp_offer changing;

static void news_open(void)
{
    changing = rig_offer;
    CHECK_OK(mcp_news_new(&changing.news));
    client_open_with(&client, &changing);
    client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
                        "{\"protocolVersion\":\"2025-11-25\"}}");
}

static void news_close(struct wr_scope *scope)
{
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    client_close(&client);
    mcp_news_free(changing.news);
}

static const char *tell(const char *uri)
{
    wr_text_rewind(&client.heard, 0);
    mcp_news_tell(changing.news, uri);
    settle();
    return client.heard.at;
}

TEST(a_modern_client_hears_of_the_resources_it_named)
{
    struct wr_scope *scope = scope_open();
    news_open();
    wr_text_rewind(&client.heard, 0);
    client_start(&client, scope,
                 "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"subscriptions/listen\",\"params\":"
                 "{\"notifications\":{\"resourceSubscriptions\":[\"test://fixed\",7]},"
                 RIG_META "}}");
    CHECK(has(client.heard.at,
              "\"notifications\":{\"resourceSubscriptions\":[\"test://fixed\"]}"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":"
              "{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":4},\"uri\":"
              "\"test://fixed\"}}\n", tell("test://fixed"));
    CHECK_STR("", tell("test://other"));
    for (int i = 0; i < 300; i++)
        mcp_news_tell(changing.news, "test://other");
    CHECK(has(tell("test://other"), "\"uri\":\"test://fixed\""));   /* it fell behind */
    news_close(scope);
}

static wr_err speak(void *arg)
{
    (void)arg;
    return mcp_session_speak(client.session, &client.peer);
}

TEST(a_legacy_session_hears_of_what_it_subscribed_to)
{
    struct wr_scope *scope = scope_open();
    news_open();
    CHECK_OK(wr_scope_go(scope, "test.speak", speak, NULL));
    settle();
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
                                  "\"params\":{\"protocolVersion\":\"2025-11-25\"}}"),
              "\"resources\":{\"subscribe\":true}"));
    CHECK_STR("", tell("test://fixed"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
              client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                         "\"resources/subscribe\",\"params\":{\"uri\":\"test://fixed\"}}"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":"
              "{\"uri\":\"test://fixed\"}}\n", tell("test://fixed"));
    CHECK_STR("", tell("test://other"));
    client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/unsubscribe\","
                        "\"params\":{\"uri\":\"test://fixed\"}}");
    CHECK_STR("", tell("test://fixed"));
    news_close(scope);
}

TEST(a_session_remembers_so_many_resources_and_no_more)
{
    struct wr_scope *scope = scope_open();
    char says[500];
    news_open();
    for (int i = 0; i <= MCP_LISTENS_MAX; i++) {
        snprintf(says, sizeof(says), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                 "\"resources/subscribe\",\"params\":{\"uri\":\"test://%d\"}}", i);
        client_say(&client, says);
        CHECK_EQ(i == MCP_LISTENS_MAX, has(client.heard.at, "\"code\":429"));
    }
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                         "\"resources/subscribe\",\"params\":{\"uri\":\"test://0\"}}"),
              "\"result\":{}"));
    snprintf(says, sizeof(says), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
             "\"resources/subscribe\",\"params\":{\"uri\":\"%0*d\"}}", MCP_URI_MAX, 0);
    CHECK(has(client_say(&client, says), "\"code\":-32602"));
    news_close(scope);
}

TEST(where_nothing_changes_nothing_can_be_subscribed_to)
{
    client_begin(&client);
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                         "\"resources/subscribe\",\"params\":{\"uri\":\"test://0\"}}"),
              "\"code\":-32601"));
    client_close(&client);
}
