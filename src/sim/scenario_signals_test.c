#include "testing/test.h"

#include "sim/scenario_check.h"

TEST_PLAIN(no_signal_is_lost_and_what_was_taken_in_is_finished)
{
    CHECK_SCENARIO(wr_scenario_signals);
}
