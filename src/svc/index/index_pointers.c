/* index_pointers.c - see index_pointers.h. */
#include "svc/index/index_pointers.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "svc/index/announcer.h"
#include "svc/index/catalog.h"
#include "svc/index/index_key.h"
#include "svc/index/scribe.h"

#define LIST_PRESET 100
#define LIST_MAX 1000
#define PUT_WITHIN WR_S(2)

/* ---- pointers ---- */

/* The key in the path, as the catalog has it. */
static wr_err take_key(struct wr_call *call, enum catalog_kind kind, char buf[CATALOG_KEY])
{
    const char *clause;
    struct wr_hash cid;
    if (kind == CATALOG_SITE) {
        if (!index_name_read(buf, wr_call_param(call, "name"), &clause))
            return WR_OK;
    } else if (!index_cid_read(&cid, wr_call_param(call, "cid"), true, &clause)) {
        wr_hash_print_cid(&cid, buf);
        return WR_OK;
    }
    return wr_call_fail(call, WR_INVALID, "%s", clause);
}

static wr_err put_pointer(struct wr_call *call, enum catalog_kind kind)
{
    struct wr_text text = wr_text_heap(INDEX_ANSWER_MAX);
    struct index_desk *desk;
    struct catalog_pointer pointer;
    char key[CATALOG_KEY], why[CATALOG_WHY] = "";
    size_t len;
    const char *body = wr_call_body(call, &len);
    wr_err err = index_desk_of(call, &desk);
    if (!err)
        err = index_desk_is_json(call);
    if (!err)
        err = take_key(call, kind, key);
    if (err)
        return err;
    err = catalog_pointer_read(&pointer, kind, key, body, len, wr_wall(), why);
    if (!err)
        err = scribe_put(desk->scribe, &pointer, wr_call_deadline(call));
    if (err == WR_BUSY)
        return wr_call_fail(call, err, "%d other pointers wait to be written, as many as may",
                            SCRIBE_WAITING_MAX);
    if (err)
        return index_desk_fail(call, err, why);
    index_desk_forget(desk, kind == CATALOG_SITE ? "name:" : "", key);
    catalog_pointer_write(&text, &pointer);
    return index_desk_answer(call, WR_OK, 202, &text);
}

static wr_err get_pointer(struct wr_call *call, enum catalog_kind kind)
{
    struct wr_text text = wr_text_heap(INDEX_ANSWER_MAX);
    struct index_desk *desk;
    struct catalog_pointer pointer;
    char key[CATALOG_KEY];
    wr_err err = index_desk_of(call, &desk);
    if (!err)
        err = take_key(call, kind, key);
    if (err)
        return err;
    err = catalog_get(desk->store, kind, key, &pointer, wr_call_deadline(call));
    if (err)
        return index_desk_fail(call, err, err == WR_NOTFOUND ? "nothing points from there"
                                                             : NULL);
    catalog_pointer_write(&text, &pointer);
    return index_desk_answer(call, WR_OK, 200, &text);
}

static wr_err put_asset(struct wr_call *call)
{
    return put_pointer(call, CATALOG_ASSET);
}

static wr_err get_asset(struct wr_call *call)
{
    return get_pointer(call, CATALOG_ASSET);
}

static wr_err put_site(struct wr_call *call)
{
    return put_pointer(call, CATALOG_SITE);
}

static wr_err get_site(struct wr_call *call)
{
    return get_pointer(call, CATALOG_SITE);
}

/* ---- offers ---- */

/* Nobody is told of what is not here. */
static wr_err offer(struct index_desk *desk, const struct index_key *key, wr_time deadline)
{
    wr_err err = index_desk_has(desk, key, deadline);
    return err ? err : announcer_offer(desk->announcer, key, deadline);
}

static wr_err withdraw(struct index_desk *desk, const struct index_key *key, wr_time deadline)
{
    return catalog_withdraw(desk->store, key->text, deadline);
}

static wr_err change_offer(struct wr_call *call, unsigned status,
                           wr_err (*change)(struct index_desk *desk,
                                            const struct index_key *key, wr_time deadline))
{
    struct wr_text text = wr_text_heap(INDEX_ANSWER_MAX);
    struct wr_json json = wr_json_to(&text);
    struct index_desk *desk;
    struct index_key key;
    const char *clause;
    wr_err err = index_desk_of(call, &desk);
    if (err)
        return err;
    if (index_key_read(&key, wr_call_param(call, "key"), &clause))
        return wr_call_fail(call, WR_INVALID, "%s", clause);
    err = change(desk, &key, wr_call_deadline(call));
    if (err)
        return index_desk_fail(call, err, err == WR_NOTFOUND
                               ? "this node does not have it: put it first" : NULL);
    index_desk_forget(desk, "", key.text);
    wr_json_object(&json, NULL);
    wr_json_bool(&json, "ok", true);
    wr_json_str(&json, "key", key.text);
    wr_json_end(&json);
    return index_desk_answer(call, WR_OK, status, &text);
}

static wr_err put_offer(struct wr_call *call)
{
    return change_offer(call, 202, offer);
}

static wr_err delete_offer(struct wr_call *call)
{
    return change_offer(call, 200, withdraw);
}

static void write_offers(struct wr_text *text, const struct store_pointers *offers,
                         uint64_t total)
{
    struct wr_json json = wr_json_to(text);
    wr_json_object(&json, NULL);
    wr_json_u64(&json, "total", total);
    wr_json_array(&json, "offers");
    for (size_t i = 0; i < offers->count; i++)
        wr_json_str(&json, NULL, store_pointer_at(offers, i).name);
    wr_json_end(&json);
    wr_json_end(&json);
}

static wr_err get_offers(struct wr_call *call)
{
    struct wr_text text = wr_text_heap(INDEX_ANSWER_MAX);
    struct index_desk *desk;
    struct store_pointers offers;
    uint64_t total;
    size_t limit = index_desk_number(call, "limit", 1, LIST_MAX, LIST_PRESET);
    wr_err err = index_desk_of(call, &desk);
    if (err)
        return err;
    err = catalog_offer_count(desk->store, &total, wr_call_deadline(call));
    if (!err)
        err = catalog_offers(desk->store, wr_call_query(call, "after"), limit, &offers,
                             wr_call_deadline(call));
    if (err)
        return index_desk_fail(call, err, NULL);
    write_offers(&text, &offers, total);
    store_pointers_free(&offers);
    return index_desk_answer(call, WR_OK, 200, &text);
}

/* ---- the table ---- */

#define TEXT(name) "\"" name "\":{\"type\":\"string\"}"
#define OWNERS TEXT("owner_passport_subject") "," TEXT("owner_wallet_account") ","      \
    "\"updated_at_ms\":{\"type\":\"integer\",\"minimum\":1},"                           \
    "\"version\":{\"type\":\"integer\",\"const\":1}"
#define ASSET TEXT("asset_cid") "," TEXT("asset_kind") "," TEXT("manifest_cid") "," OWNERS
#define SITE TEXT("name") "," TEXT("manifest_cid") "," OWNERS
#define OBJECT(needs, properties) "{\"type\":\"object\",\"required\":[" needs "],"      \
    "\"properties\":{" properties "},\"additionalProperties\":false}"

static const char asset_takes[] = OBJECT("\"asset_kind\",\"manifest_cid\"", ASSET);
static const char asset_gives[] = OBJECT("\"asset_cid\",\"asset_kind\",\"manifest_cid\","
    "\"updated_at_ms\",\"version\"", ASSET);
static const char site_takes[] = OBJECT("\"manifest_cid\"", SITE);
static const char site_gives[] = OBJECT("\"name\",\"manifest_cid\",\"updated_at_ms\","
    "\"version\"", SITE);
static const char offer_gives[] = OBJECT("\"ok\",\"key\"", "\"ok\":{\"type\":\"boolean\"},"
    TEXT("key"));
static const char offers_gives[] = OBJECT("\"total\",\"offers\"",
    "\"total\":{\"type\":\"integer\"},\"offers\":{\"type\":\"array\",\"items\":{\"type\":"
    "\"string\"}}");

/* Pointers wait for the scribe, as many as may; a worker would be kept by each. */
#define POINTS .scope = "index.admin", .tag = "index", .class = WR_ROUTE_LONG, \
    .deadline = PUT_WITHIN, .body_max = CATALOG_JSON_MAX
#define READS .scope = "index.read", .tag = "index"
#define WRITES .scope = "index.admin", .tag = "index"

static const struct wr_route table[INDEX_POINTER_ROUTES] = {
    { .method = "PUT", .path = "/v1/index/assets/{cid}/manifest", .handler = put_asset, POINTS,
      .takes = asset_takes, .gives = asset_gives,
      .summary = "Say where the manifest of an asset is." },
    { .method = "GET", .path = "/v1/index/assets/{cid}/manifest", .handler = get_asset, READS,
      .gives = asset_gives, .summary = "Where the manifest of an asset is." },
    { .method = "PUT", .path = "/v1/index/sites/{name}/manifest", .handler = put_site, POINTS,
      .takes = site_takes, .gives = site_gives,
      .summary = "Say where the manifest of a site is." },
    { .method = "GET", .path = "/v1/index/sites/{name}/manifest", .handler = get_site, READS,
      .gives = site_gives, .summary = "Where the manifest of a site is." },
    { .method = "PUT", .path = "/v1/index/offers/{key}", .handler = put_offer, WRITES,
      .body_max = 1024, .takes = "{\"type\":\"object\"}", .gives = offer_gives,
      .summary = "Tell others, again and again, that this node has it." },
    { .method = "DELETE", .path = "/v1/index/offers/{key}", .handler = delete_offer, WRITES,
      .gives = offer_gives, .summary = "Tell others no longer." },
    { .method = "GET", .path = "/v1/index/offers", .handler = get_offers, READS,
      .gives = offers_gives, .summary = "What others are told that this node has.",
      .query = "limit: how many, 1 to 1000; 100\nafter: the last one of an earlier answer" },
};

void index_pointer_routes(struct wr_route ret[INDEX_POINTER_ROUTES], struct index_desk *desk)
{
    memcpy(ret, table, sizeof(table));
    for (size_t i = 0; i < INDEX_POINTER_ROUTES; i++)
        ret[i].arg = desk;
}
