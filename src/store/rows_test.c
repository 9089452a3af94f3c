#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"
#include "testing/test.h"

TEST_PLAIN(a_result_has_its_values_in_rows_and_columns)
{
    struct rows rows = { 0 };
    struct store_rows result;
    rows_int(&rows, -7);
    rows_bytes(&rows, STORE_IS_TEXT, "abc", 3);
    rows_null(&rows);
    rows_bytes(&rows, STORE_IS_BLOB, "\0x", 2);
    CHECK_OK(rows_done(&rows, 2, &result));
    CHECK_EQ(2, result.count);
    CHECK_EQ(2, result.columns);
    CHECK_EQ(-7, store_int(&result, 0, 0));
    CHECK_STR("abc", store_text(&result, 0, 1));
    CHECK_EQ(0, store_int(&result, 1, 0));
    CHECK(!store_text(&result, 1, 0));
    CHECK_EQ(STORE_IS_BLOB, store_value_at(&result, 1, 1).type);
    CHECK_EQ(2, store_value_at(&result, 1, 1).len);
    CHECK_EQ(0, memcmp("\0x", store_value_at(&result, 1, 1).bytes, 3));
    store_rows_free(&result);
    store_rows_free(&result);
}

TEST_PLAIN(a_result_without_rows_is_empty)
{
    struct rows rows = { 0 };
    struct store_rows result;
    CHECK_OK(rows_done(&rows, 5, &result));
    CHECK_EQ(0, result.count);
    store_rows_free(&result);
}

TEST_PLAIN(texts_stay_what_they_were_while_the_result_grows)
{
    struct rows rows = { 0 };
    struct store_rows result;
    for (int i = 0; i < 3000; i++) {
        char text[16];
        int len = snprintf(text, sizeof(text), "row %d", i);
        rows_bytes(&rows, STORE_IS_TEXT, text, (size_t)len);
    }
    CHECK_OK(rows_done(&rows, 1, &result));
    CHECK_EQ(3000, result.count);
    CHECK_STR("row 0", store_text(&result, 0, 0));
    CHECK_STR("row 1500", store_text(&result, 1500, 0));
    CHECK_STR("row 2999", store_text(&result, 2999, 0));
    store_rows_free(&result);
}

TEST_PLAIN(a_result_with_too_many_rows_is_refused_and_empty)
{
    struct rows rows = { 0 };
    struct store_rows result;
    for (int i = 0; i < STORE_ROWS_MAX; i++)
        rows_int(&rows, i);
    CHECK_OK(rows_done(&rows, 1, &result));
    store_rows_free(&result);
    for (int i = 0; i < STORE_ROWS_MAX + 1; i++)
        rows_int(&rows, i);
    CHECK_ERR(WR_INVALID, rows_done(&rows, 1, &result));
    CHECK_EQ(0, result.count);
    CHECK(!result.values);
}

TEST_PLAIN(a_result_with_too_many_bytes_is_refused_and_empty)
{
    struct rows rows = { 0 };
    struct store_rows result;
    char *bytes = calloc(1, STORE_RESULT_MAX);
    WR_ASSERT(bytes);
    rows_bytes(&rows, STORE_IS_BLOB, bytes, STORE_RESULT_MAX - 1);
    CHECK_OK(rows_done(&rows, 1, &result));
    CHECK_EQ(STORE_RESULT_MAX - 1, store_value_at(&result, 0, 0).len);
    store_rows_free(&result);
    rows_bytes(&rows, STORE_IS_BLOB, bytes, STORE_RESULT_MAX / 2);
    rows_bytes(&rows, STORE_IS_BLOB, bytes, STORE_RESULT_MAX / 2);
    CHECK_ERR(WR_INVALID, rows_done(&rows, 1, &result));
    CHECK_EQ(0, result.count);
    free(bytes);
}

TEST_PLAIN(no_text_is_null)
{
    CHECK_EQ(STORE_IS_NULL, STORE_TEXT(NULL).type);
    CHECK_EQ(STORE_IS_TEXT, STORE_TEXT("").type);
    CHECK_EQ(3, STORE_TEXT("abc").len);
}
