/* problem_test.c - which paths answer with problems, and what is in them. */
#include "net/problem.h"

#include "testing/http_rig.h"

static const char *const roots[] = { "/things", "/stubborn", "/panic", NULL };

TEST_PLAIN(a_root_has_all_that_is_below_it_and_nothing_beside_it)
{
    CHECK(problem_path(roots, "/things"));
    CHECK(problem_path(roots, "/things/7/and/more"));
    CHECK(problem_path(roots, "/panic"));
    CHECK(!problem_path(roots, "/thingstead"));
    CHECK(!problem_path(roots, "/thing"));
    CHECK(!problem_path(roots, "/"));
    CHECK(!problem_path(NULL, "/things"));
}

static void open_with_problems(struct site *site, int workers)
{
    open_site(site, workers, (struct wr_http_conf){ .problems = roots });
}

static bool is_problem(void)
{
    return strstr(answer_head, "\r\nContent-Type: application/problem+json\r\n");
}

TEST(a_handlers_error_is_a_problem_with_all_its_parts)
{
    struct site site;
    open_with_problems(&site, 0);
    CHECK_STR("409 {\"type\":\"urn:weir:problem:Exists\",\"title\":\"already there\","
              "\"status\":409,\"detail\":\"there is a \\\"thing\\\" already\","
              "\"instance\":\"urn:weir:call:me-1\",\"retryable\":false}",
              ask(&site, "PUT /things/7 HTTP/1.1\r\nHost: a\r\nX-Corr-ID: me-1\r\n"
                         "Content-Length: 0\r\n\r\n"));
    CHECK(is_problem());
    close_site(&site);
}

TEST(what_an_id_has_that_no_urn_may_have_is_escaped)
{
    struct site site;
    open_with_problems(&site, 0);
    CHECK(strstr(ask(&site, "GET /things/7/8 HTTP/1.1\r\nHost: a\r\nX-Corr-ID: a\"/<~\r\n\r\n"),
                 "\"instance\":\"urn:weir:call:a%22%2F%3C~\""));
    close_site(&site);
}

TEST(a_path_that_leads_nowhere_below_a_root_is_a_problem)
{
    struct site site;
    open_with_problems(&site, 0);
    CHECK(strstr(ask(&site, GET("/things/7/8")), "404 {\"type\":\"urn:weir:problem:NotFound"));
    CHECK(is_problem());
    CHECK(strstr(ask(&site, GET("/nowhere")), "404 {\"error\":{\"code\":"));
    CHECK(strstr(answer_head, "\r\nContent-Type: application/json\r\n"));
    close_site(&site);
}

TEST(a_method_that_a_path_has_not_is_a_problem_and_says_which_it_has)
{
    struct site site;
    open_with_problems(&site, 0);
    CHECK(strstr(ask(&site, GET("/things/7")), "405 {\"type\":\"urn:weir:problem:Unsupported"));
    CHECK(is_problem());
    CHECK(strstr(answer_head, "\r\nAllow: DELETE, PUT"));
    close_site(&site);
}

TEST(a_deadline_that_a_worker_missed_is_a_problem_too)
{
    struct site site;
    open_with_problems(&site, 1);
    CHECK(strstr(ask(&site, GET("/stubborn")), "504 {\"type\":\"urn:weir:problem:Timeout\""));
    CHECK(is_problem());
    close_site(&site);
}

TEST(what_was_no_request_yet_has_no_path_and_is_a_plain_error)
{
    struct site site;
    open_with_problems(&site, 0);
    CHECK(strncmp(ask(&site, "GET /things bad\r\n\r\n"), "400 {\"error\":", 13) == 0);
    close_site(&site);
}
