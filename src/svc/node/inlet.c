/* inlet.c - a way into the node: see inlet.h. */
#include "svc/node/inlet.h"

#include <stdlib.h>

#include <weir/chan.h>
#include <weir/lock.h>
#include <weir/log.h>
#include <weir/metric.h>
#include <weir/panic.h>
#include <weir/scope.h>
#include <weir/select.h>

#define RANK_ROUTING 15             /* the seed's order: state, routing, counters */
#define ANSWER_WITHIN WR_MS(900)

static struct wr_metric moves_metric = {
    .name = "listener_moves_total",
    .help = "Times that a listener or the server behind it was replaced.",
    .type = WR_COUNTER, .labels = { "listener" }, .series_max = 8,
};

struct move { struct front *front; wr_time deadline; };

struct inlet {
    struct inlet_conf conf;
    struct wr_chan *moves;          /* has at most one */
    struct wr_mutex lock;           /* of what follows */
    bool moving;                    /* from inlet_put until it is done */
    struct front *fronts[INLET_FRONTS_MAX];     /* the first serves, the others see off */
};

static void drop_move(void *item)
{
    front_close(((struct move *)item)->front);
}

wr_err inlet_new(struct inlet **ret, const struct inlet_conf *conf)
{
    struct inlet *inlet = calloc(1, sizeof(*inlet));
    if (!inlet)
        return WR_NOMEM;
    wr_err err = wr_chan_new(&inlet->moves, &(struct wr_chan_conf){
        .name = "node.moves", .item_size = sizeof(struct move), .cap = 1,
        .policy = WR_REJECT, .drop = drop_move });
    if (err) {
        free(inlet);
        return err;
    }
    inlet->conf = *conf;
    inlet->fronts[0] = conf->front;
    inlet->lock = (struct wr_mutex)WR_MUTEX("node.inlet", RANK_ROUTING);
    wr_metric_declare(&moves_metric);
    *ret = inlet;
    return WR_OK;
}

void inlet_free(struct inlet *inlet)
{
    if (!inlet)
        return;
    wr_chan_free(inlet->moves);
    for (size_t i = 0; i < INLET_FRONTS_MAX; i++)
        front_close(inlet->fronts[i]);
    wr_mutex_fini(&inlet->lock);
    free(inlet);
}

/* ---- looking ---- */

/* A place among the old ones; 0: there is none. */
static size_t room(const struct inlet *inlet)
{
    for (size_t i = 1; i < INLET_FRONTS_MAX; i++)
        if (!inlet->fronts[i] || front_over(inlet->fronts[i]))
            return i;
    return 0;
}

bool inlet_ready(struct inlet *inlet)
{
    wr_mutex_lock(&inlet->lock);
    bool ready = !inlet->moving && room(inlet);
    wr_mutex_unlock(&inlet->lock);
    return ready;
}

bool inlet_addr(struct inlet *inlet, struct wr_addr *ret)
{
    wr_mutex_lock(&inlet->lock);
    const struct wr_addr *addr = inlet->fronts[0] ? front_addr(inlet->fronts[0]) : NULL;
    if (addr)
        *ret = *addr;
    wr_mutex_unlock(&inlet->lock);
    return addr;
}

size_t inlet_connections(struct inlet *inlet)
{
    size_t sum = 0;
    wr_mutex_lock(&inlet->lock);
    for (size_t i = 0; i < INLET_FRONTS_MAX; i++)
        sum += inlet->fronts[i] ? front_connections(inlet->fronts[i]) : 0;
    wr_mutex_unlock(&inlet->lock);
    return sum;
}

void inlet_tune(struct inlet *inlet, const struct wr_http_conf *http,
                const struct wr_oap_conf *oap)
{
    wr_mutex_lock(&inlet->lock);
    if (inlet->fronts[0])
        front_tune(inlet->fronts[0], http, oap);
    wr_mutex_unlock(&inlet->lock);
}

/* ---- moving ---- */

void inlet_put(struct inlet *inlet, struct front *front, wr_time deadline)
{
    struct move wanted = { front, deadline };
    wr_mutex_lock(&inlet->lock);
    WR_ASSERT(!inlet->moving);
    inlet->moving = true;
    wr_mutex_unlock(&inlet->lock);
    wr_err err = wr_chan_send(inlet->moves, &wanted, WR_NOW);
    WR_ASSERT(!err);
}

/* The old one takes no more, the new one not yet: who comes in between waits in line. */
static void change(struct inlet *inlet, struct front *fresh)
{
    struct front *old = inlet->fronts[0], *over = NULL;
    wr_mutex_lock(&inlet->lock);
    if (old) {
        size_t place = room(inlet);
        WR_ASSERT(place);
        over = inlet->fronts[place];
        inlet->fronts[place] = old;
        if (fresh && !front_addr(fresh))
            front_inherit(fresh, old);
    }
    inlet->fronts[0] = fresh;
    inlet->moving = false;
    wr_mutex_unlock(&inlet->lock);
    if (old)
        front_shut(old);
    front_close(over);
}

static const char *where(const struct front *front, char *text)
{
    const struct wr_addr *addr = front ? front_addr(front) : NULL;
    return addr ? wr_addr_print(addr, text) : "nowhere";
}

static wr_err serve(void *arg)
{
    return front_serve(arg);
}

static wr_err begin(struct wr_scope *scope, struct front *front)
{
    return !front || front_over(front) ? WR_OK
                                       : wr_scope_go(scope, "node.front", serve, front);
}

static wr_err move(struct inlet *inlet, struct wr_scope *scope, const struct move *move)
{
    char was_text[WR_ADDR_TEXT_MAX], is_text[WR_ADDR_TEXT_MAX];
    struct front *old = inlet->fronts[0];
    const char *was = where(old, was_text);
    wr_err err = old ? front_retire(old, move->deadline) : WR_OK;
    if (err) {              /* it is to be done when the inlet is started again */
        wr_err kept = wr_chan_send(inlet->moves, move, WR_NOW);
        WR_ASSERT(!kept);
        return err;
    }
    change(inlet, move->front);
    wr_counter_add(wr_metric_counter(&moves_metric, inlet->conf.name), 1);
    wr_log(WR_INFO, "listener.moved", WR_F_STR("listener", inlet->conf.name),
           WR_F_STR("was", was), WR_F_STR("is", where(move->front, is_text)));
    return begin(scope, move->front);
}

/* ---- the child ---- */

static void refuse_calls(struct inlet *inlet)
{
    for (size_t i = 0; i < INLET_FRONTS_MAX; i++)
        if (inlet->fronts[i])
            front_drain(inlet->fronts[i]);
}

static wr_err answer_the_rest(struct inlet *inlet)
{
    wr_err err = WR_OK;
    wr_time deadline = wr_after(ANSWER_WITHIN);
    refuse_calls(inlet);
    if (inlet->conf.last)
        inlet->conf.last(inlet->conf.arg);
    for (size_t i = 0; i < INLET_FRONTS_MAX && !err; i++)
        if (inlet->fronts[i])
            err = front_finish(inlet->fronts[i], deadline);
    return err;
}

/* Until it is told to leave. */
static wr_err stay(struct inlet *inlet, struct wr_scope *scope, struct wr_once *drain)
{
    bool leaving = false;
    struct move wanted;
    struct wr_watch_reader shutdown = wr_watch_reader(inlet->conf.shutdown);
    struct wr_case cases[] = { WR_CASE_WATCH(&shutdown, &leaving),
                               WR_CASE_RECV(inlet->moves, &wanted),
                               WR_CASE_ONCE(drain, NULL) };
    size_t which = 0;
    wr_err err = WR_OK;
    for (size_t i = 0; i < INLET_FRONTS_MAX && !err; i++)
        err = begin(scope, inlet->fronts[i]);
    while (!err && which != 2 && !(err = wr_select(&which, cases, 3, WR_NEVER))) {
        if (which == 1)
            err = move(inlet, scope, &wanted);
        if (leaving)
            refuse_calls(inlet);
    }
    return err;
}

wr_err inlet_run(void *arg, struct wr_once *drain)
{
    struct inlet *inlet = arg;
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "node.inlet",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    wr_scope_enter(scope);      /* a front that fails ends our waits */
    err = stay(inlet, scope, drain);
    if (!err)
        err = answer_the_rest(inlet);
    wr_scope_leave(scope);
    wr_err failed = wr_scope_close(scope);
    return failed ? failed : err;
}
