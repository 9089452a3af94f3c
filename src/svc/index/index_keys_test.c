/* index_keys_test.c - what can be configured of the index. */
#include "svc/index/index_keys.h"

#include <stdio.h>
#include <string.h>

#include "testing/test.h"

static const struct wr_conf_table *const tables[] = { &index_keys, NULL };

/* With one flag or one variable, or NULL. */
static struct wr_conf *load(const char *flag, const char *variable, const char **ret_said)
{
    static char said[4000];
    struct wr_conf *conf = NULL;
    struct wr_conf_report report = { 0 };
    char *argv[] = { (char *)"weir", (char *)(uintptr_t)flag, NULL };
    char *env[] = { (char *)(uintptr_t)variable, NULL };
    (void)!wr_conf_load(&conf, &(struct wr_conf_source){
        .tables = tables, .argc = flag ? 2 : 1, .argv = argv, .env = env }, &report);
    struct wr_text text = WR_TEXT(said);
    wr_text_str(&text, report.text.at ? report.text.at : "");
    wr_conf_report_free(&report);
    *ret_said = said;
    return conf;
}

static bool refused(const char *flag, const char *words)
{
    const char *said;
    struct wr_conf *conf = load(flag, NULL, &said);
    bool right = !conf && strstr(said, words);
    if (!right)
        printf("# %s: %s\n", flag, said);
    wr_conf_unref(conf);
    return right;
}

TEST_PLAIN(the_presets_are_the_seeds)
{
    const char *said;
    const int64_t *buckets;
    const char *const *words;
    struct wr_conf *conf = load(NULL, NULL, &said);
    REQUIRE(conf);
    CHECK_STR("", said);
    CHECK_EQ(WR_MS(1200), wr_conf_duration(conf, "index.deadline"));
    CHECK_EQ(WR_MS(150), wr_conf_duration(conf, "index.hedge"));
    CHECK_EQ(3, wr_conf_int(conf, "index.alpha"));
    CHECK_EQ(2, wr_conf_int(conf, "index.beta"));
    CHECK_EQ(1, wr_conf_int(conf, "index.quorum"));
    CHECK_EQ(3, wr_conf_int(conf, "index.retries"));
    CHECK_EQ(512, wr_conf_int(conf, "index.queue"));
    CHECK_EQ(100000, wr_conf_int(conf, "index.cache.entries"));
    CHECK_EQ(WR_S(10), wr_conf_duration(conf, "index.cache.ttl"));
    CHECK_EQ(WR_S(2), wr_conf_duration(conf, "index.cache.neg_ttl"));
    CHECK_EQ(600, wr_conf_int(conf, "index.rank.region_permille"));
    CHECK_EQ(WR_S(600), wr_conf_duration(conf, "index.rank.half_life"));
    CHECK_EQ(4, wr_conf_numbers(conf, "index.rank.latency_buckets_ms", &buckets));
    CHECK_EQ(500, buckets[3]);
    CHECK_EQ(WR_S(30), wr_conf_duration(conf, "index.breaker.window"));
    CHECK_EQ(500, wr_conf_int(conf, "index.breaker.trip_permille"));
    CHECK_EQ(WR_S(10), wr_conf_duration(conf, "index.breaker.cooldown"));
    CHECK_EQ(3, wr_conf_int(conf, "index.breaker.probes"));
    CHECK_EQ(0, wr_conf_words(conf, "index.trusted", &words));
    CHECK_EQ(0, wr_conf_int(conf, "index.quotas.resolves_per_min"));
    CHECK(!wr_conf_bool(conf, "index.facets.search"));
    CHECK(!wr_conf_bool(conf, "index.facets.graph"));
    wr_conf_unref(conf);
}

TEST_PLAIN(the_seeds_variables_are_known_and_the_old_ones_are_warned_about)
{
    const char *said;
    struct wr_conf *conf = load(NULL, "SVC_INDEX_ALPHA=5", &said);
    REQUIRE(conf);
    CHECK_EQ(5, wr_conf_int(conf, "index.alpha"));
    CHECK_STR("", said);
    wr_conf_unref(conf);
    conf = load(NULL, "RON_INDEX_BETA=1", &said);
    REQUIRE(conf);
    CHECK_EQ(1, wr_conf_int(conf, "index.beta"));
    CHECK_STR("warning: environment RON_INDEX_BETA: it is deprecated; use WEIR_INDEX_BETA\n",
              said);
    wr_conf_unref(conf);
}

TEST_PLAIN(a_variable_that_has_its_unit_in_its_name_needs_none_in_its_value)
{
    const char *said;
    struct wr_conf *conf = load(NULL, "SVC_INDEX_HEDGE_MS=90", &said);
    REQUIRE(conf);
    CHECK_EQ(WR_MS(90), wr_conf_duration(conf, "index.hedge"));
    wr_conf_unref(conf);
    conf = load(NULL, "RON_INDEX_DEADLINE_MS=2s", &said);
    REQUIRE(conf);
    CHECK_EQ(WR_S(2), wr_conf_duration(conf, "index.deadline"));
    wr_conf_unref(conf);
    CHECK(!load(NULL, "WEIR_INDEX_HEDGE=90", &said));
    CHECK(strstr(said, "it must be a duration"));
    CHECK(!load(NULL, "SVC_INDEX_HEDGE_MS=9x", &said));
}

TEST_PLAIN(what_no_proxy_node_or_address_can_be_is_refused)
{
    CHECK(refused("--index-proxies=10.0.0.7:8081", "does not begin with http://"));
    CHECK(refused("--index-proxies=http://a:1,http://a:1", "it is there twice"));
    CHECK(refused("--index-proxies=http://127.0.0.1:9/x", "it has a path or a query"));
    CHECK(refused("--index-bootstrap=dht.example", "no host and port"));
    CHECK(refused("--index-bootstrap=a:b:1", "no host and port"));
    CHECK(refused("--index-bootstrap=a:70000000", "no host and port"));
    static const char *const nowhere[] = { "weir.example:9101", "tcp://weir.example:9101",
                                           "tcp://10.0.0.7", "tcp://10.0.0.7:0",
                                           "tcp://10.0.0.7:70000", "tcp://::1:9101" };
    for (size_t i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++) {
        char flag[60];
        snprintf(flag, sizeof(flag), "--index-addr=%s", nowhere[i]);
        CHECK(refused(flag, "an address of IP and a port from 1 to 65535"));
    }
    CHECK(refused("--index-region=EU", "a word of a-z"));
    CHECK(refused("--index-rank-regions=eu,U_S", "a word of a-z"));
    CHECK(refused("--index-trusted=abc", "64 hex digits"));
    CHECK(refused("--index-rank-denied=abc", "64 hex digits"));
}

TEST_PLAIN(what_the_dht_could_not_be_made_of_is_refused)
{
    CHECK(refused("--index-workers=1025", "from 1 to 1024"));
    CHECK(refused("--index-alpha=15", "with index.alpha = 15 it is more than 16 together"));
    CHECK(refused("--index-beta=0", "from 1 to 15"));
    CHECK(refused("--index-quorum=4", "above index.alpha = 3"));
    CHECK(refused("--index-pins-max=0", "from 1 to 100000"));
}

TEST_PLAIN(addresses_of_both_kinds_are_taken)
{
    const char *said;
    struct wr_conf *conf = load("--index-bootstrap=dht.example:4222,[::1]:4223,10.0.0.1:1",
                                NULL, &said);
    CHECK_STR("", said);
    CHECK(conf);
    wr_conf_unref(conf);
    conf = load("--index-addr=tcp://[2001:db8::7]:9101", NULL, &said);
    CHECK_STR("", said);
    CHECK(conf);
    wr_conf_unref(conf);
}

TEST_PLAIN(buckets_rise_and_the_hedge_is_below_the_deadline)
{
    CHECK(refused("--index-rank-latency-buckets-ms=30,30", "above the one before"));
    CHECK(refused("--index-rank-latency-buckets-ms=80,30", "above the one before"));
    CHECK(refused("--index-hedge=1200ms", "below index.deadline"));
    CHECK(refused("--index-deadline=6s", "from 10ms to 5s"));
}
