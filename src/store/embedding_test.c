#include "store/embedding.h"

#include "testing/evidence_rig.h"

static void put(struct store *store, const char *id, float x, float y)
{
    CHECK_OK(store_embedding_put(store, "claim", id, "m", (float[]){ x, y }, 2, SOON));
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
    CHECK_OK(store_embedding_put(store, "fragment", "f_a", "m", (float[]){ 1, 0 }, 2, SOON));
    CHECK_OK(store_embedding_put(store, "claim", "c_b", "n", (float[]){ 1, 0 }, 2, SOON));
    CHECK_OK(store_embedding_put(store, "claim", "c_c", "m", (float[]){ 1, 0, 0 }, 3, SOON));
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
        CHECK_OK(store_embedding_put(store, "fragment", id, "m", vector,
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

STORE_TEST(too_many_dimensions_are_refused)
{
    CHECK_ERR(WR_INVALID, store_embedding_put(store, "claim", "c", "m", (float[]){ 1 },
                                              STORE_EMBEDDING_DIMENSION_MAX + 1, SOON));
    CHECK_ERR(WR_INVALID, store_embedding_put(store, "claim", "c", "m", (float[]){ 1 }, 0,
                                              SOON));
}
