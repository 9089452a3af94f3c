#include <weir/addr.h>

#include <string.h>

#include "testing/test.h"

static void check_round_trip(const char *text)
{
    struct wr_addr addr;
    char buf[WR_ADDR_TEXT_MAX];
    REQUIRE_OK(wr_addr_parse(&addr, text));
    CHECK_STR(text, wr_addr_print(&addr, buf));
}

TEST_PLAIN(an_address_is_printed_as_it_was_read)
{
    check_round_trip("127.0.0.1:8080");
    check_round_trip("0.0.0.0:0");
    check_round_trip("255.255.255.255:65535");
    check_round_trip("[::1]:8080");
    check_round_trip("[2001:db8::1]:443");
    check_round_trip("[::ffff:1.2.3.4]:80");
    check_round_trip("unix:/run/weir.sock");
    check_round_trip("unix:relative.sock");
}

TEST_PLAIN(the_parts_of_an_address_are_where_they_belong)
{
    struct wr_addr addr;
    CHECK_OK(wr_addr_parse(&addr, "10.1.2.3:258"));
    CHECK_EQ(WR_ADDR_IP4, addr.kind);
    CHECK_EQ(258, addr.port);
    CHECK(memcmp(addr.ip, (unsigned char[]){ 10, 1, 2, 3 }, 4) == 0);
    CHECK_OK(wr_addr_parse(&addr, "unix:/tmp/x"));
    CHECK_EQ(WR_ADDR_UNIX, addr.kind);
    CHECK_STR("/tmp/x", addr.path);
}

TEST_PLAIN(what_is_no_address_is_refused_and_nothing_is_changed)
{
    static const char *const wrong[] = {
        "", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:65536",
        "127.0.0.1:999999", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1: 80", "127.0.0.1:80 ",
        "127.0.0.1:80x", "localhost:80", "127.0.0:80", "127.1:80", "0x7f.0.0.1:80",
        "256.0.0.1:80", "::1:80", "[::1]", "[::1]80", "[::1:80", "::1]:80", "[127.0.0.1]:80",
        "[]:80", "[::1%eth0]:80", "[fe80::1]:80:80", "unix:", "unix",
        "[1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb]:1",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct wr_addr addr = { .port = 7 };
        if (!CHECK_ERR(WR_INVALID, wr_addr_parse(&addr, wrong[i])))
            CHECK_STR("refused", wrong[i]);
        CHECK_EQ(7, addr.port);
        CHECK_EQ(WR_ADDR_NONE, addr.kind);
    }
}

TEST_PLAIN(a_path_that_a_socket_cannot_have_is_refused)
{
    struct wr_addr addr;
    char text[200] = "unix:";
    memset(text + 5, 'p', 107);
    CHECK_OK(wr_addr_parse(&addr, text));
    text[5 + 107] = 'p';
    CHECK_ERR(WR_INVALID, wr_addr_parse(&addr, text));
}

TEST_PLAIN(addresses_are_equal_by_kind_place_and_port)
{
    struct wr_addr a, b;
    CHECK_OK(wr_addr_parse(&a, "1.2.3.4:5"));
    CHECK_OK(wr_addr_parse(&b, "1.2.3.4:5"));
    CHECK(wr_addr_equal(&a, &b));
    CHECK_OK(wr_addr_parse(&b, "1.2.3.4:6"));
    CHECK(!wr_addr_equal(&a, &b));
    CHECK_OK(wr_addr_parse(&b, "[::ffff:1.2.3.4]:5"));
    CHECK(!wr_addr_equal(&a, &b));
    CHECK_OK(wr_addr_parse(&a, "unix:/a"));
    CHECK_OK(wr_addr_parse(&b, "unix:/a"));
    CHECK(wr_addr_equal(&a, &b));
    CHECK_OK(wr_addr_parse(&b, "unix:/b"));
    CHECK(!wr_addr_equal(&a, &b));
}

static struct wr_addr ip(const char *text)
{
    struct wr_addr addr = { 0 };
    if (!CHECK_OK(wr_addr_parse_ip(&addr, text, 80)))
        CHECK_STR("an address", text);
    return addr;
}

TEST_PLAIN(loopback_is_this_machine_and_nothing_else)
{
    static const char *const here[] = { "127.0.0.1", "127.255.255.254", "::1",
                                        "::ffff:127.0.0.1" };
    static const char *const elsewhere[] = { "128.0.0.1", "126.255.255.255", "0.0.0.0", "::",
                                             "::2", "10.0.0.1", "::ffff:10.0.0.1",
                                             "2002:7f00:1::" };
    for (size_t i = 0; i < sizeof(here) / sizeof(here[0]); i++)
        CHECK(wr_addr_loopback(&(struct wr_addr[]){ ip(here[i]) }[0]));
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
        CHECK(!wr_addr_loopback(&(struct wr_addr[]){ ip(elsewhere[i]) }[0]));
}

/* The last address inside each range and the first outside it. */
TEST_PLAIN(internal_addresses_are_told_from_public_ones_at_the_edges)
{
    static const char *const internal[] = {
        "0.0.0.0", "0.255.255.255", "10.255.255.255", "100.64.0.0", "100.127.255.255",
        "127.0.0.1", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.1",
        "192.0.2.1", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.1",
        "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.0", "255.255.255.255",
        "::", "::1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::7f00:1",
        "64:ff9b::a00:1", "64:ff9b:1::1", "2002:a00:1::", "2002:c0a8:101::1",
        "2001:0:4136:e378:8000:63bf:f5ff:fffe", "2001:db8::1", "3fff::1", "fc00::1",
        "fdff:ffff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "100::1", "5f00::1",
    };
    static const char *const outside[] = {
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.0.0.1",
        "128.0.0.1", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
        "198.20.0.0", "198.51.101.0", "203.0.114.0", "223.255.255.255", "8.8.8.8",
        "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
        "2001:0:4136:e378:8000:63bf:f7f7:f7f7", "2606:4700::1111", "2a00:1450::1",
        "fbff:ffff::1", "fe00::1", "100:0:0:1::1",
    };
    for (size_t i = 0; i < sizeof(internal) / sizeof(internal[0]); i++) {
        struct wr_addr addr = ip(internal[i]);
        if (!CHECK(wr_addr_internal(&addr)))
            CHECK_STR("internal", internal[i]);
    }
    for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
        struct wr_addr addr = ip(outside[i]);
        if (!CHECK(!wr_addr_internal(&addr)))
            CHECK_STR("public", outside[i]);
    }
}

TEST_PLAIN(a_unix_socket_and_no_address_at_all_are_never_public)
{
    CHECK(wr_addr_internal(&(struct wr_addr){ .kind = WR_ADDR_UNIX, .path = "/x" }));
    CHECK(wr_addr_internal(&(struct wr_addr){ 0 }));
    CHECK(wr_addr_loopback(&(struct wr_addr){ .kind = WR_ADDR_UNIX, .path = "/x" }));
    CHECK(!wr_addr_loopback(&(struct wr_addr){ 0 }));
}
