#include "testing/test.h"

#include "sim/scenario_check.h"
#include "scenario/scenarios.h"

TEST_PLAIN(a_server_answers_each_request_once_over_a_bad_network)
{
    CHECK_SCENARIO(wr_scenario_http);
}
