/* json_in_test.c - objects, and what is none. */
#include "net/json_in.h"

#include <string.h>

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
