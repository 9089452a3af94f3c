/* index_settings_test.c - the snapshot that requests go by. */
#include "svc/index/index_settings.h"

#include "svc/index/index_keys.h"
#include "testing/test.h"

static struct wr_conf *load(const char *const *flags)
{
    static const struct wr_conf_table *const tables[] = { &index_keys, NULL };
    char *argv[16] = { (char *)"weir" };
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    int argc = 1;
    for (; flags[argc - 1]; argc++)
        argv[argc] = (char *)(uintptr_t)flags[argc - 1];
    CHECK_OK(wr_conf_load(&conf, &(struct wr_conf_source){ .tables = tables, .argc = argc,
                                                           .argv = argv }, &report));
    wr_conf_report_free(&report);
    return conf;
}

TEST_PLAIN(what_is_configured_is_in_the_rule)
{
    struct wr_conf *conf = load((const char *const[]){
        "--index-rank-region-permille=250", "--index-rank-half-life=60s",
        "--index-rank-latency-buckets-ms=5,9", "--index-rank-regions=eu,us", NULL });
    REQUIRE(conf);
    struct index_settings settings = index_settings_of(conf);
    wr_conf_unref(conf);                        /* it has its own hold */
    struct rank_rule rule = index_settings_rule(&settings);
    CHECK(rule.bias == 0.25);
    CHECK_EQ(WR_S(60), rule.half_life);
    CHECK_EQ(2, rule.bucket_count);
    CHECK_EQ(WR_MS(9), rule.buckets[1]);
    CHECK_EQ(2, rule.region_count);
    CHECK_STR("us", rule.regions[1]);
    CHECK_EQ(0, rule.denied_count);
    index_settings_drop(&settings);
}

TEST_PLAIN(a_quota_of_none_is_no_limit_and_another_is_a_minute_at_once)
{
    struct wr_conf *conf = load((const char *const[]){ "--index-quotas-resolves-per-min=30",
                                                       NULL });
    REQUIRE(conf);
    struct index_settings settings = index_settings_of(conf);
    CHECK_EQ(30, settings.resolves.burst);
    CHECK_EQ(WR_S(2), settings.resolves.interval);
    CHECK_EQ(0, settings.providers.burst);
    CHECK_EQ(WR_MS(1200), settings.deadline);
    CHECK(!settings.search);
    wr_conf_unref(conf);
    index_settings_drop(&settings);
}
