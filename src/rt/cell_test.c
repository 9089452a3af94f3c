#include <weir/cell.h>

#include <stdlib.h>
#include <string.h>

#include <weir/offload.h>
#include <weir/run.h>

#include "testing/settle.h"
#include "testing/test.h"

static struct wr_cell_writer writer;
static _Atomic int drops, last_dropped;

static void count_drop(void *snapshot)
{
    drops++;
    last_dropped = *(int *)snapshot;
}

static struct wr_cell *make(int initial)
{
    struct wr_cell *cell = NULL;
    drops = 0;
    last_dropped = -1;
    CHECK_OK(wr_cell_new(&cell, &writer, &(struct wr_cell_conf){
        .name = "test.cell", .size = sizeof(int), .initial = &initial, .drop = count_drop }));
    return cell;
}

static void set(int value)
{
    CHECK_OK(wr_cell_set(&writer, &value));
}

/* ---- snapshots ---- */

TEST(a_reader_sees_the_snapshot_that_was_put_last)
{
    struct wr_cell *cell = make(1);
    const int *held = wr_cell_get(cell);
    CHECK_EQ(1, *held);
    wr_cell_put(cell, held);
    set(2);
    held = wr_cell_get(cell);
    CHECK_EQ(2, *held);
    wr_cell_put(cell, held);
    wr_cell_free(cell);
}

TEST(a_snapshot_is_a_copy_of_what_was_given)
{
    struct wr_cell *cell = make(1);
    int value = 2;
    CHECK_OK(wr_cell_set(&writer, &value));
    value = 3;
    const int *held = wr_cell_get(cell);
    CHECK_EQ(2, *held);
    wr_cell_put(cell, held);
    wr_cell_free(cell);
}

TEST(a_held_snapshot_stays_as_it_is_across_waits_and_writes)
{
    struct wr_cell *cell = make(1);
    const int *old = wr_cell_get(cell);
    for (int i = 2; i < 10; i++) {
        set(i);
        settle();
        CHECK_EQ(1, *old);
    }
    wr_cell_put(cell, old);
    wr_cell_free(cell);
}

TEST(snapshots_of_any_size_are_whole)
{
    static const size_t sizes[] = { 1, 3, 8, 17, 64, 4099 };
    static unsigned char in[4099];
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct wr_cell *cell;
        memset(in, 'a', sizeof(in));
        REQUIRE_OK(wr_cell_new(&cell, &writer, &(struct wr_cell_conf){
            .name = "test.size", .size = sizes[i], .initial = in }));
        memset(in, 'b', sizeof(in));
        CHECK_OK(wr_cell_set(&writer, in));
        const void *held = wr_cell_get(cell);
        CHECK(memcmp(held, in, sizes[i]) == 0);
        wr_cell_put(cell, held);
        wr_cell_free(cell);
    }
}

/* ---- when it goes ---- */

TEST(a_replaced_snapshot_that_nobody_holds_is_dropped_at_once)
{
    struct wr_cell *cell = make(1);
    wr_cell_put(cell, wr_cell_get(cell));
    CHECK_EQ(0, drops);
    set(2);
    CHECK_EQ(1, drops);
    CHECK_EQ(1, last_dropped);
    wr_cell_free(cell);
}

TEST(a_replaced_snapshot_is_dropped_when_its_last_reader_puts_it_back)
{
    struct wr_cell *cell = make(1);
    const void *held[3];
    for (int i = 0; i < 3; i++)
        held[i] = wr_cell_get(cell);
    wr_cell_put(cell, held[0]);
    set(2);
    CHECK_EQ(0, drops);
    wr_cell_put(cell, held[1]);
    CHECK_EQ(0, drops);
    wr_cell_put(cell, held[2]);
    CHECK_EQ(1, drops);
    CHECK_EQ(1, last_dropped);
    wr_cell_free(cell);
}

TEST(the_present_snapshot_is_not_dropped_however_often_it_is_read)
{
    struct wr_cell *cell = make(1);
    for (int i = 0; i < 100000; i++)
        wr_cell_put(cell, wr_cell_get(cell));
    CHECK_EQ(0, drops);
    wr_cell_free(cell);
    CHECK_EQ(1, drops);
}

TEST(several_old_snapshots_live_side_by_side_each_as_long_as_it_is_held)
{
    struct wr_cell *cell = make(0);
    const int *held[8];
    for (int i = 0; i < 8; i++) {
        held[i] = wr_cell_get(cell);
        set(i + 1);
    }
    CHECK_EQ(0, drops);
    for (int i = 7; i >= 0; i--) {
        CHECK_EQ(i, *held[i]);
        wr_cell_put(cell, held[i]);
        CHECK_EQ(i, last_dropped);
        CHECK_EQ(8 - i, drops);
    }
    wr_cell_free(cell);
    CHECK_EQ(9, drops);
}

TEST(freeing_the_cell_drops_the_snapshot_it_has)
{
    struct wr_cell *cell = make(5);
    wr_cell_free(cell);
    CHECK_EQ(1, drops);
    CHECK_EQ(5, last_dropped);
    wr_cell_free(NULL);
}

TEST(a_snapshot_too_large_for_memory_is_refused)
{
    struct wr_cell *cell = NULL;
    struct wr_cell_conf conf = { .name = "test.large", .initial = &cell };
    for (conf.size = SIZE_MAX; conf.size > SIZE_MAX - 16; conf.size -= 5)
        CHECK_ERR(WR_NOMEM, wr_cell_new(&cell, &writer, &conf));
    CHECK(cell == NULL);
}

/* ---- the one writer ---- */

TEST(a_moved_handle_is_empty_and_the_new_one_writes_on)
{
    struct wr_cell *cell = make(1);
    struct wr_cell_writer second = wr_cell_move(&writer);
    CHECK(writer.cell == NULL);
    CHECK_OK(wr_cell_set(&second, &(int){ 2 }));
    struct wr_cell_writer third = wr_cell_move(&second);
    CHECK_OK(wr_cell_set(&third, &(int){ 3 }));
    const int *held = wr_cell_get(cell);
    CHECK_EQ(3, *held);
    wr_cell_put(cell, held);
    wr_cell_free(cell);
}

TEST_PANICS(writing_through_a_handle_that_was_moved_away_panics,
            "panic at src/rt/cell_test.c:[0-9]+: this writer handle is empty: it was moved")
{
    make(1);
    struct wr_cell_writer moved = wr_cell_move(&writer);
    CHECK_OK(wr_cell_set(&moved, &(int){ 2 }));
    set(3);
}

TEST_PANICS(writing_through_a_copy_that_outlived_a_move_panics,
            "panic at src/rt/cell_test.c:[0-9]+: cell \"test.cell\" has one writer, "
            "and this handle is not it")
{
    make(1);
    struct wr_cell_writer copy = writer, moved = wr_cell_move(&writer);
    CHECK_OK(wr_cell_set(&moved, &(int){ 2 }));
    CHECK_OK(wr_cell_set(&copy, &(int){ 3 }));
}

TEST_PANICS(moving_a_copy_that_outlived_a_move_panics, "cell \"test.cell\" has one writer")
{
    make(1);
    struct wr_cell_writer copy = writer, moved = wr_cell_move(&writer);
    CHECK_OK(wr_cell_set(&moved, &(int){ 2 }));
    moved = wr_cell_move(&copy);
}

/* Large, so that the two are inside at the same time before long. */
#define LARGE (1 << 20)
static char large[LARGE];

static void write_on(void *arg)
{
    (void)arg;
    for (int i = 0; i < 20000; i++)
        CHECK_OK(wr_cell_set(&writer, large));
}

static wr_err let_another_thread_write(void *arg)
{
    return wr_offload(write_on, arg, WR_NEVER);
}

TEST_DIES(two_that_write_through_one_handle_at_once_are_caught,
          "panic at src/rt/cell_test.c:[0-9]+: cell \"test.large\" is written by two at once")
{
    struct wr_cell *cell;
    struct wr_scope *scope = scope_open();
    REQUIRE_OK(wr_cell_new(&cell, &writer, &(struct wr_cell_conf){
        .name = "test.large", .size = LARGE, .initial = large }));
    CHECK_OK(wr_scope_go(scope, "test.writer", let_another_thread_write, NULL));
    CHECK_OK(wr_scope_go(scope, "test.writer", let_another_thread_write, NULL));
    scope_done(scope);
}

/* ---- other rules that were broken ---- */

TEST_PANICS(a_cell_needs_a_name, "name, size and initial are required")
{
    struct wr_cell *cell;
    (void)!wr_cell_new(&cell, &writer, &(struct wr_cell_conf){ .size = 4, .initial = &cell });
}

TEST_PANICS(a_cell_needs_a_snapshot_from_the_start,
            "cell \"test.none\": name, size and initial are required")
{
    struct wr_cell *cell;
    struct wr_cell_conf conf = { .name = "test.none", .size = 4 };
    (void)!wr_cell_new(&cell, &writer, &conf);
}

TEST_PANICS(freeing_a_cell_tells_how_many_readers_still_hold_its_snapshot,
            "panic at src/rt/cell_test\\.c:[0-9]+: "
            "cell \"test.cell\" is freed while 2 readers hold its snapshot")
{
    struct wr_cell *cell = make(1);
    CHECK(wr_cell_get(cell) == wr_cell_get(cell));
    wr_cell_free(cell);
}

TEST_PANICS(freeing_a_cell_tells_how_many_replaced_snapshots_are_still_held,
            "panic at src/rt/cell_test\\.c:[0-9]+: "
            "cell \"test.cell\" is freed while 2 of its old snapshots are held")
{
    struct wr_cell *cell = make(1);
    for (int i = 0; i < 3; i++) {
        if (i != 1)
            CHECK(wr_cell_get(cell) != NULL);
        set(i + 2);
    }
    wr_cell_put(cell, wr_cell_get(cell));
    wr_cell_free(cell);
}

TEST_PANICS(more_readers_at_once_than_can_be_counted_are_refused,
            "cell \"test.cell\": more than [0-9]+ readers hold one snapshot")
{
    struct wr_cell *cell = make(1);
    for (int i = 0; i < 70000; i++)
        CHECK(wr_cell_get(cell) != NULL);
}

/* ---- several threads ---- */

#define WRITES 1500

/* A snapshot that knows where it is: torn, freed or mixed ones give themselves away. */
struct wide { int number, parts[30]; int *own; };

static _Atomic int owned;

static struct wide wide_of(int number)
{
    struct wide wide = { .number = number, .own = malloc(sizeof(int)) };
    WR_ASSERT(wide.own);
    *wide.own = number;
    owned++;
    for (int i = 0; i < 30; i++)
        wide.parts[i] = number;
    return wide;
}

static void wide_drop(void *snapshot)
{
    struct wide *wide = snapshot;
    free(wide->own);
    owned--;
}

struct crowd { struct wr_cell *cell; _Atomic bool over; };

/* One look; the number seen. */
static int look(struct crowd *crowd, int last, bool wait)
{
    const struct wide *wide = wr_cell_get(crowd->cell);
    int number = wide->number;
    if (wait)
        CHECK_OK(wr_yield());
    bool whole = *wide->own == number;
    for (int i = 0; i < 30; i++)
        whole = whole && wide->parts[i] == number;
    CHECK(whole);
    CHECK(number >= last);
    wr_cell_put(crowd->cell, wide);
    return number;
}

static wr_err read_on(void *arg)
{
    struct crowd *crowd = arg;
    for (int last = 0, i = 0; !crowd->over; i++) {
        last = look(crowd, last, i % 2);
        CHECK_OK(wr_yield());
    }
    CHECK_EQ(WRITES, look(crowd, 0, false));
    return WR_OK;
}

static void read_on_outside(void *arg)
{
    struct crowd *crowd = arg;
    for (int last = 0, i = 0; i < 2000; i++)
        last = look(crowd, last, false);
}

static wr_err read_on_another_thread(void *arg)
{
    return wr_offload(read_on_outside, arg, WR_NEVER);
}

static wr_err write_all(void *arg)
{
    struct crowd *crowd = arg;
    for (int i = 1; i <= WRITES; i++) {
        struct wide wide = wide_of(i);
        CHECK_OK(wr_cell_set(&writer, &wide));
        if (i % 5 == 0)
            CHECK_OK(wr_yield());
    }
    crowd->over = true;
    return WR_OK;
}

static wr_err many_read(void *arg)
{
    struct crowd crowd = { 0 };
    struct wr_scope *scope = scope_open();
    struct wide first = wide_of(0);
    (void)arg;
    REQUIRE_OK(wr_cell_new(&crowd.cell, &writer, &(struct wr_cell_conf){
        .name = "test.wide", .size = sizeof(first), .initial = &first, .drop = wide_drop }),
        WR_NOMEM);
    for (int i = 0; i < 12; i++)
        CHECK_OK(wr_scope_go(scope, "test.reader", read_on, &crowd));
    CHECK_OK(wr_scope_go(scope, "test.outside", read_on_another_thread, &crowd));
    CHECK_OK(wr_scope_go(scope, "test.writer", write_all, &crowd));
    scope_done(scope);
    CHECK_EQ(1, owned);                 /* every replaced one was dropped, once */
    wr_cell_free(crowd.cell);
    CHECK_EQ(0, owned);
    return WR_OK;
}

TEST(readers_see_whole_snapshots_in_order_while_the_writer_replaces_them)
{
    CHECK_OK(many_read(NULL));
}

TEST_PLAIN(readers_see_whole_snapshots_on_two_workers_and_the_real_clock)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 2 }, many_read, NULL));
}

TEST_PLAIN(readers_see_whole_snapshots_on_four_workers_and_the_real_clock)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 4 }, many_read, NULL));
}
