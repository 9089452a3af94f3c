#include "store/graph_int.h"

#include "testing/evidence_rig.h"
#include "testing/graph_rig.h"

/* "relation>id" or "relation<id" of each, with blanks between them; ids of pages are their
 * urls, content ids their last digit. */
static const char *links_of(struct store *store, const char *id, size_t max)
{
    static char text[2000];
    struct store_links links;
    size_t len = 0;
    text[0] = '\0';
    CHECK_OK(store_graph_links(store, id, max, &links, SOON));
    for (size_t i = 0; i < links.count; i++) {
        struct store_link link = store_link_at(&links, i);
        const char *of = link.node.url ? link.node.url : link.node.id;
        if (store_node_kind(link.node.id) == STORE_NODE_CONTENT)
            of += strlen(of) - 1;
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s%c%s", len ? " " : "",
                                link.relation, link.inward ? '<' : '>', of);
    }
    store_links_free(&links);
    return text;
}

TEST_PLAIN(a_node_says_what_it_is)
{
    CHECK_EQ(STORE_NODE_NAME, store_node_kind("name:a"));
    CHECK_EQ(STORE_NODE_CONTENT, store_node_kind(CID_OF("a")));
    CHECK_EQ(STORE_NODE_PAGE, store_node_kind("page_0"));
    CHECK_EQ(0, store_node_kind("pages"));
    CHECK_EQ(0, store_node_kind(""));
}

STORE_TEST(a_manifest_is_linked_to_its_sites_and_assets_from_both_ends)
{
    graph_point(store, "site", "b.example", CID_OF("1"));
    graph_point(store, "site", "a.example", CID_OF("1"));
    graph_point(store, "site", "other", CID_OF("2"));
    graph_point(store, "asset", CID_OF("3"), CID_OF("1"));
    CHECK_STR("manifest>1", links_of(store, "name:a.example", 9));
    CHECK_STR("manifest>1", links_of(store, CID_OF("3"), 9));
    CHECK_STR("manifest<3 manifest<name:a.example manifest<name:b.example",
              links_of(store, CID_OF("1"), 9));
    CHECK_STR("manifest<3 manifest<name:a.example", links_of(store, CID_OF("1"), 2));
    graph_point(store, "site", "b.example", CID_OF("2"));
    CHECK_STR("manifest<3 manifest<name:a.example", links_of(store, CID_OF("1"), 9));
}

STORE_TEST(what_is_no_pointer_of_a_manifest_links_nothing)
{
    int64_t version;
    CHECK_OK(store_pointer_put(store, "site", "a", "no JSON", STORE_POINTER_ANY, &version,
                               SOON));
    graph_point(store, "pin", CID_OF("4"), CID_OF("1"));
    CHECK_STR("", links_of(store, "name:a", 9));
    CHECK_STR("", links_of(store, CID_OF("1"), 9));
    CHECK_STR("", links_of(store, CID_OF("4"), 9));
}

STORE_TEST(a_page_is_linked_to_its_bytes_and_to_what_it_cites_and_who_cites_it)
{
    graph_page(store, "http://a.test/", "A", CID_OF("5"));
    graph_page(store, "http://b.test/", "B", CID_OF("5"));
    graph_cite(store, "http://a.test/", "http://c.test/");
    graph_cite(store, "http://d.test/", "http://a.test/");
    CHECK_STR("content>5 cites>http://c.test/",
              links_of(store, graph_page_id("http://a.test/"), 9));
    graph_page(store, "http://d.test/", "D", NULL);
    CHECK_STR("content>5 cites>http://c.test/ cites<http://d.test/",
              links_of(store, graph_page_id("http://a.test/"), 9));
    CHECK_STR("cites<http://a.test/", links_of(store, graph_page_id("http://c.test/"), 9));
    bool a_first = strcmp(graph_page_id("http://a.test/"), graph_page_id("http://b.test/")) < 0;
    CHECK_STR(a_first ? "content<http://a.test/ content<http://b.test/"
                      : "content<http://b.test/ content<http://a.test/",
              links_of(store, CID_OF("5"), 9));
}

STORE_TEST(each_sort_of_link_has_its_turn)
{
    char url[60];
    size_t inward = 0;
    struct store_links links;
    graph_page(store, "http://a.test/", "A", NULL);
    for (int i = 0; i < 20; i++) {
        snprintf(url, sizeof(url), "http://b.test/%d", i);
        graph_cite(store, "http://a.test/", url);
        graph_cite(store, url, "http://a.test/");
    }
    CHECK_OK(store_graph_links(store, graph_page_id("http://a.test/"), 10, &links, SOON));
    CHECK_EQ(10, links.count);
    for (size_t i = 0; i < links.count; i++)
        inward += store_link_at(&links, i).inward;
    CHECK_EQ(5, inward);
    for (size_t i = 2; i < links.count; i++)
        CHECK(strcmp(store_link_at(&links, i - 2).node.id,
                     store_link_at(&links, i).node.id) < 0);
    store_links_free(&links);
}

STORE_TEST(a_link_to_itself_is_there_once)
{
    graph_page(store, "http://a.test/", "A", NULL);
    graph_cite(store, "http://a.test/", "http://a.test/");
    CHECK_STR("cites>http://a.test/", links_of(store, graph_page_id("http://a.test/"), 9));
    graph_point(store, "asset", CID_OF("6"), CID_OF("6"));
    CHECK_STR("manifest>6", links_of(store, CID_OF("6"), 9));
}

STORE_TEST(a_node_is_known_by_its_row_or_by_its_links)
{
    struct store_node node;
    struct store_rows rows;
    graph_page(store, "http://a.test/", "A", CID_OF("7"));
    graph_point(store, "site", "a", CID_OF("8"));
    CHECK_OK(store_graph_node(store, graph_page_id("http://a.test/"), &node, &rows, SOON));
    CHECK_STR("A", node.title);
    CHECK_STR("http://a.test/", node.url);
    CHECK_STR(CID_OF("7"), node.cid);
    store_rows_free(&rows);
    const char *known[] = { "name:a", CID_OF("7"), CID_OF("8") };
    for (size_t i = 0; i < 3; i++) {
        CHECK_OK(store_graph_node(store, known[i], &node, &rows, SOON));
        CHECK_STR(known[i], node.id);
        CHECK(!node.title && !node.url && !node.cid);
        store_rows_free(&rows);
    }
    const char *unknown[] = { "name:b", CID_OF("9"), "page_000000000000000000000000" };
    for (size_t i = 0; i < 3; i++) {
        CHECK_ERR(WR_NOTFOUND, store_graph_node(store, unknown[i], &node, &rows, SOON));
        store_rows_free(&rows);
    }
}

/* ---- indexes ---- */

/* Whether a step of a plan does this with one of the tables. */
static bool does(const char *step, const char *what)
{
    static const char *const tables[] = { "pointer", "pages", "edges" };
    size_t len = strlen(what);
    if (strncmp(step, what, len) != 0)
        return false;
    for (size_t i = 0; i < 3; i++)
        if (strcspn(step + len, " ") == strlen(tables[i])
            && strncmp(step + len, tables[i], strlen(tables[i])) == 0)
            return true;
    return false;
}

/* Tables are searched, and come in order: what is sorted is what was found, and bounded. */
static bool is_bounded(const struct store_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const char *step = store_text(rows, i, 3);
        bool good = !does(step, "SCAN ");
        for (size_t j = 0; j < i && strstr(step, "USE TEMP B-TREE"); j++)
            good &= store_int(rows, i, 1) != store_int(rows, j, 1)
                || !does(store_text(rows, j, 3), "SEARCH ");
        if (!good) {
            printf("# %s\n", step);
            return false;
        }
    }
    return rows->count > 0;
}

LOCAL_TEST(no_table_is_read_from_end_to_end)
{
    static char sql[STORE_NODE_PAGE + 1][4000];
    static struct store_verb plans[STORE_NODE_PAGE + 1];
    struct store_rows rows;
    static const char *const names[] = { [STORE_NODE_NAME] = "test.plan_name",
                                         [STORE_NODE_CONTENT] = "test.plan_content",
                                         [STORE_NODE_PAGE] = "test.plan_page" };
    for (int i = STORE_NODE_NAME; i <= STORE_NODE_PAGE; i++) {
        snprintf(sql[i], sizeof(sql[i]), "explain query plan %s",
                 store_link_verbs[i].sqlite[0]);
        plans[i] = (struct store_verb){ .name = names[i], .sqlite = { sql[i] } };
        CHECK_OK(store_do(store, &plans[i], STORE_VALUES(STORE_TEXT("x"), STORE_INT(5)),
                          &rows, SOON));
        CHECK(is_bounded(&rows));
        store_rows_free(&rows);
    }
}
