#include <weir/sup.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "testing/metric_rig.h"

/* ---- children that do as their part says ---- */

struct part {
    wr_err result;          /* what it returns while `times` lasts */
    _Atomic int times;      /* how often it ends by itself; then it waits to be told */
    wr_time after;          /* it runs for this long first */
    bool panics;            /* instead of returning */
    _Atomic int begun;
};

static wr_err play(void *arg, struct wr_once *drain)
{
    struct part *part = arg;
    atomic_fetch_add(&part->begun, 1);
    if (atomic_fetch_sub(&part->times, 1) <= 0)
        return wr_once_wait(drain, NULL, WR_NEVER);
    if (part->after) {
        wr_err err = wr_sleep(wr_after(part->after));
        if (err)
            return err;
    }
    if (part->panics)
        wr_panic("as its part says");
    return part->result;
}

/* ---- a supervisor in a task of its own ---- */

struct rig {
    struct wr_sup *sup;
    struct wr_scope *scope;
    struct wr_bcast_reader events;
    wr_err result;
};

static wr_err run_sup(void *arg)
{
    struct rig *rig = arg;
    rig->result = wr_sup_run(rig->sup);
    return WR_OK;
}

static void rig_start(struct rig *rig, struct wr_sup_conf conf)
{
    conf.name = "test";
    conf.quiet = true;
    *rig = (struct rig){ 0 };
    CHECK_OK(wr_sup_new(&rig->sup, &conf));
    rig->events = wr_bcast_reader(wr_sup_events(rig->sup));
    CHECK_OK(wr_scope_new(&rig->scope, &(struct wr_scope_conf){ .name = "test",
                                                                .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(rig->scope, "test.sup", run_sup, rig));
}

static void rig_stop(struct rig *rig)
{
    wr_sup_stop(rig->sup);
    CHECK_OK(wr_scope_join(rig->scope, WR_NEVER));
    CHECK_OK(rig->result);
    CHECK_OK(wr_scope_close(rig->scope));
    wr_sup_free(rig->sup);
}

/* The next event in which the child has come to this state. */
static struct wr_child_stat next_in(struct rig *rig, size_t child, enum wr_child_state state)
{
    struct wr_child_stat stat;
    do {
        wr_err err = wr_bcast_recv(&rig->events, &stat, wr_after(WR_S(1000)));
        if (!CHECK_OK(err))
            return (struct wr_child_stat){ 0 };
    } while (stat.index != child || stat.state != state);
    return stat;
}

/* How long the pause after its next failure is. */
static wr_time next_pause(struct rig *rig, size_t child)
{
    struct wr_child_stat failed = next_in(rig, child, WR_CHILD_BACKOFF);
    struct wr_child_stat back = next_in(rig, child, WR_CHILD_RUNNING);
    CHECK_EQ(failed.next, back.since);
    return back.since - failed.since;
}

#define CHILDREN(...) \
    .children = (struct wr_child[]){ __VA_ARGS__ }, \
    .count = sizeof((struct wr_child[]){ __VA_ARGS__ }) / sizeof(struct wr_child)
#define CHILD(name_, run_, arg_, policy) \
    { .name = (name_), .run = (run_), .arg = (arg_), .restart = WR_RESTART_##policy }
#define STEADY .backoff_min = WR_MS(100), .backoff_max = WR_MS(100)

/* ---- the pause ---- */

TEST(the_first_pause_is_drawn_from_100_to_500_ms)
{
    enum { COUNT = 64 };
    static struct part parts[COUNT];
    static struct wr_child children[COUNT];
    for (int i = 0; i < COUNT; i++) {
        parts[i] = (struct part){ .result = WR_IO, .times = 1 };
        children[i] = (struct wr_child)CHILD("part", play, &parts[i], ALWAYS);
    }
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){ .children = children, .count = COUNT });
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    wr_time lowest = WR_NEVER, highest = 0, start = wr_now() - WR_S(1);
    for (size_t i = 0; i < COUNT; i++) {
        struct wr_child_stat stat = wr_sup_stat(rig.sup, i);
        CHECK_EQ(WR_CHILD_RUNNING, stat.state);
        CHECK_EQ(1, stat.restarts);
        lowest = stat.since - start < lowest ? stat.since - start : lowest;
        highest = stat.since - start > highest ? stat.since - start : highest;
    }
    CHECK(lowest >= WR_MS(100) && highest <= WR_MS(500));
    CHECK(highest - lowest > WR_MS(200));   /* 64 draws that agree better: one in 10^16 */
    rig_stop(&rig);
}

TEST(the_pause_doubles_up_to_its_cap)
{
    struct part part = { .result = WR_IO, .times = 8 };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", play, &part, ALWAYS)), STEADY,
        .backoff_cap = WR_S(1), .restarts_max = 100 });
    CHECK_EQ(WR_MS(100), next_pause(&rig, 0));
    CHECK_EQ(WR_MS(200), next_pause(&rig, 0));
    CHECK_EQ(WR_MS(400), next_pause(&rig, 0));
    wr_time fourth = next_pause(&rig, 0);
    CHECK(fourth >= WR_MS(500) && fourth <= WR_MS(800));
    for (int i = 0; i < 4; i++) {
        wr_time pause = next_pause(&rig, 0);
        CHECK(pause >= WR_MS(500) && pause <= WR_S(1));
    }
    rig_stop(&rig);
}

TEST(both_ends_of_the_window_grow)
{
    struct part part = { .result = WR_IO, .times = 50 };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", play, &part, ALWAYS)), .backoff_min = WR_MS(1),
        .backoff_max = WR_S(1), .backoff_cap = WR_S(1), .restarts_max = 100 });
    for (int i = 0; i < 50; i++) {
        wr_time pause = next_pause(&rig, 0);
        CHECK(pause <= WR_S(1));
        if (i >= 9)
            CHECK(pause >= WR_MS(500));
    }
    rig_stop(&rig);
}

TEST(the_pause_is_short_again_after_a_quiet_period)
{
    struct part part = { .result = WR_IO, .times = 3, .after = WR_S(10) - WR_MS(100) };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", play, &part, ALWAYS)), STEADY,
        .restarts_within = WR_S(10) });
    for (int i = 0; i < 3; i++)
        CHECK_EQ(WR_MS(100), next_pause(&rig, 0));
    rig_stop(&rig);
}

TEST(the_pause_doubles_when_the_last_failure_is_not_quite_past)
{
    struct part part = { .result = WR_IO, .times = 2, .after = WR_S(10) - WR_MS(100) - 1 };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", play, &part, ALWAYS)), STEADY,
        .restarts_within = WR_S(10) });
    CHECK_EQ(WR_MS(100), next_pause(&rig, 0));
    CHECK_EQ(WR_MS(200), next_pause(&rig, 0));
    rig_stop(&rig);
}

/* ---- restarted too often ---- */

TEST(five_restarts_in_a_minute_are_fine_and_the_sixth_marks_it_degraded)
{
    struct part part = { .result = WR_IO, .times = 6 };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", play, &part, ALWAYS)) });
    for (int i = 0; i < 5; i++) {
        struct wr_child_stat failed = next_in(&rig, 0, WR_CHILD_BACKOFF);
        CHECK(!failed.degraded);
        CHECK_EQ(WR_HEALTH_UNREADY, failed.health);
        CHECK_EQ(i, failed.restarts);
        CHECK_EQ(WR_HEALTH_READY, next_in(&rig, 0, WR_CHILD_RUNNING).health);
    }
    struct wr_child_stat sixth = next_in(&rig, 0, WR_CHILD_BACKOFF);
    CHECK(sixth.degraded);
    CHECK_EQ(WR_HEALTH_DEGRADED, sixth.health);
    struct wr_child_stat back = next_in(&rig, 0, WR_CHILD_RUNNING);
    CHECK_EQ(6, back.restarts);
    CHECK_EQ(WR_HEALTH_DEGRADED, back.health);
    CHECK_ERR(WR_IO, back.err);
    rig_stop(&rig);
}

TEST(a_degraded_child_is_ready_again_after_a_quiet_minute_to_the_nanosecond)
{
    struct part part = { .result = WR_IO, .times = 6 };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", play, &part, ALWAYS)) });
    struct wr_child_stat stat;
    do
        stat = next_in(&rig, 0, WR_CHILD_RUNNING);
    while (!stat.degraded);
    wr_time start = stat.since;
    CHECK_EQ(start + WR_S(60), stat.next);
    stat = next_in(&rig, 0, WR_CHILD_RUNNING);
    CHECK_EQ(start + WR_S(60), wr_now());
    CHECK(!stat.degraded);
    CHECK_EQ(WR_HEALTH_READY, stat.health);
    CHECK_EQ(start, stat.since);        /* it ran all the time */
    CHECK_EQ(WR_NEVER, stat.next);
    rig_stop(&rig);
}

TEST(a_degraded_child_that_fails_again_waits_another_minute_and_the_longest_pause)
{
    struct part part = { .result = WR_IO, .times = 9, .after = WR_S(4) };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", play, &part, ALWAYS)) });
    struct wr_child_stat stat;
    for (int i = 0; i < 5; i++)
        CHECK(!next_in(&rig, 0, WR_CHILD_BACKOFF).degraded);
    for (int i = 0; i < 4; i++) {
        wr_time pause = next_pause(&rig, 0);
        CHECK(pause >= WR_MS(2500) && pause <= WR_S(5));
        stat = wr_sup_stat(rig.sup, 0);
        CHECK(stat.degraded);
    }
    wr_time start = stat.since;
    CHECK(!next_in(&rig, 0, WR_CHILD_RUNNING).degraded);
    CHECK_EQ(start + WR_S(60), wr_now());
    rig_stop(&rig);
}

TEST(a_degraded_child_that_is_done_rests)
{
    struct part part = { .result = WR_IO, .times = 7 };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", play, &part, ON_ERROR)) });
    for (int i = 0; i < 6; i++)
        (void)next_in(&rig, 0, WR_CHILD_BACKOFF);
    part.result = WR_OK;
    struct wr_child_stat stat = next_in(&rig, 0, WR_CHILD_DOWN);
    CHECK(stat.degraded);
    CHECK_EQ(WR_NEVER, stat.next);
    CHECK_OK(wr_sleep(wr_after(WR_S(100))));
    CHECK_EQ(WR_CHILD_DOWN, wr_sup_stat(rig.sup, 0).state);
    rig_stop(&rig);
}

TEST(restarts_that_are_spread_wider_than_the_period_do_not_degrade)
{
    struct part part = { .result = WR_IO, .times = 50, .after = WR_S(12) };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", play, &part, ALWAYS)) });
    for (int i = 0; i < 50; i++)
        CHECK(!next_in(&rig, 0, WR_CHILD_BACKOFF).degraded);
    rig_stop(&rig);
}

TEST(under_give_up_the_sixth_failure_leaves_it_down)
{
    struct part part = { .result = WR_IO, .times = 100 }, other = { 0 };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", play, &part, ALWAYS),
                 CHILD("other", play, &other, ALWAYS)), .give_up = true });
    struct wr_child_stat stat = next_in(&rig, 0, WR_CHILD_DOWN);
    CHECK_EQ(5, stat.restarts);
    CHECK_EQ(6, part.begun);
    CHECK(stat.degraded);
    CHECK_EQ(WR_HEALTH_UNREADY, stat.health);
    CHECK_OK(wr_sleep(wr_after(WR_S(3600))));
    CHECK_EQ(6, part.begun);
    CHECK_EQ(WR_HEALTH_READY, wr_sup_stat(rig.sup, 1).health);
    rig_stop(&rig);
}

/* ---- when it is started again ---- */

TEST(always_starts_again_whatever_it_returned)
{
    struct part part = { .result = WR_OK, .times = 1 };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", play, &part, ALWAYS)) });
    CHECK_OK(next_in(&rig, 0, WR_CHILD_BACKOFF).err);
    next_in(&rig, 0, WR_CHILD_RUNNING);
    CHECK_EQ(2, part.begun);
    rig_stop(&rig);
}

TEST(on_error_takes_ok_for_done_and_anything_else_for_a_failure)
{
    struct part good = { .result = WR_OK, .times = 1 }, bad = { .result = WR_IO, .times = 1 };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("good", play, &good, ON_ERROR),
                 CHILD("bad", play, &bad, ON_ERROR)) });
    CHECK_OK(wr_sleep(wr_after(WR_S(100))));
    CHECK_EQ(1, good.begun);
    CHECK_EQ(WR_CHILD_DOWN, wr_sup_stat(rig.sup, 0).state);
    CHECK_EQ(WR_HEALTH_READY, wr_sup_stat(rig.sup, 0).health);
    CHECK_EQ(2, bad.begun);
    CHECK_EQ(WR_CHILD_RUNNING, wr_sup_stat(rig.sup, 1).state);
    rig_stop(&rig);
}

TEST(never_is_never)
{
    struct part part = { .result = WR_IO, .times = 1 };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", play, &part, NEVER)) });
    CHECK_OK(wr_sleep(wr_after(WR_S(100))));
    struct wr_child_stat stat = wr_sup_stat(rig.sup, 0);
    CHECK_EQ(1, part.begun);
    CHECK_EQ(WR_CHILD_DOWN, stat.state);
    CHECK_EQ(WR_HEALTH_UNREADY, stat.health);
    CHECK_ERR(WR_IO, stat.err);
    rig_stop(&rig);
}

/* ---- panics ---- */

TEST(a_panic_ends_the_child_alone_and_it_is_started_again)
{
    struct part part = { .times = 2, .panics = true }, other = { 0 };
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", play, &part, ON_ERROR),
                 CHILD("other", play, &other, ALWAYS)) });
    CHECK_ERR(WR_PANIC, next_in(&rig, 0, WR_CHILD_BACKOFF).err);
    CHECK_OK(wr_sleep(wr_after(WR_S(10))));
    CHECK_EQ(3, part.begun);
    CHECK_EQ(WR_CHILD_RUNNING, wr_sup_stat(rig.sup, 0).state);
    CHECK_EQ(1, other.begun);
    CHECK_EQ(0, wr_sup_stat(rig.sup, 1).restarts);
    rig_stop(&rig);
}

TEST(a_thousand_children_that_fail_at_once_all_come_back)
{
    enum { COUNT = 1000 };
    static struct part parts[COUNT];
    static struct wr_child children[COUNT];
    for (int i = 0; i < COUNT; i++) {
        parts[i] = (struct part){ .result = WR_IO, .times = 3, .after = WR_MS(10) };
        children[i] = (struct wr_child)CHILD("crowd", play, &parts[i], ALWAYS);
    }
    struct rig rig;
    rig_start(&rig, (struct wr_sup_conf){ .children = children, .count = COUNT, STEADY });
    CHECK_OK(wr_sleep(wr_after(WR_S(10))));
    for (size_t i = 0; i < COUNT; i++) {
        struct wr_child_stat stat = wr_sup_stat(rig.sup, i);
        if (!CHECK_EQ(WR_CHILD_RUNNING, stat.state) || !CHECK_EQ(3, stat.restarts)
            || !CHECK_EQ(4, parts[i].begun))
            break;
    }
    rig_stop(&rig);
}

/* ---- what belongs to a child ---- */

static _Atomic bool lingered;

static wr_err linger(void *arg)
{
    (void)arg;
    wr_err err = wr_sleep(wr_after(WR_S(7)));
    lingered = true;
    return err;
}

static wr_err fail_later(void *arg)
{
    (void)arg;
    wr_err err = wr_sleep(wr_after(WR_S(7)));
    return err ? err : WR_QUARANTINE;
}

static wr_err start_linger(void *arg, struct wr_once *drain)
{
    (void)arg;
    (void)drain;
    return wr_scope_go(wr_scope_self(), "test.linger", linger, NULL);
}

static wr_err start_failing(void *arg, struct wr_once *drain)
{
    bool first = atomic_fetch_add((_Atomic int *)arg, 1) == 0;
    wr_err err = WR_OK;
    if (first)
        err = wr_scope_go(wr_scope_self(), "test.failing", fail_later, NULL);
    return err ? err : wr_once_wait(drain, NULL, WR_NEVER);
}

TEST(a_child_is_gone_when_the_tasks_it_started_are)
{
    struct rig rig;
    lingered = false;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", start_linger, NULL, NEVER)) });
    struct wr_child_stat began = next_in(&rig, 0, WR_CHILD_RUNNING);
    struct wr_child_stat gone = next_in(&rig, 0, WR_CHILD_DOWN);
    CHECK_EQ(WR_S(7), gone.since - began.since);
    CHECK(lingered);
    rig_stop(&rig);
}

TEST(a_child_fails_when_a_task_it_started_does)
{
    struct rig rig;
    _Atomic int begun = 0;
    rig_start(&rig, (struct wr_sup_conf){
        CHILDREN(CHILD("part", start_failing, &begun, ALWAYS)) });
    CHECK_ERR(WR_QUARANTINE, next_in(&rig, 0, WR_CHILD_BACKOFF).err);
    next_in(&rig, 0, WR_CHILD_RUNNING);
    CHECK_EQ(2, begun);
    rig_stop(&rig);
}

/* ---- counting ---- */

TEST(restarts_are_counted_per_service_over_supervisors)
{
    for (int round = 1; round <= 2; round++) {
        struct part part = { .result = WR_IO, .times = 3 };
        struct rig rig;
        rig_start(&rig, (struct wr_sup_conf){
            CHILDREN(CHILD("counted", play, &part, ALWAYS)) });
        CHECK_OK(wr_sleep(wr_after(WR_S(100))));
        CHECK_EQ(3, wr_sup_stat(rig.sup, 0).restarts);
        rig_stop(&rig);
        CHECK_EQ(3 * round, metric_value("service_restarts_total{service=\"counted\"}"));
        CHECK_EQ(4 * round, metric_value("tasks_spawned_total{kind=\"counted\"}"));
    }
}

/* Its own supervisor, which is not quiet, and a child that ends the test. */
static wr_err stop_after_quiet(void *arg, struct wr_once *drain)
{
    wr_err err = wr_once_wait(drain, NULL, wr_after(WR_S(600)));
    if (err == WR_TIMEOUT)
        wr_sup_stop(*(struct wr_sup **)arg);
    return WR_OK;
}

TEST_PANICS(failures_are_logged_with_their_service_and_reason,
            "level=warn [^\n]*sup.failed service=part err=Io restarts=0 again_in_ms=100\n"
            ".*level=error [^\n]*sup.degraded service=part err=Io restarts=5\n"
            ".*level=info [^\n]*sup.recovered service=part\n")
{
    struct part part = { .result = WR_IO, .times = 6, .after = WR_S(1) };
    struct wr_sup *sup;
    const struct wr_child children[] = {
        CHILD("part", play, &part, ALWAYS), CHILD("end", stop_after_quiet, &sup, NEVER),
    };
    REQUIRE_OK(wr_sup_new(&sup, &(struct wr_sup_conf){
        .name = "logged", .children = children, .count = 2, STEADY }));
    CHECK_OK(wr_sup_run(sup));
    wr_panic("the log is complete");
}

TEST_PANICS(giving_up_is_logged_as_an_error,
            "level=error [^\n]*sup.gave_up service=part err=Io ")
{
    struct part part = { .result = WR_IO, .times = 6 };
    struct wr_sup *sup;
    const struct wr_child children[] = {
        CHILD("part", play, &part, ALWAYS), CHILD("end", stop_after_quiet, &sup, NEVER),
    };
    REQUIRE_OK(wr_sup_new(&sup, &(struct wr_sup_conf){
        .name = "logged", .children = children, .count = 2, .give_up = true }));
    CHECK_OK(wr_sup_run(sup));
    wr_panic("the log is complete");
}

TEST(every_state_and_phase_has_a_name)
{
    for (int i = WR_CHILD_NEW; i <= WR_CHILD_STOPPED; i++)
        CHECK(strlen(wr_sup_state_name((enum wr_child_state)i)) > 2);
    for (int i = WR_PHASE_RUNNING; i <= WR_PHASE_STOPPED; i++)
        CHECK(strlen(wr_sup_phase_name((enum wr_phase)i)) > 2);
}
