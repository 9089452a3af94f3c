/* sched_test.c - who runs where and when.  The number of workers is part of the
 * claims here, so these tests start runs of their own. */
#include <stdatomic.h>

#include <weir/chan.h>
#include <weir/offload.h>
#include <weir/once.h>
#include <weir/run.h>
#include <weir/scope.h>

#include "base/world.h"
#include "rt/rt_int.h"
#include "testing/settle.h"
#include "testing/test.h"

#define PATIENCE WR_S(20)       /* of tests that wait for something real to happen */

static wr_time real_now(void)
{
    return wr_world_os.mono();
}

static wr_err run_on(unsigned workers, bool virtual_clock, wr_task_fn fn, void *arg)
{
    return wr_run(&(struct wr_run_conf){ .workers = workers, .virtual_clock = virtual_clock },
                  fn, arg);
}

static struct wr_chan *channel(size_t cap)
{
    struct wr_chan *ch = NULL;
    CHECK_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "test.chan", .item_size = sizeof(int), .cap = cap, .policy = WR_WAIT }));
    return ch;
}

/* ---- threads ---- */

/* Waits in several ways; the thread must be the same after each. */
static wr_err stay_at_home(void *arg)
{
    struct wr_chan *ch = arg;
    unsigned long home = wr_os_thread_id();
    int moved = 0, item = 1;
    for (int i = 0; i < 60; i++) {
        CHECK_OK(wr_yield());
        moved += wr_os_thread_id() != home;
        CHECK_OK(wr_sleep(wr_after(WR_US(i % 7))));
        moved += wr_os_thread_id() != home;
        CHECK_OK(wr_chan_send(ch, &item, WR_NEVER));
        moved += wr_os_thread_id() != home;
        CHECK_OK(wr_chan_recv(ch, &item, WR_NEVER));
        moved += wr_os_thread_id() != home;
    }
    CHECK_EQ(0, moved);
    return WR_OK;
}

static wr_err all_stay_at_home(void *arg)
{
    (void)arg;
    struct wr_chan *ch = channel(4);
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 48; i++)
        CHECK_OK(wr_scope_go(scope, "test.homely", stay_at_home, ch));
    scope_done(scope);
    wr_chan_free(ch);
    return WR_OK;
}

TEST_PLAIN(a_fiber_that_has_started_never_changes_its_thread)
{
    CHECK_OK(run_on(4, false, all_stay_at_home, NULL));
    CHECK_OK(run_on(4, true, all_stay_at_home, NULL));
}

struct taken { unsigned long spawner; atomic_int ran, elsewhere; };

static wr_err note_thread(void *arg)
{
    struct taken *taken = arg;
    if (wr_os_thread_id() != taken->spawner)
        atomic_fetch_add(&taken->elsewhere, 1);
    atomic_fetch_add(&taken->ran, 1);
    return WR_OK;
}

/* Keeps its own worker busy: whoever runs the tasks has taken them. */
static wr_err spawn_and_compute(void *arg)
{
    struct taken *taken = arg;
    taken->spawner = wr_os_thread_id();
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 40; i++)
        CHECK_OK(wr_scope_go(scope, "test.taken", note_thread, taken));
    wr_time give_up = real_now() + PATIENCE;
    while (atomic_load(&taken->ran) < 40 && real_now() < give_up)
        ;
    CHECK_EQ(40, taken->ran);
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(tasks_that_have_not_started_are_taken_by_other_workers)
{
    struct taken real = { 0 }, virtual = { 0 };
    CHECK_OK(run_on(2, false, spawn_and_compute, &real));
    CHECK_EQ(40, real.elsewhere);
    CHECK_OK(run_on(2, true, spawn_and_compute, &virtual));
    CHECK_EQ(40, virtual.elsewhere);
}

/* ---- turns ---- */

struct rally { struct wr_chan *there, *back; atomic_bool stop; atomic_int turns; int ran_at; };

static wr_err serve(void *arg)
{
    struct rally *rally = arg;
    int item = 0;
    while (!rally->stop && rally->turns < 100000) {
        CHECK_OK(wr_chan_send(rally->there, &item, WR_NEVER));
        CHECK_OK(wr_chan_recv(rally->back, &item, WR_NEVER));
        rally->turns++;
    }
    wr_chan_close(rally->there);
    return WR_OK;
}

static wr_err give_back(void *arg)
{
    struct rally *rally = arg;
    int item;
    while (wr_chan_recv(rally->there, &item, WR_NEVER) == WR_OK)
        CHECK_OK(wr_chan_send(rally->back, &item, WR_NEVER));
    return WR_OK;
}

static wr_err step_in(void *arg)
{
    struct rally *rally = arg;
    rally->ran_at = rally->turns;
    rally->stop = true;
    return WR_OK;
}

/* The newcomer is started when the two have long been at it. */
static wr_err watch_rally(void *arg)
{
    struct rally *rally = arg;
    struct wr_scope *scope = scope_open();
    rally->there = channel(1);
    rally->back = channel(1);
    CHECK_OK(wr_scope_go(scope, "test.serve", serve, rally));
    CHECK_OK(wr_scope_go(scope, "test.return", give_back, rally));
    while (rally->turns < 1000)
        CHECK_OK(wr_yield());
    int before = rally->turns;
    CHECK_OK(wr_scope_go(scope, "test.newcomer", step_in, rally));
    scope_done(scope);
    CHECK(rally->ran_at - before <= 64);
    wr_chan_free(rally->there);
    wr_chan_free(rally->back);
    return WR_OK;
}

TEST_PLAIN(two_fibers_that_keep_waking_each_other_do_not_starve_a_new_task)
{
    struct rally rally = { 0 };
    CHECK_OK(run_on(1, true, watch_rally, &rally));
}

static wr_err spawn_and_yield(void *arg)
{
    struct rally *rally = arg;
    if (rally->stop || rally->turns++ > 100000)
        return WR_OK;
    CHECK_OK(wr_scope_go(wr_scope_self(), "test.spawner", spawn_and_yield, rally));
    CHECK_OK(wr_yield());
    return WR_OK;
}

static wr_err yield_a_few_times(void *arg)
{
    struct rally *rally = arg;
    for (int i = 0; i < 20; i++)
        CHECK_OK(wr_yield());
    rally->ran_at = rally->turns;
    rally->stop = true;
    return WR_OK;
}

static wr_err spawn_against_yield(void *arg)
{
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.yielder", yield_a_few_times, arg));
    CHECK_OK(wr_scope_go(scope, "test.spawner", spawn_and_yield, arg));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(tasks_that_keep_coming_do_not_starve_a_fiber_that_yields)
{
    struct rally rally = { 0 };
    CHECK_OK(run_on(1, true, spawn_against_yield, &rally));
    CHECK(rally.ran_at < 2000);
}

struct queue_order { struct wr_once *start; int order[8]; int at; };

struct arrival { struct queue_order *all; int number; };

static wr_err arrive(void *arg)
{
    struct arrival *one = arg;
    CHECK_OK(wr_once_wait(one->all->start, NULL, WR_NEVER));
    one->all->order[one->all->at++] = one->number;
    return WR_OK;
}

static wr_err wake_all(void *arg)
{
    struct queue_order *all = arg;
    struct arrival ones[8];
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_once_new(&all->start, "start", 0));
    for (int i = 0; i < 8; i++) {
        ones[i] = (struct arrival){ all, i };
        go(scope, arrive, &ones[i]);
    }
    CHECK_OK(wr_once_set(all->start, NULL));
    scope_done(scope);
    wr_once_free(all->start);
    return WR_OK;
}

TEST_PLAIN(fibers_run_in_the_order_in_which_they_became_ready)
{
    struct queue_order all = { 0 };
    CHECK_OK(run_on(1, true, wake_all, &all));
    for (int i = 0; i < 8; i++)
        CHECK_EQ(i, all.order[i]);
}

/* ---- the bound on tasks ---- */

static wr_err wait_for_end(void *arg)
{
    return wr_once_wait(arg, NULL, WR_NEVER);
}

enum { TASKS_MAX = 10 };

/* What one round took, the next must find given back. */
static wr_err fill_up_thrice(void *arg)
{
    (void)arg;
    for (int round = 0; round < 3; round++) {
        struct wr_once *end;
        struct wr_scope *scope = scope_open();
        wr_err err = WR_OK;
        int accepted = 0;
        CHECK_OK(wr_once_new(&end, "end", 0));
        while (!err && accepted <= TASKS_MAX) {
            err = wr_scope_go(scope, "test.filler", wait_for_end, end);
            accepted += err == WR_OK;
            if (accepted % 3 == 0)
                settle();           /* let them spread over the workers */
        }
        CHECK_ERR(WR_BUSY, err);
        CHECK_EQ(TASKS_MAX, accepted);
        CHECK_EQ(TASKS_MAX, wr_scope_live(scope));
        settle();
        CHECK_ERR(WR_BUSY, wr_scope_go(scope, "test.filler", wait_for_end, end));
        CHECK_OK(wr_once_set(end, NULL));
        scope_done(scope);
        wr_once_free(end);
    }
    return WR_OK;
}

TEST_PLAIN(one_task_more_than_tasks_max_is_busy_and_none_less)
{
    for (unsigned workers = 1; workers <= 4; workers++) {
        struct wr_run_conf conf = { .workers = workers, .tasks_max = TASKS_MAX,
                                    .virtual_clock = true };
        CHECK_OK(wr_run(&conf, fill_up_thrice, NULL));
    }
}

static wr_err make_room(void *arg)
{
    struct wr_once *end = NULL;
    struct wr_scope *scope = scope_open();
    (void)arg;
    CHECK_OK(wr_once_new(&end, "end", 0));
    CHECK_OK(wr_scope_go(scope, "test.only", wait_for_end, end));
    CHECK_ERR(WR_BUSY, wr_scope_go(scope, "test.only", wait_for_end, end));
    CHECK_OK(wr_once_set(end, NULL));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_go(scope, "test.only", wait_for_end, end));
    scope_done(scope);
    wr_once_free(end);
    return WR_OK;
}

TEST_PLAIN(a_task_that_has_ended_makes_room_for_another)
{
    struct wr_run_conf conf = { .workers = 2, .tasks_max = 1, .virtual_clock = true };
    CHECK_OK(wr_run(&conf, make_room, NULL));
}

/* ---- many ---- */

static wr_err add_one(void *arg)
{
    atomic_fetch_add((atomic_long *)arg, 1);
    return WR_OK;
}

static wr_err spawn_a_hundred(void *arg)
{
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 100; i++)
        CHECK_OK(wr_scope_go(scope, "test.leaf", add_one, arg));
    scope_done(scope);
    return WR_OK;
}

static wr_err spawn_in_two_levels(void *arg)
{
    for (int round = 0; round < 10; round++) {
        struct wr_scope *scope = scope_open();
        for (int i = 0; i < 20; i++)
            CHECK_OK(wr_scope_go(scope, "test.branch", spawn_a_hundred, arg));
        scope_done(scope);
    }
    return WR_OK;
}

TEST_PLAIN(every_task_runs_exactly_once_on_any_number_of_workers)
{
    for (unsigned workers = 1; workers <= 4; workers++) {
        atomic_long count = 0;
        CHECK_OK(run_on(workers, workers % 2, spawn_in_two_levels, &count));
        CHECK_EQ(20000, count);
    }
}

/* ---- wakes from outside ---- */

struct outside { struct wr_chan *ch; int count; };

static void send_from_a_thread(void *arg)
{
    struct outside *outside = arg;
    for (int i = 0; i < outside->count; i++)
        while (wr_chan_send(outside->ch, &i, WR_NOW) != WR_OK)
            wr_os_relax(255);
}

static wr_err receive_all(void *arg)
{
    struct outside *outside = arg;
    unsigned long home = wr_os_thread_id();
    for (int i = 0; i < outside->count; i++) {
        int item = -1;
        CHECK_OK(wr_chan_recv(outside->ch, &item, WR_NEVER));
        CHECK_EQ(i, item);
    }
    CHECK_EQ(home, wr_os_thread_id());
    return WR_OK;
}

static wr_err send_in(void *arg)
{
    struct outside outside = { .ch = channel(2), .count = 2000 };
    struct wr_scope *scope = scope_open();
    (void)arg;
    CHECK_OK(wr_scope_go(scope, "test.receiver", receive_all, &outside));
    CHECK_OK(wr_offload(send_from_a_thread, &outside, WR_NEVER));
    scope_done(scope);
    wr_chan_free(outside.ch);
    return WR_OK;
}

TEST_PLAIN(a_thread_outside_wakes_a_fiber_every_time)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        CHECK_OK(run_on(workers, false, send_in, NULL));
        CHECK_OK(run_on(workers, true, send_in, NULL));
    }
}
