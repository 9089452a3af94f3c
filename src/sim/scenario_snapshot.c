/* scenario_snapshot.c - a configuration that is swapped under its readers.
 *
 * Readers hold snapshots across waits and panic while they do; the writer
 * replaces them all the time.  A snapshot is whole, stays as it was for as long
 * as somebody holds it, and is dropped once, when nobody does.
 */
#include <weir/cell.h>
#include <weir/lock.h>

#include "sim/scenario.h"

#define READERS 4
#define READS 15
#define SWAPS 40

struct snapshots {
    struct wr_cell *cell;
    struct wr_cell_writer writer;
    uint64_t newest;
    int held[SWAPS + 1];
    uint8_t dropped[SWAPS + 1];
    struct wr_mutex lock;           /* guards the two below, which must stay equal */
    uint64_t left, right;
};

struct config { struct snapshots *snapshots; uint64_t version, check[3]; };

static struct config config_of(struct snapshots *s, uint64_t version)
{
    return (struct config){ s, version, { version * 3, version * 5, version * 7 } };
}

static void check_whole(const struct config *config)
{
    uint64_t version = config->version;
    WR_ASSERT(config->check[0] == version * 3 && config->check[1] == version * 5
              && config->check[2] == version * 7);
}

static void drop(void *snapshot)
{
    struct config *config = snapshot;
    check_whole(config);
    WR_ASSERT(config->snapshots->held[config->version] == 0);
    WR_ASSERT(config->snapshots->dropped[config->version]++ == 0);
}

static void put_back(void *arg)
{
    const struct config *config = arg;
    struct snapshots *s = config->snapshots;
    s->held[config->version]--;
    wr_cell_put(s->cell, config);
}

static wr_err read_often(void *arg)
{
    struct snapshots *s = arg;
    for (int i = 0; i < READS; i++) {
        const struct config *config = wr_cell_get(s->cell);
        uint64_t version = config->version;
        WR_ASSERT(version == s->newest && s->dropped[version] == 0);
        s->held[version]++;
        struct wr_cleanup cleanup = { .fn = put_back, .arg = (void *)(uintptr_t)config };
        wr_cleanup_push(&cleanup);
        wr_mutex_lock(&s->lock);
        s->left++;
        wr_sim_point("a lock is held: nobody else may run");
        WR_ASSERT(s->left == s->right + 1);
        s->right++;
        wr_mutex_unlock(&s->lock);
        wr_err err = wr_sim_below(3) ? wr_yield() : wr_sleep(some_time(WR_MS(2)));
        check_whole(config);
        WR_ASSERT(config->version == version);
        wr_cleanup_pop(&cleanup);
        put_back((void *)(uintptr_t)config);
        if (err)
            return err;
    }
    return WR_OK;
}

/* A reader that panicked has put its snapshot back on the way out. */
static wr_err keep_reading(void *arg)
{
    wr_err err = WR_PANIC;
    for (int i = 0; i < 5 && err == WR_PANIC; i++) {
        struct wr_scope *scope = scope_named("reader");
        MUST(wr_scope_go(scope, "snapshot.reader", read_often, arg));
        err = wr_scope_join(scope, WR_NEVER);
        (void)!wr_scope_close(scope);
    }
    return WR_OK;
}

static wr_err swap_often(void *arg)
{
    struct snapshots *s = arg;
    for (uint64_t version = 1; version <= SWAPS; version++) {
        struct config config = config_of(s, version);
        MUST(wr_cell_set(&s->writer, &config));
        s->newest = version;
        if (wr_sim_below(2))
            MUST(wr_sleep(some_time(WR_MS(1))));
    }
    return WR_OK;
}

static wr_err run(void *arg)
{
    struct snapshots *s = arg;
    s->lock = (struct wr_mutex)WR_MUTEX("snapshot.lock", 10);
    struct config first = config_of(s, 0);
    MUST(wr_cell_new(&s->cell, &s->writer, &(struct wr_cell_conf){
        .name = "snapshot", .size = sizeof(first), .initial = &first, .drop = drop }));
    struct wr_scope *scope = scope_named("snapshot");
    for (int i = 0; i < READERS; i++)
        MUST(wr_scope_go(scope, "snapshot.keeper", keep_reading, s));
    MUST(wr_scope_go(scope, "snapshot.writer", swap_often, s));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    wr_cell_free(s->cell);
    for (int i = 0; i <= SWAPS; i++)
        WR_ASSERT(s->held[i] == 0 && s->dropped[i] == 1);
    wr_mutex_fini(&s->lock);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct snapshots *s = arg;
    if (s->left != s->right)
        return "a task was preempted while it held a lock";
    for (int i = 0; i <= SWAPS; i++)
        if (s->held[i] > 0 && s->dropped[i])
            return "a snapshot was dropped while a reader held it";
    return NULL;
}

static uint64_t state(void *arg)
{
    const struct snapshots *s = arg;
    uint64_t state = state_mix(0, s->newest);
    for (uint64_t i = s->newest < 4 ? 0 : s->newest - 4; i <= s->newest; i++)
        state = state_mix(state, (uint64_t)s->held[i]);
    return state;
}

const struct scenario wr_scenario_snapshot = {
    .name = "snapshot",
    .what = "snapshots swapped under readers that wait and panic: whole, kept, dropped once",
    .size = sizeof(struct snapshots), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_SLOW | WR_SIM_LATE | WR_SIM_CRASH, .crash = "snapshot.reader",
};
