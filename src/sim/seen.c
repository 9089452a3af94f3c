/* seen.c - a set of numbers, to count how many different states were reached.
 *
 * Open addressing, at most half full.  It stops growing at a bound, and when
 * there is no memory: the count is then a lower bound, as it always is of the
 * states there are. */
#include <stdlib.h>

#include "sim/sim_int.h"

#define SLOTS_FIRST 1024
#define SLOTS_MAX ((size_t)1 << 22)

/* Zero marks an empty slot; the state zero takes another number's place. */
static uint64_t stored(uint64_t state)
{
    return state ? state : 0x9e3779b97f4a7c15;
}

static bool insert(struct seen *seen, uint64_t state)
{
    size_t at = (size_t)(state * 0x9e3779b97f4a7c15 >> 20) & (seen->cap - 1);
    for (; seen->slots[at]; at = (at + 1) & (seen->cap - 1))
        if (seen->slots[at] == state)
            return false;
    seen->slots[at] = state;
    return true;
}

static bool grow(struct seen *seen)
{
    struct seen larger = { .cap = seen->cap ? seen->cap * 2 : SLOTS_FIRST,
                           .count = seen->count };
    if (larger.cap > SLOTS_MAX)
        return false;
    larger.slots = calloc(larger.cap, sizeof(*larger.slots));
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < seen->cap; i++)
        if (seen->slots[i])
            insert(&larger, seen->slots[i]);
    free(seen->slots);
    *seen = larger;
    return true;
}

void wr_seen_add(struct seen *seen, uint64_t state)
{
    if (seen->count * 2 >= seen->cap && !grow(seen))
        return;
    seen->count += insert(seen, stored(state));
}

void wr_seen_close(struct seen *seen)
{
    free(seen->slots);
    *seen = (struct seen){ 0 };
}
