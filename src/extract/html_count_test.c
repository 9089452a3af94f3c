/* html_count_test.c - how much a text says, in whatever script. */
#include "extract/html_main.h"

#include <string.h>

#include "testing/test.h"

static void counts(const char *text, uint32_t length, uint32_t stops)
{
    struct html_count count = { 0 };
    html_count_add(&count, text, strlen(text));
    CHECK_EQ(length, count.length);
    CHECK_EQ(stops, count.stops);
}

TEST_PLAIN(letters_are_counted_and_white_space_once)
{
    counts("two words", 9, 0);
    counts("two \n\t  words", 9, 0);
    counts("  words  ", 5, 0);
    counts("", 0, 0);
}

TEST_PLAIN(signs_of_chinese_japanese_and_korean_count_twice)
{
    counts("漢字", 4, 0);
    counts("かな", 4, 0);
    counts("한글", 4, 0);
    counts("Ж", 1, 0);
    counts("ש", 1, 0);
}

TEST_PLAIN(stops_of_many_scripts_are_stops)
{
    counts("One, two. Three", 15, 2);
    counts("3.14 a.b", 8, 0);
    counts("中。", 4, 1);
    counts("نعم؟", 4, 1);
    counts("हाँ।", 4, 1);
    counts("Այո։", 4, 1);
    counts("៚។៕", 3, 1);
    counts("a... b?!", 8, 2);
}

TEST_PLAIN(half_a_character_at_the_end_is_read_no_further)
{
    struct html_count count = { 0 };
    html_count_add(&count, "a\xe6\xbc", 3);
    CHECK_EQ(2, count.length);
}
