#include "testing/test.h"

#include "sim/scenario_check.h"

TEST_PLAIN(a_snapshot_is_whole_while_it_is_held_and_dropped_once)
{
    CHECK_SCENARIO(wr_scenario_snapshot);
}
