#include "store/embedding.h"

#include "store/edge.h"
#include "testing/evidence_rig.h"

#define CLAIM(id) ((struct store_embedded){ "claim", id })
#define FRAGMENT(id) ((struct store_embedded){ "fragment", id })

static void put(struct store *store, const char *id, float x, float y)
{
    CHECK_OK(store_embedding_put(store, "m", &CLAIM(id), 1,
                                 (float[]){ x, y }, 2, SOON));
}

static size_t searched;

static size_t near(struct store *store, const char *task, size_t max,
                   struct store_near_one *ret)
{
    size_t count = 0;
    CHECK_OK(store_embedding_near(store, &(struct store_near){ .type = "claim", .task = task,
        .model = "m", .vector = (float[]){ 1, 0 }, .dimension = 2, .min = 0.5, .max = max },
        ret, &count, &searched, SOON));
    return count;
}

STORE_TEST(the_nearest_come_first_and_the_far_not_at_all)
{
    struct store_near_one found[10];
    put(store, "c_up", 0, 1);
    put(store, "c_near", 4, 3);
    put(store, "c_same", 7, 0);
    put(store, "c_behind", -1, 0);
    put(store, "c_none", 0, 0);
    CHECK_EQ(2, near(store, NULL, 10, found));
    CHECK_STR("c_same", found[0].id);
    CHECK(found[0].similarity == 1);
    CHECK_STR("c_near", found[1].id);
    CHECK(found[1].similarity > 0.799 && found[1].similarity < 0.801);
    CHECK_EQ(5, searched);
    CHECK_EQ(1, near(store, NULL, 1, found));
    CHECK_STR("c_same", found[0].id);
}

STORE_TEST(a_vector_is_replaced_and_those_of_other_kinds_are_left_out)
{
    struct store_near_one found[10];
    put(store, "c_a", 1, 0);
    put(store, "c_a", 0, 1);
    CHECK_OK(store_embedding_put(store, "m", &FRAGMENT("f_a"), 1, (float[]){ 1, 0 }, 2, SOON));
    CHECK_OK(store_embedding_put(store, "n", &CLAIM("c_b"), 1, (float[]){ 1, 0 }, 2, SOON));
    CHECK_OK(store_embedding_put(store, "m", &CLAIM("c_c"), 1, (float[]){ 1, 0, 0 }, 3, SOON));
    CHECK_EQ(0, near(store, NULL, 10, found));
    CHECK_EQ(2, searched);
}

STORE_TEST(a_task_has_its_own_claims_searched)
{
    struct store_near_one found[10];
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = "t",
        .fragments = { "tea" }, .claims = { "hot" } });
    const char *claim = rig_claim_id("t", "http://a.test/1", "tea", "hot");
    put(store, claim, 1, 0);
    put(store, "c_other", 1, 0);
    CHECK_EQ(1, near(store, "t", 10, found));
    CHECK_STR(claim, found[0].id);
    CHECK_EQ(1, searched);
    CHECK_EQ(2, near(store, NULL, 10, found));
}

STORE_TEST(more_than_one_chunk_is_looked_at)
{
    static float vector[STORE_EMBEDDING_DIMENSION_MAX];
    struct store_near_one found[STORE_EMBEDDING_NEAR_MAX];
    size_t count;
    char id[16];
    for (int i = 0; i < 130; i++) {
        vector[0] = 1;
        vector[1] = (float)(130 - i) / 130;
        snprintf(id, sizeof(id), "f_%d", i);
        CHECK_OK(store_embedding_put(store, "m", &FRAGMENT(id), 1, vector,
                                     STORE_EMBEDDING_DIMENSION_MAX, SOON));
    }
    vector[1] = 0;
    CHECK_OK(store_embedding_near(store, &(struct store_near){ .type = "fragment",
        .model = "m", .vector = vector, .dimension = STORE_EMBEDDING_DIMENSION_MAX, .min = 0,
        .max = STORE_EMBEDDING_NEAR_MAX }, found, &count, &searched, SOON));
    CHECK_EQ(130, searched);
    CHECK_EQ(STORE_EMBEDDING_NEAR_MAX, count);
    CHECK_STR("f_129", found[0].id);
    CHECK_STR("f_80", found[STORE_EMBEDDING_NEAR_MAX - 1].id);
}

STORE_TEST(too_many_dimensions_are_refused_and_too_many_at_once)
{
    static const float vector[1] = { 1 };
    CHECK_ERR(WR_INVALID, store_embedding_put(store, "m", &CLAIM("c"), 1, vector,
                                              STORE_EMBEDDING_DIMENSION_MAX + 1, SOON));
    CHECK_ERR(WR_INVALID, store_embedding_put(store, "m", &CLAIM("c"), 1, vector, 0, SOON));
    CHECK_ERR(WR_INVALID, store_embedding_put(store, "m", &CLAIM("c"), 0, vector, 1, SOON));
    CHECK_ERR(WR_INVALID, store_embedding_put(store, "m", &CLAIM("c"),
                                              STORE_EMBEDDING_PUT_MAX + 1, vector, 1, SOON));
}

STORE_TEST(several_are_put_at_once_and_each_is_got)
{
    static const float vectors[] = { 1, 2, 3, 4, 5, 6.5f };
    struct store_embedded targets[] = { CLAIM("c_a"), FRAGMENT("f_a"), CLAIM("c_b") };
    static float got[STORE_EMBEDDING_DIMENSION_MAX];
    size_t dimension = 0;
    CHECK_OK(store_embedding_put(store, "m", targets, 3, vectors, 2, SOON));
    CHECK_OK(store_embedding_get(store, CLAIM("c_b"), "m", got, &dimension, SOON));
    CHECK_EQ(2, dimension);
    CHECK(got[0] == 5 && got[1] == 6.5f);
    CHECK_OK(store_embedding_get(store, FRAGMENT("f_a"), "m", got, &dimension, SOON));
    CHECK(got[0] == 3 && got[1] == 4);
    CHECK_ERR(WR_NOTFOUND, store_embedding_get(store, CLAIM("f_a"), "m", got, &dimension,
                                               SOON));
    CHECK_ERR(WR_NOTFOUND, store_embedding_get(store, CLAIM("c_a"), "n", got, &dimension,
                                               SOON));
}

static size_t lacks(struct store *store, const char *model, size_t max)
{
    struct store_lacking lacking;
    CHECK_OK(store_embedding_lacking(store, "t", model, max, &lacking, SOON));
    size_t count = lacking.count;
    store_lacking_free(&lacking);
    return count;
}

STORE_TEST(what_of_a_task_has_no_vector_is_listed_with_its_text)
{
    struct store_lacking lacking;
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = "t",
        .fragments = { "tea", "rum" }, .claims = { "hot" } });
    rig_page(store, &(struct rig_page){ .url = "http://b.test/1", .task = "u",
        .fragments = { "gin" }, .claims = { "cold" } });
    const char *claim = rig_claim_id("t", "http://a.test/1", "tea", "hot");
    CHECK_OK(store_embedding_lacking(store, "t", "m", 10, &lacking, SOON));
    CHECK_EQ(3, lacking.count);
    CHECK_STR("claim", store_lacking_at(&lacking, 0).target.type);
    CHECK_STR(claim, store_lacking_at(&lacking, 0).target.id);
    CHECK_STR("hot", store_lacking_at(&lacking, 0).text);
    CHECK_STR("fragment", store_lacking_at(&lacking, 1).target.type);
    store_lacking_free(&lacking);
    CHECK_EQ(2, lacks(store, "m", 2));
    put(store, claim, 1, 0);
    CHECK_EQ(2, lacks(store, "m", 10));
    CHECK_EQ(3, lacks(store, "n", 10));
}

STORE_TEST(near_a_claim_are_fragments_of_other_domains_that_were_not_judged)
{
    static const char *const urls[] = { "http://a.test/1", "http://a.test/2", "http://b.test/1",
                                        "http://c.test/1" };
    struct store_near_one found[10];
    size_t count = 0;
    uint64_t fresh;
    for (size_t i = 0; i < 4; i++) {
        rig_page(store, &(struct rig_page){ .url = urls[i], .task = "t", .fragments = { "tea" },
            .claims = { i ? NULL : "hot" } });
        CHECK_OK(store_embedding_put(store, "m", &FRAGMENT(rig_fragment_id(urls[i], "tea")), 1,
                                     (float[]){ 1, 0 }, 2, SOON));
    }
    const char *claim = rig_claim_id("t", urls[0], "tea", "hot");
    struct store_near query = { .type = "fragment", .task = "t", .claim = claim, .model = "m",
                                .vector = (float[]){ 1, 0 }, .dimension = 2, .max = 10 };
    CHECK_OK(store_embedding_near(store, &query, found, &count, &searched, SOON));
    CHECK_EQ(2, count);
    CHECK_EQ(2, searched);
    CHECK_STR(rig_fragment_id(urls[2], "tea"), found[0].id);
    CHECK_STR(rig_fragment_id(urls[3], "tea"), found[1].id);
    CHECK_OK(store_edge_judge(store, &(struct store_judgement){
        .fragment = found[0].id, .claim = claim, .relation = STORE_NEUTRAL, .confidence = 1 },
        1, &fresh, SOON));
    CHECK_OK(store_embedding_near(store, &query, found, &count, &searched, SOON));
    CHECK_EQ(1, count);
    query.claim = NULL;
    CHECK_OK(store_embedding_near(store, &query, found, &count, &searched, SOON));
    CHECK_EQ(4, count);
    query.task = "u";
    CHECK_OK(store_embedding_near(store, &query, found, &count, &searched, SOON));
    CHECK_EQ(0, searched);
}
