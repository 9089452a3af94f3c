/* driver.c - the whole runtime, on model threads instead of an operating system.
 *
 * Real: everything in rt/ but os*.c, the monitor and the offload pool.  Ours:
 * os.h.  Model thread 0 calls wr_run and is worker 0; the others wait until
 * wr_run starts a thread.  A poll is a permit, kept until it is looked at, as
 * an eventfd keeps a kick.  Nobody sleeps for a while only: under the real clock
 * who sleeps must be kicked, under the virtual one nothing sleeps for a while.
 */
#include "driver.h"

#include <stdio.h>
#include <string.h>

#include "base/world.h"
#include "rt/monitor.h"
#include "rt/offload_int.h"
#include "rt/os.h"

#define PAGE ((size_t)4096)

static char complaint[200];

/* Each thread's clock runs by itself, with every look at it: patience runs out,
 * and what a thread sees does not depend on the others. */
static wr_time mono(void)
{
    static wr_time passed[MODEL_THREADS_MAX + 1];
    wr_time *mine = &passed[model_self() + 1];
    *mine += WR_US(100);
    return WR_S(1000) + *mine;
}

static int64_t wall(void)
{
    return 0;
}

static void entropy(void *buf, size_t size)
{
    memset(buf, 7, size);
}

static const char *env(const char *name)
{
    (void)name;
    return NULL;
}

static bool complain(const char *text, size_t len)
{
    snprintf(complaint, sizeof(complaint), "%.*s", (int)len, text);
    return true;
}

static const struct wr_world model_world = { .mono = mono, .wall = wall, .entropy = entropy,
                                             .env = env, .complain = complain };
const struct wr_world *wr_world = &model_world;
const struct wr_world wr_world_os = { .mono = mono, .wall = wall };

const char *driver_complaint(void)
{
    return complaint;
}

/* ---- threads ---- */

static struct os_thread *threads[MODEL_THREADS_MAX];
static unsigned threads_started;

void driver_thread(void)
{
    int me = model_self();
    model_wait(&threads[me]);
    threads[me]->fn(threads[me]->arg);
    model_post(&threads[me]->handle);
}

wr_err wr_os_thread_start(struct os_thread *thread, const char *name, void (*fn)(void *),
                          void *arg)
{
    (void)name;
    thread->fn = fn;
    thread->arg = arg;
    threads[++threads_started] = thread;
    model_post(&threads[threads_started]);
    return WR_OK;
}

void wr_os_thread_join(struct os_thread *thread)
{
    model_wait(&thread->handle);
}

void wr_os_thread_self(struct os_thread *ret)
{
    (void)ret;
}

unsigned wr_os_cores(void)
{
    return 1;       /* with one core an idle worker does not spin, and spinning hides sleep */
}

void wr_os_relax(unsigned round)
{
    (void)round;
    model_relax();
}

void wr_os_futex_wait(_Atomic uint32_t *word, uint32_t expected, wr_time span)
{
    (void)span;
    model_sleep((const uint32_t *)word, expected);
}

void wr_os_futex_wake(_Atomic uint32_t *word, unsigned count)
{
    model_wake((const uint32_t *)word, count);
}

/* ---- polling ---- */

wr_err wr_os_poll_open(struct os_poll *poll)
{
    *poll = (struct os_poll){ 0 };
    return WR_OK;
}

void wr_os_poll_close(struct os_poll *poll)
{
    (void)poll;
}

void wr_os_poll_kick(struct os_poll *poll)
{
    model_post(poll);
}

size_t wr_os_poll_wait(struct os_poll *poll, struct os_event *events, size_t max, wr_time span)
{
    (void)events;
    (void)max;
    if (span == WR_NOW)
        model_wait_timed(poll);
    else
        model_wait(poll);   /* however short: who sleeps until it is kicked must be kicked */
    return 0;
}

void wr_os_poll_sleep(const struct os_poll *poll)
{
    model_wait(poll);
    model_post(poll);       /* it is still there for who takes it */
}

bool wr_os_poll_pending(const struct os_poll *poll)
{
    (void)poll;
    return false;
}

/* ---- memory for stacks ---- */

void *wr_os_map(size_t size)
{
    return model_map(size);
}

void wr_os_unmap(void *at, size_t size)
{
    (void)at;
    (void)size;
}

void wr_os_forget(void *at, size_t size)
{
    (void)at;
    (void)size;
}

size_t wr_os_guard(void *at, size_t stride, size_t count)
{
    (void)at;
    (void)stride;
    return count;
}

size_t wr_os_page(void)
{
    return PAGE;
}

/* ---- what there is no need for ---- */

void wr_os_faults(void (*report)(int signal, void *address))
{
    (void)report;
}

void wr_os_fault_stack_open(void **ret)
{
    *ret = NULL;
}

void wr_os_fault_stack_close(void *stack)
{
    (void)stack;
}

void wr_os_at_fork(void (*child)(void))
{
    (void)child;
}

wr_err wr_monitor_start(void)
{
    return WR_OK;
}

void wr_monitor_stop(void)
{
}

void wr_offload_stop(void)
{
}

void wr_rt_metrics(void)
{
}

void wr_metric_thread_enter(void)
{
}

void wr_metric_thread_leave(void)
{
}

void wr_os_no_sigpipe(void)
{
}
