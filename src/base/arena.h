/* arena.h - memory that is given back all at once.
 *
 *     struct wr_arena arena = WR_ARENA(1 << 20);           (at most so many bytes)
 *     struct item *item = wr_arena_alloc(&arena, sizeof(*item));
 *     item->name = wr_arena_copy(&arena, name, len);
 *     ...
 *     wr_arena_free(&arena);
 *
 * What is read out of one document, one answer or one request lies in one arena and goes with
 * it, so nothing in it is ever given back singly.  An arena takes memory by the block, and only
 * when something is wanted of it.  When its limit is reached, or there is no memory, a call
 * returns NULL and so does every later one: whoever fills an arena step by step may look once,
 * at its end (`full`).
 *
 * An arena belongs to one fiber at a time.  In a process that is to forget (amnesia) its
 * memory is wiped.
 */
#ifndef WR_BASE_ARENA_H
#define WR_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct wr_arena_block;

struct wr_arena {
    size_t max;                     /* of what is wanted in all */
    size_t used;
    bool full;                      /* something was not given */
    char *at, *end;                 /* what is left of the last block */
    struct wr_arena_block *last;
};

#define WR_ARENA(max_) ((struct wr_arena){ .max = (max_) })

/* Zeroed, aligned for anything; NULL: full. */
void *wr_arena_alloc(struct wr_arena *arena, size_t size);

/* A copy with a zero byte behind it; NULL: full. */
char *wr_arena_copy(struct wr_arena *arena, const char *bytes, size_t len);
char *wr_arena_str(struct wr_arena *arena, const char *str);

/* A longer copy of an array of `count` with room for `room`; NULL: full. */
void *wr_arena_grow(struct wr_arena *arena, const void *array, size_t count, size_t room,
                    size_t size);

/* Give everything back; it may be used again. */
void wr_arena_free(struct wr_arena *arena);

#endif
