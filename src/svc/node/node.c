/* node.c - the node put together: see node.h. */
#include "svc/node/node.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/file.h>
#include <weir/log.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/signal.h>
#include <weir/task.h>

#include "net/body_file.h"
#include "svc/node/bench.h"
#include "svc/node/node_int.h"

#define ADMIN_TOKEN_MAX ((size_t)4096)
#define SPOOL_WITHIN WR_S(10)

enum { GROUP_METRICS, GROUP_HTTP, GROUP_KEEPING, GROUP_BELOW, GROUP_WORKERS, GROUP_INGRESS };

/* ---- HTTP ---- */

static void run_call(void *call)
{
    wr_call_run(call);
}

static void refuse_call(void *call, wr_err err)
{
    wr_call_refuse(call, err);
}

static wr_err submit(void *arg, struct wr_call *call)
{
    struct node *node = arg;
    struct work work = { run_call, refuse_call, call };
    return wr_call_repeated(call) ? pool_resubmit(node->pool, &work)
                                  : pool_submit(node->pool, &work);
}

/* What went wrong is worth a line; the queue of lines loses its oldest, not us time. */
static void leave(void *arg, struct wr_call *call)
{
    struct node *node = arg;
    unsigned status = wr_call_answered(call);
    if (*wr_call_memo(call))
        facet_leave(*wr_call_memo(call));
    if (status < 500)
        return;
    struct notice notice = { .event = "call.failed", .route = wr_call_route(call)->path,
                             .status = status, .latency = wr_now() - wr_call_began(call) };
    snprintf(notice.corr_id, sizeof(notice.corr_id), "%s", wr_call_corr_id(call));
    wr_addr_print(wr_call_peer(call), notice.peer);
    (void)!wr_chan_send(node->telemetry, &notice, WR_NOW);
}

/* ---- admission ---- */

static wr_err enter_facet(struct node *node, struct wr_call *call,
                          const struct node_policy *policy)
{
    struct facet_ask ask = { .deadline = wr_call_deadline(call),
                             .tenant = caller_of(call)->share };
    struct facet_refusal no;
    struct facet_permit *permit = wr_call_alloc(call, sizeof(*permit));
    if (!permit)
        return WR_NOMEM;
    if (policy->ask)
        policy->ask(call, &ask);
    wr_err err = facet_enter(node->facets, policy->facet, &ask, permit, &no);
    if (err)
        return wr_call_fail(call, err, "%s: %s", facet_name(policy->facet), no.why);
    *wr_call_memo(call) = permit;
    return WR_OK;
}

static void ask_to_wait(struct wr_call *call, struct facet_ask *ask)
{
    (void)call;
    ask->waits = true;
}

const struct node_policy node_waits = { .facet = FACET_MAILBOX, .ask = ask_to_wait };

static wr_err admit(void *arg, struct wr_call *call)
{
    struct node *node = arg;
    const struct node_policy *policy = wr_call_route(call)->policy;
    wr_err err = gate_admit(node->gate, call);
    return err || !policy ? err : enter_facet(node, call, policy);
}

struct wr_http_conf node_http(struct node *node, const struct wr_conf *conf)
{
    return (struct wr_http_conf){
        .routes = node->routes,
        .count = node->route_count,
        .problems = problem_paths,
        .flats = flat_paths,
        .submit = submit,
        .admit = admit,
        .leave = leave,
        .arg = node,
        .spool = node->spool[0] ? node->spool : NULL,
        .body_max = wr_conf_size(conf, "limits.max_body_bytes"),
        .body_large = wr_conf_size(conf, "overlay.max_body_bytes"),
        .deadline = wr_conf_duration(conf, "overlay.request_deadline"),
        .tries_max = (unsigned)wr_conf_int(conf, "retry.max_tries"),
        .decoded_max = wr_conf_size(conf, "limits.max_inflated_bytes"),
        .decoded_ratio_max = (unsigned)wr_conf_int(conf, "limits.decompress_ratio_cap"),
        .handshake_within = wr_conf_duration(conf, "io.handshake_timeout"),
        .head_within = wr_conf_duration(conf, "read_timeout"),
        .body_within = wr_conf_duration(conf, "read_timeout"),
        .write_within = wr_conf_duration(conf, "write_timeout"),
        .idle_max = wr_conf_duration(conf, "idle_timeout"),
    };
}

static void tell(const struct notice *notice)
{
    wr_log(WR_INFO, notice->event, WR_F_STR("route", notice->route),
           WR_F_U64("status", notice->status), WR_F_MS("latency_ms", notice->latency),
           WR_F_STR("corr_id", notice->corr_id), WR_F_STR("peer", notice->peer));
}

static wr_err tell_all(void *arg)
{
    struct node *node = arg;
    struct notice notice;
    wr_err err;
    while (!(err = wr_chan_recv(node->telemetry, &notice, WR_NEVER)))
        tell(&notice);
    return err == WR_CLOSED ? WR_OK : err;
}

/* The control plane, and what is told by the way: it hears the last word. */
wr_err metrics_run(void *arg, struct wr_once *drain)
{
    struct node *node = arg;
    struct notice notice;
    wr_err err = wr_scope_go(wr_scope_self(), "node.telemetry", tell_all, node);
    if (!err)
        err = inlet_run(node->inlets[WAY_METRICS], drain);
    while (!wr_chan_recv(node->telemetry, &notice, WR_NOW))
        tell(&notice);
    if (!err)
        wr_chan_close(node->telemetry);     /* one that failed is started again */
    return err;
}

/* ---- the parts ---- */

static uint64_t same(const void *item)
{
    (void)item;
    return 0;
}

static void drop_conf(void *item)
{
    wr_conf_unref(*(struct wr_conf **)item);
}

static void drop_settings(void *snapshot)
{
    wr_conf_unref(((struct settings *)snapshot)->conf);
}

static wr_err open_channels(struct node *node, const struct wr_conf *conf)
{
    static const bool no = false;
    size_t workers = wr_conf_permits(conf, "workers.count");
    wr_err err = bus_new(&node->bus, (size_t)wr_conf_int(conf, "channels.bus"));
    if (!err)
        err = wr_chan_new(&node->updates, &(struct wr_chan_conf){
            .name = "node.cfg_updates", .item_size = sizeof(struct wr_conf *),
            .cap = (size_t)wr_conf_int(conf, "channels.cfg_updates"), .policy = WR_COALESCE,
            .key = same, .drop = drop_conf });
    if (!err)
        err = wr_chan_new(&node->reloads, &(struct wr_chan_conf){
            .name = "node.reloads", .item_size = sizeof(bool), .cap = 1,
            .policy = WR_COALESCE, .key = same });
    if (!err)
        err = wr_chan_new(&node->telemetry, &(struct wr_chan_conf){
            .name = "node.telemetry", .item_size = sizeof(struct notice),
            .cap = (size_t)wr_conf_int(conf, "channels.telemetry"), .policy = WR_DROP_OLDEST });
    if (!err)
        err = wr_watch_new(&node->shutdown, &node->shutdown_writer, &(struct wr_watch_conf){
            .name = "node.shutdown", .size = sizeof(bool), .initial = &no });
    if (!err)
        err = pool_new(&node->pool, workers < POOL_WORKERS_MAX ? workers : POOL_WORKERS_MAX,
                       (size_t)wr_conf_int(conf, "channels.work"));
    if (!err)
        pool_pace(node->pool, wr_conf_duration(conf, "overlay.request_deadline"));
    return err;
}

/* ---- the store, and who has it ---- */

static wr_err open_services(struct node *node, const struct wr_conf *conf)
{
    const struct node_start *start = node->start;
    for (; node->services_open < start->service_count; node->services_open++) {
        const struct node_service *service = &start->services[node->services_open];
        wr_err err = service->open ? service->open(service->arg, conf, node->depot.store,
                                                   node->start->why)
                                   : WR_OK;
        if (err)
            return err;
    }
    return WR_OK;
}

static wr_err open_spool(struct node *node, const struct wr_conf *conf)
{
    snprintf(node->spool, sizeof(node->spool), "%s/spool", wr_conf_text(conf, "data"));
    wr_err err = body_file_prepare(node->spool, wr_after(SPOOL_WITHIN));
    if (err)
        snprintf(node->start->why, sizeof(node->start->why),
                 "%.300s, where large bodies come to, cannot be had: %s", node->spool,
                 wr_err_text(err));
    return err;
}

static wr_err open_store(struct node *node, const struct wr_conf *conf)
{
    bool forgets = wr_conf_bool(conf, "security.amnesia");
    wr_err err = depot_open(&node->depot, conf, node->start->why);
    if (!err && !forgets)
        err = open_spool(node, conf);
    if (!err)
        err = diary_new(&node->diary, forgets ? NULL : node->depot.store);
    return err ? err : open_services(node, conf);
}

static void close_store(struct node *node)
{
    while (node->services_open > 0) {
        const struct node_service *service = &node->start->services[--node->services_open];
        if (service->close)
            service->close(service->arg);
    }
    diary_free(node->diary);
    depot_close(&node->depot);
}

/* The admin's token, out of the environment or a file.  Errors: as wr_file_read. */
static wr_err load_admin(struct node *node, const struct wr_conf *conf)
{
    char *text;
    size_t len;
    const char *path = wr_conf_text(conf, "admin.token_path");
    if (wr_conf_has(conf, "admin.token"))
        node->admin = wr_secret_ref(wr_conf_secret(conf, "admin.token"));
    if (node->admin || !path)
        return WR_OK;
    wr_err err = wr_file_read(&text, &len, path, ADMIN_TOKEN_MAX, wr_after(WR_S(5)));
    if (err) {
        snprintf(node->start->why, sizeof(node->start->why),
                 "admin.token_path = \"%s\" cannot be read: %s", path, wr_err_text(err));
        return err;
    }
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        len--;
    err = wr_secret_new(&node->admin, text, len);
    free(text);
    return err;
}

/* What stands between those who come and the work. */
static wr_err open_guards(struct node *node, const struct wr_conf *conf)
{
    struct facets_conf facets = reload_facets(conf);
    wr_err err = facets_new(&node->facets, &facets);
    if (!err)
        err = wr_admit_new(&node->admit, &(struct wr_admit_limits){ 0 }, 0);
    if (!err)
        err = wr_admit_new(&node->control_admit, &(struct wr_admit_limits){ 0 }, 0);
    if (!err)                               /* a Unix socket has no addresses */
        err = wr_admit_new(&node->local_admit, &(struct wr_admit_limits){ 0 }, 1);
    if (!err)
        err = load_admin(node, conf);
    if (err)
        return err;
    reload_admit(node, conf);
    const struct wr_addr *addr = wr_conf_addr(conf, "http_addr");
    struct gate_conf gate = { .open = wr_addr_loopback(addr),
                              .amnesia = wr_conf_bool(conf, "security.amnesia"),
                              .admin = node->admin };
    wr_addr_print(addr, gate.self);
    if (wr_conf_has(conf, "auth.key_path")) {
        err = keyring_load(&node->keys, wr_conf_text(conf, "auth.key_path"), wr_after(WR_S(5)),
                           node->start->why);
        if (err)
            return err;
        gate.keys = node->keys->keys;
        gate.key_count = node->keys->count;
    }
    return gate_new(&node->gate, &gate);
}

int node_passed(struct node *node, const char *name)
{
    return node->start->manager ? wr_manager_take(node->start->manager, name) : -1;
}

void node_news(struct node *node, enum wr_news news, const char *status)
{
    if (node->start->manager)
        (void)!wr_manager_tell(node->start->manager, news, status);
}

static wr_err open_inlets(struct node *node, const struct wr_conf *conf)
{
    struct binding binding = { 0 };
    wr_err err = bind_open(&binding, node, conf, NULL, node->start->why);
    if (err)
        return err;
    err = bind_apply(&binding, node, WR_NOW);
    bind_drop(&binding);
    return err;
}

static void add_child(struct node *node, struct wr_child child)
{
    WR_ASSERT(node->count < NODE_CHILDREN_MAX);
    node->children[node->count++] = child;
}

static void add_service_children(struct node *node, unsigned group, wr_time stop_within)
{
    unsigned wanted = group == GROUP_BELOW ? NODE_BELOW : NODE_TASKS;
    for (size_t i = 0; i < node->start->service_count; i++) {
        const struct node_service *service = &node->start->services[i];
        for (size_t j = 0; j < service->child_count; j++) {
            struct wr_child child = service->children[j];
            if (child.group != wanted)
                continue;
            child.group = group;
            child.stop_within = stop_within;
            add_child(node, child);
        }
    }
}

static wr_err open_supervisor(struct node *node, const struct wr_conf *conf)
{
    add_child(node, (struct wr_child){ "node.metrics", metrics_run, node, WR_RESTART_ALWAYS,
                                       .group = GROUP_METRICS, .control = true });
    add_child(node, (struct wr_child){ "node.audit", diary_run, node->diary, WR_RESTART_ALWAYS,
                                       .group = GROUP_METRICS, .control = true });
    add_child(node, (struct wr_child){ "node.http", inlet_run, node->inlets[WAY_HTTP],
                                       WR_RESTART_ALWAYS, .group = GROUP_HTTP,
                                       .stop_within = WR_S(1) });
    add_child(node, (struct wr_child){ "node.local", inlet_run, node->inlets[WAY_LOCAL],
                                       WR_RESTART_ALWAYS, .group = GROUP_HTTP,
                                       .stop_within = WR_S(1), .control = true });
    add_child(node, (struct wr_child){ "node.health", health_run, node, WR_RESTART_ALWAYS,
                                       .group = GROUP_KEEPING, .control = true });
    add_child(node, (struct wr_child){ "node.config", reload_run, node, WR_RESTART_ALWAYS,
                                       .group = GROUP_KEEPING, .control = true });
    add_service_children(node, GROUP_BELOW, 0);
    /* A worker that is not done is aborted while there is time to tell its caller. */
    wr_time drain = wr_conf_duration(conf, "drain_deadline");
    node->first_worker = node->count;
    for (size_t i = 0; i < pool_size(node->pool); i++)
        add_child(node, (struct wr_child){ "node.worker", pool_work, pool_seat(node->pool, i),
                                           WR_RESTART_ALWAYS, .group = GROUP_WORKERS,
                                           .stop_within = drain / 5 * 4 });
    add_service_children(node, GROUP_WORKERS, drain / 5 * 4);
    add_child(node, (struct wr_child){ "node.ingress", inlet_run, node->inlets[WAY_OAP],
                                       WR_RESTART_ALWAYS, .group = GROUP_INGRESS,
                                       .stop_within = WR_S(1) });
    add_child(node, (struct wr_child){ "node.bench", bench_run, node, WR_RESTART_ALWAYS,
                                       .group = GROUP_INGRESS, .stop_within = WR_S(1) });
    return wr_sup_new(&node->sup, &(struct wr_sup_conf){
        .name = "node", .children = node->children, .count = node->count,
        .drain_within = drain });
}

static wr_err open_node(struct node *node)
{
    struct wr_conf *conf = wr_conf_ref(node->start->conf);
    reload_log(conf);
    wr_err err = wr_cell_new(&node->settings, &node->settings_writer, &(struct wr_cell_conf){
        .name = "node.settings", .size = sizeof(struct settings),
        .initial = &(struct settings){ conf, 1 }, .drop = drop_settings });
    if (err) {
        wr_conf_unref(conf);
        return err;
    }
    err = open_store(node, conf);
    if (!err)
        err = open_channels(node, conf);
    if (!err)
        err = admin_open(node);
    if (!err)
        err = open_guards(node, conf);
    if (!err)
        err = open_inlets(node, conf);
    if (!err)
        err = open_supervisor(node, conf);
    if (!err)
        err = health_table(node);
    return err;
}

static void close_node(struct node *node)
{
    wr_sup_free(node->sup);
    ready_free(node->ready);
    if (node->pool)
        pool_close(node->pool);         /* its calls belong to the fronts */
    for (size_t i = 0; i < WAY_COUNT; i++)
        inlet_free(node->inlets[i]);
    wr_admit_free(node->admit);
    wr_admit_free(node->control_admit);
    wr_admit_free(node->local_admit);
    gate_free(node->gate);
    keyring_free(node->keys);
    wr_secret_unref(node->admin);
    facets_free(node->facets);
    wr_tls_free(node->tls);
    pool_free(node->pool);
    wr_watch_free(node->shutdown);
    wr_chan_free(node->telemetry);
    wr_chan_free(node->reloads);
    wr_chan_free(node->updates);
    wr_bcast_free(node->bus);
    wr_cell_free(node->settings);
    admin_close(node);
    close_store(node);
    free(node);
}

/* ---- the conductor ---- */

/* Readiness flips first, then everybody can know, then the order of the supervisor. */
void node_stop(struct node *node)
{
    if (!atomic_exchange(&node->leaving, true)) {
        node_news(node, WR_NEWS_STOPPING, "draining");
        ready_leave(node->ready);
        diary_note(node->diary, &(struct diary_event){ .type = "node.drain", .told = true });
        wr_watch_set(&node->shutdown_writer, &(bool){ true });
        bus_tell(node->bus, BUS_SHUTDOWN, NULL, false, 0);
    }
    wr_sup_stop(node->sup);
}

void node_reload(struct node *node)
{
    (void)!wr_chan_send(node->reloads, &(bool){ true }, WR_NOW);
}

static void obey(struct node *node, int number)
{
    if (number == SIGHUP)
        node_reload(node);
    else
        node_stop(node);
}

/* What there is to tell of where it listens, if that is not what was told. */
static void announce(struct node *node, struct node_face *told)
{
    struct node_face face = { .took = told->moved ? told->took : wr_now() - node->began,
                              .moved = told->moved };
    (void)inlet_addr(node->inlets[WAY_HTTP], &face.http);
    (void)inlet_addr(node->inlets[WAY_METRICS], &face.control);
    (void)inlet_addr(node->inlets[WAY_OAP], &face.oap);
    const struct settings *settings = settings_get(node);
    face.tls = wr_conf_bool(settings->conf, "tls.enabled");
    settings_put(node, settings);
    if (told->moved && face.tls == told->tls && wr_addr_equal(&face.http, &told->http)
        && wr_addr_equal(&face.control, &told->control) && wr_addr_equal(&face.oap, &told->oap))
        return;
    node_news(node, WR_NEWS_READY, "ready");
    if (node->start->ready)
        node->start->ready(node->start->arg, &face);
    *told = face;
    told->moved = true;
}

struct conductor { struct node *node; struct wr_signal *signals; };

/* Nobody hears signals any more: better none than a deaf one. */
static void give_up(void *node)
{
    node_stop(node);
}

/* The bus tells each second that it is time to look whether there is news. */
static wr_err conduct(void *arg)
{
    struct conductor *conductor = arg;
    struct node *node = conductor->node;
    struct bus_reader bus = bus_reader(node->bus, "supervisor");
    struct bus_event event;
    struct wr_conf *conf;
    int number;
    struct wr_case cases[] = {
        WR_CASE_RECV(node->updates, &conf),
        bus_case(&bus, &event),
        WR_CASE_RECV(conductor->signals ? wr_signal_chan(conductor->signals) : NULL, &number),
    };
    size_t which, count = conductor->signals ? 3 : 2;
    struct node_face told = { 0 };
    struct wr_cleanup cleanup = { .fn = give_up, .arg = node };
    wr_err err;
    wr_cleanup_push(&cleanup);
    while (!(err = wr_select(&which, cases, count, WR_NEVER))) {
        if (which == 0)
            reload_apply(node, conf);
        else if (which == 2)
            obey(node, number);
        else
            bus_took(&bus, cases[1].err);
        struct ready_view view;
        if (!atomic_load(&node->leaving)
            && (told.moved || (ready_look(node->ready, &view), view.ready)))
            announce(node, &told);
    }
    wr_cleanup_pop(&cleanup);
    return err;
}

static wr_err run_open(struct conductor *conductor)
{
    struct wr_scope *scope = NULL;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "node", .deadline = WR_NEVER, .control = true });
    if (err)
        return err;
    err = wr_scope_go(scope, "node.supervisor", conduct, conductor);
    if (!err)
        err = wr_sup_run(conductor->node->sup);
    wr_scope_cancel(scope);
    wr_err failed = wr_scope_close(scope);
    return err ? err : failed;
}

/* Signals are caught before anybody can see that it is there: one that came earlier than the
 * conductor would end the process, or be lost. */
static wr_err hear_signals(struct conductor *conductor)
{
    static const int wanted[] = { SIGINT, SIGTERM, SIGHUP };
    return conductor->node->start->no_signals ? WR_OK
                                              : wr_signal_open(&conductor->signals, wanted, 3);
}

wr_err node_run(struct node_start *start, struct node **ret)
{
    struct node *node = calloc(1, sizeof(*node));
    if (!node)
        return WR_NOMEM;
    node->start = start;
    node->began = wr_now();
    start->why[0] = '\0';
    struct conductor conductor = { .node = node };
    wr_err err = hear_signals(&conductor);
    if (!err)
        err = open_node(node);
    if (!err) {
        diary_note(node->diary, &(struct diary_event){ .type = "node.start", .told = true });
        if (ret)
            *ret = node;
        err = run_open(&conductor);
    }
    close_node(node);
    wr_signal_close(conductor.signals);
    return err;
}
