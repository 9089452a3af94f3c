/* arena_test.c - memory that is given back all at once. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "testing/test.h"

TEST_PLAIN(arena_gives_zeroed_aligned_memory)
{
    struct wr_arena arena = WR_ARENA(1 << 20);
    for (size_t size = 1; size < 3000; size += 7) {
        char *at = wr_arena_alloc(&arena, size);
        REQUIRE(at);
        CHECK_EQ((uintptr_t)at % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            CHECK(at[i] == 0);
        memset(at, 0xff, size);
        wr_arena_copy(&arena, "x", 1);          /* leaves the next one unaligned */
    }
    wr_arena_free(&arena);
}

TEST_PLAIN(arena_keeps_what_it_gave_apart)
{
    struct wr_arena arena = WR_ARENA(1 << 20);
    char *all[500];
    for (int i = 0; i < 500; i++) {
        all[i] = wr_arena_alloc(&arena, 100);
        REQUIRE(all[i]);
        memset(all[i], i & 0x7f, 100);
    }
    for (int i = 0; i < 500; i++)
        for (int j = 0; j < 100; j++)
            CHECK(all[i][j] == (i & 0x7f));
    wr_arena_free(&arena);
}

TEST_PLAIN(arena_copies_end_with_a_zero_byte)
{
    struct wr_arena arena = WR_ARENA(100);
    CHECK_STR("ref", wr_arena_copy(&arena, "reference", 3));
    CHECK_STR("", wr_arena_copy(&arena, NULL, 0));
    CHECK_STR("whole", wr_arena_str(&arena, "whole"));
    CHECK_EQ(arena.used, 4 + 1 + 6);
    wr_arena_free(&arena);
}

TEST_PLAIN(arena_that_is_full_gives_nothing_more)
{
    struct wr_arena arena = WR_ARENA(10);
    CHECK(wr_arena_alloc(&arena, 10));
    CHECK(!arena.full);
    CHECK(!wr_arena_alloc(&arena, 1));
    CHECK(arena.full);
    CHECK(!wr_arena_copy(&arena, "", 0));
    wr_arena_free(&arena);
    CHECK(wr_arena_alloc(&arena, 10));
    wr_arena_free(&arena);
}

TEST_PLAIN(arena_refuses_sizes_that_overflow)
{
    struct wr_arena arena = WR_ARENA(SIZE_MAX);
    CHECK(!wr_arena_grow(&arena, NULL, 0, SIZE_MAX / 2, 4));
    wr_arena_free(&arena);
    CHECK(!wr_arena_copy(&arena, "", SIZE_MAX));
    wr_arena_free(&arena);
}

TEST_PLAIN(arena_grows_arrays)
{
    struct wr_arena arena = WR_ARENA(1 << 16);
    int *few = wr_arena_grow(&arena, NULL, 0, 2, sizeof(*few));
    REQUIRE(few);
    few[0] = 7, few[1] = 8;
    int *more = wr_arena_grow(&arena, few, 2, 4, sizeof(*more));
    REQUIRE(more);
    CHECK(more[0] == 7 && more[1] == 8 && more[2] == 0 && more[3] == 0);
    wr_arena_free(&arena);
}

TEST_PLAIN(nothing_of_an_empty_arena_is_something)
{
    struct wr_arena arena = WR_ARENA(100);
    CHECK(wr_arena_alloc(&arena, 0));
    CHECK(!arena.full);
    wr_arena_free(&arena);
}
