/* tls_stream_test.c - a stream that is encrypted is a stream like any other. */
#include "net/tls.h"

#include <weir/scope.h>

#include "testing/http_rig.h"
#include "testing/tls_rig.h"

struct link {
    struct wr_tls *server_tls, *client_tls;
    struct wr_stream *server, *client;
};

static wr_err accept_task(void *arg)
{
    struct link *link = arg;
    return wr_tls_accept(link->server_tls, &link->server, wr_after(WR_S(2)));
}

static void open_link(struct link *link)
{
    struct identity own;
    struct wr_addr addr;
    struct wr_listener *listener;
    struct wr_conn conn;
    struct wr_scope *scope;
    make_identity(&own, "server");
    link->server_tls = make_tls(&own, NULL, NULL);
    link->client_tls = make_tls(NULL, &own, NULL);
    CHECK_OK(wr_addr_parse(&addr, "127.0.0.1:0"));
    REQUIRE_OK(wr_listen(&listener, &addr));
    CHECK_OK(wr_connect(&link->client, wr_listener_addr(listener), WR_NEVER));
    CHECK_OK(wr_accept(listener, &conn, WR_NEVER));
    CHECK_OK(wr_stream_open(&link->server, &conn));
    wr_listener_close(listener);
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.link",
                                                             .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.accept", accept_task, link));
    CHECK_OK(wr_tls_connect(link->client_tls, &link->client, "localhost", WR_NEVER));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
}

static void close_link(struct link *link)
{
    wr_stream_close(link->client);
    wr_stream_close(link->server);
    wr_tls_free(link->server_tls);
    wr_tls_free(link->client_tls);
}

static unsigned char byte_at(size_t i)
{
    return (unsigned char)(i * 7 + i / 251);
}

#define MUCH ((size_t)1 << 20)

static wr_err send_much(void *arg)
{
    static unsigned char bytes[MUCH];
    for (size_t i = 0; i < MUCH; i++)
        bytes[i] = byte_at(i);
    /* Small and large ones, and an empty one, in one call; then the rest. */
    struct wr_piece pieces[] = { { bytes, 10 }, { bytes + 10, 0 }, { bytes + 10, 3000 },
                                 { bytes + 3010, 100000 }, { bytes + 103010, 1 } };
    size_t size = 0;
    CHECK_OK(wr_stream_write(arg, &size, pieces, 5, WR_NEVER));
    CHECK_EQ(103011, size);
    CHECK_OK(wr_stream_write(arg, &size, &(struct wr_piece){ bytes + 103011, MUCH - 103011 }, 1,
                             WR_NEVER));
    CHECK_EQ(MUCH - 103011, size);
    return WR_OK;
}

static void read_much(struct wr_stream *stream)
{
    char bytes[5000];
    size_t sum = 0, size = 1, wrong = 0;
    while (sum < MUCH && size > 0
           && CHECK_OK(wr_stream_read(stream, &size, bytes, sizeof(bytes), WR_NEVER))) {
        for (size_t i = 0; i < size; i++)
            wrong += (unsigned char)bytes[i] != byte_at(sum + i);
        sum += size;
    }
    CHECK_EQ(MUCH, sum);
    CHECK_EQ(0, wrong);
}

TEST(a_megabyte_in_pieces_arrives_as_it_was_in_both_directions_at_once)
{
    struct link link = { 0 };
    struct wr_scope *scope;
    open_link(&link);
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.much",
                                                             .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.send", send_much, link.client));
    read_much(link.server);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_go(scope, "test.send", send_much, link.server));
    read_much(link.client);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    close_link(&link);
}

TEST(small_pieces_become_one_record)
{
    struct link link = { 0 };
    open_link(&link);
    struct wr_piece pieces[] = { { "a", 1 }, { "b", 1 }, { "c", 1 } };
    char bytes[10];
    size_t size;
    CHECK_OK(wr_stream_write(link.server, &size, pieces, 3, WR_NEVER));
    CHECK_OK(wr_stream_read(link.client, &size, bytes, sizeof(bytes), WR_NEVER));
    CHECK_EQ(3, size);
    close_link(&link);
}

TEST(a_read_that_finds_nothing_in_time_says_so_and_the_next_one_goes_on)
{
    struct link link = { 0 };
    open_link(&link);
    char bytes[10];
    size_t size;
    wr_time before = wr_now();
    CHECK_ERR(WR_TIMEOUT, wr_stream_read(link.server, &size, bytes, 10, wr_after(WR_S(3))));
    CHECK_EQ(WR_S(3), wr_now() - before);
    CHECK_ERR(WR_TIMEOUT, wr_stream_read(link.server, &size, bytes, 10, WR_NOW));
    say(link.client, "x");
    CHECK_OK(wr_stream_read(link.server, &size, bytes, 10, WR_NEVER));
    CHECK_EQ(1, size);
    close_link(&link);
}

TEST(a_peer_that_takes_nothing_is_given_up_at_the_deadline)
{
    struct link link = { 0 };
    open_link(&link);
    static char bytes[1 << 20];
    size_t size;
    wr_err err = WR_OK;
    wr_time before = wr_now();
    for (int i = 0; i < 100 && !err; i++)
        err = wr_stream_write(link.server, &size, &(struct wr_piece){ bytes, sizeof(bytes) }, 1,
                              before + WR_S(5));
    CHECK_ERR(WR_TIMEOUT, err);
    CHECK_EQ(WR_S(5), wr_now() - before);
    close_link(&link);
}

TEST(the_end_of_a_stream_is_told_from_one_that_was_cut_off)
{
    struct link link = { 0 };
    char bytes[10];
    size_t size = 9;
    open_link(&link);
    wr_stream_shut(link.client);
    CHECK_OK(wr_stream_read(link.server, &size, bytes, 10, WR_NEVER));
    CHECK_EQ(0, size);
    close_link(&link);

    open_link(&link);
    wr_stream_shut(tls_stream_of(link.client)->below);
    CHECK_OK(wr_stream_await(link.server, WR_NEVER));
    CHECK_ERR(WR_BROKENPIPE, wr_stream_read(link.server, &size, bytes, 10, WR_NEVER));
    CHECK_ERR(WR_BROKENPIPE, wr_stream_read(link.server, &size, bytes, 10, WR_NEVER));
    close_link(&link);
}

TEST(an_idle_stream_holds_no_buffer)
{
    struct link link = { 0 };
    char bytes[10];
    size_t size;
    open_link(&link);
    say(link.client, "ping");
    CHECK_OK(wr_stream_await(link.server, WR_NEVER));
    CHECK_OK(wr_stream_read(link.server, &size, bytes, 10, WR_NEVER));
    say(link.server, "pong");
    CHECK_ERR(WR_TIMEOUT, wr_stream_await(link.server, wr_after(WR_S(1))));
    const struct tls_stream *server = tls_stream_of(link.server);
    CHECK(server->in == NULL && server->out == NULL);
    close_link(&link);
}

TEST(what_was_decrypted_already_is_readable_though_the_socket_is_not)
{
    struct link link = { 0 };
    char bytes[10];
    size_t size, which;
    open_link(&link);
    say(link.client, "abcd");
    struct wr_case cases[1] = { wr_stream_readable(link.server) };
    CHECK_OK(wr_select(&which, cases, 1, WR_NEVER));
    CHECK_OK(wr_stream_read(link.server, &size, bytes, 2, WR_NEVER));
    cases[0] = wr_stream_readable(link.server);
    CHECK_OK(wr_select(&which, cases, 1, wr_after(WR_S(1))));
    CHECK_OK(wr_stream_await(link.server, wr_after(WR_S(1))));
    CHECK_OK(wr_stream_read(link.server, &size, bytes, 10, WR_NEVER));
    CHECK_EQ(2, size);
    cases[0] = wr_stream_readable(link.server);
    CHECK_ERR(WR_TIMEOUT, wr_select(&which, cases, 1, wr_after(WR_S(1))));
    close_link(&link);
}

TEST(a_key_update_is_nothing_that_a_reader_sees)
{
    struct link link = { 0 };
    char bytes[10];
    size_t size;
    open_link(&link);
    SSL *ssl = tls_stream_of(link.client)->ssl;
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(1, SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED));
        say(link.client, "x");
        CHECK_OK(wr_stream_read(link.server, &size, bytes, 10, WR_NEVER));
        CHECK_EQ(1, size);
        say(link.server, "yy");
        CHECK_OK(wr_stream_read(link.client, &size, bytes, 10, WR_NEVER));
        CHECK_EQ(2, size);
    }
    close_link(&link);
}

TEST(bytes_that_were_changed_on_the_way_end_the_stream)
{
    struct link link = { 0 };
    char bytes[10];
    size_t size;
    open_link(&link);
    say(tls_stream_of(link.client)->below, "\x17\x03\x03\x01\x02garbage that is no record");
    for (int i = 0; i < 20; i++)
        say(tls_stream_of(link.client)->below, "and on and on and on and on");
    CHECK_ERR(WR_IO, wr_stream_read(link.server, &size, bytes, 10, WR_NEVER));
    close_link(&link);
}
