/* sanitize.h - what the sanitizers and valgrind are told when a stack is changed.
 *
 * Without them everything here is empty.
 */
#ifndef WR_RT_SANITIZE_H
#define WR_RT_SANITIZE_H

#include "rt/rt_int.h"

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#elif __has_feature(thread_sanitizer)
#define TSAN 1
#endif
#endif
#ifdef WR_MODEL         /* the models are compiled as for it, and take its place */
#undef TSAN
#endif
#ifdef ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(low, high) 0
#define VALGRIND_STACK_DEREGISTER(id) ((void)(id))
#endif

static inline void stack_leaving(struct fiber *from, struct fiber *to)
{
#ifdef ASAN
    __sanitizer_start_switch_fiber(&from->asan_fake, to->stack, to->stack_size);
#endif
#ifdef TSAN
    __tsan_switch_to_fiber(to->tsan, 0);
#endif
    (void)from;
    (void)to;
}

static inline void stack_arrived(struct fiber *self)
{
#ifdef ASAN
    const void *bottom;
    size_t size;
    __sanitizer_finish_switch_fiber(self->asan_fake, &bottom, &size);
    struct fiber *sched = &self->home->sched;
    if (!sched->stack) {        /* the first arrival comes from the thread's own stack */
        sched->stack = (void *)(uintptr_t)bottom;
        sched->stack_size = size;
    }
#endif
    (void)self;
}

#endif
