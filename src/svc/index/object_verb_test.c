/* object_verb_test.c - OBJ_GET of a whole node. */
#include "svc/index/object_verb.h"

#include "net/oap.h"
#include "testing/object_rig.h"

static struct shop shop;
static char large[3 << 20];

static const char *fill_large(void)
{
    for (size_t i = 0; i < sizeof(large); i++)
        large[i] = (char)(i * 7 >> 5);
    return cid_of(large, sizeof(large));
}

TEST(what_is_offered_is_handed_out_and_counted)
{
    struct wr_oap_answer got;
    shop_open(&shop, NULL);
    CHECK_EQ(200, shop_put(&shop, cid_of("abc", 3), "", "abc", 3));
    CHECK_EQ(200, shop_put(&shop, cid_of("", 0), "", "", 0));
    struct wr_oap_client *client = shop_dial(&shop);
    CHECK_EQ(200, shop_ask(client, cid_of("abc", 3), &got));
    CHECK_STR("abc", got.payload);
    free(got.payload);
    CHECK_EQ(200, shop_ask(client, cid_of("", 0), &got));
    CHECK_EQ(0, got.len);
    free(got.payload);
    CHECK_STR("aa 1 2 3 0;", shop_book(&shop));
    wr_oap_close(client);
    shop_close(&shop);
}

TEST(what_is_large_comes_in_frames_of_64_kib)
{
    size_t count = 0, len = 0;
    unsigned char head[OAP_HEAD], bytes[8192];
    char payload[100];
    struct wr_stream *stream;
    struct oap_decoder decoder;
    struct oap_frame frame;
    size_t size, at = 0, have = 0, used;
    shop_open(&shop, NULL);
    char cid[WR_CID_TEXT];
    snprintf(cid, sizeof(cid), "%s", fill_large());
    CHECK_EQ(200, shop_put(&shop, cid, "", large, sizeof(large)));
    CHECK_OK(wr_connect(&stream, &shop.rig.face.oap, wr_after(WR_S(1))));
    oap_open(&decoder, OAP_FRAME_MAX);
    snprintf(payload, sizeof(payload), "{\"addr\":\"%s\"}", cid);
    oap_encode(head, &(struct oap_frame){ .flags = OAP_REQ, .corr = 1, .payload_len = 11 });
    CHECK_OK(wr_stream_write(stream, &size, (struct wr_piece[]){
        { head, OAP_HEAD }, { "{\"ua\":null}", 11 } }, 2, wr_after(WR_S(1))));
    oap_encode(head, &(struct oap_frame){ .flags = OAP_REQ, .corr = 2, .proto = WR_OAP_OBJ_GET,
                                          .payload_len = strlen(payload) });
    CHECK_OK(wr_stream_write(stream, &size, (struct wr_piece[]){
        { head, OAP_HEAD }, { payload, strlen(payload) } }, 2, wr_after(WR_S(1))));
    for (bool end = false; !end;) {
        enum oap_state state = oap_feed(&decoder, bytes + at, have - at, &used, &frame);
        at += used;
        if (state == OAP_FRAME && frame.corr == 2) {
            CHECK(frame.payload_len <= 64 << 10);
            CHECK_EQ(count == 0, (frame.flags & OAP_START) != 0);
            CHECK(!frame.payload_len
                  || memcmp(large + len, frame.payload, frame.payload_len) == 0);
            end = frame.flags & OAP_END;
            count += frame.payload_len > 0;
            len += frame.payload_len;
        }
        if (state == OAP_FRAME)
            oap_frame_free(&frame);
        at = state == OAP_MORE ? 0 : at;
        if (state == OAP_MORE)
            REQUIRE_OK(wr_stream_read(stream, &have, bytes, sizeof(bytes), wr_after(WR_S(5))));
    }
    CHECK_EQ(sizeof(large), len);
    CHECK_EQ(sizeof(large) >> 16, count);
    oap_close(&decoder);
    wr_stream_close(stream);
    shop_close(&shop);
}

TEST(what_is_kept_and_not_offered_is_not_handed_out)
{
    struct wr_oap_answer got;
    shop_open(&shop, NULL);
    CHECK_EQ(200, shop_put(&shop, cid_of("mine", 4), "?offer=false", "mine", 4));
    CHECK_EQ(200, shop_get(&shop, cid_of("mine", 4), ""));     /* it is there */
    struct wr_oap_client *client = shop_dial(&shop);
    CHECK_EQ(404, shop_ask(client, cid_of("mine", 4), &got));
    CHECK(strstr(got.payload, "this node does not offer it"));
    free(got.payload);
    CHECK_OK(catalog_offer(shop.desk.conf.store, cid_of("mine", 4), wr_after(WR_S(5))));
    CHECK_EQ(200, shop_ask(client, cid_of("mine", 4), &got));
    free(got.payload);
    CHECK_OK(catalog_withdraw(shop.desk.conf.store, cid_of("mine", 4), wr_after(WR_S(5))));
    CHECK_EQ(404, shop_ask(client, cid_of("mine", 4), &got));
    free(got.payload);
    wr_oap_close(client);
    shop_close(&shop);
}

TEST(what_is_offered_and_not_there_is_not_found)
{
    struct wr_oap_answer got;
    shop_open(&shop, NULL);
    CHECK_OK(catalog_offer(shop.desk.conf.store, cid_of("gone", 4), wr_after(WR_S(5))));
    struct wr_oap_client *client = shop_dial(&shop);
    CHECK_EQ(404, shop_ask(client, cid_of("gone", 4), &got));
    free(got.payload);
    CHECK_STR("", shop_book(&shop));
    wr_oap_close(client);
    shop_close(&shop);
}

TEST(what_is_no_content_id_is_refused_with_a_clause)
{
    struct wr_oap_answer got;
    shop_open(&shop, NULL);
    struct wr_oap_client *client = shop_dial(&shop);
    CHECK_EQ(400, shop_ask(client, "b3:12", &got));
    CHECK(strstr(got.payload, "64 hex digits"));
    free(got.payload);
    wr_oap_close(client);
    shop_close(&shop);
}

TEST(an_object_goes_to_who_has_no_token_from_anywhere)
{
    struct node_verb verb;
    object_verbs(&verb, &shop.desk);
    CHECK(verb.open_to_all);
    CHECK_STR("index.read", verb.scope);
    CHECK(verb.submit == object_desk_submit);
}
