/* index_graph.h - what is linked to a name, a content id or a page, over HTTP: a facet, off by
 * default.
 *
 *     GET /graph/{node}?max_neighbors=16&hops=1
 *     {"node":...,"nodes":[{"id":...,"kind":...}],"edges":[{"from":...,"to":...,
 *      "relation":...}],"truncated":false}                                (graph_walk.h)
 *
 * A node is "name:" and a name, a content id (index_key.h), or the id of a page that research
 * has found ("page_" and 24 hex digits).  What is known is what this node's own store knows;
 * nobody else is asked.  From a name it goes to its manifest, and from there to whatever else
 * stands for it; from content to the pages that have these bytes; from a page to those that it
 * cites, and that cite it.
 *
 * It takes a unit of the facet "graph" (facet.h), and says first to how many nodes it could
 * come: too many are 429 before any work, as are too many at a time.
 */
#ifndef WR_INDEX_GRAPH_H
#define WR_INDEX_GRAPH_H

#include "svc/index/index_desk.h"
#include "svc/index/index_key.h"

#define INDEX_GRAPH_ROUTES 1

/* The id of what was asked for (store/graph.h).  Errors: as index_key_read. */
wr_err index_graph_read(char ret[INDEX_KEY_TEXT], const char *text, const char **ret_clause);

/* The desk must outlive whoever serves it. */
void index_graph_routes(struct wr_route ret[INDEX_GRAPH_ROUTES], struct index_desk *desk);

#endif
