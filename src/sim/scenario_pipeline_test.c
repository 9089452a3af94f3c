#include "testing/test.h"

#include "sim/scenario_check.h"

TEST_PLAIN(every_item_that_was_taken_in_ends_once_whoever_crashes)
{
    CHECK_SCENARIO(wr_scenario_pipeline);
}
