#include <weir/bcast.h>

#include <string.h>

#include <weir/offload.h>
#include <weir/run.h>

#include "base/rand.h"
#include "testing/settle.h"
#include "testing/test.h"

static struct wr_bcast *make(size_t cap)
{
    struct wr_bcast *bcast = NULL;
    CHECK_OK(wr_bcast_new(&bcast, &(struct wr_bcast_conf){
        .name = "test.bcast", .item_size = sizeof(int), .cap = cap }));
    return bcast;
}

static void send(struct wr_bcast *bcast, int value)
{
    CHECK_OK(wr_bcast_send(bcast, &value));
}

/* The next value without waiting, or minus the error. */
static int next(struct wr_bcast_reader *reader)
{
    int value = 0;
    wr_err err = wr_bcast_recv(reader, &value, WR_NOW);
    return err ? -(int)err : value;
}

struct call {
    struct wr_bcast_reader reader;
    wr_time deadline;
    int value;
    wr_err err;
    wr_time ended;
};

static wr_err recv_task(void *arg)
{
    struct call *call = arg;
    call->err = wr_bcast_recv(&call->reader, &call->value, call->deadline);
    call->ended = wr_now();
    return WR_OK;
}

/* ---- values ---- */

TEST(every_reader_gets_every_value_in_order)
{
    struct wr_bcast *bcast = make(4);
    struct wr_bcast_reader a = wr_bcast_reader(bcast), b = wr_bcast_reader(bcast);
    for (int round = 0; round < 5; round++) {
        for (int i = 1; i <= 3; i++)
            send(bcast, round * 10 + i);
        for (int i = 1; i <= 3; i++) {
            CHECK_EQ(round * 10 + i, next(&a));
            CHECK_EQ(round * 10 + i, next(&b));
        }
        CHECK_EQ(-WR_TIMEOUT, next(&a));
    }
    CHECK_EQ(15, wr_bcast_stat(bcast).sent);
    CHECK_EQ(0, wr_bcast_stat(bcast).lagged);
    wr_bcast_free(bcast);
}

TEST(a_reader_sees_the_values_sent_after_it_was_made_and_no_others)
{
    struct wr_bcast *bcast = make(4);
    send(bcast, 1);
    send(bcast, 2);
    struct wr_bcast_reader reader = wr_bcast_reader(bcast);
    CHECK_EQ(-WR_TIMEOUT, next(&reader));
    send(bcast, 3);
    CHECK_EQ(3, next(&reader));
    wr_bcast_free(bcast);
}

TEST(values_are_copied_whole_whatever_their_size)
{
    static const size_t sizes[] = { 1, 3, 8, 17, 64, 257 };
    unsigned char in[300], out[300];
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct wr_bcast *bcast;
        REQUIRE_OK(wr_bcast_new(&bcast, &(struct wr_bcast_conf){
            .name = "test.size", .item_size = sizes[i], .cap = 3 }));
        struct wr_bcast_reader reader = wr_bcast_reader(bcast);
        for (int round = 0; round < 7; round++) {
            memset(in, 'a' + round, sizeof(in));
            CHECK_OK(wr_bcast_send(bcast, in));
            memset(out, '-', sizeof(out));
            CHECK_OK(wr_bcast_recv(&reader, out, WR_NOW));
            CHECK(memcmp(in, out, sizes[i]) == 0);
            CHECK_EQ('-', out[sizes[i]]);
        }
        wr_bcast_free(bcast);
    }
}

/* ---- falling behind ---- */

TEST(a_reader_may_be_as_far_behind_as_the_capacity_without_missing_anything)
{
    for (size_t cap = 1; cap <= 5; cap++) {
        struct wr_bcast *bcast = make(cap);
        struct wr_bcast_reader reader = wr_bcast_reader(bcast);
        for (int i = 1; i <= (int)cap; i++)
            send(bcast, i);
        for (int i = 1; i <= (int)cap; i++)
            CHECK_EQ(i, next(&reader));
        CHECK_EQ(0, reader.lagged);
        wr_bcast_free(bcast);
    }
}

TEST(a_reader_that_fell_behind_learns_once_how_many_it_missed_and_goes_on_with_the_oldest)
{
    struct wr_bcast *bcast = make(3);
    struct wr_bcast_reader reader = wr_bcast_reader(bcast);
    for (int i = 1; i <= 8; i++)
        send(bcast, i);
    CHECK_EQ(-WR_LAGGED, next(&reader));
    CHECK_EQ(5, reader.lagged);
    for (int i = 6; i <= 8; i++)
        CHECK_EQ(i, next(&reader));
    CHECK_EQ(-WR_TIMEOUT, next(&reader));
    for (int i = 9; i <= 12; i++)
        send(bcast, i);
    CHECK_EQ(-WR_LAGGED, next(&reader));
    CHECK_EQ(6, reader.lagged);         /* in all */
    CHECK_EQ(10, next(&reader));
    wr_bcast_free(bcast);
}

TEST(missed_values_are_counted_over_all_readers_when_they_learn_of_it)
{
    struct wr_bcast *bcast = make(1);
    struct wr_bcast_reader a = wr_bcast_reader(bcast), b = a, c = a;
    send(bcast, 1);
    CHECK_EQ(1, next(&c));
    send(bcast, 2);
    send(bcast, 3);
    CHECK_EQ(0, wr_bcast_stat(bcast).lagged);
    CHECK_EQ(-WR_LAGGED, next(&a));
    CHECK_EQ(-WR_LAGGED, next(&b));
    CHECK_EQ(-WR_LAGGED, next(&c));
    CHECK_EQ(2, a.lagged);
    CHECK_EQ(1, c.lagged);
    CHECK_EQ(5, wr_bcast_stat(bcast).lagged);
    CHECK_EQ(3, next(&b));
    wr_bcast_free(bcast);
}

TEST(a_lag_leaves_the_item_as_it_was)
{
    struct wr_bcast *bcast = make(1);
    struct wr_bcast_reader reader = wr_bcast_reader(bcast);
    send(bcast, 1);
    send(bcast, 2);
    int value = 9;
    CHECK_ERR(WR_LAGGED, wr_bcast_recv(&reader, &value, WR_NEVER));
    CHECK_EQ(9, value);
    wr_bcast_free(bcast);
}

/* ---- waiting ---- */

TEST(a_value_wakes_everyone_who_waits_at_that_moment)
{
    struct wr_bcast *bcast = make(1);
    struct wr_scope *scope = scope_open();
    struct call calls[5];
    wr_time start = wr_now();
    for (int i = 0; i < 5; i++) {
        calls[i] = (struct call){ .reader = wr_bcast_reader(bcast), .deadline = WR_NEVER };
        go(scope, recv_task, &calls[i]);
    }
    CHECK_OK(wr_sleep(start + WR_MS(2)));
    send(bcast, 8);
    scope_done(scope);
    for (int i = 0; i < 5; i++) {
        CHECK_OK(calls[i].err);
        CHECK_EQ(8, calls[i].value);
        CHECK_EQ(WR_MS(2), calls[i].ended - start);
    }
    wr_bcast_free(bcast);
}

TEST(a_wait_without_a_value_gives_up_exactly_at_the_deadline)
{
    struct wr_bcast *bcast = make(1);
    struct wr_bcast_reader reader = wr_bcast_reader(bcast);
    wr_time start = wr_now();
    int value = 9;
    CHECK_ERR(WR_TIMEOUT, wr_bcast_recv(&reader, &value, WR_NOW));
    CHECK_ERR(WR_TIMEOUT, wr_bcast_recv(&reader, &value, start - 1));
    CHECK_EQ(start, wr_now());
    CHECK_ERR(WR_TIMEOUT, wr_bcast_recv(&reader, &value, start + WR_MS(4)));
    CHECK_EQ(WR_MS(4), wr_now() - start);
    CHECK_EQ(9, value);
    send(bcast, 1);                     /* nobody is left in the list to be woken */
    CHECK_EQ(1, next(&reader));
    wr_bcast_free(bcast);
}

TEST(a_cancel_ends_the_wait_and_the_reader_keeps_its_place)
{
    struct wr_bcast *bcast = make(2);
    struct wr_scope *scope = scope_open();
    struct call call = { .reader = wr_bcast_reader(bcast), .deadline = WR_NEVER };
    go(scope, recv_task, &call);
    wr_time canceled = wr_now();
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_ERR(WR_CANCELED, call.err);
    CHECK_EQ(canceled, call.ended);
    send(bcast, 1);
    send(bcast, 2);
    CHECK_EQ(1, next(&call.reader));
    CHECK_EQ(2, next(&call.reader));
    wr_bcast_free(bcast);
}

TEST(a_wait_that_was_served_returns_ok_though_it_is_canceled_before_it_runs)
{
    struct wr_bcast *bcast = make(2);
    struct wr_scope *scope = scope_open();
    struct call call = { .reader = wr_bcast_reader(bcast), .deadline = WR_NEVER };
    go(scope, recv_task, &call);
    send(bcast, 6);
    wr_scope_cancel(scope);
    scope_done(scope);
    CHECK_OK(call.err);
    CHECK_EQ(6, call.value);
    wr_bcast_free(bcast);
}

TEST(in_a_canceled_scope_values_are_still_had_with_wr_now)
{
    struct wr_bcast *bcast = make(2);
    struct wr_bcast_reader reader = wr_bcast_reader(bcast);
    struct wr_scope *scope = scope_open();
    int value = 0;
    send(bcast, 6);
    wr_scope_enter(scope);
    wr_scope_cancel(scope);
    CHECK_ERR(WR_CANCELED, wr_bcast_recv(&reader, &value, WR_NEVER));
    CHECK_EQ(6, next(&reader));
    send(bcast, 7);
    CHECK_EQ(7, next(&reader));
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    wr_bcast_free(bcast);
}

/* ---- closing ---- */

TEST(after_the_close_nothing_can_be_sent_and_readers_get_what_is_left_and_then_closed)
{
    struct wr_bcast *bcast = make(2);
    struct wr_bcast_reader reader = wr_bcast_reader(bcast);
    for (int i = 1; i <= 3; i++)
        send(bcast, i);
    wr_bcast_close(bcast);
    wr_bcast_close(bcast);
    CHECK_ERR(WR_CLOSED, wr_bcast_send(bcast, &(int){ 4 }));
    CHECK_EQ(3, wr_bcast_stat(bcast).sent);
    CHECK_EQ(-WR_LAGGED, next(&reader));
    CHECK_EQ(2, next(&reader));
    CHECK_EQ(3, next(&reader));
    CHECK_EQ(-WR_CLOSED, next(&reader));
    CHECK_ERR(WR_CLOSED, wr_bcast_recv(&reader, &(int){ 0 }, WR_NEVER));
    wr_bcast_free(bcast);
}

TEST(closing_wakes_everyone_who_waits)
{
    struct wr_bcast *bcast = make(2);
    struct wr_scope *scope = scope_open();
    struct call calls[3];
    for (int i = 0; i < 3; i++) {
        calls[i] = (struct call){ .reader = wr_bcast_reader(bcast), .deadline = WR_NEVER };
        go(scope, recv_task, &calls[i]);
    }
    wr_bcast_close(bcast);
    scope_done(scope);
    for (int i = 0; i < 3; i++)
        CHECK_ERR(WR_CLOSED, calls[i].err);
    wr_bcast_free(bcast);
}

TEST(freeing_nothing_is_allowed)
{
    wr_bcast_free(NULL);
}

TEST(a_ring_too_large_for_memory_is_refused)
{
    struct wr_bcast *bcast;
    CHECK_ERR(WR_NOMEM, wr_bcast_new(&bcast, &(struct wr_bcast_conf){
        .name = "test.huge", .item_size = 16, .cap = SIZE_MAX / 8 }));
}

/* ---- rules that were broken ---- */

static void make_wrong(struct wr_bcast_conf conf)
{
    struct wr_bcast *bcast;
    CHECK_OK(wr_bcast_new(&bcast, &conf));
}

TEST_PANICS(a_broadcast_needs_a_capacity,
            "panic at src/rt/bcast_test\\.c:[0-9]+: "
            "broadcast \"test.cap\": name, item_size and cap are required; item_size is 4, "
            "and cap is 0")
{
    make_wrong((struct wr_bcast_conf){ .name = "test.cap", .item_size = 4 });
}

TEST_PANICS(a_broadcast_needs_an_item_size,
            "\"test.size\": name, item_size and cap are required")
{
    make_wrong((struct wr_bcast_conf){ .name = "test.size", .cap = 4 });
}

TEST_PANICS(a_broadcast_needs_a_name, "name, item_size and cap are required")
{
    make_wrong((struct wr_bcast_conf){ .item_size = 4, .cap = 4 });
}

TEST_PANICS(freeing_a_broadcast_names_the_fiber_that_still_waits,
            "panic at src/rt/bcast_test\\.c:[0-9]+: "
            "broadcast \"test.bcast\" is freed while test.task#[0-9]+ waits on it; close it "
            "and join its users first")
{
    static struct call call;
    struct wr_bcast *bcast = make(1);
    call = (struct call){ .reader = wr_bcast_reader(bcast), .deadline = WR_NEVER };
    go(scope_open(), recv_task, &call);
    wr_bcast_free(bcast);
}

/* ---- against a model ---- */

#define READERS 5
#define STEPS 3000

TEST(readers_get_what_a_list_of_all_values_says_they_should)
{
    struct wr_rand rand;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        wr_rand_seed(&rand, seed);
        size_t cap = 1 + (size_t)wr_rand_below(&rand, 6);
        struct wr_bcast *bcast = make(cap);
        struct wr_bcast_reader readers[READERS];
        int64_t at[READERS], sent = 0, lagged = 0;      /* value i is the number i + 1 */
        for (int i = 0; i < READERS; i++) {
            readers[i] = wr_bcast_reader(bcast);
            at[i] = 0;
        }
        for (int step = 0; step < STEPS; step++) {
            size_t who = (size_t)wr_rand_below(&rand, READERS);
            int64_t oldest = sent > (int64_t)cap ? sent - (int64_t)cap : 0;
            if (wr_rand_below(&rand, 3) == 0) {
                send(bcast, (int)++sent);
            } else if (at[who] < oldest) {
                lagged += oldest - at[who];
                at[who] = oldest;
                CHECK_EQ(-WR_LAGGED, next(&readers[who]));
            } else if (at[who] == sent) {
                CHECK_EQ(-WR_TIMEOUT, next(&readers[who]));
            } else {
                CHECK_EQ(++at[who], next(&readers[who]));
            }
            if (wr_rand_below(&rand, 50) == 0) {
                readers[who] = wr_bcast_reader(bcast);
                at[who] = sent;
            }
        }
        CHECK_EQ(lagged, wr_bcast_stat(bcast).lagged);
        CHECK_EQ(sent, wr_bcast_stat(bcast).sent);
        wr_bcast_free(bcast);
    }
}

/* ---- several threads ---- */

#define SENDERS 3
#define EACH 1000

static void send_from_outside(void *arg)
{
    send(arg, 17);
}

TEST(a_thread_outside_the_runtime_may_send_and_wakes_who_waits)
{
    struct wr_bcast *bcast = make(1);
    struct wr_scope *scope = scope_open();
    struct call call = { .reader = wr_bcast_reader(bcast), .deadline = WR_NEVER };
    go(scope, recv_task, &call);
    CHECK_OK(wr_offload(send_from_outside, bcast, WR_NEVER));
    scope_done(scope);
    CHECK_EQ(17, call.value);
    wr_bcast_free(bcast);
}

struct crowd { struct wr_bcast *bcast; _Atomic int number; _Atomic uint64_t lagged; };

static wr_err send_all(void *arg)
{
    struct crowd *crowd = arg;
    int base = crowd->number++ * EACH;
    for (int i = 0; i < EACH; i++) {
        send(crowd->bcast, base + i);
        if (i % 3 == 0)
            CHECK_OK(wr_yield());
    }
    return WR_OK;
}

static wr_err read_all(void *arg)
{
    struct crowd *crowd = arg;
    struct wr_bcast_reader reader = wr_bcast_reader(crowd->bcast);
    uint64_t first = reader.next, got = 0;
    int value, last[SENDERS] = { -1, -1, -1 };
    wr_err err;
    while ((err = wr_bcast_recv(&reader, &value, WR_NEVER)) != WR_CLOSED) {
        if (err == WR_LAGGED)
            continue;
        REQUIRE_OK(err, err);
        REQUIRE(value % EACH > last[value / EACH], WR_INVALID);     /* each sender's in order */
        last[value / EACH] = value % EACH;
        got++;
    }
    CHECK_EQ((uint64_t)SENDERS * EACH - (first - 1), got + reader.lagged);
    crowd->lagged += reader.lagged;
    return WR_OK;
}

static wr_err many_talk(void *arg)
{
    struct crowd crowd = { .bcast = make(8) };
    struct wr_scope *readers = scope_open(), *senders = scope_open();
    (void)arg;
    for (int i = 0; i < 8; i++)
        CHECK_OK(wr_scope_go(readers, "test.reader", read_all, &crowd));
    for (int i = 0; i < SENDERS; i++)
        CHECK_OK(wr_scope_go(senders, "test.sender", send_all, &crowd));
    scope_done(senders);
    wr_bcast_close(crowd.bcast);
    scope_done(readers);
    CHECK_EQ(crowd.lagged, wr_bcast_stat(crowd.bcast).lagged);
    wr_bcast_free(crowd.bcast);
    return WR_OK;
}

TEST(what_a_reader_got_and_what_it_missed_is_together_all_that_was_sent)
{
    CHECK_OK(many_talk(NULL));
}

TEST_PLAIN(got_and_missed_is_all_that_was_sent_on_four_workers_and_the_real_clock)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 4 }, many_talk, NULL));
}
