/* ingress.c - the TransportIngress: OAP/1 in, by way of the same queue and workers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svc/node/node_int.h"

#define SNAPSHOT_MAX ((size_t)64 << 10)
#define OWN_VERBS 2

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

static const struct node_verb *verb_of(const struct node *node, uint16_t id)
{
    const struct node_start *start = node->start;
    for (size_t i = 0; i < start->service_count; i++)
        for (size_t j = 0; j < start->services[i].verb_count; j++)
            if (start->services[i].verbs[j].row.id == id)
                return &start->services[i].verbs[j];
    return NULL;
}

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
    const struct node_verb *verb = verb_of(node, wr_oap_verb_of(call)->id);
    if (verb && verb->submit)
        return verb->submit(verb->row.arg, call);
    return pool_submit(node->pool, &(struct work){ run_call, refuse_call, call });
}

/* ---- admission ---- */

/* The tenant that a token must be for; empty: he names none. */
static void name_tenant(const struct wr_oap_call *call, char *name)
{
    static const unsigned char none[WR_OAP_TENANT_SIZE];
    const unsigned char *tenant = wr_oap_tenant(call);
    name[0] = '\0';
    if (memcmp(tenant, none, sizeof(none)) == 0)
        return;
    for (size_t i = 0; i < WR_OAP_TENANT_SIZE; i++)
        snprintf(name + 2 * i, 3, "%02x", tenant[i]);
}

static wr_err enter_mailbox(struct node *node, struct wr_oap_call *call)
{
    struct facet_ask ask = { .deadline = wr_oap_deadline(call),
                             .tenant = caller_of_oap(call)->share };
    struct facet_refusal no;
    struct facet_permit *permit = calloc(1, sizeof(*permit));
    if (!permit)
        return WR_NOMEM;
    wr_err err = facet_enter(node->facets, FACET_MAILBOX, &ask, permit, &no);
    if (!err) {
        *wr_oap_memo(call) = permit;
        return WR_OK;
    }
    free(permit);
    return wr_oap_fail(call, err, "%s: %s", facet_name(FACET_MAILBOX), no.why);
}

static wr_err auth(void *arg, struct wr_oap_call *call, const void *cap, size_t cap_len)
{
    struct node *node = arg;
    char tenant[2 * WR_OAP_TENANT_SIZE + 1];
    const char *why = NULL;
    const struct wr_oap_verb *row = wr_oap_verb_of(call);
    const struct node_verb *verb = verb_of(node, row->id);
    name_tenant(call, tenant);
    struct gate_ask ask = { .peer = wr_oap_peer(call), .size = wr_oap_size(call), .cap = cap,
                            .cap_len = cap_len, .tenant = *tenant ? tenant : NULL,
                            .scope = verb ? verb->scope : GATE_READ,
                            .open_to_all = verb && verb->open_to_all,
                            .caller = caller_make_oap(call) };
    wr_err err = gate_capability(node->gate, &ask, &why);
    if (err)
        return wr_oap_fail(call, err, "%s", why);
    if (verb && verb->enter)
        return verb->enter(verb->row.arg, call);
    return row->priority ? WR_OK : enter_mailbox(node, call);
}

static void leave(void *arg, struct wr_oap_call *call)
{
    const struct node_verb *verb = verb_of(arg, wr_oap_verb_of(call)->id);
    if (verb && verb->leave) {
        verb->leave(verb->row.arg, call);
        return;
    }
    struct facet_permit *permit = *wr_oap_memo(call);
    if (permit)
        facet_leave(permit);
    free(permit);
}

/* ---- serving ---- */

struct wr_oap_conf ingress_bounds(const struct wr_conf *conf)
{
    return (struct wr_oap_conf){
        .hello_within = wr_conf_duration(conf, "io.handshake_timeout"),
        .read_within = wr_conf_duration(conf, "read_timeout"),
        .write_within = wr_conf_duration(conf, "write_timeout"),
        .idle_max = wr_conf_duration(conf, "idle_timeout"),
    };
}

/* The node's own, and those of the services that are enabled. */
static size_t choose_verbs(struct node *node, const struct wr_conf *conf,
                           struct wr_oap_verb *verbs)
{
    const struct node_start *start = node->start;
    size_t count = 0;
    verbs[count++] = (struct wr_oap_verb){ .id = WR_OAP_HEALTH_PING, .name = "HEALTH_PING",
                                           .handler = health_ping, .arg = node,
                                           .priority = true };
    verbs[count++] = (struct wr_oap_verb){ .id = WR_OAP_CFG_SNAP, .name = "CFG_SNAP",
                                           .handler = config_snapshot, .arg = node };
    for (size_t i = 0; i < start->service_count; i++) {
        const struct node_service *service = &start->services[i];
        if (!bind_enabled(conf, service->name))
            continue;
        for (size_t j = 0; j < service->verb_count; j++) {
            WR_ASSERT(count < OWN_VERBS + NODE_VERBS_MAX && !service->verbs[j].row.priority);
            verbs[count++] = service->verbs[j].row;
        }
    }
    return count;
}

wr_err ingress_open(struct front *front, struct node *node, const struct wr_conf *conf,
                    struct wr_tls *tls)
{
    struct wr_oap_verb verbs[OWN_VERBS + NODE_VERBS_MAX];
    struct wr_oap_conf server = ingress_bounds(conf);
    server.verbs = verbs;
    server.count = choose_verbs(node, conf, verbs);
    server.auth = auth;
    server.submit = submit;
    server.leave = leave;
    server.arg = node;
    server.tls = tls;
    server.frame_max = wr_conf_size(conf, "io.max_frame_bytes");
    server.chunk_max = wr_conf_size(conf, "limits.max_chunk_bytes");
    return front_oap(front, &server);
}
