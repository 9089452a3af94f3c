#include "store/store.h"

#include <string.h>

#include "store/verb.h"
#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))

/* A table of the tests' own, in the table of probes. */
static const struct store_verb put = {
    .name = "test.put", .writes = true,
    .sqlite = { "insert into probe (id, at) values (?1, ?2)" },
};
static const struct store_verb put_two = {
    .name = "test.put_two", .writes = true, .undo = true,
    .sqlite = { "insert into probe (id, at) values (?1, 0)",
                "insert into probe (id, at) values (?2, 0)" },
    .postgres = "with one as (insert into probe (id, at) values (?1, 0))"
                " insert into probe (id, at) values (?2, 0)",
};
static const struct store_verb get = {
    .name = "test.get", .sqlite = { "select id, at, null, 'text', x'00ff' from probe"
                                    " where id = ?1" },
    .postgres = "select id, at, null, 'text', '\\x00ff'::bytea from probe where id = ?1",
};
static const struct store_verb count = {
    .name = "test.count", .sqlite = { "select count(*) from probe" },
};
static const struct store_verb too_many = {
    .name = "test.too_many", .writes = true, .undo = true,
    .sqlite = { "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)"
                " insert into probe (id, at) select i, 0 from n returning id" },
};

static int64_t rows_there(struct store *store)
{
    struct store_rows rows;
    CHECK_OK(store_do(store, &count, (struct store_values){ 0 }, &rows, SOON));
    int64_t number = rows.count ? store_int(&rows, 0, 0) : -1;
    store_rows_free(&rows);
    return number;
}

STORE_TEST(what_was_written_is_read)
{
    struct store_rows rows;
    CHECK_OK(store_do(store, &put, STORE_VALUES(STORE_INT(1), STORE_INT(77)), &rows, SOON));
    CHECK_EQ(1, rows.changed);
    store_rows_free(&rows);
    CHECK_OK(store_do(store, &get, STORE_VALUES(STORE_INT(1)), &rows, SOON));
    REQUIRE(rows.count == 1);
    CHECK_EQ(77, store_int(&rows, 0, 1));
    CHECK_EQ(STORE_IS_NULL, store_value_at(&rows, 0, 2).type);
    CHECK_STR("text", store_text(&rows, 0, 3));
    CHECK_EQ(2, store_value_at(&rows, 0, 4).len);
    store_rows_free(&rows);
}

STORE_TEST(a_key_that_is_taken_says_exists_and_the_rest_of_the_batch_goes_on)
{
    CHECK_OK(store_do(store, &put, STORE_VALUES(STORE_INT(1), STORE_INT(1)), NULL, SOON));
    CHECK_ERR(WR_EXISTS, store_do(store, &put, STORE_VALUES(STORE_INT(1), STORE_INT(1)), NULL,
                                  SOON));
    CHECK_OK(store_do(store, &put, STORE_VALUES(STORE_INT(2), STORE_INT(1)), NULL, SOON));
    CHECK_EQ(2, rows_there(store));
}

STORE_TEST(a_verb_that_fails_half_way_leaves_nothing)
{
    CHECK_OK(store_do(store, &put, STORE_VALUES(STORE_INT(1), STORE_INT(1)), NULL, SOON));
    CHECK_ERR(WR_EXISTS, store_do(store, &put_two, STORE_VALUES(STORE_INT(5), STORE_INT(1)),
                                  NULL, SOON));
    CHECK_EQ(1, rows_there(store));
}

STORE_TEST(a_result_that_is_too_large_is_refused_and_changes_nothing)
{
    struct store_rows rows;
    CHECK_ERR(WR_INVALID, store_do(store, &too_many, (struct store_values){ 0 }, &rows, SOON));
    CHECK_EQ(0, rows.count);
    CHECK_EQ(0, rows_there(store));
}

STORE_TEST(a_value_of_the_wrong_kind_is_refused)
{
    CHECK_ERR(WR_INVALID, store_do(store, &put, STORE_VALUES(STORE_INT(1), STORE_NULL), NULL,
                                   SOON));
    CHECK_ERR(WR_INVALID, store_do(store, &put, STORE_VALUES(STORE_TEXT("x"), STORE_INT(1)),
                                   NULL, SOON));
}

STORE_TEST(a_sound_store_is_found_sound)
{
    struct store_why why;
    struct store_health health;
    CHECK_OK(store_do(store, &put, STORE_VALUES(STORE_INT(1), STORE_INT(1)), NULL, SOON));
    CHECK_OK(store_check(store, &why, SOON));
    store_health(store, &health);
    CHECK_EQ(STORE_OK, health.state);
    CHECK(health.writes >= 1);
    CHECK(health.batches >= 1);
}

TEST(a_url_that_no_engine_knows_is_refused_with_what_is_allowed)
{
    struct store *store = NULL;
    struct store_why why = { "" };
    CHECK_ERR(WR_INVALID, store_open(&store, &(struct store_conf){ .url = "mysql://x" }, &why,
                                     SOON));
    CHECK(strstr(why.text, "mysql://x"));
    CHECK(strstr(why.text, "sqlite:"));
    CHECK(strstr(why.text, "postgres://"));
}

static const struct store_verb nonsense = { .name = "test.nonsense", .writes = true,
                                            .sqlite = { "select from" } };

TEST_DIES(a_verb_that_the_engine_does_not_understand_is_a_fault_of_the_program,
          "verb test\\.nonsense: near")
{
    struct store_rig rig = { .url = "sqlite:" };
    CHECK_OK(rig_open(&rig));
    (void)!store_do(rig.store, &nonsense, (struct store_values){ 0 }, NULL, SOON);
}
