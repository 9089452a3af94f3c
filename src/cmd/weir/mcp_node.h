/* mcp_node.h - the node that weir mcp talks to: the one that runs, or one in this process.
 *
 *     struct mcp_node *node;
 *     err = mcp_node_open(&node, &source, conf);
 *     if (!err && mcp_node_find(node, why))
 *         ...why
 *     err = mcp_node_serve(node, serve, ...);
 *         // if mcp_node_ours(node), what mcp_node_offer(node) has; else by who is at
 *         // mcp_node_addr(node), whom mcp_node_find revives
 *     mcp_node_close(node);
 *
 * A node in this process is one like any other: it has the lock of the data directory, the
 * store, all services, and the Unix socket, by which others are served too.  It has no port: it
 * is there for whoever has started the process, and ends with it.
 *
 * When the node that was found ends, the next call of mcp_node_find finds or becomes another:
 * at once where that was an agent's too, and after a while where it was not, since whoever runs
 * it may be starting it again.
 *
 * All calls are for fibers; errors are sentences in `why`, of MCP_NODE_WHY.
 */
#ifndef WEIR_CMD_MCP_NODE_H
#define WEIR_CMD_MCP_NODE_H

#include <stdbool.h>

#include <weir/addr.h>
#include <weir/err.h>
#include <weir/scope.h>

#include "conf/conf.h"
#include "mcp/offer.h"

#define MCP_NODE_WHY 300
#define MCP_NODE_WHO "weir mcp"     /* as the lock is signed */

struct mcp_node;

/* Nothing runs yet.  What is given must stay.  Errors: NOMEM. */
wr_err mcp_node_open(struct mcp_node **ret, const struct wr_conf_source *source,
                     struct wr_conf *conf);

/* See that there is a node, and wait until it can be asked; any number of fibers.
 * Errors: BUSY (somebody has the data directory and does not answer), those of a node that does
 * not start, CANCELED. */
wr_err mcp_node_find(void *node, char *why);

/* Whether it is in this process. */
bool mcp_node_ours(const struct mcp_node *node);

/* Where it is asked; what it offers, if it is ours. */
const struct wr_addr *mcp_node_addr(const struct mcp_node *node);
const struct mcp_offer *mcp_node_offer(const struct mcp_node *node);

/* Call serve(arg), which is canceled when ours is told to stop, by a signal, say: that is no
 * error.  Errors: NOMEM, and those of `serve`. */
wr_err mcp_node_serve(struct mcp_node *node, wr_task_fn serve, void *arg);

/* Let ours drain, and wait for that.  TIMEOUT: not all was done in time.  NULL is allowed. */
wr_err mcp_node_close(struct mcp_node *node);

#endif
