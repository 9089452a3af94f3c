/* venues.c - shared names, by a table of slots. */
#include "library/venues.h"

#include <stdlib.h>
#include <string.h>

#include "library/record.h"

#define SLOTS (1u << 19)            /* a few times as many */
_Static_assert(SLOTS == 4 * VENUES_MAX, "there is always a free one");

wr_err venues_init(struct venues *venues)
{
    *venues = (struct venues){ .names = WR_ARENA(VENUES_BYTES_MAX),
                               .at = calloc(VENUES_MAX, sizeof(*venues->at)),
                               .slots = calloc(SLOTS, sizeof(*venues->slots)) };
    if (venues->at && venues->slots)
        return WR_OK;
    venues_fini(venues);
    return WR_NOMEM;
}

void venues_fini(struct venues *venues)
{
    wr_arena_free(&venues->names);
    free(venues->at);
    free(venues->slots);
    *venues = (struct venues){ 0 };
}

static uint32_t slot_of(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return (hash ^ hash >> 15) % SLOTS;
}

uint32_t venues_number(struct venues *venues, const char *name, bool *ret_new)
{
    uint32_t slot = slot_of(name);
    *ret_new = false;
    for (; venues->slots[slot] != 0; slot = (slot + 1) % SLOTS)
        if (strcmp(venues->at[venues->slots[slot] - 1], name) == 0)
            return venues->slots[slot] - 1;
    const char *copy = venues->count < VENUES_MAX ? wr_arena_str(&venues->names, name) : NULL;
    if (!copy)
        return RECORD_NO_VENUE;
    venues->at[venues->count] = copy;
    venues->slots[slot] = ++venues->count;
    *ret_new = true;
    return venues->count - 1;
}
