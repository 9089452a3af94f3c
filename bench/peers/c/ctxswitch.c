/* The floor under every runtime: a bare switch of stacks (callee-saved registers
 * only, x86-64), and a handoff between two threads by a spinning cache line and
 * by a futex.  Prints lines "metric value". */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#if defined(__x86_64__)
#define STACK 16384

/* Save the six callee-saved registers and rsp in *from, restore them from to.
 * The second leaves by an indirect jump: a return into another stack's call
 * site is mispredicted by the return stack, a jump is predicted by history. */
typedef void switch_fn(void **from, void *to);
switch_fn switch_by_return, switch_by_jump;
#define SAVE_AND_LOAD \
    "push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n" \
    "mov %rsp, (%rdi); mov %rsi, %rsp\n" \
    "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
__asm__(".text\n"
        ".globl switch_by_return\nswitch_by_return:\n" SAVE_AND_LOAD "ret\n"
        ".globl switch_by_jump\nswitch_by_jump:\n" SAVE_AND_LOAD "pop %rcx; jmp *%rcx\n");

static void **ring;
static size_t ring_size, turn_of;

static inline __attribute__((always_inline)) void pass_on(switch_fn *to_next)
{
    for (;;) {
        size_t me = turn_of, next = me + 1 == ring_size ? 0 : me + 1;
        turn_of = next;
        to_next(&ring[me], ring[next]);
    }
}

static void body_return(void)
{
    pass_on(switch_by_return);
}

static void body_jump(void)
{
    pass_on(switch_by_jump);
}

static void *prepare(char *top, void (*body)(void))
{
    uintptr_t *sp = (uintptr_t *)top;
    *--sp = 0;
    *--sp = (uintptr_t)body;
    for (int i = 0; i < 6; i++)
        *--sp = 0;
    return sp;
}

/* A ring of stacks (the main one is among them), each switching to the next. */
static double run_ring(size_t size, size_t switches, switch_fn *to_next, void (*body)(void))
{
    ring_size = size;
    ring = calloc(size, sizeof(*ring));
    char *stacks = mmap(NULL, STACK * size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!ring || stacks == MAP_FAILED)
        abort();
    /* tops are spread, or they would all fall into one cache set */
    for (size_t i = 1; i < size; i++)
        ring[i] = prepare(stacks + STACK * (i + 1) - 64 * (i & 31), body);
    size_t rounds = (switches + size - 1) / size;
    double took = 0;
    for (int warm = 0; warm < 2; warm++) {
        double start = now();
        for (size_t i = 0; i < rounds; i++) {
            turn_of = 1;
            to_next(&ring[0], ring[1]);
        }
        took = now() - start;
    }
    munmap(stacks, STACK * size);
    free(ring);
    return took / (double)(rounds * size);
}

static void switches(void)
{
    printf("c_switch_ret_2_ns %.2f\n", run_ring(2, 20000000, switch_by_return, body_return));
    printf("c_switch_jmp_2_ns %.2f\n", run_ring(2, 20000000, switch_by_jump, body_jump));
    printf("c_switch_jmp_1k_ns %.2f\n", run_ring(1000, 10000000, switch_by_jump, body_jump));
    printf("c_switch_jmp_100k_ns %.2f\n", run_ring(100000, 3000000, switch_by_jump, body_jump));
}
#else
static void switches(void)
{
}
#endif

struct line {
    _Alignas(128) _Atomic uint32_t turn;
    int by_futex;
    long rounds;
};

static void wait_turn(struct line *line, uint32_t mine)
{
    uint32_t seen;
    while ((seen = atomic_load_explicit(&line->turn, memory_order_acquire)) != mine)
        if (line->by_futex)
            syscall(SYS_futex, &line->turn, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void bounce(struct line *line, uint32_t mine)
{
    for (long i = 0; i < line->rounds; i++) {
        wait_turn(line, mine);
        atomic_store_explicit(&line->turn, 1 - mine, memory_order_release);
        if (line->by_futex)
            syscall(SYS_futex, &line->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

static void pin(size_t cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void *partner(void *line)
{
    pin(1);
    bounce(line, 1);
    return NULL;
}

static double run_threads(int by_futex, long rounds)
{
    struct line line = { .by_futex = by_futex, .rounds = rounds };
    pthread_t thread;
    pin(0);
    if (pthread_create(&thread, NULL, partner, &line) != 0)
        abort();
    double start = now();
    bounce(&line, 0);
    pthread_join(thread, NULL);
    return (now() - start) / (2.0 * (double)rounds);
}

int main(void)
{
    switches();
    printf("c_thread_spin_ns %.1f\n", run_threads(0, 1000000));
    printf("c_thread_futex_ns %.1f\n", run_threads(1, 20000));
    return 0;
}
