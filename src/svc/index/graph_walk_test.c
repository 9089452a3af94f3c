/* graph_walk_test.c - the way through the graph: how far, in which order, and where it ends. */
#include "svc/index/graph_walk.h"

#include <jansson.h>

#include "testing/evidence_rig.h"
#include "testing/graph_rig.h"

#define BYTES ((size_t)1 << 20)

/* The answer, until the next call. */
static const char *walk_bytes(struct store *store, const char *node, size_t max, unsigned hops,
                              size_t bytes)
{
    static char body[BYTES];
    struct wr_text text = WR_TEXT(body);
    CHECK_OK(graph_walk_write(&text, store, &(struct graph_walk){
        .node = node, .max_neighbors = max, .hops = hops, .bytes_max = bytes }, SOON));
    CHECK(text.len < bytes && !text.cut);
    return body;
}

static const char *walk(struct store *store, const char *node, size_t max, unsigned hops)
{
    return walk_bytes(store, node, max, hops, BYTES);
}

/* How many nodes and edges it has, and whether it is whole: "3 nodes, 2 edges", "...". */
static const char *sum_up(const char *body)
{
    static char text[60];
    json_t *json = json_loads(body, JSON_REJECT_DUPLICATES, NULL);
    REQUIRE(json, "");
    snprintf(text, sizeof(text), "%zu nodes, %zu edges%s",
             json_array_size(json_object_get(json, "nodes")),
             json_array_size(json_object_get(json, "edges")),
             json_is_true(json_object_get(json, "truncated")) ? ", ..." : "");
    json_decref(json);
    return text;
}

/* Whether every end of an edge is a node, and every node but the first is an end. */
static bool holds_together(const char *body)
{
    json_t *json = json_loads(body, JSON_REJECT_DUPLICATES, NULL), *ids = json_object(), *item;
    size_t i, bad = 0;
    json_array_foreach(json_object_get(json, "nodes"), i, item)
        bad += json_object_set_new(ids, json_string_value(json_object_get(item, "id")),
                                   json_boolean(i == 0)) != 0;
    CHECK_EQ(json_array_size(json_object_get(json, "nodes")), json_object_size(ids));
    json_array_foreach(json_object_get(json, "edges"), i, item)
    {
        const char *ends[] = { json_string_value(json_object_get(item, "from")),
                               json_string_value(json_object_get(item, "to")) };
        for (int end = 0; end < 2; end++)
            bad += !json_object_get(ids, ends[end])
                || json_object_set(ids, ends[end], json_true()) != 0;
    }
    const char *id;
    json_object_foreach(ids, id, item)
        bad += !json_is_true(item);
    json_decref(ids);
    json_decref(json);
    return bad == 0;
}

STORE_TEST(a_name_leads_to_its_manifest_and_to_who_else_stands_for_it)
{
    graph_point(store, "site", "a", CID_OF("1"));
    graph_point(store, "site", "b", CID_OF("1"));
    CHECK_STR("{\"node\":\"name:a\",\"max_neighbors\":16,\"hops\":1,"
              "\"nodes\":[{\"id\":\"name:a\",\"kind\":\"name\",\"hops\":0},"
              "{\"id\":\"" CID_OF("1") "\",\"kind\":\"content\",\"hops\":1}],"
              "\"edges\":[{\"from\":\"name:a\",\"to\":\"" CID_OF("1") "\","
              "\"relation\":\"manifest\"}],\"truncated\":false}",
              walk(store, "name:a", 16, 1));
    CHECK(strstr(walk(store, "name:a", 16, 2), "{\"from\":\"name:b\",\"to\":\"" CID_OF("1")
                 "\",\"relation\":\"manifest\"}"));
    CHECK_STR("3 nodes, 2 edges", sum_up(walk(store, "name:a", 16, 3)));
}

STORE_TEST(a_name_leads_to_the_page_whose_bytes_are_its_manifest_and_on_to_what_that_cites)
{
    graph_point(store, "site", "a", CID_OF("1"));
    graph_page(store, "http://a.test/", "A", CID_OF("1"));
    graph_cite(store, "http://a.test/", "http://b.test/");
    CHECK_STR("2 nodes, 1 edges", sum_up(walk(store, "name:a", 16, 1)));
    CHECK_STR("3 nodes, 2 edges", sum_up(walk(store, "name:a", 16, 2)));
    const char *body = walk(store, "name:a", 16, 3);
    CHECK(strstr(body, "\"kind\":\"page\",\"hops\":2,\"title\":\"A\","
                 "\"url\":\"http://a.test/\",\"cid\":\"" CID_OF("1") "\"}"));
    CHECK(strstr(body, "\"kind\":\"page\",\"hops\":3,\"title\":\"cited\","
                 "\"url\":\"http://b.test/\"}"));
    CHECK(strstr(body, ",\"relation\":\"content\"}"));
    CHECK(strstr(body, ",\"relation\":\"cites\"}"));
    CHECK(holds_together(body));
}

/* A ring, with one that cites itself: nothing is there twice, and it comes to an end. */
LOCAL_TEST(each_node_and_each_edge_is_there_once)
{
    graph_page(store, "http://a.test/", "A", NULL);
    graph_cite(store, "http://a.test/", "http://b.test/");
    graph_cite(store, "http://b.test/", "http://c.test/");
    graph_cite(store, "http://c.test/", "http://a.test/");
    graph_cite(store, "http://b.test/", "http://a.test/");
    graph_cite(store, "http://c.test/", "http://c.test/");
    const char *body = walk(store, graph_page_id("http://a.test/"), 16, 3);
    CHECK_STR("3 nodes, 5 edges", sum_up(body));
    CHECK(holds_together(body));
}

LOCAL_TEST(the_same_store_gives_the_same_answer)
{
    static char first[BYTES];
    char url[60];
    for (int i = 0; i < 30; i++) {
        snprintf(url, sizeof(url), "http://b.test/%d", i);
        graph_cite(store, i % 3 ? "http://a.test/" : "http://b.test/1", url);
        graph_cite(store, url, "http://a.test/");
    }
    const char *node = graph_page_id("http://b.test/1");
    snprintf(first, sizeof(first), "%s", walk(store, node, 7, 3));
    for (int i = 0; i < 5; i++)
        CHECK_STR(first, walk(store, node, 7, 3));
}

LOCAL_TEST(of_a_node_with_more_neighbours_than_wanted_some_are_left_out)
{
    char url[60];
    graph_page(store, "http://a.test/", "A", NULL);
    const char *node = graph_page_id("http://a.test/");
    for (int i = 0; i < 5; i++) {
        snprintf(url, sizeof(url), "http://b.test/%d", i);
        graph_cite(store, "http://a.test/", url);
    }
    CHECK_STR("5 nodes, 4 edges, ...", sum_up(walk(store, node, 4, 1)));
    CHECK_STR("6 nodes, 5 edges", sum_up(walk(store, node, 5, 1)));
    CHECK_STR("6 nodes, 5 edges", sum_up(walk(store, node, 127, 3)));
}

LOCAL_TEST(what_does_not_fit_is_left_out_whole)
{
    static char title[2001];
    char url[60];
    memset(title, 'x', 2000);
    for (int i = 0; i < 40; i++) {
        snprintf(url, sizeof(url), "http://b.test/%d", i);
        graph_page(store, url, title, NULL);
        graph_cite(store, "http://a.test/", url);
    }
    graph_page(store, "http://a.test/", "A", NULL);
    const char *node = graph_page_id("http://a.test/");
    for (size_t bytes = GRAPH_WALK_BYTES_MIN; bytes < GRAPH_WALK_BYTES_MIN + 2300; bytes += 7) {
        const char *body = walk_bytes(store, node, 100, 1, bytes);
        CHECK(holds_together(body));
        CHECK(strstr(body, "\"truncated\":true}"));
        CHECK(bytes - strlen(body) < 2500);
    }
    CHECK_STR("41 nodes, 40 edges", sum_up(walk(store, node, 100, 1)));
}

LOCAL_TEST(it_ends_at_its_number_of_nodes)
{
    static struct store_cited cited[250];
    static char urls[250][40];
    uint64_t new;
    for (int page = 0; page < 20; page++) {
        char from[60];
        snprintf(from, sizeof(from), "http://c.test/%d", page);
        graph_cite(store, "http://a.test/", from);
        for (int i = 0; i < 250; i++) {
            snprintf(urls[i], sizeof(urls[i]), "http://b.test/%d/%d", page, i);
            cited[i] = (struct store_cited){ .url = urls[i], .domain = "b" };
        }
        CHECK_OK(store_page_cite(store, graph_page_id(from), "test", cited, 250, &new, SOON));
    }
    graph_page(store, "http://a.test/", "A", NULL);
    const char *body = walk(store, graph_page_id("http://a.test/"), 500, 2);
    CHECK_STR("4096 nodes, 4095 edges, ...", sum_up(body));
    CHECK(holds_together(body));
}

STORE_TEST(of_what_is_not_known_there_is_no_graph)
{
    char body[1000];
    struct wr_text text = WR_TEXT(body);
    struct graph_walk unknown = { .node = "name:a", .max_neighbors = 1, .hops = 1,
                                  .bytes_max = BYTES };
    CHECK_ERR(WR_NOTFOUND, graph_walk_write(&text, store, &unknown, SOON));
}

/* A read that can begin does not look at it. */
LOCAL_TEST(it_ends_at_its_deadline)
{
    char body[1000];
    struct wr_text text = WR_TEXT(body);
    graph_point(store, "site", "a", CID_OF("1"));
    CHECK_ERR(WR_TIMEOUT, graph_walk_write(&text, store, &(struct graph_walk){
        .node = "name:a", .max_neighbors = 1, .hops = 1, .bytes_max = BYTES }, wr_now()));
}
