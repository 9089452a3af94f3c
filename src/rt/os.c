/* os.c - threads, futexes, the processor's clock. */
#include "rt/os.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/world.h"

unsigned wr_os_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count > 0 ? (unsigned)count : 1;
}

static void *thread_main(void *arg)
{
    struct os_thread *thread = arg;
    thread->id = syscall(SYS_gettid);
    pthread_setname_np(pthread_self(), thread->name);
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    thread->fn(thread->arg);
    return NULL;
}

wr_err wr_os_thread_start(struct os_thread *thread, const char *name, void (*fn)(void *),
                          void *arg)
{
    thread->fn = fn;
    thread->arg = arg;
    strncpy(thread->name, name, sizeof(thread->name) - 1);
    thread->name[sizeof(thread->name) - 1] = '\0';
    pthread_t handle;
    if (pthread_create(&handle, NULL, thread_main, thread) != 0)
        return WR_NOMEM;
    thread->handle = (unsigned long)handle;
    return WR_OK;
}

void wr_os_thread_join(struct os_thread *thread)
{
    pthread_join((pthread_t)thread->handle, NULL);
}

void wr_os_thread_self(struct os_thread *ret)
{
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    ret->handle = (unsigned long)pthread_self();
    ret->id = syscall(SYS_gettid);
}

unsigned long wr_os_thread_id(void)
{
    return (unsigned long)syscall(SYS_gettid);
}

void wr_os_relax(unsigned round)
{
    if ((round & 255) == 255)
        sched_yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void wr_os_futex_wait(_Atomic uint32_t *word, uint32_t expected, wr_time span)
{
    struct timespec ts = { .tv_sec = span / WR_S(1), .tv_nsec = span % WR_S(1) };
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, span == WR_NEVER ? NULL : &ts, NULL,
            0);
}

void wr_os_futex_wake(_Atomic uint32_t *word, unsigned count)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count > INT_MAX ? INT_MAX : (int)count, NULL,
            NULL, 0);
}

uint64_t wr_os_cycles(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
}

/* Measured over a millisecond, once: good to a few percent, which is all that
 * "held for too long" needs. */
static double cycles_per_ns(void)
{
    static _Atomic double known;
    double rate = atomic_load_explicit(&known, memory_order_relaxed);
    if (rate > 0)
        return rate;
    wr_time start = wr_world_os.mono(), now;
    uint64_t from = wr_os_cycles();
    do
        now = wr_world_os.mono();
    while (now - start < WR_US(200));
    rate = (double)(wr_os_cycles() - from) / (double)(now - start);
    atomic_store_explicit(&known, rate, memory_order_relaxed);
    return rate;
}

uint64_t wr_os_cycles_of(wr_time span)
{
    return (uint64_t)((double)span * cycles_per_ns());
}

wr_time wr_os_thread_used(const struct os_thread *thread)
{
    clockid_t clock;
    struct timespec ts = { 0 };
    if (pthread_getcpuclockid((pthread_t)thread->handle, &clock) == 0)
        clock_gettime(clock, &ts);
    return (wr_time)ts.tv_sec * WR_S(1) + ts.tv_nsec;
}

bool wr_os_thread_blocked(const struct os_thread *thread)
{
    char path[64], stat[256];
    snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", atomic_load(&thread->id));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t len = read(fd, stat, sizeof(stat) - 1);
    close(fd);
    stat[len > 0 ? len : 0] = '\0';
    const char *after_name = strrchr(stat, ')');
    return after_name && (after_name[2] == 'S' || after_name[2] == 'D');
}

void wr_os_at_fork(void (*child)(void))
{
    pthread_atfork(NULL, NULL, child);
}
