/* admin.c - the node's own routes: health, readiness, metrics, status, and the few
 * things an operator may ask it to do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/log.h>
#include <weir/task.h>
#include <weir/topo.h>

#include "base/version.h"
#include "net/openapi.h"
#include "rt/monitor.h"
#include "svc/node/bench.h"
#include "svc/node/figures.h"
#include "svc/node/node_int.h"
#include "svc/node/page.h"
#include "svc/node/storage.h"
#include "svc/node/system.h"
#include "svc/node/traffic.h"

#define TOPOLOGY_MAX ((size_t)256 << 10)

/* ---- what anybody may ask, at any time ---- */

static wr_err get_version(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    const struct settings *settings = settings_get(node);
    struct page page;
    page_begin(&page);
    wr_version_write(&page.json);
    wr_json_object(&page.json, "features");
    wr_json_bool(&page.json, "amnesia", wr_conf_bool(settings->conf, "security.amnesia"));
    wr_json_str(&page.json, "pq", wr_conf_text(settings->conf, "security.pq_mode"));
    wr_json_end(&page.json);
    settings_put(node, settings);
    return page_end(&page, call);
}

static wr_err get_health(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    struct vitals_view view;
    struct store_health store;
    struct page page;
    bool lives = vitals_look(&node->vitals, wr_monitor_stalled(), wr_now, wr_wall().ns,
                             &view);
    page_begin(&page);
    wr_json_bool(&page.json, "ok", lives);
    wr_json_object(&page.json, "checks");
    wr_json_str(&page.json, "event_loop", view.event_loop);
    wr_json_str(&page.json, "clock", view.clock);
    depot_health(&node->depot, &store);
    wr_json_str(&page.json, "store", store.state == STORE_OK ? "ok" : store.why.text);
    wr_json_end(&page.json);
    if (!lives)
        wr_call_status(call, 503);
    return page_end(&page, call);
}

static wr_err get_ready(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    struct ready_view view;
    struct page page;
    ready_look(node->ready, &view);
    page_begin(&page);
    ready_write(node->ready, &view, &page.json);
    if (!view.ready) {
        wr_call_status(call, 503);
        wr_call_reply_header(call, "Retry-After", "5");
    }
    return page_end(&page, call);
}

static wr_err get_metrics(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    return figures_serve(node->figures, call);
}

static wr_err get_topology(struct wr_call *call)
{
    const char *format = wr_call_query(call, "format");
    enum wr_topo_format as = !format || strcmp(format, "text") == 0 ? WR_TOPO_TEXT
                             : strcmp(format, "markdown") == 0      ? WR_TOPO_MARKDOWN
                             : strcmp(format, "mermaid") == 0       ? WR_TOPO_MERMAID
                                                                    : 0;
    if (!as)
        return wr_call_fail(call, WR_INVALID,
                            "format is \"%.40s\"; text, markdown, mermaid are known", format);
    char *buf = malloc(TOPOLOGY_MAX);
    size_t len;
    wr_err err = buf ? wr_topo_write(&len, buf, TOPOLOGY_MAX, as) : WR_NOMEM;
    if (!err)
        wr_call_write(call, buf, len);
    free(buf);
    return err;
}

/* ---- status ---- */

static void write_planes(struct node *node, struct wr_json *json)
{
    wr_json_array(json, "planes");
    for (size_t i = 0; i < node->count; i++) {
        struct wr_child_stat stat = wr_sup_stat(node->sup, i);
        struct wr_addr addr;
        if (node->children[i].run == inlet_run && !inlet_addr(node->children[i].arg, &addr))
            continue;               /* a way in that is shut */
        wr_json_object(json, NULL);
        wr_json_str(json, "name", stat.name);
        wr_json_str(json, "health", page_health(stat.health));
        wr_json_bool(json, "ready", stat.health == WR_HEALTH_READY);
        wr_json_str(json, "state", wr_sup_state_name(stat.state));
        wr_json_u64(json, "restart_count", stat.restarts);
        wr_json_end(json);
    }
    wr_json_end(json);
}

static wr_err get_status(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    const struct settings *settings = settings_get(node);
    struct ready_view view;
    struct page page;
    struct wr_addr addr = { 0 };
    char text[WR_ADDR_TEXT_MAX];
    ready_look(node->ready, &view);
    page_begin(&page);
    wr_json_u64(&page.json, "uptime_seconds", (uint64_t)((wr_now() - node->began) / WR_S(1)));
    wr_json_str(&page.json, "profile", "macronode");
    wr_json_str(&page.json, "version", wr_version.version);
    (void)inlet_addr(node->inlets[WAY_HTTP], &addr);
    wr_json_str(&page.json, "http_addr", wr_addr_print(&addr, text));
    (void)inlet_addr(node->inlets[WAY_METRICS], &addr);
    wr_json_str(&page.json, "metrics_addr", wr_addr_print(&addr, text));
    wr_json_str(&page.json, "log_level", wr_conf_text(settings->conf, "log.level"));
    wr_json_u64(&page.json, "config_version", settings->version);
    wr_json_u64(&page.json, "connections", inlet_connections(node->inlets[WAY_HTTP]));
    ready_write(node->ready, &view, &page.json);
    write_planes(node, &page.json);
    depot_write(&node->depot, &page.json);
    settings_put(node, settings);
    return page_end(&page, call);
}

static wr_err get_config(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    const struct settings *settings = settings_get(node);
    struct wr_text text = wr_text_heap(PAGE_MAX);
    wr_conf_print_json(&text, settings->conf);
    settings_put(node, settings);
    wr_err err = text.cut ? WR_NOMEM : WR_OK;
    wr_call_type(call, "application/json");
    wr_call_write(call, text.at, text.len);
    wr_text_free(&text);
    return err;
}

/* ---- what an operator may do ---- */

static wr_err answer_status(struct wr_call *call, unsigned status, const char *word)
{
    struct page page;
    page_begin(&page);
    wr_json_str(&page.json, "status", word);
    wr_call_status(call, status);
    return page_end(&page, call);
}

static wr_err post_reload(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    if (!node->start->source)
        return wr_call_fail(call, WR_UNSUPPORTED, "this node was started without a source of "
                            "configuration");
    diary_call(node->diary, call, "admin.reload");
    wr_err err = wr_chan_send(node->reloads, &(bool){ true }, WR_NOW);
    return err ? err : answer_status(call, 202, "reload triggered");
}

static wr_err post_shutdown(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    diary_call(node->diary, call, "admin.shutdown");
    wr_err err = answer_status(call, 202, "shutdown scheduled");
    node_stop(node);
    return err;
}

/* A worker, in the middle of what it does; the next one that runs. */
static wr_err post_crash(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    const char *service = wr_call_query(call, "service");
    if (!service || strcmp(service, "node.worker") != 0)
        return wr_call_fail(call, WR_INVALID, "service is \"%.40s\"; node.worker can crash",
                            service ? service : "");
    diary_call(node->diary, call, "admin.crash");
    size_t size = pool_size(node->pool);
    for (size_t i = 0; i < size; i++)
        if (!pool_kill(node->pool, atomic_fetch_add(&node->next_crash, 1) % size))
            return answer_status(call, 202, "crashed");
    return wr_call_fail(call, WR_BUSY, "no worker runs");
}

/* ---- something to call ---- */

static wr_err get_hello(struct wr_call *call)
{
    wr_call_type(call, "application/json");
    wr_call_write(call, "{\"hello\":\"world\"}", 17);
    return WR_OK;
}

/* For benches and drills: as slow as somebody wants. */
static wr_err sleep_a_while(struct wr_call *call)
{
    const char *text = wr_call_query(call, "ms");
    char *end = NULL;
    unsigned long ms = text && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (!end || *end || ms > 60000)
        return wr_call_fail(call, WR_INVALID, "ms is \"%.40s\"; 0 to 60000 are allowed",
                            text ? text : "");
    wr_err err = wr_sleep(wr_after(WR_MS((wr_time)ms)));
    return err ? err : get_hello(call);
}

static wr_err wait_for_the_end(struct wr_call *call)
{
    size_t which;
    wr_err err = wr_call_select(call, &which, NULL, 0, WR_NEVER);
    return err == WR_DRAINING ? get_hello(call) : err;
}

static wr_err get_front_page(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    struct ready_view view;
    ready_look(node->ready, &view);
    const char *state = !view.ready ? "not ready" : view.degraded ? "degraded" : "ready";
    wr_call_type(call, "text/html; charset=utf-8");
    wr_call_print(call,
                  "<!doctype html><html lang=\"en\"><title>Weir</title>"
                  "<meta name=\"viewport\" content=\"width=device-width\">"
                  "<h1>Weir %s</h1><p>This node is %s.</p><ul>",
                  wr_version.version, state);
    for (size_t i = 0; i < node->route_count; i++)
        if (strcmp(node->routes[i].method, "GET") == 0 && node->routes[i].summary
            && !strchr(node->routes[i].path, '{'))
            wr_call_print(call, "<li><a href=\"%s\">%s</a> %s</li>", node->routes[i].path,
                          node->routes[i].path, node->routes[i].summary);
    wr_call_print(call, "</ul></html>\n");
    return WR_OK;
}

static const struct node_policy feed = { .facet = FACET_FEED };
static const struct openapi_info api = {
    .title = "Weir", .version = "v1", .summary = "The node and the services it runs.",
};

#define PRIORITY .class = WR_ROUTE_PRIORITY

static const struct wr_route table[] = {
    { .method = "GET", .path = "/healthz", .handler = get_health, PRIORITY,
      .unwell = "It does not do well; the checks say what is wrong.",
      .summary = "Whether the process lives." },
    { .method = "GET", .path = "/readyz", .handler = get_ready, PRIORITY,
      .unwell = "It cannot; what is missing is listed.",
      .summary = "Whether it can do its work, and what is missing." },
    { .method = "GET", .path = "/metrics", .handler = get_metrics, PRIORITY,
      .summary = "Figures, in the text format of Prometheus." },
    { .method = "GET", .path = "/version", .handler = get_version, PRIORITY,
      .summary = "What this is." },
    { .method = "GET", .path = "/", .handler = get_front_page, PRIORITY },
    { .method = "GET", .path = "/api/v1/status", .handler = get_status, PRIORITY,
      .scope = GATE_READ,
      .summary = "Every part, its state and its restarts." },
    { .method = "GET", .path = "/api/v1/topology", .handler = get_topology, .scope = GATE_READ,
      .summary = "The map of tasks, channels and locks." },
    { .method = "GET", .path = "/api/v1/config", .handler = get_config, .scope = GATE_READ,
      .summary = "The configuration in force, and where each value comes from." },
    { .method = "GET", .path = "/api/v1/events", .handler = events_serve,
      .class = WR_ROUTE_STREAM, .policy = &feed, .scope = GATE_READ,
      .summary = "What happens, as it happens." },
    { .method = "GET", .path = "/openapi.json", .handler = openapi_serve,
      .arg = (void *)(uintptr_t)&api, .scope = GATE_READ,
      .summary = "All of these, for machines." },
    { .method = "GET", .path = "/v1/hello", .handler = get_hello, .scope = GATE_READ,
      .summary = "A greeting, by way of the queue and a worker." },
    { .method = "GET", .path = "/api/v1/debug/sleep", .handler = sleep_a_while,
      .scope = GATE_ADMIN, .summary = "Answer after ms milliseconds, from a worker." },
    { .method = "POST", .path = "/api/v1/debug/sleep", .handler = sleep_a_while,
      .scope = GATE_ADMIN },
    { .method = "GET", .path = "/api/v1/debug/wait", .handler = wait_for_the_end,
      .class = WR_ROUTE_LONG, .scope = GATE_ADMIN,
      .summary = "A long poll for nothing: answers when the node drains." },
    { .method = "POST", .path = "/api/v1/reload", .handler = post_reload, PRIORITY,
      .scope = GATE_ADMIN, .summary = "Read the configuration again." },
    { .method = "POST", .path = "/api/v1/shutdown", .handler = post_shutdown, PRIORITY,
      .scope = GATE_ADMIN, .summary = "Drain and stop." },
    { .method = "POST", .path = "/api/v1/debug/crash", .handler = post_crash, PRIORITY,
      .scope = GATE_ADMIN, .summary = "Crash a worker, to see what happens." },
    { .method = "GET", .path = "/api/v1/system/summary", .handler = system_serve,
      .scope = GATE_READ, .summary = "The machine: its processors, memory and network." },
    { .method = "GET", .path = "/api/v1/system/net/accounting", .handler = traffic_serve,
      .scope = GATE_READ, .summary = "Bytes in and out, second by second and up." },
    { .method = "GET", .path = "/api/v1/storage/summary", .handler = storage_serve_summary,
      .scope = GATE_READ, .summary = "The disk below the data, and its databases." },
    { .method = "GET", .path = "/api/v1/storage/databases", .handler = storage_serve_list,
      .scope = GATE_READ, .summary = "The databases of all services." },
    { .method = "GET", .path = "/api/v1/storage/databases/{name}", .handler = storage_serve_one,
      .scope = GATE_READ, .summary = "One of them." },
    { .method = "POST", .path = "/api/v1/storage/check", .handler = depot_serve_check,
      .class = WR_ROUTE_LONG, .deadline = WR_S(3600), .concurrency = 1, .scope = GATE_ADMIN,
      .summary = "Read every page of the store, and say whether it is sound." },
    { .method = "POST", .path = "/api/v1/storage/backup", .handler = depot_serve_backup,
      .class = WR_ROUTE_LONG, .deadline = WR_S(3600), .concurrency = 1, .body_max = 4096,
      .scope = GATE_ADMIN, .summary = "Copy the store into a new folder; by the Unix socket." },
    { .method = "GET", .path = "/api/v1/audit", .handler = diary_serve_list,
      .scope = GATE_ADMIN, .summary = "What was done to this node, and by whom.",
      .query = "after: the number of the last event that is known\n"
               "limit: how many, 1 to 50" },
    { .method = "POST", .path = "/api/v1/audit", .handler = diary_serve_note, .body_max = 4096,
      .scope = GATE_ADMIN, .summary = "Leave a note there." },
    { .method = "POST", .path = "/api/v1/bench/run", .handler = bench_serve_start,
      .body_max = 4096, .scope = GATE_ADMIN, .summary = "Measure this plane, once at a time." },
    { .method = "GET", .path = "/api/v1/bench/runs/{id}", .handler = bench_serve_status,
      .scope = GATE_READ, .summary = "How far a run is." },
    { .method = "GET", .path = "/api/v1/bench/runs/{id}/result", .handler = bench_serve_result,
      .scope = GATE_READ, .summary = "What a run has measured." },
};

const char *const problem_paths[] = {
    "/api", "/healthz", "/readyz", "/metrics", "/version", "/v1/queue", NULL,
};
const char *const flat_paths[] = {
    "/resolve", "/providers", "/search", "/graph", "/admin", "/v1/index", NULL,
};

static wr_err make_routes(struct node *node)
{
    const struct node_start *start = node->start;
    size_t own = sizeof(table) / sizeof(*table), count = own;
    for (size_t i = 0; i < start->service_count; i++)
        count += start->services[i].route_count;
    node->routes = calloc(count, sizeof(*node->routes));
    if (!node->routes)
        return WR_NOMEM;
    memcpy(node->routes, table, sizeof(table));
    for (size_t i = 0; i < own; i++)
        node->routes[i].arg = node->routes[i].arg ? node->routes[i].arg : node;
    for (size_t i = 0; i < start->service_count; i++) {
        const struct node_service *service = &start->services[i];
        for (size_t j = 0; j < service->route_count; j++)
            node->routes[own++] = service->routes[j];
    }
    node->route_count = count;
    return WR_OK;
}

wr_err admin_open(struct node *node)
{
    storage_check(node->start);
    wr_err err = make_routes(node);
    if (!err)
        err = system_new(&node->system, "/proc");
    if (!err)
        err = traffic_new(&node->traffic, wr_wall(), wr_stream_bytes());
    if (!err)
        err = figures_new(&node->figures);
    if (!err)
        err = bench_new(&node->bench);
    return err;
}

void admin_close(struct node *node)
{
    bench_free(node->bench);
    traffic_free(node->traffic);
    figures_free(node->figures);
    system_free(node->system);
    free(node->routes);
}
