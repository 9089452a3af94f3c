#include "store/pg_rows.h"

#include "testing/store_rig.h"

#define SOON wr_after(WR_S(5))

static const struct store_verb kinds = {
    .name = "test.kinds",
    .sqlite = { "select ?1, ?2, ?3, ?4, null" },
    .postgres = "select ?1::bigint, ?2::double precision, ?3::text, ?4::bytea, null::bigint",
};

STORE_TEST(each_kind_of_value_comes_back_as_it_went)
{
    struct store_rows rows;
    CHECK_OK(store_do(store, &kinds, STORE_VALUES(
        STORE_INT(INT64_MIN), STORE_REAL(0.1), STORE_TEXT("text"), STORE_BLOB("\0b", 2)),
        &rows, SOON));
    CHECK_EQ(1, rows.count);
    CHECK_EQ(STORE_IS_INT, store_value_at(&rows, 0, 0).type);
    CHECK_EQ(INT64_MIN, store_int(&rows, 0, 0));
    CHECK_EQ(STORE_IS_REAL, store_value_at(&rows, 0, 1).type);
    CHECK(store_real(&rows, 0, 1) == 0.1);
    CHECK_STR("text", store_text(&rows, 0, 2));
    CHECK_EQ(STORE_IS_BLOB, store_value_at(&rows, 0, 3).type);
    CHECK_EQ(2, store_value_at(&rows, 0, 3).len);
    CHECK_EQ(STORE_IS_NULL, store_value_at(&rows, 0, 4).type);
    store_rows_free(&rows);
}

STORE_TEST(a_real_number_can_be_read_as_a_whole_one_and_the_other_way_round)
{
    struct store_rows rows;
    CHECK_OK(store_do(store, &kinds, STORE_VALUES(
        STORE_INT(3), STORE_REAL(-2.75), STORE_NULL, STORE_NULL), &rows, SOON));
    CHECK(store_real(&rows, 0, 0) == 3.0);
    CHECK_EQ(-2, store_int(&rows, 0, 1));
    store_rows_free(&rows);
}
