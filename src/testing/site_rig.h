/* site_rig.h - a server on loopback with workers behind a queue: what the rigs of HTTP
 * and of OAP share.  A rig adds the server, and how it runs a call. */
#ifndef WR_TESTING_SITE_RIG_H
#define WR_TESTING_SITE_RIG_H

#include <string.h>

#include <weir/chan.h>
#include <weir/once.h>
#include <weir/scope.h>
#include <weir/stream.h>

#include "testing/settle.h"
#include "testing/test.h"

#define RIG __attribute__((unused)) static

struct site {
    struct wr_http *http;               /* one of the two */
    struct wr_oap *oap;
    struct wr_listener *listener;
    struct wr_scope *scope;
    struct wr_chan *work;               /* of pointers to calls; NULL: there are no workers */
    void (*run)(void *call);
    struct wr_once *gate, *gate_before;
};

/* What some handlers wait for: of the site that was opened last and is still open. */
RIG struct wr_once *gate;

#define ANYWHERE "127.0.0.1:0"

RIG wr_err work(void *arg)
{
    struct site *site = arg;
    void *call;
    wr_err err;
    while (!(err = wr_chan_recv(site->work, &call, WR_NEVER)))
        site->run(call);
    return err == WR_CLOSED ? WR_OK : err;
}

/* Everything but the server.  With `cap`, calls have a queue of so many places. */
RIG void site_prepare(struct site *site, const char *at, size_t cap, void (*run)(void *call),
                      void (*drop)(void *item))
{
    struct wr_addr addr;
    *site = (struct site){ .run = run };
    CHECK_OK(wr_scope_new(&site->scope, &(struct wr_scope_conf){
        .name = "test.site", .deadline = WR_NEVER, .independent = true }));
    if (cap)
        CHECK_OK(wr_chan_new(&site->work, &(struct wr_chan_conf){
            .name = "test.work", .item_size = sizeof(void *), .cap = cap,
            .policy = WR_REJECT, .drop = drop }));
    CHECK_OK(wr_once_new(&site->gate, "test.gate", 0));
    site->gate_before = gate;
    gate = site->gate;
    CHECK_OK(wr_addr_parse(&addr, at));
    CHECK_OK(wr_listen(&site->listener, &addr));
}

RIG void site_start(struct site *site, wr_task_fn serve, int workers)
{
    CHECK_OK(wr_scope_go(site->scope, "test.serve", serve, site));
    for (int i = 0; i < workers; i++)
        CHECK_OK(wr_scope_go(site->scope, "test.worker", work, site));
}

/* The end of everybody; the server can be freed now. */
RIG void site_stop(struct site *site)
{
    (void)!wr_once_set(site->gate, NULL);
    wr_scope_cancel(site->scope);
    (void)!wr_scope_close(site->scope);
    wr_listener_close(site->listener);
    wr_chan_free(site->work);
    gate = site->gate_before;
    wr_once_free(site->gate);
}

#endif
