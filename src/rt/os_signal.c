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

static _Atomic int pipe_write = -1;
static struct { int number; struct sigaction before; } caught[WR_SIGNALS_MAX];
static size_t caught_count;

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
    for (caught_count = 0; caught_count < count; caught_count++) {
        struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK };
        caught[caught_count].number = signals[caught_count];
        sigaction(signals[caught_count], &act, &caught[caught_count].before);
    }
    *ret_fd = ends[0];
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
    close(atomic_exchange(&pipe_write, -1));
}
