#include "store/edge.h"

#include "testing/evidence_rig.h"

#define PAGE "http://a.test/1"
#define OTHER "http://b.test/1"

static const char *claim_id(void)
{
    return rig_claim_id("t", PAGE, "Tea is hot.", "Tea is hot");
}

static uint64_t judge(struct store *store, enum store_relation relation, double confidence)
{
    uint64_t new;
    rig_page(store, &(struct rig_page){ .url = PAGE, .task = "t",
        .fragments = { "Tea is hot." }, .claims = { "Tea is hot" } });
    rig_page(store, &(struct rig_page){ .url = OTHER, .task = "t",
        .fragments = { "Tea is a drink." } });
    struct store_judgement judgement = {
        .fragment = rig_fragment_id(OTHER, "Tea is a drink."), .claim = claim_id(),
        .relation = relation, .confidence = confidence, .by = "lexical" };
    CHECK_OK(store_edge_judge(store, &judgement, 1, &new, SOON));
    return new;
}

/* The judgement: behind the origin. */
static struct store_edges list(struct store *store)
{
    struct store_edges edges;
    CHECK_OK(store_edge_list(store, claim_id(), 10, &edges, SOON));
    CHECK_EQ(2, edges.count);
    return edges;
}

TEST_PLAIN(each_relation_has_a_word)
{
    CHECK_STR("supports", store_relation_text(STORE_SUPPORTS));
    CHECK_EQ(STORE_CITES, store_relation_of("cites"));
    CHECK_EQ(0, store_relation_of("Supports"));
}

STORE_TEST(the_first_judgement_of_a_pair_stays)
{
    CHECK_EQ(1, judge(store, STORE_SUPPORTS, 0.75));
    CHECK_EQ(0, judge(store, STORE_REFUTES, 1));
    struct store_edges edges = list(store);
    CHECK_EQ(STORE_ORIGIN, store_edge_at(&edges, 0).relation);
    CHECK(store_edge_at(&edges, 0).confidence == -1);
    CHECK_EQ(STORE_SUPPORTS, store_edge_at(&edges, 1).relation);
    CHECK(store_edge_at(&edges, 1).confidence == 0.75);
    CHECK_STR("Tea is a drink.", store_edge_at(&edges, 1).text);
    CHECK(!store_edge_at(&edges, 1).corrected);
    store_edges_free(&edges);
}

STORE_TEST(a_fragment_may_support_the_claim_that_it_is_the_origin_of)
{
    uint64_t new;
    judge(store, STORE_NEUTRAL, 0);
    struct store_judgement own = { .fragment = rig_fragment_id(PAGE, "Tea is hot."),
        .claim = claim_id(), .relation = STORE_SUPPORTS, .confidence = 1 };
    CHECK_OK(store_edge_judge(store, &own, 1, &new, SOON));
    CHECK_EQ(1, new);
}

STORE_TEST(what_speaks_for_or_against_a_claim_is_listed_before_what_does_not)
{
    uint64_t new;
    struct store_edges edges;
    judge(store, STORE_NEUTRAL, 0.9);
    rig_page(store, &(struct rig_page){ .url = "http://c.test/1", .task = "t",
        .fragments = { "Tea may be cold." } });
    struct store_judgement less = { .fragment = rig_fragment_id("http://c.test/1",
        "Tea may be cold."), .claim = claim_id(), .relation = STORE_REFUTES,
        .confidence = 0.6 };
    CHECK_OK(store_edge_judge(store, &less, 1, &new, SOON));
    CHECK_OK(store_edge_list(store, claim_id(), 10, &edges, SOON));
    CHECK_EQ(3, edges.count);
    CHECK_EQ(STORE_ORIGIN, store_edge_at(&edges, 0).relation);
    CHECK_EQ(STORE_REFUTES, store_edge_at(&edges, 1).relation);
    CHECK_EQ(STORE_NEUTRAL, store_edge_at(&edges, 2).relation);
    store_edges_free(&edges);
}

STORE_TEST(many_judgements_are_written_at_once_and_the_new_ones_counted)
{
    static struct store_judgement judgements[STORE_EDGE_JUDGE_MAX + 1];
    static char ids[STORE_EDGE_JUDGE_MAX + 1][16];
    uint64_t new;
    for (int i = 0; i <= STORE_EDGE_JUDGE_MAX; i++) {
        snprintf(ids[i], sizeof(ids[i]), "f_%d", i);
        judgements[i] = (struct store_judgement){ .fragment = ids[i], .claim = "c",
            .relation = STORE_NEUTRAL, .confidence = 0.5 };
    }
    CHECK_OK(store_edge_judge(store, judgements, 10, &new, SOON));
    CHECK_EQ(10, new);
    CHECK_OK(store_edge_judge(store, judgements, STORE_EDGE_JUDGE_MAX, &new, SOON));
    CHECK_EQ(STORE_EDGE_JUDGE_MAX - 10, new);
    CHECK_ERR(WR_INVALID, store_edge_judge(store, judgements, STORE_EDGE_JUDGE_MAX + 1, &new,
                                           SOON));
    CHECK_OK(store_edge_judge(store, judgements, 0, &new, SOON));
    CHECK_EQ(0, new);
}

static const struct store_verb samples = {
    .name = "test.samples",
    .sqlite = { "select premise, nli_hypothesis, predicted_label, predicted_confidence,"
                " correct_label, reason, task_id from nli_corrections order by id" },
};

STORE_TEST(a_correction_replaces_the_judgement_and_is_kept_as_a_sample)
{
    enum store_relation before;
    struct store_rows rows;
    judge(store, STORE_SUPPORTS, 0.75);
    struct store_edges edges = list(store);
    CHECK_OK(store_edge_correct(store, store_edge_at(&edges, 1).id, STORE_REFUTES, "no",
                                "nlc_1", &before, SOON));
    CHECK_EQ(STORE_SUPPORTS, before);
    store_edges_free(&edges);
    edges = list(store);
    CHECK_EQ(STORE_REFUTES, store_edge_at(&edges, 1).relation);
    CHECK(store_edge_at(&edges, 1).confidence == 1);
    CHECK(store_edge_at(&edges, 1).corrected);
    store_edges_free(&edges);
    CHECK_OK(store_do(store, &samples, (struct store_values){ 0 }, &rows, SOON));
    CHECK_EQ(1, rows.count);
    CHECK_STR("Tea is a drink.", store_text(&rows, 0, 0));
    CHECK_STR("Tea is hot", store_text(&rows, 0, 1));
    CHECK_STR("supports", store_text(&rows, 0, 2));
    CHECK(store_real(&rows, 0, 3) == 0.75);
    CHECK_STR("refutes", store_text(&rows, 0, 4));
    CHECK_STR("no", store_text(&rows, 0, 5));
    CHECK_STR("t", store_text(&rows, 0, 6));
    store_rows_free(&rows);
}

STORE_TEST(a_judgement_that_was_right_is_marked_as_seen)
{
    enum store_relation before;
    struct store_rows rows;
    judge(store, STORE_SUPPORTS, 0.75);
    struct store_edges edges = list(store);
    CHECK_OK(store_edge_correct(store, store_edge_at(&edges, 1).id, STORE_SUPPORTS, NULL,
                                "nlc_1", &before, SOON));
    CHECK_EQ(STORE_SUPPORTS, before);
    store_edges_free(&edges);
    edges = list(store);
    CHECK(store_edge_at(&edges, 1).corrected);
    CHECK(store_edge_at(&edges, 1).confidence == 0.75);
    store_edges_free(&edges);
    CHECK_OK(store_do(store, &samples, (struct store_values){ 0 }, &rows, SOON));
    CHECK_EQ(0, rows.count);
    store_rows_free(&rows);
}

STORE_TEST(what_is_no_judgement_cannot_be_corrected)
{
    static char long_reason[STORE_EDGE_REASON_MAX + 2];
    enum store_relation before;
    judge(store, STORE_SUPPORTS, 0.75);
    struct store_edges edges = list(store);
    CHECK_ERR(WR_NOTFOUND, store_edge_correct(store, store_edge_at(&edges, 0).id,
                                              STORE_REFUTES, "r", "nlc_1", &before, SOON));
    CHECK_ERR(WR_NOTFOUND, store_edge_correct(store, "e_none", STORE_REFUTES, "r", "nlc_1",
                                              &before, SOON));
    memset(long_reason, 'x', sizeof(long_reason) - 1);
    CHECK_ERR(WR_INVALID, store_edge_correct(store, "e_none", STORE_REFUTES, long_reason,
                                             "nlc_1", &before, SOON));
    store_edges_free(&edges);
}
