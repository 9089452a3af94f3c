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
