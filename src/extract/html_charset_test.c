/* html_charset_test.c - the encoding that a page states. */
#include "extract/html_meta.h"

#include <string.h>

#include "testing/test.h"

static void states(const char *page, const char *want)
{
    char label[HTML_CHARSET_MAX] = "";
    CHECK(html_charset(label, page, strlen(page)) == (want[0] != '\0'));
    CHECK_STR(want, label);
}

TEST_PLAIN(both_ways_of_stating_it_are_known)
{
    states("<html><META CharSet=\"Shift_JIS\">", "Shift_JIS");
    states("<meta charset=koi8-r/>", "koi8-r");
    states("<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>",
           "windows-1251");
}

TEST_PLAIN(anything_else_states_nothing)
{
    states("<p>charset=utf-8", "");
    states("<meta name=a content=b><p charset=x>", "");
    states("<meta charset=>", "");
    states("<meta charset=abcdefghijklmnopqrstuvwxyz0123456789>", "");
    states("<meta charset=utf-8", "");
}
