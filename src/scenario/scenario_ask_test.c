#include "testing/test.h"

#include "sim/scenario_check.h"
#include "scenario/scenarios.h"

TEST_PLAIN(questions_are_answered_in_time_or_fail_in_time_and_leave_nothing_behind)
{
    CHECK_SCENARIO(wr_scenario_ask);
}
