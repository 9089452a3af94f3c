#include "mcp/post.h"

#include "testing/http_rig.h"

static struct site site;
static char taken[1000];

static wr_err take(void *arg, const char *at, size_t len)
{
    size_t room = strlen(taken);
    snprintf(taken + room, sizeof(taken) - room, "[%.*s]", (int)len, at);
    return *(wr_err *)arg;
}

static wr_err answer_json(struct wr_call *call)
{
    wr_call_type(call, "application/json");
    wr_call_reply_header(call, "Mcp-Session-Id", "s1");
    wr_call_print(call, "{\"jsonrpc\":\"2.0\",\"said\":%zu}", strlen(wr_call_header(call,
                                                                                    "x-say")));
    return WR_OK;
}

static wr_err answer_events(struct wr_call *call)
{
    static const char text[] = ":\n\nevent: message\r\ndata: {\"a\":1}\r\n\r\nid: 7\ndata:b\n\n"
                               "data: never ended";
    wr_call_type(call, "text/event-stream");
    wr_err err = wr_call_begin(call);
    for (size_t i = 0; i < strlen(text) && !err; i++)
        err = wr_call_send(call, text + i, 1, WR_NEVER);
    return err;
}

static wr_err answer_problem(struct wr_call *call)
{
    return wr_call_fail(call, WR_DENIED, "no token");
}

static struct wr_route routes[] = {
    { .method = "POST", .path = "/mcp", .handler = answer_json, .class = WR_ROUTE_STREAM },
};

static wr_err post_to(wr_handler handler, struct mcp_posted *ret, wr_err result)
{
    struct wr_fetch_header header = { "X-Say", "hello" };
    taken[0] = '\0';
    routes[0].handler = handler;
    open_site_of(&site, 0, (struct wr_http_conf){ .routes = routes, .count = 1 });
    struct mcp_post post = { .addr = wr_listener_addr(site.listener), .method = "POST",
                             .body = "{}", .len = 2, .headers = &header, .count = 1,
                             .take = take, .arg = &result };
    wr_err err = mcp_post(&post, ret);
    close_site(&site);
    return err;
}

TEST(json_is_one_message)
{
    struct mcp_posted posted;
    CHECK_OK(post_to(answer_json, &posted, WR_OK));
    CHECK_EQ(200, posted.status);
    CHECK_STR("s1", posted.session);
    CHECK_STR("[{\"jsonrpc\":\"2.0\",\"said\":5}]", taken);
}

TEST(events_are_one_message_each_however_they_are_cut)
{
    struct mcp_posted posted;
    CHECK_OK(post_to(answer_events, &posted, WR_OK));
    CHECK_STR("[{\"a\":1}][b]", taken);
    CHECK(posted.message);
}

TEST(what_cannot_be_passed_on_ends_it)
{
    struct mcp_posted posted;
    CHECK_ERR(WR_BROKENPIPE, post_to(answer_events, &posted, WR_BROKENPIPE));
    CHECK_STR("[{\"a\":1}]", taken);
}

TEST(an_error_of_http_is_no_message_and_says_why)
{
    struct mcp_posted posted;
    CHECK_OK(post_to(answer_problem, &posted, WR_OK));
    CHECK_EQ(403, posted.status);
    CHECK(!posted.message);
    CHECK_STR("no token", posted.why);
    CHECK_STR("", taken);
}
