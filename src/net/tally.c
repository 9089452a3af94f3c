/* tally.c - see tally.h. */
#include "net/tally.h"

#include <stdio.h>

#include <weir/lock.h>

#include "net/server.h"

#define LOCK_RANK 950

static struct wr_metric requests_metric = {
    .name = "http_requests_total", .help = "Requests that were answered.", .type = WR_COUNTER,
    .labels = { "route", "method", "status" }, .series_max = 512,
};

/* Those that a server gives by itself, or often: their series are looked up once. */
static const unsigned usual[TALLY_STATUSES] = {
    200, 202, 204, 206, 304, 400, 401, 403, 404, 405, 408, 413, 429, 500, 503, 504,
};

static struct wr_counter *look_up(const struct tally *tally, unsigned status)
{
    char text[12];
    snprintf(text, sizeof(text), "%u", status);
    return wr_metric_counter(&requests_metric, tally->route, tally->method, text);
}

void tally_count(struct tally *tally, unsigned status)
{
    static struct tally none = { .route = "none", .method = "any" };
    size_t i = 0;
    if (!tally)
        tally = &none;
    while (i < TALLY_STATUSES && usual[i] != status)
        i++;
    struct wr_counter *counter = i == TALLY_STATUSES ? look_up(tally, status)
        : atomic_load_explicit(&tally->counters[i], memory_order_relaxed);
    if (!counter) {
        counter = look_up(tally, status);
        atomic_store_explicit(&tally->counters[i], counter, memory_order_relaxed);
    }
    wr_counter_add(counter, 1);
}

/* ---- what is being answered ---- */

static struct { struct wr_mutex lock; struct wr_http *first; } servers = {
    .lock = WR_MUTEX("http.servers", LOCK_RANK),
};

static void collect_inflight(struct wr_scrape *scrape)
{
    wr_mutex_lock(&servers.lock);
    for (const struct wr_http *http = servers.first; http; http = http->next)
        for (size_t i = 0; i < http->conf.count; i++)
            wr_scrape_gauge(scrape, atomic_load(&http->states[i].running),
                            http->conf.routes[i].path);
    wr_mutex_unlock(&servers.lock);
}

static struct wr_metric inflight_metric = {
    .name = "inflight_requests", .help = "Requests that are being answered.",
    .type = WR_GAUGE, .labels = { "route" }, .series_max = 256, .collect = collect_inflight,
};

void tally_show(struct wr_http *http)
{
    wr_metric_declare(&inflight_metric);
    wr_mutex_lock(&servers.lock);
    http->next = servers.first;
    http->link = &servers.first;
    if (http->next)
        http->next->link = &http->next;
    servers.first = http;
    wr_mutex_unlock(&servers.lock);
}

void tally_forget(struct wr_http *http)
{
    wr_mutex_lock(&servers.lock);
    *http->link = http->next;
    if (http->next)
        http->next->link = http->link;
    wr_mutex_unlock(&servers.lock);
}
