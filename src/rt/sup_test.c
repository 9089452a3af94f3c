#include <weir/sup.h>

#include <weir/offload.h>
#include <weir/topo.h>

#include "testing/sup_rig.h"

/* ---- starting ---- */

TEST(children_begin_in_the_order_of_the_list)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    three(&rig, (struct wr_sup_conf){ 0 });
    rig_start(&rig);
    CHECK_STR("abc", order_of('b'));
    for (size_t i = 0; i < 3; i++)
        CHECK_EQ(WR_CHILD_RUNNING, wr_sup_stat(rig.sup, i).state);
    rig_stop(&rig, WR_OK);
}

TEST(stopped_before_it_runs_it_starts_nothing)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    three(&rig, (struct wr_sup_conf){ 0 });
    wr_sup_stop(rig.sup);
    rig_start(&rig);
    CHECK(rig_end(&rig, WR_OK) <= 0);
    CHECK_STR("", order_of('b'));
}

TEST(before_it_runs_its_children_are_new)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    three(&rig, (struct wr_sup_conf){ 0 });
    for (size_t i = 0; i < 3; i++) {
        struct wr_child_stat stat = wr_sup_stat(rig.sup, i);
        CHECK_EQ(WR_CHILD_NEW, stat.state);
        CHECK_EQ(WR_HEALTH_UNREADY, stat.health);
        CHECK_EQ(i, stat.index);
        CHECK_EQ(i, stat.group);
        CHECK_EQ("abc"[i], stat.name[0]);
        CHECK_EQ(wr_now(), stat.since);
        CHECK_EQ(WR_NEVER, stat.next);
    }
    wr_sup_free(rig.sup);
}

/* On one worker the supervisor hears of both stops before the child's task has
 * had its first turn. */
TEST(aborted_before_it_begins_a_child_is_gone_all_the_same)
{
    struct rig rig;
    struct wr_child_stat stat = { 0 };
    a = b = c = (struct part){ .deaf = true };
    three(&rig, (struct wr_sup_conf){ 0 });
    struct wr_bcast_reader reader = wr_bcast_reader(wr_sup_events(rig.sup));
    REQUIRE_OK(wr_scope_new(&rig.scope, &(struct wr_scope_conf){ .name = "test",
                                                                 .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(rig.scope, "test.sup", run_sup, &rig));
    CHECK_OK(wr_bcast_recv(&reader, &stat, WR_NEVER));
    CHECK_EQ(WR_CHILD_STARTING, stat.state);
    wr_sup_stop(rig.sup);
    CHECK_EQ(0, rig_stop(&rig, WR_TIMEOUT));
    CHECK_EQ(a.begun, (int)strlen(order_of('c')));
}

TEST(stopped_while_it_starts_it_starts_no_more)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    three(&rig, (struct wr_sup_conf){ 0 });
    b.stops = &rig.sup;
    rig_start(&rig);
    rig_end(&rig, WR_OK);
    CHECK_EQ(1, a.begun);
    CHECK_EQ(1, b.begun);
    CHECK(c.begun <= 1);        /* it may have been on its way */
    CHECK_STR(c.begun ? "cba" : "ba", order_of('t'));
}

/* ---- phases and events ---- */

TEST(the_phases_follow_one_another_and_then_the_watch_is_closed)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    b.deaf = true;
    three(&rig, (struct wr_sup_conf){ 0 });
    struct wr_watch_reader reader = wr_watch_reader(wr_sup_phase(rig.sup));
    enum wr_phase phase, last = WR_PHASE_DRAINING;
    rig_start(&rig);
    CHECK_OK(wr_watch_wait(&reader, &phase, WR_NEVER));
    CHECK_EQ(WR_PHASE_RUNNING, phase);
    wr_sup_stop(rig.sup);
    CHECK_OK(wr_watch_wait(&reader, &phase, WR_NEVER));
    CHECK_EQ(WR_PHASE_DRAINING, phase);
    while (last != WR_PHASE_STOPPED) {      /* a watch may miss what is over at once */
        REQUIRE_OK(wr_watch_wait(&reader, &phase, WR_NEVER));
        CHECK(phase > last);
        last = phase;
    }
    CHECK_ERR(WR_CLOSED, wr_watch_wait(&reader, &phase, WR_NEVER));
    CHECK_EQ(WR_S(3), rig_end(&rig, WR_TIMEOUT));
}

TEST(every_change_of_a_child_is_told_in_order)
{
    static const enum wr_child_state want[] = {
        WR_CHILD_STARTING, WR_CHILD_RUNNING, WR_CHILD_BACKOFF, WR_CHILD_STARTING,
        WR_CHILD_RUNNING, WR_CHILD_DRAINING, WR_CHILD_ABORTING, WR_CHILD_STOPPED,
    };
    struct rig rig;
    a = b = c = (struct part){ 0 };
    b.deaf = true;
    c.fails_at = WR_MS(100);
    three(&rig, (struct wr_sup_conf){ 0 });
    struct wr_bcast_reader reader = wr_bcast_reader(wr_sup_events(rig.sup));
    rig_start(&rig);
    CHECK_OK(wr_sleep(wr_after(WR_MS(99))));        /* it fails now, or has just */
    c.fails_at = 0;
    c.deaf = true;
    CHECK_OK(wr_sleep(wr_after(WR_S(2))));
    wr_sup_stop(rig.sup);
    struct wr_child_stat stat;
    size_t seen = 0;
    wr_err err;
    while (!(err = wr_bcast_recv(&reader, &stat, WR_NEVER)))
        if (stat.index == 2 && CHECK(seen < 8)) {
            CHECK_EQ(want[seen++], stat.state);
            CHECK_STR("c", stat.name);
            CHECK_EQ(2, stat.group);
        }
    CHECK_ERR(WR_CLOSED, err);
    CHECK_EQ(8, seen);
    rig_end(&rig, WR_TIMEOUT);
}

/* ---- stopped by others ---- */

static void stop_from_a_thread(void *arg)
{
    wr_sup_stop(arg);
}

TEST(any_thread_may_stop_it)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    three(&rig, (struct wr_sup_conf){ 0 });
    rig_start(&rig);
    CHECK_OK(wr_offload(stop_from_a_thread, rig.sup, WR_NEVER));
    rig_end(&rig, WR_OK);
    CHECK_STR("cba", order_of('t'));
}

TEST(a_cancel_from_above_ends_everything_and_is_what_it_returns)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    b.slow_to_die = WR_MS(30);
    three(&rig, (struct wr_sup_conf){ 0 });
    rig_start(&rig);
    wr_scope_cancel(rig.scope);
    enum wr_phase phase;
    CHECK_OK(wr_sleep(wr_after(WR_MS(10))));
    wr_watch_get(wr_sup_phase(rig.sup), &phase);
    CHECK_EQ(WR_PHASE_ABORTING, phase);
    struct wr_watch_reader reader = wr_watch_reader(wr_sup_phase(rig.sup));
    while (!wr_watch_wait(&reader, &phase, WR_NEVER))
        ;
    CHECK_EQ(WR_PHASE_STOPPED, phase);
    CHECK(wr_sup_stat(rig.sup, 0).aborted);
    CHECK_EQ(WR_MS(30), rig_end(&rig, WR_CANCELED));
    CHECK_EQ(3, strlen(order_of('c')));
    CHECK_STR("", order_of('t'));
}

static wr_err run_sup_for_a_second(void *arg)
{
    struct rig *rig = arg;
    struct wr_scope *scope;
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "second",
                                                             .deadline = wr_after(WR_S(1)) }),
               WR_IO);
    wr_scope_enter(scope);
    rig->result = wr_sup_run(rig->sup);
    rig->ended = wr_now();
    wr_scope_leave(scope);
    return wr_scope_close(scope);
}

TEST(the_callers_deadline_ends_it_as_a_cancel_does)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    three(&rig, (struct wr_sup_conf){ 0 });
    REQUIRE_OK(wr_scope_new(&rig.scope, &(struct wr_scope_conf){ .name = "test",
                                                                 .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(rig.scope, "test.sup", run_sup_for_a_second, &rig));
    CHECK_EQ(WR_S(1), rig_end(&rig, WR_TIMEOUT));
    CHECK_EQ(3, strlen(order_of('g')));
}

/* ---- on the map ---- */

TEST(what_it_is_made_of_is_on_the_map_by_its_name)
{
    static char map[64 * 1024];
    struct rig rig;
    size_t len;
    a = b = c = (struct part){ 0 };
    three(&rig, (struct wr_sup_conf){ 0 });
    rig_start(&rig);
    CHECK_OK(wr_topo_write(&len, map, sizeof(map), WR_TOPO_TEXT));
    CHECK(strstr(map, "test.notes"));
    CHECK(strstr(map, "test.phase"));
    CHECK(strstr(map, "test.events"));
    CHECK(strstr(map, "sup.keeper"));
    rig_stop(&rig, WR_OK);
}

/* ---- a supervisor as a child ---- */

static wr_err pass_on(void *arg)
{
    void **pair = arg;
    wr_err err = wr_once_wait(pair[1], NULL, WR_NEVER);
    wr_sup_stop(pair[0]);
    return err;
}

static wr_err run_inner(void *arg, struct wr_once *drain)
{
    static const struct wr_child children[] = { CHILD(b, 0), CHILD(c, 1) };
    struct wr_sup *inner;
    struct wr_scope *scope;
    (void)arg;
    REQUIRE_OK(wr_sup_new(&inner, &(struct wr_sup_conf){ .name = "inner", .quiet = true,
                                                         .children = children, .count = 2 }),
               WR_NOMEM);
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "inner",
                                                             .deadline = WR_NEVER }),
               WR_NOMEM);
    CHECK_OK(wr_scope_go(scope, "test.pass_on", pass_on, ((void *[]){ inner, drain })));
    wr_err err = wr_sup_run(inner);
    CHECK_OK(wr_scope_close(scope));
    wr_sup_free(inner);
    return err;
}

TEST(a_supervisor_can_be_the_child_of_another)
{
    struct rig rig;
    const struct wr_child children[] = {
        CHILD(a, 0),
        { .name = "inner", .run = run_inner, .restart = WR_RESTART_ALWAYS, .group = 1 },
        CHILD(a, 2),
    };
    a = (struct part){ .who = 'a' };
    b = (struct part){ .who = 'b', .drain_takes = WR_MS(20) };
    c = (struct part){ .who = 'c', .drain_takes = WR_MS(10) };
    trace_open();
    rig_make(&rig, (struct wr_sup_conf){ .children = children, .count = 3 });
    rig_start(&rig);
    CHECK_EQ(WR_MS(30), rig_stop(&rig, WR_OK));
    CHECK_STR("acba", order_of('t'));
    CHECK_STR("acba", order_of('g'));
}

/* ---- rules ---- */

static wr_err never_called(void *arg, struct wr_once *drain)
{
    (void)arg;
    (void)drain;
    return WR_OK;
}

#define RULE(...) do { \
    struct wr_sup *sup = NULL; \
    (void)!wr_sup_new(&sup, &(struct wr_sup_conf){ __VA_ARGS__ }); \
} while (0)
#define ONE(...) .children = &(struct wr_child){ __VA_ARGS__ }, .count = 1
#define GOOD ONE(.name = "a", .run = never_called, .restart = WR_RESTART_ALWAYS)

TEST_PANICS(a_supervisor_without_children_is_refused,
            "sup_test.c:[0-9]+: .*\"test\".*required; it has 0 children")
{
    RULE(.name = "test");
}

TEST_PANICS(a_long_name_is_refused, "at most 32 bytes")
{
    RULE(GOOD, .name = "a.name.that.goes.on.and.on.and.on.and.on");
}

TEST_PANICS(a_child_without_a_policy_is_refused, "say when child \"a\" is started again")
{
    RULE(.name = "test", ONE(.name = "a", .run = never_called));
}

TEST_PANICS(a_child_without_a_function_is_refused, "child 0 \\(\"a\"\\) needs a name and a run")
{
    RULE(.name = "test", ONE(.name = "a", .restart = WR_RESTART_ALWAYS));
}

TEST_PANICS(groups_that_do_not_ascend_are_refused,
            "child \"b\" of group 0 is listed after \"a\" of group 1; groups ascend")
{
    const struct wr_child children[] = { CHILD(a, 1), CHILD(b, 0) };
    RULE(.name = "test", .children = children, .count = 2);
}

TEST_PANICS(a_drain_of_more_than_five_seconds_is_refused,
            "drain_within is 5000\\.000001 ms; 0 to 5000 are allowed")
{
    RULE(.name = "test", GOOD, .drain_within = WR_S(5) + 1);
}

TEST_PANICS(a_backoff_that_does_not_ascend_is_refused,
            "0 <= backoff_min <= backoff_max <= backoff_cap does not hold: they are 1000, 500 "
            "and 5000 ms")
{
    RULE(.name = "test", GOOD, .backoff_min = WR_S(1));
}

TEST_PANICS(a_negative_time_for_restarts_is_refused,
            "restarts_within is -1000 ms; negative ones are not allowed")
{
    RULE(.name = "test", GOOD, .restarts_within = -WR_S(1));
}

TEST_PANICS(too_many_restarts_to_remember_are_refused,
            "restarts_max is 101; at most 100 are remembered")
{
    RULE(.name = "test", GOOD, .restarts_max = 101);
}

TEST_PANICS(a_negative_budget_is_refused, "child \"a\" has a stop_within of -1e-06 ms")
{
    RULE(.name = "test", ONE(.name = "a", .run = never_called, .restart = WR_RESTART_ALWAYS,
                             .stop_within = -1));
}

TEST_PANICS(a_supervisor_runs_once, "sup_test.c:[0-9]+: supervisor \"test\" is run twice")
{
    struct wr_sup *sup;
    REQUIRE_OK(wr_sup_new(&sup, &(struct wr_sup_conf){ .name = "test", .quiet = true, GOOD }));
    wr_sup_stop(sup);
    CHECK_OK(wr_sup_run(sup));
    (void)!wr_sup_run(sup);
}

TEST_PANICS(a_running_supervisor_is_not_freed,
            "panic at src/rt/sup_test\\.c:[0-9]+: "
            "supervisor \"test\" is freed while it runs")
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    three(&rig, (struct wr_sup_conf){ 0 });
    rig_start(&rig);
    wr_sup_free(rig.sup);
}

TEST_PANICS(there_is_no_child_beyond_the_list,
            "panic at src/rt/sup_test\\.c:[0-9]+: supervisor \"test\" has 1 children, not 2")
{
    struct wr_sup *sup;
    REQUIRE_OK(wr_sup_new(&sup, &(struct wr_sup_conf){ .name = "test", GOOD }));
    (void)wr_sup_stat(sup, 1);
}
