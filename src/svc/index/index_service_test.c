/* index_service_test.c - the index in a whole node: its life, its limits, its memory. */
#include "svc/index/index_service.h"

#include <unistd.h>

#include <jansson.h>

#include <weir/file.h>

#include "svc/index/object_route.h"
#include "svc/index/resolver.h"
#include "dht/dht_record.h"
#include "testing/deadline_rig.h"
#include "testing/index_node_rig.h"
#include "testing/metric_rig.h"
#include "testing/proxy_rig.h"

TEST(its_parts_are_keys_of_readiness)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    settle();
    CHECK_EQ(200, rig_get(&rig, "/readyz", &answer));
    CHECK(says("\"services\":{\"index\":{\"keys\":{\"index\":\"ok\",\"db_open\":\"ok\","
               "\"dht_client_ready\":\"degraded\"},\"state\":1}}"));
    index_node_end(&rig);
}

/* Whether it has a schema that says of what type it is. */
static bool has_schema(const json_t *json, const char *where)
{
    const json_t *content = json_object_get(json_object_get(json, where), "content");
    const json_t *schema = json_object_get(json_object_get(content, "application/json"),
                                           "schema");
    return json_string_value(json_object_get(schema, "type"));
}

static void check_described(const char *path, const char *method, const json_t *operation)
{
    const json_t *responses = json_object_get(operation, "responses");
    bool takes = !json_object_get(operation, "requestBody")
        || has_schema(operation, "requestBody");
    const char *shape = json_string_value(json_object_get(json_object_get(responses, "400"),
                                                          "$ref"));
    /* What those are is not described. */
    bool bytes = strstr(path, "/objects/") || strstr(path, "/events");
    takes |= bytes;
    if (!CHECK(takes && (bytes || has_schema(responses, "2XX"))
               && json_object_get(operation, "summary") && shape
               && strcmp(shape, "#/components/responses/400-flat") == 0))
        printf("# %s %s\n", method, path);
}

/* Objects are bytes, and have no schema. */
static bool is_ours(const json_t *operation)
{
    const json_t *tags = json_object_get(operation, "tags");
    const char *tag = json_string_value(json_array_get(tags, 0));
    return tag && strcmp(tag, "index") == 0;
}

TEST(every_route_of_it_is_described_with_what_it_takes_and_gives)
{
    struct rig rig;
    const char *path, *method;
    json_t *item, *operation;
    size_t count = 0;
    index_node_begin(&rig, NULL);
    settle();
    CHECK_EQ(200, rig_get(&rig, "/openapi.json", &answer));
    json_t *json = json_loads(answer.body, JSON_REJECT_DUPLICATES, NULL);
    REQUIRE(json);
    json_object_foreach(json_object_get(json, "paths"), path, item)
        json_object_foreach(item, method, operation) if (is_ours(operation))
    {
        check_described(path, method, operation);
        count++;
    }
    CHECK_EQ(index_service_row(service)->route_count, count + OBJECT_ROUTES);
    json_decref(json);
    index_node_end(&rig);
}

TEST(its_routes_keep_their_deadlines)
{
    rig_tables[1] = &index_keys;
    CHECK_OK(index_service_new(&service));
    struct node_service row = *index_service_row(service);
    struct wr_route routes[32];
    REQUIRE(row.route_count < 32);
    memcpy(routes, row.routes, row.route_count * sizeof(*routes));
    routes[row.route_count] = stay_routes[0];
    row.routes = routes;
    row.route_count++;
    check_deadlines(&row);
    index_service_free(service);
}

TEST(without_a_store_there_is_no_index)
{
    char why[NODE_WHY_MAX] = "";
    struct wr_conf *conf;
    struct wr_conf_report report = { 0 };
    char *argv[] = { (char *)"weir", NULL };
    rig_tables[1] = &index_keys;
    REQUIRE_OK(wr_conf_load(&conf, &(struct wr_conf_source){
        .tables = rig_tables, .argc = 1, .argv = argv, .cpus = 2 }, &report));
    CHECK_OK(index_service_new(&service));
    const struct node_service *row = index_service_row(service);
    CHECK_OK(row->open(row->arg, conf, NULL, why));
    CHECK(!index_service_desk(service)->store);
    row->reload(row->arg, conf);
    row->close(row->arg);
    wr_conf_report_free(&report);
    wr_conf_unref(conf);
    index_service_free(service);
}

static void write_conf(const char *path, const char *text)
{
    CHECK_OK(wr_file_write_atomic(path, text, strlen(text), 0600, WR_NEVER));
}

/* Whether an offer of ours comes out of the cache so long after it was looked for. */
static bool remembered_for(struct rig *rig, wr_time span)
{
    struct index_key key;
    struct resolver_answer found = { 0 };
    struct resolver *resolver = index_service_desk(service)->resolver;
    const char *clause;
    CHECK_OK(index_key_read(&key, "name:kept", &clause));
    CHECK_EQ(202, index_node_send(rig, "PUT", "/admin/seed", "",
                                  "{\"name\":\"kept\",\"cid\":\"" CID_OF("a") "\"}"));
    CHECK_OK(resolver_resolve(resolver, &key, false, &found, wr_after(WR_S(1))));
    resolver_answer_free(&found);
    CHECK_OK(wr_sleep(wr_after(span)));
    CHECK_OK(resolver_resolve(resolver, &key, false, &found, wr_after(WR_S(1))));
    bool cached = found.source == FOUND_CACHE;
    resolver_answer_free(&found);
    return cached;
}

TEST(what_is_live_is_in_force_after_a_reload_and_the_rest_after_a_new_start)
{
    struct rig rig;
    char path[] = "/tmp/weir-index-XXXXXX", flag[60];
    int fd = mkstemp(path);
    REQUIRE(fd >= 0);
    close(fd);
    snprintf(flag, sizeof(flag), "--config=%s", path);
    write_conf(path, "[index]\nalpha = 3\n[index.facets]\nsearch = false\n"
                     "graph = false\n");
    index_node_begin(&rig, (const char *const[]){ flag, NULL });
    CHECK_EQ(404, rig_get(&rig, "/search/a", &answer));
    CHECK_EQ(404, rig_get(&rig, "/graph/a", &answer));
    write_conf(path, "[index]\nalpha = 4\n[index.facets]\nsearch = true\ngraph = true\n"
                     "[index.quotas]\nresolves_per_min = 1\n"
                     "[index.cache]\nttl = \"1s\"\n");
    CHECK_EQ(202, rig_post(&rig, "/api/v1/reload", &answer));
    CHECK_OK(wr_sleep(wr_after(WR_MS(100))));
    CHECK_EQ(200, rig_get(&rig, "/search/a", &answer));
    CHECK_EQ(400, rig_get(&rig, "/graph/a", &answer));
    (void)rig_get(&rig, "/resolve/name:a", &answer);
    CHECK_EQ(429, rig_get(&rig, "/resolve/name:a", &answer));
    CHECK_EQ(1, remembered_for(&rig, WR_MS(900)));
    CHECK_EQ(0, remembered_for(&rig, WR_MS(1100)));
    CHECK_EQ(200, rig_get(&rig, "/api/v1/config", &answer));
    CHECK(says("\"index.facets.search\":{\"value\":true,"));
    CHECK(says("\"index.alpha\":{\"value\":3,"));
    index_node_end(&rig);
    CHECK_OK(wr_file_remove(path, WR_NEVER));
}

#define HAD CID_OF("c")

static void provide(struct cloud *cloud)
{
    struct signer *signer;
    char why[SIGNER_WHY];
    unsigned char bytes[DHT_RECORD_MAX], at[DHT_KEY];
    struct wr_wall now = { wr_wall().ns / WR_MS(1) * WR_MS(1) };
    struct dht_record record = { .kind = DHT_PROVIDER, .addr = "tcp://203.0.113.7:9101",
                                 .issued_at = now, .expires_at = { now.ns + WR_S(600) } };
    REQUIRE_OK(wr_hash_parse_cid(&record.cid, HAD, strlen(HAD)));
    REQUIRE_OK(signer_open(&signer, NULL, WR_NEVER, why));
    size_t len = dht_record_write(bytes, &record, signer);
    dht_key_of(at, &(struct dht_wanted){ DHT_PROVIDER, &record.cid, NULL });
    cloud_put(cloud, at, bytes, len);
    signer_close(signer);
}

TEST(a_drain_under_load_answers_all_who_wait_with_what_the_dht_says)
{
    struct rig rig;
    struct wr_stream *streams[20];
    static struct cloud cloud;
    static char flag[100];
    memset(&cloud, 0, sizeof(cloud));
    cloud_open(&cloud, 1);
    provide(&cloud);
    cloud.proxies[0].takes = WR_MS(400);
    snprintf(flag, sizeof(flag), "--index-proxies=%s", cloud.urls[0]);
    index_node_begin(&rig, (const char *const[]){ flag, NULL });
    settle();
    for (int i = 0; i < 20; i++) {
        char request[200];
        snprintf(request, sizeof(request), "GET /providers/b3:%064d HTTP/1.1\r\n"
                 "Host: localhost\r\n\r\n", i);
        if (i == 0)
            memcpy(strstr(request, "b3:"), HAD, strlen(HAD));
        streams[i] = rig_dial(&rig);
        rig_say(streams[i], request);
    }
    settle();
    wr_time before = wr_now();
    rig_stop(&rig);
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(i == 0 ? 200 : 404, rig_hear(streams[i], &answer));
        wr_stream_close(streams[i]);
    }
    CHECK(wr_now() - before <= WR_MS(1300));
    index_node_end(&rig);                   /* with no error: nobody had to be aborted */
    cloud_close(&cloud);
}

/* ---- metrics ---- */

/* One worker, one place: of four who ask for something that nobody says, two are refused. */
static void crowd(struct rig *rig)
{
    struct wr_stream *streams[4];
    for (int i = 0; i < 4; i++) {
        char request[200];
        snprintf(request, sizeof(request), "GET /providers/b3:%064d HTTP/1.1\r\n"
                 "Host: localhost\r\n\r\n", i + 1);
        streams[i] = rig_dial(rig);
        rig_say(streams[i], request);
        settle();
    }
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(i < 2 ? 504 : 429, rig_hear(streams[i], &answer));
        wr_stream_close(streams[i]);
    }
}

static void check_moved(const char *const *names)
{
    for (; *names; names++)
        if (!CHECK(metric_value("%s", *names) >= 1))
            printf("# %s\n", *names);
}

/* Names and labels of the seed and the spec, literally: each moves in one of two scenarios. */
TEST(every_metric_of_the_seed_moves)
{
    static const char *const names[] = {
        "resolve_latency_seconds_count{svc=\"index\"}",
        "index_resolve_latency_seconds_count{source=\"db\",type=\"name\",svc=\"index\"}",
        "index_resolve_latency_seconds_count{source=\"cache\",type=\"name\",svc=\"index\"}",
        "index_resolve_latency_seconds_count{source=\"dht\",type=\"cid\",svc=\"index\"}",
        "index_cache_hits_total{svc=\"index\"}",
        "index_cache_misses_total{svc=\"index\"}",
        "index_cache_size{svc=\"index\"}",
        "index_dht_lookup_ms_count{svc=\"index\"}",
        "index_providers_returned_count{class=\"fresh\",svc=\"index\"}",
        "dht_errors_total{kind=\"not_found\",svc=\"index\"}",
        "dht_errors_total{kind=\"timeout\",svc=\"index\"}",
        "dht_records_missing_total{svc=\"index\"}",
        "busy_rejections_total{route=\"resolve\",svc=\"index\"}",
        "busy_rejections_total{route=\"providers\",svc=\"index\"}",
        "resolve_deadline_hit{svc=\"index\"}",
        "io_timeouts_total{op=\"providers\",svc=\"index\"}",
        "io_timeouts_total{op=\"dht\",svc=\"index\"}",
        "quota_exhaustions_total{dimension=\"rps\",svc=\"index\"}",
        "tasks_spawned_total{kind=\"index.worker\"}",
        "queue_depth{queue=\"index.work\"}",
        "http_requests_total{route=\"/resolve/{key}\",method=\"GET\",status=\"200\"}",
        "rejected_total{reason=\"429\"}",
        NULL,
    };
    struct rig rig;
    static struct cloud cloud;
    static char flag[100];
    memset(&cloud, 0, sizeof(cloud));
    cloud_open(&cloud, 1);
    provide(&cloud);
    snprintf(flag, sizeof(flag), "--index-proxies=%s", cloud.urls[0]);
    index_node_begin(&rig, (const char *const[]){
        flag, "--index-workers=1", "--index-queue=1", "--index-quotas-resolves-per-min=3",
        NULL });
    CHECK_EQ(202, index_node_send(&rig, "PUT", "/admin/seed", "",
                                  "{\"name\":\"a\",\"cid\":\"" HAD "\"}"));
    CHECK_EQ(200, rig_get(&rig, "/resolve/name:a", &answer));
    CHECK_EQ(200, rig_get(&rig, "/resolve/name:a", &answer));
    CHECK_EQ(200, rig_get(&rig, "/resolve/" HAD, &answer));
    CHECK_EQ(429, rig_get(&rig, "/resolve/name:a", &answer));
    CHECK_EQ(200, rig_get(&rig, "/providers/" HAD, &answer));
    CHECK_EQ(404, rig_get(&rig, "/providers/" CID_OF("0"), &answer));
    cloud.proxies[0].frozen = true;
    crowd(&rig);
    CHECK_EQ(0, metric_value("queue_depth{queue=\"index.work\"}"));
    struct wr_stream *streams[2];
    for (int i = 0; i < 2; i++) {           /* one is worked at, and one waits */
        streams[i] = rig_dial(&rig);
        rig_say(streams[i], i ? "GET /providers/" CID_OF("1") " HTTP/1.1\r\nHost: localhost\r\n"
                                "\r\n"
                              : "GET /providers/" CID_OF("2") " HTTP/1.1\r\nHost: localhost\r\n"
                                "\r\n");
        settle();
    }
    check_moved(names);
    for (int i = 0; i < 2; i++)
        wr_stream_close(streams[i]);
    cloud.proxies[0].frozen = false;
    index_node_end(&rig);
    cloud_close(&cloud);
}

/* Those of an outage: proxies that break off, then hang, so that others are asked, lookups are
 * tried again, and breakers open; and of a node that forgets. */
TEST(every_metric_of_an_outage_moves)
{
    static const char *const names[] = {
        "backoff_retries_total{op=\"dht\"}",
        "dht_errors_total{kind=\"io\",svc=\"index\"}",
        "dht_hedged_requests_total{result=\"win\",svc=\"index\"}",
        "index_provider_set_changes_total{svc=\"index\"}",
        "amnesia_mode{status=\"on\"}",
        "amnesia_purge_total{kind=\"cache\",svc=\"index\"}",
        NULL,
    };
    struct rig rig;
    static struct cloud cloud;
    static char flag[200], opened[200], state[200];
    memset(&cloud, 0, sizeof(cloud));
    cloud_open(&cloud, 2);
    provide(&cloud);
    snprintf(flag, sizeof(flag), "--index-proxies=%s,%s", cloud.urls[0], cloud.urls[1]);
    snprintf(opened, sizeof(opened), "breaker_open_total{target=\"%s\"}", cloud.urls[0]);
    snprintf(state, sizeof(state), "breaker_state{target=\"%s\",state=\"open\"}",
             cloud.urls[0]);
    index_node_begin(&rig, (const char *const[]){ flag, "--amnesia", "--index-alpha=1",
                                                  "--index-beta=1", NULL });
    settle();
    CHECK_EQ(200, rig_get(&rig, "/providers/" HAD, &answer));
    provide(&cloud);                        /* by somebody else, too */
    CHECK_EQ(200, rig_get(&rig, "/providers/" HAD "?fresh=true", &answer));
    cloud.proxies[0].frozen = true;
    CHECK_EQ(200, rig_get(&rig, "/providers/" HAD "?fresh=true", &answer));
    CHECK_EQ(200, rig_get(&rig, "/providers/" HAD "?fresh=true", &answer));
    cloud.proxies[0].frozen = false;
    cloud.proxies[0].status = cloud.proxies[1].status = 500;
    for (int i = 0; i < 12; i++)
        CHECK(rig_get(&rig, "/providers/" HAD "?fresh=true", &answer) >= 200);
    CHECK_OK(wr_sleep(wr_after(WR_S(2))));
    CHECK(metric_value("%s", opened) >= 1);
    CHECK_EQ(1, metric_value("%s", state));
    CHECK_OK(wr_sleep(wr_after(WR_S(31))));
    check_moved(names);
    index_node_end(&rig);
    cloud_close(&cloud);
}
