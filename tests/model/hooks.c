/* hooks.c - what -fsanitize=thread calls, and the few calls of libc that touch
 * the program's memory.  Code under test is compiled with the one and has the
 * others renamed (objcopy) to model_*; nothing here is instrumented. */
#include <string.h>

#include "explore_int.h"

/* The caller of the hook, which is the place in the program. */
#define PC ((uintptr_t)__builtin_return_address(0))
#define SP ((uintptr_t)__builtin_frame_address(0))

/* Only called by compiled code, which needs no declaration. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-declarations"

/* Coverage counters are no part of the program. */
extern char __start___llvm_prf_cnts[] __attribute__((weak));
extern char __stop___llvm_prf_cnts[] __attribute__((weak));

static bool is_counter(uintptr_t addr)
{
    return addr >= (uintptr_t)__start___llvm_prf_cnts
        && addr < (uintptr_t)__stop___llvm_prf_cnts;
}

static void plain(const volatile void *at, size_t size, bool write, uintptr_t pc)
{
    if (running && !is_counter((uintptr_t)at))
        shadow_access((uintptr_t)at, size, write, false, pc);
}

void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc)
{
    struct thread *thread = &threads[self];
    if (running && thread->depth < CALLS_MAX)
        thread->calls[thread->depth] = (uintptr_t)pc;
    thread->depth += running;
}

void __tsan_func_exit(void)
{
    if (running && threads[self].depth)
        threads[self].depth--;
}

/* Stacks are no concern of ours: a fiber is whoever runs on the model thread. */
void *__tsan_create_fiber(unsigned flags)
{
    (void)flags;
    return NULL;
}

void *__tsan_get_current_fiber(void)
{
    return NULL;
}

void __tsan_destroy_fiber(void *fiber)
{
    (void)fiber;
}

void __tsan_switch_to_fiber(void *fiber, unsigned flags)
{
    (void)fiber;
    (void)flags;
}

#define PLAIN(size) \
    void __tsan_read##size(void *at) \
    { \
        plain(at, size, false, PC); \
    } \
    void __tsan_write##size(void *at) \
    { \
        plain(at, size, true, PC); \
    } \
    void __tsan_read_write##size(void *at) \
    { \
        plain(at, size, true, PC); \
    } \
    void __tsan_unaligned_read##size(void *at) \
    { \
        plain(at, size, false, PC); \
    } \
    void __tsan_unaligned_write##size(void *at) \
    { \
        plain(at, size, true, PC); \
    } \
    void __tsan_unaligned_read_write##size(void *at) \
    { \
        plain(at, size, true, PC); \
    } \
    void __tsan_volatile_read##size(void *at) \
    { \
        plain(at, size, false, PC); \
    } \
    void __tsan_volatile_write##size(void *at) \
    { \
        plain(at, size, true, PC); \
    } \
    void __tsan_unaligned_volatile_read##size(void *at) \
    { \
        plain(at, size, false, PC); \
    } \
    void __tsan_unaligned_volatile_write##size(void *at) \
    { \
        plain(at, size, true, PC); \
    }

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *at, unsigned long size)
{
    plain(at, size, false, PC);
}
void __tsan_write_range(void *at, unsigned long size)
{
    plain(at, size, true, PC);
}
void __tsan_vptr_update(void **at, void *value)
{
    (void)value, plain(at, 8, true, PC);
}
void __tsan_vptr_read(void **at)
{
    plain(at, 8, false, PC);
}

void *model_memcpy(void *to, const void *from, size_t size)
{
    plain(from, size, false, PC);
    plain(to, size, true, PC);
    return memcpy(to, from, size);
}

void *model_memmove(void *to, const void *from, size_t size)
{
    plain(from, size, false, PC);
    plain(to, size, true, PC);
    return memmove(to, from, size);
}

void *model_memset(void *to, int byte, size_t size)
{
    plain(to, size, true, PC);
    return memset(to, byte, size);
}

int model_memcmp(const void *a, const void *b, size_t size)
{
    plain(a, size, false, PC);
    plain(b, size, false, PC);
    return memcmp(a, b, size);
}

void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    return model_memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size)
{
    return model_memmove(to, from, size);
}

void *__tsan_memset(void *to, int byte, size_t size)
{
    return model_memset(to, byte, size);
}

void model_abort(void)
{
    model_fail("abort");
}

static uint64_t atomic(const struct op *op, bool *ret_swapped)
{
    return running && !is_counter(op->addr) ? memory_do(op, ret_swapped)
                                            : memory_raw(op, ret_swapped);
}

#define DO(kind_, ...) \
    atomic(&(struct op){ .kind = kind_, \
                         .size = sizeof(*at), \
                         .addr = (uintptr_t)at, \
                         .order = order, \
                         .pc = PC, \
                         .sp = SP __VA_OPT__(, ) __VA_ARGS__ }, \
           &swapped)

#define FETCH(bits, type, name, kind_) \
    type __tsan_atomic##bits##_##name(volatile type *at, type arg, int order) \
    { \
        bool swapped; \
        return (type)DO(kind_, .arg = arg); \
    }

#define SWAP(bits, type, name) \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected, \
                                                      type arg, int order, int fail_order) \
    { \
        bool swapped; \
        type old = \
            (type)DO(OP_CAS, .arg = arg, .expected = *expected, .fail_order = fail_order); \
        if (!swapped) \
            *expected = old; \
        return swapped; \
    }

#define ATOMIC(bits, type) \
    type __tsan_atomic##bits##_load(const volatile type *at, int order) \
    { \
        bool swapped; \
        return (type)DO(OP_LOAD); \
    } \
    void __tsan_atomic##bits##_store(volatile type *at, type arg, int order) \
    { \
        bool swapped; \
        DO(OP_STORE, .arg = arg); \
    } \
    FETCH(bits, type, exchange, OP_EXCHANGE) \
    FETCH(bits, type, fetch_add, OP_ADD) \
    FETCH(bits, type, fetch_sub, OP_SUB) \
    FETCH(bits, type, fetch_and, OP_AND) \
    FETCH(bits, type, fetch_or, OP_OR) \
    FETCH(bits, type, fetch_xor, OP_XOR) \
    FETCH(bits, type, fetch_nand, OP_NAND) \
    SWAP(bits, type, strong) \
    SWAP(bits, type, weak) \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected_, \
                                                    type arg, int order, int fail_order_) \
    { \
        bool swapped; \
        return (type)DO(OP_CAS, .arg = arg, .expected = expected_, .fail_order = fail_order_); \
    }

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order)
{
    bool swapped;
    atomic(&(struct op){ .kind = OP_FENCE, .order = order, .pc = PC, .sp = SP }, &swapped);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
