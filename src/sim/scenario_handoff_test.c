#include "testing/test.h"

#include "sim/scenario_check.h"

TEST_PLAIN(a_value_is_delivered_once_or_not_at_all)
{
    CHECK_SCENARIO(wr_scenario_handoff);
}
