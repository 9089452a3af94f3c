/* pipe.h - lines in and lines out: two pipes, and what may be wrong with who is at their ends.
 *
 *     struct mcp_pipe *pipe;
 *     err = mcp_pipe_new(&pipe, in, out);
 *     while (!(err = mcp_pipe_read(pipe, &line, &len)) && line)
 *         ...
 *     err = mcp_pipe_write(pipe, answer, answer_len);
 *     mcp_pipe_free(pipe);
 *
 * A line has at most MCP_MESSAGE_MAX bytes.  One fiber reads; any number write, and each line
 * goes out whole.  Who does not read what is written has 30 s; then nothing more is.
 */
#ifndef WR_MCP_PIPE_H
#define WR_MCP_PIPE_H

#include <stddef.h>

#include <weir/err.h>
#include <weir/fd.h>
#include <weir/scope.h>

struct mcp_pipe;

/* The descriptors stay the caller's.  Errors: NOMEM. */
wr_err mcp_pipe_new(struct mcp_pipe **ret, struct wr_fd *in, struct wr_fd *out);

/* Nobody may be reading or writing any more.  NULL is allowed. */
void mcp_pipe_free(struct mcp_pipe *pipe);

/* What is canceled when nothing can be written any more; NULL: nothing. */
void mcp_pipe_ends(struct mcp_pipe *pipe, struct wr_scope *scope);

/* The next line that is not blank, without its end; *ret is NULL after the last.  It is valid
 * until the next call.  Errors: DENIED (one is too long; the next call goes on behind it),
 * CANCELED, TIMEOUT, NOMEM, IO. */
wr_err mcp_pipe_read(struct mcp_pipe *pipe, const char **ret, size_t *ret_len);

/* A line, which has no break in it.  Errors: TIMEOUT (nobody reads), CANCELED, BROKENPIPE,
 * IO. */
wr_err mcp_pipe_write(struct mcp_pipe *pipe, const char *line, size_t len);

/* Why nothing can be written any more; WR_OK: it can. */
wr_err mcp_pipe_broken(const struct mcp_pipe *pipe);

#endif
