#include "mcp/endpoint.h"

#include <weir/run.h>

#include "base/forget.h"
#include "mcp/news.h"
#include "net/caller.h"
#include "rt/sanitize.h"
#include "testing/heap_rig.h"
#include "testing/mcp_rig.h"
#include "testing/http_rig.h"

static struct site site;
static struct mcp_endpoint *endpoint;
static char heard[1 << 16], posted[8000];

static void open_endpoint_of(const struct mcp_offer *offer)
{
    static struct wr_route routes[MCP_ROUTE_COUNT];
    CHECK_OK(mcp_endpoint_new(&endpoint, offer));
    mcp_endpoint_routes(endpoint, routes);
    open_site_of(&site, 0, (struct wr_http_conf){ .routes = routes, .count = MCP_ROUTE_COUNT });
}

static void open_endpoint(void)
{
    open_endpoint_of(&rig_offer);
}

static void close_endpoint(void)
{
    close_site(&site);
    mcp_endpoint_free(endpoint);
}

static struct wr_stream *post(const char *headers, const char *body)
{
    struct wr_stream *stream = dial(&site);
    snprintf(posted, sizeof(posted), "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: "
             "close\r\nContent-Type: application/json\r\n%sContent-Length: %zu\r\n\r\n%s",
             headers, strlen(body), body);
    say(stream, posted);
    return stream;
}

/* All of it, to the end of the connection. */
static const char *hear_all(struct wr_stream *stream)
{
    size_t len = 0, got = 1;
    while (got && len + 1 < sizeof(heard)
           && !wr_stream_read(stream, &got, heard + len, sizeof(heard) - 1 - len, WR_NEVER))
        len += got;
    heard[len] = '\0';
    wr_stream_close(stream);
    return heard;
}

static const char *ask_for(const char *headers, const char *body)
{
    return hear_all(post(headers, body));
}

#define BOTH "Accept: application/json, text/event-stream\r\n"
#define MODERN(method) BOTH "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " method "\r\n"
#define ASK(method, params) "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\"," \
                            "\"params\":{" params "}}"
#define SLOW(seconds) ASK("tools/call", "\"name\":\"slow\",\"arguments\":{\"seconds\":" \
                          seconds "}," RIG_META)
#define INITIALIZE ASK("initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}")

/* Begin a session, and say by which header it is meant. */
static const char *begin(void)
{
    static char header[100];
    const char *id = strstr(ask_for(BOTH, INITIALIZE), "Mcp-Session-Id: ");
    REQUIRE(id, "");
    snprintf(header, sizeof(header), BOTH "%.48s\r\n", id);
    return header;
}

TEST(a_modern_request_is_answered_with_json)
{
    open_endpoint();
    ask_for(MODERN("server/discover"), ASK("server/discover", RIG_META));
    CHECK(has(heard, "HTTP/1.1 200 "));
    CHECK(has(heard, "Content-Type: application/json\r\n"));
    CHECK(has(heard, "\"supportedVersions\":["));
    CHECK(!has(heard, "Mcp-Session-Id"));
    close_endpoint();
}

TEST(headers_that_do_not_agree_are_refused)
{
    open_endpoint();
    ask_for(MODERN("tools/list"), ASK("tools/call", RIG_META));
    CHECK(has(heard, "HTTP/1.1 400 "));
    CHECK(has(heard, "\"id\":1,\"error\":{\"code\":-32020"));
    ask_for(BOTH, ASK("tools/list", RIG_META));
    CHECK(has(heard, "\"code\":-32020"));
    close_endpoint();
}

TEST(a_modern_header_without_meta_is_refused)
{
    open_endpoint();
    ask_for(MODERN("tools/list"), ASK("tools/list", ""));
    CHECK(has(heard, "HTTP/1.1 400 "));
    CHECK(has(heard, "\"code\":-32602"));
    close_endpoint();
}

TEST(a_method_that_is_not_there_is_404_for_modern_clients)
{
    open_endpoint();
    ask_for(MODERN("ping"), ASK("ping", RIG_META));
    CHECK(has(heard, "HTTP/1.1 404 "));
    CHECK(has(heard, "\"code\":-32601"));
    ask_for(begin(), ASK("no/such", ""));
    CHECK(has(heard, "HTTP/1.1 200 "));
    CHECK(has(heard, "\"code\":-32601"));
    close_endpoint();
}

TEST(a_notification_is_accepted_without_a_word)
{
    open_endpoint();
    ask_for(MODERN("notifications/cancelled"),
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}");
    CHECK(has(heard, "HTTP/1.1 202 "));
    CHECK(has(heard, "Content-Length: 0\r\n"));
    close_endpoint();
}

TEST(what_is_no_message_is_400_and_of_another_type_415)
{
    open_endpoint();
    ask_for(BOTH, "{");
    CHECK(has(heard, "HTTP/1.1 400 "));
    CHECK(has(heard, "\"code\":-32700"));
    ask_for("Accept: text/html\r\n", ASK("server/discover", RIG_META));
    CHECK(has(heard, "HTTP/1.1 406 "));
    struct wr_stream *stream = dial(&site);
    say(stream, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
                "application/jsonp\r\nContent-Length: 2\r\n\r\n{}");
    CHECK(has(hear_all(stream), "HTTP/1.1 415 "));
    close_endpoint();
}

TEST(a_legacy_client_is_given_a_session_and_must_name_it)
{
    open_endpoint();
    const char *session = begin();
    CHECK(has(heard, "\"protocolVersion\":\"2025-11-25\""));
    CHECK(has(ask_for(session, ASK("ping", "")), "\"id\":1,\"result\":{}}"));
    CHECK(has(ask_for(session, "{\"jsonrpc\":\"2.0\",\"method\":"
                               "\"notifications/initialized\"}"), "HTTP/1.1 202 "));
    CHECK(has(ask_for(BOTH, ASK("tools/list", "")), "HTTP/1.1 400 "));
    CHECK(has(ask_for(BOTH, ASK("ping", "")), "\"result\":{}"));      /* may come before */
    CHECK(has(ask_for(BOTH "Mcp-Session-Id: 00\r\n", ASK("ping", "")), "HTTP/1.1 404 "));
    close_endpoint();
}

TEST(an_initialize_that_fails_leaves_no_session)
{
    open_endpoint();
    const char *id = strstr(ask_for(BOTH, ASK("initialize", "")), "Mcp-Session-Id: ");
    char header[100];
    REQUIRE(id);
    snprintf(header, sizeof(header), BOTH "%.48s\r\n", id);
    CHECK(has(ask_for(header, ASK("ping", "")), "HTTP/1.1 404 "));
    close_endpoint();
}

TEST(a_legacy_version_that_is_not_known_is_refused)
{
    char headers[200];
    open_endpoint();
    snprintf(headers, sizeof(headers), "%sMCP-Protocol-Version: 1999-01-01\r\n", begin());
    CHECK(has(ask_for(headers, ASK("ping", "")), "HTTP/1.1 400 "));
    close_endpoint();
}

TEST(delete_ends_a_session_and_get_is_not_there)
{
    char request[300];
    open_endpoint();
    snprintf(request, sizeof(request), "DELETE /mcp HTTP/1.1\r\nHost: a\r\nConnection: close"
             "\r\n%s\r\n", begin() + strlen(BOTH));
    struct wr_stream *stream = dial(&site);
    say(stream, request);
    CHECK(has(hear_all(stream), "HTTP/1.1 204 "));
    stream = dial(&site);
    say(stream, request);
    CHECK(has(hear_all(stream), "HTTP/1.1 404 "));
    stream = dial(&site);
    say(stream, "GET /mcp HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    CHECK(has(hear_all(stream), "HTTP/1.1 405 "));
    close_endpoint();
}

TEST(a_session_is_told_what_changes_on_a_stream_of_its_own)
{
    struct mcp_offer changing = rig_offer;
    char session[200], request[400];
    size_t got = 0, len = 0;
    CHECK_OK(mcp_news_new(&changing.news));
    open_endpoint_of(&changing);
    snprintf(session, sizeof(session), "%s", begin());
    CHECK(has(ask_for(session, ASK("resources/subscribe", "\"uri\":\"test://fixed\"")),
              "\"result\":{}"));
    snprintf(request, sizeof(request), "GET /mcp HTTP/1.1\r\nHost: a\r\n%s\r\n", session);
    struct wr_stream *stream = dial(&site), *second = dial(&site);
    say(stream, request);
    settle();
    mcp_news_tell(changing.news, "test://fixed");
    while (!strstr(heard, "updated") && len + 1 < sizeof(heard)
           && !wr_stream_read(stream, &got, heard + len, sizeof(heard) - 1 - len,
                              wr_after(WR_S(5)))) {
        len += got;
        heard[len] = '\0';
    }
    CHECK(has(heard, "HTTP/1.1 200 "));
    CHECK(has(heard, "Content-Type: text/event-stream\r\n"));
    CHECK(has(heard, "event: message\ndata: "));
    CHECK(has(heard, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\","
                     "\"params\":{\"uri\":\"test://fixed\"}}"));
    say(second, request);
    CHECK_OK(wr_stream_read(second, &got, heard, sizeof(heard) - 1, wr_after(WR_S(5))));
    heard[got] = '\0';
    CHECK(has(heard, "HTTP/1.1 409 "));
    wr_stream_close(second);
    wr_stream_close(stream);
    settle();
    close_endpoint();
    mcp_news_free(changing.news);
}

TEST(a_stream_without_a_session_is_refused)
{
    struct mcp_offer changing = rig_offer;
    CHECK_OK(mcp_news_new(&changing.news));
    open_endpoint_of(&changing);
    struct wr_stream *stream = dial(&site);
    say(stream, "GET /mcp HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    CHECK(has(hear_all(stream), "HTTP/1.1 400 "));
    stream = dial(&site);
    say(stream, "GET /mcp HTTP/1.1\r\nHost: a\r\nConnection: close\r\nMcp-Session-Id: x\r\n"
                "\r\n");
    CHECK(has(hear_all(stream), "HTTP/1.1 404 "));
    close_endpoint();
    mcp_news_free(changing.news);
}

TEST(a_call_whose_handler_panics_is_answered)
{
    open_endpoint();
    ask_for(MODERN("tools/call") "Mcp-Name: panic\r\n",
            ASK("tools/call", "\"name\":\"panic\"," RIG_META));
    CHECK(has(heard, "\"code\":-32603"));
    CHECK(has(ask_for(begin(), ASK("ping", "")), "\"result\":{}"));
    close_endpoint();
}

TEST(a_call_that_takes_a_few_seconds_is_answered_with_json)
{
    open_endpoint();
    ask_for(MODERN("tools/call") "Mcp-Name: slow\r\n", SLOW("3"));
    CHECK(has(heard, "Content-Type: application/json\r\n"));
    CHECK(has(heard, "\"text\":\"done\""));
    close_endpoint();
}

TEST(a_call_that_takes_longer_becomes_a_stream)
{
    open_endpoint();
    ask_for(MODERN("tools/call") "Mcp-Name: slow\r\n", SLOW("30"));
    CHECK(has(heard, "Content-Type: text/event-stream\r\n"));
    CHECK(has(heard, "X-Accel-Buffering: no\r\n"));
    CHECK(has(heard, "event: message\ndata: "));
    CHECK(has(heard, "\"text\":\"done\""));
    CHECK(has(heard, ":\n\n"));
    close_endpoint();
}

TEST(who_takes_no_stream_waits_for_json)
{
    open_endpoint();
    ask_for("Accept: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: "
            "tools/call\r\nMcp-Name: slow\r\n", SLOW("30"));
    CHECK(has(heard, "Content-Type: application/json\r\n"));
    CHECK(has(heard, "\"text\":\"done\""));
    close_endpoint();
}

TEST(progress_comes_before_the_answer_in_one_stream)
{
    open_endpoint();
    ask_for(begin(), ASK("tools/call", "\"name\":\"slow\",\"arguments\":{\"seconds\":2},"
                                       "\"_meta\":{\"progressToken\":9}"));
    const char *progress = strstr(heard, "notifications/progress");
    const char *done = strstr(heard, "\"text\":\"done\"");
    CHECK(progress && done && progress < done);
    CHECK(has(heard, "text/event-stream"));
    close_endpoint();
}

/* How many handlers of the rig run. */
static size_t live(void)
{
    settle();
    return wr_http_connections(site.http);
}

TEST(a_modern_client_cancels_by_going)
{
    open_endpoint();
    struct wr_stream *stream = post(MODERN("tools/call") "Mcp-Name: slow\r\n", SLOW("300"));
    CHECK_EQ(1, live());
    wr_time start = wr_now();
    wr_stream_close(stream);
    while (live())
        settle();
    CHECK(wr_now() - start < WR_S(1));
    close_endpoint();
}

TEST(a_legacy_client_that_goes_cancels_nothing)
{
    open_endpoint();
    struct wr_stream *stream = post(begin(), ASK("tools/call", "\"name\":\"slow\","
                                                 "\"arguments\":{\"seconds\":100}"));
    CHECK_EQ(1, live());
    wr_time start = wr_now();
    wr_stream_close(stream);
    while (live())
        CHECK_OK(wr_sleep(wr_after(WR_S(1))));
    CHECK(wr_now() - start > WR_S(98));
    close_endpoint();
}

TEST(a_legacy_client_cancels_by_a_message)
{
    char session[200];
    open_endpoint();
    snprintf(session, sizeof(session), "%s", begin());
    struct wr_stream *stream = post(session, ASK("tools/call", "\"name\":\"slow\","
                                                 "\"arguments\":{\"seconds\":100}"));
    settle();
    wr_time start = wr_now();
    ask_for(session, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                     "{\"requestId\":1}}");
    CHECK(!has(hear_all(stream), "\"id\":1"));
    CHECK(wr_now() - start < WR_S(1));
    close_endpoint();
}

TEST(when_the_server_drains_calls_are_answered_at_once)
{
    open_endpoint();
    struct wr_stream *stream = post(MODERN("tools/call") "Mcp-Name: slow\r\n", SLOW("300"));
    settle();
    wr_time start = wr_now();
    wr_http_drain(site.http);
    CHECK(has(hear_all(stream), "canceled by its owner"));
    CHECK(wr_now() - start < WR_S(1));
    close_endpoint();
}

TEST(files_are_not_for_who_comes_by_http)
{
    open_endpoint();
    ask_for(MODERN("tools/call") "Mcp-Name: echo\r\n",
            ASK("tools/call", "\"name\":\"echo\",\"arguments\":{\"text\":\"x\",\"path\":\"y\"},"
                              RIG_META));
    CHECK(has(heard, "there is no argument \\\"path\\\""));
    close_endpoint();
}

static wr_err call_and_leave(void *unused)
{
    static char body[1000], mark[MARK_LEN + 1];
    (void)unused;
    open_endpoint();
    make_mark(mark, 'M');
    snprintf(body, sizeof(body), ASK("tools/call", "\"name\":\"echo\",\"arguments\":"
                                     "{\"text\":\"%s\"}," RIG_META), mark);
    explicit_bzero(mark, sizeof(mark));
    struct wr_stream *stream = post(MODERN("tools/call") "Mcp-Name: echo\r\n", body);
    CHECK(count_in_heap('M') > 0);              /* the scan sees it while it is there */
    CHECK(has(hear_all(stream), "HTTP/1.1 200 "));
    explicit_bzero(body, sizeof(body));
    explicit_bzero(heard, sizeof(heard));
    explicit_bzero(posted, sizeof(posted));
    close_endpoint();
    return WR_OK;
}

TEST_PLAIN(a_process_that_forgets_keeps_nothing_of_a_call)
{
#if defined(ASAN) || defined(TSAN)
    SKIP("a sanitizer keeps freed memory, and terabytes of its own");
#endif
    if (test_rounds(1000) != 1000)
        SKIP("valgrind keeps freed memory");
    wr_forget_from_now();
    CHECK_OK(wr_run(&(struct wr_run_conf){ .virtual_clock = true }, call_and_leave, NULL));
    CHECK_EQ(0, count_in_heap('M'));
}

TEST(calls_are_counted_by_tool_and_outcome)
{
    open_endpoint();
    long long before = metric_value("mcp_calls_total{tool=\"fail\",outcome=\"error\"}");
    ask_for(MODERN("tools/call") "Mcp-Name: fail\r\n",
            ASK("tools/call", "\"name\":\"fail\"," RIG_META));
    CHECK_EQ((before < 0 ? 0 : before) + 1,
             metric_value("mcp_calls_total{tool=\"fail\",outcome=\"error\"}"));
    close_endpoint();
}

/* ---- what a tool needs beyond that ---- */

static wr_err admit_scopes(void *arg, struct wr_call *call)
{
    (void)arg;
    const char *said = wr_call_header(call, "authorization");
    caller_make(call)->scopes = !said ? NULL : strcmp(said, "writer") == 0
                                    ? "mcp.use\ntest.write\n" : "mcp.use\n";
    return WR_OK;
}

static wr_err write_it(struct mcp_request *request)
{
    wr_text_str(mcp_request_text(request), mcp_request_share(request));
    return WR_OK;
}

static wr_err no_task(struct mcp_request *request, const char *id)
{
    (void)request, (void)id;
    return WR_NOTFOUND;
}

#define WRITE ASK("tools/call", "\"name\":\"write\",\"arguments\":{}," RIG_META)
#define CALL_WRITE MODERN("tools/call") "Mcp-Name: write\r\n"
#define CANCEL ASK("tasks/cancel", "\"taskId\":\"t\"," RIG_META)

TEST(a_tool_that_needs_a_scope_is_called_with_it_or_where_no_token_is_needed)
{
    static struct wr_route routes[MCP_ROUTE_COUNT];
    const struct mcp_tool tools[] = {
        { .name = "write", .what = "Writes.", .scope = "test.write", .handler = write_it },
        { .name = "read", .what = "Reads.", .handler = write_it } };
    const struct mcp_tasks tasks = { .cancel = no_task, .scope = "test.write" };
    const struct mcp_offer offer = { .name = "test", .version = "1", .tools = tools,
                                     .tool_count = 2, .tasks = &tasks };
    CHECK_OK(mcp_endpoint_new(&endpoint, &offer));
    mcp_endpoint_routes(endpoint, routes);
    open_site_of(&site, 0, (struct wr_http_conf){ .routes = routes, .count = MCP_ROUTE_COUNT,
                                                  .admit = admit_scopes });
    CHECK(has(ask_for(CALL_WRITE, WRITE), "ip:127.0.0.1"));
    CHECK(has(ask_for(CALL_WRITE "Authorization: writer\r\n", WRITE), "HTTP/1.1 200 "));
    ask_for(CALL_WRITE "Authorization: reader\r\n", WRITE);
    CHECK(has(heard, "HTTP/1.1 403 "));
    CHECK(has(heard, "\"error\":{\"code\":403"));
    CHECK(has(heard, "test.write"));
    CHECK(has(ask_for(MODERN("tools/call") "Mcp-Name: read\r\nAuthorization: reader\r\n",
                      ASK("tools/call", "\"name\":\"read\",\"arguments\":{}," RIG_META)),
              "HTTP/1.1 200 "));
    ask_for(MODERN("tasks/cancel") "Mcp-Name: t\r\nAuthorization: reader\r\n", CANCEL);
    CHECK(has(heard, "HTTP/1.1 403 "));
    ask_for(MODERN("tasks/cancel") "Mcp-Name: t\r\nAuthorization: writer\r\n", CANCEL);
    CHECK(!has(heard, "HTTP/1.1 403 "));
    close_endpoint();
}
