#include "sim/scenario.h"

#include <string.h>

#include "testing/test.h"

TEST_PLAIN(every_scenario_has_a_name_of_its_own_and_a_line_about_it)
{
    for (size_t i = 0; wr_scenarios[i]; i++) {
        CHECK(wr_scenario_find(wr_scenarios[i]->name) == wr_scenarios[i]);
        CHECK(strlen(wr_scenarios[i]->what) > 20);
    }
    CHECK(wr_scenario_find("no such scenario") == NULL);
}

TEST_PLAIN(every_scenario_can_go_wrong_in_some_way)
{
    for (size_t i = 0; wr_scenarios[i]; i++)
        CHECK(wr_scenarios[i]->faults != 0);
}

static uint64_t hash_of(const struct scenario *scenario, enum wr_sim_scheduler scheduler,
                        uint64_t seed)
{
    struct wr_sim_result result;
    CHECK_OK(wr_scenario_run(&result, scenario, &(struct wr_sim_conf){ .scheduler = scheduler,
                                                                       .seed = seed }));
    return result.hash;
}

TEST_PLAIN(a_seed_does_the_same_in_every_scenario_whatever_ran_before)
{
    static const enum wr_sim_scheduler schedulers[] = { WR_SIM_RANDOM, WR_SIM_PCT,
                                                        WR_SIM_FIFO };
    for (size_t i = 0; wr_scenarios[i]; i++)
        for (size_t s = 0; s < 3; s++) {
            uint64_t first = hash_of(wr_scenarios[i], schedulers[s], 5);
            CHECK(hash_of(wr_scenarios[i], schedulers[s], 6) != first);
            CHECK(hash_of(wr_scenarios[i], schedulers[s], 5) == first);
        }
}

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
