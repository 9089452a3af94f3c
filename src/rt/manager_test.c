/* manager_test.c - what a service manager hands over, and what it is told. */
#include <weir/manager.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <weir/run.h>
#include <weir/stream.h>

#include "rt/os.h"
#include "testing/test.h"

static char why[WR_MANAGER_WHY];

static void set_number(const char *variable, long number)
{
    char text[32];
    snprintf(text, sizeof(text), "%ld", number);
    setenv(variable, text, 1);
}

/* What the manager is refused for, with these variables. */
static const char *refusal(void)
{
    struct wr_manager *manager = NULL;
    why[0] = '\0';
    CHECK_ERR(WR_INVALID, wr_manager_open(&manager, why));
    return why;
}

static struct wr_manager *opened(void)
{
    struct wr_manager *manager = NULL;
    if (!CHECK_OK(wr_manager_open(&manager, why)))
        printf("# %s\n", why);
    return manager;
}

/* ---- sockets ---- */

/* Descriptors from 3 on are ours, as they are after exec. */
static void put_listener(int at)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in addr = { .sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    CHECK(bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0 && listen(fd, 8) == 0);
    if (fd != at) {
        CHECK_EQ(at, dup2(fd, at));
        close(fd);
    }
}

static void hand_over(const char *count, const char *names)
{
    set_number("LISTEN_PID", getpid());
    setenv("LISTEN_FDS", count, 1);
    if (names)
        setenv("LISTEN_FDNAMES", names, 1);
}

TEST_PLAIN(without_a_manager_there_is_nothing_and_everything_works)
{
    struct wr_manager *manager = opened();
    const struct wr_passed *sockets;
    REQUIRE(manager);
    CHECK_EQ(0, wr_manager_sockets(manager, &sockets));
    CHECK_EQ(-1, wr_manager_take(manager, "http"));
    CHECK_OK(wr_manager_tell(manager, WR_NEWS_READY, "fine"));
    CHECK(wr_manager_watchdog(manager) == WR_NEVER);
    wr_manager_close(manager);
}

TEST_PLAIN(sockets_are_handed_over_with_their_names_and_close_on_exec)
{
    const struct wr_passed *sockets;
    put_listener(3);
    put_listener(4);
    hand_over("2", "http:admin");
    struct wr_manager *manager = opened();
    REQUIRE(manager);
    REQUIRE(wr_manager_sockets(manager, &sockets) == 2);
    CHECK_STR("http", sockets[0].name);
    CHECK_STR("admin", sockets[1].name);
    CHECK(sockets[0].addr.kind == WR_ADDR_IP4 && sockets[0].addr.port != 0);
    CHECK_EQ(FD_CLOEXEC, fcntl(3, F_GETFD));
    CHECK_EQ(4, wr_manager_take(manager, "admin"));
    CHECK_EQ(-1, wr_manager_take(manager, "admin"));
    CHECK_EQ(-1, wr_manager_take(manager, "other"));
    wr_manager_close(manager);
    CHECK_EQ(-1, fcntl(3, F_GETFD));            /* nobody took it */
    CHECK_EQ(FD_CLOEXEC, fcntl(4, F_GETFD));
    close(4);
}

TEST_PLAIN(a_socket_without_a_name_is_called_unknown)
{
    put_listener(3);
    hand_over("1", NULL);
    struct wr_manager *manager = opened();
    REQUIRE(manager);
    CHECK_EQ(3, wr_manager_take(manager, "unknown"));
    wr_manager_close(manager);
    close(3);
}

static wr_err serve_one(void *arg)
{
    struct wr_manager *manager = arg;
    struct wr_listener *listener;
    struct wr_stream *stream;
    struct wr_conn conn;
    REQUIRE_OK(wr_listen_on(&listener, wr_manager_take(manager, "http")), WR_IO);
    CHECK_OK(wr_connect(&stream, wr_listener_addr(listener), WR_NEVER));
    CHECK_OK(wr_accept(listener, &conn, WR_NEVER));
    wr_conn_drop(&conn);
    wr_stream_close(stream);
    wr_listener_close(listener);
    return WR_OK;
}

TEST_PLAIN(a_socket_that_was_handed_over_is_listened_on)
{
    put_listener(3);
    hand_over("1", "http");
    struct wr_manager *manager = opened();
    REQUIRE(manager);
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, serve_one, manager));
    wr_manager_close(manager);
}

TEST_PLAIN(what_is_meant_for_another_process_is_ignored)
{
    const struct wr_passed *sockets;
    hand_over("2", "http:admin");
    set_number("LISTEN_PID", getpid() + 1L);
    setenv("WATCHDOG_USEC", "1000000", 1);
    set_number("WATCHDOG_PID", getpid() + 1L);
    struct wr_manager *manager = opened();
    REQUIRE(manager);
    CHECK_EQ(0, wr_manager_sockets(manager, &sockets));
    CHECK(wr_manager_watchdog(manager) == WR_NEVER);
    wr_manager_close(manager);
}

TEST_PLAIN(the_variables_are_gone_afterwards_whether_they_were_good_or_not)
{
    static const char *const variables[] = { "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
                                             "NOTIFY_SOCKET", "WATCHDOG_PID",
                                             "WATCHDOG_USEC" };
    for (int good = 0; good < 2; good++) {
        hand_over("0", NULL);
        set_number("WATCHDOG_PID", getpid());
        setenv("WATCHDOG_USEC", "5000000", 1);
        setenv("NOTIFY_SOCKET", good ? "@weir.test" : "nowhere", 1);
        struct wr_manager *manager = NULL;
        CHECK_ERR(good ? WR_OK : WR_INVALID, wr_manager_open(&manager, why));
        for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
            CHECK(!getenv(variables[i]));
        wr_manager_close(manager);
    }
}

/* ---- refusals ---- */

TEST_PLAIN(variables_that_are_not_what_they_must_be_are_refused_by_name_and_value)
{
    setenv("LISTEN_PID", "me", 1);
    CHECK_STR("LISTEN_PID is \"me\", not the number of a process", refusal());
    hand_over("33", NULL);
    CHECK_STR("LISTEN_FDS is \"33\", not a number of sockets up to 32", refusal());
    hand_over("-1", NULL);
    CHECK_STR("LISTEN_FDS is \"-1\", not a number of sockets up to 32", refusal());
    hand_over("", NULL);
    CHECK_STR("LISTEN_FDS is \"\", not a number of sockets up to 32", refusal());
    hand_over("18446744073709551617", NULL);
    CHECK_STR("LISTEN_FDS is \"18446744073709551617\", not a number of sockets up to 32",
              refusal());
    hand_over("1", "a:b");
    CHECK_STR("LISTEN_FDNAMES has 2 names and LISTEN_FDS is 1: they must be as many",
              refusal());
    setenv("NOTIFY_SOCKET", "relative", 1);
    CHECK_STR("NOTIFY_SOCKET is \"relative\": it must begin with / or @ and have 2 to 107 "
              "bytes", refusal());
    setenv("WATCHDOG_USEC", "1", 1);
    CHECK_STR("WATCHDOG_USEC is \"1\", not a number of microseconds above 1", refusal());
}

TEST_PLAIN(names_that_do_not_fit_are_refused)
{
    char names[1025];
    memset(names, 'n', sizeof(names) - 1);
    names[sizeof(names) - 1] = '\0';
    hand_over("1", names);
    CHECK_STR("LISTEN_FDNAMES has 1024 bytes, at most 1023 are allowed", refusal());
    names[108] = '\0';
    names[0] = '@';
    setenv("NOTIFY_SOCKET", names, 1);
    CHECK(strstr(refusal(), "2 to 107 bytes"));
}

static const char not_listening[] =
    "descriptor 3 (\"http\"), handed over by the service manager, does not listen for "
    "streams: its socket unit needs ListenStream= and Accept=no";

TEST_PLAIN(a_descriptor_that_does_not_listen_for_streams_is_refused)
{
    int kinds[][2] = { { AF_INET, SOCK_STREAM }, { AF_UNIX, SOCK_DGRAM } };
    for (int i = 0; i < 2; i++) {
        int fd = socket(kinds[i][0], kinds[i][1], 0);
        CHECK_EQ(3, dup2(fd, 3));
        if (fd != 3)
            close(fd);
        hand_over("1", "http");
        CHECK_STR(not_listening, refusal());
        close(3);
    }
    hand_over("1", "http");                     /* closed */
    CHECK_STR(not_listening, refusal());
}

/* ---- telling ---- */

/* Somewhere to tell: abstract, or in the file system. */
static int receiver(bool abstract)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    int len = snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/weir-notify-%ld",
                       abstract ? "@" : "/tmp", (long)getpid());
    setenv("NOTIFY_SOCKET", addr.sun_path, 1);
    unlink(addr.sun_path);
    if (abstract)
        addr.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    CHECK(bind(fd, (struct sockaddr *)&addr,
               (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)len)) == 0);
    return fd;
}

static const char *heard(int fd)
{
    static char text[512];
    ssize_t len = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);
    text[len > 0 ? len : 0] = '\0';
    return text;
}

TEST_PLAIN(news_are_told_in_the_words_of_the_protocol)
{
    for (int abstract = 0; abstract < 2; abstract++) {
        char path[108], ready[80];
        int fd = receiver(abstract);
        snprintf(path, sizeof(path), "%s", getenv("NOTIFY_SOCKET"));
        snprintf(ready, sizeof(ready), "READY=1\nMAINPID=%ld\nSTATUS=at port 80\n",
                 (long)getpid());
        struct wr_manager *manager = opened();
        REQUIRE(manager);
        CHECK_OK(wr_manager_tell(manager, WR_NEWS_READY, "at port 80"));
        CHECK_STR(ready, heard(fd));
        CHECK_OK(wr_manager_tell(manager, WR_NEWS_STATUS, "42 requests"));
        CHECK_STR("STATUS=42 requests\n", heard(fd));
        CHECK_OK(wr_manager_tell(manager, WR_NEWS_STOPPING, NULL));
        CHECK_STR("STOPPING=1\n", heard(fd));
        CHECK_OK(wr_manager_tell(manager, WR_NEWS_ALIVE, NULL));
        CHECK_STR("WATCHDOG=1\n", heard(fd));
        wr_manager_close(manager);
        close(fd);
        unlink(path);
    }
}

TEST_PLAIN(reloading_carries_the_moment_by_the_monotonic_clock)
{
    int fd = receiver(true);
    struct wr_manager *manager = opened();
    REQUIRE(manager);
    long long before = wr_now() / 1000, said = 0, after;
    CHECK_OK(wr_manager_tell(manager, WR_NEWS_RELOADING, NULL));
    after = wr_now() / 1000;
    CHECK_EQ(1, sscanf(heard(fd), "RELOADING=1\nMONOTONIC_USEC=%lld\n", &said));
    CHECK(before <= said && said <= after);
    wr_manager_close(manager);
    close(fd);
}

TEST_PLAIN(a_status_is_one_line_of_at_most_200_bytes)
{
    int fd = receiver(true);
    char status[300], want[300];
    struct wr_manager *manager = opened();
    REQUIRE(manager);
    CHECK_OK(wr_manager_tell(manager, WR_NEWS_STATUS, "one\nREADY=1\ttwo"));
    CHECK_STR("STATUS=one READY=1 two\n", heard(fd));
    memset(status, 's', sizeof(status) - 1);
    status[sizeof(status) - 1] = '\0';
    snprintf(want, sizeof(want), "STATUS=%.200s\n", status);
    CHECK_OK(wr_manager_tell(manager, WR_NEWS_STATUS, status));
    CHECK_STR(want, heard(fd));
    wr_manager_close(manager);
    close(fd);
}

TEST_PLAIN(a_manager_that_is_gone_or_behind_is_an_error_and_no_wait)
{
    int fd = receiver(true), told = 0;
    struct wr_manager *manager = opened();
    REQUIRE(manager);
    wr_err err = WR_OK;
    while (!err && told < 100000) {
        err = wr_manager_tell(manager, WR_NEWS_ALIVE, NULL);
        told++;
    }
    CHECK_ERR(WR_BUSY, err);
    close(fd);
    CHECK_ERR(WR_NOTFOUND, wr_manager_tell(manager, WR_NEWS_ALIVE, NULL));
    wr_manager_close(manager);
}

TEST_PLAIN(the_watchdog_wants_to_hear_twice_in_its_time)
{
    setenv("WATCHDOG_USEC", "3000000", 1);
    struct wr_manager *manager = opened();
    REQUIRE(manager);
    CHECK_EQ(WR_MS(1500), wr_manager_watchdog(manager));
    wr_manager_close(manager);
    setenv("WATCHDOG_USEC", "500000", 1);
    set_number("WATCHDOG_PID", getpid());
    manager = opened();
    REQUIRE(manager);
    CHECK_EQ(WR_MS(250), wr_manager_watchdog(manager));
    wr_manager_close(manager);
}
