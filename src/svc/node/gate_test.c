/* gate_test.c - who is let in, and who is told what instead. */
#include "svc/node/gate.h"

#include "testing/http_rig.h"

static struct gate gate_under_test;

static wr_err admit_by_gate(void *arg, struct wr_call *call)
{
    (void)arg;
    return gate_admit(&gate_under_test, call);
}

static const struct wr_route doors[] = {
    { .method = "GET", .path = "/health", .handler = nothing, .class = WR_ROUTE_PRIORITY },
    { .method = "GET", .path = "/work", .handler = nothing },
    { .method = "GET", .path = "/admin", .handler = nothing, .scope = GATE_ADMIN },
};

static void open_gate(struct site *site, bool open, const char *admin)
{
    char bytes[32];
    snprintf(bytes, sizeof(bytes), "%s", admin ? admin : "");
    gate_under_test = (struct gate){ .open = open };
    if (admin)
        CHECK_OK(wr_secret_new(&gate_under_test.admin, bytes, strlen(bytes)));
    open_site_of(site, 0, (struct wr_http_conf){ .routes = doors, .count = 3,
                                                 .admit = admit_by_gate });
}

static void close_gate(struct site *site)
{
    close_site(site);
    wr_secret_unref(gate_under_test.admin);
}

/* The status of a GET with these headers. */
static int status_of(struct site *site, const char *path, const char *headers)
{
    char text[400];
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
    CHECK_EQ(403, status_of(&site, "/admin", "Host: example.org\r\n"));
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
