/* node_int.h - the inside of the node, for its files alone. */
#ifndef WR_NODE_NODE_INT_H
#define WR_NODE_NODE_INT_H

#include <stdatomic.h>
#include <stdint.h>

#include <weir/cell.h>
#include <weir/chan.h>
#include <weir/http.h>
#include <weir/sup.h>
#include <weir/tls.h>
#include <weir/watch.h>

#include <weir/admit.h>
#include "net/keyring.h"
#include "svc/node/diary.h"
#include "svc/node/bus.h"
#include "svc/node/depot.h"
#include "svc/node/gate.h"
#include "svc/node/inlet.h"
#include "svc/node/node.h"
#include "svc/node/pool.h"
#include "svc/node/ready.h"
#include "svc/node/vitals.h"

#define NODE_CRASHES 6              /* so many within a minute are too many */
#define NODE_CHILDREN_MAX (POOL_WORKERS_MAX + 32)
#define NODE_PATH_MAX 4200

/* What the configuration is at a moment. */
struct settings {
    struct wr_conf *conf;
    uint64_t version;               /* 1, and one more with each reload */
};

/* The ways in. */
enum way { WAY_HTTP, WAY_METRICS, WAY_LOCAL, WAY_OAP, WAY_COUNT };

/* Something worth telling, for the log and not for anybody to wait for. */
struct notice {
    const char *event;              /* "call.failed", "admin.reload" */
    const char *route;
    unsigned status;
    wr_time latency;
    char corr_id[65];
    char peer[WR_ADDR_TEXT_MAX];
};

struct node {
    struct node_start *start;
    wr_time began;
    struct wr_cell *settings;
    struct wr_cell_writer settings_writer;
    struct depot depot;             /* the store */
    char spool[NODE_PATH_MAX];      /* where large bodies come to; empty under amnesia */
    struct diary *diary;
    size_t services_open;           /* so many of them have it */
    struct wr_bcast *bus;
    struct wr_chan *updates;        /* cfg_updates: snapshots to be put in force */
    struct wr_chan *reloads;        /* wishes to read the configuration again */
    _Atomic uint64_t refusal;       /* the last one of a configuration: a hash of what was
                                     * said, and when, in milliseconds */
    struct wr_chan *telemetry;
    struct wr_watch *shutdown;      /* of bool */
    struct wr_watch_writer shutdown_writer;
    struct pool *pool;
    struct ready *ready;
    struct wr_sup *sup;
    struct wr_admit *admit;            /* of all ways in but two: */
    struct wr_admit *control_admit;    /* who comes to the control address is not kept out by
                                     * those who come elsewhere, nor the other way round */
    struct wr_admit *local_admit;      /* nor is the owner, by the Unix socket */
    struct gate *gate;
    struct facets *facets;
    struct wr_tls *tls;             /* NULL until tls.enabled was true for the first time */
    struct wr_secret *admin;        /* NULL: there is none */
    struct keyring *keys;           /* of tokens; NULL: there are none */
    struct inlet *inlets[WAY_COUNT];
    struct wr_route *routes;
    size_t route_count;
    struct system *system;          /* what operators look at */
    struct traffic *traffic;
    struct figures *figures;
    struct bench *bench;
    struct wr_child children[NODE_CHILDREN_MAX];
    size_t count, first_worker;
    _Atomic size_t next_crash;      /* whose turn it is, in a drill */
    struct vitals vitals;
    _Atomic wr_time bus_heard;      /* when the reporter last got its own word back */
    _Atomic wr_time crashes[NODE_CRASHES];      /* of workers, the last ones */
    _Atomic unsigned crash_count;
    _Atomic bool leaving;
};

/* The configuration in force; give it back to settings_put. */
const struct settings *settings_get(struct node *node);
void settings_put(struct node *node, const struct settings *settings);

/* The children's functions; their arg is the node. */
wr_err health_run(void *arg, struct wr_once *drain);
wr_err reload_run(void *arg, struct wr_once *drain);
wr_err metrics_run(void *arg, struct wr_once *drain);

/* A socket of that name that the service manager handed over; -1: there is none. */
int node_passed(struct node *node, const char *name);

/* Tell the service manager, if there is one. */
void node_news(struct node *node, enum wr_news news, const char *status);

/* Put a new configuration in force, or say in the log why not; the node takes `conf`
 * over.  What cannot change while it runs stays, and is said in the log. */
void reload_apply(struct node *node, struct wr_conf *conf);

/* Log the way it says. */
void reload_log(const struct wr_conf *conf);

/* How much may come in, from now on: to the control address, by the Unix socket, and by all
 * other ways together. */
void reload_admit(struct node *node, const struct wr_conf *conf);

/* The parts of a configuration that the facets and the fronts want. */
struct facets_conf reload_facets(const struct wr_conf *conf);
struct wr_http_conf node_http(struct node *node, const struct wr_conf *conf);

/* The readiness table of the node itself. */
wr_err health_table(struct node *node);

/* A change of what listens where, made ready (bind.c). */
struct binding {
    struct wr_tls *tls;                 /* read anew; NULL: TLS is off */
    struct front *fronts[WAY_COUNT];
    bool moves[WAY_COUNT];              /* it gets that front, or none */
    bool open;                          /* for gate_set_open */
};

/* Make ready what `conf` wants and `was` did not; all of it without `was`.  On an error
 * `why`, of NODE_WHY_MAX, is a sentence, and nothing has changed.  Errors: as wr_listen,
 * wr_file_read, wr_tls_new. */
wr_err bind_open(struct binding *ret, struct node *node, const struct wr_conf *conf,
                 const struct wr_conf *was, char *why);

/* Put it in force; old fronts are over at the deadline.  Errors: NOMEM, at the start only. */
wr_err bind_apply(struct binding *binding, struct node *node, wr_time deadline);

/* Let go of what is still in it. */
void bind_drop(struct binding *binding);

/* Whether a service of this name is to be reached. */
bool bind_enabled(const struct wr_conf *conf, const char *service);

/* The part of a configuration that wr_oap_tune wants. */
struct wr_oap_conf ingress_bounds(const struct wr_conf *conf);

/* Serve OAP/1 behind a front.  Errors: NOMEM. */
wr_err ingress_open(struct front *front, struct node *node, const struct wr_conf *conf,
                    struct wr_tls *tls);

/* Handler: the bus, as server-sent events. */
wr_err events_serve(struct wr_call *call);

/* Where errors are problems (http.h): what an operator sees, and who calls the queue, which has
 * words of its own for what went wrong. */
extern const char *const problem_paths[];

/* ... and where they are flat: what the index has. */
extern const char *const flat_paths[];

/* The routes of the node and its services, and the rooms behind its own.  Closing what was
 * opened in part is fine. */
wr_err admin_open(struct node *node);
void admin_close(struct node *node);

#endif
