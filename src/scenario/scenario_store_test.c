#include "testing/test.h"

#include "sim/scenario_check.h"
#include "scenario/scenarios.h"

TEST_PLAIN(jobs_survive_whatever_happens_to_the_process_and_its_disk_and_are_finished_once)
{
    CHECK_SCENARIO(wr_scenario_store);
}
