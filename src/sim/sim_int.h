/* sim_int.h - what the files of the simulation know of one another.
 *
 * A run is a row of decisions: which task runs next, whether a fault happens.
 * Each has a usual outcome, the one that a single worker in good weather would
 * take, and a run is described by its deviations: the decisions that went
 * another way.  A scheduler makes deviations up from the seed; a replay is
 * given them.  So a replay with fewer of them is a simpler run, and that is how
 * a failure is made short and how schedules are enumerated.
 *
 * A decision is known by the task that ran before it and how many decisions
 * followed that task before: "when worker#5 gave way for the third time".  Its
 * outcome is the number of the task that runs then, or of the fault.  So a
 * deviation keeps its meaning when others are taken away.
 */
#ifndef WR_SIM_INT_H
#define WR_SIM_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/scope.h>
#include <weir/sim.h>

#include "base/rand.h"
#include "base/text.h"
#include "rt/hooks.h"

/* ---- decisions (decide.c) ---- */

struct deviation { uint64_t key, value; };

struct deviations { struct deviation *list; size_t len, cap; };

/* The decisions of a run, for enumeration: every outcome that each might have
 * had and had not, in the order of the run. */
enum { CHOOSE_TASK, CHOOSE_FAULT, CHOICES };

/* What is known of a task, by its number. */
struct known {
    int64_t priority;
    uint32_t drawn;             /* numbers it has drawn */
    uint32_t decided[CHOICES];  /* decisions taken after it ran */
    bool met;                   /* it has a priority */
};

struct decider {
    const struct wr_sim_conf *conf;
    uint64_t seed;
    bool replaying;             /* deviate as `plan` says, and nowhere else */
    struct deviations plan;     /* sorted by key */
    struct deviations made;     /* in the order of the run */
    struct deviations others;   /* EXHAUSTIVE: outcomes that were possible, too */
    uint64_t key;               /* of the last decision */

    struct wr_rand schedule, fault;
    unsigned give_way_one_in;
    unsigned fault_one_in;
    unsigned faults;            /* those of conf.faults that this seed picked */
    uint64_t fault_by;          /* the step by which there should have been one */

    struct known *known;
    size_t known_cap;
    int64_t lowest;             /* priority below all others */
    uint64_t changes[16];       /* PCT: steps at which the running task falls back */
    uint64_t step;
    uint64_t last;              /* the task that ran */
    bool gave_way;              /* at a point, not by waiting */
};

/* Begin a run: with the deviations of the plan, or (NULL) with made up ones. */
void wr_decide_begin(struct decider *d, const struct wr_sim_conf *conf, uint64_t seed,
                     const struct deviations *plan);
void wr_decide_close(struct decider *d);

/* Which candidate runs; *ret_preempted when one that could go on has to wait. */
size_t wr_decide_task(struct decider *d, const struct rt_candidate *among, size_t count,
                      bool *ret_preempted);

/* Which of `kinds` faults happens now, from 1 on, or 0; once in `one_in` times. */
uint32_t wr_decide_fault(struct decider *d, uint32_t kinds, unsigned one_in);

/* The task's next number of its own. */
uint64_t wr_decide_draw(struct decider *d, uint64_t task);

/* Random bits of a connection of its own. */
void wr_decide_link(const struct decider *d, uint64_t number, struct wr_rand *ret);

/* Random bits that belong to the last decision: how large a fault is. */
void wr_decide_detail(const struct decider *d, struct wr_rand *ret);

void wr_deviations_add(struct deviations *deviations, struct deviation deviation);
void wr_deviations_free(struct deviations *deviations);

/* ---- the trace (trace.c) ---- */

#define TRACE_TAIL 120          /* last lines kept for a report */
#define TRACE_LINE 200

struct trace {
    uint64_t hash;
    uint64_t lines;
    void (*show)(void *arg, const char *line);
    void *show_arg;
    bool over;                  /* nothing more is added */
    bool keep;                  /* the last lines, in `tail` */
    char (*tail)[TRACE_LINE];
};

void wr_trace_begin(struct trace *trace);
void wr_trace_close(struct trace *trace);
void wr_trace_line(struct trace *trace, const struct wr_text *line);
void wr_trace_format(struct trace *trace, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Line by line what was kept, oldest first. */
void wr_trace_tail(const struct trace *trace, void (*show)(void *arg, const char *line),
                   void *arg);

/* ---- states reached (seen.c) ---- */

struct seen { uint64_t *slots; size_t cap, count; };

/* Count it, if it was not seen before. */
void wr_seen_add(struct seen *seen, uint64_t state);
void wr_seen_close(struct seen *seen);

/* ---- the simulation in progress (sim.c) ---- */

struct process {
    struct process *next;
    struct wr_scope *scope;
    const char *name;
    bool killed;
};

struct sim {
    const struct wr_sim_conf *conf;
    wr_task_fn fn;
    void *arg;
    struct wr_sim_result *result;
    struct decider decider;
    struct trace trace;
    struct seen seen;

    /* The run. */
    bool running, started;
    bool unwinding;             /* it has failed: everything is canceled, no more faults */
    bool crashing;              /* the panic that comes is ours, */
    bool hush;                  /* and what is said about it is not worth a line */
    bool silent;                /* nothing goes to standard error */
    bool said_where;
    struct wr_rand entropy;
    wr_time traced_time;
    uint64_t turns, unwind_turns;
    uint64_t operations, preemptions, faults;
    int64_t wall_jump;
    struct process *processes;
    enum wr_sim_failure failure;
    char message[sizeof(((struct wr_sim_result *)0)->message)];
};

extern struct sim wr_sim;

/* The run fails, unless it has already. */
void wr_sim_fail(enum wr_sim_failure failure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Make one run; whether it failed, in wr_sim.failure. */
wr_err wr_sim_once(uint64_t seed, const struct deviations *plan);

/* A line on standard error. */
void wr_sim_say(void *unused, const char *line);

/* ---- faults (fault.c) ---- */

/* What goes wrong at this turn, point or advance; where the clock is then. */
wr_time wr_fault_turn(wr_time now);
void wr_fault_point(const struct rt_point *point);
wr_time wr_fault_advance(wr_time to);

/* Which of these faults happens to connection `number` now, as one flag; 0: none. */
unsigned wr_fault_net(unsigned kinds, unsigned rarer, uint64_t number, struct wr_rand *ret);

/* ---- failures made short (shrink.c), all schedules (explore.c) ---- */

/* The deviations of the failed run, fewer and fewer while it fails alike, for
 * as long as that is worth its time; what is left is in *ret. */
void wr_shrink(struct deviations *ret, uint64_t seed);

/* Run all schedules up to conf.depth deviations.  Errors: those of wr_sim_once. */
wr_err wr_explore(void);

/* Add the run that was made to the result. */
void wr_sim_account(void);

#endif
