/* scenario.h - programs that try to break the runtime.
 *
 * A scenario is a small program of the kind people write with the runtime,
 * with a ledger beside it: what was sent, taken, granted, started, and what
 * must be true of those numbers at every step and at the end.  It is run under
 * many seeds (tests/scenario, weir sim).  Those of the runtime are in sim/, those
 * that need more than it in scenario/, with the list of all.
 */
#ifndef WR_SIM_SCENARIO_H
#define WR_SIM_SCENARIO_H

#include <stddef.h>
#include <stdint.h>

#include <weir/panic.h>
#include <weir/scope.h>
#include <weir/sim.h>
#include <weir/time.h>

struct scenario {
    const char *name;
    const char *what;           /* one line: what it does and what must hold */
    size_t size;                /* of its ledger, all zero before each run */
    wr_task_fn run;             /* gets the ledger */
    const char *(*invariant)(void *ledger);
    uint64_t (*state)(void *ledger);
    unsigned faults;
    const char *crash;
    const int *signals;
    const char *may_panic;
};

extern const struct scenario wr_scenario_pipeline, wr_scenario_handoff, wr_scenario_policies,
    wr_scenario_select, wr_scenario_readers, wr_scenario_semaphore, wr_scenario_scopes,
    wr_scenario_timers, wr_scenario_snapshot, wr_scenario_journal, wr_scenario_supervisor,
    wr_scenario_signals, wr_scenario_echo;

/* Simulate it as `how` says: its scheduler, depth, seeds, bounds and trace. */
wr_err wr_scenario_run(struct wr_sim_result *ret, const struct scenario *scenario,
                       const struct wr_sim_conf *how);

/* ---- for the scenarios ---- */

/* Fold one more number into a state. */
static inline uint64_t state_mix(uint64_t state, uint64_t value)
{
    state = (state ^ value) * 0x9e3779b97f4a7c15;
    return state ^ state >> 29;
}

/* A call that cannot fail in this scenario. */
static inline void must_be_ok(const char *place, const char *call, wr_err err)
{
    if (err)
        wr_panic_at(place, "%s: %s", wr_err_name(err), call);
}
#define MUST(call) must_be_ok(WR_HERE, #call, call)

static inline wr_time some_time(wr_time max)
{
    return wr_after((wr_time)wr_sim_below((uint64_t)max));
}

static inline struct wr_scope *scope_named(const char *name)
{
    struct wr_scope *scope;
    MUST(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = name, .deadline = WR_NEVER }));
    return scope;
}

#endif
