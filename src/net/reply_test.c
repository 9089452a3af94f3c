/* reply_test.c - what goes out with every reply, and replies that go bit by bit. */
#include "net/date.h"
#include "net/head.h"
#include "testing/h2_rig.h"

static wr_err admit(void *arg, struct wr_call *call)
{
    (void)arg;
    const char *who = wr_call_header(call, "x-who");
    if (!who) {
        wr_call_status(call, 401);
        wr_call_reply_header(call, "WWW-Authenticate", "Bearer");
        return wr_call_fail(call, WR_DENIED, "who are you?");
    }
    if (strcmp(who, "often") == 0) {
        wr_call_reply_header(call, "Retry-After", "7");
        return wr_call_fail(call, WR_BUSY, "too often");
    }
    return strcmp(who, "friend") == 0 ? WR_OK : WR_DENIED;
}

static wr_err wait_for_gate(struct wr_call *call)
{
    size_t which = 9;
    struct wr_case cases[] = { WR_CASE_ONCE(gate, NULL) };
    wr_err err = wr_call_select(call, &which, cases, 1, wr_after(WR_S(100)));
    wr_call_print(call, "case %zu", which);
    return err;
}

static wr_err begin(struct wr_call *call)
{
    return wr_call_begin(call);
}

static wr_err flood(struct wr_call *call)
{
    static const char bytes[100000];
    wr_err err = wr_call_begin(call);
    while (!err)
        err = wr_call_send(call, bytes, sizeof(bytes), wr_after(WR_S(2)));
    ended_with = err;
    return err;
}

static const struct wr_route own[] = {
    { .method = "POST", .path = "/echo", .handler = echo },
    { .method = "GET", .path = "/count/{last}", .handler = count_to, .class = WR_ROUTE_STREAM },
    { .method = "GET", .path = "/wait", .handler = wait_for_nothing, .class = WR_ROUTE_LONG },
    { .method = "GET", .path = "/gate", .handler = wait_for_gate, .class = WR_ROUTE_LONG },
    { .method = "GET", .path = "/flood", .handler = flood, .class = WR_ROUTE_STREAM },
    { .method = "GET", .path = "/short", .handler = begin },
};

static void open_own(struct site *site, struct wr_http_conf conf)
{
    conf.routes = own;
    conf.count = sizeof(own) / sizeof(own[0]);
    open_site_of(site, 0, conf);
}

/* ---- the date ---- */

/* Of the last answer; they have one, and it is of this second. */
static void check_dated(const char *answer)
{
    char want[DATE_TEXT + 20] = "\r\nDate: ";
    date_print(wr_wall().ns / WR_S(1), want + strlen(want));
    const char *found = strstr(answer_head, "\r\nDate: ");
    bool right = found && strncmp(want, found, strlen(want)) == 0;
    if (!right || strstr(found + 2, "\nDate: "))
        CHECK_STR("one date, of now", answer);
}

static void check_dates(const char *(*asked)(struct site *site, const char *text))
{
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    check_dated(asked(&site, GET("/hello/x")));
    check_dated(asked(&site, GET("/nowhere")));
    check_dated(asked(&site, GET("/healthz")));
    check_dated(asked(&site, GET("/sleepy")));              /* seconds later */
    check_dated(asked(&site, "GET /hello/x HTTP/1.1\r\nHost: a\r\nExpect: b\r\n\r\n"));
    check_dated(asked(&site, "DELETE /things/1 HTTP/1.1\r\nHost: a\r\n\r\n"));
    close_site(&site);
}

TEST(every_answer_has_the_date)
{
    check_dates(ask);
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    check_dated(ask(&site, "nonsense\r\n\r\n"));
    CHECK_OK(wr_sleep(wr_after(WR_S(100))));
    check_dated(ask(&site, GET("/hello/x")));
    close_site(&site);
    open_own(&site, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    say(stream, GET("/count/3"));
    check_dated(hear_of(stream, false));
    wr_stream_close(stream);
    close_site(&site);
}

TEST(every_answer_of_http_2_has_the_date)
{
    check_dates(ask2);
    struct site site;
    open_own(&site, (struct wr_http_conf){ 0 });
    struct peer *peer = peer_dial(&site);
    struct got *got = got_of(peer, peer_get(peer, "/count/3"));
    while (!got->headed && peer_read(peer, WR_NEVER))
        ;
    snprintf(answer_head, sizeof(answer_head), "%s", got->head);
    check_dated("a stream");
    peer_close_all(peer);
    close_site(&site);
}

/* ---- before the body ---- */

static void check_admission(const char *(*asked)(struct site *site, const char *text))
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ .admit = admit });
    const char *said = asked(&site, "POST /echo HTTP/1.1\r\nHost: a\r\nX-Corr-ID: me\r\n"
                                  "Content-Length: 1000\r\n\r\n");
    CHECK_STR("401 {\"error\":{\"code\":\"Denied\",\"message\":\"who are you?\","
              "\"retryable\":false,\"corr_id\":\"me\"}}", said);
    CHECK(strcasestr(answer_head, "\r\nWWW-Authenticate: Bearer") != NULL);
    CHECK_EQ(asked == ask, strstr(answer_head, "\r\nConnection: close") != NULL);
    said = asked(&site, "POST /echo HTTP/1.1\r\nHost: a\r\nX-Who: foe\r\n"
                      "Content-Length: 1\r\n\r\n");
    CHECK(strncmp(said, "403 ", 4) == 0);
    said = asked(&site, "POST /echo HTTP/1.1\r\nHost: a\r\nX-Who: friend\r\n"
                      "Content-Length: 1\r\n\r\nx");
    CHECK_STR("200 x", said);
    close_site(&site);
}

TEST(who_is_not_admitted_is_told_before_the_body_is_read)
{
    check_admission(ask);
    check_admission(ask2);
}

TEST(a_refusal_without_a_body_to_come_leaves_the_connection_open)
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ .admit = admit });
    struct wr_stream *stream = dial(&site);
    for (int i = 0; i < 2; i++) {
        say(stream, GET("/gate"));
        CHECK(strncmp(hear(stream), "401 ", 4) == 0);
    }
    wr_stream_close(stream);
    close_site(&site);
}

TEST(retry_after_is_said_once_and_by_who_knows_better)
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ .admit = admit });
    CHECK(strncmp(ask(&site, "GET /gate HTTP/1.1\r\nHost: a\r\nX-Who: often\r\n\r\n"), "429 ",
                  4) == 0);
    const char *said = strstr(answer_head, "\r\nRetry-After: ");
    CHECK(said && strncmp(said, "\r\nRetry-After: 7", 16) == 0);
    CHECK(said && !strstr(said + 3, "Retry-After"));
    close_site(&site);
}

/* ---- with every reply ---- */

static void check_ids(const char *(*asked)(struct site *site, const char *text))
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ 0 });
    asked(&site, "GET /nowhere HTTP/1.1\r\nHost: a\r\nX-Request-Id: abc-1\r\n\r\n");
    const char *id = strcasestr(answer_head, "\r\nX-Corr-ID: ");
    const char *same = strcasestr(answer_head, "\r\nX-Request-Id: ");
    REQUIRE(id && same);
    CHECK(strncmp(id + 13, "abc-1\r\n", 7) == 0);
    CHECK(strncmp(same + 16, "abc-1", 5) == 0);
    CHECK(strstr(answer_head, "\r\nX-Content-Type-Options: nosniff\r\n") != NULL);
    char first[27] = "";
    for (int i = 0; i < 2; i++) {
        asked(&site, GET("/nowhere"));
        id = strcasestr(answer_head, "\r\nX-Corr-ID: ");
        REQUIRE(id != NULL);
        CHECK_EQ(26, strspn(id + 13, "0123456789ABCDEFGHJKMNPQRSTVWXYZ"));
        CHECK(strncmp(first, id + 13, 26) != 0);
        snprintf(first, sizeof(first), "%s", id + 13);
    }
    close_site(&site);
}

TEST(a_reply_repeats_the_id_of_its_request_or_brings_a_new_one)
{
    check_ids(ask);
    check_ids(ask2);
}

/* The id in the body of a refusal is the one in its head; `want` or any. */
static void check_refused(unsigned status, const char *want, const char *answer)
{
    const char *told = strstr(answer, "\"corr_id\":\""), *head;
    char id[HEAD_CORR_MAX + 1] = "", line[HEAD_CORR_MAX + 20];
    CHECK_EQ(status, strtoul(answer, NULL, 10));
    if (!CHECK(told))
        return;
    snprintf(id, sizeof(id), "%.*s", (int)strcspn(told + 11, "\""), told + 11);
    snprintf(line, sizeof(line), "\r\nX-Corr-Id: %s", id);
    head = strcasestr(answer_head, line);
    CHECK(head && strstr(head, id));
    if (want)
        CHECK_STR(want, id);
    else
        CHECK_EQ(26, strlen(id));
}

static const char long_head[] = {
    [0 ... 12999] = 'x',
};

static void check_refusals(const char *(*asked)(struct site *site, const char *text))
{
    struct site site;
    char text[sizeof(long_head) + 8000];
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    check_refused(417, NULL, asked(&site, "GET / HTTP/1.1\r\nHost: a\r\nExpect: b\r\n\r\n"));
    check_refused(417, "mine", asked(&site, "GET / HTTP/1.1\r\nHost: a\r\nX-Corr-ID: mine\r\n"
                                            "Expect: b\r\n\r\n"));
    check_refused(400, NULL, asked(&site, "GET / HTTP/1.1\r\nHost: a\r\nOrigin: b\r\n"
                                          "Origin: c\r\n\r\n"));
    snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nHost: a\r\nX-One: %.7000s\r\n"
             "X-Two: %.10000s\r\n\r\n", long_head, long_head);
    check_refused(431, NULL, asked(&site, text));
    check_refused(400, "mine", asked(&site, "GET /%zz HTTP/1.1\r\nHost: a\r\n"
                                            "X-Request-Id: mine\r\n\r\n"));
    close_site(&site);
}

TEST(a_request_that_could_not_be_read_has_an_id_too)
{
    check_refusals(ask);
    check_refusals(ask2);
    struct site site;
    open_site(&site, 0, (struct wr_http_conf){ 0 });
    check_refused(400, NULL, ask(&site, "nonsense\r\n\r\n"));
    check_refused(505, NULL, ask(&site, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"));
    check_refused(501, NULL, ask(&site, "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n"));
    check_refused(408, NULL, ask(&site, "GET / HTTP/1.1\r\nHost"));
    check_refused(413, "mine", ask(&site, "POST /things HTTP/1.1\r\nHost: a\r\n"
                                          "X-Corr-ID: mine\r\nContent-Length: 99999999\r\n"
                                          "\r\n"));
    close_site(&site);
}

/* ---- bit by bit ---- */

/* All that comes until the end of the connection, without the head. */
static const char *hear_all(struct wr_stream *stream)
{
    static char text[4000];
    size_t len = 0, size;
    while (!wr_stream_read(stream, &size, text + len, sizeof(text) - 1 - len, WR_NEVER) && size)
        len += size;
    text[len] = '\0';
    char *end = strstr(text, "\r\n\r\n");
    if (!end)
        return "nothing";
    snprintf(answer_head, sizeof(answer_head), "%.*s", (int)(end - text), text);
    return end + 4;
}

static const char *stream_of(struct site *site, const char *request)
{
    struct wr_stream *stream = dial(site);
    say(stream, request);
    const char *text = hear_all(stream);
    wr_stream_close(stream);
    return text;
}

#define CLOSE(path) "GET " path " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

TEST(a_stream_goes_out_in_chunks_as_it_is_sent)
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    wr_time before = wr_now();
    say(stream, CLOSE("/count/2"));
    CHECK_STR("200", hear_of(stream, false));
    CHECK_EQ(0, wr_now() - before);         /* the head does not wait for the body */
    CHECK(strstr(answer_head, "\r\nTransfer-Encoding: chunked") != NULL);
    CHECK(strstr(answer_head, "\r\nContent-Type: text/event-stream") != NULL);
    char bytes[20];
    size_t size;
    CHECK_OK(wr_stream_read(stream, &size, bytes, sizeof(bytes), WR_NEVER));
    CHECK_EQ(WR_S(1), wr_now() - before);
    CHECK(size == 7 && memcmp(bytes, "2\r\n1,\r\n", 7) == 0);
    wr_stream_close(stream);
    CHECK_STR("2\r\n1,\r\n2\r\n2,\r\n0\r\n\r\n", stream_of(&site, CLOSE("/count/2")));
    close_site(&site);
}

TEST(a_stream_to_http_1_0_ends_with_the_connection)
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ 0 });
    CHECK_STR("1,2,", stream_of(&site, "GET /count/2 HTTP/1.0\r\n\r\n"));
    CHECK(!strstr(answer_head, "chunked"));
    close_site(&site);
}

TEST(a_stream_of_known_length_has_no_chunks_and_must_keep_its_word)
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ 0 });
    CHECK_STR("1,2,", stream_of(&site, CLOSE("/count/2?length=4")));
    CHECK(strstr(answer_head, "\r\nContent-Length: 4") != NULL);
    CHECK_STR("1,2,", stream_of(&site, GET("/count/2?length=5")));  /* and it is closed */
    close_site(&site);
}

TEST(a_stream_that_fails_is_broken_off_so_that_the_peer_sees_it)
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ 0 });
    CHECK_STR("2\r\n1,\r\n", stream_of(&site, GET("/count/1?fails=1")));
    close_site(&site);
}

TEST(a_head_request_for_a_stream_gets_no_body_and_the_next_request_is_answered)
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    say(stream, "HEAD /count/5 HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK_STR("200", hear_of(stream, false));
    say(stream, GET("/nowhere"));
    CHECK(strncmp(hear(stream), "404 ", 4) == 0);
    wr_stream_close(stream);
    close_site(&site);
}

TEST(a_peer_that_takes_nothing_ends_its_stream)
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    ended_with = WR_OK;
    say(stream, GET("/flood"));
    CHECK_OK(wr_sleep(wr_after(WR_S(30))));
    CHECK_ERR(WR_TIMEOUT, ended_with);
    wr_stream_close(stream);
    close_site(&site);
}

TEST_DIES(a_short_call_has_no_stream, "panic.*wr_call_begin in GET /short: not for a route")
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ 0 });
    CHECK_STR("closed", ask(&site, GET("/short")));
    abort();
}

/* ---- waiting for somebody who waits for us ---- */

TEST(a_wait_ends_when_the_peer_has_gone)
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    ended_with = WR_OK;
    say(stream, GET("/wait"));
    settle();
    CHECK_OK(ended_with);
    wr_stream_close(stream);
    settle();
    CHECK_ERR(WR_BROKENPIPE, ended_with);
    close_site(&site);
}

TEST(a_wait_ends_when_the_server_drains_and_the_answer_goes_out)
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    say(stream, GET("/wait"));
    settle();
    wr_http_drain(site.http);
    CHECK_STR("200 enough", hear(stream));
    CHECK_ERR(WR_DRAINING, ended_with);
    CHECK_STR("closed", hear(stream));
    wr_stream_close(stream);
    close_site(&site);
}

TEST(a_request_that_comes_during_a_wait_is_answered_after_it)
{
    struct site site;
    open_own(&site, (struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    say(stream, GET("/gate"));
    settle();
    say(stream, GET("/nowhere"));
    settle();
    CHECK_OK(wr_once_set(gate, NULL));
    CHECK_STR("200", hear_of(stream, false));
    CHECK(strstr(answer_head, "Content-Length: 6") != NULL);
    wr_stream_close(stream);
    CHECK_STR("200 case 0", ask(&site, GET("/gate")));
    close_site(&site);
}
