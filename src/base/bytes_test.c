#include <weir/bytes.h>

#include <stdint.h>

#include "testing/test.h"

TEST_PLAIN(a_copy_has_the_bytes_and_a_zero_byte_behind_them)
{
    struct wr_bytes *bytes;
    REQUIRE_OK(wr_bytes_copy(&bytes, "a\0bX", 3));
    CHECK_EQ(3, bytes->len);
    CHECK_EQ('b', bytes->data[2]);
    CHECK_EQ(0, bytes->data[3]);
    wr_bytes_unref(bytes);
}

TEST_PLAIN(they_live_as_long_as_somebody_holds_them)
{
    struct wr_bytes *bytes;
    REQUIRE_OK(wr_bytes_copy(&bytes, "text", 4));
    CHECK(wr_bytes_ref(bytes) == bytes);
    wr_bytes_unref(bytes);
    CHECK_STR("text", (const char *)bytes->data);
    wr_bytes_unref(bytes);
}

TEST_PLAIN(none_at_all_may_be_held_and_let_go)
{
    CHECK(wr_bytes_ref(NULL) == NULL);
    wr_bytes_unref(NULL);
    struct wr_bytes *empty;
    REQUIRE_OK(wr_bytes_copy(&empty, NULL, 0));
    CHECK_STR("", (const char *)empty->data);
    wr_bytes_unref(empty);
}

TEST_PLAIN(a_length_that_no_memory_has_is_refused)
{
    struct wr_bytes *bytes;
    CHECK_ERR(WR_NOMEM, wr_bytes_new(&bytes, SIZE_MAX));
    CHECK_ERR(WR_NOMEM, wr_bytes_new(&bytes, SIZE_MAX - 16));
}
