/* fetch_name_test.c - names: looked up, remembered, judged. */
#include <string.h>

#include "net/fetch.h"
#include "testing/settle.h"
#include "testing/test.h"

static char why[WR_FETCH_WHY_MAX];

static struct wr_fetch_client *client_of(struct wr_fetch_conf conf)
{
    struct wr_fetch_client *client = NULL;
    conf.name = "test";
    conf.plain = true;
    CHECK_OK(wr_fetch_client_new(&client, &conf));
    return client;
}

static wr_err find(struct wr_fetch_client *client, const char *text, struct fetch_addrs *ret,
                   wr_time deadline)
{
    struct fetch_url url;
    const char *clause;
    why[0] = '\0';
    REQUIRE_OK(fetch_url_parse(&url, text, NULL, &clause), WR_INVALID);
    wr_err err = fetch_names_find(client, ret, &url, why, deadline);
    fetch_url_free(&url);
    return err;
}

TEST(a_name_is_looked_up_and_gets_the_port_of_the_url)
{
    struct wr_fetch_client *client = client_of((struct wr_fetch_conf){ .internal = true });
    struct fetch_addrs addrs = { 0 };
    CHECK_OK(find(client, "http://localhost:81/", &addrs, WR_NEVER));
    REQUIRE(addrs.count > 0);
    CHECK(wr_addr_loopback(&addrs.list[0]));
    CHECK_EQ(81, addrs.list[0].port);
    CHECK_OK(find(client, "http://localhost:82/", &addrs, WR_NEVER));
    CHECK_EQ(82, addrs.list[0].port);
    wr_fetch_client_close(client, WR_NOW);
}

TEST(a_name_that_leads_inside_is_refused_with_its_address)
{
    struct wr_fetch_client *client = client_of((struct wr_fetch_conf){ 0 });
    struct fetch_addrs addrs = { 0 };
    CHECK_ERR(WR_DENIED, find(client, "http://localhost/", &addrs, WR_NEVER));
    CHECK(strncmp("localhost is at ", why, 16) == 0);
    CHECK_EQ(0, addrs.count);
    wr_fetch_client_close(client, WR_NOW);
}

TEST(a_lookup_takes_no_longer_than_its_deadline)
{
    struct wr_fetch_client *client = client_of((struct wr_fetch_conf){ .internal = true });
    struct fetch_addrs addrs = { 0 };
    struct wr_scope *scope = scope_open();
    wr_scope_cancel(scope);
    wr_scope_enter(scope);
    CHECK_ERR(WR_CANCELED, find(client, "http://localhost/", &addrs, WR_NEVER));
    wr_scope_leave(scope);
    CHECK_OK(wr_scope_close(scope));
    CHECK_OK(find(client, "http://localhost/", &addrs, WR_NEVER));
    wr_fetch_client_close(client, WR_NOW);
}

static _Atomic int found;

static wr_err find_localhost(void *arg)
{
    struct fetch_addrs addrs = { 0 };
    struct fetch_url url;
    const char *clause;
    char own_why[WR_FETCH_WHY_MAX];
    REQUIRE_OK(fetch_url_parse(&url, "http://localhost/", NULL, &clause), WR_INVALID);
    wr_err err = fetch_names_find(arg, &addrs, &url, own_why, WR_NEVER);
    if (!err && addrs.count > 0)
        atomic_fetch_add(&found, 1);
    fetch_url_free(&url);
    return err;
}

TEST(many_may_ask_at_the_same_time)
{
    struct wr_fetch_client *client = client_of((struct wr_fetch_conf){ .internal = true,
                                                                       .lookups_max = 2 });
    struct wr_scope *scope = scope_open();
    atomic_store(&found, 0);
    for (int i = 0; i < 100; i++)
        CHECK_OK(wr_scope_go(scope, "test.finder", find_localhost, client));
    scope_done(scope);
    CHECK_EQ(100, found);
    wr_fetch_client_close(client, WR_NOW);
}

static bool reaches(const struct wr_fetch_client *client, const char *ip)
{
    struct wr_addr addr;
    REQUIRE_OK(wr_addr_parse_ip(&addr, ip, 80), false);
    return fetch_may_reach(client, &addr);
}

TEST(ranges_allow_what_is_inside_of_them_and_nothing_else)
{
    static const struct wr_fetch_range ranges[] = {
        { .ip = { .kind = WR_ADDR_IP4, .ip = { 10, 64 } }, .bits = 10 },
        { .ip = { .kind = WR_ADDR_IP4, .ip = { 192, 168, 1, 7 } }, .bits = 32 },
        { .ip = { .kind = WR_ADDR_IP6, .ip = { 0xfd, 0x12 } }, .bits = 16 },
    };
    struct wr_fetch_client *client = client_of((struct wr_fetch_conf){ .allow = ranges,
                                                                       .allow_count = 3 });
    CHECK(reaches(client, "10.64.0.1") && reaches(client, "10.127.255.255"));
    CHECK(!reaches(client, "10.63.255.255") && !reaches(client, "10.128.0.0"));
    CHECK(reaches(client, "192.168.1.7") && !reaches(client, "192.168.1.6"));
    CHECK(reaches(client, "fd12::1") && !reaches(client, "fd13::1"));
    CHECK(!reaches(client, "127.0.0.1") && !reaches(client, "::ffff:10.64.0.1"));
    CHECK(reaches(client, "8.8.8.8") && reaches(client, "2606:4700::1"));
    wr_fetch_client_close(client, WR_NOW);
}

TEST(the_proxy_is_not_judged)
{
    struct wr_fetch_client *client = client_of((struct wr_fetch_conf){
        .proxy = "http://127.0.0.1:3128" });
    struct fetch_addrs addrs = { 0 };
    CHECK_OK(fetch_names_find(client, &addrs, &client->proxy, why, WR_NEVER));
    CHECK_EQ(3128, addrs.list[0].port);
    wr_fetch_client_close(client, WR_NOW);
}
