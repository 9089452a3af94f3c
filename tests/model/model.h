/* model.h - small concurrent programs, run in every order that matters.
 *
 * A model is a setup, a few threads and a finish.  It is run again and again,
 * each time with another order of its atomic operations, until every order
 * that can make a difference has been seen:
 *
 *     static atomic_int turn;
 *     static void first(void)  { atomic_fetch_add(&turn, 1); }
 *     static void second(void) { atomic_fetch_add(&turn, 1); }
 *     static void both(void)   { MODEL_CHECK(atomic_load(&turn) == 2); }
 *     MODEL(two_additions, .thread = { first, second }, .finish = both);
 *
 * The code under test needs no annotation: it is compiled with
 * -fsanitize=thread, and the calls which that puts in lead here instead of to
 * ThreadSanitizer.  An atomic operation is a point where another thread may
 * go on.  A plain access is checked: against accesses of other threads that
 * are not ordered with it by C11's happens-before (a data race), and against
 * memory that was freed.  malloc and free are ours too.
 *
 * What counts as a failure: a race, a check or panic that fails, every thread
 * blocked (a lost wake), use after free, double free, a leak.
 *
 * Globals keep nothing from one run to the next: what a model changed is put
 * back.  A model must do the same thing when it is run in the same order.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_THREADS_MAX 6

struct model {
    const char *name;
    void (*setup)(void);
    void (*thread[MODEL_THREADS_MAX])(void);
    void (*finish)(void);

    /* How many loads of one run may return an older value than the newest, as
     * C11 permits: 0 is sequential consistency. */
    unsigned stale_max;

    /* Greatest number of times a thread that could go on is held up; 0 is no
     * bound: every order. */
    unsigned preempt_max;

    /* The same two for long runs (MODEL_FULL=1), where they differ. */
    bool full;
    unsigned full_stale_max, full_preempt_max;

    /* A spinning thread gives up by itself after some rounds; otherwise one
     * that spins while nobody else can go on is stuck. */
    bool spin_ends;

    /* An exchange with acquire that would change nothing waits until it would:
     * a spin lock, taken for granted because a model of its own has shown it. */
    bool locks_wait;

    const char *expect;         /* what must be found in it: a model of a fault */
    uint64_t schedules;         /* exactly so many must be seen; 0: any number */
    bool unreduced;             /* count every interleaving, equivalent ones too */
    unsigned compare;           /* so many seeds: reduction changes no outcome */
    struct model *next;
};

void model_register(struct model *model);

#define MODEL(id, ...) \
    static struct model the_model_##id = { .name = #id, __VA_ARGS__ }; \
    __attribute__((constructor)) static void model_register_##id(void) \
    { \
        model_register(&the_model_##id); \
    } \
    _Static_assert(true, "takes a semicolon")

/* End this run as failed. */
_Noreturn void model_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define MODEL_CHECK(cond) \
    ((cond) ? (void)0 : model_fail("%s:%d: check failed: %s", __FILE__, __LINE__, #cond))

/* Wait for a permit that somebody posted under this address, and take it.  A
 * second permit before the first was taken is lost: a permit is a flag.
 * model_post returns whether there was one already; model_wait_timed may give
 * up, and then returns false. */
void model_wait(const void *token);
bool model_wait_timed(const void *token);
bool model_post(const void *token);

/* After so many more allocations, one fails. */
void model_starve(unsigned after);

/* Pages, for stacks: given back when the run ends. */
void *model_map(size_t size);

/* As a futex: sleep if *word is `expected`, until woken; wake up to `count`. */
void model_sleep(const uint32_t *word, uint32_t expected);
void model_wake(const uint32_t *word, unsigned count);

/* One turn of a spinning loop: go on when something that was read since the
 * last turn has changed. */
void model_relax(void);

/* Any of 0 .. count-1; all of them are tried. */
unsigned model_choose(unsigned count);

/* For .compare: the seed of this program, and what this run of it came to. */
extern unsigned model_seed;
void model_outcome(uint64_t digest);

/* The thread that asks: its place in .thread, or -1 in setup and finish. */
int model_self(void);

#endif
