/* os_signal.c - signals as something to read.
 *
 * A handler that writes a byte into a pipe: works for every thread of the
 * process whatever its mask, and a storm fills the pipe and is then dropped,
 * byte by byte, without blocking anybody. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "rt/os.h"

static _Atomic int pipe_write = -1;
static sigset_t caught;

static void on_signal(int number)
{
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    (void)!write(atomic_load(&pipe_write), &byte, 1);
    errno = saved;
}

wr_err wr_os_signals_open(int *ret_fd, const int *signals, size_t count)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return wr_err_errno(errno);
    atomic_store(&pipe_write, ends[1]);
    sigemptyset(&caught);
    for (size_t i = 0; i < count; i++) {
        struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK };
        sigaction(signals[i], &act, NULL);
        sigaddset(&caught, signals[i]);
    }
    *ret_fd = ends[0];
    return WR_OK;
}

/* The reading end is the caller's and closed by it. */
void wr_os_signals_close(int fd)
{
    (void)fd;
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&caught, number) == 1)
            signal(number, SIG_DFL);
    sigemptyset(&caught);
    close(atomic_exchange(&pipe_write, -1));
}
