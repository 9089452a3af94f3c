#include <weir/once.h>

#include <string.h>

#include <weir/offload.h>
#include <weir/run.h>
#include <weir/select.h>

#include "testing/settle.h"
#include "testing/test.h"

static struct wr_once *make(size_t size)
{
    struct wr_once *once = NULL;
    CHECK_OK(wr_once_new(&once, "test.once", size));
    return once;
}

struct call {
    struct wr_once *once;
    wr_time deadline;
    int value;
    wr_err err;
    wr_time ended;
};

static wr_err wait_task(void *arg)
{
    struct call *call = arg;
    call->err = wr_once_wait(call->once, &call->value, call->deadline);
    call->ended = wr_now();
    return WR_OK;
}

/* ---- the value ---- */

TEST(once_it_is_set_every_wait_returns_the_value_at_once)
{
    struct wr_once *once = make(sizeof(int));
    wr_time start = wr_now();
    CHECK(!wr_once_done(once));
    CHECK_OK(wr_once_set(once, &(int){ 5 }));
    CHECK(wr_once_done(once));
    for (int i = 0; i < 3; i++) {
        int value = 0;
        CHECK_OK(wr_once_wait(once, &value, i ? WR_NEVER : WR_NOW));
        CHECK_EQ(5, value);
    }
    CHECK_EQ(start, wr_now());
    wr_once_free(once);
}

TEST(the_first_value_stays_and_a_second_is_refused)
{
    struct wr_once *once = make(sizeof(int));
    int value = 0;
    CHECK_OK(wr_once_set(once, &(int){ 1 }));
    CHECK_ERR(WR_EXISTS, wr_once_set(once, &(int){ 2 }));
    CHECK_OK(wr_once_wait(once, &value, WR_NOW));
    CHECK_EQ(1, value);
    wr_once_free(once);
}

TEST(a_once_without_a_size_is_an_event)
{
    struct wr_once *once = make(0);
    CHECK_ERR(WR_TIMEOUT, wr_once_wait(once, NULL, WR_NOW));
    CHECK_OK(wr_once_set(once, NULL));
    CHECK_OK(wr_once_wait(once, NULL, WR_NEVER));
    CHECK_ERR(WR_EXISTS, wr_once_set(once, NULL));
    wr_once_free(once);
}

TEST(who_does_not_want_the_value_may_wait_for_it_all_the_same)
{
    struct wr_once *once = make(sizeof(int));
    size_t which;
    struct wr_case only = WR_CASE_ONCE(once, NULL);
    CHECK_OK(wr_once_set(once, &(int){ 5 }));
    CHECK_OK(wr_once_wait(once, NULL, WR_NEVER));
    CHECK_OK(wr_select(&which, &only, 1, WR_NEVER));
    CHECK_OK(only.err);
    wr_once_free(once);
}

TEST(a_value_is_copied_whole_whatever_its_size)
{
    static const size_t sizes[] = { 1, 3, 8, 17, 64, 257 };
    unsigned char in[300], out[300];
    memset(in, 'x', sizeof(in));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct wr_once *once = make(sizes[i]);
        memset(out, '-', sizeof(out));
        CHECK_OK(wr_once_set(once, in));
        CHECK_OK(wr_once_wait(once, out, WR_NOW));
        CHECK(memcmp(in, out, sizes[i]) == 0);
        CHECK_EQ('-', out[sizes[i]]);
        wr_once_free(once);
    }
}

/* ---- closing ---- */

TEST(a_closed_once_will_never_have_a_value)
{
    struct wr_once *once = make(sizeof(int));
    int value = 9;
    wr_once_close(once);
    wr_once_close(once);
    CHECK(!wr_once_done(once));
    CHECK_ERR(WR_CLOSED, wr_once_wait(once, &value, WR_NEVER));
    CHECK_ERR(WR_CLOSED, wr_once_wait(once, &value, WR_NOW));
    CHECK_ERR(WR_CLOSED, wr_once_set(once, &(int){ 1 }));
    CHECK_EQ(9, value);
    wr_once_free(once);
}

TEST(closing_does_nothing_once_it_is_set)
{
    struct wr_once *once = make(sizeof(int));
    int value = 0;
    CHECK_OK(wr_once_set(once, &(int){ 3 }));
    wr_once_close(once);
    CHECK(wr_once_done(once));
    CHECK_OK(wr_once_wait(once, &value, WR_NEVER));
    CHECK_EQ(3, value);
    CHECK_ERR(WR_EXISTS, wr_once_set(once, &(int){ 4 }));
    wr_once_free(once);
}

/* ---- waiting ---- */

static void wake_all_by(bool set)
{
    struct wr_once *once = make(sizeof(int));
    struct wr_scope *scope = scope_open();
    struct call calls[5];
    wr_time start = wr_now();
    for (int i = 0; i < 5; i++) {
        calls[i] = (struct call){ .once = once, .deadline = WR_NEVER, .value = -1 };
        go(scope, wait_task, &calls[i]);
    }
    CHECK_OK(wr_sleep(start + WR_MS(6)));
    if (set)
        CHECK_OK(wr_once_set(once, &(int){ 7 }));
    else
        wr_once_close(once);
    scope_done(scope);
    for (int i = 0; i < 5; i++) {
        CHECK_ERR(set ? WR_OK : WR_CLOSED, calls[i].err);
        CHECK_EQ(set ? 7 : -1, calls[i].value);
        CHECK_EQ(WR_MS(6), calls[i].ended - start);
    }
    wr_once_free(once);
}

TEST(setting_wakes_everyone_who_waits)
{
    wake_all_by(true);
}

TEST(closing_wakes_everyone_who_waits)
{
    wake_all_by(false);
}

TEST(a_wait_gives_up_exactly_at_the_deadline)
{
    struct wr_once *once = make(sizeof(int));
    wr_time start = wr_now();
    int value = 9;
    CHECK_ERR(WR_TIMEOUT, wr_once_wait(once, &value, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, wr_once_wait(once, &value, start - 1));
    CHECK_EQ(start, wr_now());
    CHECK_ERR(WR_TIMEOUT, wr_once_wait(once, &value, start + 1));
    CHECK_EQ(start + 1, wr_now());
    CHECK_EQ(9, value);
    CHECK_OK(wr_once_set(once, &(int){ 1 }));       /* nobody is left to be woken */
    wr_once_free(once);
}

TEST(a_cancel_ends_the_wait)
{
    struct wr_once *once = make(sizeof(int));
    struct wr_scope *scope = scope_open();
    struct call call = { .once = once, .deadline = WR_NEVER };
    go(scope, wait_task, &call);
    wr_time canceled = wr_now();
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_ERR(WR_CANCELED, call.err);
    CHECK_EQ(canceled, call.ended);
    wr_once_free(once);
}

TEST(a_wait_that_was_served_returns_the_value_though_it_is_canceled_before_it_runs)
{
    struct wr_once *once = make(sizeof(int));
    struct wr_scope *scope = scope_open();
    struct call call = { .once = once, .deadline = WR_NEVER };
    go(scope, wait_task, &call);
    CHECK_OK(wr_once_set(once, &(int){ 2 }));
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_OK(call.err);
    CHECK_EQ(2, call.value);
    wr_once_free(once);
}

TEST(in_a_canceled_scope_the_value_is_still_had_with_wr_now)
{
    struct wr_once *once = make(sizeof(int));
    struct wr_scope *scope = scope_open();
    int value = 0;
    wr_scope_enter(scope);
    wr_scope_cancel(scope);
    CHECK_OK(wr_once_set(once, &(int){ 2 }));
    CHECK_ERR(WR_CANCELED, wr_once_wait(once, &value, WR_NEVER));
    CHECK_OK(wr_once_wait(once, &value, WR_NOW));
    CHECK_EQ(2, value);
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    wr_once_free(once);
}

TEST(a_value_too_large_for_memory_is_refused)
{
    struct wr_once *once = NULL;
    for (size_t size = SIZE_MAX; size > SIZE_MAX - 16; size -= 5)
        CHECK_ERR(WR_NOMEM, wr_once_new(&once, "test.large", size));
    CHECK(once == NULL);
}

TEST(freeing_nothing_is_allowed)
{
    wr_once_free(NULL);
}

TEST_PANICS(a_once_needs_a_name,
            "panic at src/rt/once_test\\.c:[0-9]+: once of 8 bytes: a name is required")
{
    struct wr_once *once;
    (void)!wr_once_new(&once, NULL, 8);
}

TEST_PANICS(freeing_a_once_names_the_fiber_that_still_waits,
            "panic at src/rt/once_test\\.c:[0-9]+: "
            "once \"test.once\" is freed while test.task#[0-9]+ waits on it; close it and "
            "join its users first")
{
    static struct call call;
    call = (struct call){ .once = make(sizeof(int)), .deadline = WR_NEVER };
    go(scope_open(), wait_task, &call);
    wr_once_free(call.once);
}

/* ---- several threads ---- */

static void set_from_outside(void *arg)
{
    int value = 0;
    CHECK_OK(wr_once_set(arg, &(int){ 12 }));
    CHECK_OK(wr_once_wait(arg, &value, WR_NOW));
    CHECK_EQ(12, value);
}

TEST(a_thread_outside_the_runtime_may_set_it_and_wakes_who_waits)
{
    struct wr_once *once = make(sizeof(int));
    struct wr_scope *scope = scope_open();
    struct call call = { .once = once, .deadline = WR_NEVER };
    go(scope, wait_task, &call);
    CHECK_OK(wr_offload(set_from_outside, once, WR_NEVER));
    scope_done(scope);
    CHECK_EQ(12, call.value);
    wr_once_free(once);
}

#define ROUNDS 200

struct race { struct wr_once *once; _Atomic int winners, seen[2]; };

static wr_err try_to_set(void *arg)
{
    struct race *race = arg;
    wr_err err = wr_once_set(race->once, &(int){ 1 });
    CHECK(err == WR_OK || err == WR_EXISTS);
    race->winners += err == WR_OK;
    return WR_OK;
}

static wr_err wait_for_it(void *arg)
{
    struct race *race = arg;
    int value = 0;
    CHECK_OK(wr_once_wait(race->once, &value, WR_NEVER));
    race->seen[value]++;
    return WR_OK;
}

static wr_err race_to_set(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct race race = { .once = make(sizeof(int)) };
        struct wr_scope *scope = scope_open();
        for (int j = 0; j < 4; j++) {
            CHECK_OK(wr_scope_go(scope, "test.waiter", wait_for_it, &race));
            CHECK_OK(wr_scope_go(scope, "test.setter", try_to_set, &race));
        }
        scope_done(scope);
        CHECK_EQ(1, race.winners);
        CHECK_EQ(4, race.seen[1]);
        wr_once_free(race.once);
    }
    return WR_OK;
}

TEST(of_many_who_set_one_wins_and_all_waiters_see_it)
{
    CHECK_OK(race_to_set(NULL));
}

TEST_PLAIN(of_many_who_set_one_wins_on_four_workers_and_the_real_clock)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 4 }, race_to_set, NULL));
}
