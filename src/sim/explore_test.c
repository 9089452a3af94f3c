#include <weir/sim.h>

#include <weir/scope.h>

#include "testing/test.h"

static wr_err step(void *arg)
{
    int *order = arg;
    wr_sim_point("step");
    *order = *order * 10 + 1;
    return WR_OK;
}

static wr_err step_two(void *arg)
{
    int *order = arg;
    wr_sim_point("step");
    *order = *order * 10 + 2;
    return WR_OK;
}

struct orders { int order; bool first_two; };

static wr_err two_tasks(void *arg)
{
    struct orders *orders = arg;
    struct wr_scope *scope;
    orders->order = 0;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "two",
                                                             .deadline = WR_NEVER }), WR_OK);
    CHECK_OK(wr_scope_go(scope, "one", step, &orders->order));
    CHECK_OK(wr_scope_go(scope, "two", step_two, &orders->order));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    orders->first_two |= orders->order == 21;
    CHECK(orders->order == 12 || orders->order == 21);
    return WR_OK;
}

TEST_PLAIN(small_programs_are_explored_completely_and_both_orders_are_seen)
{
    struct orders orders = { 0 };
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "two", .scheduler = WR_SIM_EXHAUSTIVE, .depth = 4 }, two_tasks, &orders));
    CHECK(orders.first_two);
    CHECK_EQ(4, result.depth_done);
    CHECK(result.runs > 5 && result.runs < 200);
}

/* Without any choice there is one schedule; every fault doubles them. */
static wr_err choose_often(void *arg)
{
    int *seen = arg;
    int pattern = 0;
    for (int i = 0; i < 5; i++)
        pattern |= wr_sim_fault("bit", 2) << i;
    seen[pattern]++;
    return WR_OK;
}

TEST_PLAIN(every_combination_up_to_the_depth_is_run_once)
{
    for (unsigned depth = 1; depth <= 5; depth++) {
        int seen[32] = { 0 };
        struct wr_sim_result result;
        CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
            .name = "bits", .scheduler = WR_SIM_EXHAUSTIVE, .depth = depth }, choose_often,
            seen));
        uint64_t total = 0;
        for (int pattern = 0; pattern < 32; pattern++) {
            bool within = __builtin_popcount((unsigned)pattern) <= (int)depth;
            CHECK_EQ(within, seen[pattern]);
            total += within;
        }
        CHECK_EQ(total, result.runs);
        CHECK_EQ(depth, result.depth_done);
    }
}

TEST_PLAIN(the_bound_on_schedules_holds_and_the_depth_reached_is_told)
{
    int seen[32] = { 0 };
    struct wr_sim_result result;
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "bits", .scheduler = WR_SIM_EXHAUSTIVE, .depth = 3, .schedules_max = 10 },
        choose_often, seen));
    CHECK_EQ(10, result.runs);
    CHECK_EQ(1, result.depth_done);         /* 1 + 5 fit, 10 more do not */
}

static wr_err fail_at_three(void *arg)
{
    (void)arg;
    int fired = 0;
    for (int i = 0; i < 6; i++)
        fired += wr_sim_fault("bit", 2);
    return fired == 3 ? WR_IO : WR_OK;
}

TEST_PLAIN(a_failure_is_found_with_the_fewest_departures)
{
    struct wr_sim_result result;
    CHECK_ERR(WR_PANIC, wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "three", .scheduler = WR_SIM_EXHAUSTIVE, .depth = 5, .quiet = true },
        fail_at_three, NULL));
    CHECK_EQ(WR_SIM_ERROR, result.failure);
    CHECK_EQ(3, result.decisions);
    CHECK_EQ(1 + 6 + 15 + 1, result.runs);
}
