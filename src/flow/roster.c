/* roster.c - a bounded table of guests: hashed, and in the order they fell idle. */
#include "flow/roster.h"

#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>

#include "base/scatter.h"
#include "base/world.h"

#define LOCK_RANK 1000
#define SLOTS ((size_t)2 * ROSTER_PART_GUESTS)

struct part {
    struct wr_mutex lock;
    struct wr_guest *slots[SLOTS];
    struct wr_guest *oldest, *newest;  /* idle */
    struct wr_guest *guests;           /* of all parts, one after the other: `max` here */
    size_t known, max, in;
    uint64_t forgotten;
};

struct roster {
    uint64_t seed[2];
    size_t part_count;
    struct part parts[];
};

wr_err roster_new(struct roster **ret, const char *name, size_t guests)
{
    WR_ASSERT(guests > 0);
    size_t parts = (guests + ROSTER_PART_GUESTS - 1) / ROSTER_PART_GUESTS;
    size_t each = parts == 1 ? guests : ROSTER_PART_GUESTS;
    struct roster *roster = calloc(1, sizeof(*roster) + parts * sizeof(roster->parts[0]));
    struct wr_guest *memory = roster ? calloc(parts * each, sizeof(*memory)) : NULL;
    if (!memory) {
        free(roster);
        return WR_NOMEM;
    }
    roster->part_count = parts;
    wr_world->entropy(roster->seed, sizeof(roster->seed));
    for (size_t i = 0; i < parts; i++) {
        roster->parts[i].lock = (struct wr_mutex)WR_MUTEX(name, LOCK_RANK);
        roster->parts[i].guests = memory + i * each;
        roster->parts[i].max = each;
    }
    *ret = roster;
    return WR_OK;
}

void roster_free(struct roster *roster)
{
    if (!roster)
        return;
    for (size_t i = 0; i < roster->part_count; i++) {
        WR_ASSERT(roster->parts[i].in == 0);
        wr_mutex_fini(&roster->parts[i].lock);
    }
    free(roster->parts[0].guests);
    free(roster);
}

/* ---- under the lock of a part ---- */

static struct wr_guest *find(struct part *part, uint32_t slot, const void *key, size_t len)
{
    for (struct wr_guest *guest = part->slots[slot]; guest; guest = guest->chain)
        if (guest->key_len == len && memcmp(guest->key, key, len) == 0)
            return guest;
    return NULL;
}

static void stop_idling(struct part *part, struct wr_guest *guest)
{
    *(guest->older ? &guest->older->newer : &part->oldest) = guest->newer;
    *(guest->newer ? &guest->newer->older : &part->newest) = guest->older;
    guest->older = guest->newer = NULL;
}

static void start_idling(struct part *part, struct wr_guest *guest)
{
    guest->older = part->newest;
    *(part->newest ? &part->newest->newer : &part->oldest) = guest;
    part->newest = guest;
}

/* Its buckets are full: as if it had never been here. */
static bool owes_nothing(const struct wr_guest *guest, wr_time now)
{
    for (size_t i = 0; i < sizeof(guest->buckets) / sizeof(*guest->buckets); i++)
        if (atomic_load_explicit(&guest->buckets[i].full_at, memory_order_relaxed) > now)
            return false;
    return true;
}

/* The place of the guest that has been idle longest, of those that owe nothing. */
static struct wr_guest *forget(struct part *part)
{
    wr_time now = wr_now();
    struct wr_guest *guest = part->oldest;
    while (guest && !owes_nothing(guest, now))
        guest = guest->newer;
    if (!guest)
        return NULL;
    stop_idling(part, guest);
    struct wr_guest **link = &part->slots[guest->slot];
    while (*link != guest)
        link = &(*link)->chain;
    *link = guest->chain;
    part->forgotten++;
    return guest;
}

static struct wr_guest *welcome(struct part *part, uint32_t slot, const void *key, size_t len)
{
    struct wr_guest *guest = part->known < part->max ? &part->guests[part->known++]
                                                     : forget(part);
    if (!guest)
        return NULL;
    *guest = (struct wr_guest){ .slot = slot, .key_len = (uint32_t)len,
                             .chain = part->slots[slot] };
    memcpy(guest->key, key, len);
    part->slots[slot] = guest;
    start_idling(part, guest);
    return guest;
}

/* ---- calls ---- */

wr_err roster_enter(struct roster *roster, const void *key, size_t len, uint32_t max,
                    struct wr_guest **ret)
{
    WR_ASSERT(len <= ROSTER_KEY_MAX);
    uint64_t sum = wr_scatter(roster->seed, key, len);
    struct part *part = &roster->parts[(sum >> 32) % roster->part_count];
    uint32_t slot = (uint32_t)(sum % SLOTS);
    wr_mutex_lock(&part->lock);
    struct wr_guest *guest = find(part, slot, key, len);
    if (!guest)
        guest = welcome(part, slot, key, len);
    wr_err err = !guest ? WR_NOMEM : guest->in >= max ? WR_BUSY : WR_OK;
    if (!err) {
        if (guest->in++ == 0)
            stop_idling(part, guest);
        part->in++;
        *ret = guest;
    }
    wr_mutex_unlock(&part->lock);
    return err;
}

void roster_leave(struct roster *roster, struct wr_guest *guest)
{
    struct part *first = &roster->parts[0];
    struct part *part = first + (size_t)(guest - first->guests) / first->max;
    wr_mutex_lock(&part->lock);
    bool was_in = guest->in > 0;
    if (was_in && --guest->in == 0)
        start_idling(part, guest);
    part->in -= was_in;
    wr_mutex_unlock(&part->lock);
    WR_ASSERT(was_in);
}

struct roster_stat roster_stat(struct roster *roster)
{
    struct roster_stat stat = { 0 };
    for (size_t i = 0; i < roster->part_count; i++) {
        struct part *part = &roster->parts[i];
        wr_mutex_lock(&part->lock);
        stat.guests += part->known;
        stat.in += part->in;
        stat.forgotten += part->forgotten;
        wr_mutex_unlock(&part->lock);
    }
    return stat;
}
