/* fault.c - what goes wrong in a run: time, tasks, processes, signals. */
#include <weir/sim.h>

#include <inttypes.h>
#include <string.h>

#include "rt/signal_int.h"
#include "sim/sim_int.h"

#define CRASH_RARER 4           /* points come several to a turn */

/* As likely some microseconds as some hundred milliseconds. */
static wr_time some_span(struct wr_rand *rand, int log_min, int log_max)
{
    int64_t log = wr_rand_span(rand, log_min, log_max);
    return ((wr_time)1 << log) + (wr_time)wr_rand_below(rand, (uint64_t)1 << log);
}

static void fired(const char *what, int64_t value)
{
    wr_sim.faults++;
    wr_trace_format(&wr_sim.trace, "fault %s %" PRId64, what, value);
}

static struct process *some_process(struct wr_rand *rand)
{
    uint64_t count = 0;
    for (struct process *process = wr_sim.processes; process; process = process->next)
        count += !process->killed;
    if (count == 0)
        return NULL;
    uint64_t at = wr_rand_below(rand, count);
    for (struct process *process = wr_sim.processes; process; process = process->next)
        if (!process->killed && at-- == 0)
            return process;
    return NULL;
}

static void jump_wall(struct wr_rand *rand)
{
    wr_time span = some_span(rand, 20, 58);         /* a millisecond to years */
    int64_t jump = wr_rand_below(rand, 2) ? span : -span;
    /* Some centuries around the epoch, so that no sum of jumps leaves the type. */
    int64_t sum = wr_sim.wall_jump + jump;
    if (sum > WR_S(3000000000) || sum < -WR_S(1500000000))
        jump = -wr_sim.wall_jump;
    wr_sim.wall_jump += jump;
    fired("wall", jump);
}

static void kill_process(struct wr_rand *rand)
{
    struct process *process = some_process(rand);
    if (!process)
        return;
    process->killed = true;
    wr_sim.faults++;
    wr_trace_format(&wr_sim.trace, "fault kill %s", process->name);
    wr_scope_cancel(process->scope);
}

static void send_signal(struct wr_rand *rand)
{
    const int *signals = wr_sim.conf->signals;
    uint64_t count = 0;
    while (signals[count])
        count++;
    int number = signals[wr_rand_below(rand, count)];
    if (wr_signal_inject(number) == WR_OK)
        fired("signal", number);
}

/* A run without any fault would not count: the first must come in time. */
static unsigned one_in(const struct decider *d)
{
    return wr_sim.faults == 0 && d->step >= d->fault_by ? 1 : d->fault_one_in;
}

/* One of the kinds, or 0, and random bits for how bad it is. */
static unsigned pick(struct decider *d, unsigned kinds, unsigned rarely, struct wr_rand *ret)
{
    uint32_t which = wr_decide_fault(d, (uint32_t)__builtin_popcount(kinds), rarely);
    if (which == 0)
        return 0;
    for (; which > 1; which--)
        kinds &= kinds - 1;
    wr_decide_detail(d, ret);
    return kinds & -kinds;
}

wr_time wr_fault_turn(wr_time now)
{
    struct decider *d = &wr_sim.decider;
    unsigned kinds = d->faults & (WR_SIM_SLOW | WR_SIM_WALL | WR_SIM_SIGNAL);
    if (wr_sim.processes)
        kinds |= d->faults & WR_SIM_KILL;
    struct wr_rand rand;
    wr_time span;
    switch (pick(d, kinds, one_in(d), &rand)) {
    case 0: return now;
    case WR_SIM_SLOW:
        span = some_span(&rand, 10, 28);            /* a microsecond to half a second */
        fired("slow", span);
        return now + span;
    case WR_SIM_WALL: jump_wall(&rand); break;
    case WR_SIM_KILL: kill_process(&rand); break;
    default: send_signal(&rand); break;
    }
    return now;
}

void wr_fault_point(const struct rt_point *point)
{
    struct decider *d = &wr_sim.decider;
    const char *crash = wr_sim.conf->crash;
    if (!(d->faults & WR_SIM_CRASH) || !point->contained
        || strncmp(point->kind, crash, strlen(crash)) != 0 || !wr_sim_alive())
        return;
    if (!wr_decide_fault(d, 1, one_in(d) * CRASH_RARER))
        return;
    wr_sim.faults++;
    wr_trace_format(&wr_sim.trace, "fault crash %s", wr_task_name());
    wr_sim.crashing = wr_sim.hush = true;
    wr_panic_at(point->place, "made to by the simulation");
}

unsigned wr_fault_net(unsigned kinds, unsigned rarer, uint64_t number, struct wr_rand *ret)
{
    static const struct { unsigned flag; const char *name; } names[] = {
        { WR_SIM_LOSS, "loss" }, { WR_SIM_DUPLICATE, "duplicate" }, { WR_SIM_RESET, "reset" },
        { WR_SIM_HALFOPEN, "halfopen" }, { WR_SIM_PARTITION, "partition" },
        { WR_SIM_REFUSE, "refuse" }, { WR_SIM_DELAY, "delay" },
    };
    struct decider *d = &wr_sim.decider;
    if (wr_sim.unwinding || !wr_sim_alive())
        return 0;
    unsigned fault = pick(d, kinds & d->faults, one_in(d) * rarer, ret);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].flag == fault)
            fired(names[i].name, (int64_t)number);
    return fault;
}

wr_time wr_fault_advance(wr_time to)
{
    struct decider *d = &wr_sim.decider;
    if (!(d->faults & WR_SIM_LATE) || !wr_decide_fault(d, 1, one_in(d)))
        return to;
    struct wr_rand rand;
    wr_decide_detail(d, &rand);
    wr_time span = some_span(&rand, 10, 28);
    fired("late", span);
    return to > WR_NEVER - span ? to : to + span;
}

bool wr_sim_fault(const char *what, unsigned one_in)
{
    if (!wr_sim.running || wr_sim.unwinding || !wr_sim_alive()
        || !wr_decide_fault(&wr_sim.decider, 1, one_in))
        return false;
    wr_sim.faults++;
    wr_trace_format(&wr_sim.trace, "fault %s", what);
    return true;
}

void wr_sim_crash(const char *what, unsigned one_in)
{
    if (!wr_sim_fault(what, one_in))
        return;
    wr_sim.crashing = wr_sim.hush = true;
    wr_panic("made to by the simulation");
}
