/* ingress.c - the TransportIngress: OAP/1 in, by way of the same queue and workers. */
#include "svc/node/node_int.h"

#define SNAPSHOT_MAX ((size_t)64 << 10)

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
    wr_err err = gate_capability(node->gate, wr_oap_peer(call), wr_oap_size(call), cap, cap_len,
                                 &why);
    return err ? wr_oap_fail(call, err, "%s", why) : WR_OK;
}

struct wr_oap_conf ingress_bounds(const struct wr_conf *conf)
{
    return (struct wr_oap_conf){
        .hello_within = wr_conf_duration(conf, "io.handshake_timeout"),
        .read_within = wr_conf_duration(conf, "read_timeout"),
        .write_within = wr_conf_duration(conf, "write_timeout"),
        .idle_max = wr_conf_duration(conf, "idle_timeout"),
    };
}

wr_err ingress_open(struct front *front, struct node *node, const struct wr_conf *conf,
                    struct wr_tls *tls)
{
    const struct wr_oap_verb verbs[] = {
        { .id = WR_OAP_HEALTH_PING, .name = "HEALTH_PING", .handler = health_ping, .arg = node,
          .priority = true },
        { .id = WR_OAP_CFG_SNAP, .name = "CFG_SNAP", .handler = config_snapshot, .arg = node },
    };
    struct wr_oap_conf server = ingress_bounds(conf);
    server.verbs = verbs;
    server.count = sizeof(verbs) / sizeof(*verbs);
    server.auth = auth;
    server.submit = submit;
    server.arg = node;
    server.tls = tls;
    server.frame_max = wr_conf_size(conf, "io.max_frame_bytes");
    server.chunk_max = wr_conf_size(conf, "limits.max_chunk_bytes");
    return front_oap(front, &server);
}
