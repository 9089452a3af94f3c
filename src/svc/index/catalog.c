/* catalog.c - see catalog.h. */
#include "svc/index/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "net/json_in.h"

#define PIN "pin"
#define OFFER "offer"

static const char *const spaces[] = { [CATALOG_SITE] = "site", [CATALOG_ASSET] = "asset" };

const char *const catalog_asset_kinds[CATALOG_ASSET_KINDS] = {
    "image", "video", "stream", "music", "song", "podcast", "article", "post", "comment",
    "page", "site", "app", "manifest",
};

/* ---- reading ---- */

/* What is being read, and what is wrong with it. */
struct reading {
    struct catalog_pointer *to;
    char *why;
};

struct trimmed { const char *at; size_t len; };

static struct trimmed trim(const json_t *value)
{
    struct trimmed text = { json_string_value(value), json_string_length(value) };
    for (; text.len && strchr(" \t\r\n", text.at[0]); text.at++)
        text.len--;
    while (text.len && strchr(" \t\r\n", text.at[text.len - 1]))
        text.len--;
    return text;
}

static bool is_wrong(struct reading *reading, const char *sentence)
{
    snprintf(reading->why, CATALOG_WHY, "%s", sentence);
    return false;
}

static bool read_cid(struct wr_hash *ret, const json_t *value)
{
    if (!json_is_string(value))
        return false;
    struct trimmed text = trim(value);
    return !(text.len == WR_HASH_TEXT - 1 ? wr_hash_parse(ret, text.at, text.len)
                                          : wr_hash_parse_cid(ret, text.at, text.len));
}

static bool read_version(struct reading *reading, const json_t *value)
{
    return (json_is_integer(value) && json_integer_value(value) == 1) ||
        is_wrong(reading, "version is 1");
}

static bool read_name(struct reading *reading, const json_t *value)
{
    struct trimmed text = json_is_string(value) ? trim(value) : (struct trimmed){ "", 0 };
    return (text.len == strlen(reading->to->key) &&
            strncasecmp(text.at, reading->to->key, text.len) == 0) ||
        is_wrong(reading, "name is another than that of the path; it may be left out");
}

static bool read_asset_cid(struct reading *reading, const json_t *value)
{
    struct wr_hash cid;
    char text[WR_CID_TEXT];
    return (read_cid(&cid, value) &&
            strcmp(wr_hash_print_cid(&cid, text), reading->to->key) == 0) ||
        is_wrong(reading, "asset_cid is another than that of the path; it may be left out");
}

static bool read_asset_kind(struct reading *reading, const json_t *value)
{
    struct trimmed text = json_is_string(value) ? trim(value) : (struct trimmed){ "", 0 };
    for (size_t i = 0; i < CATALOG_ASSET_KINDS; i++)
        if (text.len == strlen(catalog_asset_kinds[i]) &&
            strncasecmp(text.at, catalog_asset_kinds[i], text.len) == 0) {
            reading->to->asset_kind = catalog_asset_kinds[i];
            return true;
        }
    return is_wrong(reading, "asset_kind is one of image, video, stream, music, song, podcast, "
                    "article, post, comment, page, site, app, manifest");
}

static bool read_manifest(struct reading *reading, const json_t *value)
{
    return read_cid(&reading->to->manifest, value) ||
        is_wrong(reading, "manifest_cid is a content id: b3: and 64 hex digits in lower case");
}

static bool read_owner(struct reading *reading, const json_t *value, char *ret)
{
    if (json_is_null(value))
        return true;
    if (!json_is_string(value))
        return is_wrong(reading, "an owner is a text or null");
    struct trimmed text = trim(value);
    if (text.len >= CATALOG_OWNER)
        return is_wrong(reading, "an owner has at most 512 bytes");
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.at[i] < 0x20 || text.at[i] == 0x7f)
            return is_wrong(reading, "an owner has no control characters");
    memcpy(ret, text.at, text.len);
    ret[text.len] = '\0';
    return true;
}

static bool read_passport(struct reading *reading, const json_t *value)
{
    return read_owner(reading, value, reading->to->passport);
}

static bool read_wallet(struct reading *reading, const json_t *value)
{
    return read_owner(reading, value, reading->to->wallet);
}

static bool read_updated(struct reading *reading, const json_t *value)
{
    if (!json_is_integer(value) || json_integer_value(value) <= 0)
        return is_wrong(reading, "updated_at_ms is a count of milliseconds since 1970, above "
                        "0; it may be left out");
    reading->to->updated_at_ms = (uint64_t)json_integer_value(value);
    return true;
}

static const struct field {
    const char *name;
    bool (*read)(struct reading *reading, const json_t *value);
    bool site, asset;               /* which of them has it */
} fields[] = {
    { "version", read_version, true, true },
    { "name", read_name, true, false },
    { "asset_cid", read_asset_cid, false, true },
    { "asset_kind", read_asset_kind, false, true },
    { "manifest_cid", read_manifest, true, true },
    { "owner_passport_subject", read_passport, true, true },
    { "owner_wallet_account", read_wallet, true, true },
    { "updated_at_ms", read_updated, true, true },
};

static bool read_field(struct reading *reading, const char *name, const json_t *value)
{
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (strcmp(name, fields[i].name) == 0 &&
            (reading->to->kind == CATALOG_SITE ? fields[i].site : fields[i].asset))
            return fields[i].read(reading, value);
    snprintf(reading->why, CATALOG_WHY, "a pointer of %s has version, %s, manifest_cid, "
             "owner_passport_subject, owner_wallet_account, updated_at_ms, and nothing else",
             spaces[reading->to->kind],
             reading->to->kind == CATALOG_SITE ? "name" : "asset_cid, asset_kind");
    return false;
}

static bool read_object(struct reading *reading, json_t *object)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name,
                        value) if (!read_field(reading, name, value)) return false;
    if (!json_object_get(object, "manifest_cid"))
        return is_wrong(reading, "manifest_cid is missing");
    if (reading->to->kind == CATALOG_ASSET && !reading->to->asset_kind)
        return is_wrong(reading, "asset_kind is missing");
    return true;
}

wr_err catalog_pointer_read(struct catalog_pointer *ret, enum catalog_kind kind,
                            const char *key, const void *json, size_t len, struct wr_wall now,
                            char *why)
{
    struct catalog_pointer pointer = { .kind = kind,
                                       .updated_at_ms = (uint64_t)(now.ns / WR_MS(1)) };
    struct reading reading = { &pointer, why };
    WR_ASSERT(strlen(key) < sizeof(pointer.key));
    snprintf(pointer.key, sizeof(pointer.key), "%s", key);
    json_t *object = len > CATALOG_JSON_MAX ? NULL : json_in_object(json, len);
    bool good = object ? read_object(&reading, object)
                       : is_wrong(&reading, "a pointer is a JSON object of at most 8 KiB");
    json_decref(object);
    if (!good)
        return WR_INVALID;
    *ret = pointer;
    return WR_OK;
}

/* ---- writing ---- */

void catalog_pointer_write(struct wr_text *text, const struct catalog_pointer *pointer)
{
    char cid[WR_CID_TEXT];
    struct wr_json json = wr_json_to(text);
    wr_json_object(&json, NULL);
    if (pointer->kind == CATALOG_ASSET) {
        wr_json_str(&json, "asset_cid", pointer->key);
        wr_json_str(&json, "asset_kind", pointer->asset_kind);
    }
    wr_json_str(&json, "manifest_cid", wr_hash_print_cid(&pointer->manifest, cid));
    if (pointer->kind == CATALOG_SITE)
        wr_json_str(&json, "name", pointer->key);
    if (*pointer->passport)
        wr_json_str(&json, "owner_passport_subject", pointer->passport);
    if (*pointer->wallet)
        wr_json_str(&json, "owner_wallet_account", pointer->wallet);
    wr_json_u64(&json, "updated_at_ms", pointer->updated_at_ms);
    wr_json_u64(&json, "version", 1);
    wr_json_end(&json);
}

/* ---- in the store ---- */

wr_err catalog_put(struct store *store, const struct catalog_pointer *pointer, wr_time deadline)
{
    struct wr_text text = wr_text_heap(CATALOG_JSON_MAX);
    int64_t version;
    catalog_pointer_write(&text, pointer);
    wr_err err = text.cut ? WR_NOMEM
                          : store_pointer_put(store, spaces[pointer->kind], pointer->key,
                                              text.at, STORE_POINTER_ANY, &version, deadline);
    wr_text_free(&text);
    return err;
}

wr_err catalog_get(struct store *store, enum catalog_kind kind, const char *key,
                   struct catalog_pointer *ret, wr_time deadline)
{
    struct store_pointers found;
    char why[CATALOG_WHY];
    wr_err err = store_pointer_get(store, spaces[kind], key, &found, deadline);
    if (!err && catalog_pointer_read(ret, kind, key, found.first.value,
                                     strlen(found.first.value), found.first.updated_at, why))
        err = WR_QUARANTINE;
    store_pointers_free(&found);
    return err;
}

static wr_err enlist(struct store *store, const char *space, const char *key, wr_time deadline)
{
    int64_t version;
    return store_pointer_put(store, space, key, "", STORE_POINTER_ANY, &version, deadline);
}

static wr_err strike(struct store *store, const char *space, const char *key, wr_time deadline)
{
    wr_err err = store_pointer_remove(store, space, key, deadline);
    return err == WR_NOTFOUND ? WR_OK : err;
}

static wr_err is_listed(struct store *store, const char *space, const char *key,
                        wr_time deadline)
{
    struct store_pointers found;
    wr_err err = store_pointer_get(store, space, key, &found, deadline);
    store_pointers_free(&found);
    return err;
}

wr_err catalog_pin(struct store *store, const char *cid, wr_time deadline)
{
    return enlist(store, PIN, cid, deadline);
}

wr_err catalog_unpin(struct store *store, const char *cid, wr_time deadline)
{
    return strike(store, PIN, cid, deadline);
}

wr_err catalog_pins(struct store *store, const char *after, size_t max,
                    struct store_pointers *ret, wr_time deadline)
{
    return store_pointer_list(store, PIN, after, max, ret, deadline);
}

wr_err catalog_pin_count(struct store *store, uint64_t *ret, wr_time deadline)
{
    return store_pointer_count(store, PIN, ret, deadline);
}

wr_err catalog_is_pinned(struct store *store, const char *cid, wr_time deadline)
{
    return is_listed(store, PIN, cid, deadline);
}

wr_err catalog_offer(struct store *store, const char *key, wr_time deadline)
{
    return enlist(store, OFFER, key, deadline);
}

wr_err catalog_withdraw(struct store *store, const char *key, wr_time deadline)
{
    return strike(store, OFFER, key, deadline);
}

wr_err catalog_is_offered(struct store *store, const char *key, wr_time deadline)
{
    return is_listed(store, OFFER, key, deadline);
}

wr_err catalog_offers(struct store *store, const char *after, size_t max,
                      struct store_pointers *ret, wr_time deadline)
{
    return store_pointer_list(store, OFFER, after, max, ret, deadline);
}

wr_err catalog_offer_count(struct store *store, uint64_t *ret, wr_time deadline)
{
    return store_pointer_count(store, OFFER, ret, deadline);
}
