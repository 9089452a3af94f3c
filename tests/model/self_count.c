/* self_count.c - the explorer counts: programs whose orders were counted by hand.
 *
 * Two orders are one when they differ only in operations that commute: on
 * different places, or loads.  n writes to one place have n! orders.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "model.h"

static atomic_int a, b;
static int got[3];

static void add_a(void)
{
    atomic_fetch_add(&a, 1);
}
static void add_b(void)
{
    atomic_fetch_add(&b, 1);
}
static void load_a0(void)
{
    got[0] = atomic_load(&a);
}
static void load_a1(void)
{
    got[1] = atomic_load(&a);
}

static void add_a_a(void)
{
    add_a();
    add_a();
}

static void add_b_b(void)
{
    add_b();
    add_b();
}

MODEL(two_places_one_write_each, .thread = { add_a, add_b }, .schedules = 1);
MODEL(one_place_two_writes, .thread = { add_a, add_a }, .schedules = 2);
MODEL(one_place_three_writes, .thread = { add_a, add_a, add_a }, .schedules = 6);
MODEL(one_place_four_writes, .thread = { add_a, add_a, add_a, add_a }, .schedules = 24);
MODEL(one_place_two_writes_each, .thread = { add_a_a, add_a_a }, .schedules = 6);
MODEL(readers_alone, .thread = { load_a0, load_a1 }, .schedules = 1);

/* Each reader before or after the write. */
MODEL(two_readers_one_writer, .thread = { load_a0, add_a, load_a1 }, .schedules = 4);

/* Without the reduction: 4 choose 2 interleavings of two threads of two steps. */
MODEL(unreduced, .thread = { add_a_a, add_b_b }, .unreduced = true, .schedules = 6);
MODEL(reduced, .thread = { add_a_a, add_b_b }, .schedules = 1);

/* AABB and BBAA need no preemption, ABBA and BAAB one, ABAB and BABA two. */
MODEL(one_preemption, .thread = { add_a_a, add_a_a }, .preempt_max = 1, .schedules = 4);
MODEL(two_preemptions, .thread = { add_a_a, add_a_a }, .preempt_max = 2, .schedules = 6);

static void cas_a(void)
{
    int old = atomic_load(&a);
    while (!atomic_compare_exchange_strong(&a, &old, old + 1))
        continue;
}

static void a_is_2(void)
{
    MODEL_CHECK(atomic_load(&a) == 2);
}

/* One after the other, twice; both load first and one of them fails once, twice. */
MODEL(two_cas_loops, .thread = { cas_a, cas_a }, .finish = a_is_2, .schedules = 4);

/* A chain: the second place is written before or after it is read, and so on.
 * Thread 0 writes a, thread 1 reads a and writes b, thread 2 reads b: the
 * conflicts a and b are decided independently. */
static void load_a_add_b(void)
{
    got[0] = atomic_load(&a);
    add_b();
}

static void load_b(void)
{
    got[1] = atomic_load(&b);
}
MODEL(chain_of_two_conflicts, .thread = { add_a, load_a_add_b, load_b }, .schedules = 4);

/* A loads value that is newest or older: the store is not known to the reader. */
static void store_relaxed(void)
{
    atomic_store_explicit(&a, 1, memory_order_relaxed);
}
static void load_relaxed(void)
{
    got[0] = atomic_load_explicit(&a, memory_order_relaxed);
}
MODEL(stale_load_is_an_order_of_its_own, .thread = { store_relaxed, load_relaxed },
      .stale_max = 1, .schedules = 3);

static void choose_3(void)
{
    got[0] = (int)model_choose(3);
}
static void choose_2(void)
{
    got[1] = (int)model_choose(2);
}
MODEL(choices_multiply, .thread = { choose_3, choose_2 }, .schedules = 6);

/* A permit has one order: the wait cannot come first. */
static void wait_a(void)
{
    model_wait(&a);
}
static void post_a(void)
{
    model_post(&a);
}
MODEL(a_wait_comes_after_its_post, .thread = { wait_a, post_a }, .schedules = 1);

/* The flag is found set at once, or after one turn of the loop. */
static void spin_until_a(void)
{
    while (!atomic_load(&a))
        model_relax();
}

MODEL(a_spin_turns_once_per_change, .thread = { spin_until_a, add_a }, .schedules = 2);
