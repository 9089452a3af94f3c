#include "testing/test.h"

#include "sim/scenario_check.h"

TEST_PLAIN(what_a_channel_takes_in_leaves_it_once_and_is_counted)
{
    CHECK_SCENARIO(wr_scenario_policies);
}
