/* sem.h - semaphores: how many at once; and the gate, a semaphore of one.
 *
 * Units are granted first come, first served: a request for many is not
 * starved by requests for few.  Units may be released by another fiber than
 * the one that took them.
 */
#ifndef WEIR_SEM_H
#define WEIR_SEM_H

#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/time.h>

struct wr_sem;

struct wr_sem_stat {
    size_t units;           /* in all */
    size_t taken;
    uint64_t refused;       /* requests that got BUSY or TIMEOUT */
};

/* Both the name and at least one unit are required.  Errors: NOMEM. */
wr_err wr_sem_new(struct wr_sem **ret, const char *name, size_t units WR_AT);
#define wr_sem_new(ret, name, units) wr_sem_new(ret, name, units, WR_HERE)

/* No fiber may be waiting on it: join its users first.  NULL is allowed. */
void wr_sem_free(struct wr_sem *sem WR_AT);
#define wr_sem_free(sem) wr_sem_free(sem, WR_HERE)

/* Take n units, waiting for them until the deadline.  More than there have ever
 * been in all is a panic.  Errors: TIMEOUT, CANCELED; BUSY with WR_NOW. */
wr_err wr_sem_acquire_many(struct wr_sem *sem, size_t n, wr_time deadline WR_AT);
#define wr_sem_acquire_many(sem, n, deadline) wr_sem_acquire_many(sem, n, deadline, WR_HERE)
#define wr_sem_acquire(sem, deadline) wr_sem_acquire_many(sem, 1, deadline)

/* Take n units at once or not at all.  Errors: BUSY. */
wr_err wr_sem_try_acquire_many(struct wr_sem *sem, size_t n WR_AT);
#define wr_sem_try_acquire_many(sem, n) wr_sem_try_acquire_many(sem, n, WR_HERE)

/* Give n units back.  More than were taken is a panic. */
void wr_sem_release_many(struct wr_sem *sem, size_t n WR_AT);
#define wr_sem_release_many(sem, n) wr_sem_release_many(sem, n, WR_HERE)
#define wr_sem_release(sem) wr_sem_release_many(sem, 1)

/* There are so many units in all from now on, at least one.  With fewer than are
 * taken nobody gets any until enough were given back. */
void wr_sem_resize(struct wr_sem *sem, size_t units WR_AT);
#define wr_sem_resize(sem, units) wr_sem_resize(sem, units, WR_HERE)

/* The units and the counts, at one moment. */
struct wr_sem_stat wr_sem_stat(const struct wr_sem *sem);

/* A gate excludes across waits: one fiber at a time is inside. */
struct wr_gate;
wr_err wr_gate_new(struct wr_gate **ret, const char *name WR_AT);
#define wr_gate_new(ret, name) wr_gate_new(ret, name, WR_HERE)
void wr_gate_free(struct wr_gate *gate WR_AT);
#define wr_gate_free(gate) wr_gate_free(gate, WR_HERE)
/* Errors: TIMEOUT, CANCELED; BUSY with WR_NOW. */
wr_err wr_gate_enter(struct wr_gate *gate, wr_time deadline WR_AT);
#define wr_gate_enter(gate, deadline) wr_gate_enter(gate, deadline, WR_HERE)
void wr_gate_leave(struct wr_gate *gate WR_AT);
#define wr_gate_leave(gate) wr_gate_leave(gate, WR_HERE)

#endif
