/* rt_int.h - what the files of the runtime know of one another.
 *
 * A worker is a thread; a fiber is a stack that belongs to one worker for
 * life; a task is the record of a function that has not started yet and may
 * go to any worker.  A fiber that waits is on no queue: whoever ends its wait
 * puts it on its home's ready list (same worker) or inbox (another thread).
 *
 * How a wait ends.  Each fiber has one atomic word {sequence, state}.  To wait
 * it arms the word, leaves a waiter in each place that may end the wait, and
 * switches away.  Whoever wants to end it must change the word from exactly
 * that armed value (wr_waiter_win); the one that succeeds does what it came
 * for (copies the value) and makes the fiber ready; all others find that they
 * lost and go on to the next waiter.  So a wait ends once, for one reason.
 * Objects change their waiters only under their own lock, and a fiber takes
 * its waiters back before the waiting call returns: a waiter in a list always
 * belongs to a wait that is going on.
 *
 * Because a fiber only ever runs on its home thread, nobody can resume it
 * while it is still switching away; no other thread touches its stack pointer.
 */
#ifndef WR_RT_INT_H
#define WR_RT_INT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/task.h>
#include <weir/time.h>
#include <weir/timer.h>

#include "base/rand.h"
#include "rt/hooks.h"
#include "rt/os.h"

#define CACHE_LINE 64
#define WORKERS_MAX 64
#define LOCKS_HELD_MAX 8

/* ---- spin lock: for the few instructions inside one object ---- */

struct spin { _Atomic uint32_t word; };

void wr_spin_slow(struct spin *spin);

static inline void spin_lock(struct spin *spin)
{
    if (__builtin_expect(atomic_exchange_explicit(&spin->word, 1, memory_order_acquire), 0))
        wr_spin_slow(spin);
}

static inline void spin_unlock(struct spin *spin)
{
    atomic_store_explicit(&spin->word, 0, memory_order_release);
}

/* ---- the word of a wait ---- */

enum {
    WAIT_IDLE = 0,
    WAIT_ARMED = 1,
    WAIT_TIMEOUT = 2,
    WAIT_CANCEL = 3,
    WAIT_WON = 8,               /* + the index of the waiter that ended it */
    WAIT_STATE = 0xff,
    WAIT_STEP = 0x100,          /* one wait further */
};

struct waiter {
    struct waiter *next, *prev;
    struct fiber *fiber;
    uint64_t armed;             /* the fiber's word for this wait */
    void *item;                 /* where the value comes from or goes to */
    size_t units;
    wr_err err;                 /* what the wait returns, set by who ended it */
    uint8_t index;
    bool linked;
};

struct waitlist { struct waiter *head, *tail; };

/* ---- timers (timer.c): one wheel per worker ---- */

#define WHEEL_LEVELS 6
#define WHEEL_SLOTS 256

struct wheel {
    uint64_t tick;                          /* all before it has expired */
    size_t count;
    uint64_t occupied[WHEEL_LEVELS][WHEEL_SLOTS / 64];
    struct wr_timer *slot[WHEEL_LEVELS][WHEEL_SLOTS];
};

enum { TIMER_PUBLIC = 0, TIMER_WAIT, TIMER_SCOPE };         /* wr_timer.kind */
enum { TIMER_CLEAR = 0, TIMER_ARMED, TIMER_DUE };           /* wr_timer.state */

void wr_wheel_arm(struct wheel *wheel, struct wr_timer *timer, wr_time deadline);
void wr_wheel_disarm(struct wheel *wheel, struct wr_timer *timer);

/* Disarm every timer that lies in this memory, which is about to go. */
void wr_wheel_forget(struct wheel *wheel, const void *at, size_t size);

/* A moment before which nothing expires; WR_NEVER when nothing is armed.  If not
 * `exact` it may be a few microseconds too late, and never takes long. */
wr_time wr_wheel_next(const struct wheel *wheel, bool exact);

/* Take out one timer whose deadline is not after `now`; NULL when there is none. */
struct wr_timer *wr_wheel_pop(struct wheel *wheel, wr_time now);

/* It is no longer in a wheel. */
void wr_timer_off(struct wr_timer *timer);

/* Panics when a set timer is touched outside its worker. */
void wr_timer_check_home(const struct wr_timer *timer, const char *place);

/* ---- tasks and fibers ---- */

struct task {
    wr_task_fn fn;
    void *arg;
    struct wr_scope *scope;
    struct wr_kind *kind;
    uint64_t id;                /* in the order of spawning by one worker */
};

struct held {
    const void *lock;
    const char *name;
    const char *place;
    uint64_t since;             /* cycles */
    uint32_t rank;
    bool shared;                /* with other readers */
};

/* What every switch and wait touches is in the first cache line. */
struct fiber {
    _Alignas(CACHE_LINE) void *sp;
    struct worker *home;
    struct fiber *next;         /* on the ready list, the inbox or the spare list */
    _Atomic uint64_t word;
    struct wr_scope *scope;     /* whose deadline and cancellation govern its waits */
    _Atomic(const char *) place;    /* where it waits, or waited last */
    _Atomic(const char *) what;     /* on what */
    uint16_t held_count;
    uint16_t foreign;           /* depth of foreign frames */
    bool low;
    bool in_scope;              /* linked; its neighbours change scope_link, so ask this */
    bool started;               /* runs a task now */
    bool panicking;

    struct waiter waiter;       /* of a wait on one object ... */
    struct spin *wait_lock;     /* ... under this lock ... */
    struct waitlist *wait_list; /* ... in this list */
    struct task task;           /* what it runs */
    struct wr_timer timer;      /* the deadline of the wait that is going on */
    struct wr_scope *scopes;    /* the scopes it owns, newest first */
    struct wr_cleanup *cleanups;
    struct fiber *scope_next, **scope_link;     /* among the fibers that its scope must wake */
    struct fiber *all_next, **all_link;         /* among its worker's fibers that ever waited */
    struct held held[LOCKS_HELD_MAX];
    uint32_t stack_timers;      /* timers that are set and lie on its stack */
    const char *timer_place;    /* where the last of them was set */
    uint64_t rest_word;         /* trim.c: the wait it was seen in, ... */
    uint8_t rest;               /* ... and for how long */

    void *stack;                /* lowest usable byte */
    struct slab *slab;
    size_t stack_size;
    void *asan_fake;
    void *tsan;
    unsigned valgrind;
    char name[40];
};

/* ---- workers (sched.c) ---- */

struct ready { struct fiber *head, *tail; };

#define BATCH_TASKS 24
#define FRESH_FEW 8                     /* more tasks than this are for all workers */

struct batch {
    struct batch *next;
    uint32_t first, end;                /* tasks[first] up to, without, tasks[end] */
    struct task tasks[BATCH_TASKS];
};

/* Tasks nobody has started; the owner pushes and pops, others steal. */
struct fresh {
    _Alignas(CACHE_LINE) struct spin lock;
    struct batch *head, *tail;          /* batches are never empty */
    _Atomic size_t len;                 /* tasks */
    _Atomic uint64_t popped;            /* by the owner, so far */
};

struct worker {
    struct fiber *current;
    struct ready ready[2];              /* normal, low */
    _Atomic uint64_t turns;             /* switches so far; the monitor looks at it */
    size_t done_count;                  /* tasks that ended well, not yet taken off ... */
    uint64_t kicks;                     /* workers to wake once the lock is released */

    struct wr_scope *done_scope;        /* ... this scope */
    _Atomic bool busy;                  /* a fiber runs: not the loop, not asleep */
    uint32_t id;
    bool control;                       /* runs the tasks of control scopes, and no others */
    bool shares;                        /* there are others to take tasks from and give to */
    bool fresh_first;                   /* this turn is for a new task */
    struct fiber sched;                 /* the thread's own context */
    struct fiber *spare;                /* started once, without a task now */
    size_t spare_len;
    size_t spare_least;                 /* in this round of trimming */
    size_t spare_excess;                /* to be freed */
    struct fiber *dead;                 /* ended by a panic, to be freed off its own stack */
    struct batch *batches;              /* empty ones */
    size_t batch_count;
    size_t tickets;                     /* tasks it may still start */
    uint64_t ids;
    wr_time low_ran;
    bool low_turn;                      /* the last one to run was low: it is not starved */
    struct wheel wheel;
    struct fiber *all;
    struct fiber *trim_at;              /* the next fiber that trim.c looks at */
    uint32_t looks;                     /* times the loop has looked around */
    wr_time trim_next;
    uint64_t trim_turns;                /* the turns before its last round began */
    bool trim_more;                     /* this pass has found something to come back to */
    _Atomic size_t fds;                 /* descriptors in its epoll */
    struct os_poll poll;
    struct os_thread thread;
    struct wr_rand rand;
    const struct fresh *eyed;           /* a short queue of another worker, ... */
    uint64_t eyed_popped;               /* ... how far its owner was, ... */
    wr_time eyed_since;                 /* ... and since when */
    uint64_t wait_head;                 /* the oldest task not started, as last seen, ... */
    wr_time wait_since;                 /* ... and since when */
    uint32_t spin_misses, spin_skip;
    uint32_t naps;                      /* short sleeps in a row that served several, ... */
    uint32_t fired;                     /* ... timers since the last one */
    bool idle_counted;                  /* counted as idle by the virtual clock */
    char name[20];                      /* "worker 3", "the control worker" */

    struct fresh fresh[2];
    _Alignas(CACHE_LINE) _Atomic(struct fiber *) inbox;
    _Atomic uint32_t sleeping;
};

extern __thread struct worker *wr_worker_self;

/* The fiber that runs on this thread; the scheduler's own has not started. */
static inline struct fiber *fiber_self(void)
{
    struct worker *w = wr_worker_self;
    return w ? w->current : NULL;
}

/* Count something that only this worker counts; no locked instruction. */
static inline void count_own(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* The same for a shard of a counter, which workers share when there are many. */
static inline void count_shard(_Atomic uint64_t *counter, unsigned workers)
{
    if (workers <= WR_KIND_SHARDS)
        count_own(counter);
    else
        atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* ---- fiber.c ---- */

struct fiber *wr_fiber_new(struct worker *w);
void wr_fiber_spare(struct fiber *fiber);       /* it has no task and waits for the next */
void wr_fiber_free(struct fiber *fiber);
void wr_fiber_fini(struct fiber *fiber);    /* all but its stack, which the pool frees */
/* Its waits are governed by the scope from now on; registering with the scope
 * is put off to the first wait, so that tasks that never wait pay nothing. */
void wr_fiber_set_scope(struct fiber *fiber, struct wr_scope *scope);
void wr_fiber_link_scope(struct fiber *fiber);
const char *wr_fiber_name(struct fiber *fiber);

/* Whether its task would leave something open if it returned now: a panic then. */
bool wr_fiber_left_over(const struct fiber *fiber);

/* The calling thread's own context becomes its worker's scheduler. */
void wr_fiber_sched_init(struct worker *w);

/* In a child that was forked while there was a runtime: it has the memory of it,
 * but none of its threads.  From then on wr_fork_check panics. */
void wr_fiber_forked(void);
void wr_fork_check(const char *place, const char *what);

/* Panics in tasks are contained from now on. */
void wr_fiber_panics(void);

/* ---- sched.c ---- */

/* Queue a task.  Errors: NOMEM, BUSY. */
wr_err wr_sched_go(struct wr_scope *scope, struct wr_kind *kind, wr_task_fn fn, void *arg);

/* A fiber without a task takes the next one; false when there is none for it. */
bool wr_sched_take(struct worker *w, struct fiber *fiber);

/* Take the tasks that ended well off their scope. */
void wr_sched_flush(struct worker *w);

/* A low fiber lets others run if any wait; it stays runnable. */
void wr_sched_give_way(struct fiber *fiber);

/* The scheduler's loop of one worker; returns when the run is over. */
void wr_sched_loop(struct worker *w);

/* A span between min and max, for backoff and retries. */
wr_time wr_jitter(wr_time min, wr_time max);

/* Look at the worker's descriptors, for `span` at most. */
void wr_sched_poll(struct worker *w, wr_time span);

/* ---- fresh.c ---- */

bool wr_ticket_take(struct worker *w);
void wr_ticket_give(struct worker *w);
/* The calling worker's own queue.  Errors: NOMEM. */
wr_err wr_fresh_push(struct worker *w, int class, const struct task *task);
/* The queue of another worker, which the caller wakes if it sleeps.  Errors: NOMEM. */
wr_err wr_fresh_send(struct worker *w, struct worker *to, int class, const struct task *task);
bool wr_fresh_pop(struct worker *w, int class, struct task *ret);
/* The number of the task that is first in line; 0 when there is none. */
uint64_t wr_fresh_oldest(struct fresh *fresh);
/* Any one in the line; for a run with one worker. */
struct task *wr_fresh_at(struct fresh *fresh, size_t at);
void wr_fresh_take(struct worker *w, int class, size_t at, struct task *ret);
void wr_fresh_close(void);
bool wr_steal(struct worker *w);
/* Whether there is something to steal. */
bool wr_loot(struct worker *w);

/* ---- idle.c ---- */

/* Wait until there may be something to do. */
void wr_idle(struct worker *w);

/* ---- trim.c ---- */

/* Give back the unused stack of fibers that have waited for long. */
void wr_trim(struct worker *w, wr_time now);

/* ---- topo.c, metrics.c ---- */
void wr_kind_know(struct wr_kind *kind);
void wr_rt_metrics(void);

/* ---- run.c: the one run of the process ---- */

struct rt {
    struct worker *workers;
    unsigned count;
    unsigned pool;                      /* the first of these: all but the control worker */
    struct worker *control;             /* the last one, or NULL */
    struct wr_run_conf conf;
    const struct rt_hooks *hooks;       /* the simulation's, or NULL */
    struct wr_scope *root;
    unsigned cores;
    _Atomic bool stopping;
    _Atomic uint32_t spinning;
    _Atomic uint64_t asleep;            /* workers that sleep, as bits: a hint */
    _Atomic size_t tickets;             /* tasks that may still be started */
    struct spin depot_lock;
    struct batch *depot;                /* empty batches no worker keeps */
    size_t depot_count;
    _Atomic size_t offloads;            /* calls queued or running on the pool */
    _Atomic uint64_t stack_waits;       /* times a task waited for memory */
    _Atomic bool starved;               /* ... and since then no stack has come free */
    /* The virtual clock. */
    struct spin clock_lock;
    unsigned idle;
    _Atomic wr_time now;
    int64_t wall_offset;
    struct rt_candidate *candidates;    /* scratch of a simulation */
    size_t candidates_cap;
};
extern struct rt wr_rt;
extern _Atomic unsigned wr_rt_outside;      /* threads that wake a fiber from outside, now */

/* Whether this worker could start nothing now, for want of a stack. */
static inline bool wr_starved(const struct worker *w)
{
    return atomic_load_explicit(&wr_rt.starved, memory_order_relaxed) && !w->spare;
}

/* A point at which a simulation may let another fiber run. */
static inline void sim_point(const char *what, const char *place)
{
    if (__builtin_expect(wr_rt.hooks != NULL, 0))
        wr_sim_point_slow(what, place);
}

/* ---- fd.c ---- */
void wr_fd_event(struct worker *w, const struct os_event *event);
void wr_fd_table_free(void);

/* ---- stack.c ---- */

struct slab;
struct stack { void *low; size_t size; struct slab *slab; unsigned colour; };

/* Errors: NOMEM. */
wr_err wr_stack_get(struct stack *ret);
void wr_stack_put(struct slab *slab, void *low);
void wr_stack_pool_open(size_t size);
void wr_stack_pool_close(void);
/* The stack whose guard `address` lies in: its lowest usable byte, or NULL. */
void *wr_stack_of_guard(const void *address);

/* A broken rule inside the runtime itself: never contained. */
#define RT_ASSERT(cond) \
    (__builtin_expect(!(cond), 0) ? wr_fatal(WR_HERE, "assertion failed: " #cond) : (void)0)
_Noreturn void wr_fatal(const char *place, const char *text);

/* ---- select.c: a kind of case ---- */

struct wr_case;

struct wr_waitable {
    /* Panics if the case breaks a rule, before anything is armed.  NULL: none can. */
    void (*check)(void *on, const struct wr_case *c, const char *place);
    struct spin *(*lock)(void *on);             /* NULL: only this worker's fibers touch it */
    void (*link)(void *on, const struct wr_case *c, struct waiter *waiter);
    void (*unlink)(void *on, const struct wr_case *c, struct waiter *waiter);
    bool (*possible)(void *on, const struct wr_case *c);    /* could it happen now? */
    void (*take)(void *on, struct wr_case *c);              /* it is possible: do it */
    void (*finish)(void *on, struct wr_case *c, struct waiter *waiter); /* somebody did it */
};

/* Most cases end with what the winner left in the waiter. */
void wr_case_finish(void *on, struct wr_case *c, struct waiter *waiter);

#endif
