/* sched_class_test.c - the low class: it never holds up the normal one, and is never
 * held up for ever.
 *
 * Delays are counted in rounds of the low task, not in time: a round is far below a
 * millisecond, and a busy machine stretches both alike. */
#include <stdatomic.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/offload.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "base/world.h"
#include "rt/hooks.h"
#include "rt/rt_int.h"
#include "testing/settle.h"
#include "testing/test.h"

#define PATIENCE WR_S(20)
#define ROUND WR_US(20)
#define ROUNDS_LATE 2           /* one that runs when the wake comes, and the next */

static wr_time real_now(void)
{
    return wr_world_os.mono();
}

static void compute(wr_time span)
{
    for (wr_time until = real_now() + span; real_now() < until;)
        ;
}

static struct wr_scope *low_scope(void)
{
    struct wr_scope *scope = NULL;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "low", .deadline = WR_NEVER, .low = true }));
    return scope;
}

static wr_err run_on_one(bool virtual_clock, wr_task_fn fn, void *arg)
{
    return wr_run(&(struct wr_run_conf){ .workers = 1, .virtual_clock = virtual_clock }, fn,
                  arg);
}

/* ---- low does not delay normal ---- */

struct contest {
    atomic_bool due;            /* a normal fiber could run from now on */
    atomic_bool stop;
    atomic_int late, worst, wakes;
    struct wr_chan *ch;
    wr_time deadline;
};

/* A janitor: long work in short rounds, asking each time whether to go on. */
static wr_err sweep(void *arg)
{
    struct contest *contest = arg;
    wr_time give_up = real_now() + PATIENCE;
    while (!contest->stop && real_now() < give_up) {
        compute(ROUND);
        if (contest->due || (contest->deadline && wr_now() > contest->deadline))
            contest->late++;
        CHECK_OK(wr_scope_check());
    }
    CHECK(contest->stop);
    return WR_OK;
}

static void note_run(struct contest *contest)
{
    contest->due = false;
    contest->deadline = 0;
    if (contest->late > contest->worst)
        contest->worst = contest->late;
    contest->late = 0;
    contest->wakes++;
}

static void wake_from_a_thread(void *arg)
{
    struct contest *contest = arg;
    int item = 0;
    CHECK_OK(wr_chan_send(contest->ch, &item, WR_NOW));
    contest->due = true;
    while (contest->due)
        wr_os_relax(255);
}

static wr_err receive(void *arg)
{
    struct contest *contest = arg;
    int item;
    while (wr_chan_recv(contest->ch, &item, WR_NEVER) == WR_OK) {
        while (!contest->due)
            ;
        note_run(contest);
    }
    return WR_OK;
}

static wr_err wake_against_low(void *arg)
{
    struct contest *contest = arg;
    struct wr_scope *low = low_scope(), *normal = scope_open();
    CHECK_OK(wr_chan_new(&contest->ch, &(struct wr_chan_conf){
        .name = "wakes", .item_size = sizeof(int), .cap = 1, .policy = WR_WAIT }));
    CHECK_OK(wr_scope_go(normal, "test.receiver", receive, contest));
    CHECK_OK(wr_scope_go(low, "test.sweeper", sweep, contest));
    for (int i = 0; i < 50; i++)
        CHECK_OK(wr_offload(wake_from_a_thread, contest, WR_NEVER));
    contest->stop = true;
    wr_chan_close(contest->ch);
    scope_done(normal);
    scope_done(low);
    wr_chan_free(contest->ch);
    return WR_OK;
}

TEST_PLAIN(a_wake_from_another_thread_is_served_before_the_next_rounds_of_low_work)
{
    struct contest contest = { 0 };
    CHECK_OK(run_on_one(false, wake_against_low, &contest));
    CHECK_EQ(50, contest.wakes);
    CHECK(contest.worst <= ROUNDS_LATE);
}

static wr_err sleep_against_low(void *arg)
{
    struct contest *contest = arg;
    struct wr_scope *low = low_scope();
    CHECK_OK(wr_scope_go(low, "test.sweeper", sweep, contest));
    for (int i = 0; i < 50; i++) {
        contest->deadline = wr_after(WR_US(500));
        CHECK_OK(wr_sleep(contest->deadline));
        note_run(contest);
    }
    contest->stop = true;
    scope_done(low);
    return WR_OK;
}

TEST_PLAIN(a_deadline_is_served_before_the_next_rounds_of_low_work)
{
    struct contest contest = { 0 };
    CHECK_OK(run_on_one(false, sleep_against_low, &contest));
    CHECK_EQ(50, contest.wakes);
    CHECK(contest.worst <= ROUNDS_LATE);
}

static wr_err just_run(void *arg)
{
    note_run(arg);
    return WR_OK;
}

struct both { struct contest *contest; struct wr_scope *normal; };

/* Spawns normal tasks from below: they go before it, not after it. */
static wr_err spawn_normal(void *arg)
{
    struct both *both = arg;
    for (int i = 0; i < 20; i++) {
        int before = both->contest->wakes;
        CHECK_OK(wr_scope_go(both->normal, "test.normal", just_run, both->contest));
        CHECK_OK(wr_scope_check());
        CHECK_EQ(before + 1, both->contest->wakes);
    }
    return WR_OK;
}

static wr_err spawn_against_low(void *arg)
{
    struct both both = { .contest = arg, .normal = scope_open() };
    wr_scope_enter(both.normal);
    struct wr_scope *low = low_scope();
    CHECK_OK(wr_scope_go(low, "test.low", spawn_normal, &both));
    scope_done(low);
    wr_scope_leave(both.normal);
    scope_done(both.normal);
    return WR_OK;
}

TEST_PLAIN(a_new_normal_task_runs_at_the_next_check_of_a_low_one)
{
    struct contest contest = { 0 };
    CHECK_OK(run_on_one(true, spawn_against_low, &contest));
    CHECK_EQ(20, contest.wakes);
}

/* ---- order of the classes ---- */

struct order { char log[16]; int at; };

static wr_err log_low(void *arg)
{
    struct order *order = arg;
    for (int i = 0; i < 2; i++) {
        order->log[order->at++] = 'l';
        CHECK_OK(wr_yield());
    }
    return WR_OK;
}

static wr_err log_normal(void *arg)
{
    struct order *order = arg;
    for (int i = 0; i < 3; i++) {
        order->log[order->at++] = 'n';
        CHECK_OK(wr_yield());
    }
    return WR_OK;
}

static wr_err log_both(void *arg)
{
    struct wr_scope *low = low_scope(), *normal = scope_open();
    CHECK_OK(wr_scope_go(low, "test.low", log_low, arg));
    CHECK_OK(wr_scope_go(normal, "test.normal", log_normal, arg));
    CHECK_OK(wr_scope_go(normal, "test.normal", log_normal, arg));
    scope_done(normal);
    scope_done(low);
    return WR_OK;
}

TEST_PLAIN(low_tasks_run_when_nothing_of_normal_class_can)
{
    struct order order = { 0 };
    CHECK_OK(run_on_one(true, log_both, &order));
    CHECK_STR("nnnnnnll", order.log);
}

static wr_err check_class(void *arg)
{
    CHECK_EQ(*(bool *)arg, fiber_self()->low);
    return WR_OK;
}

TEST(a_scope_below_a_low_one_is_low)
{
    bool yes = true;
    struct wr_scope *low = low_scope();
    wr_scope_enter(low);
    struct wr_scope *below = scope_open();
    CHECK_OK(wr_scope_go(below, "test.below", check_class, &yes));
    scope_done(below);
    wr_scope_leave(low);
    scope_done(low);
}

/* ---- low is not starved ---- */

struct flood { atomic_bool stop; atomic_int low_runs; };

static wr_err keep_yielding(void *arg)
{
    struct flood *flood = arg;
    wr_time give_up = real_now() + PATIENCE;
    while (!flood->stop && real_now() < give_up)
        CHECK_OK(wr_yield());
    CHECK(flood->stop);
    return WR_OK;
}

static wr_err run_five_times(void *arg)
{
    struct flood *flood = arg;
    for (int i = 0; i < 5; i++) {
        flood->low_runs++;
        CHECK_OK(wr_yield());
    }
    flood->stop = true;
    return WR_OK;
}

/* The low task arrives when normal ones already keep the worker busy. */
static wr_err flood_with_normal(void *arg)
{
    struct flood *flood = arg;
    struct wr_scope *low = low_scope(), *normal = scope_open();
    for (int i = 0; i < 3; i++)
        CHECK_OK(wr_scope_go(normal, "test.busy", keep_yielding, flood));
    for (int i = 0; i < 100; i++)
        CHECK_OK(wr_yield());
    CHECK_OK(wr_scope_go(low, "test.patient", run_five_times, flood));
    scope_done(normal);
    scope_done(low);
    return WR_OK;
}

TEST_PLAIN(a_low_task_is_started_and_goes_on_under_any_load)
{
    struct flood flood = { 0 };
    CHECK_OK(run_on_one(false, flood_with_normal, &flood));
    CHECK_EQ(5, flood.low_runs);
}

/* ---- in a simulation, which chooses ---- */

static size_t (*choice)(size_t count);
static char ran[8];

static size_t the_first(size_t count)
{
    (void)count;
    return 0;
}

static size_t the_middle(size_t count)
{
    return count / 2;
}

static size_t the_last(size_t count)
{
    return count - 1;
}

static wr_time same_moment(wr_time now)
{
    return now;
}

static size_t choose(const struct rt_candidate *among, size_t count)
{
    (void)among;
    return choice(count);
}

static bool go_on(const struct rt_point *point)
{
    (void)point;
    return false;
}

static const struct rt_hooks hooks = {
    .turn = same_moment, .choose = choose, .point = go_on, .advance = same_moment,
    .stuck = wr_run_abandon, .wall = same_moment,
};

static wr_err note_letter(void *arg)
{
    strncat(ran, arg, 1);
    return WR_OK;
}

static wr_err start_two_of_each(void *arg)
{
    (void)arg;
    struct wr_scope *normal = scope_open(), *low = low_scope();
    CHECK_OK(wr_scope_go(low, "test.low", note_letter, "c"));
    CHECK_OK(wr_scope_go(low, "test.low", note_letter, "d"));
    CHECK_OK(wr_scope_go(normal, "test.normal", note_letter, "a"));
    CHECK_OK(wr_scope_go(normal, "test.normal", note_letter, "b"));
    scope_done(low);
    scope_done(normal);
    return WR_OK;
}

static const char *order_of(size_t (*policy)(size_t count))
{
    choice = policy;
    ran[0] = '\0';
    CHECK_OK(wr_run_hooked(&(struct wr_run_conf){ 0 }, &hooks, start_two_of_each, NULL));
    return ran;
}

TEST_PLAIN(a_simulation_may_choose_every_task_of_either_class)
{
    CHECK_STR("abcd", order_of(the_first));
    CHECK_STR("cbda", order_of(the_middle));
    CHECK_STR("dcba", order_of(the_last));
}
