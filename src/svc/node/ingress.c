/* ingress.c - the TransportIngress: OAP/1 in, by way of the same queue and workers. */
#include <stdio.h>
#include <stdlib.h>

#include <weir/oap.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/task.h>

#include "svc/node/node_int.h"

#define SNAPSHOT_MAX ((size_t)64 << 10)
#define LOOK_EVERY WR_MS(5)
#define LEAVE_WITHIN WR_MS(800)

struct ingress {
    struct wr_listener *listener;
    struct wr_oap *oap;
};

/* ---- verbs ---- */

static wr_err health_ping(struct wr_oap_call *call)
{
    struct node *node = wr_oap_arg(call);
    const struct settings *settings = settings_get(node);
    char buf[100];
    struct ready_view view;
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    ready_look(node->ready, &view);
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ready", view.ready);
    wr_json_u64(&json, "snapshot", settings->version);
    wr_json_end(&json);
    settings_put(node, settings);
    wr_oap_write(call, text.at, text.len);
    return WR_OK;
}

static wr_err config_snapshot(struct wr_oap_call *call)
{
    struct node *node = wr_oap_arg(call);
    const struct settings *settings = settings_get(node);
    struct wr_text text = wr_text_heap(SNAPSHOT_MAX);
    wr_conf_print_json(&text, settings->conf);
    settings_put(node, settings);
    wr_err err = text.cut ? WR_NOMEM : WR_OK;
    wr_oap_write(call, text.at, text.len);
    wr_text_free(&text);
    return err;
}

/* ---- the way to a worker ---- */

static void run_call(void *call)
{
    wr_oap_run(call);
}

static void refuse_call(void *call, wr_err err)
{
    wr_oap_refuse(call, err);
}

static wr_err submit(void *arg, struct wr_oap_call *call)
{
    struct node *node = arg;
    return pool_submit(node->pool, &(struct work){ run_call, refuse_call, call });
}

static wr_err auth(void *arg, struct wr_oap_call *call, const void *cap, size_t cap_len)
{
    struct node *node = arg;
    const char *why = NULL;
    wr_err err = gate_capability(node->gate, wr_oap_peer(call), cap, cap_len, &why);
    return err ? wr_oap_fail(call, err, "%s", why) : WR_OK;
}

static struct wr_oap_conf bounds_of(const struct wr_conf *conf)
{
    struct wr_http_limits limits = reload_limits(conf);
    return (struct wr_oap_conf){
        .connections_max = (unsigned)wr_conf_int(conf, "max_conns"),
        .ip_connections = limits.ip_connections,
        .ip_accepts = limits.ip_accepts,
        .hello_within = wr_conf_duration(conf, "io.handshake_timeout"),
        .read_within = wr_conf_duration(conf, "read_timeout"),
        .write_within = wr_conf_duration(conf, "write_timeout"),
        .idle_max = wr_conf_duration(conf, "idle_timeout"),
    };
}

void ingress_tune(struct ingress *ingress, const struct wr_conf *conf)
{
    struct wr_oap_conf bounds = bounds_of(conf);
    if (ingress)
        wr_oap_tune(ingress->oap, &bounds);
}

wr_err ingress_open(struct node *node, const struct wr_conf *conf)
{
    struct node_start *start = node->start;
    char text[WR_ADDR_TEXT_MAX];
    int fd = node_passed(node, "oap");
    if (fd < 0 && !wr_conf_has(conf, "oap_addr"))
        return WR_OK;
    struct ingress *ingress = calloc(1, sizeof(*ingress));
    if (!ingress)
        return WR_NOMEM;
    node->ingress = ingress;
    const struct wr_oap_verb verbs[] = {
        { .id = WR_OAP_HEALTH_PING, .name = "HEALTH_PING", .handler = health_ping, .arg = node,
          .priority = true },
        { .id = WR_OAP_CFG_SNAP, .name = "CFG_SNAP", .handler = config_snapshot, .arg = node },
    };
    struct wr_oap_conf server = bounds_of(conf);
    server.verbs = verbs;
    server.count = sizeof(verbs) / sizeof(*verbs);
    server.auth = auth;
    server.submit = submit;
    server.arg = node;
    server.tls = node->tls;
    server.frame_max = wr_conf_size(conf, "io.max_frame_bytes");
    wr_err err = fd >= 0 ? wr_listen_on(&ingress->listener, fd)
                         : wr_listen(&ingress->listener, wr_conf_addr(conf, "oap_addr"));
    if (err && fd < 0)
        snprintf(start->why, sizeof(start->why), "cannot listen on %s: %s",
                 wr_addr_print(wr_conf_addr(conf, "oap_addr"), text),
                 err == WR_EXISTS ? "something listens there already" : wr_err_text(err));
    if (!err)
        err = wr_oap_new(&ingress->oap, &server);
    return err;
}

void ingress_close(struct ingress *ingress)
{
    if (!ingress)
        return;
    wr_listener_close(ingress->listener);
    wr_oap_free(ingress->oap);
    free(ingress);
}

const struct wr_addr *ingress_addr(const struct ingress *ingress)
{
    return wr_listener_addr(ingress->listener);
}

/* ---- the child ---- */

static wr_err serve(void *arg)
{
    struct ingress *ingress = arg;
    return wr_oap_serve(ingress->oap, ingress->listener);
}

/* What is in flight is answered, by workers that leave after this; then its
 * connections close by themselves. */
static void leave(struct ingress *ingress)
{
    wr_time until = wr_after(LEAVE_WITHIN);
    wr_oap_drain(ingress->oap);
    while (wr_oap_connections(ingress->oap) > 0 && wr_now() < until
           && !wr_sleep(wr_after(LOOK_EVERY)))
        ;
}

wr_err ingress_run(void *arg, struct wr_once *drain)
{
    struct node *node = arg;
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "node.ingress",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(scope, "oap.server", serve, node->ingress);
    if (!err)
        err = wr_once_wait(drain, NULL, WR_NEVER);
    if (!err)
        leave(node->ingress);
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    return err;
}
