#include <stdlib.h>
#include <string.h>

#include <weir/run.h>
#include <weir/scope.h>

#include "rt/rt_int.h"
#include "testing/settle.h"
#include "testing/test.h"

#define KIB 1024ul

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1             /* their handler reports bad addresses, not ours */
#endif
#endif

/* ---- the pool ---- */

TEST_PLAIN(a_stack_has_the_size_asked_for_rounded_up_less_its_guard)
{
    static const struct { size_t asked, got; } sizes[] = {
        { 64 * KIB, 60 * KIB }, { 65 * KIB, 124 * KIB }, { 128 * KIB, 124 * KIB },
        { 1024 * KIB, 1020 * KIB },
    };
    if (wr_os_page() != 4096)
        SKIP("pages of another size");
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct stack stack;
        wr_stack_pool_open(sizes[i].asked);
        CHECK_OK(wr_stack_get(&stack));
        CHECK_EQ(sizes[i].got, stack.size);
        wr_stack_put(stack.slab, stack.low);
        wr_stack_pool_close();
    }
}

TEST_PLAIN(stacks_do_not_overlap_and_can_be_written_from_end_to_end)
{
    enum { STACKS = 300 };      /* more than one slab */
    static struct stack stacks[STACKS];
    wr_stack_pool_open(16 * KIB);
    for (size_t i = 0; i < STACKS; i++) {
        REQUIRE_OK(wr_stack_get(&stacks[i]));
        CHECK_EQ(0, (uintptr_t)stacks[i].low % wr_os_page());
        memset(stacks[i].low, (int)(i % 251) + 1, stacks[i].size);
    }
    for (size_t i = 0; i < STACKS; i++) {
        const unsigned char *bytes = stacks[i].low;
        CHECK_EQ(i % 251 + 1, bytes[0]);
        CHECK_EQ(i % 251 + 1, bytes[stacks[i].size - 1]);
    }
    for (size_t i = 0; i < STACKS; i++)
        wr_stack_put(stacks[i].slab, stacks[i].low);
    wr_stack_pool_close();
}

TEST_PLAIN(the_page_below_a_stack_is_known_as_its_guard_and_nothing_else_is)
{
    struct stack stack;
    char here;
    wr_stack_pool_open(16 * KIB);
    REQUIRE_OK(wr_stack_get(&stack));
    char *low = stack.low;
    CHECK(wr_stack_of_guard(low - 1) == low);
    CHECK(wr_stack_of_guard(low - wr_os_page()) == low);
    CHECK(wr_stack_of_guard(low) == NULL);
    CHECK(wr_stack_of_guard(low + stack.size - 1) == NULL);
    CHECK(wr_stack_of_guard(&here) == NULL);
    CHECK(wr_stack_of_guard(NULL) == NULL);
    wr_stack_put(stack.slab, stack.low);
    wr_stack_pool_close();
    CHECK(wr_stack_of_guard(low - 1) == NULL);
}

TEST_PLAIN(the_newest_freed_stack_is_the_next_one_given_out)
{
    struct stack a, b, c;
    wr_stack_pool_open(16 * KIB);
    REQUIRE_OK(wr_stack_get(&a));
    REQUIRE_OK(wr_stack_get(&b));
    wr_stack_put(a.slab, a.low);
    wr_stack_put(b.slab, b.low);
    REQUIRE_OK(wr_stack_get(&c));
    CHECK(c.low == b.low);
    REQUIRE_OK(wr_stack_get(&c));
    CHECK(c.low == a.low);
    wr_stack_pool_close();
}

TEST_PLAIN(the_pages_of_a_freed_stack_go_back_to_the_system)
{
    struct stack stack;
    wr_stack_pool_open(16 * KIB);
    REQUIRE_OK(wr_stack_get(&stack));
    memset(stack.low, 0xff, stack.size);
    wr_stack_put(stack.slab, stack.low);
    REQUIRE_OK(wr_stack_get(&stack));
    const unsigned char *bytes = stack.low;
    for (size_t i = 0; i < stack.size; i++)
        REQUIRE(bytes[i] == 0);
    wr_stack_pool_close();
}

TEST_PLAIN(tops_are_spread_over_the_cache_by_colour)
{
    struct stack stacks[16];
    unsigned seen = 0;
    wr_stack_pool_open(16 * KIB);
    for (int i = 0; i < 16; i++) {
        REQUIRE_OK(wr_stack_get(&stacks[i]));
        CHECK(stacks[i].colour < 8);
        seen |= 1u << stacks[i].colour;
    }
    CHECK_EQ(0xff, seen);
    wr_stack_pool_close();
}

#ifndef SANITIZED
TEST_DIES_PLAIN(touching_a_guard_ends_the_process, "")
{
    if (test_emulated())
        SKIP("the emulator does not pass guard faults on");
    struct stack stack;
    wr_stack_pool_open(16 * KIB);
    REQUIRE_OK(wr_stack_get(&stack));
    *((volatile char *)stack.low - 1) = 1;
}

/* ---- outgrowing one ---- */

/* Each frame points into the one above it, so that no compiler makes a loop of it. */
static unsigned deep(volatile unsigned char *above)
{
    volatile unsigned char frame[200];
    frame[17] = above[17];
    return frame[17] ? frame[17] : deep(frame) + frame[17];
}

static wr_err overflow(void *arg)
{
    volatile unsigned char frame[200] = { 0 };
    (void)arg;
    return deep(frame) ? WR_OK : WR_IO;
}

TEST_DIES(a_stack_overflow_names_the_task_where_it_was_started_and_what_to_do,
          "weir: stack overflow in task test\\.deep#[0-9]+, started at "
          "src/rt/stack_test\\.c:[0-9]+: it outgrew its 60 KiB; raise stack_size, or put large "
          "buffers elsewhere")
{
    if (test_emulated())
        SKIP("the emulator does not pass guard faults on");
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.deep", overflow, NULL));
    (void)!wr_scope_join(scope, WR_NEVER);
}

static wr_err keep_yielding(void *arg)
{
    (void)arg;
    while (wr_yield() == WR_OK)
        ;
    return WR_CANCELED;
}

static __attribute__((noinline)) unsigned large(unsigned end)
{
    volatile unsigned char frame[256 * 1024];
    unsigned sum = 0;
    for (unsigned i = 0; i < end; i++)      /* its low end alone, far below the guard */
        frame[i] = (unsigned char)i;
    for (unsigned i = 0; i < end; i++)
        sum += frame[i];
    return sum;
}

static wr_err step_over(void *arg)
{
    (void)arg;
    return large(100) == 1 ? WR_IO : WR_OK;
}

TEST_DIES(a_frame_larger_than_the_guard_does_not_step_over_it,
          "weir: stack overflow in task test\\.large#[0-9]+")
{
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.large", step_over, NULL));
    (void)!wr_scope_join(scope, WR_NEVER);
}

static wr_err overflow_later(void *arg)
{
    for (int i = 0; i < 100; i++)
        CHECK_OK(wr_yield());
    return overflow(arg);
}

TEST_DIES(the_right_one_of_many_fibers_is_named_when_one_outgrows_its_stack,
          "stack overflow in task test\\.deep#")
{
    if (test_emulated())
        SKIP("the emulator does not pass guard faults on");
    struct wr_scope *scope = scope_open();
    for (int i = 0; i < 50; i++)
        CHECK_OK(wr_scope_go(scope, "test.other", keep_yielding, NULL));
    CHECK_OK(wr_scope_go(scope, "test.deep", overflow_later, NULL));
    (void)!wr_scope_join(scope, WR_NEVER);
}
#endif

/* ---- choosing the size ---- */

static size_t fill(volatile unsigned char *frame, size_t size)
{
    for (size_t i = 0; i < size; i += 512)
        frame[i] = (unsigned char)(i / 512);
    size_t wrong = 0;
    for (size_t i = 0; i < size; i += 512)
        wrong += frame[i] != (unsigned char)(i / 512);
    return wrong;
}

static wr_err use_a_large_frame(void *arg)
{
    volatile unsigned char frame[900 * KIB];
    (void)arg;
    CHECK_EQ(0, fill(frame, sizeof(frame)));
    CHECK_OK(wr_yield());
    return WR_OK;
}

TEST_PLAIN(a_run_gives_its_fibers_the_stack_it_was_asked_for)
{
    struct wr_run_conf conf = { .workers = 1, .stack_size = 1024 * KIB, .virtual_clock = true };
    CHECK_OK(wr_run(&conf, use_a_large_frame, NULL));
}
