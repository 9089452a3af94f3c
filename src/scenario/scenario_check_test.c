#include "testing/test.h"

#include "sim/scenario_check.h"
#include "scenario/scenarios.h"

TEST_PLAIN(each_reference_gets_one_finding_and_a_true_one_over_a_bad_network)
{
    CHECK_SCENARIO(wr_scenario_check);
}
