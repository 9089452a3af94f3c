/* wait.c - how a fiber begins to wait, and how exactly one reason ends it. */
#include "rt/rt_int.h"
#include "rt/scope_int.h"

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

/* Sequentially consistent, against cancel: either the canceler sees the armed
 * word, or the fiber sees the canceled scope (wr_wait_park looks after this). */
uint64_t wr_wait_arm(struct fiber *fiber)
{
    uint64_t word = atomic_load_explicit(&fiber->word, memory_order_relaxed);
    uint64_t armed = (word & ~(uint64_t)WAIT_STATE) + WAIT_STEP + WAIT_ARMED;
    atomic_store_explicit(&fiber->word, armed, memory_order_seq_cst);
    return armed;
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

wr_err wr_wait_check(const struct fiber *fiber)
{
    return atomic_load_explicit(&fiber->scope->ended, memory_order_seq_cst);
}

struct fiber *wr_wait_enter(wr_err *ret, const char *place)
{
    struct fiber *fiber = fiber_self();
    if (__builtin_expect(!fiber || !fiber->started, 0)) {
        wr_fork_check(place, "a call that may wait");
        wr_panic_at(place,
                    "a call that may wait, outside a task (WR_NOW calls are allowed there)");
    }
    *ret = wr_wait_check(fiber);
    return fiber;
}

unsigned wr_wait_park(struct fiber *fiber, wr_time deadline, const char *what,
                      const char *place)
{
    struct worker *w = fiber->home;
    fiber->place = place;
    fiber->what = what;
    if (__builtin_expect(fiber->held_count | fiber->foreign, 0))
        wr_fiber_may_wait(fiber, place);
    if (__builtin_expect(!fiber->in_scope, 0))
        wr_fiber_link_scope(fiber);
    /* Ended already: give up, unless somebody was faster and a wake is coming. */
    bool timed = false;
    if (__builtin_expect(wr_wait_check(fiber) == WR_OK || !wr_wait_end(fiber, WAIT_CANCEL),
                         1)) {
        timed = deadline < fiber->scope->deadline;
        if (timed)
            wr_wheel_arm(&w->wheel, &fiber->timer, deadline);
        wr_fiber_switch_out(fiber);
        if (timed)
            wr_wheel_disarm(&w->wheel, &fiber->timer);
    }
    return atomic_load_explicit(&fiber->word, memory_order_acquire) & WAIT_STATE;
}

wr_err wr_wait_on(struct spin *lock, struct waitlist *list, struct waiter *waiter,
                  wr_time deadline, const char *what, const char *place)
{
    struct fiber *fiber = waiter->fiber;
    waiter->index = 0;
    waiter->err = WR_OK;
    waiter->armed = wr_wait_arm(fiber);
    waitlist_push(list, waiter);
    spin_unlock_kick(lock);
    unsigned state = wr_wait_park(fiber, deadline, what, place);
    if (__builtin_expect(state >= WAIT_WON, 1))
        return waiter->err;
    spin_lock(lock);
    waitlist_remove(list, waiter);
    spin_unlock(lock);
    return state == WAIT_TIMEOUT ? WR_TIMEOUT : wr_wait_check(fiber);
}

void wr_waitlist_wake_all(struct waitlist *list, wr_err err)
{
    struct waiter *waiter;
    while ((waiter = waitlist_win(list))) {
        waiter->err = err;
        wr_fiber_ready(waiter->fiber);
    }
}
