/* forget.c - see forget.h. */
#include "base/forget.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_bool forgets;

void wr_forget_from_now(void)
{
    atomic_store(&forgets, true);
}

bool wr_forgets(void)
{
    return atomic_load_explicit(&forgets, memory_order_relaxed);
}

void wr_forget_free(void *memory)
{
    if (memory && wr_forgets())
        explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

void *wr_forget_realloc(void *memory, size_t size)
{
    if (!memory || !wr_forgets())
        return realloc(memory, size);
    size_t had = malloc_usable_size(memory);
    void *moved = malloc(size);
    if (!moved)
        return NULL;
    memcpy(moved, memory, had < size ? had : size);
    wr_forget_free(memory);
    return moved;
}

void wr_forget(void *memory, size_t size)
{
    if (wr_forgets())
        explicit_bzero(memory, size);
}

/* In a frame of its own, as deep as the calls before it are likely to have gone. */
static __attribute__((noinline)) void wipe_below(void)
{
    char below[WR_FORGET_STACK];
    explicit_bzero(below, sizeof(below));
}

void wr_forget_stack(void)
{
    if (wr_forgets())
        wipe_below();
}
