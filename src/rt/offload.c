/* offload.c - a bounded pool of threads for calls that block.
 *
 * A call is a record on the waiting fiber's stack, in a queue under a lock.
 * Threads start when a call finds none free, up to the limit, and live as long
 * as the run: a thread that slept a second has cost nothing but its stack.
 *
 * A call in the queue may be taken back by its fiber; one that a thread has
 * begun may not.  The thread's last act is to end the fiber's wait, after
 * which the record is gone.
 */
#include <weir/offload.h>

#include <stdio.h>

#include <weir/lock.h>

#include "base/forget.h"
#include "rt/offload_int.h"
#include "rt/wait_int.h"

#define THREADS_MAX 256

struct call {
    struct waiter waiter;       /* first: the queue links calls by their waiters */
    void (*fn)(void *arg);
    void *arg;
    bool begun, done;
};

static struct {
    struct spin lock;
    struct waitlist queue;
    size_t queue_len;
    unsigned idle;
    struct wr_mutex starting;   /* guards threads */
    unsigned threads;
    bool stopping;
    _Atomic uint32_t signal;    /* raised with every change that a thread may sleep on */
    struct os_thread thread[THREADS_MAX];
} pool = { .starting = WR_MUTEX("rt.offload", UINT32_MAX) };

static struct call *next_call(void)
{
    struct waiter *waiter = pool.queue.head;
    if (!waiter)
        return NULL;
    waitlist_remove(&pool.queue, waiter);
    pool.queue_len--;
    struct call *call = (struct call *)(void *)waiter;
    call->begun = true;
    return call;
}

/* The virtual clock must not jump between the end of a call and the wake it
 * causes, nor miss that the last call is over. */
static void finish(struct call *call)
{
    struct fiber *fiber = call->waiter.fiber;
    struct worker *home = fiber->home;
    spin_lock(&pool.lock);
    call->done = true;
    if (wr_waiter_win(&call->waiter))
        wr_fiber_ready(fiber);
    spin_unlock(&pool.lock);
    atomic_fetch_sub(&wr_rt.offloads, 1);
    if (wr_rt.conf.virtual_clock)
        wr_os_poll_kick(&home->poll);
}

static void thread_main(void *arg)
{
    (void)arg;
    spin_lock(&pool.lock);
    for (;;) {
        struct call *call = next_call();
        if (call) {
            spin_unlock(&pool.lock);
            call->fn(call->arg);
            wr_forget_stack();
            finish(call);
            spin_lock(&pool.lock);
            continue;
        }
        if (pool.stopping)
            break;
        pool.idle++;
        uint32_t seen = atomic_load(&pool.signal);
        spin_unlock(&pool.lock);
        wr_os_futex_wait(&pool.signal, seen, WR_NEVER);
        spin_lock(&pool.lock);
        pool.idle--;
    }
    spin_unlock(&pool.lock);
}

/* A call found no thread free: start one, unless there are as many as allowed.
 * If the system refuses, those that exist will have to do; if there are none,
 * the call cannot be made. */
static wr_err add_thread(void)
{
    unsigned max = wr_rt.conf.offload_threads_max;
    wr_err err = WR_OK;
    wr_mutex_lock(&pool.starting);
    unsigned index = pool.threads;
    if (index < (max < THREADS_MAX ? max : THREADS_MAX)) {
        char name[16];
        snprintf(name, sizeof(name), "weir-off-%u", index);
        err = wr_os_thread_start(&pool.thread[index], name, thread_main, NULL);
        if (!err)
            pool.threads = index + 1;
        else if (index > 0)
            err = WR_OK;
    }
    wr_mutex_unlock(&pool.starting);
    return err;
}

/* In a simulation the call is made inline: one thread, one order. */
static wr_err inline_call(void (*fn)(void *), void *arg, const char *place)
{
    wr_sim_point_slow("offload", place);
    fn(arg);
    return WR_OK;
}

wr_err (wr_offload)(void (*fn)(void *arg), void *arg, wr_time deadline, const char *place)
{
    struct fiber *fiber;
    wr_err ended = wr_wait_enter(&fiber, WR_NEVER, "offload", place);
    if (ended)
        return ended;
    if (wr_rt.hooks)
        return inline_call(fn, arg, place);
    struct call call = { .waiter = { .fiber = fiber }, .fn = fn, .arg = arg };
    spin_lock(&pool.lock);
    if (pool.queue_len >= wr_rt.conf.offload_queue_max) {
        spin_unlock(&pool.lock);
        return WR_BUSY;
    }
    atomic_fetch_add(&wr_rt.offloads, 1);
    call.waiter.armed = wr_wait_arm(fiber);
    waitlist_push(&pool.queue, &call.waiter);
    pool.queue_len++;
    bool crowded = pool.queue_len > pool.idle;
    atomic_fetch_add(&pool.signal, 1);
    spin_unlock(&pool.lock);
    wr_os_futex_wake(&pool.signal, 1);
    wr_err refused = crowded ? add_thread() : WR_OK;
    if (refused)
        deadline = WR_NOW;      /* nobody will come: take it back at once */

    unsigned state = wr_wait_park(fiber, deadline, "offload", place);
    if (state >= WAIT_WON)
        return WR_OK;
    spin_lock(&pool.lock);
    if (!call.begun) {
        waitlist_remove(&pool.queue, &call.waiter);
        pool.queue_len--;
        spin_unlock(&pool.lock);
        atomic_fetch_sub(&wr_rt.offloads, 1);
        if (refused)
            return refused;
        return state == WAIT_TIMEOUT ? WR_TIMEOUT : wr_wait_check(fiber);
    }
    spin_unlock(&pool.lock);
    wr_wait_out(&call.waiter, &pool.lock, &call.done, "offload", place);
    return WR_OK;
}

void wr_offload_stop(void)
{
    spin_lock(&pool.lock);
    pool.stopping = true;
    atomic_fetch_add(&pool.signal, 1);
    spin_unlock(&pool.lock);
    wr_os_futex_wake(&pool.signal, THREADS_MAX);
    for (unsigned i = 0; i < pool.threads; i++)
        wr_os_thread_join(&pool.thread[i]);
    pool.threads = 0;
    pool.stopping = false;
}
