/* stream_contract.h - what every network promises: the same tests on the real one
 * and on the simulated one.
 *
 * Whoever includes it defines CONTRACT(name), which a test's body follows.
 */
#ifndef WR_TESTING_STREAM_CONTRACT_H
#define WR_TESTING_STREAM_CONTRACT_H

#include <weir/stream.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <weir/once.h>
#include <weir/scope.h>

#include "testing/settle.h"
#include "testing/test.h"

#define CONTRACT_HELP __attribute__((unused)) static

/* The same test may run twice at the same time, in one folder. */
CONTRACT_HELP const char *unix_path(void)
{
    static char buf[64];
    snprintf(buf, sizeof(buf), "stream_test.%d.sock", (int)getpid());
    return buf;
}

CONTRACT_HELP const char *unix_addr(void)
{
    static char buf[80];
    snprintf(buf, sizeof(buf), "unix:%s", unix_path());
    return buf;
}

CONTRACT_HELP struct wr_listener *listen_on(const char *text)
{
    struct wr_addr addr;
    struct wr_listener *listener = NULL;
    CHECK_OK(wr_addr_parse(&addr, text));
    CHECK_OK(wr_listen(&listener, &addr));
    return listener;
}

struct pair { struct wr_listener *listener; struct wr_stream *client, *server; };

CONTRACT_HELP struct pair open_pair(const char *text)
{
    struct pair pair = { .listener = listen_on(text) };
    struct wr_conn conn = { 0 };
    REQUIRE(pair.listener, pair);
    CHECK_OK(wr_connect(&pair.client, wr_listener_addr(pair.listener), WR_NEVER));
    CHECK_OK(wr_accept(pair.listener, &conn, WR_NEVER));
    CHECK_OK(wr_stream_open(&pair.server, &conn));
    return pair;
}

CONTRACT_HELP void close_pair(struct pair *pair)
{
    wr_stream_close(pair->client);
    wr_stream_close(pair->server);
    wr_listener_close(pair->listener);
}

CONTRACT_HELP void send_text(struct wr_stream *stream, const char *text)
{
    size_t size;
    struct wr_piece piece = { text, strlen(text) };
    CHECK_OK(wr_stream_write(stream, &size, &piece, 1, WR_NEVER));
    CHECK_EQ(strlen(text), size);
}

CONTRACT_HELP void expect_text(struct wr_stream *stream, const char *text)
{
    char buf[256];
    size_t len = 0, size;
    while (len < strlen(text)) {
        REQUIRE_OK(wr_stream_read(stream, &size, buf + len, sizeof(buf) - len, WR_NEVER));
        REQUIRE(size > 0);
        len += size;
    }
    CHECK_EQ(strlen(text), len);
    CHECK(memcmp(text, buf, len) == 0);
}

CONTRACT_HELP void expect_end(struct wr_stream *stream)
{
    char byte;
    size_t size = 1;
    CHECK_OK(wr_stream_read(stream, &size, &byte, 1, WR_NEVER));
    CHECK_EQ(0, size);
}

/* ---- there and back ---- */

CONTRACT_HELP void talk(const char *text)
{
    struct pair pair = open_pair(text);
    REQUIRE(pair.client && pair.server);
    send_text(pair.client, "question");
    expect_text(pair.server, "question");
    send_text(pair.server, "answer");
    expect_text(pair.client, "answer");
    wr_stream_shut(pair.client);
    expect_end(pair.server);
    send_text(pair.server, "and yet");          /* only one direction has ended */
    expect_text(pair.client, "and yet");
    wr_stream_shut(pair.server);
    expect_end(pair.client);
    close_pair(&pair);
}

CONTRACT(bytes_go_there_and_back_over_ipv4)
{
    talk("127.0.0.1:0");
}

CONTRACT(bytes_go_there_and_back_over_a_unix_socket)
{
    talk(unix_addr());
}

CONTRACT(both_ends_know_both_addresses)
{
    struct pair pair = open_pair("127.0.0.1:0");
    REQUIRE(pair.client && pair.server);
    CHECK(wr_listener_addr(pair.listener)->port != 0);
    CHECK(wr_addr_equal(wr_stream_peer(pair.client), wr_listener_addr(pair.listener)));
    CHECK(wr_addr_equal(wr_stream_local(pair.server), wr_listener_addr(pair.listener)));
    CHECK(wr_addr_equal(wr_stream_peer(pair.server), wr_stream_local(pair.client)));
    close_pair(&pair);
}

/* ---- the end ---- */

/* The end may have come together with the data that a short read took: no edge
 * follows, and the next read must find it all the same. */
CONTRACT(the_end_is_seen_when_it_comes_with_the_last_bytes)
{
    for (int i = 0; i < test_rounds(50); i++) {
        struct pair pair = open_pair("127.0.0.1:0");
        REQUIRE(pair.client && pair.server);
        send_text(pair.client, "last words");
        wr_stream_shut(pair.client);
        if (i % 2)
            CHECK_OK(wr_yield());
        expect_text(pair.server, "last words");
        expect_end(pair.server);
        close_pair(&pair);
    }
}

CONTRACT(a_reset_is_a_broken_pipe_for_who_reads)
{
    struct pair pair = open_pair("127.0.0.1:0");
    REQUIRE(pair.client && pair.server);
    send_text(pair.server, "never read");       /* unread bytes make close a reset */
    char byte;
    size_t size;
    CHECK_OK(wr_stream_await(pair.client, WR_NEVER));
    wr_stream_close(pair.client);
    pair.client = NULL;
    CHECK_ERR(WR_BROKENPIPE, wr_stream_read(pair.server, &size, &byte, 1, WR_NEVER));
    close_pair(&pair);
}

CONTRACT(writing_to_a_peer_that_is_gone_is_a_broken_pipe_and_no_signal)
{
    struct pair pair = open_pair(unix_addr());
    REQUIRE(pair.client && pair.server);
    wr_stream_close(pair.client);
    pair.client = NULL;
    size_t size;
    struct wr_piece piece = { "x", 1 };
    CHECK_ERR(WR_BROKENPIPE, wr_stream_write(pair.server, &size, &piece, 1, WR_NEVER));
    close_pair(&pair);
}

CONTRACT(nothing_can_be_written_after_the_end)
{
    struct pair pair = open_pair("127.0.0.1:0");
    REQUIRE(pair.client && pair.server);
    wr_stream_shut(pair.client);
    size_t size;
    struct wr_piece piece = { "x", 1 };
    CHECK_ERR(WR_BROKENPIPE, wr_stream_write(pair.client, &size, &piece, 1, WR_NEVER));
    close_pair(&pair);
}

/* ---- much at once ---- */

struct flood { struct wr_stream *stream; size_t len; };

CONTRACT_HELP wr_err read_flood(void *arg)
{
    struct flood *flood = arg;
    unsigned char buf[1000];
    size_t at = 0, size;
    wr_err err;
    while (!(err = wr_stream_read(flood->stream, &size, buf, sizeof(buf), WR_NEVER)) && size)
        for (size_t i = 0; i < size; i++, at++)
            if (buf[i] != (unsigned char)(at * 7))
                return WR_IO;
    flood->len = at;
    return err;
}

CONTRACT(pieces_arrive_whole_and_in_order_though_the_peer_is_slow)
{
    enum { PIECES = 5, LEN = 300000 };
    struct pair pair = open_pair("127.0.0.1:0");
    REQUIRE(pair.client && pair.server);
    struct flood flood = { .stream = pair.server };
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.flood", read_flood, &flood));

    static unsigned char bytes[PIECES * LEN];
    struct wr_piece pieces[PIECES + 2] = { [0] = { "", 0 }, [PIECES + 1] = { NULL, 0 } };
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 7);
    for (size_t i = 0; i < PIECES; i++)
        pieces[i + 1] = (struct wr_piece){ bytes + i * LEN, LEN };
    size_t size;
    CHECK_OK(wr_stream_write(pair.client, &size, pieces, PIECES + 2, WR_NEVER));
    CHECK_EQ(PIECES * LEN, size);
    wr_stream_shut(pair.client);
    scope_done(scope);
    CHECK_EQ(PIECES * LEN, flood.len);
    close_pair(&pair);
}

CONTRACT(a_write_that_runs_out_of_time_tells_how_much_went_out)
{
    struct pair pair = open_pair("127.0.0.1:0");
    REQUIRE(pair.client && pair.server);
    static char bytes[64 * 1024 * 1024];
    size_t size = 0;
    struct wr_piece piece = { bytes, sizeof(bytes) };
    CHECK_ERR(WR_TIMEOUT,
              wr_stream_write(pair.client, &size, &piece, 1, wr_after(WR_MS(100))));
    CHECK(size > 0 && size < sizeof(bytes));
    close_pair(&pair);
}

/* ---- time and cancel ---- */

CONTRACT(a_read_and_an_accept_end_at_their_deadline)
{
    struct pair pair = open_pair("127.0.0.1:0");
    REQUIRE(pair.client && pair.server);
    wr_time before = wr_now();
    char byte;
    size_t size;
    struct wr_conn conn;
    CHECK_ERR(WR_TIMEOUT,
              wr_stream_read(pair.server, &size, &byte, 1, wr_after(WR_MS(20))));
    CHECK_EQ(WR_MS(20), wr_now() - before);
    CHECK_ERR(WR_TIMEOUT, wr_accept(pair.listener, &conn, wr_after(WR_MS(30))));
    CHECK_EQ(WR_MS(50), wr_now() - before);
    CHECK_ERR(WR_TIMEOUT, wr_accept(pair.listener, &conn, WR_NOW));
    close_pair(&pair);
}

CONTRACT_HELP wr_err read_one(void *arg)
{
    char byte;
    size_t size;
    return wr_stream_read(arg, &size, &byte, 1, WR_NEVER);
}

CONTRACT(a_cancel_ends_a_read_and_the_stream_can_go_on)
{
    struct pair pair = open_pair("127.0.0.1:0");
    REQUIRE(pair.client && pair.server);
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.read", read_one, pair.server));
    settle();
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_close(scope));
    send_text(pair.client, "later");
    expect_text(pair.server, "later");
    close_pair(&pair);
}

CONTRACT(a_stream_is_a_case_of_a_select)
{
    struct pair pair = open_pair("127.0.0.1:0");
    REQUIRE(pair.client && pair.server);
    struct wr_once *once;
    CHECK_OK(wr_once_new(&once, "test.once", 0));
    struct wr_case cases[] = { WR_CASE_ONCE(once, NULL), wr_stream_readable(pair.server) };
    size_t which;
    CHECK_ERR(WR_TIMEOUT, wr_select(&which, cases, 2, wr_after(WR_MS(1))));
    send_text(pair.client, "now");
    CHECK_OK(wr_select(&which, cases, 2, WR_NEVER));
    CHECK_EQ(1, which);
    expect_text(pair.server, "now");
    CHECK_ERR(WR_TIMEOUT, wr_select(&which, cases, 2, wr_after(WR_MS(1))));
    wr_once_free(once);
    close_pair(&pair);
}

struct late_read { struct wr_stream *stream; char buf[8]; };

CONTRACT_HELP wr_err read_and_go(void *arg)
{
    struct late_read *late = arg;
    size_t size;
    return wr_stream_read(late->stream, &size, late->buf, sizeof(late->buf),
                          wr_after(WR_MS(5)));
}

CONTRACT(memory_that_a_read_was_given_is_left_alone_when_it_has_returned)
{
    struct pair pair = open_pair("127.0.0.1:0");
    REQUIRE(pair.client && pair.server);
    struct late_read late = { .stream = pair.server, .buf = "before" };
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.read", read_and_go, &late));
    CHECK_ERR(WR_TIMEOUT, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, wr_scope_close(scope));
    send_text(pair.client, "after");
    CHECK_OK(wr_stream_await(pair.server, WR_NEVER));
    CHECK_STR("before", late.buf);
    expect_text(pair.server, "after");
    close_pair(&pair);
}

/* ---- who may not connect, who may not listen ---- */

CONTRACT(a_port_that_nobody_listens_on_refuses)
{
    struct wr_listener *listener = listen_on("127.0.0.1:0");
    REQUIRE(listener);
    struct wr_addr addr = *wr_listener_addr(listener);
    struct wr_stream *stream;
    wr_listener_close(listener);
    CHECK_ERR(WR_IO, wr_connect(&stream, &addr, WR_NEVER));
}

CONTRACT(an_address_that_is_taken_is_said_to_be)
{
    struct wr_listener *listener = listen_on("127.0.0.1:0"), *second;
    REQUIRE(listener);
    CHECK_ERR(WR_EXISTS, wr_listen(&second, wr_listener_addr(listener)));
    wr_listener_close(listener);
}

CONTRACT(an_address_of_another_machine_cannot_be_listened_on)
{
    struct wr_addr addr;
    struct wr_listener *listener;
    CHECK_OK(wr_addr_parse(&addr, "192.0.2.1:80"));
    CHECK_ERR(WR_INVALID, wr_listen(&listener, &addr));
}

CONTRACT(a_unix_socket_is_there_for_as_long_as_its_listener)
{
    struct wr_listener *listener = listen_on(unix_addr()), *second;
    REQUIRE(listener);
    CHECK_ERR(WR_EXISTS, wr_listen(&second, wr_listener_addr(listener)));
    wr_listener_close(listener);
    struct wr_addr addr;
    struct wr_stream *stream;
    CHECK_OK(wr_addr_parse(&addr, unix_addr()));
    CHECK_ERR(WR_NOTFOUND, wr_connect(&stream, &addr, WR_NEVER));
}

CONTRACT(only_a_unix_socket_knows_the_process_at_its_other_end)
{
    uint32_t uid;
    int32_t pid;
    struct pair pair = open_pair(unix_addr());
    REQUIRE(pair.client && pair.server);
    CHECK_OK(wr_stream_peer_process(pair.server, &uid, &pid));
    close_pair(&pair);
    pair = open_pair("127.0.0.1:0");
    CHECK_ERR(WR_UNSUPPORTED, wr_stream_peer_process(pair.server, &uid, &pid));
    close_pair(&pair);
}

/* ---- connections that nobody opens ---- */

CONTRACT(a_dropped_connection_is_reset)
{
    struct wr_listener *listener = listen_on("127.0.0.1:0");
    REQUIRE(listener);
    struct wr_stream *client = NULL;
    struct wr_conn conn;
    char byte;
    size_t size;
    CHECK_OK(wr_connect(&client, wr_listener_addr(listener), WR_NEVER));
    CHECK_OK(wr_accept(listener, &conn, WR_NEVER));
    wr_conn_drop(&conn);
    CHECK_ERR(WR_BROKENPIPE, wr_stream_read(client, &size, &byte, 1, WR_NEVER));
    wr_stream_close(client);
    wr_listener_close(listener);
}

CONTRACT(who_was_not_accepted_is_reset_when_the_listener_closes)
{
    struct wr_listener *listener = listen_on("127.0.0.1:0");
    REQUIRE(listener);
    struct wr_stream *client = NULL;
    char byte;
    size_t size;
    CHECK_OK(wr_connect(&client, wr_listener_addr(listener), WR_NEVER));
    wr_listener_close(listener);
    CHECK_ERR(WR_BROKENPIPE, wr_stream_read(client, &size, &byte, 1, WR_NEVER));
    wr_stream_close(client);
}

#endif
