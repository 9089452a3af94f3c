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
