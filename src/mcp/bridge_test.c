#include "mcp/bridge.h"

#include <unistd.h>

#include "mcp/endpoint.h"
#include "mcp/news.h"
#include "testing/mcp_rig.h"
#include "testing/http_rig.h"

static struct site site;
static struct mcp_endpoint *endpoint;
static struct mcp_offer offer;
static struct wr_addr node;
static struct wr_route routes[MCP_ROUTE_COUNT];

/* The other ends of two pipes. */
static struct wire {
    struct wr_fd *in, *out, *say, *hear;
    struct wr_scope *scope;
    wr_err result;
    char heard[1 << 16];
    size_t len;
} wire;

static wr_err bridge_over(void *arg)
{
    int to[2] = { -1, -1 }, from[2] = { -1, -1 };
    REQUIRE(pipe(to) == 0 && pipe(from) == 0, WR_IO);
    CHECK_OK(wr_fd_open(&wire.in, to[0]));
    CHECK_OK(wr_fd_open(&wire.out, from[1]));
    ((int *)arg)[0] = to[1];
    ((int *)arg)[1] = from[0];
    wire.result = mcp_bridge_serve(&node, wire.in, wire.out);
    wr_fd_close(wire.in);
    wr_fd_close(wire.out);
    return WR_OK;
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

static void wire_open(void)
{
    static int ends[2];
    memset(&wire, 0, sizeof(wire));
    open_node();
    wire.scope = scope_open();
    go(wire.scope, bridge_over, ends);
    CHECK_OK(wr_fd_open(&wire.say, ends[0]));
    CHECK_OK(wr_fd_open(&wire.hear, ends[1]));
}

static void say_line(const char *text)
{
    size_t sent;
    CHECK_OK(wr_fd_write(wire.say, &sent, text, strlen(text), wr_after(WR_S(9))));
}

/* Until so many lines were heard, or nothing more comes. */
static const char *heard_lines(unsigned lines)
{
    wire.len = 0;
    for (unsigned count = 0; count < lines && wire.len + 1 < sizeof(wire.heard);) {
        size_t got;
        if (wr_fd_read(wire.hear, &got, wire.heard + wire.len,
                       sizeof(wire.heard) - 1 - wire.len, wr_after(WR_S(100))) || !got)
            break;
        for (size_t i = 0; i < got; i++)
            count += wire.heard[wire.len + i] == '\n';
        wire.len += got;
    }
    wire.heard[wire.len] = '\0';
    return wire.heard;
}

static void wire_close(void)
{
    wr_fd_close(wire.say);
    scope_done(wire.scope);
    CHECK_OK(wire.result);
    wr_fd_close(wire.hear);
    close_site(&site);
    mcp_endpoint_free(endpoint);
    mcp_news_free(offer.news);
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
    wire_open();
    say_line(BEGIN PING("1"));
    heard_lines(2);
    CHECK(has(wire.heard, "\"id\":0,\"result\":{\"protocolVersion\":\"2025-11-25\""));
    CHECK(has(wire.heard, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"));
    wire_close();
}

TEST(a_modern_client_is_served_by_the_node_whatever_names_have_in_them)
{
    wire_open();
    say_line(CALL("1", "echo", ",\"arguments\":{\"text\":\"hi\"}," RIG_META));
    CHECK(has(heard_lines(1), "\"text\":\"hi\""));
    say_line("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\",\"params\":{\"uri\":"
             "\"test://item/\xc3\xa9 =?\"," RIG_META "}}\n");
    CHECK(has(heard_lines(1), "\"text\":\"<\xc3\xa9 =?>\""));
    wire_close();
}

TEST(progress_comes_as_lines_before_the_answer)
{
    wire_open();
    say_line(CALL("1", "slow", ",\"arguments\":{\"seconds\":2},\"_meta\":{\"progressToken\":9,"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}"));
    const char *heard = heard_lines(2);
    CHECK(has(heard, "notifications/progress"));
    CHECK(has(heard, "\"text\":\"done\""));
    wire_close();
}

TEST(a_call_is_canceled_by_a_line_in_both_eras)
{
    wire_open();
    say_line(BEGIN);
    heard_lines(1);
    say_line(CALL("1", "slow", ",\"arguments\":{\"seconds\":500}")
             CALL("2", "slow", ",\"arguments\":{\"seconds\":500}," RIG_META));
    settle();
    wr_time start = wr_now();
    say_line(CANCEL("1") CANCEL("2") PING("3"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n", heard_lines(1));
    wire_close();
    CHECK(wr_now() - start < WR_S(1));
}

TEST(a_call_that_is_canceled_by_the_next_line_is_never_sent)
{
    wire_open();
    say_line(BEGIN);
    heard_lines(1);
    wr_time start = wr_now();
    say_line(CALL("1", "slow", ",\"arguments\":{\"seconds\":500}") CANCEL("1") PING("3"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n", heard_lines(1));
    wire_close();
    CHECK(wr_now() - start < WR_S(1));
}

TEST(what_the_node_asks_goes_to_the_client_and_its_answer_back)
{
    wire_open();
    say_line(BEGIN);
    heard_lines(1);
    say_line(CALL("1", "ask", ""));
    CHECK(has(heard_lines(1), "\"id\":\"weir-1\",\"method\":\"elicitation/create\""));
    say_line("{\"jsonrpc\":\"2.0\",\"id\":\"weir-1\",\"result\":{\"x\":\"you\"}}\n");
    CHECK(has(heard_lines(1), "\"text\":\"hello you\""));
    wire_close();
}

TEST(what_changes_is_told_unasked)
{
    wire_open();
    say_line(BEGIN "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\","
                   "\"params\":{\"uri\":\"test://fixed\"}}\n");
    heard_lines(2);
    settle();
    mcp_news_tell(offer.news, "test://fixed");
    CHECK(has(heard_lines(1), "notifications/resources/updated"));
    wire_close();
}

TEST(a_session_that_the_node_has_forgotten_is_begun_anew)
{
    wire_open();
    say_line(BEGIN PING("1"));
    heard_lines(2);
    for (int i = 0; i < MCP_SESSIONS_MAX + 1; i++) {
        static const char begin[] = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
                                    "\"params\":{\"protocolVersion\":\"2025-11-25\"}}";
        char request[400];
        struct wr_stream *stream = dial(&site);
        snprintf(request, sizeof(request), "POST /mcp HTTP/1.1\r\nHost: a\r\nConnection: close"
                 "\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                 strlen(begin), begin);
        say(stream, request);
        size_t got = 1;
        while (got && !wr_stream_read(stream, &got, request, sizeof(request), WR_NEVER))
            ;
        wr_stream_close(stream);
    }
    say_line(PING("2"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n", heard_lines(1));
    wire_close();
}

TEST(what_is_no_message_is_answered_and_passed_over)
{
    wire_open();
    say_line("nonsense\n" PING("1"));
    const char *heard = heard_lines(2);
    CHECK(has(heard, "\"code\":-32700"));
    CHECK(has(heard, "\"id\":1,\"error\":{\"code\":-32600"));   /* no session has begun */
    wire_close();
}

TEST(a_node_that_is_gone_is_an_error_of_each_request)
{
    wire_open();
    node = (struct wr_addr){ .kind = WR_ADDR_UNIX, .path = "/no/such/node.sock" };
    say_line(CALL("1", "echo", ",\"arguments\":{\"text\":\"hi\"}," RIG_META));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,\"message\":\"the node "
              "does not answer: not there\"}}\n", heard_lines(1));
    wire_close();
}
