/* bind.c - what listens where: from a configuration to the fronts of the node.
 *
 * All of it is made ready before any of it is put in force: addresses are bound,
 * certificates read, servers made.  What cannot be made is one sentence, and then nothing
 * has changed.  What is ready cannot fail any more.
 *
 * A front is made anew when a key has changed that it is made of.  Where its address has
 * not, it gets the listener of the old one: the same socket, so that nobody is sent away.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/file.h>

#include "conf/name.h"
#include "svc/node/certs.h"
#include "svc/node/node_int.h"

#define KEYS_MAX 4

/* A way in. */
struct row {
    const char *name;               /* as people and the service manager call it */
    const char *addr;               /* the key of its address */
    const char *keys[KEYS_MAX];     /* what else it is made of, that cannot be tuned */
};

static const struct row rows[WAY_COUNT] = {
    [WAY_HTTP] = { "http", "http_addr", { "tls.enabled", "services.enable" } },
    [WAY_METRICS] = { "metrics", "metrics_addr", { "tls.enabled", "services.enable" } },
    [WAY_LOCAL] = { "local", "uds.path", { "uds.allow_uids", "services.enable" } },
    [WAY_OAP] = { "oap", "oap_addr", { "tls.enabled", "io.max_frame_bytes",
                                       "limits.max_chunk_bytes", "services.enable" } },
};

static bool changes(const struct row *row, const struct wr_conf *conf,
                    const struct wr_conf *was)
{
    bool changed = !was || wr_conf_differs(was, conf, row->addr);
    for (size_t i = 0; i < KEYS_MAX && row->keys[i] && !changed; i++)
        changed = wr_conf_differs(was, conf, row->keys[i]);
    return changed;
}

/* ---- where ---- */

static struct wr_addr addr_of(const struct node *node, const struct row *row,
                              const struct wr_conf *conf)
{
    struct wr_addr addr = { 0 };
    bool said = wr_conf_has(conf, row->addr);
    if (row != &rows[WAY_LOCAL])
        return said && !node->start->local_only ? *wr_conf_addr(conf, row->addr) : addr;
    const char *path = said ? wr_conf_text(conf, row->addr) : node->start->local;
    if (path) {
        addr.kind = WR_ADDR_UNIX;
        snprintf(addr.path, sizeof(addr.path), "%s", path);
    }
    return addr;
}

/* Whether it is we who have this port already, and where. */
static bool is_ours(struct node *node, const struct wr_addr *addr, char *text)
{
    struct wr_addr own;
    for (size_t i = 0; i < WAY_COUNT && addr->port; i++)
        if (node->inlets[i] && inlet_addr(node->inlets[i], &own) && own.port == addr->port) {
            wr_addr_print(&own, text);
            return true;
        }
    return false;
}

static void explain(struct node *node, const struct row *row, const struct wr_conf *conf,
                    wr_err err, char *why)
{
    struct wr_addr addr = addr_of(node, row, conf);
    char text[WR_ADDR_TEXT_MAX], own[WR_ADDR_TEXT_MAX], reason[WR_ADDR_TEXT_MAX + 200];
    const char *known = err == WR_EXISTS
            ? "something listens there already; stop it, or choose another address"
        : err == WR_DENIED
            ? "this user may not listen there; choose a port above 1023, or give the right to"
        : err == WR_INVALID
            ? "this machine does not have that address; choose one that it has"
            : wr_err_text(err);
    snprintf(reason, sizeof(reason), "%s", known);
    if (err == WR_EXISTS && is_ours(node, &addr, own))
        snprintf(reason, sizeof(reason), "this node has that port, at %s, until the new "
                 "address is there; choose another port, or restart the node", own);
    snprintf(why, NODE_WHY_MAX, "%s: %s: cannot listen on %s: %s",
             wr_conf_origin(conf, row->addr), row->addr, wr_addr_print(&addr, text), reason);
}

/* *ret is NULL when the way is shut.  A socket of the service manager is used without an
 * address too, and stays until there is one. */
static wr_err listen_at(struct front **ret, struct node *node, enum way way,
                        const struct wr_conf *conf, const struct wr_conf *was, char *why)
{
    const struct row *row = &rows[way];
    struct wr_addr addr = addr_of(node, row, conf), now;
    bool stays = was && !wr_conf_differs(was, conf, row->addr);
    struct front_place place = {
        .fd = was ? -1 : node_passed(node, row->name), .addr = stays ? NULL : &addr,
        .may_move = way == WAY_HTTP
            && strcmp(wr_conf_origin(conf, row->addr), "default") == 0 };
    if (addr.kind == WR_ADDR_NONE && place.fd < 0
        && !(stays && inlet_addr(node->inlets[way], &now)))
        return WR_OK;
    wr_err err = front_listen(ret, &place);
    if (err && place.fd >= 0)
        snprintf(why, NODE_WHY_MAX, "the socket \"%s\" of the service manager cannot be used: "
                 "%s", row->name, wr_err_text(err));
    else if (err)
        explain(node, row, conf, err, why);
    return err;
}

/* ---- what is behind ---- */

bool bind_enabled(const struct wr_conf *conf, const char *service)
{
    const char *const *words;
    size_t count = wr_conf_words(conf, "services.enable", &words);
    bool found = count == 0;
    for (size_t i = 0; i < count && !found; i++)
        found = wr_name_is_service(words[i], service);
    return found;
}

/* The node's own routes and those of the services that are enabled: http.routes, for
 * free. */
static wr_err choose_routes(struct node *node, const struct wr_conf *conf,
                            struct wr_http_conf *http)
{
    const struct node_start *start = node->start;
    size_t own = node->route_count, count;
    for (size_t i = 0; i < start->service_count; i++)
        own -= start->services[i].route_count;
    struct wr_route *routes = calloc(node->route_count, sizeof(*routes));
    if (!routes)
        return WR_NOMEM;
    memcpy(routes, node->routes, own * sizeof(*routes));
    count = own;
    for (size_t i = 0; i < start->service_count; i++) {
        const struct node_service *service = &start->services[i];
        if (!bind_enabled(conf, service->name))
            continue;
        for (size_t j = 0; j < service->route_count; j++)
            routes[count++] = service->routes[j];
    }
    http->routes = routes;
    http->count = count;
    return WR_OK;
}

/* The Unix socket is for the owner of its folder, which is nobody else's, and for those
 * that are listed. */
static wr_err list_uids(const struct node *node, const struct wr_conf *conf, uint32_t *uids,
                        size_t *ret_count)
{
    struct wr_addr addr = addr_of(node, &rows[WAY_LOCAL], conf);
    const int64_t *listed;
    struct wr_file_info folder;
    char *slash = strrchr(addr.path, '/');
    if (slash)
        slash[slash == addr.path] = '\0';
    wr_err err = wr_file_look(&folder, slash ? addr.path : ".", wr_after(WR_S(5)));
    if (err)
        return err;
    size_t count = wr_conf_numbers(conf, "uds.allow_uids", &listed), used = 0;
    uids[used++] = folder.uid;
    for (size_t i = 0; i < count && used < FRONT_UIDS_MAX; i++)
        uids[used++] = (uint32_t)listed[i];
    *ret_count = used;
    return WR_OK;
}

static wr_err serve_http(struct front *front, struct node *node, enum way way,
                         const struct wr_conf *conf, struct wr_tls *tls)
{
    uint32_t uids[FRONT_UIDS_MAX];
    struct wr_http_conf http = node_http(node, conf);
    wr_err err = choose_routes(node, conf, &http);
    http.tls = tls;
    if (!err && way == WAY_LOCAL) {
        http.tls = NULL;
        http.uids = uids;
        err = list_uids(node, conf, uids, &http.uid_count);
    }
    if (!err)
        err = front_http(front, &http);
    free((void *)(uintptr_t)http.routes);
    return err;
}

/* Who fills the node does not keep out who looks after it, nor the one to whom it belongs. */
static struct wr_admit *admit_of(struct node *node, enum way way)
{
    return way == WAY_METRICS ? node->control_admit
           : way == WAY_LOCAL ? node->local_admit
                              : node->admit;
}

/* ---- all of it ---- */

static wr_err open_way(struct binding *binding, struct node *node, enum way way,
                       const struct wr_conf *conf, const struct wr_conf *was, char *why)
{
    struct front **front = &binding->fronts[way];
    struct wr_tls *tls = !wr_conf_bool(conf, "tls.enabled") ? NULL
                         : node->tls                        ? node->tls
                                                            : binding->tls;
    binding->moves[way] = changes(&rows[way], conf, was);
    wr_err err = binding->moves[way] ? listen_at(front, node, way, conf, was, why) : WR_OK;
    if (err || !*front)
        return err;
    err = way == WAY_OAP ? ingress_open(*front, node, conf, tls)
                         : serve_http(*front, node, way, conf, tls);
    if (!err)
        front_share(*front, admit_of(node, way));
    else
        snprintf(why, NODE_WHY_MAX, "%s: %s: it cannot be served: %s",
                 wr_conf_origin(conf, rows[way].addr), rows[way].addr, wr_err_text(err));
    return err;
}

/* Who can be reached from elsewhere must be able to tell who comes: keys that are named only
 * now are not ours yet. */
static wr_err check_tokens(struct node *node, const struct wr_conf *conf, char *why)
{
    char text[WR_ADDR_TEXT_MAX];
    const struct wr_addr *addr = wr_conf_addr(conf, "http_addr");
    if (wr_addr_loopback(addr) || node->admin || (node->keys && node->keys->count))
        return WR_OK;
    snprintf(why, NODE_WHY_MAX, "http_addr = \"%s\": " WR_NODE_UNGUARDED ", and restart the "
             "node, which reads them when it starts", wr_addr_print(addr, text));
    return WR_INVALID;
}

wr_err bind_open(struct binding *ret, struct node *node, const struct wr_conf *conf,
                 const struct wr_conf *was, char *why)
{
    struct binding made = { .open = wr_addr_loopback(wr_conf_addr(conf, "http_addr")) };
    wr_err err = check_tokens(node, conf, why);
    if (!err)
        err = certs_load(&made.tls, conf, why, NODE_WHY_MAX);
    for (size_t way = 0; way < WAY_COUNT && !err; way++)
        err = open_way(&made, node, (enum way)way, conf, was, why);
    if (err)
        bind_drop(&made);
    else
        *ret = made;
    return err;
}

static void close_pool(void *pool)
{
    pool_close(pool);                   /* the workers have gone: nobody takes what is left */
}

static wr_err put(struct binding *binding, struct node *node, enum way way, wr_time deadline)
{
    struct front *front = binding->fronts[way];
    if (node->inlets[way]) {
        struct wr_addr addr;
        if (binding->moves[way] && (front || inlet_addr(node->inlets[way], &addr)))
            inlet_put(node->inlets[way], front, deadline);
        binding->fronts[way] = NULL;
        return WR_OK;
    }
    wr_err err = inlet_new(&node->inlets[way], &(struct inlet_conf){
        .name = rows[way].name, .front = front, .shutdown = node->shutdown,
        .last = way == WAY_HTTP ? close_pool : NULL, .arg = node->pool });
    if (!err)
        binding->fronts[way] = NULL;
    return err;
}

wr_err bind_apply(struct binding *binding, struct node *node, wr_time deadline)
{
    wr_err err = WR_OK;
    gate_set_open(node->gate, binding->open);
    if (binding->tls && node->tls)
        wr_tls_become(node->tls, binding->tls);
    else if (binding->tls)
        node->tls = binding->tls;
    binding->tls = NULL;
    for (size_t way = 0; way < WAY_COUNT && !err; way++)
        err = put(binding, node, (enum way)way, deadline);
    return err;
}

void bind_drop(struct binding *binding)
{
    for (size_t way = 0; way < WAY_COUNT; way++)
        front_close(binding->fronts[way]);
    wr_tls_free(binding->tls);
}
