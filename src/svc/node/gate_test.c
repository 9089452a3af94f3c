/* gate_test.c - who is let in, and who is told what instead. */
#include "svc/node/gate.h"

#include <weir/task.h>

#include "testing/h2_rig.h"

static struct gate *gate_under_test;
static struct wr_secret *admin_token;
static struct wr_token_key key = { .kid = "test" };

static wr_err admit_by_gate(void *arg, struct wr_call *call)
{
    (void)arg;
    return gate_admit(gate_under_test, call);
}

static const struct wr_route doors[] = {
    { .method = "GET", .path = "/health", .handler = nothing, .class = WR_ROUTE_PRIORITY },
    { .method = "GET", .path = "/work", .handler = nothing },
    { .method = "GET", .path = "/admin", .handler = nothing, .scope = GATE_ADMIN },
};

static void open_gate(struct site *site, bool open, const char *admin)
{
    char bytes[33];
    struct wr_secret *secret;
    memset(bytes, 'k', sizeof(bytes));
    CHECK_OK(wr_secret_new(&secret, bytes, WR_TOKEN_KEY_SIZE));
    key.secret = secret;
    admin_token = NULL;
    snprintf(bytes, sizeof(bytes), "%s", admin ? admin : "");
    if (admin)
        CHECK_OK(wr_secret_new(&admin_token, bytes, strlen(bytes)));
    CHECK_OK(gate_new(&gate_under_test, &(struct gate_conf){
        .open = open, .admin = admin_token, .keys = &key, .key_count = 1 }));
    open_site_of(site, 0, (struct wr_http_conf){ .routes = doors, .count = 3,
                                                 .admit = admit_by_gate });
}

static void close_gate(struct site *site)
{
    close_site(site);
    gate_free(gate_under_test);
    wr_secret_unref(admin_token);
    wr_secret_unref((struct wr_secret *)(uintptr_t)key.secret);
}

/* The header with a token of these caveats. */
static const char *token_with(const struct wr_caveat_conf *caveats, size_t count)
{
    static char header[WR_TOKEN_TEXT_MAX + 100];
    char text[WR_TOKEN_TEXT_MAX];
    struct wr_token token;
    CHECK_OK(wr_token_mint(&token, &key, "somebody"));
    for (size_t i = 0; i < count; i++)
        CHECK_OK(wr_token_add(&token, &key, &caveats[i]));
    size_t len = wr_token_print(&token, text);
    snprintf(header, sizeof(header), "Host: example.org\r\nAuthorization: Bearer %.*s\r\n",
             (int)len, text);
    return header;
}

/* The status of a GET with these headers. */
static int status_of(struct site *site, const char *path, const char *headers)
{
    char text[WR_TOKEN_TEXT_MAX + 300];
    snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\n%s\r\n", path, headers);
    return (int)strtol(ask(site, text), NULL, 10);
}

TEST(on_loopback_no_token_is_needed_by_this_machines_names)
{
    struct site site;
    open_gate(&site, true, NULL);
    static const char *const hosts[] = { "localhost", "LocalHost:8080", "127.0.0.1:1",
                                         "127.9.9.9", "[::1]", "[::1]:8080" };
    for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
        char header[60];
        snprintf(header, sizeof(header), "Host: %s\r\n", hosts[i]);
        CHECK_EQ(204, status_of(&site, "/work", header));
        CHECK_EQ(204, status_of(&site, "/admin", header));
    }
    close_gate(&site);
}

TEST(on_loopback_another_host_is_refused_on_every_route)
{
    struct site site;
    open_gate(&site, true, NULL);
    static const char *const hosts[] = { "example.org", "localhost.example.org", "10.0.0.1",
                                         "127.0.0.1.example.org", "[::2]", "localhost:",
                                         "localhost:80x" };
    for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
        char header[60];
        snprintf(header, sizeof(header), "Host: %s\r\n", hosts[i]);
        CHECK_EQ(403, status_of(&site, "/work", header));
        CHECK_EQ(403, status_of(&site, "/health", header));
    }
    close_gate(&site);
}

TEST(on_loopback_another_host_is_refused_by_http_2_too)
{
    struct site site;
    open_gate(&site, true, NULL);
    CHECK_STR("204", ask2(&site, "GET /work HTTP/1.1\r\nHost: localhost:80\r\n\r\n"));
    CHECK(strncmp(ask2(&site, "GET /work HTTP/1.1\r\nHost: example.org\r\n\r\n"), "403 ", 4)
          == 0);
    CHECK(strncmp(ask2(&site, "GET /work HTTP/1.1\r\nHost: localhost\r\n"
                              "Origin: http://example.org\r\n\r\n"),
                  "403 ", 4)
          == 0);
    close_gate(&site);
}

TEST(on_loopback_a_page_from_elsewhere_may_not_call)
{
    struct site site;
    open_gate(&site, true, NULL);
    CHECK_EQ(204, status_of(&site, "/work",
                            "Host: localhost:80\r\nOrigin: http://localhost:80\r\n"));
    CHECK_EQ(403, status_of(&site, "/work",
                            "Host: localhost:80\r\nOrigin: http://localhost:81\r\n"));
    CHECK_EQ(403, status_of(&site, "/work", "Host: localhost\r\nOrigin: null\r\n"));
    CHECK_EQ(403, status_of(&site, "/work",
                            "Host: localhost\r\nOrigin: http://example.org\r\n"));
    close_gate(&site);
}

TEST(on_loopback_who_names_no_host_is_refused_wherever_it_comes_from)
{
    struct site site;
    open_gate(&site, true, "open sesame");
    static const char *const asks[] = {
        "GET /work HTTP/1.0\r\n\r\n",
        "GET /health HTTP/1.0\r\n\r\n",
        "GET /work HTTP/1.0\r\nOrigin: http://evil.example\r\n\r\n",
        "GET /work HTTP/1.0\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof(asks) / sizeof(*asks); i++)
        CHECK(strncmp(ask(&site, asks[i]), "403 ", 4) == 0);
    CHECK_STR("204", ask(&site, "GET /work HTTP/1.0\r\nHost: localhost\r\n\r\n"));
    CHECK_STR("204", ask(&site, "GET /admin HTTP/1.0\r\n"
                                "Authorization: Bearer open sesame\r\n\r\n"));
    close_gate(&site);
}

TEST(elsewhere_a_token_is_needed_for_all_but_health)
{
    struct site site;
    open_gate(&site, false, "open sesame");
    CHECK_EQ(204, status_of(&site, "/health", "Host: example.org\r\n"));
    CHECK_EQ(401, status_of(&site, "/work", "Host: example.org\r\n"));
    CHECK(strstr(answer_head, "WWW-Authenticate: Bearer"));
    CHECK_EQ(204, status_of(&site, "/work",
                            "Host: example.org\r\nAuthorization: Bearer open sesame\r\n"));
    close_gate(&site);
}

TEST(an_admin_needs_the_admins_token_where_there_is_one)
{
    struct site site;
    open_gate(&site, true, "open sesame");
    CHECK_EQ(401, status_of(&site, "/admin", "Host: localhost\r\n"));
    CHECK_EQ(401, status_of(&site, "/admin",
                            "Host: localhost\r\nAuthorization: Bearer open barley\r\n"));
    CHECK_EQ(204, status_of(&site, "/admin",
                            "Host: localhost\r\nAuthorization: bearer  open sesame\r\n"));
    close_gate(&site);
}

TEST(elsewhere_and_without_a_token_there_is_no_admin)
{
    struct site site;
    open_gate(&site, false, NULL);
    CHECK_EQ(401, status_of(&site, "/admin", "Host: example.org\r\n"));
    close_gate(&site);
}

TEST(a_capability_lets_in_whom_it_allows)
{
    struct site site;
    open_gate(&site, false, NULL);
    const char *const scope = GATE_ADMIN, *const path = "/admin", *const other = "/elsewhere";
    struct wr_caveat_conf right[] = {
        { .kind = WR_CAVEAT_CUSTOM, .texts = &scope, .count = 1 },
        { .kind = WR_CAVEAT_PATH_PREFIX, .texts = &path, .count = 1 },
    };
    struct wr_caveat_conf wrong[] = { { .kind = WR_CAVEAT_PATH_PREFIX, .texts = &other,
                                        .count = 1 } };
    CHECK_EQ(204, status_of(&site, "/admin", token_with(right, 2)));
    CHECK_EQ(403, status_of(&site, "/work", token_with(right, 2)));
    CHECK_EQ(403, status_of(&site, "/admin", token_with(wrong, 1)));
    CHECK_EQ(204, status_of(&site, "/work", token_with(NULL, 0)));
    close_gate(&site);
}

TEST(a_capability_past_its_time_lets_nobody_in)
{
    struct site site;
    open_gate(&site, false, NULL);
    struct wr_caveat_conf past[] = { { .kind = WR_CAVEAT_EXP,
                                       .number = (uint64_t)(wr_wall().ns / WR_S(1)) - 61 } };
    CHECK_EQ(401, status_of(&site, "/work", token_with(past, 1)));
    close_gate(&site);
}

TEST(the_rate_of_a_capability_is_kept)
{
    struct site site;
    open_gate(&site, false, NULL);
    struct wr_caveat_conf rate[] = { { .kind = WR_CAVEAT_RATE,
                                       .rate = { .per_s = 10, .burst = 2 } } };
    CHECK_EQ(204, status_of(&site, "/work", token_with(rate, 1)));
    CHECK_EQ(204, status_of(&site, "/work", token_with(rate, 1)));
    CHECK_EQ(429, status_of(&site, "/work", token_with(rate, 1)));
    CHECK_OK(wr_sleep(wr_after(WR_MS(100))));
    CHECK_EQ(204, status_of(&site, "/work", token_with(rate, 1)));
    CHECK_EQ(429, status_of(&site, "/work", token_with(rate, 1)));
    close_gate(&site);
}

/* A use of the token of this name, which allows one a second. */
static wr_err use(int name, const char **ret_why)
{
    char text[WR_TOKEN_TEXT_MAX], id[20];
    struct wr_token token;
    struct wr_addr peer = { .kind = WR_ADDR_IP4, .ip = { 192, 0, 2, 1 } };
    struct wr_caveat_conf rate = { .kind = WR_CAVEAT_RATE, .rate = { .per_s = 1, .burst = 1 } };
    snprintf(id, sizeof(id), "holder%d", name);
    CHECK_OK(wr_token_mint(&token, &key, id));
    CHECK_OK(wr_token_add(&token, &key, &rate));
    size_t len = wr_token_print(&token, text);
    return gate_capability(gate_under_test, &(struct gate_ask){
        .peer = &peer, .size = -1, .cap = text, .cap_len = len }, ret_why);
}

TEST(a_token_gets_nothing_back_by_making_the_gate_forget_it)
{
    struct site site;
    const char *why;
    int refused = 0;
    open_gate(&site, false, NULL);
    CHECK_OK(use(0, &why));
    for (int i = 1; i < 6000; i++) {            /* more than are told apart */
        wr_err err = use(i, &why);
        CHECK(!err || err == WR_BUSY);
        refused += err != WR_OK;
    }
    CHECK_EQ(6000 - 4096, refused);
    CHECK_STR("more tokens with a rate are in use than can be told apart", why);
    CHECK_ERR(WR_BUSY, use(0, &why));
    CHECK_STR("the token is used more often than it allows", why);
    CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK_OK(use(5999, &why));
    close_gate(&site);
}

/* Somebody from elsewhere, with a token that has this caveat; without one: without a token. */
static wr_err come(const struct wr_caveat_conf *caveat, struct gate_ask ask)
{
    char text[WR_TOKEN_TEXT_MAX];
    struct wr_token token;
    const char *why;
    struct wr_addr peer = { .kind = WR_ADDR_IP4, .ip = { 192, 0, 2, 1 } };
    ask.peer = &peer;
    ask.size = -1;
    if (caveat) {
        CHECK_OK(wr_token_mint(&token, &key, "holder"));
        CHECK_OK(wr_token_add(&token, &key, caveat));
        ask.cap_len = wr_token_print(&token, text);
        ask.cap = text;
    }
    return gate_capability(gate_under_test, &ask, &why);
}

TEST(a_capability_is_for_the_scope_and_the_tenant_that_it_names)
{
    struct site site;
    const char *read = "index.read", *alice = "alice";
    struct wr_caveat_conf scope = { .kind = WR_CAVEAT_CUSTOM, .texts = &read, .count = 1 };
    struct wr_caveat_conf tenant = { .kind = WR_CAVEAT_TENANT, .texts = &alice, .count = 1 };
    open_gate(&site, false, NULL);
    CHECK_OK(come(&scope, (struct gate_ask){ .scope = "index.read" }));
    CHECK_ERR(WR_DENIED, come(&scope, (struct gate_ask){ .scope = "index.admin" }));
    CHECK_ERR(WR_DENIED, come(&scope, (struct gate_ask){ 0 }));
    CHECK_OK(come(&tenant, (struct gate_ask){ .tenant = "alice" }));
    CHECK_ERR(WR_DENIED, come(&tenant, (struct gate_ask){ .tenant = "bob" }));
    CHECK_ERR(WR_DENIED, come(&tenant, (struct gate_ask){ 0 }));
    close_gate(&site);
}

TEST(what_is_open_to_all_needs_no_token_and_no_wrong_one)
{
    struct site site;
    const char *read = "index.read";
    struct wr_caveat_conf scope = { .kind = WR_CAVEAT_CUSTOM, .texts = &read, .count = 1 };
    open_gate(&site, false, NULL);
    CHECK_ERR(WR_INVALID, come(NULL, (struct gate_ask){ 0 }));
    CHECK_OK(come(NULL, (struct gate_ask){ .open_to_all = true }));
    CHECK_ERR(WR_DENIED, come(&scope, (struct gate_ask){ .open_to_all = true,
                                                         .scope = "node.read" }));
    close_gate(&site);
}

TEST(a_token_that_is_given_must_be_right_wherever_it_is_given)
{
    struct site site;
    open_gate(&site, true, NULL);
    CHECK_EQ(401, status_of(&site, "/work",
                            "Host: localhost\r\nAuthorization: Bearer made up\r\n"));
    CHECK_EQ(401, status_of(&site, "/work",
                            "Host: localhost\r\nAuthorization: Basic b3Blbg==\r\n"));
    close_gate(&site);
}
