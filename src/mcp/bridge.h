/* bridge.h - pipes of an agent, joined to a node that runs: a line is a message to its /mcp,
 * and what comes back is a line.
 *
 *     err = mcp_bridge_serve(&(struct mcp_bridge){ .node = &addr }, in, out);
 *
 * Both eras pass.  The session of a legacy client is kept here, and begun anew when the node
 * has forgotten it: when it was restarted, say.  What the node says unasked, and what it asks,
 * comes as lines too.  A modern client cancels by a line; the node sees its connection close.
 *
 * As over a pipe of our own, what is no message is answered and passed over, and a client that
 * does not read is given up.
 */
#ifndef WR_MCP_BRIDGE_H
#define WR_MCP_BRIDGE_H

#include <weir/addr.h>
#include <weir/err.h>
#include <weir/fd.h>

#define MCP_BRIDGE_WHY 300

struct mcp_bridge {
    const struct wr_addr *node;     /* must stay */
    /* There is no node, or it is leaving: wait until there is one at its address.  Fibers may
     * call it at the same time.  An error, with a sentence in `why`, of MCP_BRIDGE_WHY: there
     * will be none, which the client is told.  NULL: it is told at once. */
    wr_err (*revive)(void *arg, char *why);
    void *arg;
};

/* Until the input ends.  Errors: NOMEM, CANCELED, TIMEOUT (nobody reads), BROKENPIPE, IO. */
wr_err mcp_bridge_serve(const struct mcp_bridge *conf, struct wr_fd *in, struct wr_fd *out);

#endif
