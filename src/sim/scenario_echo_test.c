#include "testing/test.h"

#include "sim/scenario_check.h"

TEST_PLAIN(what_is_given_back_over_a_bad_network_is_what_was_sent)
{
    CHECK_SCENARIO(wr_scenario_echo);
}
