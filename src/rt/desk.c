/* desk.c - see desk.h; as lane.c, but for who does the work. */
#include "rt/desk.h"

#include <stdlib.h>

#include "rt/topo_int.h"
#include "rt/wait_int.h"

/* On the stack of the fiber that waits; the item leads to it while it is begun. */
struct call {
    struct waiter waiter;       /* first: the queue links calls by their waiters */
    struct wr_lane_item *item;
    struct call *next;          /* among those that are begun */
    bool begun, done;
};

struct wr_desk {
    const char *name;
    size_t queue_max, queued;
    size_t keeper_count, busy_count;
    struct spin lock;
    struct waitlist queue;      /* calls */
    struct waitlist keepers;    /* who wait for calls */
    struct call *begun;
    wr_err refused;
    uint64_t taken, busy;
    struct topo_node topo;
};

/* ---- bringing ---- */

/* Errors: BUSY, and what is refused. */
static wr_err enqueue(struct wr_desk *desk, struct call *call)
{
    spin_lock(&desk->lock);
    topo_note(&desk->topo, TOPO_IN);
    wr_err err = desk->refused;
    if (!err && desk->queued >= desk->queue_max) {
        desk->busy++;
        err = WR_BUSY;
    }
    if (err) {
        spin_unlock(&desk->lock);
        return err;
    }
    call->waiter.armed = wr_wait_arm(call->waiter.fiber);
    waitlist_push(&desk->queue, &call->waiter);
    desk->queued++;
    struct waiter *keeper = waitlist_win(&desk->keepers);
    if (keeper) {
        keeper->err = WR_OK;
        wr_fiber_ready(keeper->fiber);
    }
    spin_unlock_kick(&desk->lock);
    return WR_OK;
}

/* False: it has begun. */
static bool take_back(struct wr_desk *desk, struct call *call)
{
    spin_lock(&desk->lock);
    bool begun = call->begun;
    if (!begun) {
        waitlist_remove(&desk->queue, &call->waiter);
        desk->queued--;
    }
    spin_unlock(&desk->lock);
    return !begun;
}

wr_err wr_desk_do(struct wr_desk *desk, struct wr_lane_item *item, wr_time deadline,
                  const char *place)
{
    struct fiber *fiber;
    wr_err err = wr_wait_enter(&fiber, WR_NEVER, desk->name, place);
    if (err)
        return err;
    struct call call = { .waiter = { .fiber = fiber }, .item = item };
    err = enqueue(desk, &call);
    if (err)
        return err;
    unsigned state = wr_wait_park(fiber, deadline, desk->name, place);
    if (state < WAIT_WON) {
        if (take_back(desk, &call))
            return state == WAIT_TIMEOUT ? WR_TIMEOUT : wr_wait_check(fiber);
        wr_wait_out(&call.waiter, &desk->lock, &call.done, desk->name, place);
    }
    return item->err;
}

/* ---- keeping ---- */

/* The lock is held. */
static size_t take_some(struct wr_desk *desk, struct wr_lane_item **items, size_t max)
{
    size_t count = 0, free = desk->keeper_count - desk->busy_count;
    size_t share = free > 1 ? (desk->queued + free - 1) / free : desk->queued;
    max = max < share ? max : share;
    while (desk->queue.head && count < max) {
        struct call *call = (struct call *)(void *)desk->queue.head;
        waitlist_remove(&desk->queue, &call->waiter);
        call->begun = true;
        call->next = desk->begun;
        desk->begun = call;
        items[count++] = call->item;
    }
    desk->queued -= count;
    desk->taken += count;
    desk->busy_count += count > 0;
    return count;
}

wr_err (wr_desk_take)(struct wr_desk *desk, struct wr_lane_item **items, size_t max,
                      size_t *ret_count, wr_time deadline, const char *place)
{
    struct fiber *fiber;
    wr_err err = wr_wait_enter(&fiber, deadline, desk->name, place);
    while (!err) {
        spin_lock(&desk->lock);
        topo_note(&desk->topo, TOPO_OUT);
        *ret_count = take_some(desk, items, max);
        if (*ret_count > 0 || deadline == WR_NOW) {
            spin_unlock(&desk->lock);
            return *ret_count > 0 ? WR_OK : WR_TIMEOUT;
        }
        err = wr_wait_on(fiber, &desk->lock, &desk->keepers, deadline, desk->name, place);
    }
    return err;
}

/* The lock is held. */
static void finish(struct call *call)
{
    call->done = true;
    if (wr_waiter_win(&call->waiter))
        wr_fiber_ready(call->waiter.fiber);
}

void wr_desk_done(struct wr_desk *desk, struct wr_lane_item *const *items, size_t count)
{
    spin_lock(&desk->lock);
    for (size_t i = count; i-- > 0;) {          /* the last that was begun is the first there */
        struct call **at = &desk->begun;
        while ((*at)->item != items[i])
            at = &(*at)->next;
        struct call *call = *at;
        *at = call->next;
        finish(call);
    }
    desk->busy_count--;
    spin_unlock_kick(&desk->lock);
}

void wr_desk_refuse(struct wr_desk *desk, wr_err err)
{
    spin_lock(&desk->lock);
    desk->refused = err;
    while (err && desk->queue.head) {
        struct call *call = (struct call *)(void *)desk->queue.head;
        waitlist_remove(&desk->queue, &call->waiter);
        desk->queued--;
        call->begun = true;
        call->item->err = err;
        finish(call);
    }
    spin_unlock_kick(&desk->lock);
}

/* ---- the desk ---- */

static void describe(struct topo_node *node, struct topo_row *row)
{
    struct wr_desk *desk = TOPO_OWNER(node, struct wr_desk, topo);
    spin_lock(&desk->lock);
    *row = (struct topo_row){ .kind = "desk", .name = desk->name, .policy = "reject",
                              .cap = desk->queue_max, .depth = desk->queued,
                              .sent = desk->taken, .refused = desk->busy };
    spin_unlock(&desk->lock);
}

wr_err wr_desk_new(struct wr_desk **ret, const char *name, size_t queue_max, size_t keepers)
{
    struct wr_desk *desk = calloc(1, sizeof(*desk));
    if (!desk)
        return WR_NOMEM;
    desk->name = name;
    desk->queue_max = queue_max;
    desk->keeper_count = keepers;
    wr_topo_add(&desk->topo, describe);
    *ret = desk;
    return WR_OK;
}

void (wr_desk_free)(struct wr_desk *desk, const char *place)
{
    if (!desk)
        return;
    spin_lock(&desk->lock);
    const struct waiter *user = desk->queue.head ? desk->queue.head
                              : desk->begun ? &desk->begun->waiter : desk->keepers.head;
    spin_unlock(&desk->lock);
    if (user)
        wr_panic_at(place, "desk \"%s\" is freed while %s waits on it; join its users first",
                    desk->name, wr_fiber_name(user->fiber));
    wr_topo_remove(&desk->topo);
    free(desk);
}
