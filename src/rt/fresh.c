/* fresh.c - tasks that have not started: their records, their number, their queues.
 *
 * A record is taken at spawn and given back as soon as a fiber has copied it,
 * perhaps on another worker; so free records flow through a common depot when
 * one worker spawns what another runs.
 *
 * A queue is a list under a lock: pushed and popped by its owner, and robbed
 * from the front by workers that have nothing to do.
 */
#include <stdlib.h>

#include "rt/rt_int.h"

#define STEAL_MAX 32
#define TASK_CHUNK 64
#define TASK_KEEP 256           /* free records a worker keeps to itself */

struct task_chunk { struct task_chunk *next; struct task tasks[TASK_CHUNK]; };

/* ---- task records ---- */

struct task *wr_task_take(struct worker *w)
{
    struct task *task = w->task_free;
    if (task) {
        w->task_free = task->next;
        w->task_free_len--;
        return task;
    }
    spin_lock(&wr_rt.depot_lock);
    for (int i = 0; i < TASK_CHUNK && (task = wr_rt.depot); i++) {
        wr_rt.depot = task->next;
        wr_rt.depot_len--;
        task->next = w->task_free;
        w->task_free = task;
        w->task_free_len++;
    }
    spin_unlock(&wr_rt.depot_lock);
    if (!w->task_free) {
        struct task_chunk *chunk = calloc(1, sizeof(*chunk));
        if (!chunk)
            return NULL;
        for (int i = 0; i < TASK_CHUNK; i++) {
            chunk->tasks[i].next = w->task_free;
            w->task_free = &chunk->tasks[i];
        }
        w->task_free_len += TASK_CHUNK;
        spin_lock(&wr_rt.depot_lock);
        chunk->next = wr_rt.chunks;
        wr_rt.chunks = chunk;
        spin_unlock(&wr_rt.depot_lock);
    }
    return wr_task_take(w);
}

void wr_task_give(struct worker *w, struct task *task)
{
    task->next = w->task_free;
    w->task_free = task;
    if (++w->task_free_len < TASK_KEEP)
        return;
    spin_lock(&wr_rt.depot_lock);
    for (int i = 0; i < TASK_KEEP / 2; i++) {
        task = w->task_free;
        w->task_free = task->next;
        task->next = wr_rt.depot;
        wr_rt.depot = task;
    }
    wr_rt.depot_len += TASK_KEEP / 2;
    spin_unlock(&wr_rt.depot_lock);
    w->task_free_len -= TASK_KEEP / 2;
}

void wr_task_free_all(void)
{
    while (wr_rt.chunks) {
        struct task_chunk *next = wr_rt.chunks->next;
        free(wr_rt.chunks);
        wr_rt.chunks = next;
    }
}

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

/* ---- fresh queue ---- */

void wr_fresh_push(struct fresh *fresh, struct task *task)
{
    task->next = NULL;
    spin_lock(&fresh->lock);
    if (fresh->head)
        fresh->tail->next = task;
    else
        fresh->head = task;
    fresh->tail = task;
    atomic_store_explicit(&fresh->len, fresh->len + 1, memory_order_relaxed);
    spin_unlock(&fresh->lock);
}

struct task *wr_fresh_pop(struct fresh *fresh)
{
    if (atomic_load_explicit(&fresh->len, memory_order_relaxed) == 0)
        return NULL;
    spin_lock(&fresh->lock);
    struct task *task = fresh->head;
    if (task) {
        fresh->head = task->next;
        atomic_store_explicit(&fresh->len, fresh->len - 1, memory_order_relaxed);
    }
    spin_unlock(&fresh->lock);
    return task;
}

void wr_fresh_unpop(struct fresh *fresh, struct task *task)
{
    spin_lock(&fresh->lock);
    task->next = fresh->head;
    if (!fresh->head)
        fresh->tail = task;
    fresh->head = task;
    atomic_store_explicit(&fresh->len, fresh->len + 1, memory_order_relaxed);
    spin_unlock(&fresh->lock);
}

const struct task *wr_fresh_oldest(struct fresh *fresh)
{
    spin_lock(&fresh->lock);
    const struct task *task = fresh->head;
    spin_unlock(&fresh->lock);
    return task;
}

struct task *wr_fresh_take(struct fresh *fresh, size_t at)
{
    struct task *before = NULL, *task = fresh->head;
    for (; at > 0; at--) {
        before = task;
        task = task->next;
    }
    if (before)
        before->next = task->next;
    else
        fresh->head = task->next;
    if (!task->next)
        fresh->tail = before;
    atomic_store_explicit(&fresh->len, fresh->len - 1, memory_order_relaxed);
    return task;
}

/* Take half of what another worker has queued, at most STEAL_MAX. */
static bool steal_from(struct worker *w, struct worker *victim, int class)
{
    struct fresh *from = &victim->fresh[class];
    if (atomic_load_explicit(&from->len, memory_order_relaxed) == 0)
        return false;
    spin_lock(&from->lock);
    size_t len = from->len, count = (len + 1) / 2;
    if (count > STEAL_MAX)
        count = STEAL_MAX;
    struct task *first = from->head, *last = first;
    for (size_t i = 1; i < count; i++)
        last = last->next;
    if (count > 0)
        from->head = last->next;
    atomic_store_explicit(&from->len, len - count, memory_order_relaxed);
    spin_unlock(&from->lock);
    if (count == 0)
        return false;
    last->next = NULL;
    struct fresh *to = &w->fresh[class];
    spin_lock(&to->lock);
    if (to->head)
        to->tail->next = first;
    else
        to->head = first;
    to->tail = last;
    atomic_store_explicit(&to->len, to->len + count, memory_order_relaxed);
    spin_unlock(&to->lock);
    return true;
}

bool wr_steal(struct worker *w)
{
    for (int class = 0; class < 2; class++)
        for (unsigned i = 1; i < wr_rt.count; i++)
            if (steal_from(w, &wr_rt.workers[(w->id + i) % wr_rt.count], class))
                return true;
    return false;
}
