/* shed.c - controlled delay, at the tail. */
#include <weir/shed.h>

#include <weir/panic.h>

static wr_time get(const _Atomic wr_time *at)
{
    return atomic_load_explicit(at, memory_order_relaxed);
}

static void set(_Atomic wr_time *at, wr_time time)
{
    atomic_store_explicit(at, time, memory_order_relaxed);
}

#define PATIENCE 10                 /* intervals that the high class is let in for longer */

static bool slow(const struct wr_shed *shed, enum wr_shed_class which, wr_time now)
{
    wr_time since = get(&shed->slow_since);
    if (!since || which == WR_SHED_LOW)
        return since != 0;
    if (which == WR_SHED_HIGH)
        return now - since >= PATIENCE * get(&shed->interval);
    return now - since >= get(&shed->interval) || now < get(&shed->wary_until);
}

void wr_shed_withdraw(struct wr_shed *shed)
{
    int64_t before = atomic_fetch_sub_explicit(&shed->waiting, 1, memory_order_relaxed);
    WR_ASSERT(before > 0);
}

bool wr_shed_enter(struct wr_shed *shed, enum wr_shed_class which)
{
    wr_time now = wr_now();
    if (atomic_fetch_add_explicit(&shed->waiting, 1, memory_order_relaxed) == 0) {
        set(&shed->slow_since, 0);      /* the head of an empty queue waits for nobody */
        set(&shed->moved_at, now);
        return false;
    }
    if (!slow(shed, which, now) && now - get(&shed->moved_at) < get(&shed->interval))
        return false;
    wr_shed_withdraw(shed);
    atomic_fetch_add_explicit(&shed->refused, 1, memory_order_relaxed);
    return true;
}

void wr_shed_leave(struct wr_shed *shed, wr_time entered)
{
    wr_time now = wr_now(), none = 0;
    wr_shed_withdraw(shed);
    set(&shed->moved_at, now);
    if (now - entered <= get(&shed->target)) {
        set(&shed->slow_since, 0);
        return;
    }
    atomic_compare_exchange_strong_explicit(&shed->slow_since, &none, now, memory_order_relaxed,
                                            memory_order_relaxed);
    if (slow(shed, WR_SHED_NORMAL, now))
        set(&shed->wary_until, now + get(&shed->interval));
}
