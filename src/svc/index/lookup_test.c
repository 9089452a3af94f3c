#include "svc/index/lookup.h"

#include <string.h>

#include "svc/index/catalog.h"
#include "testing/dht_fake.h"
#include "testing/metric_rig.h"
#include "testing/store_rig.h"

#define SELF "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
#define FIRST "0000000000000000000000000000000000000000000000000000000000000001"
#define WITHIN WR_MS(1200)

static struct index_key key_of(const char *text)
{
    struct index_key key = { 0 };
    const char *clause;
    CHECK_OK(index_key_read(&key, text, &clause));
    return key;
}

static struct index_key cid_of(const char *content)
{
    char text[WR_CID_TEXT];
    struct wr_hash hash = wr_hash_of(content, strlen(content));
    return key_of(wr_hash_print_cid(&hash, text));
}

/* With a DHT, which may be NULL. */
static struct lookup lookup_on(struct store *store, struct dht *dht)
{
    struct lookup lookup = { .store = store, .valid = WR_S(600),
                             .self = { .id = SELF, .addr = "tcp://10.0.0.1:9101" } };
    CHECK_OK(dht_line_new(&lookup.line));
    if (dht)
        CHECK_OK(dht_line_attach(lookup.line, dht));
    return lookup;
}

static void hang_up(struct lookup *lookup)
{
    dht_line_detach(lookup->line);
    dht_line_free(lookup->line);
}

static void point(struct store *store, enum catalog_kind kind, const char *key,
                  struct wr_hash manifest)
{
    struct catalog_pointer pointer = { .kind = kind, .asset_kind = "app", .manifest = manifest,
                                       .updated_at_ms = 1 };
    snprintf(pointer.key, sizeof(pointer.key), "%s", key);
    CHECK_OK(catalog_put(store, &pointer, wr_after(WR_S(5))));
}

static struct wr_bytes *manifest(const struct lookup *lookup, wr_err want, struct index_key key)
{
    struct wr_bytes *bytes = NULL;
    CHECK_ERR(want, lookup_manifest(lookup, &key, &bytes, wr_after(WITHIN)));
    return bytes;
}

static struct wr_bytes *providers(const struct lookup *lookup, wr_err want,
                                  struct index_key key)
{
    struct wr_bytes *bytes = NULL;
    CHECK_ERR(want, lookup_providers(lookup, &key.cid, &bytes, wr_after(WITHIN)));
    return bytes;
}

LOCAL_TEST(what_the_store_knows_of_a_name_is_not_asked_of_others)
{
    struct dht dht = { .count = 1 };
    struct lookup lookup = lookup_on(store, &dht);
    struct wr_hash hash = cid_of("manifest").cid;
    point(store, CATALOG_SITE, "weir.example", hash);
    struct wr_bytes *bytes = manifest(&lookup, WR_OK, key_of("name:weir.example"));
    REQUIRE(bytes);
    CHECK_EQ(FOUND_DB, found_in(bytes)->source);
    CHECK(wr_hash_equal(&hash, &found_in(bytes)->manifest));
    CHECK(!found_in(bytes)->degraded && !found_in(bytes)->asked);
    CHECK_EQ(0, dht.finds);
    wr_bytes_unref(bytes);
    hang_up(&lookup);
}

LOCAL_TEST(a_name_that_the_store_does_not_know_is_asked_of_the_dht)
{
    struct dht dht = { .count = 1, .takes = WR_MS(3), .manifest = cid_of("there").cid };
    struct lookup lookup = lookup_on(store, &dht);
    struct wr_bytes *bytes = manifest(&lookup, WR_OK, key_of("name:weir.example"));
    REQUIRE(bytes);
    CHECK_EQ(FOUND_DHT, found_in(bytes)->source);
    CHECK(wr_hash_equal(&dht.manifest, &found_in(bytes)->manifest));
    CHECK(found_in(bytes)->asked);
    CHECK_EQ(WR_MS(3), found_in(bytes)->alpha_took);
    wr_bytes_unref(bytes);
    dht.count = 0;
    CHECK(!manifest(&lookup, WR_NOTFOUND, key_of("name:weir.example")));
    hang_up(&lookup);
}

LOCAL_TEST(with_nobody_to_believe_a_name_is_known_here_or_not_there)
{
    struct dht dht = { .count = 1, .manifest = cid_of("there").cid };
    struct lookup lookup = lookup_on(store, &dht);
    dht_line_without_names(lookup.line);
    point(store, CATALOG_SITE, "weir.example", cid_of("manifest").cid);
    CHECK(!manifest(&lookup, WR_NOTFOUND, key_of("name:does-not-exist")));
    wr_bytes_unref(manifest(&lookup, WR_OK, key_of("name:weir.example")));
    CHECK_EQ(0, dht.finds);
    dht_line_detach(lookup.line);
    CHECK(!manifest(&lookup, WR_NOTFOUND, key_of("name:does-not-exist")));
    CHECK(!manifest(&lookup, WR_DEGRADED, cid_of("theirs")));
    hang_up(&lookup);
}

LOCAL_TEST(a_content_id_leads_to_its_pointer_or_to_itself)
{
    struct dht dht = { .count = 2, .beta = true, .takes = WR_MS(160) };
    struct lookup lookup = lookup_on(store, &dht);
    struct index_key asset = cid_of("asset"), ours = cid_of("ours"), theirs = cid_of("theirs");
    struct wr_hash hash = cid_of("manifest").cid;
    point(store, CATALOG_ASSET, asset.text, hash);
    CHECK_OK(catalog_offer(store, ours.text, wr_after(WR_S(5))));

    struct wr_bytes *bytes = manifest(&lookup, WR_OK, asset);
    REQUIRE(bytes);
    CHECK(wr_hash_equal(&hash, &found_in(bytes)->manifest));
    CHECK_EQ(FOUND_DB, found_in(bytes)->source);
    CHECK_EQ(0, found_in(bytes)->count);
    wr_bytes_unref(bytes);

    bytes = manifest(&lookup, WR_OK, ours);
    REQUIRE(bytes);
    CHECK(wr_hash_equal(&ours.cid, &found_in(bytes)->manifest));
    CHECK_EQ(1, found_in(bytes)->count);
    CHECK_STR(SELF, found_in(bytes)->providers[0].id);
    wr_bytes_unref(bytes);
    CHECK_EQ(0, dht.finds);

    bytes = manifest(&lookup, WR_OK, theirs);
    REQUIRE(bytes);
    CHECK_EQ(FOUND_DHT, found_in(bytes)->source);
    CHECK_EQ(FOUND_BETA, found_in(bytes)->winner);
    CHECK(wr_hash_equal(&theirs.cid, &found_in(bytes)->manifest));
    CHECK_EQ(2, found_in(bytes)->count);
    wr_bytes_unref(bytes);
    hang_up(&lookup);
}

LOCAL_TEST(providers_are_those_of_the_dht_and_ourselves_once)
{
    struct dht dht = { .count = 2 };
    struct lookup lookup = lookup_on(store, &dht);
    struct index_key cid = cid_of("x");
    struct wr_bytes *bytes = providers(&lookup, WR_OK, cid);
    REQUIRE(bytes && found_in(bytes)->count == 2);
    const struct provider *first = &found_in(bytes)->providers[0];
    CHECK_STR(FIRST, first->id);
    CHECK_STR("tcp://10.0.0.7:9101", first->addr);
    CHECK_STR("eu", first->region);
    CHECK_EQ(wr_wall().ns, first->seen_at.ns);
    CHECK_EQ(wr_wall().ns + WR_S(600), first->until.ns);
    CHECK_EQ(-1, first->latency);
    wr_bytes_unref(bytes);

    CHECK_OK(catalog_offer(store, cid.text, wr_after(WR_S(5))));
    bytes = providers(&lookup, WR_OK, cid);
    REQUIRE(bytes && found_in(bytes)->count == 3);
    CHECK_STR(SELF, found_in(bytes)->providers[0].id);
    wr_bytes_unref(bytes);
    memcpy(lookup.self.id, FIRST, sizeof(FIRST));       /* now we are the first of them */
    bytes = providers(&lookup, WR_OK, cid);
    REQUIRE(bytes && found_in(bytes)->count == 2);
    CHECK_STR("tcp://10.0.0.1:9101", found_in(bytes)->providers[0].addr);
    wr_bytes_unref(bytes);
    lookup.self.id[0] = '\0';                           /* and now nobody */
    bytes = providers(&lookup, WR_OK, cid);
    REQUIRE(bytes && found_in(bytes)->count == 2);
    CHECK_STR("tcp://10.0.0.7:9101", found_in(bytes)->providers[0].addr);
    wr_bytes_unref(bytes);
    hang_up(&lookup);
}

LOCAL_TEST(when_nobody_can_be_asked_what_we_have_is_the_answer_and_says_so)
{
    static const wr_err silences[] = { WR_OPENCIRCUIT, WR_IO, WR_BROKENPIPE, WR_QUARANTINE };
    struct dht dht = { .count = 1 };
    struct lookup lookup = lookup_on(store, &dht);
    struct index_key ours = cid_of("ours"), theirs = cid_of("theirs");
    CHECK_OK(catalog_offer(store, ours.text, wr_after(WR_S(5))));
    for (int i = 0; i < 4; i++) {
        dht.err = silences[i];
        struct wr_bytes *bytes = providers(&lookup, WR_OK, ours);
        REQUIRE(bytes);
        CHECK(found_in(bytes)->degraded);
        CHECK_EQ(1, found_in(bytes)->count);
        CHECK_EQ(FOUND_DB, found_in(bytes)->source);
        wr_bytes_unref(bytes);
        CHECK(!providers(&lookup, i == 0 ? WR_OPENCIRCUIT : WR_DEGRADED, theirs));
    }
    dht_line_detach(lookup.line);
    struct wr_bytes *bytes = providers(&lookup, WR_OK, ours);
    REQUIRE(bytes);
    CHECK(found_in(bytes)->degraded);
    wr_bytes_unref(bytes);
    CHECK(!providers(&lookup, WR_DEGRADED, theirs));
    CHECK(!manifest(&lookup, WR_DEGRADED, theirs));
    CHECK(!manifest(&lookup, WR_DEGRADED, key_of("name:unknown")));
    dht_line_free(lookup.line);
}

/* A proxy that hangs: what we have ourselves is answered just before the deadline. */
LOCAL_TEST(a_dht_that_hangs_leaves_time_for_what_we_have)
{
    struct dht dht = { .takes = WR_S(99) };
    struct lookup lookup = lookup_on(store, &dht);
    struct index_key ours = cid_of("ours");
    CHECK_OK(catalog_offer(store, ours.text, wr_after(WR_S(5))));
    wr_time began = wr_now();
    struct wr_bytes *bytes = providers(&lookup, WR_OK, ours);
    REQUIRE(bytes);
    CHECK(found_in(bytes)->degraded);
    CHECK_EQ(WITHIN - LOOKUP_KEEPS, wr_now() - began);
    wr_bytes_unref(bytes);
    began = wr_now();
    CHECK(!providers(&lookup, WR_TIMEOUT, cid_of("theirs")));
    CHECK_EQ(WITHIN, wr_now() - began);
    hang_up(&lookup);
}

LOCAL_TEST(nobody_knows_of_it_unless_we_do)
{
    struct dht dht = { .count = 0 };
    struct lookup lookup = lookup_on(store, &dht);
    struct index_key ours = cid_of("ours");
    CHECK(!providers(&lookup, WR_NOTFOUND, ours));
    CHECK(!manifest(&lookup, WR_NOTFOUND, ours));
    CHECK_OK(catalog_offer(store, ours.text, wr_after(WR_S(5))));
    struct wr_bytes *bytes = providers(&lookup, WR_OK, ours);
    REQUIRE(bytes);
    CHECK(!found_in(bytes)->degraded);
    CHECK_EQ(1, found_in(bytes)->count);
    wr_bytes_unref(bytes);
    hang_up(&lookup);
}

LOCAL_TEST(a_damaged_pointer_is_never_served_and_counted)
{
    static const char series[] = "index_integrity_fail_total{stage=\"pointer\",svc=\"index\"}";
    struct dht dht = { .count = 1 };
    struct lookup lookup = lookup_on(store, &dht);
    int64_t version;
    long long before = metric_value(series);
    CHECK_OK(store_pointer_put(store, "site", "weir.example", "{}", STORE_POINTER_ANY, &version,
                               wr_after(WR_S(5))));
    CHECK(!manifest(&lookup, WR_QUARANTINE, key_of("name:weir.example")));
    CHECK_EQ((before < 0 ? 0 : before) + 1, metric_value(series));
    hang_up(&lookup);
}
