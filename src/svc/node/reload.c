/* reload.c - the ConfigWatcher: reads the configuration again, and the node puts it in
 * force.
 *
 * Reading is one thing and putting in force another: the watcher reads and checks
 * the whole, on a pool thread; what is right goes through cfg_updates, where a newer
 * one replaces one that waits; the node's conductor swaps the snapshot.  What is
 * wrong is said in the log, and the old one stays.
 *
 * Of the keys some are live: they are in force with the snapshot.  Some are what
 * listeners are made of: these are made ready before (bind.c), or the whole is refused.
 * The rest is for the next process: it is said in the log, and the snapshot keeps the
 * values that are true.
 */
#include <stdio.h>
#include <string.h>

#include <weir/file.h>
#include <weir/log.h>
#include <weir/metric.h>
#include <weir/offload.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/task.h>

#include "base/hash.h"
#include "net/tls.h"
#include "svc/node/node_int.h"

#define WHY_MAX 2000
#define READ_WITHIN WR_S(5)
#define CHANGES_MAX 64
#define SETTLES_WITHIN WR_MS(50)    /* an editor writes more than once */
#define INLETS_WITHIN WR_S(6)       /* longer than any drain */
#define LOOK_EVERY WR_MS(20)
#define SAID_AGAIN_AFTER_MS 500

static struct wr_metric reloads_metric = {
    .name = "config_reloads_total",
    .help = "Configurations that were read again: applied, unchanged, or refused as a whole.",
    .type = WR_COUNTER, .labels = { "result" }, .series_max = 3,
};

const struct settings *settings_get(struct node *node)
{
    return wr_cell_get(node->settings);
}

void settings_put(struct node *node, const struct settings *settings)
{
    wr_cell_put(node->settings, settings);
}

/* ---- putting in force ---- */

static enum wr_log_level level_named(const char *name)
{
    static const char *const names[] = { "debug", "info", "warn", "error" };
    for (size_t i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0)
            return (enum wr_log_level)i;
    return WR_DEBUG;                    /* "trace" */
}

void reload_log(const struct wr_conf *conf)
{
    wr_log_configure(&(struct wr_log_conf){
        .format = strcmp(wr_conf_text(conf, "log.format"), "json") == 0 ? WR_LOG_JSON
                                                                        : WR_LOG_LOGFMT,
        .level = level_named(wr_conf_text(conf, "log.level")), .service = "node" });
}

struct facets_conf reload_facets(const struct wr_conf *conf)
{
    static const char *const keys[FACET_COUNT] = {
        [FACET_FEED] = "facets.feed",     [FACET_GRAPH] = "facets.graph",
        [FACET_SEARCH] = "facets.search", [FACET_INDEX] = "facets.index",
        [FACET_MAILBOX] = "facets.mailbox",
    };
    struct facets_conf facets = { .cpus = 1 };
    for (size_t i = 0; i < FACET_COUNT; i++)
        facets.permits[i] = wr_conf_permits(conf, keys[i]);
    return facets;
}

static struct wr_rate rate_of(const struct wr_conf *conf, const char *per_s, const char *burst)
{
    return wr_rate_of((uint32_t)wr_conf_int(conf, per_s), WR_S(1),
                      (uint32_t)wr_conf_int(conf, burst));
}

#define CONTROL_CONNECTIONS 64          /* to the control address ... */
#define CONTROL_CONNECTIONS_IP 32       /* ... from one address */
#define LOCAL_CONNECTIONS 64            /* by the Unix socket */

void reload_admit(struct node *node, const struct wr_conf *conf)
{
    struct wr_admit_limits limits = {
        .connections = (uint32_t)wr_conf_int(conf, "per_ip_conns"),
        .accepts = rate_of(conf, "rate.accept_per_s", "rate.accept_burst"),
        .requests = rate_of(conf, "rate.requests_per_s", "rate.requests_burst"),
        .control = rate_of(conf, "rate.control_per_s", "rate.control_burst"),
    };
    wr_admit_set_total(node->admit, (uint32_t)wr_conf_int(conf, "max_conns"));
    wr_admit_set(node->admit, &limits);
    limits.connections = CONTROL_CONNECTIONS_IP;
    wr_admit_set_total(node->control_admit, CONTROL_CONNECTIONS);
    wr_admit_set(node->control_admit, &limits);
    wr_admit_set_total(node->local_admit, LOCAL_CONNECTIONS);
}

static void apply_bounds(struct node *node, const struct wr_conf *conf)
{
    struct facets_conf facets = reload_facets(conf);
    struct wr_http_conf http = node_http(node, conf);
    struct wr_oap_conf oap = ingress_bounds(conf);
    facets_set(node->facets, &facets);
    reload_admit(node, conf);
    pool_pace(node->pool, http.deadline);
    for (size_t way = 0; way < WAY_COUNT; way++)
        inlet_tune(node->inlets[way], &http, &oap);
}

/* One change of a file is told by several events, and perhaps a signal too: what was just said
 * is not said again. */
static bool said_just_now(struct node *node, const char *why)
{
    struct wr_hash hash = wr_hash_of(why, strlen(why));
    uint32_t what, now = (uint32_t)(wr_now() / WR_MS(1));
    memcpy(&what, hash.bytes, sizeof(what));
    uint64_t before = atomic_load(&node->refusal);
    if (before >> 32 == what && now - (uint32_t)before < SAID_AGAIN_AFTER_MS)
        return true;
    atomic_store(&node->refusal, (uint64_t)what << 32 | now);
    return false;
}

static void refuse(struct node *node, uint64_t version, const char *why)
{
    wr_counter_add(wr_metric_counter(&reloads_metric, "refused"), 1);
    if (!said_just_now(node, why))
        wr_log(WR_ERROR, "config.refused", WR_F_STR("said", why),
               WR_F_U64("version", version));
}

static void tell_change(const char *event, const struct wr_conf_change *change)
{
    bool hidden = change->key->type == WR_CONF_SECRET;
    wr_log(change->key->live ? WR_INFO : WR_WARN, event, WR_F_STR("key", change->key->name),
           WR_F_STR("was", hidden ? "(hidden)" : change->was),
           WR_F_STR("is", hidden ? "(hidden)" : change->is));
}

/* What must wait for another process is told, and what it is now is kept. */
static wr_err keep_the_rest(struct wr_conf *conf, const struct wr_conf *running,
                            size_t *ret_waiting)
{
    struct wr_conf_change changes[CHANGES_MAX];
    size_t count = wr_conf_diff(changes, CHANGES_MAX, running, conf);
    *ret_waiting = 0;
    for (size_t i = 0; i < count && i < CHANGES_MAX; i++) {
        if (changes[i].key->live || changes[i].key->rebind)
            continue;
        tell_change("config.needs_restart", &changes[i]);
        ++*ret_waiting;
    }
    return wr_conf_keep(conf, running);
}

/* Whether anything is another than it was: a key, or what is in the files it names. */
static bool news_in(const struct binding *binding, const struct node *node,
                    const struct wr_conf *conf, const struct wr_conf *was)
{
    return wr_conf_diff(NULL, 0, was, conf) > 0
        || (binding->tls && node->tls && !tls_same_certs(binding->tls, node->tls));
}

/* Before anything is put in force: what can fail. */
static wr_err make_ready(struct binding *ret, struct node *node, struct wr_conf *conf,
                         const struct settings *old, uint64_t *ret_version, char *why)
{
    if (atomic_load(&node->leaving)) {
        snprintf(why, NODE_WHY_MAX, "the node is about to end");
        return WR_DRAINING;
    }
    wr_err err = bind_open(ret, node, conf, old->conf, why);
    if (err)
        return err;
    *ret_version = old->version + news_in(ret, node, conf, old->conf);
    struct settings fresh = { conf, *ret_version };
    err = wr_cell_set(&node->settings_writer, &fresh);
    if (err)
        bind_drop(ret);
    return err;
}

static size_t tell_changes(const struct wr_conf *was, const struct wr_conf *is,
                           size_t *ret_rebound)
{
    struct wr_conf_change changes[CHANGES_MAX];
    size_t count = wr_conf_diff(changes, CHANGES_MAX, was, is);
    *ret_rebound = 0;
    for (size_t i = 0; i < count && i < CHANGES_MAX; i++) {
        tell_change(changes[i].key->live ? "config.changed" : "config.rebound", &changes[i]);
        *ret_rebound += !changes[i].key->live;
    }
    return count;
}

/* What listened before the last changes may still be on its way out. */
static bool can_move(struct node *node)
{
    bool can = true;
    for (size_t way = 0; way < WAY_COUNT; way++)
        can &= inlet_ready(node->inlets[way]);
    return can;
}

static void audit_update(struct node *node, uint64_t version, size_t count, size_t rebound,
                         size_t waiting)
{
    char detail[160];
    wr_log(WR_WARN, "audit", WR_F_STR("type", "config.updated"), WR_F_U64("version", version),
           WR_F_U64("changes", count), WR_F_U64("rebound", rebound),
           WR_F_U64("waiting_for_restart", waiting));
    snprintf(detail, sizeof(detail),
             "{\"version\":%llu,\"changes\":%zu,\"rebound\":%zu,\"waiting_for_restart\":%zu}",
             (unsigned long long)version, count, rebound, waiting);
    diary_note(node->diary, &(struct diary_event){ .type = "config.updated", .detail = detail,
                                                   .told = true });
}

void reload_apply(struct node *node, struct wr_conf *conf)
{
    if (!can_move(node)) {          /* the watcher waits for it, and reads again */
        node_reload(node);
        wr_conf_unref(conf);
        return;
    }
    struct binding binding = { 0 };
    char why[NODE_WHY_MAX] = "no memory for it";
    const struct settings *old = settings_get(node);
    size_t waiting, rebound;
    uint64_t version = old->version;
    wr_err err = keep_the_rest(conf, old->conf, &waiting);
    if (!err)
        err = make_ready(&binding, node, conf, old, &version, why);
    if (err) {
        refuse(node, old->version, why);
        settings_put(node, old);
        wr_conf_unref(conf);
        return;
    }
    bool news = version != old->version;
    size_t count = tell_changes(old->conf, conf, &rebound);
    settings_put(node, old);
    if (!news) {                    /* the snapshot is new only in where its values stand */
        bind_drop(&binding);
        wr_counter_add(wr_metric_counter(&reloads_metric, "unchanged"), 1);
        wr_log(WR_INFO, "config.unchanged", WR_F_U64("version", version),
               WR_F_U64("waiting_for_restart", waiting));
        return;
    }
    reload_log(conf);
    apply_bounds(node, conf);
    err = bind_apply(&binding, node, wr_after(wr_conf_duration(conf, "drain_deadline")));
    WR_ASSERT(!err);
    for (size_t i = 0; i < node->services_open; i++)
        if (node->start->services[i].reload)
            node->start->services[i].reload(node->start->services[i].arg, conf);
    bus_tell(node->bus, BUS_CONFIG_UPDATED, NULL, true, version);
    wr_counter_add(wr_metric_counter(&reloads_metric, "applied"), 1);
    audit_update(node, version, count, rebound, waiting);
}

/* ---- the watcher ---- */

struct reading {
    const struct wr_conf_source *source;
    struct wr_conf_report report;
    struct wr_conf *conf;
    wr_err err;
};

static void read_again(void *arg)
{
    struct reading *reading = arg;
    reading->err = wr_conf_load(&reading->conf, reading->source, &reading->report);
}

/* One line of the log: the first thing that is wrong, and how many more there are. */
static void complain(struct node *node, const struct wr_conf_report *report,
                     uint64_t version)
{
    static const char warning[] = "warning: ";
    char why[WHY_MAX] = "no memory for it";
    const char *at = report->text.at ? report->text.at : "", *end;
    while (strncmp(at, warning, sizeof(warning) - 1) == 0 && (end = strchr(at, '\n')))
        at = end + 1;
    int len = (int)strcspn(at, "\n");
    if (report->errors == 1)
        snprintf(why, sizeof(why), "%.*s", len, at);
    else if (report->errors > 1)
        snprintf(why, sizeof(why), "%.*s; and %u more, which `weir config validate` tells",
                 len < WHY_MAX - 100 ? len : WHY_MAX - 100, at, report->errors - 1);
    refuse(node, version, why);
}

/* Changes that come faster than old fronts are over wait here, and become one. */
static void await_inlets(struct node *node)
{
    wr_time until = wr_after(INLETS_WITHIN);
    while (!can_move(node) && wr_now() < until)
        if (wr_sleep(wr_after(LOOK_EVERY)))
            return;
}

static wr_err reload(struct node *node)
{
    const struct settings *settings = settings_get(node);
    struct wr_conf_source source = *node->start->source;
    struct reading reading = { .source = &source };
    uint64_t version = settings->version;
    source.running = settings->conf;
    node_news(node, WR_NEWS_RELOADING, NULL);
    await_inlets(node);
    wr_err err = wr_offload(read_again, &reading, wr_after(READ_WITHIN));
    settings_put(node, settings);
    if (!err && reading.err)
        complain(node, &reading.report, version);
    else if (!err)
        err = wr_chan_send(node->updates, &reading.conf, WR_NOW);
    else if (err != WR_CANCELED)
        refuse(node, version, "it could not be read in time");
    if (err)
        wr_conf_unref(reading.conf);
    wr_conf_report_free(&reading.report);
    node_news(node, WR_NEWS_READY, NULL);
    return err == WR_BUSY || err == WR_TIMEOUT ? WR_OK : err;
}

/* Each change of the file is a wish.  Without a file, or when its folder has gone,
 * there is nothing to watch: signals and admins can still wish. */
static wr_err watch_file(void *arg)
{
    struct node *node = arg;
    const struct settings *settings = settings_get(node);
    const char *path = wr_conf_file(settings->conf);
    struct wr_file_watch *watch = NULL;
    wr_err err = path ? wr_file_watch_open(&watch, path) : WR_OK;
    while (watch && !err) {
        err = wr_file_watch_wait(watch, WR_NEVER);
        if (!err)
            err = wr_sleep(wr_after(SETTLES_WITHIN));
        if (!err)
            (void)!wr_chan_send(node->reloads, &(bool){ true }, WR_NOW);
    }
    wr_file_watch_close(watch);
    if (err && err != WR_CANCELED)
        wr_log(WR_WARN, "config.not_watched", WR_F_STR("path", path), WR_F_ERR(err));
    settings_put(node, settings);
    return err == WR_CANCELED ? err : WR_OK;
}

static wr_err obey_wishes(struct node *node, struct wr_once *drain)
{
    bool wish;
    struct wr_case cases[] = { WR_CASE_RECV(node->reloads, &wish), WR_CASE_ONCE(drain, NULL) };
    size_t which;
    wr_err err;
    while (!(err = wr_select(&which, cases, 2, WR_NEVER)) && which == 0)
        if (node->start->source && (err = reload(node)))
            break;
    return err;
}

wr_err reload_run(void *arg, struct wr_once *drain)
{
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "node.config",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(scope, "node.config.file", watch_file, arg);
    if (!err)
        err = obey_wishes(arg, drain);
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    return err;
}
