/* href_test.c - where a link leads. */
#include "extract/href.h"

#include <string.h>

#include "testing/test.h"

#define BASE "http://a/b/c/d;p?q"

static void leads(const char *href, const char *want)
{
    char url[EXTRACT_HREF_MAX] = "";
    if (CHECK(extract_href(url, BASE, href)))
        CHECK_STR(want, url);
}

static void leads_nowhere(const char *href)
{
    char url[EXTRACT_HREF_MAX];
    CHECK(!extract_href(url, BASE, href));
}

/* RFC 3986, 5.4, without fragments */
TEST_PLAIN(the_examples_of_the_standard_hold)
{
    leads("g", "http://a/b/c/g");
    leads("./g", "http://a/b/c/g");
    leads("g/", "http://a/b/c/g/");
    leads("/g", "http://a/g");
    leads("//g", "http://g/");
    leads("?y", "http://a/b/c/d;p?y");
    leads("g?y", "http://a/b/c/g?y");
    leads("#s", "http://a/b/c/d;p?q");
    leads("g#s", "http://a/b/c/g");
    leads(";x", "http://a/b/c/;x");
    leads("", "http://a/b/c/d;p?q");
    leads(".", "http://a/b/c/");
    leads("..", "http://a/b/");
    leads("../g", "http://a/b/g");
    leads("../..", "http://a/");
    leads("../../g", "http://a/g");
    leads("../../../g", "http://a/g");
    leads("/./g", "http://a/g");
    leads("/../g", "http://a/g");
    leads("g.", "http://a/b/c/g.");
    leads("..g", "http://a/b/c/..g");
    leads("./g/.", "http://a/b/c/g/");
    leads("g/./h", "http://a/b/c/g/h");
    leads("g/../h", "http://a/b/c/h");
    leads("g?y/../x", "http://a/b/c/g?y/../x");
}

TEST_PLAIN(an_address_comes_in_one_form)
{
    leads("HTTPS://Example.ORG:443", "https://example.org/");
    leads("http://example.org:80/x", "http://example.org/x");
    leads("http://example.org:8080/x", "http://example.org:8080/x");
    leads("  /a b\t\n", "http://a/a%20b");
    leads("/ä?ö", "http://a/%C3%A4?%C3%B6");
    leads("\\\\host\\path", "http://host/path");
    leads("/a?b\\c", "http://a/a?b\\c");
    leads("http:g", "http://a/b/c/g");
    leads("ht\ntps://host/", "https://host/");
}

TEST_PLAIN(what_is_no_place_on_the_web_leads_nowhere)
{
    leads_nowhere("javascript:alert(1)");
    leads_nowhere("java\nscript:alert(1)");
    leads_nowhere(" JavaScript:alert(1)");
    leads_nowhere("data:text/html,x");
    leads_nowhere("mailto:a@b.c");
    leads_nowhere("file:///etc/passwd");
    leads_nowhere("https://");
    leads_nowhere("https://:80/");
    leads_nowhere("https:g");
    leads_nowhere("https://user:secret@host/");
    leads_nowhere("https://host name/");
}

TEST_PLAIN(without_a_base_only_absolute_ones_lead_anywhere)
{
    char url[EXTRACT_HREF_MAX];
    CHECK(extract_href(url, NULL, "https://host/x"));
    CHECK_STR("https://host/x", url);
    CHECK(!extract_href(url, NULL, "/x"));
    CHECK(!extract_href(url, NULL, "//host/x"));
}

TEST_PLAIN(too_long_is_nowhere)
{
    char href[2 * EXTRACT_HREF_MAX];
    memset(href, 'x', sizeof(href));
    href[sizeof(href) - 1] = '\0';
    leads_nowhere(href);
    href[EXTRACT_HREF_MAX - 1] = '\0';
    leads_nowhere(href);
}
