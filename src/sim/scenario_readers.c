/* scenario_readers.c - a watch and a broadcast with slow readers.
 *
 * One writer sets numbered values in a watch and sends them by a broadcast.
 * Readers of the watch see numbers that only rise, whole, and the last one
 * always; readers of the broadcast get every number in order, except for as
 * many as they were told they missed.  Now and then the writer waits until all
 * have caught up: nobody may sleep through a value.
 */
#include <weir/bcast.h>
#include <weir/chan.h>
#include <weir/watch.h>

#include "sim/scenario.h"

#define READERS 3
#define VALUES 60
#define RING 4
#define CATCH_UP 10

struct readers {
    struct wr_watch *watch;
    struct wr_watch_writer writer;
    struct wr_bcast *bcast;
    uint64_t written, sent;         /* the newest number: in the watch, by the broadcast */
    uint64_t waited_for;            /* all are to say when they have it */
    uint64_t missed, lags;
    uint64_t last[2 * READERS];     /* the newest number each has; watchers first */
    int watchers, hearers;
    struct wr_chan *caught_up;
};

/* More than one machine word, so that a torn copy would show. */
struct value { uint64_t number, twice[4]; };

static struct value value_of(uint64_t number)
{
    struct value value = { .number = number };
    for (int i = 0; i < 4; i++)
        value.twice[i] = number * 2;
    return value;
}

static void check_whole(const struct value *value)
{
    for (int i = 0; i < 4; i++)
        WR_ASSERT(value->twice[i] == value->number * 2);
}

/* A reader has this number now. */
static void have(struct readers *r, int self, uint64_t number)
{
    r->last[self] = number;
    if (number > 0 && number == r->waited_for)
        MUST(wr_chan_send(r->caught_up, &self, WR_NOW));
}

static wr_err watch_values(void *arg)
{
    struct readers *r = arg;
    int self = r->watchers++;
    struct wr_watch_reader reader = wr_watch_reader(r->watch);
    struct value value;
    for (;;) {
        wr_time deadline = wr_sim_below(3) ? WR_NEVER : some_time(WR_MS(3));
        wr_err err = wr_watch_wait(&reader, &value, deadline);
        if (err == WR_CLOSED)
            break;
        WR_ASSERT(!err || err == WR_TIMEOUT);
        if (!err) {
            check_whole(&value);
            WR_ASSERT(r->last[self] == 0 || value.number > r->last[self]);
            WR_ASSERT(value.number <= r->written);
            have(r, self, value.number);
        }
        if (wr_sim_below(2))
            MUST(wr_sleep(some_time(WR_MS(4))));
    }
    WR_ASSERT(r->last[self] == r->written);
    return WR_OK;
}

static wr_err hear_values(void *arg)
{
    struct readers *r = arg;
    int self = READERS + r->hearers++;
    struct wr_bcast_reader reader = wr_bcast_reader(r->bcast);
    uint64_t before = r->sent, missed = 0;
    struct value value;
    for (;;) {
        wr_time deadline = wr_sim_below(3) ? WR_NEVER : some_time(WR_MS(3));
        wr_err err = wr_bcast_recv(&reader, &value, deadline);
        if (err == WR_CLOSED)
            break;
        if (err == WR_LAGGED) {
            WR_ASSERT(reader.lagged > missed);
            r->lags++;
            r->missed += reader.lagged - missed;
            before += reader.lagged - missed;
            missed = reader.lagged;
        }
        if (!err) {
            check_whole(&value);
            WR_ASSERT(value.number == before + 1);
            before = value.number;
            have(r, self, before);
        }
        if (wr_sim_below(2))
            MUST(wr_sleep(some_time(WR_MS(4))));
    }
    WR_ASSERT(before == r->written);
    return WR_OK;
}

static void await_all(struct readers *r)
{
    int reader;
    for (int i = 0; i < 2 * READERS; i++)
        MUST(wr_chan_recv(r->caught_up, &reader, WR_NEVER));
    for (int i = 0; i < 2 * READERS; i++)
        WR_ASSERT(r->last[i] == r->waited_for);
}

static wr_err write_values(void *arg)
{
    struct readers *r = arg;
    while (r->watchers + r->hearers < 2 * READERS)
        MUST(wr_sleep(wr_after(WR_US(1))));         /* one that comes later misses the first */
    for (uint64_t number = 1; number <= VALUES; number++) {
        struct value value = value_of(number);
        if (number % CATCH_UP == 0)
            r->waited_for = number;
        wr_watch_set(&r->writer, &value);
        r->written = number;
        MUST(wr_bcast_send(r->bcast, &value));
        r->sent = number;
        if (number % CATCH_UP == 0)
            await_all(r);
        else if (wr_sim_below(2))
            MUST(wr_sleep(some_time(WR_MS(2))));
        if (wr_sim_fault("hand the writer over", 16)) {
            struct wr_watch_writer moved = wr_watch_move(&r->writer);
            r->writer = moved;
        }
    }
    wr_watch_close(&r->writer);
    wr_bcast_close(r->bcast);
    return WR_OK;
}

static wr_err run(void *arg)
{
    struct readers *r = arg;
    struct value zero = value_of(0);
    MUST(wr_watch_new(&r->watch, &r->writer, &(struct wr_watch_conf){
        .name = "readers.watch", .size = sizeof(zero), .initial = &zero }));
    MUST(wr_bcast_new(&r->bcast, &(struct wr_bcast_conf){
        .name = "readers.bus", .item_size = sizeof(zero), .cap = RING }));
    MUST(wr_chan_new(&r->caught_up, &(struct wr_chan_conf){
        .name = "readers.caught-up", .item_size = sizeof(int), .cap = (size_t)2 * READERS,
        .policy = WR_REJECT }));
    struct wr_scope *scope = scope_named("readers");
    for (int i = 0; i < READERS; i++) {
        MUST(wr_scope_go(scope, "readers.watcher", watch_values, r));
        MUST(wr_scope_go(scope, "readers.hearer", hear_values, r));
    }
    MUST(wr_scope_go(scope, "readers.writer", write_values, r));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    WR_ASSERT(wr_bcast_stat(r->bcast).lagged == r->missed);
    wr_watch_free(r->watch);
    wr_bcast_free(r->bcast);
    wr_chan_free(r->caught_up);
    return WR_OK;
}

static uint64_t state(void *arg)
{
    const struct readers *r = arg;
    uint64_t state = state_mix(0, r->written);
    for (int i = 0; i < 2 * READERS; i++)
        state = state_mix(state, r->written - r->last[i]);
    return state_mix(state, r->lags);
}

const struct scenario wr_scenario_readers = {
    .name = "readers",
    .what = "a watch and a broadcast with slow readers: the last is seen, every gap is told",
    .size = sizeof(struct readers), .run = run, .state = state,
    .faults = WR_SIM_SLOW | WR_SIM_LATE | WR_SIM_WALL,
};
