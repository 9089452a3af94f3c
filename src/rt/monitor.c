/* monitor.c - see monitor.h. */
#include "rt/monitor.h"

#include <stdio.h>
#include <string.h>

#include "base/world.h"
#include "rt/rt_int.h"

#define PERIOD WR_MS(10)
#define PERIOD_ASLEEP WR_MS(100)
#define QUIET_BEFORE_SLEEP 100          /* periods without a turn before it looks less often */
#define REPORT_EVERY WR_S(1)
#define FRAMES_MAX 32

/* Of a request: nobody writes the answer but the worker that is being asked, and
 * nobody reads or asks anew while it is written. */
enum { WITHDRAWN, ASKED, ANSWERING, ANSWERED, REQUEST_STATES };

static struct {
    struct os_thread thread;
    bool started;
    _Atomic uint32_t stop;
    wr_time reported;
    struct seen {
        uint64_t turns;
        wr_time used;
        bool stalled;
        _Atomic wr_time since;          /* it stands still; 0: it does not */
    } seen[WORKERS_MAX];

    /* The one request, {worker, state}, and what the interrupted worker answers. */
    _Atomic uint32_t request;
    void *frames[FRAMES_MAX];
    size_t frame_count;
    struct wr_kind *kind;
    char name[48];
} monitor;

static uint32_t request_of(const struct worker *w, uint32_t state)
{
    return w->id * REQUEST_STATES + state;
}

/* In a signal handler, on the stalled thread; or later, when another is asked. */
static void describe_stall(void)
{
    struct worker *w = wr_worker_self;
    if (!w)
        return;
    uint32_t asked = request_of(w, ASKED);
    if (!atomic_compare_exchange_strong(&monitor.request, &asked, request_of(w, ANSWERING)))
        return;
    struct fiber *fiber = w->current;
    monitor.kind = fiber && fiber->started ? fiber->task.kind : NULL;
    if (monitor.kind)
        snprintf(monitor.name, sizeof(monitor.name), "%s", wr_fiber_name(fiber));
    monitor.frame_count = wr_os_backtrace(monitor.frames, FRAMES_MAX);
    atomic_store(&monitor.request, request_of(w, ANSWERED));
    wr_os_futex_wake(&monitor.request, 1);
}

/* False when it did not answer in time, or another is still at its answer. */
static bool ask(struct worker *w)
{
    if (atomic_load(&monitor.request) % REQUEST_STATES == ANSWERING)
        return false;
    uint32_t asked = request_of(w, ASKED);
    atomic_store(&monitor.request, asked);
    wr_os_interrupt(&w->thread, describe_stall);
    wr_os_futex_wait(&monitor.request, asked, PERIOD);
    wr_os_futex_wait(&monitor.request, request_of(w, ANSWERING), PERIOD);
    atomic_compare_exchange_strong(&monitor.request, &asked, WITHDRAWN);
    return atomic_load(&monitor.request) == request_of(w, ANSWERED);
}

/* Whether the thread answered: one that gets no processor time is asked again. */
static bool report_stall(struct worker *w)
{
    if (!ask(w) || !monitor.kind)
        return false;
    atomic_fetch_add_explicit(&monitor.kind->stalls, 1, memory_order_relaxed);
    wr_time now = wr_now();
    if (now - monitor.reported < REPORT_EVERY)
        return true;
    monitor.reported = now;
    char line[240];
    int len = snprintf(line, sizeof(line),
                       "weir: stall: task %s, started at %s, has kept %s for 10 ms; "
                       "blocking calls belong in wr_offload, long loops need wr_yield\n",
                       monitor.name, monitor.kind->place, w->name);
    wr_world->complain(line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1);
    wr_os_backtrace_print(monitor.frames, monitor.frame_count);
    return true;
}

static bool asleep(const struct worker *w)
{
    return atomic_load_explicit(&w->sleeping, memory_order_relaxed);
}

/* A stalled worker cannot give its tasks away by itself. */
static void help(struct worker *w)
{
    if (!w->shares)
        return;
    if (!atomic_load_explicit(&w->fresh[0].len, memory_order_relaxed)
        && !atomic_load_explicit(&w->fresh[1].len, memory_order_relaxed))
        return;
    for (unsigned i = 0; i < wr_rt.pool; i++)
        if (atomic_exchange(&wr_rt.workers[i].sleeping, 0)) {
            wr_os_poll_kick(&wr_rt.workers[i].poll);
            return;
        }
}

/* On a loaded machine a worker may stand still because the system runs others:
 * a stall is one that computes, or is blocked in a call. */
static bool stalled(struct worker *w, struct seen *seen, bool moves)
{
    wr_time used = wr_os_thread_used(&w->thread);
    if (moves) {
        seen->used = used;
        return false;
    }
    return used - seen->used >= PERIOD * 8 / 10 || wr_os_thread_blocked(&w->thread);
}

/* Whether any worker has moved since the last look. */
static bool look(void)
{
    bool moved = false;
    for (unsigned i = 0; i < wr_rt.count; i++) {
        struct worker *w = &wr_rt.workers[i];
        struct seen *seen = &monitor.seen[i];
        uint64_t turns = atomic_load_explicit(&w->turns, memory_order_relaxed);
        bool moves = turns != seen->turns || asleep(w)
            || !atomic_load_explicit(&w->busy, memory_order_relaxed);
        bool stall = stalled(w, seen, moves);
        if (moves)
            atomic_store(&seen->since, 0);
        else if (stall && !atomic_load(&seen->since))   /* until it moves again */
            atomic_store(&seen->since, wr_now());
        if (stall)
            help(w);
        seen->stalled = stall && (seen->stalled || report_stall(w));
        moved |= turns != seen->turns;
        seen->turns = turns;
    }
    return moved;
}

wr_time wr_monitor_stalled(void)
{
    wr_time now = wr_now(), longest = 0;
    for (unsigned i = 0; i < WORKERS_MAX; i++) {
        wr_time since = atomic_load(&monitor.seen[i].since);
        if (since && now - since > longest)
            longest = now - since;
    }
    return longest;
}

static void monitor_main(void *arg)
{
    (void)arg;
    unsigned quiet = 0;
    while (!atomic_load(&monitor.stop)) {
        wr_os_futex_wait(&monitor.stop, 0, quiet < QUIET_BEFORE_SLEEP ? PERIOD : PERIOD_ASLEEP);
        quiet = look() ? 0 : quiet + 1;
    }
}

wr_err wr_monitor_start(void)
{
    memset(&monitor, 0, sizeof(monitor));
    wr_err err = wr_os_thread_start(&monitor.thread, "weir-monitor", monitor_main, NULL);
    monitor.started = err == WR_OK;
    return err;
}

void wr_monitor_stop(void)
{
    if (!monitor.started)
        return;
    atomic_store(&monitor.stop, 1);
    wr_os_futex_wake(&monitor.stop, 1);
    wr_os_thread_join(&monitor.thread);
    monitor.started = false;
}
