/* flat_test.c - which paths answer with flat errors, and what is in them. */
#include "net/flat.h"

#include "testing/http_rig.h"

static const char *const roots[] = { "/things", "/stubborn", "/full", "/unready", NULL };

static wr_err full(struct wr_call *call)
{
    wr_call_retry_after(call, WR_MS(2500));
    return wr_call_fail(call, WR_BUSY, "512 wait already");
}

static wr_err unready(struct wr_call *call)
{
    (void)call;
    return WR_OPENCIRCUIT;
}

static const struct wr_route routes[] = {
    { .method = "PUT", .path = "/things/{id}", .handler = conflict },
    { .method = "GET", .path = "/stubborn", .handler = stubborn },
    { .method = "GET", .path = "/full", .handler = full },
    { .method = "GET", .path = "/unready", .handler = unready },
    { .method = "GET", .path = "/elsewhere", .handler = unready },
};

static void open_with_flats(struct site *site, int workers)
{
    open_site_of(site, workers, (struct wr_http_conf){
        .routes = routes, .count = sizeof(routes) / sizeof(*routes), .flats = roots });
}

#define GET_AS_ME(path) "GET " path " HTTP/1.1\r\nHost: a\r\nX-Corr-ID: me-1\r\n\r\n"

TEST(a_handlers_error_is_one_flat_object)
{
    struct site site;
    open_with_flats(&site, 0);
    CHECK_STR("409 {\"code\":\"conflict\",\"message\":\"there is a \\\"thing\\\" already\","
              "\"corr_id\":\"me-1\",\"retryable\":false}",
              ask(&site, "PUT /things/7 HTTP/1.1\r\nHost: a\r\nX-Corr-ID: me-1\r\n"
                         "Content-Length: 0\r\n\r\n"));
    CHECK(strstr(answer_head, "\r\nContent-Type: application/json\r\n"));
    close_site(&site);
}

TEST(what_says_when_to_come_again_says_it_in_the_body_too)
{
    struct site site;
    open_with_flats(&site, 0);
    CHECK_STR("429 {\"code\":\"over_capacity\",\"message\":\"512 wait already\","
              "\"corr_id\":\"me-1\",\"retryable\":true,\"retry_after\":3}",
              ask(&site, GET_AS_ME("/full")));
    CHECK(strstr(answer_head, "\r\nRetry-After: 3"));
    CHECK_STR("503 {\"code\":\"upstream_unready\",\"message\":\"circuit breaker is open\","
              "\"corr_id\":\"me-1\",\"retryable\":true,\"retry_after\":1}",
              ask(&site, GET_AS_ME("/unready")));
    CHECK(strstr(answer_head, "\r\nRetry-After: 1"));
    close_site(&site);
}

TEST(the_server_answers_so_too_where_a_path_leads_nowhere_or_nobody_answers)
{
    struct site site;
    open_with_flats(&site, 1);
    CHECK(strstr(ask(&site, GET("/things/7/8")), "404 {\"code\":\"not_found\","));
    CHECK(strstr(ask(&site, GET("/things/7")), "405 {\"code\":\"bad_method\","));
    CHECK(strstr(ask(&site, GET("/stubborn")), "504 {\"code\":\"timeout\","));
    close_site(&site);
}

TEST(beside_these_paths_errors_are_as_they_were)
{
    struct site site;
    open_with_flats(&site, 0);
    CHECK(strstr(ask(&site, GET("/elsewhere")), "503 {\"error\":{\"code\":\"OpenCircuit\""));
    CHECK(strstr(ask(&site, GET("/thingstead")), "404 {\"error\":{\"code\":"));
    close_site(&site);
}

TEST_PLAIN(each_status_has_its_code_and_503_that_of_its_reason)
{
    CHECK_STR("bad_request", flat_code(400, WR_INVALID));
    CHECK_STR("unauthorized", flat_code(401, WR_DENIED));
    CHECK_STR("forbidden", flat_code(403, WR_DENIED));
    CHECK_STR("not_found", flat_code(404, WR_NOTFOUND));
    CHECK_STR("body_cap", flat_code(413, WR_INVALID));
    CHECK_STR("unsupported_type", flat_code(415, WR_UNSUPPORTED));
    CHECK_STR("over_capacity", flat_code(429, WR_BUSY));
    CHECK_STR("upstream_unready", flat_code(503, WR_OPENCIRCUIT));
    CHECK_STR("upstream_unready", flat_code(503, WR_NOMEM));
    CHECK_STR("draining", flat_code(503, WR_DRAINING));
    CHECK_STR("draining", flat_code(503, WR_CANCELED));
    CHECK_STR("timeout", flat_code(504, WR_TIMEOUT));
    CHECK_STR("internal", flat_code(500, WR_PANIC));
    CHECK_STR("bad_request", flat_code(431, WR_INVALID));
}
