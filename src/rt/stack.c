/* stack.c - where stacks come from.
 *
 * Address space is taken in slabs of many stacks and committed by the kernel
 * page by page as it is touched: a fiber that waits near the top of its stack
 * costs one page.  Below each stack is a guard page, so that outgrowing it is
 * caught and named and does not run into a neighbour: frames that are larger are
 * touched page by page, because we compile with -fstack-clash-protection.
 *
 * Stacks lie at a fixed stride, so their tops would all fall into the same
 * sets of the processor's cache; each gets a colour, an offset of a few cache
 * lines, to spread them.
 *
 * Freed stacks are reused last in, first out: the newest is the warmest.
 */
#include <stdlib.h>

#include "rt/rt_int.h"

#define SLAB_STACKS 128
#define COLOURS 8

struct slab {
    struct slab *next;
    char *base;
    uint32_t free[SLAB_STACKS];     /* indices */
    uint32_t free_count;
    struct slab *next_free;         /* among the slabs with room */
};

static struct {
    struct spin lock;
    _Atomic(struct slab *) slabs;
    struct slab *with_room;
    size_t stride;
} pool;

void wr_stack_pool_open(size_t size)
{
    size_t page = wr_os_page();
    pool.stride = (size + page - 1) / page * page + page;
    /* A power of two, so that the guard's page is found by arithmetic alone. */
    size_t stride = page;
    while (stride < pool.stride - page)
        stride *= 2;
    pool.stride = stride;
}

void wr_stack_pool_close(void)
{
    struct slab *slab = atomic_exchange(&pool.slabs, NULL);
    while (slab) {
        struct slab *next = slab->next;
        wr_os_unmap(slab->base, SLAB_STACKS * pool.stride);
        free(slab);
        slab = next;
    }
    pool.with_room = NULL;
}

/* Never called under the pool's lock: mapping is slow. */
static struct slab *slab_new(void)
{
    struct slab *slab = calloc(1, sizeof(*slab));
    if (!slab)
        return NULL;
    slab->base = wr_os_map(SLAB_STACKS * pool.stride);
    if (!slab->base) {
        free(slab);
        return NULL;
    }
    uint32_t guarded = (uint32_t)wr_os_guard(slab->base, pool.stride, SLAB_STACKS);
    for (uint32_t i = guarded; i-- > 0;)
        slab->free[slab->free_count++] = i;
    if (slab->free_count > 0)
        return slab;
    wr_os_unmap(slab->base, SLAB_STACKS * pool.stride);
    free(slab);
    return NULL;
}

wr_err wr_stack_get(struct stack *ret)
{
    spin_lock(&pool.lock);
    if (!pool.with_room) {
        spin_unlock(&pool.lock);
        struct slab *slab = slab_new();
        if (!slab)
            return WR_NOMEM;
        spin_lock(&pool.lock);
        slab->next = atomic_load_explicit(&pool.slabs, memory_order_relaxed);
        atomic_store_explicit(&pool.slabs, slab, memory_order_release);
        slab->next_free = pool.with_room;
        pool.with_room = slab;
    }
    struct slab *slab = pool.with_room;
    uint32_t index = slab->free[--slab->free_count];
    if (slab->free_count == 0)
        pool.with_room = slab->next_free;
    spin_unlock(&pool.lock);
    size_t page = wr_os_page();
    ret->low = slab->base + index * pool.stride + page;
    ret->size = pool.stride - page;
    ret->slab = slab;
    ret->colour = index % COLOURS;
    return WR_OK;
}

static struct slab *slab_of(const void *address)
{
    struct slab *slab = atomic_load_explicit(&pool.slabs, memory_order_acquire);
    while (slab
           && ((const char *)address < slab->base
               || (const char *)address >= slab->base + SLAB_STACKS * pool.stride))
        slab = slab->next;
    return slab;
}

void wr_stack_put(struct slab *slab, void *low)
{
    wr_os_forget(low, pool.stride - wr_os_page());
    spin_lock(&pool.lock);
    if (slab->free_count == 0) {
        slab->next_free = pool.with_room;
        pool.with_room = slab;
    }
    slab->free[slab->free_count++] =
        (uint32_t)((size_t)((char *)low - slab->base) / pool.stride);
    spin_unlock(&pool.lock);
    atomic_store(&wr_rt.starved, false);
}

void *wr_stack_of_guard(const void *address)
{
    struct slab *slab = slab_of(address);
    if (!slab)
        return NULL;
    size_t offset = (size_t)((const char *)address - slab->base);
    if (offset % pool.stride >= wr_os_page())
        return NULL;
    return slab->base + offset / pool.stride * pool.stride + wr_os_page();
}
