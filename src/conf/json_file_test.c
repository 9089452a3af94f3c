/* json_file_test.c - tests of json_file.c. */
#include <stdio.h>
#include <string.h>

#include "conf/entry.h"
#include "testing/test.h"

static struct entries read_json(const char *text)
{
    struct entries entries = { 0 };
    CHECK(wr_entries_json(&entries, text, strlen(text)));
    return entries;
}

static const char *refused(const char *text)
{
    static char words[300];
    struct entries entries = { 0 };
    CHECK(!wr_entries_json(&entries, text, strlen(text)));
    snprintf(words, sizeof(words), "%u: %s", entries.line, entries.error);
    wr_entries_free(&entries);
    return words;
}

static bool is(const struct entry *entry, const char *key, enum entry_kind kind,
               const char *text)
{
    return CHECK_STR(key, entry->key) && CHECK_EQ(kind, entry->kind)
        && CHECK_STR(text, entry->text);
}

TEST_PLAIN(objects_become_dotted_keys)
{
    struct entries entries =
        read_json("{\"a\": 1, \"b\": {\"c\": \"x\", \"d\": {\"e\": false}}, \"f.g\": true}");
    REQUIRE(CHECK_EQ(4, entries.count));
    is(&entries.at[0], "a", ENTRY_INT, "1");
    is(&entries.at[1], "b.c", ENTRY_STRING, "x");
    is(&entries.at[2], "b.d.e", ENTRY_BOOL, "false");
    is(&entries.at[3], "\"f.g\"", ENTRY_BOOL, "true");
    wr_entries_free(&entries);
}

TEST_PLAIN(lists_and_other_things_are_as_in_toml)
{
    struct entries entries = read_json("{\"a\": [\"x\", \"y\"], \"b\": [1, 2], \"c\": [], "
                                       "\"d\": 1.5, \"e\": null, \"f\": {}, "
                                       "\"g\": [1, \"x\"]}");
    REQUIRE(CHECK_EQ(7, entries.count));
    is(&entries.at[0], "a", ENTRY_WORDS, "x");
    CHECK_STR("y", entries.at[0].text + 2);
    is(&entries.at[1], "b", ENTRY_NUMBERS, "1");
    CHECK_EQ(2, entries.at[1].count);
    is(&entries.at[2], "c", ENTRY_WORDS, "");
    is(&entries.at[3], "d", ENTRY_OTHER, "a number with a fraction");
    is(&entries.at[4], "e", ENTRY_OTHER, "null");
    is(&entries.at[5], "f", ENTRY_TABLE, "an empty table");
    is(&entries.at[6], "g", ENTRY_OTHER, "a list of other things");
    wr_entries_free(&entries);
}

TEST_PLAIN(it_is_strict)
{
    CHECK_STR("2: duplicate object key near '\"a\"'", refused("{\"a\": 1,\n\"a\": 2}"));
    CHECK(strstr(refused("{\"a\": 1,}"), "1: ") != NULL);
    CHECK(strstr(refused("{\"a\": \"x\\u0000\"}"), "\\u0000") != NULL);
    CHECK(strstr(refused("{\"a\": 1} x"), "end of file expected") != NULL);
    CHECK_STR("1: the whole must be an object", refused("[1]"));
}

TEST_PLAIN(deep_objects_and_long_keys_are_refused)
{
    char text[600];
    size_t len = 0;
    for (int i = 0; i < 9; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "{\"a\":");
    snprintf(text + len, sizeof(text) - len, "1}}}}}}}}}");
    CHECK_STR("0: objects more than 8 deep", refused(text));

    char key[WR_ENTRY_KEY_MAX + 2];
    memset(key, 'k', sizeof(key));
    key[sizeof(key) - 1] = '\0';
    snprintf(text, sizeof(text), "{\"%s\":1}", key);
    CHECK_STR("0: a key of more than 128 bytes", refused(text));
}

TEST_PLAIN(a_list_that_is_too_long_is_refused)
{
    static char text[200 * 1024] = "{\"a\":[\"x\"";
    size_t len = strlen(text);
    while (len < 180 * 1024ul)
        len += (size_t)snprintf(text + len, sizeof(text) - len, ",\"x\"");
    snprintf(text + len, sizeof(text) - len, "]}");
    struct entries entries = { 0 };
    bool read = wr_entries_json(&entries, text, strlen(text));
    CHECK(read || strstr(entries.error, "a list of more than 64 KiB") != NULL);
    CHECK(!read);
    wr_entries_free(&entries);
}
