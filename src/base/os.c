/* os.c - the real world. */
#include <errno.h>
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

static void complain(const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(STDERR_FILENO, text, len);
        if (n < 0 && errno != EINTR)
            return;
        if (n > 0) {
            text += n;
            len -= (size_t)n;
        }
    }
}

const struct wr_world wr_world_os = {
    .mono = mono,
    .wall = wall,
    .entropy = entropy,
    .env = env,
    .complain = complain,
};
const struct wr_world *wr_world = &wr_world_os;
