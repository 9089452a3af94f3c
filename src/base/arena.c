/* arena.c - memory that is given back all at once: blocks in a list. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/forget.h"

#define BLOCK_MIN 4096
#define BLOCK_MAX ((size_t)256 << 10)
#define ALIGN _Alignof(max_align_t)

struct wr_arena_block {
    struct wr_arena_block *before;
    size_t size;                    /* of data */
    _Alignas(max_align_t) char data[];
};

static void *refuse(struct wr_arena *arena)
{
    arena->full = true;
    arena->at = arena->end = NULL;
    return NULL;
}

/* A new block for at least `size` bytes; blocks double, so that their number stays small. */
static bool add_block(struct wr_arena *arena, size_t size)
{
    size_t room = arena->last ? arena->last->size * 2 : BLOCK_MIN;
    if (room > BLOCK_MAX)
        room = BLOCK_MAX;
    if (room < size)
        room = size;
    struct wr_arena_block *block = malloc(sizeof(*block) + room);
    if (!block)
        return false;
    block->before = arena->last;
    block->size = room;
    arena->last = block;
    arena->at = block->data;
    arena->end = block->data + room;
    return true;
}

/* `align` is a power of two. */
static void *take(struct wr_arena *arena, size_t size, size_t align)
{
    if (arena->full || size > arena->max - arena->used)
        return refuse(arena);
    size_t skip = arena->at ? -(uintptr_t)arena->at & (align - 1) : 0;
    size_t left = (size_t)(arena->end - arena->at);
    if (!arena->at || left < skip || left - skip < size) {
        if (!add_block(arena, size))
            return refuse(arena);
        skip = 0;
    }
    void *at = arena->at + skip;
    arena->at += skip + size;
    arena->used += size;
    return at;
}

void *wr_arena_alloc(struct wr_arena *arena, size_t size)
{
    void *at = take(arena, size, ALIGN);
    if (at)
        memset(at, 0, size);
    return at;
}

char *wr_arena_copy(struct wr_arena *arena, const char *bytes, size_t len)
{
    if (len == SIZE_MAX)
        return refuse(arena);
    char *at = take(arena, len + 1, 1);
    if (!at)
        return NULL;
    if (len)
        memcpy(at, bytes, len);
    at[len] = '\0';
    return at;
}

char *wr_arena_str(struct wr_arena *arena, const char *str)
{
    return wr_arena_copy(arena, str, strlen(str));
}

void *wr_arena_grow(struct wr_arena *arena, const void *array, size_t count, size_t room,
                    size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(room, size, &bytes))
        return refuse(arena);
    char *at = wr_arena_alloc(arena, bytes);
    if (at && count)
        memcpy(at, array, count * size);
    return at;
}

void wr_arena_free(struct wr_arena *arena)
{
    for (struct wr_arena_block *block = arena->last, *before; block; block = before) {
        before = block->before;
        wr_forget_free(block);
    }
    *arena = WR_ARENA(arena->max);
}
