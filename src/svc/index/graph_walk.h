/* graph_walk.h - what is linked to a node, and to those, and so on: breadth first, as JSON.
 *
 *     err = graph_walk_write(&text, store, &(struct graph_walk){
 *         .node = "name:weir.example", .max_neighbors = 16, .hops = 1,
 *         .bytes_max = INDEX_ANSWER_MAX }, deadline);
 *
 *     {"node":"name:weir.example","max_neighbors":16,"hops":1,
 *      "nodes":[{"id":"name:weir.example","kind":"name","hops":0},
 *               {"id":"b3:...","kind":"content","hops":1}],
 *      "edges":[{"from":"name:weir.example","to":"b3:...","relation":"manifest"}],
 *      "truncated":false}
 *
 * Nodes and links are those of store/graph.h.  A node stands there once, with how far it is
 * from the first, the nearest before the others and in the order in which they were found;
 * a page has its title, url and content id where they are known.  Links are those of all
 * nodes that are nearer than `hops`; those at the rim are not asked for theirs.  The same store
 * gives the same answer, byte for byte.
 *
 * It is bounded by max_neighbors links of each node, by GRAPH_WALK_NODES and GRAPH_WALK_EDGES,
 * by bytes and by its deadline.  At the first three it stops and says that it is truncated.
 * Each node is a short read of its own: what is written meanwhile may be seen in part.
 */
#ifndef WR_INDEX_GRAPH_WALK_H
#define WR_INDEX_GRAPH_WALK_H

#include <stddef.h>

#include <weir/err.h>
#include <weir/time.h>

#include "base/text.h"

struct store;                           /* store/store.h */

#define GRAPH_WALK_NODES 4096
#define GRAPH_WALK_EDGES 8192
#define GRAPH_WALK_BYTES_MIN 65536      /* any first node fits in it */

struct graph_walk {
    const char *node;                   /* an id, as store/graph.h has them */
    size_t max_neighbors;               /* 1 to STORE_LINKS_MAX - 1 */
    unsigned hops;                      /* at least 1 */
    size_t bytes_max;                   /* of the answer; at least GRAPH_WALK_BYTES_MIN */
};

/* The text has room for bytes_max.  Errors: NOTFOUND (there is no such node), TIMEOUT, NOMEM;
 * those of store_do. */
wr_err graph_walk_write(struct wr_text *text, struct store *store,
                        const struct graph_walk *walk, wr_time deadline);

#endif
