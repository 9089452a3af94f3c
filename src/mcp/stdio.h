/* stdio.h - the Model Context Protocol over two pipes: a message is a line.
 *
 *     err = mcp_stdio_serve(&offer, in, out);
 *
 * The other end has started this process and is its user, so it may name files.  It ends by
 * closing its end: what is under way then has a moment to be answered, and is canceled.
 *
 * What is no message is answered and passed over, a line that is too long too.  A client that
 * sends and does not read is waited for, and then given up: what it sends meanwhile stays in
 * its pipe.
 */
#ifndef WR_MCP_STDIO_H
#define WR_MCP_STDIO_H

#include <weir/err.h>
#include <weir/fd.h>

#include "mcp/offer.h"

/* Until the input ends.  Errors: NOMEM, CANCELED, TIMEOUT (nobody reads), BROKENPIPE, IO. */
wr_err mcp_stdio_serve(const struct mcp_offer *offer, struct wr_fd *in, struct wr_fd *out);

#endif
