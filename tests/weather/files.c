/* files.c - out of file descriptors. */
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include <weir/fd.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/signal.h>

#include "testing/settle.h"
#include "testing/test.h"

enum { ROOM_MAX = 40 };

struct taken { int fds[256]; int count; };

/* Take all descriptors but `room`. */
static void take_all_but(struct taken *taken, int room)
{
    struct rlimit limit;
    taken->count = 0;
    if (!CHECK_EQ(0, getrlimit(RLIMIT_NOFILE, &limit)))
        return;
    limit.rlim_cur = sizeof(taken->fds) / sizeof(*taken->fds);
    CHECK_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
    int fd;
    while ((fd = dup(STDIN_FILENO)) >= 0)
        taken->fds[taken->count++] = fd;
    CHECK_EQ(EMFILE, errno);
    while (room-- > 0 && taken->count > 0)
        close(taken->fds[--taken->count]);
}

static void give_back(struct taken *taken)
{
    while (taken->count > 0)
        close(taken->fds[--taken->count]);
}

static wr_err note_that_it_ran(void *arg)
{
    *(bool *)arg = true;
    return WR_OK;
}

TEST_PLAIN(a_run_that_gets_no_descriptors_says_nofile_and_keeps_none)
{
    static struct taken taken;
    for (unsigned workers = 1; workers <= 4; workers++) {
        struct wr_run_conf conf = { .workers = workers };
        int room = 0;
        wr_err err = WR_NOFILE;
        for (; err && room < ROOM_MAX; room++) {
            bool ran = false;
            take_all_but(&taken, room);
            err = wr_run(&conf, note_that_it_ran, &ran);
            if (err)
                CHECK_ERR(WR_NOFILE, err);
            CHECK_EQ(!err, ran);
            for (int i = 0; i < room; i++) {    /* all of them are there again */
                int fd = dup(STDIN_FILENO);
                CHECK(fd >= 0);
                taken.fds[taken.count++] = fd;
            }
            CHECK_EQ(-1, dup(STDIN_FILENO));
            give_back(&taken);
        }
        CHECK_OK(err);
        CHECK_EQ(2 * workers, room - 1);        /* what each worker needs */
    }
}

static wr_err pass_a_byte(void *arg)
{
    struct wr_fd **ends = arg;
    char byte = 0;
    size_t size;
    CHECK_OK(wr_fd_write(ends[1], &size, "x", 1, WR_NEVER));
    CHECK_OK(wr_fd_read(ends[0], &size, &byte, 1, WR_NEVER));
    CHECK_EQ('x', byte);
    return WR_OK;
}

TEST(what_is_open_goes_on_working_when_there_are_no_more)
{
    static struct taken taken;
    int ends[2], more[2];
    struct wr_fd *fds[2];
    bool ran = false;
    REQUIRE(pipe(ends) == 0);
    take_all_but(&taken, 0);
    CHECK_OK(wr_fd_open(&fds[0], ends[0]));     /* needs none of its own */
    CHECK_OK(wr_fd_open(&fds[1], ends[1]));
    CHECK_EQ(-1, pipe(more));
    CHECK_ERR(WR_NOFILE, wr_err_errno(errno));
    CHECK_OK(pass_a_byte(fds));
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "weather.task", note_that_it_ran, &ran));
    scope_done(scope);
    CHECK(ran);
    give_back(&taken);
    wr_fd_close(fds[0]);
    wr_fd_close(fds[1]);
}

TEST(catching_signals_without_a_descriptor_for_them_is_nofile)
{
    static struct taken taken;
    static const int numbers[] = { 10 };
    struct wr_signal *signals = NULL;
    for (int room = 0; room < 2; room++) {
        take_all_but(&taken, room);
        CHECK_ERR(WR_NOFILE, wr_signal_open(&signals, numbers, 1));
        give_back(&taken);
    }
    CHECK_OK(wr_signal_open(&signals, numbers, 1));
    wr_signal_close(signals);
}
