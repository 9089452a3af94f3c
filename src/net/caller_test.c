#include "net/caller.h"

#include <string.h>

#include "testing/http_rig.h"

static const char *share_at(const char *text)
{
    static struct caller caller;
    struct wr_addr addr;
    CHECK_OK(wr_addr_parse(&addr, text));
    caller_at(&caller, &addr);
    return caller.share;
}

TEST(an_address_is_one_whatever_its_port_and_ip6_is_its_64)
{
    CHECK_STR("ip:192.0.2.1:0", share_at("192.0.2.1:7"));
    CHECK_STR("ip:192.0.2.1:0", share_at("192.0.2.1:9"));
    CHECK_STR("ip:192.0.2.1:0", share_at("[::ffff:192.0.2.1]:9"));
    CHECK_STR("ip:[2001:db8:1:2::]:0", share_at("[2001:db8:1:2:3:4:5:6]:7"));
    CHECK_STR("ip:[2001:db8:1:2::]:0", share_at("[2001:db8:1:2::9]:7"));
    CHECK_STR("ip:[2001:db8:1:3::]:0", share_at("[2001:db8:1:3::9]:7"));
    CHECK_STR(CALLER_LOCAL, share_at("unix:/run/weir.sock"));
}

TEST(a_tenant_is_believed_of_a_token_that_is_bound_to_it)
{
    struct wr_addr addr;
    struct caller caller = { 0 }, other = { 0 };
    struct wr_token_verdict verdict = { .id = { 0xab, [15] = 0x01 } };
    CHECK_OK(wr_addr_parse(&addr, "192.0.2.1:7"));
    caller_at(&caller, &addr);
    caller_has(&caller, &verdict, "acme");
    CHECK_STR("ip:192.0.2.1:0", caller.share);
    CHECK_STR("ab000000000000000000000000000001", caller.token);
    verdict.tenant_bound = true;
    caller_has(&caller, &verdict, "acme");
    caller_for(&other, "acme");
    CHECK_STR(other.share, caller.share);
    CHECK(strncmp(caller.share, "tenant:", 7) == 0);
    caller_for(&other, "acme2");
    CHECK(strcmp(other.share, caller.share) != 0);
}

TEST(who_has_a_list_of_scopes_may_do_what_is_in_it)
{
    struct caller caller = { .scopes = "index.read\nmcp.use\n" };
    CHECK(caller_may(&caller, "index.read"));
    CHECK(caller_may(&caller, "mcp.use"));
    CHECK(!caller_may(&caller, "index"));
    CHECK(!caller_may(&caller, "index.reader"));
    CHECK(!caller_may(&caller, "use"));
    caller.scopes = "";
    CHECK(!caller_may(&caller, "mcp.use"));
    caller.scopes = NULL;
    CHECK(caller_may(&caller, "mcp.use"));
}

static wr_err say_share(struct wr_call *call)
{
    wr_call_print(call, "%s", caller_of(call)->share);
    return WR_OK;
}

static wr_err admit_some(void *arg, struct wr_call *call)
{
    (void)arg;
    if (wr_call_header(call, "authorization"))
        caller_for(caller_make(call), "acme");
    return WR_OK;
}

TEST(a_call_is_its_address_unless_who_let_it_in_has_said_more)
{
    static const struct wr_route routes[] = {
        { .method = "GET", .path = "/who", .handler = say_share } };
    struct site site;
    open_site_of(&site, 0, (struct wr_http_conf){ .routes = routes, .count = 1,
                                                  .admit = admit_some });
    CHECK_STR("200 ip:127.0.0.1:0", ask(&site, "GET /who HTTP/1.1\r\nHost: a\r\n"
                                               "X-Tenant: acme\r\n\r\n"));
    CHECK(strncmp("200 tenant:", ask(&site, "GET /who HTTP/1.1\r\nHost: a\r\n"
                                            "Authorization: yes\r\n\r\n"), 11) == 0);
    close_site(&site);
}
