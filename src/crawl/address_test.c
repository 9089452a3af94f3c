#include "crawl/address.h"

#include <string.h>

#include "net/fetch_url.h"
#include "testing/test.h"

static char url[ADDRESS_MAX + 1];
static const char *why;

static const char *read_as(const char *text)
{
    why = "";
    wr_err err = address_read(url, text, &why);
    CHECK_OK(err);
    return err ? why : url;
}

static const char *refused_as(const char *text)
{
    CHECK_ERR(WR_INVALID, address_read(url, text, &why));
    return why;
}

TEST_PLAIN(one_page_has_one_address_however_it_is_written)
{
    static const char *const same[] = {
        "http://example.org", "http://example.org/", "HTTP://EXAMPLE.org:80/",
        "http://example.org#top", "http://example.org/#", " http://example.org/\n",
        "http://example.org/./", "http://example.org/a/..", "http://example.org:80",
        "http://example.org/%2e/" };
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
        CHECK_STR("http://example.org/", read_as(same[i]));
    CHECK_STR("https://example.org/", read_as("https://example.org:443"));
    CHECK_STR("https://example.org/?q=1", read_as("https://example.org?q=1#x"));
}

TEST_PLAIN(what_is_another_page_stays_another)
{
    CHECK_STR("http://example.org:443/", read_as("http://example.org:443"));
    CHECK_STR("https://example.org:8443/A//b/?B=2&A=1", read_as(
              "https://example.org:8443/A//b/?B=2&A=1"));
    CHECK_STR("http://example.org/a%2Fb%3F%23", read_as("http://example.org/a%2fb%3F%23"));
    CHECK_STR("http://example.org/a+b", read_as("http://example.org/a+b"));
}

TEST_PLAIN(characters_that_no_address_has_are_encoded)
{
    CHECK_STR("https://de.wikipedia.org/wiki/K%C3%B6ln",
              read_as("https://de.wikipedia.org/wiki/Köln"));
    CHECK_STR(url, read_as("https://de.wikipedia.org/wiki/K%c3%b6ln"));
    CHECK_STR("http://a.test/x%20y?q=%22a%7Cb%22%20%E2%82%AC",
              read_as("http://a.test/x y?q=\"a|b\" €"));
    CHECK_STR("http://a.test/~x-y_z.html", read_as("http://a.test/%7Ex%2Dy%5Fz%2Ehtml"));
    CHECK_STR("http://a.test/100%25&%25A1", read_as("http://a.test/100%&%%411"));
    CHECK_STR("http://a.test/%FF", read_as("http://a.test/\xff"));
}

TEST_PLAIN(names_in_letters_are_those_that_are_looked_up)
{
    CHECK_STR("http://xn--kln-sna.example/", read_as("http://Köln.example"));
    CHECK_STR("http://xn--kln-sna.example/", read_as("http://KÖLN.example:80/"));
    CHECK_STR("http://xn--kln-sna.example/", read_as("http://xn--kln-sna.example"));
    CHECK_STR("https://xn--fiqs8s.example:8080/a", read_as("https://中国。example:8080/a"));
    CHECK_STR("http://xn--strae-oqa.example/", read_as("http://straße.example/"));
    CHECK_STR("http://127.0.0.1/", read_as("http://１２７.0.0.1/"));
    CHECK_STR("http://[::1]:8080/a", read_as("http://[::1]:8080/a"));
}

TEST_PLAIN(letters_that_turn_into_the_end_of_a_name_are_none_of_it)
{
    CHECK_STR("its host is no name that can be looked up",
              refused_as("http://a.test／b.test/"));
    CHECK_STR("its host is no name that can be looked up", refused_as("http://a.test：80/"));
    CHECK_STR("its host is no name that can be looked up", refused_as("http://a\xff.test/"));
}

TEST_PLAIN(what_is_no_address_is_refused_with_the_reason)
{
    CHECK_STR("it does not begin with http:// or https://", refused_as("ftp://a.test/"));
    CHECK_STR("it does not begin with http:// or https://", refused_as(""));
    CHECK_STR("it has no host", refused_as("http://"));
    CHECK_STR("it has no host", refused_as("https://  "));
    CHECK_STR("it has no host", refused_as("http:///a"));
    CHECK_STR("its host is neither a name nor an address", refused_as("http://a b.test/"));
    CHECK_STR("its host is neither a name nor an address", refused_as("http://a.test\\b/"));
    CHECK_STR("its host is neither a name nor an address", refused_as("http://%61.test/"));
    CHECK_STR("its port is not one of 0 to 65535", refused_as("http://a.test:99999/"));
    CHECK_STR("it carries a user or password, which is kept for nobody",
              refused_as("http://me:secret@a.test/"));
    CHECK_STR("it has a line break, a tab or another character that is none",
              refused_as("http://a.test/x\ny"));
}

TEST_PLAIN(it_may_be_as_long_as_a_page_can_be_kept_by)
{
    static char text[ADDRESS_MAX + 10] = "http://a.test/";
    memset(text + 14, 'x', ADDRESS_MAX - 14);
    CHECK_STR(text, read_as(text));
    text[ADDRESS_MAX] = 'x';
    CHECK_STR("it is longer than 4096 bytes, as it must be encoded", refused_as(text));
    memset(text + 14, ' ', ADDRESS_MAX - 15);
    text[ADDRESS_MAX] = '\0';
    CHECK_STR("it is longer than 4096 bytes, as it must be encoded", refused_as(text));
}

TEST_PLAIN(what_came_out_comes_out_again)
{
    static const char *const texts[] = {
        "http://Köln.example/a b?c d#e", "http://a.test/%zz%4", "https://a.test/%25%32%35",
        "http://0x7f.1/", "http://a.test./", "http://a.test/?", "http://a.test/'(*)!$&,;=:@" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        char once[ADDRESS_MAX + 1];
        struct fetch_url parsed;
        CHECK_OK(address_read(once, texts[i], &why));
        CHECK_STR(once, read_as(once));
        CHECK_OK(fetch_url_parse(&parsed, once, NULL, &why));
        CHECK_STR(once, parsed.text);
        fetch_url_free(&parsed);
    }
}
