#include "testing/test.h"

#include "sim/scenario_check.h"

TEST_PLAIN(one_case_of_a_select_happens_and_no_other)
{
    CHECK_SCENARIO(wr_scenario_select);
}
