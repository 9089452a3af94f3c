#include "mcp/stdio.h"

#include "testing/agent_rig.h"
#include "testing/mcp_rig.h"

static wr_err serve(struct wr_fd *in, struct wr_fd *out)
{
    return mcp_stdio_serve(&rig_offer, in, out);
}

#define BEGIN "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":" \
              "{\"protocolVersion\":\"2025-11-25\"}}\n"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}\n"
#define SLOW(id, seconds) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\"," \
    "\"params\":{\"name\":\"slow\",\"arguments\":{\"seconds\":" seconds "}}}\n"

TEST(a_line_is_a_message_however_it_is_cut)
{
    agent_open(serve);
    agent_say(PING("1") PING("2") "\r\n  \n{\"jsonrpc\":\"2.0\",");
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
              "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n", agent_hear(2));
    agent_say("\"id\":3,\"method\":\"ping\"}\r\n");
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n", agent_hear(1));
    agent_close();
    CHECK_OK(agent.result);
}

TEST(a_last_line_without_its_end_is_answered_too)
{
    agent_open(serve);
    agent_say("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}");
    agent_hang_up();
    CHECK(has(agent_hear(1), "\"id\":3"));
    agent_close();
}

TEST(a_call_that_takes_time_does_not_keep_others_waiting)
{
    agent_open(serve);
    agent_say(BEGIN SLOW("1", "50") PING("2"));
    CHECK(has(agent_hear(2), "\"id\":2"));
    CHECK(has(agent_hear(1), "\"id\":1"));
    agent_close();
}

TEST(a_call_is_canceled_by_a_line)
{
    agent_open(serve);
    agent_say(BEGIN SLOW("1", "50"));
    agent_hear(1);
    settle();
    wr_time start = wr_now();
    agent_say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
        "{\"requestId\":1}}\n" PING("2"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n", agent_hear(1));
    agent_hang_up();
    CHECK_STR("", agent_hear(1));
    CHECK(wr_now() - start < WR_MS(1));
    agent_close();
}

TEST(a_call_can_be_canceled_by_the_very_next_line)
{
    agent_open(serve);
    agent_say(BEGIN);
    agent_hear(1);
    wr_time start = wr_now();
    agent_say(SLOW("1", "50") "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
        "\"params\":{\"requestId\":1}}\n" PING("2"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n", agent_hear(1));
    agent_hang_up();
    CHECK_STR("", agent_hear(1));
    CHECK(wr_now() - start < WR_MS(1));
    agent_close();
}

TEST(a_call_whose_handler_panics_is_answered_and_others_go_on)
{
    agent_open(serve);
    agent_say(BEGIN);
    agent_hear(1);
    for (int i = 0; i < 3 * MCP_CALLS_MAX; i++) {
        agent_say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
                  "{\"name\":\"panic\"}}\n");
        CHECK(has(agent_hear(1), "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,"
                           "\"message\":\"it broke while it was being answered"));
    }
    agent_say(PING("2"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n", agent_hear(1));
    agent_close();
    CHECK_OK(agent.result);
}

TEST(when_the_input_ends_what_is_under_way_has_a_second)
{
    agent_open(serve);
    agent_say(BEGIN SLOW("1", "1") SLOW("2", "50"));
    agent_hear(1);
    wr_time start = wr_now();
    agent_hang_up();
    agent_hear(2);
    scope_done(agent.scope);
    CHECK_EQ(WR_S(1), wr_now() - start);
    CHECK_OK(agent.result);
    wr_fd_close(agent.hear);
}

TEST(a_line_that_is_no_message_is_answered_and_passed_over)
{
    agent_open(serve);
    agent_say("nonsense\n[1]\n\xff\n" PING("1"));
    const char *heard = agent_hear(4);
    CHECK(has(heard, "-32700"));
    CHECK(has(heard, "-32600"));
    CHECK(has(heard, "\"id\":1,\"result\":{}"));
    agent_close();
}

static wr_err say_much(void *arg)
{
    static char block[1 << 16];
    (void)arg;
    memset(block, 'x', sizeof(block));
    for (size_t i = 0; i < 9 * MCP_MESSAGE_MAX / 4 / sizeof(block); i++) {
        size_t sent;
        CHECK_OK(wr_fd_write(agent.say, &sent, block, sizeof(block), wr_after(WR_S(9))));
    }
    agent_say("\n" PING("1"));
    return WR_OK;
}

TEST(a_line_that_is_too_long_is_refused_once_and_passed_over)
{
    agent_open(serve);
    CHECK_OK(wr_scope_go(agent.scope, "test.much", say_much, NULL));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"a line is longer "
              "than 4 MiB\"}}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", agent_hear(2));
    agent_close();
}

/* More calls than are answered: its pipe is full, and nobody empties it. */
static wr_err flood(void *arg)
{
    static const char call[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/list\"}\n";
    (void)arg;
    size_t sent;
    while (!wr_fd_write(agent.say, &sent, call, strlen(call), wr_after(WR_S(100))))
        ;
    return WR_OK;
}

TEST(a_client_that_never_reads_is_given_up)
{
    agent_open(serve);
    wr_time start = wr_now();
    agent_say(BEGIN);
    CHECK_OK(wr_scope_go(agent.scope, "test.flood", flood, NULL));
    CHECK_OK(wr_scope_join(agent.scope, WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, agent.result);
    CHECK_EQ(WR_S(30), wr_now() - start);
    CHECK_OK(wr_scope_close(agent.scope));
    wr_fd_close(agent.say);
    wr_fd_close(agent.hear);
}
