/* json_in_test.c - objects, and what is none. */
#include "net/json_in.h"

#include <string.h>

#include "base/text.h"
#include "testing/test.h"

static bool is_read(const char *text)
{
    json_t *json = json_in_object(text, strlen(text));
    bool read = json;
    json_decref(json);
    return read;
}

TEST(an_object_is_read_and_nothing_else_is)
{
    CHECK(is_read("{}"));
    CHECK(is_read("{\"a\": [1, {\"b\": null}]}"));
    CHECK(!is_read(""));
    CHECK(!is_read("[]"));
    CHECK(!is_read("1"));
    CHECK(!is_read("{\"a\": 1"));
    CHECK(!is_read("{\"a\": 1, \"a\": 2}"));
}

/* In a task: its stack is what deep ones would run out of. */
TEST(what_nests_deeper_than_a_stack_can_bear_is_not_read)
{
    static char text[100000];
    for (size_t depth = 1; depth < sizeof(text) / 8; depth *= 2) {
        size_t len = 0;
        for (size_t i = 0; i < depth; i++, len += 5)
            memcpy(text + len, "{\"a\":", 5);
        memcpy(text + len, "1", 1);
        memset(text + len + 1, '}', depth);
        text[len + 1 + depth] = '\0';
        CHECK_EQ(depth <= JSON_IN_BRACKETS_MAX, is_read(text));
    }
}

/* Why not; empty: it is read. */
static const char *why_not(const char *text)
{
    const char *why = "";
    json_t *json = json_in_large(text, strlen(text), &why);
    why = json ? "" : why;
    json_decref(json);
    return why;
}

/* {"a":...} with so many of one text, and of another. */
static const char *many(size_t count, const char *each, const char *back)
{
    static char buf[2 * JSON_IN_VALUES_MAX + 64];
    struct wr_text text = WR_TEXT(buf);
    wr_text_str(&text, "{\"a\":");
    for (size_t i = 0; i < count; i++)
        wr_text_str(&text, each);
    for (size_t i = 0; i < count; i++)
        wr_text_str(&text, back);
    wr_text_str(&text, "}");
    return buf;
}

TEST(a_number_without_a_fraction_is_an_integer)
{
    static const char text[] = "{\"a\":[30.0,{\"b\":-4e2},1.5],\"c\":2.0,\"d\":1e22}";
    const char *why;
    json_t *json = json_in_large(text, sizeof(text) - 1, &why);
    char *now = json_dumps(json, JSON_COMPACT);
    CHECK_STR("{\"a\":[30,{\"b\":-400},1.5],\"c\":2,\"d\":1e22}", now);
    free(now);
    json_decref(json);
}

TEST(what_is_large_is_read_up_to_a_depth_and_a_number_of_values)
{
    static char list[2 * JSON_IN_VALUES_MAX + 64];
    struct wr_text text = WR_TEXT(list);
    CHECK_STR("", why_not("{\"a\":\"[[[\\\"[[\"}"));
    CHECK_STR("it is no object", why_not("[]"));
    CHECK_STR("it is no JSON, or has a key twice", why_not("{\"a\":1,\"a\":2}"));
    CHECK_STR("it has a number that is too large; integers have 64 bits",
              why_not("{\"a\":92233720368547758080}"));
    CHECK_STR("it nests deeper than 32 levels", why_not(many(JSON_IN_DEPTH_MAX, "[", "]")));
    CHECK_STR("", why_not(many(JSON_IN_DEPTH_MAX - 1, "[", "]")));
    wr_text_str(&text, "{\"a\":[1");
    for (size_t i = 0; i < JSON_IN_VALUES_MAX - 2; i++)
        wr_text_str(&text, ",1");
    size_t most = text.len;
    wr_text_str(&text, "]}");
    CHECK_STR("", why_not(list));
    wr_text_rewind(&text, most);
    wr_text_str(&text, ",1]}");
    CHECK_STR("it has more than 200000 values", why_not(list));
}
