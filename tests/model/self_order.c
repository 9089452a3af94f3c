/* self_order.c - the explorer knows C11's memory orders: sound programs pass,
 * the same with one order too weak do not. */
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>

#include "model.h"

#define LOAD(at, order) atomic_load_explicit(at, memory_order_##order)
#define STORE(at, value, order) atomic_store_explicit(at, value, memory_order_##order)
#define FENCE(order) atomic_thread_fence(memory_order_##order)

static atomic_int flag, x, y;
static int data, r[4];

/* ---- a message: data, then a flag ---- */

#define WRITER(name, order) \
    static void name(void) \
    { \
        data = 42; \
        STORE(&flag, 1, order); \
    }
#define READER(name, order) \
    static void name(void) \
    { \
        if (LOAD(&flag, order)) \
            MODEL_CHECK(data == 42); \
    }
WRITER(write_release, release)
WRITER(write_relaxed, relaxed)
READER(read_acquire, acquire)
READER(read_relaxed, relaxed)

MODEL(message_release_acquire, .thread = { write_release, read_acquire }, .stale_max = 2);
MODEL(message_relaxed_store, .thread = { write_relaxed, read_acquire }, .expect = "data race");
MODEL(message_relaxed_load, .thread = { write_release, read_relaxed }, .expect = "data race");

static void write_fence(void)
{
    data = 42;
    FENCE(release);
    STORE(&flag, 1, relaxed);
}

static void read_fence(void)
{
    if (LOAD(&flag, relaxed)) {
        FENCE(acquire);
        MODEL_CHECK(data == 42);
    }
}

static void write_late_fence(void)
{
    FENCE(release);
    data = 42;
    STORE(&flag, 1, relaxed);
}

MODEL(message_by_fences, .thread = { write_fence, read_fence }, .stale_max = 2);
MODEL(message_fence_before_the_data, .thread = { write_late_fence, read_fence },
      .expect = "data race");
MODEL(message_fence_on_one_side, .thread = { write_fence, read_relaxed },
      .expect = "data race");

/* ---- release sequences: a read-modify-write goes on, a store breaks ---- */

static void add_relaxed(void)
{
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
}

static void store_2(void)
{
    if (LOAD(&flag, relaxed) == 1)
        STORE(&flag, 2, relaxed);
}

static void read_at_2(void)
{
    if (LOAD(&flag, acquire) == 2)
        MODEL_CHECK(data == 42);
}

static void read_at_2_after_release(void)
{
    int seen = LOAD(&flag, acquire);
    if (seen == 2)
        r[0] = data;
}

static void write_then_add(void)
{
    data = 42;
    atomic_fetch_add_explicit(&flag, 1, memory_order_release);
}

MODEL(release_sequence, .thread = { write_then_add, add_relaxed, read_at_2 });
MODEL(release_sequence_broken, .thread = { write_release, store_2, read_at_2_after_release },
      .expect = "data race");

/* ---- store buffering: each writes its own, then reads the other's ---- */

#define BUFFER(name, mine, theirs, at, store_order, load_order) \
    static void name(void) \
    { \
        STORE(mine, 1, store_order); \
        r[at] = LOAD(theirs, load_order); \
    }
BUFFER(sc_x, &x, &y, 0, seq_cst, seq_cst)
BUFFER(sc_y, &y, &x, 1, seq_cst, seq_cst)
BUFFER(weak_x, &x, &y, 0, release, acquire)
BUFFER(weak_y, &y, &x, 1, release, acquire)
BUFFER(half_x, &x, &y, 0, seq_cst, acquire)
BUFFER(half_y, &y, &x, 1, seq_cst, acquire)

static void fenced_x(void)
{
    STORE(&x, 1, relaxed);
    FENCE(seq_cst);
    r[0] = LOAD(&y, relaxed);
}

static void fenced_y(void)
{
    STORE(&y, 1, relaxed);
    FENCE(seq_cst);
    r[1] = LOAD(&x, relaxed);
}

/* A read-modify-write is no fence in C11, whatever x86 does. */
static void swapped_x(void)
{
    atomic_exchange_explicit(&x, 1, memory_order_seq_cst);
    r[0] = LOAD(&y, relaxed);
}

static void one_saw_the_other(void)
{
    MODEL_CHECK(r[0] || r[1]);
}

MODEL(buffering_seq_cst, .thread = { sc_x, sc_y }, .finish = one_saw_the_other, .stale_max = 3);
MODEL(buffering_fences, .thread = { fenced_x, fenced_y }, .finish = one_saw_the_other,
      .stale_max = 3);
MODEL(buffering_fence_and_seq_cst, .thread = { fenced_x, sc_y }, .finish = one_saw_the_other,
      .stale_max = 3);
MODEL(buffering_in_order, .thread = { weak_x, weak_y }, .finish = one_saw_the_other);
MODEL(buffering_release_acquire, .thread = { weak_x, weak_y }, .finish = one_saw_the_other,
      .stale_max = 1, .expect = "check failed");
MODEL(buffering_only_stores_seq_cst, .thread = { half_x, half_y }, .finish = one_saw_the_other,
      .stale_max = 1, .expect = "check failed");
MODEL(buffering_only_one_fence, .thread = { fenced_x, weak_y }, .finish = one_saw_the_other,
      .stale_max = 1, .expect = "check failed");
MODEL(buffering_exchange_is_no_fence, .thread = { swapped_x, fenced_y },
      .finish = one_saw_the_other, .stale_max = 1, .expect = "check failed");

/* ---- two readers of two writers agree on the order, if it is seq_cst ---- */

static void write_x_sc(void)
{
    STORE(&x, 1, seq_cst);
}
static void write_y_sc(void)
{
    STORE(&y, 1, seq_cst);
}
static void write_x(void)
{
    STORE(&x, 1, release);
}
static void write_y(void)
{
    STORE(&y, 1, release);
}

#define PAIR(name, one, two, at, order) \
    static void name(void) \
    { \
        r[at] = LOAD(one, order); \
        r[(at) + 1] = LOAD(two, order); \
    }
PAIR(x_then_y_sc, &x, &y, 0, seq_cst)
PAIR(y_then_x_sc, &y, &x, 2, seq_cst)
PAIR(x_then_y, &x, &y, 0, acquire)
PAIR(y_then_x, &y, &x, 2, acquire)

static void agree(void)
{
    MODEL_CHECK(!(r[0] && !r[1] && r[2] && !r[3]));
}

MODEL(two_readers_agree, .thread = { write_x_sc, write_y_sc, x_then_y_sc, y_then_x_sc },
      .finish = agree, .stale_max = 2);
MODEL(two_readers_disagree, .thread = { write_x, write_y, x_then_y, y_then_x }, .finish = agree,
      .stale_max = 1, .expect = "check failed");

/* ---- coherence: one place never goes back ---- */

static void count_up(void)
{
    for (int i = 1; i <= 3; i++)
        STORE(&x, i, relaxed);
}

static void never_back(void)
{
    int first = LOAD(&x, relaxed), second = LOAD(&x, relaxed);
    MODEL_CHECK(second >= first);
}

MODEL(coherence, .thread = { count_up, never_back }, .stale_max = 3);

/* What somebody read before a release is not forgotten after the acquire. */
static void pass_on(void)
{
    r[0] = LOAD(&x, relaxed);
    STORE(&flag, 1, release);
}

static void takes_over(void)
{
    if (LOAD(&flag, acquire)) {
        int seen = LOAD(&x, relaxed);
        MODEL_CHECK(seen >= r[0]);
    }
}

MODEL(coherence_across_threads, .thread = { count_up, pass_on, takes_over }, .stale_max = 2);

/* ---- neighbours: a plain write beside an atomic does not touch it ---- */

static struct {
    alignas(8) atomic_int flag;
    int beside;
} pair;

static void write_beside(void)
{
    data = 42;
    atomic_store_explicit(&pair.flag, 1, memory_order_release);
    pair.beside = 1;
}

static void read_beside(void)
{
    if (atomic_load_explicit(&pair.flag, memory_order_acquire))
        MODEL_CHECK(data == 42);
}

MODEL(plain_neighbour, .thread = { write_beside, read_beside });
