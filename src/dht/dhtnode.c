/* dhtnode.c - a node of the OpenDHT network as a child of ours. */
#include "dht/dhtnode.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <weir/fetch.h>
#include <weir/file.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/stream.h>

#include "base/rand.h"
#include "rt/program.h"

/* The system gives ports above these to whoever connects: one of them could be taken while the
 * node is started again. */
#define PORT_MIN 20000
#define PORT_MAX 31999
#define PORTS_TRIED 200
#define START_WITHIN WR_S(10)
#define LOOK_EVERY WR_MS(50)        /* while it is not up */
#define MISSES_MAX 3
#define MEMORY_MAX ((size_t)2 << 30)    /* the stacks of its threads count */
#define FILES_MAX ((size_t)1 << 20)
#define INFO_MAX ((size_t)64 << 10)
#define ARGS_MAX 16

/* One life of it. */
struct life {
    struct dhtnode *node;
    const char *bootstrap;          /* NULL: none */
    struct wr_once *verdict;        /* a wr_err: it is not worth waiting for any longer */
    wr_time began;
};

/* What a resolver of names reads. */
static const char *const folders[] = {
    "/usr/bin", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/resolv.conf",
    "/run/systemd/resolve", NULL,
};

__attribute__((format(printf, 3, 4)))
static wr_err fail(const struct dhtnode *node, wr_err err, const char *format, ...)
{
    char why[DHTNODE_WHY];
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof(why), format, list);
    va_end(list);
    if (node->conf.say)
        node->conf.say(node->conf.arg, why);
    return err;
}

static const char *path_of(const struct dhtnode *node)
{
    return node->conf.path ? node->conf.path : DHTNODE_PATH;
}

static wr_time ask_every(const struct dhtnode *node)
{
    return node->conf.ask_every ? node->conf.ask_every : WR_S(5);
}

/* ---- before it runs ---- */

/* Who listens on a port and lets go of it knows that it was free. */
static wr_err choose_port(uint16_t *ret)
{
    struct wr_rand rand;
    wr_rand_seed_from_world(&rand);
    for (int i = 0; i < PORTS_TRIED; i++) {
        struct wr_listener *listener;
        struct wr_addr addr = { .kind = WR_ADDR_IP4, .ip = { 127, 0, 0, 1 },
                                .port = (uint16_t)wr_rand_span(&rand, PORT_MIN, PORT_MAX) };
        wr_err err = wr_listen(&listener, &addr);
        if (err == WR_EXISTS)
            continue;
        if (err)
            return err;
        wr_listener_close(listener);
        *ret = addr.port;
        return WR_OK;
    }
    return WR_EXISTS;
}

wr_err dhtnode_prepare(struct dhtnode *node, char why[DHTNODE_WHY], wr_time deadline)
{
    struct wr_file_info info;
    wr_err err = wr_file_look(&info, path_of(node), deadline);
    if (!err && !info.regular)
        err = WR_NOTFOUND;
    if (err) {
        snprintf(why, DHTNODE_WHY, err == WR_NOTFOUND
                 ? "there is no %s: install dhtnode (apt-get install dhtnode), or name the "
                   "proxies of other nodes" : "%s cannot be looked at", path_of(node));
        return err;
    }
    err = choose_port(&node->proxy_port);
    if (err)
        snprintf(why, DHTNODE_WHY, "no port of 127.0.0.1 from %d to %d can be had for the "
                 "proxy of dhtnode: %s", PORT_MIN, PORT_MAX, wr_err_text(err));
    else
        snprintf(node->url, sizeof(node->url), "http://127.0.0.1:%u", node->proxy_port);
    return err;
}

/* ---- how it is ---- */

static uint32_t count_in(const json_t *info, const char *family)
{
    const json_t *counts = json_object_get(info, family);
    json_int_t sum = json_integer_value(json_object_get(counts, "good"))
        + json_integer_value(json_object_get(counts, "dubious"));
    return sum > 0 && sum < UINT16_MAX ? (uint32_t)sum : 0;
}

/* Whether it answers; how many it knows. */
static wr_err ask(struct wr_fetch_client *client, const struct dhtnode *node, uint32_t *ret)
{
    char url[sizeof(node->url) + sizeof("/node/info")];
    struct wr_fetch_reply reply;
    snprintf(url, sizeof(url), "%s/node/info", node->url);
    wr_err err = wr_fetch(client, &(struct wr_fetch_request){ .url = url }, &reply,
                          wr_after(ask_every(node)));
    json_t *info = !err && reply.status == 200
        ? json_loadb(reply.body, reply.body_len, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (!err && !json_is_object(info))
        err = WR_INVALID;
    if (!err)
        *ret = count_in(info, "ipv4") + count_in(info, "ipv6");
    json_decref(info);
    wr_fetch_reply_free(&reply);
    return err;
}

/* Has it been alone for so long that the next bootstrap node is worth a try? */
static bool is_lost(const struct life *life)
{
    const struct dhtnode_conf *conf = &life->node->conf;
    wr_time max = conf->alone_max ? conf->alone_max : WR_S(30);
    return conf->bootstrap_count > 1 && wr_now() - life->began > max;
}

/* Ask until it has to be given up; the verdict says why. */
static wr_err watch(struct life *life, struct wr_fetch_client *client)
{
    struct dhtnode *node = life->node;
    wr_time up_within = node->conf.up_within ? node->conf.up_within : WR_S(20);
    bool met = false, answered = false;
    for (unsigned misses = 0;;) {
        uint32_t peers = 0;
        wr_err err = ask(client, node, &peers);
        if (err == WR_CANCELED)
            return err;
        atomic_store(&node->peers, peers);
        atomic_store(&node->up, !err);
        answered = answered || !err;
        met = met || peers > 0;
        misses = err ? misses + 1 : 0;
        wr_err verdict = WR_OK;
        if (answered ? misses == MISSES_MAX : wr_now() - life->began > up_within)
            verdict = WR_TIMEOUT;
        else if (!met && is_lost(life))
            verdict = WR_NOTFOUND;
        if (verdict)
            return wr_once_set(life->verdict, &verdict);
        err = wr_sleep(wr_after(answered ? ask_every(node) : LOOK_EVERY));
        if (err)
            return err;
    }
}

static wr_err watch_it(void *arg)
{
    struct life *life = arg;
    struct wr_fetch_client *client;
    wr_err err = wr_fetch_client_new(&client, &(struct wr_fetch_conf){
        .name = "dhtnode", .internal = true, .plain = true, .fresh = true,
        .body_max = INFO_MAX, .requests_max = 1 });
    if (!err) {
        err = watch(life, client);
        wr_fetch_client_close(client, WR_NOW);
    }
    if (err && err != WR_CANCELED)          /* nobody would notice any more that it hangs */
        (void)!wr_once_set(life->verdict, &err);
    return err;
}

/* ---- its life ---- */

static bool is_here(const char *host)
{
    struct wr_addr addr;
    return strncmp(host, "localhost:", 10) == 0 || strcmp(host, "localhost") == 0
        || (!wr_addr_parse(&addr, host) && wr_addr_loopback(&addr));
}

static bool all_here(const struct dhtnode_conf *conf)
{
    for (size_t i = 0; i < conf->bootstrap_count; i++)
        if (!is_here(conf->bootstrap[i]))
            return false;
    return true;
}

static uint32_t network_of(const struct dhtnode_conf *conf)
{
    struct wr_rand rand;
    if (conf->network || conf->bootstrap_count)
        return conf->network;
    wr_rand_seed_from_world(&rand);
    return (uint32_t)wr_rand_span(&rand, 1, UINT32_MAX);
}

static wr_err start(const struct life *life, struct wr_program **ret)
{
    const struct dhtnode *node = life->node;
    char port[8], proxy[8], network[16], why[WR_PROGRAM_WHY];
    const char *args[ARGS_MAX] = { "dhtnode", "-s", "-p", port, "-n", network, "--proxyserver",
                                   proxy, "--proxy-addr", "127.0.0.1" };
    size_t count = 10;
    snprintf(port, sizeof(port), "%u", node->conf.port);
    snprintf(proxy, sizeof(proxy), "%u", node->proxy_port);
    snprintf(network, sizeof(network), "%u", network_of(&node->conf));
    if (all_here(&node->conf))
        args[count++] = "--no-rate-limit";
    if (life->bootstrap) {
        args[count++] = "-b";
        args[count++] = life->bootstrap;
    }
    struct wr_program_conf conf = {
        .path = path_of(node), .args = args,
        .jail = &(struct wr_jail){ .folders = folders, .memory_max = MEMORY_MAX, .roomy = true,
                                   .network = true, .tmp_max = FILES_MAX },
    };
    wr_err err = wr_program_start(ret, &conf, why, wr_after(START_WITHIN));
    return err && err != WR_CANCELED ? fail(node, err, "%s", why) : err;
}

/* The last words of one that has ended. */
static wr_err bury(const struct life *life, struct wr_program *program)
{
    struct wr_program_end end = { .code = -1 };
    char said[DHTNODE_WHY / 2] = "";
    size_t len = 0;
    wr_err err = wr_program_wait(program, &end, wr_after(WR_S(1)));
    if (!err && wr_program_read(program, &len, said, sizeof(said) - 1, WR_NOW))
        len = 0;
    said[len] = '\0';
    return fail(life->node, WR_CLOSED, "dhtnode has ended by itself, %s %d%s%s",
                end.killed ? "by signal" : "with code", end.code, len ? ": " : "", said);
}

static wr_err give_up(const struct life *life, wr_err verdict)
{
    if (verdict == WR_NOTFOUND)
        return fail(life->node, verdict, "dhtnode has met nobody at %s; the next one is tried",
                    life->bootstrap);
    return fail(life->node, verdict, "dhtnode does not answer at %s any more, and is killed",
                life->node->url);
}

/* Until it ends, hangs, is lost, or is not wanted any more. */
static wr_err live(struct life *life, struct wr_program *program, struct wr_once *drain)
{
    struct wr_scope *scope;
    wr_err verdict = WR_OK;
    size_t which = 0;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "dht.node",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    err = wr_scope_go(scope, "dht.node.watch", watch_it, life);
    if (!err) {
        struct wr_case cases[] = { WR_CASE_ONCE(drain, NULL), wr_program_ended(program),
                                   WR_CASE_ONCE(life->verdict, &verdict) };
        err = wr_select(&which, cases, 3, WR_NEVER);
    }
    wr_err ended = wr_scope_close(scope);
    if (err || which == 0)
        return err;
    if (which == 1)
        return bury(life, program);
    return give_up(life, verdict ? verdict : ended);
}

wr_err dhtnode_run(void *arg, struct wr_once *drain)
{
    struct dhtnode *node = arg;
    const struct dhtnode_conf *conf = &node->conf;
    uint64_t starts = atomic_fetch_add(&node->starts, 1);
    struct wr_program *program = NULL;
    struct life life = {
        .node = node, .began = wr_now(),
        .bootstrap = conf->bootstrap_count ? conf->bootstrap[starts % conf->bootstrap_count]
                                           : NULL,
    };
    wr_err err = wr_once_new(&life.verdict, "dht.node.verdict", sizeof(wr_err));
    if (err)
        return err;
    err = start(&life, &program);
    if (!err)
        err = live(&life, program, drain);
    atomic_store(&node->up, false);
    atomic_store(&node->peers, 0);
    wr_program_close(program);
    wr_once_free(life.verdict);
    return err;
}
