#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "testing/test.h"

/* ---- the buffer ---- */

TEST_PLAIN(text_is_what_was_added_and_ends_in_a_zero_byte)
{
    char buf[32];
    struct wr_text text = WR_TEXT(buf);
    CHECK_STR("", buf);
    wr_text_str(&text, "queue");
    wr_text_bytes(&text, "=work!", 5);
    wr_text_format(&text, " %d/%s", 3, "4");
    CHECK_STR("queue=work 3/4", buf);
    CHECK_EQ(14, text.len);
    CHECK_EQ(0, text.cut);
}

TEST_PLAIN(text_that_fills_the_buffer_to_the_last_byte_is_not_cut)
{
    char buf[6];
    struct wr_text text = WR_TEXT(buf);
    wr_text_str(&text, "12345");
    CHECK_STR("12345", buf);
    CHECK_EQ(0, text.cut);
}

TEST_PLAIN(what_does_not_fit_is_counted_byte_by_byte)
{
    char buf[6];
    struct wr_text text = WR_TEXT(buf);
    wr_text_str(&text, "1234567");
    CHECK_STR("12345", buf);
    CHECK_EQ(2, text.cut);
    wr_text_format(&text, "%s", "abc");
    CHECK_EQ(5, text.cut);
}

TEST_PLAIN(a_format_is_cut_like_any_other_text)
{
    char buf[6];
    struct wr_text text = WR_TEXT(buf);
    wr_text_format(&text, "%s-%d", "abc", 12345);
    CHECK_STR("abc-1", buf);
    CHECK_EQ(4, text.cut);
}

TEST_PLAIN(nothing_is_added_after_a_cut_even_if_it_would_fit)
{
    char buf[8];
    struct wr_text text = WR_TEXT(buf);
    wr_text_str(&text, "abcd");
    wr_text_u64(&text, 123456);
    CHECK_EQ(6, text.cut);
    wr_text_str(&text, "e");
    wr_text_u64(&text, 7);
    wr_text_format(&text, "%c", 'f');
    wr_text_label(&text, "g", 1);
    CHECK_STR("abcd", buf);
    CHECK_EQ(10, text.cut);
}

TEST_PLAIN(rewinding_forgets_what_came_after_and_its_cut)
{
    char buf[8];
    struct wr_text text = WR_TEXT(buf);
    wr_text_str(&text, "ab");
    size_t mark = text.len;
    wr_text_str(&text, "cdefghij");
    CHECK(text.cut > 0);
    wr_text_rewind(&text, mark);
    CHECK_STR("ab", buf);
    CHECK_EQ(0, text.cut);
    wr_text_str(&text, "xy");
    CHECK_STR("abxy", buf);
}

TEST_PLAIN(the_smallest_buffer_holds_the_empty_text)
{
    char buf[1];
    struct wr_text text = WR_TEXT(buf);
    wr_text_json(&text, "a", 1);
    wr_text_u64(&text, 1);
    CHECK_STR("", buf);
    CHECK_EQ(4, text.cut);
}

TEST_DIES_PLAIN(a_buffer_of_no_bytes_is_a_panic, "assertion failed: cap > 0")
{
    char byte;
    (void)wr_text_over(&byte, 0);
}

TEST_DIES_PLAIN(rewinding_forwards_is_a_panic, "assertion failed: len <= text->len")
{
    char buf[8];
    struct wr_text text = WR_TEXT(buf);
    wr_text_rewind(&text, 1);
}

/* ---- numbers ---- */

static const char *decimal(int64_t value, unsigned digits)
{
    static char buf[64];
    struct wr_text text = WR_TEXT(buf);
    wr_text_decimal(&text, value, digits);
    return text.cut ? "cut" : buf;
}

TEST_PLAIN(numbers_are_written_from_end_to_end_of_their_range)
{
    char buf[128];
    struct wr_text text = WR_TEXT(buf);
    wr_text_u64(&text, 0);
    wr_text_str(&text, " ");
    wr_text_u64(&text, UINT64_MAX);
    wr_text_str(&text, " ");
    wr_text_i64(&text, INT64_MIN);
    wr_text_str(&text, " ");
    wr_text_i64(&text, INT64_MAX);
    wr_text_str(&text, " ");
    wr_text_i64(&text, 0);
    CHECK_STR("0 18446744073709551615 -9223372036854775808 9223372036854775807 0", buf);
}

TEST_PLAIN(decimals_are_exact_and_without_trailing_zeros)
{
    CHECK_STR("0.0015", decimal(1500000, 9));
    CHECK_STR("1", decimal(1000000000, 9));
    CHECK_STR("2.5", decimal(2500000000, 9));
    CHECK_STR("0.000000001", decimal(1, 9));
    CHECK_STR("10.01", decimal(1001, 2));
    CHECK_STR("0", decimal(0, 9));
    CHECK_STR("-0.5", decimal(-500, 3));
    CHECK_STR("-3", decimal(-3000, 3));
    CHECK_STR("42", decimal(42, 0));
    CHECK_STR("9.223372036854775807", decimal(INT64_MAX, 18));
    CHECK_STR("-9223372036.854775808", decimal(INT64_MIN, 9));
}

TEST_PLAIN(a_number_enters_whole_or_not_at_all)
{
    char buf[5];
    struct wr_text text = WR_TEXT(buf);
    wr_text_u64(&text, 12345);
    CHECK_STR("", buf);
    CHECK_EQ(5, text.cut);
    wr_text_rewind(&text, 0);
    wr_text_decimal(&text, 1234, 3);
    CHECK_STR("", buf);
    wr_text_rewind(&text, 0);
    wr_text_u64(&text, 1234);
    CHECK_STR("1234", buf);
}

/* ---- the calendar ---- */

static const char *rfc3339(int64_t ns)
{
    static char buf[40];
    struct wr_text text = WR_TEXT(buf);
    wr_text_rfc3339(&text, (struct wr_wall){ ns });
    return buf;
}

TEST_PLAIN(moments_are_written_as_rfc3339_in_utc_with_microseconds)
{
    CHECK_STR("1970-01-01T00:00:00.000000Z", rfc3339(0));
    CHECK_STR("2001-09-09T01:46:40.123456Z", rfc3339(1000000000123456789));
    CHECK_STR("2000-02-29T23:59:59.999999Z", rfc3339(951868799999999999));
    CHECK_STR("2000-03-01T00:00:00.000000Z", rfc3339(951868800000000000));
    CHECK_STR("1969-12-31T23:59:59.999999Z", rfc3339(-1));
    CHECK_STR("1900-03-01T00:00:00.000000Z", rfc3339(-2203891200000000000));
    CHECK_STR("2262-04-11T23:47:16.854775Z", rfc3339(INT64_MAX));
    CHECK_STR("1677-09-21T00:12:43.145224Z", rfc3339(INT64_MIN));
}

TEST_PLAIN(every_day_of_six_centuries_has_the_date_the_c_library_gives_it)
{
    for (int64_t day = -106000; day < 106000; day++) {
        time_t seconds = day * 86400;
        struct tm tm;
        char want[40];
        gmtime_r(&seconds, &tm);
        strftime(want, sizeof(want), "%Y-%m-%dT00:00:00.000000Z", &tm);
        REQUIRE(CHECK_STR(want, rfc3339(day * 86400 * 1000000000)));
    }
}

/* ---- escaping ---- */

typedef void (*writer_fn)(struct wr_text *text, const char *bytes, size_t len);

static const char *written(writer_fn fn, const char *bytes, size_t len)
{
    static char buf[256];
    struct wr_text text = WR_TEXT(buf);
    fn(&text, bytes, len);
    return text.cut ? "cut" : buf;
}
#define JSON(literal)   written(wr_text_json, literal, sizeof(literal) - 1)
#define LOGFMT(literal) written(wr_text_logfmt, literal, sizeof(literal) - 1)
#define LABEL(literal)  written(wr_text_label, literal, sizeof(literal) - 1)
#define PLAIN(literal)  written(wr_text_plain, literal, sizeof(literal) - 1)

TEST_PLAIN(json_strings_escape_what_json_and_terminals_must_not_see)
{
    CHECK_STR("\"\"", JSON(""));
    CHECK_STR("\"plain /\\u007f\"", JSON("plain /\x7f"));
    CHECK_STR("\"a\\\"b\\\\c\"", JSON("a\"b\\c"));
    CHECK_STR("\"\\n\\r\\t\\u0000\\u001b[2J\"", JSON("\n\r\t\0\033[2J"));
    CHECK_STR("\"\\u009b2J\"",
              JSON("\xc2\x9b"
                   "2J"));
    CHECK_STR("\"Gr\xc3\xbc\xc3\x9f"
              "e \xe2\x82\xac \xf0\x9f\x8c\x8a\"",
              JSON("Gr\xc3\xbc\xc3\x9f"
                   "e \xe2\x82\xac \xf0\x9f\x8c\x8a"));
}

/* Most characters are looked at eight at a time. */
TEST_PLAIN(a_character_is_escaped_alike_wherever_it_stands)
{
    static const char others[] = "abcdefghijklmnopqrst";
    for (int c = 0; c < 256; c++) {
        char one[] = { (char)c }, alone[256], given[sizeof(others)], wanted[512];
        snprintf(alone, sizeof(alone), "%s", written(wr_text_json, one, 1));
        alone[strlen(alone) - 1] = '\0';           /* without its quotes */
        for (int at = 0; at < (int)sizeof(others) - 1; at++) {
            memcpy(given, others, sizeof(others));
            given[at] = (char)c;
            snprintf(wanted, sizeof(wanted), "\"%.*s%s%s\"", at, others, alone + 1,
                     others + at + 1);
            CHECK_STR(wanted, written(wr_text_json, given, sizeof(others) - 1));
        }
    }
}

TEST_PLAIN(bytes_that_are_not_utf8_are_replaced_one_by_one)
{
#define LOST "\xef\xbf\xbd"
    CHECK_STR("\"" LOST "\"", JSON("\xff"));
    CHECK_STR("\"" LOST "a\"",
              JSON("\xc3"
                   "a"));                             /* unfinished */
    CHECK_STR("\"" LOST LOST "\"", JSON("\xe2\x82"));           /* at the end */
    CHECK_STR("\"" LOST LOST "\"", JSON("\xc0\xaf"));           /* too long for its value */
    CHECK_STR("\"" LOST LOST LOST "\"", JSON("\xe0\x80\xaf"));
    CHECK_STR("\"" LOST LOST LOST LOST "\"", JSON("\xf0\x80\x80\xaf"));
    CHECK_STR("\"" LOST LOST LOST "\"", JSON("\xe0\x9f\xbf"));
    CHECK_STR("\"" LOST LOST LOST LOST "\"", JSON("\xf0\x8f\xbf\xbf"));
    CHECK_STR("\"\xe0\xa0\x80\xf0\x90\x80\x80\"", JSON("\xe0\xa0\x80\xf0\x90\x80\x80"));
    CHECK_STR("\"" LOST LOST LOST "\"", JSON("\xed\xa0\x80"));  /* a surrogate */
    CHECK_STR("\"" LOST LOST LOST LOST "\"", JSON("\xf4\x90\x80\x80")); /* beyond U+10FFFF */
    CHECK_STR("\"\xf4\x8f\xbf\xbf\"", JSON("\xf4\x8f\xbf\xbf"));        /* U+10FFFF itself */
    CHECK_STR("\"a" LOST "b\"",
              LOGFMT("a\xff"
                     "b"));
    CHECK_STR("a" LOST "b",
              LABEL("a\xff"
                    "b"));
}

TEST_PLAIN(logfmt_values_are_bare_words_or_quoted)
{
    CHECK_STR("node.work", LOGFMT("node.work"));
    CHECK_STR("Gr\xc3\xbc\xc3\x9f"
              "e",
              LOGFMT("Gr\xc3\xbc\xc3\x9f"
                     "e"));
    CHECK_STR("\"\"", LOGFMT(""));
    CHECK_STR("\"two words\"", LOGFMT("two words"));
    CHECK_STR("\"a=b\"", LOGFMT("a=b"));
    CHECK_STR("\"say \\\"hi\\\"\"", LOGFMT("say \"hi\""));
    CHECK_STR("\"c:\\\\dir\"", LOGFMT("c:\\dir"));
    CHECK_STR("\"line\\nlevel=error\"", LOGFMT("line\nlevel=error"));
    CHECK_STR("\"\\u0085\"", LOGFMT("\xc2\x85"));
}

TEST_PLAIN(plain_text_stays_but_for_what_is_no_utf8)
{
    CHECK_STR("a \"b\"\n", PLAIN("a \"b\"\n"));
    CHECK_STR("Gr\xc3\xbc" LOST, PLAIN("Gr\xc3\xbc\xc3"));
}

TEST_PLAIN(label_values_escape_three_characters_and_no_more)
{
    CHECK_STR("a\\\\b\\\"c\\nd", LABEL("a\\b\"c\nd"));
    CHECK_STR("tab\tstays", LABEL("tab\tstays"));
    CHECK_STR("", LABEL(""));
}

static const char *limited(writer_fn fn, const char *str, size_t cap, size_t *cut)
{
    static char buf[64];
    struct wr_text text = wr_text_over(buf, cap);
    fn(&text, str, strlen(str));
    *cut = text.cut;
    return buf;
}

TEST_PLAIN(a_cut_string_keeps_its_closing_quote_and_whole_characters)
{
    size_t cut;
    CHECK_STR("\"abc\"", limited(wr_text_json, "abc", 6, &cut));
    CHECK_EQ(0, cut);
    CHECK_STR("\"ab\"", limited(wr_text_json, "abc", 5, &cut));
    CHECK_EQ(1, cut);
    CHECK_STR("\"a\"", limited(wr_text_json, "a\nb", 5, &cut));         /* no half of \n */
    CHECK_EQ(3, cut);
    CHECK_STR("\"a\"", limited(wr_text_json, "a\xe2\x82\xac", 6, &cut)); /* no third of it */
    CHECK_EQ(3, cut);
    CHECK_STR("\"\"", limited(wr_text_json, "abc", 3, &cut));
    CHECK_EQ(3, cut);
    CHECK_STR("", limited(wr_text_json, "abc", 2, &cut));               /* no room for quotes */
    CHECK_EQ(5, cut);
    CHECK_STR("a", limited(wr_text_label, "a\\b", 3, &cut));
    CHECK_EQ(3, cut);
}

/* ---- on the heap ---- */

TEST_PLAIN(a_text_on_the_heap_grows_as_it_must)
{
    struct wr_text text = wr_text_heap(100000);
    CHECK_STR("", text.at);
    for (int i = 0; i < 1000; i++) {
        wr_text_u64(&text, 7);
        wr_text_format(&text, "%s,%d;", "abcdefgh", 123456);
    }
    CHECK_EQ(17000, text.len);
    CHECK_EQ(0, text.cut);
    CHECK(strncmp(text.at, "7abcdefgh,123456;7abcdefgh,123456;", 34) == 0);
    CHECK_EQ(17000, strlen(text.at));
    wr_text_rewind(&text, 8);
    CHECK_STR("7abcdefg", text.at);
    wr_text_free(&text);
    CHECK_STR("", text.at);
    wr_text_free(&text);
}

TEST_PLAIN(a_text_on_the_heap_is_cut_at_its_limit_like_any_other)
{
    struct wr_text text = wr_text_heap(11);
    wr_text_str(&text, "12345678");
    wr_text_format(&text, "%s", "90abc");
    CHECK_STR("1234567890", text.at);
    CHECK_EQ(3, text.cut);
    wr_text_str(&text, "x");
    CHECK_EQ(4, text.cut);
    wr_text_rewind(&text, 10);
    CHECK_EQ(0, text.cut);
    wr_text_u64(&text, 1);
    CHECK_STR("1234567890", text.at);
    wr_text_free(&text);
}

TEST_PLAIN(one_long_addition_to_an_empty_text_on_the_heap_fits)
{
    static char long_one[5000];
    memset(long_one, 'a', sizeof(long_one) - 1);
    struct wr_text text = wr_text_heap(8192), formatted = wr_text_heap(8192);
    wr_text_str(&text, long_one);
    wr_text_format(&formatted, "%s", long_one);
    CHECK_STR(long_one, text.at);
    CHECK_STR(long_one, formatted.at);
    wr_text_free(&text);
    wr_text_free(&formatted);
}
