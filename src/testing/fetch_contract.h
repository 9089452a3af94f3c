/* fetch_contract.h - what the client promises, whichever transport it has: the same
 * tests by libcurl, over sockets, and in simulation.
 *
 * Whoever includes it defines CONTRACT(name), which a test's body follows; PLAIN, the
 * value of wr_fetch_conf.plain; and SLACK, by how much a deadline may be late.
 */
#ifndef WR_TESTING_FETCH_CONTRACT_H
#define WR_TESTING_FETCH_CONTRACT_H

#include "net/fetch.h"
#include "testing/fetch_rig.h"

RIG struct wr_fetch_client *client_with(struct wr_fetch_conf conf)
{
    struct wr_fetch_client *client = NULL;
    conf.name = "test";
    conf.plain = PLAIN;
    if (!conf.allow && !conf.internal) {
        conf.allow = &loopback;
        conf.allow_count = 1;
    }
    CHECK_OK(wr_fetch_client_new(&client, &conf));
    return client;
}

/* Between them every test has a site and a client. */
#define WITH_SITE(client_conf) \
    struct site site; \
    open_fetch_site(&site, (struct wr_http_conf){ 0 }); \
    struct wr_fetch_client *client = client_with((struct wr_fetch_conf)client_conf)
#define DONE() \
    do { \
        wr_fetch_client_close(client, WR_NOW); \
        close_site(&site); \
    } while (0)
#define CONF(...) { __VA_ARGS__ }

/* ---- requests and answers ---- */

CONTRACT(an_answer_has_status_headers_body_and_where_it_came_from)
{
    WITH_SITE(CONF(0));
    struct wr_fetch_reply reply;
    const char *url = url_of(&site, "/hello");
    CHECK_OK(wr_fetch(client, &(struct wr_fetch_request){ .url = url }, &reply, WR_NEVER));
    CHECK_EQ(200, reply.status);
    CHECK_EQ(5, reply.body_len);
    CHECK_STR("hello", reply.body);
    CHECK_STR("fair", wr_fetch_reply_header(&reply, "x-mood"));
    CHECK_STR("5", wr_fetch_reply_header(&reply, "content-length"));
    CHECK(!wr_fetch_reply_header(&reply, "x-absent"));
    CHECK_STR(url, reply.url);
    CHECK_STR("", reply.why);
    wr_fetch_reply_free(&reply);
    wr_fetch_reply_free(&reply);
    DONE();
}

CONTRACT(any_status_is_an_answer)
{
    WITH_SITE(CONF(0));
    CHECK_STR("404 ", get(client, url_of(&site, "/status/404")));
    CHECK_STR("500 ", get(client, url_of(&site, "/status/500")));
    CHECK_STR("204 ", get(client, url_of(&site, "/status/204")));
    CHECK_STR("302 ", get(client, url_of(&site, "/go/302")));
    DONE();
}

CONTRACT(method_headers_and_body_arrive)
{
    WITH_SITE(CONF(.user_agent = "probe/1"));
    struct wr_fetch_header headers[] = { { "X-Api-Key", "k" }, { "Content-Type", "text/x" },
                                         { "X-Empty", "" } };
    CHECK_STR("200 GET user-agent=probe/1 accept=*/* accept-encoding=gzip, zstd body=",
              get(client, url_of(&site, "/tell")));
    CHECK_STR("200 PUT user-agent=probe/1 accept=*/* accept-encoding=gzip, zstd x-api-key=k "
              "content-type=text/x content-length=3 x-empty= body=abc",
              got(client, &(struct wr_fetch_request){
                  .url = url_of(&site, "/tell"), .method = "PUT", .headers = headers,
                  .header_count = 3, .body = "abc", .body_len = 3 }));
    CHECK_STR("200 POST user-agent=probe/1 accept=*/* accept-encoding=gzip, zstd "
              "content-length=3 body=abc",
              got(client, &(struct wr_fetch_request){ .url = url_of(&site, "/tell"),
                                                      .body = "abc", .body_len = 3 }));
    CHECK_STR("200 DELETE user-agent=probe/1 accept=*/* accept-encoding=gzip, zstd body=",
              got(client, &(struct wr_fetch_request){ .url = url_of(&site, "/tell"),
                                                      .method = "DELETE" }));
    DONE();
}

CONTRACT(the_head_alone_comes_without_a_body)
{
    WITH_SITE(CONF(.body_max = 2));
    struct wr_fetch_reply reply;
    CHECK_OK(wr_fetch(client, &(struct wr_fetch_request){ .url = url_of(&site, "/hello"),
                                                          .method = "HEAD" }, &reply,
                      WR_NEVER));
    CHECK_EQ(200, reply.status);
    CHECK_STR("5", wr_fetch_reply_header(&reply, "content-length"));
    CHECK_EQ(0, reply.body_len);
    wr_fetch_reply_free(&reply);
    DONE();
}

CONTRACT(what_cannot_be_sent_is_refused_with_its_value)
{
    WITH_SITE(CONF(0));
    const char *url = url_of(&site, "/tell");
    struct wr_fetch_header split = { "X-A", "b\r\nX-C: d" }, own = { "Content-Length", "3" },
                           odd = { "X A", "b" };
    CHECK_STR("Invalid: the value of header X-A is not one line",
              got(client, &(struct wr_fetch_request){ .url = url, .headers = &split,
                                                      .header_count = 1 }));
    CHECK_STR("Invalid: the header Content-Length is set by the client itself",
              got(client, &(struct wr_fetch_request){ .url = url, .headers = &own,
                                                      .header_count = 1 }));
    CHECK_STR("Invalid: \"X A\" is no name of a header",
              got(client, &(struct wr_fetch_request){ .url = url, .headers = &odd,
                                                      .header_count = 1 }));
    CHECK_STR("Invalid: \"GET /x\" is no method",
              got(client, &(struct wr_fetch_request){ .url = url, .method = "GET /x" }));
    CHECK_STR("Invalid: \"ftp://a/\": it does not begin with http:// or https://",
              get(client, "ftp://a/"));
    CHECK_EQ(0, wr_fetch_client_stat(client).connects);
    DONE();
}

CONTRACT(chunks_and_a_body_that_ends_with_the_connection_are_bodies)
{
    struct peer chunks, end;
    open_peer(&chunks, "HTTP/1.1 100 Continue\r\nX-Early: y\r\n\r\n"
                       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nX-After: z\r\n\r\n", true);
    open_peer(&end, "HTTP/1.0 200 OK\r\n\r\nto the end", false);
    struct wr_fetch_client *client = client_with((struct wr_fetch_conf){ 0 });
    CHECK_STR("200 abcde", get(client, url_at(chunks.listener, "/")));
    CHECK_STR("200 to the end", get(client, url_at(end.listener, "/")));
    wr_fetch_client_close(client, WR_NOW);
    close_peer(&end);
    close_peer(&chunks);
}

/* ---- failures ---- */

CONTRACT(an_answer_that_breaks_off_is_no_answer)
{
    struct peer body, head, none, noise;
    open_peer(&body, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", false);
    open_peer(&head, "HTTP/1.1 200 OK\r\nConte", false);
    open_peer(&none, "", false);
    open_peer(&noise, "220 smtp.example ESMTP\r\n\r\n", false);
    struct wr_fetch_client *client = client_with((struct wr_fetch_conf){ 0 });
    contains(get(client, url_at(body.listener, "/")), "Io: ");
    contains(get(client, url_at(head.listener, "/")), "Io: ");
    contains(get(client, url_at(none.listener, "/")), "Io: ");
    contains(get(client, url_at(noise.listener, "/")), "Io: ");
    wr_fetch_client_close(client, WR_NOW);
    close_peer(&noise);
    close_peer(&none);
    close_peer(&head);
    close_peer(&body);
}

CONTRACT(a_head_without_end_is_refused)
{
    static char reply[100000];
    struct peer peer;
    size_t len = (size_t)snprintf(reply, sizeof(reply), "HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 200; i++)
        len += (size_t)snprintf(reply + len, sizeof(reply) - len, "X-%d: y\r\n", i);
    snprintf(reply + len, sizeof(reply) - len, "\r\n");
    open_peer(&peer, reply, true);
    struct wr_fetch_client *client = client_with((struct wr_fetch_conf){ 0 });
    contains(get(client, url_at(peer.listener, "/")),
             "cannot be taken: its head has more than 128 fields or 64 KiB");
    wr_fetch_client_close(client, WR_NOW);
    close_peer(&peer);
}

CONTRACT(nobody_there_is_io_and_no_such_name_is_notfound)
{
    struct wr_fetch_client *client = client_with((struct wr_fetch_conf){ 0 });
    struct wr_listener *gone = NULL;
    struct wr_addr addr;
    CHECK_OK(wr_addr_parse(&addr, "127.0.0.1:0"));
    REQUIRE_OK(wr_listen(&gone, &addr));
    const char *url = url_at(gone, "/");
    wr_listener_close(gone);
    contains(get(client, url), "Io: ");
    CHECK_STR("NotFound: the name nobody.invalid has no address",
              get(client, "http://nobody.invalid/"));
    wr_fetch_client_close(client, WR_NOW);
}

/* ---- limits ---- */

CONTRACT(a_body_over_the_limit_is_refused_before_it_is_read)
{
    WITH_SITE(CONF(.body_max = 1000));
    struct wr_fetch *fetch;
    struct wr_fetch_reply head;
    CHECK(get(client, url_of(&site, "/bytes/1000"))[4] == 'x');
    contains(get(client, url_of(&site, "/bytes/1001")),
             "/bytes/1001 has 1001 bytes, at most 1000 are taken");
    CHECK_ERR(WR_DENIED, wr_fetch_open(&fetch, client, &(struct wr_fetch_request){
        .url = url_of(&site, "/bytes/1001") }, &head, WR_NEVER));
    CHECK_OK(wr_fetch_open(&fetch, client, &(struct wr_fetch_request){
        .url = url_of(&site, "/bytes/1001"), .body_max = 1001 }, &head, WR_NEVER));
    wr_fetch_close(fetch);
    wr_fetch_reply_free(&head);
    DONE();
}

CONTRACT(a_body_of_unknown_length_is_refused_where_it_passes_the_limit)
{
    struct peer peer;
    open_peer(&peer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", true);
    struct wr_fetch_client *client = client_with((struct wr_fetch_conf){ .body_max = 4 });
    contains(get(client, url_at(peer.listener, "/")),
             "/ has more bytes, at most 4 are taken");
    wr_fetch_client_close(client, WR_NOW);
    close_peer(&peer);
}

CONTRACT(a_coded_body_is_decoded_and_a_bomb_is_refused)
{
    WITH_SITE(CONF(.body_max = 200000));
    struct wr_fetch_reply reply;
    CHECK_OK(wr_fetch(client, &(struct wr_fetch_request){
        .url = url_of(&site, "/packed/150000") }, &reply, WR_NEVER));
    CHECK_EQ(150000, reply.body_len);
    CHECK_EQ(150000, strspn(reply.body, "abcdefghijklmnop"));
    wr_fetch_reply_free(&reply);
    contains(get(client, url_of(&site, "/packed/250000")),
             "cannot be decoded within its limits: it is larger than is taken");
    contains(get(client, url_of(&site, "/packed/150000?bomb=1")),
             "cannot be decoded within its limits: it grows too much in decoding");
    contains(get(client, url_of(&site, "/unknown")),
             "/unknown is coded as \"br\", which was not asked for");
    DONE();
}

/* ---- redirects ---- */

CONTRACT(redirects_are_followed_as_far_as_the_client_allows)
{
    WITH_SITE(CONF(.redirects = WR_REDIRECT_ORIGIN, .redirects_max = 3));
    struct wr_fetch_reply reply;
    CHECK_OK(wr_fetch(client, &(struct wr_fetch_request){ .url = url_of(&site, "/down/3") },
                      &reply, WR_NEVER));
    CHECK_STR("arrived", reply.body);
    CHECK_STR(url_of(&site, "/down/0"), reply.url);
    wr_fetch_reply_free(&reply);
    contains(get(client, url_of(&site, "/down/4")),
             "/down/1 redirects once more after 3 redirects");
    CHECK_STR("302 ", get(client, url_of(&site, "/go/302?to=http://other.invalid/")));
    contains(get(client, url_of(&site, "/go/302?to=ftp://other.invalid/")),
             "redirects to \"ftp://other.invalid/\": it does not begin with http:// or");
    DONE();
}

CONTRACT(a_redirect_changes_the_method_as_browsers_do)
{
    WITH_SITE(CONF(.redirects = WR_REDIRECT_ANY));
    static const struct { const char *path, *method; } cases[] = {
        { "/go/301", "GET" }, { "/go/302", "GET" },  { "/go/303", "GET" },
        { "/go/307", "POST" }, { "/go/308", "POST" },
    };
    struct wr_fetch_header type = { "Content-Type", "text/x" };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *answer = got(client, &(struct wr_fetch_request){
            .url = url_of(&site, cases[i].path), .body = "abc", .body_len = 3,
            .headers = &type, .header_count = 1 });
        CHECK(strncmp(answer + 4, cases[i].method, strlen(cases[i].method)) == 0);
        CHECK_EQ(cases[i].method[0] == 'P', strstr(answer, "body=abc") != NULL);
        CHECK_EQ(cases[i].method[0] == 'P', strstr(answer, "content-type=text/x") != NULL);
    }
    DONE();
}

CONTRACT(keys_do_not_go_to_another_origin)
{
    struct site other;
    char path[200];
    open_fetch_site(&other, (struct wr_http_conf){ 0 });
    struct wr_once *first_gate = gate;
    WITH_SITE(CONF(.redirects = WR_REDIRECT_ANY));
    struct wr_fetch_header keys[] = { { "Authorization", "Bearer t" }, { "X-Api-Key", "k" },
                                      { "Accept", "text/plain" } };
    snprintf(path, sizeof(path), "/go/307?to=%s", url_of(&other, "/tell"));
    CHECK_STR("200 GET user-agent=weir accept=text/plain accept-encoding=gzip, zstd body=",
              got(client, &(struct wr_fetch_request){ .url = url_of(&site, path),
                                                      .headers = keys, .header_count = 3 }));
    contains(got(client, &(struct wr_fetch_request){ .url = url_of(&site, "/go/307"),
                                                     .headers = keys, .header_count = 3 }),
             "authorization=Bearer t x-api-key=k");
    snprintf(path, sizeof(path), "/go/307?to=%s%s", url_of(&other, "/go/307?to="),
             url_of(&site, "/tell"));
    CHECK(!strstr(got(client, &(struct wr_fetch_request){ .url = url_of(&site, path),
                                                          .headers = keys, .header_count = 3 }),
                  "Bearer"));
    DONE();
    gate = first_gate;
    close_site(&other);
}

/* ---- where it may go ---- */

static const struct wr_fetch_host inside[] = {
    { "inside.example", { .kind = WR_ADDR_IP4, .ip = { 127, 0, 0, 1 } } },
    { "secrets.example", { .kind = WR_ADDR_IP4, .ip = { 169, 254, 169, 254 } } },
};

CONTRACT(internal_addresses_are_refused_however_they_are_written)
{
    struct wr_fetch_client *client;
    static const char *const hosts[] = {
        "127.0.0.1", "2130706433", "0x7f000001", "017700000001", "127.1", "0177.0.0.1",
        "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "10.1.2.3",
        "192.168.0.1", "169.254.169.254", "[fe80::1]", "[fd00::1]", "inside.example",
        "INSIDE.example", "secrets.example", "[64:ff9b::7f00:1]",
    };
    REQUIRE_OK(wr_fetch_client_new(&client, &(struct wr_fetch_conf){
        .name = "test", .plain = PLAIN, .hosts = inside, .host_count = 2 }));
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        char url[100];
        snprintf(url, sizeof(url), "http://%s:8080/", hosts[i]);
        const char *answer = get(client, url);
        contains(answer, "Denied: ");
        contains(answer, "an internal address, where this client does not go");
    }
    CHECK_EQ(0, wr_fetch_client_stat(client).connects);
    wr_fetch_client_close(client, WR_NOW);
}

CONTRACT(a_redirect_does_not_lead_inside)
{
    WITH_SITE(CONF(.redirects = WR_REDIRECT_ANY, .hosts = inside, .host_count = 2));
    contains(get(client, url_of(&site, "/go/302?to=http://169.254.169.254/latest/meta-data/")),
             "Denied: 169.254.169.254 is at 169.254.169.254:80, an internal address");
    contains(get(client, url_of(&site, "/go/302?to=http://secrets.example/")),
             "Denied: secrets.example is at 169.254.169.254:80, an internal address");
    contains(get(client, url_of(&site, "/go/302?to=//[::ffff:10.0.0.7]/")), "Denied: ");
    CHECK_EQ(1, wr_fetch_client_stat(client).connects);
    DONE();
}

CONTRACT(a_name_that_is_allowed_is_reached_by_its_name)
{
    WITH_SITE(CONF(.hosts = inside, .host_count = 2));
    char url[100];
    snprintf(url, sizeof(url), "http://inside.example:%u/hello",
             wr_listener_addr(site.listener)->port);
    CHECK_STR("200 hello", get(client, url));
    DONE();
}

CONTRACT(a_transport_judges_again_where_it_connects)
{
    struct wr_fetch_client *client;
    struct wr_fetch fetch = { 0 };
    const char *why;
    REQUIRE_OK(wr_fetch_client_new(&client, &(struct wr_fetch_conf){ .name = "test",
                                                                     .plain = PLAIN }));
    fetch.client = client;
    REQUIRE_OK(fetch_url_parse(&fetch.url, "http://rebound.example/", NULL, &why));
    struct fetch_ask ask = {
        .method = "GET", .url = &fetch.url, .peer = &fetch.url,
        .addrs = { .list = { { .kind = WR_ADDR_IP4, .port = 80, .ip = { 127, 0, 0, 1 } } },
                   .count = 1 },
    };
    CHECK_ERR(WR_DENIED, client->ops->send(&fetch, &ask, wr_after(WR_S(5)), WR_HERE));
    CHECK_EQ(0, wr_fetch_client_stat(client).connects);
    fetch_url_free(&fetch.url);
    wr_fetch_client_close(client, WR_NOW);
}

CONTRACT(a_proxy_is_asked_for_the_whole_address)
{
    struct peer proxy;
    char at[100];
    open_peer(&proxy, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nvi", true);
    snprintf(at, sizeof(at), "%s", url_at(proxy.listener, ""));
    struct wr_fetch_client *client;
    REQUIRE_OK(wr_fetch_client_new(&client, &(struct wr_fetch_conf){
        .name = "test", .plain = PLAIN, .proxy = at }));
    CHECK_STR("200 vi", get(client, "http://far.example/a?b"));
    contains(proxy.heard, "GET http://far.example/a?b HTTP/1.1\r\n");
    contains(proxy.heard, "Host: far.example\r\n");
    contains(get(client, "http://169.254.169.254/"), "Denied: ");
    wr_fetch_client_close(client, WR_NOW);
    close_peer(&proxy);
}

#include "testing/fetch_contract_life.h"

#endif
