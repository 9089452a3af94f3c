/* once.c - a value that comes once. */
#include <weir/once.h>

#include <stdlib.h>
#include <string.h>

#include <weir/select.h>

#include "rt/wait_int.h"

enum { UNSET, SET, NEVER };

struct wr_once {
    struct spin lock;
    _Atomic int state;
    size_t size;
    struct waitlist waiters;
    const char *name;
    _Alignas(16) char value[];
};

wr_err (wr_once_new)(struct wr_once **ret, const char *name, size_t size, const char *place)
{
    if (!name)
        wr_panic_at(place, "once of %zu bytes: a name is required", size);
    size_t bytes;
    if (__builtin_add_overflow(sizeof(struct wr_once), size, &bytes))
        return WR_NOMEM;
    struct wr_once *once = calloc(1, bytes);
    if (!once)
        return WR_NOMEM;
    once->name = name;
    once->size = size;
    *ret = once;
    return WR_OK;
}

void (wr_once_free)(struct wr_once *once, const char *place)
{
    if (!once)
        return;
    spin_lock(&once->lock);         /* whoever set it may still have it */
    struct waiter *user = once->waiters.head;
    spin_unlock(&once->lock);
    if (user)
        wr_panic_at(place,
                    "once \"%s\" is freed while %s waits on it; close it and join its users "
                    "first", once->name, wr_fiber_name(user->fiber));
    free(once);
}

static wr_err settle(struct wr_once *once, int state, const void *value)
{
    sim_point("settle", once->name);
    wr_err err = WR_OK;
    spin_lock(&once->lock);
    int before = atomic_load_explicit(&once->state, memory_order_relaxed);
    if (before == UNSET) {
        if (state == SET && once->size)
            memcpy(once->value, value, once->size);
        atomic_store_explicit(&once->state, state, memory_order_release);
        wr_waitlist_wake_all(&once->waiters, WR_OK);
    } else {
        err = before == SET ? WR_EXISTS : WR_CLOSED;
    }
    spin_unlock_kick(&once->lock);
    return err;
}

wr_err wr_once_set(struct wr_once *once, const void *value)
{
    return settle(once, SET, value);
}

void wr_once_close(struct wr_once *once)
{
    (void)!settle(once, NEVER, NULL);
}

bool wr_once_done(const struct wr_once *once)
{
    return atomic_load_explicit(&once->state, memory_order_acquire) == SET;
}

/* Settled for good: no lock is needed to read it. */
static wr_err read_settled(struct wr_once *once, void *ret)
{
    if (atomic_load_explicit(&once->state, memory_order_acquire) == NEVER)
        return WR_CLOSED;
    if (once->size && ret)
        memcpy(ret, once->value, once->size);
    return WR_OK;
}

wr_err (wr_once_wait)(struct wr_once *once, void *ret, wr_time deadline, const char *place)
{
    struct fiber *fiber;
    sim_point("once", place);
    wr_err err = wr_wait_enter(&fiber, deadline, once->name, place);
    if (err)
        return err;
    spin_lock(&once->lock);
    if (atomic_load_explicit(&once->state, memory_order_relaxed) != UNSET) {
        spin_unlock(&once->lock);
        return read_settled(once, ret);
    }
    if (deadline == WR_NOW) {
        spin_unlock(&once->lock);
        return WR_TIMEOUT;
    }
    err = wr_wait_on(fiber, &once->lock, &once->waiters, deadline, once->name, place);
    return err ? err : read_settled(once, ret);
}

/* ---- as a case of a select ---- */

static struct spin *once_lock(void *on)
{
    return &((struct wr_once *)on)->lock;
}

static void once_link(void *on, const struct wr_case *c, struct waiter *waiter)
{
    (void)c;
    waitlist_push(&((struct wr_once *)on)->waiters, waiter);
}

static void once_unlink(void *on, const struct wr_case *c, struct waiter *waiter)
{
    (void)c;
    waitlist_remove(&((struct wr_once *)on)->waiters, waiter);
}

static bool once_possible(void *on, const struct wr_case *c)
{
    (void)c;
    return atomic_load_explicit(&((struct wr_once *)on)->state, memory_order_relaxed) != UNSET;
}

static void once_take(void *on, struct wr_case *c)
{
    c->err = read_settled(on, c->item);
}

static void once_finish(void *on, struct wr_case *c, struct waiter *waiter)
{
    (void)waiter;
    c->err = read_settled(on, c->item);
}

const struct wr_waitable wr_case_once = {
    .lock = once_lock, .link = once_link, .unlink = once_unlink, .possible = once_possible,
    .take = once_take, .finish = once_finish,
};
