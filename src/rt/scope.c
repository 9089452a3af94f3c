/* scope.c - the tree of scopes: counting tasks, passing deadlines and cancels down.
 *
 * Two races decide the shape of this file.
 *
 * The last task against the joiner: the joiner may free the scope as soon as
 * it sees that no task is left.  So the decrement to zero happens under the
 * lock, and the joiner takes the lock once more before it goes on: it cannot
 * get it before the last task has let go of it, for good.
 *
 * A cancel against a fiber that is about to wait: the canceler first marks the
 * scope, then looks at the fibers' words; a fiber first arms its word, then
 * looks at the mark.  Both in sequentially consistent order: one of them sees
 * the other.
 */
#include <weir/scope.h>

#include <stdlib.h>
#include <string.h>

#include "rt/wait_int.h"

#define DEPTH_MAX 500           /* a cancel goes down by recursion, on a fiber's stack */

struct wr_scope wr_scope_nowhere = { .name = "nowhere", .deadline = WR_NEVER };

static struct fiber *owner_self(const char *call, const char *place)
{
    struct fiber *fiber = fiber_self();
    if (!fiber || !fiber->started) {
        wr_fork_check(place, call);
        wr_panic_at(place, "%s outside a task", call);
    }
    return fiber;
}

void wr_scope_init_root(struct wr_scope *scope)
{
    *scope = (struct wr_scope){ .name = "root", .deadline = WR_NEVER };
    wr_scope_nowhere.fibers = NULL;     /* those of a run that was abandoned are gone */
}

/* Link below the parent; what ended the parent before has ended this one too. */
static void attach(struct wr_scope *scope, struct wr_scope *parent)
{
    spin_lock(&parent->lock);
    scope->parent = parent;
    scope->next = parent->children;
    scope->link = &parent->children;
    if (scope->next)
        scope->next->link = &scope->next;
    parent->children = scope;
    if (!scope->shield)
        atomic_store_explicit(&scope->ended, atomic_load(&parent->ended), memory_order_seq_cst);
    spin_unlock(&parent->lock);
}

static void detach(struct wr_scope *scope)
{
    spin_lock(&scope->parent->lock);
    *scope->link = scope->next;
    if (scope->next)
        scope->next->link = scope->link;
    spin_unlock(&scope->parent->lock);
}

wr_err (wr_scope_new)(struct wr_scope **ret, const struct wr_scope_conf *conf,
                      const char *place)
{
    struct fiber *fiber = owner_self("wr_scope_new", place);
    if (conf->deadline == WR_NOW)
        wr_panic_at(place, "scope \"%s\" has no deadline: say one, or WR_NEVER",
                    conf->name ? conf->name : "?");
    if (conf->shield && conf->deadline == WR_NEVER)
        wr_panic_at(place, "scope \"%s\" is a shield and needs a deadline of its own",
                    conf->name ? conf->name : "?");
    struct wr_scope *parent = fiber->scope;
    wr_err ended = wr_wait_check(fiber);
    if (ended && !conf->shield)
        return ended;

    if (parent->depth >= DEPTH_MAX)
        return WR_BUSY;
    struct wr_scope *scope = malloc(sizeof(*scope));    /* calloc passes glibc's cache by */
    if (!scope)
        return WR_NOMEM;
    bool own = conf->shield || conf->deadline < parent->deadline;
    *scope = (struct wr_scope){
        .depth = parent->depth + 1,
        .name = conf->name ? conf->name : "scope",
        .shield = conf->shield,
        .independent = conf->independent,
        .low = conf->low || parent->low,
        .control = wr_rt.control && (conf->control || parent->control),
        .owner = fiber,
        .deadline = own ? conf->deadline : parent->deadline,
        .timer_home = own ? fiber->home : parent->timer_home,
        .owner_below = fiber->scopes,
    };
    attach(scope, parent);
    if (own) {
        scope->timer.kind = TIMER_SCOPE;
        scope->timer.owner = scope;
        wr_wheel_arm(&fiber->home->wheel, &scope->timer, scope->deadline);
    }
    fiber->scopes = scope;
    *ret = scope;
    return WR_OK;
}

/* The owner, or a fiber below: only they know that the scope still exists. */
static bool may_start(const struct wr_scope *scope, const struct fiber *fiber)
{
    if (scope->owner == fiber)
        return true;
    const struct wr_scope *at = fiber->scope;
    while (at && at != scope)
        at = at->parent;
    return at;
}

wr_err wr_scope_go_kind(struct wr_scope *scope, struct wr_kind *kind, wr_task_fn fn, void *arg)
{
    struct fiber *fiber = fiber_self();
    if (!fiber || !fiber->started) {
        wr_fork_check(kind->place, "wr_scope_go");
        wr_panic("task \"%s\" is started outside a task", kind->name);
    }
    if (__builtin_expect(!may_start(scope, fiber), 0))
        wr_panic_at(kind->place, "task \"%s\" is started in scope \"%s\" by %s, which is not "
                    "below it; it belongs to %s", kind->name, scope->name, wr_fiber_name(fiber),
                    wr_fiber_name(scope->owner));
    wr_err ended = atomic_load_explicit(&scope->ended, memory_order_acquire);
    if (ended)
        return ended;
    atomic_fetch_add_explicit(&scope->live, 1, memory_order_relaxed);
    wr_err err = wr_sched_go(scope, kind, fn, arg);
    if (err)
        wr_scope_tasks_ok(scope, 1);
    return err;
}

static void end_locked(struct wr_scope *scope, wr_err reason)
{
    wr_err running = WR_OK;
    if (!atomic_compare_exchange_strong(&scope->ended, &running, reason))
        return;
    for (struct fiber *fiber = scope->fibers; fiber; fiber = fiber->scope_next)
        if (wr_wait_end(fiber, WAIT_CANCEL))
            wr_fiber_ready(fiber);
    for (struct wr_scope *child = scope->children; child; child = child->next) {
        if (child->shield)
            continue;
        spin_lock(&child->lock);
        end_locked(child, reason);
        spin_unlock(&child->lock);
    }
}

void wr_scope_end(struct wr_scope *scope, wr_err reason)
{
    spin_lock(&scope->lock);
    end_locked(scope, reason);
    spin_unlock_kick(&scope->lock);
}

void wr_scope_cancel(struct wr_scope *scope)
{
    sim_point("cancel", scope->name);
    wr_scope_end(scope, WR_CANCELED);
}

/* The lock is held; the scope may be freed by its joiner once it is released. */
static void last_done(struct wr_scope *scope)
{
    struct waiter *joiner = waitlist_win(&scope->joiner);
    if (joiner)
        wr_fiber_ready(joiner->fiber);
}

void wr_scope_tasks_ok(struct wr_scope *scope, size_t count)
{
    size_t live = atomic_load_explicit(&scope->live, memory_order_relaxed);
    while (live > count)
        if (atomic_compare_exchange_weak_explicit(&scope->live, &live, live - count,
                                                  memory_order_release, memory_order_relaxed))
            return;
    spin_lock(&scope->lock);
    if (atomic_fetch_sub_explicit(&scope->live, count, memory_order_acq_rel) == count)
        last_done(scope);
    spin_unlock_kick(&scope->lock);
}

/* A task on another worker may have seen the deadline pass before our timer did:
 * that is what ends the scope then, not the task's error. */
void wr_scope_task_done(struct wr_scope *scope, wr_err err)
{
    if (err) {
        bool late = err == WR_TIMEOUT && scope->deadline <= wr_now();
        spin_lock(&scope->lock);
        bool obeyed = err == WR_CANCELED && atomic_load(&scope->ended) == WR_CANCELED;
        if (!scope->err && !obeyed)
            scope->err = err;
        if (late || !scope->independent)
            end_locked(scope, late ? WR_TIMEOUT : WR_CANCELED);
        spin_unlock_kick(&scope->lock);
    }
    wr_scope_tasks_ok(scope, 1);
}

/* Wait until no task is left.  A close cannot be cut short: its scope is ended,
 * so what is below it returns from every wait. */
static wr_err await_tasks(struct wr_scope *scope, struct fiber *fiber, wr_time deadline,
                          const char *place)
{
    spin_lock(&scope->lock);
    if (atomic_load_explicit(&scope->live, memory_order_acquire) == 0 || deadline == WR_NOW) {
        bool done = atomic_load_explicit(&scope->live, memory_order_acquire) == 0;
        spin_unlock(&scope->lock);
        return done ? WR_OK : WR_TIMEOUT;
    }
    wr_err err = wr_wait_on(fiber, &scope->lock, &scope->joiner, deadline, scope->name, place);
    if (err == WR_OK) {         /* the last task lets go of the lock before we have it */
        spin_lock(&scope->lock);
        spin_unlock(&scope->lock);
    }
    return err;
}

wr_err (wr_scope_join)(struct wr_scope *scope, wr_time deadline, const char *place)
{
    sim_point("join", place);
    struct fiber *fiber;
    wr_err ended = wr_wait_enter(&fiber, deadline, scope->name, place);
    if (scope->owner != fiber)
        wr_panic_at(place, "scope \"%s\" is joined by %s, but belongs to %s", scope->name,
                    wr_task_name(), wr_fiber_name(scope->owner));
    if (ended)
        return ended;
    wr_err err = await_tasks(scope, fiber, deadline, place);
    return err ? err : scope->err;
}

wr_err (wr_scope_close)(struct wr_scope *scope, const char *place)
{
    if (!scope)
        return WR_OK;
    struct fiber *fiber = owner_self("wr_scope_close", place);
    if (scope->owner != fiber)
        wr_panic_at(place, "scope \"%s\" is closed by %s, but belongs to %s", scope->name,
                    wr_fiber_name(fiber), wr_fiber_name(scope->owner));
    if (fiber->scopes != scope)
        wr_panic_at(place, "scope \"%s\" is closed before \"%s\", which was made after it",
                    scope->name, fiber->scopes ? fiber->scopes->name : "?");
    if (scope->entered_from)
        wr_panic_at(place, "scope \"%s\" is closed while its owner is inside it", scope->name);
    if (fiber->held_count | fiber->foreign)
        wr_wait_refuse(fiber, scope->name, place);
    if (atomic_load_explicit(&scope->live, memory_order_acquire) != 0) {
        /* Who closes because the deadline passed may be ahead of the timer. */
        wr_scope_end(scope, scope->deadline <= wr_now() ? WR_TIMEOUT : WR_CANCELED);
        struct wr_scope *from = fiber->scope;
        wr_fiber_set_scope(fiber, &wr_scope_nowhere);
        wr_err err = await_tasks(scope, fiber, WR_NEVER, place);
        RT_ASSERT(err == WR_OK);
        wr_fiber_set_scope(fiber, from);
    } else {
        spin_lock(&scope->lock);
        spin_unlock(&scope->lock);
    }
    wr_wheel_disarm(&fiber->home->wheel, &scope->timer);
    detach(scope);
    fiber->scopes = scope->owner_below;
    wr_err err = scope->err;
    free(scope);
    return err;
}

void (wr_scope_enter)(struct wr_scope *scope, const char *place)
{
    struct fiber *fiber = owner_self("wr_scope_enter", place);
    if (scope->owner != fiber)
        wr_panic_at(place, "scope \"%s\" is entered by %s, but belongs to %s", scope->name,
                    wr_fiber_name(fiber), wr_fiber_name(scope->owner));
    if (scope->entered_from)
        wr_panic_at(place, "scope \"%s\" is entered twice", scope->name);
    scope->entered_from = fiber->scope;
    wr_fiber_set_scope(fiber, scope);
}

void (wr_scope_leave)(struct wr_scope *scope, const char *place)
{
    struct fiber *fiber = owner_self("wr_scope_leave", place);
    if (fiber->scope != scope || !scope->entered_from)
        wr_panic_at(place, "scope \"%s\" is left, but %s is in \"%s\"", scope->name,
                    wr_fiber_name(fiber), fiber->scope->name);
    wr_fiber_set_scope(fiber, scope->entered_from);
    scope->entered_from = NULL;
}

size_t wr_scope_live(const struct wr_scope *scope)
{
    if (wr_worker_self)
        wr_sched_flush(wr_worker_self);
    return atomic_load_explicit(&scope->live, memory_order_acquire);
}

struct wr_scope *wr_scope_self(void)
{
    return owner_self("wr_scope_self", WR_HERE)->scope;
}

bool wr_scope_within(const struct wr_scope *outer)
{
    const struct wr_scope *scope = owner_self("wr_scope_within", WR_HERE)->task.scope;
    while (scope && scope != outer)
        scope = scope->parent;
    return scope != NULL;
}

wr_time wr_scope_deadline(void)
{
    return owner_self("wr_scope_deadline", WR_HERE)->scope->deadline;
}

/* While a fiber computes, nobody fires the timers of its worker: the scope at
 * which the time ran out is ended from here. */
static void end_if_late(struct wr_scope *scope)
{
    wr_time now;
    if (scope->deadline == WR_NEVER || scope->deadline > (now = wr_now()))
        return;
    while (!scope->shield && scope->parent && scope->parent->deadline <= now)
        scope = scope->parent;
    wr_scope_end(scope, WR_TIMEOUT);
}

/* A computing loop of the low class gives way here when anything else waits. */
wr_err wr_scope_check(void)
{
    struct fiber *fiber = owner_self("wr_scope_check", WR_HERE);
    if (fiber->low && !fiber->held_count && !fiber->foreign)
        wr_sched_give_way(fiber);
    end_if_late(fiber->scope);
    return wr_wait_check(fiber);
}
