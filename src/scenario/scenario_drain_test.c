#include "testing/test.h"

#include "sim/scenario_check.h"
#include "scenario/scenarios.h"

TEST_PLAIN(a_server_that_is_told_to_stop_ends_in_time_and_loses_no_answer)
{
    CHECK_SCENARIO(wr_scenario_drain);
}
