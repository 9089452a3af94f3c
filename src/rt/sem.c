/* sem.c - units, granted first come first served. */
#include <weir/sem.h>

#include <stdlib.h>

#include <weir/select.h>

#include "rt/wait_int.h"
#include "rt/topo_int.h"

struct wr_sem {
    struct spin lock;
    size_t units, taken;
    _Atomic size_t most;            /* units it has ever had */
    uint64_t granted, refused;
    struct waitlist waiters;
    const char *name;
    struct topo_node topo;
};

static void describe(struct topo_node *node, struct topo_row *row)
{
    struct wr_sem *sem = TOPO_OWNER(node, struct wr_sem, topo);
    spin_lock(&sem->lock);
    *row = (struct topo_row){ .kind = "sem", .name = sem->name, .cap = sem->units,
                              .policy = "first-come", .depth = sem->taken, .sent = sem->granted,
                              .refused = sem->refused };
    spin_unlock(&sem->lock);
}

wr_err (wr_sem_new)(struct wr_sem **ret, const char *name, size_t units, const char *place)
{
    if (!name || units == 0)
        wr_panic_at(place,
                    "semaphore \"%s\": a name and at least one unit are required; it has %zu",
                    name ? name : "?", units);
    struct wr_sem *sem = calloc(1, sizeof(*sem));
    if (!sem)
        return WR_NOMEM;
    sem->name = name;
    sem->units = units;
    atomic_init(&sem->most, units);
    wr_topo_add(&sem->topo, describe);
    *ret = sem;
    return WR_OK;
}

void (wr_sem_free)(struct wr_sem *sem, const char *place)
{
    if (!sem)
        return;
    spin_lock(&sem->lock);         /* whoever woke the last user may still have it */
    struct waiter *user = sem->waiters.head;
    spin_unlock(&sem->lock);
    if (user)
        wr_panic_at(place,
                    "semaphore \"%s\" is freed while %s waits on it; join its users "
                    "first", sem->name, wr_fiber_name(user->fiber));
    wr_topo_remove(&sem->topo);
    free(sem);
}

/* ---- under the lock ---- */

/* Newcomers stand behind those who wait, even if there would be enough. */
static bool available(const struct wr_sem *sem, size_t n)
{
    for (const struct waiter *waiter = sem->waiters.head; waiter; waiter = waiter->next)
        if (waiter_waits(waiter))
            return false;
    return sem->taken + n <= sem->units;
}

static void grant(struct wr_sem *sem, size_t n)
{
    sem->taken += n;
    sem->granted += n;
}

/* Serve from the front for as long as the first one's wish can be met. */
static void serve(struct wr_sem *sem)
{
    for (struct waiter *waiter = sem->waiters.head, *next; waiter; waiter = next) {
        next = waiter->next;
        if (!waiter_waits(waiter))
            continue;               /* it has given up, and takes itself out */
        if (sem->taken + waiter->units > sem->units)
            break;
        if (!wr_waiter_win(waiter))
            continue;
        waitlist_remove(&sem->waiters, waiter);
        grant(sem, waiter->units);
        waiter->err = WR_OK;
        wr_fiber_ready(waiter->fiber);
    }
}

/* ---- calls ---- */

static void check_size(const struct wr_sem *sem, size_t n, const char *place)
{
    size_t most = atomic_load_explicit(&sem->most, memory_order_relaxed);
    if (n == 0 || n > most)
        wr_panic_at(place, "semaphore \"%s\" has %zu units; %zu can never be had", sem->name,
                    most, n);
}

wr_err (wr_sem_acquire_many)(struct wr_sem *sem, size_t n, wr_time deadline, const char *place)
{
    struct fiber *fiber;
    check_size(sem, n, place);
    sim_point("acquire", place);
    wr_err err = wr_wait_enter(&fiber, deadline, sem->name, place);
    if (err)
        return err;
    spin_lock(&sem->lock);
    topo_note(&sem->topo, TOPO_OUT);
    if (available(sem, n)) {
        grant(sem, n);
        spin_unlock(&sem->lock);
        return WR_OK;
    }
    if (deadline == WR_NOW) {
        sem->refused++;
        spin_unlock(&sem->lock);
        return WR_BUSY;
    }
    fiber->waiter.units = n;
    err = wr_wait_on(fiber, &sem->lock, &sem->waiters, deadline, sem->name, place);
    if (err) {          /* those behind us may fit where we did not */
        spin_lock(&sem->lock);
        sem->refused += err == WR_TIMEOUT;
        serve(sem);
        spin_unlock_kick(&sem->lock);
    }
    return err;
}

wr_err (wr_sem_try_acquire_many)(struct wr_sem *sem, size_t n, const char *place)
{
    return (wr_sem_acquire_many)(sem, n, WR_NOW, place);
}

void (wr_sem_release_many)(struct wr_sem *sem, size_t n, const char *place)
{
    sim_point("release", sem->name);
    spin_lock(&sem->lock);
    size_t taken = sem->taken;
    if (n <= taken) {
        sem->taken -= n;
        serve(sem);
    }
    spin_unlock_kick(&sem->lock);
    if (n > taken)
        wr_panic_at(place,
                    "semaphore \"%s\": %zu released, but only %zu of %zu units are taken",
                    sem->name, n, taken, sem->units);
}

void (wr_sem_resize)(struct wr_sem *sem, size_t units, const char *place)
{
    if (units == 0)
        wr_panic_at(place, "semaphore \"%s\": at least one unit is required", sem->name);
    spin_lock(&sem->lock);
    sem->units = units;
    if (units > atomic_load_explicit(&sem->most, memory_order_relaxed))
        atomic_store_explicit(&sem->most, units, memory_order_relaxed);
    serve(sem);
    spin_unlock_kick(&sem->lock);
}

struct wr_sem_stat wr_sem_stat(const struct wr_sem *sem)
{
    struct spin *lock = &((struct wr_sem *)(uintptr_t)sem)->lock;
    spin_lock(lock);
    struct wr_sem_stat stat = { .units = sem->units,
                                .taken = sem->taken,
                                .refused = sem->refused };
    spin_unlock(lock);
    return stat;
}

/* ---- as a case of a select ---- */

static struct spin *sem_lock(void *on)
{
    return &((struct wr_sem *)on)->lock;
}

static void sem_check(void *on, const struct wr_case *c, const char *place)
{
    check_size(on, c->units, place);
}

static void sem_link(void *on, const struct wr_case *c, struct waiter *waiter)
{
    (void)c;
    waitlist_push(&((struct wr_sem *)on)->waiters, waiter);
}

static void sem_unlink(void *on, const struct wr_case *c, struct waiter *waiter)
{
    struct wr_sem *sem = on;
    (void)c;
    bool waited = waiter->linked;
    waitlist_remove(&sem->waiters, waiter);
    if (waited)
        serve(sem);
}

static bool sem_possible(void *on, const struct wr_case *c)
{
    return available(on, c->units);
}

static void sem_take(void *on, struct wr_case *c)
{
    struct wr_sem *sem = on;
    topo_note(&sem->topo, TOPO_OUT);
    grant(sem, c->units);
    c->err = WR_OK;
}

const struct wr_waitable wr_case_sem = {
    .check = sem_check, .lock = sem_lock, .link = sem_link, .unlink = sem_unlink,
    .possible = sem_possible, .take = sem_take, .finish = wr_case_finish,
};

/* ---- the gate ---- */

struct wr_gate { struct wr_sem *sem; };

wr_err (wr_gate_new)(struct wr_gate **ret, const char *name, const char *place)
{
    struct wr_gate *gate = malloc(sizeof(*gate));
    if (!gate)
        return WR_NOMEM;
    wr_err err = (wr_sem_new)(&gate->sem, name, 1, place);
    if (err) {
        free(gate);
        return err;
    }
    *ret = gate;
    return WR_OK;
}

void (wr_gate_free)(struct wr_gate *gate, const char *place)
{
    if (!gate)
        return;
    (wr_sem_free)(gate->sem, place);
    free(gate);
}

wr_err (wr_gate_enter)(struct wr_gate *gate, wr_time deadline, const char *place)
{
    return (wr_sem_acquire_many)(gate->sem, 1, deadline, place);
}

void (wr_gate_leave)(struct wr_gate *gate, const char *place)
{
    (wr_sem_release_many)(gate->sem, 1, place);
}
