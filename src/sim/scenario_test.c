#include "sim/scenario.h"

#include "testing/test.h"

/* The ledger is empty before each run, and the run is told what the scenario says. */
struct ledger { int runs; };

static wr_err run_once(void *arg)
{
    struct ledger *ledger = arg;
    WR_ASSERT(ledger->runs++ == 0);
    return WR_OK;
}

static const char *one_run(void *arg)
{
    const struct ledger *ledger = arg;
    return ledger->runs > 1 ? "the ledger was not cleared" : NULL;
}

TEST_PLAIN(each_run_begins_with_an_empty_ledger)
{
    static const struct scenario scenario = { .name = "once", .size = sizeof(struct ledger),
                                              .run = run_once, .invariant = one_run };
    struct wr_sim_result result;
    CHECK_OK(wr_scenario_run(&result, &scenario, &(struct wr_sim_conf){ .seeds = 5 }));
    CHECK_EQ(5, result.runs);
}
