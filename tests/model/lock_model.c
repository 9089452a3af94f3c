/* lock_model.c - the locks themselves: the spin lock that every object stands
 * on, the mutex that sleeps, the read-write lock. */
#include <weir/lock.h>

#include "seam.h"

static struct spin spin;
static struct wr_mutex mutex = WR_MUTEX("model.mutex", 10);
static struct wr_rwlock rwlock = WR_RWLOCK("model.rwlock", 20);
static int shared, shared2;

static void open_seam(void)
{
    seam_open();
}

static void spin_add(void)
{
    seam_enter();
    spin_lock(&spin);
    shared++;
    spin_unlock(&spin);
}

static void spin_add_twice(void)
{
    spin_add();
    spin_add();
}

static void three(void)
{
    MODEL_CHECK(shared == 3);
}

MODEL(spin_lock_three_threads, .setup = open_seam, .thread = { spin_add, spin_add, spin_add },
      .finish = three, .stale_max = 2);
MODEL(spin_lock_twice, .setup = open_seam, .thread = { spin_add_twice, spin_add },
      .finish = three, .stale_max = 2);

/* ---- mutex ---- */

static void mutex_add(void)
{
    seam_enter();
    wr_mutex_lock(&mutex);
    shared++;
    wr_mutex_unlock(&mutex);
}

static void two(void)
{
    MODEL_CHECK(shared == 2);
}

MODEL(mutex_two_threads, .setup = open_seam, .thread = { mutex_add, mutex_add }, .finish = two,
      .spin_ends = true);

/* ---- read-write lock ---- */

static void write_both(void)
{
    seam_enter();
    wr_rwlock_write(&rwlock);
    shared++;
    shared2++;
    wr_rwlock_write_done(&rwlock);
}

static void read_both(void)
{
    seam_enter();
    wr_rwlock_read(&rwlock);
    MODEL_CHECK(shared == shared2);
    wr_rwlock_read_done(&rwlock);
}

static void all_gone(void)
{
    wr_rwlock_fini(&rwlock);        /* a mark of sleepers that stayed would be a panic */
}

static void two_and_gone(void)
{
    two();
    all_gone();
}

MODEL(rwlock_writer_and_reader, .setup = open_seam, .thread = { write_both, read_both },
      .finish = all_gone, .spin_ends = true, .stale_max = 2);
MODEL(rwlock_two_writers, .setup = open_seam, .thread = { write_both, write_both },
      .finish = two_and_gone, .spin_ends = true, .stale_max = 2);
MODEL(rwlock_two_readers_one_writer, .setup = open_seam,
      .thread = { read_both, read_both, write_both }, .finish = all_gone, .preempt_max = 3,
      .full = true, .full_preempt_max = 3, .full_stale_max = 1, .spin_ends = true);
MODEL(rwlock_two_writers_one_reader, .setup = open_seam,
      .thread = { write_both, write_both, read_both }, .finish = two_and_gone,
      .preempt_max = 3, .full = true, .full_preempt_max = 3, .full_stale_max = 1,
      .spin_ends = true);
