#include "scenario/scenarios.h"

#include <string.h>

#include "testing/test.h"

TEST_PLAIN(every_scenario_has_a_name_of_its_own_and_a_line_about_it)
{
    for (size_t i = 0; wr_scenarios[i]; i++) {
        for (size_t other = 0; other < i; other++)
            CHECK(strcmp(wr_scenarios[other]->name, wr_scenarios[i]->name) != 0);
        CHECK(strlen(wr_scenarios[i]->what) > 20);
    }
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
