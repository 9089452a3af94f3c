/* select.c - one wait, several waiters.
 *
 * First every case is tried in order.  If none can happen the fiber arms its
 * word once and leaves a waiter in each place; from the first waiter on,
 * somebody else may end the wait, so a case that has become possible in the
 * meantime must itself win the word before it is done.  When the wait is over
 * all waiters are taken back, and only then does wr_select return.
 */
#include <weir/select.h>

#include "rt/wait_int.h"

static struct spin *lock_of(const struct wr_case *c)
{
    struct spin *lock = c->kind->lock ? c->kind->lock(c->on) : NULL;
    if (lock)
        spin_lock(lock);
    return lock;
}

static void unlock(struct spin *lock)
{
    if (lock)
        spin_unlock_kick(lock);
}

static bool take_first(size_t *ret, struct wr_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct spin *lock = lock_of(&cases[i]);
        bool possible = cases[i].kind->possible(cases[i].on, &cases[i]);
        if (possible)
            cases[i].kind->take(cases[i].on, &cases[i]);
        unlock(lock);
        if (possible) {
            *ret = i;
            return true;
        }
    }
    return false;
}

wr_err (wr_select)(size_t *ret, struct wr_case *cases, size_t count, wr_time deadline,
                   const char *place)
{
    if (count == 0 || count > WR_SELECT_MAX)
        wr_panic_at(place, "select over %zu cases; 1 to %d are allowed", count, WR_SELECT_MAX);
    for (size_t i = 0; i < count; i++)
        if (cases[i].kind->check)
            cases[i].kind->check(cases[i].on, &cases[i], place);
    sim_point("select", place);
    struct fiber *fiber;
    wr_err ended = wr_wait_enter(&fiber, deadline, "select", place);
    if (ended)
        return ended;
    if (take_first(ret, cases, count))
        return WR_OK;
    if (deadline == WR_NOW)
        return WR_TIMEOUT;

    struct waiter waiters[count];   /* who waits keeps its stack: no more than it needs */
    uint64_t armed = wr_wait_arm(fiber);
    size_t linked = 0;
    bool self_won = false;
    while (linked < count && !self_won) {
        struct wr_case *c = &cases[linked];
        struct waiter *waiter = &waiters[linked];
        *waiter = (struct waiter){ .fiber = fiber, .armed = armed, .item = c->item,
                                   .units = c->units, .index = (uint8_t)linked };
        struct spin *lock = lock_of(c);
        if (c->kind->possible(c->on, c)) {
            self_won = wr_waiter_win(waiter);
            if (self_won)
                c->kind->take(c->on, c);
            unlock(lock);
            break;
        }
        c->kind->link(c->on, c, waiter);
        linked++;
        unlock(lock);
    }
    unsigned state = self_won ? WAIT_WON + (unsigned)linked
                              : wr_wait_park(fiber, deadline, "select", place);
    for (size_t i = 0; i < linked; i++) {
        struct spin *lock = lock_of(&cases[i]);
        cases[i].kind->unlink(cases[i].on, &cases[i], &waiters[i]);
        unlock(lock);
    }
    if (state < WAIT_WON)
        return state == WAIT_TIMEOUT ? WR_TIMEOUT : wr_wait_check(fiber);
    *ret = state - WAIT_WON;
    if (!self_won)
        cases[*ret].kind->finish(cases[*ret].on, &cases[*ret], &waiters[*ret]);
    return WR_OK;
}

void wr_case_finish(void *on, struct wr_case *c, struct waiter *waiter)
{
    (void)on;
    c->err = waiter->err;
}

/* ---- timers as cases ---- */

/* A timer has one waiter; one whose wait is over, and which has not run since
 * to say so, does not count. */
static void timer_check(void *on, const struct wr_case *c, const char *place)
{
    const struct wr_timer *timer = on;
    (void)c;
    wr_timer_check_home(timer, place);
    const struct waiter *rival = timer->owner;
    if (rival && rival->fiber != fiber_self() && waiter_waits(rival))
        wr_panic_at(place, "two fibers wait for one timer: %s does already, at %s",
                    wr_fiber_name(rival->fiber), atomic_load(&rival->fiber->place));
}

static void timer_link(void *on, const struct wr_case *c, struct waiter *waiter)
{
    struct wr_timer *timer = on;
    const struct waiter *other = timer->owner;
    (void)c;
    if (!other || !waiter_waits(other))     /* twice in one select: the first case has it */
        timer->owner = waiter;
}

static void timer_unlink(void *on, const struct wr_case *c, struct waiter *waiter)
{
    struct wr_timer *timer = on;
    (void)c;
    if (timer->owner == waiter)
        timer->owner = NULL;
}

static bool timer_possible(void *on, const struct wr_case *c)
{
    (void)c;
    return wr_timer_due(on);
}

static void timer_take(void *on, struct wr_case *c)
{
    (void)on;
    c->err = WR_OK;
}

const struct wr_waitable wr_case_timer = {
    .check = timer_check, .link = timer_link, .unlink = timer_unlink,
    .possible = timer_possible, .take = timer_take, .finish = wr_case_finish,
};
