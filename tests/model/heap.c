/* heap.c - malloc and free for models.
 *
 * Each thread takes memory from an arena of its own, so addresses do not
 * depend on the order of the threads.  Nothing is used twice within a run:
 * freed memory stays dead, and every touch of it is seen.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "explore_int.h"

#define ARENA ((size_t)1 << 20)
#define BLOCKS_MAX 1024
#define RED_ZONE 16

unsigned char *heap_base, *map_base;
size_t heap_size = ARENA * THREADS;

static size_t used[THREADS], map_used;
static unsigned starve_in;          /* 0: never */
static struct block blocks[BLOCKS_MAX];
static unsigned block_count;

static unsigned char *reserve(size_t size)
{
    void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mem == MAP_FAILED)
        abort();
    return mem;
}

void heap_open(void)
{
    heap_base = reserve(heap_size);
    map_base = reserve(MAP_SIZE);
}

void heap_reset(void)
{
    memset(used, 0, sizeof(used));
    block_count = 0;
    map_used = 0;
    starve_in = 0;
}

void model_starve(unsigned after)
{
    starve_in = after + 1;
}

void *model_map(size_t size)
{
    if (map_used + size > MAP_SIZE)
        model_fail("a run maps too much");
    map_used += size;
    return map_base + map_used - size;
}

const struct block *heap_block(uintptr_t addr, unsigned *ret_index)
{
    for (unsigned i = 0; i < block_count; i++)
        if (addr + RED_ZONE >= blocks[i].addr
            && addr < blocks[i].addr + blocks[i].size + RED_ZONE) {
            *ret_index = i;
            return &blocks[i];
        }
    return NULL;
}

uint8_t heap_live(uintptr_t addr)
{
    static unsigned last;       /* neighbours are asked for in a row */
    unsigned mask = 0;
    addr &= ~(uintptr_t)7;
    for (unsigned n = 0; n < block_count; n++) {
        unsigned i = (last + n) % block_count;
        const struct block *block = &blocks[i];
        if (addr + 8 <= block->addr || addr >= block->addr + block->size)
            continue;
        last = i;
        for (unsigned k = 0; k < 8 && !block->freed; k++)
            mask |= addr + k < block->addr + block->size ? BIT(k) : 0;
        break;
    }
    return (uint8_t)mask;
}

void heap_check_leaks(void)
{
    for (unsigned i = 0; i < block_count; i++)
        if (!blocks[i].freed) {
            char where[256];
            report_pc(blocks[i].made_pc, where, sizeof(where));
            model_fail("leak: %zu bytes allocated at %s", blocks[i].size, where);
        }
}

static void *take(size_t align, size_t size, int fill, uintptr_t pc)
{
    if (starve_in && --starve_in == 0)
        return NULL;
    size_t at = used[self] + RED_ZONE;
    at = (at + align - 1) & ~(align - 1);
    if (at + size + RED_ZONE > ARENA || block_count == BLOCKS_MAX)
        model_fail("a run allocates too much");
    used[self] = at + size + RED_ZONE;
    unsigned char *mem = heap_base + self * ARENA + at;
    blocks[block_count++] =
        (struct block){ .addr = (uintptr_t)mem, .size = size, .made_pc = pc };
    if (fill == 0)
        shadow_access((uintptr_t)mem, size, true, false, pc);
    memset(mem, fill, size);
    return mem;
}

void *model_malloc(size_t size)
{
    if (!running)
        return malloc(size);
    return take(16, size, 0xa5, (uintptr_t)__builtin_return_address(0));
}

void *model_calloc(size_t count, size_t size)
{
    if (!running)
        return calloc(count, size);
    return take(16, count * size, 0, (uintptr_t)__builtin_return_address(0));
}

void *model_aligned_alloc(size_t align, size_t size)
{
    if (!running)
        return aligned_alloc(align, size);
    return take(align < 16 ? 16 : align, size, 0xa5, (uintptr_t)__builtin_return_address(0));
}

int model_posix_memalign(void **ret, size_t align, size_t size)
{
    if (!running)
        return posix_memalign(ret, align, size);
    uintptr_t pc = (uintptr_t)__builtin_return_address(0);
    void *mem = take(align < 16 ? 16 : align, size, 0xa5, pc);
    if (mem)
        *ret = mem;
    return mem ? 0 : ENOMEM;
}

void model_free(void *mem)
{
    if (!mem)
        return;
    uintptr_t pc = (uintptr_t)__builtin_return_address(0);
    if (!running) {
        free(mem);
        return;
    }
    unsigned i = 0;
    while (i < block_count && blocks[i].addr != (uintptr_t)mem)
        i++;
    if (i == block_count)
        model_fail("free of something that malloc did not return");
    if (blocks[i].freed) {
        char first[256], second[256];
        report_pc(blocks[i].freed_pc, first, sizeof(first));
        report_pc(pc, second, sizeof(second));
        model_fail("double free: at %s, before at %s", second, first);
    }
    shadow_free((uintptr_t)mem, blocks[i].size, pc);
    blocks[i].freed = true;
    blocks[i].freed_pc = pc;
}
