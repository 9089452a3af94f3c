/* self_random.c - the reduction loses nothing: random small programs have the
 * same outcomes with it and without it.
 *
 * A program is three threads of a few operations on three places, drawn from
 * the seed; its outcome is everything that was read and what is left. */
#include <stdatomic.h>
#include <stddef.h>

#include "model.h"

#define STEPS 3
#define PLACES 3

enum { LOAD, STORE, ADD, CAS, FENCE, SPIN, LOCKED };

struct step {
    unsigned kind, place, order;
};

static struct step program[3][STEPS];
static unsigned steps[3], kinds;
static atomic_uint place[PLACES];
static unsigned read_here[3][STEPS];
static atomic_uint lock;
static unsigned guarded[PLACES];

static unsigned draw(uint64_t *state, unsigned below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % below;
}

static void write_program(void)
{
    uint64_t state = model_seed * 7919u;
    unsigned threads = 2 + draw(&state, 2), places = 1 + draw(&state, PLACES);
    for (unsigned t = 0; t < 3; t++) {
        steps[t] = t < threads ? 1 + draw(&state, STEPS) : 0;
        for (unsigned i = 0; i < STEPS; i++) {
            program[t][i].kind = draw(&state, kinds);
            program[t][i].place = draw(&state, places);
            program[t][i].order = draw(&state, 3);
        }
    }
}

static unsigned do_step(const struct step *step, unsigned value)
{
    atomic_uint *at = &place[step->place];
    unsigned seen = 0;
    switch (step->kind) {
    case LOAD:
        return step->order == 0 ? atomic_load_explicit(at, memory_order_relaxed)
            : step->order == 1  ? atomic_load_explicit(at, memory_order_acquire)
                                : atomic_load(at);
    case STORE:
        if (step->order == 0)
            atomic_store_explicit(at, value, memory_order_relaxed);
        else if (step->order == 1)
            atomic_store_explicit(at, value, memory_order_release);
        else
            atomic_store(at, value);
        return 0;
    case ADD: return atomic_fetch_add_explicit(at, value, memory_order_acq_rel);
    case CAS: atomic_compare_exchange_strong(at, &seen, value); return seen;
    case FENCE: atomic_thread_fence(memory_order_seq_cst); return 0;
    case LOCKED:
        while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
            while (atomic_load_explicit(&lock, memory_order_relaxed))
                model_relax();
        seen = guarded[step->place];
        guarded[step->place] = step->order ? value : seen;
        atomic_store_explicit(&lock, 0, memory_order_release);
        return seen;
    default:
        for (int turn = 0; turn < 2 && !seen; turn++)
            if ((seen = atomic_load(at)) == 0)
                model_relax();
        return seen;
    }
}

static void body(unsigned t)
{
    for (unsigned i = 0; i < steps[t]; i++)
        read_here[t][i] = do_step(&program[t][i], 1 + t * STEPS + i);
}

static void body0(void)
{
    body(0);
}
static void body1(void)
{
    body(1);
}
static void body2(void)
{
    body(2);
}

static void digest(void)
{
    uint64_t sum = 0;
    for (unsigned t = 0; t < 3; t++)
        for (unsigned i = 0; i < STEPS; i++)
            sum = (sum + read_here[t][i]) * 1000003;
    for (unsigned i = 0; i < PLACES; i++)
        sum = ((sum + atomic_load(&place[i])) * 1000003 + guarded[i]) * 1000003;
    model_outcome(sum);
}

static void atomics_only(void)
{
    kinds = CAS + 1;
    write_program();
}

static void with_fences(void)
{
    kinds = FENCE + 1;
    write_program();
}

/* Loads, stores and sections under a lock. */
static void with_locks(void)
{
    kinds = 3;
    write_program();
    for (unsigned t = 0; t < 3; t++)
        for (unsigned i = 0; i < STEPS; i++)
            if (program[t][i].kind == ADD)
                program[t][i].kind = LOCKED;
}

static void with_everything(void)
{
    kinds = LOCKED + 1;
    write_program();
}

static void with_spins(void)
{
    kinds = SPIN + 1;
    write_program();
}

MODEL(reduction_of_atomics, .setup = atomics_only, .thread = { body0, body1, body2 },
      .finish = digest, .compare = 300);
MODEL(reduction_of_stale_loads, .setup = with_fences, .thread = { body0, body1, body2 },
      .finish = digest, .compare = 200, .stale_max = 2);
MODEL(reduction_of_spins, .setup = with_spins, .thread = { body0, body1, body2 },
      .finish = digest, .compare = 200, .spin_ends = true, .stale_max = 1);
MODEL(reduction_of_locks, .setup = with_locks, .thread = { body0, body1, body2 },
      .finish = digest, .compare = 100);
MODEL(reduction_of_locks_that_wait, .setup = with_locks, .thread = { body0, body1, body2 },
      .finish = digest, .compare = 300, .locks_wait = true);
MODEL(reduction_of_everything, .setup = with_everything, .thread = { body0, body1, body2 },
      .finish = digest, .compare = 200, .locks_wait = true, .spin_ends = true, .stale_max = 1);
