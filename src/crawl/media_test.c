#include "crawl/media.h"

#include <string.h>

#include "testing/test.h"

static enum media_kind sniff(enum media_kind said, const char *text)
{
    return media_sniff(said, text, strlen(text));
}

TEST_PLAIN(a_type_is_read_in_any_case_and_with_its_charset)
{
    struct media media = media_read("Text/HTML ; version=5; Charset=\"Windows-1252\"");
    CHECK_EQ(MEDIA_HTML, media.kind);
    CHECK_STR("windows-1252", media.charset);
    media = media_read("text/plain;charset=UTF-8;charset=latin1");
    CHECK_EQ(MEDIA_PLAIN, media.kind);
    CHECK_STR("utf-8", media.charset);
    CHECK_EQ(MEDIA_XHTML, media_read("application/xhtml+xml").kind);
    CHECK_EQ(MEDIA_PDF, media_read(" application/pdf").kind);
    CHECK_STR("", media_read("application/pdf").charset);
}

TEST_PLAIN(a_charset_without_an_end_or_too_long_is_none)
{
    CHECK_STR("utf-8", media_read("text/html; charset=\"utf-8").charset);
    CHECK_STR("", media_read("text/html; charset=").charset);
    CHECK_STR(
        "",
        media_read("text/html; charset=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa").charset);
}

TEST_PLAIN(other_types_are_told_from_none)
{
    CHECK_EQ(MEDIA_OTHER, media_read("image/png").kind);
    CHECK_EQ(MEDIA_OTHER, media_read("text/htmlx").kind);
    CHECK_EQ(MEDIA_UNKNOWN, media_read(NULL).kind);
    CHECK_EQ(MEDIA_UNKNOWN, media_read("").kind);
    CHECK_EQ(MEDIA_UNKNOWN, media_read("application/octet-stream").kind);
}

TEST_PLAIN(what_was_said_holds_unless_it_is_a_pdf)
{
    CHECK_EQ(MEDIA_PLAIN, sniff(MEDIA_PLAIN, "<html>"));
    CHECK_EQ(MEDIA_OTHER, sniff(MEDIA_OTHER, "<html>"));
    CHECK_EQ(MEDIA_PDF, sniff(MEDIA_HTML, "%PDF-1.7"));
    CHECK_EQ(MEDIA_HTML, sniff(MEDIA_HTML, "%PDF"));
}

TEST_PLAIN(of_what_nothing_is_known_the_beginning_tells)
{
    CHECK_EQ(MEDIA_PDF, sniff(MEDIA_UNKNOWN, "%PDF-1.4\n"));
    CHECK_EQ(MEDIA_HTML, sniff(MEDIA_UNKNOWN, "\xEF\xBB\xBF\r\n <!DOCTYPE HTML>"));
    CHECK_EQ(MEDIA_HTML, sniff(MEDIA_UNKNOWN, "<html lang=en>"));
    CHECK_EQ(MEDIA_PLAIN, sniff(MEDIA_UNKNOWN, "Once upon a time"));
    CHECK_EQ(MEDIA_PLAIN, sniff(MEDIA_UNKNOWN, ""));
    CHECK_EQ(MEDIA_OTHER, media_sniff(MEDIA_UNKNOWN, "\x89PNG\0", 5));
}

TEST_PLAIN(each_kind_has_the_name_it_is_read_by)
{
    for (enum media_kind kind = MEDIA_HTML; kind <= MEDIA_PDF; kind++)
        CHECK_EQ(kind, media_read(media_name(kind)).kind);
    CHECK_STR("application/octet-stream", media_name(MEDIA_OTHER));
}
