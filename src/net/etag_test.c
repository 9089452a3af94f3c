/* etag_test.c - conditions and ranges, as a handler sees them. */
#include "net/etag.h"

#include "testing/http_rig.h"

/* What all requests are judged against. */
static struct etag_of of = { .tag = "\"abc\"", .modified = 784111777, .size = 100 };

static wr_err judge(struct wr_call *call)
{
    struct etag_part part;
    unsigned status = etag_judge(call, &of);
    if (!status) {
        status = etag_range(call, &of, &part);
        wr_call_print(call, "%u %llu+%llu", status, (unsigned long long)part.from,
                      (unsigned long long)part.len);
    } else {
        wr_call_print(call, "%u", status);
    }
    return WR_OK;
}

static const struct wr_route routes[] = {
    { .method = "GET", .path = "/", .handler = judge },
    { .method = "PUT", .path = "/", .handler = judge },
};

static struct site site;

static void open_judge(void)
{
    open_site_of(&site, 0, (struct wr_http_conf){ .routes = routes, .count = 2 });
}

static const char *with(const char *method, const char *headers)
{
    char request[500];
    snprintf(request, sizeof(request), "%s / HTTP/1.1\r\nHost: a\r\n%s%s\r\n", method, headers,
             strcmp(method, "PUT") == 0 ? "Content-Length: 0\r\n" : "");
    const char *answer = ask(&site, request);
    return strncmp(answer, "200 ", 4) == 0 ? answer + 4 : answer;
}

static const char *get(const char *headers)
{
    return with("GET", headers);
}

#define ALL "200 0+100"
#define THEN "Sun, 06 Nov 1994 08:49:37 GMT"
#define BEFORE "Sun, 06 Nov 1994 08:49:36 GMT"
#define AFTER "Sun, 06 Nov 1994 08:49:38 GMT"

TEST(who_has_it_already_gets_304)
{
    open_judge();
    CHECK_STR("304", get("If-None-Match: \"abc\"\r\n"));
    CHECK_STR("304", get("If-None-Match: W/\"abc\"\r\n"));
    CHECK_STR("304", get("If-None-Match: \"x\", W/\"y\" ,\"abc\"\r\n"));
    CHECK_STR("304", get("If-None-Match: *\r\n"));
    CHECK_STR(ALL, get("If-None-Match: \"abcd\"\r\n"));
    CHECK_STR(ALL, get("If-None-Match: abc\r\n"));
    CHECK_STR(ALL, get("If-None-Match: \"abc\r\n"));
    CHECK_STR(ALL, get("If-None-Match: \r\n"));
    CHECK_STR("412", with("PUT", "If-None-Match: *\r\n"));
    close_site(&site);
}

TEST(a_date_does_what_a_tag_does_not_say)
{
    open_judge();
    CHECK_STR("304", get("If-Modified-Since: " THEN "\r\n"));
    CHECK_STR("304", get("If-Modified-Since: " AFTER "\r\n"));
    CHECK_STR(ALL, get("If-Modified-Since: " BEFORE "\r\n"));
    CHECK_STR(ALL, get("If-Modified-Since: yesterday\r\n"));
    CHECK_STR(ALL, get("If-None-Match: \"x\"\r\nIf-Modified-Since: " THEN "\r\n"));
    CHECK_STR("304", get("If-None-Match: \"abc\"\r\nIf-Modified-Since: " BEFORE "\r\n"));
    CHECK_STR(ALL, with("PUT", "If-Modified-Since: " THEN "\r\n"));
    close_site(&site);
}

TEST(who_means_another_version_gets_412)
{
    open_judge();
    CHECK_STR(ALL, get("If-Match: \"abc\"\r\n"));
    CHECK_STR(ALL, get("If-Match: \"x\", \"abc\"\r\n"));
    CHECK_STR(ALL, get("If-Match: *\r\n"));
    CHECK_STR("412", get("If-Match: W/\"abc\"\r\n"));
    CHECK_STR("412", with("PUT", "If-Match: \"x\"\r\n"));
    CHECK_STR("412", get("If-Unmodified-Since: " BEFORE "\r\n"));
    CHECK_STR(ALL, get("If-Unmodified-Since: " THEN "\r\n"));
    CHECK_STR(ALL, get("If-Match: \"abc\"\r\nIf-Unmodified-Since: " BEFORE "\r\n"));
    CHECK_STR("304", get("If-Match: \"abc\"\r\nIf-None-Match: \"abc\"\r\n"));
    close_site(&site);
}

TEST(without_a_date_conditions_on_it_are_not_there)
{
    open_judge();
    of.modified = 0;
    CHECK_STR(ALL, get("If-Modified-Since: " THEN "\r\n"));
    CHECK_STR(ALL, get("If-Unmodified-Since: " BEFORE "\r\n"));
    CHECK_STR(ALL, get("Range: bytes=0-1\r\nIf-Range: " THEN "\r\n"));
    of.modified = 784111777;
    close_site(&site);
}

TEST(one_range_is_a_part)
{
    open_judge();
    CHECK_STR("206 0+1", get("Range: bytes=0-0\r\n"));
    CHECK_STR("206 10+10", get("Range: bytes=10-19\r\n"));
    CHECK_STR("206 99+1", get("Range: bytes=99-\r\n"));
    CHECK_STR("206 99+1", get("Range: bytes=99-99999999999999999999999\r\n"));
    CHECK_STR("206 0+100", get("Range: bytes=0-\r\n"));
    CHECK_STR("206 99+1", get("Range: bytes=-1\r\n"));
    CHECK_STR("206 0+100", get("Range: bytes=-101\r\n"));
    close_site(&site);
}

TEST(a_range_outside_is_416_and_one_that_cannot_be_read_is_not_there)
{
    open_judge();
    CHECK(strncmp("416", get("Range: bytes=100-\r\n"), 3) == 0);
    CHECK(strncmp("416", get("Range: bytes=99999999999999999999999-\r\n"), 3) == 0);
    CHECK(strncmp("416", get("Range: bytes=-0\r\n"), 3) == 0);
    static const char *const odd[] = {
        "Range: bytes=5-4\r\n",      "Range: bytes=-\r\n",        "Range: bytes=\r\n",
        "Range: bytes=0-1,5-6\r\n",  "Range: bytes=a-b\r\n",      "Range: lines=0-1\r\n",
        "Range: bytes=0-1x\r\n",     "Range: bytes=--1\r\n",      "Range: bytes=0\r\n",
    };
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
        CHECK_STR(ALL, get(odd[i]));
    CHECK_STR(ALL, with("PUT", "Range: bytes=0-1\r\n"));
    of.size = 0;
    CHECK(strncmp("416", get("Range: bytes=0-\r\n"), 3) == 0);
    CHECK(strncmp("416", get("Range: bytes=-5\r\n"), 3) == 0);
    of.size = 100;
    close_site(&site);
}

TEST(a_range_of_what_it_no_longer_is_becomes_the_whole)
{
    open_judge();
    CHECK_STR("206 0+2", get("Range: bytes=0-1\r\nIf-Range: \"abc\"\r\n"));
    CHECK_STR(ALL, get("Range: bytes=0-1\r\nIf-Range: \"x\"\r\n"));
    CHECK_STR(ALL, get("Range: bytes=0-1\r\nIf-Range: W/\"abc\"\r\n"));
    CHECK_STR("206 0+2", get("Range: bytes=0-1\r\nIf-Range: " THEN "\r\n"));
    CHECK_STR(ALL, get("Range: bytes=0-1\r\nIf-Range: " AFTER "\r\n"));
    close_site(&site);
}

TEST_PLAIN(a_tag_is_a_strong_one_of_the_bytes)
{
    char a[ETAG_TEXT], b[ETAG_TEXT];
    CHECK_STR("\"af1349b9f5f9a1a6a0404dea36dcc949\"", etag_print("", 0, a));
    CHECK(strcmp(etag_print("x", 1, a), etag_print("y", 1, b)) != 0);
}
