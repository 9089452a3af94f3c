/* shrink.c - a failure, made short.
 *
 * Deviations are taken away, many at a time and then fewer, and the run is
 * made again; if it still fails in the same way they were not needed.  What a
 * deviation means depends on all before it, so this finds a short list, not
 * the shortest there is.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/sim_int.h"

#define REPLAYS_MAX 400
#define TURNS_MAX 4000000       /* some seconds */

/* The same kind of failure; of a panic, also the same place. */
static bool alike(enum wr_sim_failure failure, const char *message)
{
    return wr_sim.failure == failure
        && (failure != WR_SIM_PANIC
            || strncmp(message, wr_sim.message, strcspn(message, " ") + 1) == 0);
}

static void copy(struct deviations *to, const struct deviations *from)
{
    to->len = 0;
    for (size_t i = 0; i < from->len; i++)
        wr_deviations_add(to, from->list[i]);
}

static void copy_without(struct deviations *to, const struct deviations *from, size_t at,
                         size_t count)
{
    to->len = 0;
    for (size_t i = 0; i < from->len; i++)
        if (i < at || i >= at + count)
            wr_deviations_add(to, from->list[i]);
}

void wr_shrink(struct deviations *ret, uint64_t seed)
{
    enum wr_sim_failure failure = wr_sim.failure;
    char message[sizeof(wr_sim.message)];
    memcpy(message, wr_sim.message, sizeof(message));
    struct deviations fewer = { 0 };
    copy(ret, &wr_sim.decider.made);
    size_t replays = 0;
    uint64_t turns = 0;
    for (size_t chunk = ret->len; chunk > 0; chunk /= 2) {
        for (size_t at = 0; at < ret->len && replays < REPLAYS_MAX && turns < TURNS_MAX;) {
            copy_without(&fewer, ret, at, chunk);
            bool fails = wr_sim_once(seed, &fewer) == WR_OK && alike(failure, message);
            replays++;
            turns += wr_sim.turns;
            if (fails)
                copy(ret, &wr_sim.decider.made);    /* those of them that took effect */
            else
                at += chunk;
        }
    }
    wr_deviations_free(&fewer);
}
