#include "base/json.h"

#include <string.h>

#include "testing/test.h"

TEST_PLAIN(values_are_written_with_their_keys_and_commas)
{
    char buf[512];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "name", "a \"quoted\" name");
    wr_json_u64(&json, "most", UINT64_MAX);
    wr_json_i64(&json, "least", INT64_MIN);
    wr_json_decimal(&json, "seconds", 1500000, 9);
    wr_json_bool(&json, "yes", true);
    wr_json_bool(&json, "no", false);
    wr_json_null(&json, "none");
    wr_json_str(&json, "absent", NULL);
    wr_json_array(&json, "list");
    wr_json_u64(&json, NULL, 1);
    wr_json_str(&json, NULL, "two");
    wr_json_object(&json, NULL);
    wr_json_end(&json);
    wr_json_array(&json, NULL);
    wr_json_end(&json);
    wr_json_raw(&json, NULL, "{\"x\":3}", 7);
    wr_json_end(&json);
    wr_json_object(&json, "inner");
    wr_json_u64(&json, "y", 4);
    wr_json_end(&json);
    wr_json_end(&json);
    CHECK_STR("{\"name\":\"a \\\"quoted\\\" name\",\"most\":18446744073709551615,"
              "\"least\":-9223372036854775808,\"seconds\":0.0015,\"yes\":true,\"no\":false,"
              "\"none\":null,\"absent\":null,\"list\":[1,\"two\",{},[],{\"x\":3}],"
              "\"inner\":{\"y\":4}}", buf);
    CHECK_EQ(0, text.cut);
}

TEST_PLAIN(a_moment_is_written_as_people_read_it_and_none_is_null)
{
    char buf[100];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    wr_json_time(&json, "at", (struct wr_wall){ WR_S(1700000000) });
    wr_json_time(&json, "never", (struct wr_wall){ 0 });
    wr_json_end(&json);
    CHECK_STR("{\"at\":\"2023-11-14T22:13:20.000000Z\",\"never\":null}", buf);
}

TEST_PLAIN(a_value_may_stand_alone)
{
    char buf[32];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    wr_json_bytes(&json, NULL, "a\0b\xff", 4);
    CHECK_STR("\"a\\u0000b\xef\xbf\xbd\"", buf);
}

TEST_PLAIN(thirty_one_levels_are_written_and_closed)
{
    struct wr_text text = wr_text_heap(1000);
    struct wr_json json = wr_json_to(&text);
    for (int i = 0; i < 31; i++)
        wr_json_array(&json, NULL);
    for (int i = 0; i < 31; i++)
        wr_json_end(&json);
    CHECK_EQ(31, strspn(text.at, "["));
    CHECK_EQ(31, strspn(text.at + 31, "]"));
    CHECK_EQ(62, text.len);
    wr_text_free(&text);
}

TEST_PLAIN(what_does_not_fit_is_counted)
{
    char buf[8];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    wr_json_array(&json, NULL);
    for (int i = 0; i < 9; i++)
        wr_json_u64(&json, NULL, 1);
    wr_json_end(&json);
    CHECK(text.cut > 0);
}

static struct wr_json misused(void)
{
    static char buf[64];
    static struct wr_text text;
    text = WR_TEXT(buf);
    return wr_json_to(&text);
}

TEST_DIES_PLAIN(a_value_in_an_object_without_a_key_is_a_panic,
                "a value in an object needs a key")
{
    struct wr_json json = misused();
    wr_json_object(&json, NULL);
    wr_json_u64(&json, NULL, 1);
}

TEST_DIES_PLAIN(a_key_in_an_array_is_a_panic, "any other has none \\(why\\)")
{
    struct wr_json json = misused();
    wr_json_array(&json, NULL);
    wr_json_u64(&json, "why", 1);
}

TEST_DIES_PLAIN(an_end_too_many_is_a_panic, "JSON: an end too many")
{
    struct wr_json json = misused();
    wr_json_end(&json);
}

TEST_DIES_PLAIN(too_many_levels_are_a_panic, "JSON: deeper than 31 levels")
{
    struct wr_json json = misused();
    for (int i = 0; i < 40; i++)
        wr_json_array(&json, NULL);
}
