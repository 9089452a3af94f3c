/* self_fault.c - faults that the explorer must find, each beside its cure. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "model.h"

/* ---- exclusion ---- */

static atomic_int lock, lock2, inside;
static int shared;

static void take(atomic_int *at, memory_order order)
{
    while (atomic_exchange_explicit(at, 1, order))
        while (atomic_load_explicit(at, memory_order_relaxed))
            model_relax();
}

static void give(atomic_int *at)
{
    atomic_store_explicit(at, 0, memory_order_release);
}

static void locked(void)
{
    take(&lock, memory_order_acquire);
    shared++;
    give(&lock);
}

static void locked_relaxed(void)
{
    take(&lock, memory_order_relaxed);
    shared++;
    give(&lock);
}

static void look_then_take(void)
{
    while (atomic_load(&lock))
        model_relax();
    atomic_store(&lock, 1);
    MODEL_CHECK(atomic_fetch_add(&inside, 1) == 0);
    atomic_fetch_sub(&inside, 1);
    atomic_store(&lock, 0);
}

static void shared_is_3(void)
{
    MODEL_CHECK(shared == 3);
}

MODEL(spin_lock, .thread = { locked, locked, locked }, .finish = shared_is_3, .stale_max = 1);
MODEL(spin_lock_without_acquire, .thread = { locked_relaxed, locked_relaxed },
      .expect = "data race");
MODEL(spin_lock_looks_then_takes, .thread = { look_then_take, look_then_take },
      .expect = "check failed");

static void one_two(void)
{
    take(&lock, memory_order_acquire);
    take(&lock2, memory_order_acquire);
    give(&lock2);
    give(&lock);
}

static void two_one(void)
{
    take(&lock2, memory_order_acquire);
    take(&lock, memory_order_acquire);
    give(&lock);
    give(&lock2);
}

MODEL(two_locks_in_one_order, .thread = { one_two, one_two });
MODEL(two_locks_in_two_orders, .thread = { one_two, two_one }, .expect = "deadlock");

/* ---- waking ---- */

static atomic_int ready, asleep;

static void wake(void)
{
    atomic_store(&ready, 1);
    if (atomic_load(&asleep))
        model_post(&asleep);
}

static void sleep_looking_last(void)
{
    atomic_store(&asleep, 1);
    if (!atomic_load(&ready))
        model_wait(&asleep);
}

static void sleep_looking_first(void)
{
    if (!atomic_load(&ready)) {
        atomic_store(&asleep, 1);
        model_wait(&asleep);
    }
}

static void wake_weakly(void)
{
    atomic_store_explicit(&ready, 1, memory_order_release);
    if (atomic_load_explicit(&asleep, memory_order_acquire))
        model_post(&asleep);
}

MODEL(wake, .thread = { wake, sleep_looking_last }, .stale_max = 2);
MODEL(wake_lost, .thread = { wake, sleep_looking_first }, .expect = "deadlock");
MODEL(wake_lost_in_a_store_buffer, .thread = { wake_weakly, sleep_looking_last },
      .stale_max = 1, .expect = "deadlock");

/* ---- memory ---- */

struct box {
    atomic_int refs;
    int value;
};
static struct box *box;
static _Atomic(struct box *) spot;

static void make_box(void)
{
    box = malloc(sizeof(*box));
    atomic_init(&box->refs, 2);
    box->value = 7;
    atomic_init(&spot, box);
}

static void drop(memory_order order)
{
    MODEL_CHECK(box->value == 7);
    if (atomic_fetch_sub_explicit(&box->refs, 1, order) == 1)
        free(box);
}

static void drop_ordered(void)
{
    drop(memory_order_acq_rel);
}
static void drop_relaxed(void)
{
    drop(memory_order_relaxed);
}
static void drop_release(void)
{
    drop(memory_order_release);
}

static void free_then_tell(void)
{
    free(box);
    atomic_store(&spot, NULL);
}

static void look_when_told(void)
{
    if (!atomic_load(&spot))
        MODEL_CHECK(box->value == 7);
}

MODEL(references, .setup = make_box, .thread = { drop_ordered, drop_ordered });
MODEL(references_relaxed, .setup = make_box, .thread = { drop_relaxed, drop_relaxed },
      .expect = "data race");
MODEL(references_without_acquire, .setup = make_box, .thread = { drop_release, drop_release },
      .expect = "data race");
MODEL(used_after_free, .setup = make_box, .thread = { free_then_tell, look_when_told },
      .expect = "use after free");

static void free_if_there(void)
{
    struct box *mine = atomic_load(&spot);
    if (mine) {
        atomic_store(&spot, NULL);
        free(mine);
    }
}

static void free_if_taken(void)
{
    free(atomic_exchange(&spot, NULL));
}
static void forget(void)
{
    atomic_store(&spot, NULL);
}

MODEL(free_what_was_taken, .setup = make_box, .thread = { free_if_taken, free_if_taken });
MODEL(free_what_was_seen, .setup = make_box, .thread = { free_if_there, free_if_there },
      .expect = "double free");
MODEL(memory_forgotten, .setup = make_box, .thread = { forget, free_if_taken },
      .expect = "leak");

static void write_past_the_end(void)
{
    static volatile char *text;         /* or the compiler sees that nobody reads it */
    text = malloc(5);
    text[model_choose(7)] = 'x';
    free((void *)text);
}

MODEL(write_outside, .thread = { write_past_the_end }, .expect = "outside an allocation");

/* ---- a frame that others still know ---- */

static _Atomic(int *) lent;

static __attribute__((noinline)) void lend(void)
{
    int local = 7;
    atomic_store(&lent, &local);
    atomic_fetch_add(&inside, 1);
}

static void lend_and_return(void)
{
    lend();
    atomic_store(&lent, NULL);
    atomic_fetch_add(&inside, 1);
}

static void look_at_lent(void)
{
    int *theirs = atomic_load(&lent);
    if (theirs)
        MODEL_CHECK(*theirs == 7);
}

MODEL(used_after_return, .thread = { lend_and_return, look_at_lent },
      .expect = "use after return");

/* ---- ABA: a stack of recycled nodes ---- */

struct node {
    atomic_uint next;
    atomic_int owners;
};
static struct node pool[3];
static atomic_uint top;             /* node + 1, and in the tagged form a count above */
static unsigned tag_step;

static void fill_stack(void)
{
    atomic_init(&pool[0].next, 2);
    atomic_init(&pool[1].next, 3);
    atomic_init(&pool[2].next, 0);
    atomic_init(&top, 1);
}

static unsigned pop(void)
{
    unsigned old = atomic_load(&top), below;
    do {
        if ((old & 0xff) == 0)
            return 0;
        below = atomic_load_explicit(&pool[(old & 0xff) - 1].next, memory_order_relaxed);
    } while (!atomic_compare_exchange_strong(&top, &old, below | ((old & ~0xffu) + tag_step)));
    unsigned node = old & 0xff;
    MODEL_CHECK(atomic_fetch_add(&pool[node - 1].owners, 1) == 0);
    return node;
}

static void push(unsigned node)
{
    atomic_fetch_sub(&pool[node - 1].owners, 1);
    unsigned old = atomic_load(&top);
    do
        atomic_store_explicit(&pool[node - 1].next, old & 0xff, memory_order_relaxed);
    while (!atomic_compare_exchange_strong(&top, &old, node | ((old & ~0xffu) + tag_step)));
}

static void pop_twice(void)
{
    pop();
    pop();
}

static void pop_two_push_one(void)
{
    unsigned first = pop();
    pop();
    if (first)
        push(first);
}

static void fill_stack_tagged(void)
{
    fill_stack();
    tag_step = 0x100;
}

MODEL(aba, .setup = fill_stack, .thread = { pop_twice, pop_two_push_one },
      .expect = "check failed");
MODEL(aba_with_a_tag, .setup = fill_stack_tagged, .thread = { pop_twice, pop_two_push_one });

/* ---- what the explorer itself promises ---- */

static int counter;
static _Thread_local int own;

static void count_from_zero(void)
{
    MODEL_CHECK(counter++ == 0);
}

static void own_variable(void)
{
    own++;
    atomic_fetch_add(&ready, 1);
    MODEL_CHECK(own == 1);
}

MODEL(globals_are_put_back, .setup = count_from_zero, .thread = { wake, wake });
MODEL(thread_locals_are_kept_apart, .thread = { own_variable, own_variable });

static void never_ends(void)
{
    while (atomic_load(&ready) == 0)
        continue;
}

static void spins_alone(void)
{
    while (atomic_load(&ready) == 0)
        model_relax();
}

static void spins_a_while(void)
{
    for (int i = 0; i < 3; i++)
        if (atomic_load(&ready) == 0)
            model_relax();
}

MODEL(loop_without_end, .thread = { never_ends }, .expect = "does not end");
MODEL(spin_without_end, .thread = { spins_alone }, .expect = "deadlock");
MODEL(spin_that_gives_up, .thread = { spins_a_while }, .spin_ends = true);

/* ---- a lock that sleeps: 0 free, 1 taken, 2 taken and somebody may sleep ---- */

static _Atomic uint32_t word;

static void sleepy_lock(uint32_t mark)
{
    uint32_t free_word = 0;
    if (atomic_compare_exchange_strong(&word, &free_word, 1))
        return;
    while (atomic_exchange(&word, mark) != 0)
        model_sleep((const uint32_t *)&word, mark);
}

static void sleepy_unlock(void)
{
    if (atomic_exchange(&word, 0) == 2)
        model_wake((const uint32_t *)&word, 1);
}

static void sleepy(void)
{
    sleepy_lock(2);
    shared++;
    sleepy_unlock();
}

static void sleepy_unmarked(void)
{
    sleepy_lock(1);
    shared++;
    sleepy_unlock();
}

MODEL(sleeping_lock, .thread = { sleepy, sleepy, sleepy }, .finish = shared_is_3);
MODEL(sleeping_lock_without_mark, .thread = { sleepy_unmarked, sleepy_unmarked },
      .expect = "deadlock");

static void post_once(void)
{
    model_post(&ready);
}

static void wait_timed(void)
{
    atomic_store(&asleep, model_wait_timed(&ready) ? 1 : 2);
}

static void either(void)
{
    model_outcome((uint64_t)atomic_load(&asleep));
    MODEL_CHECK(atomic_load(&asleep) != 0);
}

MODEL(timed_wait_ends_either_way, .thread = { post_once, wait_timed }, .finish = either,
      .schedules = 2);
