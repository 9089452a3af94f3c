/* wait.c - the rare ways through a wait; the usual one is in wait_int.h. */
#include "rt/wait_int.h"

/* Back off before looking again: each look takes the cache line away from the
 * holder, who then needs it back; left alone for a moment, it gets several
 * turns done for the price of one transfer. */
void wr_spin_slow(struct spin *spin)
{
    RT_ASSERT(!wr_rt.hooks);    /* one thread: its holder gave way, and will never release it */
    unsigned pauses = 8, round = 0;
    for (;;) {
        for (unsigned i = 0; i < pauses; i++)
            wr_os_relax(round++);
        if (atomic_load_explicit(&spin->word, memory_order_relaxed) == 0
            && !atomic_exchange_explicit(&spin->word, 1, memory_order_acquire))
            return;
        if (pauses == 64)       /* by now it may be that nobody is left who holds it */
            wr_fork_check(WR_HERE, "a lock held by a thread of the parent");
        pauses = pauses < 64 ? pauses * 2 : 64;
    }
}

bool wr_wait_end(struct fiber *fiber, unsigned state)
{
    uint64_t word = atomic_load_explicit(&fiber->word, memory_order_seq_cst);
    while ((word & WAIT_STATE) == WAIT_ARMED)
        if (atomic_compare_exchange_weak_explicit(&fiber->word, &word,
                                                  word - WAIT_ARMED + state,
                                                  memory_order_acq_rel, memory_order_relaxed))
            return true;
    return false;
}

void wr_wait_refuse(struct fiber *fiber, const char *what, const char *place)
{
    if (!fiber || !fiber->started) {
        wr_fork_check(place, "a call that may wait");
        wr_panic_at(place,
                    "a call that may wait, outside a task (WR_NOW calls are allowed there)");
    }
    if (fiber->held_count) {
        const struct held *held = &fiber->held[fiber->held_count - 1];
        wr_panic_at(place,
                    "task %s may wait on %s while it holds lock \"%s\", taken at %s; "
                    "release it first, or use a gate",
                    wr_fiber_name(fiber), what, held->name, held->place);
    }
    wr_panic_at(place, "task %s may wait on %s below foreign frames (wr_foreign_enter)",
                wr_fiber_name(fiber), what);
}

void wr_wait_switch_timed(struct fiber *fiber, wr_time deadline)
{
    struct worker *w = fiber->home;
    wr_wheel_arm(&w->wheel, &fiber->timer, deadline);
    wr_fiber_switch_out(fiber);
    wr_wheel_disarm(&w->wheel, &fiber->timer);
}

wr_err wr_wait_timed(struct fiber *fiber, wr_time deadline)
{
    wr_wait_switch_timed(fiber, deadline);
    return wait_result(fiber);
}

wr_err wr_wait_lost(struct fiber *fiber)
{
    spin_lock(fiber->wait_lock);
    waitlist_remove(fiber->wait_list, &fiber->waiter);
    spin_unlock(fiber->wait_lock);
    unsigned state = atomic_load_explicit(&fiber->word, memory_order_relaxed) & WAIT_STATE;
    return state == WAIT_TIMEOUT ? WR_TIMEOUT : wr_wait_check(fiber);
}

/* The fiber leaves its scope before it arms: a cancel of that may be under way. */
void wr_wait_out(struct waiter *waiter, struct spin *lock, const bool *done, const char *what,
                 const char *place)
{
    struct fiber *fiber = waiter->fiber;
    struct wr_scope *from = fiber->scope;
    wr_fiber_set_scope(fiber, &wr_scope_nowhere);
    spin_lock(lock);
    bool over = *done;
    if (!over)
        waiter->armed = wr_wait_arm(fiber);
    spin_unlock(lock);
    if (!over) {
        unsigned state = wr_wait_park(fiber, WR_NEVER, what, place);
        RT_ASSERT(state >= WAIT_WON);
    }
    wr_fiber_set_scope(fiber, from);
}

void wr_waitlist_wake_all(struct waitlist *list, wr_err err)
{
    for (struct waiter *waiter = list->head, *next; waiter; waiter = next) {
        next = waiter->next;
        if (!wr_waiter_win(waiter))
            continue;
        waitlist_remove(list, waiter);
        waiter->err = err;
        wr_fiber_ready(waiter->fiber);
    }
}
