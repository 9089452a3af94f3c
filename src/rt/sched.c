/* sched.c - what a worker does next.
 *
 * Fibers that can run are in their home's ready list, which only that thread
 * touches; wakes from other threads arrive in its inbox.  Tasks that have not
 * started are in the fresh queue of the worker that spawned them, where any
 * worker that has nothing to do may take them.
 *
 * Most switches go straight from one fiber to the next (wr_sched_peek).  Every
 * 64th turn, and whenever nothing is ready, the worker's own loop runs: it
 * empties the inbox, fires timers, polls descriptors, starts new tasks, steals.
 */
#include <stdlib.h>

#include "base/world.h"
#include "rt/wait_int.h"

#define FRESH_WAIT WR_US(50)    /* a task that has waited this long wakes another worker */
#define LOW_SPAN WR_MS(10)      /* low tasks get a turn this often under full load */
#define EVENTS_MAX 64
#define TRIM_LOOKS 1024

/* ---- wakes from one worker to another ---- */

void wr_inbox_push(struct fiber *fiber)
{
    struct worker *home = fiber->home;
    struct fiber *head = atomic_load_explicit(&home->inbox, memory_order_relaxed);
    do
        fiber->next = head;
    while (!atomic_compare_exchange_weak_explicit(&home->inbox, &head, fiber,
                                                  memory_order_seq_cst, memory_order_relaxed));
}

void wr_ready_far(struct fiber *fiber)
{
    struct worker *w = wr_worker_self, *home = fiber->home;
    /* A thread outside must be done with the worker before the run may end. */
    if (!w)
        atomic_fetch_add(&wr_rt_outside, 1);
    wr_inbox_push(fiber);
    if (w) {
        if (atomic_load_explicit(&home->sleeping, memory_order_seq_cst))
            w->kicks |= (uint64_t)1 << home->id;
        return;
    }
    if (atomic_exchange(&home->sleeping, 0))
        wr_os_poll_kick(&home->poll);
    atomic_fetch_sub(&wr_rt_outside, 1);
}

void wr_wake_workers(uint64_t workers)
{
    while (workers) {
        struct worker *sleeper = &wr_rt.workers[__builtin_ctzll(workers)];
        workers &= workers - 1;
        if (atomic_exchange(&sleeper->sleeping, 0))
            wr_os_poll_kick(&sleeper->poll);
    }
}

void wr_kick_slow(struct worker *w)
{
    uint64_t kicks = w->kicks;
    w->kicks = 0;
    wr_wake_workers(kicks);
}

/* Oldest first: the inbox is a stack. */
static void empty_inbox(struct worker *w)
{
    if (!atomic_load_explicit(&w->inbox, memory_order_relaxed))
        return;
    struct fiber *fiber = atomic_exchange_explicit(&w->inbox, NULL, memory_order_acquire);
    struct fiber *oldest = NULL;
    while (fiber) {
        struct fiber *next = fiber->next;
        fiber->next = oldest;
        oldest = fiber;
        fiber = next;
    }
    while (oldest) {
        struct fiber *next = oldest->next;
        ready_push(w, oldest);
        oldest = next;
    }
}

static void wake_one(struct worker *w)
{
    uint64_t asleep = atomic_load_explicit(&wr_rt.asleep, memory_order_relaxed);
    if (!asleep)
        return;
    w->kicks |= asleep & -asleep;
    wr_kick();
}

/* One that sleeps, if any does. */
static struct worker *any_of_pool(struct worker *w)
{
    uint64_t asleep = atomic_load_explicit(&wr_rt.asleep, memory_order_relaxed);
    if (asleep)
        return &wr_rt.workers[__builtin_ctzll(asleep)];
    return &wr_rt.workers[wr_rand_below(&w->rand, wr_rt.pool)];
}

/* A task of a control scope, or of any other on behalf of a control task: where it
 * belongs is a matter of the scope. */
static wr_err go_beside(struct worker *w, const struct task *task)
{
    bool control = task->scope->control;
    int class = task->scope->low;
    wr_err err;
    if (control == w->control)
        err = wr_fresh_push(w, class, task);
    else
        err = wr_fresh_send(w, control ? wr_rt.control : any_of_pool(w), class, task);
    if (!err && control)
        atomic_fetch_add_explicit(&task->kind->control, 1, memory_order_relaxed);
    wr_kick();
    return err;
}

wr_err wr_sched_go(struct wr_scope *scope, struct wr_kind *kind, wr_task_fn fn, void *arg)
{
    struct worker *w = wr_worker_self;
    if (!wr_ticket_take(w))
        return WR_BUSY;
    if (unlikely(!atomic_load_explicit(&kind->known, memory_order_relaxed)))
        wr_kind_know(kind);
    struct task task = { .fn = fn, .arg = arg, .scope = scope, .kind = kind,
                         .id = ++w->ids * wr_rt.count + w->id };
    wr_err err;
    if (unlikely(scope->control | w->control))
        err = go_beside(w, &task);
    else
        err = wr_fresh_push(w, scope->low, &task);
    if (err) {
        wr_ticket_give(w);
        return err;
    }
    count_shard(&kind->count[w->id % WR_KIND_SHARDS].spawned, wr_rt.count);
    size_t len = atomic_load_explicit(&w->fresh[scope->low].len, memory_order_relaxed);
    if (unlikely(len > FRESH_FEW && w->shares))
        wake_one(w);
    return WR_OK;
}

/* fiber->task has been filled in. */
static void begin(struct fiber *fiber)
{
    fiber->scope = fiber->task.scope;
    fiber->low = fiber->scope->low;
    atomic_store_explicit(&fiber->place, fiber->task.kind->place, memory_order_relaxed);
    fiber->started = true;
}

static void starve(void)
{
    static const char text[] = "weir: no memory for another stack; tasks that have not started "
                               "wait until others have ended\n";
    atomic_store(&wr_rt.starved, true);
    if (atomic_fetch_add(&wr_rt.stack_waits, 1) == 0)
        wr_world->complain(text, sizeof(text) - 1);
}

/* A fiber for a task that is about to start; NULL without memory for a stack. */
static struct fiber *fiber_to_start(struct worker *w)
{
    struct fiber *fiber = w->spare;
    if (fiber) {
        w->spare = fiber->next;
        if (--w->spare_len < w->spare_least)
            w->spare_least = w->spare_len;
        return fiber;
    }
    fiber = wr_fiber_new(w);
    if (__builtin_expect(!fiber, 0))
        starve();
    else if (__builtin_expect(atomic_load_explicit(&wr_rt.starved, memory_order_relaxed), 0))
        atomic_store(&wr_rt.starved, false);
    return fiber;
}

/* A task becomes a fiber.  The stack comes first: without one it stays in line. */
static struct fiber *start_one(struct worker *w, int class)
{
    if (atomic_load_explicit(&w->fresh[class].len, memory_order_relaxed) == 0)
        return NULL;
    struct fiber *fiber = fiber_to_start(w);
    if (!fiber)
        return NULL;
    if (!wr_fresh_pop(w, class, &fiber->task)) {
        wr_fiber_spare(fiber);
        return NULL;
    }
    begin(fiber);
    return fiber;
}

/* ---- the next thing to run ---- */

bool wr_sched_take(struct worker *w, struct fiber *fiber)
{
    if (w->ready[0].head || atomic_load_explicit(&w->inbox, memory_order_relaxed)
        || wr_rt.hooks)
        return false;
    count_own(&w->turns);
    if ((atomic_load_explicit(&w->turns, memory_order_relaxed) & TURN_MASK) == 0)
        return false;
    if (!wr_fresh_pop(w, 0, &fiber->task))
        return false;
    if (w->done_scope != fiber->task.scope)
        wr_sched_flush(w);
    begin(fiber);
    return true;
}

void wr_sched_flush(struct worker *w)
{
    size_t count = w->done_count;
    if (count == 0)
        return;
    w->done_count = 0;
    wr_scope_tasks_ok(w->done_scope, count);
}

/* ---- a simulation chooses ---- */

static void add_candidate(size_t at, const struct task *task, bool fresh)
{
    if (at == wr_rt.candidates_cap) {
        size_t cap = at ? at * 2 : 64;
        void *more = realloc(wr_rt.candidates, cap * sizeof(*wr_rt.candidates));
        if (!more)
            wr_fatal(WR_HERE, "out of memory in a simulation");
        wr_rt.candidates = more;
        wr_rt.candidates_cap = cap;
    }
    wr_rt.candidates[at] =
        (struct rt_candidate){ .id = task->id, .kind = task->kind->name, .fresh = fresh };
}

/* Everything that could run, in a fixed order: fibers, then tasks; normal, then low. */
static size_t list_candidates(struct worker *w)
{
    size_t count = 0;
    for (int class = 0; class < 2; class++)
        for (struct fiber *fiber = w->ready[class].head; fiber; fiber = fiber->next)
            add_candidate(count++, &fiber->task, false);
    for (int class = 0; class < 2; class++)
        for (size_t i = 0; i < w->fresh[class].len; i++)
            add_candidate(count++, wr_fresh_at(&w->fresh[class], i), true);
    return count;
}

static struct fiber *ready_take(struct ready *ready, size_t *at)
{
    struct fiber *before = NULL;
    for (struct fiber *fiber = ready->head; fiber; fiber = fiber->next) {
        if ((*at)-- == 0) {
            if (before)
                before->next = fiber->next;
            else
                ready->head = fiber->next;
            if (!fiber->next)
                ready->tail = before;
            return fiber;
        }
        before = fiber;
    }
    return NULL;
}

static struct fiber *next_chosen(struct worker *w)
{
    size_t count = list_candidates(w);
    if (count == 0)
        return NULL;
    size_t at = wr_rt.hooks->choose(wr_rt.candidates, count);
    RT_ASSERT(at < count);
    for (int class = 0; class < 2; class++) {
        struct fiber *fiber = ready_take(&w->ready[class], &at);
        if (fiber)
            return fiber;
    }
    int class = at >= w->fresh[0].len;
    if (class)
        at -= w->fresh[0].len;
    struct fiber *fiber = fiber_to_start(w);
    if (fiber) {
        wr_fresh_take(w, class, at, &fiber->task);
        begin(fiber);
    }
    return fiber;
}

static struct fiber *next_low(struct worker *w)
{
    struct fiber *fiber = ready_pop(&w->ready[1]);
    return fiber ? fiber : start_one(w, 1);
}

static struct fiber *next(struct worker *w)
{
    if (wr_rt.hooks)
        return next_chosen(w);
    struct fiber *fiber = NULL;
    w->low_turn = false;
    if (w->fresh_first) {
        w->fresh_first = false;
        fiber = start_one(w, 0);
    }
    if (!fiber)
        fiber = ready_pop(&w->ready[0]);
    if (!fiber)
        fiber = start_one(w, 0);
    if (!fiber) {
        fiber = next_low(w);
        w->low_turn = fiber;
    }
    return fiber;
}

static bool low_waits(struct worker *w)
{
    return w->ready[1].head || atomic_load_explicit(&w->fresh[1].len, memory_order_relaxed);
}

void wr_sched_give_way(struct fiber *fiber)
{
    struct worker *w = fiber->home;
    bool timers = w->wheel.count && wr_wheel_next(&w->wheel, true) <= wr_now();
    if (!timers && !w->ready[0].head && !w->fresh[0].len && !w->fds
        && !atomic_load_explicit(&w->inbox, memory_order_relaxed))
        return;
    ready_push(w, fiber);
    if (w->done_count)
        wr_sched_flush(w);
    wr_fiber_switch(fiber, &w->sched);
}

/* Tasks that have not started are among the others that a yield lets run.  The
 * loop takes one of them first; now and then the ready ones go before it. */
static bool fresh_turn(struct worker *w)
{
    return atomic_load_explicit(&w->fresh[0].len, memory_order_relaxed)
        && (atomic_load_explicit(&w->turns, memory_order_relaxed) & 7);
}

wr_err (wr_yield)(const char *place)
{
    struct fiber *fiber;
    wr_err ended = wr_wait_enter(&fiber, WR_NEVER, "yield", place);
    if (ended)
        return ended;
    fiber_note(fiber, "yield", place);
    struct worker *w = fiber->home;
    ready_push(w, fiber);
    if (fresh_turn(w)) {
        if (w->done_count)
            wr_sched_flush(w);
        wr_fiber_switch(fiber, &w->sched);
    } else {
        wr_fiber_switch_out(fiber);
    }
    return wr_wait_check(fiber);
}

void wr_sim_point_slow(const char *what, const char *place)
{
    struct fiber *fiber = fiber_self();
    if (!fiber || !fiber->started || fiber->held_count || fiber->foreign)
        return;
    struct rt_point point = { .id = fiber->task.id, .kind = fiber->task.kind->name,
                              .what = what, .place = place, .contained = !fiber->panicking };
    if (!wr_rt.hooks->point(&point))
        return;
    fiber_note(fiber, what, place);
    ready_push(fiber->home, fiber);
    wr_fiber_switch_out(fiber);
}

/* ---- timers and descriptors ---- */

static void fire(struct wr_timer *timer)
{
    if (timer->kind == TIMER_SCOPE) {
        wr_scope_end(timer->owner, WR_TIMEOUT);
    } else if (timer->kind == TIMER_WAIT) {
        struct fiber *fiber = timer->owner;
        if (wr_wait_end(fiber, WAIT_TIMEOUT))
            wr_fiber_ready(fiber);
    } else {
        struct waiter *waiter = timer->owner;
        wr_timer_off(timer);
        timer->owner = NULL;
        if (waiter && wr_waiter_win(waiter))
            wr_fiber_ready(waiter->fiber);
    }
}

static void fire_due(struct worker *w, wr_time now)
{
    struct wr_timer *timer;
    while ((timer = wr_wheel_pop(&w->wheel, now))) {
        fire(timer);
        w->fired++;
    }
}

void wr_sched_poll(struct worker *w, wr_time span)
{
    struct os_event events[EVENTS_MAX];
    size_t count = wr_os_poll_wait(&w->poll, events, EVENTS_MAX, span);
    for (size_t i = 0; i < count; i++)
        wr_fd_event(w, &events[i]);
}

/* The oldest task of this worker has waited long enough for others to help. */
static void offer_help(struct worker *w, wr_time now)
{
    uint64_t head = wr_fresh_oldest(&w->fresh[0]);
    if (!head)
        head = wr_fresh_oldest(&w->fresh[1]);
    if (!head || head != w->wait_head) {
        w->wait_head = head;
        w->wait_since = now;
    } else if (now - w->wait_since > FRESH_WAIT) {
        w->wait_since = now;
        wake_one(w);
    }
}

static void look_around(struct worker *w)
{
    empty_inbox(w);
    if (w->wheel.count || w->fresh[0].len || low_waits(w)) {
        wr_time now = wr_now();
        if (w->wheel.count)
            fire_due(w, now);
        if (w->shares)
            offer_help(w, now);
        if (w->low_turn || (!w->ready[1].head && !w->fresh[1].len))
            w->low_ran = now;
        else if (now - w->low_ran > LOW_SPAN && !wr_rt.hooks) {
            struct fiber *low = next_low(w);
            w->low_ran = now;
            if (low) {          /* one turn ahead of the normal ones */
                low->next = w->ready[0].head;
                if (!w->ready[0].head)
                    w->ready[0].tail = low;
                w->ready[0].head = low;
            }
        }
    }
    if (w->fds)
        wr_sched_poll(w, WR_NOW);
    if (unlikely(++w->looks % TRIM_LOOKS == 0))     /* one that never idles must too */
        wr_trim(w, wr_now());
    wr_kick();
}

void wr_sched_loop(struct worker *w)
{
    while (!atomic_load_explicit(&wr_rt.stopping, memory_order_acquire)) {
        if (__builtin_expect(wr_rt.hooks != NULL, 0))
            atomic_store(&wr_rt.now, wr_rt.hooks->turn(wr_rt.now));
        look_around(w);
        w->fresh_first = true;
        struct fiber *fiber = next(w);
        if (!fiber && wr_steal(w))
            continue;
        if (!fiber) {
            wr_idle(w);
            continue;
        }
        atomic_store_explicit(&w->busy, true, memory_order_relaxed);
        wr_fiber_switch(&w->sched, fiber);
        atomic_store_explicit(&w->busy, false, memory_order_relaxed);
        count_own(&w->turns);
        if (w->dead) {
            wr_fiber_free(w->dead);
            w->dead = NULL;
        }
    }
}

wr_time wr_jitter(wr_time min, wr_time max)
{
    struct worker *w = wr_worker_self;
    RT_ASSERT(w != NULL);
    return wr_rand_span(&w->rand, min, max);
}

wr_err (wr_sleep)(wr_time deadline, const char *place)
{
    sim_point("sleep", place);
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
