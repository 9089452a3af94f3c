/* glyph_test.c - what a person gets to see of any bytes. */
#include "svc/check/glyph.h"
#include "testing/test.h"

static const char *shown(const char *text)
{
    static char buf[256];
    struct wr_text out = WR_TEXT(buf);
    check_glyphs(&out, text);
    return out.at;
}

#define GONE "\xef\xbf\xbd"

TEST_PLAIN(glyph_leaves_every_script_as_it_is)
{
    const char *text = "Gödel, 深度学习 \u0645\u0631\u062d\u0628\u0627 \U0001f600";
    CHECK_STR(text, shown(text));
}

TEST_PLAIN(glyph_makes_one_line_of_many)
{
    CHECK_STR("a  b c d e", shown("a\r\nb\tc\u2028d\xc2\x85" "e"));
}

TEST_PLAIN(glyph_disarms_what_a_terminal_would_obey)
{
    CHECK_STR(GONE "[2Jx" GONE GONE, shown("\x1b[2Jx\x07\x7f"));
    CHECK_STR(GONE "31m", shown("\xc2\x9b" "31m"));
}

TEST_PLAIN(glyph_disarms_what_turns_the_direction_of_writing)
{
    CHECK_STR(GONE "cod.exe" GONE, shown("\u202e" "cod.exe\u202c"));
    CHECK_STR(GONE "x" GONE, shown("\u2066x\u2069"));
}

TEST_PLAIN(glyph_shows_that_a_byte_is_no_text)
{
    CHECK_STR("a" GONE "b" GONE GONE, shown("a\xff" "b\xe2\x82"));
}

TEST_PLAIN(glyph_shows_nothing_of_no_text)
{
    CHECK_STR("", shown(NULL));
    CHECK_STR("", shown(""));
}
