/* What happens when a channel is full: the five policies, and what they count. */
#include <weir/chan.h>

#include "testing/settle.h"
#include "testing/test.h"

/* Values are key * 100 + version, so that a test can see which version of a
 * key stands where. */
#define LOG_MAX 16
static _Atomic int dropped[LOG_MAX], dropped_count;

static void drop(void *item)
{
    dropped[dropped_count++ % LOG_MAX] = *(int *)item;
}

static uint64_t key(const void *item)
{
    return (uint64_t)*(const int *)item / 100;
}

static struct wr_chan *make(enum wr_chan_policy policy, size_t cap)
{
    struct wr_chan *ch = NULL;
    dropped_count = 0;
    CHECK_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "test.policy", .item_size = sizeof(int), .cap = cap, .policy = policy,
        .key = policy == WR_COALESCE ? key : NULL, .drop = drop }));
    return ch;
}

static wr_err put(struct wr_chan *ch, int value)
{
    return wr_chan_send(ch, &value, WR_NOW);
}

static wr_err put_within(struct wr_chan *ch, int value, wr_time span)
{
    return wr_chan_send(ch, &value, wr_after(span));
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
    wr_time ended;
};

static wr_err send_task(void *arg)
{
    struct call *call = arg;
    call->err = wr_chan_send(call->ch, &call->value, call->deadline);
    call->ended = wr_now();
    return WR_OK;
}

static wr_err recv_task(void *arg)
{
    struct call *call = arg;
    call->err = wr_chan_recv(call->ch, &call->value, call->deadline);
    return WR_OK;
}

/* ---- WAIT ---- */

TEST(with_wait_the_sender_waits_for_room_and_gets_it)
{
    struct wr_chan *ch = make(WR_WAIT, 1);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .value = 2, .deadline = wr_after(WR_S(1)) };
    wr_time start = wr_now();
    CHECK_OK(put(ch, 1));
    go(scope, send_task, &call);
    CHECK_OK(wr_sleep(start + WR_MS(30)));
    CHECK_EQ(1, take(ch));
    scope_done(scope);
    CHECK_OK(call.err);
    CHECK_EQ(WR_MS(30), call.ended - start);
    CHECK_EQ(0, wr_chan_stat(ch).refused);
    CHECK_EQ(2, take(ch));
    wr_chan_free(ch);
}

/* ---- REJECT ---- */

TEST(with_reject_the_sender_is_refused_at_once_whatever_its_deadline)
{
    struct wr_chan *ch = make(WR_REJECT, 2);
    wr_time start = wr_now();
    CHECK_OK(put_within(ch, 1, WR_S(1)));
    CHECK_OK(put_within(ch, 2, WR_S(1)));
    CHECK_ERR(WR_BUSY, put_within(ch, 3, WR_S(1)));
    CHECK_ERR(WR_BUSY, wr_chan_send(ch, &(int){ 4 }, WR_NEVER));
    CHECK_ERR(WR_BUSY, put(ch, 5));
    CHECK_EQ(start, wr_now());
    CHECK_EQ(3, wr_chan_stat(ch).refused);
    CHECK_EQ(2, wr_chan_stat(ch).sent);
    CHECK_EQ(0, wr_chan_stat(ch).dropped);
    CHECK_EQ(0, dropped_count);
    CHECK_EQ(1, take(ch));
    CHECK_OK(put_within(ch, 6, WR_S(1)));
    CHECK_EQ(2, take(ch));
    CHECK_EQ(6, take(ch));
    wr_chan_free(ch);
}

/* ---- DROP_OLDEST ---- */

TEST(with_drop_oldest_the_oldest_value_leaves_and_the_new_one_enters)
{
    struct wr_chan *ch = make(WR_DROP_OLDEST, 3);
    wr_time start = wr_now();
    for (int i = 1; i <= 5; i++)
        CHECK_OK(i % 2 ? put(ch, i) : put_within(ch, i, WR_S(1)));
    CHECK_EQ(start, wr_now());
    struct wr_chan_stat stat = wr_chan_stat(ch);
    CHECK_EQ(3, stat.len);
    CHECK_EQ(5, stat.sent);
    CHECK_EQ(2, stat.dropped);
    CHECK_EQ(0, stat.refused);
    CHECK_EQ(2, dropped_count);
    CHECK_EQ(1, dropped[0]);
    CHECK_EQ(2, dropped[1]);
    for (int i = 3; i <= 5; i++)
        CHECK_EQ(i, take(ch));
    wr_chan_free(ch);
    CHECK_EQ(2, dropped_count);
}

TEST(with_drop_oldest_a_waiting_receiver_is_served_and_nothing_is_dropped)
{
    struct wr_chan *ch = make(WR_DROP_OLDEST, 1);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .deadline = WR_NEVER };
    go(scope, recv_task, &call);
    CHECK_OK(put(ch, 1));
    CHECK_OK(put(ch, 2));
    scope_done(scope);
    CHECK_EQ(1, call.value);
    CHECK_EQ(2, take(ch));
    CHECK_EQ(0, wr_chan_stat(ch).dropped);
    wr_chan_free(ch);
}

/* ---- COALESCE ---- */

TEST(with_coalesce_an_equal_key_is_replaced_where_it_stands)
{
    struct wr_chan *ch = make(WR_COALESCE, 3);
    CHECK_OK(put(ch, 100));
    CHECK_OK(put(ch, 200));
    CHECK_OK(put(ch, 101));             /* not full, replaced all the same */
    CHECK_EQ(2, wr_chan_stat(ch).len);
    CHECK_OK(put(ch, 300));
    CHECK_OK(put(ch, 201));             /* full, and no waiting for it */
    struct wr_chan_stat stat = wr_chan_stat(ch);
    CHECK_EQ(3, stat.len);
    CHECK_EQ(5, stat.sent);
    CHECK_EQ(2, stat.coalesced);
    CHECK_EQ(0, stat.dropped);
    CHECK_EQ(0, stat.refused);
    CHECK_EQ(2, dropped_count);
    CHECK_EQ(100, dropped[0]);
    CHECK_EQ(200, dropped[1]);
    CHECK_EQ(101, take(ch));
    CHECK_EQ(201, take(ch));
    CHECK_EQ(300, take(ch));
    wr_chan_free(ch);
}

TEST(with_coalesce_a_full_channel_without_the_key_makes_the_sender_wait)
{
    struct wr_chan *ch = make(WR_COALESCE, 2);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .value = 300, .deadline = WR_NEVER };
    CHECK_OK(put(ch, 100));
    CHECK_OK(put(ch, 200));
    CHECK_ERR(WR_BUSY, put(ch, 300));
    wr_time start = wr_now();
    CHECK_ERR(WR_TIMEOUT, put_within(ch, 300, WR_MS(7)));
    CHECK_EQ(WR_MS(7), wr_now() - start);
    CHECK_EQ(2, wr_chan_stat(ch).refused);
    go(scope, send_task, &call);
    CHECK_EQ(100, take(ch));
    scope_done(scope);
    CHECK_OK(call.err);
    CHECK_EQ(200, take(ch));
    CHECK_EQ(300, take(ch));
    wr_chan_free(ch);
}

TEST(with_coalesce_senders_that_wait_with_one_key_need_one_slot)
{
    struct wr_chan *ch = make(WR_COALESCE, 2);
    struct wr_scope *scope = scope_open();
    struct call calls[4];
    static const int values[] = { 300, 301, 400, 302 };
    CHECK_OK(put(ch, 100));
    CHECK_OK(put(ch, 200));
    for (int i = 0; i < 4; i++) {
        calls[i] = (struct call){ .ch = ch, .value = values[i], .deadline = WR_NEVER };
        go(scope, send_task, &calls[i]);
    }
    CHECK_EQ(100, take(ch));
    wr_time moment = wr_now();
    settle();
    CHECK_EQ(moment, calls[0].ended);
    CHECK_EQ(moment, calls[1].ended);
    CHECK_EQ(moment, calls[3].ended);
    CHECK_EQ(0, calls[2].ended);        /* another key: it needs a slot of its own */
    CHECK_EQ(2, wr_chan_stat(ch).coalesced);
    CHECK_EQ(300, dropped[0]);
    CHECK_EQ(301, dropped[1]);
    CHECK_EQ(200, take(ch));
    CHECK_EQ(302, take(ch));
    CHECK_EQ(400, take(ch));
    CHECK_EQ(-1, take(ch));
    scope_done(scope);
    for (int i = 0; i < 4; i++)
        CHECK_OK(calls[i].err);
    CHECK_EQ(6, wr_chan_stat(ch).sent);
    wr_chan_free(ch);
}

TEST(with_coalesce_an_older_value_never_replaces_a_newer_one)
{
    struct wr_chan *ch = make(WR_COALESCE, 2);
    struct wr_scope *scope = scope_open();
    struct call first = { .ch = ch, .value = 300, .deadline = WR_NEVER };
    struct call second = { .ch = ch, .value = 301, .deadline = WR_NEVER };
    CHECK_OK(put(ch, 100));
    CHECK_OK(put(ch, 200));
    go(scope, send_task, &first);
    go(scope, send_task, &second);
    CHECK_EQ(100, take(ch));
    CHECK_OK(put(ch, 302));
    CHECK_EQ(200, take(ch));
    CHECK_EQ(302, take(ch));
    CHECK_EQ(-1, take(ch));
    scope_done(scope);
    wr_chan_free(ch);
}

TEST(with_coalesce_a_sender_whose_wait_is_over_replaces_nothing)
{
    struct wr_chan *ch = make(WR_COALESCE, 1);
    struct wr_scope *scope = scope_open(), *doomed = scope_open();
    struct call first = { .ch = ch, .value = 200, .deadline = WR_NEVER };
    struct call second = { .ch = ch, .value = 201, .deadline = WR_NEVER };
    CHECK_OK(put(ch, 100));
    go(scope, send_task, &first);
    go(doomed, send_task, &second);
    wr_scope_cancel(doomed);            /* on one worker it has not run since */
    CHECK_EQ(100, take(ch));
    CHECK_EQ(200, take(ch));
    CHECK_EQ(-1, take(ch));
    scope_done(doomed);
    scope_done(scope);
    CHECK_ERR(WR_CANCELED, second.err);
    CHECK_EQ(0, wr_chan_stat(ch).coalesced);
    wr_chan_free(ch);
}

/* ---- RETRY_ONCE ---- */

TEST(with_retry_once_the_sender_waits_50_to_150_ms_and_then_gives_up)
{
    struct wr_chan *ch = make(WR_RETRY_ONCE, 1);
    wr_time least = WR_S(1), most = 0;
    CHECK_OK(put(ch, 1));
    for (int i = 0; i < 200; i++) {
        wr_time start = wr_now();
        CHECK_ERR(WR_BUSY, wr_chan_send(ch, &(int){ 2 }, WR_NEVER));
        wr_time span = wr_now() - start;
        least = span < least ? span : least;
        most = span > most ? span : most;
    }
    CHECK(least >= WR_MS(50) && least < WR_MS(60));     /* spread over the whole range */
    CHECK(most <= WR_MS(150) && most > WR_MS(140));
    CHECK_EQ(200, wr_chan_stat(ch).refused);
    CHECK_EQ(200, wr_chan_stat(ch).dropped);
    CHECK_EQ(1, wr_chan_stat(ch).sent);
    CHECK_EQ(0, dropped_count);         /* the sender still owns them */
    wr_chan_free(ch);
}

TEST(with_retry_once_room_that_came_meanwhile_is_used_at_the_second_try)
{
    struct wr_chan *ch = make(WR_RETRY_ONCE, 1);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .value = 2, .deadline = WR_NEVER };
    wr_time start = wr_now();
    CHECK_OK(put(ch, 1));
    go(scope, send_task, &call);
    CHECK_EQ(1, take(ch));
    CHECK_EQ(-1, take(ch));             /* it is not admitted: it tries when its pause ends */
    scope_done(scope);
    CHECK_OK(call.err);
    CHECK(call.ended - start >= WR_MS(50) && call.ended - start <= WR_MS(150));
    CHECK_EQ(2, take(ch));
    CHECK_EQ(0, wr_chan_stat(ch).refused);
    CHECK_EQ(0, wr_chan_stat(ch).dropped);
    wr_chan_free(ch);
}

TEST(with_retry_once_a_deadline_too_near_for_the_pause_means_busy_at_once)
{
    struct wr_chan *ch = make(WR_RETRY_ONCE, 1);
    CHECK_OK(put(ch, 1));
    wr_time start = wr_now();
    CHECK_ERR(WR_BUSY, put_within(ch, 2, WR_MS(49)));
    CHECK_ERR(WR_BUSY, put(ch, 2));
    CHECK_EQ(start, wr_now());
    CHECK_EQ(2, wr_chan_stat(ch).refused);
    wr_chan_free(ch);
}

TEST(with_retry_once_the_pause_ends_at_a_cancel)
{
    struct wr_chan *ch = make(WR_RETRY_ONCE, 1);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .value = 2, .deadline = WR_NEVER };
    CHECK_OK(put(ch, 1));
    go(scope, send_task, &call);
    wr_time canceled = wr_now();
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_ERR(WR_CANCELED, call.err);
    CHECK_EQ(canceled, call.ended);
    CHECK_EQ(0, wr_chan_stat(ch).refused);
    CHECK_EQ(0, wr_chan_stat(ch).dropped);
    wr_chan_free(ch);
}

TEST(with_retry_once_a_pause_cut_by_the_deadline_of_the_scope_counts_as_refused)
{
    struct wr_chan *ch = make(WR_RETRY_ONCE, 1);
    struct wr_scope *scope;
    CHECK_OK(put(ch, 1));
    struct wr_scope_conf conf = { .deadline = wr_after(WR_MS(10)) };
    REQUIRE_OK(wr_scope_new(&scope, &conf));
    wr_scope_enter(scope);
    CHECK_ERR(WR_TIMEOUT, wr_chan_send(ch, &(int){ 2 }, WR_NEVER));
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(1, wr_chan_stat(ch).refused);
    CHECK_EQ(1, wr_chan_stat(ch).dropped);
    wr_chan_free(ch);
}

TEST(with_retry_once_a_close_during_the_pause_is_told_at_once)
{
    struct wr_chan *ch = make(WR_RETRY_ONCE, 1);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .value = 2, .deadline = WR_NEVER };
    CHECK_OK(put(ch, 1));
    go(scope, send_task, &call);
    wr_time closed = wr_now();
    wr_chan_close(ch);
    scope_done(scope);
    CHECK_EQ(closed, wr_now());
    CHECK_ERR(WR_CLOSED, call.err);
    CHECK_EQ(0, wr_chan_stat(ch).refused);
    wr_chan_free(ch);
}

TEST(with_retry_once_a_close_is_told_though_the_sender_is_canceled_before_it_runs)
{
    struct wr_chan *ch = make(WR_RETRY_ONCE, 1);
    struct wr_scope *scope = scope_open();
    struct call call = { .ch = ch, .value = 2, .deadline = WR_NEVER };
    CHECK_OK(put(ch, 1));
    go(scope, send_task, &call);
    wr_chan_close(ch);
    wr_scope_cancel(scope);             /* on one worker it has not run since */
    scope_done(scope);
    CHECK_ERR(WR_CLOSED, call.err);
    wr_chan_free(ch);
}

/* ---- callbacks that break a rule ---- */

static void broken_drop(void *item)
{
    wr_panic("no way to release %d", *(int *)item);
}

TEST_DIES(a_panic_inside_drop_ends_the_process_because_the_channel_is_locked,
          "no way to release 1\n.*in task main.*the process ends, because")
{
    struct wr_chan *ch;
    REQUIRE_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "test.broken", .item_size = sizeof(int), .cap = 1, .policy = WR_DROP_OLDEST,
        .drop = broken_drop }));
    CHECK_OK(put(ch, 1));
    CHECK_OK(put(ch, 2));
}

static uint64_t waiting_key(const void *item)
{
    (void)!wr_sleep(wr_after(WR_MS(1)));
    return (uint64_t)*(const int *)item;
}

TEST_DIES(a_wait_inside_key_is_caught,
          "task main#[0-9]+ may wait on sleep below foreign frames")
{
    struct wr_chan *ch;
    REQUIRE_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "test.broken", .item_size = sizeof(int), .cap = 1, .policy = WR_COALESCE,
        .key = waiting_key }));
    CHECK_OK(put(ch, 1));
    CHECK_OK(put(ch, 2));
}
