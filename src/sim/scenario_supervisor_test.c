#include "testing/test.h"

#include "sim/scenario_check.h"

TEST_PLAIN(children_are_restarted_after_a_pause_and_stopped_in_order)
{
    CHECK_SCENARIO(wr_scenario_supervisor);
}
