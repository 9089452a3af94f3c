/* The word of a wait by itself, and how waits of fibers end. */
#include "rt/wait_int.h"

#include <weir/lock.h>
#include <weir/offload.h>
#include <weir/once.h>

#include "testing/settle.h"
#include "testing/test.h"

static struct waiter waiter_of(struct fiber *fiber, uint64_t armed, uint8_t index)
{
    return (struct waiter){ .fiber = fiber, .armed = armed, .index = index };
}

/* ---- the word ---- */

TEST_PLAIN(a_wait_is_won_once_and_the_word_tells_by_whom)
{
    struct fiber fiber = { 0 };
    uint64_t armed = wr_wait_arm(&fiber);
    struct waiter a = waiter_of(&fiber, armed, 3), b = waiter_of(&fiber, armed, 4);
    CHECK(waiter_waits(&a));
    CHECK(wr_waiter_win(&a));
    CHECK(!waiter_waits(&a));
    CHECK(!wr_waiter_win(&b));
    CHECK(!wr_waiter_win(&a));
    CHECK(!wr_wait_end(&fiber, WAIT_TIMEOUT));
    CHECK(!wr_wait_end(&fiber, WAIT_CANCEL));
    CHECK_EQ(WAIT_WON + 3, fiber.word & WAIT_STATE);
}

TEST_PLAIN(a_wait_that_timed_out_or_was_canceled_cannot_be_won)
{
    static const unsigned ends[] = { WAIT_TIMEOUT, WAIT_CANCEL };
    for (int i = 0; i < 2; i++) {
        struct fiber fiber = { 0 };
        struct waiter waiter = waiter_of(&fiber, wr_wait_arm(&fiber), 0);
        CHECK(wr_wait_end(&fiber, ends[i]));
        CHECK(!wr_wait_end(&fiber, ends[!i]));
        CHECK(!wr_waiter_win(&waiter));
        CHECK_EQ(ends[i], fiber.word & WAIT_STATE);
    }
}

TEST_PLAIN(a_waiter_of_an_earlier_wait_cannot_end_a_later_one)
{
    struct fiber fiber = { 0 };
    struct waiter stale = waiter_of(&fiber, wr_wait_arm(&fiber), 0);
    CHECK(wr_wait_end(&fiber, WAIT_TIMEOUT));
    struct waiter present = waiter_of(&fiber, wr_wait_arm(&fiber), 1);
    CHECK(stale.armed != present.armed);
    CHECK(!wr_waiter_win(&stale));
    CHECK(wr_waiter_win(&present));
}

TEST_PLAIN(a_fiber_that_does_not_wait_cannot_be_woken)
{
    struct fiber fiber = { 0 };
    CHECK(!wr_wait_end(&fiber, WAIT_CANCEL));
    CHECK_EQ(WAIT_IDLE, fiber.word & WAIT_STATE);
}

TEST_PLAIN(the_last_index_of_a_select_fits_into_the_word)
{
    struct fiber fiber = { 0 };
    struct waiter waiter = waiter_of(&fiber, wr_wait_arm(&fiber), 15);
    uint64_t sequence = fiber.word & ~(uint64_t)WAIT_STATE;
    CHECK(wr_waiter_win(&waiter));
    CHECK_EQ(WAIT_WON + 15, fiber.word & WAIT_STATE);
    CHECK_EQ(sequence, fiber.word & ~(uint64_t)WAIT_STATE);
}

/* ---- lists of waiters ---- */

TEST_PLAIN(waiters_leave_a_list_from_every_position_and_twice_is_fine)
{
    for (int skip = 0; skip < 4; skip++) {
        struct fiber fiber = { 0 };
        struct waitlist list = { 0 };
        struct waiter waiters[4] = { 0 };
        for (int i = 0; i < 4; i++) {
            waiters[i] = waiter_of(&fiber, 0, (uint8_t)i);
            waitlist_push(&list, &waiters[i]);
        }
        waitlist_remove(&list, &waiters[skip]);
        waitlist_remove(&list, &waiters[skip]);
        struct waiter *at = list.head;
        for (int i = 0; i < 4; i++)
            if (i != skip) {
                CHECK(at == &waiters[i]);
                at = at->next;
            }
        CHECK(at == NULL);
        while (list.head)
            waitlist_remove(&list, list.head);
        CHECK(list.head == NULL && list.tail == NULL);
    }
}

TEST_PLAIN(the_first_waiter_that_can_be_won_is_taken_out_and_those_before_it_stay)
{
    struct fiber fibers[4] = { 0 };
    struct waitlist list = { 0 };
    struct waiter waiters[4];
    for (int i = 0; i < 4; i++) {
        waiters[i] = waiter_of(&fibers[i], wr_wait_arm(&fibers[i]), 0);
        waitlist_push(&list, &waiters[i]);
    }
    CHECK(wr_wait_end(&fibers[0], WAIT_TIMEOUT));
    CHECK(wr_wait_end(&fibers[1], WAIT_CANCEL));
    CHECK(waitlist_win(&list) == &waiters[2]);
    CHECK(waiters[0].linked && waiters[1].linked && !waiters[2].linked);
    CHECK(waitlist_win(&list) == &waiters[3]);
    CHECK(waitlist_win(&list) == NULL);
    waitlist_remove(&list, &waiters[0]);
    waitlist_remove(&list, &waiters[1]);
    CHECK(!list.head && !list.tail);
}

/* ---- threads that race ---- */

#define RACERS 3
#define ROUNDS 4000

struct race {
    struct fiber fiber;
    _Atomic uint64_t armed;
    _Atomic uint32_t round, arrived;
    _Atomic int wins[RACERS], wins_now;
    struct os_thread threads[RACERS];
};

struct racer { struct race *race; int number; };

static void race_on(void *arg)
{
    struct racer *racer = arg;
    struct race *race = racer->race;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        for (unsigned i = 0; race->round < round; i++)
            wr_os_relax(i);
        struct waiter waiter = waiter_of(&race->fiber, race->armed, (uint8_t)racer->number);
        bool won = racer->number == 0 ? wr_wait_end(&race->fiber, WAIT_TIMEOUT)
            : racer->number == 1 ? wr_wait_end(&race->fiber, WAIT_CANCEL)
                                 : wr_waiter_win(&waiter);
        if (won) {
            race->wins[racer->number]++;
            race->wins_now++;
        }
        race->arrived++;
    }
}

TEST_PLAIN(of_timer_cancel_and_waker_on_three_threads_exactly_one_ends_each_wait)
{
    static struct race race;
    struct racer racers[RACERS];
    for (int i = 0; i < RACERS; i++) {
        racers[i] = (struct racer){ &race, i };
        REQUIRE_OK(wr_os_thread_start(&race.threads[i], "racer", race_on, &racers[i]));
    }
    int wrong = 0;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        race.armed = wr_wait_arm(&race.fiber);
        race.wins_now = 0;
        race.arrived = 0;
        race.round = round;
        for (unsigned i = 0; race.arrived < RACERS; i++)
            wr_os_relax(i);
        wrong += race.wins_now != 1;
    }
    for (int i = 0; i < RACERS; i++)
        wr_os_thread_join(&race.threads[i]);
    CHECK_EQ(0, wrong);
    CHECK_EQ(ROUNDS, race.wins[0] + race.wins[1] + race.wins[2]);
}

static struct { struct spin lock; uint64_t count; } guarded;

static void count_up(void *arg)
{
    (void)arg;
    for (int i = 0; i < 20000; i++) {
        spin_lock(&guarded.lock);
        guarded.count++;
        spin_unlock(&guarded.lock);
    }
}

TEST_PLAIN(a_spin_lock_excludes_threads)
{
    struct os_thread threads[3];
    for (int i = 0; i < 3; i++)
        REQUIRE_OK(wr_os_thread_start(&threads[i], "counter", count_up, NULL));
    for (int i = 0; i < 3; i++)
        wr_os_thread_join(&threads[i]);
    CHECK_EQ(60000, guarded.count);
}

/* ---- waits of fibers ---- */

struct sleeper { wr_time deadline; wr_err err; wr_time ended; };

static wr_err sleep_task(void *arg)
{
    struct sleeper *sleeper = arg;
    sleeper->err = wr_sleep(sleeper->deadline);
    sleeper->ended = wr_now();
    return WR_OK;
}

TEST(the_earlier_of_the_calls_deadline_and_the_scopes_ends_a_wait)
{
    wr_time start = wr_now();
    struct wr_scope *scope;
    struct sleeper early = { .deadline = start + WR_MS(4) };
    struct sleeper late = { .deadline = start + WR_MS(9) };
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = start + WR_MS(7) }));
    CHECK_OK(wr_scope_go(scope, "test.sleeper", sleep_task, &early));
    CHECK_OK(wr_scope_go(scope, "test.sleeper", sleep_task, &late));
    scope_done(scope);
    CHECK_OK(early.err);
    CHECK_EQ(WR_MS(4), early.ended - start);
    CHECK_ERR(WR_TIMEOUT, late.err);
    CHECK_EQ(WR_MS(7), late.ended - start);
}

TEST(a_cancel_that_comes_while_nobody_waits_is_delivered_at_the_next_wait)
{
    struct wr_scope *scope = scope_open();
    wr_scope_enter(scope);
    wr_scope_cancel(scope);
    wr_time start = wr_now();
    CHECK_ERR(WR_CANCELED, wr_sleep(wr_after(WR_S(1))));
    CHECK_ERR(WR_CANCELED, wr_yield());
    CHECK_EQ(start, wr_now());
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));     /* outside the scope waits go on */
}

static wr_err cancel_at_the_same_moment(void *arg)
{
    wr_scope_cancel(arg);
    return WR_OK;
}

/* Canceled by one fiber while another begins to wait: it must not sleep on. */
TEST(a_cancel_is_never_lost_against_a_fiber_that_begins_to_wait)
{
    struct wr_once *never;
    REQUIRE_OK(wr_once_new(&never, "test.never", 0));
    for (int i = 0; i < 500; i++) {
        struct wr_scope *helpers = scope_open(), *scope = scope_open();
        CHECK_OK(wr_scope_go(helpers, "test.canceler", cancel_at_the_same_moment, scope));
        wr_scope_enter(scope);
        CHECK_ERR(WR_CANCELED, wr_once_wait(never, NULL, WR_NEVER));
        wr_scope_leave(scope);
        CHECK_OK(wr_scope_close(scope));
        scope_done(helpers);
    }
    wr_once_free(never);
}

static wr_err set_soon(void *arg)
{
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    return wr_once_set(arg, NULL);
}

TEST(a_wait_that_ended_early_leaves_no_timer_behind)
{
    struct wr_once *once;
    struct wr_scope *scope = scope_open();
    REQUIRE_OK(wr_once_new(&once, "test.once", 0));
    size_t before = wr_worker_self->wheel.count;
    CHECK_OK(wr_scope_go(scope, "test.setter", set_soon, once));
    CHECK_OK(wr_once_wait(once, NULL, wr_after(WR_S(100))));
    CHECK_EQ(before, wr_worker_self->wheel.count);
    scope_done(scope);
    wr_once_free(once);
}

/* ---- rules that were broken ---- */

static void sleep_outside(void *arg)
{
    (void)arg;
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
}

TEST_DIES(a_thread_outside_the_runtime_may_not_sleep,
          "panic at src/rt/wait_test.c:[0-9]+: a call that may wait, outside a task")
{
    CHECK_OK(wr_offload(sleep_outside, NULL, WR_NEVER));
}

static struct wr_mutex mutex = WR_MUTEX("test.mutex", 7);

TEST_DIES(a_wait_with_a_lock_held_names_both_places_in_every_build,
          "panic at src/rt/wait_test.c:[0-9]+: task main#[0-9]+ may wait on sleep while it "
          "holds lock \"test.mutex\", taken at src/rt/wait_test.c:[0-9]+; release it first, "
          "or use a gate")
{
    wr_mutex_lock(&mutex);
    sleep_outside(NULL);
}

TEST_DIES(a_wait_below_foreign_frames_is_named,
          "task main#[0-9]+ may wait on sleep below foreign")
{
    wr_foreign_enter();
    sleep_outside(NULL);
}

TEST_DIES(a_wait_that_nothing_can_end_is_reported_with_what_it_waits_on_and_where,
          "deadlock: every task waits.*main#[0-9]+ +waits on test.never at "
          "src/rt/wait_test.c:[0-9]+")
{
    struct wr_once *never;
    REQUIRE_OK(wr_once_new(&never, "test.never", 0));
    CHECK_OK(wr_once_wait(never, NULL, WR_NEVER));
}
