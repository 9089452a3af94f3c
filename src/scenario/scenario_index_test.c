#include "testing/test.h"

#include "sim/scenario_check.h"
#include "scenario/scenarios.h"

TEST_PLAIN(only_what_was_signed_is_answered_in_time_whatever_proxies_and_the_network_do)
{
    CHECK_SCENARIO(wr_scenario_index);
}
