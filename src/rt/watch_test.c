#include <weir/watch.h>

#include <stdlib.h>
#include <string.h>

#include <weir/offload.h>
#include <weir/run.h>

#include "testing/settle.h"
#include "testing/test.h"

static struct wr_watch_writer writer;

static struct wr_watch *make(int initial)
{
    struct wr_watch *watch = NULL;
    CHECK_OK(wr_watch_new(&watch, &writer, &(struct wr_watch_conf){
        .name = "test.watch", .size = sizeof(int), .initial = &initial }));
    return watch;
}

static void set(int value)
{
    wr_watch_set(&writer, &value);
}

static int get(struct wr_watch *watch)
{
    int value = -1;
    wr_watch_get(watch, &value);
    return value;
}

struct call {
    struct wr_watch_reader reader;
    wr_time deadline;
    int value;
    wr_err err;
    wr_time ended;
};

static wr_err wait_task(void *arg)
{
    struct call *call = arg;
    call->err = wr_watch_wait(&call->reader, &call->value, call->deadline);
    call->ended = wr_now();
    return WR_OK;
}

/* A reader that has seen the present value. */
static struct wr_watch_reader caught_up(struct wr_watch *watch)
{
    struct wr_watch_reader reader = wr_watch_reader(watch);
    int value;
    CHECK_OK(wr_watch_wait(&reader, &value, WR_NOW));
    return reader;
}

/* ---- values and versions ---- */

TEST(the_initial_value_has_version_1_and_each_write_raises_it_by_one)
{
    struct wr_watch *watch = make(10);
    int value = 0;
    CHECK_EQ(1, wr_watch_get(watch, &value));
    CHECK_EQ(10, value);
    set(11);
    set(12);
    CHECK_EQ(3, wr_watch_get(watch, &value));
    CHECK_EQ(12, value);
    wr_watch_free(watch);
}

TEST(the_first_wait_of_a_new_reader_returns_the_present_value_at_once)
{
    struct wr_watch *watch = make(10);
    struct wr_watch_reader early = wr_watch_reader(watch);
    set(11);
    struct wr_watch_reader late = wr_watch_reader(watch);
    wr_time start = wr_now();
    int value = 0;
    CHECK_OK(wr_watch_wait(&early, &value, WR_NEVER));
    CHECK_EQ(11, value);
    CHECK_OK(wr_watch_wait(&late, &value, WR_NEVER));
    CHECK_EQ(11, value);
    CHECK_EQ(start, wr_now());
    CHECK_ERR(WR_TIMEOUT, wr_watch_wait(&early, &value, WR_NOW));
    wr_watch_free(watch);
}

TEST(a_reader_may_miss_values_in_between_but_sees_the_last_one)
{
    struct wr_watch *watch = make(0);
    struct wr_watch_reader reader = caught_up(watch);
    for (int i = 1; i <= 5; i++)
        set(i);
    int value = 0;
    CHECK_OK(wr_watch_wait(&reader, &value, WR_NOW));
    CHECK_EQ(5, value);
    CHECK_ERR(WR_TIMEOUT, wr_watch_wait(&reader, &value, WR_NOW));
    wr_watch_free(watch);
}

TEST(a_value_is_copied_whole_whatever_its_size)
{
    static const size_t sizes[] = { 1, 3, 8, 17, 64, 257 };
    unsigned char in[300], out[300];
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct wr_watch *watch;
        memset(in, 'a', sizeof(in));
        REQUIRE_OK(wr_watch_new(&watch, &writer, &(struct wr_watch_conf){
            .name = "test.size", .size = sizes[i], .initial = in }));
        memset(in, 'b', sizeof(in));
        wr_watch_set(&writer, in);
        memset(out, 'c', sizeof(out));
        wr_watch_get(watch, out);
        CHECK(memcmp(in, out, sizes[i]) == 0);
        CHECK_EQ('c', out[sizes[i]]);
        wr_watch_free(watch);
    }
}

/* ---- waiting ---- */

TEST(a_write_wakes_everyone_who_waits_at_that_moment)
{
    struct wr_watch *watch = make(0);
    struct wr_scope *scope = scope_open();
    struct call calls[5];
    wr_time start = wr_now();
    for (int i = 0; i < 5; i++) {
        calls[i] = (struct call){ .reader = caught_up(watch), .deadline = WR_NEVER };
        go(scope, wait_task, &calls[i]);
    }
    CHECK_OK(wr_sleep(start + WR_MS(3)));
    set(7);
    scope_done(scope);
    for (int i = 0; i < 5; i++) {
        CHECK_OK(calls[i].err);
        CHECK_EQ(7, calls[i].value);
        CHECK_EQ(WR_MS(3), calls[i].ended - start);
    }
    wr_watch_free(watch);
}

TEST(a_woken_reader_gets_the_newest_value_once_though_two_were_written)
{
    struct wr_watch *watch = make(0);
    struct wr_scope *scope = scope_open();
    struct call call = { .reader = caught_up(watch), .deadline = WR_NEVER };
    go(scope, wait_task, &call);
    set(1);
    set(2);
    settle();
    CHECK_OK(call.err);
    int first = call.value;
    CHECK(first == 1 || first == 2);    /* on another worker it may run between the two */
    if (first == 1)
        CHECK_OK(wr_watch_wait(&call.reader, &call.value, WR_NOW));
    CHECK_EQ(2, call.value);
    CHECK_ERR(WR_TIMEOUT, wr_watch_wait(&call.reader, &call.value, WR_NOW));
    scope_done(scope);
    wr_watch_free(watch);
}

TEST(a_wait_without_news_gives_up_exactly_at_the_deadline)
{
    struct wr_watch *watch = make(0);
    struct wr_watch_reader reader = caught_up(watch);
    wr_time start = wr_now();
    int value = 9;
    CHECK_ERR(WR_TIMEOUT, wr_watch_wait(&reader, &value, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, wr_watch_wait(&reader, &value, start - 1));
    CHECK_EQ(start, wr_now());
    CHECK_ERR(WR_TIMEOUT, wr_watch_wait(&reader, &value, start + WR_US(77)));
    CHECK_EQ(WR_US(77), wr_now() - start);
    CHECK_EQ(9, value);
    set(1);                             /* nobody is left in the list to be woken */
    wr_watch_free(watch);
}

TEST(a_cancel_ends_the_wait_and_the_reader_can_go_on_later)
{
    struct wr_watch *watch = make(0);
    struct wr_scope *scope = scope_open();
    struct call call = { .reader = caught_up(watch), .deadline = WR_NEVER };
    go(scope, wait_task, &call);
    wr_time canceled = wr_now();
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_ERR(WR_CANCELED, call.err);
    CHECK_EQ(canceled, call.ended);
    set(4);
    CHECK_OK(wr_watch_wait(&call.reader, &call.value, WR_NOW));
    CHECK_EQ(4, call.value);
    wr_watch_free(watch);
}

TEST(a_wait_that_was_served_returns_ok_though_it_is_canceled_before_it_runs)
{
    struct wr_watch *watch = make(0);
    struct wr_scope *scope = scope_open();
    struct call call = { .reader = caught_up(watch), .deadline = WR_NEVER };
    go(scope, wait_task, &call);
    set(4);
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_OK(call.err);
    CHECK_EQ(4, call.value);
    wr_watch_free(watch);
}

TEST(in_a_canceled_scope_news_is_still_had_with_wr_now)
{
    struct wr_watch *watch = make(6);
    struct wr_watch_reader reader = wr_watch_reader(watch);
    struct wr_scope *scope = scope_open();
    int value = 0;
    wr_scope_enter(scope);
    wr_scope_cancel(scope);
    CHECK_ERR(WR_CANCELED, wr_watch_wait(&reader, &value, WR_NEVER));
    CHECK_OK(wr_watch_wait(&reader, &value, WR_NOW));
    CHECK_EQ(6, value);
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    wr_watch_free(watch);
}

/* ---- closing ---- */

TEST(after_the_close_the_last_value_is_seen_once_and_then_closed)
{
    struct wr_watch *watch = make(0);
    struct wr_watch_reader behind = caught_up(watch), level = behind;
    int value = 0;
    set(5);
    CHECK_OK(wr_watch_wait(&level, &value, WR_NOW));
    wr_watch_close(&writer);
    CHECK_OK(wr_watch_wait(&behind, &value, WR_NEVER));
    CHECK_EQ(5, value);
    CHECK_ERR(WR_CLOSED, wr_watch_wait(&behind, &value, WR_NEVER));
    CHECK_ERR(WR_CLOSED, wr_watch_wait(&level, &value, WR_NOW));
    CHECK_EQ(5, get(watch));
    wr_watch_free(watch);
}

TEST(closing_wakes_everyone_who_waits_and_twice_is_fine)
{
    struct wr_watch *watch = make(0);
    struct wr_scope *scope = scope_open();
    struct call calls[3];
    for (int i = 0; i < 3; i++) {
        calls[i] = (struct call){ .reader = caught_up(watch), .deadline = WR_NEVER };
        go(scope, wait_task, &calls[i]);
    }
    wr_watch_close(&writer);
    wr_watch_close(&writer);
    scope_done(scope);
    for (int i = 0; i < 3; i++)
        CHECK_ERR(WR_CLOSED, calls[i].err);
    wr_watch_free(watch);
}

TEST(a_value_too_large_for_memory_is_refused)
{
    struct wr_watch *watch = NULL;
    struct wr_watch_conf conf = { .name = "test.large", .initial = &watch };
    for (conf.size = SIZE_MAX; conf.size > SIZE_MAX - 16; conf.size -= 5)
        CHECK_ERR(WR_NOMEM, wr_watch_new(&watch, &writer, &conf));
    CHECK(watch == NULL);
}

TEST(freeing_nothing_is_allowed)
{
    wr_watch_free(NULL);
}

/* ---- the one writer ---- */

TEST(a_moved_handle_is_empty_and_the_new_one_writes_on)
{
    struct wr_watch *watch = make(0);
    struct wr_watch_writer second = wr_watch_move(&writer);
    CHECK(writer.watch == NULL);
    wr_watch_set(&second, &(int){ 3 });
    struct wr_watch_writer third = wr_watch_move(&second);
    wr_watch_set(&third, &(int){ 4 });
    int value;
    CHECK_EQ(3, wr_watch_get(watch, &value));
    CHECK_EQ(4, value);
    wr_watch_close(&third);
    wr_watch_free(watch);
}

TEST_PANICS(writing_through_a_handle_that_was_moved_away_panics,
            "panic at src/rt/watch_test.c:[0-9]+: this writer handle is empty: it was moved")
{
    make(0);
    struct wr_watch_writer other = wr_watch_move(&writer);
    wr_watch_set(&other, &(int){ 1 });
    set(2);
}

TEST_PANICS(writing_through_a_copy_that_outlived_a_move_panics,
            "panic at src/rt/watch_test.c:[0-9]+: watch \"test.watch\" has one writer, "
            "and this handle is not it")
{
    make(0);
    struct wr_watch_writer copy = writer;
    struct wr_watch_writer moved = wr_watch_move(&writer);
    wr_watch_set(&moved, &(int){ 1 });
    wr_watch_set(&copy, &(int){ 2 });
}

TEST_PANICS(moving_a_copy_that_outlived_a_move_panics, "\"test.watch\" has one writer")
{
    make(0);
    struct wr_watch_writer copy = writer;
    struct wr_watch_writer moved = wr_watch_move(&writer);
    wr_watch_set(&moved, &(int){ 1 });
    moved = wr_watch_move(&copy);
}

TEST_PANICS(closing_a_copy_that_outlived_a_move_panics,
            "panic at src/rt/watch_test.c:[0-9]+: watch \"test.watch\" has one writer")
{
    make(0);
    struct wr_watch_writer copy = writer;
    struct wr_watch_writer moved = wr_watch_move(&writer);
    wr_watch_set(&moved, &(int){ 1 });
    wr_watch_close(&copy);
}

TEST_PANICS(writing_after_the_close_panics,
            "handle is empty: it was moved, closed or never made")
{
    make(0);
    wr_watch_close(&writer);
    set(1);
}

TEST_PANICS(writing_through_a_copy_that_outlived_the_close_panics,
            "watch \"test.watch\" has one writer, and this handle is not it")
{
    make(0);
    struct wr_watch_writer copy = writer;
    wr_watch_close(&writer);
    wr_watch_set(&copy, &(int){ 1 });
}

/* Large, so that the two are inside at the same time before long. */
#define LARGE (1 << 20)
static char large[LARGE];

static void write_on(void *arg)
{
    (void)arg;
    for (int i = 0; i < 20000; i++)
        wr_watch_set(&writer, large);
}

static wr_err let_other_threads_write(void *arg)
{
    return wr_offload(write_on, arg, WR_NEVER);
}

TEST_DIES(two_that_write_through_one_handle_at_once_are_caught,
          "panic at src/rt/watch_test.c:[0-9]+: watch \"test.large\" is written by two at once")
{
    struct wr_watch *watch;
    struct wr_scope *scope = scope_open();
    REQUIRE_OK(wr_watch_new(&watch, &writer, &(struct wr_watch_conf){
        .name = "test.large", .size = LARGE, .initial = large }));
    CHECK_OK(wr_scope_go(scope, "test.writer", let_other_threads_write, NULL));
    CHECK_OK(wr_scope_go(scope, "test.writer", let_other_threads_write, NULL));
    scope_done(scope);
}

/* ---- other rules that were broken ---- */

TEST_PANICS(a_watch_needs_a_name,
            "panic at src/rt/watch_test\\.c:[0-9]+: "
            "watch \"\\?\": name, size and initial are required; size is 4, and initial is "
            "given")
{
    struct wr_watch *watch;
    struct wr_watch_conf conf = { .size = 4, .initial = &watch };
    (void)!wr_watch_new(&watch, &writer, &conf);
}

TEST_PANICS(a_watch_needs_a_value,
            "watch \"test.none\": name, size and initial are required; size is 4, and initial "
            "is NULL")
{
    struct wr_watch *watch;
    struct wr_watch_conf conf = { .name = "test.none", .size = 4 };
    (void)!wr_watch_new(&watch, &writer, &conf);
}

TEST_PANICS(freeing_a_watch_names_the_fiber_that_still_waits,
            "panic at src/rt/watch_test\\.c:[0-9]+: "
            "watch \"test.watch\" is freed while test.task#[0-9]+ waits on it; close it "
            "and join its users first")
{
    static struct call call;
    struct wr_watch *watch = make(0);
    call = (struct call){ .reader = caught_up(watch), .deadline = WR_NEVER };
    go(scope_open(), wait_task, &call);
    wr_watch_free(watch);
}

/* ---- several threads ---- */

static void write_from_outside(void *arg)
{
    int value;
    set(21);
    wr_watch_get(arg, &value);
    CHECK_EQ(21, value);
}

TEST(a_thread_outside_the_runtime_may_write_and_read_and_wakes_who_waits)
{
    struct wr_watch *watch = make(0);
    struct wr_scope *scope = scope_open();
    struct call call = { .reader = caught_up(watch), .deadline = WR_NEVER };
    go(scope, wait_task, &call);
    CHECK_OK(wr_offload(write_from_outside, watch, WR_NEVER));
    scope_done(scope);
    CHECK_OK(call.err);
    CHECK_EQ(21, call.value);
    wr_watch_free(watch);
}

/* A value whose parts must all be the same. */
#define PARTS 32
#define WRITES 1500
struct wide { int part[PARTS]; };

static bool whole(const struct wide *wide)
{
    for (int i = 1; i < PARTS; i++)
        if (wide->part[i] != wide->part[0])
            return false;
    return true;
}

static wr_err follow(void *arg)
{
    struct wr_watch_reader reader = wr_watch_reader(arg);
    struct wide wide = { .part = { -1 } };
    int last = -1;
    wr_err err;
    while ((err = wr_watch_wait(&reader, &wide, WR_NEVER)) == WR_OK) {
        if (!CHECK(whole(&wide)) || !CHECK(wide.part[0] > last))
            return WR_OK;
        last = wide.part[0];
    }
    CHECK_ERR(WR_CLOSED, err);
    CHECK_EQ(WRITES, last);
    return WR_OK;
}

static wr_err write_and_close(void *arg)
{
    struct wide wide;
    (void)arg;
    for (int i = 1; i <= WRITES; i++) {
        for (int part = 0; part < PARTS; part++)
            wide.part[part] = i;
        wr_watch_set(&writer, &wide);
        if (i % 7 == 0)
            CHECK_OK(wr_yield());
    }
    wr_watch_close(&writer);
    return WR_OK;
}

static wr_err many_follow(void *arg)
{
    struct wr_watch *watch;
    struct wr_scope *scope = scope_open();
    (void)arg;
    REQUIRE_OK(wr_watch_new(&watch, &writer, &(struct wr_watch_conf){
        .name = "test.wide", .size = sizeof(struct wide), .initial = &(struct wide){ { 0 } } }),
        WR_NOMEM);
    for (int i = 0; i < 12; i++)
        CHECK_OK(wr_scope_go(scope, "test.follower", follow, watch));
    CHECK_OK(wr_scope_go(scope, "test.writer", write_and_close, NULL));
    scope_done(scope);
    wr_watch_free(watch);
    return WR_OK;
}

TEST(every_reader_sees_whole_values_in_order_and_the_last_one)
{
    CHECK_OK(many_follow(NULL));
}

TEST_PLAIN(every_reader_sees_the_last_value_on_four_workers_and_the_real_clock)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 4 }, many_follow, NULL));
}
