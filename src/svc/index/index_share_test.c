/* index_share_test.c - one address that holds all it can of OAP, and another, in a node as it
 * is preset. */
#include <weir/oap.h>

#include "base/hash.h"
#include "net/oap.h"
#include "testing/index_node_rig.h"
#include "testing/proxy_rig.h"

#define BIG ((size_t)12 << 20)
#define LINES 12                        /* connections of who holds what he can */
#define EACH 8                          /* requests of each kind, on each of them */

static struct cloud cloud;
static char big[BIG];
static struct wr_stream *lines[LINES];

/* A node whose targets are silent, with a name and two objects. */
static void begin(struct rig *rig, char big_cid[WR_CID_TEXT], char small_cid[WR_CID_TEXT])
{
    char flag[200], target[120], head[300];
    size_t size;
    memset(&cloud, 0, sizeof(cloud));
    cloud_open(&cloud, 1);
    snprintf(flag, sizeof(flag), "--index-proxies=%s", cloud.urls[0]);
    index_node_begin(rig, (const char *const[]){ "--oap-addr", "127.0.0.1:0", flag,
                                                 "--index-addr=tcp://203.0.113.9:7", NULL });
    settle();
    memset(big, 'b', sizeof(big));
    struct wr_hash hash = wr_hash_of(big, sizeof(big));
    wr_hash_print_cid(&hash, big_cid);
    snprintf(head, sizeof(head), "PUT /v1/index/objects/%s HTTP/1.1\r\nHost: localhost\r\n"
             "Content-Length: %zu\r\n\r\n", big_cid, sizeof(big));
    struct wr_stream *stream = rig_dial(rig);
    rig_say(stream, head);
    CHECK_OK(wr_stream_write(stream, &size, &(struct wr_piece){ big, sizeof(big) }, 1,
                             wr_after(WR_S(5))));
    CHECK_EQ(200, rig_hear(stream, &answer));
    wr_stream_close(stream);
    hash = wr_hash_of("small", 5);
    wr_hash_print_cid(&hash, small_cid);
    snprintf(target, sizeof(target), "/v1/index/objects/%s", small_cid);
    CHECK_EQ(200, index_node_send(rig, "PUT", target, "", "small"));
    CHECK_EQ(202, index_node_send(rig, "PUT", "/admin/seed", "",
                                  "{\"name\":\"weir.example\",\"cid\":\"" CID_OF("a") "\"}"));
    cloud.proxies[0].frozen = true;
}

static void end(struct rig *rig)
{
    for (int i = 0; i < LINES; i++)
        wr_stream_close(lines[i]);
    cloud.proxies[0].frozen = false;
    index_node_end(rig);
    cloud_close(&cloud);
}

static void send_frame(struct wr_stream *stream, uint16_t proto, uint64_t corr, unsigned flags,
                       const char *payload)
{
    unsigned char head[OAP_HEAD];
    size_t size;
    struct oap_frame frame = { .flags = (uint16_t)(OAP_REQ | flags), .corr = corr,
                               .proto = proto, .payload_len = (uint32_t)strlen(payload) };
    frame.tenant[0] = (unsigned char)corr;          /* another one each time */
    oap_encode(head, &frame);
    CHECK_OK(wr_stream_write(stream, &size, (struct wr_piece[]){
        { head, OAP_HEAD }, { payload, strlen(payload) } }, 2, wr_after(WR_S(1))));
}

/* Objects of which he takes nothing, requests that he does not end, and lookups that nobody
 * answers: as much as he is given of each. */
static void hold_all(struct rig *rig, const char *from, const char *big_cid)
{
    char get[100], look[100];
    uint64_t corr = 1;
    snprintf(get, sizeof(get), "{\"addr\":\"%s\"}", big_cid);
    for (int i = 0; i < LINES; i++) {
        lines[i] = rig_dial_from(&rig->face.oap, from);
        send_frame(lines[i], 0, corr++, 0, "{\"ua\":null}");
        for (int j = 0; j < EACH; j++) {
            struct wr_hash hash = wr_hash_of(&corr, sizeof(corr));
            char cid[WR_CID_TEXT];
            snprintf(look, sizeof(look), "{\"cid\":\"%s\"}", wr_hash_print_cid(&hash, cid));
            send_frame(lines[i], WR_OAP_INDEX_PROVIDERS, corr++, 0, look);
            send_frame(lines[i], WR_OAP_OBJ_GET, corr++, i % 2 ? OAP_START : 0, get);
        }
    }
    settle();
}

static unsigned ask_verb(struct rig *rig, uint16_t id, const char *payload)
{
    struct wr_oap_client *client = NULL;
    struct wr_oap_answer got = { 0 };
    REQUIRE_OK(wr_oap_connect(&client, &(struct wr_oap_server){ .addr = &rig->face.oap },
                              wr_after(WR_S(1))), 0);
    CHECK_OK(wr_oap_ask(client, &(struct wr_oap_request){
        .id = id, .payload = payload, .payload_len = strlen(payload) }, 1 << 20, &got,
        wr_after(WR_S(20))));
    free(got.payload);
    wr_oap_close(client);
    return got.code;
}

TEST(one_address_that_holds_all_it_can_keeps_no_other_from_objects_and_names)
{
    struct rig rig;
    char big_cid[WR_CID_TEXT], small_cid[WR_CID_TEXT], get[100];
    begin(&rig, big_cid, small_cid);
    snprintf(get, sizeof(get), "{\"addr\":\"%s\"}", small_cid);
    hold_all(&rig, "127.0.0.2", big_cid);
    wr_time before = wr_now();
    CHECK_EQ(200, ask_verb(&rig, WR_OAP_OBJ_GET, get));
    CHECK_EQ(200, ask_verb(&rig, WR_OAP_INDEX_RESOLVE, "{\"key\":\"name:weir.example\"}"));
    CHECK_EQ(200, ask_verb(&rig, WR_OAP_CFG_SNAP, ""));
    CHECK_EQ(200, rig_get(&rig, "/resolve/name:weir.example", &answer));
    CHECK(wr_now() - before < WR_S(1));
    end(&rig);
}

TEST(who_has_his_share_of_objects_on_their_way_is_told_so_and_still_looks_things_up)
{
    struct rig rig;
    char big_cid[WR_CID_TEXT], small_cid[WR_CID_TEXT], get[100];
    begin(&rig, big_cid, small_cid);
    snprintf(get, sizeof(get), "{\"addr\":\"%s\"}", big_cid);
    for (int i = 0; i < LINES; i++) {
        lines[i] = rig_dial_from(&rig.face.oap, "127.0.0.1");
        send_frame(lines[i], 0, 1, 0, "{\"ua\":null}");
        send_frame(lines[i], WR_OAP_OBJ_GET, 2, 0, get);
    }
    settle();
    snprintf(get, sizeof(get), "{\"addr\":\"%s\"}", small_cid);
    CHECK_EQ(429, ask_verb(&rig, WR_OAP_OBJ_GET, get));
    CHECK_EQ(200, ask_verb(&rig, WR_OAP_INDEX_RESOLVE, "{\"key\":\"name:weir.example\"}"));
    for (int i = 0; i < LINES; i++) {
        wr_stream_close(lines[i]);
        lines[i] = NULL;
    }
    settle();
    CHECK_EQ(200, ask_verb(&rig, WR_OAP_OBJ_GET, get));         /* they have left */
    end(&rig);
}
