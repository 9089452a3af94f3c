/* Many senders and receivers on several workers: nothing is lost, nothing is
 * delivered twice, whatever deadlines and cancels come in between. */
#include <sched.h>
#include <weir/chan.h>

#include <stdlib.h>

#include <weir/offload.h>
#include <weir/run.h>

#include "base/rand.h"
#include "testing/settle.h"
#include "testing/test.h"

#define SENDERS 6
#define RECEIVERS 5
#define EACH 500
#define VALUES (SENDERS * EACH)

struct crowd {
    struct wr_chan *ch;
    _Atomic int next_sender, next_receiver;
    _Atomic unsigned char in[VALUES], out[VALUES];      /* how often each was sent and seen */
    _Atomic int sent, received, gone;
    uint64_t seed;
    bool brief;             /* deadlines of nanoseconds: many waits time out */
};

static struct crowd *dropping;              /* whose values the drop callback counts */

static void drop(void *item)
{
    uint32_t value = *(uint32_t *)item;
    dropping->out[value]++;
    dropping->gone++;
}

static uint64_t key(const void *item)
{
    return *(const uint32_t *)item % 7;
}

static struct crowd *crowd_new(enum wr_chan_policy policy, size_t cap, uint64_t seed)
{
    struct crowd *crowd = calloc(1, sizeof(*crowd));
    WR_ASSERT(crowd);
    crowd->seed = seed;
    dropping = crowd;
    CHECK_OK(wr_chan_new(&crowd->ch, &(struct wr_chan_conf){
        .name = "test.crowd", .item_size = sizeof(uint32_t), .cap = cap, .policy = policy,
        .key = policy == WR_COALESCE ? key : NULL, .drop = drop }));
    return crowd;
}

static wr_time some_deadline(struct crowd *crowd, struct wr_rand *rand)
{
    switch (wr_rand_below(rand, 4)) {
    case 0: return WR_NOW;
    case 1: return WR_NEVER;
    default: return wr_after(wr_rand_span(rand, 0, crowd->brief ? 20 : WR_US(200)));
    }
}

static wr_err sender(void *arg)
{
    struct crowd *crowd = arg;
    struct wr_rand rand;
    int number = crowd->next_sender++;
    wr_rand_seed(&rand, crowd->seed * 100 + (uint64_t)number);
    for (int i = 0; i < EACH; i++) {
        uint32_t value = (uint32_t)(number * EACH + i);
        crowd->in[value]++;             /* before: it may be seen before send returns */
        wr_err err = wr_chan_send(crowd->ch, &value, some_deadline(crowd, &rand));
        if (err == WR_OK) {
            crowd->sent++;
            continue;
        }
        crowd->in[value]--;
        if (err == WR_CANCELED)
            return err;
        CHECK(err == WR_BUSY || err == WR_TIMEOUT);
    }
    return WR_OK;
}

static wr_err receiver(void *arg)
{
    struct crowd *crowd = arg;
    struct wr_rand rand;
    wr_rand_seed(&rand, crowd->seed * 100 + 50 + (uint64_t)crowd->next_receiver++);
    for (;;) {
        uint32_t value;
        wr_time deadline = some_deadline(crowd, &rand);
        wr_err err = wr_chan_recv(crowd->ch, &value, deadline);
        if (err == WR_OK) {
            crowd->out[value]++;
            crowd->received++;
        } else if (err == WR_TIMEOUT) {
            if (deadline == WR_NOW)
                (void)!wr_yield();
        } else {
            CHECK(err == WR_CLOSED || err == WR_CANCELED);
            return WR_OK;
        }
    }
}

/* Let it run; cancel some of the receivers, and the senders if so told. */
static void mingle(struct crowd *crowd, bool cancel_senders)
{
    struct wr_scope *senders = scope_open(), *receivers = scope_open(), *doomed = scope_open();
    for (int i = 0; i < RECEIVERS; i++)
        CHECK_OK(wr_scope_go(i % 2 ? doomed : receivers, "test.receiver", receiver, crowd));
    for (int i = 0; i < SENDERS; i++)
        CHECK_OK(wr_scope_go(senders, "test.sender", sender, crowd));
    while (crowd->received < VALUES / 10 && wr_scope_live(senders))
        CHECK_OK(wr_yield());
    CHECK_OK(wr_scope_close(doomed));
    if (cancel_senders)
        wr_scope_cancel(senders);
    CHECK_OK(wr_scope_join(senders, WR_NEVER));
    wr_chan_close(crowd->ch);
    CHECK_OK(wr_scope_join(receivers, WR_NEVER));
    CHECK_OK(wr_scope_close(receivers));
    CHECK_OK(wr_scope_close(senders));
}

static void check_and_free(struct crowd *crowd)
{
    struct wr_chan_stat stat = wr_chan_stat(crowd->ch);
    CHECK_EQ(0, stat.len);
    CHECK_EQ(crowd->sent, stat.sent);
    CHECK_EQ(crowd->received, stat.received);
    CHECK_EQ(crowd->gone, stat.dropped + stat.coalesced);
    CHECK_EQ(crowd->sent, crowd->received + crowd->gone);
    int wrong = 0;
    for (int i = 0; i < VALUES; i++)
        wrong += crowd->in[i] != crowd->out[i];
    CHECK_EQ(0, wrong);
    wr_chan_free(crowd->ch);
    free(crowd);
}

static wr_err all_policies(void *arg)
{
    static const enum wr_chan_policy policies[] = { WR_WAIT, WR_REJECT, WR_DROP_OLDEST,
                                                    WR_COALESCE };
    bool brief = arg != NULL;
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        for (size_t cap = 1; cap <= 16; cap *= 4) {
            struct crowd *crowd = crowd_new(policies[i], cap, 1000 * i + cap);
            crowd->brief = brief;
            mingle(crowd, cap == 4);
            check_and_free(crowd);
        }
    return WR_OK;
}

TEST(no_value_is_lost_or_doubled_with_random_deadlines_and_cancels)
{
    CHECK_OK(all_policies("brief"));
}

static void on_real_clock(unsigned workers)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = workers }, all_policies, NULL));
}

TEST_PLAIN(no_value_is_lost_or_doubled_on_one_worker_and_the_real_clock)
{
    on_real_clock(1);
}

TEST_PLAIN(no_value_is_lost_or_doubled_on_two_workers_and_the_real_clock)
{
    on_real_clock(2);
}

TEST_PLAIN(no_value_is_lost_or_doubled_on_four_workers_and_the_real_clock)
{
    on_real_clock(4);
}

/* ---- one sender, one receiver: order ---- */

#define STREAM 20000

static wr_err count_up(void *arg)
{
    for (int i = 0; i < STREAM; i++)
        CHECK_OK(wr_chan_send(arg, &i, WR_NEVER));
    wr_chan_close(arg);
    return WR_OK;
}

TEST(a_stream_between_two_fibers_keeps_its_order)
{
    struct wr_chan *ch;
    struct wr_scope *scope = scope_open();
    REQUIRE_OK(wr_chan_new(&ch, &(struct wr_chan_conf){ .name = "test.stream", .cap = 8,
                                                        .item_size = sizeof(int),
                                                        .policy = WR_WAIT }));
    CHECK_OK(wr_scope_go(scope, "test.counter", count_up, ch));
    int value, want = 0;
    while (wr_chan_recv(ch, &value, WR_NEVER) == WR_OK)
        if (!CHECK_EQ(want++, value))
            break;
    CHECK_EQ(STREAM, want);
    scope_done(scope);
    wr_chan_free(ch);
}

/* ---- a thread outside ---- */

#define FED 400ull

struct outside { struct wr_chan *ch; _Atomic uint64_t sum; };

static void feed(void *arg)
{
    struct outside *outside = arg;
    for (uint64_t i = 1; i <= FED;)
        if (wr_chan_send(outside->ch, &i, WR_NOW) == WR_OK)
            i++;
        else
            sched_yield();      /* valgrind runs one thread at a time */
    wr_chan_close(outside->ch);
}

static wr_err add_up(void *arg)
{
    struct outside *outside = arg;
    uint64_t value;
    while (wr_chan_recv(outside->ch, &value, WR_NEVER) == WR_OK)
        outside->sum += value;
    return WR_OK;
}

TEST(fibers_that_wait_get_all_that_an_outside_thread_sends)
{
    struct outside outside = { 0 };
    struct wr_scope *scope = scope_open();
    REQUIRE_OK(wr_chan_new(&outside.ch, &(struct wr_chan_conf){
        .name = "test.outside", .cap = 2, .item_size = sizeof(uint64_t), .policy = WR_WAIT }));
    for (int i = 0; i < 3; i++)
        CHECK_OK(wr_scope_go(scope, "test.adder", add_up, &outside));
    CHECK_OK(wr_offload(feed, &outside, WR_NEVER));
    scope_done(scope);
    CHECK_EQ(FED * (FED + 1) / 2, outside.sum);
    wr_chan_free(outside.ch);
}
