/* server.h - the inside of an HTTP server, for the files that serve connections. */
#ifndef WR_NET_SERVER_H
#define WR_NET_SERVER_H

#include <stdatomic.h>

#include <weir/http.h>
#include <weir/metric.h>
#include <weir/once.h>

#include "net/call.h"
#include "net/date.h"
#include "net/door.h"
#include "net/route.h"
#include "net/tally.h"

#define SERVER_SHARDS 8
#define SERVER_SPARE_MAX 64

/* A connection while it is served.  It lies in its fiber; its calls refer to it while
 * their heads are judged. */
struct visit {
    struct wr_http *http;
    struct wr_stream *stream;
    struct wr_guest *guest;            /* at the door; NULL when it is not counted */
    bool stranger;                  /* a process that may not use our Unix socket */
};

enum body_bound { BODY_OWN, BODY_USUAL, BODY_LARGE };

struct route_state {
    _Atomic unsigned running;
    enum body_bound body;           /* which bound it goes by: its own, or one in `now` */
    bool usual_deadline;            /* that in `now` */
    struct wr_histogram *latency;
    struct wr_counter *busy;
    struct tally tally;
};

/* What may change while it serves (wr_http_tune). */
struct limits {
    _Atomic size_t body_max, body_large;
    _Atomic unsigned tries_max;
    _Atomic wr_time deadline;
    _Atomic size_t decoded_max;
    _Atomic unsigned decoded_ratio_max;
    _Atomic wr_time head_within, body_within, write_within, idle_max;
};

struct wr_http {
    struct wr_http_conf conf;
    struct wr_http *next, **link;   /* among all servers, for tally.c */
    struct limits now;
    struct routes *routes;
    struct route_state *states;     /* one for each route */
    struct door door;
    _Atomic bool retiring;          /* an answer is the last of its connection */
    _Atomic bool draining;          /* ... and calls are refused */
    struct wr_once *drain;          /* set when it retires */
    _Atomic unsigned large_bodies;  /* that come in, or have and are being handled */
    struct date_stamp date;
    _Atomic(struct wr_call *) spare[SERVER_SPARE_MAX];
    struct { _Alignas(64) _Atomic size_t count; } answering[SERVER_SHARDS];
};

/* Count its connections with those of other servers (door_share). */
void server_share(struct wr_http *http, struct wr_admit *admit);

/* From its head to the end of its answer, a call is among those that are answered. */
void server_enter(struct wr_call *call);
void server_leave(struct wr_call *call);

/* Whether its address may ask for this now, or for what does not exist.  False: the answer
 * says so. */
bool server_pay(struct wr_call *call, wr_time now);

/* A call of priority runs, until server_release.  False: as many do as may, the answer says
 * so. */
bool server_hold(struct wr_call *call);
void server_release(struct wr_call *call);

/* Answer the requests of a connection until it ends; HTTP/1. */
void conn_serve(struct visit *visit);

/* Count an answer. */
void server_count(struct wr_http *http, const struct wr_call *call, wr_time now);

#endif
