/* trim_test.c - memory that long waits give back, seen in the pages themselves. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <weir/once.h>

#include "rt/rt_int.h"
#include "testing/settle.h"
#include "testing/test.h"

enum { DEEP = 40 * 1024 };

struct diver { struct wr_once *surface; struct fiber *fiber; char mark; };

__attribute__((noinline)) static void dive(void)
{
    volatile char deep[DEEP];
    for (size_t i = 0; i < sizeof(deep); i += 512)
        deep[i] = 1;
}

static wr_err dive_and_wait(void *arg)
{
    struct diver *diver = arg;
    char kept[64];
    memset(kept, 'k', sizeof(kept));
    dive();
    diver->fiber = fiber_self();
    wr_err err = wr_once_wait(diver->surface, NULL, WR_NEVER);
    diver->mark = kept[63];
    return err;
}

/* Pages of the fiber's stack that are in memory. */
static size_t resident(const struct fiber *fiber)
{
    unsigned char in[1024] = { 0 };
    size_t pages = fiber->stack_size / wr_os_page(), count = 0;
    if (pages > sizeof(in) || mincore(fiber->stack, fiber->stack_size, in) != 0)
        return 0;
    for (size_t i = 0; i < pages; i++)
        count += in[i] & 1;
    return count;
}

/* Each call is a visit, as long as time goes on. */
static void visit(struct worker *w, wr_time *now)
{
    *now += WR_S(2);
    wr_trim(w, *now);
}

static struct wr_scope *start_diver(struct diver *diver)
{
    CHECK_OK(wr_once_new(&diver->surface, "test.surface", 0));
    struct wr_scope *scope = scope_open();
    go(scope, dive_and_wait, diver);
    return scope;
}

static void end_diver(struct diver *diver, struct wr_scope *scope)
{
    CHECK_OK(wr_once_set(diver->surface, NULL));
    scope_done(scope);
    wr_once_free(diver->surface);
}

TEST(a_fiber_that_waits_through_two_visits_gives_back_what_it_does_not_use)
{
    struct diver diver = { 0 };
    struct wr_scope *scope = start_diver(&diver);
    struct worker *w = fiber_self()->home;
    if (diver.fiber->home != w) {
        end_diver(&diver, scope);
        SKIP("the diver was started by another worker");
    }
    wr_time now = WR_S(5000);
    size_t before = resident(diver.fiber);
    CHECK(before >= DEEP / wr_os_page());
    visit(w, &now);
    CHECK_EQ(before, resident(diver.fiber));        /* once is not long enough */
    visit(w, &now);
    CHECK(resident(diver.fiber) <= 2);
    end_diver(&diver, scope);
    CHECK_EQ('k', diver.mark);                      /* what it does use is intact */
}

/* Under the virtual clock only the scheduler's loop trims, as under full load. */
TEST(a_worker_that_is_never_idle_trims_as_well)
{
    struct diver diver = { 0 };
    struct wr_scope *scope = start_diver(&diver);
    if (diver.fiber->home != fiber_self()->home) {
        end_diver(&diver, scope);
        SKIP("the diver was started by another worker");
    }
    CHECK(resident(diver.fiber) >= DEEP / wr_os_page());
    for (int i = 0; i < 4000; i++)
        CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    CHECK(resident(diver.fiber) <= 2);
    end_diver(&diver, scope);
}

TEST(rounds_end_when_there_is_nothing_left_to_do)
{
    struct diver diver = { 0 };
    struct wr_scope *scope = start_diver(&diver);
    struct worker *w = fiber_self()->home;
    wr_time now = WR_S(5000);
    for (int i = 0; i < 4; i++)
        visit(w, &now);
    CHECK(w->trim_next == WR_NEVER);
    struct diver other = { 0 };
    struct wr_scope *scope_of_other = start_diver(&other);      /* somebody has moved */
    visit(w, &now);
    CHECK(w->trim_next != WR_NEVER);
    end_diver(&other, scope_of_other);
    end_diver(&diver, scope);
}

static wr_err wait_for(void *arg)
{
    return wr_once_wait(arg, NULL, WR_NEVER);
}

TEST(fibers_left_over_from_a_rush_go_back_a_few_at_a_time)
{
    enum { RUSH = 3000 };
    struct wr_once *end;
    struct worker *w = fiber_self()->home;
    REQUIRE_OK(wr_once_new(&end, "test.end", 0));
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < RUSH; i++)
        CHECK_OK(wr_scope_go(scope, "test.rusher", wait_for, end));
    settle();
    CHECK_OK(wr_once_set(end, NULL));
    scope_done(scope);
    wr_once_free(end);
    size_t most = w->spare_len;
    wr_time now = WR_S(5000);
    for (int i = 0; i < 100; i++) {
        size_t before = w->spare_len;
        visit(w, &now);
        CHECK(before - w->spare_len <= 256);
    }
    CHECK(w->spare_len <= 1024);
    if (wr_rt.count == 1)
        CHECK(most >= RUSH);
}
