/* scenario_handoff.c - sends and receives that give up.
 *
 * Senders and receivers wait with all kinds of deadlines and are canceled and
 * replaced while they do, until the channel is closed at some moment.  A value
 * is received once if its send returned WR_OK, and never if it did not; what a
 * receiver gets from one sender comes in the order of sending.
 */
#include <weir/chan.h>
#include <weir/once.h>

#include "sim/scenario.h"

#define SENDERS 3
#define RECEIVERS 3
#define VALUES_EACH 40
#define VALUES (SENDERS * VALUES_EACH)
#define ROUNDS 12

struct handoff;
struct seat { struct handoff *handoff; int sender; };

struct handoff {
    struct wr_chan *chan;
    int next[SENDERS];              /* how many each sender has tried to send */
    bool sent[VALUES];
    uint8_t received[VALUES];
    int sent_count, received_count;
    struct seat seats[SENDERS];     /* who sends under which number */
};

struct value { int sender, number; };

static wr_time some_deadline(void)
{
    switch (wr_sim_below(4)) {
    case 0: return WR_NOW;
    case 1: return wr_after(WR_US(1));
    case 2: return some_time(WR_MS(4));
    default: return WR_NEVER;
    }
}

static wr_err send_values(void *arg)
{
    const struct seat *seat = arg;
    struct handoff *h = seat->handoff;
    int sender = seat->sender;
    while (h->next[sender] < VALUES_EACH) {
        int number = sender * VALUES_EACH + h->next[sender]++;
        struct value value = { sender, number };
        wr_err err = wr_chan_send(h->chan, &value, some_deadline());
        if (!err) {
            h->sent[number] = true;
            h->sent_count++;
        }
        if (err == WR_CANCELED || err == WR_CLOSED)
            return err;
        if (wr_sim_below(4) == 0 && wr_sleep(some_time(WR_MS(2))) == WR_CANCELED)
            return WR_CANCELED;
    }
    return WR_OK;
}

static void take(struct handoff *h, const struct value *value, int *last)
{
    WR_ASSERT(h->received[value->number] == 0);
    WR_ASSERT(value->number > last[value->sender]);
    h->received[value->number]++;
    h->received_count++;
    last[value->sender] = value->number;
}

static wr_err receive_values(void *arg)
{
    struct handoff *h = arg;
    struct value value;
    int last[SENDERS] = { -1, -1, -1 };
    for (;;) {
        wr_err err = wr_chan_recv(h->chan, &value, some_deadline());
        if (!err)
            take(h, &value, last);
        if (err == WR_CANCELED || err == WR_CLOSED)
            return err;
        if (err == WR_TIMEOUT && wr_sleep(wr_after(WR_US(100))) == WR_CANCELED)
            return WR_CANCELED;
    }
}

/* One that was canceled in the middle of a wait is replaced by another. */
static wr_err replace(void *arg, wr_task_fn fn, struct wr_kind *kind, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        struct wr_scope *scope;
        wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "handoff",
                                                                   .deadline = WR_NEVER });
        if (err)
            return err;
        MUST(wr_scope_go_kind(scope, kind, fn, arg));
        err = wr_scope_join(scope, some_time(WR_MS(6)));
        if (err == WR_TIMEOUT && !wr_sim_fault("cancel", 2))
            err = wr_scope_join(scope, WR_NEVER);
        (void)!wr_scope_close(scope);
        if (err != WR_TIMEOUT)
            return err == WR_CLOSED ? WR_OK : err;
    }
    return WR_OK;
}

static wr_err replace_senders(void *arg)
{
    static struct wr_kind kind = WR_KIND("handoff.sender");
    return replace(arg, send_values, &kind, ROUNDS);
}

static wr_err replace_receivers(void *arg)
{
    static struct wr_kind kind = WR_KIND("handoff.receiver");
    return replace(arg, receive_values, &kind, 1000);
}

static int tried(const struct handoff *h)
{
    int sum = 0;
    for (int i = 0; i < SENDERS; i++)
        sum += h->next[i];
    return sum;
}

static wr_err send_until_closed(void *arg)
{
    wr_err err = wr_chan_send(arg, &(int){ 1 }, WR_NEVER);
    WR_ASSERT(err == WR_CLOSED);
    return WR_OK;
}

/* Nobody receives: senders that wait learn of the close, and of nothing else. */
static void close_on_senders(void)
{
    struct wr_chan *chan;
    int value;
    MUST(wr_chan_new(&chan, &(struct wr_chan_conf){
        .name = "handoff.closed", .item_size = sizeof(int), .cap = 1, .policy = WR_WAIT }));
    MUST(wr_chan_send(chan, &(int){ 0 }, WR_NOW));
    struct wr_scope *scope = scope_named("closed");
    for (int i = 0; i < SENDERS; i++)
        MUST(wr_scope_go(scope, "handoff.late", send_until_closed, chan));
    MUST(wr_sleep(wr_after(WR_US(1))));
    wr_chan_close(chan);
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    MUST(wr_chan_recv(chan, &value, WR_NOW));
    WR_ASSERT(value == 0 && wr_chan_recv(chan, &value, WR_NOW) == WR_CLOSED);
    wr_chan_free(chan);
}

/* ---- one answer for many ---- */

struct answer { struct wr_once *once; int asked, set, value; };

static wr_err set_answer(void *arg)
{
    struct answer *answer = arg;
    int value = ++answer->asked;
    wr_err err = wr_once_set(answer->once, &value);
    WR_ASSERT(err == (answer->set ? WR_EXISTS : WR_OK));
    if (!err) {
        answer->set++;
        answer->value = value;
    }
    return WR_OK;
}

static wr_err get_answer(void *arg)
{
    struct answer *answer = arg;
    int value = 0;
    MUST(wr_once_wait(answer->once, &value, WR_NEVER));
    WR_ASSERT(value == answer->value);
    wr_sim_point("again");
    MUST(wr_once_wait(answer->once, &value, WR_NOW));
    WR_ASSERT(value == answer->value);
    return WR_OK;
}

/* The first answer stands, and everybody gets it. */
static void answer_once(void)
{
    struct answer answer = { 0 };
    MUST(wr_once_new(&answer.once, "handoff.answer", sizeof(int)));
    struct wr_scope *scope = scope_named("answer");
    for (int i = 0; i < SENDERS; i++) {
        MUST(wr_scope_go(scope, "handoff.asks", get_answer, &answer));
        MUST(wr_scope_go(scope, "handoff.answers", set_answer, &answer));
    }
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    WR_ASSERT(answer.set == 1);
    wr_once_free(answer.once);
}

static wr_err run(void *arg)
{
    struct handoff *h = arg;
    MUST(wr_chan_new(&h->chan, &(struct wr_chan_conf){
        .name = "handoff", .item_size = sizeof(struct value), .cap = 1 + wr_sim_below(2),
        .policy = WR_WAIT }));
    struct wr_scope *receivers = scope_named("receivers"), *senders = scope_named("senders");
    for (int i = 0; i < RECEIVERS; i++)
        MUST(wr_scope_go(receivers, "handoff.replacer", replace_receivers, h));
    for (int i = 0; i < SENDERS; i++) {
        h->seats[i] = (struct seat){ h, i };
        MUST(wr_scope_go(senders, "handoff.replacer", replace_senders, &h->seats[i]));
    }
    /* At some moment in the middle, or when all is sent. */
    int enough = wr_sim_below(3) ? VALUES : 30 + (int)wr_sim_below(VALUES - 30);
    while (tried(h) < enough && wr_scope_join(senders, wr_after(WR_MS(1))) == WR_TIMEOUT)
        continue;
    wr_chan_close(h->chan);
    MUST(wr_scope_join(senders, WR_NEVER));
    MUST(wr_scope_close(senders));
    MUST(wr_scope_join(receivers, WR_NEVER));
    MUST(wr_scope_close(receivers));
    struct value value;
    WR_ASSERT(wr_chan_recv(h->chan, &value, WR_NOW) == WR_CLOSED);
    wr_chan_free(h->chan);
    h->chan = NULL;
    for (int i = 0; i < VALUES; i++)
        WR_ASSERT(h->received[i] == h->sent[i]);
    close_on_senders();
    answer_once();
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct handoff *h = arg;
    if (!h->chan)
        return NULL;
    struct wr_chan_stat stat = wr_chan_stat(h->chan);
    if (stat.len > stat.cap)
        return "the channel holds more than its capacity";
    if (stat.sent != stat.received + stat.len)
        return "values went missing inside the channel";
    return NULL;
}

static uint64_t state(void *arg)
{
    const struct handoff *h = arg;
    uint64_t state = state_mix(0, h->chan ? wr_chan_stat(h->chan).len : 9);
    state = state_mix(state, (uint64_t)(h->sent_count - h->received_count));
    for (int i = 0; i < SENDERS; i++)
        state = state_mix(state, (uint64_t)h->next[i]);
    return state;
}

const struct scenario wr_scenario_handoff = {
    .name = "handoff",
    .what = "sends and receives with deadlines and cancels: delivered once, or not at all",
    .size = sizeof(struct handoff), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_SLOW | WR_SIM_LATE,
};
