/* charset_test.c - text of whatever encoding, as UTF-8. */
#include "extract/charset.h"

#include <stdlib.h>
#include <string.h>

#include "testing/test.h"

static void reads(const char *bytes, size_t size, const char *want, const char *charset)
{
    struct extract_text text;
    REQUIRE_OK(extract_charset(bytes, size, &text));
    CHECK_STR(want, text.at);
    CHECK_STR(charset, text.charset);
    CHECK_EQ(strlen(want), text.len);
    free(text.at);
}

TEST_PLAIN(utf_8_stays_and_loses_its_mark)
{
    reads("Gödel", 6, "Gödel", "UTF-8");
    reads("\xef\xbb\xbfGödel", 9, "Gödel", "UTF-8");
    reads("", 0, "", "UTF-8");
}

TEST_PLAIN(utf_16_is_known_by_its_mark_or_its_zeros)
{
    reads("\xff\xfeG\0\xf6\0", 6, "Gö", "UTF-16");
    reads("\xfe\xff\0G\0\xf6", 6, "Gö", "UTF-16");
    reads("G\0o\0d\0e\0l\0", 10, "Godel", "UTF-16");
    reads("\0G\0o\0d\0e\0l", 10, "Godel", "UTF-16");
    reads("\xff\xfe\x3d\xd8\x00\xde", 6, "😀", "UTF-16");
    reads("\xff\xfe\x3d\xd8x\0", 6, "\uFFFDx", "UTF-16");
}

TEST_PLAIN(what_is_neither_is_latin)
{
    reads("G\xf6" "del", 5, "Gödel", "Latin-1");
    reads("\x93quoted\x94 \x96 \x81", 12, "“quoted” – \uFFFD", "Latin-1");
}

TEST_PLAIN(a_broken_character_among_many_does_not_change_the_encoding)
{
    reads("äöü\xc3", 7, "äöü\uFFFD", "UTF-8");
}

static bool is_text(const char *bytes, size_t size)
{
    struct extract_text text;
    REQUIRE_OK(extract_charset(bytes, size, &text), false);
    bool is = extract_is_text(&text);
    free(text.at);
    return is;
}

TEST_PLAIN(control_characters_are_no_text)
{
    static const char words[] = "Some words\r\n\twith a page\f and an end.\n";
    static const char image[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\6";
    CHECK(is_text(words, strlen(words)));
    CHECK(!is_text(image, sizeof(image)));
    CHECK(is_text("", 0));
}

static void reads_as(const char *bytes, const char *label, const char *want,
                     const char *charset)
{
    struct extract_text text;
    REQUIRE_OK(extract_charset_as(bytes, strlen(bytes), label, &text));
    CHECK_STR(want, text.at);
    CHECK_STR(charset, text.charset);
    CHECK_EQ(strlen(want), text.len);
    free(text.at);
}

TEST_PLAIN(an_encoding_of_the_web_is_believed)
{
    reads_as("\xcf\xf0\xe8\xe2\xe5\xf2", "windows-1251", "Привет", "CP1251");
    reads_as("\x93\xfa\x96{", "Shift_JIS", "日本", "CP932");
    reads_as("\xc4\xe3\xba\xc3", "gb2312", "你好", "GB18030");
    reads_as("\xc7\xd1\xb1\xdb", "EUC-KR", "한글", "UHC");
    reads_as("\x1b$BF|\x1b(B", "iso-2022-jp", "日", "ISO-2022-JP");
}

TEST_PLAIN(a_mark_and_text_that_is_utf_8_are_believed_more)
{
    reads_as("\xef\xbb\xbf" "ä", "windows-1251", "ä", "UTF-8");
    reads_as("Привет", "windows-1251", "Привет", "UTF-8");
}

TEST_PLAIN(words_that_are_no_encoding_of_the_web_say_nothing)
{
    reads_as("G\xf6" "del", NULL, "Gödel", "Latin-1");
    reads_as("G\xf6" "del", "iso-2022-cn-ext", "Gödel", "Latin-1");
    reads_as("G\xf6" "del", "../../x", "Gödel", "Latin-1");
}

TEST_PLAIN(bytes_that_an_encoding_has_not_are_replaced_one_by_one)
{
    reads_as("\x93\xfa\xff\xff x", "shift_jis", "日\uFFFD\uFFFD x", "CP932");
    reads_as("x\x93", "shift_jis", "x\uFFFD", "CP932");
}
