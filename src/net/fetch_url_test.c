/* fetch_url_test.c - URLs and their parts; what is none. */
#include "net/fetch_url.h"

#include <stdio.h>
#include <string.h>

#include "testing/test.h"

static const char *why;

static const char *text_of(const char *text)
{
    static char kept[400];
    struct fetch_url url;
    if (!CHECK_OK(fetch_url_parse(&url, text, NULL, &why)))
        return "";
    strncpy(kept, url.text, sizeof(kept) - 1);
    fetch_url_free(&url);
    return kept;
}

static const char *against(const char *base_text, const char *text)
{
    static char kept[400];
    struct fetch_url base, url;
    REQUIRE_OK(fetch_url_parse(&base, base_text, NULL, &why), "");
    if (CHECK_OK(fetch_url_parse(&url, text, &base, &why)))
        strncpy(kept, url.text, sizeof(kept) - 1);
    fetch_url_free(&url);
    fetch_url_free(&base);
    return kept;
}

TEST_PLAIN(a_url_has_its_parts)
{
    struct fetch_url url;
    size_t len;
    REQUIRE_OK(fetch_url_parse(&url, "https://Example.COM:8443/A/b?q=1&r=%20#part", NULL,
                               &why));
    CHECK_STR("https://example.com:8443/A/b?q=1&r=%20", url.text);
    CHECK_STR("example.com", url.host);
    CHECK_STR("/A/b?q=1&r=%20", url.target);
    CHECK_EQ(8443, url.port);
    CHECK(url.tls);
    CHECK_EQ(WR_ADDR_NONE, url.ip.kind);
    CHECK(strncmp("example.com:8443", fetch_url_authority(&url, &len), 16) == 0);
    CHECK_EQ(16, len);
    fetch_url_free(&url);
}

TEST_PLAIN(the_default_port_and_an_empty_path_are_written_one_way)
{
    CHECK_STR("http://a.example/", text_of("http://a.example"));
    CHECK_STR("http://a.example/", text_of("HTTP://a.example:80/"));
    CHECK_STR("https://a.example/?x", text_of("https://a.example:443?x"));
    CHECK_STR("http://a.example:443/", text_of("http://a.example:443/"));
    CHECK_STR("http://a.example/b", text_of("http://a.example/a/../b"));
}

TEST_PLAIN(an_address_is_known_in_all_its_spellings)
{
    static const char *const spellings[] = {
        "http://127.0.0.1:80/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/",
        "http://017700000001/", "http://0177.0.0.1/", "http://127.1/",
    };
    struct fetch_url url;
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        REQUIRE_OK(fetch_url_parse(&url, spellings[i], NULL, &why));
        CHECK_STR("127.0.0.1", url.host);
        CHECK(wr_addr_loopback(&url.ip));
        CHECK_EQ(80, url.ip.port);
        fetch_url_free(&url);
    }
    REQUIRE_OK(fetch_url_parse(&url, "http://[::FFFF:127.0.0.1]:81/", NULL, &why));
    CHECK(wr_addr_loopback(&url.ip));
    CHECK_EQ(81, url.ip.port);
    fetch_url_free(&url);
}

TEST_PLAIN(a_location_may_be_relative)
{
    CHECK_STR("http://a.example/x/z?q", against("http://a.example/x/y?p", "z?q"));
    CHECK_STR("http://a.example/z", against("http://a.example/x/y", "/z"));
    CHECK_STR("http://b.example/z", against("http://a.example/x/y", "//b.example/z"));
    CHECK_STR("https://b.example/", against("http://a.example/x/y", "https://b.example"));
    CHECK_STR("http://a.example/x/a%20b", against("http://a.example/x/y", "a b"));
}

static void refused(const char *text, const char *reason)
{
    struct fetch_url url;
    CHECK_ERR(WR_INVALID, fetch_url_parse(&url, text, NULL, &why));
    CHECK_STR(reason, why);
}

TEST_PLAIN(what_is_no_http_url_is_refused_with_the_reason)
{
    static char long_url[FETCH_URL_MAX + 10];
    refused("ftp://a.example/", "it does not begin with http:// or https://");
    refused("file:///etc/passwd", "it does not begin with http:// or https://");
    refused("gopher://a.example/", "it does not begin with http:// or https://");
    refused("a.example/x", "it does not begin with http:// or https://");
    refused("", "it does not begin with http:// or https://");
    refused("http://", "its host is neither a name nor an address");
    refused("http://u:p@a.example/",
            "it carries a user or password; put them into a header");
    refused("http://a.example:99999/", "its port is not one of 0 to 65535");
    refused("http://[::1%25lo]/", "its address names an interface");
    refused("http://[fe80::zz]/", "its host is neither a name nor an address");
    refused("http://a.example/a b", "it is no URL");
    refused("http://a.example/\r\nX: y", "it is no URL");
    refused("http://a.example/\xc3\xa4", "it has characters that must be encoded: %20 for a "
                                         "space, xn-- for names that are not ASCII");
    size_t len = (size_t)snprintf(long_url, sizeof(long_url), "http://a/");
    memset(long_url + len, 'a', sizeof(long_url) - 1 - len);
    refused(long_url, "it is longer than 8192 bytes");
}

TEST_PLAIN(an_origin_is_scheme_host_and_port)
{
    static const struct { const char *a, *b; bool same; } pairs[] = {
        { "http://a.example/x", "http://A.example:80/y", true },
        { "http://a.example/", "https://a.example/", false },
        { "http://a.example/", "http://a.example:81/", false },
        { "http://a.example/", "http://b.example/", false },
    };
    for (int i = 0; i < 4; i++) {
        struct fetch_url a, b;
        REQUIRE_OK(fetch_url_parse(&a, pairs[i].a, NULL, &why));
        REQUIRE_OK(fetch_url_parse(&b, pairs[i].b, NULL, &why));
        CHECK_EQ(pairs[i].same, fetch_url_same_origin(&a, &b));
        fetch_url_free(&a);
        fetch_url_free(&b);
    }
}
