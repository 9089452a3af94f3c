#include "testing/test.h"

#include "sim/scenario_check.h"

TEST_PLAIN(what_a_killed_service_has_answered_is_on_its_disk)
{
    CHECK_SCENARIO(wr_scenario_journal);
}
