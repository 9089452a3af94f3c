#include "rt/desk.h"

#include <stdatomic.h>

#include <weir/scope.h>

#include "testing/settle.h"
#include "testing/test.h"

struct one { struct wr_lane_item item; int number; };
struct bringing { struct wr_desk *desk; int number; wr_time deadline; wr_err err; };

static wr_err bring(void *arg)
{
    struct bringing *bringing = arg;
    struct one one = { .number = bringing->number };
    bringing->err = wr_desk_do(bringing->desk, &one.item, bringing->deadline, WR_HERE);
    return WR_OK;
}

static struct wr_desk *desk_for(size_t queue_max, size_t keepers)
{
    struct wr_desk *desk = NULL;
    CHECK_OK(wr_desk_new(&desk, "test.desk", queue_max, keepers));
    return desk;
}

static struct wr_desk *desk_open(size_t queue_max)
{
    return desk_for(queue_max, 1);
}

/* End them with their number as result: 0 is WR_OK. */
static void end(struct wr_desk *desk, struct wr_lane_item **items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        items[i]->err = ((struct one *)(void *)items[i])->number ? WR_EXISTS : WR_OK;
    wr_desk_done(desk, items, count);
}

TEST(what_has_come_is_one_batch_in_order_and_each_gets_its_result)
{
    struct wr_desk *desk = desk_open(10);
    struct bringing bringing[3];
    struct wr_scope *scope = scope_open();
    struct wr_lane_item *items[8];
    size_t count;
    for (int i = 0; i < 3; i++) {
        bringing[i] = (struct bringing){ desk, i, WR_NEVER, WR_OK };
        go(scope, bring, &bringing[i]);
    }
    CHECK_OK(wr_desk_take(desk, items, 2, &count, WR_NEVER));
    CHECK_EQ(2, count);
    CHECK_EQ(0, ((struct one *)(void *)items[0])->number);
    CHECK_EQ(1, ((struct one *)(void *)items[1])->number);
    end(desk, items, count);
    CHECK_OK(wr_desk_take(desk, items, 8, &count, WR_NEVER));
    CHECK_EQ(1, count);
    end(desk, items, count);
    CHECK_ERR(WR_TIMEOUT, wr_desk_take(desk, items, 8, &count, WR_NOW));
    scope_done(scope);
    CHECK_OK(bringing[0].err);
    CHECK_ERR(WR_EXISTS, bringing[1].err);
    wr_desk_free(desk);
}

TEST(keepers_that_are_free_share_what_has_come)
{
    struct wr_desk *desk = desk_for(10, 3);
    struct bringing bringing[7];
    struct wr_scope *scope = scope_open();
    struct wr_lane_item *items[3][8];
    size_t counts[3];
    for (int i = 0; i < 7; i++) {
        bringing[i] = (struct bringing){ desk, 0, WR_NEVER, WR_OK };
        go(scope, bring, &bringing[i]);
    }
    for (int i = 0; i < 3; i++)
        CHECK_OK(wr_desk_take(desk, items[i], 8, &counts[i], WR_NOW));
    CHECK_EQ(3, counts[0]);
    CHECK_EQ(2, counts[1]);
    CHECK_EQ(2, counts[2]);
    for (int i = 0; i < 3; i++)
        end(desk, items[i], counts[i]);
    scope_done(scope);
    wr_desk_free(desk);
}

TEST(an_item_that_has_not_begun_at_its_deadline_is_taken_back)
{
    struct wr_desk *desk = desk_open(10);
    struct wr_lane_item *items[8];
    struct one one = { 0 };
    size_t count;
    wr_time start = wr_now();
    CHECK_ERR(WR_TIMEOUT, wr_desk_do(desk, &one.item, wr_after(WR_MS(5)), WR_HERE));
    CHECK_EQ(WR_MS(5), wr_now() - start);
    CHECK_ERR(WR_TIMEOUT, wr_desk_take(desk, items, 8, &count, WR_NOW));
    wr_desk_free(desk);
}

TEST(an_item_that_has_begun_is_waited_for_whatever_comes)
{
    struct wr_desk *desk = desk_open(10);
    struct bringing late = { desk, 0, wr_after(WR_MS(5)), WR_IO };
    struct wr_scope *scope = scope_open();
    struct wr_lane_item *items[8];
    size_t count;
    go(scope, bring, &late);
    CHECK_OK(wr_desk_take(desk, items, 8, &count, WR_NEVER));
    wr_scope_cancel(scope);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_EQ(1, wr_scope_live(scope));
    end(desk, items, count);
    scope_done(scope);
    CHECK_OK(late.err);
    wr_desk_free(desk);
}

TEST(a_full_desk_is_busy)
{
    struct wr_desk *desk = desk_open(1);
    struct bringing first = { desk, 0, wr_after(WR_MS(5)), WR_OK };
    struct wr_scope *scope = scope_open();
    struct one one = { 0 };
    go(scope, bring, &first);
    CHECK_ERR(WR_BUSY, wr_desk_do(desk, &one.item, WR_NEVER, WR_HERE));
    scope_done(scope);
    wr_desk_free(desk);
}

TEST(a_desk_that_refuses_ends_what_waits_and_what_comes_until_it_is_open_again)
{
    struct wr_desk *desk = desk_open(10);
    struct bringing first = { desk, 0, WR_NEVER, WR_OK };
    struct wr_scope *scope = scope_open();
    struct one one = { 0 };
    go(scope, bring, &first);
    wr_desk_refuse(desk, WR_IO);
    CHECK_ERR(WR_IO, wr_desk_do(desk, &one.item, WR_NEVER, WR_HERE));
    scope_done(scope);
    CHECK_ERR(WR_IO, first.err);
    wr_desk_refuse(desk, WR_OK);
    CHECK_ERR(WR_TIMEOUT, wr_desk_do(desk, &one.item, wr_after(WR_MS(1)), WR_HERE));
    wr_desk_free(desk);
}

/* ---- several keepers, many who bring ---- */

struct crowd { struct wr_desk *desk; atomic_int done; atomic_bool over; };

static wr_err keep(void *arg)
{
    struct crowd *crowd = arg;
    struct wr_lane_item *items[4];
    size_t count;
    wr_err err;
    while (!(err = wr_desk_take(crowd->desk, items, 4, &count, WR_NEVER))) {
        if (!wr_yield())
            atomic_fetch_add(&crowd->done, (int)count);
        end(crowd->desk, items, count);
    }
    return err;
}

static wr_err bring_many(void *arg)
{
    struct crowd *crowd = arg;
    for (int i = 0; i < test_rounds(500); i++) {
        struct one one = { 0 };
        CHECK_OK(wr_desk_do(crowd->desk, &one.item, WR_NEVER, WR_HERE));
    }
    return WR_OK;
}

TEST(every_item_is_done_once_by_several_keepers)
{
    struct crowd crowd = { .desk = desk_for(64, 3) };
    struct wr_scope *keepers = scope_open(), *scope = scope_open();
    for (int i = 0; i < 3; i++)
        CHECK_OK(wr_scope_go(keepers, "test.keeper", keep, &crowd));
    for (int i = 0; i < 16; i++)
        CHECK_OK(wr_scope_go(scope, "test.bringer", bring_many, &crowd));
    scope_done(scope);
    wr_scope_cancel(keepers);
    CHECK_OK(wr_scope_close(keepers));
    CHECK_EQ(16 * test_rounds(500), crowd.done);
    wr_desk_free(crowd.desk);
}

static wr_err wait_for_nobody(void *arg)
{
    struct one one = { 0 };
    return wr_desk_do(arg, &one.item, WR_NEVER, WR_HERE);
}

TEST_PANICS(freeing_a_desk_on_which_somebody_waits_is_a_panic, "test\\.desk.*is freed while")
{
    struct wr_desk *desk = desk_open(1);
    struct wr_scope *scope = scope_open();
    go(scope, wait_for_nobody, desk);
    wr_desk_free(desk);
}
