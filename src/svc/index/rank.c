/* rank.c - see rank.h. */
#include "svc/index/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weir/panic.h>

const char *const rank_classes[RANK_CLASSES] = {
    [RANK_REGION_MATCH] = "region_match", [RANK_FRESH] = "fresh", [RANK_ANY] = "any",
};

static const wr_time usual_buckets[] = { WR_MS(30), WR_MS(80), WR_MS(200), WR_MS(500) };
const struct rank_rule rank_usual = {
    .bias = 0.6, .half_life = WR_S(600), .buckets = usual_buckets,
    .bucket_count = sizeof(usual_buckets) / sizeof(usual_buckets[0]),
};

static bool is_among(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, list[i]) == 0)
            return true;
    return false;
}

static uint64_t last_seen_s(const struct provider *provider, struct wr_wall now)
{
    return provider->seen_at.ns >= now.ns
        ? 0 : (uint64_t)(now.ns - provider->seen_at.ns) / (uint64_t)WR_S(1);
}

static bool is_wanted(const struct provider *provider, const struct rank_rule *rule,
                      const struct rank_wish *wish)
{
    return provider->until.ns > wish->now.ns &&
        !is_among(provider->id, rule->denied, rule->denied_count) &&
        (rule->region_count == 0 ||
         is_among(provider->region, rule->regions, rule->region_count)) &&
        (wish->seen_within_s == 0 ||
         last_seen_s(provider, wish->now) <= wish->seen_within_s);
}

static double swiftness(const struct provider *provider, const struct rank_rule *rule)
{
    wr_time latency = rule->latency ? rule->latency(rule->arg, provider->id) : -1;
    if (latency < 0)
        latency = provider->latency;
    if (latency < 0)
        return 0.5;
    for (size_t i = 0; i < rule->bucket_count; i++)
        if (latency <= rule->buckets[i])
            return 1.0 - (double)i / (double)rule->bucket_count;
    return 0;
}

static struct ranked judge(const struct provider *provider, const struct rank_rule *rule,
                           const struct rank_wish *wish)
{
    uint64_t seen_s = last_seen_s(provider, wish->now);
    double half_lives = (double)seen_s * (double)WR_S(1) / (double)rule->half_life;
    double base = 0.5 * exp2(-half_lives) + 0.5 * swiftness(provider, rule);
    bool wishes = wish->region && *wish->region;
    bool match = wishes && strcmp(provider->region, wish->region) == 0;
    return (struct ranked){
        .provider = provider, .last_seen_s = seen_s,
        .score = wishes ? rule->bias * match + (1 - rule->bias) * base : base,
        .class = match ? RANK_REGION_MATCH : half_lives <= 1 ? RANK_FRESH : RANK_ANY };
}

static int compare(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->last_seen_s != b->last_seen_s)
        return a->last_seen_s < b->last_seen_s ? -1 : 1;
    return strcmp(a->provider->id, b->provider->id);
}

size_t rank(struct ranked *ret, const struct provider *providers, size_t count,
            const struct rank_rule *rule, const struct rank_wish *wish, bool *ret_more)
{
    WR_ASSERT(rule->half_life > 0 && rule->bias >= 0 && rule->bias <= 1);
    WR_ASSERT(rule->bucket_count > 0 && rule->bucket_count <= RANK_BUCKETS_MAX);
    size_t limit = wish->limit ? wish->limit : RANK_LIMIT;
    size_t wanted = 0;
    if (limit > RANK_LIMIT_MAX)
        limit = RANK_LIMIT_MAX;
    for (size_t i = 0; i < count; i++)
        if (is_wanted(&providers[i], rule, wish))
            ret[wanted++] = judge(&providers[i], rule, wish);
    if (wanted)
        qsort(ret, wanted, sizeof(*ret), compare);
    *ret_more = wanted > limit;
    return wanted < limit ? wanted : limit;
}
