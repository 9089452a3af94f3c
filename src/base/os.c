/* os.c - the real world. */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/world.h"

static int64_t read_clock(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static wr_time mono(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static int64_t wall(void)
{
    return read_clock(CLOCK_REALTIME);
}

static void entropy(void *buf, size_t size)
{
    unsigned char *at = buf;
    while (size > 0) {
        ssize_t n = getrandom(at, size, 0);
        if (n < 0 && errno != EINTR)
            abort();            /* the kernel has no randomness to give: nothing is safe */
        if (n > 0) {
            at += n;
            size -= (size_t)n;
        }
    }
}

static const char *env(const char *name)
{
    return getenv(name);
}

/* A pipe that is ready takes so much without waiting; a file is always ready. */
static bool stderr_is_ready(void)
{
    struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };
    int count;
    do
        count = poll(&fd, 1, 0);
    while (count < 0 && errno == EINTR);
    return count == 1 && (fd.revents & POLLOUT);
}

static bool write_all(const char *text, size_t len)
{
    while (len > 0) {
        if (!stderr_is_ready())
            return false;
        ssize_t n = write(STDERR_FILENO, text, len < PIPE_BUF ? len : PIPE_BUF);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            text += n;
            len -= (size_t)n;
        }
    }
    return true;
}

/* Who reads it may have stopped: nobody here waits for him.  One at a time, or two would
 * find the same last page free. */
static bool complain(const char *text, size_t len)
{
    static atomic_flag speaking = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set_explicit(&speaking, memory_order_acquire))
        sched_yield();
    bool said = write_all(text, len);
    atomic_flag_clear_explicit(&speaking, memory_order_release);
    return said;
}

static size_t heap_idle(void)
{
    return mallinfo2().fordblks;
}

static void heap_trim(void)
{
    malloc_trim(0);
}

const struct wr_world wr_world_os = {
    .mono = mono,
    .wall = wall,
    .entropy = entropy,
    .env = env,
    .complain = complain,
    .heap_idle = heap_idle,
    .heap_trim = heap_trim,
};
const struct wr_world *wr_world = &wr_world_os;
