#include "testing/test.h"

#include "sim/scenario_check.h"
#include "scenario/scenarios.h"

TEST_PLAIN(each_question_to_a_source_is_reported_once_and_truly_over_a_bad_network)
{
    CHECK_SCENARIO(wr_scenario_source);
}
