#include "svc/queue/slots.h"

#include <weir/scope.h>

#include "testing/settle.h"
#include "testing/test.h"

static const unsigned limits[QUEUE_SLOTS] = { 1, 1, 4, 8 };

static struct slots *made(void)
{
    struct slots *slots = NULL;
    CHECK_OK(slots_new(&slots, limits));
    return slots;
}

TEST(as_many_are_taken_as_are_free_and_wanted)
{
    struct slots *slots = made();
    size_t got;
    CHECK_OK(slots_take(slots, QUEUE_NETWORK, 3, &got, WR_NOW));
    CHECK_EQ(3, got);
    CHECK_OK(slots_take(slots, QUEUE_NETWORK, 3, &got, WR_NOW));
    CHECK_EQ(1, got);
    CHECK_ERR(WR_TIMEOUT, slots_take(slots, QUEUE_NETWORK, 1, &got, WR_NOW));
    slots_give(slots, QUEUE_NETWORK, 2);
    CHECK_OK(slots_take(slots, QUEUE_NETWORK, 8, &got, WR_NOW));
    CHECK_EQ(2, got);
    CHECK_EQ(4, slots_taken(slots, QUEUE_NETWORK));
    slots_free(slots);
}

TEST(the_card_and_the_browser_exclude_each_other)
{
    struct slots *slots = made();
    size_t got;
    CHECK_OK(slots_take(slots, QUEUE_GPU, 1, &got, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, slots_take(slots, QUEUE_BROWSER, 1, &got, WR_NOW));
    CHECK_OK(slots_take(slots, QUEUE_CPU, 1, &got, WR_NOW));
    slots_give(slots, QUEUE_GPU, 1);
    CHECK_OK(slots_take(slots, QUEUE_BROWSER, 1, &got, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, slots_take(slots, QUEUE_GPU, 1, &got, WR_NOW));
    slots_free(slots);
}

struct taker { struct slots *slots; enum queue_slot slot; bool took; };

static wr_err take_one(void *arg)
{
    struct taker *taker = arg;
    size_t got;
    CHECK_OK(slots_take(taker->slots, taker->slot, 1, &got, wr_after(WR_S(9))));
    taker->took = true;
    return WR_OK;
}

TEST(who_excludes_another_that_waits_does_not_go_twice)
{
    struct slots *slots = made();
    struct taker browser = { slots, QUEUE_BROWSER, false };
    size_t got;
    CHECK_OK(slots_take(slots, QUEUE_GPU, 1, &got, WR_NOW));
    struct wr_scope *scope = scope_open();
    go(scope, take_one, &browser);
    settle();
    CHECK(!browser.took);
    slots_give(slots, QUEUE_GPU, 1);
    CHECK_ERR(WR_TIMEOUT, slots_take(slots, QUEUE_GPU, 1, &got, WR_NOW));
    scope_done(scope);
    CHECK(browser.took);
    slots_give(slots, QUEUE_BROWSER, 1);
    CHECK_OK(slots_take(slots, QUEUE_GPU, 1, &got, WR_NOW));
    slots_free(slots);
}

TEST(who_has_given_up_is_not_waited_for)
{
    struct slots *slots = made();
    size_t got;
    CHECK_OK(slots_take(slots, QUEUE_GPU, 1, &got, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, slots_take(slots, QUEUE_BROWSER, 1, &got, wr_after(WR_S(1))));
    slots_give(slots, QUEUE_GPU, 1);
    CHECK_OK(slots_take(slots, QUEUE_GPU, 1, &got, WR_NOW));
    slots_free(slots);
}

TEST(more_are_there_when_there_may_be_more)
{
    struct slots *slots = made();
    struct taker gpu = { slots, QUEUE_GPU, false };
    size_t got;
    CHECK_OK(slots_take(slots, QUEUE_GPU, 1, &got, WR_NOW));
    struct wr_scope *scope = scope_open();
    go(scope, take_one, &gpu);
    settle();
    CHECK(!gpu.took);
    slots_tune(slots, (const unsigned[QUEUE_SLOTS]){ 2, 1, 4, 8 });
    scope_done(scope);
    CHECK(gpu.took);
    slots_free(slots);
}
