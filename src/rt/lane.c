/* lane.c - a thread that takes what has come as one batch.
 *
 * As in offload.c an item has a record on the waiting fiber's stack, in a queue
 * under a lock; its fiber may take it back until the thread has begun it.  The
 * thread's last act is to end the waits of the whole batch: all fibers go into
 * their workers' inboxes first, then each worker that sleeps is woken, once.
 */
#include <weir/lane.h>

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "rt/topo_int.h"
#include "rt/wait_int.h"

#define QUEUE_MAX 4096
#define BATCH_MAX 256
#define IDLE_AFTER WR_S(1)
#define SIM_SPAN WR_US(100)

struct call {
    struct waiter waiter;       /* first: the queue links calls by their waiters */
    struct wr_lane_item *item;
    bool begun, done;
    bool leads;                 /* its fiber does the batches itself, and waits for nothing */
};

struct wr_lane {
    struct wr_lane_conf conf;
    struct spin lock;
    struct waitlist queue;
    struct wr_lane_stat stat;
    bool asleep;                /* the thread; whoever brings something wakes it */
    bool stopping;
    bool led;                   /* in a simulation: a fiber will do what is queued */
    bool threaded;
    _Atomic uint32_t signal;    /* raised to wake the thread */
    struct os_thread thread;
    struct topo_node topo;
    struct call **calls;        /* the batch that is under way, batch_max at most */
    struct wr_lane_item **items;
    size_t count;
};

/* The virtual clock stands still while the thread has something; without a thread it is
 * fibers that take their time. */
static void count_items(struct wr_lane *lane, ssize_t change)
{
    if (lane->threaded)
        atomic_fetch_add(&wr_rt.offloads, (size_t)change);
}

/* ---- doing a batch ---- */

/* Add what is queued to the batch that has so many; how many it has then. */
static size_t take(struct wr_lane *lane, size_t had)
{
    size_t count = had;
    spin_lock(&lane->lock);
    while (lane->queue.head && count < lane->conf.batch_max) {
        struct call *call = (struct call *)(void *)lane->queue.head;
        waitlist_remove(&lane->queue, &call->waiter);
        call->begun = true;
        lane->calls[count] = call;
        lane->items[count++] = call->item;
    }
    struct wr_lane_stat *stat = &lane->stat;
    stat->queued -= count - had;
    stat->items += count - had;
    stat->batches += had == 0 && count > 0;
    if (count > stat->batch_largest)
        stat->batch_largest = count;
    spin_unlock(&lane->lock);
    return count;
}

/* A record is gone as soon as its fiber runs.  The virtual clock must not jump before
 * all of them are in their inboxes, nor miss that the last item is done. */
static void acknowledge(struct wr_lane *lane, size_t count)
{
    uint64_t homes = 0;
    atomic_fetch_add(&wr_rt_outside, 1);
    spin_lock(&lane->lock);
    for (size_t i = 0; i < count; i++) {
        struct call *call = lane->calls[i];
        struct fiber *fiber = call->waiter.fiber;
        homes |= (uint64_t)1 << fiber->home->id;
        call->done = true;
        if (!call->leads && wr_waiter_win(&call->waiter))
            wr_inbox_push(fiber);
    }
    spin_unlock(&lane->lock);
    count_items(lane, -(ssize_t)count);
    wr_wake_workers(homes);
    atomic_fetch_sub(&wr_rt_outside, 1);
}

size_t wr_lane_more(struct wr_lane *lane)
{
    lane->count = take(lane, lane->count);
    return lane->count;
}

static bool do_batch(struct wr_lane *lane)
{
    lane->count = take(lane, 0);
    if (lane->count == 0)
        return false;
    lane->conf.run(lane->conf.arg, lane->items, lane->count);
    acknowledge(lane, lane->count);
    return true;
}

/* Sleep until something comes; false when the lane ends. */
static bool rest(struct wr_lane *lane)
{
    spin_lock(&lane->lock);
    bool stopping = lane->stopping;
    lane->asleep = !stopping && !lane->queue.head;
    bool sleep = lane->asleep;
    uint32_t seen = atomic_load(&lane->signal);
    spin_unlock(&lane->lock);
    if (!sleep)
        return !stopping;
    wr_os_futex_wait(&lane->signal, seen, lane->conf.idle ? lane->conf.idle_after : WR_NEVER);
    spin_lock(&lane->lock);
    bool idle = lane->asleep;       /* nobody woke it */
    lane->asleep = false;
    spin_unlock(&lane->lock);
    if (idle && lane->conf.idle)
        lane->conf.idle(lane->conf.arg);
    return true;
}

static void lane_main(void *arg)
{
    do
        while (do_batch(arg))
            ;
    while (rest(arg));
}

/* ---- bringing something ---- */

/* Errors: BUSY. */
static wr_err enqueue(struct wr_lane *lane, struct call *call)
{
    spin_lock(&lane->lock);
    topo_note(&lane->topo, TOPO_IN);
    if (lane->stat.queued >= lane->conf.queue_max) {
        lane->stat.refused++;
        spin_unlock(&lane->lock);
        return WR_BUSY;
    }
    count_items(lane, 1);
    if (!call->leads)
        call->waiter.armed = wr_wait_arm(call->waiter.fiber);
    waitlist_push(&lane->queue, &call->waiter);
    lane->stat.queued++;
    bool wake = lane->asleep;
    lane->asleep = false;
    if (wake)
        atomic_fetch_add(&lane->signal, 1);
    spin_unlock(&lane->lock);
    if (wake)
        wr_os_futex_wake(&lane->signal, 1);
    return WR_OK;
}

/* False: it has begun. */
static bool take_back(struct wr_lane *lane, struct call *call)
{
    spin_lock(&lane->lock);
    bool begun = call->begun;
    if (!begun) {
        waitlist_remove(&lane->queue, &call->waiter);
        lane->stat.queued--;
    }
    spin_unlock(&lane->lock);
    if (!begun)
        count_items(lane, -1);
    return !begun;
}

/* In a simulation: take a disk's time, in which others bring theirs too, then do all there
 * is.  Others may run while it does; they leave theirs to it. */
static wr_err lead(struct wr_lane *lane, struct call *call, const char *place)
{
    call->leads = lane->led = true;
    wr_err err = (wr_sleep)(wr_after(SIM_SPAN), place);
    if (!err)
        err = enqueue(lane, call);
    while (do_batch(lane))
        ;
    lane->led = false;
    return err ? err : call->item->err;
}

wr_err (wr_lane_do)(struct wr_lane *lane, struct wr_lane_item *item, wr_time deadline,
                    const char *place)
{
    struct fiber *fiber;
    wr_err err = wr_wait_enter(&fiber, WR_NEVER, lane->conf.name, place);
    if (err)
        return err;
    struct call call = { .waiter = { .fiber = fiber }, .item = item };
    if (!lane->threaded && !lane->led)
        return lead(lane, &call, place);
    err = enqueue(lane, &call);
    if (err)
        return err;
    unsigned state = wr_wait_park(fiber, deadline, lane->conf.name, place);
    if (state < WAIT_WON) {
        if (take_back(lane, &call))
            return state == WAIT_TIMEOUT ? WR_TIMEOUT : wr_wait_check(fiber);
        wr_wait_out(&call.waiter, &lane->lock, &call.done, lane->conf.name, place);
    }
    return item->err;
}

/* ---- the lane ---- */

struct wr_lane_stat wr_lane_stat(struct wr_lane *lane)
{
    spin_lock(&lane->lock);
    struct wr_lane_stat stat = lane->stat;
    spin_unlock(&lane->lock);
    return stat;
}

static void describe(struct topo_node *node, struct topo_row *row)
{
    struct wr_lane *lane = TOPO_OWNER(node, struct wr_lane, topo);
    struct wr_lane_stat stat = wr_lane_stat(lane);
    *row = (struct topo_row){ .kind = "lane", .name = lane->conf.name, .policy = "reject",
                              .cap = lane->conf.queue_max, .depth = stat.queued,
                              .sent = stat.items, .refused = stat.refused };
}

static void lane_free(struct wr_lane *lane)
{
    free(lane->calls);
    free(lane->items);
    free(lane);
}

wr_err (wr_lane_new)(struct wr_lane **ret, const struct wr_lane_conf *conf, const char *place)
{
    if (!conf->name || strlen(conf->name) >= sizeof(((struct os_thread *)0)->name)
        || !conf->run)
        wr_panic_at(place, "lane \"%s\": a name of 1 to 15 bytes and run are required",
                    conf->name ? conf->name : "?");
    struct wr_lane *lane = calloc(1, sizeof(*lane));
    if (!lane)
        return WR_NOMEM;
    lane->conf = *conf;
    struct wr_lane_conf *c = &lane->conf;
    c->queue_max = c->queue_max ? c->queue_max : QUEUE_MAX;
    c->batch_max = c->batch_max ? c->batch_max : BATCH_MAX;
    c->idle_after = c->idle_after ? c->idle_after : IDLE_AFTER;
    lane->threaded = !wr_rt.hooks;
    lane->calls = calloc(c->batch_max, sizeof(struct call *));
    lane->items = calloc(c->batch_max, sizeof(struct wr_lane_item *));
    wr_err err = lane->calls && lane->items ? WR_OK : WR_NOMEM;
    if (!err && lane->threaded)
        err = wr_os_thread_start(&lane->thread, c->name, lane_main, lane);
    if (err) {
        lane_free(lane);
        return err;
    }
    wr_topo_add(&lane->topo, describe);
    *ret = lane;
    return WR_OK;
}

void (wr_lane_free)(struct wr_lane *lane, const char *place)
{
    if (!lane)
        return;
    spin_lock(&lane->lock);
    struct waiter *user = lane->queue.head;
    if (!user) {
        lane->stopping = true;
        lane->asleep = false;
        atomic_fetch_add(&lane->signal, 1);
    }
    spin_unlock(&lane->lock);
    if (user)
        wr_panic_at(place, "lane \"%s\" is freed while %s waits on it; join its users first",
                    lane->conf.name, wr_fiber_name(user->fiber));
    if (lane->threaded) {
        wr_os_futex_wake(&lane->signal, 1);
        wr_os_thread_join(&lane->thread);
    }
    wr_topo_remove(&lane->topo);
    lane_free(lane);
}
