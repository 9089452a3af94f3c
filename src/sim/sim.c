/* sim.c - one run after the other, each in a world of its own. */
#include <weir/sim.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/panic_int.h"
#include "base/world.h"
#include "rt/net_int.h"
#include "sim/net.h"
#include "sim/sim_int.h"

#define STEPS_MAX 100000
#define UNWIND_STEPS 100000     /* a failed run is given this many to end by itself */
#define EPOCH WR_S(1800000000)  /* the calendar at the clock's zero */
#define LINE_MAX 400

struct sim wr_sim;

static const struct wr_world *outer_world;
static void (*contain_panic)(const char *place, const char *message);

/* ---- reports ---- */

void wr_sim_say(void *unused, const char *line)
{
    (void)unused;
    outer_world->complain(line, strlen(line));
    outer_world->complain("\n", 1);
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    char line[LINE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    wr_sim_say(NULL, line);
}

/* Once per run, before the first thing that is said in it. */
static void say_where(void)
{
    struct sim *s = &wr_sim;
    if (!s->said_where)
        say("weir: in simulation \"%s\", seed %" PRIu64 ":", s->conf->name, s->decider.seed);
    s->said_where = true;
}

const char *wr_sim_failure_name(enum wr_sim_failure failure)
{
    static const char *const names[] = {
        [WR_SIM_HELD] = "held", [WR_SIM_PANIC] = "panic", [WR_SIM_INVARIANT] = "invariant",
        [WR_SIM_DEADLOCK] = "deadlock", [WR_SIM_STEPS] = "steps", [WR_SIM_ERROR] = "error",
    };
    return names[failure];
}

void wr_sim_fail(enum wr_sim_failure failure, const char *format, ...)
{
    struct sim *s = &wr_sim;
    if (s->unwinding)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(s->message, sizeof(s->message), format, args);
    va_end(args);
    s->failure = failure;
    s->unwinding = true;
    wr_trace_format(&s->trace, "fail %s: %s", wr_sim_failure_name(failure), s->message);
    s->trace.over = true;       /* how it is taken down is of no interest */
    if (!s->silent)             /* at once: taking it down may end the process */
        say("weir: simulation \"%s\" failed with seed %" PRIu64 ": %s: %s", s->conf->name,
            s->decider.seed, wr_sim_failure_name(failure), s->message);
}

/* ---- the world of a run ---- */

static void entropy(void *buf, size_t size)
{
    unsigned char *at = buf;
    for (; size > 0; size--)
        *at++ = (unsigned char)wr_rand_next(&wr_sim.entropy);
}

/* What the heap is like depends on what was run before. */
static size_t no_heap(void)
{
    return 0;
}

static const char *no_environment(const char *name)
{
    (void)name;
    return NULL;
}

static bool may_panic_here(void)
{
    const char *kinds = wr_sim.conf->may_panic;
    return kinds && strncmp(wr_task_name(), kinds, strlen(kinds)) == 0;
}

/* What the program and the runtime have to say is part of what happened. */
static bool complain(const char *text, size_t len)
{
    struct sim *s = &wr_sim;
    if (s->hush || s->unwinding || !wr_sim_alive())
        return true;
    size_t shown = len > 0 && text[len - 1] == '\n' ? len - 1 : len;
    if (shown > TRACE_LINE)
        shown = TRACE_LINE;
    wr_trace_format(&s->trace, "say %.*s", (int)shown, text);
    if (s->silent || may_panic_here())
        return true;
    say_where();
    return outer_world->complain(text, len);
}

static int64_t wall(wr_time now)
{
    return EPOCH + now + wr_sim.wall_jump;
}

/* A panic that nobody ordered is a failure.  One that cannot be contained ends
 * the process: the seed must be told before. */
static void on_panic(const char *place, const char *message)
{
    struct sim *s = &wr_sim;
    bool ordered = s->crashing || may_panic_here();
    s->crashing = false;
    if (!ordered && wr_sim_alive())
        wr_sim_fail(WR_SIM_PANIC, "%s: %s, in task %s", place, message, wr_task_name());
    contain_panic(place, message);
    say("weir: this was simulation \"%s\", seed %" PRIu64, s->conf->name, s->decider.seed);
}

/* ---- hooks ---- */

static wr_time turn(wr_time now)
{
    struct sim *s = &wr_sim;
    const struct wr_sim_conf *conf = s->conf;
    s->turns++;
    s->hush = false;
    const char *wrong = conf->invariant && !s->unwinding ? conf->invariant(s->arg) : NULL;
    if (wrong)
        wr_sim_fail(WR_SIM_INVARIANT, "%s", wrong);
    if (s->turns > (conf->steps_max ? conf->steps_max : STEPS_MAX))
        wr_sim_fail(WR_SIM_STEPS, "not over after %" PRIu64 " steps", s->turns - 1);
    if (s->unwinding) {
        if (s->unwind_turns++ == 0)
            wr_run_cancel();
        if (s->unwind_turns > UNWIND_STEPS)
            wr_run_abandon();
        return now;
    }
    if (conf->state)
        wr_seen_add(&s->seen, conf->state(s->arg));
    now = wr_fault_turn(now);
    wr_sim_net_deliver(now);
    return now;
}

static void trace_time(struct sim *s)
{
    wr_time now = wr_now();
    if (now == s->traced_time)
        return;
    s->traced_time = now;
    char buf[TRACE_LINE];
    struct wr_text line = WR_TEXT(buf);
    wr_text_str(&line, "time ");
    wr_text_decimal(&line, now, 9);
    wr_trace_line(&s->trace, &line);
}

static size_t choose(const struct rt_candidate *among, size_t count)
{
    struct sim *s = &wr_sim;
    uint64_t before = s->decider.last;
    bool preempted;
    if (s->unwinding)
        return s->turns % count;
    size_t chosen = wr_decide_task(&s->decider, among, count, &preempted);
    s->preemptions += preempted;
    trace_time(s);
    if (among[chosen].id != before) {
        char buf[TRACE_LINE];
        struct wr_text line = WR_TEXT(buf);
        wr_text_str(&line, preempted ? "switch " : "run ");
        wr_text_str(&line, among[chosen].kind);
        wr_text_str(&line, "#");
        wr_text_u64(&line, among[chosen].id);
        wr_trace_line(&s->trace, &line);
    }
    return chosen;
}

static bool point(const struct rt_point *point)
{
    struct sim *s = &wr_sim;
    if (!s->started || s->unwinding)
        return s->unwinding;    /* one that does not notice the end must not run for ever */
    char buf[TRACE_LINE];
    struct wr_text line = WR_TEXT(buf);
    wr_text_str(&line, "  ");
    wr_text_str(&line, point->what);
    wr_text_str(&line, " ");
    wr_text_str(&line, point->place);
    wr_trace_line(&s->trace, &line);
    s->operations++;
    wr_fault_point(point);
    s->decider.gave_way = true;
    return true;
}

static wr_time next(void)
{
    return wr_sim.unwinding ? WR_NEVER : wr_sim_net_next();
}

static wr_time advance(wr_time to)
{
    return wr_sim.unwinding ? to : wr_fault_advance(to);
}

static void stuck(void)
{
    struct sim *s = &wr_sim;
    if (s->unwinding) {
        wr_run_abandon();
        return;
    }
    wr_run_dump();
    wr_sim_fail(WR_SIM_DEADLOCK, "every task waits, and nothing can wake one");
    s->unwind_turns++;
    wr_run_cancel();
}

static const struct rt_hooks hooks = {
    .turn = turn, .choose = choose, .point = point, .next = next, .advance = advance,
    .stuck = stuck, .wall = wall,
};

/* ---- one run ---- */

static wr_err first_task(void *arg)
{
    struct sim *s = arg;
    s->started = true;
    contain_panic = wr_panic_hook;
    wr_panic_hook = on_panic;
    return s->fn(s->arg);
}

/* Everything of the run is new; what all runs share stays. */
static void reset_run(struct sim *s, uint64_t seed, const struct deviations *plan)
{
    wr_decide_begin(&s->decider, s->conf, seed, plan);
    wr_trace_begin(&s->trace);
    wr_rand_seed(&s->entropy, ~seed);
    s->started = s->unwinding = s->crashing = s->hush = s->said_where = false;
    s->turns = s->unwind_turns = s->operations = s->preemptions = s->faults = 0;
    s->wall_jump = 0;
    s->traced_time = 0;
    s->processes = NULL;
    s->failure = WR_SIM_HELD;
    s->message[0] = '\0';
}

wr_err wr_sim_once(uint64_t seed, const struct deviations *plan)
{
    struct sim *s = &wr_sim;
    reset_run(s, seed, plan);
    if (s->conf->setup)
        s->conf->setup(s->arg);
    struct wr_world world = *outer_world;
    world.entropy = entropy;
    world.env = no_environment;
    world.complain = complain;
    world.heap_idle = no_heap;
    wr_world = &world;
    wr_net = &wr_net_sim;
    wr_sim_net_begin();
    s->running = true;
    wr_err err = wr_run_hooked(&(struct wr_run_conf){ 0 }, &hooks, first_task, s);
    s->running = false;
    wr_world = outer_world;
    wr_net = &wr_net_os;
    const char *left = wr_sim_net_end();
    if (!s->started)
        return err;
    wr_panic_hook = contain_panic;
    if (err)
        wr_sim_fail(WR_SIM_ERROR, "the task returned %s", wr_err_name(err));
    if (left)
        wr_sim_fail(WR_SIM_ERROR, "what was opened at %s is still open", left);
    wr_trace_format(&s->trace, "end %s", wr_err_name(err));
    return WR_OK;
}

void wr_sim_account(void)
{
    struct sim *s = &wr_sim;
    struct wr_sim_result *r = s->result;
    r->runs++;
    r->counted +=
        s->operations >= WR_SIM_OPERATIONS_MIN && s->faults >= WR_SIM_FAULTS_MIN;
    r->operations += s->operations;
    r->steps += s->turns;
    r->preemptions += s->preemptions;
    r->faults += s->faults;
    r->states = s->seen.count;
    r->hash = (r->hash ^ s->trace.hash) * 0x100000001b3;
    r->seed = s->decider.seed;
    r->failure = s->failure;
    r->decisions = r->needed = s->decider.made.len;
    memcpy(r->message, s->message, sizeof(r->message));
}

static wr_err sweep(void)
{
    const struct wr_sim_conf *conf = wr_sim.conf;
    uint64_t count = conf->seeds ? conf->seeds : 1;
    wr_err err = WR_OK;
    for (uint64_t i = 0; i < count && !err && !wr_sim.failure; i++) {
        err = wr_sim_once(conf->seed + i, NULL);
        if (!err)
            wr_sim_account();
    }
    return err;
}

/* ---- a failure ---- */

static void show_indented(void *unused, const char *line)
{
    (void)unused;
    say("    %s", line);
}

static void report(const struct trace *trace)
{
    const struct wr_sim_result *r = wr_sim.result;
    say("weir: %zu decisions of this run were not the usual ones; %zu lead to the failure:",
        r->decisions, r->needed);
    if (trace->lines > TRACE_TAIL)
        show_indented(NULL, "...");
    wr_trace_tail(trace, show_indented, NULL);
}

static void explain_failure(void)
{
    struct sim *s = &wr_sim;
    struct deviations short_list = { 0 };
    s->silent = true;
    s->trace.show = NULL;
    wr_shrink(&short_list, s->result->seed);
    s->result->needed = short_list.len;
    s->trace.keep = true;
    if (wr_sim_once(s->result->seed, &short_list) == WR_OK && !s->conf->quiet)
        report(&s->trace);
    wr_deviations_free(&short_list);
}

static void check_conf(const struct wr_sim_conf *conf)
{
    if (wr_sim.conf)
        wr_panic("a simulation inside a simulation");
    if (!conf->name)
        wr_panic("a simulation needs a name");
    if (conf->faults & WR_SIM_CRASH && !conf->crash)
        wr_panic("simulation \"%s\": say by conf.crash which tasks may panic", conf->name);
    if (conf->faults & WR_SIM_SIGNAL && (!conf->signals || !conf->signals[0]))
        wr_panic("simulation \"%s\": say by conf.signals which may arrive", conf->name);
}

wr_err wr_sim_run(struct wr_sim_result *ret, const struct wr_sim_conf *conf, wr_task_fn fn,
                  void *arg)
{
    check_conf(conf);
    struct sim *s = &wr_sim;
    *ret = (struct wr_sim_result){ 0 };
    *s = (struct sim){ .conf = conf, .fn = fn, .arg = arg, .result = ret, .silent = conf->quiet,
                       .trace = { .show = conf->trace, .show_arg = conf->trace_arg } };
    outer_world = wr_world;
    wr_err err = conf->scheduler == WR_SIM_EXHAUSTIVE ? wr_explore() : sweep();
    if (!err && s->failure) {
        explain_failure();
        err = WR_PANIC;
    }
    wr_decide_close(&s->decider);
    wr_trace_close(&s->trace);
    wr_seen_close(&s->seen);
    *s = (struct sim){ 0 };
    return err;
}

/* ---- for the tasks ---- */

void (wr_sim_point)(const char *what, const char *place)
{
    if (wr_sim.running)
        wr_sim_point_slow(what, place);
}

uint64_t wr_sim_below(uint64_t limit)
{
    if (!wr_sim.running)
        wr_panic("wr_sim_below outside a simulation");
    struct wr_rand rand;
    wr_rand_seed(&rand, wr_decide_draw(&wr_sim.decider, wr_task_number()));
    return wr_rand_below(&rand, limit);
}

void wr_sim_note(const char *format, ...)
{
    if (!wr_sim.running)
        return;
    char text[TRACE_LINE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    wr_trace_format(&wr_sim.trace, "  note %s", text);
}
