/* fresh.c - tasks that have not started: their number and their queues.
 *
 * A queue is a list of batches under a lock.  Its owner adds to the last batch
 * and takes from the first; a worker that has nothing to do takes the whole
 * first batch, which is one pointer however many tasks it holds, and looks at
 * them after it has let go of the lock.  So being robbed costs the owner next
 * to nothing.
 *
 * A few tasks are left to their owner for a moment, though: tasks that talk to
 * one another do so best on one worker, and most queues are short because they
 * are about to be empty.
 *
 * Empty batches are kept by the worker that emptied them, and flow through a
 * common depot when one worker spawns what another runs.
 */
#include <stdlib.h>

#include "rt/rt_int.h"

#define BATCH_KEEP 32           /* empty batches a worker keeps to itself */
#define DEPOT_KEEP 1024         /* and all of them together; a megabyte */
#define FRESH_PATIENCE WR_US(20)

/* ---- the number of tasks ---- */

/* Tickets bound the number of tasks alive; workers hold them in batches so
 * that the common count is rarely touched.  A small bound is kept exactly: none
 * is held back then. */
static size_t ticket_batch(void)
{
    return wr_rt.conf.tasks_max >= 65536 ? 64 : 1;
}

bool wr_ticket_take(struct worker *w)
{
    if (w->tickets == 0) {
        size_t left = atomic_load_explicit(&wr_rt.tickets, memory_order_relaxed), batch;
        do {
            batch = ticket_batch();
            if (left < batch)
                batch = left;
            if (batch == 0)
                return false;
        } while (!atomic_compare_exchange_weak(&wr_rt.tickets, &left, left - batch));
        w->tickets = batch;
    }
    w->tickets--;
    return true;
}

void wr_ticket_give(struct worker *w)
{
    size_t batch = ticket_batch();
    if (++w->tickets >= 2 * batch || batch == 1) {
        w->tickets -= batch;
        atomic_fetch_add(&wr_rt.tickets, batch);
    }
}

/* ---- batches ---- */

/* Have an empty batch at hand, so that a push never runs out under the lock. */
static bool batch_reserve(struct worker *w)
{
    if (w->batches)
        return true;
    spin_lock(&wr_rt.depot_lock);
    struct batch *batch = wr_rt.depot;
    if (batch) {
        wr_rt.depot = batch->next;
        wr_rt.depot_count--;
    }
    spin_unlock(&wr_rt.depot_lock);
    if (!batch)
        batch = malloc(sizeof(*batch));
    if (!batch)
        return false;
    batch->next = NULL;
    w->batches = batch;
    w->batch_count = 1;
    return true;
}

static struct batch *batch_take(struct worker *w)
{
    struct batch *batch = w->batches;
    w->batches = batch->next;
    w->batch_count--;
    batch->next = NULL;
    batch->first = batch->end = 0;
    return batch;
}

static void batch_give(struct worker *w, struct batch *batch)
{
    if (w->batch_count < BATCH_KEEP) {
        batch->next = w->batches;
        w->batches = batch;
        w->batch_count++;
        return;
    }
    spin_lock(&wr_rt.depot_lock);
    bool keep = wr_rt.depot_count < DEPOT_KEEP;
    if (keep) {
        batch->next = wr_rt.depot;
        wr_rt.depot = batch;
        wr_rt.depot_count++;
    }
    spin_unlock(&wr_rt.depot_lock);
    if (!keep)
        free(batch);
}

static void free_list(struct batch *batch)
{
    while (batch) {
        struct batch *next = batch->next;
        free(batch);
        batch = next;
    }
}

void wr_fresh_close(void)
{
    for (unsigned i = 0; i < wr_rt.count; i++) {
        struct worker *w = &wr_rt.workers[i];
        free_list(w->batches);
        free_list(w->fresh[0].head);
        free_list(w->fresh[1].head);
    }
    free_list(wr_rt.depot);
    wr_rt.depot = NULL;
    wr_rt.depot_count = 0;
}

/* ---- the queue ---- */

static void set_len(struct fresh *fresh, size_t len)
{
    atomic_store_explicit(&fresh->len, len, memory_order_relaxed);
}

static void append(struct fresh *fresh, struct batch *batch)
{
    batch->next = NULL;
    if (fresh->head)
        fresh->tail->next = batch;
    else
        fresh->head = batch;
    fresh->tail = batch;
}

/* The lock is held, and the calling worker has an empty batch at hand. */
static inline void put(struct worker *w, struct fresh *fresh, const struct task *task)
{
    if (!fresh->head || fresh->tail->end == BATCH_TASKS)
        append(fresh, batch_take(w));
    fresh->tail->tasks[fresh->tail->end++] = *task;
}

wr_err wr_fresh_push(struct worker *w, int class, const struct task *task)
{
    struct fresh *fresh = &w->fresh[class];
    if (!batch_reserve(w))
        return WR_NOMEM;
    spin_lock(&fresh->lock);
    put(w, fresh, task);
    set_len(fresh, fresh->len + 1);
    spin_unlock(&fresh->lock);
    return WR_OK;
}

/* Its owner may be about to sleep: the length and then who sleeps, here; who sleeps
 * and then the length, there (idle.c).  Both in sequentially consistent order. */
wr_err wr_fresh_send(struct worker *w, struct worker *to, int class, const struct task *task)
{
    struct fresh *fresh = &to->fresh[class];
    if (!batch_reserve(w))
        return WR_NOMEM;
    spin_lock(&fresh->lock);
    put(w, fresh, task);
    atomic_store_explicit(&fresh->len, fresh->len + 1, memory_order_seq_cst);
    spin_unlock(&fresh->lock);
    if (atomic_load_explicit(&to->sleeping, memory_order_seq_cst))
        w->kicks |= (uint64_t)1 << to->id;
    return WR_OK;
}

bool wr_fresh_pop(struct worker *w, int class, struct task *ret)
{
    struct fresh *fresh = &w->fresh[class];
    if (atomic_load_explicit(&fresh->len, memory_order_relaxed) == 0)
        return false;
    struct batch *empty = NULL;
    spin_lock(&fresh->lock);
    struct batch *batch = fresh->head;
    if (batch) {
        *ret = batch->tasks[batch->first++];
        set_len(fresh, fresh->len - 1);
        count_own(&fresh->popped);
        if (batch->first == batch->end) {
            fresh->head = batch->next;
            empty = batch;
        }
    }
    spin_unlock(&fresh->lock);
    if (empty)
        batch_give(w, empty);
    return batch;
}

uint64_t wr_fresh_oldest(struct fresh *fresh)
{
    spin_lock(&fresh->lock);
    uint64_t id = fresh->head ? fresh->head->tasks[fresh->head->first].id : 0;
    spin_unlock(&fresh->lock);
    return id;
}

struct task *wr_fresh_at(struct fresh *fresh, size_t at)
{
    struct batch *batch = fresh->head;
    for (; at >= batch->end - batch->first; batch = batch->next)
        at -= batch->end - batch->first;
    return &batch->tasks[batch->first + at];
}

/* Those before it move up one place, and the first is popped. */
void wr_fresh_take(struct worker *w, int class, size_t at, struct task *ret)
{
    struct fresh *fresh = &w->fresh[class];
    struct task chosen = *wr_fresh_at(fresh, at);
    for (; at > 0; at--)
        *wr_fresh_at(fresh, at) = *wr_fresh_at(fresh, at - 1);
    bool popped = wr_fresh_pop(w, class, ret);
    RT_ASSERT(popped);
    *ret = chosen;
}

/* ---- stealing ---- */

/* The first batch; of the only one, the older half. */
static struct batch *rob(struct fresh *from, struct batch *empty)
{
    struct batch *loot = NULL;
    spin_lock(&from->lock);
    struct batch *batch = from->head;
    if (batch && (batch != from->tail || batch->end - batch->first == 1)) {
        from->head = batch->next;
        loot = batch;
    } else if (batch) {
        uint32_t count = (batch->end - batch->first + 1) / 2;
        for (uint32_t i = 0; i < count; i++)
            empty->tasks[i] = batch->tasks[batch->first++];
        empty->first = 0;
        empty->end = count;
        loot = empty;
    }
    if (loot)
        set_len(from, from->len - (loot->end - loot->first));
    spin_unlock(&from->lock);
    return loot;
}

/* Whether a queue may be robbed: it is long, or its owner has not come back to
 * it since we first looked.  Virtual time has no moments to wait. */
static bool ripe(struct worker *w, struct fresh *from)
{
    size_t len = atomic_load_explicit(&from->len, memory_order_relaxed);
    if (len == 0 || len > FRESH_FEW || wr_rt.conf.virtual_clock)
        return len > 0;
    wr_time now = wr_now();
    uint64_t popped = atomic_load_explicit(&from->popped, memory_order_relaxed);
    if (w->eyed != from || w->eyed_popped != popped) {
        w->eyed = from;
        w->eyed_popped = popped;
        w->eyed_since = now;
    }
    return now - w->eyed_since >= FRESH_PATIENCE;
}

static bool steal_from(struct worker *w, struct worker *victim, int class)
{
    struct fresh *from = &victim->fresh[class], *to = &w->fresh[class];
    if (!ripe(w, from) || !batch_reserve(w))
        return false;
    struct batch *empty = batch_take(w), *loot = rob(from, empty);
    if (loot != empty)
        batch_give(w, empty);
    if (!loot)
        return false;
    spin_lock(&to->lock);
    append(to, loot);
    set_len(to, to->len + (loot->end - loot->first));
    spin_unlock(&to->lock);
    return true;
}

bool wr_loot(struct worker *w)
{
    for (int class = 0; class < 2; class++)
        for (unsigned i = 1; i < wr_rt.pool; i++)
            if (ripe(w, &wr_rt.workers[(w->id + i) % wr_rt.pool].fresh[class]))
                return true;
    return false;
}

bool wr_steal(struct worker *w)
{
    if (!w->shares || wr_starved(w))
        return false;           /* it could not start them either */
    for (int class = 0; class < 2; class++)
        for (unsigned i = 1; i < wr_rt.pool; i++)
            if (steal_from(w, &wr_rt.workers[(w->id + i) % wr_rt.pool], class))
                return true;
    return false;
}
