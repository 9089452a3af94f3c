/* shed.h - when a queue is slow for too long, turn newcomers away.
 *
 *     static struct wr_shed shed = WR_SHED_INIT;
 *
 *     if (wr_shed_enter(&shed, WR_SHED_NORMAL))
 *         return WR_SHED;                      (503, Retry-After)
 *     ...queue it, with wr_now(); if that fails: wr_shed_withdraw(&shed)
 *     wr_shed_leave(&shed, queued_at);         (where it is taken out)
 *
 * A full queue is not a slow one: a burst that is worked off in time does no harm,
 * while a queue that never gets short makes everybody wait and serves nobody better.
 * So what is judged is how long those who reach the head have waited.  When that was
 * above the target for a whole interval, newcomers are refused until one leaves that
 * waited less.  From then on, until an interval has passed without any above the target,
 * the first one above it is enough: else an overload that lasts would be let in for an
 * interval again and again.  Nobody who is in the queue is thrown out.  It is the rule of
 * controlled delay, applied at the tail.
 *
 * Of classes the low one is refused first: as soon as one leaves that waited above the target,
 * without an interval.  The high one is refused last: after ten intervals.
 *
 * A queue that nobody takes from is slow as well: when nothing has left for an interval
 * though somebody waits, newcomers are refused, of whatever class.
 *
 * It does not hold the queue and takes no lock.  Any thread may use it.
 */
#ifndef WEIR_SHED_H
#define WEIR_SHED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <weir/time.h>

enum wr_shed_class { WR_SHED_LOW, WR_SHED_NORMAL, WR_SHED_HIGH };

struct wr_shed {
    _Atomic wr_time target, interval;   /* WR_SHED_INIT, or others; they may be changed any
                                         * time.  The rest is the library's */
    _Atomic int64_t waiting;        /* entered and not left */
    _Atomic wr_time slow_since;     /* the first that waited above the target; or 0 */
    _Atomic wr_time wary_until;     /* one above the target is enough */
    _Atomic wr_time moved_at;       /* the last left, or the first came in */
    _Atomic uint64_t refused;
};

#define WR_SHED_TARGET WR_MS(5)
#define WR_SHED_INTERVAL WR_MS(100)
#define WR_SHED_INIT { .target = WR_SHED_TARGET, .interval = WR_SHED_INTERVAL }

/* One comes: true when it must not.  Else it has entered, and must leave. */
bool wr_shed_enter(struct wr_shed *shed, enum wr_shed_class which);

/* One that entered at `entered` has reached the head and leaves. */
void wr_shed_leave(struct wr_shed *shed, wr_time entered);

/* One that entered is not queued after all: it says nothing about the queue. */
void wr_shed_withdraw(struct wr_shed *shed);

#endif
