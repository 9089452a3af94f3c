/* index_settings.c - see index_settings.h. */
#include "svc/index/index_settings.h"

#define MINUTE WR_S(60)

/* All of a minute may come at once. */
static struct wr_rate quota_of(const struct wr_conf *conf, const char *key)
{
    uint32_t count = (uint32_t)wr_conf_int(conf, key);
    return count ? wr_rate_of(count, MINUTE, count) : (struct wr_rate){ 0 };
}

struct index_settings index_settings_of(struct wr_conf *conf)
{
    struct index_settings settings = {
        .conf = wr_conf_ref(conf),
        .deadline = wr_conf_duration(conf, "index.deadline"),
        .bias = (double)wr_conf_int(conf, "index.rank.region_permille") / 1000,
        .half_life = wr_conf_duration(conf, "index.rank.half_life"),
        .resolves = quota_of(conf, "index.quotas.resolves_per_min"),
        .providers = quota_of(conf, "index.quotas.providers_per_min"),
        .search = wr_conf_bool(conf, "index.facets.search"),
        .graph = wr_conf_bool(conf, "index.facets.graph"),
    };
    const int64_t *numbers;
    size_t count = wr_conf_numbers(conf, "index.rank.latency_buckets_ms", &numbers);
    for (size_t i = 0; i < count && i < RANK_BUCKETS_MAX; i++)
        settings.buckets[settings.bucket_count++] = WR_MS(numbers[i]);
    return settings;
}

void index_settings_drop(void *settings)
{
    wr_conf_unref(((struct index_settings *)settings)->conf);
}

struct rank_rule index_settings_rule(const struct index_settings *settings)
{
    struct rank_rule rule = {
        .bias = settings->bias, .half_life = settings->half_life,
        .buckets = settings->buckets, .bucket_count = settings->bucket_count };
    rule.region_count = wr_conf_words(settings->conf, "index.rank.regions", &rule.regions);
    rule.denied_count = wr_conf_words(settings->conf, "index.rank.denied", &rule.denied);
    return rule;
}
