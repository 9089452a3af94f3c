/* index_service.c - see index_service.h. */
#include "svc/index/index_service.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/select.h>
#include <weir/timer.h>

#include "flow/roster.h"
#include "store/idempotency.h"
#include "store/store.h"
#include "svc/index/announcer.h"
#include "svc/index/index_admin.h"
#include "svc/index/index_answer.h"
#include "svc/index/index_engine.h"
#include "svc/index/index_events.h"
#include "svc/index/index_graph.h"
#include "svc/index/index_lookups.h"
#include "svc/index/index_meter.h"
#include "svc/index/index_pointers.h"
#include "svc/index/index_search.h"
#include "svc/index/lookup_verb.h"
#include "svc/index/object_route.h"
#include "svc/index/object_verb.h"
#include "svc/index/resolver.h"
#include "svc/index/scribe.h"

#define SWEEP_EVERY WR_S(30)             /* also the longest memory under amnesia */
#define SWEEP_MAX 1000

/* Where in the table the routes of each are. */
enum {
    LOOKUPS,
    POINTERS = LOOKUPS + INDEX_LOOKUP_ROUTES,
    ADMIN = POINTERS + INDEX_POINTER_ROUTES,
    SEARCH = ADMIN + INDEX_ADMIN_ROUTES,
    GRAPH = SEARCH + INDEX_SEARCH_ROUTES,
    OBJECTS = GRAPH + INDEX_GRAPH_ROUTES,
    EVENTS = OBJECTS + OBJECT_ROUTES,
    ROUTES = EVENTS + INDEX_EVENT_ROUTES,
};

enum { CHILDREN = 7, VERBS = OBJECT_VERBS + LOOKUP_VERBS };

struct index_service {
    struct index_desk desk;
    struct wr_cell_writer settings;
    struct index_engine engine;
    struct object_desk objects;
    struct index_key *warmup;
    _Atomic bool runs;                  /* there are workers */
    struct node_service row;
    struct wr_child children[CHILDREN];
    struct wr_route routes[ROUTES];
    struct node_verb verbs[VERBS];
};

/* ---- the tasks ---- */

/* Keys of requests whose day is over; what is not swept now is the next time. */
static void sweep(struct store *store)
{
    uint64_t count = SWEEP_MAX;
    while (count == SWEEP_MAX
           && !store_once_sweep(store, SWEEP_MAX, &count, wr_after(SWEEP_EVERY)))
        ;
}

/* With amnesia nothing is remembered for longer than that. */
static void tidy(struct index_service *self)
{
    sweep(self->desk.store);
    if (wr_conf_bool(self->engine.conf, "security.amnesia")) {
        resolver_clear(self->desk.resolver);
        index_meter_purged("cache");
    }
}

static wr_err run(void *arg, struct wr_once *drain)
{
    struct index_service *self = arg;
    struct wr_timer tick = { 0 };
    struct wr_case cases[] = { WR_CASE_ONCE(drain, NULL), WR_CASE_TIMER(&tick) };
    size_t which;
    wr_err err;
    if (!self->desk.store)
        return wr_once_wait(drain, NULL, WR_NEVER);
    do {
        wr_timer_set(&tick, wr_after(SWEEP_EVERY));
        err = wr_select(&which, cases, 2, WR_NEVER);
        if (!err && which == 1)
            tidy(self);
    } while (!err && which == 1);
    wr_timer_clear(&tick);
    return err;
}

static wr_err run_resolver(void *arg, struct wr_once *drain)
{
    struct index_service *self = arg;
    if (!self->desk.resolver)
        return wr_once_wait(drain, NULL, WR_NEVER);
    atomic_store(&self->runs, true);
    wr_err err = resolver_run(self->desk.resolver, drain);
    atomic_store(&self->runs, false);
    return err;
}

static wr_err run_scribe(void *arg, struct wr_once *drain)
{
    struct index_service *self = arg;
    return self->desk.scribe ? scribe_run(self->desk.scribe, drain)
                             : wr_once_wait(drain, NULL, WR_NEVER);
}

static wr_err run_announcer(void *arg, struct wr_once *drain)
{
    struct index_service *self = arg;
    return self->desk.announcer ? announcer_run(self->desk.announcer, drain)
                                : wr_once_wait(drain, NULL, WR_NEVER);
}

/* ---- opening and closing ---- */

static void close_all(void *arg)
{
    struct index_service *self = arg;
    scribe_free(self->desk.scribe);
    announcer_free(self->desk.announcer);
    object_desk_close(&self->objects);
    resolver_free(self->desk.resolver);
    free(self->warmup);
    self->warmup = NULL;
    roster_free(self->desk.quotas);
    index_events_free(self->desk.events);
    index_engine_close(&self->engine);
    wr_cell_free(self->desk.settings);
    self->desk = (struct index_desk){ 0 };
}

static wr_err open_settings(struct index_service *self, struct wr_conf *conf)
{
    struct index_settings settings = index_settings_of(conf);
    wr_err err = wr_cell_new(&self->desk.settings, &self->settings, &(struct wr_cell_conf){
        .name = "index.settings", .size = sizeof(settings), .initial = &settings,
        .drop = index_settings_drop });
    if (err)
        index_settings_drop(&settings);
    return err;
}

static struct index_memory_conf memory_of(const struct wr_conf *conf)
{
    return (struct index_memory_conf){
        .entries_max = (size_t)wr_conf_int(conf, "index.cache.entries"),
        .pins_max = (size_t)wr_conf_int(conf, "index.pins_max"),
        .ttl = wr_conf_duration(conf, "index.cache.ttl"),
        .ttl_nothing = wr_conf_duration(conf, "index.cache.neg_ttl") };
}

static wr_err open_resolver(struct index_service *self, const struct wr_conf *conf,
                            struct store *store)
{
    const char *const *words, *clause;
    size_t count = wr_conf_words(conf, "index.cache.warmup", &words), good = 0;
    self->warmup = calloc(count + 1, sizeof(*self->warmup));
    if (!self->warmup)
        return WR_NOMEM;
    for (size_t i = 0; i < count; i++)
        good += !index_key_read(&self->warmup[good], words[i], &clause);
    return resolver_new(&self->desk.resolver, &(struct resolver_conf){
        .store = store, .line = self->engine.line, .self = self->engine.self,
        .workers = (uint32_t)wr_conf_int(conf, "index.workers"),
        .queue_max = (size_t)wr_conf_int(conf, "index.queue"),
        .memory = memory_of(conf), .warm_within = wr_conf_duration(conf, "index.deadline"),
        .warmup = self->warmup, .warmup_count = good });
}

/* Whether those who are found are of this machine or its network: so are we, or nobody has said
 * where others are. */
static bool is_at_home(const struct index_engine *engine)
{
    static const char scheme[] = "tcp://", here[] = "http://127.0.0.1:";
    struct wr_addr addr;
    const char *const *words;
    if (strncmp(engine->self.addr, scheme, sizeof(scheme) - 1) == 0
        && !wr_addr_parse(&addr, engine->self.addr + sizeof(scheme) - 1))
        return wr_addr_internal(&addr);
    bool home = wr_conf_words(engine->conf, "index.bootstrap", &words) == 0;
    size_t count = wr_conf_words(engine->conf, "index.proxies", &words);
    for (size_t i = 0; i < count && home; i++)
        home = strncmp(words[i], here, sizeof(here) - 1) == 0;
    return home;
}

/* That we have it too is to be seen at once. */
static wr_err offer(void *arg, const struct index_key *key, wr_time deadline)
{
    struct index_desk *desk = arg;
    wr_err err = announcer_offer(desk->announcer, key, deadline);
    if (!err)
        resolver_drop(desk->resolver, key);
    return err;
}

static wr_err open_announcer(struct index_service *self, struct store *store)
{
    const struct index_engine *engine = &self->engine;
    return announcer_new(&self->desk.announcer, &(struct announcer_conf){
        .store = store, .line = engine->line, .signer = engine->signer,
        .addr = engine->self.addr, .region = engine->self.region });
}

static wr_err open_objects(struct index_service *self, struct store *store)
{
    wr_err err = object_desk_open(&self->objects, &(struct object_desk_conf){
        .store = store, .self = self->engine.id, .find = index_answer_find, .offer = offer,
        .arg = &self->desk, .index = &self->desk, .internal = is_at_home(&self->engine) });
    self->desk.latencies = self->objects.latencies;
    return err;
}

static wr_err open_all(void *arg, const struct wr_conf *conf, struct store *store, char *why)
{
    struct index_service *self = arg;
    struct wr_conf *held = (struct wr_conf *)(uintptr_t)conf;
    wr_err err = open_settings(self, held);
    if (!err && !store)
        return WR_OK;
    if (!err)
        err = roster_new(&self->desk.quotas, "index.quotas", INDEX_TENANTS_MAX);
    if (!err)
        err = index_events_new(&self->desk.events);
    if (!err)
        err = index_engine_open(&self->engine, held, why);
    if (!err)
        err = open_resolver(self, conf, store);
    if (!err)
        err = scribe_new(&self->desk.scribe, store);
    if (!err)
        err = open_announcer(self, store);
    if (!err)
        err = open_objects(self, store);
    if (err) {
        if (!why[0])
            snprintf(why, NODE_WHY_MAX, "index: %s", wr_err_text(err));
        close_all(self);
        return err;
    }
    self->desk.store = store;
    return WR_OK;
}

/* Without memory what was in force stays. */
static void reload(void *arg, const struct wr_conf *conf)
{
    struct index_service *self = arg;
    struct index_settings settings = index_settings_of((struct wr_conf *)(uintptr_t)conf);
    if (wr_cell_set(&self->settings, &settings))
        index_settings_drop(&settings);
    if (self->desk.resolver) {
        struct index_memory_conf memory = memory_of(conf);
        resolver_remember(self->desk.resolver, &memory);
        index_engine_reload(&self->engine, conf);
    }
}

/* ---- readiness ---- */

static enum wr_health probe(void *arg, char *why)
{
    struct index_service *self = arg;
    if (!self->desk.store || atomic_load(&self->runs))
        return WR_HEALTH_READY;
    snprintf(why, 100, "nobody looks anything up");
    return WR_HEALTH_UNREADY;
}

/* What cannot be written is still read. */
static enum wr_health probe_db(void *arg, char *why)
{
    struct index_service *self = arg;
    struct store_health health;
    if (!self->desk.store) {
        snprintf(why, 100, "the index needs a store");
        return WR_HEALTH_UNREADY;
    }
    store_health(self->desk.store, &health);
    if (health.state == STORE_OK)
        return WR_HEALTH_READY;
    snprintf(why, STORE_WHY_MAX, "%s", health.why.text);
    return WR_HEALTH_DEGRADED;
}

static enum wr_health probe_dht(void *arg, char *why)
{
    struct index_service *self = arg;
    return self->desk.store ? index_engine_probe(&self->engine, why) : WR_HEALTH_READY;
}

static const struct node_part parts[] = {
    { .name = "db_open", .probe = probe_db },
    { .name = "dht_client_ready", .probe = probe_dht, .spare = true },
};

/* ---- the row ---- */

wr_err index_service_new(struct index_service **ret)
{
    struct index_service *self = calloc(1, sizeof(*self));
    if (!self)
        return WR_NOMEM;
    index_lookup_routes(self->routes + LOOKUPS, &self->desk);
    index_pointer_routes(self->routes + POINTERS, &self->desk);
    index_admin_routes(self->routes + ADMIN, &self->desk);
    index_search_routes(self->routes + SEARCH, &self->desk);
    index_graph_routes(self->routes + GRAPH, &self->desk);
    object_routes(self->routes + OBJECTS, &self->objects);
    index_event_routes(self->routes + EVENTS, &self->desk);
    object_verbs(self->verbs, &self->objects);
    lookup_verbs(self->verbs + OBJECT_VERBS, &self->objects);
    const struct wr_child children[CHILDREN] = {
        { .name = "index.dhtnode", .run = index_engine_run_node, .arg = &self->engine,
          .restart = WR_RESTART_ALWAYS, .group = NODE_BELOW },
        { .name = "index.dht", .run = index_engine_run, .arg = &self->engine,
          .restart = WR_RESTART_ALWAYS, .group = NODE_BELOW },
        { .name = "index.resolver", .run = run_resolver, .arg = self,
          .restart = WR_RESTART_ALWAYS },
        { .name = "index.scribe", .run = run_scribe, .arg = self,
          .restart = WR_RESTART_ALWAYS },
        { .name = "index.announcer", .run = run_announcer, .arg = self,
          .restart = WR_RESTART_ALWAYS },
        { .name = "index.objects", .run = object_desk_run, .arg = &self->objects,
          .restart = WR_RESTART_ALWAYS },
        { .name = "index.service", .run = run, .arg = self, .restart = WR_RESTART_ALWAYS },
    };
    memcpy(self->children, children, sizeof(children));
    self->row = (struct node_service){
        .name = "index", .routes = self->routes, .route_count = ROUTES, .verbs = self->verbs,
        .verb_count = VERBS, .open = open_all,
        .close = close_all, .reload = reload, .probe = probe, .arg = self,
        .parts = parts,
        .part_count = sizeof(parts) / sizeof(*parts),
        .children = self->children, .child_count = CHILDREN };
    *ret = self;
    return WR_OK;
}

const struct node_service *index_service_row(const struct index_service *service)
{
    return &service->row;
}

struct index_desk *index_service_desk(struct index_service *service)
{
    return &service->desk;
}

void index_service_free(struct index_service *service)
{
    free(service);
}
