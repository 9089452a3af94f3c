#include <weir/offload.h>

#include <stdatomic.h>
#include <stdlib.h>

#include <weir/run.h>
#include <weir/scope.h>

#include "base/world.h"
#include "rt/rt_int.h"
#include "testing/settle.h"
#include "testing/test.h"

#define PATIENCE WR_S(20)

static wr_time real_now(void)
{
    return wr_world_os.mono();
}

static void await_flag(atomic_bool *flag)
{
    for (wr_time give_up = real_now() + PATIENCE; !atomic_load(flag);) {
        if (real_now() > give_up)
            abort();
        wr_os_relax(255);
    }
}

static wr_err run_with(unsigned threads, size_t queue, bool virtual_clock, wr_task_fn fn)
{
    return wr_run(&(struct wr_run_conf){
        .workers = 2, .offload_threads_max = threads, .offload_queue_max = queue,
        .virtual_clock = virtual_clock }, fn, NULL);
}

/* ---- the call ---- */

struct call { unsigned long thread; int in, out; };

static void double_it(void *arg)
{
    struct call *call = arg;
    call->thread = wr_os_thread_id();
    call->out = call->in * 2;
}

TEST(a_call_runs_on_a_thread_of_its_own_and_its_work_is_there_afterwards)
{
    struct call call = { .in = 21 };
    CHECK_OK(wr_offload(double_it, &call, WR_NEVER));
    CHECK_EQ(42, call.out);
    CHECK(call.thread != 0);
    CHECK(call.thread != wr_os_thread_id());
}

struct gate { atomic_bool entered, open, left; };

static void pass_gate(void *arg)
{
    struct gate *gate = arg;
    atomic_store(&gate->entered, true);
    await_flag(&gate->open);
    atomic_store(&gate->left, true);
}

static wr_err open_gate(void *arg)
{
    struct gate *gate = arg;
    await_flag(&gate->entered);
    atomic_store(&gate->open, true);
    return WR_OK;
}

TEST(other_fibers_run_while_one_waits_for_its_call)
{
    struct gate gate = { 0 };
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.opener", open_gate, &gate));
    CHECK_OK(wr_offload(pass_gate, &gate, WR_NEVER));   /* ends only if the opener ran */
    CHECK(gate.left);
    scope_done(scope);
}

static void add_one(void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
}

static wr_err offload_some(void *arg)
{
    for (int i = 0; i < 20; i++)
        CHECK_OK(wr_offload(add_one, arg, WR_NEVER));
    return WR_OK;
}

static wr_err offload_many(void *arg)
{
    atomic_int count = 0;
    struct wr_scope *scope = scope_open();
    (void)arg;
    for (int i = 0; i < 40; i++)
        CHECK_OK(wr_scope_go(scope, "test.caller", offload_some, &count));
    scope_done(scope);
    CHECK_EQ(800, count);
    return WR_OK;
}

TEST_PLAIN(every_call_of_many_fibers_is_made_once_and_every_fiber_woken)
{
    CHECK_OK(run_with(4, 0, false, offload_many));
    CHECK_OK(run_with(4, 0, true, offload_many));
    CHECK_OK(run_with(1, 0, true, offload_many));
}

/* ---- taking back ---- */

struct calling { void (*fn)(void *arg); void *arg; wr_time span; wr_err err; };

static wr_err call_it(void *arg)
{
    struct calling *calling = arg;
    wr_time deadline = calling->span ? wr_after(calling->span) : WR_NEVER;
    calling->err = wr_offload(calling->fn, calling->arg, deadline);
    return WR_OK;
}

static wr_err cancel_one_in_the_queue(void *arg)
{
    struct gate gate = { 0 };
    atomic_int count = 0;
    struct calling first = { .fn = pass_gate, .arg = &gate };
    struct calling second = { .fn = add_one, .arg = &count };
    struct wr_scope *one = scope_open(), *two = scope_open();
    (void)arg;
    CHECK_OK(wr_scope_go(one, "test.first", call_it, &first));
    while (!gate.entered)
        CHECK_OK(wr_yield());
    CHECK_OK(wr_scope_go(two, "test.second", call_it, &second));
    while (wr_rt.offloads < 2)
        CHECK_OK(wr_yield());
    wr_scope_cancel(two);
    CHECK_OK(wr_scope_join(two, WR_NEVER));             /* while the thread is still busy */
    CHECK(!gate.left);
    CHECK_ERR(WR_CANCELED, second.err);
    atomic_store(&gate.open, true);
    CHECK_OK(wr_scope_join(one, WR_NEVER));
    CHECK_OK(first.err);
    CHECK_OK(wr_offload(add_one, &count, WR_NEVER));
    CHECK_EQ(1, count);                                 /* ours: the second never ran */
    CHECK_OK(wr_scope_close(two));
    CHECK_OK(wr_scope_close(one));
    return WR_OK;
}

TEST_PLAIN(a_call_that_has_not_begun_is_taken_back_by_a_cancel)
{
    CHECK_OK(run_with(1, 0, true, cancel_one_in_the_queue));
    CHECK_OK(run_with(1, 0, false, cancel_one_in_the_queue));
}

static wr_err run_out_of_time_in_the_queue(void *arg)
{
    struct gate gate = { 0 };
    atomic_int count = 0;
    struct calling first = { .fn = pass_gate, .arg = &gate };
    struct wr_scope *scope = scope_open();
    (void)arg;
    CHECK_OK(wr_scope_go(scope, "test.first", call_it, &first));
    while (!gate.entered)
        CHECK_OK(wr_yield());
    CHECK_ERR(WR_TIMEOUT, wr_offload(add_one, &count, wr_after(WR_MS(3))));
    CHECK_ERR(WR_TIMEOUT, wr_offload(add_one, &count, WR_NOW));
    CHECK(!gate.left);
    atomic_store(&gate.open, true);
    scope_done(scope);
    CHECK_EQ(0, count);
    return WR_OK;
}

TEST_PLAIN(a_call_that_has_not_begun_is_taken_back_at_its_deadline)
{
    CHECK_OK(run_with(1, 0, false, run_out_of_time_in_the_queue));
}

static wr_err cancel_one_that_has_begun(void *arg)
{
    struct gate gate = { 0 };
    struct calling calling = { .fn = pass_gate, .arg = &gate };
    struct wr_scope *scope = scope_open();
    (void)arg;
    CHECK_OK(wr_scope_go(scope, "test.caller", call_it, &calling));
    while (!gate.entered)
        CHECK_OK(wr_yield());
    wr_scope_cancel(scope);
    for (int i = 0; i < 100; i++)
        CHECK_OK(wr_yield());
    CHECK_EQ(1, wr_scope_live(scope));                  /* it waits for the call's end */
    atomic_store(&gate.open, true);
    CHECK_OK(wr_scope_close(scope));
    CHECK(gate.left);
    CHECK_OK(calling.err);
    return WR_OK;
}

TEST_PLAIN(a_call_that_has_begun_is_waited_for_and_is_ok_even_when_canceled)
{
    CHECK_OK(run_with(1, 0, true, cancel_one_that_has_begun));
    CHECK_OK(run_with(1, 0, false, cancel_one_that_has_begun));
}

static void take_five_ms(void *arg)
{
    for (wr_time until = real_now() + WR_MS(5); real_now() < until;)
        ;
    atomic_store((atomic_bool *)arg, true);
}

static wr_err outlast_the_deadline(void *arg)
{
    (void)arg;
    for (int i = 0; i < 20; i++) {
        atomic_bool done = false;
        wr_err err = wr_offload(take_five_ms, &done, wr_after(WR_MS(1)));
        CHECK(err == WR_OK || err == WR_TIMEOUT);
        CHECK_EQ(err == WR_OK, done);                   /* TIMEOUT: it did not run */
        done = false;
        CHECK_OK(wr_scope_check());
    }
    return WR_OK;
}

TEST_PLAIN(at_the_deadline_either_the_call_never_ran_or_it_is_ok)
{
    CHECK_OK(run_with(2, 0, false, outlast_the_deadline));
}

/* ---- bounds ---- */

static wr_err fill_the_queue(void *arg)
{
    struct gate gate = { 0 };
    atomic_int count = 0;
    struct calling first = { .fn = pass_gate, .arg = &gate };
    struct calling waiting[3];
    struct wr_scope *scope = scope_open();
    (void)arg;
    CHECK_OK(wr_scope_go(scope, "test.first", call_it, &first));
    while (!gate.entered)
        CHECK_OK(wr_yield());
    for (size_t i = 0; i < 3; i++) {
        waiting[i] = (struct calling){ .fn = add_one, .arg = &count };
        CHECK_OK(wr_scope_go(scope, "test.waiting", call_it, &waiting[i]));
        while (wr_rt.offloads < 2 + i)
            CHECK_OK(wr_yield());
    }
    CHECK_ERR(WR_BUSY, wr_offload(add_one, &count, WR_NEVER));
    CHECK_ERR(WR_BUSY, wr_offload(add_one, &count, WR_NOW));
    atomic_store(&gate.open, true);
    scope_done(scope);
    CHECK_EQ(3, count);
    for (int i = 0; i < 3; i++)
        CHECK_OK(waiting[i].err);
    CHECK_OK(wr_offload(add_one, &count, WR_NEVER));    /* there is room again */
    return WR_OK;
}

TEST_PLAIN(one_call_more_than_the_queue_holds_is_busy)
{
    CHECK_OK(run_with(1, 3, true, fill_the_queue));
    CHECK_OK(run_with(1, 3, false, fill_the_queue));
}

struct crowd { atomic_int inside, most; };

static void be_inside(void *arg)
{
    struct crowd *crowd = arg;
    int inside = atomic_fetch_add(&crowd->inside, 1) + 1;
    int most = crowd->most;
    while (inside > most && !atomic_compare_exchange_weak(&crowd->most, &most, inside))
        ;
    wr_time now = real_now(), at_least = now + WR_MS(1), give_up = now + PATIENCE;
    while ((crowd->most < 3 && now < give_up) || now < at_least) {
        wr_os_relax(255);
        now = real_now();
    }
    atomic_fetch_sub(&crowd->inside, 1);
}

static wr_err be_many(void *arg)
{
    struct crowd crowd = { 0 };
    struct calling callings[20];
    struct wr_scope *scope = scope_open();
    (void)arg;
    for (int i = 0; i < 20; i++) {
        callings[i] = (struct calling){ .fn = be_inside, .arg = &crowd };
        CHECK_OK(wr_scope_go(scope, "test.caller", call_it, &callings[i]));
    }
    scope_done(scope);
    for (int i = 0; i < 20; i++)
        CHECK_OK(callings[i].err);
    CHECK_EQ(3, crowd.most);
    return WR_OK;
}

TEST_PLAIN(there_are_as_many_threads_as_asked_for_and_not_more)
{
    CHECK_OK(run_with(3, 0, false, be_many));
}

struct order { int seen[10]; int at; };
struct ticket { struct order *order; int number; };

static void note_order(void *arg)
{
    struct ticket *ticket = arg;
    ticket->order->seen[ticket->order->at++] = ticket->number;
}

static wr_err queue_in_order(void *arg)
{
    struct gate gate = { 0 };
    struct order order = { 0 };
    struct calling first = { .fn = pass_gate, .arg = &gate }, callings[10];
    struct ticket tickets[10];
    struct wr_scope *scope = scope_open();
    (void)arg;
    CHECK_OK(wr_scope_go(scope, "test.first", call_it, &first));
    for (size_t i = 0; i < 10; i++) {
        while (!gate.entered || wr_rt.offloads < 1 + i)
            CHECK_OK(wr_yield());
        tickets[i] = (struct ticket){ &order, (int)i };
        callings[i] = (struct calling){ .fn = note_order, .arg = &tickets[i] };
        CHECK_OK(wr_scope_go(scope, "test.caller", call_it, &callings[i]));
    }
    while (wr_rt.offloads < 11)
        CHECK_OK(wr_yield());
    atomic_store(&gate.open, true);
    scope_done(scope);
    for (int i = 0; i < 10; i++)
        CHECK_EQ(i, order.seen[i]);
    return WR_OK;
}

TEST_PLAIN(calls_begin_in_the_order_in_which_they_came)
{
    CHECK_OK(run_with(1, 0, true, queue_in_order));
}

/* ---- the virtual clock ---- */

static wr_err sleep_a_second(void *arg)
{
    wr_time *woke = arg;
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    *woke = wr_now();
    return WR_OK;
}

TEST(the_virtual_clock_does_not_jump_while_a_call_is_out)
{
    atomic_bool done = false;
    wr_time start = wr_now(), woke = 0;
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.sleeper", sleep_a_second, &woke));
    CHECK_OK(wr_yield());
    CHECK_OK(wr_offload(take_five_ms, &done, WR_NEVER));
    CHECK(done);
    CHECK_EQ(start, wr_now());          /* every other task slept all the while */
    scope_done(scope);
    CHECK_EQ(start + WR_S(1), woke);
}

TEST(a_call_takes_no_virtual_time_however_often_it_is_made)
{
    atomic_int count = 0;
    wr_time start = wr_now(), woke = 0;
    struct wr_scope *scope = scope_open();
    CHECK_OK(wr_scope_go(scope, "test.sleeper", sleep_a_second, &woke));
    for (int i = 0; i < 500; i++)
        CHECK_OK(wr_offload(add_one, &count, wr_after(1)));
    CHECK_EQ(start, wr_now());
    CHECK_EQ(500, count);
    scope_done(scope);
    CHECK_EQ(start + WR_S(1), woke);
}

/* ---- rules ---- */

static void offload_again(void *arg)
{
    (void)!wr_offload(add_one, arg, WR_NEVER);
}

TEST_DIES(a_call_must_not_offload_itself,
          "panic at src/rt/offload_test\\.c:[0-9]+: a call that may wait, outside a task")
{
    atomic_int count = 0;
    (void)!wr_offload(offload_again, &count, WR_NEVER);
}

TEST_DIES_PLAIN(there_is_no_offloading_outside_a_task, "a call that may wait, outside a task")
{
    (void)!wr_offload(add_one, NULL, WR_NEVER);
}
