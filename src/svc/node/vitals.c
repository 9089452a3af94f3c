/* vitals.c - see vitals.h. */
#include "svc/node/vitals.h"

#include <stdatomic.h>
#include <stdio.h>

void vitals_beat(struct vitals *vitals, wr_time now)
{
    atomic_store(&vitals->beat, now);
}

static bool loops_run(const struct vitals *vitals, wr_time stalled, wr_time now, char *why)
{
    wr_time beat = atomic_load(&vitals->beat);
    if (stalled >= VITALS_STALL)
        snprintf(why, VITALS_WHY_MAX, "a worker has stood still for %lld ms",
                 (long long)(stalled / WR_MS(1)));
    else if (beat && now - beat >= VITALS_SILENT)
        snprintf(why, VITALS_WHY_MAX, "the control plane has not moved for %lld ms",
                 (long long)((now - beat) / WR_MS(1)));
    else
        return true;
    return false;
}

/* Whether what it says now is not before what it had said. */
static bool clock_runs(struct vitals *vitals, wr_time had_said, wr_time now, int64_t wall,
                       char *why)
{
    wr_time latest = had_said;
    while (now > latest && !atomic_compare_exchange_weak(&vitals->latest, &latest, now))
        ;
    if (had_said - now >= VITALS_BACK)
        snprintf(why, VITALS_WHY_MAX, "it went back by %lld ms",
                 (long long)((had_said - now) / WR_MS(1)));
    else if (wall < VITALS_WALL_MIN)
        snprintf(why, VITALS_WHY_MAX, "nobody has set it: it says %lld s after 1970",
                 (long long)(wall / WR_S(1)));
    else
        return true;
    return false;
}

bool vitals_look(struct vitals *vitals, wr_time stalled, wr_time (*clock)(void), int64_t wall,
                 struct vitals_view *ret)
{
    wr_time had_said = atomic_load(&vitals->latest), now = clock();
    *ret = (struct vitals_view){ .event_loop = "ok", .clock = "ok" };
    bool loops = loops_run(vitals, stalled, now, ret->event_loop);
    return clock_runs(vitals, had_said, now, wall, ret->clock) && loops;
}
