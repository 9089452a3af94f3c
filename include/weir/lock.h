/* lock.h - short exclusion: mutex and rwlock with a place in a hierarchy.
 *
 * These protect a few loads and stores, never a wait.  A worker thread that
 * finds one taken spins and then sleeps, with every fiber on it; so holding
 * one across a wait would stop the world.  Any call that may wait is a panic
 * with a lock held, in every build and whether it would have waited or not; it
 * names where the lock was taken and where the call is.  With WR_NOW calls do
 * not wait.  For exclusion across waits use a gate (sem.h).
 *
 * Each lock has a rank.  Locks are taken in ascending rank; taking one whose
 * rank is not above all ranks held is a panic in every build that names both
 * places: a deadlock is found the first time the order is wrong, not the first
 * time it hurts.
 *
 * Holding one for more than a millisecond is counted, with its place
 * (lock_held_long_total).
 */
#ifndef WEIR_LOCK_H
#define WEIR_LOCK_H

#include <stdatomic.h>
#include <stdint.h>

#include <weir/panic.h>

struct wr_lock_info {
    const char *name;
    uint32_t rank;
    atomic_bool known;
    struct wr_lock_info *next, **link;      /* among the known locks */
    _Atomic uint64_t contended;
    _Atomic uint64_t held_long;
    _Atomic(const char *) held_long_place;
};

struct wr_mutex {
    struct wr_lock_info info;
    _Atomic uint32_t word;
};

struct wr_rwlock {
    struct wr_lock_info info;
    _Atomic uint32_t word;          /* readers or a writer, and whether some sleep */
    _Atomic uint32_t wanted;        /* writers that wait: readers let them pass */
};

#define WR_MUTEX(name_, rank_)  { .info = { .name = (name_), .rank = (rank_) } }
#define WR_RWLOCK(name_, rank_) { .info = { .name = (name_), .rank = (rank_) } }

/* Take and release a mutex.  Releasing one that the caller does not hold is a
 * panic. */
void wr_mutex_lock(struct wr_mutex *mutex WR_AT);
#define wr_mutex_lock(mutex) wr_mutex_lock(mutex, WR_HERE)
void wr_mutex_unlock(struct wr_mutex *mutex WR_AT);
#define wr_mutex_unlock(mutex) wr_mutex_unlock(mutex, WR_HERE)

/* Share an rwlock with other readers, or have it alone.  A writer that waits
 * goes before readers that come after it.  Each is released as it was taken:
 * the other way is a panic that names both places. */
void wr_rwlock_read(struct wr_rwlock *lock WR_AT);
#define wr_rwlock_read(lock) wr_rwlock_read(lock, WR_HERE)
void wr_rwlock_read_done(struct wr_rwlock *lock WR_AT);
#define wr_rwlock_read_done(lock) wr_rwlock_read_done(lock, WR_HERE)
void wr_rwlock_write(struct wr_rwlock *lock WR_AT);
#define wr_rwlock_write(lock) wr_rwlock_write(lock, WR_HERE)
void wr_rwlock_write_done(struct wr_rwlock *lock WR_AT);
#define wr_rwlock_write_done(lock) wr_rwlock_write_done(lock, WR_HERE)

/* Must be called before the memory of a lock goes; static locks need not.
 * One that is held is a panic. */
void wr_mutex_fini(struct wr_mutex *mutex WR_AT);
#define wr_mutex_fini(mutex) wr_mutex_fini(mutex, WR_HERE)
void wr_rwlock_fini(struct wr_rwlock *lock WR_AT);
#define wr_rwlock_fini(lock) wr_rwlock_fini(lock, WR_HERE)

#endif
