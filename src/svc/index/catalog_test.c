#include "svc/index/catalog.h"

#include <stdio.h>
#include <string.h>

#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))
#define NOW ((struct wr_wall){ WR_MS(1700000000123) })
#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define LONG_TEXT B64 B64 B64 B64 B64 B64 B64 B64      /* 512 bytes */

static wr_err read_site(struct catalog_pointer *ret, const char *json, char *why)
{
    return catalog_pointer_read(ret, CATALOG_SITE, "weir.example", json, strlen(json), NOW,
                                why);
}

static wr_err read_asset(struct catalog_pointer *ret, const char *json, char *why)
{
    return catalog_pointer_read(ret, CATALOG_ASSET, "b3:" A64, json, strlen(json), NOW, why);
}

static void check_written(const char *want, const struct catalog_pointer *pointer)
{
    char buf[2048];
    struct wr_text text = WR_TEXT(buf);
    catalog_pointer_write(&text, pointer);
    CHECK_STR(want, buf);
}

TEST_PLAIN(a_pointer_is_read_leniently_and_written_in_one_way)
{
    struct catalog_pointer pointer;
    char why[CATALOG_WHY];
    REQUIRE_OK(read_site(&pointer, "{\"manifest_cid\":\" " B64 " \",\"name\":\"Weir.Example\","
                         "\"owner_passport_subject\":\" me \",\"owner_wallet_account\":\"\"}",
                         why));
    check_written("{\"manifest_cid\":\"b3:" B64 "\",\"name\":\"weir.example\","
                  "\"owner_passport_subject\":\"me\",\"updated_at_ms\":1700000000123,"
                  "\"version\":1}", &pointer);
    REQUIRE_OK(read_asset(&pointer, "{\"version\":1,\"asset_cid\":\"" A64 "\",\"asset_kind\":"
                          "\"Image\",\"manifest_cid\":\"b3:" B64 "\",\"owner_wallet_account\":"
                          "\"w\",\"owner_passport_subject\":null,\"updated_at_ms\":7}", why));
    check_written("{\"asset_cid\":\"b3:" A64 "\",\"asset_kind\":\"image\",\"manifest_cid\":"
                  "\"b3:" B64 "\",\"owner_wallet_account\":\"w\",\"updated_at_ms\":7,"
                  "\"version\":1}", &pointer);
}

TEST_PLAIN(what_is_written_is_read_as_the_same)
{
    struct catalog_pointer pointer, again;
    char why[CATALOG_WHY], buf[2][2048];
    for (size_t i = 0; i < CATALOG_ASSET_KINDS; i++) {
        struct wr_text first = WR_TEXT(buf[0]), second = WR_TEXT(buf[1]);
        char json[256];
        snprintf(json, sizeof(json), "{\"asset_kind\":\"%s\",\"manifest_cid\":\"b3:" B64 "\"}",
                 catalog_asset_kinds[i]);
        REQUIRE_OK(read_asset(&pointer, json, why));
        catalog_pointer_write(&first, &pointer);
        REQUIRE_OK(read_asset(&again, buf[0], why));
        catalog_pointer_write(&second, &again);
        CHECK_STR(buf[0], buf[1]);
    }
}

TEST_PLAIN(what_is_no_pointer_is_refused_with_a_sentence)
{
#define MANIFEST "\"manifest_cid\":\"b3:" B64 "\""
    static const struct { const char *json, *says; } rows[] = {
        { "[]", "JSON object" }, { "{", "JSON object" }, { "{}", "manifest_cid is missing" },
        { "{" MANIFEST ",\"color\":1}", "nothing else" },
        { "{" MANIFEST ",\"asset_kind\":\"image\"}", "nothing else" },
        { "{" MANIFEST ",\"version\":2}", "version is 1" },
        { "{" MANIFEST ",\"name\":\"other\"}", "that of the path" },
        { "{" MANIFEST ",\"name\":7}", "that of the path" },
        { "{\"manifest_cid\":\"b3:" "B" "\"}", "64 hex digits" },
        { "{\"manifest_cid\":7}", "64 hex digits" },
        { "{" MANIFEST ",\"updated_at_ms\":0}", "above 0" },
        { "{" MANIFEST ",\"updated_at_ms\":\"1\"}", "above 0" },
        { "{" MANIFEST ",\"owner_wallet_account\":1}", "text or null" },
        { "{" MANIFEST ",\"owner_wallet_account\":\"a\\u0001b\"}", "control" },
        { "{" MANIFEST ",\"owner_wallet_account\":\"x" LONG_TEXT "\"}", "512" },
    };
    struct catalog_pointer pointer;
    char why[CATALOG_WHY];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CHECK_ERR(WR_INVALID, read_site(&pointer, rows[i].json, why));
        if (!CHECK(strstr(why, rows[i].says)))
            printf("# %s: %s\n", rows[i].json, why);
    }
    CHECK_OK(read_site(&pointer, "{" MANIFEST ",\"owner_wallet_account\":\"" LONG_TEXT "\"}",
                       why));
    CHECK_ERR(WR_INVALID, read_asset(&pointer, "{" MANIFEST "}", why));
    CHECK(strstr(why, "asset_kind is missing"));
    CHECK_ERR(WR_INVALID, read_asset(&pointer, "{" MANIFEST ",\"asset_kind\":\"car\"}", why));
    CHECK(strstr(why, "image, video"));
    CHECK_ERR(WR_INVALID, read_asset(&pointer, "{" MANIFEST ",\"asset_kind\":\"app\","
                                     "\"asset_cid\":\"b3:" B64 "\"}", why));
    CHECK(strstr(why, "that of the path"));
}

TEST_PLAIN(a_pointer_that_is_too_large_is_not_even_read)
{
    static char json[CATALOG_JSON_MAX + 2];
    struct catalog_pointer pointer;
    char why[CATALOG_WHY];
    memset(json, ' ', sizeof(json) - 1);
    memcpy(json, "{" MANIFEST "}", strlen("{" MANIFEST "}"));
    CHECK_ERR(WR_INVALID, read_site(&pointer, json, why));
    json[CATALOG_JSON_MAX] = '\0';
    CHECK_OK(read_site(&pointer, json, why));
}

STORE_TEST(names_and_assets_are_kept_apart_and_replaced)
{
    struct catalog_pointer pointer, found;
    char why[CATALOG_WHY];
    CHECK_ERR(WR_NOTFOUND, catalog_get(store, CATALOG_SITE, "weir.example", &found, SOON));
    REQUIRE_OK(read_site(&pointer, "{\"manifest_cid\":\"" A64 "\"}", why));
    CHECK_OK(catalog_put(store, &pointer, SOON));
    REQUIRE_OK(read_site(&pointer, "{" MANIFEST ",\"owner_passport_subject\":\"me\"}", why));
    CHECK_OK(catalog_put(store, &pointer, SOON));
    CHECK_OK(catalog_get(store, CATALOG_SITE, "weir.example", &found, SOON));
    check_written("{\"manifest_cid\":\"b3:" B64 "\",\"name\":\"weir.example\","
                  "\"owner_passport_subject\":\"me\",\"updated_at_ms\":1700000000123,"
                  "\"version\":1}", &found);
    CHECK_ERR(WR_NOTFOUND, catalog_get(store, CATALOG_ASSET, "weir.example", &found, SOON));
}

STORE_TEST(a_pointer_that_was_damaged_is_not_believed)
{
    struct catalog_pointer found;
    int64_t version;
    CHECK_OK(store_pointer_put(store, "site", "weir.example", "{\"version\":9}",
                               STORE_POINTER_ANY, &version, SOON));
    CHECK_ERR(WR_QUARANTINE, catalog_get(store, CATALOG_SITE, "weir.example", &found, SOON));
}

STORE_TEST(pins_and_offers_are_listed_until_they_are_struck)
{
    struct store_pointers list;
    uint64_t count;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(catalog_pin(store, "b3:" A64, SOON));
        CHECK_OK(catalog_offer(store, "b3:" A64, SOON));
        CHECK_OK(catalog_offer(store, "name:weir.example", SOON));
    }
    CHECK_OK(catalog_offer_count(store, &count, SOON));
    CHECK_EQ(2, count);
    CHECK_OK(catalog_pins(store, NULL, 10, &list, SOON));
    CHECK_EQ(1, list.count);
    CHECK_STR("b3:" A64, list.first.name);
    store_pointers_free(&list);
    CHECK_OK(catalog_offers(store, "b3:" A64, 10, &list, SOON));
    CHECK_EQ(1, list.count);
    CHECK_STR("name:weir.example", list.first.name);
    store_pointers_free(&list);
    CHECK_OK(catalog_is_pinned(store, "b3:" A64, SOON));
    CHECK_ERR(WR_NOTFOUND, catalog_is_pinned(store, "b3:" B64, SOON));
    CHECK_OK(catalog_is_offered(store, "name:weir.example", SOON));
    CHECK_ERR(WR_NOTFOUND, catalog_is_offered(store, "name:other", SOON));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(catalog_unpin(store, "b3:" A64, SOON));
        CHECK_OK(catalog_withdraw(store, "b3:" A64, SOON));
    }
    CHECK_OK(catalog_pins(store, NULL, 10, &list, SOON));
    CHECK_EQ(0, list.count);
    store_pointers_free(&list);
    CHECK_OK(catalog_offer_count(store, &count, SOON));
    CHECK_EQ(1, count);
}
