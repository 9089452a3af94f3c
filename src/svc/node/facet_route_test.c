/* facet_route_test.c - a service whose routes need facets: each answers 429 when its
 * own bound is reached, and lets go of what it had. */
#include <weir/metric.h>
#include <weir/task.h>

#include "testing/node_rig.h"

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
    { .method = "GET", .path = "/t/query", .handler = quick, .policy = &search },
    { .method = "GET", .path = "/t/mailbox", .handler = slow, .policy = &mailbox },
};
static const struct node_service service = {
    .name = "test", .routes = routes, .route_count = sizeof(routes) / sizeof(*routes),
};

static void begin(struct rig *rig)
{
    rig_service = &service;
    rig_begin(rig, (const char *const[]){ "--facets-feed", "2", "--facets-graph", "2",
                                          "--facets-search", "2", "--facets-index", "2",
                                          "--facets-mailbox", "2", "--workers-count", "8",
                                          NULL });
}

/* Two may, a third may not, and afterwards one may again. */
static void check_bound(const char *facet, const char *request)
{
    struct rig rig;
    struct wr_stream *streams[3];
    char metric[100];
    begin(&rig);
    for (int i = 0; i < 3; i++) {
        streams[i] = rig_dial(&rig);
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
                              "Content-Length: 0\r\nX-Tenant: alice\r\n\r\n"

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
    begin(&rig);
    for (int i = 0; i < 40; i++)
        CHECK_EQ(200, rig_ask(&rig, "GET", "/t/query", "X-Tenant: alice\r\n", &answer));
    CHECK_EQ(429, rig_ask(&rig, "GET", "/t/query", "X-Tenant: alice\r\n", &answer));
    CHECK_EQ(200, rig_ask(&rig, "GET", "/t/query", "X-Tenant: bob\r\n", &answer));
    CHECK_OK(rig_end(&rig));
}
