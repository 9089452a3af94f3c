/* entry_test.c - tests of entry.c and of toml.cc, which fills it. */
#include "conf/entry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

static struct entries read_toml(const char *text)
{
    struct entries entries = { 0 };
    CHECK(wr_entries_toml(&entries, text, strlen(text)));
    return entries;
}

static const char *refused(const char *text, size_t len)
{
    static char words[300];
    struct entries entries = { 0 };
    CHECK(!wr_entries_toml(&entries, text, len));
    snprintf(words, sizeof(words), "%u: %s", entries.line, entries.error);
    wr_entries_free(&entries);
    return words;
}

static bool is(const struct entry *entry, const char *key, enum entry_kind kind,
               const char *text, unsigned line)
{
    return CHECK_STR(key, entry->key) && CHECK_EQ(kind, entry->kind)
        && CHECK_STR(text, entry->text) && CHECK_EQ(line, entry->line);
}

TEST_PLAIN(tables_become_dotted_keys_with_their_lines)
{
    struct entries entries = read_toml("a = 1\n\n[b]\nc = \"x\"\n[b.d]\ne = true\n");
    REQUIRE(CHECK_EQ(3, entries.count));
    is(&entries.at[0], "a", ENTRY_INT, "1", 1);
    is(&entries.at[1], "b.c", ENTRY_STRING, "x", 4);
    is(&entries.at[2], "b.d.e", ENTRY_BOOL, "true", 6);
    wr_entries_free(&entries);
}

TEST_PLAIN(lists_of_one_kind_keep_their_items)
{
    struct entries entries = read_toml("a = [\"x\", \"yz\"]\nb = [1, -2]\nc = []\n");
    REQUIRE(CHECK_EQ(3, entries.count));
    is(&entries.at[0], "a", ENTRY_WORDS, "x", 1);
    CHECK_EQ(2, entries.at[0].count);
    CHECK_STR("yz", entries.at[0].text + 2);
    is(&entries.at[1], "b", ENTRY_NUMBERS, "1", 2);
    CHECK_STR("-2", entries.at[1].text + 2);
    is(&entries.at[2], "c", ENTRY_WORDS, "", 3);
    CHECK_EQ(0, entries.at[2].count);
    wr_entries_free(&entries);
}

TEST_PLAIN(what_we_have_no_type_for_is_named)
{
    struct entries entries =
        read_toml("a = 1.5\nb = 1979-05-27\nc = [1, \"x\"]\nd = {}\ne = 07:32:00\n");
    REQUIRE(CHECK_EQ(5, entries.count));
    is(&entries.at[0], "a", ENTRY_OTHER, "a number with a fraction", 1);
    is(&entries.at[1], "b", ENTRY_OTHER, "a date", 2);
    is(&entries.at[2], "c", ENTRY_OTHER, "a list of other things", 3);
    is(&entries.at[3], "d", ENTRY_TABLE, "an empty table", 4);
    is(&entries.at[4], "e", ENTRY_OTHER, "a time of day", 5);
    wr_entries_free(&entries);
}

TEST_PLAIN(a_key_with_a_dot_in_its_name_is_not_a_table)
{
    struct entries entries = read_toml("\"a.b\" = 1\n");
    REQUIRE(CHECK_EQ(1, entries.count));
    is(&entries.at[0], "\"a.b\"", ENTRY_INT, "1", 1);
    wr_entries_free(&entries);
}

TEST_PLAIN(an_error_has_its_line)
{
    CHECK_STR("2: Error while parsing key-value pair: expected '=', saw '\\n'",
              refused("a = 1\nb\n", 8));
    CHECK(strstr(refused("a = 1\na = 2\n", 12), "2: ") != NULL);
}

TEST_PLAIN(zero_bytes_are_refused)
{
    CHECK_STR("1: a string with a zero byte in it", refused("a = \"x\\u0000y\"\n", 15));
    CHECK_STR("1: a string with a zero byte in it", refused("a = [\"x\\u0000y\"]\n", 17));
    CHECK_STR("1: a key with a zero byte in it", refused("\"a\\u0000\" = 1\n", 14));
}

TEST_PLAIN(control_characters_are_refused)
{
    CHECK_STR("2: a control character", refused("a = 1\n[\x1b" "b]\n", 11));
    CHECK_STR("1: a control character", refused("a = 1 # \x7f\n", 10));
    CHECK_STR("1: a control character", refused("a = 1\0\n", 7));
    struct entries entries = read_toml("a\t= 1\r\n");
    CHECK_EQ(1, entries.count);
    wr_entries_free(&entries);
}

TEST_PLAIN(deep_tables_and_deep_lists_are_refused)
{
    const char *deep = "a.b.c.d.e.f.g.h.i = 1\n", *fine = "a.b.c.d.e.f.g.h = 1\n";
    CHECK_STR("1: tables more than 8 deep", refused(deep, strlen(deep)));
    struct entries entries = read_toml(fine);
    CHECK_EQ(1, entries.count);
    wr_entries_free(&entries);
    char lists[5000] = "a = ";
    memset(lists + 4, '[', sizeof(lists) - 4);
    CHECK(strstr(refused(lists, sizeof(lists)), "maximum nested value depth") != NULL);
}

TEST_PLAIN(more_values_than_the_limit_are_refused)
{
    size_t cap = 16ul * (WR_ENTRIES_MAX + 1), len = 0;
    char *text = malloc(cap);
    for (int i = 0; i <= WR_ENTRIES_MAX; i++)
        len += (size_t)snprintf(text + len, cap - len, "a%d = 1\n", i);
    CHECK(strstr(refused(text, len), "more values than a configuration has") != NULL);
    free(text);
}

TEST_PLAIN(a_key_that_is_too_long_is_refused)
{
    char text[200];
    memset(text, 'a', sizeof(text));
    memcpy(text + WR_ENTRY_KEY_MAX + 1, "=1\n", 4);
    CHECK_STR("1: a key of more than 128 bytes", refused(text, strlen(text)));
}

TEST_PLAIN(an_error_is_one_line_without_control_characters)
{
    struct entries entries = { 0 };
    CHECK(!wr_entries_fail(&entries, 7, "saw \n and \x1b[0m and \x7f"));
    CHECK_STR("saw ? and ?[0m and ?", entries.error);
    CHECK_EQ(7, entries.line);
}
