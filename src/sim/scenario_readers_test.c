#include "testing/test.h"

#include "sim/scenario_check.h"

TEST_PLAIN(the_last_value_is_seen_and_every_gap_is_told)
{
    CHECK_SCENARIO(wr_scenario_readers);
}
