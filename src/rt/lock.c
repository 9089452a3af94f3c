/* lock.c - exclusion for threads, with the discipline of fibers.
 *
 * Both kinds spin briefly and then sleep on a futex; the whole worker sleeps
 * with them, which is why nothing may wait inside.  What a fiber (or a plain
 * thread) holds is kept in a short list: it gives the rank check its answer,
 * the panic its two places, and the hold time its start.
 */
#include <weir/lock.h>

#include <limits.h>

#include "rt/topo_int.h"

#define SPINS 100
#define LONG_HOLD WR_MS(1)

enum { FREE = 0, TAKEN = 1, CONTENDED = 2 };            /* wr_mutex.word */
#define WRITER 0x80000000u                              /* wr_rwlock.word */
#define ASLEEP 0x40000000u                              /* ... somebody may be */

static __thread struct fiber thread_holder;             /* for threads that are no worker */
static struct { struct spin lock; struct wr_lock_info *first; } registry;

static struct fiber *holder(void)
{
    struct fiber *fiber = fiber_self();
    return fiber ? fiber : &thread_holder;
}

static void know(struct wr_lock_info *info)
{
    spin_lock(&registry.lock);
    if (!atomic_load_explicit(&info->known, memory_order_relaxed)) {
        info->next = registry.first;
        info->link = &registry.first;
        if (info->next)
            info->next->link = &info->next;
        registry.first = info;
        atomic_store_explicit(&info->known, true, memory_order_relaxed);
    }
    spin_unlock(&registry.lock);
}

static void forget(struct wr_lock_info *info, bool held, const char *place)
{
    if (held)
        wr_panic_at(place, "lock \"%s\" goes while it is held", info->name);
    spin_lock(&registry.lock);
    if (atomic_exchange(&info->known, false)) {
        *info->link = info->next;
        if (info->next)
            info->next->link = info->link;
    }
    spin_unlock(&registry.lock);
}

void wr_lock_each(void (*fn)(void *arg, const struct wr_lock_info *info), void *arg)
{
    spin_lock(&registry.lock);
    for (struct wr_lock_info *info = registry.first; info; info = info->next)
        fn(arg, info);
    spin_unlock(&registry.lock);
}

static void before(struct wr_lock_info *info, const char *place)
{
    struct fiber *self = holder();
    if (__builtin_expect(!atomic_load_explicit(&info->known, memory_order_relaxed), 0))
        know(info);
    if (__builtin_expect(self->held_count == 0, 1))
        return;
    const struct held *top = &self->held[self->held_count - 1];
    if (info->rank <= top->rank)
        wr_panic_at(place,
                    "lock order: \"%s\" (rank %u) is taken while \"%s\" (rank %u) is held "
                    "since %s; take the lower rank first",
                    info->name, info->rank, top->name, top->rank, top->place);
    if (self->held_count == LOCKS_HELD_MAX)
        wr_panic_at(place, "more than %d locks held at once", LOCKS_HELD_MAX);
}

static void after(const void *lock, const struct wr_lock_info *info, bool shared,
                  const char *place)
{
    struct fiber *self = holder();
    self->held[self->held_count++] = (struct held){
        .lock = lock, .name = info->name, .place = place, .rank = info->rank,
        .since = wr_os_cycles(), .shared = shared,
    };
}

static void release(const void *lock, struct wr_lock_info *info, bool shared,
                    const char *place)
{
    static _Atomic uint64_t long_hold;
    struct fiber *self = holder();
    uint32_t i = self->held_count;
    while (i > 0 && self->held[i - 1].lock != lock)
        i--;
    if (i == 0)
        wr_panic_at(place, "lock \"%s\" is released by %s, which does not hold it", info->name,
                    wr_task_name());
    struct held held = self->held[i - 1];
    if (held.shared != shared)
        wr_panic_at(place, "lock \"%s\" is released by a %s, but was taken by a %s at %s",
                    info->name, shared ? "reader" : "writer",
                    held.shared ? "reader" : "writer", held.place);
    for (; i < self->held_count; i++)
        self->held[i - 1] = self->held[i];
    self->held_count--;
    uint64_t limit = atomic_load_explicit(&long_hold, memory_order_relaxed);
    if (limit == 0) {
        limit = wr_os_cycles_of(LONG_HOLD);
        atomic_store_explicit(&long_hold, limit, memory_order_relaxed);
    }
    if (__builtin_expect(wr_os_cycles() - held.since > limit, 0)) {
        atomic_fetch_add_explicit(&info->held_long, 1, memory_order_relaxed);
        atomic_store_explicit(&info->held_long_place, held.place, memory_order_relaxed);
    }
}

/* ---- mutex ---- */

static void mutex_slow(struct wr_mutex *mutex)
{
    RT_ASSERT(!wr_rt.hooks);    /* one thread: its holder gave way, and will never release it */
    atomic_fetch_add_explicit(&mutex->info.contended, 1, memory_order_relaxed);
    for (unsigned round = 0; round < SPINS; round++) {
        uint32_t free = FREE;
        if (atomic_load_explicit(&mutex->word, memory_order_relaxed) == FREE
            && atomic_compare_exchange_strong_explicit(
                &mutex->word, &free, TAKEN, memory_order_acquire, memory_order_relaxed))
            return;
        wr_os_relax(round);
    }
    while (atomic_exchange_explicit(&mutex->word, CONTENDED, memory_order_acquire) != FREE)
        wr_os_futex_wait(&mutex->word, CONTENDED, WR_NEVER);
}

void (wr_mutex_lock)(struct wr_mutex *mutex, const char *place)
{
    sim_point("lock", place);
    uint32_t free = FREE;
    before(&mutex->info, place);
    if (!atomic_compare_exchange_strong_explicit(&mutex->word, &free, TAKEN,
                                                 memory_order_acquire, memory_order_relaxed))
        mutex_slow(mutex);
    after(mutex, &mutex->info, false, place);
}

void (wr_mutex_unlock)(struct wr_mutex *mutex, const char *place)
{
    release(mutex, &mutex->info, false, place);
    if (atomic_exchange_explicit(&mutex->word, FREE, memory_order_release) == CONTENDED)
        wr_os_futex_wake(&mutex->word, 1);
}

/* ---- rwlock ---- */

static bool blocked(struct wr_rwlock *lock, uint32_t word, bool shared)
{
    if (!shared)
        return word & ~ASLEEP;
    return word & WRITER || atomic_load_explicit(&lock->wanted, memory_order_relaxed);
}

static bool attempt(struct wr_rwlock *lock, uint32_t word, bool shared)
{
    return atomic_compare_exchange_strong_explicit(&lock->word, &word,
                                                   word + (shared ? 1 : WRITER),
                                                   memory_order_acquire, memory_order_relaxed);
}

/* Who has spun enough marks the word, looks once more, and sleeps for as long as
 * the word is as it was then.  Whoever leaves the lock free takes the mark off and
 * wakes all; what it learns of them it learns in the act of releasing, because
 * from then on the lock may be gone. */
static void rwlock_slow(struct wr_rwlock *lock, bool shared)
{
    RT_ASSERT(!wr_rt.hooks);
    atomic_fetch_add_explicit(&lock->info.contended, 1, memory_order_relaxed);
    for (unsigned round = 0;; round++) {
        uint32_t word = atomic_load_explicit(&lock->word, memory_order_acquire);
        if (!blocked(lock, word, shared)) {
            if (attempt(lock, word, shared))
                return;
        } else if (round < SPINS) {
            wr_os_relax(round);
        } else if (!(word & ASLEEP)) {
            atomic_compare_exchange_strong_explicit(&lock->word, &word, word | ASLEEP,
                                                    memory_order_acquire,
                                                    memory_order_relaxed);
        } else {
            wr_os_futex_wait(&lock->word, word, WR_NEVER);
        }
    }
}

static bool rwlock_now(struct wr_rwlock *lock, bool shared)
{
    uint32_t word = atomic_load_explicit(&lock->word, memory_order_relaxed);
    return !blocked(lock, word, shared) && attempt(lock, word, shared);
}

void (wr_rwlock_read)(struct wr_rwlock *lock, const char *place)
{
    sim_point("lock", place);
    before(&lock->info, place);
    if (!rwlock_now(lock, true))
        rwlock_slow(lock, true);
    after(lock, &lock->info, true, place);
}

void (wr_rwlock_read_done)(struct wr_rwlock *lock, const char *place)
{
    release(lock, &lock->info, true, place);
    uint32_t word = atomic_load_explicit(&lock->word, memory_order_relaxed), left;
    do
        left = word - 1 == ASLEEP ? 0 : word - 1;
    while (!atomic_compare_exchange_weak_explicit(&lock->word, &word, left,
                                                  memory_order_release, memory_order_relaxed));
    if (word - 1 == ASLEEP)
        wr_os_futex_wake(&lock->word, UINT_MAX);
}

void (wr_rwlock_write)(struct wr_rwlock *lock, const char *place)
{
    sim_point("lock", place);
    before(&lock->info, place);
    if (!rwlock_now(lock, false)) {
        atomic_fetch_add_explicit(&lock->wanted, 1, memory_order_relaxed);
        rwlock_slow(lock, false);
        atomic_fetch_sub_explicit(&lock->wanted, 1, memory_order_relaxed);
    }
    after(lock, &lock->info, false, place);
}

void (wr_rwlock_write_done)(struct wr_rwlock *lock, const char *place)
{
    release(lock, &lock->info, false, place);
    if (atomic_exchange_explicit(&lock->word, 0, memory_order_release) & ASLEEP)
        wr_os_futex_wake(&lock->word, UINT_MAX);
}

void (wr_mutex_fini)(struct wr_mutex *mutex, const char *place)
{
    forget(&mutex->info, atomic_load(&mutex->word) != FREE, place);
}

void (wr_rwlock_fini)(struct wr_rwlock *lock, const char *place)
{
    forget(&lock->info, atomic_load(&lock->word) != 0, place);
}
