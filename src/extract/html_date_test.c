/* html_date_test.c - a date as pages state it. */
#include "extract/html_meta.h"

#include "testing/test.h"

static void reads(const char *text, const char *want)
{
    char date[sizeof("2001-02-03")];
    if (CHECK(html_date(date, text)))
        CHECK_STR(want, date);
}

TEST_PLAIN(a_date_is_kept_as_far_as_it_is_stated)
{
    reads("2001-02-03T04:05:06Z", "2001-02-03");
    reads("2001/2/3", "2001-02-03");
    reads("2001.12", "2001-12");
    reads("2001", "2001");
    reads(" 2001-02", "2001-02");
}

TEST_PLAIN(what_cannot_be_is_left_out)
{
    reads("2001-13-01", "2001");
    reads("2001-12-32", "2001-12");
    reads("2001-00-10", "2001");
    reads("2001-123", "2001");
}

TEST_PLAIN(what_is_no_date_is_none)
{
    char date[sizeof("2001-02-03")];
    CHECK(!html_date(date, "May 3, 2001"));
    CHECK(!html_date(date, "20010203"));
    CHECK(!html_date(date, "0999-01-01"));
    CHECK(!html_date(date, ""));
}
