/* wait_int.h - the way into a wait and out of it.
 *
 * Everything a wait does when nothing unusual happens is here, inline: enter,
 * arm, link, park, switch to the next ready fiber; and on the other side win
 * the word and put the fiber on its ready list.  Calls between files would be
 * half the price of a handoff.  What is unusual is a call.  rt_int.h says how a
 * wait ends once.
 */
#ifndef WR_RT_WAIT_INT_H
#define WR_RT_WAIT_INT_H

#include "rt/sanitize.h"
#include "rt/scope_int.h"

#define TURN_MASK 63            /* every 64 turns the worker's loop looks around */

#define likely(cond) __builtin_expect(!!(cond), 1)
#define unlikely(cond) __builtin_expect(!!(cond), 0)
#define HOT static inline __attribute__((always_inline))

/* ---- ready fibers ---- */

static inline void ready_push(struct worker *w, struct fiber *fiber)
{
    struct ready *ready = &w->ready[fiber->low];
    fiber->next = NULL;
    if (ready->head)
        ready->tail->next = fiber;
    else
        ready->head = fiber;
    ready->tail = fiber;
}

static inline struct fiber *ready_pop(struct ready *ready)
{
    struct fiber *fiber = ready->head;
    if (fiber)
        ready->head = fiber->next;
    return fiber;
}

/* Its home is another thread. */
void wr_ready_far(struct fiber *fiber);

/* The same in two steps, for a thread outside that wakes many: put each into its home's
 * inbox, then wake those of the workers (as bits) that sleep.  wr_rt_outside is raised
 * meanwhile. */
void wr_inbox_push(struct fiber *fiber);
void wr_wake_workers(uint64_t workers);

/* Put a fiber whose wait was won on its home's queue.  Wakes of sleeping
 * workers are collected; wr_kick sends them, after locks are released. */
static inline void wr_fiber_ready(struct fiber *fiber)
{
    struct worker *w = wr_worker_self;
    if (likely(w == fiber->home))
        ready_push(w, fiber);
    else
        wr_ready_far(fiber);
}

void wr_kick_slow(struct worker *w);

static inline void wr_kick(void)
{
    struct worker *w = wr_worker_self;
    if (w && unlikely(w->kicks != 0))
        wr_kick_slow(w);
}

/* Release an object's lock after waking waiters under it. */
static inline void spin_unlock_kick(struct spin *spin)
{
    spin_unlock(spin);
    wr_kick();
}

/* ---- switching ---- */

void wr_switch(void **save_sp, void *load_sp);

/* Take a fiber off or onto its stack; only the scheduler and fiber.c do. */
static inline void wr_fiber_switch(struct fiber *from, struct fiber *to)
{
    to->home->current = to;
    stack_leaving(from, to);
    wr_switch(&from->sp, to->sp);
    stack_arrived(from);
}

/* The fiber that this worker should run now without asking the scheduler's
 * loop; NULL when it should be asked. */
static inline struct fiber *wr_sched_peek(struct worker *w)
{
    uint64_t turns = atomic_load_explicit(&w->turns, memory_order_relaxed) + 1;
    atomic_store_explicit(&w->turns, turns, memory_order_relaxed);
    if (unlikely((turns & TURN_MASK) == 0)
        || unlikely(atomic_load_explicit(&w->inbox, memory_order_relaxed) != NULL)
        || unlikely(wr_rt.hooks != NULL))
        return NULL;
    return ready_pop(&w->ready[0]);
}

/* What runs when this worker's fiber switches away: another, or the loop. */
static inline struct fiber *sched_next(struct worker *w)
{
    if (unlikely(w->done_count))
        wr_sched_flush(w);
    struct fiber *next = wr_sched_peek(w);
    return next ? next : &w->sched;
}

/* Switch away until somebody makes this fiber ready. */
static inline void wr_fiber_switch_out(struct fiber *fiber)
{
    struct fiber *next = sched_next(fiber->home);
    if (next != fiber)
        wr_fiber_switch(fiber, next);
}

/* ---- a wait ---- */

/* For who asks what it waits for; whoever dumps the tasks may be another thread. */
static inline void fiber_note(struct fiber *fiber, const char *what, const char *place)
{
    atomic_store_explicit(&fiber->place, place, memory_order_relaxed);
    atomic_store_explicit(&fiber->what, what, memory_order_relaxed);
}

/* Sequentially consistent, against cancel: either the canceler sees the armed
 * word, or the fiber sees the canceled scope (wait_holds looks after this). */
static inline uint64_t wr_wait_arm(struct fiber *fiber)
{
    uint64_t word = atomic_load_explicit(&fiber->word, memory_order_relaxed);
    uint64_t armed = (word & ~(uint64_t)WAIT_STATE) + WAIT_STEP + WAIT_ARMED;
    atomic_store_explicit(&fiber->word, armed, memory_order_seq_cst);
    return armed;
}

/* End the wait that `waiter` belongs to; false when it has ended otherwise.
 * The object's lock is held. */
static inline bool wr_waiter_win(struct waiter *waiter)
{
    uint64_t armed = waiter->armed;
    uint64_t won = armed - WAIT_ARMED + WAIT_WON + waiter->index;
    return atomic_compare_exchange_strong_explicit(&waiter->fiber->word, &armed, won,
                                                   memory_order_acq_rel, memory_order_relaxed);
}

/* Whether the wait it belongs to is still going on. */
static inline bool waiter_waits(const struct waiter *waiter)
{
    return atomic_load_explicit(&waiter->fiber->word, memory_order_relaxed) == waiter->armed;
}

/* As wr_waiter_win, for the fiber's own deadline or cancellation. */
bool wr_wait_end(struct fiber *fiber, unsigned state);

/* Whether waits are over for this fiber: WR_OK, WR_CANCELED or WR_TIMEOUT. */
static inline wr_err wr_wait_check(const struct fiber *fiber)
{
    return atomic_load_explicit(&fiber->scope->ended, memory_order_seq_cst);
}

/* What a call that may wait says to one who may not: outside a task, with a
 * lock held, below foreign frames. */
_Noreturn void wr_wait_refuse(struct fiber *fiber, const char *what, const char *place);

/* What a call that may wait does first: *ret is the calling fiber.  Unless it is
 * WR_NOW there is a panic if that may not wait, whether it then would or not.
 * Errors: TIMEOUT, CANCELED, when its scope has ended. */
HOT wr_err wr_wait_enter(struct fiber **ret, wr_time deadline, const char *what,
                         const char *place)
{
    struct fiber *fiber = *ret = fiber_self();
    if (deadline == WR_NOW)
        return WR_OK;
    if (unlikely(!fiber || !fiber->started || (fiber->held_count | fiber->foreign)))
        wr_wait_refuse(fiber, what, place);
    return wr_wait_check(fiber);
}

/* When this wait needs a timer of its own; WR_NEVER: the scope's will do.  That is
 * not so on another worker: the one that has it may be busy at the time. */
static inline wr_time wait_timer(const struct fiber *fiber, wr_time deadline)
{
    const struct wr_scope *scope = fiber->scope;
    if (deadline < scope->deadline)
        return deadline;
    return scope->timer_home == fiber->home ? WR_NEVER : scope->deadline;
}

/* The part of wr_wait_park for a timer of its own. */
void wr_wait_switch_timed(struct fiber *fiber, wr_time deadline);

/* Armed and linked, about to switch away.  False when the scope has ended and the
 * wait was given up for that; if somebody was faster, a wake is coming. */
HOT bool wait_holds(struct fiber *fiber, const char *what, const char *place)
{
    fiber_note(fiber, what, place);
    if (unlikely(!fiber->in_scope))
        wr_fiber_link_scope(fiber);
    return likely(wr_wait_check(fiber) == WR_OK) || !wr_wait_end(fiber, WAIT_CANCEL);
}

/* Armed and linked: switch away until the wait has ended; its state. */
static inline unsigned wr_wait_park(struct fiber *fiber, wr_time deadline, const char *what,
                                    const char *place)
{
    if (unlikely(!wait_holds(fiber, what, place)))
        return WAIT_CANCEL;
    wr_time timer = wait_timer(fiber, deadline);
    if (timer != WR_NEVER)
        wr_wait_switch_timed(fiber, timer);
    else
        wr_fiber_switch_out(fiber);
    return atomic_load_explicit(&fiber->word, memory_order_acquire) & WAIT_STATE;
}

/* Wait until somebody sets *done, under the lock, and ends the wait: whatever deadline or
 * cancel has come, it cannot be given up. */
void wr_wait_out(struct waiter *waiter, struct spin *lock, const bool *done, const char *what,
                 const char *place);

static inline void waitlist_push(struct waitlist *list, struct waiter *waiter)
{
    waiter->next = NULL;
    waiter->prev = list->tail;
    if (list->tail)
        list->tail->next = waiter;
    else
        list->head = waiter;
    list->tail = waiter;
    waiter->linked = true;
}

static inline void waitlist_remove(struct waitlist *list, struct waiter *waiter)
{
    if (!waiter->linked)
        return;
    if (waiter->prev)
        waiter->prev->next = waiter->next;
    else
        list->head = waiter->next;
    if (waiter->next)
        waiter->next->prev = waiter->prev;
    else
        list->tail = waiter->prev;
    waiter->linked = false;
}

/* Take out the first waiter whose wait can be won, and win it.  Others, whose wait
 * has ended otherwise, stay until their fiber takes them out: as long as it is
 * inside the call, the object must not be freed, and free can see it. */
static inline struct waiter *waitlist_win(struct waitlist *list)
{
    for (struct waiter *waiter = list->head; waiter; waiter = waiter->next)
        if (likely(wr_waiter_win(waiter))) {
            waitlist_remove(list, waiter);
            return waiter;
        }
    return NULL;
}

/* Win and wake all of them with one result. */
void wr_waitlist_wake_all(struct waitlist *list, wr_err err);

/* ---- the usual wait: on one object ---- */

/* The result of a wait that nobody won; the waiter is out of the list. */
wr_err wr_wait_lost(struct fiber *fiber);

static inline wr_err wait_result(struct fiber *fiber)
{
    unsigned state = atomic_load_explicit(&fiber->word, memory_order_acquire) & WAIT_STATE;
    return likely(state >= WAIT_WON) ? fiber->waiter.err : wr_wait_lost(fiber);
}

/* Switch away, and return with the result of the wait.  The same in assembly
 * (switch_x86_64.S), for one reason: a processor predicts where a function
 * returns to from the calls it has seen, and after a switch those were the other
 * fiber's.  Called last, it returns for its caller too, by a jump, which is
 * predicted from where control went before; that is a fifth of a handoff. */
#if defined(__x86_64__) && !defined(ASAN) && !defined(TSAN) && !defined(WR_MODEL)
wr_err wr_switch_result(struct fiber *from, struct fiber *to);
#else
static inline wr_err wr_switch_result(struct fiber *from, struct fiber *to)
{
    stack_leaving(from, to);
    wr_switch(&from->sp, to->sp);
    stack_arrived(from);
    return wait_result(from);
}
#endif

/* The part of wr_wait_on with a timer of its own. */
wr_err wr_wait_timed(struct fiber *fiber, wr_time deadline);

/* `lock` is held on entry, nobody was woken under it, and it is not held on
 * return; fiber->waiter's item and units are the caller's.  Returns what the
 * winner put into its err, else TIMEOUT or CANCELED, with it out of the list. */
HOT wr_err wr_wait_on(struct fiber *fiber, struct spin *lock, struct waitlist *list,
                      wr_time deadline, const char *what, const char *place)
{
    struct worker *w = fiber->home;
    fiber->wait_lock = lock;
    fiber->wait_list = list;
    fiber->waiter.err = WR_OK;
    fiber->waiter.armed = wr_wait_arm(fiber);
    waitlist_push(list, &fiber->waiter);
    spin_unlock(lock);
    if (unlikely(!wait_holds(fiber, what, place)))
        return wr_wait_lost(fiber);
    wr_time timer = wait_timer(fiber, deadline);
    if (unlikely(timer != WR_NEVER))
        return wr_wait_timed(fiber, timer);
    struct fiber *next = sched_next(w);
    if (unlikely(next == fiber))
        return wait_result(fiber);
    w->current = next;
    return wr_switch_result(fiber, next);
}

#endif
