/* call_test.c - what a handler can ask of its call, and say. */
#include "testing/h2_rig.h"

static struct seen {
    char method[8], path[64], one[64], two[64], header[64], host[64], body[64];
    bool three, other;
    size_t len;
} seen;

static void note(char *to, const char *text)
{
    snprintf(to, sizeof(seen.one), "%s", text ? text : "(none)");
}

static wr_err look(struct wr_call *call)
{
    const char *body = wr_call_body(call, &seen.len);
    snprintf(seen.method, sizeof(seen.method), "%s", wr_call_method(call));
    note(seen.path, wr_call_path(call));
    note(seen.one, wr_call_query(call, "one"));
    note(seen.two, wr_call_query(call, "two"));
    seen.three = wr_call_query(call, "three");
    note(seen.header, wr_call_header(call, "x-note"));
    note(seen.host, wr_call_header(call, "host"));
    seen.other = wr_call_header(call, "x-other");
    snprintf(seen.body, sizeof(seen.body), "%.*s", (int)seen.len, body);
    CHECK(wr_addr_loopback(wr_call_peer(call)));
    CHECK(wr_call_arg(call) == &seen);
    CHECK(wr_call_param(call, "nobody") == NULL);
    return WR_OK;
}

static wr_err allocate(struct wr_call *call)
{
    char *first = wr_call_alloc(call, 1 << 19), *second = wr_call_alloc(call, 1 << 19);
    CHECK(first && second);
    CHECK(wr_call_alloc(call, 1) == NULL);
    memset(first, 1, 1 << 19);
    memset(second, 2, 1 << 19);
    return WR_OK;
}

static wr_err write_much(struct wr_call *call)
{
    static char bytes[1 << 20];
    for (int i = 0; i < 65; i++)
        wr_call_write(call, bytes, sizeof(bytes));
    return WR_OK;
}

static wr_err break_a_header(struct wr_call *call)
{
    wr_call_reply_header(call, "X-Evil", "a\r\nSet-Cookie: b");
    return WR_OK;
}

static const struct wr_route own[] = {
    { .method = "POST", .path = "/look/{x}", .handler = look, .arg = &seen },
    { .method = "GET", .path = "/allocate", .handler = allocate },
    { .method = "GET", .path = "/much", .handler = write_much },
    { .method = "GET", .path = "/evil", .handler = break_a_header },
};

/* The status of an answer. */
static const char *first_of(const char *answer)
{
    static char status[4];
    snprintf(status, sizeof(status), "%.3s", answer);
    return status;
}

static void open_own(struct site *site)
{
    open_site_of(site, 0, (struct wr_http_conf){ .routes = own, .count = 4 });
}

static void check_everything(const char *(*asked)(struct site *site, const char *text))
{
    struct site site;
    open_own(&site);
    memset(&seen, 0, sizeof(seen));
    CHECK_STR("200", asked(&site, "POST /look/%C3%A4?one=1%2B1&two=a+b&three&x HTTP/1.1\r\n"
                                  "Host: a\r\nX-Note:  a note \r\nContent-Length: 4\r\n\r\n"
                                  "body"));
    CHECK_STR("POST", seen.method);
    CHECK(strncmp(seen.path, "/look/", 6) == 0);
    CHECK_STR("1+1", seen.one);
    CHECK_STR("a b", seen.two);
    CHECK(seen.three);
    CHECK(strncmp(seen.header, "a note", 6) == 0);
    CHECK(!seen.other);
    CHECK_STR("body", seen.body);
    close_site(&site);
}

TEST(everything_of_a_request_is_there_as_it_was_meant)
{
    check_everything(ask);
    CHECK_STR("a note", seen.header);
}

TEST(everything_of_a_request_is_there_by_http_2_too)
{
    check_everything(ask2);
}

TEST(a_header_after_an_empty_one_is_there)
{
    struct site site;
    open_own(&site);
    CHECK_STR("200", ask(&site, "POST /look/x HTTP/1.1\r\nHost: a\r\nX-Empty:\r\n"
                                "X-Note: n\r\nX-Blank: \r\nContent-Length: 4\r\n\r\nbody"));
    CHECK_STR("n", seen.header);
    CHECK_STR("body", seen.body);
    close_site(&site);
}

TEST(what_is_not_in_the_query_is_not_found_there)
{
    struct site site;
    open_own(&site);
    CHECK_STR("200", ask(&site, "POST /look/x?onetwo=1&two=%zz HTTP/1.1\r\nHost: a\r\n"
                                "Content-Length: 0\r\n\r\n"));
    CHECK_STR("(none)", seen.one);
    CHECK_STR("(none)", seen.two);
    CHECK(!seen.three);
    CHECK_EQ(0, seen.len);
    CHECK_STR("200", ask(&site, "POST /look/x HTTP/1.1\r\nHost: a\r\n"
                                "Content-Length: 0\r\n\r\n"));
    CHECK_STR("(none)", seen.one);
    close_site(&site);
}

TEST(an_absolute_target_is_taken_apart_like_any_other)
{
    struct site site;
    open_own(&site);
    CHECK_STR("200", ask(&site, "POST http://a/look/x%20y?one=1%2B1&two=a+b HTTP/1.1\r\n"
                                "Host: a\r\nContent-Length: 0\r\n\r\n"));
    CHECK_STR("/look/x y", seen.path);
    CHECK_STR("1+1", seen.one);
    CHECK_STR("a b", seen.two);
    CHECK_STR("404", first_of(ask(&site, "POST http://a?one=1 HTTP/1.1\r\nHost: a\r\n"
                                         "Content-Length: 0\r\n\r\n")));
    close_site(&site);
}

TEST(the_host_of_a_call_is_that_of_its_target_in_either_version)
{
    struct site site;
    open_own(&site);
    CHECK_STR("200", ask(&site, "POST http://A:80/look/x HTTP/1.1\r\nHost: a\r\n"
                                "Content-Length: 0\r\n\r\n"));
    CHECK_STR("a", seen.host);
    CHECK_STR("200", ask2(&site, "POST /look/x HTTP/1.1\r\nHost: b\r\n"
                                 "Content-Length: 0\r\n\r\n"));
    CHECK_STR("b", seen.host);
    CHECK_STR("200", ask(&site, "POST /look/x HTTP/1.0\r\nContent-Length: 0\r\n\r\n"));
    CHECK_STR("(none)", seen.host);
    close_site(&site);
}

static const char *const twice[] = {
    "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n",
    "authorization: Bearer a\r\nX-Note: n\r\nAUTHORIZATION: Bearer a\r\n",
    "Content-Type: a/b\r\nContent-Type: a/b\r\n", "Origin: a\r\nOrigin: b\r\n",
    "X-Tenant: a\r\nX-Tenant: b\r\n", "Last-Event-ID: 1\r\nLast-Event-ID: 2\r\n",
    "Range: bytes=0-1\r\nRange: bytes=1-2\r\n", "If-Range: a\r\nIf-Range: b\r\n",
    "If-Modified-Since: a\r\nIf-Modified-Since: b\r\n",
    "If-Unmodified-Since: a\r\nIf-Unmodified-Since: b\r\n",
};

static void check_twice(const char *(*asked)(struct site *site, const char *text))
{
    struct site site;
    char text[300];
    open_own(&site);
    for (size_t i = 0; i < sizeof(twice) / sizeof(twice[0]); i++) {
        snprintf(text, sizeof(text), "GET /allocate HTTP/1.1\r\nHost: a\r\n%s\r\n", twice[i]);
        if (!CHECK_STR("400", first_of(asked(&site, text))))
            CHECK_STR("refused", twice[i]);
    }
    CHECK_STR("200", asked(&site, "GET /allocate HTTP/1.1\r\nHost: a\r\nX-Note: a\r\n"
                                  "Accept: a/b\r\nAccept: c/d\r\nX-Note: b\r\n\r\n"));
    close_site(&site);
}

TEST(two_of_a_field_that_decides_something_are_refused)
{
    check_twice(ask);
}

TEST(two_of_a_field_that_decides_something_are_refused_by_http_2_too)
{
    check_twice(ask2);
}

TEST(what_comes_behind_a_body_in_chunks_is_no_header)
{
    struct site site;
    open_own(&site);
    CHECK_STR("200", ask(&site, "POST /look/x HTTP/1.1\r\nHost: a\r\n"
                                "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n"
                                "X-Note: late\r\nX-Other: late\r\n\r\n"));
    CHECK_STR("body", seen.body);
    CHECK_STR("(none)", seen.header);
    CHECK(!seen.other);
    close_site(&site);
}

TEST(a_call_has_a_megabyte_of_memory_of_its_own)
{
    struct site site;
    open_own(&site);
    CHECK_STR("200", ask(&site, GET("/allocate")));
    close_site(&site);
}

TEST(an_answer_that_is_too_large_is_an_error_and_not_a_part_of_it)
{
    struct site site;
    open_own(&site);
    CHECK(strncmp(ask(&site, GET("/much")), "503 ", 4) == 0);
    close_site(&site);
}

TEST_DIES(a_line_break_in_a_header_is_a_panic, "panic.*header \"X-Evil\".*no line breaks")
{
    struct site site;
    open_own(&site);
    CHECK_STR("closed", ask(&site, GET("/evil")));
    abort();
}
