/* traffic.c - see traffic.h. */
#include "svc/node/traffic.h"

#include <stdlib.h>
#include <time.h>

#include <weir/lock.h>

#include "svc/node/node_int.h"
#include "svc/node/page.h"

#define RANK_COUNTERS 30

/* `series` is what one bucket is, `rollup` what all of them are together. */
static const struct { size_t size; int64_t seconds; const char *series, *rollup; } rings[] = {
    [TRAFFIC_SECONDS] = { 60, 1, "second", "minute" },
    [TRAFFIC_MINUTES] = { 60, 60, "minute", "hour" },
    [TRAFFIC_HOURS] = { 24, 3600, "hour", "day" },
    [TRAFFIC_DAYS] = { 30, 86400, "day", "month" },
    [TRAFFIC_MONTHS] = { 12, 0, "month", "year" },
};

/* Which second, minute, ... it is of; another one in its place makes it empty. */
struct bucket { int64_t number; struct wr_stream_bytes sum; };

struct traffic {
    struct wr_mutex lock;           /* of what follows */
    struct wr_wall began, last;     /* the last look */
    struct wr_stream_bytes first, total;    /* counted when it began, and then */
    struct bucket buckets[TRAFFIC_RINGS][TRAFFIC_BUCKETS_MAX];
};

wr_err traffic_new(struct traffic **ret, struct wr_wall now, struct wr_stream_bytes total)
{
    struct traffic *traffic = calloc(1, sizeof(*traffic));
    if (!traffic)
        return WR_NOMEM;
    traffic->lock = (struct wr_mutex)WR_MUTEX("node.traffic", RANK_COUNTERS);
    traffic->began = traffic->last = now;
    traffic->first = traffic->total = total;
    *ret = traffic;
    return WR_OK;
}

void traffic_free(struct traffic *traffic)
{
    if (!traffic)
        return;
    wr_mutex_fini(&traffic->lock);
    free(traffic);
}

/* Months have no length: they are counted by the calendar. */
static int64_t number_at(enum traffic_ring ring, struct wr_wall at)
{
    time_t seconds = at.ns / WR_S(1);
    struct tm date;
    if (rings[ring].seconds)
        return seconds / rings[ring].seconds;
    gmtime_r(&seconds, &date);
    return date.tm_year * 12 + date.tm_mon;
}

static struct bucket *bucket_of(struct traffic *traffic, enum traffic_ring ring,
                                int64_t number)
{
    return &traffic->buckets[ring][(size_t)number % rings[ring].size];
}

static void add(struct traffic *traffic, struct wr_stream_bytes more)
{
    for (enum traffic_ring ring = 0; ring < TRAFFIC_RINGS; ring++) {
        int64_t number = number_at(ring, traffic->last);
        struct bucket *bucket = bucket_of(traffic, ring, number);
        if (bucket->number != number)
            *bucket = (struct bucket){ .number = number };
        bucket->sum.in += more.in;
        bucket->sum.out += more.out;
    }
}

/* Who counted before another may come after it: then there is nothing to add. */
static uint64_t grow(uint64_t *total, uint64_t now)
{
    uint64_t more = now > *total ? now - *total : 0;
    *total += more;
    return more;
}

void traffic_note(struct traffic *traffic, struct wr_wall now, struct wr_stream_bytes total)
{
    wr_mutex_lock(&traffic->lock);
    struct wr_stream_bytes more = { .in = grow(&traffic->total.in, total.in),
                                    .out = grow(&traffic->total.out, total.out) };
    if (more.in || more.out)
        add(traffic, more);
    traffic->last = now;
    wr_mutex_unlock(&traffic->lock);
}

size_t traffic_read(struct traffic *traffic, enum traffic_ring ring, struct wr_wall now,
                    struct wr_stream_bytes ret[TRAFFIC_BUCKETS_MAX])
{
    size_t size = rings[ring].size;
    int64_t oldest = number_at(ring, now) - (int64_t)size + 1;
    wr_mutex_lock(&traffic->lock);
    for (size_t i = 0; i < size; i++) {
        const struct bucket *bucket = bucket_of(traffic, ring, oldest + (int64_t)i);
        bool current = bucket->number == oldest + (int64_t)i;
        ret[i] = current ? bucket->sum : (struct wr_stream_bytes){ 0 };
    }
    wr_mutex_unlock(&traffic->lock);
    return size;
}

/* ---- the page ---- */

static void add_sums(struct wr_json *json, const char *key, struct wr_stream_bytes sum)
{
    wr_json_object(json, key);
    wr_json_u64(json, "rxBytes", sum.in);
    wr_json_u64(json, "txBytes", sum.out);
    wr_json_end(json);
}

static void add_rollups(struct wr_json *json, struct traffic *traffic, struct wr_wall now)
{
    struct wr_stream_bytes sums[TRAFFIC_BUCKETS_MAX];
    wr_json_object(json, "rollups");
    for (enum traffic_ring ring = 0; ring < TRAFFIC_RINGS; ring++) {
        struct wr_stream_bytes all = { 0 };
        size_t count = traffic_read(traffic, ring, now, sums);
        for (size_t i = 0; i < count; i++) {
            all.in += sums[i].in;
            all.out += sums[i].out;
        }
        add_sums(json, rings[ring].rollup, all);
    }
    wr_json_end(json);
}

static void add_series(struct wr_json *json, struct traffic *traffic, struct wr_wall now)
{
    struct wr_stream_bytes sums[TRAFFIC_BUCKETS_MAX];
    wr_json_object(json, "series");
    for (enum traffic_ring ring = 0; ring < TRAFFIC_RINGS; ring++) {
        size_t count = traffic_read(traffic, ring, now, sums);
        wr_json_object(json, rings[ring].series);
        wr_json_array(json, "rxBytes");
        for (size_t i = 0; i < count; i++)
            wr_json_u64(json, NULL, sums[i].in);
        wr_json_end(json);
        wr_json_array(json, "txBytes");
        for (size_t i = 0; i < count; i++)
            wr_json_u64(json, NULL, sums[i].out);
        wr_json_end(json);
        wr_json_end(json);
    }
    wr_json_end(json);
}

wr_err traffic_serve(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    struct traffic *traffic = node->traffic;
    struct wr_wall now = wr_wall();
    struct wr_stream_bytes total = wr_stream_bytes();
    struct page page;
    traffic_note(traffic, now, total);
    page_begin(&page);
    page_moment(&page, "updatedAt", now);
    page_moment(&page, "since", traffic->began);
    add_sums(&page.json, "total", (struct wr_stream_bytes){
        .in = total.in - traffic->first.in, .out = total.out - traffic->first.out });
    add_rollups(&page.json, traffic, now);
    add_series(&page.json, traffic, now);
    return page_end(&page, call);
}
