/* index_events.c - see index_events.h. */
#include "svc/index/index_events.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/bcast.h>
#include <weir/log.h>
#include <weir/metric.h>
#include <weir/sse.h>
#include <weir/task.h>

#include "base/hash.h"
#include "base/json.h"
#include "svc/service.h"

#define HINT 12                         /* hex digits */
#define CORR_MAX 64
#define WARN_EVERY WR_S(5)

static struct wr_metric lagged_metric = {
    .name = "bus_lagged_total", .help = "Values that slow readers missed.",
    .type = WR_COUNTER, .svc = "index" };

struct told {
    enum index_event_kind kind;
    const char *what;
    char hint[HINT + 1], corr_id[CORR_MAX + 1];
    wr_time took;
};

struct index_events {
    struct wr_bcast *bus;
    _Atomic unsigned watchers;
    struct wr_counter *lagged;
};

wr_err index_events_new(struct index_events **ret)
{
    struct index_events *events = calloc(1, sizeof(*events));
    if (!events)
        return WR_NOMEM;
    wr_err err = wr_bcast_new(&events->bus, &(struct wr_bcast_conf){
        .name = "index.events", .item_size = sizeof(struct told), .cap = INDEX_EVENTS_KEPT });
    if (err) {
        free(events);
        return err;
    }
    events->lagged = wr_metric_counter(&lagged_metric);
    *ret = events;
    return WR_OK;
}

void index_events_free(struct index_events *events)
{
    if (!events)
        return;
    wr_bcast_free(events->bus);
    free(events);
}

/* ---- telling ---- */

static void write_hint(char hint[HINT + 1], const struct index_key *key)
{
    char text[WR_HASH_TEXT];
    struct wr_hash hash = key->cid;
    if (key->is_name)
        hash = wr_hash_of(key->text, strlen(key->text));
    snprintf(hint, HINT + 1, "%.*s", HINT, wr_hash_print(&hash, text));
}

void index_events_tell(struct index_events *events, const struct index_event *event)
{
    struct told told = { .kind = event->kind, .what = event->what, .took = event->took };
    if (atomic_load_explicit(&events->watchers, memory_order_relaxed) == 0)
        return;
    if (event->key)
        write_hint(told.hint, event->key);
    snprintf(told.corr_id, sizeof(told.corr_id), "%s", event->corr_id ? event->corr_id : "");
    (void)!wr_bcast_send(events->bus, &told);
}

/* ---- watching ---- */

static const char *const names[] = {
    [INDEX_ADMIN_ACCEPTED] = "index.admin.accepted",
    [INDEX_PIN_CHANGED] = "index.pin.changed",
    [INDEX_RESOLVE_OBSERVED] = "index.resolve.observed",
};

static wr_err send_told(struct wr_sse *sse, const struct told *told)
{
    char buf[400];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    bool resolved = told->kind == INDEX_RESOLVE_OBSERVED;
    wr_json_object(&json, NULL);
    if (told->hint[0])
        wr_json_str(&json, "key_hint", told->hint);
    wr_json_str(&json, resolved ? "source" : "type", told->what);
    if (resolved)
        wr_json_decimal(&json, "latency_ms", told->took / WR_US(1), 3);
    if (told->corr_id[0])
        wr_json_str(&json, "corr_id", told->corr_id);
    wr_json_end(&json);
    return wr_sse_event(sse, NULL, names[told->kind], text.at);
}

static wr_err send_lagged(struct wr_sse *sse, uint64_t missed)
{
    static struct wr_log_limit warned;
    char text[60];
    wr_log_limited(&warned, WARN_EVERY, WR_WARN, "index.lagged", WR_F_U64("missed", missed));
    snprintf(text, sizeof(text), "{\"missed\":%llu}", (unsigned long long)missed);
    return wr_sse_event(sse, NULL, "lagged", text);
}

static wr_err send_all(struct index_events *events, struct wr_bcast_reader *reader,
                       struct wr_sse *sse, const struct facet_permit *permit)
{
    struct told told;
    struct wr_case cases[] = { WR_CASE_BCAST(reader, &told) };
    size_t which;
    uint64_t seen = 0;
    wr_err err = WR_OK;
    while (!err && !(permit && facet_shed(permit))
           && !(err = wr_sse_select(sse, &which, cases, 1))) {
        if (cases[0].err == WR_LAGGED) {
            wr_counter_add(events->lagged, reader->lagged - seen);
            err = send_lagged(sse, reader->lagged - seen);
            seen = reader->lagged;
        } else {
            err = cases[0].err ? cases[0].err : send_told(sse, &told);
        }
    }
    return err;
}

static void leave(void *arg)
{
    struct index_events *events = arg;
    atomic_fetch_sub(&events->watchers, 1);
}

static wr_err get_events(struct wr_call *call)
{
    struct index_desk *desk;
    struct wr_sse sse;
    wr_err err = index_desk_of(call, &desk);
    if (err)
        return err;
    /* From before he hears that he is one: what happens then is not missed. */
    struct wr_cleanup cleanup = { .fn = leave, .arg = desk->events };
    atomic_fetch_add(&desk->events->watchers, 1);
    wr_cleanup_push(&cleanup);
    struct wr_bcast_reader reader = wr_bcast_reader(desk->events->bus);
    err = wr_sse_begin(&sse, call, &(struct wr_sse_conf){ 0 });
    if (!err)
        err = wr_sse_end(&sse, send_all(desk->events, &reader, &sse, *wr_call_memo(call)));
    wr_cleanup_pop(&cleanup);
    leave(desk->events);
    return err;
}

static const struct node_policy policy = { .facet = FACET_FEED };

void index_event_routes(struct wr_route ret[INDEX_EVENT_ROUTES], struct index_desk *desk)
{
    ret[0] = (struct wr_route){
        .method = "GET", .path = "/v1/index/events", .handler = get_events, .arg = desk,
        .class = WR_ROUTE_STREAM, .scope = "index.admin", .tag = "index", .policy = &policy,
        .summary = "What is resolved, pinned and changed, as it happens." };
}
