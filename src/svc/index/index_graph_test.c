/* index_graph_test.c - the facet of graphs, in a whole node. */
#include "svc/index/index_graph.h"

#include <jansson.h>

#include "testing/deadline_rig.h"
#include "testing/index_node_rig.h"
#include "testing/graph_rig.h"
#include "testing/metric_rig.h"

#define ON "--index-facets-graph=true"

static void begin(struct rig *rig)
{
    index_node_begin(rig, (const char *const[]){ ON, NULL });
}

static struct store *store_of(void)
{
    return index_service_desk(service)->store;
}

static long long refused(void)
{
    return metric_value("facet_busy_total{facet=\"graph\"}");
}

TEST_PLAIN(a_node_is_a_key_or_a_page)
{
    static const char *const bad[] = {
        "", "a", "name:", "name:a/b", "b3:1", "page_", "page_0123456789abcdef0123456",
        "page_0123456789abcdef012345678", "page_0123456789ABCDEF01234567", "http:a",
        "Page_0123456789abcdef01234567",
    };
    char id[INDEX_KEY_TEXT];
    const char *clause = NULL;
    CHECK_OK(index_graph_read(id, "name:Weir.Example", &clause));
    CHECK_STR("name:weir.example", id);
    CHECK_OK(index_graph_read(id, CID_OF("a"), &clause));
    CHECK_STR(CID_OF("a"), id);
    CHECK_OK(index_graph_read(id, "page_0123456789abcdef01234567", &clause));
    CHECK_STR("page_0123456789abcdef01234567", id);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        clause = NULL;
        CHECK_ERR(WR_INVALID, index_graph_read(id, bad[i], &clause));
        CHECK(clause && *clause);
    }
}

TEST(it_is_off_unless_it_was_wanted)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    CHECK_EQ(404, rig_get(&rig, "/graph/name:a", &answer));
    CHECK(says("index.facets.graph is off"));
    index_node_end(&rig);
}

TEST(what_was_published_and_what_was_found_are_one_graph)
{
    struct rig rig;
    char target[200];
    begin(&rig);
    CHECK_EQ(202, index_node_send(&rig, "PUT", "/admin/seed", "",
                                  "{\"name\":\"weir\",\"cid\":\"" CID_OF("a") "\"}"));
    CHECK_EQ(202, index_node_send(&rig, "PUT", "/v1/index/assets/" CID_OF("b") "/manifest", "",
                                  "{\"version\":1,\"asset_kind\":\"image\",\"manifest_cid\":\""
                                  CID_OF("a") "\"}"));
    graph_page(store_of(), "http://a.test/x?y=1", "A \"page\"", CID_OF("b"));
    graph_cite(store_of(), "http://a.test/x?y=1", "http://b.test/");
    CHECK_EQ(200, rig_get(&rig, "/graph/name:WEIR", &answer));
    CHECK(says("{\"node\":\"name:weir\",\"max_neighbors\":16,\"hops\":1,\"nodes\":["));
    CHECK(says("\"edges\":[{\"from\":\"name:weir\",\"to\":\"" CID_OF("a")
               "\",\"relation\":\"manifest\"}],\"truncated\":false}"));
    CHECK(head_says("Content-Type: application/json"));
    CHECK_EQ(200, rig_get(&rig, "/graph/" CID_OF("b") "?hops=3", &answer));
    CHECK(says("{\"id\":\"name:weir\",\"kind\":\"name\",\"hops\":2}"));
    CHECK(says("\"title\":\"A \\\"page\\\"\",\"url\":\"http://a.test/x?y=1\",\"cid\":\""
               CID_OF("b") "\"}"));
    CHECK(says("\"title\":\"cited\",\"url\":\"http://b.test/\"}"));
    snprintf(target, sizeof(target), "/graph/%s", graph_page_id("http://b.test/"));
    CHECK_EQ(200, rig_get(&rig, target, &answer));
    CHECK(says("\"relation\":\"cites\""));
    snprintf(target, sizeof(target), "/graph/%s", graph_page_id("http://a.test/x?y=1"));
    CHECK_EQ(200, rig_get(&rig, target, &answer));
    CHECK(says("\"relation\":\"content\""));
    json_t *json = json_loads(answer.body, JSON_REJECT_DUPLICATES, NULL);
    CHECK_EQ(3, json_array_size(json_object_get(json, "nodes")));
    json_decref(json);
    index_node_end(&rig);
}

TEST(what_is_no_node_is_refused_and_what_is_not_known_is_not_found)
{
    struct rig rig;
    begin(&rig);
    CHECK_EQ(400, rig_get(&rig, "/graph/weir", &answer));
    CHECK(says("\"code\":\"bad_request\""));
    CHECK_EQ(400, rig_get(&rig, "/graph/page_12", &answer));
    CHECK(says("a page is page_ and 24 hex digits in lower case"));
    CHECK_EQ(404, rig_get(&rig, "/graph/name:weir", &answer));
    CHECK(says("\"code\":\"not_found\""));
    CHECK_EQ(404, rig_get(&rig, "/graph/" CID_OF("1"), &answer));
    CHECK_EQ(404, rig_get(&rig, "/graph/page_0123456789abcdef01234567", &answer));
    index_node_end(&rig);
}

TEST(how_many_and_how_far_are_within_their_limits)
{
    static const char *const asked[][2] = {
        { "", "\"max_neighbors\":16,\"hops\":1," },
        { "?max_neighbors=900", "\"max_neighbors\":128,\"hops\":1," },
        { "?max_neighbors=0&hops=0", "\"max_neighbors\":1,\"hops\":1," },
        { "?max_neighbors=many&hops=far", "\"max_neighbors\":16,\"hops\":1," },
        { "?hops=99", "\"max_neighbors\":16,\"hops\":3," },
        { "?hops=2&max_neighbors=128", "\"max_neighbors\":128,\"hops\":2," },
    };
    struct rig rig;
    char target[100];
    begin(&rig);
    graph_point(store_of(), "site", "a", CID_OF("a"));
    for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
        snprintf(target, sizeof(target), "/graph/name:a%s", asked[i][0]);
        CHECK_EQ(200, rig_get(&rig, target, &answer));
        CHECK(says(asked[i][1]));
    }
    index_node_end(&rig);
}

/* 128 on each of 3 levels are two millions. */
TEST(what_could_come_to_too_many_nodes_is_busy_before_any_work)
{
    struct rig rig;
    begin(&rig);
    graph_point(store_of(), "site", "a", CID_OF("a"));
    long long before = refused();
    CHECK_EQ(429, rig_get(&rig, "/graph/name:a?max_neighbors=128&hops=3", &answer));
    CHECK(says("\"code\":\"over_capacity\""));
    CHECK(says("it could come to more nodes than may be visited"));
    CHECK(head_says("\r\nRetry-After: "));
    CHECK_EQ((before < 0 ? 0 : before) + 1, refused());
    CHECK_EQ(429, rig_get(&rig, "/graph/no%20node?max_neighbors=99&hops=3", &answer));
    CHECK_EQ(200, rig_get(&rig, "/graph/name:a?max_neighbors=16&hops=3", &answer));
    CHECK_EQ((before < 0 ? 0 : before) + 2, refused());
    index_node_end(&rig);
}

/* The one worker is kept, so that the first waits in the queue with its unit. */
TEST(more_at_a_time_than_there_are_units_are_busy)
{
    static const char request[] = "GET /graph/name:a HTTP/1.1\r\nHost: localhost\r\n\r\n";
    struct rig rig;
    struct wr_route routes[32];
    struct wr_stream *stay, *first;
    CHECK_OK(wr_once_new(&enough, "test.enough", 0));
    CHECK_OK(index_service_new(&service));
    struct node_service row = *index_service_row(service);
    REQUIRE(row.route_count < 32);
    memcpy(routes, row.routes, row.route_count * sizeof(*routes));
    routes[row.route_count++] = stay_routes[0];
    row.routes = routes;
    rig_tables[1] = &index_keys;
    rig_service = &row;
    rig_begin(&rig, (const char *const[]){ "--index-dhtnode=off", ON, "--workers-count=1",
                                           "--facets-graph=1", NULL });
    graph_point(store_of(), "site", "a", CID_OF("a"));
    stay = rig_dial(&rig);
    rig_say(stay, "GET /t/stay HTTP/1.1\r\nHost: localhost\r\n\r\n");
    settle();
    first = rig_dial(&rig);
    rig_say(first, request);
    settle();
    long long before = refused();
    CHECK_EQ(429, rig_get(&rig, "/graph/name:a", &answer));
    CHECK(says("\"code\":\"over_capacity\""));
    CHECK(says("\"retryable\":true"));
    CHECK_EQ((before < 0 ? 0 : before) + 1, refused());
    CHECK_OK(wr_once_set(enough, NULL));
    CHECK_EQ(200, rig_hear(first, &answer));
    settle();
    CHECK_EQ(200, rig_get(&rig, "/graph/name:a", &answer));
    wr_stream_close(first);
    wr_stream_close(stay);
    index_node_end(&rig);
    wr_once_free(enough);
}
