/* graph_int.h - the statements of graph.c, for the test that sees which indexes they use. */
#ifndef WR_STORE_GRAPH_INT_H
#define WR_STORE_GRAPH_INT_H

#include "store/graph.h"

extern const struct store_verb store_link_verbs[STORE_NODE_PAGE + 1];    /* by kind */

#endif
