/* index_answer_test.c - the JSON of answers; more of it is seen over HTTP (index_lookups_test).
 */
#include "svc/index/index_answer.h"

#include "svc/index/announcer.h"
#include "svc/index/catalog.h"
#include "testing/index_node_rig.h"

#define OWN CID_OF("d")
#define WITHIN wr_after(WR_S(1))

static char text_room[4000];
static struct index_quota quota = { .share = "somebody" };

static struct wr_text fresh_text(void)
{
    return WR_TEXT(text_room);
}

static void begin(struct rig *rig)
{
    index_node_begin(rig, (const char *const[]){ "--index-addr=tcp://203.0.113.9:7",
                                                 "--index-region=eu", NULL });
    struct index_key key;
    const char *clause;
    REQUIRE_OK(index_key_read(&key, OWN, &clause));
    CHECK_OK(announcer_offer(index_service_desk(service)->announcer, &key, WITHIN));
}

TEST(we_are_a_provider_of_what_we_offer)
{
    struct rig rig;
    char etag[WR_CID_TEXT], other[WR_CID_TEXT];
    const char *clause;
    struct index_key key;
    begin(&rig);
    struct wr_text text = fresh_text();
    REQUIRE_OK(index_key_read(&key, OWN, &clause));
    CHECK_OK(index_answer_providers(index_service_desk(service), &quota, &key,
                                    &(struct index_wish){ .limit = 5 }, &text, etag, WITHIN));
    CHECK(strstr(text.at, "\"addr\":\"tcp://203.0.113.9:7\",\"region\":\"eu\""));
    CHECK(strstr(text.at, "\"truncated\":false,\"degraded\":true,\"etag\":\"b3:"));
    CHECK(strstr(text.at, "\"score\":1,"));                /* nobody is nearer */
    text = fresh_text();
    CHECK_OK(index_answer_providers(index_service_desk(service), &quota, &key,
                                    &(struct index_wish){ .region = "us" }, &text, other,
                                    WITHIN));
    CHECK_STR(etag, other);                 /* the same who and where */
    CHECK(strstr(text.at, "\"class\":\"fresh\""));
    index_node_end(&rig);
}

TEST(a_name_that_nobody_is_trusted_for_is_not_there_though_there_is_no_dht)
{
    struct rig rig;
    char etag[WR_CID_TEXT];
    const char *clause;
    struct index_key key;
    begin(&rig);
    struct wr_text text = fresh_text();
    REQUIRE_OK(index_key_read(&key, "name:does-not-exist", &clause));
    CHECK_ERR(WR_NOTFOUND, index_answer_resolve(index_service_desk(service), &quota, &key,
                                                false, &text, etag, WITHIN));
    CHECK_EQ(404, rig_get(&rig, "/resolve/name:does-not-exist", &answer));
    index_node_end(&rig);
}

TEST(a_content_id_that_we_offer_stands_for_itself)
{
    struct rig rig;
    char etag[WR_CID_TEXT];
    const char *clause;
    struct index_key key;
    begin(&rig);
    struct wr_text text = fresh_text();
    REQUIRE_OK(index_key_read(&key, OWN, &clause));
    CHECK_OK(index_answer_resolve(index_service_desk(service), &quota, &key, false, &text, etag,
                                  WITHIN));
    CHECK_STR(OWN, etag);
    CHECK(strstr(text.at, "\"kind\":\"cid\",\"manifest_cid\":\"" OWN "\""));
    index_node_end(&rig);
}

TEST(who_looks_for_bytes_gets_providers_in_their_order)
{
    struct rig rig;
    struct provider found[8];
    struct wr_hash cid;
    size_t count;
    begin(&rig);
    REQUIRE_OK(wr_hash_parse_cid(&cid, OWN, strlen(OWN)));
    CHECK_OK(index_answer_find(index_service_desk(service), &cid, found, 8, &count, WITHIN));
    CHECK_EQ(1, count);
    CHECK_STR("tcp://203.0.113.9:7", found[0].addr);
    memset(cid.bytes, 0, sizeof(cid.bytes));
    CHECK_ERR(WR_DEGRADED, index_answer_find(index_service_desk(service), &cid, found, 8,
                                             &count, WITHIN));
    CHECK_EQ(0, count);
    index_node_end(&rig);
}
