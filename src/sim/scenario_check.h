/* scenario_check.h - a scenario under each scheduler, for its test; to be
 * included after testing/test.h. */
#ifndef WR_SIM_SCENARIO_CHECK_H
#define WR_SIM_SCENARIO_CHECK_H

#include "sim/scenario.h"

/* It holds, and each seed counts: it did something, and something went wrong. */
static inline void check_seeds(const struct scenario *scenario, enum wr_sim_scheduler scheduler,
                               uint64_t seeds)
{
    struct wr_sim_result result;
    CHECK_OK(wr_scenario_run(&result, scenario, &(struct wr_sim_conf){
        .scheduler = scheduler, .seed = 1, .seeds = seeds }));
    CHECK_EQ(seeds, result.runs);
    CHECK(result.counted * 10 >= seeds * 9);
    CHECK(result.states > seeds);
}

static inline void check_schedules(const struct scenario *scenario, uint64_t schedules)
{
    struct wr_sim_result result;
    CHECK_OK(wr_scenario_run(&result, scenario, &(struct wr_sim_conf){
        .scheduler = WR_SIM_EXHAUSTIVE, .seed = 1, .schedules_max = schedules }));
    CHECK_EQ(schedules, result.runs);
}

#define CHECK_SCENARIO(scenario) do { \
    check_seeds(&(scenario), WR_SIM_RANDOM, 10); \
    check_seeds(&(scenario), WR_SIM_PCT, 10); \
    check_seeds(&(scenario), WR_SIM_FIFO, 10); \
    check_schedules(&(scenario), 40); \
} while (0)

#endif
