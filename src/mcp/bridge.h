/* bridge.h - pipes of an agent, joined to a node that runs: a line is a message to its /mcp,
 * and what comes back is a line.
 *
 *     err = mcp_bridge_serve(&addr, in, out);
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

/* Until the input ends.  Errors: NOMEM, CANCELED, TIMEOUT (nobody reads), BROKENPIPE, IO. */
wr_err mcp_bridge_serve(const struct wr_addr *node, struct wr_fd *in, struct wr_fd *out);

#endif
