#include "store/claim.h"

#include "testing/evidence_rig.h"

static void three(struct store *store)
{
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = "t",
        .fragments = { "f1", "f2", "f3" },
        .claims = { "Tea is hot", "Ice is cold", "Hot tea melts ice" } });
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = "u",
        .fragments = { "f1" }, .claims = { "Tea is hot" } });
}

static struct store_claims list(struct store *store, struct store_claim_query query)
{
    struct store_claims claims;
    query.task = query.task ? query.task : "t";
    query.max = query.max ? query.max : 10;
    CHECK_OK(store_claim_list(store, &query, &claims, SOON));
    return claims;
}

static size_t due(struct store *store)
{
    struct store_claims claims = list(store, (struct store_claim_query){ .due = true });
    size_t count = claims.count;
    store_claims_free(&claims);
    return count;
}

STORE_TEST(claims_are_listed_in_their_order_some_at_a_time)
{
    three(store);
    struct store_claims claims = list(store, (struct store_claim_query){ .max = 2 });
    CHECK_EQ(2, claims.count);
    CHECK_STR("Tea is hot", store_claim_at(&claims, 0).text);
    int64_t after = store_claim_at(&claims, 1).number;
    store_claims_free(&claims);
    claims = list(store, (struct store_claim_query){ .after = after });
    CHECK_EQ(1, claims.count);
    CHECK_STR("Hot tea melts ice", store_claim_at(&claims, 0).text);
    store_claims_free(&claims);
    claims = list(store, (struct store_claim_query){ .task = "v" });
    CHECK_EQ(0, claims.count);
}

STORE_TEST(a_claim_is_due_until_it_was_judged_and_again_when_a_page_has_come)
{
    three(store);
    pass(WR_MS(1));
    struct store_claims claims = list(store, (struct store_claim_query){ .due = true });
    CHECK_EQ(3, claims.count);
    CHECK_EQ(rig_wall().ns / WR_MS(1), claims.at.ns / WR_MS(1));
    CHECK_OK(store_claim_judged(store, store_claim_at(&claims, 0).id, claims.at, SOON));
    CHECK_OK(store_claim_judged(store, store_claim_at(&claims, 1).id, claims.at, SOON));
    CHECK_EQ(1, due(store));
    CHECK_OK(store_claim_judged(store, store_claim_at(&claims, 2).id, claims.at, SOON));
    CHECK_EQ(0, due(store));
    rig_page(store, &(struct rig_page){ .url = "http://b.test/1", .task = "u" });
    CHECK_EQ(0, due(store));
    rig_page(store, &(struct rig_page){ .url = "http://b.test/1", .task = "t" });
    CHECK_EQ(3, due(store));
    store_claims_free(&claims);
    CHECK_ERR(WR_NOTFOUND, store_claim_judged(store, "c_none", rig_wall(), SOON));
}

STORE_TEST(a_rejected_claim_keeps_the_reason_and_can_be_restored)
{
    struct store_claims claims;
    three(store);
    char id[STORE_EVIDENCE_ID];
    snprintf(id, sizeof(id), "%s", rig_claim_id("t", "http://a.test/1", "f2", "Ice is cold"));
    CHECK_OK(store_claim_get(store, id, &claims, SOON));
    CHECK(store_claim_at(&claims, 0).adopted);
    store_claims_free(&claims);
    CHECK_OK(store_claim_reject(store, id, "too simple", SOON));
    CHECK_OK(store_claim_get(store, id, &claims, SOON));
    CHECK(!store_claim_at(&claims, 0).adopted);
    CHECK_STR("too simple", store_claim_at(&claims, 0).rejected);
    store_claims_free(&claims);
    CHECK_EQ(2, due(store));
    CHECK_OK(store_claim_restore(store, id, SOON));
    CHECK_OK(store_claim_restore(store, id, SOON));
    CHECK_OK(store_claim_get(store, id, &claims, SOON));
    CHECK(store_claim_at(&claims, 0).adopted);
    CHECK(!store_claim_at(&claims, 0).rejected);
    store_claims_free(&claims);
}

STORE_TEST(a_claim_that_is_not_there_is_not_found)
{
    static char long_reason[STORE_CLAIM_REASON_MAX + 2];
    struct store_claims claims;
    CHECK_ERR(WR_NOTFOUND, store_claim_get(store, "c_none", &claims, SOON));
    CHECK_ERR(WR_NOTFOUND, store_claim_reject(store, "c_none", "why", SOON));
    CHECK_ERR(WR_NOTFOUND, store_claim_restore(store, "c_none", SOON));
    memset(long_reason, 'x', sizeof(long_reason) - 1);
    CHECK_ERR(WR_INVALID, store_claim_reject(store, "c_none", long_reason, SOON));
}

STORE_TEST(claims_are_found_by_their_words)
{
    struct store_claims claims;
    three(store);
    CHECK_OK(store_claim_search(store, "does hot tea melt ice", "t", 10, &claims, SOON));
    CHECK_EQ(3, claims.count);
    CHECK_STR("Hot tea melts ice", store_claim_at(&claims, 0).text);
    store_claims_free(&claims);
    CHECK_OK(store_claim_search(store, "tea", NULL, 10, &claims, SOON));
    CHECK_EQ(3, claims.count);
    store_claims_free(&claims);
    CHECK_OK(store_claim_search(store, "...", NULL, 10, &claims, SOON));
    CHECK_EQ(0, claims.count);
}

STORE_TEST(a_claim_without_a_confidence_has_none)
{
    struct store_page_put put;
    struct store_fragment_new fragment = { .text = "f" };
    struct store_claim_new claim = { .text = "c", .confidence = -1 };
    CHECK_OK(store_page_put(store, &(struct store_page_new){
        .page = { .url = "u", .domain = "d" }, .task = "t", .fragments = &fragment,
        .fragment_count = 1, .claims = &claim, .claim_count = 1 }, &put, SOON));
    struct store_claims claims = list(store, (struct store_claim_query){ 0 });
    CHECK(store_claim_at(&claims, 0).confidence == -1);
    store_claims_free(&claims);
}
