/* index_search_test.c - the facet of search, in a whole node. */
#include "svc/index/index_search.h"

#include "testing/index_node_rig.h"
#include "testing/metric_rig.h"

static void seed(struct rig *rig, const char *name)
{
    char body[300];
    snprintf(body, sizeof(body), "{\"name\":\"%s\",\"cid\":\"" CID_OF("a") "\"}", name);
    CHECK_EQ(202, index_node_send(rig, "PUT", "/admin/seed", "", body));
}

static void begin(struct rig *rig)
{
    index_node_begin(rig, (const char *const[]){ "--index-facets-search=true", NULL });
}

/* The names of the results, with blanks between them. */
static const char *names(void)
{
    static char text[2000];
    size_t len = 0;
    for (const char *at = answer.body; (at = strstr(at, "\"name\":\"")); at++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.*s", len ? " " : "",
                                (int)strcspn(at + 8, "\""), at + 8);
    text[len] = '\0';
    return text;
}

TEST(it_is_off_unless_it_was_wanted)
{
    struct rig rig;
    index_node_begin(&rig, NULL);
    CHECK_EQ(404, rig_get(&rig, "/search/weir", &answer));
    CHECK(says("index.facets.search is off"));
    index_node_end(&rig);
}

TEST(names_are_found_by_how_they_begin_in_their_order)
{
    struct rig rig;
    begin(&rig);
    seed(&rig, "weir.example");
    seed(&rig, "weir");
    seed(&rig, "weirdo");
    seed(&rig, "wei");
    seed(&rig, "x.weir");
    CHECK_EQ(200, rig_get(&rig, "/search/%20WEIR", &answer));
    CHECK_STR("weir weir.example weirdo", names());
    CHECK(says("{\"query\":\"weir\",\"offset\":0,\"limit\":10,\"results\":[{"));
    CHECK(says("\"truncated\":false}"));
    CHECK_EQ(200, rig_get(&rig, "/search/weir.", &answer));
    CHECK_STR("weir.example", names());
    CHECK_EQ(200, rig_get(&rig, "/search/nothing", &answer));
    CHECK(says("\"results\":[],"));
    index_node_end(&rig);
}

TEST(a_part_of_the_results_says_that_there_are_more)
{
    struct rig rig;
    begin(&rig);
    seed(&rig, "a1");
    seed(&rig, "a2");
    seed(&rig, "a3");
    CHECK_EQ(200, rig_get(&rig, "/search/a?limit=2", &answer));
    CHECK_STR("a1 a2", names());
    CHECK(says("\"truncated\":true"));
    CHECK_EQ(200, rig_get(&rig, "/search/a?limit=2&offset=2", &answer));
    CHECK_STR("a3", names());
    CHECK(says("\"truncated\":false"));
    CHECK_EQ(200, rig_get(&rig, "/search/a?limit=900", &answer));
    CHECK(says("\"limit\":50"));
    CHECK_EQ(200, rig_get(&rig, "/search/a?limit=many", &answer));
    CHECK(says("\"limit\":10"));
    index_node_end(&rig);
}

TEST(a_query_that_is_too_long_is_refused)
{
    struct rig rig;
    char target[200] = "/search/";
    begin(&rig);
    memset(target + 8, 'a', 128);
    CHECK_EQ(200, rig_get(&rig, target, &answer));
    memset(target + 8, 'a', 129);
    CHECK_EQ(400, rig_get(&rig, target, &answer));
    CHECK(says("\"code\":\"bad_request\""));
    CHECK_EQ(400, rig_get(&rig, "/search/a%0a", &answer));
    index_node_end(&rig);
}

TEST(who_searches_more_than_his_tenant_may_is_busy)
{
    struct rig rig;
    int status = 200;
    begin(&rig);
    for (int i = 0; i < 41 && status == 200; i++)
        status = rig_get(&rig, "/search/a", &answer);
    CHECK_EQ(429, status);
    CHECK(says("\"code\":\"over_capacity\""));
    CHECK_EQ(429, rig_ask(&rig, "GET", "/search/a", "X-Tenant: u\r\n", &answer));
    CHECK_EQ(200, rig_ask_from(&rig, "127.0.0.2", "/search/a", "", &answer));
    CHECK(metric_value("facet_busy_total{facet=\"search\"}") >= 1);
    index_node_end(&rig);
}
