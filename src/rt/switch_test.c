/* switch_test.c - the switch of stacks, one instruction at a time: at each of them
 * a signal handler can walk the stack, as profilers and the report of a stall do. */
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <weir/chan.h>
#include <weir/run.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "rt/sanitize.h"
#include "testing/test.h"

#if defined(__x86_64__) && !defined(ASAN) && !defined(TSAN)

#define FLAG_TRAP 0x100         /* of the processor: a trap after each instruction */
#define NEAR 256                /* bytes: each function of the switch is shorter */
#define ROUNDS 3

void wr_switch(void **save_sp, void *load_sp);
wr_err wr_switch_result(struct fiber *from, struct fiber *to);
void wr_switch_start(void);

static bool within(uintptr_t pc, void (*fn)(void))
{
    return pc - (uintptr_t)fn < NEAR;
}

static unsigned steps, walks_lost;
static wr_err (*volatile run_again)(const struct wr_run_conf *, wr_task_fn, void *,
                                    const char *) = (wr_run);

static __attribute__((noinline)) wr_err run_stepped(wr_task_fn fn, void *arg)
{
    wr_err err = run_again(&(struct wr_run_conf){ .workers = 1 }, fn, arg, WR_HERE);
    __asm__ volatile("");       /* not its last call: it stays on the stack */
    return err;
}

/* The walk must arrive where stacks begin: of a fiber, or of the thread. */
static void on_step(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    uintptr_t pc = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (!within(pc, (void (*)(void))wr_switch) && !within(pc, (void (*)(void))wr_switch_result))
        return;
    void *frames[64];
    int count = backtrace(frames, 64);
    bool arrived = false;
    for (int i = 0; i < count; i++)
        arrived |= within((uintptr_t)frames[i], wr_switch_start)
            || within((uintptr_t)frames[i], (void (*)(void))run_stepped);
    steps++;
    walks_lost += !arrived;
}

static void step(bool on)
{
    __asm__ volatile("pushfq\n\t"
                     "andq %0, (%%rsp)\n\t"
                     "orq %1, (%%rsp)\n\t"
                     "popfq" : : "r"(~(uint64_t)FLAG_TRAP), "r"(on ? (uint64_t)FLAG_TRAP : 0)
                     : "cc", "memory");
}

static struct wr_chan *there, *back;

static wr_err echo(void *arg)
{
    (void)arg;
    int ball;
    while (wr_chan_recv(there, &ball, WR_NEVER) == WR_OK)
        CHECK_OK(wr_chan_send(back, &ball, WR_NEVER));
    return WR_OK;
}

static wr_err play(void *arg)
{
    struct wr_scope *scope = arg;
    struct wr_chan_conf conf = { .name = "test.ball", .item_size = sizeof(int), .cap = 1,
                                 .policy = WR_WAIT };
    CHECK_OK(wr_chan_new(&there, &conf));
    CHECK_OK(wr_chan_new(&back, &conf));
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.game",
                                                           .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.echo", echo, NULL));
    CHECK_OK(wr_yield());
    step(true);
    for (int i = 0; i < ROUNDS; i++) {
        int ball = i;
        wr_err err = wr_chan_send(there, &ball, WR_NEVER);
        err = err ? err : wr_chan_recv(back, &ball, WR_NEVER);
        err = err ? err : wr_yield();
        if (err || ball != i)
            break;
    }
    step(false);
    wr_chan_close(there);
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    wr_chan_free(there);
    wr_chan_free(back);
    return WR_OK;
}

TEST_PLAIN(the_stack_can_be_walked_at_every_instruction_of_a_switch)
{
    if (getenv("WEIR_TEST_SLOW"))
        SKIP("the emulator does not trap after each instruction");
    void *frames[2];
    (void)backtrace(frames, 2);         /* loads what it needs, outside the handler */
    struct sigaction act = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO }, old;
    CHECK_EQ(0, sigaction(SIGTRAP, &act, &old));
    CHECK_OK(run_stepped(play, NULL));
    CHECK_EQ(0, sigaction(SIGTRAP, &old, NULL));
    CHECK(steps > ROUNDS * 40);
    CHECK_EQ(0, walks_lost);
}

#else

TEST_PLAIN(the_stack_can_be_walked_at_every_instruction_of_a_switch)
{
    SKIP("sanitized, or not on x86-64");
}

#endif
