/* capacity.c - see capacity.h. */
#include "svc/index/capacity.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

/* ---- readings ---- */

static const struct source {
    const char *name;
    size_t into;
    double unit;                    /* in seconds, or 1 */
} sources[] = {
    { "resolve_latency_seconds_count", offsetof(struct capacity_reading, asked), 1 },
    { "resolve_latency_seconds_sum", offsetof(struct capacity_reading, asked_seconds), 1 },
    { "index_dht_lookup_ms_count", offsetof(struct capacity_reading, lookups), 1 },
    { "index_dht_lookup_ms_sum", offsetof(struct capacity_reading, lookup_seconds), 1e-3 },
    { "index_cache_hits_total", offsetof(struct capacity_reading, hits), 1 },
    { "index_cache_misses_total", offsetof(struct capacity_reading, misses), 1 },
};

/* The value of a line, if it is one of this metric, with whatever labels; else 0. */
static double value_of(const char *line, size_t len, const char *name)
{
    size_t head = strlen(name);
    if (len <= head || memcmp(line, name, head) != 0
        || (line[head] != '{' && line[head] != ' '))
        return 0;
    const char *space = memrchr(line, ' ', len);
    double value = space ? strtod(space, NULL) : 0;
    return isfinite(value) && value > 0 ? value : 0;
}

void capacity_read(struct capacity_reading *ret, const char *metrics)
{
    *ret = (struct capacity_reading){ 0 };
    for (const char *line = metrics; *line;) {
        size_t len = strcspn(line, "\n");
        for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
            *(double *)((char *)ret + sources[i].into) +=
                value_of(line, len, sources[i].name) * sources[i].unit;
        line += line[len] ? len + 1 : len;
    }
}

/* ---- what follows ---- */

static struct capacity_reading between(const struct capacity_reading *before,
                                       const struct capacity_reading *after)
{
    if (after->asked < before->asked || after->lookups < before->lookups) /* another node */
        return *after;
    return (struct capacity_reading){
        .asked = after->asked - before->asked,
        .asked_seconds = after->asked_seconds - before->asked_seconds,
        .lookups = after->lookups - before->lookups,
        .lookup_seconds = after->lookup_seconds - before->lookup_seconds,
        .hits = after->hits - before->hits,
        .misses = after->misses - before->misses,
    };
}

static double ratio(double part, double whole)
{
    return whole > 0 && part > 0 ? part / whole : 0;
}

/* Those for providers are not timed, but each is a hit or a miss; one that does not want to
 * know the cache is a lookup. */
static double questions(const struct capacity_reading *reading)
{
    return fmax(reading->asked, fmax(reading->hits + reading->misses,
                                     reading->hits + reading->lookups));
}

struct capacity capacity_of(const struct capacity_reading *before,
                            const struct capacity_reading *after, double seconds,
                            uint64_t workers)
{
    WR_ASSERT(seconds > 0 && workers > 0);
    struct capacity_reading now = between(before, after);
    struct capacity_reading seen = questions(&now) >= CAPACITY_SEEN_MIN ? now : *after;
    if (questions(&seen) <= 0)
        return (struct capacity){ .workers_wanted = 1 };
    double lookups_each = ratio(seen.lookup_seconds, questions(&seen));
    struct capacity ret = {
        .known = true,
        .rate = questions(&now) / seconds,
        .service = fmax(0, ratio(seen.asked_seconds, seen.asked) - lookups_each),
        .lookup = ratio(seen.lookup_seconds, seen.lookups),
        .hit_ratio = ratio(seen.hits, fmax(seen.hits + seen.misses,
                                           seen.hits + seen.lookups)),
    };
    ret.each = ret.hit_ratio * ret.service + (1 - ret.hit_ratio) * (ret.service + ret.lookup);
    double load = ret.rate * ret.each;
    ret.used = load / (double)workers;
    double wanted = ceil(load / CAPACITY_USED_MAX - 1e-9);
    ret.workers_wanted = wanted < 1 ? 1 : (uint64_t)wanted;
    return ret;
}
