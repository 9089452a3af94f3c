#include <weir/lane.h>

#include <stdatomic.h>
#include <stdlib.h>

#include <weir/run.h>
#include <weir/scope.h>
#include <weir/sim.h>

#include "base/world.h"
#include "rt/rt_int.h"
#include "testing/settle.h"
#include "testing/test.h"

#define PATIENCE WR_S(20)
#define ITEMS 64

/* A lane whose batches wait until the test lets them, and what it has done. */
struct rig {
    struct wr_lane *lane;
    atomic_bool entered, shut;
    bool takes_more;
    unsigned long thread;
    int seen[ITEMS * 100];
    atomic_int done;
    size_t batches, largest;
    atomic_int idle;
};

struct one { struct wr_lane_item item; int number; };

static void await_flag(atomic_bool *flag, bool wanted)
{
    for (wr_time give_up = wr_world_os.mono() + PATIENCE; atomic_load(flag) != wanted;) {
        if (wr_world_os.mono() > give_up)
            abort();
        wr_os_relax(255);
    }
}

static void do_batch(void *arg, struct wr_lane_item *const *items, size_t count)
{
    struct rig *rig = arg;
    rig->thread = wr_os_thread_id();
    rig->batches++;
    if (count > rig->largest)
        rig->largest = count;
    atomic_store(&rig->entered, true);
    await_flag(&rig->shut, false);
    if (rig->takes_more)
        count = wr_lane_more(rig->lane);
    for (size_t i = 0; i < count; i++) {
        struct one *one = (struct one *)(void *)items[i];
        rig->seen[rig->done] = one->number;
        one->item.err = one->number < 0 ? WR_EXISTS : WR_OK;
        rig->done++;
    }
}

static void note_idle(void *arg)
{
    atomic_fetch_add(&((struct rig *)arg)->idle, 1);
}

static struct rig *rig_open(size_t queue, size_t batch)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    WR_ASSERT(rig);
    CHECK_OK(wr_lane_new(&rig->lane, &(struct wr_lane_conf){
        .name = "test.lane", .run = do_batch, .arg = rig, .queue_max = queue,
        .batch_max = batch }));
    return rig;
}

static void rig_close(struct rig *rig)
{
    wr_lane_free(rig->lane);
    free(rig);
}

/* ---- fibers that bring something ---- */

struct bringing { struct rig *rig; int number; wr_time span; wr_err err; };

static wr_err bring(void *arg)
{
    struct bringing *bringing = arg;
    struct one one = { .number = bringing->number };
    wr_time deadline = bringing->span ? wr_after(bringing->span) : WR_NEVER;
    bringing->err = wr_lane_do(bringing->rig->lane, &one.item, deadline);
    return WR_OK;
}

/* One item is under way, and stays so until `shut` is put back. */
static void keep_busy(struct wr_scope *scope, struct bringing *first)
{
    atomic_store(&first->rig->shut, true);
    CHECK_OK(wr_scope_go(scope, "test.first", bring, first));
    while (!atomic_load(&first->rig->entered))
        CHECK_OK(wr_yield());
}

static void await_queued(struct rig *rig, size_t count)
{
    while (wr_lane_stat(rig->lane).queued < count)
        CHECK_OK(wr_yield());
}

TEST(an_item_is_done_on_another_thread_and_its_result_comes_back)
{
    struct rig *rig = rig_open(0, 0);
    struct one good = { .number = 7 }, bad = { .number = -1 };
    CHECK_OK(wr_lane_do(rig->lane, &good.item, WR_NEVER));
    CHECK_ERR(WR_EXISTS, wr_lane_do(rig->lane, &bad.item, WR_NEVER));
    CHECK_EQ(2, rig->done);
    CHECK_EQ(7, rig->seen[0]);
    CHECK(rig->thread != wr_os_thread_id());
    rig_close(rig);
}

TEST(what_comes_while_the_lane_is_busy_is_its_next_batch_in_order)
{
    struct rig *rig = rig_open(0, 0);
    struct bringing first = { .rig = rig, .number = 100 }, more[10];
    struct wr_scope *scope = scope_open();
    keep_busy(scope, &first);
    for (int i = 0; i < 10; i++) {
        more[i] = (struct bringing){ .rig = rig, .number = i };
        CHECK_OK(wr_scope_go(scope, "test.more", bring, &more[i]));
        await_queued(rig, (size_t)i + 1);
    }
    atomic_store(&rig->shut, false);
    scope_done(scope);
    CHECK_EQ(2, rig->batches);
    CHECK_EQ(10, rig->largest);
    for (int i = 0; i < 10; i++)
        CHECK_EQ(i, rig->seen[1 + i]);
    struct wr_lane_stat stat = wr_lane_stat(rig->lane);
    CHECK_EQ(0, stat.queued);
    CHECK_EQ(11, stat.items);
    CHECK_EQ(2, stat.batches);
    CHECK_EQ(10, stat.batch_largest);
    rig_close(rig);
}

TEST(a_batch_has_no_more_than_batch_max)
{
    struct rig *rig = rig_open(0, 4);
    struct bringing first = { .rig = rig }, more[10];
    struct wr_scope *scope = scope_open();
    keep_busy(scope, &first);
    for (int i = 0; i < 10; i++) {
        more[i] = (struct bringing){ .rig = rig, .number = i };
        CHECK_OK(wr_scope_go(scope, "test.more", bring, &more[i]));
    }
    await_queued(rig, 10);
    atomic_store(&rig->shut, false);
    scope_done(scope);
    CHECK_EQ(4, rig->largest);
    CHECK_EQ(1 + 3, rig->batches);
    rig_close(rig);
}

TEST(who_comes_before_the_last_step_may_join_the_batch_up_to_batch_max)
{
    struct rig *rig = rig_open(0, 4);
    struct bringing first = { .rig = rig, .number = 100 }, more[5];
    struct wr_scope *scope = scope_open();
    rig->takes_more = true;
    keep_busy(scope, &first);
    for (int i = 0; i < 5; i++) {
        more[i] = (struct bringing){ .rig = rig, .number = i };
        CHECK_OK(wr_scope_go(scope, "test.more", bring, &more[i]));
        await_queued(rig, (size_t)i + 1);
    }
    atomic_store(&rig->shut, false);
    scope_done(scope);
    CHECK_EQ(2, rig->batches);
    CHECK_EQ(100, rig->seen[0]);
    for (int i = 0; i < 5; i++)
        CHECK_EQ(i, rig->seen[1 + i]);
    struct wr_lane_stat stat = wr_lane_stat(rig->lane);
    CHECK_EQ(0, stat.queued);
    CHECK_EQ(6, stat.items);
    CHECK_EQ(2, stat.batches);
    CHECK_EQ(4, stat.batch_largest);
    rig_close(rig);
}

TEST(one_item_more_than_queue_max_is_busy)
{
    struct rig *rig = rig_open(3, 0);
    struct bringing first = { .rig = rig }, more[3];
    struct wr_scope *scope = scope_open();
    keep_busy(scope, &first);
    for (int i = 0; i < 3; i++) {
        more[i] = (struct bringing){ .rig = rig, .number = i };
        CHECK_OK(wr_scope_go(scope, "test.more", bring, &more[i]));
        await_queued(rig, (size_t)i + 1);
    }
    struct one late = { .number = 9 };
    CHECK_ERR(WR_BUSY, wr_lane_do(rig->lane, &late.item, WR_NEVER));
    CHECK_EQ(1, wr_lane_stat(rig->lane).refused);
    atomic_store(&rig->shut, false);
    scope_done(scope);
    CHECK_EQ(4, rig->done);
    CHECK_OK(wr_lane_do(rig->lane, &late.item, WR_NEVER));      /* there is room again */
    rig_close(rig);
}

/* ---- taking back ---- */

TEST(an_item_that_has_not_begun_is_taken_back_by_a_cancel)
{
    struct rig *rig = rig_open(0, 0);
    struct bringing first = { .rig = rig }, second = { .rig = rig, .number = 1 };
    struct wr_scope *one = scope_open(), *two = scope_open();
    keep_busy(one, &first);
    CHECK_OK(wr_scope_go(two, "test.second", bring, &second));
    await_queued(rig, 1);
    wr_scope_cancel(two);
    CHECK_OK(wr_scope_join(two, WR_NEVER));
    CHECK_ERR(WR_CANCELED, second.err);
    CHECK_EQ(0, wr_lane_stat(rig->lane).queued);
    atomic_store(&rig->shut, false);
    CHECK_OK(wr_scope_join(one, WR_NEVER));
    CHECK_EQ(1, rig->done);
    CHECK_OK(wr_scope_close(two));
    CHECK_OK(wr_scope_close(one));
    rig_close(rig);
}

static wr_err run_out_of_time(void *arg)
{
    struct rig *rig = rig_open(0, 0);
    struct bringing first = { .rig = rig };
    struct one late = { .number = 1 };
    struct wr_scope *scope = scope_open();
    (void)arg;
    keep_busy(scope, &first);
    CHECK_ERR(WR_TIMEOUT, wr_lane_do(rig->lane, &late.item, wr_after(WR_MS(3))));
    CHECK_ERR(WR_TIMEOUT, wr_lane_do(rig->lane, &late.item, WR_NOW));
    atomic_store(&rig->shut, false);
    scope_done(scope);
    CHECK_EQ(1, rig->done);
    rig_close(rig);
    return WR_OK;
}

TEST_PLAIN(an_item_that_has_not_begun_is_taken_back_at_its_deadline)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, run_out_of_time, NULL));
}

TEST(an_item_that_has_begun_is_waited_for_and_keeps_its_result_even_when_canceled)
{
    struct rig *rig = rig_open(0, 0);
    struct bringing first = { .rig = rig, .number = -5 };
    struct wr_scope *scope = scope_open();
    keep_busy(scope, &first);
    wr_scope_cancel(scope);
    for (int i = 0; i < 100; i++)
        CHECK_OK(wr_yield());
    CHECK_EQ(1, wr_scope_live(scope));
    atomic_store(&rig->shut, false);
    CHECK_OK(wr_scope_close(scope));
    CHECK_ERR(WR_EXISTS, first.err);
    rig_close(rig);
}

/* ---- many ---- */

static wr_err bring_many(void *arg)
{
    struct rig *rig = arg;
    for (int i = 0; i < test_rounds(100); i++) {
        struct one one = { .number = i };
        CHECK_OK(wr_lane_do(rig->lane, &one.item, WR_NEVER));
    }
    return WR_OK;
}

static wr_err be_many(void *arg)
{
    struct rig *rig = rig_open(0, 0);
    struct wr_scope *scope = scope_open();
    (void)arg;
    for (int i = 0; i < ITEMS; i++)
        CHECK_OK(wr_scope_go(scope, "test.many", bring_many, rig));
    scope_done(scope);
    CHECK_EQ(ITEMS * test_rounds(100), rig->done);
    rig_close(rig);
    return WR_OK;
}

TEST_PLAIN(every_item_of_many_fibers_is_done_once_and_every_fiber_woken)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ 0 }, be_many, NULL));
    CHECK_OK(wr_run(&(struct wr_run_conf){ .virtual_clock = true }, be_many, NULL));
}

/* ---- time ---- */

static wr_err sleep_a_second(void *arg)
{
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    *(wr_time *)arg = wr_now();
    return WR_OK;
}

TEST(the_virtual_clock_does_not_jump_while_an_item_is_queued_or_done)
{
    struct rig *rig = rig_open(0, 0);
    wr_time start = wr_now(), woke = 0;
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.sleeper", sleep_a_second, &woke));
    for (int i = 0; i < 500; i++) {
        struct one one = { .number = i };
        CHECK_OK(wr_lane_do(rig->lane, &one.item, wr_after(1)));
    }
    CHECK_EQ(start, wr_now());
    scope_done(scope);
    CHECK_EQ(start + WR_S(1), woke);
    rig_close(rig);
}

TEST(idle_is_called_when_nothing_comes)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    WR_ASSERT(rig);
    CHECK_OK(wr_lane_new(&rig->lane, &(struct wr_lane_conf){
        .name = "test.lane", .run = do_batch, .idle = note_idle, .idle_after = WR_MS(1),
        .arg = rig }));
    for (wr_time give_up = wr_world_os.mono() + PATIENCE;
         rig->idle < 3 && wr_world_os.mono() < give_up;)
        CHECK_OK(wr_yield());
    CHECK(rig->idle >= 3);
    rig_close(rig);
}

/* ---- in a simulation ---- */

struct simulated { unsigned long thread; size_t batches; };

static wr_err bring_in_a_simulation(void *arg)
{
    struct one one = { .number = 1 };
    CHECK_OK(wr_lane_do(((struct rig *)arg)->lane, &one.item, WR_NEVER));
    return WR_OK;
}

static wr_err simulate(void *arg)
{
    struct simulated *simulated = arg;
    struct rig *rig = rig_open(0, 0);
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "s",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    for (int i = 0; i < 8; i++)
        CHECK_OK(wr_scope_go(scope, "test.bring", bring_in_a_simulation, rig));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(8, rig->done);
    simulated->batches = rig->batches;
    simulated->thread = rig->thread;
    rig_close(rig);
    return WR_OK;
}

TEST_PLAIN(in_a_simulation_a_fiber_does_the_batch_of_all_who_came)
{
    struct wr_sim_result result;
    struct simulated simulated = { 0 };
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){
        .name = "lane", .scheduler = WR_SIM_FIFO }, simulate, &simulated));
    CHECK_EQ(wr_os_thread_id(), simulated.thread);
    CHECK_EQ(1, simulated.batches);
    CHECK_OK(wr_sim_run(&result, &(struct wr_sim_conf){ .name = "lane", .seeds = 20 },
                        simulate, &simulated));
}

/* ---- rules ---- */

TEST_PANICS(a_lane_needs_a_name_that_a_thread_can_have, "a name of 1 to 15 bytes and run")
{
    struct wr_lane *lane;
    (void)!wr_lane_new(&lane, &(struct wr_lane_conf){ .name = "sixteen.letters.",
                                                      .run = do_batch });
}

TEST_DIES(a_lane_is_not_freed_while_somebody_waits_on_it,
          "lane \"test\\.lane\" is freed while test\\.second#[0-9]+ waits on it")
{
    struct rig *rig = rig_open(0, 0);
    struct bringing first = { .rig = rig }, second = { .rig = rig };
    struct wr_scope *scope = scope_open();
    keep_busy(scope, &first);
    CHECK_OK(wr_scope_go(scope, "test.second", bring, &second));
    await_queued(rig, 1);
    wr_foreign_enter();                     /* so that it is not contained */
    wr_lane_free(rig->lane);
}

static void wait_in_a_batch(void *arg, struct wr_lane_item *const *items, size_t count)
{
    (void)arg;
    (void)items;
    (void)count;
    (void)!wr_sleep(wr_after(1));
}

TEST_DIES(what_a_lane_does_must_not_wait, "a call that may wait, outside a task")
{
    struct wr_lane *lane = NULL;
    struct wr_lane_item item;
    CHECK_OK(wr_lane_new(&lane, &(struct wr_lane_conf){ .name = "test.lane",
                                                        .run = wait_in_a_batch }));
    (void)!wr_lane_do(lane, &item, WR_NEVER);
}
