#include "testing/test.h"

#include "sim/scenario_check.h"

TEST_PLAIN(no_task_outlives_its_scope_and_the_first_error_is_returned)
{
    CHECK_SCENARIO(wr_scenario_scopes);
}
