/* os_signal.c - signals as something to read.
 *
 * A handler that writes a byte into a pipe: works for every thread of the
 * process whatever its mask, and a storm fills the pipe and is then dropped,
 * byte by byte, without blocking anybody. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <weir/signal.h>

#include "rt/os.h"

/* The pipe stays for the life of the process: a handler that has begun on another
 * thread may write after its signal was given back, and must not meet somebody
 * else's descriptor under that number. */
static _Atomic int pipe_write = -1;
static int pipe_read = -1;
static pid_t pipe_owner;
static struct { int number; struct sigaction before; } caught[WR_SIGNALS_MAX];
static size_t caught_count;

static void on_signal(int number)
{
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    (void)!write(atomic_load(&pipe_write), &byte, 1);
    errno = saved;
}

/* A forked child makes its own: what it catches is not its parent's. */
static wr_err open_pipe(void)
{
    int ends[2];
    if (pipe_owner == getpid())
        return WR_OK;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return wr_err_errno(errno);
    int inherited = atomic_exchange(&pipe_write, ends[1]);
    if (inherited >= 0) {
        close(inherited);
        close(pipe_read);
    }
    pipe_read = ends[0];
    pipe_owner = getpid();
    return WR_OK;
}

/* What has come since the last close is nobody's. */
static void drain_pipe(void)
{
    unsigned char bytes[256];
    while (read(pipe_read, bytes, sizeof(bytes)) > 0)
        ;
}

wr_err wr_os_signals_open(int *ret_fd, const int *signals, size_t count)
{
    wr_err err = open_pipe();
    if (err)
        return err;
    drain_pipe();
    int fd = fcntl(pipe_read, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return wr_err_errno(errno);
    for (caught_count = 0; caught_count < count; caught_count++) {
        struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK };
        caught[caught_count].number = signals[caught_count];
        if (sigaction(signals[caught_count], &act, &caught[caught_count].before) != 0) {
            err = wr_err_errno(errno);
            wr_os_signals_close();
            close(fd);
            return err;
        }
    }
    *ret_fd = fd;
    return WR_OK;
}

/* The last one first: a signal that was asked for twice is found as it was before
 * the first time. */
void wr_os_signals_close(void)
{
    while (caught_count > 0) {
        caught_count--;
        sigaction(caught[caught_count].number, &caught[caught_count].before, NULL);
    }
}
