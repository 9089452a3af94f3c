/* graph_walk.c - see graph_walk.h. */
#include "svc/index/graph_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/scatter.h"
#include "base/world.h"
#include "store/graph.h"

#define NODE_SLOTS ((size_t)2 * GRAPH_WALK_NODES)
#define EDGE_SLOTS ((size_t)2 * GRAPH_WALK_EDGES)
#define NONE SIZE_MAX
/* {"from":"","to":"","relation":""},  and  ],"edges":[],"truncated":false}  and a zero byte */
#define EDGE_BYTES 34
#define END_BYTES 40

struct member {
    const char *id;
    unsigned hops;
};

struct edge {
    uint16_t from, to, relation;
};

/* What has been found so far.  Nodes are written when they are found; of edges it is known how
 * many bytes they will be. */
struct found {
    const struct graph_walk *walk;
    struct wr_json json;
    uint64_t seed[2];
    struct wr_arena ids;
    struct member members[GRAPH_WALK_NODES];
    struct edge edges[GRAPH_WALK_EDGES];
    uint16_t nodes_at[NODE_SLOTS], edges_at[EDGE_SLOTS];    /* 1 more than where; 0: free */
    size_t member_count, edge_count, edge_bytes;
    bool full, truncated;
};

static const char *const relations[] = { "manifest", "content", "cites" };
static const char *const kinds[] = { [STORE_NODE_NAME] = "name",
                                     [STORE_NODE_CONTENT] = "content",
                                     [STORE_NODE_PAGE] = "page" };

static uint16_t relation_of(const char *word)
{
    uint16_t i = 0;
    while (strcmp(relations[i], word) != 0)
        i++;
    return i;
}

/* ---- nodes ---- */

/* Its place in the table, or where it would be. */
static uint16_t *node_slot(struct found *found, const char *id)
{
    size_t at = wr_scatter(found->seed, id, strlen(id)) % NODE_SLOTS;
    while (found->nodes_at[at]
           && strcmp(found->members[found->nodes_at[at] - 1].id, id) != 0)
        at = (at + 1) % NODE_SLOTS;
    return &found->nodes_at[at];
}

static void write_node(struct wr_json *json, const struct store_node *node, unsigned hops)
{
    wr_json_object(json, NULL);
    wr_json_str(json, "id", node->id);
    wr_json_str(json, "kind", kinds[store_node_kind(node->id)]);
    wr_json_u64(json, "hops", hops);
    if (node->title)
        wr_json_str(json, "title", node->title);
    if (node->url)
        wr_json_str(json, "url", node->url);
    if (node->cid)
        wr_json_str(json, "cid", node->cid);
    wr_json_end(json);
}

/* Whether so many bytes fit, beside those that are still to come. */
static bool fits(const struct found *found, size_t bytes)
{
    return !found->json.text->cut
        && found->json.text->len + found->edge_bytes + bytes + END_BYTES
               <= found->walk->bytes_max;
}

/* Where it is; NONE: it does not fit, with an edge of so many bytes. */
static size_t add_node(struct found *found, const struct store_node *node, unsigned hops,
                       size_t edge_bytes)
{
    uint16_t *slot = node_slot(found, node->id);
    if (*slot)
        return *slot - 1u;
    struct wr_json before = found->json;
    size_t len = found->json.text->len;
    const char *id = wr_arena_str(&found->ids, node->id);
    write_node(&found->json, node, hops);
    if (found->member_count == GRAPH_WALK_NODES || !fits(found, edge_bytes) || !id) {
        wr_text_rewind(found->json.text, len);
        found->json = before;
        return NONE;
    }
    found->members[found->member_count] = (struct member){ id, hops };
    *slot = (uint16_t)++found->member_count;
    return found->member_count - 1;
}

/* ---- edges ---- */

static uint16_t *edge_slot(struct found *found, const struct edge *edge)
{
    size_t at = wr_scatter(found->seed, edge, sizeof(*edge)) % EDGE_SLOTS;
    while (found->edges_at[at]
           && memcmp(&found->edges[found->edges_at[at] - 1], edge, sizeof(*edge)) != 0)
        at = (at + 1) % EDGE_SLOTS;
    return &found->edges_at[at];
}

/* False: it does not fit. */
static bool add_edge(struct found *found, struct edge edge, size_t bytes)
{
    uint16_t *slot = edge_slot(found, &edge);
    if (*slot)
        return true;
    if (found->edge_count == GRAPH_WALK_EDGES || !fits(found, bytes))
        return false;
    found->edges[found->edge_count] = edge;
    found->edge_bytes += bytes;
    *slot = (uint16_t)++found->edge_count;
    return true;
}

static void write_edges(struct found *found)
{
    wr_json_array(&found->json, "edges");
    for (size_t i = 0; i < found->edge_count; i++) {
        const struct edge *edge = &found->edges[i];
        wr_json_object(&found->json, NULL);
        wr_json_str(&found->json, "from", found->members[edge->from].id);
        wr_json_str(&found->json, "to", found->members[edge->to].id);
        wr_json_str(&found->json, "relation", relations[edge->relation]);
        wr_json_end(&found->json);
    }
    wr_json_end(&found->json);
}

/* ---- the walk ---- */

static bool add_link(struct found *found, size_t at, const struct store_link *link)
{
    const struct member *from = &found->members[at];
    size_t bytes = EDGE_BYTES + strlen(from->id) + strlen(link->node.id)
        + strlen(link->relation);
    size_t to = add_node(found, &link->node, from->hops + 1, bytes);
    if (to == NONE)
        return false;
    return add_edge(found, (struct edge){
        .from = (uint16_t)(link->inward ? to : at), .to = (uint16_t)(link->inward ? at : to),
        .relation = relation_of(link->relation) }, bytes);
}

/* One more than are wanted is asked for: then there are more. */
static wr_err expand(struct found *found, struct store *store, size_t at, wr_time deadline)
{
    struct store_links links;
    size_t max = found->walk->max_neighbors;
    wr_err err = store_graph_links(store, found->members[at].id, max + 1, &links, deadline);
    if (!err && links.count > max)
        found->truncated = true;
    for (size_t i = 0; !err && i < links.count && i < max && !found->full; i++) {
        struct store_link link = store_link_at(&links, i);
        found->full = store_node_kind(link.node.id) && !add_link(found, at, &link);
    }
    store_links_free(&links);
    return err;
}

static wr_err begin(struct found *found, struct store *store, wr_time deadline)
{
    struct store_node node;
    struct store_rows rows;
    wr_err err = store_graph_node(store, found->walk->node, &node, &rows, deadline);
    if (!err && add_node(found, &node, 0, 0) == NONE)
        err = WR_NOMEM;
    store_rows_free(&rows);
    return err;
}

static wr_err walk_all(struct found *found, struct store *store, wr_time deadline)
{
    const struct graph_walk *walk = found->walk;
    wr_json_object(&found->json, NULL);
    wr_json_str(&found->json, "node", walk->node);
    wr_json_u64(&found->json, "max_neighbors", walk->max_neighbors);
    wr_json_u64(&found->json, "hops", walk->hops);
    wr_json_array(&found->json, "nodes");
    wr_err err = begin(found, store, deadline);
    for (size_t i = 0; i < found->member_count && !err && !found->full; i++) {
        if (found->members[i].hops == walk->hops)
            break;
        err = wr_now() < deadline ? expand(found, store, i, deadline) : WR_TIMEOUT;
    }
    wr_json_end(&found->json);
    write_edges(found);
    wr_json_bool(&found->json, "truncated", found->truncated || found->full);
    wr_json_end(&found->json);
    return err;
}

wr_err graph_walk_write(struct wr_text *text, struct store *store,
                        const struct graph_walk *walk, wr_time deadline)
{
    WR_ASSERT(walk->hops > 0 && walk->max_neighbors > 0);
    WR_ASSERT(walk->bytes_max >= GRAPH_WALK_BYTES_MIN);
    struct found *found = calloc(1, sizeof(*found));
    if (!found)
        return WR_NOMEM;
    found->walk = walk;
    found->json = wr_json_to(text);
    found->ids = WR_ARENA(walk->bytes_max);
    wr_world->entropy(found->seed, sizeof(found->seed));
    wr_err err = walk_all(found, store, deadline);
    wr_arena_free(&found->ids);
    free(found);
    return err;
}
