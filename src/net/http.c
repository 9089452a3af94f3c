/* http.c - the server: its table, its connections, its end. */
#include <weir/http.h>

#include <stdlib.h>
#include <string.h>

#include <weir/task.h>

#include "net/iostat.h"
#include "net/reject.h"
#include "net/server.h"
#include "net/unzip.h"

#define BODY_MAX ((size_t)1 << 20)
#define BODY_LARGE_MAX ((size_t)4 << 20)
#define TRIES_MAX 3
#define DEADLINE WR_S(2)
#define LONG_DEADLINE WR_S(300)
#define STREAM_DEADLINE WR_S(3600)
#define DECODED_MAX ((size_t)32 << 20)
#define CONNECTIONS_MAX 1024
#define WITHIN WR_S(5)
#define HANDSHAKE_WITHIN WR_S(2)
#define IDLE_MAX WR_S(60)
#define LOOK_EVERY WR_MS(1)

static struct wr_metric latency = {
    .name = "request_latency_seconds",
    .help = "From the first byte of a request to its answer.",
    .type = WR_HISTOGRAM,
    .labels = { "endpoint", "method" },
    .series_max = 256,
    .digits = WR_NS_AS_S,
    .bounds = IOSTAT_BOUNDS,
};

static struct wr_metric busy = {
    .name = "busy_rejections_total",
    .help = "Sends refused by a full channel.",
    .type = WR_COUNTER, .labels = { "endpoint" }, .series_max = 256,
};

/* ---- connections ---- */

/* Whether a Unix socket is used by somebody who may not. */
static bool is_stranger(const struct wr_http_conf *conf, const struct wr_stream *stream)
{
    uint32_t uid;
    int32_t pid;
    if (wr_stream_peer(stream)->kind != WR_ADDR_UNIX || conf->uid_count == 0)
        return false;
    wr_err err = wr_stream_peer_process(stream, &uid, &pid);
    for (size_t i = 0; i < conf->uid_count && !err; i++)
        if (conf->uids[i] == uid)
            return false;
    return true;
}

static struct wr_kind conn_kind = WR_KIND("http.conn");

static void serve_one(void *server, struct wr_stream *stream, struct wr_guest *guest)
{
    struct wr_http *http = server;
    struct visit visit = { .http = http, .stream = stream, .guest = guest,
                           .stranger = is_stranger(&http->conf, stream) };
    conn_serve(&visit);
}

/* ---- making ---- */

/* What has priority is answered at once: it takes a body only when it says how large. */
static bool takes_body(const struct wr_route *route)
{
    if (route->class == WR_ROUTE_PRIORITY && !route->body_max)
        return false;
    return !route->method
        || (strcmp(route->method, "GET") != 0 && strcmp(route->method, "DELETE") != 0);
}

#define DEFAULT(field, value) ((field) = (field) ? (field) : (value))

/* The table with its defaults filled in: ours, because the caller's is const. */
static struct wr_route *copy_table(const struct wr_http_conf *conf)
{
    struct wr_route *table = calloc(conf->count + 1, sizeof(*table));
    if (!table)
        return NULL;
    for (size_t i = 0; i < conf->count; i++) {
        table[i] = conf->routes[i];
        DEFAULT(table[i].deadline, table[i].class == WR_ROUTE_LONG     ? LONG_DEADLINE
                                   : table[i].class == WR_ROUTE_STREAM ? STREAM_DEADLINE
                                   : conf->deadline                    ? conf->deadline
                                                                       : DEADLINE);
        if (!takes_body(&table[i]))
            table[i].body_max = 0;
        else if (table[i].body_max == WR_BODY_LARGE)
            table[i].body_max = conf->body_large ? conf->body_large : BODY_LARGE_MAX;
        else
            DEFAULT(table[i].body_max, conf->body_max ? conf->body_max : BODY_MAX);
    }
    return table;
}

/* Which of its bounds are not its own, and follow wr_http_tune. */
static void note_bounds(struct route_state *state, const struct wr_route *route)
{
    bool waits = route->class == WR_ROUTE_LONG || route->class == WR_ROUTE_STREAM;
    state->usual_deadline = !route->deadline && !waits;
    if (!takes_body(route))
        return;
    state->body = route->body_max == WR_BODY_LARGE ? BODY_LARGE
                  : route->body_max == 0           ? BODY_USUAL
                                                   : BODY_OWN;
}

void wr_http_tune(struct wr_http *http, const struct wr_http_conf *conf)
{
    struct limits *now = &http->now;
    now->body_max = conf->body_max ? conf->body_max : BODY_MAX;
    now->body_large = conf->body_large ? conf->body_large : BODY_LARGE_MAX;
    now->deadline = conf->deadline ? conf->deadline : DEADLINE;
    now->tries_max = conf->tries_max ? conf->tries_max : TRIES_MAX;
    now->decoded_max = conf->decoded_max ? conf->decoded_max : DECODED_MAX;
    now->decoded_ratio_max =
        conf->decoded_ratio_max ? conf->decoded_ratio_max : UNZIP_RATIO_MAX;
    now->head_within = conf->head_within ? conf->head_within : WITHIN;
    now->body_within = conf->body_within ? conf->body_within : WITHIN;
    now->write_within = conf->write_within ? conf->write_within : WITHIN;
    now->idle_max = conf->idle_max ? conf->idle_max : IDLE_MAX;
    door_tune(&http->door, conf->connections_max ? conf->connections_max : CONNECTIONS_MAX,
              conf->handshake_within ? conf->handshake_within : HANDSHAKE_WITHIN);
}

/* What has to be had; on an error the caller lets go of as much as there is. */
static wr_err build(struct wr_http *http, const struct wr_http_conf *conf, const char *place)
{
    struct wr_route *table = copy_table(conf);
    http->conf = *conf;
    http->conf.routes = table;
    http->states = calloc(conf->count + 1, sizeof(*http->states));
    wr_err err = table && http->states ? wr_once_new(&http->drain, "http.drain", 0) : WR_NOMEM;
    if (!err)
        err = door_init(&http->door, &(struct door_conf){
            .name = "http", .kind = &conn_kind, .serve = serve_one, .server = http,
            .tls = conf->tls });
    return err ? err : routes_new(&http->routes, table, conf->count, place);
}

/* One that may be all zero, or built in part. */
static void let_go(struct wr_http *http)
{
    for (size_t i = 0; i < SERVER_SPARE_MAX; i++)
        call_drop(atomic_load(&http->spare[i]));
    routes_free(http->routes);
    door_fini(&http->door);
    wr_once_free(http->drain);
    free((void *)(uintptr_t)http->conf.routes);
    free(http->states);
    free(http);
}

wr_err (wr_http_new)(struct wr_http **ret, const struct wr_http_conf *conf, const char *place)
{
    struct wr_http *http = aligned_alloc(_Alignof(struct wr_http), sizeof(*http));
    if (!http)
        return WR_NOMEM;
    memset(http, 0, sizeof(*http));
    wr_err err = build(http, conf, place);
    if (err) {
        let_go(http);
        return err;
    }
    wr_http_limit(http, &conf->limits);
    wr_http_tune(http, conf);
    for (size_t i = 0; i < conf->count; i++) {
        const struct wr_route *route = &http->conf.routes[i];
        struct route_state *state = &http->states[i];
        note_bounds(state, &conf->routes[i]);
        state->latency = wr_metric_histogram(&latency, route->path, route->method);
        state->busy = wr_metric_counter(&busy, route->path);
        state->tally = (struct tally){ .route = route->path, .method = route->method };
    }
    tally_show(http);
    *ret = http;
    return WR_OK;
}

void wr_http_free(struct wr_http *http)
{
    if (!http)
        return;
    tally_forget(http);
    let_go(http);
}

void wr_http_limit(struct wr_http *http, const struct wr_http_limits *limits)
{
    door_limit(&http->door, &(struct wr_admit_limits){ .connections = limits->ip_connections,
                                                       .accepts = limits->ip_accepts,
                                                       .requests = limits->ip_requests,
                                                       .control = limits->ip_control });
}

void server_share(struct wr_http *http, struct wr_admit *admit)
{
    door_share(&http->door, admit);
}

void wr_http_retire(struct wr_http *http)
{
    atomic_store(&http->retiring, true);
    (void)!wr_once_set(http->drain, NULL);
}

void wr_http_drain(struct wr_http *http)
{
    atomic_store(&http->draining, true);
    wr_http_retire(http);
}

static bool nobody(struct wr_http *http)
{
    size_t sum = 0;
    for (size_t i = 0; i < SERVER_SHARDS; i++)
        sum += atomic_load(&http->answering[i].count);
    return sum == 0;
}

static size_t shard_of(const struct wr_call *call)
{
    return ((uintptr_t)call >> 8) % SERVER_SHARDS;
}

void server_enter(struct wr_call *call)
{
    atomic_fetch_add(&call->http->answering[shard_of(call)].count, 1);
    call->entered = true;
}

/* The answer says so. */
static bool refused(struct wr_call *call, const struct wr_admit_refusal *why, const char *text)
{
    call->rejected = why->reason;
    wr_call_retry_after(call, why->wait);
    call_refuse(call, WR_BUSY, 429, text);
    return false;
}

bool server_pay(struct wr_call *call, wr_time now)
{
    struct wr_admit *admit = call->http->door.admit;
    struct wr_admit_refusal why;
    call->guest = call->visit->guest;
    bool control = call->route && call->route->class == WR_ROUTE_PRIORITY;
    return !(control ? wr_admit_control(admit, call->guest, now, &why)
                     : wr_admit_request(admit, call->guest, now, &why))
        || refused(call, &why, "this address asks more often than it may");
}

bool server_hold(struct wr_call *call)
{
    struct wr_admit_refusal why;
    call->control = !wr_admit_control_enter(call->http->door.admit, call->guest, &why);
    return call->control
        || refused(call, &why, strcmp(why.reason, "control_share") == 0
                                   ? "as many calls of this kind run as may, of all addresses"
                                   : "as many calls of this kind run as may, of this address");
}

void server_release(struct wr_call *call)
{
    if (call->control)
        wr_admit_control_leave(call->http->door.admit, call->guest);
    call->control = false;
}

void server_leave(struct wr_call *call)
{
    struct wr_http *http = call->http;
    if (call->admitted && http->conf.leave)
        http->conf.leave(http->conf.arg, call);
    server_release(call);           /* of one that has panicked */
    call->entered = call->admitted = false;
    /* The last touch: who sees nobody may free the server. */
    atomic_fetch_sub(&http->answering[shard_of(call)].count, 1);
}

wr_err (wr_http_finish)(struct wr_http *http, wr_time deadline, const char *place)
{
    wr_err err = WR_OK;
    wr_http_drain(http);
    while (!err && !nobody(http)) {
        wr_time next = wr_after(LOOK_EVERY);
        err = wr_now() >= deadline ? WR_TIMEOUT
                                   : (wr_sleep)(next < deadline ? next : deadline, place);
    }
    return err;
}

wr_err wr_http_serve(struct wr_http *http, struct wr_listener *listener)
{
    return door_serve(&http->door, listener);
}

wr_err wr_http_take(struct wr_http *http, struct wr_listener *listener, struct wr_scope *scope)
{
    return door_take(&http->door, listener, scope);
}

size_t wr_http_connections(const struct wr_http *http)
{
    return door_connections(&http->door);
}

void server_count(struct wr_http *http, const struct wr_call *call, wr_time now)
{
    if (call->route)
        wr_histogram_observe(http->states[call->route_index].latency, now - call->began);
    tally_count(call->route ? &http->states[call->route_index].tally : NULL, call->status);
    if (call->failed)
        reject_count_call(call);
}
