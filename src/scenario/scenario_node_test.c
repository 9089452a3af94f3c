#include "testing/test.h"

#include "sim/scenario_check.h"
#include "scenario/scenarios.h"

TEST_PLAIN(a_whole_node_answers_to_the_end_and_leaves_in_time)
{
    CHECK_SCENARIO(wr_scenario_node);
}
