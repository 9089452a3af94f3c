#include <weir/fd.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <weir/scope.h>
#include <weir/select.h>

#include "testing/settle.h"
#include "testing/test.h"

struct pair { struct wr_fd *in, *out; };

static struct pair pipe_open(void)
{
    int ends[2] = { -1, -1 };
    struct pair pair = { 0 };
    CHECK_EQ(0, pipe(ends));
    CHECK_OK(wr_fd_open(&pair.in, ends[0]));
    CHECK_OK(wr_fd_open(&pair.out, ends[1]));
    return pair;
}

static void pipe_close(struct pair pair)
{
    wr_fd_close(pair.in);
    wr_fd_close(pair.out);
}

/* ---- reading ---- */

TEST(a_read_returns_what_is_there_at_least_a_byte)
{
    struct pair pair = pipe_open();
    char buf[16];
    size_t size = 0;
    CHECK_OK(wr_fd_write(pair.out, &size, "hello", 5, WR_NEVER));
    CHECK_EQ(5, size);
    CHECK_OK(wr_fd_read(pair.in, &size, buf, 3, WR_NEVER));
    CHECK_EQ(3, size);
    CHECK(memcmp(buf, "hel", 3) == 0);
    CHECK_OK(wr_fd_read(pair.in, &size, buf, sizeof(buf), WR_NEVER));
    CHECK_EQ(2, size);
    CHECK(memcmp(buf, "lo", 2) == 0);
    pipe_close(pair);
}

TEST(a_borrowed_descriptor_is_let_go_of_and_not_closed)
{
    int ends[2] = { -1, -1 };
    struct wr_fd *in = NULL;
    char byte = 0;
    CHECK_EQ(0, pipe(ends));
    CHECK_OK(wr_fd_borrow(&in, ends[0]));
    CHECK_EQ(ends[0], wr_fd_number(in));
    CHECK_ERR(WR_TIMEOUT, wr_fd_wait(in, WR_READABLE, wr_after(WR_MS(1))));
    CHECK_EQ(1, write(ends[1], "x", 1));
    CHECK_OK(wr_fd_wait(in, WR_READABLE, WR_NEVER));
    wr_fd_close(in);
    CHECK_EQ(1, read(ends[0], &byte, 1));
    CHECK_OK(wr_fd_borrow(&in, ends[0]));       /* and may be borrowed again */
    wr_fd_close(in);
    CHECK_EQ(0, close(ends[0]));
    CHECK_EQ(0, close(ends[1]));
}

struct reading { struct wr_fd *fd; wr_time deadline; wr_err err; size_t size; wr_time at; };

static wr_err read_one(void *arg)
{
    struct reading *reading = arg;
    char byte;
    reading->err = wr_fd_read(reading->fd, &reading->size, &byte, 1, reading->deadline);
    reading->at = wr_now();
    return WR_OK;
}

TEST(a_read_waits_until_somebody_writes)
{
    struct pair pair = pipe_open();
    struct reading reading = { .fd = pair.in, .deadline = WR_NEVER, .err = WR_BUSY };
    struct wr_scope *scope = scope_open();
    size_t size;
    go(scope, read_one, &reading);
    CHECK_ERR(WR_BUSY, reading.err);
    CHECK_OK(wr_sleep(wr_after(WR_MS(5))));
    wr_time wrote = wr_now();
    CHECK_OK(wr_fd_write(pair.out, &size, "x", 1, WR_NEVER));
    scope_done(scope);
    CHECK_OK(reading.err);
    CHECK_EQ(1, reading.size);
    CHECK_EQ(wrote, reading.at);
    pipe_close(pair);
}

TEST(a_read_gives_up_at_its_deadline_exactly)
{
    struct pair pair = pipe_open();
    char byte;
    size_t size;
    wr_time deadline = wr_after(WR_MS(3) + 7);
    CHECK_ERR(WR_TIMEOUT, wr_fd_read(pair.in, &size, &byte, 1, deadline));
    CHECK_EQ(deadline, wr_now());
    CHECK_ERR(WR_TIMEOUT, wr_fd_read(pair.in, &size, &byte, 1, WR_NOW));
    CHECK_EQ(deadline, wr_now());
    pipe_close(pair);
}

TEST(a_read_that_waits_is_ended_by_a_cancel)
{
    struct pair pair = pipe_open();
    struct reading reading = { .fd = pair.in, .deadline = WR_NEVER };
    struct wr_scope *scope = scope_open();
    go(scope, read_one, &reading);
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_ERR(WR_CANCELED, reading.err);
    /* ... and has left nothing behind: the next reader may wait. */
    struct reading next = { .fd = pair.in, .deadline = wr_after(WR_MS(1)) };
    scope = scope_open();
    go(scope, read_one, &next);
    scope_done(scope);
    CHECK_ERR(WR_TIMEOUT, next.err);
    pipe_close(pair);
}

TEST(the_end_of_the_stream_is_a_read_of_nothing)
{
    struct pair pair = pipe_open();
    struct reading reading = { .fd = pair.in, .deadline = WR_NEVER, .size = 9 };
    struct wr_scope *scope = scope_open();
    char byte;
    size_t size = 9;
    go(scope, read_one, &reading);
    wr_fd_close(pair.out);
    scope_done(scope);
    CHECK_OK(reading.err);
    CHECK_EQ(0, reading.size);
    CHECK_OK(wr_fd_read(pair.in, &size, &byte, 1, WR_NEVER));   /* and stays so */
    CHECK_EQ(0, size);
    wr_fd_close(pair.in);
}

/* ---- writing ---- */

enum { LARGE = 300 * 1024 };    /* more than a pipe holds */
static char large[LARGE], got[LARGE];

static wr_err read_all(void *arg)
{
    size_t have = 0, size;
    while (have < LARGE) {
        CHECK_OK(wr_fd_read(arg, &size, got + have, LARGE - have, WR_NEVER));
        have += size;
    }
    return WR_OK;
}

TEST(a_write_goes_on_until_all_of_it_is_out)
{
    struct pair pair = pipe_open();
    struct wr_scope *scope = scope_open();
    size_t size = 0;
    for (size_t i = 0; i < LARGE; i++)
        large[i] = (char)(i * 7 % 251);
    memset(got, 0, sizeof(got));
    CHECK_OK(wr_scope_go(scope, "test.reader", read_all, pair.in));
    CHECK_OK(wr_fd_write(pair.out, &size, large, LARGE, WR_NEVER));
    CHECK_EQ(LARGE, size);
    scope_done(scope);
    CHECK(memcmp(large, got, LARGE) == 0);
    pipe_close(pair);
}

TEST(a_write_that_runs_out_of_time_tells_how_much_went_out)
{
    struct pair pair = pipe_open();
    size_t size = 0, have = 0, piece;
    wr_time deadline = wr_after(WR_MS(2));
    CHECK_ERR(WR_TIMEOUT, wr_fd_write(pair.out, &size, large, LARGE, deadline));
    CHECK_EQ(deadline, wr_now());
    CHECK(size > 0 && size < LARGE);
    while (wr_fd_read(pair.in, &piece, got, sizeof(got), WR_NOW) == WR_OK)
        have += piece;
    CHECK_EQ(size, have);
    pipe_close(pair);
}

TEST(writing_to_a_pipe_that_nobody_reads_any_more_is_a_broken_pipe)
{
    struct pair pair = pipe_open();
    size_t size = 9;
    wr_fd_close(pair.in);
    CHECK_ERR(WR_BROKENPIPE, wr_fd_write(pair.out, &size, "x", 1, WR_NEVER));
    CHECK_EQ(0, size);
    wr_fd_close(pair.out);
}

static wr_err write_all(void *arg)
{
    size_t size;
    return wr_fd_write(arg, &size, large, LARGE, WR_NEVER);
}

TEST(a_writer_that_waits_learns_that_the_reader_has_gone)
{
    struct pair pair = pipe_open();
    struct wr_scope *scope = scope_open();
    go(scope, write_all, pair.out);
    wr_fd_close(pair.in);
    CHECK_ERR(WR_BROKENPIPE, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_BROKENPIPE, wr_scope_close(scope));
    wr_fd_close(pair.out);
}

TEST(a_socket_whose_peer_has_gone_is_a_broken_pipe_too)
{
    int ends[2];
    struct wr_fd *fd;
    size_t size;
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK_OK(wr_fd_open(&fd, ends[0]));
    close(ends[1]);
    CHECK_ERR(WR_BROKENPIPE, wr_fd_write(fd, &size, "x", 1, WR_NEVER));
    wr_fd_close(fd);
}

/* ---- waiting for readiness ---- */

TEST(a_wait_for_reading_lasts_until_there_is_something_to_read)
{
    struct pair pair = pipe_open();
    size_t size;
    char buf[8];
    wr_time deadline = wr_after(WR_MS(1));
    CHECK_ERR(WR_TIMEOUT, wr_fd_wait(pair.in, WR_READABLE, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, wr_fd_wait(pair.in, WR_READABLE, deadline));
    CHECK_EQ(deadline, wr_now());
    CHECK_OK(wr_fd_write(pair.out, &size, "xy", 2, WR_NEVER));
    CHECK_OK(wr_fd_wait(pair.in, WR_READABLE, WR_NEVER));
    CHECK_OK(wr_fd_wait(pair.in, WR_READABLE, WR_NOW));         /* it still is */
    CHECK_OK(wr_fd_read(pair.in, &size, buf, sizeof(buf), WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, wr_fd_wait(pair.in, WR_READABLE, WR_NOW));
    pipe_close(pair);
}

TEST(a_wait_for_writing_lasts_until_there_is_room)
{
    struct pair pair = pipe_open();
    size_t size, have = 0;
    CHECK_OK(wr_fd_wait(pair.out, WR_WRITABLE, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, wr_fd_write(pair.out, &size, large, LARGE, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, wr_fd_wait(pair.out, WR_WRITABLE, WR_NOW));
    while (wr_fd_read(pair.in, &size, got, sizeof(got), WR_NOW) == WR_OK)
        have += size;
    CHECK(have > 0);
    CHECK_OK(wr_fd_wait(pair.out, WR_WRITABLE, WR_NEVER));
    pipe_close(pair);
}

TEST(who_reads_the_descriptor_himself_waits_again_when_it_is_empty)
{
    struct pair pair = pipe_open();
    size_t size;
    char byte;
    CHECK_OK(wr_fd_write(pair.out, &size, "x", 1, WR_NEVER));
    CHECK_OK(wr_fd_wait(pair.in, WR_READABLE, WR_NEVER));
    CHECK_EQ(1, read(wr_fd_number(pair.in), &byte, 1));
    wr_time deadline = wr_after(WR_MS(1));
    CHECK_ERR(WR_TIMEOUT, wr_fd_wait(pair.in, WR_READABLE, deadline));
    CHECK_EQ(deadline, wr_now());
    pipe_close(pair);
}

TEST(a_hang_up_ends_a_wait_for_reading)
{
    struct pair pair = pipe_open();
    wr_fd_close(pair.out);
    CHECK_OK(wr_fd_wait(pair.in, WR_READABLE, WR_NEVER));
    wr_fd_close(pair.in);
}

TEST(a_descriptor_is_a_case_of_a_select)
{
    struct pair pair = pipe_open();
    struct wr_timer timer = { 0 };
    size_t which = 9, size;
    wr_timer_set(&timer, wr_after(WR_MS(1)));
    struct wr_case cases[] = { WR_CASE_FD(pair.in, WR_READABLE), WR_CASE_TIMER(&timer) };
    CHECK_OK(wr_select(&which, cases, 2, WR_NEVER));
    CHECK_EQ(1, which);                                         /* nothing to read */
    wr_timer_clear(&timer);
    CHECK_OK(wr_fd_write(pair.out, &size, "x", 1, WR_NEVER));
    CHECK_OK(wr_select(&which, cases, 2, WR_NEVER));
    CHECK_EQ(0, which);
    CHECK_OK(cases[0].err);
    pipe_close(pair);
}

/* ---- opening and closing ---- */

TEST(an_open_descriptor_does_not_block_and_keeps_its_number)
{
    int ends[2];
    struct wr_fd *fd;
    REQUIRE(pipe(ends) == 0);
    CHECK_EQ(0, fcntl(ends[0], F_GETFL) & O_NONBLOCK);
    CHECK_OK(wr_fd_open(&fd, ends[0]));
    CHECK_EQ(ends[0], wr_fd_number(fd));
    CHECK_EQ(O_NONBLOCK, fcntl(ends[0], F_GETFL) & O_NONBLOCK);
    wr_fd_close(fd);
    CHECK_EQ(-1, fcntl(ends[0], F_GETFL));                      /* closed with it */
    close(ends[1]);
}

TEST(closing_nothing_is_fine)
{
    wr_fd_close(NULL);
}

TEST(a_regular_file_is_not_supported_and_stays_as_it_was)
{
    char path[] = "/tmp/weir-fd-test-XXXXXX";
    int file = mkstemp(path);
    struct wr_fd *fd = NULL;
    REQUIRE(file >= 0);
    unlink(path);
    CHECK_ERR(WR_UNSUPPORTED, wr_fd_open(&fd, file));
    CHECK(fd == NULL);
    CHECK_EQ(0, fcntl(file, F_GETFL) & O_NONBLOCK);
    close(file);
}

TEST(an_eventfd_works_as_well)
{
    struct wr_fd *fd;
    uint64_t count = 0;
    size_t size;
    CHECK_OK(wr_fd_open(&fd, eventfd(0, 0)));
    CHECK_ERR(WR_TIMEOUT, wr_fd_read(fd, &size, &count, sizeof(count), wr_after(1)));
    CHECK_OK(wr_fd_write(fd, &size, &(uint64_t){ 3 }, sizeof(count), WR_NEVER));
    CHECK_OK(wr_fd_read(fd, &size, &count, sizeof(count), WR_NEVER));
    CHECK_EQ(3, count);
    wr_fd_close(fd);
}
