#include "mcp/stdio.h"

#include <unistd.h>

#include <weir/fd.h>

#include "testing/mcp_rig.h"

/* The other ends of two pipes. */
struct wire {
    struct wr_fd *in, *out, *say, *hear;
    struct wr_scope *scope;
    wr_err result;
    char heard[1 << 16];
    size_t len;
};
static struct wire wire;

static wr_err serve(void *arg)
{
    (void)arg;
    wire.result = mcp_stdio_serve(&rig_offer, wire.in, wire.out);
    wr_fd_close(wire.in);
    wr_fd_close(wire.out);
    return WR_OK;
}

static wr_err start(void *arg)
{
    int to[2] = { -1, -1 }, from[2] = { -1, -1 };
    REQUIRE(pipe(to) == 0 && pipe(from) == 0, WR_IO);
    CHECK_OK(wr_fd_open(&wire.in, to[0]));
    CHECK_OK(wr_fd_open(&wire.out, from[1]));
    *(int *)arg = to[1];
    ((int *)arg)[1] = from[0];
    return serve(NULL);
}

static void wire_open(void)
{
    static int ends[2];
    memset(&wire, 0, sizeof(wire));
    wire.scope = scope_open();
    go(wire.scope, start, ends);
    CHECK_OK(wr_fd_open(&wire.say, ends[0]));
    CHECK_OK(wr_fd_open(&wire.hear, ends[1]));
}

static void say(const char *text)
{
    size_t sent;
    CHECK_OK(wr_fd_write(wire.say, &sent, text, strlen(text), wr_after(WR_S(9))));
}

/* Until so many lines were heard, or nothing more comes. */
static const char *hear(unsigned lines)
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

static void hang_up(void)
{
    wr_fd_close(wire.say);
    wire.say = NULL;
}

static void wire_close(void)
{
    if (wire.say)
        hang_up();
    scope_done(wire.scope);
    wr_fd_close(wire.hear);
}

#define BEGIN "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":" \
              "{\"protocolVersion\":\"2025-11-25\"}}\n"
#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}\n"
#define SLOW(id, seconds) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\"," \
    "\"params\":{\"name\":\"slow\",\"arguments\":{\"seconds\":" seconds "}}}\n"

TEST(a_line_is_a_message_however_it_is_cut)
{
    wire_open();
    say(PING("1") PING("2") "\r\n  \n{\"jsonrpc\":\"2.0\",");
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
              "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n", hear(2));
    say("\"id\":3,\"method\":\"ping\"}\r\n");
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n", hear(1));
    wire_close();
    CHECK_OK(wire.result);
}

TEST(a_last_line_without_its_end_is_answered_too)
{
    wire_open();
    say("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}");
    hang_up();
    CHECK(has(hear(1), "\"id\":3"));
    wire_close();
}

TEST(a_call_that_takes_time_does_not_keep_others_waiting)
{
    wire_open();
    say(BEGIN SLOW("1", "50") PING("2"));
    CHECK(has(hear(2), "\"id\":2"));
    CHECK(has(hear(1), "\"id\":1"));
    wire_close();
}

TEST(a_call_is_canceled_by_a_line)
{
    wire_open();
    say(BEGIN SLOW("1", "50"));
    hear(1);
    settle();
    wr_time start = wr_now();
    say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
        "{\"requestId\":1}}\n" PING("2"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n", hear(1));
    hang_up();
    CHECK_STR("", hear(1));
    CHECK(wr_now() - start < WR_MS(1));
    wire_close();
}

TEST(a_call_can_be_canceled_by_the_very_next_line)
{
    wire_open();
    say(BEGIN);
    hear(1);
    wr_time start = wr_now();
    say(SLOW("1", "50") "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
        "\"params\":{\"requestId\":1}}\n" PING("2"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n", hear(1));
    hang_up();
    CHECK_STR("", hear(1));
    CHECK(wr_now() - start < WR_MS(1));
    wire_close();
}

TEST(a_call_whose_handler_panics_is_answered_and_others_go_on)
{
    wire_open();
    say(BEGIN);
    hear(1);
    for (int i = 0; i < 3 * MCP_CALLS_MAX; i++) {
        say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
            "\"panic\"}}\n");
        CHECK(has(hear(1), "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,"
                           "\"message\":\"it broke while it was being answered"));
    }
    say(PING("2"));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n", hear(1));
    wire_close();
    CHECK_OK(wire.result);
}

TEST(when_the_input_ends_what_is_under_way_has_a_second)
{
    wire_open();
    say(BEGIN SLOW("1", "1") SLOW("2", "50"));
    hear(1);
    wr_time start = wr_now();
    hang_up();
    hear(2);
    scope_done(wire.scope);
    CHECK_EQ(WR_S(1), wr_now() - start);
    CHECK_OK(wire.result);
    wr_fd_close(wire.hear);
}

TEST(a_line_that_is_no_message_is_answered_and_passed_over)
{
    wire_open();
    say("nonsense\n[1]\n\xff\n" PING("1"));
    const char *heard = hear(4);
    CHECK(has(heard, "-32700"));
    CHECK(has(heard, "-32600"));
    CHECK(has(heard, "\"id\":1,\"result\":{}"));
    wire_close();
}

static wr_err say_much(void *arg)
{
    static char block[1 << 16];
    (void)arg;
    memset(block, 'x', sizeof(block));
    for (size_t i = 0; i < 9 * MCP_MESSAGE_MAX / 4 / sizeof(block); i++) {
        size_t sent;
        CHECK_OK(wr_fd_write(wire.say, &sent, block, sizeof(block), wr_after(WR_S(9))));
    }
    say("\n" PING("1"));
    return WR_OK;
}

TEST(a_line_that_is_too_long_is_refused_once_and_passed_over)
{
    wire_open();
    CHECK_OK(wr_scope_go(wire.scope, "test.much", say_much, NULL));
    CHECK_STR("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"a line is longer "
              "than 4 MiB\"}}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", hear(2));
    wire_close();
}

/* More calls than are answered: its pipe is full, and nobody empties it. */
static wr_err flood(void *arg)
{
    static const char call[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/list\"}\n";
    (void)arg;
    size_t sent;
    while (!wr_fd_write(wire.say, &sent, call, strlen(call), wr_after(WR_S(100))))
        ;
    return WR_OK;
}

TEST(a_client_that_never_reads_is_given_up)
{
    wire_open();
    wr_time start = wr_now();
    say(BEGIN);
    CHECK_OK(wr_scope_go(wire.scope, "test.flood", flood, NULL));
    CHECK_OK(wr_scope_join(wire.scope, WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, wire.result);
    CHECK_EQ(WR_S(30), wr_now() - start);
    CHECK_OK(wr_scope_close(wire.scope));
    wr_fd_close(wire.say);
    wr_fd_close(wire.hear);
}
