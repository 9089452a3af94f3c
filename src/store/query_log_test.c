#include "store/query_log.h"

#include "testing/evidence_rig.h"

static const struct store_verb look = {
    .name = "test.serp",
    .sqlite = { "select q.task_id, q.query_text, q.result_count, s.engine, s.rank, s.url,"
                " s.snippet from queries q join serp_items s on s.query_id = q.id"
                " where q.id = ?1 order by s.position" },
};

STORE_TEST(a_query_is_kept_once_with_its_answers_in_their_order)
{
    struct store_rows rows;
    struct store_hit hits[] = {
        { .engine = "mojeek", .rank = 2, .url = "http://b.test/", .snippet = "tea" },
        { .engine = "brave", .rank = 1, .url = "http://a.test/" } };
    struct store_query query = { .id = "q_1", .task = "t", .text = "tea?", .hits = hits,
                                 .hit_count = 2 };
    CHECK_OK(store_query_put(store, &query, SOON));
    query.text = "other";
    CHECK_OK(store_query_put(store, &query, SOON));
    CHECK_OK(store_do(store, &look, STORE_VALUES(STORE_TEXT("q_1")), &rows, SOON));
    CHECK_EQ(2, rows.count);
    CHECK_STR("t", store_text(&rows, 0, 0));
    CHECK_STR("tea?", store_text(&rows, 0, 1));
    CHECK_EQ(2, store_int(&rows, 0, 2));
    CHECK_STR("mojeek", store_text(&rows, 0, 3));
    CHECK_EQ(2, store_int(&rows, 0, 4));
    CHECK_STR("tea", store_text(&rows, 0, 6));
    CHECK_STR("http://a.test/", store_text(&rows, 1, 5));
    CHECK(!store_text(&rows, 1, 6));
    store_rows_free(&rows);
}

STORE_TEST(too_many_answers_are_refused)
{
    struct store_query query = { .id = "q_1", .task = "t", .text = "tea?",
                                 .hit_count = STORE_QUERY_HITS_MAX + 1 };
    CHECK_ERR(WR_INVALID, store_query_put(store, &query, SOON));
}

STORE_TEST(old_queries_are_forgotten_with_what_was_found)
{
    struct store_rows rows;
    uint64_t gone;
    struct store_query query = { .id = "q_1", .task = "t", .text = "tea?",
                                 .hits = &(struct store_hit){ .engine = "mojeek", .rank = 1,
                                                              .url = "http://a.test/" },
                                 .hit_count = 1 };
    CHECK_OK(store_query_put(store, &query, SOON));
    pass(WR_S(10));
    struct wr_wall between = rig_wall();
    pass(WR_S(10));
    query.id = "q_2";
    CHECK_OK(store_query_put(store, &query, SOON));
    CHECK_OK(store_query_prune(store, between, 10, &gone, SOON));
    CHECK_EQ(1, gone);
    CHECK_OK(store_do(store, &look, STORE_VALUES(STORE_TEXT("q_1")), &rows, SOON));
    CHECK_EQ(0, rows.count);
    store_rows_free(&rows);
    CHECK_OK(store_do(store, &look, STORE_VALUES(STORE_TEXT("q_2")), &rows, SOON));
    CHECK_EQ(1, rows.count);
    store_rows_free(&rows);
}
