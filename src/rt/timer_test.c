#include <weir/timer.h>

#include <stdlib.h>
#include <string.h>

#include <weir/offload.h>
#include <weir/run.h>
#include <weir/select.h>

#include "base/rand.h"
#include "rt/rt_int.h"
#include "testing/settle.h"
#include "testing/test.h"

#define TICK ((wr_time)1 << 14)     /* of the wheel; within one the order is that of arming */
#define YEAR (WR_S(86400) * 365)

/* ---- the wheel by itself ---- */

static struct wheel wheel;

static void wheel_reset(wr_time now)
{
    memset(&wheel, 0, sizeof(wheel));
    CHECK(wr_wheel_pop(&wheel, now) == NULL);
}

TEST_PLAIN(an_empty_wheel_has_nothing_due_and_no_next_moment)
{
    wheel_reset(0);
    CHECK(wr_wheel_pop(&wheel, WR_S(1)) == NULL);
    CHECK_EQ(WR_NEVER, wr_wheel_next(&wheel, true));
}

TEST_PLAIN(a_timer_is_popped_at_its_deadline_and_not_a_nanosecond_before)
{
    static const wr_time spans[] = { 1, 1023, TICK - 1, TICK, TICK + 1, WR_US(66), WR_MS(4),
                                     WR_MS(5), WR_S(1), WR_S(3600), YEAR };
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        struct wr_timer timer = { 0 };
        wr_time start = WR_S(1000) + 7;
        wheel_reset(start);
        wr_wheel_arm(&wheel, &timer, start + spans[i]);
        CHECK_EQ(start + spans[i], wr_wheel_next(&wheel, true));
        CHECK(wr_wheel_pop(&wheel, start + spans[i] - 1) == NULL);
        CHECK(wr_wheel_pop(&wheel, start + spans[i]) == &timer);
        CHECK_EQ(TIMER_DUE, timer.state);
        CHECK_EQ(0, wheel.count);
        CHECK(wr_wheel_pop(&wheel, start + spans[i]) == NULL);
    }
}

TEST_PLAIN(a_deadline_in_the_past_is_due_at_once)
{
    struct wr_timer timers[3] = { 0 };
    wheel_reset(WR_S(10));
    wr_wheel_arm(&wheel, &timers[0], WR_S(9));
    wr_wheel_arm(&wheel, &timers[1], 0);
    wr_wheel_arm(&wheel, &timers[2], -5);
    CHECK(wr_wheel_next(&wheel, true) <= WR_S(10));
    for (int i = 0; i < 3; i++)
        CHECK(wr_wheel_pop(&wheel, WR_S(10)) != NULL);
    CHECK(wr_wheel_pop(&wheel, WR_S(10)) == NULL);
}

TEST_PLAIN(a_deadline_beyond_the_reach_of_the_wheel_waits_and_does_not_disturb)
{
    struct wr_timer far = { 0 }, never = { 0 }, near = { 0 };
    wheel_reset(WR_S(10));
    wr_wheel_arm(&wheel, &never, WR_NEVER);
    wr_wheel_arm(&wheel, &far, YEAR * 200);
    CHECK(wr_wheel_next(&wheel, true) > YEAR);
    wr_wheel_arm(&wheel, &near, WR_S(11));
    CHECK_EQ(WR_S(11), wr_wheel_next(&wheel, true));
    CHECK(wr_wheel_pop(&wheel, WR_S(11)) == &near);
    CHECK(wr_wheel_pop(&wheel, YEAR * 140) == NULL);
    CHECK(wr_wheel_pop(&wheel, YEAR * 199) == NULL);
    CHECK(wr_wheel_pop(&wheel, YEAR * 200) == &far);
    wr_wheel_disarm(&wheel, &never);
    CHECK_EQ(WR_NEVER, wr_wheel_next(&wheel, true));
    CHECK_EQ(0, wheel.count);
}

TEST_PLAIN(timers_of_one_deadline_are_popped_in_the_order_they_were_armed)
{
    enum { COUNT = 20 };
    struct wr_timer timers[COUNT] = { 0 };
    wr_time deadline = WR_S(5) + 300;
    wheel_reset(WR_S(4));
    for (int i = 0; i < COUNT / 2; i++)
        wr_wheel_arm(&wheel, &timers[i], deadline);
    CHECK(wr_wheel_pop(&wheel, deadline - TICK) == NULL);      /* moves them down */
    for (int i = COUNT / 2; i < COUNT; i++)
        wr_wheel_arm(&wheel, &timers[i], deadline);
    for (int i = 0; i < COUNT; i++)
        CHECK(wr_wheel_pop(&wheel, deadline) == &timers[i]);
}

TEST_PLAIN(the_next_moment_is_exact_for_many_timers_in_one_tick)
{
    enum { COUNT = 40 };
    struct wr_timer timers[COUNT] = { 0 };
    wheel_reset(TICK * 1000);
    for (int i = 0; i < COUNT; i++)
        wr_wheel_arm(&wheel, &timers[i], TICK * 1001 + (wr_time)20 * (COUNT - i));
    for (int i = COUNT - 1; i >= 0; i--) {
        wr_time want = TICK * 1001 + (wr_time)20 * (COUNT - i);
        CHECK_EQ(want, wr_wheel_next(&wheel, true));
        CHECK(wr_wheel_next(&wheel, false) <= TICK * 1002);
        CHECK(wr_wheel_pop(&wheel, want - 1) == NULL);
        CHECK(wr_wheel_pop(&wheel, want) == &timers[i]);
    }
}

TEST_PLAIN(a_disarmed_timer_is_not_popped_and_disarming_twice_is_fine)
{
    struct wr_timer a = { 0 }, b = { 0 };
    wheel_reset(0);
    wr_wheel_arm(&wheel, &a, WR_MS(1));
    wr_wheel_arm(&wheel, &b, WR_MS(1));
    wr_wheel_disarm(&wheel, &a);
    wr_wheel_disarm(&wheel, &a);
    CHECK_EQ(1, wheel.count);
    CHECK(wr_wheel_pop(&wheel, WR_S(1)) == &b);
    CHECK(wr_wheel_pop(&wheel, WR_S(1)) == NULL);
}

TEST_PLAIN(arming_an_armed_timer_moves_it)
{
    struct wr_timer timer = { 0 };
    wheel_reset(0);
    wr_wheel_arm(&wheel, &timer, WR_MS(1));
    wr_wheel_arm(&wheel, &timer, WR_S(1));
    CHECK_EQ(1, wheel.count);
    CHECK(wr_wheel_pop(&wheel, WR_MS(999)) == NULL);
    wr_wheel_arm(&wheel, &timer, WR_MS(1));
    CHECK(wr_wheel_pop(&wheel, WR_MS(999)) == &timer);
    CHECK_EQ(0, wheel.count);
}

TEST_PLAIN(timers_in_memory_that_goes_are_forgotten_and_no_others)
{
    struct wr_timer timers[9] = { 0 };
    wheel_reset(0);
    for (int i = 0; i < 9; i++)
        wr_wheel_arm(&wheel, &timers[i], i % 2 ? WR_MS(1) : WR_S(i));
    wr_wheel_forget(&wheel, &timers[3], 3 * sizeof(timers[0]));
    CHECK_EQ(6, wheel.count);
    for (int i = 0; i < 9; i++)
        CHECK_EQ(i >= 3 && i < 6 ? TIMER_CLEAR : TIMER_ARMED, timers[i].state);
    for (int i = 0; i < 6; i++) {
        struct wr_timer *timer = wr_wheel_pop(&wheel, WR_S(10));
        CHECK(timer && (timer < &timers[3] || timer >= &timers[6]));
    }
    CHECK(wr_wheel_pop(&wheel, WR_S(10)) == NULL);
}

/* ---- the wheel against a list ---- */

#define TIMERS 300
#define OPERATIONS 100000

struct game {
    struct wr_rand rand;
    wr_time now;
    struct wr_timer timers[TIMERS];
    wr_time deadline[TIMERS];       /* -1: not armed */
    size_t armed;
};

/* Spans of all sizes alike: from the same tick to years. */
static wr_time some_span(struct game *g)
{
    uint64_t bits = wr_rand_below(&g->rand, 58);
    return (wr_time)(wr_rand_next(&g->rand) & (((uint64_t)1 << bits) - 1));
}

static wr_time earliest(const struct game *g)
{
    wr_time first = WR_NEVER;
    for (int i = 0; i < TIMERS; i++)
        if (g->deadline[i] >= 0 && g->deadline[i] < first)
            first = g->deadline[i];
    return first;
}

/* Everything due comes out, once, and its ticks never go back. */
static bool pop_all(struct game *g)
{
    struct wr_timer *timer;
    wr_time last_tick = 0;
    while ((timer = wr_wheel_pop(&wheel, g->now))) {
        size_t i = (size_t)(timer - g->timers);
        if (!CHECK(g->deadline[i] >= 0) || !CHECK(g->deadline[i] <= g->now)
            || !CHECK(g->deadline[i] / TICK >= last_tick))
            return false;
        last_tick = g->deadline[i] / TICK;
        g->deadline[i] = -1;
        g->armed--;
    }
    return CHECK(earliest(g) > g->now) && CHECK_EQ(g->armed, wheel.count);
}

static bool play_one(struct game *g)
{
    size_t i = (size_t)wr_rand_below(&g->rand, TIMERS);
    uint64_t choice = wr_rand_below(&g->rand, 100);
    if (choice < 55) {
        wr_time span = some_span(g);
        g->armed += g->deadline[i] < 0;
        g->deadline[i] = span > WR_NEVER - g->now ? WR_NEVER - 1 : g->now + span;
        /* What is due already waits at the present tick, in the order of arming. */
        if (g->deadline[i] <= g->now)
            g->deadline[i] = g->now + 1;
        wr_wheel_arm(&wheel, &g->timers[i], g->deadline[i]);
        return true;
    }
    if (choice < 80) {
        g->armed -= g->deadline[i] >= 0;
        g->deadline[i] = -1;
        wr_wheel_disarm(&wheel, &g->timers[i]);
        return true;
    }
    wr_time first = earliest(g), next = wr_wheel_next(&wheel, true);
    wr_time about = wr_wheel_next(&wheel, false);
    if (!CHECK(next <= first) || !CHECK(about <= first || about - first <= TICK))
        return false;
    if (choice < 90 && next != WR_NEVER)
        g->now = next > g->now ? next : g->now;     /* as a worker that sleeps till then */
    else if (g->now < YEAR * 3)
        g->now += some_span(g) / 64;
    return pop_all(g);
}

TEST_PLAIN(the_wheel_does_what_a_list_of_deadlines_does)
{
    static struct game g;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        memset(&g, 0, sizeof(g));
        wr_rand_seed(&g.rand, seed);
        memset(g.deadline, -1, sizeof(g.deadline));
        g.now = WR_S(1000);
        wheel_reset(g.now);
        for (int i = 0; i < OPERATIONS / 4; i++)
            if (!play_one(&g)) {
                CHECK_EQ(0, seed);      /* names the seed that failed */
                return;
            }
        while (earliest(&g) < WR_NEVER - 1 && g.armed) {
            wr_time next = wr_wheel_next(&wheel, true);
            g.now = next > g.now ? next : g.now;
            REQUIRE(pop_all(&g));
        }
    }
}

/* ---- timers of a fiber ---- */

static wr_err wait_for(struct wr_timer *timer, wr_time deadline)
{
    struct wr_case cases[] = { WR_CASE_TIMER(timer) };
    size_t which;
    return wr_select(&which, cases, 1, deadline);
}

TEST(a_timer_comes_due_exactly_at_its_deadline)
{
    struct wr_timer timer = { 0 };
    wr_time start = wr_now();
    CHECK(!wr_timer_due(&timer));
    wr_timer_set(&timer, start + WR_MS(7));
    CHECK(!wr_timer_due(&timer));
    CHECK_OK(wait_for(&timer, WR_NEVER));
    CHECK_EQ(WR_MS(7), wr_now() - start);
    CHECK(wr_timer_due(&timer));
    wr_timer_clear(&timer);
}

TEST(a_timer_stays_due_until_it_is_set_or_cleared)
{
    struct wr_timer timer = { 0 };
    wr_timer_set(&timer, wr_after(WR_MS(1)));
    CHECK_OK(wr_sleep(wr_after(WR_MS(2))));
    wr_time now = wr_now();
    for (int i = 0; i < 3; i++) {
        CHECK(wr_timer_due(&timer));
        CHECK_OK(wait_for(&timer, WR_NEVER));
    }
    CHECK_EQ(now, wr_now());
    wr_timer_set(&timer, wr_after(WR_MS(1)));
    CHECK(!wr_timer_due(&timer));
    CHECK_OK(wait_for(&timer, WR_NEVER));
    CHECK_EQ(WR_MS(1), wr_now() - now);
    wr_timer_clear(&timer);
    CHECK(!wr_timer_due(&timer));
    CHECK_ERR(WR_TIMEOUT, wait_for(&timer, WR_NOW));
}

TEST(a_cleared_timer_never_comes_and_clearing_twice_is_fine)
{
    struct wr_timer timer = { 0 };
    wr_timer_clear(&timer);
    wr_timer_set(&timer, wr_after(WR_MS(1)));
    wr_timer_clear(&timer);
    wr_timer_clear(&timer);
    CHECK_ERR(WR_TIMEOUT, wait_for(&timer, wr_after(WR_S(1))));
    CHECK(!wr_timer_due(&timer));
}

TEST(a_timer_set_anew_comes_at_the_new_deadline_only)
{
    struct wr_timer timer = { 0 };
    wr_time start = wr_now();
    wr_timer_set(&timer, start + WR_MS(1));
    wr_timer_set(&timer, start + WR_MS(9));
    CHECK_ERR(WR_TIMEOUT, wait_for(&timer, start + WR_MS(5)));
    CHECK_OK(wait_for(&timer, WR_NEVER));
    CHECK_EQ(WR_MS(9), wr_now() - start);
    wr_timer_clear(&timer);
}

TEST(a_timer_set_to_a_moment_that_has_passed_is_due_at_once)
{
    struct wr_timer timer = { 0 };
    wr_time start = wr_now();
    wr_timer_set(&timer, start - WR_S(1));
    CHECK(wr_timer_due(&timer));
    CHECK_OK(wait_for(&timer, WR_NOW));
    CHECK_OK(wait_for(&timer, WR_NEVER));
    CHECK_EQ(start, wr_now());
    wr_timer_clear(&timer);
}

TEST(a_periodic_timer_does_not_drift)
{
    struct wr_timer tick = { 0 };
    wr_time start = wr_now();
    for (int i = 1; i <= 1000; i++) {
        wr_timer_set(&tick, start + i * (WR_MS(1) + 1));
        CHECK_OK(wait_for(&tick, WR_NEVER));
        CHECK_EQ(start + i * (WR_MS(1) + 1), wr_now());
    }
    wr_timer_clear(&tick);
}

static wr_err wait_for_it(void *arg)
{
    return wait_for(arg, WR_NEVER);
}

static wr_err take_over(void *arg)
{
    struct wr_timer timer = { 0 };
    struct wr_scope *scope = scope_open();
    (void)arg;
    wr_timer_set(&timer, wr_after(WR_MS(5)));
    go(scope, wait_for_it, &timer);
    wr_scope_cancel(scope);
    CHECK_OK(wait_for(&timer, WR_NEVER));       /* the other has not run since */
    CHECK(wr_timer_due(&timer));
    wr_timer_clear(&timer);
    CHECK_OK(wr_scope_close(scope));
    return WR_OK;
}

TEST_PLAIN(a_timer_whose_waiter_was_just_canceled_may_be_waited_for_by_another)
{
    struct wr_run_conf conf = { .workers = 1, .virtual_clock = true };
    CHECK_OK(wr_run(&conf, take_over, NULL));
}

struct sleeper { wr_time deadline, woke; };

static wr_err sleep_until(void *arg)
{
    struct sleeper *sleeper = arg;
    CHECK_OK(wr_sleep(sleeper->deadline));
    sleeper->woke = wr_now();
    return WR_OK;
}

TEST(each_of_a_thousand_sleepers_wakes_exactly_at_its_moment)
{
    enum { COUNT = 1000 };
    static struct sleeper sleepers[COUNT];
    struct wr_scope *scope = scope_open();
    struct wr_rand rand;
    wr_rand_seed(&rand, 5);
    for (int i = 0; i < COUNT; i++) {
        /* Half of them within two microseconds: many in one tick of the wheel. */
        sleepers[i].deadline = wr_after(wr_rand_span(&rand, 1, i % 2 ? 2000 : WR_S(10)));
        CHECK_OK(wr_scope_go(scope, "test.sleeper", sleep_until, &sleepers[i]));
    }
    scope_done(scope);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(sleepers[i].deadline, sleepers[i].woke);
}

/* ---- rules that were broken ---- */

static void set_outside(void *arg)
{
    wr_timer_set(arg, WR_S(1));
}

TEST_DIES(setting_a_timer_outside_a_task_panics,
          "panic at src/rt/timer_test\\.c:[0-9]+: "
          "wr_timer_set outside a task: timers belong to a fiber's worker")
{
    static struct wr_timer timer;
    CHECK_OK(wr_offload(set_outside, &timer, WR_NEVER));
}

TEST_DIES_PLAIN(clearing_a_timer_outside_the_runtime_panics,
                "panic at src/rt/timer_test\\.c:[0-9]+: "
                "wr_timer_clear outside a task")
{
    wr_timer_clear(&(struct wr_timer){ 0 });
}

static wr_err both_wait(void *arg)
{
    static struct wr_timer timer;
    struct wr_scope *scope = scope_open();
    (void)arg;
    wr_timer_set(&timer, wr_after(WR_S(1)));
    go(scope, wait_for_it, &timer);
    return wait_for(&timer, WR_NEVER);
}

/* On one worker, and with the end that a contained panic does not have. */
TEST_DIES_PLAIN(two_fibers_that_wait_for_one_timer_are_both_named,
                "panic at src/rt/timer_test.c:[0-9]+: two fibers wait for one timer: "
                "test.task#[0-9]+ does already, at src/rt/timer_test.c:[0-9]+\n"
                "weir: in task main#[0-9]+.*the task ends")
{
    struct wr_run_conf conf = { .workers = 1, .virtual_clock = true };
    if (CHECK_ERR(WR_PANIC, wr_run(&conf, both_wait, NULL)))
        abort();
}

struct shared { struct wr_timer timer; uint32_t home; _Atomic bool touched; };

static wr_err touch(void *arg)
{
    struct shared *shared = arg;
    if (wr_worker_self->id != shared->home) {
        shared->touched = true;
        wr_timer_clear(&shared->timer);
    }
    return WR_OK;
}

/* Enough tasks that another worker comes to help, while this one is kept. */
static wr_err share(void *arg)
{
    struct shared *shared = arg;
    struct wr_scope *scope = scope_open();
    shared->home = wr_worker_self->id;
    wr_timer_set(&shared->timer, wr_after(WR_S(100)));
    for (int i = 0; i < 64; i++)
        (void)!wr_scope_go(scope, "test.far", touch, shared);
    wr_time until = wr_after(WR_S(10));
    while (!shared->touched && wr_now() < until)
        ;
    wr_err err = wr_scope_close(scope);
    wr_timer_clear(&shared->timer);
    return err;
}

TEST_DIES_PLAIN(a_set_timer_that_is_touched_on_another_worker_is_caught,
                "panic at src/rt/timer_test\\.c:[0-9]+: "
                "a timer that is set on worker [0-9]+ is used by test.far#[0-9]+, "
                "which is not on it")
{
    static struct shared shared;
    if (CHECK_ERR(WR_PANIC, wr_run(&(struct wr_run_conf){ .workers = 2 }, share, &shared)))
        abort();
}

/* ---- on a stack that goes ---- */

static wr_err leave_one_set(void *arg)
{
    struct wr_timer timer = { 0 };
    (void)arg;
    wr_timer_set(&timer, wr_after(WR_S(1)));
    return WR_OK;
}

TEST_DIES(a_task_that_returns_with_a_timer_set_on_its_stack_is_named_before_it_fires,
          "weir: fatal at src/rt/timer_test\\.c:[0-9]+: task test\\.task#[0-9]+ returned with "
          "a timer set that lies on its stack")
{
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.task", leave_one_set, NULL));
    scope_done(scope);
}

static wr_err set_and_clear(void *arg)
{
    struct wr_timer cleared = { 0 }, fired = { 0 }, again = { 0 };
    wr_timer_set(&cleared, wr_after(WR_S(1)));
    wr_timer_clear(&cleared);
    wr_timer_set(&again, wr_after(WR_S(1)));
    wr_timer_set(&again, wr_after(WR_S(2)));        /* anew: it counts once */
    wr_timer_clear(&again);
    wr_timer_clear(&again);
    wr_timer_set(&fired, wr_after(WR_MS(1)));
    wr_timer_set(arg, wr_after(WR_S(9)));           /* not on this stack */
    return wr_sleep(wr_after(WR_MS(2)));
}

TEST(a_timer_that_was_cleared_or_has_fired_or_lies_elsewhere_may_be_left)
{
    static struct wr_timer elsewhere;
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.task", set_and_clear, &elsewhere));
    scope_done(scope);
}
