/* index_tool_test.c - the index, for agents. */
#include "svc/index/index_tool.h"

#include "mcp/endpoint.h"
#include "store/blob.h"
#include "testing/index_node_rig.h"
#include "testing/mcp_rig.h"
#include "testing/token_rig.h"

#define CALL(tool, arguments) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"," \
    "\"params\":{\"name\":\"" tool "\",\"arguments\":{" arguments "}," RIG_META "}}"

static struct rig node;
static struct mcp_tool tools[INDEX_TOOLS + 1];
static struct mcp_offer offer;
static struct client client;

static void begin(void)
{
    index_node_begin(&node, (const char *const[]){ "--index-addr=tcp://203.0.113.9:7", NULL });
    index_tools(tools, index_service_desk(service));
    offer = (struct mcp_offer){ .name = "index", .version = "1", .tools = tools,
                                .tool_count = INDEX_TOOLS };
    client_open_with(&client, &offer);
}

static void end(void)
{
    client_close(&client);
    index_node_end(&node);
}

TEST(what_an_agent_publishes_it_finds)
{
    begin();
    const char *heard = client_say(&client, CALL("index_publish", "\"cid\":\"" CID_OF("a")
                                                 "\",\"name\":\"Weir.Example\""));
    CHECK(has(heard, "\"key\":\"name:weir.example\",\"cid\":\"" CID_OF("a") "\""));
    heard = client_say(&client, CALL("index_resolve", "\"key\":\"name:weir.example\""));
    CHECK(has(heard, "\"manifest_cid\":\"" CID_OF("a") "\""));
    CHECK(has(heard, "\"isError\":false"));
    CHECK(has(client_say(&client, CALL("index_publish", "\"cid\":\"" CID_OF("a") "\"")),
              "this node does not have " CID_OF("a") " in its store"));
    char cid[WR_CID_TEXT], call[600];
    CHECK_OK(store_blob_put(index_service_desk(service)->store, "abc", 3, cid, WR_NEVER));
    snprintf(call, sizeof(call), CALL("index_publish", "\"cid\":\"%s\""), cid);
    CHECK(has(client_say(&client, call), "\"isError\":false"));
    snprintf(call, sizeof(call), CALL("index_providers", "\"cid\":\"%s\""), cid);
    heard = client_say(&client, call);
    CHECK(has(heard, "\"addr\":\"tcp://203.0.113.9:7\""));
    end();
}

TEST(what_is_not_known_or_wrong_is_told_as_such)
{
    begin();
    CHECK(has(client_say(&client, CALL("index_providers", "\"cid\":\"" CID_OF("b") "\"")),
              "that does not mean that there is none"));
    CHECK(has(client_say(&client, CALL("index_resolve", "\"key\":\"weir.example\"")),
              "\"isError\":true"));
    CHECK(has(client_say(&client, CALL("index_providers", "\"cid\":\"name:a\"")),
              "resolve has that of a name"));
    CHECK(has(client_say(&client, CALL("index_publish", "\"cid\":\"" CID_OF("a")
                                       "\",\"name\":\"a..b\"")), "\\\"name\\\": "));
    end();
}

/* ---- over HTTP ---- */

/* A node with an index and /mcp. */
static struct mcp_endpoint *endpoint;
static struct wr_route mcp_routes[MCP_ROUTE_COUNT];
static struct node_service rows[2];

static void begin_http(const char *flag, const char *value)
{
    CHECK_OK(index_service_new(&service));
    index_tools(tools, index_service_desk(service));
    tools[INDEX_TOOLS] = (struct mcp_tool){ .name = "slow", .what = "Waits.",
                                            .handler = rig_slow };
    offer = (struct mcp_offer){ .name = "index", .version = "1", .tools = tools,
                                .tool_count = INDEX_TOOLS + 1 };
    CHECK_OK(mcp_endpoint_new(&endpoint, &offer));
    mcp_endpoint_routes(endpoint, mcp_routes);
    mcp_routes[MCP_ROUTE_POST].policy = &node_waits;
    rows[0] = *index_service_row(service);
    rows[1] = (struct node_service){ .name = "mcp", .routes = mcp_routes,
                                     .route_count = MCP_ROUTE_COUNT };
    rig_tables[1] = &index_keys;
    rig_service = rows;
    rig_service_count = 2;
    rig_begin(&node, (const char *const[]){ "--index-dhtnode=off",
                                            "--index-addr=tcp://203.0.113.9:7", flag, value,
                                            NULL });
    rig_service_count = 1;
    settle();
}

static void end_http(void)
{
    index_node_end(&node);
    mcp_endpoint_free(endpoint);
}

#define HEADERS "Content-Type: application/json\r\nAccept: application/json, " \
    "text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"

static int call_tool(const char *headers, const char *tool, const char *body)
{
    char all[TOKEN_HEADER_MAX + 300];
    snprintf(all, sizeof(all), "%s" HEADERS "Mcp-Name: %s\r\n", headers, tool);
    return index_node_send(&node, "POST", "/mcp", all, body);
}

#define PUBLISH CALL("index_publish", "\"cid\":\"" CID_OF("a") "\",\"name\":\"weir.example\"")
#define RESOLVE CALL("index_resolve", "\"key\":\"name:weir.example\"")

TEST(to_publish_by_mcp_takes_the_scope_that_it_takes_by_http)
{
    struct token_rig tokens;
    char header[TOKEN_HEADER_MAX];
    token_rig_open(&tokens);
    begin_http("--auth-key-path", tokens.path);
    token_rig_header(&tokens, header, "mcp.use index.read", NULL);
    CHECK_EQ(403, call_tool(header, "index_publish", PUBLISH));
    CHECK(says("index.admin"));
    CHECK_EQ(200, call_tool(header, "index_resolve", RESOLVE));
    CHECK(says("\"isError\":true"));                           /* it was not published */
    token_rig_header(&tokens, header, "mcp.use index.admin", NULL);
    CHECK_EQ(200, call_tool(header, "index_publish", PUBLISH));
    CHECK(says("\"isError\":false"));
    token_rig_header(&tokens, header, "index.admin", NULL);
    CHECK_EQ(403, call_tool(header, "index_publish", PUBLISH));
    CHECK_EQ(200, call_tool("", "index_publish", PUBLISH));     /* loopback, without a token */
    CHECK(says("\"isError\":false"));
    end_http();
    token_rig_close(&tokens);
}

TEST(a_quota_counts_what_is_asked_by_http_and_by_mcp_together)
{
    begin_http("--index-quotas-resolves-per-min=3", NULL);
    CHECK_EQ(200, call_tool("", "index_publish", PUBLISH));
    CHECK_EQ(200, rig_get(&node, "/resolve/name:weir.example", &answer));
    CHECK_EQ(200, call_tool("", "index_resolve", RESOLVE));
    CHECK(says("\"isError\":false"));
    CHECK_EQ(200, call_tool("X-Tenant: t\r\n", "index_resolve", RESOLVE));
    CHECK_EQ(200, call_tool("X-Tenant: u\r\n", "index_resolve", RESOLVE));
    CHECK(says("the quota of this minute is used up; try again in 20 s"));
    CHECK_EQ(429, rig_get(&node, "/resolve/name:weir.example", &answer));
    CHECK_EQ(200, rig_ask_from(&node, "127.0.0.2", "/resolve/name:weir.example", "", &answer));
    end_http();
}

#define AGENTS 33

static struct wr_stream *wait_from(const char *from)
{
    static const char body[] = CALL("slow", "");
    char request[1500];
    struct wr_stream *stream = rig_dial_from(&node.face.http, from);
    snprintf(request, sizeof(request), "POST /mcp HTTP/1.1\r\nHost: localhost\r\n" HEADERS
             "Mcp-Name: slow\r\nContent-Length: %zu\r\n\r\n%s", sizeof(body) - 1, body);
    rig_say(stream, request);
    settle();
    return stream;
}

TEST(of_33_agents_at_one_address_one_is_429_and_who_waits_keeps_nobody_else_out)
{
    struct wr_stream *streams[AGENTS];
    begin_http(NULL, NULL);
    for (int i = 0; i < AGENTS; i++)
        streams[i] = wait_from("127.0.0.2");
    CHECK_EQ(429, rig_hear(streams[AGENTS - 1], &answer));
    CHECK(says("mailbox: "));
    CHECK(head_says("Retry-After: "));
    wr_time before = wr_now();
    CHECK_EQ(200, call_tool("", "index_publish", PUBLISH));     /* at another address */
    CHECK(says("\"isError\":false"));
    CHECK(wr_now() - before < WR_MS(100));
    for (int i = 0; i < AGENTS - 1; i++)
        CHECK_EQ(200, rig_hear(streams[i], &answer));
    settle();
    wr_stream_close(streams[0]);
    streams[0] = wait_from("127.0.0.2");
    CHECK_EQ(200, rig_hear(streams[0], &answer));
    for (int i = 0; i < AGENTS; i++)
        wr_stream_close(streams[i]);
    end_http();
}
