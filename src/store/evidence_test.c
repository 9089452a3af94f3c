#include "store/evidence.h"

#include "store/edge.h"
#include "testing/evidence_rig.h"

TEST_PLAIN(an_id_is_made_of_its_parts)
{
    char a[STORE_EVIDENCE_ID], b[STORE_EVIDENCE_ID];
    CHECK_STR(store_evidence_id(a, "e_", STORE_PARTS("x", "y")),
              store_evidence_id(b, "e_", STORE_PARTS("x", "y")));
    CHECK_EQ(2 + 24, strlen(a));
    CHECK_EQ(0, strncmp(a, "e_", 2));
}

TEST_PLAIN(where_a_part_ends_makes_a_difference)
{
    char a[STORE_EVIDENCE_ID], b[STORE_EVIDENCE_ID];
    store_evidence_id(a, "", STORE_PARTS("xy", "z"));
    store_evidence_id(b, "", STORE_PARTS("x", "yz"));
    CHECK(strcmp(a, b) != 0);
    store_evidence_id(b, "", STORE_PARTS("xy", "z", ""));
    CHECK(strcmp(a, b) != 0);
}

static void two_tasks(struct store *store)
{
    rig_page(store, &(struct rig_page){ .url = "http://a.test/1", .task = "t",
        .fragments = { "one", "two" }, .claims = { "claim of one" } });
    rig_page(store, &(struct rig_page){ .url = "http://b.test/1", .task = "t",
        .fragments = { "three" } });
    rig_page(store, &(struct rig_page){ .url = "http://a.test/2", .task = "t",
        .fragments = { "five" } });
    rig_page(store, &(struct rig_page){ .url = "http://c.test/1", .task = "u",
        .fragments = { "four" }, .claims = { "claim of four" } });
}

STORE_TEST(what_a_task_has_found_is_counted)
{
    uint64_t new;
    struct store_evidence count;
    two_tasks(store);
    const char *claim = rig_claim_id("t", "http://a.test/1", "one", "claim of one");
    struct store_judgement judgements[] = {
        { .fragment = rig_fragment_id("http://b.test/1", "three"), .claim = claim,
          .relation = STORE_REFUTES, .confidence = 0.7 },
        { .fragment = rig_fragment_id("http://a.test/1", "two"), .claim = claim,
          .relation = STORE_NEUTRAL, .confidence = 0.7 } };
    CHECK_OK(store_edge_judge(store, judgements, 2, &new, SOON));
    CHECK_OK(store_evidence_count(store, "t", &count, SOON));
    CHECK_EQ(3, count.pages);
    CHECK_EQ(4, count.fragments);
    CHECK_EQ(1, count.claims);
    CHECK_EQ(0, count.supporting);
    CHECK_EQ(1, count.refuting);
    CHECK_EQ(1, count.neutral);
    CHECK_OK(store_evidence_count(store, "none", &count, SOON));
    CHECK_EQ(0, count.pages);
}

STORE_TEST(the_domain_with_the_most_pages_comes_first)
{
    struct store_rows rows;
    two_tasks(store);
    CHECK_OK(store_evidence_domains(store, "t", &rows, SOON));
    CHECK_EQ(2, rows.count);
    CHECK_STR("a.test", store_text(&rows, 0, 0));
    CHECK_EQ(2, store_int(&rows, 0, 1));
    CHECK_STR("b.test", store_text(&rows, 1, 0));
    store_rows_free(&rows);
}
