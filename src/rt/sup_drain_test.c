#include <weir/chan.h>
#include <weir/select.h>
#include <weir/sup.h>

#include "testing/metric_rig.h"
#include "testing/sup_rig.h"

/* ---- draining ---- */

TEST(groups_drain_from_the_highest_and_each_waits_for_the_one_before)
{
    struct rig rig;
    a = (struct part){ .drain_takes = WR_MS(300) };
    b = (struct part){ .drain_takes = WR_MS(200) };
    c = (struct part){ .drain_takes = WR_MS(100) };
    three(&rig, (struct wr_sup_conf){ 0 });
    rig_start(&rig);
    CHECK_EQ(WR_MS(600), rig_stop(&rig, WR_OK));
    CHECK_STR("cba", order_of('t'));
    CHECK_STR("cba", order_of('g'));
    CHECK_EQ(0, moment('c', 't'));
    CHECK_EQ(WR_MS(100), moment('b', 't'));
    CHECK_EQ(WR_MS(300), moment('a', 't'));
    CHECK_EQ(WR_MS(600), moment('a', 'g'));
}

TEST(children_of_one_group_drain_at_once)
{
    struct rig rig;
    const struct wr_child children[] = { CHILD(a, 7), CHILD(b, 9), CHILD(c, 9) };
    a = (struct part){ .who = 'a', .drain_takes = WR_MS(10) };
    b = (struct part){ .who = 'b', .drain_takes = WR_MS(200) };
    c = (struct part){ .who = 'c', .drain_takes = WR_MS(100) };
    trace_open();
    rig_make(&rig, (struct wr_sup_conf){ .children = children, .count = 3 });
    rig_start(&rig);
    CHECK_EQ(WR_MS(210), rig_stop(&rig, WR_OK));
    CHECK_EQ(0, moment('b', 't'));
    CHECK_EQ(0, moment('c', 't'));
    CHECK_EQ(WR_MS(200), moment('a', 't'));
    CHECK_STR("cba", order_of('g'));
}

TEST(the_phase_is_draining_before_anybody_is_told)
{
    struct rig rig;
    a = b = c = (struct part){ .drain_takes = WR_MS(1) };
    three(&rig, (struct wr_sup_conf){ 0 });
    a.phase = b.phase = c.phase = wr_sup_phase(rig.sup);
    rig_start(&rig);
    rig_stop(&rig, WR_OK);
    CHECK_EQ(WR_PHASE_DRAINING, c.phase_when_told);
    CHECK_EQ(WR_PHASE_DRAINING, a.phase_when_told);
}

TEST(a_child_that_fails_while_it_drains_is_gone)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    c.fails_told = WR_MS(40);
    three(&rig, (struct wr_sup_conf){ 0 });
    rig_start(&rig);
    CHECK_EQ(WR_MS(40), rig_stop(&rig, WR_OK));
    CHECK_EQ(1, c.begun);
}

TEST(once_draining_nothing_is_started_again_told_or_not)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    b.fails_at = WR_MS(500);
    c.drain_takes = WR_S(2);
    three(&rig, (struct wr_sup_conf){ 0 });
    rig_start(&rig);
    CHECK_EQ(WR_S(2), rig_stop(&rig, WR_OK));
    CHECK_EQ(1, b.begun);
    CHECK_STR("ca", order_of('t'));
}

TEST(a_child_in_its_pause_does_not_hold_up_the_stop)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    c.fails_at = WR_MS(10);
    three(&rig, (struct wr_sup_conf){ .backoff_min = WR_S(4), .backoff_max = WR_S(4) });
    rig_start(&rig);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_EQ(WR_CHILD_BACKOFF, wr_sup_stat(rig.sup, 2).state);
    CHECK_EQ(WR_S(1), rig_stop(&rig, WR_OK));
    CHECK_EQ(1, c.begun);
}

TEST(a_pause_that_ends_while_others_drain_starts_nothing)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    b.fails_at = WR_MS(10);
    c.drain_takes = WR_S(2);
    three(&rig, (struct wr_sup_conf){ .backoff_min = WR_MS(500) });
    rig_start(&rig);
    CHECK_OK(wr_sleep(wr_after(WR_MS(100))));
    CHECK_EQ(WR_CHILD_BACKOFF, wr_sup_stat(rig.sup, 1).state);
    wr_sup_stop(rig.sup);
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    CHECK_EQ(WR_CHILD_STOPPED, wr_sup_stat(rig.sup, 1).state);
    CHECK_EQ(WR_MS(2100), rig_end(&rig, WR_OK));
    CHECK_EQ(1, b.begun);
}

/* ---- aborting ---- */

/* What the registry says; the names of the children are kinds of task. */
static long long aborted_total(const char *kind)
{
    return metric_value("tasks_aborted_total{kind=\"%s\"}", kind);
}

TEST(a_straggler_is_aborted_after_three_seconds_exactly_and_counted)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    c.deaf = true;
    three(&rig, (struct wr_sup_conf){ 0 });
    rig_start(&rig);
    long long before = aborted_total("c"), before_b = aborted_total("b");
    wr_sup_stop(rig.sup);
    CHECK_OK(wr_sleep(wr_after(WR_S(3) - 1)));
    struct wr_child_stat stat = wr_sup_stat(rig.sup, 2);
    CHECK_EQ(WR_CHILD_DRAINING, stat.state);
    CHECK(!stat.aborted);
    CHECK_EQ(trace.zero + WR_S(3), stat.next);
    CHECK_OK(wr_scope_join(rig.scope, WR_NEVER));
    CHECK(wr_sup_stat(rig.sup, 2).aborted);
    CHECK_EQ(before + 1, aborted_total("c"));
    CHECK_EQ(before_b + 1, aborted_total("b"));     /* no time was left for it either */
    CHECK_EQ(WR_S(3), rig_end(&rig, WR_TIMEOUT));
    CHECK_EQ(WR_S(3), moment('c', 'c'));
    CHECK_STR("cba", order_of('g'));                /* metrics last, aborted too */
}

TEST(the_deadline_is_for_all_groups_together)
{
    struct rig rig;
    a = b = c = (struct part){ .drain_takes = WR_S(2) };
    three(&rig, (struct wr_sup_conf){ .drain_within = WR_S(5) });
    rig_start(&rig);
    CHECK_EQ(WR_S(5), rig_stop(&rig, WR_TIMEOUT));
    CHECK_STR("cba", order_of('t'));
    CHECK_STR("a", order_of('c'));
    CHECK_EQ(WR_S(4), moment('a', 't'));
}

TEST(a_child_with_a_budget_of_its_own_leaves_time_for_the_others)
{
    struct rig rig;
    const struct wr_child children[] = {
        CHILD(a, 0),
        CHILD(b, 1),
        { .name = "c", .run = play, .arg = &c, .restart = WR_RESTART_ALWAYS, .group = 2,
          .stop_within = WR_MS(700) },
    };
    a = b = c = (struct part){ .drain_takes = WR_MS(100) };
    c.deaf = true;
    a.who = 'a', b.who = 'b', c.who = 'c';
    trace_open();
    rig_make(&rig, (struct wr_sup_conf){ .children = children, .count = 3 });
    a.phase = wr_sup_phase(rig.sup);
    rig_start(&rig);
    CHECK_EQ(WR_MS(900), rig_stop(&rig, WR_TIMEOUT));
    CHECK_EQ(WR_MS(700), moment('c', 'c'));
    CHECK_STR("ba", order_of('t'));
    CHECK_STR("c", order_of('c'));
    CHECK_EQ(WR_PHASE_DRAINING, a.phase_when_told);     /* one straggler is no abort of all */
}

TEST(a_second_stop_aborts_at_once_and_still_in_order)
{
    struct rig rig;
    a = b = c = (struct part){ .deaf = true };
    b.slow_to_die = WR_MS(50);
    three(&rig, (struct wr_sup_conf){ 0 });
    rig_start(&rig);
    wr_sup_stop(rig.sup);
    CHECK_OK(wr_sleep(wr_after(WR_MS(20))));
    CHECK_EQ(WR_MS(70), rig_stop(&rig, WR_TIMEOUT));
    CHECK_STR("cba", order_of('c'));
    CHECK_EQ(WR_MS(20), moment('c', 'c'));
    CHECK_EQ(WR_MS(20), moment('b', 'c'));
    CHECK_EQ(WR_MS(70), moment('a', 'c'));      /* only when b was really gone */
}

TEST(further_stops_change_nothing)
{
    struct rig rig;
    a = b = c = (struct part){ .deaf = true };
    three(&rig, (struct wr_sup_conf){ 0 });
    rig_start(&rig);
    for (int i = 0; i < 100; i++)
        wr_sup_stop(rig.sup);
    CHECK_EQ(0, rig_stop(&rig, WR_TIMEOUT));
}

TEST(a_child_that_ends_at_the_very_deadline_was_aborted_or_not_but_not_both)
{
    struct rig rig;
    a = b = c = (struct part){ 0 };
    a.drain_takes = WR_S(3);
    three(&rig, (struct wr_sup_conf){ 0 });
    rig_start(&rig);
    wr_sup_stop(rig.sup);
    CHECK_OK(wr_scope_join(rig.scope, WR_NEVER));
    bool aborted = wr_sup_stat(rig.sup, 0).aborted;
    CHECK_EQ(WR_S(3), rig_end(&rig, aborted ? WR_TIMEOUT : WR_OK));
    CHECK_STR("cba", order_of('g'));
}

TEST_PANICS(phases_and_aborts_are_logged_by_name,
            "level=info [^\n]*sup.phase service=logged phase=draining\n"
            ".*level=warn [^\n]*sup.aborted service=c phase=aborting\n"
            ".*level=info [^\n]*sup.phase service=logged phase=stopped\n")
{
    const struct wr_child children[] = { CHILD(a, 0), CHILD(c, 1) };
    struct wr_sup *sup;
    a = (struct part){ .who = 'a' };
    c = (struct part){ .who = 'c', .deaf = true, .stops = &sup };
    trace_open();
    REQUIRE_OK(wr_sup_new(&sup, &(struct wr_sup_conf){
        .name = "logged", .children = children, .count = 2 }));
    CHECK_ERR(WR_TIMEOUT, wr_sup_run(sup));
    wr_panic("the log is complete");
}

/* ---- nothing is lost ---- */

struct pipe { struct wr_chan *jobs; _Atomic int made, done; };

static wr_err produce(void *arg, struct wr_once *drain)
{
    struct pipe *pipe = arg;
    while (!wr_once_done(drain)) {
        wr_err err = wr_chan_send(pipe->jobs, &(int){ 1 }, WR_NEVER);
        if (err)
            return err;
        atomic_fetch_add(&pipe->made, 1);
    }
    return WR_OK;
}

static wr_err consume(void *arg, struct wr_once *drain)
{
    struct pipe *pipe = arg;
    int job;
    struct wr_case cases[] = { WR_CASE_RECV(pipe->jobs, &job), WR_CASE_ONCE(drain, NULL) };
    size_t which;
    wr_err err;
    while (!(err = wr_select(&which, cases, 2, WR_NEVER)) && which == 0) {
        err = wr_sleep(wr_after(WR_MS(7)));
        if (err)
            return err;
        atomic_fetch_add(&pipe->done, 1);
    }
    return err;
}

TEST(intake_stops_first_and_then_the_queue_is_emptied)
{
    struct pipe pipe = { 0 };
    struct rig rig;
    const struct wr_child children[] = {
        CHILD(a, 0),
        { "consume", consume, &pipe, WR_RESTART_ALWAYS, .group = 1 },
        { "consume", consume, &pipe, WR_RESTART_ALWAYS, .group = 1 },
        { "produce", produce, &pipe, WR_RESTART_ALWAYS, .group = 2 },
    };
    a = (struct part){ .who = 'a' };
    trace_open();
    REQUIRE_OK(wr_chan_new(&pipe.jobs, &(struct wr_chan_conf){
        .name = "test.jobs", .item_size = sizeof(int), .cap = 64, .policy = WR_WAIT }));
    rig_make(&rig, (struct wr_sup_conf){ .children = children, .count = 4 });
    rig_start(&rig);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    rig_stop(&rig, WR_OK);
    CHECK(pipe.made > 200);
    CHECK_EQ(pipe.made, pipe.done);
    wr_chan_free(pipe.jobs);
}
