/* fiber.c - a stack with a life: made, switched to and from, ended.
 *
 * The control block sits at the top of the stack, in the page that is touched
 * anyway.  A fiber runs one task after another: when a task ends and the next
 * in line has not started either, it runs on the same warm stack, without any
 * switch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic_int.h"
#include "base/world.h"
#include "rt/switch.h"
#include "rt/wait_int.h"

void wr_switch_start(void);

__thread struct worker *wr_worker_self;

_Static_assert(offsetof(struct fiber, sp) == FIBER_SP, "switch.h");
_Static_assert(offsetof(struct fiber, word) == FIBER_WORD, "switch.h");
_Static_assert(offsetof(struct fiber, waiter.err) == FIBER_WAITER_ERR, "switch.h");
_Static_assert(WAIT_WON == FIBER_WON, "switch.h");

/* ---- making and freeing ---- */

static void fiber_main(struct fiber *fiber);

/* The frame that wr_switch finds: registers, then wr_switch_start. */
static void prepare_stack(struct fiber *fiber)
{
    uint64_t *sp = (uint64_t *)((uintptr_t)fiber & ~(uintptr_t)15);
#if defined(__x86_64__)
    *--sp = 0;
    *--sp = 0;
    *--sp = (uint64_t)(uintptr_t)wr_switch_start;
    *--sp = 0;                                  /* rbp */
    *--sp = 0;                                  /* rbx */
    *--sp = (uint64_t)(uintptr_t)fiber;         /* r12 */
    *--sp = (uint64_t)(uintptr_t)fiber_main;    /* r13 */
    *--sp = 0;                                  /* r14 */
    *--sp = 0;                                  /* r15 */
#elif defined(__aarch64__)
    sp -= 20;
    memset(sp, 0, 20 * sizeof(*sp));
    sp[0] = (uint64_t)(uintptr_t)fiber;             /* x19 */
    sp[1] = (uint64_t)(uintptr_t)fiber_main;        /* x20 */
    sp[11] = (uint64_t)(uintptr_t)wr_switch_start;  /* x30 */
#else
#error "no context switch for this processor"
#endif
    fiber->sp = sp;
}

struct fiber *wr_fiber_new(struct worker *w)
{
    struct stack stack;
    if (wr_stack_get(&stack) != WR_OK)
        return NULL;
    uintptr_t top = (uintptr_t)stack.low + stack.size - (size_t)stack.colour * CACHE_LINE;
    struct fiber *fiber =
        (struct fiber *)((top - sizeof(struct fiber)) & ~(uintptr_t)(CACHE_LINE - 1));
    memset(fiber, 0, sizeof(*fiber));
    fiber->home = w;
    fiber->stack = stack.low;
    fiber->stack_size = stack.size;
    fiber->slab = stack.slab;
    fiber->waiter.fiber = fiber;
    fiber->timer.kind = TIMER_WAIT;
    fiber->timer.owner = fiber;
    fiber->valgrind = VALGRIND_STACK_REGISTER(stack.low, (char *)stack.low + stack.size);
#ifdef TSAN
    fiber->tsan = __tsan_create_fiber(0);
#endif
    prepare_stack(fiber);
    return fiber;
}

void wr_fiber_sched_init(struct worker *w)
{
    w->sched.home = w;
    w->current = &w->sched;
#ifdef TSAN
    w->sched.tsan = __tsan_get_current_fiber();
#endif
}

void wr_fiber_free(struct fiber *fiber)
{
    void *low = fiber->stack;
    struct slab *slab = fiber->slab;
    wr_fiber_fini(fiber);
    wr_stack_put(slab, low);
}

void wr_fiber_fini(struct fiber *fiber)
{
    if (fiber->home->trim_at == fiber)
        fiber->home->trim_at = fiber->all_next;
    if (fiber->all_link) {
        *fiber->all_link = fiber->all_next;
        if (fiber->all_next)
            fiber->all_next->all_link = fiber->all_link;
    }
#ifdef TSAN
    __tsan_destroy_fiber(fiber->tsan);
#endif
    VALGRIND_STACK_DEREGISTER(fiber->valgrind);
#ifdef ASAN
    __asan_unpoison_memory_region(fiber->stack, fiber->stack_size);
#endif
}

/* ---- the scope it is in ---- */

void wr_fiber_link_scope(struct fiber *fiber)
{
    struct wr_scope *scope = fiber->scope;
    spin_lock(&scope->lock);
    fiber->scope_next = scope->fibers;
    fiber->scope_link = &scope->fibers;
    if (fiber->scope_next)
        fiber->scope_next->scope_link = &fiber->scope_next;
    scope->fibers = fiber;
    spin_unlock(&scope->lock);
    fiber->in_scope = true;
    struct worker *w = fiber->home;
    if (!fiber->all_link) {
        fiber->all_next = w->all;
        fiber->all_link = &w->all;
        if (w->all)
            w->all->all_link = &fiber->all_next;
        w->all = fiber;
    }
}

static void unlink_scope(struct fiber *fiber)
{
    if (!fiber->in_scope)
        return;
    struct wr_scope *scope = fiber->scope;
    spin_lock(&scope->lock);
    *fiber->scope_link = fiber->scope_next;
    if (fiber->scope_next)
        fiber->scope_next->scope_link = fiber->scope_link;
    spin_unlock(&scope->lock);
    fiber->in_scope = false;
}

void wr_fiber_set_scope(struct fiber *fiber, struct wr_scope *scope)
{
    unlink_scope(fiber);
    fiber->scope = scope;
}

/* ---- running tasks ---- */

static void end_task(struct fiber *fiber, wr_err err)
{
    struct worker *w = fiber->home;
    struct wr_kind *kind = fiber->task.kind;
    unsigned shard = w->id % WR_KIND_SHARDS;
    count_shard(&kind->count[shard].completed, wr_rt.count);
    if (__builtin_expect(err != WR_OK, 0)) {
        if (err == WR_CANCELED)
            count_shard(&kind->count[shard].canceled, wr_rt.count);
        if (err == WR_PANIC)
            count_shard(&kind->count[shard].panicked, wr_rt.count);
    }
    unlink_scope(fiber);
    wr_ticket_give(w);
    struct wr_scope *scope = fiber->task.scope;
    if (__builtin_expect(err != WR_OK, 0)) {
        wr_scope_task_done(scope, err);
        fiber->started = false;
        return;
    }
    fiber->started = false;
    if (w->done_scope != scope) {
        wr_sched_flush(w);
        w->done_scope = scope;
    }
    w->done_count++;
}

/* The frames are gone: cleanups that lie in them can no longer be run, and no
 * library is below any more. */
static void check_ended_clean(struct fiber *fiber)
{
    const char *what = fiber->cleanups ? "a cleanup not popped" : "foreign frames not left";
    char name[64];
    snprintf(name, sizeof(name), "task %s returned", wr_fiber_name(fiber));
    wr_fork_check(fiber->task.kind->place, name);
    if (fiber->stack_timers) {          /* the wheel refers to frames that are gone */
        char text[160];
        snprintf(text, sizeof(text), "%s with a timer set that lies on its stack", name);
        wr_fatal(fiber->timer_place, text);
    }
    fiber->cleanups = NULL;
    fiber->foreign = 0;
    if (fiber->scopes)
        wr_panic_at(fiber->task.kind->place, "task %s returned with scope \"%s\" open",
                    wr_fiber_name(fiber), fiber->scopes->name);
    if (fiber->held_count)
        wr_panic_at(fiber->task.kind->place, "task %s returned with lock \"%s\" held since %s",
                    wr_fiber_name(fiber), fiber->held[0].name, fiber->held[0].place);
    wr_panic_at(fiber->task.kind->place, "task %s returned with %s", wr_fiber_name(fiber),
                what);
}

bool wr_fiber_left_over(const struct fiber *fiber)
{
    return fiber->scopes || fiber->cleanups || fiber->held_count || fiber->foreign
        || fiber->stack_timers;
}

static void run_task(struct fiber *fiber)
{
    wr_err err = fiber->task.fn(fiber->task.arg);
    if (__builtin_expect(wr_fiber_left_over(fiber), 0))
        check_ended_clean(fiber);
    end_task(fiber, err);
}

void wr_fiber_spare(struct fiber *fiber)
{
    struct worker *w = fiber->home;
    fiber->next = w->spare;
    w->spare = fiber;
    w->spare_len++;
}

static void fiber_main(struct fiber *fiber)
{
    stack_arrived(fiber);
    struct worker *w = fiber->home;
    for (;;) {
        run_task(fiber);
        if (wr_sched_take(w, fiber))
            continue;
        wr_sched_flush(w);
        wr_fiber_spare(fiber);
        struct fiber *next = wr_sched_peek(w);
        wr_fiber_switch(fiber, next ? next : &w->sched);
    }
}

/* ---- names and rules ---- */

const char *wr_fiber_name(struct fiber *fiber)
{
    if (!fiber->started)
        return "scheduler";
    snprintf(fiber->name, sizeof(fiber->name), "%s#%llu", fiber->task.kind->name,
             (unsigned long long)fiber->task.id);
    return fiber->name;
}

const char *wr_task_name(void)
{
    struct fiber *fiber = fiber_self();
    return fiber ? wr_fiber_name(fiber) : "thread";
}

uint64_t wr_task_number(void)
{
    struct fiber *fiber = fiber_self();
    return fiber && fiber->started ? fiber->task.id : 0;
}

void wr_cleanup_push(struct wr_cleanup *cleanup)
{
    struct fiber *fiber = fiber_self();
    WR_ASSERT(fiber && fiber->started);
    cleanup->below = fiber->cleanups;
    cleanup->scope = fiber->scopes;
    fiber->cleanups = cleanup;
}

void (wr_cleanup_pop)(struct wr_cleanup *cleanup, const char *place)
{
    struct fiber *fiber = fiber_self();
    if (!fiber || fiber->cleanups != cleanup)
        wr_panic_at(place, "cleanups are popped in the reverse order of their push");
    fiber->cleanups = cleanup->below;
}

void wr_foreign_enter(void)
{
    struct fiber *fiber = fiber_self();
    if (!fiber)
        return;
    if (fiber->foreign == UINT16_MAX)
        wr_panic("wr_foreign_enter %d times without wr_foreign_leave", UINT16_MAX);
    fiber->foreign++;
}

void (wr_foreign_leave)(const char *place)
{
    struct fiber *fiber = fiber_self();
    if (!fiber)
        return;
    if (fiber->foreign == 0)
        wr_panic_at(place, "wr_foreign_leave without wr_foreign_enter");
    fiber->foreign--;
}

/* ---- after fork ---- */

static bool forked;

/* The fiber that forked must not return to a scheduler: a mark that it may not
 * leave behind makes it look (wr_fiber_left_over). */
void wr_fiber_forked(void)
{
    struct fiber *fiber = fiber_self();
    if (fiber)
        fiber->foreign++;
    forked = true;
    wr_worker_self = NULL;
}

void wr_fork_check(const char *place, const char *what)
{
    if (forked)
        wr_panic_at(place,
                    "%s in a child of fork(), which has no runtime: exec at once, or use "
                    "posix_spawn", what);
}

/* ---- panics ---- */

/* Close the scopes that are newer than this one. */
static void close_down_to(struct fiber *fiber, struct wr_scope *scope)
{
    while (fiber->scopes && fiber->scopes != scope) {
        fiber->scopes->entered_from = NULL;
        (void)!wr_scope_close(fiber->scopes);
    }
}

/* Runs on the panicking stack, deeper than anything it abandons: what the
 * cleanups point to in the frames above is still there. */
_Noreturn static void contain(struct fiber *fiber)
{
    struct worker *w = fiber->home;
    fiber->panicking = true;
    wr_fiber_set_scope(fiber, fiber->task.scope);
    while (fiber->cleanups) {
        struct wr_cleanup *cleanup = fiber->cleanups;
        close_down_to(fiber, cleanup->scope);
        fiber->cleanups = cleanup->below;
        cleanup->fn(cleanup->arg);
    }
    close_down_to(fiber, NULL);
    wr_wheel_forget(&w->wheel, fiber->stack, fiber->stack_size);
    end_task(fiber, WR_PANIC);
    wr_sched_flush(w);
    w->dead = fiber;            /* freed by the scheduler: we stand on its stack */
    wr_fiber_switch(fiber, &w->sched);
    __builtin_unreachable();
}

/* Why a panic of this fiber cannot be contained; false when it can. */
static bool must_end(const struct fiber *fiber, char *why, size_t size)
{
    const char *reason = NULL;
    if (fiber->held_count) {
        const struct held *held = &fiber->held[fiber->held_count - 1];
        snprintf(why, size, "lock \"%s\" is held since %s", held->name, held->place);
        return true;
    }
    if (fiber->foreign)
        reason = "foreign frames are below";
    else if (fiber->panicking)
        reason = "it was already panicking";
    else if ((atomic_load(&fiber->word) & WAIT_STATE) == WAIT_ARMED)
        reason = "others may already be about to end its wait";
    if (reason)
        snprintf(why, size, "%s", reason);
    return reason;
}

static void on_panic(const char *place, const char *message)
{
    (void)place;
    (void)message;
    struct fiber *fiber = fiber_self();
    if (!fiber || !fiber->started)
        return;
    char why[120], line[320];
    bool ends = must_end(fiber, why, sizeof(why));
    int len =
        snprintf(line, sizeof(line), "weir: in task %s, started at %s, on %s: %s%s\n",
                 wr_fiber_name(fiber), fiber->task.kind->place, fiber->home->name,
                 ends ? "the process ends, because " : "the task ends", ends ? why : "");
    wr_world->complain(line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1);
    if (!ends)
        contain(fiber);
}

void wr_fatal(const char *place, const char *text)
{
    char line[300];
    int len = snprintf(line, sizeof(line), "weir: fatal at %s: %s\n", place, text);
    wr_world->complain(line, (size_t)len < sizeof(line) ? (size_t)len : sizeof(line) - 1);
    abort();
}

void wr_fiber_panics(void)
{
    wr_panic_hook = on_panic;
}
