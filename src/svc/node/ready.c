/* ready.c - readiness, probed: see ready.h. */
#include "svc/node/ready.h"

#include <stdlib.h>
#include <string.h>

#include <weir/metric.h>
#include <weir/panic.h>

#define RETRY_AFTER 5

static struct wr_metric state_metric = {
    .name = "readyz_state",
    .help = "What others may expect: 0 unready, 1 degraded, 2 ready.",
    .type = WR_GAUGE, .labels = { "service" }, .series_max = READY_KEYS_MAX + 1,
};

static struct wr_metric ready_metric = {
    .name = "ready_state", .help = "1 while /readyz answers 200.", .type = WR_GAUGE,
};

static struct wr_metric unmet_metric = {
    .name = "ready_dependency_unmet",
    .help = "1 while this keeps the node from being ready.",
    .type = WR_GAUGE, .labels = { "dep" }, .series_max = READY_KEYS_MAX,
};

struct row {
    struct ready_key key;
    size_t needs[READY_NEEDS_MAX];
    size_t need_count;
    struct wr_gauge *state, *unmet;
};

struct ready {
    _Atomic bool leaving;
    struct wr_gauge *node, *ready;
    size_t count;
    struct row rows[];
};

static void resolve_needs(struct ready *ready, size_t index)
{
    struct row *row = &ready->rows[index];
    for (size_t i = 0; i < READY_NEEDS_MAX && row->key.needs[i]; i++) {
        size_t other = 0;
        while (other < index && strcmp(ready->rows[other].key.name, row->key.needs[i]) != 0)
            other++;
        if (other == index)
            wr_panic("readiness: \"%s\" needs \"%s\", which is no row before it", row->key.name,
                     row->key.needs[i]);
        row->needs[row->need_count++] = other;
    }
}

wr_err ready_new(struct ready **ret, const struct ready_key *keys, size_t count)
{
    if (count > READY_KEYS_MAX)
        wr_panic("readiness has %zu keys, at most %d are allowed", count, READY_KEYS_MAX);
    struct ready *ready = calloc(1, sizeof(*ready) + count * sizeof(*ready->rows));
    if (!ready)
        return WR_NOMEM;
    ready->count = count;
    ready->node = wr_metric_gauge(&state_metric, "node");
    ready->ready = wr_metric_gauge(&ready_metric);
    for (size_t i = 0; i < count; i++) {
        struct row *row = &ready->rows[i];
        row->key = keys[i];
        resolve_needs(ready, i);
        row->state = wr_metric_gauge(&state_metric, keys[i].name);
        row->unmet = wr_metric_gauge(&unmet_metric, keys[i].name);
    }
    *ret = ready;
    return WR_OK;
}

void ready_free(struct ready *ready)
{
    free(ready);
}

void ready_leave(struct ready *ready)
{
    atomic_store(&ready->leaving, true);
}

const struct ready_key *ready_key(const struct ready *ready, size_t index)
{
    return &ready->rows[index].key;
}

/* The first need that is missing, or READY_KEYS_MAX. */
static size_t missing_need(const struct row *row, const struct ready_view *view)
{
    for (size_t i = 0; i < row->need_count; i++)
        if (view->keys[row->needs[i]].health == WR_HEALTH_UNREADY)
            return row->needs[i];
    return READY_KEYS_MAX;
}

static bool prevents(const struct ready_key *key, enum wr_health health)
{
    return (key->vital && health == WR_HEALTH_UNREADY)
           || (key->required && health != WR_HEALTH_READY);
}

void ready_look(struct ready *ready, struct ready_view *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->ready = true;
    ret->count = ready->count;
    for (size_t i = 0; i < ready->count; i++) {
        const struct row *row = &ready->rows[i];
        char *why = ret->keys[i].why;
        size_t missing = missing_need(row, ret);
        enum wr_health health = WR_HEALTH_UNREADY;
        ret->keys[i].unwanted = row->key.wanted && !row->key.wanted(row->key.arg);
        if (ret->keys[i].unwanted)
            health = WR_HEALTH_READY;
        else if (missing == READY_KEYS_MAX)
            health = row->key.probe(row->key.arg, why);
        else
            wr_text_format(&(struct wr_text){ why, 0, READY_WHY_MAX, 0, 0 },
                           "%s is not there", ready->rows[missing].key.name);
        ret->keys[i].health = health;
        ret->degraded |= health != WR_HEALTH_READY;
        ret->ready &= !prevents(&row->key, health);
        wr_gauge_set(row->state, ret->keys[i].unwanted ? WR_HEALTH_UNREADY : health);
        wr_gauge_set(row->unmet, prevents(&row->key, health));
    }
    ret->ready &= !atomic_load(&ready->leaving);
    wr_gauge_set(ready->ready, ret->ready);
    wr_gauge_set(ready->node, !ret->ready     ? WR_HEALTH_UNREADY
                              : ret->degraded ? WR_HEALTH_DEGRADED
                                              : WR_HEALTH_READY);
}

static const char *word(enum wr_health health)
{
    return health == WR_HEALTH_READY      ? "ok"
           : health == WR_HEALTH_DEGRADED ? "degraded"
                                          : "pending";
}

static void write_services(const struct ready *ready, const struct ready_view *view,
                           struct wr_json *json)
{
    wr_json_object(json, "services");
    for (size_t i = 0; i < ready->count; i++) {
        const char *service = ready->rows[i].key.service;
        if (!service || (i > 0 && ready->rows[i - 1].key.service
                         && strcmp(ready->rows[i - 1].key.service, service) == 0))
            continue;
        enum wr_health worst = WR_HEALTH_READY;
        wr_json_object(json, service);
        wr_json_object(json, "keys");
        for (size_t k = i; k < ready->count && ready->rows[k].key.service
                           && strcmp(ready->rows[k].key.service, service) == 0; k++) {
            enum wr_health health = view->keys[k].health;
            worst = health < worst ? health : worst;
            wr_json_str(json, ready->rows[k].key.name, word(health));
        }
        wr_json_end(json);
        wr_json_u64(json, "state", worst);
        wr_json_end(json);
    }
    wr_json_end(json);
}

void ready_write(const struct ready *ready, const struct ready_view *view,
                 struct wr_json *json)
{
    wr_json_bool(json, "ready", view->ready);
    wr_json_bool(json, "degraded", view->degraded);
    wr_json_str(json, "mode", "truthful");
    wr_json_bool(json, "draining", atomic_load(&ready->leaving));
    wr_json_object(json, "deps");
    for (size_t i = 0; i < ready->count; i++) {
        const char *name = ready->rows[i].key.name;
        bool loaded = strcmp(name, "config") == 0 && view->keys[i].health == WR_HEALTH_READY;
        if (!view->keys[i].unwanted)
            wr_json_str(json, name, loaded ? "loaded" : word(view->keys[i].health));
    }
    wr_json_end(json);
    wr_json_array(json, "missing");
    for (size_t i = 0; i < ready->count; i++)
        if (prevents(&ready->rows[i].key, view->keys[i].health))
            wr_json_str(json, NULL, ready->rows[i].key.name);
    wr_json_end(json);
    wr_json_object(json, "why");
    for (size_t i = 0; i < ready->count; i++)
        if (view->keys[i].why[0])
            wr_json_str(json, ready->rows[i].key.name, view->keys[i].why);
    wr_json_end(json);
    write_services(ready, view, json);
    if (!view->ready)
        wr_json_u64(json, "retry_after", RETRY_AFTER);
}
