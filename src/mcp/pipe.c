/* pipe.c - lines in and lines out. */
#include "mcp/pipe.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <weir/sem.h>

#include "base/forget.h"
#include "mcp/message.h"

#define ROOM_FIRST ((size_t)64 << 10)
#define WRITE_WITHIN WR_S(30)

struct mcp_pipe {
    struct wr_fd *in, *out;
    struct wr_scope *scope;         /* what ends with it */
    struct wr_gate *writing;
    _Atomic wr_err broken;
    char *bytes;                    /* what was read, */
    size_t at, len, room;           /* ... of which this much was given away */
    bool too_long;                  /* the line at hand: its rest is passed over */
    bool ended;
};

wr_err mcp_pipe_new(struct mcp_pipe **ret, struct wr_fd *in, struct wr_fd *out)
{
    struct mcp_pipe *pipe = calloc(1, sizeof(*pipe));
    if (!pipe)
        return WR_NOMEM;
    pipe->in = in;
    pipe->out = out;
    wr_err err = wr_gate_new(&pipe->writing, "mcp.writing");
    if (err)
        free(pipe);
    else
        *ret = pipe;
    return err;
}

void mcp_pipe_free(struct mcp_pipe *pipe)
{
    if (!pipe)
        return;
    wr_gate_free(pipe->writing);
    wr_forget_free(pipe->bytes);
    free(pipe);
}

void mcp_pipe_ends(struct mcp_pipe *pipe, struct wr_scope *scope)
{
    pipe->scope = scope;
}

wr_err mcp_pipe_broken(const struct mcp_pipe *pipe)
{
    return pipe->broken;
}

/* After a line that went out in part nothing can follow. */
wr_err mcp_pipe_write(struct mcp_pipe *pipe, const char *line, size_t len)
{
    const struct wr_piece pieces[] = { { line, len }, { "\n", 1 } };
    size_t sent;
    wr_err err = wr_gate_enter(pipe->writing, wr_after(WRITE_WITHIN));
    if (err)
        return err;
    err = pipe->broken;
    if (!err) {
        err = wr_fd_write_pieces(pipe->out, &sent, pieces, 2, wr_after(WRITE_WITHIN));
        if (err && (sent || err != WR_CANCELED)) {
            pipe->broken = err;
            if (pipe->scope)
                wr_scope_cancel(pipe->scope);
        }
    }
    wr_gate_leave(pipe->writing);
    return err;
}

static bool make_room(struct mcp_pipe *pipe)
{
    if (pipe->at)
        memmove(pipe->bytes, pipe->bytes + pipe->at, pipe->len - pipe->at);
    pipe->len -= pipe->at;
    pipe->at = 0;
    if (pipe->len < pipe->room)
        return true;
    size_t room = pipe->room ? 2 * pipe->room : ROOM_FIRST;
    char *bytes = wr_forget_realloc(pipe->bytes, room);
    if (!bytes)
        return false;
    pipe->bytes = bytes;
    pipe->room = room;
    return true;
}

static bool blank(const char *line, size_t len)
{
    size_t i = 0;
    while (i < len && strchr(" \t\r", line[i]))
        i++;
    return i == len;
}

/* A line of what is there; false: none is whole.  At the end the rest is one. */
static bool take(struct mcp_pipe *pipe, const char **ret, size_t *ret_len)
{
    while (pipe->at < pipe->len) {
        char *line = pipe->bytes + pipe->at, *stop = memchr(line, '\n', pipe->len - pipe->at);
        size_t len = stop ? (size_t)(stop - line) : pipe->len - pipe->at;
        bool wanted = !pipe->too_long && !blank(line, len);
        if (!stop && !pipe->ended)
            return false;
        pipe->at += len + (stop != NULL);
        pipe->too_long = false;
        if (wanted) {
            *ret = line;
            *ret_len = len;
            return true;
        }
    }
    return false;
}

wr_err mcp_pipe_read(struct mcp_pipe *pipe, const char **ret, size_t *ret_len)
{
    *ret = NULL;
    while (!take(pipe, ret, ret_len) && !pipe->ended) {
        bool more = pipe->len - pipe->at > MCP_MESSAGE_MAX;
        bool first = more && !pipe->too_long;
        size_t got;
        if (more || pipe->too_long)
            pipe->at = pipe->len;
        pipe->too_long |= more;
        if (first)
            return WR_DENIED;
        if (!make_room(pipe))
            return WR_NOMEM;
        wr_err err = wr_fd_read(pipe->in, &got, pipe->bytes + pipe->len,
                                pipe->room - pipe->len, WR_NEVER);
        if (err)
            return err;
        pipe->len += got;
        pipe->ended = got == 0;
    }
    return WR_OK;
}
