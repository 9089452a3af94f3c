/* scenarios.c - the list of scenarios; alone, so that a test can put its own there. */
#include "scenario/scenarios.h"

const struct scenario *const wr_scenarios[] = {
    &wr_scenario_pipeline, &wr_scenario_handoff, &wr_scenario_policies, &wr_scenario_select,
    &wr_scenario_readers, &wr_scenario_semaphore, &wr_scenario_scopes, &wr_scenario_timers,
    &wr_scenario_snapshot, &wr_scenario_journal, &wr_scenario_supervisor, &wr_scenario_signals,
    &wr_scenario_echo, &wr_scenario_ask, &wr_scenario_http, &wr_scenario_drain,
    &wr_scenario_node, &wr_scenario_store, &wr_scenario_source, &wr_scenario_check,
    &wr_scenario_queue, &wr_scenario_index, NULL,
};
