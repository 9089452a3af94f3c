#include "svc/index/index_meter.h"

#include "testing/metric_rig.h"

#define SVC "svc=\"index\""

static const struct index_key name = { .is_name = true, .text = "name:weir.example" },
                              cid = { .text = "b3:" };

TEST_PLAIN(a_resolve_is_counted_by_its_source_and_type)
{
    index_meter_answered(&name, FOUND_DB, WR_MS(2));
    index_meter_answered(&cid, FOUND_DHT, WR_MS(7));
    index_meter_answered(&cid, FOUND_CACHE, WR_US(7));
    CHECK_EQ(3, metric_value("resolve_latency_seconds_count{" SVC "}"));
    CHECK_EQ(1, metric_value("resolve_latency_seconds_bucket{" SVC ",le=\"0.001\"}"));
    CHECK_EQ(2, metric_value("resolve_latency_seconds_bucket{" SVC ",le=\"0.005\"}"));
    CHECK_EQ(1, metric_value("index_resolve_latency_seconds_count"
                             "{source=\"db\",type=\"name\"," SVC "}"));
    CHECK_EQ(1, metric_value("index_resolve_latency_seconds_count"
                             "{source=\"dht\",type=\"cid\"," SVC "}"));
}

TEST_PLAIN(providers_are_counted_by_their_class)
{
    struct ranked ranked[] = { { .class = RANK_FRESH }, { .class = RANK_FRESH },
                               { .class = RANK_ANY } };
    index_meter_provided(ranked, 3);
    CHECK_EQ(0, metric_value("index_providers_returned_bucket"
                             "{class=\"fresh\"," SVC ",le=\"1\"}"));
    CHECK_EQ(1, metric_value("index_providers_returned_bucket"
                             "{class=\"fresh\"," SVC ",le=\"2\"}"));
    CHECK_EQ(1, metric_value("index_providers_returned_sum{class=\"any\"," SVC "}"));
    CHECK_EQ(-1, metric_value("index_providers_returned_sum{class=\"region_match\"," SVC "}"));
}

TEST_PLAIN(what_the_dht_did_is_counted_by_why)
{
    index_meter_asked(WR_OK, WR_MS(3));
    index_meter_asked(WR_NOTFOUND, WR_MS(3));
    index_meter_asked(WR_TIMEOUT, WR_S(1));
    index_meter_asked(WR_OPENCIRCUIT, 0);
    index_meter_asked(WR_CANCELED, 0);
    CHECK_EQ(4, metric_value("index_dht_lookup_ms_count{" SVC "}"));
    CHECK_EQ(3, metric_value("index_dht_lookup_ms_bucket{" SVC ",le=\"5\"}"));
    CHECK_EQ(1, metric_value("dht_errors_total{kind=\"not_found\"," SVC "}"));
    CHECK_EQ(1, metric_value("dht_errors_total{kind=\"timeout\"," SVC "}"));
    CHECK_EQ(1, metric_value("dht_errors_total{kind=\"io\"," SVC "}"));
    CHECK_EQ(1, metric_value("dht_records_missing_total{" SVC "}"));
    CHECK_EQ(1, metric_value("io_timeouts_total{op=\"dht\"," SVC "}"));
}

static size_t seven(void)
{
    return 7;
}

TEST_PLAIN(the_rest_is_counted_under_the_names_of_the_seed)
{
    index_meter_refused("resolve");
    index_meter_late("providers");
    index_meter_cached(true);
    index_meter_cached(false);
    index_meter_changed();
    index_meter_damaged("pointer");
    index_meter_purged("cache");
    index_meter_announced(WR_OK);
    index_meter_announced(WR_DEGRADED);
    index_meter_announced(WR_TIMEOUT);
    index_meter_offers(9);
    CHECK_EQ(1, metric_value("busy_rejections_total{route=\"resolve\"," SVC "}"));
    CHECK_EQ(1, metric_value("resolve_deadline_hit{" SVC "}"));
    CHECK_EQ(1, metric_value("io_timeouts_total{op=\"providers\"," SVC "}"));
    CHECK_EQ(1, metric_value("index_cache_hits_total{" SVC "}"));
    CHECK_EQ(1, metric_value("index_cache_misses_total{" SVC "}"));
    CHECK_EQ(1, metric_value("index_provider_set_changes_total{" SVC "}"));
    CHECK_EQ(1, metric_value("index_integrity_fail_total{stage=\"pointer\"," SVC "}"));
    CHECK_EQ(1, metric_value("amnesia_purge_total{kind=\"cache\"," SVC "}"));
    CHECK_EQ(1, metric_value("index_announced_total{result=\"ok\"," SVC "}"));
    CHECK_EQ(1, metric_value("index_announced_total{result=\"alone\"," SVC "}"));
    CHECK_EQ(1, metric_value("index_announced_total{result=\"failed\"," SVC "}"));
    CHECK_EQ(9, metric_value("index_offers{" SVC "}"));
    index_meter_size(seven);
    CHECK_EQ(7, metric_value("index_cache_size{" SVC "}"));
    index_meter_size(NULL);
    CHECK_EQ(0, metric_value("index_cache_size{" SVC "}"));
}
