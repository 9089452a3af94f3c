/* pool.c - workers around a bounded queue: see pool.h. */
#include "svc/node/pool.h"

#include <stdbool.h>
#include <stdlib.h>

#include <weir/lock.h>
#include <weir/metric.h>
#include <weir/panic.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/shed.h>
#include <weir/task.h>

#define DEADLINE WR_S(2)
#define RANK_SESSIONS 20        /* the seed's order: state, sessions, counters */

static struct wr_metric turned_away = {
    .name = "queue_shed_total",
    .help = "Work that was turned away because what waits in the queue waits too long.",
    .type = WR_COUNTER, .labels = { "queue" }, .series_max = 1,
};

/* What is in the queues. */
struct waiting { struct work work; wr_time since; };

/* A worker's place; it outlives the worker. */
struct seat {
    struct pool *pool;
    size_t index;
    struct wr_scope *scope;         /* of the worker that sits here; both guarded by */
    bool killed;                    /* the pool's lock */
};

struct pool {
    struct wr_chan *queue;
    struct wr_chan *again;          /* room for what every worker has in hand */
    struct wr_shed shed;            /* of the queue */
    struct wr_counter *shed_counted;
    struct wr_mutex lock;
    size_t count;
    struct seat seats[];
};

static void refuse_dropped(void *item)
{
    struct work *work = &((struct waiting *)item)->work;
    work->refuse(work->arg, WR_DRAINING);
}

wr_err pool_new(struct pool **ret, size_t workers, size_t queue_cap)
{
    if (workers < 1 || workers > POOL_WORKERS_MAX)
        wr_panic("a pool of %zu workers; 1 to %d are allowed", workers, POOL_WORKERS_MAX);
    struct pool *pool = calloc(1, sizeof(*pool) + workers * sizeof(*pool->seats));
    if (!pool)
        return WR_NOMEM;
    wr_err err = wr_chan_new(&pool->queue, &(struct wr_chan_conf){
        .name = "node.work", .item_size = sizeof(struct waiting), .cap = queue_cap,
        .policy = WR_REJECT, .drop = refuse_dropped });
    if (!err)
        err = wr_chan_new(&pool->again, &(struct wr_chan_conf){
            .name = "node.again", .item_size = sizeof(struct waiting), .cap = workers,
            .policy = WR_REJECT, .drop = refuse_dropped });
    if (err) {
        wr_chan_free(pool->queue);
        free(pool);
        return err;
    }
    pool_pace(pool, DEADLINE);
    pool->shed_counted = wr_metric_counter(&turned_away, "node.work");
    pool->lock = (struct wr_mutex)WR_MUTEX("node.seats", RANK_SESSIONS);
    pool->count = workers;
    for (size_t i = 0; i < workers; i++) {
        pool->seats[i].pool = pool;
        pool->seats[i].index = i;
    }
    *ret = pool;
    return WR_OK;
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    wr_chan_free(pool->queue);
    wr_chan_free(pool->again);
    wr_mutex_fini(&pool->lock);
    free(pool);
}

size_t pool_size(const struct pool *pool)
{
    return pool->count;
}

void *pool_seat(struct pool *pool, size_t index)
{
    WR_ASSERT(index < pool->count);
    return &pool->seats[index];
}

static wr_time at_least(wr_time least, wr_time span)
{
    return span > least ? span : least;
}

void pool_pace(struct pool *pool, wr_time deadline)
{
    pool->shed.target = at_least(WR_SHED_TARGET, deadline / 8);
    pool->shed.interval = at_least(WR_SHED_INTERVAL, deadline / 4);
}

/* A full queue says so, however slow it is. */
static wr_err turn_away(struct pool *pool)
{
    struct wr_chan_stat stat = wr_chan_stat(pool->queue);
    if (stat.len == stat.cap)
        return WR_BUSY;
    wr_counter_add(pool->shed_counted, 1);
    return WR_SHED;
}

wr_err pool_submit(struct pool *pool, const struct work *work)
{
    if (wr_shed_enter(&pool->shed, WR_SHED_NORMAL))
        return turn_away(pool);
    struct waiting waiting = { *work, wr_now() };
    wr_err err = wr_chan_send(pool->queue, &waiting, WR_NOW);
    if (err)
        wr_shed_withdraw(&pool->shed);
    return err == WR_CLOSED ? WR_DRAINING : err;
}

wr_err pool_resubmit(struct pool *pool, const struct work *work)
{
    struct waiting waiting = { *work, 0 };
    wr_err err = wr_chan_send(pool->again, &waiting, WR_NOW);
    return err == WR_CLOSED ? WR_DRAINING : err;
}

void pool_close(struct pool *pool)
{
    struct waiting waiting;
    wr_chan_close(pool->queue);
    wr_chan_close(pool->again);
    while (!wr_chan_recv(pool->again, &waiting, WR_NOW)
           || !wr_chan_recv(pool->queue, &waiting, WR_NOW)) {
        if (waiting.since)
            wr_shed_withdraw(&pool->shed);
        waiting.work.refuse(waiting.work.arg, WR_DRAINING);
    }
}

struct wr_chan_stat pool_stat(const struct pool *pool)
{
    return wr_chan_stat(pool->queue);
}

/* Who may be killed from now on; nobody with NULL.  Whether the last one was. */
static bool sit(struct seat *seat, struct wr_scope *scope)
{
    wr_mutex_lock(&seat->pool->lock);
    bool killed = seat->killed;
    seat->scope = scope;
    seat->killed = false;
    wr_mutex_unlock(&seat->pool->lock);
    return killed;
}

static void stand_up(void *seat)
{
    (void)sit(seat, NULL);
}

wr_err pool_kill(struct pool *pool, size_t index)
{
    wr_err err = WR_NOTFOUND;
    if (index >= pool->count)
        return err;
    struct seat *seat = &pool->seats[index];
    wr_mutex_lock(&pool->lock);
    if (seat->scope && !seat->killed) {
        seat->killed = true;
        wr_scope_cancel(seat->scope);
        err = WR_OK;
    }
    wr_mutex_unlock(&pool->lock);
    return err;
}

/* The drain event is listed last: the queue is emptied first. */
static wr_err take_and_run(struct pool *pool, struct wr_once *drain)
{
    struct waiting next;
    struct wr_case cases[] = { WR_CASE_RECV(pool->again, &next),
                               WR_CASE_RECV(pool->queue, &next), WR_CASE_ONCE(drain, NULL) };
    size_t which;
    wr_err err;
    while (!(err = wr_select(&which, cases, 3, WR_NEVER)) && which < 2 && !cases[which].err) {
        if (next.since)
            wr_shed_leave(&pool->shed, next.since);
        next.work.run(next.work.arg);
    }
    return err;
}

wr_err pool_work(void *arg, struct wr_once *drain)
{
    struct seat *seat = arg;
    struct wr_scope *scope;
    struct wr_cleanup cleanup = { .fn = stand_up, .arg = seat };
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "node.worker",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    (void)sit(seat, scope);
    wr_cleanup_push(&cleanup);
    wr_scope_enter(scope);
    err = take_and_run(seat->pool, drain);
    wr_scope_leave(scope);
    wr_cleanup_pop(&cleanup);
    bool killed = sit(seat, NULL);
    (void)!wr_scope_close(scope);
    if (killed)
        wr_panic("worker %zu was killed on purpose", seat->index);
    return err;
}
