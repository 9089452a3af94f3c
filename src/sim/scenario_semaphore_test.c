#include "testing/test.h"

#include "sim/scenario_check.h"

TEST_PLAIN(no_unit_is_lost_and_nobody_overtakes)
{
    CHECK_SCENARIO(wr_scenario_semaphore);
}
