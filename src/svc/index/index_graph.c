/* index_graph.c - see index_graph.h. */
#include "svc/index/index_graph.h"

#include <stdio.h>
#include <string.h>

#include "svc/index/graph_walk.h"
#include "svc/service.h"

#define NEIGHBORS_MAX 128
#define NEIGHBORS_PRESET 16
#define HOPS_MAX 3
#define HOPS_PRESET 1
#define PAGE "page_"
#define PAGE_DIGITS 24

/* ---- what is asked for ---- */

static bool is_page(const char *text)
{
    const char *digits = text + strlen(PAGE);
    return strspn(digits, "0123456789abcdef") == PAGE_DIGITS && !digits[PAGE_DIGITS];
}

wr_err index_graph_read(char ret[INDEX_KEY_TEXT], const char *text, const char **ret_clause)
{
    struct index_key key;
    if (strncmp(text, PAGE, strlen(PAGE)) == 0) {
        *ret_clause = "a page is page_ and 24 hex digits in lower case";
        if (!is_page(text))
            return WR_INVALID;
        snprintf(ret, INDEX_KEY_TEXT, "%s", text);
        return WR_OK;
    }
    wr_err err = index_key_read(&key, text, ret_clause);
    if (!err)
        snprintf(ret, INDEX_KEY_TEXT, "%s", key.text);
    return err;
}

static size_t neighbors_of(struct wr_call *call)
{
    return index_desk_number(call, "max_neighbors", 1, NEIGHBORS_MAX, NEIGHBORS_PRESET);
}

static size_t hops_of(struct wr_call *call)
{
    return index_desk_number(call, "hops", 1, HOPS_MAX, HOPS_PRESET);
}

/* To how many nodes it could come. */
static void ask(struct wr_call *call, struct facet_ask *ret)
{
    ret->degree = neighbors_of(call);
    ret->depth = (uint32_t)hops_of(call);
}

/* ---- the route ---- */

static wr_err get_graph(struct wr_call *call)
{
    struct index_desk *desk;
    char node[INDEX_KEY_TEXT];
    const char *clause;
    wr_err err = index_desk_of(call, &desk);
    if (err)
        return err;
    const struct index_settings *settings = wr_cell_get(desk->settings);
    bool on = settings->graph;
    wr_cell_put(desk->settings, settings);
    if (!on)
        return wr_call_fail(call, WR_NOTFOUND, "there is no graph here: index.facets.graph is "
                            "off");
    err = index_graph_read(node, wr_call_param(call, "node"), &clause);
    if (err)
        return wr_call_fail(call, err, "a node is a key or a page: %s", clause);
    struct wr_text text = wr_text_heap(INDEX_ANSWER_MAX);
    err = graph_walk_write(&text, desk->store, &(struct graph_walk){
        .node = node, .max_neighbors = neighbors_of(call), .hops = (unsigned)hops_of(call),
        .bytes_max = INDEX_ANSWER_MAX }, wr_call_deadline(call));
    return index_desk_answer(call, err ? index_desk_fail(call, err, err == WR_NOTFOUND
                                 ? "the store of this node knows nothing of it" : NULL) : WR_OK,
                             200, &text);
}

static const struct node_policy policy = { .facet = FACET_GRAPH, .ask = ask };

static const char gives[] =
    "{\"type\":\"object\",\"required\":[\"node\",\"max_neighbors\",\"hops\",\"nodes\","
    "\"edges\",\"truncated\"],\"properties\":{\"node\":{\"type\":\"string\"},"
    "\"max_neighbors\":{\"type\":\"integer\"},\"hops\":{\"type\":\"integer\"},"
    "\"nodes\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"id\","
    "\"kind\",\"hops\"],\"properties\":{\"id\":{\"type\":\"string\"},\"kind\":{\"enum\":["
    "\"name\",\"content\",\"page\"]},\"hops\":{\"type\":\"integer\"},\"title\":{\"type\":"
    "\"string\"},\"url\":{\"type\":\"string\"},\"cid\":{\"type\":\"string\"}}}},"
    "\"edges\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"from\","
    "\"to\",\"relation\"],\"properties\":{\"from\":{\"type\":\"string\"},\"to\":{\"type\":"
    "\"string\"},\"relation\":{\"enum\":[\"manifest\",\"content\",\"cites\"]}}}},"
    "\"truncated\":{\"type\":\"boolean\"}}}";

void index_graph_routes(struct wr_route ret[INDEX_GRAPH_ROUTES], struct index_desk *desk)
{
    ret[0] = (struct wr_route){
        .method = "GET", .path = "/graph/{node}", .handler = get_graph, .arg = desk,
        .scope = "index.read", .tag = "index", .policy = &policy, .gives = gives,
        .summary = "What is linked to a name, a content id or a page; where "
                   "index.facets.graph is on.",
        .query = "max_neighbors: links of each node, 1 to 128; 16\n"
                 "hops: how far from it, 1 to 3; 1" };
}
