/* idle.c - a worker with nothing to do: spin, sleep, or move the virtual clock.
 *
 * Going to sleep and being woken race: a worker says that it sleeps and then
 * looks at its inbox once more; a waker puts the fiber into the inbox and then
 * looks whether the worker sleeps.  Both in sequentially consistent order: one
 * of them sees the other.  The same holds for a task that is sent to another
 * worker, and that one's queue.  A worker is woken at most once per sleep.
 *
 * Waking a sleeping thread costs tens of microseconds here, more than many
 * tasks take; so new tasks wake another worker only when more than a few of
 * them queue up or the oldest has waited, and an idle worker spins a little
 * before it sleeps, one at a time.
 */
#include <stdio.h>

#include "base/world.h"
#include "rt/rt_int.h"

#define SPIN_SPAN WR_US(50)
#define SPIN_PLACE_ROUNDS 64
#define SPIN_MISSES 4           /* in a row, before it skips some */
#define SPIN_SKIP 7
#define SPIN_SKIP_STOLEN 63
#define STOLEN_SPAN WR_US(500)  /* a gap this long: we did not have the processor */
#define STARVED_SPAN WR_MS(10)
#define NAP_SHORT WR_US(50)
#define NAP_LONG WR_US(200)
#define NAPS_MANY 16

static void wake(struct worker *w)
{
    if (atomic_exchange(&w->sleeping, 0))
        wr_os_poll_kick(&w->poll);
}

static size_t tasks_waiting(void)
{
    size_t count = 0;
    for (unsigned i = 0; i < wr_rt.count; i++)
        for (int class = 0; class < 2; class++)
            count += atomic_load_explicit(&wr_rt.workers[i].fresh[class].len,
                                          memory_order_relaxed);
    return count;
}

static bool work_anywhere(struct worker *w)
{
    if (atomic_load_explicit(&w->inbox, memory_order_relaxed) || wr_rt.stopping)
        return true;
    return !wr_starved(w) && tasks_waiting() > 0;
}

/* One worker spins at a time.  One that was just found still spins for the moment
 * it needs to see that: when two hand work to one another, the second looks for
 * the place before it is free. */
static bool take_spin_place(struct worker *w)
{
    for (unsigned round = 0; round < SPIN_PLACE_ROUNDS; round++) {
        uint32_t none = 0;
        if (atomic_load_explicit(&wr_rt.spinning, memory_order_relaxed) == 0
            && atomic_compare_exchange_strong(&wr_rt.spinning, &none, 1))
            return true;
        if (atomic_load_explicit(&w->inbox, memory_order_relaxed))
            return false;
        wr_os_relax(0);
    }
    return false;
}

/* Look for work for a little while: a spinning worker is found in a fraction
 * of a microsecond, a sleeping one in tens.  What was in vain
 * several times in a row is tried less often, and much less when the machine
 * took the processor away meanwhile: others need it more. */
static bool spin_for_work(struct worker *w)
{
    if (w->control)             /* the one place is for those with work to share */
        return false;
    if (w->spin_skip > 0) {
        w->spin_skip--;
        return false;
    }
    if (wr_rt.cores < 2 || !take_spin_place(w))
        return false;
    wr_time now = wr_now(), until = wr_wheel_next(&w->wheel, false);
    if (until > now + SPIN_SPAN)
        until = now + SPIN_SPAN;
    bool found = false, stolen = false;
    for (unsigned round = 0; !found; round++) {
        found = atomic_load_explicit(&w->inbox, memory_order_relaxed) || wr_rt.stopping
            || ((round & 3) == 0 && !wr_starved(w) && wr_loot(w));
        wr_os_relax(0);
        if (found || (round & 31) != 31)
            continue;
        wr_time before = now;
        now = wr_now();
        stolen |= now - before > STOLEN_SPAN;
        if (now >= until)
            break;
        found = w->fds && wr_os_poll_pending(&w->poll);
    }
    atomic_store(&wr_rt.spinning, 0);
    w->spin_misses = found ? 0 : w->spin_misses + 1;
    if (w->spin_misses > SPIN_MISSES || stolen)
        w->spin_skip = stolen ? SPIN_SKIP_STOLEN : SPIN_SKIP;
    return found;
}

/* Something has come since it last looked.  Tasks without a stack can wait. */
static bool called(struct worker *w)
{
    if (atomic_load(&w->inbox) || atomic_load(&wr_rt.stopping))
        return true;
    return (atomic_load(&w->fresh[0].len) || atomic_load(&w->fresh[1].len)) && !wr_starved(w);
}

static void sleep_until_kicked(struct worker *w, wr_time span)
{
    uint64_t bit = w->control ? 0 : (uint64_t)1 << w->id;  /* never woken to share work */
    atomic_store(&w->sleeping, 1);
    atomic_fetch_or(&wr_rt.asleep, bit);
    if (!called(w)) {
        if (wr_rt.conf.virtual_clock)
            wr_os_poll_sleep(&w->poll);
        else
            wr_sched_poll(w, span);
    }
    atomic_fetch_and(&wr_rt.asleep, ~bit);
    atomic_store(&w->sleeping, 0);
}

/* Waking costs more than a short sleep is worth.  When there are so many timers that
 * one nap after another serves several, they are made longer and serve more.  Fewer
 * timers are not gathered: those that fire together once would do so ever after. */
static wr_time at_least(struct worker *w, wr_time span)
{
    bool several = w->fired > 1;
    w->fired = 0;
    if (span >= NAP_LONG || !several) {
        w->naps = 0;
        return span < NAP_SHORT ? NAP_SHORT : span;
    }
    wr_time least = ++w->naps > NAPS_MANY ? NAP_LONG : NAP_SHORT;
    return span < least ? least : span;
}

static void idle_real(struct worker *w)
{
    if (spin_for_work(w))
        return;
    wr_time now = wr_now(), until = wr_wheel_next(&w->wheel, false);
    wr_trim(w, now);
    if (w->trim_next < until)
        until = w->trim_next;
    if (wr_rt.starved && tasks_waiting() && now + STARVED_SPAN < until)
        until = now + STARVED_SPAN;     /* nobody says when there is memory again */
    if (until <= now)
        return;
    wr_time span = until == WR_NEVER ? WR_NEVER : until - now;
    sleep_until_kicked(w, at_least(w, span));
}

/* Under the virtual clock the last worker to run out of work moves time on.
 * Nothing else can be under way then: no fiber runs, no wake is in an inbox,
 * no event waits in an epoll, no offloaded call is out.  So a worker takes its
 * events only when it no longer counts as idle. */
static bool all_quiet(void)
{
    if (wr_rt.idle < wr_rt.count || atomic_load(&wr_rt.offloads))
        return false;
    bool tasks = tasks_waiting() > 0;
    for (unsigned i = 0; i < wr_rt.count; i++) {
        struct worker *w = &wr_rt.workers[i];
        if (atomic_load(&w->inbox) || (w->fds && wr_os_poll_pending(&w->poll)))
            return false;
        if (tasks && !wr_starved(w)) {
            wake(w);            /* it sleeps, and could start what others cannot */
            return false;
        }
    }
    return true;
}

static void report_deadlock(void)
{
    static const char text[] = "weir: deadlock: every task waits, and nothing can wake one\n";
    wr_world->complain(text, sizeof(text) - 1);
    char line[80];
    int len = snprintf(line, sizeof(line), "weir: %zu tasks wait for memory for a stack\n",
                       tasks_waiting());
    if (tasks_waiting())
        wr_world->complain(line, (size_t)len);
    wr_run_dump();
    wr_fatal(WR_HERE, "deadlock");
}

static bool advance_clock(void)
{
    wr_time earliest = wr_rt.hooks && wr_rt.hooks->next ? wr_rt.hooks->next() : WR_NEVER;
    size_t fds = 0;
    for (unsigned i = 0; i < wr_rt.count; i++) {
        wr_time next_timer = wr_wheel_next(&wr_rt.workers[i].wheel, true);
        if (next_timer < earliest)
            earliest = next_timer;
        fds += wr_rt.workers[i].fds;
    }
    if (earliest == WR_NEVER) {
        if (fds || atomic_load(&wr_rt.stopping))
            return false;       /* only the outside can move us now */
        if (!wr_rt.hooks)
            report_deadlock();
        wr_rt.hooks->stuck();
        return true;
    }
    if (earliest > wr_rt.now)
        atomic_store(&wr_rt.now, wr_rt.hooks ? wr_rt.hooks->advance(earliest) : earliest);
    return true;
}

/* Time has moved: wake those who have a timer due.  Whether this one has. */
static bool wake_due(struct worker *w)
{
    bool all = wr_rt.hooks || (wr_rt.starved && tasks_waiting()), own = false;
    for (unsigned i = 0; i < wr_rt.count; i++) {
        struct worker *other = &wr_rt.workers[i];
        if (!all && wr_wheel_next(&other->wheel, true) > wr_rt.now)
            continue;
        if (other == w)
            own = true;
        else
            wake(other);
    }
    return own;
}

static void idle_virtual(struct worker *w)
{
    bool sleep = false;
    if (w->fds && wr_os_poll_pending(&w->poll))
        return;
    spin_lock(&wr_rt.clock_lock);
    if (!work_anywhere(w)) {
        atomic_store(&w->sleeping, 1);      /* before anybody can find us idle */
        w->idle_counted = true;
        wr_rt.idle++;
        sleep = !(all_quiet() && advance_clock() && wake_due(w));
        if (!sleep)
            atomic_store(&w->sleeping, 0);
    }
    spin_unlock(&wr_rt.clock_lock);
    if (sleep)
        sleep_until_kicked(w, WR_NEVER);
    spin_lock(&wr_rt.clock_lock);
    if (w->idle_counted) {
        w->idle_counted = false;
        wr_rt.idle--;
    }
    spin_unlock(&wr_rt.clock_lock);
    if (sleep)
        wr_sched_poll(w, WR_NOW);
}

void wr_idle(struct worker *w)
{
    if (wr_rt.conf.virtual_clock)
        idle_virtual(w);
    else
        idle_real(w);
}
