/* oap_server.c - the server: its table, its connections, its end. */
#include "net/oap_server.h"

#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>
#include <weir/task.h>

#include "net/iostat.h"

#define PAYLOAD_MAX ((size_t)1 << 20)
#define DEADLINE WR_S(2)
#define CONNECTIONS_MAX 1024
#define TENANT_MAX 256
#define TENANTS 4096                    /* that are known at the same time */
#define HELLO_WITHIN WR_S(2)
#define WITHIN WR_S(5)
#define IDLE_MAX WR_S(60)
#define LOOK_EVERY WR_MS(1)

static struct wr_metric rejects = {
    .name = "oap_rejects_total",
    .help = "Frames and requests that were refused, by the reason.",
    .type = WR_COUNTER, .labels = { "reason" }, .series_max = OAP_BAD_COUNT,
};

static struct wr_metric latency = {
    .name = "request_latency_seconds",
    .help = "From the first byte of a request to its answer.",
    .type = WR_HISTOGRAM,
    .svc = "oap",
    .labels = { "endpoint", "method" },
    .series_max = 64,
    .digits = WR_NS_AS_S,
    .bounds = IOSTAT_BOUNDS,
};

static struct wr_metric busy = {
    .name = "busy_rejections_total",
    .help = "Sends refused by a full channel.",
    .type = WR_COUNTER, .svc = "oap", .labels = { "endpoint" }, .series_max = 64,
};

void oap_count_reject(enum oap_bad bad)
{
    wr_counter_add(wr_metric_counter(&rejects, oap_bad_reason(bad)), 1);
}

void oap_count_call(const struct wr_oap_call *call)
{
    if (!call->verb)
        return;
    struct oap_stat *stat = &call->oap->stats[call->verb - call->oap->conf.verbs];
    wr_histogram_observe(stat->latency, wr_now() - call->began);
    if (call->failed == WR_BUSY)
        wr_counter_add(stat->busy, 1);
}

/* ---- making ---- */

#define DEFAULT(field, value) ((field) = (field) ? (field) : (value))

static void fill_in(struct wr_oap_conf *conf)
{
    DEFAULT(conf->frame_max, OAP_FRAME_MAX);
    DEFAULT(conf->chunk_max, OAP_CHUNK);
    DEFAULT(conf->connections_max, CONNECTIONS_MAX);
    DEFAULT(conf->inflight_max, OAP_INFLIGHT_MAX);
    DEFAULT(conf->tenant_max, TENANT_MAX);
    DEFAULT(conf->hello_within, HELLO_WITHIN);
    DEFAULT(conf->read_within, WITHIN);
    DEFAULT(conf->write_within, WITHIN);
    DEFAULT(conf->idle_max, IDLE_MAX);
    WR_ASSERT(conf->frame_max >= OAP_FRAME_MIN && conf->frame_max <= OAP_FRAME_MAX);
    WR_ASSERT(conf->chunk_max <= OAP_CHUNK);
    WR_ASSERT(conf->inflight_max <= OAP_INFLIGHT_MAX);
}

static void copy_verbs(struct wr_oap_verb *table, struct oap_stat *stats,
                       const struct wr_oap_conf *conf)
{
    for (size_t i = 0; i < conf->count; i++) {
        table[i] = conf->verbs[i];
        DEFAULT(table[i].payload_max, PAYLOAD_MAX);
        DEFAULT(table[i].deadline, DEADLINE);
        WR_ASSERT(table[i].id != WR_OAP_HELLO && table[i].name && table[i].handler);
        WR_ASSERT(table[i].payload_max <= OAP_BUFFER_MAX);
        for (size_t j = 0; j < i; j++)
            WR_ASSERT(table[i].id != table[j].id);
        stats[i].latency = wr_metric_histogram(&latency, table[i].name, "OAP");
        stats[i].busy = wr_metric_counter(&busy, table[i].name);
    }
}

static struct wr_kind conn_kind = WR_KIND("oap.conn");

static void serve_one(void *server, struct wr_stream *stream, struct wr_guest *guest)
{
    oap_conn_serve(server, stream, guest);
}

wr_err wr_oap_new(struct wr_oap **ret, const struct wr_oap_conf *conf)
{
    struct wr_oap *oap = calloc(1, sizeof(*oap));
    if (!oap)
        return WR_NOMEM;
    struct wr_oap_verb *table = calloc(conf->count + 1, sizeof(*table));
    oap->conf = *conf;
    oap->conf.verbs = table;
    oap->stats = calloc(conf->count + 1, sizeof(*oap->stats));
    wr_err err = table && oap->stats ? wr_once_new(&oap->drain, "oap.drain", 0) : WR_NOMEM;
    if (!err)
        err = door_init(&oap->door, &(struct door_conf){
            .name = "oap", .kind = &conn_kind, .serve = serve_one, .server = oap,
            .tls = conf->tls });
    if (!err)
        err = roster_new(&oap->tenants, "oap.tenants", TENANTS);
    if (err) {
        wr_oap_free(oap);
        return err;
    }
    copy_verbs(table, oap->stats, conf);
    fill_in(&oap->conf);
    wr_oap_tune(oap, conf);
    *ret = oap;
    return WR_OK;
}

void wr_oap_free(struct wr_oap *oap)
{
    if (!oap)
        return;
    roster_free(oap->tenants);
    door_fini(&oap->door);
    wr_once_free(oap->drain);
    free((void *)(uintptr_t)oap->conf.verbs);
    free(oap->stats);
    free(oap);
}

void wr_oap_tune(struct wr_oap *oap, const struct wr_oap_conf *given)
{
    struct wr_oap_conf conf = *given;
    struct oap_limits *now = &oap->now;
    fill_in(&conf);
    now->tenant_max = conf.tenant_max;
    now->hello_within = conf.hello_within;
    now->read_within = conf.read_within;
    now->write_within = conf.write_within;
    now->idle_max = conf.idle_max;
    door_tune(&oap->door, conf.connections_max, conf.hello_within);
    door_limit(&oap->door, &(struct wr_admit_limits){ .connections = conf.ip_connections,
                                                      .accepts = conf.ip_accepts,
                                                      .requests = conf.ip_requests,
                                                      .control = conf.ip_control });
}

void oap_share(struct wr_oap *oap, struct wr_admit *admit)
{
    door_share(&oap->door, admit);
}

void wr_oap_drain(struct wr_oap *oap)
{
    atomic_store(&oap->draining, true);
    (void)!wr_once_set(oap->drain, NULL);
}

wr_err (wr_oap_finish)(struct wr_oap *oap, wr_time deadline, const char *place)
{
    wr_err err = WR_OK;
    wr_oap_drain(oap);
    while (!err && (wr_oap_connections(oap) > 0 || atomic_load(&oap->calls) > 0)) {
        wr_time next = wr_after(LOOK_EVERY);
        err = wr_now() >= deadline ? WR_TIMEOUT
                                   : (wr_sleep)(next < deadline ? next : deadline, place);
    }
    return err;
}

wr_err wr_oap_serve(struct wr_oap *oap, struct wr_listener *listener)
{
    return door_serve(&oap->door, listener);
}

wr_err wr_oap_take(struct wr_oap *oap, struct wr_listener *listener, struct wr_scope *scope)
{
    return door_take(&oap->door, listener, scope);
}

size_t wr_oap_connections(const struct wr_oap *oap)
{
    return door_connections(&oap->door);
}
