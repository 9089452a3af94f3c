/* scenario_policies.c - channels that refuse, drop, replace and try again.
 *
 * One channel of each policy, with more senders than it can serve.  Whatever
 * happens, each value that was taken in leaves exactly once: received, dropped
 * or replaced; a refused one never enters; and the counters agree.
 */
#include <weir/chan.h>

#include "sim/scenario.h"

#define CHANNELS 4
#define SENDERS 3
#define VALUES_EACH 16
#define VALUES (SENDERS * VALUES_EACH)
#define KEYS 3

struct line {                       /* one channel */
    enum wr_chan_policy policy;
    struct wr_chan *chan;
    int senders_left;
    int next;                       /* values made */
    bool sent[VALUES];
    uint8_t gone[VALUES];           /* how often each left */
    uint64_t received, dropped, refused, accepted;
};

struct policies { struct line lines[CHANNELS]; };

struct value { struct line *line; int number; };

static uint64_t key_of(const void *item)
{
    return (uint64_t)((const struct value *)item)->number % KEYS;
}

static void leave(const struct value *value)
{
    WR_ASSERT(value->line->gone[value->number] == 0);
    value->line->gone[value->number]++;
}

static void drop(void *item)
{
    struct value *value = item;
    leave(value);
    value->line->dropped++;
}

static wr_err send_values(void *arg)
{
    struct line *line = arg;
    for (int i = 0; i < VALUES_EACH; i++) {
        struct value value = { line, line->next++ };
        wr_time deadline = wr_sim_below(3) ? wr_after(WR_MS(200)) : WR_NOW;
        wr_err err = wr_chan_send(line->chan, &value, deadline);
        WR_ASSERT(!err || err == WR_BUSY || err == WR_TIMEOUT || err == WR_CANCELED);
        if (err == WR_CANCELED)
            return err;
        line->sent[value.number] = !err;
        *(err ? &line->refused : &line->accepted) += 1;
        if (wr_sim_below(3) == 0 && wr_sleep(some_time(WR_MS(30))))
            return WR_CANCELED;
    }
    if (--line->senders_left == 0)
        wr_chan_close(line->chan);
    return WR_OK;
}

static wr_err receive_values(void *arg)
{
    struct line *line = arg;
    struct value value;
    wr_err err;
    while (!(err = wr_chan_recv(line->chan, &value, WR_NEVER))) {
        WR_ASSERT(value.line == line);
        leave(&value);
        line->received++;
        if (wr_sim_below(2) && wr_sleep(some_time(WR_MS(50))))
            return WR_CANCELED;
    }
    return err == WR_CLOSED ? WR_OK : err;
}

static void check_line(struct line *line)
{
    struct wr_chan_stat stat = wr_chan_stat(line->chan);
    wr_chan_free(line->chan);       /* drops what is left */
    line->chan = NULL;
    for (int i = 0; i < line->next; i++)
        WR_ASSERT(line->gone[i] == line->sent[i]);
    WR_ASSERT(stat.sent == line->accepted);
    WR_ASSERT(stat.received == line->received);
    WR_ASSERT(stat.refused == line->refused);
    WR_ASSERT(stat.sent == line->received + line->dropped);
}

static wr_err run(void *arg)
{
    static const enum wr_chan_policy policies[CHANNELS] = { WR_REJECT, WR_DROP_OLDEST,
                                                            WR_COALESCE, WR_RETRY_ONCE };
    struct policies *p = arg;
    struct wr_scope *scope = scope_named("policies");
    for (int i = 0; i < CHANNELS; i++) {
        struct line *line = &p->lines[i];
        *line = (struct line){ .policy = policies[i], .senders_left = SENDERS };
        MUST(wr_chan_new(&line->chan, &(struct wr_chan_conf){
            .name = "policies", .item_size = sizeof(struct value), .cap = 1 + wr_sim_below(3),
            .policy = policies[i], .drop = drop,
            .key = policies[i] == WR_COALESCE ? key_of : NULL }));
        for (int sender = 0; sender < SENDERS; sender++)
            MUST(wr_scope_go(scope, "policies.sender", send_values, line));
        MUST(wr_scope_go(scope, "policies.receiver", receive_values, line));
    }
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    for (int i = 0; i < CHANNELS; i++)
        check_line(&p->lines[i]);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct policies *p = arg;
    for (int i = 0; i < CHANNELS; i++) {
        const struct line *line = &p->lines[i];
        if (!line->chan)
            continue;
        struct wr_chan_stat stat = wr_chan_stat(line->chan);
        uint64_t left = stat.received + stat.coalesced;
        if (line->policy != WR_RETRY_ONCE)      /* there it counts those that never entered */
            left += stat.dropped;
        if (stat.len > stat.cap)
            return "a channel holds more than its capacity";
        if (stat.sent != left + stat.len)
            return "a channel's counters do not add up";
    }
    return NULL;
}

static uint64_t state(void *arg)
{
    const struct policies *p = arg;
    uint64_t state = 0;
    for (int i = 0; i < CHANNELS; i++) {
        const struct line *line = &p->lines[i];
        state = state_mix(state, line->chan ? wr_chan_stat(line->chan).len : 9);
        state = state_mix(state, line->received);
    }
    return state;
}

const struct scenario wr_scenario_policies = {
    .name = "policies",
    .what = "channels that reject, drop, coalesce, retry: each value leaves once, counted",
    .size = sizeof(struct policies), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_SLOW | WR_SIM_LATE,
};
