/* socket_test.c - streams over real sockets, on loopback. */
#include <weir/stream.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONTRACT(name) TEST(name)
#include "testing/stream_contract.h"

/* ---- what only real ones have ---- */

TEST_PANICS(more_pieces_than_fit_are_a_panic,
            "17 pieces are written at once, at most 16 can be")
{
    struct pair pair = open_pair("127.0.0.1:0");
    struct wr_piece pieces[17] = { 0 };
    size_t size;
    (void)!wr_stream_write(pair.client, &size, pieces, 17, WR_NEVER);
}

TEST(a_unix_socket_is_its_owners_alone_and_goes_with_its_listener)
{
    struct stat st;
    struct wr_listener *listener = listen_on(unix_addr());
    REQUIRE(listener);
    CHECK_EQ(0, stat(unix_path(), &st));
    CHECK_EQ(0600, st.st_mode & 0777);
    wr_listener_close(listener);
    CHECK_EQ(-1, stat(unix_path(), &st));
}

TEST(a_file_that_is_no_socket_is_not_replaced_by_one)
{
    struct wr_addr addr;
    struct wr_listener *listener;
    struct stat st;
    FILE *file = fopen(unix_path(), "w");
    REQUIRE(file);
    fclose(file);
    REQUIRE_OK(wr_addr_parse(&addr, unix_addr()));
    CHECK_ERR(WR_EXISTS, wr_listen(&listener, &addr));
    CHECK_EQ(0, stat(unix_path(), &st));
    CHECK(S_ISREG(st.st_mode));
    CHECK_EQ(0, unlink(unix_path()));
}

TEST(a_unix_socket_that_a_dead_process_left_is_replaced)
{
    struct wr_listener *listener = listen_on(unix_addr());
    REQUIRE(listener);
    char left[80];
    snprintf(left, sizeof(left), "%s.left", unix_path());
    CHECK_EQ(0, rename(unix_path(), left));     /* its file stays */
    wr_listener_close(listener);
    CHECK_EQ(0, rename(left, unix_path()));
    listener = listen_on(unix_addr());
    wr_listener_close(listener);
}

TEST(the_process_at_the_other_end_of_a_unix_socket_is_known)
{
    struct pair pair = open_pair(unix_addr());
    REQUIRE(pair.client && pair.server);
    uint32_t uid = 0;
    int32_t pid = 0;
    CHECK_OK(wr_stream_peer_process(pair.server, &uid, &pid));
    CHECK_EQ(getuid(), uid);
    CHECK_EQ(getpid(), pid);
    close_pair(&pair);
}

TEST(a_socket_that_listens_already_is_taken_over_and_no_other)
{
    struct wr_listener *listener;
    int ends[2], fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK_EQ(0, listen(fd, 1));
    CHECK_OK(wr_listen_on(&listener, fd));
    struct wr_stream *stream = NULL;
    struct wr_addr addr = *wr_listener_addr(listener);
    addr.ip[0] = 127;
    addr.ip[3] = 1;
    CHECK_OK(wr_connect(&stream, &addr, WR_NEVER));
    wr_stream_close(stream);
    wr_listener_close(listener);
    CHECK_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    CHECK_ERR(WR_INVALID, wr_listen_on(&listener, ends[0]));
    close(ends[0]);
    close(ends[1]);
}

TEST(without_descriptors_a_connection_waits_in_line_and_is_taken_later)
{
    if (getenv("WEIR_TEST_SLOW"))
        SKIP("valgrind has a limit of descriptors of its own");
    struct wr_listener *listener = listen_on("127.0.0.1:0");
    REQUIRE(listener);
    struct wr_stream *client = NULL, *server = NULL;
    struct wr_conn conn;
    CHECK_OK(wr_connect(&client, wr_listener_addr(listener), WR_NEVER));
    int next = dup(0);
    struct rlimit limit, none;
    REQUIRE(next >= 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0);
    close(next);
    none = (struct rlimit){ .rlim_cur = (rlim_t)next, .rlim_max = limit.rlim_max };
    CHECK_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
    CHECK_ERR(WR_NOFILE, wr_accept(listener, &conn, WR_NEVER));
    CHECK_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
    REQUIRE_OK(wr_accept(listener, &conn, WR_NEVER));
    CHECK_OK(wr_stream_open(&server, &conn));
    send_text(client, "still here");
    expect_text(server, "still here");
    wr_stream_close(client);
    wr_stream_close(server);
    wr_listener_close(listener);
}

TEST(what_goes_through_sockets_is_counted_both_ways)
{
    struct wr_listener *listener = listen_on("127.0.0.1:0");
    REQUIRE(listener);
    struct wr_stream *client = NULL, *server = NULL;
    struct wr_conn conn;
    CHECK_OK(wr_connect(&client, wr_listener_addr(listener), WR_NEVER));
    REQUIRE_OK(wr_accept(listener, &conn, WR_NEVER));
    CHECK_OK(wr_stream_open(&server, &conn));
    struct wr_stream_bytes before = wr_stream_bytes();
    send_text(client, "twelve bytes");
    CHECK_EQ(before.out + 12, wr_stream_bytes().out);
    CHECK_EQ(before.in, wr_stream_bytes().in);
    expect_text(server, "twelve bytes");
    CHECK_EQ(before.in + 12, wr_stream_bytes().in);
    wr_stream_close(client);
    wr_stream_close(server);
    wr_listener_close(listener);
}
