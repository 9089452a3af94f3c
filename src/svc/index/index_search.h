/* index_search.h - names that begin with something, over HTTP: a facet, off by default.
 *
 *     GET /search/{query}?limit=10&offset=0
 *     {"query":"weir","offset":0,"limit":10,"results":[{"manifest_cid":...,"name":...}],
 *      "truncated":false}
 *
 * What is searched are the sites of this node's own store, by how their names begin, in the
 * order of names; results are their pointers (catalog.h).  Nobody else is asked.  Capitals of a
 * query are made small, as those of names are; one that no name can begin with finds nothing.
 *
 * It takes a unit of the facet "search", and a token of its tenant's (facet.h): beyond them
 * 429.
 */
#ifndef WR_INDEX_SEARCH_H
#define WR_INDEX_SEARCH_H

#include "svc/index/index_desk.h"

#define INDEX_SEARCH_ROUTES 1
#define INDEX_QUERY_MAX 128
#define INDEX_SEARCH_OFFSET_MAX 900

/* The desk must outlive whoever serves it. */
void index_search_routes(struct wr_route ret[INDEX_SEARCH_ROUTES], struct index_desk *desk);

#endif
