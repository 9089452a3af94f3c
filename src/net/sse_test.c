/* sse_test.c - events to a reader, and a thousand long polls. */
#include <weir/sse.h>

#include <malloc.h>
#include <sys/resource.h>

#include "testing/http_rig.h"

static struct wr_chan *events;      /* of texts: "id name data" to be sent */
static wr_err ended;
static bool done;

static wr_err tell(struct wr_call *call)
{
    struct wr_sse sse;
    const char *text;
    struct wr_case cases[] = { WR_CASE_RECV(events, &text) };
    struct wr_sse_conf conf = { .idle_max = wr_call_query(call, "idle") ? WR_S(40) : 0 };
    size_t which;
    wr_err err = wr_sse_begin(&sse, call, &conf);
    const char *last = wr_sse_last_id(call);
    if (!err && last)
        err = wr_sse_event(&sse, NULL, "since", last);
    while (!err && !(err = wr_sse_select(&sse, &which, cases, 1)))
        err = wr_sse_event(&sse, "7", "news", text);
    ended = err;
    done = true;
    return wr_sse_end(&sse, err);
}

static wr_err flood_events(struct wr_call *call)
{
    static char data[100001];
    struct wr_sse sse;
    memset(data, 'x', 100000);
    wr_err err = wr_sse_begin(&sse, call, &(struct wr_sse_conf){ 0 });
    while (!err)
        err = wr_sse_event(&sse, NULL, NULL, data);
    ended = err;
    done = true;
    return wr_sse_end(&sse, err);
}

static wr_err bad_name(struct wr_call *call)
{
    struct wr_sse sse;
    wr_err err = wr_sse_begin(&sse, call, &(struct wr_sse_conf){ 0 });
    return err ? err : wr_sse_event(&sse, NULL, "two\nlines", "");
}

static wr_err too_large(struct wr_call *call)
{
    static char data[WR_SSE_EVENT_MAX + 1];
    struct wr_sse sse;
    wr_err err = wr_sse_begin(&sse, call, &(struct wr_sse_conf){ 0 });
    memset(data, 'x', WR_SSE_EVENT_MAX);
    ended = err ? err : wr_sse_event(&sse, NULL, NULL, data);
    return wr_sse_event(&sse, NULL, NULL, "small");
}

static wr_err poll(struct wr_call *call)
{
    size_t which;
    const char *text = "nothing";
    struct wr_case cases[] = { WR_CASE_RECV(events, &text) };
    wr_err err = wr_call_select(call, &which, cases, 1, wr_after(WR_S(30)));
    if (err && err != WR_TIMEOUT && err != WR_DRAINING)
        return err;
    wr_call_print(call, "%s", err == WR_DRAINING ? "draining" : text);
    return WR_OK;
}

static const struct wr_route routes[] = {
    { .method = "GET", .path = "/tell", .handler = tell, .class = WR_ROUTE_STREAM },
    { .method = "GET", .path = "/brief", .handler = tell, .class = WR_ROUTE_STREAM,
      .deadline = WR_S(60) },
    { .method = "GET", .path = "/flood", .handler = flood_events, .class = WR_ROUTE_STREAM },
    { .method = "GET", .path = "/bad", .handler = bad_name, .class = WR_ROUTE_STREAM },
    { .method = "GET", .path = "/large", .handler = too_large, .class = WR_ROUTE_STREAM },
    { .method = "GET", .path = "/poll", .handler = poll, .class = WR_ROUTE_LONG },
};

static struct site site;

static void open_telling(struct wr_http_conf conf)
{
    conf.routes = routes;
    conf.count = sizeof(routes) / sizeof(routes[0]);
    CHECK_OK(wr_chan_new(&events, &(struct wr_chan_conf){ .name = "test.events", .cap = 10,
                                                          .item_size = sizeof(char *),
                                                          .policy = WR_WAIT }));
    ended = WR_OK;
    done = false;
    open_site_of(&site, 0, conf);
}

static void close_telling(void)
{
    close_site(&site);
    wr_chan_free(events);
}

static void happen(const char *text)
{
    CHECK_OK(wr_chan_send(events, &text, WR_NOW));
}

/* HTTP/1.0: the body comes as it is, and ends with the connection. */
static struct wr_stream *listen_to(const char *path, const char *headers)
{
    char request[300];
    struct wr_stream *stream = dial(&site);
    snprintf(request, sizeof(request), "GET %s HTTP/1.0\r\n%s\r\n", path, headers);
    say(stream, request);
    size_t len = 0, size = 1;               /* not a byte more: the first event may follow */
    answer_head[0] = '\0';
    while (size && !strstr(answer_head, "\r\n\r\n") && len < sizeof(answer_head) - 1) {
        CHECK_OK(wr_stream_read(stream, &size, answer_head + len, 1, WR_NEVER));
        answer_head[len += size] = '\0';
    }
    CHECK(strncmp(answer_head, "HTTP/1.1 200 ", 13) == 0);
    return stream;
}

/* What comes next, at once or not at all. */
static const char *heard(struct wr_stream *stream)
{
    static char text[5000];
    size_t len = 0, size = 1;
    settle();
    while (size && !wr_stream_read(stream, &size, text + len, sizeof(text) - 1 - len, WR_NOW))
        len += size;
    text[len] = '\0';
    return text;
}

TEST(an_event_is_an_id_a_name_and_lines_of_data)
{
    open_telling((struct wr_http_conf){ 0 });
    struct wr_stream *stream = listen_to("/tell", "");
    CHECK(strstr(answer_head, "\r\nContent-Type: text/event-stream") != NULL);
    CHECK(strstr(answer_head, "\r\nCache-Control: no-store") != NULL);
    happen("one");
    CHECK_STR("id: 7\nevent: news\ndata: one\n\n", heard(stream));
    happen("a\nb\r\nc\rd\n");
    CHECK_STR("id: 7\nevent: news\ndata: a\ndata: b\ndata: c\ndata: d\ndata: \n\n",
              heard(stream));
    happen("");
    CHECK_STR("id: 7\nevent: news\ndata: \n\n", heard(stream));
    wr_stream_close(stream);
    close_telling();
}

TEST(a_reader_that_comes_back_says_what_it_saw)
{
    open_telling((struct wr_http_conf){ 0 });
    struct wr_stream *stream = listen_to("/tell", "Last-Event-ID: 41\r\n");
    CHECK_STR("event: since\ndata: 41\n\n", heard(stream));
    wr_stream_close(stream);
    close_telling();
}

TEST(silence_is_broken_every_fifteen_seconds)
{
    open_telling((struct wr_http_conf){ 0 });
    wr_time start = wr_now();
    struct wr_stream *stream = listen_to("/tell", "");
    CHECK_OK(wr_sleep(start + WR_S(15) - 2));
    CHECK_STR("", heard(stream));
    CHECK_OK(wr_sleep(start + WR_S(15)));
    CHECK_STR(":\n\n", heard(stream));
    CHECK_OK(wr_sleep(start + WR_S(20)));
    happen("x");
    CHECK_STR("id: 7\nevent: news\ndata: x\n\n", heard(stream));
    CHECK_OK(wr_sleep(start + WR_S(35)));
    CHECK_STR(":\n\n", heard(stream));          /* counted from the event */
    CHECK_OK(wr_sleep(start + WR_S(100)));
    CHECK_STR(":\n\n:\n\n:\n\n:\n\n", heard(stream));
    wr_stream_close(stream);
    close_telling();
}

TEST(at_the_drain_a_last_event_says_so_and_the_connection_ends)
{
    open_telling((struct wr_http_conf){ 0 });
    struct wr_stream *stream = listen_to("/tell", "");
    wr_time before = wr_now();
    wr_http_drain(site.http);
    CHECK_STR("event: end\ndata: draining\n\n", heard(stream));
    CHECK_ERR(WR_DRAINING, ended);
    CHECK_EQ(1, wr_now() - before);
    char byte;
    size_t size;
    CHECK_OK(wr_stream_read(stream, &size, &byte, 1, WR_NEVER));
    CHECK_EQ(0, size);
    wr_stream_close(stream);
    close_telling();
}

TEST(without_events_the_stream_ends_after_its_idle_time_though_comments_went_out)
{
    open_telling((struct wr_http_conf){ 0 });
    struct wr_stream *stream = listen_to("/tell?idle=1", "");
    wr_time start = wr_now();
    CHECK_OK(wr_sleep(start + WR_S(31)));       /* a second after a comment */
    happen("x");
    CHECK_OK(wr_sleep(start + WR_S(71) - 1));
    CHECK(!done);
    CHECK_OK(wr_sleep(start + WR_S(72)));
    CHECK(done);
    CHECK_STR(":\n\n:\n\nid: 7\nevent: news\ndata: x\n\n:\n\n:\n\nevent: end\ndata: idle\n\n",
              heard(stream));
    wr_stream_close(stream);
    close_telling();
}

TEST(the_deadline_of_the_route_ends_the_stream_in_good_order)
{
    open_telling((struct wr_http_conf){ 0 });
    struct wr_stream *stream = listen_to("/brief", "");
    for (int i = 0; i < 6; i++) {
        happen("x");
        CHECK_OK(wr_sleep(wr_after(WR_S(10))));
    }
    const char *text = heard(stream);
    CHECK(strstr(text, "data: x\n\nevent: end\ndata: total\n\n") != NULL);
    CHECK_ERR(WR_TIMEOUT, ended);
    wr_stream_close(stream);
    close_telling();
}

TEST(a_reader_that_takes_nothing_is_cut_off)
{
    open_telling((struct wr_http_conf){ 0 });
    struct wr_stream *stream = listen_to("/flood", "");
    CHECK_OK(wr_sleep(wr_after(WR_S(6))));
    CHECK(done);
    CHECK_ERR(WR_TIMEOUT, ended);
    CHECK_EQ(0, wr_http_connections(site.http));
    wr_stream_close(stream);
    close_telling();
}

TEST(a_reader_that_has_gone_frees_its_stream)
{
    open_telling((struct wr_http_conf){ 0 });
    struct wr_stream *stream = listen_to("/tell", "");
    wr_stream_close(stream);
    settle();
    CHECK(done);
    CHECK_ERR(WR_BROKENPIPE, ended);
    settle();
    CHECK_EQ(0, wr_http_connections(site.http));
    close_telling();
}

TEST(a_head_request_for_events_ends_well)
{
    open_telling((struct wr_http_conf){ 0 });
    struct wr_stream *stream = dial(&site);
    say(stream, "HEAD /tell HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK_STR("200", hear_of(stream, false));
    CHECK_OK(wr_sleep(wr_after(WR_S(20))));     /* the first comment finds that out */
    say(stream, GET("/nowhere"));
    CHECK(strncmp(hear(stream), "404 ", 4) == 0);
    wr_stream_close(stream);
    close_telling();
}

TEST(an_event_that_is_too_large_is_refused_and_the_stream_goes_on)
{
    open_telling((struct wr_http_conf){ 0 });
    struct wr_stream *stream = listen_to("/large", "");
    CHECK_STR("data: small\n\n", heard(stream));
    CHECK_ERR(WR_INVALID, ended);
    wr_stream_close(stream);
    close_telling();
}

TEST_DIES(a_name_of_two_lines_is_a_panic, "event of an event: a line break")
{
    open_telling((struct wr_http_conf){ 0 });
    listen_to("/bad", "");
    settle();
    abort();
}

/* ---- long polls ---- */

enum { POLLS = 1000 };
static struct wr_stream *polls[POLLS];

static bool raise_descriptors(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur >= (rlim_t)3 * POLLS;
}

static void open_polls(void)
{
    for (int i = 0; i < POLLS; i++) {
        polls[i] = dial(&site);
        say(polls[i], GET("/poll"));
    }
    settle();
    CHECK_EQ(POLLS, wr_http_connections(site.http));
}

TEST(a_thousand_long_polls_take_little_memory_and_are_answered_when_the_drain_begins)
{
    if (!raise_descriptors())
        SKIP("too few descriptors are allowed");
    open_telling((struct wr_http_conf){ .connections_max = 2 * POLLS,
                                           .limits = { .ip_connections = POLLS } });
    struct mallinfo2 before = mallinfo2();
    open_polls();
    struct mallinfo2 after = mallinfo2();
    size_t each = (after.uordblks + after.hblkhd - before.uordblks - before.hblkhd) / POLLS;
    CHECK(each < 32768);
    CHECK_OK(wr_sleep(wr_after(WR_S(29))));
    CHECK_EQ(POLLS, wr_http_connections(site.http));
    happen("news");                             /* for one of them */
    settle();
    wr_time start = wr_now();
    wr_http_drain(site.http);
    int news = 0;
    for (int i = 0; i < POLLS; i++) {
        const char *answer = hear(polls[i]);
        news += strcmp(answer, "200 news") == 0;
        CHECK(strcmp(answer, "200 news") == 0 || strcmp(answer, "200 draining") == 0);
    }
    CHECK_EQ(1, news);
    CHECK_EQ(0, wr_now() - start);              /* at once, all of them */
    for (int i = 0; i < POLLS; i++)
        wr_stream_close(polls[i]);
    close_telling();
}

TEST(long_polls_whose_clients_vanish_give_everything_back)
{
    if (!raise_descriptors())
        SKIP("too few descriptors are allowed");
    open_telling((struct wr_http_conf){ .connections_max = 2 * POLLS,
                                           .limits = { .ip_connections = POLLS } });
    struct mallinfo2 before = mallinfo2();
    open_polls();
    for (int i = 0; i < POLLS; i++)
        wr_stream_close(polls[i]);
    settle();
    settle();
    CHECK_EQ(0, wr_http_connections(site.http));
    struct mallinfo2 after = mallinfo2();
    CHECK(after.uordblks + after.hblkhd
          < before.uordblks + before.hblkhd + (size_t)1000 * POLLS);
    happen("news");                             /* nobody takes it */
    settle();
    CHECK_EQ(1, wr_chan_stat(events).len);
    close_telling();
}

TEST(a_long_poll_that_nothing_happens_in_is_answered_when_its_own_time_is_over)
{
    open_telling((struct wr_http_conf){ 0 });
    wr_time start = wr_now();
    CHECK_STR("200 nothing", ask(&site, GET("/poll")));
    CHECK_EQ(WR_S(30), wr_now() - start);
    close_telling();
}
