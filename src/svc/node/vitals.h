/* vitals.h - whether the process lives: what /healthz answers.
 *
 *     struct vitals vitals = { 0 };
 *     vitals_beat(&vitals, wr_now());             the control plane, each second
 *     struct vitals_view view;
 *     if (!vitals_look(&vitals, wr_monitor_stalled(), wr_now, wr_wall().ns, &view))
 *         ... 503, view.event_loop, view.clock
 *
 * Each of the two is looked at when somebody asks.  The event loops: no worker of the
 * runtime has been kept by one task for VITALS_STALL, which is as long as a request may
 * take, and the control plane has beaten within VITALS_SILENT, which is longer than the
 * longest pause before it is started again.  The clock: it does not go back, and the wall
 * clock is not one that nobody has set.  A wall clock that is set while we run is fine.
 *
 * Any thread may look.
 */
#ifndef WR_NODE_VITALS_H
#define WR_NODE_VITALS_H

#include <stdbool.h>
#include <stdint.h>

#include <weir/time.h>

#define VITALS_STALL WR_S(2)
#define VITALS_SILENT WR_S(10)
#define VITALS_BACK WR_MS(100)
#define VITALS_WALL_MIN (INT64_C(1735689600) * WR_S(1))     /* the year 2025 */
#define VITALS_WHY_MAX 80

struct vitals {
    _Atomic wr_time beat;           /* the last one; 0: none yet, or it has stopped */
    _Atomic wr_time latest;         /* that anybody has seen */
};

/* "ok", or what is wrong. */
struct vitals_view {
    char event_loop[VITALS_WHY_MAX];
    char clock[VITALS_WHY_MAX];
};

/* The control plane runs; 0: it has been told to stop. */
void vitals_beat(struct vitals *vitals, wr_time now);

/* `stalled`: for how long a worker has been kept.  `clock` is looked at when what others have
 * seen is known, as those who look in between are later than it.  False: it does not live,
 * and why. */
bool vitals_look(struct vitals *vitals, wr_time stalled, wr_time (*clock)(void), int64_t wall,
                 struct vitals_view *ret);

#endif
