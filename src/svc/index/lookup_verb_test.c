/* lookup_verb_test.c - the index of a whole node, asked by OAP/1. */
#include "svc/index/lookup_verb.h"

#include <weir/oap.h>

#include "testing/index_node_rig.h"

#define A_CID CID_OF("a")

static const char *const flags[] = { "--oap-addr", "127.0.0.1:0", "--index-addr",
                                     "tcp://127.0.0.1:9", NULL };

static char said[30000];

/* The code of the answer; the answer is what was said. */
static unsigned ask_verb(struct rig *rig, uint16_t id, const char *payload)
{
    struct wr_oap_client *client = NULL;
    struct wr_oap_answer got = { 0 };
    REQUIRE_OK(wr_oap_connect(&client, &(struct wr_oap_server){ .addr = &rig->face.oap },
                              wr_after(WR_S(1))), 0);
    CHECK_OK(wr_oap_ask(client, &(struct wr_oap_request){
        .id = id, .payload = payload, .payload_len = strlen(payload) }, 1 << 20, &got,
        wr_after(WR_S(20))));
    snprintf(said, sizeof(said), "%s", got.payload ? got.payload : "");
    free(got.payload);
    wr_oap_close(client);
    return got.code;
}

TEST(a_name_is_resolved_as_by_http)
{
    struct rig rig;
    index_node_begin(&rig, flags);
    settle();
    CHECK_EQ(202, index_node_send(&rig, "PUT", "/admin/seed", "",
                                  "{\"name\":\"weir.example\",\"cid\":\"" A_CID "\"}"));
    CHECK_EQ(200, ask_verb(&rig, WR_OAP_INDEX_RESOLVE, "{\"key\":\"name:weir.example\"}"));
    CHECK(strstr(said, "\"manifest_cid\":\"" A_CID "\""));
    CHECK_EQ(200, ask_verb(&rig, WR_OAP_INDEX_RESOLVE,
                           "{\"key\":\"name:Weir.Example\",\"fresh\":true}"));
    index_node_end(&rig);
}

TEST(providers_are_those_who_offer_it_and_we_are_one)
{
    struct rig rig;
    char payload[200];
    struct wr_hash hash = wr_hash_of("abc", 3);
    char cid[WR_CID_TEXT], target[120];
    wr_hash_print_cid(&hash, cid);
    index_node_begin(&rig, flags);
    settle();
    snprintf(payload, sizeof(payload), "{\"cid\":\"%s\",\"limit\":3}", cid);
    CHECK_EQ(503, ask_verb(&rig, WR_OAP_INDEX_PROVIDERS, payload));
    CHECK(strstr(said, "nobody else could be asked"));
    snprintf(target, sizeof(target), "/v1/index/objects/%s", cid);
    CHECK_EQ(200, index_node_send(&rig, "PUT", target, "", "abc"));
    CHECK_EQ(200, ask_verb(&rig, WR_OAP_INDEX_PROVIDERS, payload));
    CHECK(strstr(said, "\"addr\":\"tcp://127.0.0.1:9\""));
    CHECK_EQ(200, index_node_send(&rig, "GET", target, "", ""));
    CHECK_STR("abc", answer.body);
    snprintf(payload, sizeof(payload), "{\"addr\":\"%s\"}", cid);
    CHECK_EQ(200, ask_verb(&rig, WR_OAP_OBJ_GET, payload));
    CHECK_STR("abc", said);
    index_node_end(&rig);
}

TEST(what_is_not_asked_rightly_is_refused_with_a_clause)
{
    struct rig rig;
    index_node_begin(&rig, flags);
    settle();
    CHECK_EQ(400, ask_verb(&rig, WR_OAP_INDEX_PROVIDERS, "{\"cid\":\"name:x\"}"));
    CHECK(strstr(said, "content id"));
    CHECK_EQ(400, ask_verb(&rig, WR_OAP_INDEX_RESOLVE, "{\"key\":\"name:x\",\"more\":1}"));
    CHECK(strstr(said, "it is asked with"));
    index_node_end(&rig);
}

TEST(lookups_need_a_token_from_elsewhere_and_are_run_at_the_desk)
{
    struct node_verb rows[LOOKUP_VERBS];
    struct object_desk desk = { 0 };
    lookup_verbs(rows, &desk);
    for (size_t i = 0; i < LOOKUP_VERBS; i++) {
        CHECK(!rows[i].open_to_all && rows[i].submit == object_desk_look_up);
        CHECK_STR("index.read", rows[i].scope);
        CHECK(rows[i].row.deadline / 4 * 3 >= INDEX_DEADLINE_MAX);
    }
}

TEST(a_quota_counts_what_is_asked_by_oap_and_by_http_together)
{
    struct rig rig;
    index_node_begin(&rig, (const char *const[]){ "--oap-addr", "127.0.0.1:0",
                                                  "--index-quotas-resolves-per-min=2",
                                                  "--index-quotas-providers-per-min=1", NULL });
    settle();
    CHECK_EQ(202, index_node_send(&rig, "PUT", "/admin/seed", "",
                                  "{\"name\":\"weir.example\",\"cid\":\"" A_CID "\"}"));
    CHECK_EQ(200, ask_verb(&rig, WR_OAP_INDEX_RESOLVE, "{\"key\":\"name:weir.example\"}"));
    CHECK_EQ(200, rig_get(&rig, "/resolve/name:weir.example", &answer));
    CHECK_EQ(429, ask_verb(&rig, WR_OAP_INDEX_RESOLVE, "{\"key\":\"name:weir.example\"}"));
    CHECK(strstr(said, "the quota of this minute is used up"));
    CHECK_EQ(503, ask_verb(&rig, WR_OAP_INDEX_PROVIDERS, "{\"cid\":\"" A_CID "\"}"));
    CHECK_EQ(429, ask_verb(&rig, WR_OAP_INDEX_PROVIDERS, "{\"cid\":\"" A_CID "\"}"));
    CHECK_EQ(429, rig_get(&rig, "/providers/" A_CID, &answer));
    index_node_end(&rig);
}
