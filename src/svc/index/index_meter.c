/* index_meter.c - see index_meter.h. */
#include "svc/index/index_meter.h"

#include <stdatomic.h>

#include <weir/metric.h>

#define SECONDS { WR_US(100), WR_MS(1), WR_MS(5), WR_MS(10), WR_MS(20), WR_MS(50), WR_MS(100), \
                  WR_MS(200), WR_MS(500), WR_S(1), WR_S(2), WR_S(5) }

static struct wr_metric latency = {
    .name = "resolve_latency_seconds", .help = "How long a resolve took, from the question on.",
    .type = WR_HISTOGRAM, .svc = "index", .digits = WR_NS_AS_S, .bounds = SECONDS };
static struct wr_metric latency_by = {
    .name = "index_resolve_latency_seconds",
    .help = "How long a resolve took, by where the answer was and what was asked for.",
    .type = WR_HISTOGRAM, .labels = { "source", "type" }, .series_max = 8, .svc = "index",
    .digits = WR_NS_AS_S, .bounds = SECONDS };
static struct wr_metric returned = {
    .name = "index_providers_returned", .help = "Providers in an answer, by their class.",
    .type = WR_HISTOGRAM, .labels = { "class" }, .series_max = RANK_CLASSES, .svc = "index",
    .bounds = { 1, 2, 3, 5, 8, 13 } };
static struct wr_metric refusals = {
    .name = "busy_rejections_total",
    .help = "Questions refused because there was no room or no quota.",
    .type = WR_COUNTER, .labels = { "route" }, .series_max = 8, .svc = "index" };
static struct wr_metric deadlines = {
    .name = "resolve_deadline_hit", .help = "Questions not answered by their deadline.",
    .type = WR_COUNTER, .svc = "index", .any_name = true };
static struct wr_metric timeouts = {
    .name = "io_timeouts_total",
    .help = "Waits for a peer that a deadline ended, by what was waited for.",
    .type = WR_COUNTER, .labels = { "op" }, .series_max = 8, .svc = "index" };
static struct wr_metric hits = {
    .name = "index_cache_hits_total", .help = "Questions answered from the cache.",
    .type = WR_COUNTER, .svc = "index" };
static struct wr_metric misses = {
    .name = "index_cache_misses_total", .help = "Questions that were not in the cache.",
    .type = WR_COUNTER, .svc = "index" };
static struct wr_metric lookups = {
    .name = "index_dht_lookup_ms", .help = "How long the DHT took to answer, or to fail.",
    .type = WR_HISTOGRAM, .svc = "index", .digits = WR_NS_AS_MS,
    .bounds = { WR_MS(1), WR_MS(2), WR_MS(5), WR_MS(10), WR_MS(20), WR_MS(50), WR_MS(100),
                WR_MS(150), WR_MS(200), WR_MS(500), WR_S(1), WR_MS(1200) } };
static struct wr_metric errors = {
    .name = "dht_errors_total", .help = "Lookups in the DHT that brought nothing, by why.",
    .type = WR_COUNTER, .labels = { "kind" }, .series_max = 4, .svc = "index" };
static struct wr_metric missing = {
    .name = "dht_records_missing_total", .help = "Lookups for which nobody had a good record.",
    .type = WR_COUNTER, .svc = "index" };
static struct wr_metric changes = {
    .name = "index_provider_set_changes_total",
    .help = "Times that a set of providers was another than the one known.",
    .type = WR_COUNTER, .svc = "index" };
static struct wr_metric damages = {
    .name = "index_integrity_fail_total",
    .help = "Things that were not what they should be, and were not served, by where.",
    .type = WR_COUNTER, .labels = { "stage" }, .series_max = 8, .svc = "index" };
static struct wr_metric purges = {
    .name = "amnesia_purge_total", .help = "Times that something was forgotten on purpose.",
    .type = WR_COUNTER, .labels = { "kind" }, .series_max = 4, .svc = "index" };
static struct wr_metric announcements = {
    .name = "index_announced_total", .help = "Offers announced, by what came of it.",
    .type = WR_COUNTER, .labels = { "result" }, .series_max = 4, .svc = "index" };
static struct wr_metric offers = {
    .name = "index_offers", .help = "What this node offers to others.",
    .type = WR_GAUGE, .svc = "index" };

/* Looked up once: the handles are good for ever. */
static struct wr_histogram *latencies(void)
{
    static _Atomic(struct wr_histogram *) handle;
    struct wr_histogram *found = atomic_load_explicit(&handle, memory_order_relaxed);
    if (!found) {
        found = wr_metric_histogram(&latency);
        atomic_store_explicit(&handle, found, memory_order_relaxed);
    }
    return found;
}

static struct wr_histogram *latencies_by(enum found_source source, bool is_name)
{
    static _Atomic(struct wr_histogram *) handles[FOUND_SOURCES][2];
    _Atomic(struct wr_histogram *) *handle = &handles[source][is_name];
    struct wr_histogram *found = atomic_load_explicit(handle, memory_order_relaxed);
    if (!found) {
        found = wr_metric_histogram(&latency_by, found_sources[source],
                                    is_name ? "name" : "cid");
        atomic_store_explicit(handle, found, memory_order_relaxed);
    }
    return found;
}

void index_meter_answered(const struct index_key *key, enum found_source source, wr_time took)
{
    wr_histogram_observe(latencies(), took);
    wr_histogram_observe(latencies_by(source, key->is_name), took);
}

void index_meter_provided(const struct ranked *ranked, size_t count)
{
    int64_t counts[RANK_CLASSES] = { 0 };
    for (size_t i = 0; i < count; i++)
        counts[ranked[i].class]++;
    for (int class = 0; class < RANK_CLASSES; class++)
        if (counts[class])
            wr_histogram_observe(wr_metric_histogram(&returned, rank_classes[class]),
                                 counts[class]);
}

void index_meter_refused(const char *route)
{
    wr_counter_add(wr_metric_counter(&refusals, route), 1);
}

void index_meter_late(const char *route)
{
    wr_counter_add(wr_metric_counter(&deadlines), 1);
    wr_counter_add(wr_metric_counter(&timeouts, route), 1);
}

void index_meter_cached(bool hit)
{
    static _Atomic(struct wr_counter *) handles[2];
    struct wr_counter *found = atomic_load_explicit(&handles[hit], memory_order_relaxed);
    if (!found) {
        found = wr_metric_counter(hit ? &hits : &misses);
        atomic_store_explicit(&handles[hit], found, memory_order_relaxed);
    }
    wr_counter_add(found, 1);
}

/* ---- what the caches hold ---- */

static size_t (*_Atomic entries_now)(void);

static void collect_size(struct wr_scrape *scrape)
{
    size_t (*entries)(void) = atomic_load(&entries_now);
    wr_scrape_gauge(scrape, entries ? (int64_t)entries() : 0, NULL);
}

static struct wr_metric size = {
    .name = "index_cache_size", .help = "Answers in the cache.", .type = WR_GAUGE,
    .svc = "index", .collect = collect_size };

void index_meter_size(size_t (*entries)(void))
{
    atomic_store(&entries_now, entries);
    wr_metric_declare(&size);
}

/* ---- the DHT ---- */

void index_meter_asked(wr_err err, wr_time took)
{
    if (err == WR_CANCELED)
        return;
    wr_histogram_observe(wr_metric_histogram(&lookups), took);
    if (err == WR_NOTFOUND)
        wr_counter_add(wr_metric_counter(&missing), 1);
    if (err == WR_TIMEOUT)
        wr_counter_add(wr_metric_counter(&timeouts, "dht"), 1);
    if (err)
        wr_counter_add(wr_metric_counter(&errors, err == WR_NOTFOUND ? "not_found"
                                                  : err == WR_TIMEOUT ? "timeout" : "io"), 1);
}

void index_meter_changed(void)
{
    wr_counter_add(wr_metric_counter(&changes), 1);
}

void index_meter_damaged(const char *stage)
{
    wr_counter_add(wr_metric_counter(&damages, stage), 1);
}

void index_meter_purged(const char *kind)
{
    wr_counter_add(wr_metric_counter(&purges, kind), 1);
}

void index_meter_announced(wr_err err)
{
    wr_counter_add(wr_metric_counter(&announcements, err == WR_OK ? "ok"
                                     : err == WR_DEGRADED ? "alone" : "failed"), 1);
}

void index_meter_offers(uint64_t count)
{
    wr_gauge_set(wr_metric_gauge(&offers), (int64_t)count);
}
