/* explore_int.h - what the files of the explorer know of one another.
 *
 * explore.c  which order next: the search
 * thread.c   model threads as coroutines, and the one that goes on
 * memory.c   atomic operations: values, their history, happens-before
 * permit.c   what else threads wait for: permits, sleep, choices
 * shadow.c   plain accesses: races, freed memory, putting globals back
 * heap.c     malloc and free
 * hooks.c    what the compiler calls
 * report.c   a failing order, for people
 */
#ifndef EXPLORE_INT_H
#define EXPLORE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

#define THREADS (MODEL_THREADS_MAX + 1)     /* thread 0 runs setup and finish */
#define STEPS_MAX 4096                      /* operations in one run */
#define TOUCH_MAX 9                         /* places one operation depends on */
#define BIT(n) (1u << (n))

/* ---- vector clocks ---- */

struct clock { uint32_t at[THREADS]; };

static inline void clock_join(struct clock *into, const struct clock *other)
{
    for (int i = 0; i < THREADS; i++)
        if (other->at[i] > into->at[i])
            into->at[i] = other->at[i];
}

/* ---- operations ---- */

enum op_kind {
    OP_NONE, OP_LOAD, OP_STORE, OP_EXCHANGE, OP_ADD, OP_SUB, OP_AND, OP_OR, OP_XOR, OP_NAND,
    OP_CAS, OP_FENCE, OP_RELAX, OP_WAIT, OP_WAIT_TIMED, OP_POST, OP_CHOOSE, OP_SLEEP, OP_WAKE,
};

struct op {
    enum op_kind kind;
    unsigned size;
    int order, fail_order;
    uintptr_t addr;
    uint64_t arg, expected;
    uintptr_t pc, sp;               /* what lies below sp on this stack is gone */
};

/* What an operation depends on: two operations commute unless they touch the
 * same place and one of them writes it. */
struct touch { uintptr_t addr; bool write; };

#define SEEN_MAX 5

/* A value that was read since the last turn of a spin; changed: and then another. */
struct seen { uintptr_t addr; uint64_t value; bool changed; };

struct event {
    struct op op;
    unsigned thread;
    uint32_t nth;                   /* of its thread, from 1 */
    struct clock after;             /* the operations it comes after, itself included */
    struct touch touch[TOUCH_MAX];
    int older[TOUCH_MAX];           /* the event that wrote each place before; -1 for none */
    unsigned touch_count;
    uintptr_t caller;               /* of the function it is in */
    uint64_t before, result;        /* the value found, the value left */
    struct seen seen[SEEN_MAX];     /* a spin's turn: what it waited to see changed */
    bool wrote, stale;
};

#define FENCE_PLACE ((uintptr_t)1)  /* what sequentially consistent fences touch */
#define TOKEN ((uintptr_t)1 << 62)  /* keeps permits apart from memory */

/* ---- threads (thread.c) ---- */

#define CALLS_MAX 64

struct thread {
    bool live;                      /* started and not ended */
    bool released;                  /* a spinner that may go on although nothing changed */
    struct op op;                   /* what it will do next */
    uint32_t events;
    struct clock order;             /* for the search: operations that come before */
    struct clock hb;                /* happens-before, for races */
    struct clock acquire;           /* what relaxed loads have read: for an acquire fence */
    struct clock release;           /* at the last release fence */
    struct clock fence;             /* made visible by sequentially consistent fences */
    uint64_t fence_time;
    struct seen seen[SEEN_MAX];     /* read since the last turn of a spin */
    unsigned seen_count;
    unsigned pauses;                /* turns without a look at anything */
    uintptr_t calls[CALLS_MAX];     /* where each function it is in was called from */
    unsigned depth;
};

extern struct thread threads[THREADS];
extern unsigned thread_count;       /* with thread 0 */
extern unsigned self;               /* who runs now */
extern bool running;                /* a model runs: hooks mean something */

#define STACK_SIZE ((size_t)256 * 1024)
extern unsigned char *stacks_base;

void threads_open(void);
void threads_reset(const struct model *model);
void thread_switch(unsigned to);    /* returns when somebody switches back */
void thread_home(void);             /* a run was given up: be thread 0 */

/* ---- one run (explore.c) ---- */

struct settings {
    const struct model *model;
    unsigned stale_max;
    int preempt_max;                /* -1: no bound */
    bool reduce;
};

struct outcome {
    uint64_t schedules, redundant;  /* runs; of these, given up as seen before */
    unsigned depth_max;
    bool complete, redundant_run;
    char failure[1024];
};

struct step { unsigned thread, choice; };

extern struct settings settings;
extern struct outcome outcome;
extern struct event events[STEPS_MAX];
extern unsigned event_count;
extern uint32_t run_stamp;          /* of this run: older marks mean nothing */

/* Search until something fails, everything was seen, or `enough` says so. */
bool explore(bool (*enough)(void));
void replay(const struct step *steps, unsigned count);
unsigned run_order(unsigned depth, unsigned *ret_choice);

/* Called by a thread before an operation; returns when it may be done. */
void run_step(const struct op *op);
void run_thread_ended(void);

/* Which of `count` outcomes this operation has in this run. */
unsigned run_choice(unsigned count);

/* The operation was done: note it. */
struct event *run_event(void);
void run_touch(struct event *event, uintptr_t addr, bool write);
void run_done(struct event *event);

/* ---- memory (memory.c) ---- */

#define HISTORY 16

struct message {
    uint64_t value;
    struct clock release;           /* what an acquiring reader comes after */
    uint32_t seen[THREADS];         /* when each thread first read it */
    uint32_t clk;
    unsigned thread;
    bool sc;
    uint64_t sc_time;
};

struct place {
    uintptr_t addr;
    uint32_t stamp;
    unsigned size;                  /* 0: no memory, only something to depend on */
    bool dirty;                     /* written by a plain access since */
    bool permit;
    unsigned sleepers;              /* set of threads that sleep on it as on a futex */
    struct clock posted;
    uint64_t count;                 /* messages so far; the newest is count - 1 */
    struct message message[HISTORY];
    int last_write;                 /* events; -1 for none */
    int last_read[THREADS];
};

void memory_reset(void);
struct place *place_at(uintptr_t addr);
struct place *place_known(uintptr_t addr);      /* NULL when nothing atomic was done there */
/* Do it, as a step of this thread; the value that was there before. */
uint64_t memory_do(const struct op *op, bool *ret_swapped);
uint64_t memory_raw(const struct op *op, bool *ret_swapped);
bool memory_enabled(const struct thread *thread);
/* Whether it could be done if the place of one of its touches had this value. */
bool memory_enabled_at(const struct event *event, unsigned touch, uint64_t value);
void memory_touches(const struct thread *thread, struct touch *touch, unsigned *ret_count);

uint64_t memory_peek(uintptr_t addr, unsigned size);

/* ---- permits (permit.c) ---- */

void permit_do(struct thread *thread, struct event *event);
unsigned permit_touches(const struct op *op, struct touch *touch);

/* ---- shadow (shadow.c) ---- */

void shadow_open(void);
void shadow_restore(void);
void shadow_access(uintptr_t addr, size_t size, bool write, bool atomic, uintptr_t pc);
void shadow_free(uintptr_t addr, size_t size, uintptr_t pc);

/* ---- heap (heap.c) ---- */

struct block { uintptr_t addr; size_t size; bool freed; uintptr_t made_pc, freed_pc; };

#define MAP_SIZE ((size_t)32 << 20)

extern unsigned char *heap_base, *map_base;
extern size_t heap_size;
void heap_open(void);
void heap_reset(void);
const struct block *heap_block(uintptr_t addr, unsigned *ret_index);
uint8_t heap_live(uintptr_t addr);      /* of the eight bytes there, those allocated */
void heap_check_leaks(void);

/* ---- report (report.c) ---- */

void report_open(void);
void report_order(void);
void report_pc(uintptr_t pc, char *ret, size_t size);
void report_addr(uintptr_t addr, char *ret, size_t size);

#endif
