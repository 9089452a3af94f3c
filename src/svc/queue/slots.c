/* slots.c - see slots.h. */
#include "svc/queue/slots.h"

#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/watch.h>

#define LOCK_RANK 680

struct slots {
    struct wr_mutex lock;               /* of all below */
    unsigned limits[QUEUE_SLOTS];
    size_t taken[QUEUE_SLOTS], waiting[QUEUE_SLOTS];
    enum queue_slot last;               /* of those that exclude each other */
    uint64_t version;
    struct wr_watch_writer writer;
    struct wr_watch *changed;
};

/* Who it excludes; itself: nobody. */
static enum queue_slot partner(enum queue_slot slot)
{
    return slot == QUEUE_GPU ? QUEUE_BROWSER : slot == QUEUE_BROWSER ? QUEUE_GPU : slot;
}

wr_err slots_new(struct slots **ret, const unsigned limits[QUEUE_SLOTS])
{
    struct slots *slots = calloc(1, sizeof(*slots));
    if (!slots)
        return WR_NOMEM;
    slots->lock = (struct wr_mutex)WR_MUTEX("queue.slots", LOCK_RANK);
    memcpy(slots->limits, limits, sizeof(slots->limits));
    slots->last = QUEUE_SLOTS;
    wr_err err = wr_watch_new(&slots->changed, &slots->writer, &(struct wr_watch_conf){
        .name = "queue.slots", .size = sizeof(slots->version), .initial = &slots->version });
    if (err) {
        free(slots);
        return err;
    }
    *ret = slots;
    return WR_OK;
}

void slots_free(struct slots *slots)
{
    if (!slots)
        return;
    wr_watch_close(&slots->writer);
    wr_watch_free(slots->changed);
    wr_mutex_fini(&slots->lock);
    free(slots);
}

/* The lock is held. */
static void tell(struct slots *slots)
{
    slots->version++;
    wr_watch_set(&slots->writer, &slots->version);
}

void slots_tune(struct slots *slots, const unsigned limits[QUEUE_SLOTS])
{
    wr_mutex_lock(&slots->lock);
    memcpy(slots->limits, limits, sizeof(slots->limits));
    tell(slots);
    wr_mutex_unlock(&slots->lock);
}

/* How many are free; the lock is held. */
static size_t free_of(const struct slots *slots, enum queue_slot slot)
{
    enum queue_slot other = partner(slot);
    if (other != slot
        && (slots->taken[other] || (slots->waiting[other] && slots->last == slot)))
        return 0;
    return slots->taken[slot] < slots->limits[slot] ? slots->limits[slot] - slots->taken[slot]
                                                    : 0;
}

/* Take some, or be among those who wait. */
static size_t try_take(struct slots *slots, enum queue_slot slot, size_t want, bool *waits)
{
    wr_mutex_lock(&slots->lock);
    size_t got = free_of(slots, slot);
    got = got < want ? got : want;
    slots->taken[slot] += got;
    if (got && partner(slot) != slot)
        slots->last = slot;
    if (*waits)
        slots->waiting[slot]--;
    *waits = got == 0;
    if (*waits)
        slots->waiting[slot]++;
    wr_mutex_unlock(&slots->lock);
    return got;
}

wr_err(slots_take)(struct slots *slots, enum queue_slot slot, size_t want, size_t *ret,
                   wr_time deadline, const char *place)
{
    struct wr_watch_reader reader = wr_watch_reader(slots->changed);
    uint64_t version;
    bool waits = false;
    wr_err err = WR_OK;
    while (!err && !(*ret = try_take(slots, slot, want, &waits)))
        err = (wr_watch_wait)(&reader, &version, deadline, place);
    if (waits) {
        wr_mutex_lock(&slots->lock);
        slots->waiting[slot]--;
        tell(slots);                    /* it may be somebody else's turn now */
        wr_mutex_unlock(&slots->lock);
    }
    return err;
}

void slots_give(struct slots *slots, enum queue_slot slot, size_t count)
{
    if (!count)
        return;
    wr_mutex_lock(&slots->lock);
    WR_ASSERT(slots->taken[slot] >= count);
    slots->taken[slot] -= count;
    tell(slots);
    wr_mutex_unlock(&slots->lock);
}

size_t slots_taken(struct slots *slots, enum queue_slot slot)
{
    wr_mutex_lock(&slots->lock);
    size_t taken = slots->taken[slot];
    wr_mutex_unlock(&slots->lock);
    return taken;
}
