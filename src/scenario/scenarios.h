/* scenarios.h - the list of all scenarios.
 *
 * Those of this folder run more than the runtime: the server, its clients, a node,
 * the store, the sources, the checking of papers, research, the index.
 */
#ifndef WR_SCENARIO_SCENARIOS_H
#define WR_SCENARIO_SCENARIOS_H

#include "sim/scenario.h"

extern const struct scenario wr_scenario_ask, wr_scenario_http, wr_scenario_drain,
    wr_scenario_node, wr_scenario_store, wr_scenario_source, wr_scenario_check,
    wr_scenario_queue, wr_scenario_index;

/* The last is NULL. */
extern const struct scenario *const wr_scenarios[];

#endif
