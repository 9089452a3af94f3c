#include "mcp/bridge.h"

#include <stdatomic.h>
#include <string.h>

#include "mcp/endpoint.h"
#include "mcp/news.h"
#include "testing/agent_rig.h"
#include "testing/http_rig.h"
#include "testing/mcp_rig.h"

static struct site site;
static struct mcp_endpoint *endpoint;
static struct mcp_offer offer;
static struct wr_addr node;
static struct mcp_bridge conf;
static struct wr_route routes[MCP_ROUTE_COUNT];

static wr_err bridge_over(struct wr_fd *in, struct wr_fd *out)
{
    return mcp_bridge_serve(&conf, in, out);
}

static wr_err ask_name(struct mcp_request *request)
{
    const json_t *answer;
    wr_err err = mcp_request_ask(request, "name", "elicitation/create",
                                 json_pack("{s:s}", "message", "Who?"), &answer);
    wr_text_format(mcp_request_text(request), "hello %s",
                   json_string_value(json_object_get(answer, "x")));
    return err;
}

static struct mcp_tool tools[7];

/* How often a session was begun at the next node. */
static wr_handler node_post;
static atomic_int begun;

static wr_err count_post(struct wr_call *call)
{
    size_t len;
    const char *body = wr_call_body(call, &len);
    if (memmem(body, len, "\"initialize\"", 12))
        atomic_fetch_add(&begun, 1);
    return node_post(call);
}

static void open_node(void)
{
    offer = rig_offer;
    memcpy(tools, rig_tools, sizeof(rig_tools));
    tools[6] = (struct mcp_tool){ .name = "ask", .what = "Asks.", .handler = ask_name };
    offer.tools = tools;
    offer.tool_count = 7;
    CHECK_OK(mcp_news_new(&offer.news));
    CHECK_OK(mcp_endpoint_new(&endpoint, &offer));
    mcp_endpoint_routes(endpoint, routes);
    open_site_of(&site, 0, (struct wr_http_conf){ .routes = routes, .count = MCP_ROUTE_COUNT });
    node = *wr_listener_addr(site.listener);
}

static void join(void)
{
    open_node();
    conf = (struct mcp_bridge){ .node = &node };
    agent_open(bridge_over);
}

static void close_node(void)
{
    close_site(&site);
    mcp_endpoint_free(endpoint);
    mcp_news_free(offer.news);
}

static void part(void)
{
    agent_close();
    CHECK_OK(agent.result);
    close_node();
}

#define BEGIN "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":" \
              "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"elicitation\":{}}}}\n" \
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}\n"
#define CALL(id, name, rest) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\"," \
    "\"params\":{\"name\":\"" name "\"" rest "}}\n"
#define CANCEL(id) "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":" \
                   "{\"requestId\":" id "}}\n"

TEST(a_legacy_client_is_served_by_the_node)
{
    join();
    agent_say(BEGIN PING("1"));
    agent_hear(2);
    CHECK(has(agent.heard, "\"id\":0,\"result\":{\"protocolVersion\":\"2025-11-25\""));
    CHECK(has(agent.heard, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"));
    part();
}

TEST(a_modern_client_is_served_by_the_node_whatever_names_have_in_them)
{
    join();
    agent_say(CALL("1", "echo", ",\"arguments\":{\"text\":\"hi\"}," RIG_META));
    CHECK(has(agent_hear(1), "\"text\":\"hi\""));
    agent_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\",\"params\":{\"uri\":"
             "\"test://item/\xc3\xa9 =?\"," RIG_META "}}\n");
    CHECK(has(agent_hear(1), "\"text\":\"<\xc3\xa9 =?>\""));
    part();
}

TEST(progress_comes_as_lines_before_the_answer)
{
    join();
    agent_say(CALL("1", "slow", ",\"arguments\":{\"seconds\":2},\"_meta\":{\"progressToken\":9,"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}"));
    const char *heard = agent_hear(2);
    CHECK(has(heard, "notifications/progress"));
    CHECK(has(heard, "\"text\":\"done\""));
    part();
}

TEST(a_call_is_canceled_by_a_line_in_both_eras)
{
    join();
    agent_say(BEGIN);
    agent_hear(1);
    agent_say(CALL("1", "slow", ",\"arguments\":{\"seconds\":500}")
             CALL("2", "slow", ",\"arguments\":{\"seconds\":500}," RIG_META));
    settle();
    wr_time start = wr_now();
    agent_say(CANCEL("1") CANCEL("2") PING("3"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n", agent_hear(1));
    part();
    CHECK(wr_now() - start < WR_S(1));
}

TEST(a_call_that_is_canceled_by_the_next_line_is_never_sent)
{
    join();
    agent_say(BEGIN);
    agent_hear(1);
    wr_time start = wr_now();
    agent_say(CALL("1", "slow", ",\"arguments\":{\"seconds\":500}") CANCEL("1") PING("3"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n", agent_hear(1));
    part();
    CHECK(wr_now() - start < WR_S(1));
}

TEST(what_the_node_asks_goes_to_the_client_and_its_answer_back)
{
    join();
    agent_say(BEGIN);
    agent_hear(1);
    agent_say(CALL("1", "ask", ""));
    CHECK(has(agent_hear(1), "\"id\":\"weir-1\",\"method\":\"elicitation/create\""));
    agent_say("{\"jsonrpc\":\"2.0\",\"id\":\"weir-1\",\"result\":{\"x\":\"you\"}}\n");
    CHECK(has(agent_hear(1), "\"text\":\"hello you\""));
    part();
}

TEST(what_changes_is_told_unasked)
{
    join();
    agent_say(BEGIN "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\","
                   "\"params\":{\"uri\":\"test://fixed\"}}\n");
    agent_hear(2);
    settle();
    mcp_news_tell(offer.news, "test://fixed");
    CHECK(has(agent_hear(1), "notifications/resources/updated"));
    part();
}

TEST(before_it_begins_a_client_may_ping_and_nothing_else)
{
    join();
    agent_say(PING("1"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", agent_hear(1));
    agent_say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n");
    CHECK(has(agent_hear(1), "\"id\":2,\"error\":{\"code\":-32602,\"message\":\"begin with "));
    part();
}

TEST(what_is_no_message_is_answered_and_passed_over)
{
    join();
    agent_say("nonsense\n" PING("1"));
    const char *heard = agent_hear(2);
    CHECK(has(heard, "\"code\":-32700"));
    CHECK(has(heard, "\"id\":1,\"result\":{}"));
    part();
}

TEST(a_node_that_is_gone_is_an_error_of_each_request)
{
    join();
    node = (struct wr_addr){ .kind = WR_ADDR_UNIX, .path = "/no/such/node.sock" };
    agent_say(CALL("1", "echo", ",\"arguments\":{\"text\":\"hi\"}," RIG_META));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"the node "
              "does not answer: not there\"}}\n", agent_hear(1));
    part();
}

/* Another node, which becomes the one that is asked. */
static struct next {
    struct site site;
    struct mcp_endpoint *endpoint;
    struct wr_route routes[MCP_ROUTE_COUNT];
    unsigned revived;
    wr_err result;
} next;

static wr_err revive(void *arg, char *why)
{
    (void)arg;
    next.revived++;
    if (next.result)
        snprintf(why, MCP_BRIDGE_WHY, "nobody wants to be one");
    else
        node = *wr_listener_addr(next.site.listener);
    return next.result;
}

static void join_to_be_revived(wr_err result)
{
    next = (struct next){ .result = result };
    CHECK_OK(mcp_endpoint_new(&next.endpoint, &rig_offer));
    mcp_endpoint_routes(next.endpoint, next.routes);
    node_post = next.routes[0].handler;
    next.routes[0].handler = count_post;
    atomic_store(&begun, 0);
    open_site_of(&next.site, 0, (struct wr_http_conf){ .routes = next.routes,
                                                       .count = MCP_ROUTE_COUNT });
    join();
    conf.revive = revive;
}

static void part_revived(unsigned times)
{
    CHECK_EQ(times, next.revived);
    part();
    close_site(&next.site);
    mcp_endpoint_free(next.endpoint);
}

static const struct wr_addr nowhere = { .kind = WR_ADDR_UNIX, .path = "/no/such/node.sock" };

TEST(when_the_node_is_gone_another_is_asked_and_the_client_does_not_notice)
{
    join_to_be_revived(WR_OK);
    agent_say(BEGIN PING("1"));
    agent_hear(2);
    node = nowhere;
    agent_say(PING("2"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n", agent_hear(1));
    agent_say(PING("3"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n", agent_hear(1));
    part_revived(1);
}

/* As after a restart at the same place: nobody there knows the session. */
static void forget_session(void)
{
    join_to_be_revived(WR_OK);
    agent_say(BEGIN PING("1"));
    agent_hear(2);
    node = *wr_listener_addr(next.site.listener);
}

TEST(a_session_that_the_node_has_forgotten_is_begun_anew)
{
    forget_session();
    agent_say(PING("2"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n", agent_hear(1));
    CHECK_EQ(1, atomic_load(&begun));
    part_revived(0);
}

TEST(of_several_who_find_it_forgotten_one_begins_anew)
{
    forget_session();
    agent_say(PING("2") PING("3") PING("4") PING("5") PING("6"));
    const char *heard = agent_hear(5);
    CHECK(!has(heard, "error"));
    CHECK(has(heard, "\"id\":2,") && has(heard, "\"id\":6,"));
    CHECK_EQ(1, atomic_load(&begun));
    part_revived(0);
}

TEST(a_node_that_is_leaving_was_not_asked_and_another_is)
{
    join_to_be_revived(WR_OK);
    wr_http_drain(site.http);
    agent_say(CALL("1", "echo", ",\"arguments\":{\"text\":\"hi\"}," RIG_META));
    CHECK(has(agent_hear(1), "\"text\":\"hi\""));
    part_revived(1);
}

TEST(where_there_is_no_node_any_more_the_client_is_told_why)
{
    join_to_be_revived(WR_BUSY);
    node = nowhere;
    agent_say(CALL("1", "echo", ",\"arguments\":{\"text\":\"hi\"}," RIG_META));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"there is "
              "no node: nobody wants to be one\"}}\n", agent_hear(1));
    part_revived(1);
}
