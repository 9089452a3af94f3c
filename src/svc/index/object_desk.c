#include "svc/index/object_desk.h"

#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "flow/roster.h"
#include "net/caller.h"

#define LAST_WITHIN WR_S(1)
#define GETTERS_MAX 4096                /* addresses and tenants that are told apart */

static void refuse_call(void *item)
{
    wr_oap_refuse(*(struct wr_oap_call **)item, WR_DRAINING);
}

static wr_err open_calls(struct wr_chan **ret, const char *name, size_t cap)
{
    return wr_chan_new(ret, &(struct wr_chan_conf){
        .name = name, .item_size = sizeof(struct wr_oap_call *), .cap = cap,
        .policy = WR_REJECT, .drop = refuse_call });
}

static wr_err open_parts(struct object_desk *desk)
{
    const struct object_desk_conf *conf = &desk->conf;
    wr_err err = book_new(&desk->book, &(struct book_conf){ .store = conf->store,
                                                            .self = conf->self });
    if (!err)
        err = latencies_new(&desk->latencies);
    if (!err)
        err = roster_new(&desk->getters, "index.getters", GETTERS_MAX);
    if (!err)
        err = open_calls(&desk->gets, "index.gets", OBJECT_WAITING);
    if (!err)
        err = open_calls(&desk->lookups, "index.verbs", LOOKUP_WAITING);
    if (!err)
        err = object_new(&desk->object, &(struct object_conf){
            .store = conf->store, .book = desk->book, .latencies = desk->latencies,
            .self = conf->self, .find = conf->find, .arg = conf->arg,
            .internal = conf->internal });
    return err;
}

wr_err object_desk_open(struct object_desk *desk, const struct object_desk_conf *conf)
{
    *desk = (struct object_desk){ .conf = *conf };
    wr_err err = open_parts(desk);
    if (err)
        object_desk_close(desk);
    return err;
}

void object_desk_close(struct object_desk *desk)
{
    if (desk->book)
        (void)!book_write(desk->book, wr_after(LAST_WITHIN));
    wr_chan_free(desk->lookups);
    wr_chan_free(desk->gets);
    roster_free(desk->getters);
    object_free(desk->object);
    latencies_free(desk->latencies);
    book_free(desk->book);
    *desk = (struct object_desk){ 0 };
}

wr_err object_desk_enter(void *arg, struct wr_oap_call *call)
{
    struct object_desk *desk = arg;
    struct wr_guest *guest;
    const char *share = caller_of_oap(call)->share;
    struct wr_hash key = wr_hash_of(share, strlen(share));
    if (!desk->getters)
        return WR_OK;                   /* object_desk_submit says what is missing */
    wr_err err = roster_enter(desk->getters, key.bytes, sizeof(key.bytes), OBJECT_SHARE,
                              &guest);
    if (err)
        return wr_oap_fail(call, WR_BUSY, err == WR_BUSY
            ? "as many objects as may be are on their way to this address"
            : "more addresses take objects than can be told apart");
    *wr_oap_memo(call) = guest;
    return WR_OK;
}

void object_desk_leave(void *arg, struct wr_oap_call *call)
{
    struct object_desk *desk = arg;
    struct wr_guest *guest = *wr_oap_memo(call);
    if (guest)
        roster_leave(desk->getters, guest);
}

static wr_err submit(struct wr_chan *calls, struct wr_oap_call *call)
{
    if (!calls)
        return wr_oap_fail(call, WR_UNSUPPORTED, "there is no index here: it needs a store");
    wr_err err = wr_chan_send(calls, &call, WR_NOW);
    return err == WR_CLOSED ? WR_DRAINING : err;
}

wr_err object_desk_submit(void *arg, struct wr_oap_call *call)
{
    struct object_desk *desk = arg;
    return submit(desk->gets, call);
}

wr_err object_desk_look_up(void *arg, struct wr_oap_call *call)
{
    struct object_desk *desk = arg;
    return submit(desk->lookups, call);
}

/* ---- the tasks ---- */

static wr_err serve(void *arg)
{
    struct wr_chan *calls = arg;
    struct wr_oap_call *call;
    wr_err err;
    while (!(err = wr_chan_recv(calls, &call, WR_NEVER)))
        wr_oap_run(call);
    return err == WR_CLOSED ? WR_OK : err;
}

struct running { struct object_desk *desk; struct wr_once *drain; };

/* In a drain nobody asks any more; what is in the channels is still answered. */
static wr_err close_work(void *arg)
{
    struct running *running = arg;
    wr_err err = wr_once_wait(running->drain, NULL, WR_NEVER);
    if (!err) {
        wr_chan_close(running->desk->gets);
        wr_chan_close(running->desk->lookups);
    }
    return err;
}

static wr_err keep_book(void *arg)
{
    struct running *running = arg;
    return book_run(running->desk->book, running->drain);
}

wr_err object_desk_run(void *arg, struct wr_once *drain)
{
    struct running running = { .desk = arg, .drain = drain };
    struct wr_scope *tasks;
    if (!running.desk->book)
        return wr_once_wait(drain, NULL, WR_NEVER);
    wr_err err = wr_scope_new(&tasks, &(struct wr_scope_conf){ .name = "index.objects",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(tasks, "index.drain", close_work, &running);
    if (!err)
        err = wr_scope_go(tasks, "index.book", keep_book, &running);
    for (int i = 0; i < OBJECT_SERVERS && !err; i++)
        err = wr_scope_go(tasks, "index.server", serve, running.desk->gets);
    for (int i = 0; i < LOOKUP_SERVERS && !err; i++)
        err = wr_scope_go(tasks, "index.looker", serve, running.desk->lookups);
    if (!err)
        err = wr_scope_join(tasks, WR_NEVER);   /* one that fails ends all, to be begun anew */
    wr_err left = wr_scope_close(tasks);
    return err ? err : left;
}
