/* chan_model.c - channels of capacity one, where every value makes somebody wait.
 *
 * A send that returned WR_OK was received exactly once, or is in the channel at
 * the end; any other send left nothing behind.
 */
#include <weir/chan.h>

#include "seam.h"

static struct wr_chan *ch;
static struct wr_scope *scope;          /* of fiber 0, where a model cancels it */
static int got[MODEL_THREADS_MAX + 1][4], got_count[MODEL_THREADS_MAX + 1], dropped;
static wr_err result[MODEL_THREADS_MAX];

static void note_drop(void *item)
{
    (void)item;
    dropped++;
}

static uint64_t parity(const void *item)
{
    return (uint64_t)(*(const int *)item & 1);
}

static void open_chan(enum wr_chan_policy policy)
{
    seam_open();
    MODEL_OK(wr_chan_new(&ch, &(struct wr_chan_conf){
        .name = "model.chan", .item_size = sizeof(int), .cap = 1, .policy = policy,
        .key = policy == WR_COALESCE ? parity : NULL, .drop = note_drop }));
}

static void open_wait(void)
{
    open_chan(WR_WAIT);
}

static void fill(void)
{
    open_chan(WR_WAIT);
    MODEL_OK(wr_chan_send(ch, &(int){ 9 }, WR_NOW));
}

static void enter_scope(void)
{
    MODEL_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .deadline = WR_NEVER }));
    wr_scope_enter(scope);
}

static void leave_scope(void)
{
    wr_scope_leave(scope);
    MODEL_OK(wr_scope_close(scope));
}

/* A fiber has one waiter for all its waits: a list that kept it would break. */
static void no_list_has_us(void)
{
    MODEL_CHECK(!fiber_self()->waiter.linked);
}

static void send(int value, wr_time deadline)
{
    seam_enter();
    result[model_self()] = wr_chan_send(ch, &value, deadline);
    no_list_has_us();
}

static wr_err recv(wr_time deadline)
{
    int value, me = model_self() + 1;
    wr_err err = wr_chan_recv(ch, &value, deadline);
    no_list_has_us();
    if (err == WR_OK)
        got[me][got_count[me]++] = value;
    return err;
}

/* How often a value was received, or anything for 0. */
static int times_got(int value)
{
    int times = 0;
    for (int t = 0; t <= MODEL_THREADS_MAX; t++)
        for (int i = 0; i < got_count[t]; i++)
            times += !value || got[t][i] == value;
    return times;
}

static void empty_and_free(void)
{
    while (recv(WR_NOW) == WR_OK)
        continue;
    struct wr_chan_stat stat = wr_chan_stat(ch);
    MODEL_CHECK(stat.len == 0 && stat.received == (uint64_t)times_got(0));
    wr_chan_free(ch);
}

/* ---- producer, queue of one, consumer, shutdown ---- */

static void produce_two_and_close(void)
{
    seam_enter();
    MODEL_OK(wr_chan_send(ch, &(int){ 1 }, WR_NEVER));
    MODEL_OK(wr_chan_send(ch, &(int){ 2 }, WR_NEVER));
    wr_chan_close(ch);
}

static void consume_until_closed(void)
{
    seam_enter();
    wr_err err;
    while ((err = recv(WR_NEVER)) == WR_OK)
        continue;
    MODEL_CHECK(err == WR_CLOSED);
}

static void got_both_in_order(void)
{
    MODEL_CHECK(times_got(0) == 2 && got[2][0] == 1 && got[2][1] == 2);
    empty_and_free();
}

MODEL(chan_producer_consumer_shutdown, .setup = open_wait,
      .thread = { produce_two_and_close, consume_until_closed }, .finish = got_both_in_order,
      .stale_max = 1, .locks_wait = true);

static void send_1(void)
{
    send(1, WR_NEVER);
}

static void send_2(void)
{
    send(2, WR_NEVER);
}

static void send_2_and_close(void)
{
    send(2, WR_NEVER);
    wr_chan_close(ch);
}

static void sent_is_got(void)
{
    MODEL_CHECK(times_got(1) == (result[0] == WR_OK));
    MODEL_CHECK(times_got(2) == (result[1] == WR_OK));
    empty_and_free();
}

MODEL(chan_two_producers_close, .setup = open_wait,
      .thread = { send_1, send_2_and_close, consume_until_closed }, .finish = sent_is_got,
      .locks_wait = true);

static void recv_one(void)
{
    seam_enter();
    MODEL_OK(recv(WR_NEVER));
}

static void all_three_passed(void)
{
    MODEL_OK(result[0]);
    MODEL_OK(result[1]);
    empty_and_free();
    MODEL_CHECK(times_got(1) == 1 && times_got(2) == 1 && times_got(9) == 1);
}

MODEL(chan_two_waiting_senders, .setup = fill, .thread = { send_1, send_2, recv_one, recv_one },
      .finish = all_three_passed, .locks_wait = true);

/* ---- a deadline or a cancel against the hand-over ---- */

static void send_1_for_a_while(void)
{
    send(1, wr_after(WR_MS(10)));
}

static void send_1_recv_9(void)
{
    MODEL_CHECK(result[0] == WR_OK || result[0] == WR_TIMEOUT || result[0] == WR_CANCELED);
    MODEL_CHECK(wr_chan_stat(ch).refused == (result[0] == WR_TIMEOUT));
    empty_and_free();
    MODEL_CHECK(times_got(9) == 1 && times_got(1) == (result[0] == WR_OK));
}

MODEL(chan_send_deadline_against_recv, .setup = fill,
      .thread = { send_1_for_a_while, recv_one }, .finish = send_1_recv_9, .stale_max = 1);

static void fill_in_scope(void)
{
    fill();
    enter_scope();
}

static void cancel(void)
{
    seam_enter();
    wr_scope_cancel(scope);
}

static void canceled_send_1_recv_9(void)
{
    leave_scope();
    send_1_recv_9();
}

MODEL(chan_send_cancel_against_recv, .setup = fill_in_scope,
      .thread = { send_1, recv_one, cancel }, .finish = canceled_send_1_recv_9,
      .stale_max = 1, .locks_wait = true);

static void recv_for_a_while(void)
{
    seam_enter();
    result[model_self()] = recv(wr_after(WR_MS(10)));
}

static void try_recv(void)
{
    seam_enter();
    result[model_self()] = recv(WR_NEVER);
}

static void send_1_now(void)
{
    send(1, WR_NOW);
}

static void got_1_or_left_it(void)
{
    MODEL_CHECK(result[0] == WR_OK || result[0] == WR_TIMEOUT || result[0] == WR_CANCELED);
    MODEL_OK(result[1]);
    MODEL_CHECK(times_got(1) == (result[0] == WR_OK));
    empty_and_free();
    MODEL_CHECK(times_got(1) == 1);
}

MODEL(chan_recv_deadline_against_send, .setup = open_wait,
      .thread = { recv_for_a_while, send_1_now }, .finish = got_1_or_left_it, .stale_max = 1);

static void open_in_scope(void)
{
    open_wait();
    enter_scope();
}

static void canceled_got_1_or_left_it(void)
{
    leave_scope();
    got_1_or_left_it();
}

MODEL(chan_recv_cancel_against_send, .setup = open_in_scope,
      .thread = { try_recv, send_1_now, cancel }, .finish = canceled_got_1_or_left_it,
      .stale_max = 1, .locks_wait = true);

/* A served waiter passes nothing on, a canceled one must not swallow the value:
 * two wait, one is canceled, one value comes. */
static void somebody_got_1(void)
{
    leave_scope();
    MODEL_OK(result[2]);
    MODEL_CHECK(times_got(1) == 1 && wr_chan_stat(ch).len == 0);
    MODEL_CHECK((result[0] == WR_OK) + (result[1] == WR_OK) == 1);
    empty_and_free();
}

static void cancel_then_recv(void)
{
    seam_enter();
    wr_scope_cancel(scope);
    result[model_self()] = recv(WR_NEVER);
    if (result[model_self()] == WR_CLOSED)
        return;
    wr_chan_close(ch);
}

static void send_1_then_close(void)
{
    send(1, WR_NEVER);
    wr_chan_close(ch);
}

MODEL(chan_two_receivers_one_canceled, .setup = open_in_scope,
      .thread = { try_recv, cancel_then_recv, send_1_then_close }, .finish = somebody_got_1,
      .locks_wait = true);

/* A second wait in the same scope: nothing is linked any more, so only the order
 * of arming and looking stands between a cancel and a wait without end. */
static void recv_twice(void)
{
    seam_enter();
    result[0] = recv(WR_NEVER);
    if (result[0] == WR_OK)
        result[1] = recv(WR_NEVER);
}

static void at_last_canceled(void)
{
    leave_scope();
    MODEL_CHECK(result[0] == WR_CANCELED || result[1] == WR_CANCELED);
    empty_and_free();
}

static void send_1_quietly(void)
{
    seam_enter();
    (void)!wr_chan_send(ch, &(int){ 1 }, WR_NOW);
}

MODEL(chan_second_wait_against_cancel, .setup = open_in_scope,
      .thread = { recv_twice, send_1_quietly, cancel }, .finish = at_last_canceled,
      .stale_max = 1, .locks_wait = true);

/* ---- close wakes both sides ---- */

static void close_chan(void)
{
    seam_enter();
    wr_chan_close(ch);
}

static void closed_or_through(void)
{
    MODEL_CHECK(result[0] == WR_OK || result[0] == WR_CLOSED);
    empty_and_free();
    MODEL_CHECK(times_got(9) == 1 && times_got(1) == (result[0] == WR_OK));
}

MODEL(chan_close_against_send, .setup = fill, .thread = { send_1, close_chan, recv_one },
      .finish = closed_or_through);

static void sender_learnt_it(void)
{
    MODEL_CHECK(result[0] == WR_CLOSED);
    empty_and_free();
    MODEL_CHECK(times_got(9) == 1 && times_got(0) == 1);
}

MODEL(chan_close_wakes_the_sender, .setup = fill, .thread = { send_1, close_chan },
      .finish = sender_learnt_it);

static void only_closed(void)
{
    MODEL_CHECK(result[0] == WR_CLOSED && result[1] == WR_CLOSED);
    wr_chan_free(ch);
}

MODEL(chan_close_wakes_all_receivers, .setup = open_wait,
      .thread = { try_recv, try_recv, close_chan }, .finish = only_closed);

/* ---- the other policies ---- */

static void open_drop_oldest(void)
{
    open_chan(WR_DROP_OLDEST);
}

static void nothing_vanished(void)
{
    MODEL_OK(result[0]);
    MODEL_OK(result[1]);
    empty_and_free();
    MODEL_CHECK(times_got(0) + dropped == 2);
}

static void recv_now(void)
{
    seam_enter();
    (void)!recv(WR_NOW);
}

MODEL(chan_drop_oldest, .setup = open_drop_oldest, .thread = { send_1, send_2, recv_now },
      .finish = nothing_vanished);

static void open_reject(void)
{
    open_chan(WR_REJECT);
}

static void refused_or_got(void)
{
    MODEL_CHECK(wr_chan_stat(ch).refused
                == (uint64_t)((result[0] == WR_BUSY) + (result[1] == WR_BUSY)));
    empty_and_free();
    MODEL_CHECK(times_got(1) == (result[0] == WR_OK));
    MODEL_CHECK(times_got(2) == (result[1] == WR_OK));
    MODEL_CHECK(times_got(0) >= 1);
}

MODEL(chan_reject, .setup = open_reject, .thread = { send_1, send_2, recv_now },
      .finish = refused_or_got);

static void open_coalesce(void)
{
    open_chan(WR_COALESCE);
}

static void send_1_3(void)
{
    send(1, WR_NEVER);
    send(3, WR_NEVER);
}

static void recv_until_3(void)
{
    seam_enter();
    int *mine = got[model_self() + 1], *count = &got_count[model_self() + 1];
    do
        MODEL_OK(recv(WR_NEVER));
    while (mine[*count - 1] != 3);
}

static void newest_came_through(void)
{
    MODEL_OK(result[0]);
    MODEL_CHECK(times_got(0) + dropped == 2);
    empty_and_free();
}

MODEL(chan_coalesce, .setup = open_coalesce, .thread = { send_1_3, recv_until_3 },
      .finish = newest_came_through);

static void other_key_waits(void)
{
    MODEL_OK(result[0]);
    MODEL_OK(result[1]);
    empty_and_free();
    MODEL_CHECK(times_got(2) == 1 && times_got(3) == 1 && times_got(0) + dropped == 3);
}

static void recv_two(void)
{
    recv_one();
    recv_one();
}

MODEL(chan_coalesce_two_keys, .setup = open_coalesce, .thread = { send_1_3, send_2, recv_two },
      .finish = other_key_waits, .locks_wait = true);
