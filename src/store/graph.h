/* graph.h - what of a store is linked to what: names, contents and pages.
 *
 *     struct store_links links;
 *     err = store_graph_node(store, "name:weir.example", &node, deadline);     (NOTFOUND)
 *     ...
 *     err = store_graph_links(store, "name:weir.example", 16, &links, deadline);
 *     for (size_t i = 0; i < links.count; i++)
 *         ...store_link_at(&links, i)
 *     store_links_free(&links);
 *
 * A node is a name of a site ("name:" and the name), a content id ("b3:...") or a page
 * ("page_...", webpage.h).  It is linked to others by what other tables say:
 *
 *   manifest   from a site, or from an asset, to its manifest (pointer.h, svc/index/catalog.h)
 *   content    from a page to its bytes, if they are kept
 *   cites      from a page to one that it cites
 *
 * A content id has no row of its own: it is a node when something is linked to it.  Links are
 * found from both ends, by indexes: what is read does not grow with what a node has beyond
 * what was asked for.
 */
#ifndef WR_STORE_GRAPH_H
#define WR_STORE_GRAPH_H

#include <stdbool.h>

#include "store/store.h"
#include "store/verb.h"

#define STORE_LINKS_MAX 1000

enum store_node_kind { STORE_NODE_NAME = 1, STORE_NODE_CONTENT, STORE_NODE_PAGE };

/* By how it begins; 0: it is none. */
enum store_node_kind store_node_kind(const char *id);

/* What is known of one: title, url and content id are those of a page, and may be NULL. */
struct store_node {
    const char *id, *title, *url, *cid;
};

/* A node, and how it is linked to the one that was asked about. */
struct store_link {
    struct store_node node;
    const char *relation;           /* "manifest", "content", "cites" */
    bool inward;                    /* from this node to the one that was asked about */
};
struct store_links { size_t count; struct store_rows rows; };

/* Whether there is such a node, and what is known of it.  Its id is the caller's, its other
 * texts are those of *rows, which is to be freed.  Errors: NOTFOUND. */
wr_err store_graph_node(struct store *store, const char *id, struct store_node *ret,
                        struct store_rows *rows, wr_time deadline);

/* Up to `max` of its links.  One of each sort in turn, so that who cites a page is there beside
 * what it cites, each sort in the order of ids.  A link to itself is there once.  One that is
 * not known has none. */
wr_err store_graph_links(struct store *store, const char *id, size_t max,
                         struct store_links *ret, wr_time deadline);
struct store_link store_link_at(const struct store_links *links, size_t i);
void store_links_free(struct store_links *links);

#endif
