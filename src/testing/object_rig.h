/* object_rig.h - nodes that hand out objects, and one that has to ask others for them.
 *
 *     static struct shop shop;
 *     shop_open(&shop, NULL);
 *     CHECK_EQ(200, shop_put(&shop, "/v1/index/objects/b3:...", bytes, len));
 *     CHECK_EQ(200, shop_get(&shop, "b3:..."));        ...answer.body
 *     CHECK_EQ(200, shop_ask(client, "b3:...", &got));  by OAP
 *     shop_close(&shop);
 */
#ifndef WR_TESTING_OBJECT_RIG_H
#define WR_TESTING_OBJECT_RIG_H

#include <weir/oap.h>
#include <weir/task.h>

#include "svc/index/catalog.h"
#include "svc/index/object_route.h"
#include "svc/index/object_verb.h"
#include "testing/node_rig.h"

static struct answer answer;

/* A node with a desk and nothing else, of this id; `other` has what it does not have. */
struct shop {
    struct rig rig;
    const char *id;
    struct shop *other;
    wr_err finding;                     /* what looking for providers comes to */
    struct object_desk desk;
    struct node_service row;
    struct wr_route routes[OBJECT_ROUTES];
    struct node_verb verbs[OBJECT_VERBS];
    struct wr_child child;
    char offered[INDEX_KEY_TEXT];       /* the last one */
};

RIG wr_err shop_find(void *arg, const struct wr_hash *cid, struct provider *ret, size_t max,
                     size_t *ret_count, wr_time deadline)
{
    struct shop *shop = arg;
    char addr[WR_ADDR_TEXT_MAX];
    (void)cid, (void)max, (void)deadline;
    if (shop->finding || !shop->other)
        return shop->finding ? shop->finding : WR_NOTFOUND;
    *ret = (struct provider){ .latency = -1 };
    snprintf(ret->id, sizeof(ret->id), "%s", shop->other->id);
    snprintf(ret->addr, sizeof(ret->addr), "tcp://%s",
             wr_addr_print(&shop->other->rig.face.oap, addr));
    *ret_count = 1;
    return WR_OK;
}

RIG wr_err shop_offer(void *arg, const struct index_key *key, wr_time deadline)
{
    struct shop *shop = arg;
    snprintf(shop->offered, sizeof(shop->offered), "%s", key->text);
    return catalog_offer(shop->desk.conf.store, key->text, deadline);
}

RIG wr_err shop_open_desk(void *arg, const struct wr_conf *conf, struct store *store, char *why)
{
    struct shop *shop = arg;
    (void)conf, (void)why;
    return object_desk_open(&shop->desk, &(struct object_desk_conf){
        .store = store, .self = shop->id, .find = shop_find, .offer = shop_offer,
        .arg = shop, .internal = true });
}

RIG void shop_close_desk(void *arg)
{
    struct shop *shop = arg;
    object_desk_close(&shop->desk);
}

/* With these flags, of which the last is NULL, and an address for OAP. */
RIG void shop_open_as(struct shop *shop, const char *id, const char *const *flags)
{
    const char *all[NODE_FLAGS_MAX] = { "--oap-addr", "127.0.0.1:0" };
    for (size_t i = 0; flags && flags[i]; i++)
        all[i + 2] = flags[i];
    memset(shop, 0, sizeof(*shop));
    shop->id = id;
    object_routes(shop->routes, &shop->desk);
    object_verbs(shop->verbs, &shop->desk);
    shop->child = (struct wr_child){ .name = "index.objects", .run = object_desk_run,
                                     .arg = &shop->desk, .restart = WR_RESTART_ALWAYS };
    shop->row = (struct node_service){
        .name = "index", .routes = shop->routes, .route_count = OBJECT_ROUTES,
        .verbs = shop->verbs, .verb_count = OBJECT_VERBS, .open = shop_open_desk,
        .close = shop_close_desk, .arg = shop, .children = &shop->child, .child_count = 1 };
    rig_service = &shop->row;
    rig_begin(&shop->rig, all);
}

RIG void shop_open(struct shop *shop, const char *const *flags)
{
    shop_open_as(shop, "aa", flags);
}

RIG void shop_close(struct shop *shop)
{
    CHECK_OK(rig_end(&shop->rig));
    CHECK(!shop->desk.object);
}

RIG const char *cid_of(const void *bytes, size_t len)
{
    static char cid[WR_CID_TEXT];
    struct wr_hash hash = wr_hash_of(bytes, len);
    return wr_hash_print_cid(&hash, cid);
}

RIG int shop_put(struct shop *shop, const char *cid, const char *query, const void *bytes,
                 size_t len)
{
    char head[300];
    size_t size;
    struct wr_stream *stream = rig_dial(&shop->rig);
    snprintf(head, sizeof(head), "PUT /v1/index/objects/%s%s HTTP/1.1\r\nHost: localhost\r\n"
             "Content-Length: %zu\r\n\r\n", cid, query, len);
    rig_say(stream, head);
    if (len)
        CHECK_OK(wr_stream_write(stream, &size, &(struct wr_piece){ bytes, len }, 1,
                                 wr_after(WR_S(5))));
    rig_hear(stream, &answer);
    wr_stream_close(stream);
    return answer.status;
}

RIG int shop_get(struct shop *shop, const char *cid, const char *headers)
{
    char target[200];
    snprintf(target, sizeof(target), "/v1/index/objects/%s", cid);
    return rig_ask(&shop->rig, "GET", target, headers, &answer);
}

RIG struct wr_oap_client *shop_dial(struct shop *shop)
{
    struct wr_oap_client *client = NULL;
    CHECK_OK(wr_oap_connect(&client, &(struct wr_oap_server){ .addr = &shop->rig.face.oap },
                            wr_after(WR_S(1))));
    return client;
}

/* The code; the caller frees got->payload. */
RIG unsigned shop_ask(struct wr_oap_client *client, const char *cid, struct wr_oap_answer *got)
{
    char payload[100];
    snprintf(payload, sizeof(payload), "{\"addr\":\"%s\"}", cid);
    *got = (struct wr_oap_answer){ 0 };
    CHECK_OK(wr_oap_ask(client, &(struct wr_oap_request){
        .id = WR_OAP_OBJ_GET, .payload = payload, .payload_len = strlen(payload) }, 16 << 20,
        got, wr_after(WR_S(30))));
    return got->code;
}

/* What is in the book of a shop, written now: "provider role objects bytes failed;...". */
RIG const char *shop_book(struct shop *shop)
{
    static char text[1000];
    struct store_servings list = { 0 };
    size_t len = 0;
    text[0] = '\0';
    CHECK_OK(book_write(shop->desk.book, wr_after(WR_S(5))));
    CHECK_OK(store_serving_list(shop->desk.conf.store, &(struct store_serving_ask){
        .from = 0, .to = INT64_MAX, .max = 20 }, &list, wr_after(WR_S(5))));
    for (size_t i = 0; i < list.count; i++) {
        struct store_serving row = store_serving_at(&list, i);
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %d %llu %llu %llu;",
                                row.provider, (int)row.role, (unsigned long long)row.objects,
                                (unsigned long long)row.bytes, (unsigned long long)row.failed);
    }
    store_servings_free(&list);
    return text;
}

#endif
