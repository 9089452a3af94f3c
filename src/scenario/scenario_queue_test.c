#include "testing/test.h"

#include "sim/scenario_check.h"
#include "scenario/scenarios.h"

TEST_PLAIN(targets_survive_whatever_happens_and_are_done_once_and_everybody_is_told)
{
    CHECK_SCENARIO(wr_scenario_queue);
}
