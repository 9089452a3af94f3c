/* health.c - the HealthReporter: looks at everything each second, tells the bus. */
#include <stdio.h>
#include <string.h>

#include <weir/log.h>
#include <weir/metric.h>
#include <weir/offload.h>
#include <weir/select.h>
#include <weir/timer.h>

#include "base/version.h"
#include "base/world.h"
#include "conf/name.h"
#include "rt/monitor.h"
#include "svc/node/node_int.h"
#include "svc/node/pulse.h"
#include "svc/node/slack.h"
#include "svc/node/traffic.h"

#define EVERY WR_S(1)
#define CRASHES_WITHIN WR_S(60)
#define BUS_SILENT (3 * EVERY)      /* then it does not carry */

/* ---- probes: each looks at the thing itself ---- */

static enum wr_health probe_config(void *arg, char *why)
{
    struct node *node = arg;
    const struct settings *settings = settings_get(node);
    bool there = settings->conf;
    settings_put(node, settings);
    if (!there)
        snprintf(why, READY_WHY_MAX, "no configuration is in force");
    return there ? WR_HEALTH_READY : WR_HEALTH_UNREADY;
}

static enum wr_health child_named(struct node *node, const char *name, char *why)
{
    for (size_t i = 0; i < node->count; i++) {
        if (strcmp(node->children[i].name, name) != 0)
            continue;
        struct wr_child_stat stat = wr_sup_stat(node->sup, i);
        if (stat.health != WR_HEALTH_READY)
            snprintf(why, READY_WHY_MAX, "%s is %s%s", name, wr_sup_state_name(stat.state),
                     stat.degraded ? ", restarted too often" : "");
        return stat.health;
    }
    snprintf(why, READY_WHY_MAX, "there is no %s", name);
    return WR_HEALTH_UNREADY;
}

static enum wr_health probe_metrics(void *arg, char *why)
{
    return child_named(arg, "node.metrics", why);
}

/* Who serves it runs, and it is bound. */
static enum wr_health probe_way(struct node *node, enum way way, const char *child, char *why)
{
    struct wr_addr addr;
    if (inlet_addr(node->inlets[way], &addr))
        return child_named(node, child, why);
    snprintf(why, READY_WHY_MAX, "%s listens nowhere", child);
    return WR_HEALTH_UNREADY;
}

/* Of a node for this machine alone it is the Unix socket, if it may have one. */
static enum wr_health probe_network(void *arg, char *why)
{
    const struct node *node = arg;
    struct wr_addr addr;
    if (!node->start->local_only)
        return probe_way(arg, WAY_HTTP, "node.http", why);
    return inlet_addr(node->inlets[WAY_LOCAL], &addr) || node->start->local
        ? probe_way(arg, WAY_LOCAL, "node.local", why) : WR_HEALTH_READY;
}

static bool wants_overlay(void *arg)
{
    struct node *node = arg;
    struct wr_addr addr;
    return inlet_addr(node->inlets[WAY_OAP], &addr);
}

static enum wr_health probe_overlay(void *arg, char *why)
{
    return probe_way(arg, WAY_OAP, "node.ingress", why);
}

/* A word that was sent over the bus has come back, lately. */
static enum wr_health probe_bus(void *arg, char *why)
{
    struct node *node = arg;
    wr_time heard = atomic_load(&node->bus_heard);
    if (heard && wr_now() - heard <= BUS_SILENT)
        return WR_HEALTH_READY;
    snprintf(why, READY_WHY_MAX, heard ? "no event came through for %lld s" : "no event yet",
             (long long)((wr_now() - heard) / WR_S(1)));
    return WR_HEALTH_UNREADY;
}

/* The workers are one service: it was restarted too often when its members were,
 * whichever they were. */
static bool crashes_too_often(struct node *node)
{
    unsigned count = atomic_load(&node->crash_count);
    return count >= NODE_CRASHES
        && wr_now() - atomic_load(&node->crashes[count % NODE_CRASHES]) < CRASHES_WITHIN;
}

static enum wr_health probe_workers(void *arg, char *why)
{
    struct node *node = arg;
    size_t up = 0, all = pool_size(node->pool);
    for (size_t i = 0; i < all; i++)
        up += wr_sup_stat(node->sup, node->first_worker + i).state == WR_CHILD_RUNNING;
    bool often = crashes_too_often(node);
    if (up < all || often)
        snprintf(why, READY_WHY_MAX, "%zu of %zu run%s", up, all,
                 often ? "; restarted more than 5 times within a minute" : "");
    if (up == 0)
        return WR_HEALTH_UNREADY;
    return up < all || often ? WR_HEALTH_DEGRADED : WR_HEALTH_READY;
}

/* Twice 128 bits: what is broken gives the same ones again. */
static enum wr_health probe_entropy(void *arg, char *why)
{
    uint64_t first[2] = { 0 }, second[2] = { 0 };
    (void)arg;
    wr_world->entropy(first, sizeof(first));
    wr_world->entropy(second, sizeof(second));
    if (memcmp(first, second, sizeof(first)) != 0)
        return WR_HEALTH_READY;
    snprintf(why, READY_WHY_MAX, "the system gives no randomness");
    return WR_HEALTH_UNREADY;
}

static bool has_service(const struct node_start *start, const char *name)
{
    for (size_t i = 0; i < start->service_count; i++)
        if (wr_name_is_service(name, start->services[i].name))
            return true;
    return false;
}

/* What the operator cannot do without is part of this program. */
static enum wr_health probe_services(void *arg, char *why)
{
    struct node *node = arg;
    const struct settings *settings = settings_get(node);
    const char *const *words;
    size_t count = wr_conf_words(settings->conf, "readiness.required_services", &words), i = 0;
    while (i < count && has_service(node->start, words[i]))
        i++;
    if (i < count)
        snprintf(why, READY_WHY_MAX, "%s is required, and this program does not have it",
                 words[i]);
    settings_put(node, settings);
    return i < count ? WR_HEALTH_UNREADY : WR_HEALTH_READY;
}

/* What cannot be written is still read. */
static enum wr_health probe_store(void *arg, char *why)
{
    struct node *node = arg;
    struct store_health health;
    depot_health(&node->depot, &health);
    if (health.state == STORE_OK)
        return WR_HEALTH_READY;
    snprintf(why, READY_WHY_MAX, "%s", health.why.text);
    return WR_HEALTH_DEGRADED;
}

static bool is_required(struct node *node, const char *service)
{
    const struct settings *settings = settings_get(node);
    const char *const *words;
    size_t count = wr_conf_words(settings->conf, "readiness.required_services", &words);
    bool required = false;
    for (size_t i = 0; i < count && !required; i++)
        required = wr_name_is_service(words[i], service);
    settings_put(node, settings);
    return required;
}

/* Those of a service: its own, and its parts', one after the other. */
static size_t add_service(struct node *node, const struct node_service *service,
                          struct ready_key *all, size_t count)
{
    bool required = is_required(node, service->name);
    struct ready_key key = { .service = service->name, .arg = service->arg,
                             .required = required };
    WR_ASSERT(count + 1 + service->part_count <= READY_KEYS_MAX);
    if (service->probe) {
        key.name = service->name;
        key.probe = service->probe;
        all[count++] = key;
    }
    for (size_t i = 0; i < service->part_count; i++) {
        key.name = service->parts[i].name;
        key.probe = service->parts[i].probe;
        key.required = required && !service->parts[i].spare;
        all[count++] = key;
    }
    return count;
}

/* The node's own keys, and those of each service that can be unwell. */
wr_err health_table(struct node *node)
{
    struct ready_key keys[] = {
        { .name = "config", .probe = probe_config, .vital = true },
        { .name = "entropy", .probe = probe_entropy, .vital = true },
        { .name = "store", .probe = probe_store, .vital = true, .needs = { "config" } },
        { .name = "services", .probe = probe_services, .vital = true, .needs = { "config" } },
        { .name = "metrics", .probe = probe_metrics, .vital = true, .needs = { "config" } },
        { .name = "bus", .probe = probe_bus, .vital = true, .needs = { "config" } },
        { .name = "network", .probe = probe_network, .vital = true,
          .needs = { "config", "metrics" } },
        { .name = "workers", .probe = probe_workers, .vital = true,
          .needs = { "config", "bus" } },
        { .name = "overlay", .probe = probe_overlay, .vital = true, .wanted = wants_overlay,
          .needs = { "workers" } },
    };
    struct ready_key all[READY_KEYS_MAX];
    size_t count = sizeof(keys) / sizeof(*keys);
    memcpy(all, keys, sizeof(keys));
    for (size_t i = 0; i < count; i++)
        all[i].arg = node;
    for (size_t i = 0; i < node->start->service_count; i++)
        count = add_service(node, &node->start->services[i], all, count);
    return ready_new(&node->ready, all, count);
}

/* ---- figures of the whole ---- */

static struct wr_metric build_metric = {
    .name = "build_info", .help = "1, for the program that runs.", .type = WR_GAUGE,
    .labels = { "version", "git_sha", "compiler" }, .series_max = 1,
};
static struct wr_metric uptime_metric = {
    .name = "process_uptime_seconds", .help = "Since the node began, looked at each second.",
    .type = WR_GAUGE,
};
static struct wr_metric amnesia_metric = {
    .name = "amnesia_mode", .help = "1 for the mode that is on.", .type = WR_GAUGE,
    .labels = { "status" }, .series_max = 2,
};

static void show_figures(struct node *node)
{
    const struct settings *settings = settings_get(node);
    bool amnesia = wr_conf_bool(settings->conf, "security.amnesia");
    settings_put(node, settings);
    wr_gauge_set(wr_metric_gauge(&build_metric, wr_version.version, wr_version.revision,
                                 wr_version.compiler), 1);
    wr_gauge_set(wr_metric_gauge(&uptime_metric), (wr_now() - node->began) / WR_S(1));
    wr_gauge_set(wr_metric_gauge(&amnesia_metric, "on"), amnesia);
    wr_gauge_set(wr_metric_gauge(&amnesia_metric, "off"), !amnesia);
}

/* ---- the reporter ---- */

struct reporter {
    struct node *node;
    struct pulse pulse;
    struct bus_reader bus;
    struct wr_bcast_reader children;
    struct slack slack;
    struct wr_timer tick, beat, look;
    struct ready_view last;
};

/* What changed since the last look goes out; each look sends a word of its own, to
 * see that the bus carries. */
static void report(struct reporter *reporter)
{
    struct node *node = reporter->node;
    struct ready_view view;
    vitals_beat(&node->vitals, wr_now());
    ready_look(node->ready, &view);
    bool leaving = atomic_load(&node->leaving); /* read last: who leaves ends its children */
    show_figures(node);
    traffic_note(node->traffic, wr_wall(), wr_stream_bytes());
    for (size_t i = 0; i < view.count; i++) {
        if (view.keys[i].health == reporter->last.keys[i].health)
            continue;
        const char *name = ready_key(node->ready, i)->name;
        bus_tell(node->bus, BUS_HEALTH, name, view.keys[i].health == WR_HEALTH_READY, 0);
        bool worse = view.keys[i].health < reporter->last.keys[i].health;
        wr_log(worse && !leaving ? WR_WARN : WR_INFO, "node.health",
               WR_F_STR("key", name), WR_F_U64("state", view.keys[i].health),
               WR_F_STR("why", view.keys[i].why));
    }
    reporter->last = view;
    bus_tell(node->bus, BUS_HEALTH, "node", view.ready, 0);
    wr_timer_set(&reporter->tick, wr_after(EVERY));
}

static void trim(void *unused)
{
    (void)unused;
    wr_world->heap_trim();
}

/* After a flood, when nobody is in a hurry. */
static void give_back(struct reporter *reporter)
{
    struct wr_stream_bytes bytes = wr_stream_bytes();
    if (slack_quiet(&reporter->slack, bytes.in + bytes.out)
        && slack_due(&reporter->slack, wr_world->heap_idle()))
        (void)!wr_offload(trim, NULL, wr_after(SLACK_EVERY));
    wr_timer_set(&reporter->look, wr_after(SLACK_EVERY));
}

/* The service manager hears of us only while there is something to hear. */
static void beat(struct reporter *reporter)
{
    struct node *node = reporter->node;
    wr_time every = node->start->manager ? wr_manager_watchdog(node->start->manager) : WR_NEVER;
    if (every == WR_NEVER)
        return;
    struct wr_chan_stat work = pool_stat(node->pool);
    if (pulse_beats(&reporter->pulse, &work, wr_monitor_stalled(), wr_now()))
        node_news(node, WR_NEWS_ALIVE, NULL);
    wr_timer_set(&reporter->beat, wr_after(every));
}

/* A child that failed is a crash of its service, for whoever listens. */
static void pass_on(struct reporter *reporter, const struct wr_child_stat *stat)
{
    if (stat->state == WR_CHILD_BACKOFF || (stat->state == WR_CHILD_DOWN && stat->err)) {
        bus_tell(reporter->node->bus, BUS_SERVICE_CRASHED, stat->name, false, 0);
        if (strcmp(stat->name, "node.worker") == 0) {
            unsigned count = atomic_load(&reporter->node->crash_count);
            atomic_store(&reporter->node->crashes[count % NODE_CRASHES], wr_now());
            atomic_store(&reporter->node->crash_count, count + 1);
        }
    }
    if (!atomic_load(&reporter->node->leaving))
        report(reporter);
}

wr_err health_run(void *arg, struct wr_once *drain)
{
    struct node *node = arg;
    struct reporter reporter = {
        .node = node, .bus = bus_reader(node->bus, "health"),
        .children = wr_bcast_reader(wr_sup_events(node->sup)),
    };
    struct bus_event event;
    struct wr_child_stat stat;
    struct wr_case cases[] = {
        bus_case(&reporter.bus, &event),
        WR_CASE_BCAST(&reporter.children, &stat),
        WR_CASE_TIMER(&reporter.tick),
        WR_CASE_TIMER(&reporter.beat),
        WR_CASE_TIMER(&reporter.look),
        WR_CASE_ONCE(drain, NULL),
    };
    size_t which = 0;
    wr_err err;
    report(&reporter);
    beat(&reporter);
    give_back(&reporter);
    while (!(err = wr_select(&which, cases, 6, WR_NEVER)) && which != 5) {
        if (which == 0) {
            bus_took(&reporter.bus, cases[0].err);
            atomic_store(&node->bus_heard, wr_now());
        } else if (which == 1 && !cases[1].err) {
            pass_on(&reporter, &stat);
        } else if (which == 3) {
            beat(&reporter);
        } else if (which == 4) {
            give_back(&reporter);
        } else {
            report(&reporter);
        }
    }
    if (which == 5)
        vitals_beat(&node->vitals, 0);
    wr_timer_clear(&reporter.tick);
    wr_timer_clear(&reporter.beat);
    wr_timer_clear(&reporter.look);
    return err;
}
