/* index_admin.c - see index_admin.h. */
#include "svc/index/index_admin.h"

#include <stdio.h>
#include <string.h>

#include <weir/log.h>

#include "base/json.h"
#include "base/ulid.h"
#include "net/caller.h"
#include "store/audit.h"
#include "store/idempotency.h"
#include "svc/index/catalog.h"
#include "svc/index/index_events.h"
#include "svc/index/index_key.h"
#include "svc/index/resolver.h"
#include "svc/index/scribe.h"

#define KEPT WR_S(24 * 3600)
#define KEYS_MAX 10000
#define DETAIL_MAX ((size_t)48 << 10)
#define BODY_MAX ((size_t)512 << 10)
#define ROUTE_MAX (40 + CALLER_TOKEN_MAX)

/* A request on its way: what it asks for, and what is said of it. */
struct deed {
    struct wr_call *call;
    struct index_desk *desk;
    const struct kind *kind;
    json_t *body;
    struct index_key key;               /* of pin, unpin and seed */
    char name[INDEX_NAME_MAX + 1];      /* of seed */
    struct wr_text answer, detail;      /* JSON: for who asked, and for the audit */
};

struct kind {
    const char *route, *event;
    unsigned status;
    bool pins;
    const char *const *names;           /* members of its body */
    wr_err (*read)(struct deed *deed);  /* says what is wrong by wr_call_fail */
    wr_err (*act)(struct deed *deed, wr_time deadline);
};

/* ---- the four ---- */

static wr_err read_cid(struct deed *deed)
{
    const char *clause, *cid = json_string_value(json_object_get(deed->body, "cid"));
    if (!cid)
        return wr_call_fail(deed->call, WR_INVALID, "\"cid\" is missing, or no text");
    if (index_key_read(&deed->key, cid, &clause) || deed->key.is_name)
        return wr_call_fail(deed->call, WR_INVALID, "\"cid\": a content id is b3: and 64 hex "
                            "digits in lower case");
    return WR_OK;
}

static wr_err read_seed(struct deed *deed)
{
    const char *clause, *name = json_string_value(json_object_get(deed->body, "name"));
    if (!name)
        return wr_call_fail(deed->call, WR_INVALID, "\"name\" is missing, or no text");
    if (index_name_read(deed->name, name, &clause))
        return wr_call_fail(deed->call, WR_INVALID, "\"name\": %s", clause);
    return read_cid(deed);
}

static wr_err read_reindex(struct deed *deed)
{
    static const char *const words[] = { "low", "normal", "high", NULL };
    const json_t *keys = json_object_get(deed->body, "keys"), *value;
    const json_t *priority = json_object_get(deed->body, "priority");
    const char *word = priority ? json_string_value(priority) : "normal", *clause;
    struct index_key key;
    size_t i = 0;
    while (words[i] && (!word || strcmp(words[i], word) != 0))
        i++;
    if (!words[i])
        return wr_call_fail(deed->call, WR_INVALID, "\"priority\" is low, normal or high");
    if (json_array_size(keys) == 0 || json_array_size(keys) > INDEX_REINDEX_MAX)
        return wr_call_fail(deed->call, WR_INVALID, "\"keys\" is a list of 1 to %d texts",
                            INDEX_REINDEX_MAX);
    json_array_foreach(keys, i, value)
        if (!json_is_string(value) || index_key_read(&key, json_string_value(value), &clause))
            return wr_call_fail(deed->call, WR_INVALID, "\"keys\", the %zuth: %s", i + 1,
                                json_is_string(value) ? clause : "it is no text");
    return WR_OK;
}

static void write_pin(struct deed *deed)
{
    struct wr_json answer = wr_json_to(&deed->answer), detail = wr_json_to(&deed->detail);
    wr_json_object(&answer, NULL);
    wr_json_bool(&answer, "ok", true);
    wr_json_end(&answer);
    wr_json_object(&detail, NULL);
    wr_json_str(&detail, "cid", deed->key.text);
    wr_json_end(&detail);
}

/* One that is pinned already needs no other room. */
static wr_err act_pin(struct deed *deed, wr_time deadline)
{
    struct store *store = deed->desk->store;
    uint64_t count = 0, max = index_desk_pins_max(deed->desk);
    wr_err err = catalog_pin_count(store, &count, deadline);
    if (!err && count >= max)
        err = catalog_is_pinned(store, deed->key.text, deadline);
    if (err == WR_NOTFOUND)
        return wr_call_fail(deed->call, WR_BUSY, "%llu content ids are pinned, as many as "
                            "index.pins_max allows: unpin one", (unsigned long long)count);
    write_pin(deed);
    return err ? err : catalog_pin(store, deed->key.text, deadline);
}

static wr_err act_unpin(struct deed *deed, wr_time deadline)
{
    write_pin(deed);
    return catalog_unpin(deed->desk->store, deed->key.text, deadline);
}

static wr_err act_seed(struct deed *deed, wr_time deadline)
{
    struct wr_json answer = wr_json_to(&deed->answer), detail = wr_json_to(&deed->detail);
    struct catalog_pointer pointer = {
        .kind = CATALOG_SITE, .manifest = deed->key.cid,
        .updated_at_ms = (uint64_t)(wr_wall().ns / WR_MS(1)) };
    memcpy(pointer.key, deed->name, sizeof(deed->name));
    wr_json_object(&answer, NULL);
    wr_json_bool(&answer, "ok", true);
    wr_json_str(&answer, "name", deed->name);
    wr_json_str(&answer, "cid", deed->key.text);
    wr_json_end(&answer);
    wr_json_object(&detail, NULL);
    wr_json_str(&detail, "name", deed->name);
    wr_json_str(&detail, "cid", deed->key.text);
    wr_json_end(&detail);
    wr_err err = scribe_put(deed->desk->scribe, &pointer, deadline);
    if (!err)
        index_desk_forget(deed->desk, "name:", deed->name);
    return err;
}

static wr_err act_reindex(struct deed *deed, wr_time deadline)
{
    struct wr_json answer = wr_json_to(&deed->answer), detail = wr_json_to(&deed->detail);
    const json_t *keys = json_object_get(deed->body, "keys");
    char id[WR_ULID_TEXT];
    struct wr_rand rand;
    const json_t *value;
    struct index_key key;
    const char *clause;
    size_t i;
    wr_err err = WR_OK;
    (void)deadline;
    wr_rand_seed_from_world(&rand);
    wr_ulid_make(&rand, id);
    wr_json_object(&answer, NULL);
    wr_json_str(&answer, "task_id", id);
    wr_json_end(&answer);
    wr_json_object(&detail, NULL);
    wr_json_str(&detail, "task_id", id);
    wr_json_u64(&detail, "keys", json_array_size(keys));
    wr_json_end(&detail);
    json_array_foreach(
        keys, i, value) if (!err && !index_key_read(&key, json_string_value(value), &clause))
    {
        resolver_drop(deed->desk->resolver, &key);
        err = resolver_warm(deed->desk->resolver, &key);
    }
    return err;
}

/* ---- once ---- */

static wr_err note(struct deed *deed, wr_time deadline)
{
    char text[WR_ADDR_TEXT_MAX];
    const char *actor = wr_addr_print(wr_call_peer(deed->call), text);
    wr_err err = store_audit_add(deed->desk->store, &(struct store_event){
        .type = deed->kind->event, .actor = actor, .request = wr_call_corr_id(deed->call),
        .detail = deed->detail.at }, deadline);
    if (!err)
        wr_log(WR_WARN, "audit", WR_F_STR("type", deed->kind->event), WR_F_STR("actor", actor),
               WR_F_STR("corr_id", wr_call_corr_id(deed->call)));
    return err;
}

static void tell(const struct deed *deed)
{
    struct index_event event = {
        .kind = INDEX_ADMIN_ACCEPTED, .key = deed->key.text[0] ? &deed->key : NULL,
        .what = deed->kind->event, .corr_id = wr_call_corr_id(deed->call) };
    index_events_tell(deed->desk->events, &event);
    event.kind = INDEX_PIN_CHANGED;
    if (deed->kind->pins)
        index_events_tell(deed->desk->events, &event);
}

static wr_err carry_out(struct deed *deed, wr_time deadline)
{
    wr_err err = deed->kind->act(deed, deadline);
    if (!err && (deed->answer.cut || deed->detail.cut))
        err = WR_NOMEM;
    if (!err)
        err = note(deed, deadline);
    if (!err)
        tell(deed);
    return err;
}

/* The answer that the first of them had. */
static void repeat(struct deed *deed, const struct store_once *was)
{
    wr_call_status(deed->call, (unsigned)was->status);
    wr_call_type(deed->call, "application/json");
    wr_call_reply_header(deed->call, "Idempotency-Replayed", "true");
    wr_call_write(deed->call, was->body.bytes, was->body.len);
}

static wr_err say(struct deed *deed)
{
    wr_call_status(deed->call, deed->kind->status);
    wr_call_type(deed->call, "application/json");
    wr_call_write(deed->call, deed->answer.at, deed->answer.len);
    return WR_OK;
}

static wr_err do_once(struct deed *deed, const char *key, wr_time deadline)
{
    struct store *store = deed->desk->store;
    char route[ROUTE_MAX];
    struct store_once was = { 0 };
    char digest[WR_HASH_TEXT];
    size_t len;
    const char *body = wr_call_body(deed->call, &len);
    struct wr_hash hash = wr_hash_of(body, len);
    /* Another's key is another key: he would get an answer, or a conflict, that is not his. */
    snprintf(route, sizeof(route), "%s %s", deed->kind->route, caller_of(deed->call)->token);
    wr_err err = store_once_begin(store, &(struct store_once_ask){
        route, key, wr_hash_print(&hash, digest), KEPT, KEYS_MAX }, &was, deadline);
    if (err == WR_EXISTS)
        repeat(deed, &was);
    store_once_free(&was);
    if (err == WR_EXISTS)
        return WR_OK;
    if (err == WR_BUSY || err == WR_INVALID) {
        wr_call_status(deed->call, 409);
        return wr_call_fail(deed->call, WR_EXISTS, err == WR_BUSY
            ? "a request with this Idempotency-Key is being done"
            : "this Idempotency-Key came with another body");
    }
    if (err == WR_SHED)
        return wr_call_fail(deed->call, WR_BUSY, "%d Idempotency-Keys are kept, as many as may "
                            "be, each for a day: come without one, or later", KEYS_MAX);
    if (err)
        return index_desk_fail(deed->call, err, NULL);
    err = carry_out(deed, deadline);
    if (err) {
        (void)!store_once_drop(store, route, key, was.turn, deadline);
        return index_desk_fail(deed->call, err, NULL);
    }
    /* It is done, whatever becomes of its key. */
    (void)!store_once_end(store, route, key, was.turn, &(struct store_once_answer){
        (int)deed->kind->status, deed->answer.at, deed->answer.len }, deadline);
    return say(deed);
}

static wr_err do_it(struct deed *deed, wr_time deadline)
{
    wr_err err = carry_out(deed, deadline);
    return err ? index_desk_fail(deed->call, err, NULL) : say(deed);
}

static bool is_key(const char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++)
        if (text[i] < '!' || text[i] > '~')
            return false;
    return len > 0 && len <= STORE_ONCE_KEY_MAX;
}

static wr_err serve(struct wr_call *call, const struct kind *kind)
{
    struct deed deed = { .call = call, .kind = kind, .answer = wr_text_heap(DETAIL_MAX),
                         .detail = wr_text_heap(DETAIL_MAX) };
    const char *key = wr_call_header(call, "idempotency-key");
    wr_time deadline = wr_call_deadline(call);
    wr_err err = index_desk_of(call, &deed.desk);
    if (!err && key && !is_key(key))
        err = wr_call_fail(call, WR_INVALID, "an Idempotency-Key has 1 to %d visible "
                           "characters", STORE_ONCE_KEY_MAX);
    if (!err)
        err = index_desk_body(call, kind->names, &deed.body);
    if (err)
        return err;
    err = kind->read(&deed);
    if (!err)
        err = key ? do_once(&deed, key, deadline) : do_it(&deed, deadline);
    json_decref(deed.body);
    wr_text_free(&deed.answer);
    wr_text_free(&deed.detail);
    return err;
}

/* ---- the table ---- */

static const struct kind
    reindex = { "POST /admin/reindex", "index.reindex", 202, false,
                (const char *const[]){ "keys", "priority", NULL }, read_reindex, act_reindex },
    pin = { "POST /admin/pin", "index.pin", 200, true, (const char *const[]){ "cid", NULL },
            read_cid, act_pin },
    unpin = { "POST /admin/unpin", "index.unpin", 200, true,
              (const char *const[]){ "cid", NULL }, read_cid, act_unpin },
    seed = { "PUT /admin/seed", "index.seed", 202, false,
             (const char *const[]){ "name", "cid", NULL }, read_seed, act_seed };

static wr_err post_reindex(struct wr_call *call)
{
    return serve(call, &reindex);
}

static wr_err post_pin(struct wr_call *call)
{
    return serve(call, &pin);
}

static wr_err post_unpin(struct wr_call *call)
{
    return serve(call, &unpin);
}

static wr_err put_seed(struct wr_call *call)
{
    return serve(call, &seed);
}

#define TEXT(name) "\"" name "\":{\"type\":\"string\"}"
#define OK "\"ok\":{\"type\":\"boolean\"}"
#define OBJECT(needs, properties) \
    "{\"type\":\"object\",\"required\":[" needs "],\"properties\":{" properties "}}"

static const char reindex_takes[] = OBJECT("\"keys\"", "\"keys\":{\"type\":\"array\","
    "\"minItems\":1,\"maxItems\":1000,\"items\":{\"type\":\"string\"}},\"priority\":{\"enum\":["
    "\"low\",\"normal\",\"high\"]}");
static const char reindex_gives[] = OBJECT("\"task_id\"", TEXT("task_id"));
static const char pin_takes[] = OBJECT("\"cid\"", TEXT("cid"));
static const char pin_gives[] = OBJECT("\"ok\"", OK);
static const char seed_takes[] = OBJECT("\"name\",\"cid\"", TEXT("name") "," TEXT("cid"));
static const char seed_gives[] = OBJECT("\"ok\",\"name\",\"cid\"", OK "," TEXT("name") ","
    TEXT("cid"));

/* With an Idempotency-Key, and without: twice is as good as once. */
static const struct wr_route table[INDEX_ADMIN_ROUTES] = {
    { .method = "POST", .path = "/admin/reindex", .handler = post_reindex, .tag = "index",
      .scope = "index.admin", .body_max = BODY_MAX, .takes = reindex_takes,
      .gives = reindex_gives,
      .summary = "Forget what is remembered of these keys, and look for them again." },
    { .method = "POST", .path = "/admin/pin", .handler = post_pin, .tag = "index",
      .scope = "index.pin", .body_max = 4096, .takes = pin_takes, .gives = pin_gives,
      .summary = "Keep the answer about a content id from being crowded out." },
    { .method = "POST", .path = "/admin/unpin", .handler = post_unpin, .tag = "index",
      .scope = "index.pin", .body_max = 4096, .takes = pin_takes, .gives = pin_gives,
      .summary = "Keep it no longer." },
    { .method = "PUT", .path = "/admin/seed", .handler = put_seed, .tag = "index",
      .scope = "index.admin", .body_max = 4096, .takes = seed_takes, .gives = seed_gives,
      .summary = "Let a name stand for a content id." },
};

void index_admin_routes(struct wr_route ret[INDEX_ADMIN_ROUTES], struct index_desk *desk)
{
    memcpy(ret, table, sizeof(table));
    for (size_t i = 0; i < INDEX_ADMIN_ROUTES; i++)
        ret[i].arg = desk;
}
