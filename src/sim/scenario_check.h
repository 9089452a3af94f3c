/* scenario_check.h - a scenario under each scheduler, for its test; to be
 * included after testing/test.h. */
#ifndef WR_SIM_SCENARIO_CHECK_H
#define WR_SIM_SCENARIO_CHECK_H

#include "sim/scenario.h"

/* A simulation is one thread: who looks for races sees as much in a few runs as in many. */
#define SCENARIO_SEEDS 10
#define SCENARIO_SCHEDULES 40
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#undef SCENARIO_SEEDS
#undef SCENARIO_SCHEDULES
#define SCENARIO_SEEDS 2
#define SCENARIO_SCHEDULES 10
#endif
#endif

/* It holds, and each seed but one, or one in ten, counts: it did something, and something went
 * wrong. */
static inline void check_seeds(const struct scenario *scenario, enum wr_sim_scheduler scheduler,
                               uint64_t seeds)
{
    struct wr_sim_result result;
    CHECK_OK(wr_scenario_run(&result, scenario, &(struct wr_sim_conf){
        .scheduler = scheduler, .seed = 1, .seeds = seeds }));
    CHECK_EQ(seeds, result.runs);
    CHECK(result.counted + 1 >= seeds || result.counted * 10 >= seeds * 9);
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
    check_seeds(&(scenario), WR_SIM_RANDOM, SCENARIO_SEEDS); \
    check_seeds(&(scenario), WR_SIM_PCT, SCENARIO_SEEDS); \
    check_seeds(&(scenario), WR_SIM_FIFO, SCENARIO_SEEDS); \
    check_schedules(&(scenario), SCENARIO_SCHEDULES); \
} while (0)

#endif
