/* object_desk_test.c - who runs the verbs, how many, and what becomes of them in a drain. */
#include "svc/index/object_desk.h"

#include <weir/scope.h>

#include "net/oap.h"
#include "testing/object_rig.h"

#define BIG ((size_t)12 << 20)

static struct shop shop;

/* Somebody who asks for an object and takes as much of it as he likes. */
struct peer_rig {
    struct wr_oap_client *client;
    char cid[WR_CID_TEXT];
    struct wr_once *begun;              /* the first part is there */
    size_t taken;
    unsigned code;
    wr_err err;
};

static wr_err count_part(void *arg, const void *bytes, size_t len)
{
    struct peer_rig *peer = arg;
    (void)bytes;
    if (peer->taken == 0)
        CHECK_OK(wr_once_set(peer->begun, NULL));
    peer->taken += len;
    return WR_OK;
}

static wr_err ask_object(void *arg)
{
    struct peer_rig *peer = arg;
    char payload[100];
    struct wr_oap_answer answer_of = { 0 };
    snprintf(payload, sizeof(payload), "{\"addr\":\"%s\"}", peer->cid);
    peer->err = wr_oap_ask_parts(peer->client, &(struct wr_oap_request){
        .id = WR_OAP_OBJ_GET, .payload = payload, .payload_len = strlen(payload) },
        &(struct wr_oap_taker){ .take = count_part, .arg = peer }, &answer_of,
        wr_after(WR_S(60)));
    peer->code = answer_of.code;
    free(answer_of.payload);
    return WR_OK;
}

static void put_big(char *cid)
{
    static char big[BIG];
    memset(big, 'b', sizeof(big));
    struct wr_hash hash = wr_hash_of(big, sizeof(big));
    CHECK_OK(object_put(shop.desk.object, &hash, big, sizeof(big), wr_after(WR_S(5))));
    wr_hash_print_cid(&hash, cid);
    CHECK_OK(catalog_offer(shop.desk.conf.store, cid, wr_after(WR_S(5))));
}

/* He asks, and reads nothing of the answer: as much as fits is on its way. */
static struct wr_stream *ask_and_sit(const char *cid)
{
    unsigned char head[OAP_HEAD];
    char payload[100];
    size_t size;
    struct wr_stream *stream = NULL;
    snprintf(payload, sizeof(payload), "{\"addr\":\"%s\"}", cid);
    CHECK_OK(wr_connect(&stream, &shop.rig.face.oap, wr_after(WR_S(1))));
    oap_encode(head, &(struct oap_frame){ .flags = OAP_REQ, .corr = 1, .payload_len = 11 });
    CHECK_OK(wr_stream_write(stream, &size, (struct wr_piece[]){
        { head, OAP_HEAD }, { "{\"ua\":null}", 11 } }, 2, wr_after(WR_S(1))));
    oap_encode(head, &(struct oap_frame){ .flags = OAP_REQ, .corr = 2, .proto = WR_OAP_OBJ_GET,
                                          .payload_len = strlen(payload) });
    CHECK_OK(wr_stream_write(stream, &size, (struct wr_piece[]){
        { head, OAP_HEAD }, { payload, strlen(payload) } }, 2, wr_after(WR_S(1))));
    return stream;
}

TEST(who_takes_nothing_keeps_no_worker_of_the_node_and_is_let_go_of)
{
    struct wr_stream *sitting[6];
    struct wr_oap_answer got;
    char cid[WR_CID_TEXT];
    shop_open(&shop, (const char *const[]){ "--workers-count", "1", "--facets-mailbox", "16",
                                            NULL });
    put_big(cid);
    for (size_t i = 0; i < 6; i++)
        sitting[i] = ask_and_sit(cid);
    settle();
    struct wr_oap_client *client = shop_dial(&shop);
    CHECK_EQ(404, shop_ask(client, cid_of("x", 1), &got));
    free(got.payload);
    wr_time before = wr_now();
    CHECK_EQ(200, rig_get(&shop.rig, "/v1/hello", &answer));
    CHECK(wr_now() - before < WR_S(1));
    CHECK_OK(wr_sleep(wr_after(WR_S(20))));
    CHECK_STR("aa 1 0 0 6;", shop_book(&shop));
    for (size_t i = 0; i < 6; i++)
        wr_stream_close(sitting[i]);
    wr_oap_close(client);
    shop_close(&shop);
}

TEST(a_drain_lets_an_object_that_has_begun_come_to_its_end)
{
    struct peer_rig peer = { 0 };
    struct wr_scope *scope;
    shop_open(&shop, NULL);
    put_big(peer.cid);
    peer.client = shop_dial(&shop);
    CHECK_OK(wr_once_new(&peer.begun, "test.begun", 0));
    CHECK_OK(wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "test.peer",
                                                           .deadline = WR_NEVER }));
    CHECK_OK(wr_scope_go(scope, "test.peer", ask_object, &peer));
    CHECK_OK(wr_once_wait(peer.begun, NULL, wr_after(WR_S(5))));
    CHECK(peer.taken < BIG);
    rig_stop(&shop.rig);
    CHECK_OK(wr_scope_join(scope, wr_after(WR_S(20))));
    CHECK_OK(wr_scope_close(scope));
    CHECK_OK(peer.err);
    CHECK_EQ(200, peer.code);
    CHECK_EQ(BIG, peer.taken);
    wr_oap_close(peer.client);
    shop_close(&shop);
    wr_once_free(peer.begun);
}

TEST(who_takes_nothing_does_not_keep_a_node_from_leaving)
{
    char cid[WR_CID_TEXT];
    shop_open(&shop, (const char *const[]){ "--drain-deadline", "3s", NULL });
    put_big(cid);
    struct wr_stream *sitting = ask_and_sit(cid);
    settle();
    wr_time before = wr_now();
    shop_close(&shop);
    CHECK(wr_now() - before <= WR_S(3));
    wr_stream_close(sitting);
}

/* The bytes of all rows. */
static uint64_t bytes_written(struct store *store)
{
    struct store_servings list = { 0 };
    uint64_t bytes = 0;
    CHECK_OK(store_serving_list(store, &(struct store_serving_ask){
        .from = 0, .to = INT64_MAX, .max = 20 }, &list, wr_after(WR_S(5))));
    for (size_t i = 0; i < list.count; i++)
        bytes += store_serving_at(&list, i).bytes;
    store_servings_free(&list);
    return bytes;
}

TEST(what_was_counted_last_is_written_when_the_desk_is_closed)
{
    struct object_desk desk;
    struct store *store = NULL;
    struct store_why why;
    REQUIRE_OK(store_open(&store, &(struct store_conf){ .url = "sqlite:" }, &why,
                          wr_after(WR_S(5))));
    REQUIRE_OK(object_desk_open(&desk, &(struct object_desk_conf){ .store = store,
                                                                   .self = "aa" }));
    book_received(desk.book, "bb", 7);
    CHECK_EQ(0, bytes_written(store));
    object_desk_close(&desk);
    CHECK_EQ(7, bytes_written(store));
    store_close(store, WR_NEVER);
}

TEST(a_closed_desk_has_nothing_and_may_be_closed_again)
{
    struct object_desk desk = { 0 };
    object_desk_close(&desk);
    object_desk_close(&desk);
    CHECK(!desk.object);
}
