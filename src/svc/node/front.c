/* front.c - a listener with a server behind it: see front.h. */
#include "svc/node/front.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <weir/once.h>
#include <weir/panic.h>
#include <weir/scope.h>
#include <weir/task.h>

#include "net/oap_server.h"
#include "net/server.h"

#define LOOK_EVERY WR_MS(5)
#define LINE_WITHIN WR_MS(1)
#define LAST_WORDS WR_MS(900)       /* for what has begun when a retired one is cut off */

struct front {
    struct wr_listener *listener;   /* NULL: not its own yet, or no more */
    struct wr_http *http;           /* one of both */
    struct wr_oap *oap;
    struct wr_once *retire;         /* of the deadline */
    struct wr_once *closed;         /* it takes no more */
    _Atomic bool over;
    uint32_t uids[FRONT_UIDS_MAX];
};

static wr_err listen_near(struct wr_listener **ret, const struct front_place *place)
{
    if (place->fd >= 0)
        return wr_listen_on(ret, place->fd);
    struct wr_addr near = *place->addr;
    wr_err err = wr_listen(ret, &near);
    for (int i = 1; place->may_move && err == WR_EXISTS && i < FRONT_PORTS_TRIED; i++) {
        near.port = (uint16_t)(place->addr->port + i);
        err = wr_listen(ret, &near);
    }
    return err;
}

wr_err front_listen(struct front **ret, const struct front_place *place)
{
    struct front *front = calloc(1, sizeof(*front));
    wr_err err = front ? wr_once_new(&front->retire, "front.retire", sizeof(wr_time))
                       : WR_NOMEM;
    if (!err)
        err = wr_once_new(&front->closed, "front.closed", 0);
    if (!err && (place->fd >= 0 || place->addr))
        err = listen_near(&front->listener, place);
    if (err)
        front_close(front);
    else
        *ret = front;
    return err;
}

wr_err front_http(struct front *front, const struct wr_http_conf *conf)
{
    struct wr_http_conf own = *conf;
    WR_ASSERT(!front->http && !front->oap && conf->uid_count <= FRONT_UIDS_MAX);
    if (conf->uid_count)
        memcpy(front->uids, conf->uids, conf->uid_count * sizeof(*conf->uids));
    own.uids = front->uids;
    return wr_http_new(&front->http, &own);
}

wr_err front_oap(struct front *front, const struct wr_oap_conf *conf)
{
    WR_ASSERT(!front->http && !front->oap);
    return wr_oap_new(&front->oap, conf);
}

void front_share(struct front *front, struct wr_admit *admit)
{
    if (front->oap)
        oap_share(front->oap, admit);
    else
        server_share(front->http, admit);
}

const struct wr_addr *front_addr(const struct front *front)
{
    return front->listener ? wr_listener_addr(front->listener) : NULL;
}

void front_inherit(struct front *front, struct front *from)
{
    WR_ASSERT(!front->listener && wr_once_done(from->closed));
    front->listener = from->listener;
    from->listener = NULL;
}

void front_shut(struct front *front)
{
    WR_ASSERT(wr_once_done(front->closed));
    wr_listener_close(front->listener);
    front->listener = NULL;
}

size_t front_connections(const struct front *front)
{
    return front->oap ? wr_oap_connections(front->oap) : wr_http_connections(front->http);
}

void front_tune(struct front *front, const struct wr_http_conf *http,
                const struct wr_oap_conf *oap)
{
    if (front->oap)
        wr_oap_tune(front->oap, oap);
    else
        wr_http_tune(front->http, http);
}

/* ---- serving ---- */

struct taking { struct front *front; struct wr_scope *guests; };

static wr_err take_http(void *arg)
{
    struct taking *taking = arg;
    return wr_http_take(taking->front->http, taking->front->listener, taking->guests);
}

static wr_err take_oap(void *arg)
{
    struct taking *taking = arg;
    return wr_oap_take(taking->front->oap, taking->front->listener, taking->guests);
}

/* Who stands in line has been let in by the system: no one is left there. */
static void take_line(struct taking *taking)
{
    struct wr_scope *scope;
    if (wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "node.line",
                                                      .deadline = wr_after(LINE_WITHIN) }))
        return;
    wr_scope_enter(scope);
    (void)!(taking->front->oap ? take_oap(taking) : take_http(taking));
    wr_scope_leave(scope);
    (void)!wr_scope_close(scope);
}

/* Until it is told when to be over: *ret.  If nothing more can be taken, that ends the
 * scope in which we wait.  The caller's waits are under `guests`. */
static wr_err take(struct front *front, struct wr_scope *guests, wr_time *ret)
{
    struct wr_scope *scope;
    struct taking taking = { front, guests };
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "node.taking",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    err = front->oap ? wr_scope_go(scope, "oap.server", take_oap, &taking)
                     : wr_scope_go(scope, "http.server", take_http, &taking);
    if (!err) {
        wr_scope_enter(scope);
        err = wr_once_wait(front->retire, ret, WR_NEVER);
        wr_scope_leave(scope);
    }
    wr_err failed = wr_scope_close(scope);
    if (failed)
        return failed;
    if (!err)
        take_line(&taking);
    return err;
}

/* Idle connections are waited for as long as there is time: their next call may be on its
 * way.  Then what comes is refused, and what has begun is answered. */
static void see_off(struct front *front, wr_time deadline)
{
    wr_err err = WR_OK;
    if (front->oap) {
        (void)!wr_oap_finish(front->oap, deadline);
        return;
    }
    wr_http_retire(front->http);
    while (!err && wr_http_connections(front->http) > 0
           && wr_now() < deadline - LAST_WORDS)
        err = wr_sleep(wr_after(LOOK_EVERY));
    if (!err)
        (void)!wr_http_finish(front->http, deadline);
}

wr_err front_serve(struct front *front)
{
    struct wr_scope *guests;
    wr_time deadline = 0;
    wr_err err = wr_scope_new(&guests, &(struct wr_scope_conf){
        .name = "node.front", .deadline = WR_NEVER, .independent = true });
    if (err)
        return err;
    wr_scope_enter(guests);
    err = take(front, guests, &deadline);
    if (!err) {
        (void)!wr_once_set(front->closed, NULL);
        see_off(front, deadline);
    }
    wr_scope_leave(guests);
    (void)!wr_scope_close(guests);
    if (!err)           /* a worker may have what a connection did not wait for */
        err = front_finish(front, WR_NEVER);
    if (!err)
        atomic_store(&front->over, true);
    return err;
}

wr_err front_retire(struct front *front, wr_time deadline)
{
    (void)!wr_once_set(front->retire, &deadline);
    return wr_once_wait(front->closed, NULL, WR_NEVER);
}

bool front_over(const struct front *front)
{
    return atomic_load(&front->over);
}

void front_drain(struct front *front)
{
    if (front->oap)
        wr_oap_drain(front->oap);
    else
        wr_http_drain(front->http);
}

wr_err front_finish(struct front *front, wr_time deadline)
{
    return front->oap ? wr_oap_finish(front->oap, deadline)
                      : wr_http_finish(front->http, deadline);
}

void front_close(struct front *front)
{
    if (!front)
        return;
    wr_listener_close(front->listener);
    wr_http_free(front->http);
    wr_oap_free(front->oap);
    wr_once_free(front->closed);
    wr_once_free(front->retire);
    free(front);
}
