/* shortage.c - see shortage.h. */
#include "shortage.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>

static struct {
    atomic_long granted;        /* requests before the stretch */
    atomic_long refused;        /* requests left in it */
    atomic_long refusals;
    atomic_long out;
} kinds[SHORTAGES];

void shortage_begin(enum shortage kind, long granted, long refused)
{
    atomic_store(&kinds[kind].refusals, 0);
    atomic_store(&kinds[kind].granted, granted);
    atomic_store(&kinds[kind].refused, refused);
}

long shortage_end(enum shortage kind)
{
    atomic_store(&kinds[kind].refused, 0);
    return atomic_load(&kinds[kind].refusals);
}

long shortage_out(enum shortage kind)
{
    return atomic_load(&kinds[kind].out);
}

static bool refuse(enum shortage kind)
{
    if (atomic_load(&kinds[kind].refused) <= 0)
        return false;
    if (atomic_load(&kinds[kind].granted) > 0 && atomic_fetch_sub(&kinds[kind].granted, 1) > 0)
        return false;
    if (atomic_fetch_sub(&kinds[kind].refused, 1) <= 0)
        return false;
    atomic_fetch_add(&kinds[kind].refusals, 1);
    errno = ENOMEM;
    return true;
}

static void *given(void *block)
{
    if (block)
        atomic_fetch_add(&kinds[OF_MEMORY].out, 1);
    return block;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void __real_free(void *block);
void *__real_mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg);

void *__wrap_malloc(size_t size)
{
    return refuse(OF_MEMORY) ? NULL : given(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse(OF_MEMORY) ? NULL : given(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (refuse(OF_MEMORY))
        return NULL;
    return block ? __real_realloc(block, size) : given(__real_realloc(NULL, size));
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return refuse(OF_MEMORY) ? NULL : given(__real_aligned_alloc(align, size));
}

void __wrap_free(void *block)
{
    if (block)
        atomic_fetch_sub(&kinds[OF_MEMORY].out, 1);
    __real_free(block);
}

void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
    if (refuse(OF_MAPPINGS))
        return MAP_FAILED;
    void *range = __real_mmap64(at, size, prot, flags, fd, offset);
    if (range != MAP_FAILED)
        atomic_fetch_add(&kinds[OF_MAPPINGS].out, 1);
    return range;
}

int __wrap_munmap(void *at, size_t size)
{
    atomic_fetch_sub(&kinds[OF_MAPPINGS].out, 1);
    return __real_munmap(at, size);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
                          void *arg)
{
    if (refuse(OF_THREADS))
        return EAGAIN;
    int err = __real_pthread_create(thread, attr, fn, arg);
    if (err == 0)
        atomic_fetch_add(&kinds[OF_THREADS].out, 1);
    return err;
}
