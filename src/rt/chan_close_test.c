/* How a channel ends, who owns the values that are left, and how it is misused. */
#include <weir/chan.h>

#include <stdlib.h>

#include <weir/lock.h>
#include <weir/offload.h>
#include <weir/run.h>

#include "testing/settle.h"
#include "testing/test.h"

/* Values are numbers below VALUES; each drop is counted. */
#define VALUES 16
static _Atomic int dropped[VALUES], dropped_total, drop_order[VALUES];

static void drop(void *item)
{
    int value = *(int *)item;
    dropped[value]++;
    drop_order[dropped_total++ % VALUES] = value;
}

static struct wr_chan *make(enum wr_chan_policy policy, size_t cap)
{
    struct wr_chan *ch = NULL;
    dropped_total = 0;
    for (int i = 0; i < VALUES; i++)
        dropped[i] = 0;
    CHECK_OK(wr_chan_new(&ch, &(struct wr_chan_conf){ .name = "test.end", .policy = policy,
                                                      .item_size = sizeof(int), .cap = cap,
                                                      .drop = drop }));
    return ch;
}

static wr_err put(struct wr_chan *ch, int value)
{
    return wr_chan_send(ch, &value, WR_NOW);
}

static int take(struct wr_chan *ch)
{
    int value = -1;
    return wr_chan_recv(ch, &value, WR_NOW) == WR_OK ? value : -1;
}

struct call {
    struct wr_chan *ch;
    int value;
    wr_time deadline;
    wr_err err;
};

static wr_err recv_task(void *arg)
{
    struct call *call = arg;
    call->err = wr_chan_recv(call->ch, &call->value, call->deadline);
    return WR_OK;
}

static wr_err send_task(void *arg)
{
    struct call *call = arg;
    call->err = wr_chan_send(call->ch, &call->value, call->deadline);
    return WR_OK;
}

/* ---- closing ---- */

TEST(a_closed_channel_refuses_what_is_sent_with_every_policy_and_deadline)
{
    for (int policy = WR_WAIT; policy <= WR_RETRY_ONCE; policy++) {
        if (policy == WR_COALESCE)
            continue;
        struct wr_chan *ch = make((enum wr_chan_policy)policy, 1);
        wr_chan_close(ch);
        CHECK_ERR(WR_CLOSED, put(ch, 1));
        CHECK_ERR(WR_CLOSED, wr_chan_send(ch, &(int){ 1 }, WR_NEVER));
        CHECK_EQ(0, wr_chan_stat(ch).sent);
        CHECK_EQ(0, wr_chan_stat(ch).refused);
        wr_chan_free(ch);
    }
}

TEST(a_closed_channel_yields_what_it_holds_and_then_says_closed)
{
    struct wr_chan *ch = make(WR_WAIT, 3);
    int value = 0;
    CHECK_OK(put(ch, 1));
    CHECK_OK(put(ch, 2));
    wr_chan_close(ch);
    CHECK_OK(wr_chan_recv(ch, &value, WR_NOW));
    CHECK_EQ(1, value);
    CHECK_OK(wr_chan_recv(ch, &value, WR_NEVER));
    CHECK_EQ(2, value);
    CHECK_ERR(WR_CLOSED, wr_chan_recv(ch, &value, WR_NEVER));
    CHECK_ERR(WR_CLOSED, wr_chan_recv(ch, &value, WR_NOW));
    CHECK_EQ(2, value);
    wr_chan_free(ch);
}

TEST(closing_wakes_every_receiver_and_every_sender_with_closed)
{
    struct wr_chan *full = make(WR_WAIT, 1), *empty = make(WR_WAIT, 1);
    struct wr_scope *scope = scope_open();
    struct call calls[8];
    CHECK_OK(put(full, 0));
    for (int i = 0; i < 8; i++) {
        calls[i] = (struct call){ .ch = i % 2 ? full : empty, .value = i,
                                  .deadline = WR_NEVER };
        go(scope, i % 2 ? send_task : recv_task, &calls[i]);
    }
    wr_chan_close(full);
    wr_chan_close(empty);
    scope_done(scope);
    for (int i = 0; i < 8; i++)
        CHECK_ERR(WR_CLOSED, calls[i].err);
    CHECK_EQ(1, wr_chan_stat(full).len);        /* what waited outside stayed outside */
    CHECK_EQ(0, take(full));
    CHECK_EQ(-1, take(full));
    CHECK_EQ(0, wr_chan_stat(full).refused);
    CHECK_EQ(0, dropped_total);
    wr_chan_free(full);
    wr_chan_free(empty);
}

TEST(closing_twice_is_fine)
{
    struct wr_chan *ch = make(WR_WAIT, 1);
    CHECK_OK(put(ch, 3));
    wr_chan_close(ch);
    wr_chan_close(ch);
    CHECK_EQ(3, take(ch));
    wr_chan_free(ch);
}

TEST(a_value_handed_over_just_before_the_close_is_received)
{
    struct wr_chan *ch = make(WR_WAIT, 1);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .deadline = WR_NEVER };
    go(scope, recv_task, &call);
    CHECK_OK(put(ch, 5));
    wr_chan_close(ch);
    scope_done(scope);
    CHECK_OK(call.err);
    CHECK_EQ(5, call.value);
    wr_chan_free(ch);
}

/* ---- who owns the values ---- */

TEST(freeing_a_channel_drops_each_value_inside_once_oldest_first)
{
    struct wr_chan *ch = make(WR_WAIT, 4);
    for (int i = 0; i < 4; i++)
        CHECK_OK(put(ch, i));
    CHECK_EQ(0, take(ch));
    CHECK_OK(put(ch, 4));               /* the ring has turned */
    wr_chan_free(ch);
    CHECK_EQ(4, dropped_total);
    for (int i = 1; i <= 4; i++)
        CHECK_EQ(i, drop_order[i - 1]);
    CHECK_EQ(0, dropped[0]);            /* received: the receiver's */
}

TEST(what_a_send_could_not_deliver_stays_with_the_sender)
{
    struct wr_chan *ch = make(WR_WAIT, 1);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .value = 4, .deadline = WR_NEVER };
    CHECK_OK(put(ch, 0));
    CHECK_ERR(WR_BUSY, put(ch, 1));
    CHECK_ERR(WR_TIMEOUT, wr_chan_send(ch, &(int){ 2 }, wr_after(WR_MS(1))));
    go(scope, send_task, &call);
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_ERR(WR_CANCELED, call.err);
    wr_chan_close(ch);
    CHECK_ERR(WR_CLOSED, put(ch, 3));
    CHECK_EQ(0, dropped_total);
    wr_chan_free(ch);
    CHECK_EQ(1, dropped_total);
    CHECK_EQ(1, dropped[0]);
}

TEST(freeing_nothing_is_allowed)
{
    wr_chan_free(NULL);
}

TEST(a_channel_too_large_for_memory_is_refused)
{
    struct wr_chan *ch = NULL;
    CHECK_ERR(WR_NOMEM, wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "test.huge", .item_size = 16, .cap = SIZE_MAX / 8, .policy = WR_WAIT }));
    CHECK_ERR(WR_NOMEM, wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "test.huge", .item_size = 1, .cap = SIZE_MAX, .policy = WR_WAIT }));
    CHECK(ch == NULL);
}

/* ---- rules that were broken ---- */

static uint64_t key(const void *item)
{
    return (uint64_t)*(const int *)item;
}

static void make_wrong(struct wr_chan_conf conf)
{
    struct wr_chan *ch;
    CHECK_OK(wr_chan_new(&ch, &conf));
}

TEST_PANICS(a_channel_needs_a_capacity,
            "\"test.no-cap\".*cap are required; there is no unbounded kind")
{
    make_wrong((struct wr_chan_conf){ .name = "test.no-cap", .item_size = 4,
                                      .policy = WR_WAIT });
}

TEST_PANICS(a_channel_needs_an_item_size, "\"test.no-size\".*item_size.*required")
{
    make_wrong((struct wr_chan_conf){ .name = "test.no-size", .cap = 4, .policy = WR_WAIT });
}

TEST_PANICS(a_channel_needs_a_name, "name.*required")
{
    make_wrong((struct wr_chan_conf){ .item_size = 4, .cap = 4, .policy = WR_WAIT });
}

TEST_PANICS(a_channel_needs_a_policy, "\"test.no-policy\".*what happens when it is full")
{
    make_wrong((struct wr_chan_conf){ .name = "test.no-policy", .item_size = 4, .cap = 4 });
}

TEST_PANICS(an_unknown_policy_is_refused, "\"test.policy\".*what happens when it is full")
{
    make_wrong((struct wr_chan_conf){ .name = "test.policy", .item_size = 4, .cap = 4,
                                      .policy = WR_RETRY_ONCE + 1 });
}

TEST_PANICS(coalescing_needs_a_key, "\"test.no-key\".*WR_COALESCE and key belong together")
{
    make_wrong((struct wr_chan_conf){ .name = "test.no-key", .item_size = 4, .cap = 4,
                                      .policy = WR_COALESCE });
}

TEST_PANICS(a_key_without_coalescing_is_refused, "\"test.key\".*WR_COALESCE and key belong")
{
    make_wrong((struct wr_chan_conf){ .name = "test.key", .item_size = 4, .cap = 4,
                                      .policy = WR_WAIT, .key = key });
}

static void free_while_one_waits(wr_task_fn fn, struct wr_chan *ch)
{
    struct wr_scope *scope = scope_open();
    static struct call call;
    call = (struct call){ .ch = ch, .deadline = WR_NEVER };
    CHECK_OK(wr_scope_go(scope, "test.victim", fn, &call));
    settle();
    wr_chan_free(ch);
}

TEST_PANICS(freeing_a_channel_names_the_receiver_that_still_waits,
            "panic at src/rt/chan_close_test.c:[0-9]+: channel \"test.end\" is freed while "
            "test.victim#[0-9]+ waits on it; close it and join")
{
    free_while_one_waits(recv_task, make(WR_WAIT, 1));
}

TEST_PANICS(freeing_a_channel_names_the_sender_that_still_waits,
            "panic at src/rt/chan_close_test.c:[0-9]+: channel \"test.end\" is freed while "
            "test.victim#[0-9]+ waits on it; close it and join")
{
    struct wr_chan *ch = make(WR_WAIT, 1);
    CHECK_OK(put(ch, 1));
    free_while_one_waits(send_task, ch);
}

static void wait_outside(void *arg)
{
    int value;
    CHECK_OK(wr_chan_recv(arg, &value, WR_NEVER));
}

TEST_DIES(a_thread_outside_the_runtime_may_not_wait,
          "panic at src/rt/chan_close_test.c:[0-9]+: .*may wait, outside a task .*WR_NOW")
{
    CHECK_OK(wr_offload(wait_outside, make(WR_WAIT, 1), WR_NEVER));
}

TEST_DIES_PLAIN(before_the_runtime_runs_nothing_may_wait, "may wait, outside a task")
{
    wait_outside(make(WR_WAIT, 1));
}

static struct wr_mutex lock = WR_MUTEX("test.lock", 1);

static wr_err recv_for_ever(void *arg)
{
    int value;
    return wr_chan_recv(arg, &value, WR_NEVER);
}

static wr_err cancel_and_free(void *arg)
{
    struct wr_chan *ch = make(WR_WAIT, 1);
    (void)arg;
    struct wr_scope *scope;
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.scope",
                                                           .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.victim", recv_for_ever, ch));
    CHECK_OK(wr_sleep(wr_after(WR_MS(1))));
    wr_scope_cancel(scope);             /* on one worker: it has not run since */
    wr_chan_close(ch);
    wr_chan_free(ch);
    return WR_OK;
}

TEST_DIES_PLAIN(freeing_it_before_a_canceled_receiver_has_left_the_call_is_a_panic,
                "\"test.end\" is freed while test.victim#[0-9]+ waits on it; close it and join")
{
    struct wr_run_conf conf = { .workers = 1, .virtual_clock = true };
    if (CHECK_ERR(WR_PANIC, wr_run(&conf, cancel_and_free, NULL)))
        abort();
}

TEST_DIES(a_lock_held_is_refused_though_there_is_room_and_nobody_would_wait,
          "task main#[0-9]+ may wait on test.end while it holds lock \"test.lock\"")
{
    struct wr_chan *ch = make(WR_WAIT, 1);
    wr_mutex_lock(&lock);
    (void)!wr_chan_send(ch, &(int){ 1 }, WR_NEVER);
}

TEST(with_a_lock_held_wr_now_is_allowed)
{
    struct wr_chan *ch = make(WR_WAIT, 1);
    int got = 0;
    wr_mutex_lock(&lock);
    CHECK_OK(wr_chan_send(ch, &(int){ 7 }, WR_NOW));
    CHECK_OK(wr_chan_recv(ch, &got, WR_NOW));
    wr_mutex_unlock(&lock);
    CHECK_EQ(7, got);
    wr_chan_free(ch);
}

TEST_DIES(waiting_with_a_lock_held_names_the_channel_the_lock_and_both_places,
          "panic at src/rt/chan_close_test.c:[0-9]+: task main#[0-9]+ may wait on test.end "
          "while it holds lock \"test.lock\", taken at src/rt/chan_close_test.c:[0-9]+")
{
    struct wr_chan *ch = make(WR_WAIT, 1);
    wr_mutex_lock(&lock);
    wait_outside(ch);
}
