#include "base/caveat.h"

#include <string.h>

#include "testing/test.h"

/* The verdict of one caveat, made of this, on a request. */
static bool allows(struct wr_caveat_conf conf, struct wr_token_ask ask)
{
    unsigned char bytes[1000];
    struct wr_cbor_out out = { .at = bytes, .cap = sizeof(bytes) };
    struct wr_caveat caveat;
    caveat_write(&out, &conf);
    struct wr_cbor cbor = wr_cbor_over(bytes, out.len);
    if (!CHECK(caveat_read(&caveat, &cbor)) || !CHECK(wr_cbor_done(&cbor)))
        return false;
    CHECK_EQ(conf.kind, caveat.kind);
    return caveat_judge(&caveat, &ask) == NULL;
}

/* Whether one of this value can be read again. */
static bool readable(struct wr_caveat_conf conf)
{
    unsigned char bytes[1000];
    struct wr_cbor_out out = { .at = bytes, .cap = sizeof(bytes) };
    struct wr_caveat caveat;
    caveat_write(&out, &conf);
    struct wr_cbor cbor = wr_cbor_over(bytes, out.len);
    return caveat_read(&caveat, &cbor);
}

#define CONF(...) \
    (struct wr_caveat_conf) \
    { \
        __VA_ARGS__ \
    }
#define ASK(...) \
    (struct wr_token_ask) \
    { \
        __VA_ARGS__ \
    }
#define TEXTS(...) .texts = (const char *const[]){ __VA_ARGS__ }, \
    .count = sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *)

static bool text_allows(enum wr_caveat_kind kind, const char *text, struct wr_token_ask ask)
{
    return allows(CONF(.kind = kind, TEXTS(text)), ask);
}

TEST_PLAIN(an_audience_is_the_whole_name_of_the_service)
{
    CHECK(text_allows(WR_CAVEAT_AUD, "node", ASK(.aud = "node")));
    CHECK(!text_allows(WR_CAVEAT_AUD, "node", ASK(.aud = "nod")));
    CHECK(!text_allows(WR_CAVEAT_AUD, "node", ASK(.aud = "nodes")));
    CHECK(!text_allows(WR_CAVEAT_AUD, "node", ASK(.policy = "node")));
}

TEST_PLAIN(a_tenant_and_a_policy_are_compared_as_they_are)
{
    CHECK(text_allows(WR_CAVEAT_TENANT, "acme", ASK(.tenant = "acme")));
    CHECK(!text_allows(WR_CAVEAT_TENANT, "acme", ASK(.tenant = "Acme")));
    CHECK(!text_allows(WR_CAVEAT_TENANT, "", ASK(.tenant = NULL)));
    CHECK(text_allows(WR_CAVEAT_GOV_POLICY_DIGEST, "b3:0", ASK(.policy = "b3:0")));
    CHECK(!text_allows(WR_CAVEAT_GOV_POLICY_DIGEST, "b3:0", ASK(.aud = "b3:0")));
}

TEST_PLAIN(a_method_is_one_of_the_list)
{
    struct wr_caveat_conf two = CONF(.kind = WR_CAVEAT_METHOD, TEXTS("GET", "PUT"));
    CHECK(allows(two, ASK(.method = "GET")));
    CHECK(allows(two, ASK(.method = "PUT")));
    CHECK(!allows(two, ASK(.method = "get")));
    CHECK(!allows(two, ASK(.method = NULL)));
    CHECK(!allows(CONF(.kind = WR_CAVEAT_METHOD), ASK(.method = "GET")));
}

TEST_PLAIN(a_path_lies_below_a_prefix_by_whole_segments)
{
    static const struct { const char *prefix, *path; bool below; } cases[] = {
        { "/", "/", true }, { "/", "/a/b", true }, { "/a", "/a", true },
        { "/a", "/a/b", true }, { "/a/", "/a/b", true }, { "/a", "/ab", false },
        { "/a/", "/a", false }, { "/a", "/", false }, { "/a", "", false },
        { "/a", NULL, false }, { "/a", "/b/a", false }, { "/a", "/a/../b", false },
        { "/a", "/a/b/..", false }, { "/a", "/a/..b", true }, { "/a", "/a/...", true },
        { "/a", "/a/..b/..", false }, { "/a", "/A", false },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        CHECK_EQ(cases[i].below, text_allows(WR_CAVEAT_PATH_PREFIX, cases[i].prefix,
                                             ASK(.path = cases[i].path)));
    CHECK(!readable(CONF(.kind = WR_CAVEAT_PATH_PREFIX, TEXTS(""))));
    CHECK(!readable(CONF(.kind = WR_CAVEAT_PATH_PREFIX, TEXTS("a"))));
}

static bool from(const char *network, const char *peer)
{
    struct wr_addr addr;
    CHECK_OK(wr_addr_parse(&addr, peer));
    return text_allows(WR_CAVEAT_IP_CIDR, network, ASK(.peer = &addr));
}

TEST_PLAIN(an_address_lies_within_a_network)
{
    CHECK(from("10.0.0.0/8", "10.255.0.1:1"));
    CHECK(!from("10.0.0.0/8", "11.0.0.1:1"));
    CHECK(from("10.1.2.3", "10.1.2.3:1"));
    CHECK(!from("10.1.2.3", "10.1.2.2:1"));
    CHECK(from("10.1.2.2/31", "10.1.2.3:1"));
    CHECK(!from("10.1.2.2/31", "10.1.2.4:1"));
    CHECK(from("0.0.0.0/0", "1.2.3.4:1"));
    CHECK(!from("0.0.0.0/0", "[2001:db8::1]:1"));
    CHECK(from("0.0.0.0/0", "[::ffff:1.2.3.4]:1"));
    CHECK(from("10.0.0.0/8", "[::ffff:10.2.3.4]:1"));
    CHECK(from("2001:db8::/33", "[2001:db8:7fff::1]:1"));
    CHECK(!from("2001:db8::/33", "[2001:db8:8000::1]:1"));
    CHECK(!from("::/0", "unix:/tmp/a"));
    CHECK(!text_allows(WR_CAVEAT_IP_CIDR, "0.0.0.0/0", ASK(.peer = NULL)));
}

TEST_PLAIN(what_is_no_network_cannot_be_a_caveat)
{
    static const char *const wrong[] = {
        "", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/8 ", "::/129",
        "10.0.0/8", "localhost", "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/4294967304",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        CHECK(!readable(CONF(.kind = WR_CAVEAT_IP_CIDR, TEXTS(wrong[i]))));
}

TEST_PLAIN(a_body_has_at_most_so_many_bytes_and_they_are_known)
{
    struct wr_caveat_conf ten = CONF(.kind = WR_CAVEAT_BYTES_LE, .number = 10);
    CHECK(allows(ten, ASK(.size = 10)));
    CHECK(!allows(ten, ASK(.size = 11)));
    CHECK(!allows(ten, ASK(.size = -1)));
    CHECK(allows(CONF(.kind = WR_CAVEAT_BYTES_LE, .number = UINT64_MAX), ASK(.size = 1)));
}

TEST_PLAIN(amnesia_must_be_as_it_was_asked_for)
{
    CHECK(allows(CONF(.kind = WR_CAVEAT_AMNESIA, .truth = true), ASK(.amnesia = true)));
    CHECK(!allows(CONF(.kind = WR_CAVEAT_AMNESIA, .truth = true), ASK(.amnesia = false)));
    CHECK(!allows(CONF(.kind = WR_CAVEAT_AMNESIA, .truth = false), ASK(.amnesia = true)));
}

TEST_PLAIN(a_scope_is_one_of_those_granted)
{
    struct wr_caveat_conf scopes = CONF(.kind = WR_CAVEAT_CUSTOM, TEXTS("a.read", "a.pin"));
    CHECK(allows(scopes, ASK(.scope = "a.read")));
    CHECK(allows(scopes, ASK(.scope = "a.pin")));
    CHECK(!allows(scopes, ASK(.scope = "a.admin")));
    CHECK(!allows(scopes, ASK(.scope = NULL)));
}

TEST_PLAIN(a_rate_of_nothing_cannot_be_a_caveat)
{
    CHECK(readable(CONF(.kind = WR_CAVEAT_RATE, .rate = { 1, 1 })));
    CHECK(!readable(CONF(.kind = WR_CAVEAT_RATE, .rate = { 0, 1 })));
    CHECK(!readable(CONF(.kind = WR_CAVEAT_RATE, .rate = { 1, 0 })));
}

TEST_PLAIN(a_time_that_no_clock_reaches_cannot_be_a_caveat)
{
    CHECK(!readable(CONF(.kind = WR_CAVEAT_EXP, .number = UINT64_MAX)));
    CHECK(!readable(CONF(.kind = WR_CAVEAT_NBF, .number = INT64_MAX)));
    CHECK(readable(CONF(.kind = WR_CAVEAT_EXP, .number = INT64_MAX / 2)));
}

TEST_PLAIN(a_known_word_with_another_value_cannot_be_read)
{
    for (enum wr_caveat_kind kind = 0; kind < WR_CAVEAT_UNKNOWN; kind++) {
        unsigned char bytes[100];
        struct wr_cbor_out out = { .at = bytes, .cap = sizeof(bytes) };
        struct wr_caveat caveat;
        wr_cbor_put_map(&out, 2);
        wr_cbor_put_key(&out, "t");
        wr_cbor_put_key(&out, caveat_word(kind));
        wr_cbor_put_key(&out, "v");
        wr_cbor_put_bytes(&out, "?", 1);
        struct wr_cbor cbor = wr_cbor_over(bytes, out.len);
        CHECK(!caveat_read(&caveat, &cbor));
    }
}
