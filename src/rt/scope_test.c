/* scope_test.c - who belongs to whom, and what becomes of errors.
 * Cancels are in scope_cancel_test.c, deadlines in scope_time_test.c, broken
 * rules in scope_rule_test.c. */
#include <weir/scope.h>

#include <stdatomic.h>

#include <weir/run.h>

#include "base/rand.h"
#include "testing/test.h"

static struct wr_scope *make(const char *name)
{
    struct wr_scope *scope = NULL;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = name, .deadline = WR_NEVER }));
    return scope;
}

static wr_err count_one(void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
    return WR_OK;
}

/* ---- joining ---- */

struct sleeper { wr_time span; atomic_int *ended; wr_err seen; };

static wr_err sleep_then_count(void *arg)
{
    struct sleeper *sleeper = arg;
    sleeper->seen = wr_sleep(wr_after(sleeper->span));
    atomic_fetch_add(sleeper->ended, 1);
    return sleeper->seen;
}

TEST(join_returns_when_the_last_task_has_ended_and_not_before)
{
    atomic_int ended = 0;
    struct sleeper sleepers[5];
    struct wr_scope *scope = make("join");
    wr_time start = wr_now();
    for (int i = 0; i < 5; i++) {
        sleepers[i] = (struct sleeper){ .span = WR_MS(i + 1), .ended = &ended };
        CHECK_OK(wr_scope_go(scope, "test.sleeper", sleep_then_count, &sleepers[i]));
    }
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_EQ(WR_MS(5), wr_now() - start);
    CHECK_EQ(5, ended);
    CHECK_OK(wr_scope_close(scope));
}

TEST(join_sees_everything_the_tasks_wrote)
{
    enum { TASKS = 500 };
    static struct sleeper sleepers[TASKS];
    atomic_int ended = 0;
    struct wr_scope *scope = make("writers");
    for (int i = 0; i < TASKS; i++) {
        sleepers[i] = (struct sleeper){ .ended = &ended, .seen = WR_BUSY };
        CHECK_OK(wr_scope_go(scope, "test.writer", sleep_then_count, &sleepers[i]));
    }
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    for (int i = 0; i < TASKS; i++)
        CHECK_OK(sleepers[i].seen);     /* plain memory: a race would be reported here */
    CHECK_OK(wr_scope_close(scope));
}

TEST(join_of_an_empty_scope_returns_at_once)
{
    struct wr_scope *scope = make("empty");
    wr_time start = wr_now();
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_join(scope, WR_NOW));
    CHECK_EQ(0, wr_now() - start);
    CHECK_OK(wr_scope_close(scope));
}

TEST(more_tasks_may_be_started_after_a_join)
{
    atomic_int count = 0;
    struct wr_scope *scope = make("rounds");
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < 10; i++)
            CHECK_OK(wr_scope_go(scope, "test.count", count_one, &count));
        CHECK_OK(wr_scope_join(scope, WR_NEVER));
        CHECK_EQ(10 * round, count);
    }
    CHECK_OK(wr_scope_close(scope));
}

TEST(join_that_runs_out_of_time_says_timeout_and_leaves_the_tasks_alone)
{
    atomic_int ended = 0;
    struct sleeper sleeper = { .span = WR_MS(10), .ended = &ended };
    struct wr_scope *scope = make("slow");
    wr_time start = wr_now();
    CHECK_OK(wr_scope_go(scope, "test.sleeper", sleep_then_count, &sleeper));
    CHECK_ERR(WR_TIMEOUT, wr_scope_join(scope, wr_after(WR_MS(4))));
    CHECK_EQ(WR_MS(4), wr_now() - start);
    CHECK_EQ(1, wr_scope_live(scope));
    CHECK_ERR(WR_TIMEOUT, wr_scope_join(scope, WR_NOW));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_EQ(WR_MS(10), wr_now() - start);
    CHECK_EQ(0, wr_scope_live(scope));
    CHECK_OK(sleeper.seen);
    CHECK_OK(wr_scope_close(scope));
}

static wr_err cancel_later(void *arg)
{
    CHECK_OK(wr_sleep(wr_after(WR_MS(3))));
    wr_scope_cancel(arg);
    return WR_OK;
}

TEST(join_is_cut_short_when_the_callers_own_scope_is_canceled)
{
    atomic_int ended = 0;
    struct sleeper sleeper = { .span = WR_S(1), .ended = &ended };
    struct wr_scope *side = make("side"), *outer = make("outer");
    wr_scope_enter(outer);
    struct wr_scope *inner = make("inner");
    wr_time start = wr_now();
    CHECK_OK(wr_scope_go(inner, "test.sleeper", sleep_then_count, &sleeper));
    CHECK_OK(wr_scope_go(side, "test.canceler", cancel_later, outer));
    CHECK_ERR(WR_CANCELED, wr_scope_join(inner, WR_NEVER));
    CHECK_EQ(WR_MS(3), wr_now() - start);
    CHECK_OK(wr_scope_close(inner));
    CHECK_ERR(WR_CANCELED, sleeper.seen);
    wr_scope_leave(outer);
    CHECK_OK(wr_scope_close(outer));
    CHECK_OK(wr_scope_close(side));
}

/* ---- closing ---- */

TEST(close_cancels_what_still_runs_and_waits_for_it)
{
    atomic_int ended = 0;
    struct sleeper sleepers[10];
    struct wr_scope *scope = make("close");
    wr_time start = wr_now();
    for (int i = 0; i < 10; i++) {
        sleepers[i] = (struct sleeper){ .span = WR_S(100), .ended = &ended };
        CHECK_OK(wr_scope_go(scope, "test.sleeper", sleep_then_count, &sleepers[i]));
    }
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(10, ended);
    CHECK_EQ(WR_MS(1), wr_now() - start);
    for (int i = 0; i < 10; i++)
        CHECK_ERR(WR_CANCELED, sleepers[i].seen);
}

TEST(closing_nothing_is_fine)
{
    CHECK_OK(wr_scope_close(NULL));
}

/* ---- errors ---- */

struct failing { wr_time after; wr_err err; };

static wr_err fail_after(void *arg)
{
    struct failing *failing = arg;
    wr_err err = wr_sleep(wr_after(failing->after));
    return err ? err : failing->err;
}

TEST(the_first_error_cancels_the_siblings_and_is_what_join_returns)
{
    atomic_int ended = 0;
    struct sleeper sleeper = { .span = WR_S(100), .ended = &ended };
    struct failing failing = { WR_MS(2), WR_INVALID };
    struct wr_scope *scope = make("group");
    wr_time start = wr_now();
    CHECK_OK(wr_scope_go(scope, "test.sleeper", sleep_then_count, &sleeper));
    CHECK_OK(wr_scope_go(scope, "test.failing", fail_after, &failing));
    CHECK_ERR(WR_INVALID, wr_scope_join(scope, WR_NEVER));
    CHECK_EQ(WR_MS(2), wr_now() - start);
    CHECK_ERR(WR_CANCELED, sleeper.seen);
    CHECK_ERR(WR_INVALID, wr_scope_join(scope, WR_NOW));
    CHECK_ERR(WR_INVALID, wr_scope_close(scope));
}

/* Returns an error of its own when it is canceled. */
static wr_err fail_on_cancel(void *arg)
{
    CHECK_ERR(WR_CANCELED, wr_sleep(WR_NEVER));
    return *(wr_err *)arg;
}

TEST(a_later_error_does_not_replace_the_first)
{
    wr_err second = WR_DENIED;
    struct failing first = { WR_MS(2), WR_INVALID };
    struct wr_scope *scope = make("group");
    CHECK_OK(wr_scope_go(scope, "test.second", fail_on_cancel, &second));
    CHECK_OK(wr_scope_go(scope, "test.first", fail_after, &first));
    CHECK_ERR(WR_INVALID, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_INVALID, wr_scope_close(scope));
}

TEST(canceled_from_a_task_that_was_canceled_is_no_error)
{
    wr_err obedient = WR_CANCELED;
    struct wr_scope *scope = make("group");
    CHECK_OK(wr_scope_go(scope, "test.obedient", fail_on_cancel, &obedient));
    CHECK_OK(wr_yield());
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
}

TEST(another_error_from_a_task_that_was_canceled_is_one)
{
    wr_err stubborn = WR_IO;
    struct wr_scope *scope = make("group");
    CHECK_OK(wr_scope_go(scope, "test.stubborn", fail_on_cancel, &stubborn));
    CHECK_OK(wr_yield());
    wr_scope_cancel(scope);
    CHECK_ERR(WR_IO, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_IO, wr_scope_close(scope));
}

TEST(canceled_from_a_task_that_nobody_canceled_is_an_error)
{
    struct failing failing = { WR_MS(1), WR_CANCELED };
    struct wr_scope *scope = make("group");
    CHECK_OK(wr_scope_go(scope, "test.failing", fail_after, &failing));
    CHECK_ERR(WR_CANCELED, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_CANCELED, wr_scope_close(scope));
}

TEST(an_error_stops_at_its_scope)
{
    struct failing failing = { WR_MS(1), WR_IO };
    struct wr_scope *outer = make("outer");
    wr_scope_enter(outer);
    struct wr_scope *inner = make("inner");
    CHECK_OK(wr_scope_go(inner, "test.failing", fail_after, &failing));
    CHECK_ERR(WR_IO, wr_scope_join(inner, WR_NEVER));
    CHECK_ERR(WR_IO, wr_scope_close(inner));
    CHECK_OK(wr_scope_check());         /* nobody canceled the one above */
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    wr_scope_leave(outer);
    CHECK_OK(wr_scope_close(outer));
}

/* ---- starting tasks ---- */

TEST(a_task_that_was_accepted_runs_even_when_canceled_before_it_begins)
{
    atomic_int count = 0;
    struct wr_scope *scope = make("doomed");
    for (int i = 0; i < 5; i++)
        CHECK_OK(wr_scope_go(scope, "test.count", count_one, &count));
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(5, count);
}

TEST(a_canceled_scope_takes_no_more_tasks_and_the_argument_stays)
{
    atomic_int count = 0;
    struct wr_scope *scope = make("canceled");
    wr_scope_cancel(scope);
    CHECK_ERR(WR_CANCELED, wr_scope_go(scope, "test.count", count_one, &count));
    CHECK_EQ(0, wr_scope_live(scope));
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(0, count);
}

TEST(a_scope_in_which_a_task_failed_takes_no_more_tasks)
{
    atomic_int count = 0;
    struct failing failing = { WR_MS(1), WR_IO };
    struct wr_scope *scope = make("failed");
    CHECK_OK(wr_scope_go(scope, "test.failing", fail_after, &failing));
    CHECK_ERR(WR_IO, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_CANCELED, wr_scope_go(scope, "test.count", count_one, &count));
    CHECK_ERR(WR_IO, wr_scope_close(scope));
    CHECK_EQ(0, count);
}

struct grown { struct wr_scope *scope; atomic_int left, ran; };

static wr_err start_two_more(void *arg)
{
    struct grown *grown = arg;
    atomic_fetch_add(&grown->ran, 1);
    for (int i = 0; i < 2; i++)
        if (atomic_fetch_sub(&grown->left, 1) > 0)
            CHECK_OK(wr_scope_go(grown->scope, "test.grower", start_two_more, grown));
    return WR_OK;
}

TEST(tasks_of_a_scope_may_start_more_in_it_and_join_waits_for_all)
{
    struct grown grown = { .scope = make("grown"), .left = 300 };
    CHECK_OK(wr_scope_go(grown.scope, "test.grower", start_two_more, &grown));
    CHECK_OK(wr_scope_join(grown.scope, WR_NEVER));
    CHECK_EQ(301, grown.ran);
    CHECK_OK(wr_scope_close(grown.scope));
}

/* Runs two scopes further down and starts a task in the top one. */
static wr_err start_at_the_top(void *arg)
{
    struct grown *grown = arg;
    if (wr_scope_self() == grown->scope) {
        struct wr_scope *below = make("below");
        CHECK_OK(wr_scope_go(below, "test.deeper", start_at_the_top, grown));
        CHECK_OK(wr_scope_join(below, WR_NEVER));
        return wr_scope_close(below);
    }
    return wr_scope_go(grown->scope, "test.count", count_one, &grown->ran);
}

TEST(a_fiber_further_below_may_start_tasks_too)
{
    struct grown grown = { .scope = make("top") };
    CHECK_OK(wr_scope_go(grown.scope, "test.deep", start_at_the_top, &grown));
    CHECK_OK(wr_scope_join(grown.scope, WR_NEVER));
    CHECK_EQ(1, grown.ran);
    CHECK_OK(wr_scope_close(grown.scope));
}

TEST(live_counts_the_tasks_that_have_not_ended)
{
    atomic_int ended = 0;
    struct sleeper sleepers[3];
    struct wr_scope *scope = make("live");
    CHECK_EQ(0, wr_scope_live(scope));
    for (int i = 0; i < 3; i++) {
        sleepers[i] = (struct sleeper){ .span = WR_MS(10 * (i + 1)), .ended = &ended };
        CHECK_OK(wr_scope_go(scope, "test.sleeper", sleep_then_count, &sleepers[i]));
        CHECK_EQ(i + 1, wr_scope_live(scope));
    }
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(3 - i, wr_scope_live(scope));
        CHECK_OK(wr_sleep(sleepers[i].span + WR_S(1000) + WR_MS(1)));
    }
    CHECK_EQ(0, wr_scope_live(scope));
    CHECK_OK(wr_scope_close(scope));
}

static wr_err return_at_once(void *arg)
{
    (void)arg;
    return WR_OK;
}

static wr_err count_live(void *arg)
{
    *(size_t *)arg = wr_scope_live(wr_scope_self());
    return WR_OK;
}

static wr_err count_behind_others(void *arg)
{
    struct wr_scope *scope = make("live");
    for (int i = 0; i < 10; i++)
        CHECK_OK(wr_scope_go(scope, "test.short", return_at_once, NULL));
    CHECK_OK(wr_scope_go(scope, "test.counts", count_live, arg));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    return wr_scope_close(scope);
}

TEST_PLAIN(live_does_not_count_a_task_that_ended_just_before_on_the_same_worker)
{
    size_t live = 0;
    struct wr_run_conf conf = { .workers = 1, .virtual_clock = true };
    CHECK_OK(wr_run(&conf, count_behind_others, &live));
    CHECK_EQ(1, live);                  /* the one that asks */
}

/* ---- new scopes ---- */

static wr_err make_in_canceled(void *arg)
{
    struct wr_scope *scope = arg;
    CHECK_ERR(WR_CANCELED, wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "late", .deadline = WR_NEVER }));
    CHECK(scope == arg);                /* untouched on failure */
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "shield", .deadline = wr_after(WR_S(1)), .shield = true }));
    return wr_scope_close(scope);
}

TEST(a_canceled_scope_gets_no_scope_below_it_unless_it_is_a_shield)
{
    struct wr_scope *scope = make("canceled");
    CHECK_OK(wr_scope_go(scope, "test.maker", make_in_canceled, scope));
    wr_scope_cancel(scope);
    CHECK_OK(wr_scope_close(scope));
}

TEST(scopes_may_be_five_hundred_deep_and_a_cancel_reaches_the_bottom)
{
    enum { DEEP = 500 };
    static struct wr_scope *scopes[DEEP + 1];
    int depth = 0;
    wr_err err = WR_OK;
    while (depth <= DEEP && !err) {
        err = wr_scope_new(&scopes[depth], &(struct wr_scope_conf){
            .name = "deep", .deadline = WR_NEVER });
        if (!err)
            wr_scope_enter(scopes[depth++]);
    }
    CHECK_ERR(WR_BUSY, err);
    CHECK(depth > DEEP - 5 && depth <= DEEP);       /* the run's own are above */
    wr_scope_cancel(scopes[0]);
    CHECK_ERR(WR_CANCELED, wr_scope_check());
    while (depth-- > 0) {
        wr_scope_leave(scopes[depth]);
        CHECK_OK(wr_scope_close(scopes[depth]));
    }
    CHECK_OK(wr_scope_check());
}

static wr_err check_self(void *arg)
{
    CHECK(wr_scope_self() == arg);
    return WR_OK;
}

TEST(self_is_the_scope_the_task_was_started_in)
{
    struct wr_scope *scope = make("own");
    CHECK(wr_scope_self() != scope);
    CHECK_OK(wr_scope_go(scope, "test.self", check_self, scope));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
}

/* ---- many at once ---- */

static wr_err do_something(void *arg)
{
    struct wr_rand rand;
    wr_rand_seed(&rand, (uint64_t)(uintptr_t)arg);
    for (int i = 0; i < 4; i++) {
        uint64_t dice = wr_rand_below(&rand, 10);
        wr_err err = dice < 6 ? wr_yield() : wr_sleep(wr_after((wr_time)dice * 100));
        if (err)
            return err;
        if (dice == 9)
            return WR_IO;
    }
    return WR_OK;
}

TEST(a_scope_ends_clean_whatever_race_of_errors_cancels_and_ends_it_has_seen)
{
    for (uintptr_t round = 0; round < 300; round++) {
        struct wr_scope *scope = make("race");
        for (uintptr_t i = 0; i < 6; i++) {
            wr_err err = wr_scope_go(scope, "test.racer", do_something,
                                     (void *)(round * 6 + i + 1));
            CHECK(err == WR_OK || err == WR_CANCELED);
        }
        if (round % 3 == 0)
            wr_scope_cancel(scope);
        if (round % 3 == 1) {
            wr_err err = wr_scope_join(scope, WR_NEVER);
            CHECK(err == WR_OK || err == WR_IO);
            CHECK_EQ(0, wr_scope_live(scope));
        }
        wr_err err = wr_scope_close(scope);
        CHECK(err == WR_OK || err == WR_IO);
    }
}

/* ---- independent tasks ---- */

static wr_err fail_at_once(void *arg)
{
    (void)arg;
    return WR_IO;
}

static wr_err panic_at_once(void *arg)
{
    (void)arg;
    wr_panic("alone");
}

static wr_err sleep_a_second(void *arg)
{
    wr_err err = wr_sleep(wr_after(WR_S(1)));
    *(wr_err *)arg = err;
    return err;
}

TEST(in_an_independent_scope_the_others_go_on_and_the_first_error_is_kept)
{
    struct wr_scope *scope;
    wr_err slept = WR_CANCELED;
    wr_time before = wr_now();
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "test.loose", .deadline = WR_NEVER, .independent = true }));
    CHECK_OK(wr_scope_go(scope, "test.sleeper", sleep_a_second, &slept));
    CHECK_OK(wr_scope_go(scope, "test.failing", fail_at_once, NULL));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    CHECK_OK(wr_scope_go(scope, "test.panicking", panic_at_once, NULL));
    CHECK_ERR(WR_IO, wr_scope_join(scope, WR_NEVER));
    CHECK_EQ(WR_S(1), wr_now() - before);
    CHECK_OK(slept);
    CHECK_ERR(WR_IO, wr_scope_close(scope));
}
