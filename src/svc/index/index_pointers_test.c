/* index_pointers_test.c - pointers and offers over HTTP, in a whole node. */
#include "svc/index/index_pointers.h"

#include <weir/scope.h>

#include "store/blob.h"
#include "svc/index/scribe.h"
#include "testing/index_node_rig.h"

#define SITE "/v1/index/sites/Weir.Example/manifest"
#define ASSET "/v1/index/assets/" CID_OF("1") "/manifest"

TEST(the_pointer_of_a_site_is_there_when_it_was_put)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    CHECK_EQ(404, rig_get(&rig, SITE, &answer));
    CHECK(says("{\"code\":\"not_found\""));
    CHECK_EQ(202, index_node_send(&rig, "PUT", SITE, "", "{\"manifest_cid\":\"" CID_OF("a")
                                  "\",\"updated_at_ms\":7}"));
    CHECK_EQ(200, rig_get(&rig, SITE, &answer));
    CHECK_STR("{\"manifest_cid\":\"" CID_OF("a") "\",\"name\":\"weir.example\","
              "\"updated_at_ms\":7,\"version\":1}", answer.body);
    CHECK(head_says("Content-Type: application/json"));
    index_node_end(&rig);
}

TEST(the_pointer_of_an_asset_is_found_by_its_bare_id_too)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    CHECK_EQ(202, index_node_send(&rig, "PUT", ASSET, "Content-Type: application/json\r\n",
                                  "{\"asset_kind\":\"Image\",\"manifest_cid\":\"" CID_OF("b")
                                  "\",\"updated_at_ms\":7}"));
    CHECK_EQ(200, rig_get(&rig, "/v1/index/assets/" DIGITS16("1") DIGITS16("1") DIGITS16("1")
                          DIGITS16("1") "/manifest", &answer));
    CHECK_STR("{\"asset_cid\":\"" CID_OF("1") "\",\"asset_kind\":\"image\",\"manifest_cid\":"
                                              "\"" CID_OF(
                                                  "b") "\",\"updated_at_ms\":7,\"version\":1}",
              answer.body);
    index_node_end(&rig);
}

TEST(what_is_no_pointer_is_refused_and_changes_nothing)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    CHECK_EQ(400, index_node_send(&rig, "PUT", SITE, "", "{\"manifest_cid\":\"b3:12\"}"));
    CHECK(says("\"code\":\"bad_request\""));
    CHECK_EQ(400, index_node_send(&rig, "PUT", SITE, "", "[]"));
    CHECK_EQ(400, index_node_send(&rig, "PUT", "/v1/index/sites/a..b/manifest", "",
                                  "{\"manifest_cid\":\"" CID_OF("a") "\"}"));
    CHECK_EQ(415, index_node_send(&rig, "PUT", SITE, "Content-Type: text/plain\r\n",
                                  "{\"manifest_cid\":\"" CID_OF("a") "\"}"));
    CHECK(says("\"code\":\"unsupported_type\""));
    CHECK_EQ(400, rig_get(&rig, "/v1/index/assets/nothing/manifest", &answer));
    CHECK_EQ(404, rig_get(&rig, SITE, &answer));
    index_node_end(&rig);
}

static struct scribe *idle;
static struct wr_once *leave;

static wr_err put_one(void *arg)
{
    struct catalog_pointer pointer = { .kind = CATALOG_SITE, .updated_at_ms = 1 };
    snprintf(pointer.key, sizeof(pointer.key), "wait-%d", *(int *)arg);
    return scribe_put(idle, &pointer, WR_NEVER);
}

static wr_err write_all(void *)
{
    return scribe_run(idle, leave);
}

/* As long as nobody writes. */
TEST(when_256_pointers_wait_another_is_429_and_a_newer_one_of_them_is_not)
{
    static int names[SCRIBE_WAITING_MAX];
    struct rig rig;
    struct wr_scope *scope;
    index_node_begin(&rig, NULL);
    struct index_desk *desk = index_service_desk(service);
    struct scribe *busy = desk->scribe;
    CHECK_OK(wr_once_new(&leave, "leave", 0));
    CHECK_OK(scribe_new(&idle, desk->store));
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "those",
                                                           .deadline = WR_NEVER }));
    for (int i = 0; i < SCRIBE_WAITING_MAX; i++) {
        names[i] = i;
        CHECK_OK(wr_scope_go(scope, "test.put", put_one, &names[i]));
    }
    settle();
    desk->scribe = idle;
    CHECK_EQ(429, index_node_send(&rig, "PUT", SITE, "", "{\"manifest_cid\":\"" CID_OF("a")
                                  "\"}"));
    CHECK(says("\"code\":\"over_capacity\"") && says("256 other pointers wait"));
    struct wr_stream *newer = rig_dial(&rig);
    rig_say(newer, "PUT /v1/index/sites/wait-7/manifest HTTP/1.1\r\nHost: localhost\r\n"
            "Content-Length: 86\r\n\r\n{\"manifest_cid\":\"" CID_OF("b") "\"}");
    settle();
    CHECK_OK(wr_scope_go(scope, "test.scribe", write_all, NULL));
    CHECK_EQ(202, rig_hear(newer, &answer));
    wr_stream_close(newer);
    CHECK_EQ(200, rig_get(&rig, "/v1/index/sites/wait-7/manifest", &answer));
    CHECK(says(CID_OF("b")));
    desk->scribe = busy;
    CHECK_OK(wr_once_set(leave, NULL));
    CHECK_OK(wr_scope_join(scope, WR_NEVER));
    CHECK_OK(wr_scope_close(scope));
    CHECK_EQ(SCRIBE_WAITING_MAX, scribe_stat(idle).written);
    scribe_free(idle);
    wr_once_free(leave);
    index_node_end(&rig);
}

TEST(a_body_that_is_too_large_is_413)
{
    struct rig rig;
    static char body[20000];
    index_node_begin(&rig, NULL);
    memset(body, ' ', sizeof(body) - 1);
    CHECK_EQ(413, index_node_send(&rig, "PUT", SITE, "", body));
    CHECK(says("\"code\":\"body_cap\""));
    index_node_end(&rig);
}

TEST(offers_are_listed_until_they_are_withdrawn)
{
    struct rig rig;
    char cid[WR_CID_TEXT], target[120], list[200];
    index_node_begin(&rig, NULL);
    CHECK_OK(store_blob_put(index_service_desk(service)->store, "abc", 3, cid, WR_NEVER));
    CHECK_EQ(202, index_node_send(&rig, "PUT", SITE, "", "{\"manifest_cid\":\"" CID_OF("a")
                                  "\"}"));
    CHECK_EQ(202, index_node_send(&rig, "PUT", "/v1/index/offers/name:Weir.Example", "", ""));
    CHECK(says("{\"ok\":true,\"key\":\"name:weir.example\"}"));
    snprintf(target, sizeof(target), "/v1/index/offers/%s", cid);
    CHECK_EQ(202, index_node_send(&rig, "PUT", target, "", ""));
    CHECK_EQ(400, index_node_send(&rig, "PUT", "/v1/index/offers/weir.example", "", ""));
    CHECK_EQ(200, rig_get(&rig, "/v1/index/offers", &answer));
    snprintf(list, sizeof(list), "{\"total\":2,\"offers\":[\"%s\",\"name:weir.example\"]}",
             cid);
    CHECK(says(list));
    snprintf(list, sizeof(list), "/v1/index/offers?limit=1&after=%s", cid);
    CHECK_EQ(200, rig_get(&rig, list, &answer));
    CHECK(says("{\"total\":2,\"offers\":[\"name:weir.example\"]}"));
    CHECK_EQ(200, rig_ask(&rig, "DELETE", target, "", &answer));
    CHECK_EQ(200, rig_get(&rig, "/v1/index/offers", &answer));
    CHECK(says("{\"total\":1,"));
    index_node_end(&rig);
}

TEST(what_this_node_does_not_have_it_does_not_offer)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    CHECK_EQ(404, index_node_send(&rig, "PUT", "/v1/index/offers/" CID_OF("2"), "", ""));
    CHECK(says("this node does not have it: put it first"));
    CHECK_EQ(404, index_node_send(&rig, "PUT", "/v1/index/offers/name:nobody", "", ""));
    CHECK_EQ(200, rig_get(&rig, "/v1/index/offers", &answer));
    CHECK(says("{\"total\":0,"));
    index_node_end(&rig);
}
