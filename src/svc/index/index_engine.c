/* index_engine.c - see index_engine.h. */
#include "svc/index/index_engine.h"

#include <stdio.h>
#include <string.h>

#include <weir/log.h>
#include <weir/scope.h>

#include "svc/index/shift.h"
#include "svc/service.h"

#define RANK 500                        /* of its lock: what is looked at has later ones */
#define OPEN_WITHIN WR_S(5)
#define CLOSE_WITHIN WR_S(1)
#define WHY_MAX 200

/* ---- who we are ---- */

static wr_err open_signer(struct index_engine *engine, char *why)
{
    char path[600], said[SIGNER_WHY];
    const char *data = wr_conf_text(engine->conf, "data");
    bool lasting = data && !wr_conf_bool(engine->conf, "security.amnesia");
    snprintf(path, sizeof(path), "%.580s/node.key", lasting ? data : "");
    wr_err err = signer_open(&engine->signer, lasting ? path : NULL, wr_after(OPEN_WITHIN),
                             said);
    if (err)
        snprintf(why, NODE_WHY_MAX, "index: %.480s", said);
    else
        signer_id_print(signer_id(engine->signer), engine->id);
    return err;
}

static bool can_be_reached(const struct wr_addr *addr)
{
    static const unsigned char any[sizeof(addr->ip)] = { 0 };
    return addr->kind != WR_ADDR_UNIX && addr->port > 0
        && memcmp(addr->ip, any, addr->kind == WR_ADDR_IP4 ? 4 : sizeof(any)) != 0;
}

/* Nobody comes to an address that stands for any, or to a port that is not known yet. */
static void introduce(struct index_engine *engine)
{
    const struct wr_conf *conf = engine->conf;
    const char *addr = wr_conf_text(conf, "index.addr"), *region;
    const struct wr_addr *oap = wr_conf_addr(conf, "oap_addr");
    struct provider *self = &engine->self;
    char text[WR_ADDR_TEXT_MAX];
    if (!addr && oap && can_be_reached(oap))
        snprintf(self->addr, sizeof(self->addr), "tcp://%s", wr_addr_print(oap, text));
    else if (addr)
        snprintf(self->addr, sizeof(self->addr), "%s", addr);
    region = wr_conf_text(conf, "index.region");
    snprintf(self->region, sizeof(self->region), "%s", region ? region : "");
    self->latency = -1;
    if (self->addr[0])
        memcpy(self->id, engine->id, sizeof(self->id));
}

/* ---- whom we ask ---- */

static void say(void *arg, const char *why)
{
    (void)arg;
    wr_log(WR_WARN, "index.dhtnode_ended", WR_F_STR("said", why));
}

/* Where it is not installed there is none, unless it is wanted. */
static wr_err prepare_node(struct index_engine *engine, char *why)
{
    char said[DHTNODE_WHY];
    const char *wanted = wr_conf_text(engine->conf, "index.dhtnode");
    if (strcmp(wanted, "off") == 0)
        return WR_OK;
    engine->node = (struct dhtnode){ .conf = {
        .network = (uint32_t)wr_conf_int(engine->conf, "index.network"),
        .port = (uint16_t)wr_conf_int(engine->conf, "index.dhtnode_port"), .say = say } };
    engine->node.conf.bootstrap_count = wr_conf_words(engine->conf, "index.bootstrap",
                                                      &engine->node.conf.bootstrap);
    wr_err err = dhtnode_prepare(&engine->node, said, wr_after(OPEN_WITHIN));
    engine->has_node = !err;
    if (err == WR_NOTFOUND && strcmp(wanted, "auto") == 0)
        return WR_OK;
    if (err)
        snprintf(why, NODE_WHY_MAX, "index: %s", said);
    return err;
}

static void list_proxies(struct index_engine *engine)
{
    const char *const *words;
    size_t count = wr_conf_words(engine->conf, "index.proxies", &words), at = 0;
    if (engine->has_node)
        engine->proxies[at++] = engine->node.url;
    for (size_t i = 0; i < count && at < DHT_PROXIES_MAX; i++)
        engine->proxies[at++] = words[i];
    engine->dht_conf.proxies = engine->proxies;
    engine->dht_conf.count = at;
}

static void set_breakers(struct dht_conf *dht, const struct wr_conf *conf)
{
    dht->window = wr_conf_duration(conf, "index.breaker.window");
    dht->cooldown = wr_conf_duration(conf, "index.breaker.cooldown");
    dht->trip_permille = (uint32_t)wr_conf_int(conf, "index.breaker.trip_permille");
    dht->probes = (uint32_t)wr_conf_int(conf, "index.breaker.probes");
}

static void set_numbers(struct index_engine *engine)
{
    const struct wr_conf *conf = engine->conf;
    struct dht_conf *dht = &engine->dht_conf;
    const char *const *ids;
    size_t count = wr_conf_words(conf, "index.trusted", &ids);
    dht->alpha = (uint32_t)wr_conf_int(conf, "index.alpha");
    dht->beta = (uint32_t)wr_conf_int(conf, "index.beta");
    dht->quorum = (uint32_t)wr_conf_int(conf, "index.quorum");
    dht->hedge = wr_conf_duration(conf, "index.hedge");
    dht->tries_max = 1 + (uint32_t)wr_conf_int(conf, "index.retries");
    set_breakers(dht, conf);
    for (size_t i = 0; i < count && i < INDEX_TRUSTED_MAX; i++)
        if (!signer_id_read(engine->trusted[dht->trusted_count], ids[i]))
            dht->trusted_count++;
    dht->trusted = (const unsigned char(*)[SIGNER_ID])engine->trusted;
    if (dht->trusted_count == 0)
        dht_line_without_names(engine->line);
}

static void tell_map(struct index_engine *engine)
{
    size_t count = engine->dht_conf.count;
    size_t wanted = engine->dht_conf.alpha + engine->dht_conf.beta;
    if (count >= wanted)
        return;
    snprintf(engine->note_text, sizeof(engine->note_text), "proxies of the DHT: %zu, of %zu "
             "that alpha and beta want", count, wanted);
    engine->note = (struct wr_topo_note){ .name = "index.dht", .text = engine->note_text };
    wr_topo_note_add(&engine->note);
}

/* ---- opening and closing ---- */

wr_err index_engine_open(struct index_engine *engine, struct wr_conf *conf, char *why)
{
    *engine = (struct index_engine){ .conf = wr_conf_ref(conf) };
    engine->lock = (struct wr_mutex)WR_MUTEX("index.engine", RANK);
    wr_err err = open_signer(engine, why);
    if (!err)
        err = prepare_node(engine, why);
    if (!err) {
        err = dht_line_new(&engine->line);
        if (err)
            snprintf(why, NODE_WHY_MAX, "index: %s", wr_err_text(err));
    }
    if (err) {
        index_engine_close(engine);
        return err;
    }
    introduce(engine);
    list_proxies(engine);
    set_numbers(engine);
    tell_map(engine);
    return WR_OK;
}

void index_engine_reload(struct index_engine *engine, const struct wr_conf *conf)
{
    wr_mutex_lock(&engine->lock);
    set_breakers(&engine->dht_conf, conf);
    if (engine->dht)
        dht_set_breakers(engine->dht, &engine->dht_conf);
    wr_mutex_unlock(&engine->lock);
}

void index_engine_close(struct index_engine *engine)
{
    if (!engine->conf)
        return;
    if (engine->note.name)
        wr_topo_note_remove(&engine->note);
    dht_line_free(engine->line);
    signer_close(engine->signer);
    wr_mutex_fini(&engine->lock);
    wr_conf_unref(engine->conf);
    *engine = (struct index_engine){ 0 };
}

/* ---- the children ---- */

static void show(struct index_engine *engine, struct dht *dht)
{
    wr_mutex_lock(&engine->lock);
    engine->dht = dht;
    if (dht)                                /* a reload may have come while it was opened */
        dht_set_breakers(dht, &engine->dht_conf);
    wr_mutex_unlock(&engine->lock);
}

/* The janitor is below us, so that the DHT is closed after it.  We are told to finish, or it
 * ends by itself: then nobody would find out who is silent and who is back, and we end too. */
static wr_err serve(struct index_engine *engine, struct dht *dht, struct wr_once *drain)
{
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "index.dht",
                                                               .deadline = WR_NEVER });
    if (err)
        return err;
    err = dht_line_attach(engine->line, dht);
    if (!err)
        err = wr_scope_go(scope, "index.dht_janitor", dht_run, dht);
    show(engine, err ? NULL : dht);
    if (err)
        (void)!wr_scope_close(scope);
    else
        err = shift_end(scope, drain);
    show(engine, NULL);
    dht_line_detach(engine->line);
    return err;
}

wr_err index_engine_run(void *arg, struct wr_once *drain)
{
    struct index_engine *engine = arg;
    struct dht *dht;
    if (engine->dht_conf.count == 0)
        return wr_once_wait(drain, NULL, WR_NEVER);
    wr_mutex_lock(&engine->lock);
    struct dht_conf conf = engine->dht_conf;
    wr_mutex_unlock(&engine->lock);
    wr_err err = dht_open(&dht, &conf);
    if (err)
        return err;
    err = serve(engine, dht, drain);
    dht_close(dht, wr_after(CLOSE_WITHIN));
    return err;
}

wr_err index_engine_run_node(void *arg, struct wr_once *drain)
{
    struct index_engine *engine = arg;
    wr_err err = engine->has_node ? dhtnode_run(&engine->node, drain) : WR_UNSUPPORTED;
    /* Where no jail can be made, which has been said, none can be made in a second either. */
    return err == WR_DENIED || err == WR_UNSUPPORTED ? wr_once_wait(drain, NULL, WR_NEVER)
                                                     : err;
}

/* ---- readiness ---- */

static enum wr_health judge(const struct index_engine *engine, const struct dht_stat *stat,
                            char *why)
{
    size_t wanted = engine->dht_conf.alpha + engine->dht_conf.beta;
    if (stat->reachable == 0) {
        snprintf(why, WHY_MAX, "none of %zu proxies answers: what is not in the store cannot "
                 "be found", stat->targets);
        return WR_HEALTH_DEGRADED;
    }
    const char *const *bootstrap;
    if (stat->pinged && stat->nodes == 0
        && wr_conf_words(engine->conf, "index.bootstrap", &bootstrap) > 0) {
        snprintf(why, WHY_MAX, "no other node of the network is known: what is not in the "
                 "store cannot be found");
        return WR_HEALTH_DEGRADED;
    }
    if (stat->targets < wanted)
        snprintf(why, WHY_MAX, "%zu of %zu proxies answer; alpha and beta want %zu",
                 stat->reachable, stat->targets, wanted);
    return WR_HEALTH_READY;
}

enum wr_health index_engine_probe(struct index_engine *engine, char *why)
{
    struct dht_stat stat = { 0 };
    if (engine->dht_conf.count == 0) {
        snprintf(why, WHY_MAX, "there is no proxy of a DHT: what is not in the store cannot be "
                 "found");
        return WR_HEALTH_DEGRADED;
    }
    wr_mutex_lock(&engine->lock);
    bool there = engine->dht;
    if (there)
        stat = dht_stat(engine->dht);
    wr_mutex_unlock(&engine->lock);
    if (there)
        return judge(engine, &stat, why);
    snprintf(why, WHY_MAX, "the DHT is not open yet");
    return WR_HEALTH_DEGRADED;
}
