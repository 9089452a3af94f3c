/* seam.c - see seam.h.  What is neither here nor among the real files is left
 * undefined: a model that calls it ends with a fault. */
#include "seam.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/panic_int.h"
#include "base/world.h"
#include "rt/topo_int.h"

#if defined(__x86_64__)
#define BEGIN_AT 2
#elif defined(__aarch64__)
#define BEGIN_AT 1
#endif

struct rt wr_rt;
struct wr_scope seam_root;

static struct worker workers[MODEL_THREADS_MAX];
static struct fiber fibers[MODEL_THREADS_MAX];
static struct wr_kind kind = WR_KIND("model");

void seam_open(void)
{
    wr_scope_init_root(&seam_root);
    wr_rt.workers = workers;
    wr_rt.count = MODEL_THREADS_MAX;
    wr_rt.now = WR_S(1000);
    atomic_init(&kind.known, true);
    for (unsigned i = 0; i < MODEL_THREADS_MAX; i++) {
        struct worker *w = &workers[i];
        struct fiber *fiber = &fibers[i];
        w->id = i;
        w->sched.home = w;
        w->current = fiber;
        fiber->home = w;
        fiber->scope = &seam_root;
        fiber->task = (struct task){ .scope = &seam_root, .kind = &kind };
        fiber->started = true;
        fiber->waiter.fiber = fiber;
        fiber->timer.kind = TIMER_WAIT;
        fiber->timer.owner = fiber;
    }
    wr_worker_self = &workers[0];
}

void seam_enter(void)
{
    wr_worker_self = &workers[model_self()];
}

struct fiber *seam_fiber(unsigned thread)
{
    return &fibers[thread];
}

/* ---- tasks: each goes to a thread of its own ---- */

static struct task tasks[MODEL_THREADS_MAX];
static unsigned tasks_started;
static _Alignas(64) char stacks[MODEL_THREADS_MAX][4096];
static jmp_buf task_ended[MODEL_THREADS_MAX];

wr_err wr_sched_go(struct wr_scope *scope, struct wr_kind *user, wr_task_fn fn, void *arg)
{
    struct task *task = &tasks[tasks_started++];
    *task = (struct task){ .fn = fn, .arg = arg, .scope = scope, .kind = user };
    model_post(task);
    return WR_OK;
}

/* The fiber's control block is at the top of its stack; it runs on ours. */
wr_err wr_stack_get(struct stack *ret)
{
    *ret = (struct stack){ .low = stacks[model_self()], .size = sizeof(stacks[0]) };
    return WR_OK;
}

void seam_run_task(void)
{
    struct worker *w = &workers[model_self()];
    struct task *task = &tasks[model_self() - 1];
    wr_worker_self = w;
    struct fiber *fiber = wr_fiber_new(w);
    w->current = fiber;
    model_wait(task);
    fiber->task = *task;
    fiber->scope = task->scope;
    fiber->started = true;
    /* What a new fiber's stack says to begin with: fiber_main. */
    void (*begin)(struct fiber *) =
        (void (*)(struct fiber *))((const uintptr_t *)fiber->sp)[BEGIN_AT];
    if (_setjmp(task_ended[w->id]) == 0)
        begin(fiber);
}

bool wr_sched_take(struct worker *w, struct fiber *fiber)
{
    (void)w;
    (void)fiber;
    return false;
}

void wr_sched_flush(struct worker *w)
{
    size_t count = w->done_count;
    w->done_count = 0;
    if (count)
        wr_scope_tasks_ok(w->done_scope, count);
}

void wr_ticket_give(struct worker *w)
{
    (void)w;
}

/* ---- a thread that the runtime starts ---- */

static struct os_thread *started;
static int thread_begins, thread_ends;

wr_err wr_os_thread_start(struct os_thread *thread, const char *name, void (*fn)(void *),
                          void *arg)
{
    (void)name;
    thread->fn = fn;
    thread->arg = arg;
    started = thread;
    model_post(&thread_begins);
    return WR_OK;
}

void wr_os_thread_join(struct os_thread *thread)
{
    (void)thread;
    model_wait(&thread_ends);
}

void seam_be_thread(void)
{
    model_wait(&thread_begins);
    if (started)
        started->fn(started->arg);
    model_post(&thread_ends);
}

void seam_no_thread(void)
{
    if (!started)
        model_post(&thread_begins);
}

/* ---- time: every worker has its own, so that it is nobody's business ---- */

static wr_time passed[MODEL_THREADS_MAX];

static wr_time mono(void)
{
    return wr_rt.now + (model_self() < 0 ? 0 : passed[model_self()]);
}

static bool complain(const char *text, size_t len)
{
    (void)text;
    (void)len;
    return true;
}

static void entropy(void *buf, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)buf)[i] = 7;
}

static const struct wr_world model_world = { .mono = mono, .complain = complain,
                                             .entropy = entropy };
const struct wr_world *wr_world = &model_world;

/* ---- the scheduler's part ---- */

/* As sched.c has it, for the one fiber and the timers of this worker. */
static bool fire(struct wr_timer *timer, struct fiber *fiber)
{
    if (timer->kind == TIMER_WAIT)
        return wr_wait_end(timer->owner, WAIT_TIMEOUT);
    if (timer->kind == TIMER_SCOPE) {
        wr_scope_end(timer->owner, WR_TIMEOUT);
        return false;               /* it made the fiber ready, if that was armed */
    }
    struct waiter *waiter = timer->owner;
    wr_timer_off(timer);
    timer->owner = NULL;
    return waiter && waiter->fiber == fiber && wr_waiter_win(waiter);
}

static bool time_passes(struct worker *w, struct fiber *fiber)
{
    bool won = false;
    wr_time next = wr_wheel_next(&w->wheel, true);
    passed[model_self()] = next - wr_rt.now;
    for (struct wr_timer *timer; (timer = wr_wheel_pop(&w->wheel, next));)
        won |= fire(timer, fiber);
    return won;
}

/* The fiber switches to its scheduler: which waits until it is ready. */
void wr_switch(void **save_sp, void *load_sp)
{
    (void)load_sp;
    struct fiber *fiber = (struct fiber *)(void *)save_sp;      /* sp is its first field */
    struct worker *w = fiber->home;
    if (!fiber->started)
        _longjmp(task_ended[w->id], 1);
    while (ready_pop(&w->ready[0]) != fiber) {
        if (w->wheel.count == 0)
            model_wait(fiber);
        else if (!model_wait_timed(fiber) && !time_passes(w, fiber))
            continue;
        break;
    }
    w->current = fiber;
}

/* A fiber is woken by itself, between its switches, or else by another thread. */
void wr_ready_far(struct fiber *fiber)
{
    if (model_post(fiber))
        model_fail("a fiber is made ready twice");
}

void wr_inbox_push(struct fiber *fiber)
{
    wr_ready_far(fiber);
}

_Atomic unsigned wr_rt_outside;

void wr_wake_workers(uint64_t sleepers)
{
    (void)sleepers;
}

/* As sched.c has it. */
wr_err (wr_sleep)(wr_time deadline, const char *place)
{
    struct fiber *fiber;
    wr_err ended = wr_wait_enter(&fiber, WR_NEVER, "sleep", place);
    if (ended)
        return ended;
    (void)wr_wait_arm(fiber);
    unsigned state = wr_wait_park(fiber, deadline, "sleep", place);
    if (state != WAIT_TIMEOUT)
        return wr_wait_check(fiber);
    return deadline < fiber->scope->deadline ? WR_OK : WR_TIMEOUT;
}

wr_time wr_jitter(wr_time min, wr_time max)
{
    (void)max;
    return min;
}

void wr_kick_slow(struct worker *w)
{
    w->kicks = 0;
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

uint64_t wr_os_cycles(void)
{
    return 0;
}

uint64_t wr_os_cycles_of(wr_time span)
{
    return (uint64_t)span;
}

/* ---- the map is not under test ---- */

void wr_topo_add(struct topo_node *node,
                 void (*describe)(struct topo_node *, struct topo_row *))
{
    node->describe = describe;
}

void wr_topo_remove(struct topo_node *node)
{
    node->describe = NULL;
}

void wr_topo_note_slow(struct topo_node *node, int side, const struct wr_kind *user)
{
    node->last[side] = user;
}

/* ---- what must not happen in a model ---- */

void (*wr_panic_hook)(const char *place, const char *message);

void wr_panic_at(const char *place, const char *format, ...)
{
    char message[300];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    model_fail("panic at %s: %s", place, message);
}

void wr_sim_point_slow(const char *what, const char *place)
{
    model_fail("a simulation hook (%s) at %s", what, place);
}
