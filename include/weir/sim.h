/* sim.h - the same program in a world that a seed decides.
 *
 * A simulation runs a task, and everything it starts, on one thread with a
 * virtual clock, and takes every decision that is chance elsewhere from a
 * seed: which task runs next, whether one gives way before it sends, when a
 * timer is late, when a task panics.  The same seed decides the same, so a
 * failure that was seen once can be seen again:
 *
 *     static wr_err transfer(void *arg) { ... WR_ASSERT(sum == 100); return WR_OK; }
 *
 *     int main(void)
 *     {
 *         struct wr_sim_result result;
 *         return wr_sim_run(&result, &(struct wr_sim_conf){
 *             .name = "transfer", .seed = 1, .seeds = 1000,
 *             .faults = WR_SIM_SLOW | WR_SIM_LATE }, transfer, NULL) != WR_OK;
 *     }
 *
 * A run fails when a task panics that was not made to, when the invariant does
 * not hold, when every task waits and nothing can wake one, when it takes more
 * than steps_max steps, and when the task returns an error.  Decisions are then
 * taken away for as long as it still fails, and what is left is printed: the
 * seed, the few decisions that matter, and the trace they lead to.
 *
 * The trace has a line for every switch, call, jump of the clock and fault.  It
 * holds no address and nothing of the machine, and its hash is always taken:
 * two runs with one hash did the same.
 *
 * In a simulation the environment is empty, entropy comes from the seed,
 * offloaded calls run in place, and no thread but the caller's exists.  Real
 * descriptors do not belong there.
 *
 * The network is one in memory (stream.h): segments take some time, any write may
 * arrive in any pieces, and a writer waits when 64 KiB have not been read.  Tasks are
 * on one host, 10.0.0.1, unless wr_sim_host says otherwise; Unix sockets and loopback
 * stay on their host.  A listener or stream that is open at the end is a failure.
 *
 *     static wr_err at_server(void *arg) { return wr_sim_host("10.0.0.2", serve, arg); }
 *     static wr_err at_client(void *arg) { return wr_sim_host("10.0.0.3", ask, arg); }
 *     ...
 *     wr_scope_go(scope, "server", at_server, &test);
 *     wr_scope_go(scope, "client", at_client, &test);     // connects to 10.0.0.2:80
 */
#ifndef WEIR_SIM_H
#define WEIR_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/err.h>
#include <weir/panic.h>
#include <weir/task.h>

/* How the next task is chosen.
 *   RANDOM      any that can run, and sometimes another before a call
 *   PCT         by random priorities, changed depth - 1 times in a run: finds
 *               what takes `depth` events in one order, with known odds
 *   FIFO        as one worker does; only the faults differ from seed to seed
 *   EXHAUSTIVE  every schedule, and every fault, that departs from FIFO at
 *               most `depth` times: the fewest first, schedules_max in all */
enum wr_sim_scheduler { WR_SIM_RANDOM, WR_SIM_PCT, WR_SIM_FIFO, WR_SIM_EXHAUSTIVE };

/* What may go wrong.  A seed picks some of those that conf.faults allows. */
#define WR_SIM_SLOW   1u        /* time passes while tasks could run */
#define WR_SIM_LATE   2u        /* a timer fires after its deadline */
#define WR_SIM_WALL   4u        /* the wall clock jumps, ahead or back */
#define WR_SIM_CRASH  8u        /* a task whose kind begins with conf.crash panics */
#define WR_SIM_KILL   16u       /* a process (wr_sim_process) dies */
#define WR_SIM_SIGNAL 32u       /* one of conf.signals arrives */

/* What may go wrong in the network.  A stream keeps its bytes and their order
 * whatever happens; it loses time, or ends. */
#define WR_SIM_DELAY     64u    /* a connection becomes slow, and perhaps narrow */
#define WR_SIM_LOSS      128u   /* something is lost, and sent again later */
#define WR_SIM_DUPLICATE 256u   /* a segment comes twice and is passed over; a listener
                                   gets a connection that nobody uses, and that breaks */
#define WR_SIM_REFUSE    512u   /* a connection is refused, or waits a second to be heard */
#define WR_SIM_RESET     1024u  /* a connection breaks, what is on its way is lost */
#define WR_SIM_HALFOPEN  2048u  /* nothing gets through any more, and nobody is told */
#define WR_SIM_PARTITION 4096u  /* some hosts cannot reach the others for a while */
#define WR_SIM_NET \
    (WR_SIM_DELAY | WR_SIM_LOSS | WR_SIM_DUPLICATE | WR_SIM_REFUSE | WR_SIM_RESET \
     | WR_SIM_HALFOPEN | WR_SIM_PARTITION)

struct wr_sim_conf {
    const char *name;               /* required */
    enum wr_sim_scheduler scheduler;
    unsigned depth;                 /* PCT: 3; EXHAUSTIVE: 2 */
    uint64_t seed;
    uint64_t seeds;                 /* this many, from that one on; 0, or EXHAUSTIVE: one */
    unsigned faults;
    const char *crash;              /* WR_SIM_CRASH: required */
    const int *signals;             /* WR_SIM_SIGNAL: required, ends with 0 */
    const char *may_panic;          /* a panic in a task whose kind begins so is no failure */
    uint64_t steps_max;             /* a run with more is stuck in a loop: 100,000 */
    uint64_t schedules_max;         /* EXHAUSTIVE: 10,000 */
    void (*setup)(void *arg);       /* before each run: put *arg back to its beginning */
    const char *(*invariant)(void *arg);    /* between steps: what is wrong, or NULL */
    uint64_t (*state)(void *arg);   /* between steps: the state as a number, to be counted */
    void (*trace)(void *trace_arg, const char *line);   /* gets every line */
    void *trace_arg;
    bool quiet;                     /* do not print a failure */
};

enum wr_sim_failure {
    WR_SIM_HELD,                    /* none */
    WR_SIM_PANIC,
    WR_SIM_INVARIANT,
    WR_SIM_DEADLOCK,
    WR_SIM_STEPS,
    WR_SIM_ERROR,
};

/* A run counts when it made at least this many operations under this many
 * faults: one that did nothing has shown nothing. */
#define WR_SIM_OPERATIONS_MIN 100
#define WR_SIM_FAULTS_MIN 1

struct wr_sim_result {
    uint64_t runs;                  /* seeds, or schedules when EXHAUSTIVE */
    uint64_t counted;               /* of these: with enough operations and faults */
    uint64_t operations;            /* calls at which another task might have run */
    uint64_t steps;
    uint64_t preemptions;           /* of these: another task did run */
    uint64_t faults;
    uint64_t states;                /* different ones, over all runs */
    uint64_t hash;                  /* of the traces of all runs */
    unsigned depth_done;            /* EXHAUSTIVE: complete up to so many departures */

    enum wr_sim_failure failure;    /* of the first run that failed, the last one made */
    uint64_t seed;                  /* its seed */
    size_t decisions;               /* its decisions that were not the usual ones */
    size_t needed;                  /* as many of them lead to the failure */
    char message[240];
};

/* Simulate fn(arg) with each seed until one fails.  Not inside wr_run.
 * Errors: PANIC (a run failed, *ret says how), NOMEM, NOFILE. */
wr_err wr_sim_run(struct wr_sim_result *ret, const struct wr_sim_conf *conf, wr_task_fn fn,
                  void *arg);

/* "deadlock" */
const char *wr_sim_failure_name(enum wr_sim_failure failure);

/* The rest is for the tasks of a simulation.  Outside of one a point does
 * nothing, a fault does not happen and a note goes nowhere, so that they may
 * stay in the program. */

/* Another task might run here.  Calls of the runtime are such points already. */
void wr_sim_point(const char *what WR_AT);
#define wr_sim_point(what) wr_sim_point(what, WR_HERE)

/* Whether something bad of the program's own happens now, once in `one_in`
 * times; counted as a fault. */
bool wr_sim_fault(const char *what, unsigned one_in);

/* The same, and then the calling task panics, which is no failure of the run. */
void wr_sim_crash(const char *what, unsigned one_in);

/* One of 0 .. limit-1, to make up work from.  Depends on the seed, the task and
 * how often that task has asked, not on the schedule.  A panic outside. */
uint64_t wr_sim_below(uint64_t limit);

/* A line in the trace. */
void wr_sim_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Run fn(arg) as a process of its own, which WR_SIM_KILL may kill at any
 * moment; *ret_killed tells.  What a killed process still does, because its
 * tasks must return, is as if it had not happened: its waits are canceled, its
 * panics do not count, and wr_sim_write writes nothing.
 * Errors: those of fn; NOMEM, BUSY, CANCELED, TIMEOUT. */
wr_err wr_sim_process(bool *ret_killed, const char *name, wr_task_fn fn, void *arg);

/* Whether the process of the calling task lives; true outside of processes. */
bool wr_sim_alive(void);

/* Run fn(arg), and what it starts, as a machine of its own at this IP address.
 * Others reach what it listens on there, and it has a loopback of its own.  A
 * program has at most 16 such addresses; one may be used again.
 * Errors: those of fn; NOMEM, BUSY, CANCELED, TIMEOUT. */
wr_err wr_sim_host(const char *ip, wr_task_fn fn, void *arg);

/* Until then nothing gets from one of these hosts to the other.  Connections that
 * exist stall, and go on afterwards unless a sender has given up: after a minute
 * its calls return TIMEOUT. */
void wr_sim_cut(const char *one, const char *other, wr_time until);

/* Write to memory that outlives the calling task's process: its disk.  The
 * process may die before or after, not in between.  False: it is dead. */
bool wr_sim_write(void *to, const void *from, size_t size);

#endif
