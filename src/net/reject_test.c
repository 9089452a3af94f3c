/* reject_test.c - what the metrics page says of refusals. */
#include "net/reject.h"

#include "testing/http_rig.h"

TEST(answers_are_counted_by_their_status_and_only_refusals_are)
{
    static const struct { unsigned status; const char *reason; } rows[] = {
        { 401, "unauth" }, { 403, "unauth" }, { 413, "413" }, { 415, "415" }, { 429, "429" },
        { 503, "503" },
    };
    struct wr_call call = { 0 };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        long long before = rejected(rows[i].reason);
        call.status = rows[i].status;
        reject_count_call(&call);
        CHECK_EQ(before + 1, rejected(rows[i].reason));
    }
    call.status = 404;
    reject_count_call(&call);
    CHECK_EQ(0, rejected("404"));
}

TEST(the_word_of_who_refused_goes_before_the_status)
{
    struct wr_call call = { .status = 429, .rejected = "ip_request_rate" };
    long long before = rejected("429");
    reject_count_call(&call);
    CHECK_EQ(before, rejected("429"));
    CHECK_EQ(1, rejected("ip_request_rate"));
}

TEST(a_refused_request_is_counted_once_and_one_that_is_served_never)
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    long long before = rejected("413");
    CHECK(strncmp(ask(&site, "POST /echo HTTP/1.1\r\nHost: a\r\n"
                             "Content-Length: 200000\r\n\r\n"), "413 ", 4) == 0);
    CHECK_STR("200 hello, you", ask(&site, GET("/hello/you")));
    CHECK_EQ(before + 1, rejected("413"));
    close_site(&site);
}
