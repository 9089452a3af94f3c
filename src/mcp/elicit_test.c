#include "testing/mcp_rig.h"

static struct client client;
static wr_err asked;

static json_t *form(void)
{
    return json_pack("{s:s}", "message", "Who?");
}

/* Two questions, one after the other. */
static wr_err ask_two(struct mcp_request *request)
{
    const json_t *first, *second = NULL;
    asked = mcp_request_ask(request, "a", "elicitation/create", form(), &first);
    if (!asked && first)
        asked = mcp_request_ask(request, "b", "elicitation/create", form(), &second);
    wr_text_format(mcp_request_text(request), "%s and %s",
                   json_string_value(json_object_get(first, "x")),
                   json_string_value(json_object_get(second, "x")));
    return asked;
}

static const struct mcp_tool tools[] = {
    { .name = "two", .what = "Asks.", .fields = rig_prompt_fields, .field_count = 2,
      .handler = ask_two },
    { .name = "also", .what = "Asks.", .fields = rig_prompt_fields, .field_count = 2,
      .handler = ask_two },
};
static const struct mcp_offer offer = { .name = "o", .version = "1", .tools = tools,
                                        .tool_count = 2 };

#define CAN "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}}}"

/* ---- modern ---- */

static const char *call(const char *name, const char *rest)
{
    static char says[4000];
    snprintf(says, sizeof(says), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
             "\"params\":{\"name\":\"%s\",\"arguments\":{\"who\":\"x\"}%s," CAN "}}", name,
             rest);
    return client_say(&client, says);
}

/* The state in what was heard last. */
static const char *state_of(void)
{
    static char state[1000];
    const char *at = strstr(client.heard.at, "\"requestState\":\"");
    state[0] = '\0';
    if (at)
        sscanf(at + 16, "%999[^\"]", state);
    return state;
}

static const char *with_state(const char *answers, const char *state)
{
    static char rest[2000];
    snprintf(rest, sizeof(rest), ",\"inputResponses\":{%s},\"requestState\":\"%s\"", answers,
             state);
    return rest;
}

TEST(a_modern_client_is_told_what_is_missing_and_brings_it)
{
    client_open_with(&client, &offer);
    CHECK(has(call("two", ""), "\"result\":{\"inputRequests\":{\"a\":{\"method\":"
                               "\"elicitation/create\",\"params\":{\"message\":\"Who?\"}}},"
                               "\"requestState\":\""));
    CHECK(has(client.heard.at, "\"resultType\":\"input_required\""));
    CHECK(has(call("two", with_state("\"a\":{\"x\":\"one\"}", state_of())),
              "\"inputRequests\":{\"b\":"));
    CHECK(has(call("two", with_state("\"b\":{\"x\":\"two\"}", state_of())),
              "\"text\":\"one and two\""));
    CHECK(has(client.heard.at, "\"resultType\":\"complete\""));
    client_close(&client);
}

TEST(all_answers_may_come_at_once_with_others_that_nobody_wants)
{
    client_open_with(&client, &offer);
    CHECK(has(call("two", ",\"inputResponses\":{\"a\":{\"x\":\"1\"},\"b\":{\"x\":\"2\"},"
                          "\"c\":{}}"), "\"text\":\"1 and 2\""));
    client_close(&client);
}

TEST(an_answer_that_is_none_is_asked_for_again)
{
    client_open_with(&client, &offer);
    CHECK(has(call("two", ",\"inputResponses\":{\"a\":7}"), "\"inputRequests\":{\"a\":"));
    CHECK(has(call("two", ",\"inputResponses\":null"), "\"code\":-32602"));
    CHECK(has(call("two", ",\"requestState\":7"), "\"code\":-32602"));
    client_close(&client);
}

TEST(a_state_that_was_changed_is_refused)
{
    char state[1000];
    client_open_with(&client, &offer);
    call("two", ",\"inputResponses\":{\"a\":{\"x\":\"one\"}}");
    snprintf(state, sizeof(state), "%s", state_of());
    REQUIRE(strlen(state) > 70);
    state[3] = (char)(state[3] == 'A' ? 'B' : 'A');
    CHECK(has(call("two", with_state("", state)), "\"code\":-32602"));
    CHECK(has(call("two", with_state("", "")), "\"code\":-32602"));
    CHECK(has(call("two", with_state("", "a.b")), "\"code\":-32602"));
    client_close(&client);
}

TEST(a_state_is_for_the_request_it_was_given_for)
{
    char state[1000];
    client_open_with(&client, &offer);
    call("two", ",\"inputResponses\":{\"a\":{\"x\":\"one\"}}");
    snprintf(state, sizeof(state), "%s", state_of());
    CHECK(has(call("also", with_state("", state)), "\"code\":-32602"));
    CHECK(has(call("two", with_state("", state)), "\"inputRequests\":{\"b\":"));
    client.peer.tenant = "other";
    CHECK(has(call("two", with_state("", state)), "\"code\":-32602"));
    client_close(&client);
}

TEST(a_modern_client_that_cannot_is_told_what_it_takes)
{
    client_open_with(&client, &offer);
    CHECK(has(client_say(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                         "\"params\":{\"name\":\"two\",\"arguments\":{\"who\":\"x\"},"
                         RIG_META "}}"),
              "\"code\":-32021,\"message\":\"this takes a client that says it can "
              "\\\"elicitation\\\"\",\"data\":{\"requiredCapabilities\":"
              "{\"elicitation\":{}}}"));
    client_close(&client);
}

/* ---- legacy ---- */

#define CALL "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":" \
             "{\"name\":\"two\",\"arguments\":{\"who\":\"x\"}}}"

static void begin_with(const char *capabilities)
{
    char says[300];
    client_open_with(&client, &offer);
    snprintf(says, sizeof(says), "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
             "\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{%s}}}",
             capabilities);
    client_say(&client, says);
    wr_text_rewind(&client.heard, 0);
}

static void reply(const char *says)
{
    wr_text_rewind(&client.heard, 0);
    client_say(&client, says);
    settle();
}

TEST(a_legacy_client_is_asked_by_a_request_and_waited_for)
{
    struct wr_scope *scope = scope_open();
    begin_with("\"elicitation\":{}");
    client_start(&client, scope, CALL);
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":\"weir-1\",\"method\":\"elicitation/create\","
              "\"params\":{\"message\":\"Who?\"}}\n", client.heard.at);
    reply("{\"jsonrpc\":\"2.0\",\"id\":\"weir-9\",\"result\":{\"x\":\"nobody\"}}");
    CHECK_STR("", client.heard.at);
    reply("{\"jsonrpc\":\"2.0\",\"id\":\"weir-1\",\"result\":{\"x\":\"one\"}}");
    CHECK(has(client.heard.at, "\"id\":\"weir-2\""));
    reply("{\"jsonrpc\":\"2.0\",\"id\":\"weir-2\",\"result\":{\"x\":\"two\"}}");
    scope_done(scope);
    CHECK(has(client.heard.at, "\"text\":\"one and two\""));
    client_close(&client);
}

TEST(a_legacy_client_may_refuse)
{
    struct wr_scope *scope = scope_open();
    begin_with("\"elicitation\":{}");
    client_start(&client, scope, CALL);
    reply("{\"jsonrpc\":\"2.0\",\"id\":\"weir-1\",\"error\":{\"code\":-1,\"message\":\"no\"}}");
    scope_done(scope);
    CHECK(has(client.heard.at, "\"text\":\"the client has refused: no\"}],\"isError\":true"));
    client_close(&client);
}

TEST(a_legacy_client_that_does_not_answer_is_given_up)
{
    begin_with("\"elicitation\":{}");
    wr_time start = wr_now();
    CHECK(has(client_say(&client, CALL), "\"text\":\"deadline passed\""));
    CHECK_EQ(WR_S(300), wr_now() - start);
    client_close(&client);
}

TEST(a_legacy_client_that_cannot_is_told_so)
{
    begin_with("");
    CHECK(has(client_say(&client, CALL), "this takes a client that can do "
                                         "\\\"elicitation/create\\\""));
    CHECK_ERR(WR_UNSUPPORTED, asked);
    client_close(&client);
}

TEST(a_call_that_is_canceled_while_it_asks_is_over)
{
    struct wr_scope *scope = scope_open();
    begin_with("\"elicitation\":{}");
    client_start(&client, scope, CALL);
    reply("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
          "{\"requestId\":5}}");
    scope_done(scope);
    CHECK_STR("", client.heard.at);
    reply("{\"jsonrpc\":\"2.0\",\"id\":\"weir-1\",\"result\":{}}");
    client_close(&client);
}
