#include <weir/sim.h>

#include <string.h>

#include <weir/scope.h>

#include "testing/test.h"

/* Two tasks that must not be inside at the same time, and much else going on. */
struct inside { int count; bool at_once; };

static wr_err pass(void *arg)
{
    struct inside *inside = arg;
    for (int i = 0; i < 10; i++)
        wr_sim_point("outside");
    inside->count++;
    wr_sim_point("inside");
    inside->at_once |= inside->count > 1;
    inside->count--;
    return WR_OK;
}

static wr_err make_noise(void *arg)
{
    (void)arg;
    for (int i = 0; i < 30; i++) {
        wr_sim_point("noise");
        (void)wr_sim_fault("noise", 4);
    }
    return WR_OK;
}

static wr_err run(void *arg)
{
    struct inside *inside = arg;
    struct wr_scope *scope;
    *inside = (struct inside){ 0 };
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "inside",
                                                             .deadline = WR_NEVER }), WR_OK);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(wr_scope_go(scope, "noise", make_noise, NULL));
        CHECK_OK(wr_scope_go(scope, "pass", pass, inside));
    }
    wr_err err = wr_scope_join(scope, WR_NEVER);
    (void)!wr_scope_close(scope);
    WR_ASSERT(err || !inside->at_once);
    return err;
}

/* One preemption inside suffices; which task then runs may take one more. */
static void check_short(enum wr_sim_scheduler scheduler)
{
    struct inside inside;
    struct wr_sim_result result;
    CHECK_ERR(WR_PANIC, wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "shrink", .scheduler = scheduler, .seeds = 500, .quiet = true }, run, &inside));
    CHECK_EQ(WR_SIM_PANIC, result.failure);
    CHECK(strstr(result.message, "inside->at_once") != NULL);
    CHECK(result.needed >= 1 && result.needed <= 3);
    CHECK(result.needed < result.decisions);
}

TEST_PLAIN(a_random_failure_is_reduced_to_the_few_decisions_that_matter)
{
    check_short(WR_SIM_RANDOM);
}

TEST_PLAIN(a_failure_by_priorities_is_reduced_to_the_few_decisions_that_matter)
{
    check_short(WR_SIM_PCT);
}

static wr_err fail_always(void *arg)
{
    (void)arg;
    for (int i = 0; i < 50; i++)
        (void)wr_sim_fault("of no consequence", 2);
    return WR_IO;
}

TEST_PLAIN(a_failure_that_needs_nothing_is_reduced_to_nothing)
{
    struct wr_sim_result result;
    CHECK_ERR(WR_PANIC, wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "shrink", .quiet = true }, fail_always, NULL));
    CHECK_EQ(WR_SIM_ERROR, result.failure);
    CHECK(result.decisions > 10);
    CHECK_EQ(0, result.needed);
}

/* With one fault it fails in one way, with two in another. */
static wr_err fail_variously(void *arg)
{
    (void)arg;
    int fired = 0;
    for (int i = 0; i < 20; i++)
        fired += wr_sim_fault("drop", 2);
    WR_ASSERT(fired < 2);
    return fired ? WR_IO : WR_OK;
}

TEST_PLAIN(what_is_left_fails_in_the_same_way_as_the_whole)
{
    struct wr_sim_result result;
    CHECK_ERR(WR_PANIC, wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "shrink", .seeds = 100, .quiet = true }, fail_variously, NULL));
    CHECK_EQ(WR_SIM_PANIC, result.failure);
    CHECK_EQ(2, result.needed);
}
