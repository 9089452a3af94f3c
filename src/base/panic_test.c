#include <weir/panic.h>

#include <stdio.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/offload.h>

#include "testing/settle.h"
#include "testing/test.h"

/* ---- what is said ---- */

TEST_DIES_PLAIN(a_panic_names_the_place_and_the_values,
                "^weir: panic at src/base/panic_test.c:[0-9]+: 3 units of \"coal\"\n$")
{
    if (test_emulated())
        SKIP("the emulator adds a line of its own");
    wr_panic("%d units of \"%s\"", 3, "coal");
}

TEST_DIES_PLAIN(a_panic_can_be_raised_in_the_name_of_the_caller,
                "panic at elsewhere.c:12: wrong")
{
    wr_panic_at("elsewhere.c:12", "wrong");
}

TEST_DIES_PLAIN(an_assertion_that_fails_shows_its_condition,
                "panic at src/base/panic_test.c:[0-9]+: assertion failed: one \\+ 1 == 3")
{
    int one = 1;
    WR_ASSERT(one + 1 == 3);
}

TEST_DIES_PLAIN(assertions_are_checked_in_every_build, "assertion failed: compiled_out")
{
#define NDEBUG
    bool compiled_out = false;
    WR_ASSERT(compiled_out);
#undef NDEBUG
}

TEST_PLAIN(an_assertion_that_holds_is_evaluated_once_and_says_nothing)
{
    int times = 0;
    WR_ASSERT(++times == 1);
    CHECK_EQ(1, times);
}

TEST_PLAIN(a_place_is_the_file_and_the_line)
{
    char want[64];
    snprintf(want, sizeof(want), "src/base/panic_test.c:%d", __LINE__ + 1);
    const char *here = WR_HERE;
    CHECK_STR(want, here);
}

static char endless[5000];

TEST_DIES(a_report_that_is_too_long_is_cut_and_still_ends_its_line,
          "panic at src/base/panic_test.c:[0-9]+: x{255}x*\nweir: in task main#")
{
    memset(endless, 'x', sizeof(endless) - 1);
    wr_foreign_enter();
    wr_panic("%s", endless);
}

TEST_DIES(a_report_from_a_place_with_a_long_name_still_ends_its_line,
          "y{255}y*[^\n]*\nweir: in")
{
    memset(endless, 'y', sizeof(endless) - 1);
    wr_foreign_enter();
    wr_panic_at(endless, "the rest");
}

/* ---- what happens next ---- */

TEST_DIES_PLAIN(outside_the_runtime_the_process_ends, "nobody to contain it")
{
    wr_panic("nobody to contain it");
}

static void panic_there(void *arg)
{
    wr_panic("%s", (const char *)arg);
}

TEST_DIES(on_another_thread_the_process_ends, "panic at .*: not a task\n")
{
    CHECK_OK(wr_offload(panic_there, "not a task", WR_NEVER));
}

TEST_PANICS(in_a_task_it_is_named_with_the_task_and_the_task_ends,
            "panic at src/base/panic_test.c:[0-9]+: in here\n"
            "weir: in task main#[0-9]+, started at src/testing/test.c:[0-9]+, on worker [0-9]+"
            ": the task ends")
{
    wr_panic("in here");
}

static struct wr_mutex mutex = WR_MUTEX("test.mutex", 1);

TEST_DIES(with_a_lock_held_the_process_ends,
          "in here\n.*the process ends, because lock \"test.mutex\"")
{
    wr_mutex_lock(&mutex);
    panic_there("in here");
}

TEST_DIES(above_foreign_frames_the_process_ends,
          "in here\n.*the process ends, because foreign frames are below")
{
    wr_foreign_enter();
    panic_there("in here");
}

struct family { struct wr_chan *ch; char order[8]; size_t len; wr_err sibling; };

static struct family *family;

static void note(void *arg)
{
    family->order[family->len++] = *(const char *)arg;
}

static wr_err sibling(void *arg)
{
    struct family *self = arg;
    int value;
    self->sibling = wr_chan_recv(self->ch, &value, WR_NEVER);
    return self->sibling;
}

static wr_err culprit(void *arg)
{
    struct wr_cleanup outer = { .fn = note, .arg = "1" }, inner = { .fn = note, .arg = "2" };
    (void)arg;
    wr_cleanup_push(&outer);
    wr_cleanup_push(&inner);
    wr_panic("on purpose, in a test");
}

TEST(a_contained_panic_runs_the_cleanups_cancels_the_siblings_and_is_the_result_of_the_scope)
{
    struct family mine = { 0 };
    family = &mine;
    REQUIRE_OK(wr_chan_new(&mine.ch, &(struct wr_chan_conf){
        .name = "test.family", .item_size = sizeof(int), .cap = 1, .policy = WR_WAIT }));
    struct wr_scope *scope = scope_open();
    go(scope, sibling, &mine);
    CHECK_OK(wr_scope_go(scope, "test.culprit", culprit, NULL));
    CHECK_ERR(WR_PANIC, wr_scope_join(scope, WR_NEVER));
    CHECK_ERR(WR_PANIC, wr_scope_close(scope));
    CHECK_STR("21", mine.order);        /* last in, first out */
    CHECK_ERR(WR_CANCELED, mine.sibling);
    wr_chan_free(mine.ch);
}
