/* index_objects_test.c - objects as a part of the whole service. */
#include <weir/file.h>
#include <weir/metric.h>

#include "svc/index/object_desk.h"
#include "testing/index_node_rig.h"
#include "testing/metric_rig.h"

static const char *const flags[] = { "--oap-addr", "127.0.0.1:0", "--index-addr",
                                     "tcp://127.0.0.1:9", NULL };
static char cid[WR_CID_TEXT], object_at[120], providers_at[120];

static void name_object(const char *bytes)
{
    struct wr_hash hash = wr_hash_of(bytes, strlen(bytes));
    wr_hash_print_cid(&hash, cid);
    snprintf(object_at, sizeof(object_at), "/v1/index/objects/%s", cid);
    snprintf(providers_at, sizeof(providers_at), "/providers/%s", cid);
}

TEST(what_is_put_is_offered_and_has_a_provider_at_once)
{
    struct rig rig;
    index_node_begin(&rig, flags);
    settle();
    name_object("abc");
    CHECK_EQ(200, index_node_send(&rig, "PUT", object_at, "", "abc"));
    CHECK_EQ(200, rig_get(&rig, providers_at, &answer));
    CHECK(says("tcp://127.0.0.1:9"));
    index_node_end(&rig);
}

TEST(what_was_withdrawn_has_no_provider_until_it_is_put_again)
{
    struct rig rig;
    index_node_begin(&rig, flags);
    settle();
    name_object("abc");
    CHECK_EQ(200, index_node_send(&rig, "PUT", object_at, "", "abc"));
    CHECK_EQ(200, rig_get(&rig, providers_at, &answer));
    char target[120];
    snprintf(target, sizeof(target), "/v1/index/offers/%s", cid);
    CHECK_EQ(200, index_node_send(&rig, "DELETE", target, "", ""));
    int status = rig_get(&rig, providers_at, &answer);
    CHECK(status == 404 || status == 503);
    CHECK_EQ(200, index_node_send(&rig, "PUT", object_at, "", "abc"));
    CHECK_EQ(200, rig_get(&rig, providers_at, &answer));
    index_node_end(&rig);
}

TEST(what_nobody_can_be_asked_about_is_not_called_absent)
{
    struct rig rig;
    index_node_begin(&rig, flags);
    settle();
    name_object("nowhere");
    CHECK_EQ(503, rig_get(&rig, object_at, &answer));
    CHECK(says("nobody else could be asked"));
    CHECK(says("\"retryable\":true"));
    index_node_end(&rig);
}

TEST(what_is_refused_is_said_in_the_words_of_the_index)
{
    struct rig rig;
    index_node_begin(&rig, flags);
    settle();
    CHECK_EQ(400, rig_get(&rig, "/v1/index/objects/b3:12", &answer));
    CHECK(says("{\"code\":\"bad_request\",\"message\":"));
    name_object("abc");
    CHECK_EQ(409, index_node_send(&rig, "PUT", object_at, "", "abd"));
    CHECK(says("another id"));
    index_node_end(&rig);
}

TEST(each_of_its_metrics_moves)
{
    struct rig rig;
    struct wr_oap_client *client = NULL;
    struct wr_oap_answer got = { 0 };
    char payload[100];
    index_node_begin(&rig, flags);
    settle();
    name_object("abc");
    CHECK_EQ(200, index_node_send(&rig, "PUT", object_at, "", "abc"));
    CHECK_OK(wr_oap_connect(&client, &(struct wr_oap_server){ .addr = &rig.face.oap },
                            wr_after(WR_S(1))));
    snprintf(payload, sizeof(payload), "{\"addr\":\"%s\"}", cid);
    CHECK_OK(wr_oap_ask(client, &(struct wr_oap_request){
        .id = WR_OAP_OBJ_GET, .payload = payload, .payload_len = strlen(payload) }, 1 << 20,
        &got, wr_after(WR_S(5))));
    CHECK_STR("abc", got.payload);
    free(got.payload);
    wr_oap_close(client);
    CHECK_EQ(1, metric_value("index_serving_objects_total{role=\"served\",result=\"ok\","
                             "svc=\"index\"}"));
    CHECK_EQ(3, metric_value("index_serving_bytes_total{role=\"served\",svc=\"index\"}"));
    index_node_end(&rig);
}
