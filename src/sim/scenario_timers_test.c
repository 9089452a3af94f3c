#include "testing/test.h"

#include "sim/scenario_check.h"

TEST_PLAIN(nothing_ends_before_its_time_whatever_the_clocks_do)
{
    CHECK_SCENARIO(wr_scenario_timers);
}
