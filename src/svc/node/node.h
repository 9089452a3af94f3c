/* node.h - the node: everything that runs, from one configuration.
 *
 * The node listens, admits, queues, works, watches its configuration, reports and
 * leaves in order.  Its tasks and queues are those of `weir topology`:
 *
 *   node.metrics    the control plane; the last to leave
 *   node.http       HTTP in; stays until the workers have gone, as health and
 *                   metrics are answered to the end
 *   node.health     probes readiness, tells the bus
 *   node.config     watches the configuration file, reads it again
 *   node.worker     runs what is queued in node.work
 *   node.ingress    OAP/1 in; the first to leave
 *   node.audit      writes down what was done to it; leaves with the control plane
 *
 * It has a store (store/store.h), opened before anything else and closed after everything.
 *
 * A service takes part by a row of struct node_service (svc/service.h).
 */
#ifndef WR_NODE_NODE_H
#define WR_NODE_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/addr.h>
#include <weir/err.h>
#include <weir/http.h>
#include <weir/manager.h>
#include <weir/sup.h>
#include <weir/time.h>

#include "base/text.h"
#include "conf/conf.h"
#include "svc/service.h"

struct node;

/* What to tell people when it has begun. */
struct node_face {
    struct wr_addr http;            /* where it listens; */
    bool tls;                       /* ... and speaks TLS */
    struct wr_addr control;         /* NONE: on the same port */
    struct wr_addr oap;             /* NONE: not at all */
    wr_time took;                   /* from wr_run to ready */
    bool moved;                     /* it was ready before: it listens elsewhere now */
};

struct node_start {
    struct wr_conf *conf;           /* required; the node takes a reference */
    const struct wr_conf_source *source;    /* to read it again; NULL: never */
    const struct node_service *services;
    size_t service_count;
    /* Called when the node is ready, and again when an address has changed; may be NULL. */
    void (*ready)(void *arg, const struct node_face *face);
    void *arg;
    const char *local;              /* a Unix socket, unless uds.path says another; or NULL */
    bool local_only;                /* ... and nothing else listens, whatever is configured */
    struct wr_manager *manager;     /* told the news, asked for sockets; may be NULL */
    bool no_signals;                /* the caller stops it by node_stop */
    /* When it fails before it is ready: a sentence. */
    char why[NODE_WHY_MAX];
};

/* The policy of routes whose calls wait more than they work: of these each caller may have as
 * many at a time as of operations in the mailbox (facet.h), and none takes a unit of it. */
extern const struct node_policy node_waits;

/* Run a node in the calling fiber until it was stopped: by a signal, by an admin's
 * call, or by node_stop.  `*ret`, when given, is set as soon as there is one to stop.
 * Errors: TIMEOUT (stopped, but work had to be aborted); with `why`: EXISTS (an
 * address is taken), BUSY (another process has the store), DENIED, INVALID, NOTFOUND, NOMEM,
 * NOFILE, IO. */
wr_err node_run(struct node_start *start, struct node **ret);

/* Drain; called again: abort.  Does not wait; any fiber. */
void node_stop(struct node *node);

/* Read the configuration again, as SIGHUP does.  Does not wait; any fiber. */
void node_reload(struct node *node);

#endif
