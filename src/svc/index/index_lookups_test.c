/* index_lookups_test.c - where is it and who has it, over HTTP, in a whole node. */
#include "svc/index/index_lookups.h"

#include "dht/dht_record.h"
#include "testing/index_node_rig.h"
#include "testing/metric_rig.h"
#include "testing/proxy_rig.h"
#include "testing/token_rig.h"

#define NAME "/resolve/name:weir.example"
#define FOREIGN CID_OF("c")

static struct cloud cloud;

static void seed(struct rig *rig)
{
    CHECK_EQ(202, index_node_send(rig, "PUT", "/admin/seed", "",
                                  "{\"name\":\"weir.example\",\"cid\":\"" CID_OF("a") "\"}"));
}

/* A node that asks the proxies of the cloud. */
static void begin_in_cloud(struct rig *rig, size_t count)
{
    static char flag[700];
    size_t len = (size_t)snprintf(flag, sizeof(flag), "--index-proxies=");
    memset(&cloud, 0, sizeof(cloud));
    cloud_open(&cloud, count);
    for (size_t i = 0; i < count; i++)
        len += (size_t)snprintf(flag + len, sizeof(flag) - len, "%s%s", i ? "," : "",
                                cloud.urls[i]);
    index_node_begin(rig, (const char *const[]){ flag, "--index-addr=tcp://203.0.113.9:7",
                                                 NULL });
    settle();
}

static void end_in_cloud(struct rig *rig)
{
    index_node_end(rig);
    cloud_close(&cloud);
}

/* Somebody else has what FOREIGN names. */
static void provide(const char *region)
{
    struct signer *signer;
    char why[SIGNER_WHY];
    unsigned char bytes[DHT_RECORD_MAX], at[DHT_KEY];
    struct wr_wall now = { wr_wall().ns / WR_MS(1) * WR_MS(1) };
    struct dht_record record = { .kind = DHT_PROVIDER, .addr = "tcp://203.0.113.7:9101",
                                 .issued_at = now, .expires_at = { now.ns + WR_S(600) } };
    REQUIRE_OK(wr_hash_parse_cid(&record.cid, FOREIGN, strlen(FOREIGN)));
    REQUIRE_OK(signer_open(&signer, NULL, WR_NEVER, why));
    snprintf(record.region, sizeof(record.region), "%s", region);
    size_t len = dht_record_write(bytes, &record, signer);
    dht_key_of(at, &(struct dht_wanted){ DHT_PROVIDER, &record.cid, NULL });
    cloud_put(&cloud, at, bytes, len);
    signer_close(signer);
}

TEST(a_name_of_the_store_is_resolved_and_then_remembered)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    seed(&rig);
    CHECK_EQ(200, rig_get(&rig, "/resolve/name:Weir.Example", &answer));
    CHECK_STR(
        "{\"key\":\"name:weir.example\",\"kind\":\"name\",\"manifest_cid\":\"" CID_OF(
            "a") "\",\"source\":\"db\",\"integrity\":{\"algo\":\"blake3\",\"digest\":"
                 "\"" DIGITS16("a") DIGITS16("a") DIGITS16("a")
                     DIGITS16("a") "\"},\"etag\":\"" CID_OF(
                         "a") "\",\"freshness_s\":0,\"providers_hint\":0,\"degraded\":false,"
                              "\"manifest\":\"" CID_OF("a") "\",\"providers\":[]}",
        answer.body);
    CHECK(head_says("Cache-Control: public, max-age=5"));
    CHECK(head_says("ETag: \"" CID_OF("a") "\""));
    CHECK_EQ(200, rig_get(&rig, NAME, &answer));
    CHECK(says("\"source\":\"cache\""));
    CHECK_EQ(200, rig_get(&rig, NAME "?fresh=true", &answer));
    CHECK(says("\"source\":\"db\""));
    CHECK(head_says("Cache-Control: no-cache"));
    index_node_end(&rig);
}

TEST(who_has_the_answer_already_is_told_so)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    seed(&rig);
    CHECK_EQ(304, rig_ask(&rig, "GET", NAME, "If-None-Match: \"" CID_OF("a") "\"\r\n",
                          &answer));
    CHECK_STR("", answer.body);
    CHECK_EQ(200, rig_ask(&rig, "GET", NAME, "If-None-Match: \"" CID_OF("b") "\"\r\n",
                          &answer));
    index_node_end(&rig);
}

TEST(a_name_that_is_seeded_anew_is_resolved_anew)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    seed(&rig);
    CHECK_EQ(200, rig_get(&rig, NAME, &answer));
    CHECK_EQ(202, index_node_send(&rig, "PUT", "/v1/index/sites/weir.example/manifest", "",
                                  "{\"manifest_cid\":\"" CID_OF("b") "\"}"));
    CHECK_EQ(200, rig_get(&rig, NAME, &answer));
    CHECK(says("\"manifest_cid\":\"" CID_OF("b") "\""));
    index_node_end(&rig);
}

TEST(what_cannot_be_asked_for_is_refused)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    CHECK_EQ(400, rig_get(&rig, "/resolve/weir.example", &answer));
    CHECK(says("{\"code\":\"bad_request\""));
    CHECK_EQ(400, rig_get(&rig, "/resolve/name:a..b", &answer));
    CHECK_EQ(400, rig_get(&rig, "/providers/not-a-cid", &answer));
    CHECK_EQ(400, rig_get(&rig, "/providers/name:weir.example", &answer));
    index_node_end(&rig);
}

TEST(without_a_dht_what_is_not_known_is_not_said_to_be_nowhere)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    CHECK_EQ(503, rig_get(&rig, "/providers/" FOREIGN, &answer));
    CHECK(says("\"code\":\"upstream_unready\""));
    CHECK(says("\"retryable\":true"));
    CHECK(head_says("Retry-After: 1"));
    index_node_end(&rig);
}

TEST(providers_of_the_dht_are_ranked_and_say_how_they_were_found)
{
    struct rig rig;
    begin_in_cloud(&rig, 5);
    provide("us");
    provide("eu");
    CHECK_EQ(200, rig_get(&rig, "/providers/" FOREIGN "?region=eu&limit=1", &answer));
    CHECK(says("\"region\":\"eu\",\"class\":\"region_match\",\"score\":"));
    CHECK(!strstr(answer.body, "\"region\":\"us\""));
    CHECK(says("\"addr\":\"tcp://203.0.113.7:9101\""));
    CHECK(says("\"hedge\":{\"alpha_ms\":0,\"beta_ms\":0,\"winner\":\"alpha\"}"));
    CHECK(says("\"truncated\":true,\"degraded\":false"));
    CHECK_EQ(200, rig_get(&rig, "/providers/" FOREIGN "?limit=32", &answer));
    CHECK(says("\"region\":\"us\""));       /* of the same set, which is remembered */
    CHECK(says("\"truncated\":false"));
    CHECK(!strstr(answer.body, "\"hedge\""));
    CHECK_EQ(404, rig_get(&rig, "/providers/" CID_OF("0"), &answer));
    CHECK(says("\"code\":\"not_found\""));
    end_in_cloud(&rig);
}

TEST(what_is_put_is_had_and_found_and_told_to_the_dht)
{
    struct rig rig;
    char cid[WR_CID_TEXT], target[200];
    struct wr_hash hash = wr_hash_of("abc", 3);
    begin_in_cloud(&rig, 3);
    snprintf(target, sizeof(target), "/v1/index/objects/%s", wr_hash_print_cid(&hash, cid));
    CHECK_EQ(200, index_node_send(&rig, "PUT", target, "", "abc"));
    CHECK(says("\"offered\":true"));
    settle();
    unsigned puts = 0;
    for (size_t i = 0; i < 3; i++)
        puts += cloud.proxies[i].puts;
    CHECK_EQ(1, puts);
    snprintf(target, sizeof(target), "/providers/%s", cid);
    CHECK_EQ(200, rig_get(&rig, target, &answer));
    CHECK(says("\"addr\":\"tcp://203.0.113.9:7\""));
    end_in_cloud(&rig);
}

TEST(when_nobody_answers_it_is_504_at_the_deadline)
{
    struct rig rig;
    begin_in_cloud(&rig, 5);
    for (size_t i = 0; i < 5; i++)
        cloud.proxies[i].frozen = true;
    wr_time before = wr_now();
    CHECK_EQ(504, rig_get(&rig, "/providers/" FOREIGN, &answer));
    wr_time took = wr_now() - before;
    CHECK(took >= WR_MS(1200) && took <= WR_MS(1205));
    CHECK(says("\"code\":\"timeout\""));
    CHECK_EQ(1, metric_value("resolve_deadline_hit{svc=\"index\"}"));
    for (size_t i = 0; i < 5; i++)
        cloud.proxies[i].frozen = false;
    end_in_cloud(&rig);
}

TEST(who_has_used_up_his_quota_waits_and_others_do_not)
{
    struct rig rig;
    index_node_begin(&rig, (const char *const[]){ "--index-quotas-resolves-per-min=2", NULL });
    seed(&rig);
    CHECK_EQ(200, rig_get(&rig, NAME, &answer));
    CHECK(head_says("RateLimit-Limit: 2"));
    CHECK(head_says("RateLimit-Remaining: 1"));
    CHECK(head_says("RateLimit-Reset: 30"));
    CHECK_EQ(200, rig_get(&rig, NAME, &answer));
    CHECK_EQ(429, rig_get(&rig, NAME, &answer));
    CHECK(says("\"code\":\"over_capacity\""));
    CHECK(head_says("Retry-After: 30"));
    CHECK(head_says("RateLimit-Remaining: 0"));
    CHECK_EQ(200, rig_ask_from(&rig, "127.0.0.2", NAME, "", &answer));
    CHECK_EQ(1, metric_value("quota_exhaustions_total{dimension=\"rps\",svc=\"index\"}"));
    index_node_end(&rig);
}

TEST(a_quota_is_not_evaded_by_a_name_that_nobody_has_proved)
{
    struct rig rig;
    index_node_begin(&rig, (const char *const[]){ "--index-quotas-resolves-per-min=2", NULL });
    seed(&rig);
    CHECK_EQ(200, rig_ask(&rig, "GET", NAME, "X-Tenant: t\r\n", &answer));
    CHECK_EQ(200, rig_ask(&rig, "GET", NAME, "X-Tenant: u\r\n", &answer));
    CHECK_EQ(429, rig_ask(&rig, "GET", NAME, "X-Tenant: v\r\n", &answer));
    CHECK_EQ(200, rig_ask_from(&rig, "127.0.0.2", NAME, "X-Tenant: t\r\n", &answer));
    index_node_end(&rig);
}

TEST(a_tenant_that_a_token_is_bound_to_has_a_quota_of_its_own_wherever_it_asks_from)
{
    struct rig rig;
    struct token_rig tokens;
    char header[TOKEN_HEADER_MAX];
    token_rig_open(&tokens);
    index_node_begin(&rig, (const char *const[]){ "--index-quotas-resolves-per-min=2",
                                                  "--auth-key-path", tokens.path, NULL });
    seed(&rig);
    CHECK_EQ(200, rig_get(&rig, NAME, &answer));
    CHECK_EQ(200, rig_get(&rig, NAME, &answer));
    CHECK_EQ(429, rig_get(&rig, NAME, &answer));
    token_rig_header(&tokens, header, "index.read", "acme");
    CHECK_EQ(200, rig_ask(&rig, "GET", NAME, header, &answer));
    CHECK_EQ(200, rig_ask_from(&rig, "127.0.0.2", NAME, header, &answer));
    CHECK_EQ(429, rig_ask_from(&rig, "127.0.0.3", NAME, header, &answer));
    token_rig_header(&tokens, header, "index.read", "other");
    CHECK_EQ(200, rig_ask(&rig, "GET", NAME, header, &answer));
    /* A token that is bound to nobody is the address it comes from. */
    token_rig_header(&tokens, header, "index.read", NULL);
    CHECK_EQ(429, rig_ask(&rig, "GET", NAME, header, &answer));
    index_node_end(&rig);
    token_rig_close(&tokens);
}

#define WAITING 513

TEST(of_513_who_wait_for_one_key_one_is_told_to_come_again)
{
    struct rig rig;
    static struct wr_stream *streams[WAITING];
    char from[20];
    size_t refused = 0;
    begin_in_cloud(&rig, 5);
    for (size_t i = 0; i < 5; i++)
        cloud.proxies[i].frozen = true;
    for (int i = 0; i < WAITING; i++) {
        snprintf(from, sizeof(from), "127.0.0.%d", 2 + i % 4);  /* 256 of an address at most */
        streams[i] = rig_dial_from(&rig.face.http, from);
        rig_say(streams[i], "GET /providers/" FOREIGN " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    settle();
    for (int i = 0; i < WAITING; i++) {
        int status = rig_hear(streams[i], &answer);
        refused += status == 429 && says("as many calls of this path run as may");
        CHECK(status == 429 || status == 504);
        wr_stream_close(streams[i]);
    }
    CHECK_EQ(1, refused);
    for (size_t i = 0; i < 5; i++)
        cloud.proxies[i].frozen = false;
    end_in_cloud(&rig);
}
