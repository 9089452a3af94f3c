#include <weir/chan.h>

#include <malloc.h>
#include <string.h>

#include <weir/offload.h>
#include <weir/run.h>

#include "testing/settle.h"
#include "testing/test.h"

static struct wr_chan *make(size_t cap)
{
    struct wr_chan *ch = NULL;
    CHECK_OK(wr_chan_new(&ch, &(struct wr_chan_conf){ .name = "test.chan", .policy = WR_WAIT,
                                                      .item_size = sizeof(int), .cap = cap }));
    return ch;
}

static wr_err put(struct wr_chan *ch, int value)
{
    return wr_chan_send(ch, &value, WR_NOW);
}

/* The next value, or -1. */
static int take(struct wr_chan *ch)
{
    int value = -1;
    return wr_chan_recv(ch, &value, WR_NOW) == WR_OK ? value : -1;
}

/* A call made by a task of its own. */
struct call {
    struct wr_chan *ch;
    int value;
    wr_time deadline;
    wr_err err;
    wr_time ended;
};

static wr_err recv_task(void *arg)
{
    struct call *call = arg;
    call->err = wr_chan_recv(call->ch, &call->value, call->deadline);
    call->ended = wr_now();
    return WR_OK;
}

static wr_err send_task(void *arg)
{
    struct call *call = arg;
    call->err = wr_chan_send(call->ch, &call->value, call->deadline);
    call->ended = wr_now();
    return WR_OK;
}

/* ---- values ---- */

static void round_trip(size_t size)
{
    unsigned char in[300], out[300];
    struct wr_chan *ch = NULL;
    REQUIRE_OK(wr_chan_new(&ch, &(struct wr_chan_conf){ .name = "test.size", .policy = WR_WAIT,
                                                        .item_size = size, .cap = 3 }));
    for (int round = 0; round < 10; round++)
        for (int i = 0; i < 2; i++) {
            memset(in, round * 2 + i + 1, sizeof(in));
            memset(out, 0xee, sizeof(out));
            CHECK_OK(wr_chan_send(ch, in, WR_NOW));
            if (round == 0 && i == 0)
                continue;               /* one stays inside, so that the ring turns */
            CHECK_OK(wr_chan_recv(ch, out, WR_NOW));
            memset(in, round * 2 + i, sizeof(in));
            CHECK(memcmp(in, out, size) == 0);
            CHECK_EQ(0xee, out[size]);
        }
    wr_chan_free(ch);
}

TEST(a_value_comes_out_as_it_went_in_whatever_its_size)
{
    static const size_t sizes[] = { 1, 2, 3, 7, 8, 9, 16, 17, 63, 64, 65, 257 };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        round_trip(sizes[i]);
}

TEST(values_come_out_in_the_order_they_went_in)
{
    for (size_t cap = 1; cap <= 5; cap++) {
        struct wr_chan *ch = make(cap);
        int in = 0, out = 0;
        for (int round = 0; round < 20; round++) {
            while (put(ch, in) == WR_OK)
                in++;
            for (size_t i = 0; i < 1 + (size_t)round % cap; i++)
                CHECK_EQ(out++, take(ch));
        }
        wr_chan_free(ch);
    }
}

TEST(a_channel_holds_as_many_values_as_its_capacity_and_no_more)
{
    for (size_t cap = 1; cap <= 9; cap++) {
        struct wr_chan *ch = make(cap);
        for (size_t i = 0; i < cap; i++)
            CHECK_OK(put(ch, 0));
        CHECK_ERR(WR_BUSY, put(ch, 0));
        CHECK_EQ(cap, wr_chan_stat(ch).len);
        CHECK_EQ(cap, wr_chan_stat(ch).cap);
        wr_chan_free(ch);
    }
}

TEST(a_value_is_copied_when_it_is_sent)
{
    struct wr_chan *ch = make(1);
    int value = 1;
    CHECK_OK(wr_chan_send(ch, &value, WR_NOW));
    value = 2;
    CHECK_EQ(1, take(ch));
    wr_chan_free(ch);
}

TEST(the_counts_tell_what_went_in_what_came_out_and_what_was_refused)
{
    struct wr_chan *ch = make(2);
    CHECK_OK(put(ch, 1));
    CHECK_OK(put(ch, 2));
    CHECK_ERR(WR_BUSY, put(ch, 3));
    CHECK_EQ(1, take(ch));
    struct wr_chan_stat stat = wr_chan_stat(ch);
    CHECK_EQ(1, stat.len);
    CHECK_EQ(2, stat.cap);
    CHECK_EQ(2, stat.sent);
    CHECK_EQ(1, stat.received);
    CHECK_EQ(1, stat.refused);
    CHECK_EQ(0, stat.dropped);
    CHECK_EQ(0, stat.coalesced);
    wr_chan_free(ch);
}

TEST(using_a_channel_allocates_nothing)
{
    struct wr_chan *ch = make(1);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .deadline = WR_NEVER };
    for (int warm = 0; warm < 2; warm++) {
        size_t before = mallinfo2().uordblks;
        for (int i = 0; i < 100; i++) {
            CHECK_OK(put(ch, i));
            CHECK_EQ(i, take(ch));
            go(scope, recv_task, &call);
            CHECK_OK(put(ch, i));
            CHECK_OK(wr_scope_join(scope, WR_NEVER));
        }
        if (warm)
            CHECK_EQ(before, mallinfo2().uordblks);
    }
    scope_done(scope);
    wr_chan_free(ch);
}

/* ---- deadlines ---- */

TEST(receiving_from_an_empty_channel_gives_up_exactly_at_the_deadline)
{
    struct wr_chan *ch = make(1);
    wr_time start = wr_now();
    int value = 7;
    CHECK_ERR(WR_TIMEOUT, wr_chan_recv(ch, &value, wr_after(WR_MS(50))));
    CHECK_EQ(WR_MS(50), wr_now() - start);
    CHECK_EQ(7, value);
    wr_chan_free(ch);
}

TEST(sending_to_a_full_channel_gives_up_exactly_at_the_deadline_and_is_counted)
{
    struct wr_chan *ch = make(1);
    CHECK_OK(put(ch, 1));
    wr_time start = wr_now();
    CHECK_ERR(WR_TIMEOUT, wr_chan_send(ch, &(int){ 2 }, wr_after(WR_US(3) + 1)));
    CHECK_EQ(WR_US(3) + 1, wr_now() - start);
    CHECK_EQ(1, wr_chan_stat(ch).refused);
    CHECK_EQ(1, wr_chan_stat(ch).sent);
    CHECK_EQ(1, take(ch));
    CHECK_EQ(-1, take(ch));
    wr_chan_free(ch);
}

TEST(wr_now_never_waits)
{
    struct wr_chan *ch = make(1);
    wr_time start = wr_now();
    int value;
    CHECK_ERR(WR_TIMEOUT, wr_chan_recv(ch, &value, WR_NOW));
    CHECK_OK(put(ch, 1));
    CHECK_ERR(WR_BUSY, put(ch, 2));
    CHECK_EQ(start, wr_now());
    wr_chan_free(ch);
}

TEST(a_deadline_that_has_passed_still_takes_what_is_there_and_uses_the_room_there_is)
{
    struct wr_chan *ch = make(1);
    wr_time past = wr_now() - WR_S(1);
    int value = 0;
    CHECK_OK(wr_chan_send(ch, &(int){ 5 }, past));
    CHECK_ERR(WR_TIMEOUT, wr_chan_send(ch, &(int){ 6 }, past));
    CHECK_OK(wr_chan_recv(ch, &value, past));
    CHECK_EQ(5, value);
    CHECK_ERR(WR_TIMEOUT, wr_chan_recv(ch, &value, past));
    CHECK(wr_now() - past == WR_S(1));
    wr_chan_free(ch);
}

TEST(the_deadline_of_the_scope_ends_a_wait_that_has_none)
{
    struct wr_chan *ch = make(1);
    struct wr_scope *scope;
    wr_time start = wr_now();
    REQUIRE_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = start + WR_MS(20) }));
    wr_scope_enter(scope);
    int value;
    CHECK_ERR(WR_TIMEOUT, wr_chan_recv(ch, &value, wr_after(WR_MS(5))));
    CHECK_EQ(WR_MS(5), wr_now() - start);
    CHECK_ERR(WR_TIMEOUT, wr_chan_recv(ch, &value, WR_NEVER));
    CHECK_EQ(WR_MS(20), wr_now() - start);
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    wr_chan_free(ch);
}

TEST(a_value_that_comes_before_the_deadline_ends_the_wait_at_that_moment)
{
    struct wr_chan *ch = make(1);
    struct wr_scope *scope = scope_open();
    wr_time start = wr_now();
    struct call call = { .ch = ch, .deadline = start + WR_MS(50) };
    go(scope, recv_task, &call);
    CHECK_OK(wr_sleep(start + WR_MS(49)));
    CHECK_OK(put(ch, 3));
    scope_done(scope);
    CHECK_OK(call.err);
    CHECK_EQ(3, call.value);
    CHECK_EQ(WR_MS(49), call.ended - start);
    wr_chan_free(ch);
}

/* ---- handing over ---- */

TEST(a_waiting_receiver_is_handed_the_value_without_a_slot)
{
    struct wr_chan *ch = make(1);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .deadline = WR_NEVER };
    go(scope, recv_task, &call);
    CHECK_OK(put(ch, 9));
    struct wr_chan_stat stat = wr_chan_stat(ch);
    CHECK_EQ(0, stat.len);
    CHECK_EQ(1, stat.sent);
    CHECK_EQ(1, stat.received);
    CHECK_EQ(-1, take(ch));             /* a newcomer does not get it */
    scope_done(scope);
    CHECK_EQ(9, call.value);
    wr_chan_free(ch);
}

TEST(a_freed_slot_goes_to_the_waiting_sender_before_any_newcomer)
{
    struct wr_chan *ch = make(1);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .value = 9, .deadline = WR_NEVER };
    CHECK_OK(put(ch, 1));
    go(scope, send_task, &call);
    CHECK_EQ(1, take(ch));
    CHECK_ERR(WR_BUSY, put(ch, 5));
    CHECK_EQ(1, wr_chan_stat(ch).len);
    CHECK_EQ(9, take(ch));
    scope_done(scope);
    CHECK_OK(call.err);
    wr_chan_free(ch);
}

TEST(waiting_receivers_are_served_in_the_order_they_came)
{
    struct wr_chan *ch = make(4);
    struct wr_scope *scope = scope_open();
    struct call calls[5];
    for (int i = 0; i < 5; i++) {
        calls[i] = (struct call){ .ch = ch, .deadline = WR_NEVER };
        go(scope, recv_task, &calls[i]);
    }
    for (int i = 0; i < 5; i++)
        CHECK_OK(put(ch, i));
    scope_done(scope);
    for (int i = 0; i < 5; i++)
        CHECK_EQ(i, calls[i].value);
    wr_chan_free(ch);
}

TEST(waiting_senders_enter_in_the_order_they_came)
{
    struct wr_chan *ch = make(2);
    struct wr_scope *scope = scope_open();
    struct call calls[5];
    CHECK_OK(put(ch, 100));
    CHECK_OK(put(ch, 101));
    for (int i = 0; i < 5; i++) {
        calls[i] = (struct call){ .ch = ch, .value = 102 + i, .deadline = WR_NEVER };
        go(scope, send_task, &calls[i]);
    }
    for (int i = 0; i < 7; i++)
        CHECK_EQ(100 + i, take(ch));
    scope_done(scope);
    CHECK_EQ(7, wr_chan_stat(ch).sent);
    CHECK_EQ(7, wr_chan_stat(ch).received);
    wr_chan_free(ch);
}

TEST(a_receive_that_was_served_returns_ok_though_it_is_canceled_before_it_runs)
{
    struct wr_chan *ch = make(1);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .deadline = WR_NEVER };
    go(scope, recv_task, &call);
    CHECK_OK(put(ch, 4));
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_OK(call.err);
    CHECK_EQ(4, call.value);
    wr_chan_free(ch);
}

TEST(a_send_that_was_served_returns_ok_though_it_is_canceled_before_it_runs)
{
    struct wr_chan *ch = make(1);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .value = 4, .deadline = WR_NEVER };
    CHECK_OK(put(ch, 1));
    go(scope, send_task, &call);
    CHECK_EQ(1, take(ch));
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_OK(call.err);
    CHECK_EQ(4, take(ch));
    wr_chan_free(ch);
}

static wr_err serve_late(void *arg)
{
    struct call *call = arg;
    struct wr_scope *scope = scope_open();
    call->deadline = wr_after(WR_US(300));
    CHECK_OK(wr_scope_go(scope, "test.late", recv_task, call));
    CHECK_OK(wr_yield());
    while (wr_now() <= call->deadline)
        ;                               /* keep the only worker: its timers cannot fire */
    CHECK_OK(put(call->ch, 8));
    scope_done(scope);
    return WR_OK;
}

TEST_PLAIN(a_receive_that_was_served_returns_ok_though_its_deadline_passes_before_it_runs)
{
    struct call call = { .ch = make(1) };
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 1 }, serve_late, &call));
    CHECK_OK(call.err);
    CHECK_EQ(8, call.value);
    CHECK(call.ended > call.deadline);
    wr_chan_free(call.ch);
}

/* ---- cancellation ---- */

TEST(a_cancel_ends_both_kinds_of_wait_and_changes_nothing_in_the_channel)
{
    struct wr_chan *full = make(1), *empty = make(1);
    struct wr_scope *scope = scope_open();
    struct call send = { .ch = full, .value = 2, .deadline = WR_NEVER };
    struct call recv = { .ch = empty, .value = 7, .deadline = wr_after(WR_S(9)) };
    CHECK_OK(put(full, 1));
    go(scope, send_task, &send);
    go(scope, recv_task, &recv);
    wr_time canceled = wr_now();
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_ERR(WR_CANCELED, send.err);
    CHECK_ERR(WR_CANCELED, recv.err);
    CHECK_EQ(canceled, send.ended);
    CHECK_EQ(canceled, recv.ended);
    CHECK_EQ(7, recv.value);
    CHECK_EQ(0, wr_chan_stat(full).refused);
    CHECK_EQ(1, take(full));
    CHECK_EQ(-1, take(full));
    CHECK_OK(put(empty, 3));            /* nobody is there any more to be handed it */
    CHECK_EQ(1, wr_chan_stat(empty).len);
    wr_chan_free(full);
    wr_chan_free(empty);
}

TEST(a_wait_that_timed_out_leaves_nobody_behind)
{
    struct wr_chan *ch = make(1);
    struct wr_scope *scope = scope_open();
    struct call first = { .ch = ch, .deadline = wr_after(WR_MS(1)) };
    struct call second = { .ch = ch, .deadline = WR_NEVER };
    go(scope, recv_task, &first);
    go(scope, recv_task, &second);
    CHECK_OK(wr_sleep(wr_after(WR_MS(2))));
    CHECK_ERR(WR_TIMEOUT, first.err);
    CHECK_OK(put(ch, 6));
    scope_done(scope);
    CHECK_EQ(6, second.value);
    wr_chan_free(ch);
}

TEST(in_a_canceled_scope_calls_that_may_wait_return_at_once_and_wr_now_still_works)
{
    struct wr_chan *ch = make(2);
    struct wr_scope *scope = scope_open();
    int value = 0;
    CHECK_OK(put(ch, 1));
    wr_scope_enter(scope);
    wr_scope_cancel(scope);
    CHECK_ERR(WR_CANCELED, wr_chan_recv(ch, &value, WR_NEVER));
    CHECK_ERR(WR_CANCELED, wr_chan_send(ch, &value, WR_NEVER));
    CHECK_EQ(1, wr_chan_stat(ch).len);
    CHECK_OK(wr_chan_send(ch, &(int){ 2 }, WR_NOW));
    CHECK_OK(wr_chan_recv(ch, &value, WR_NOW));
    CHECK_EQ(1, value);
    CHECK_OK(wr_chan_recv(ch, &value, WR_NOW));
    CHECK_EQ(2, value);
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    wr_chan_free(ch);
}

/* ---- other threads ---- */

static void visit(void *arg)
{
    struct call *call = arg;
    CHECK_STR("thread", wr_task_name());
    CHECK_OK(put(call->ch, 1));
    CHECK_OK(put(call->ch, 2));
    CHECK_ERR(WR_BUSY, put(call->ch, 3));
    CHECK_EQ(1, take(call->ch));
    CHECK_EQ(2, take(call->ch));
    CHECK_EQ(-1, take(call->ch));
    CHECK_EQ(0, wr_chan_stat(call->ch).len);
}

TEST(a_thread_outside_the_runtime_may_use_a_channel_with_wr_now)
{
    struct call call = { .ch = make(2) };
    CHECK_OK(wr_offload(visit, &call, WR_NEVER));
    wr_chan_free(call.ch);
}

static void send_from_outside(void *arg)
{
    CHECK_OK(put(arg, 11));
}

static void close_from_outside(void *arg)
{
    wr_chan_close(arg);
}

TEST(a_thread_outside_the_runtime_wakes_the_fiber_it_sends_to_or_closes_on)
{
    struct wr_chan *ch = make(1);
    struct wr_scope *scope = scope_open();
    struct call first = { .ch = ch, .deadline = WR_NEVER };
    struct call second = { .ch = ch, .deadline = WR_NEVER };
    go(scope, recv_task, &first);
    go(scope, recv_task, &second);
    CHECK_OK(wr_offload(send_from_outside, ch, WR_NEVER));
    settle();
    CHECK_EQ(11, first.value);
    CHECK_OK(wr_offload(close_from_outside, ch, WR_NEVER));
    scope_done(scope);
    CHECK_ERR(WR_CLOSED, second.err);
    wr_chan_free(ch);
}
