/* facet_route_test.c - a service whose routes need facets: each answers 429 when its
 * own bound is reached, and lets go of what it had. */
#include <weir/metric.h>
#include <weir/task.h>

#include "testing/node_rig.h"
#include "testing/token_rig.h"

static struct answer answer;

static wr_err slow(struct wr_call *call)
{
    wr_call_print(call, "done");
    return wr_sleep(wr_after(WR_MS(500)));
}

static wr_err quick(struct wr_call *call)
{
    wr_call_print(call, "done");
    return WR_OK;
}

static void ask_graph(struct wr_call *call, struct facet_ask *ask)
{
    const char *degree = wr_call_query(call, "degree");
    ask->degree = degree ? strtoull(degree, NULL, 10) : 1;
    ask->depth = 2;
}

static const struct node_policy feed = { .facet = FACET_FEED },
                                graph = { .facet = FACET_GRAPH, .ask = ask_graph },
                                search = { .facet = FACET_SEARCH },
                                ingest = { .facet = FACET_INDEX },
                                mailbox = { .facet = FACET_MAILBOX };

static const struct wr_route routes[] = {
    { .method = "GET", .path = "/t/feed", .handler = slow, .policy = &feed },
    { .method = "GET", .path = "/t/graph", .handler = slow, .policy = &graph },
    { .method = "GET", .path = "/t/search", .handler = slow, .policy = &search },
    { .method = "POST", .path = "/t/index", .handler = slow, .policy = &ingest },
    { .method = "GET", .path = "/t/query", .handler = quick, .policy = &search,
      .scope = "test.read" },
    { .method = "GET", .path = "/t/mailbox", .handler = slow, .policy = &mailbox,
      .scope = "test.read" },
    { .method = "GET", .path = "/t/poll", .handler = slow, .policy = &node_waits,
      .class = WR_ROUTE_LONG },
};
static const struct node_service service = {
    .name = "test", .routes = routes, .route_count = sizeof(routes) / sizeof(*routes),
};

static void begin_with(struct rig *rig, const char *flag, const char *value)
{
    rig_service = &service;
    rig_begin(rig, (const char *const[]){ "--facets-feed", "2", "--facets-graph", "2",
                                          "--facets-search", "2", "--facets-index", "2",
                                          "--facets-mailbox", "2", "--workers-count", "8",
                                          flag, value, NULL });
}

static void begin(struct rig *rig)
{
    begin_with(rig, NULL, NULL);
}

/* Two may, a third may not, and afterwards one may again; each is of another address. */
static void check_bound(const char *facet, const char *request)
{
    struct rig rig;
    struct wr_stream *streams[3];
    char metric[100], from[20];
    begin(&rig);
    for (int i = 0; i < 3; i++) {
        snprintf(from, sizeof(from), "127.0.0.%d", 2 + i);
        streams[i] = rig_dial_from(&rig.face.http, from);
        rig_say(streams[i], request);
        settle();
    }
    CHECK_EQ(429, rig_hear(streams[2], &answer));
    CHECK(strstr(answer.head, "\r\nRetry-After: "));
    CHECK(strstr(answer.body, facet));
    CHECK_EQ(200, rig_get(&rig, "/metrics", &answer));
    snprintf(metric, sizeof(metric), "\nfacet_busy_total{facet=\"%s\"} ", facet);
    CHECK(strstr(answer.body, metric));
    snprintf(metric, sizeof(metric), "\nsemaphore_inflight{facet=\"%s\"} 2\n", facet);
    CHECK(strstr(answer.body, metric));
    for (int i = 0; i < 2; i++)
        CHECK_EQ(200, rig_hear(streams[i], &answer));
    settle();
    rig_say(streams[0], request);
    CHECK_EQ(200, rig_hear(streams[0], &answer));
    for (int i = 0; i < 3; i++)
        wr_stream_close(streams[i]);
    CHECK_OK(rig_end(&rig));
}

#define REQUEST(method, path) method " " path " HTTP/1.1\r\nHost: localhost\r\n" \
                              "Content-Length: 0\r\n\r\n"

TEST(feed_answers_429_beyond_its_units)
{
    check_bound("feed", REQUEST("GET", "/t/feed"));
}

TEST(graph_answers_429_beyond_its_units)
{
    check_bound("graph", REQUEST("GET", "/t/graph"));
}

TEST(search_answers_429_beyond_its_units)
{
    check_bound("search", REQUEST("GET", "/t/search"));
}

TEST(index_answers_429_beyond_its_units)
{
    check_bound("index", REQUEST("POST", "/t/index"));
}

TEST(mailbox_answers_429_beyond_its_units)
{
    check_bound("mailbox", REQUEST("GET", "/t/mailbox"));
}

TEST(a_graph_of_too_many_neighbours_is_refused_before_any_work)
{
    struct rig rig;
    begin(&rig);
    wr_time before = wr_now();
    CHECK_EQ(429, rig_get(&rig, "/t/graph?degree=1000000", &answer));
    CHECK_EQ(before, wr_now());
    CHECK_OK(rig_end(&rig));
}

TEST(a_tenant_that_searches_too_often_is_refused_and_another_is_not)
{
    struct rig rig;
    struct token_rig tokens;
    char alice[TOKEN_HEADER_MAX], bob[TOKEN_HEADER_MAX];
    token_rig_open(&tokens);
    token_rig_header(&tokens, alice, "test.read", "alice");
    token_rig_header(&tokens, bob, "test.read", "bob");
    begin_with(&rig, "--auth-key-path", tokens.path);
    for (int i = 0; i < 40; i++)
        CHECK_EQ(200, rig_ask(&rig, "GET", "/t/query", alice, &answer));
    CHECK_EQ(429, rig_ask(&rig, "GET", "/t/query", alice, &answer));
    CHECK_EQ(429, rig_ask_from(&rig, "127.0.0.2", "/t/query", alice, &answer));
    CHECK_EQ(200, rig_ask(&rig, "GET", "/t/query", bob, &answer));
    CHECK_OK(rig_end(&rig));
    token_rig_close(&tokens);
}

TEST(an_address_that_searches_too_often_is_refused_whatever_tenant_it_says_it_is)
{
    struct rig rig;
    char header[40];
    begin(&rig);
    for (int i = 0; i < 40; i++) {
        snprintf(header, sizeof(header), "X-Tenant: t%d\r\n", i);
        CHECK_EQ(200, rig_ask(&rig, "GET", "/t/query", header, &answer));
    }
    CHECK_EQ(429, rig_ask(&rig, "GET", "/t/query", "X-Tenant: another\r\n", &answer));
    CHECK_EQ(200, rig_ask_from(&rig, "127.0.0.2", "/t/query", "", &answer));
    CHECK_OK(rig_end(&rig));
}

#define MESSAGES 33

TEST(who_waits_takes_no_unit_and_has_as_many_places_as_the_mailbox_gives_one_caller)
{
    struct rig rig;
    struct wr_stream *streams[MESSAGES];
    begin(&rig);
    for (int i = 0; i < MESSAGES; i++) {
        streams[i] = rig_dial(&rig);
        rig_say(streams[i], REQUEST("GET", "/t/poll"));
    }
    settle();
    CHECK_EQ(200, rig_get(&rig, "/metrics", &answer));
    CHECK(strstr(answer.body, "\nsemaphore_inflight{facet=\"mailbox\"} 0\n"));
    CHECK_EQ(429, rig_get(&rig, "/t/poll", &answer));
    CHECK(strstr(answer.body, "mailbox: "));
    CHECK_EQ(200, rig_get(&rig, "/t/mailbox", &answer));        /* it works, and may */
    CHECK_EQ(200, rig_ask_from(&rig, "127.0.0.2", "/t/poll", "", &answer));
    int refused = 0;
    for (int i = 0; i < MESSAGES; i++) {
        refused += rig_hear(streams[i], &answer) == 429;
        wr_stream_close(streams[i]);
    }
    CHECK_EQ(1, refused);
    CHECK_EQ(200, rig_get(&rig, "/t/poll", &answer));
    CHECK_OK(rig_end(&rig));
}
