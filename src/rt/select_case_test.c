/* What single cases promise inside a select: results, policies, limits, loops. */
#include <weir/select.h>

#include <weir/run.h>

#include "base/rand.h"
#include "testing/settle.h"
#include "testing/test.h"

static uint64_t key(const void *item)
{
    return (uint64_t)*(const int *)item / 100;
}

static struct wr_chan *make(size_t cap, enum wr_chan_policy policy)
{
    struct wr_chan *ch = NULL;
    CHECK_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "test.chan", .policy = policy, .item_size = sizeof(int), .cap = cap,
        .key = policy == WR_COALESCE ? key : NULL }));
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

/* The result of a select over one case. */
static wr_err alone(struct wr_case only, wr_time deadline)
{
    size_t which;
    wr_err err = wr_select(&which, &only, 1, deadline);
    return err ? err : only.err;
}

static wr_err send_alone(struct wr_chan *ch, int value, wr_time deadline)
{
    return alone((struct wr_case)WR_CASE_SEND(ch, &value), deadline);
}

/* ---- results ---- */

TEST(the_result_of_the_case_is_told_beside_it)
{
    struct wr_chan *ch = make(1, WR_WAIT);
    struct wr_once *once;
    struct wr_watch *watch;
    struct wr_watch_writer writer;
    struct wr_bcast *bcast;
    int value = 9;
    REQUIRE_OK(wr_once_new(&once, "test.once", sizeof(int)));
    REQUIRE_OK(wr_watch_new(&watch, &writer, &(struct wr_watch_conf){
        .name = "test.watch", .size = sizeof(int), .initial = &value }));
    REQUIRE_OK(wr_bcast_new(&bcast, &(struct wr_bcast_conf){
        .name = "test.bcast", .item_size = sizeof(int), .cap = 1 }));
    struct wr_watch_reader watch_reader = wr_watch_reader(watch);
    struct wr_bcast_reader bcast_reader = wr_bcast_reader(bcast);

    wr_chan_close(ch);
    CHECK_ERR(WR_CLOSED, alone((struct wr_case)WR_CASE_RECV(ch, &value), WR_NEVER));
    CHECK_ERR(WR_CLOSED, send_alone(ch, 1, WR_NEVER));
    wr_once_close(once);
    CHECK_ERR(WR_CLOSED, alone((struct wr_case)WR_CASE_ONCE(once, &value), WR_NEVER));
    wr_watch_close(&writer);
    CHECK_OK(alone((struct wr_case)WR_CASE_WATCH(&watch_reader, &value), WR_NEVER));
    CHECK_ERR(WR_CLOSED, alone((struct wr_case)WR_CASE_WATCH(&watch_reader, &value), WR_NEVER));
    CHECK_OK(wr_bcast_send(bcast, &(int){ 1 }));
    CHECK_OK(wr_bcast_send(bcast, &(int){ 2 }));
    CHECK_ERR(WR_LAGGED, alone((struct wr_case)WR_CASE_BCAST(&bcast_reader, &value), WR_NEVER));
    CHECK_EQ(1, bcast_reader.lagged);
    CHECK_EQ(9, value);
    wr_bcast_close(bcast);
    CHECK_OK(alone((struct wr_case)WR_CASE_BCAST(&bcast_reader, &value), WR_NEVER));
    CHECK_EQ(2, value);
    CHECK_ERR(WR_CLOSED, alone((struct wr_case)WR_CASE_BCAST(&bcast_reader, &value), WR_NEVER));
    wr_chan_free(ch);
    wr_once_free(once);
    wr_watch_free(watch);
    wr_bcast_free(bcast);
}

struct wait { struct wr_case only; wr_err err; };

static wr_err wait_task(void *arg)
{
    struct wait *wait = arg;
    wait->err = alone(wait->only, WR_NEVER);
    return WR_OK;
}

TEST(closing_ends_a_select_that_waits_with_closed_as_the_result_of_its_case)
{
    struct wr_chan *empty = make(1, WR_WAIT), *full = make(1, WR_WAIT);
    struct wr_once *once;
    int value = 7;
    CHECK_OK(put(full, 1));
    REQUIRE_OK(wr_once_new(&once, "test.once", 0));
    struct wr_scope *scope = scope_open();
    struct wait waits[] = { { .only = WR_CASE_RECV(empty, &value) },
                            { .only = WR_CASE_SEND(full, &value) },
                            { .only = WR_CASE_ONCE(once, NULL) } };
    for (int i = 0; i < 3; i++)
        go(scope, wait_task, &waits[i]);
    wr_chan_close(empty);
    wr_chan_close(full);
    wr_once_close(once);
    scope_done(scope);
    for (int i = 0; i < 3; i++)
        CHECK_ERR(WR_CLOSED, waits[i].err);
    CHECK_EQ(1, take(full));
    CHECK_EQ(-1, take(full));
    wr_chan_free(empty);
    wr_chan_free(full);
    wr_once_free(once);
}

/* ---- sends and their policies ---- */

TEST(a_send_with_wait_happens_when_there_is_room)
{
    struct wr_chan *ch = make(1, WR_WAIT);
    struct wr_scope *scope = scope_open();
    int value = 2;
    struct wait wait = { .only = WR_CASE_SEND(ch, &value) };
    CHECK_OK(send_alone(ch, 1, WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, send_alone(ch, 2, wr_after(WR_MS(1))));
    CHECK_EQ(0, wr_chan_stat(ch).refused);      /* it did not happen */
    go(scope, wait_task, &wait);
    CHECK_EQ(1, take(ch));
    CHECK_ERR(WR_BUSY, put(ch, 3));             /* the slot is already the sender's */
    scope_done(scope);
    CHECK_OK(wait.err);
    CHECK_EQ(2, take(ch));
    wr_chan_free(ch);
}

TEST(a_send_with_a_policy_that_does_not_wait_always_happens)
{
    static const enum wr_chan_policy policies[] = { WR_REJECT, WR_DROP_OLDEST, WR_RETRY_ONCE };
    for (int i = 0; i < 3; i++) {
        struct wr_chan *ch = make(1, policies[i]);
        bool drops = policies[i] == WR_DROP_OLDEST;
        wr_time start = wr_now();
        CHECK_OK(send_alone(ch, 1, WR_NEVER));
        CHECK_ERR(drops ? WR_OK : WR_BUSY, send_alone(ch, 2, WR_NEVER));
        CHECK_EQ(!drops, wr_chan_stat(ch).refused);
        CHECK_EQ(drops ? 2 : 1, take(ch));
        CHECK_EQ(start, wr_now());
        wr_chan_free(ch);
    }
}

TEST(a_send_with_coalesce_happens_when_there_is_room_or_an_equal_key)
{
    struct wr_chan *ch = make(1, WR_COALESCE);
    CHECK_OK(send_alone(ch, 100, WR_NEVER));
    CHECK_OK(send_alone(ch, 101, WR_NEVER));
    CHECK_ERR(WR_TIMEOUT, send_alone(ch, 200, wr_after(WR_MS(1))));
    CHECK_EQ(1, wr_chan_stat(ch).coalesced);
    CHECK_EQ(101, take(ch));
    wr_chan_free(ch);
}

TEST(sends_of_a_select_that_wait_with_one_key_coalesce_too)
{
    struct wr_chan *ch = make(1, WR_COALESCE);
    struct wr_scope *scope = scope_open();
    int first = 200, second = 201;
    struct wait waits[] = { { .only = WR_CASE_SEND(ch, &first) },
                            { .only = WR_CASE_SEND(ch, &second) } };
    CHECK_OK(put(ch, 100));
    go(scope, wait_task, &waits[0]);
    go(scope, wait_task, &waits[1]);
    CHECK_EQ(100, take(ch));
    scope_done(scope);
    CHECK_EQ(201, take(ch));
    CHECK_EQ(-1, take(ch));
    wr_chan_free(ch);
}

/* ---- semaphores ---- */

TEST(a_select_that_waits_for_many_units_and_leaves_lets_those_behind_it_through)
{
    struct wr_sem *sem;
    struct wr_chan *ch = make(1, WR_WAIT);
    struct wr_scope *scope = scope_open();
    REQUIRE_OK(wr_sem_new(&sem, "test.sem", 2));
    CHECK_OK(wr_sem_acquire(sem, WR_NOW));
    struct wait small = { .only = WR_CASE_SEM(sem, 1) };
    int value;
    size_t which;
    struct wr_case cases[] = { WR_CASE_SEM(sem, 2), WR_CASE_RECV(ch, &value) };
    CHECK_ERR(WR_TIMEOUT, wr_select(&which, cases, 2, WR_NOW));
    CHECK_OK(wr_scope_go(scope, "test.small", wait_task, &small));
    CHECK_ERR(WR_TIMEOUT, wr_select(&which, cases, 2, wr_after(WR_MS(1))));
    scope_done(scope);
    CHECK_OK(small.err);
    CHECK_EQ(2, wr_sem_stat(sem).taken);
    wr_sem_release_many(sem, 2);
    wr_sem_free(sem);
    wr_chan_free(ch);
}

TEST_PANICS(asking_a_semaphore_for_more_than_it_has_panics_in_a_select_too,
            "panic at src/rt/select_case_test.c:[0-9]+: semaphore \"test.sem\" has 2 units; "
            "3 can never be had")
{
    struct wr_sem *sem;
    REQUIRE_OK(wr_sem_new(&sem, "test.sem", 2));
    CHECK_OK(alone((struct wr_case)WR_CASE_SEM(sem, 3), WR_NEVER));
}

/* ---- timers ---- */

TEST(a_timer_ends_a_select_and_so_does_what_comes_before_it)
{
    struct wr_chan *ch = make(1, WR_WAIT);
    struct wr_timer tick = { 0 };
    int value = 0;
    size_t which;
    wr_time start = wr_now();
    wr_timer_set(&tick, start + WR_MS(5));
    struct wr_case cases[] = { WR_CASE_RECV(ch, &value), WR_CASE_TIMER(&tick) };
    CHECK_OK(wr_select(&which, cases, 2, WR_NEVER));
    CHECK_EQ(1, which);
    CHECK_EQ(WR_MS(5), wr_now() - start);
    CHECK_OK(put(ch, 4));               /* the timer is still due, but it stands behind */
    CHECK_OK(wr_select(&which, cases, 2, WR_NEVER));
    CHECK_EQ(0, which);
    CHECK_EQ(4, value);
    wr_timer_clear(&tick);
    CHECK_ERR(WR_TIMEOUT, wr_select(&which, cases, 2, wr_after(WR_MS(5))));
    wr_chan_free(ch);
}

TEST(one_timer_may_stand_in_two_cases_and_the_first_one_happens)
{
    struct wr_timer tick = { 0 };
    size_t which;
    wr_timer_set(&tick, wr_after(WR_MS(5)));
    struct wr_case cases[] = { WR_CASE_TIMER(&tick), WR_CASE_TIMER(&tick) };
    for (int i = 0; i < 2; i++) {
        CHECK_OK(wr_select(&which, cases, 2, WR_NEVER));
        CHECK_EQ(0, which);
    }
    wr_timer_clear(&tick);
}

/* ---- limits ---- */

TEST(sixteen_cases_may_wait_and_each_of_them_can_end_it)
{
    struct wr_chan *chans[WR_SELECT_MAX];
    struct wr_case cases[WR_SELECT_MAX];
    int values[WR_SELECT_MAX] = { 0 };
    for (int i = 0; i < WR_SELECT_MAX; i++) {
        chans[i] = make(1, WR_WAIT);
        cases[i] = (struct wr_case)WR_CASE_RECV(chans[i], &values[i]);
    }
    for (size_t i = 0; i < WR_SELECT_MAX; i++) {
        size_t which = 99;
        struct wr_scope *scope = scope_open();
        struct wait wait = { .only = WR_CASE_SEND(chans[i], &(int){ 7 }) };
        CHECK_OK(wr_scope_go(scope, "test.sender", wait_task, &wait));
        CHECK_OK(wr_select(&which, cases, WR_SELECT_MAX, WR_NEVER));
        CHECK_EQ(i, which);
        CHECK_EQ(7, values[i]);
        scope_done(scope);
    }
    for (int i = 0; i < WR_SELECT_MAX; i++)
        wr_chan_free(chans[i]);
}

TEST(one_channel_may_stand_in_several_cases)
{
    struct wr_chan *ch = make(1, WR_WAIT);
    int values[3] = { 0 };
    size_t which;
    struct wr_scope *scope = scope_open();
    struct wait wait = { .only = WR_CASE_SEND(ch, &(int){ 7 }) };
    struct wr_case cases[] = { WR_CASE_RECV(ch, &values[0]), WR_CASE_RECV(ch, &values[1]),
                               WR_CASE_RECV(ch, &values[2]) };
    CHECK_OK(wr_scope_go(scope, "test.sender", wait_task, &wait));
    CHECK_OK(wr_select(&which, cases, 3, WR_NEVER));
    CHECK_EQ(0, which);
    CHECK_EQ(7, values[0]);
    CHECK_EQ(0, values[1] + values[2]);
    scope_done(scope);
    CHECK_OK(put(ch, 1));
    CHECK_EQ(1, wr_chan_stat(ch).len);
    wr_chan_free(ch);
}

TEST_PANICS(a_select_over_nothing_panics, "select over 0 cases; 1 to 16 are allowed")
{
    size_t which;
    struct wr_case cases[1];
    CHECK_OK(wr_select(&which, cases, 0, WR_NOW));
}

TEST_PANICS(a_select_over_too_many_panics, "select over 17 cases; 1 to 16 are allowed")
{
    size_t which;
    struct wr_case cases[17] = { 0 };
    CHECK_OK(wr_select(&which, cases, 17, WR_NOW));
}

/* ---- many selects on the same channels ---- */

#define CHANS 4
#define SENDERS 5
#define RECEIVERS 4
#define EACH 400

struct crowd {
    struct wr_chan *chans[CHANS];
    struct wr_once *stop;
    _Atomic int number;
    _Atomic uint64_t sent, received, sent_by[CHANS], received_by[CHANS];
};

static wr_err send_any(void *arg)
{
    struct crowd *crowd = arg;
    struct wr_rand rand;
    struct wr_case cases[CHANS];
    wr_rand_seed(&rand, (uint64_t)++crowd->number);
    for (int i = 0; i < EACH; i++) {
        int value = (int)wr_rand_below(&rand, 1000);
        size_t first = (size_t)wr_rand_below(&rand, CHANS), which;
        for (size_t j = 0; j < CHANS; j++)
            cases[j] = (struct wr_case)WR_CASE_SEND(crowd->chans[(first + j) % CHANS], &value);
        wr_time deadline = i % 3 ? WR_NEVER : wr_after(wr_rand_span(&rand, 0, 3000));
        wr_err err = wr_select(&which, cases, CHANS, deadline);
        if (err == WR_CANCELED)
            return err;
        if (err == WR_TIMEOUT)
            continue;
        CHECK_OK(cases[which].err);
        crowd->sent += (uint64_t)value;
        crowd->sent_by[(first + which) % CHANS]++;
    }
    return WR_OK;
}

static wr_err receive_any(void *arg)
{
    struct crowd *crowd = arg;
    struct wr_timer tick = { 0 };
    for (;;) {
        int values[CHANS];
        struct wr_case cases[CHANS + 2];
        size_t which;
        for (size_t j = 0; j < CHANS; j++)
            cases[j] = (struct wr_case)WR_CASE_RECV(crowd->chans[j], &values[j]);
        cases[CHANS] = (struct wr_case)WR_CASE_ONCE(crowd->stop, NULL);
        cases[CHANS + 1] = (struct wr_case)WR_CASE_TIMER(&tick);
        wr_timer_set(&tick, wr_after(WR_US(20)));
        wr_err err = wr_select(&which, cases, CHANS + 2, WR_NEVER);
        if (err || which == CHANS)
            break;
        if (which == CHANS + 1) {
            (void)!wr_yield();      /* it may have been due at once, and be again */
            continue;
        }
        CHECK_OK(cases[which].err);
        crowd->received += (uint64_t)values[which];
        crowd->received_by[which]++;
    }
    wr_timer_clear(&tick);
    return WR_OK;
}

static wr_err mingle(void *arg)
{
    struct crowd crowd = { 0 };
    struct wr_scope *receivers = scope_open(), *senders = scope_open(), *doomed = scope_open();
    (void)arg;
    REQUIRE_OK(wr_once_new(&crowd.stop, "test.stop", 0), WR_NOMEM);
    for (int i = 0; i < CHANS; i++)
        crowd.chans[i] = make(1 + (size_t)i, WR_WAIT);
    for (int i = 0; i < RECEIVERS; i++)
        CHECK_OK(wr_scope_go(i ? receivers : doomed, "test.receiver", receive_any, &crowd));
    for (int i = 0; i < SENDERS; i++)
        CHECK_OK(wr_scope_go(i ? senders : doomed, "test.sender", send_any, &crowd));
    for (int i = 0; i < 100; i++)
        CHECK_OK(wr_yield());
    CHECK_OK(wr_scope_close(doomed));
    scope_done(senders);
    CHECK_OK(wr_once_set(crowd.stop, NULL));
    scope_done(receivers);
    for (int i = 0; i < CHANS; i++) {
        struct wr_chan_stat stat = wr_chan_stat(crowd.chans[i]);
        CHECK_EQ(crowd.sent_by[i], stat.sent);
        CHECK_EQ(crowd.received_by[i], stat.received);
        for (int value; (value = take(crowd.chans[i])) >= 0;)
            crowd.received += (uint64_t)value;
        wr_chan_free(crowd.chans[i]);
    }
    CHECK_EQ(crowd.sent, crowd.received);
    wr_once_free(crowd.stop);
    return WR_OK;
}

TEST(selects_over_the_same_channels_lose_and_double_nothing)
{
    CHECK_OK(mingle(NULL));
}

TEST_PLAIN(selects_lose_and_double_nothing_on_two_workers_and_the_real_clock)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 2 }, mingle, NULL));
}

TEST_PLAIN(selects_lose_and_double_nothing_on_four_workers_and_the_real_clock)
{
    CHECK_OK(wr_run(&(struct wr_run_conf){ .workers = 4 }, mingle, NULL));
}
