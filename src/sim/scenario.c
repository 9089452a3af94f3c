/* scenario.c - running a scenario. */
#include "sim/scenario.h"

#include <stdlib.h>
#include <string.h>

struct stage {
    const struct scenario *scenario;
    _Alignas(max_align_t) char ledger[];
};

static void clear(void *ledger)
{
    struct stage *stage = (struct stage *)((char *)ledger - offsetof(struct stage, ledger));
    memset(ledger, 0, stage->scenario->size);
}

wr_err wr_scenario_run(struct wr_sim_result *ret, const struct scenario *scenario,
                       const struct wr_sim_conf *how)
{
    struct stage *stage = calloc(1, sizeof(*stage) + scenario->size);
    if (!stage)
        return WR_NOMEM;
    stage->scenario = scenario;
    struct wr_sim_conf conf = *how;
    conf.name = scenario->name;
    conf.faults = scenario->faults;
    conf.crash = scenario->crash;
    conf.signals = scenario->signals;
    conf.may_panic = scenario->may_panic;
    conf.setup = clear;
    conf.invariant = scenario->invariant;
    conf.state = scenario->state;
    wr_err err = wr_sim_run(ret, &conf, scenario->run, stage->ledger);
    free(stage);
    return err;
}
