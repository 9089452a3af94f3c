/* stdio.c - the Model Context Protocol over two pipes. */
#include <stdlib.h>
#include <string.h>

#include <weir/offload.h>
#include <weir/scope.h>
#include <weir/sem.h>
#include <weir/task.h>

#include "base/forget.h"
#include "mcp/session.h"
#include "mcp/stdio.h"

#define ROOM_FIRST ((size_t)64 << 10)
#define WRITE_WITHIN WR_S(30)
#define GRACE WR_S(1)               /* for what is under way when the input ends */
#define ERRANDS_MAX ((size_t)2 * MCP_CALLS_MAX)     /* half of them to be refused at once */
#define AT_ONCE ((size_t)64 << 10)  /* what is longer is read by another thread */

struct stdio {
    struct mcp_session *session;
    struct wr_fd *in, *out;
    bool news;                      /* there may be something to say unasked */
    struct wr_scope *scope;         /* of those who answer, and of who reads */
    struct wr_gate *writing;
    struct wr_sem *errands;         /* who are under way */
    _Atomic wr_err broken;          /* why nothing more can be written; WR_OK: it can */
    char *line;                     /* what was read and is no whole line yet */
    size_t len, room;
    bool too_long;                  /* ... and never will be: its rest is passed over */
};

/* A line of the client, on its way to an answer. */
struct errand {
    struct stdio *stdio;
    struct mcp_peer peer;
    struct mcp_message message;
    struct mcp_fault fault;
    struct mcp_request *request;    /* that takes its time */
    const char *bytes;              /* while it is read */
    size_t len;
    bool good;
};

/* Whole lines only.  After one that went out in part nothing can follow. */
static wr_err send_line(void *arg, const struct mcp_out *out)
{
    struct stdio *stdio = arg;
    const struct wr_piece pieces[] = { { out->at, out->len }, { "\n", 1 } };
    size_t sent;
    wr_err err = wr_gate_enter(stdio->writing, wr_after(WRITE_WITHIN));
    if (err)
        return err;
    err = stdio->broken;
    if (!err) {
        err = wr_fd_write_pieces(stdio->out, &sent, pieces, 2, wr_after(WRITE_WITHIN));
        if (err && (sent || err != WR_CANCELED)) {
            stdio->broken = err;
            wr_scope_cancel(stdio->scope);
        }
    }
    wr_gate_leave(stdio->writing);
    return err;
}

static void drop(struct errand *errand)
{
    mcp_message_free(&errand->message);
    wr_forget_free(errand);
}

static void end_errand(void *arg)
{
    struct errand *errand = arg;
    struct stdio *stdio = errand->stdio;
    drop(errand);
    wr_sem_release(stdio->errands);
}

static wr_err answer(void *arg)
{
    struct errand *errand = arg;
    struct wr_cleanup cleanup = { .fn = end_errand, .arg = errand };
    wr_cleanup_push(&cleanup);
    mcp_session_finish(errand->request);
    wr_cleanup_pop(&cleanup);
    end_errand(errand);
    return WR_OK;
}

/* It is known from now on, whoever answers it: the next line may cancel it. */
static wr_err start(struct stdio *stdio, struct errand *errand)
{
    wr_err err = wr_sem_acquire(stdio->errands, WR_NEVER);
    if (err)
        return err;
    errand->request = mcp_session_take(stdio->session, &errand->message, &errand->peer);
    err = errand->request ? wr_scope_go(stdio->scope, "mcp.request", answer, errand)
                          : WR_NOMEM;
    if (!err)
        return WR_OK;
    if (errand->request)
        mcp_session_finish(errand->request);
    wr_sem_release(stdio->errands);
    return err;
}

static void read_message(void *arg)
{
    struct errand *errand = arg;
    errand->good = mcp_message_read(&errand->message, errand->bytes, errand->len,
                                    &errand->fault);
}

static wr_err take_line(struct stdio *stdio, const char *bytes, size_t len)
{
    struct errand *errand = calloc(1, sizeof(*errand));
    wr_err err = WR_OK;
    if (!errand)
        return WR_NOMEM;
    *errand = (struct errand){ .stdio = stdio, .bytes = bytes, .len = len,
                               .peer = { .send = send_line, .arg = stdio, .local = true } };
    if (len > AT_ONCE)
        err = wr_offload(read_message, errand, WR_NEVER);
    else
        read_message(errand);
    if (!err && !errand->good)
        mcp_session_refuse(&errand->message, &errand->fault, &errand->peer);
    if (!err && errand->good && mcp_message_waits(&errand->message)) {
        err = start(stdio, errand);
        if (!err)
            return WR_OK;
    } else if (!err && errand->good) {
        mcp_session_answer(stdio->session, &errand->message, &errand->peer);
    }
    drop(errand);
    return err;
}

static void refuse_length(struct stdio *stdio)
{
    struct mcp_message nothing = { .json = NULL };
    struct mcp_fault fault = { .code = MCP_INVALID_REQUEST,
                               .why = "a line is longer than 4 MiB" };
    struct mcp_peer peer = { .send = send_line, .arg = stdio };
    mcp_session_refuse(&nothing, &fault, &peer);
}

static bool blank(const char *line, size_t len)
{
    size_t i = 0;
    while (i < len && strchr(" \t\r", line[i]))
        i++;
    return i == len;
}

/* All whole lines of what is there. */
static wr_err take_lines(struct stdio *stdio)
{
    char *at = stdio->line, *end = stdio->line + stdio->len, *stop;
    wr_err err = WR_OK;
    while (!err && at < end && (stop = memchr(at, '\n', (size_t)(end - at)))) {
        size_t len = (size_t)(stop - at);
        if (!stdio->too_long && !blank(at, len))
            err = take_line(stdio, at, len);
        stdio->too_long = false;
        at = stop + 1;
    }
    stdio->len = (size_t)(end - at);
    memmove(stdio->line, at, stdio->len);
    if (stdio->len > MCP_MESSAGE_MAX) {
        refuse_length(stdio);
        stdio->too_long = true;
    }
    if (stdio->too_long)
        stdio->len = 0;
    return err;
}

static bool make_room(struct stdio *stdio)
{
    if (stdio->len < stdio->room)
        return true;
    size_t room = stdio->room ? 2 * stdio->room : ROOM_FIRST;
    char *line = wr_forget_realloc(stdio->line, room);
    if (!line)
        return false;
    stdio->line = line;
    stdio->room = room;
    return true;
}

static wr_err read_all(struct stdio *stdio)
{
    wr_err err = WR_OK;
    size_t got = 1;
    while (!err && got) {
        if (!make_room(stdio))
            return WR_NOMEM;
        err = wr_fd_read(stdio->in, &got, stdio->line + stdio->len, stdio->room - stdio->len,
                         WR_NEVER);
        if (!err) {
            stdio->len += got;
            err = take_lines(stdio);
        }
    }
    if (!err && stdio->len && !blank(stdio->line, stdio->len))
        err = take_line(stdio, stdio->line, stdio->len);
    return err;
}

static wr_err speak(void *arg)
{
    struct stdio *stdio = arg;
    struct mcp_peer peer = { .send = send_line, .arg = stdio };
    return mcp_session_speak(stdio->session, &peer);
}

static wr_err serve(struct stdio *stdio)
{
    struct wr_scope *unasked;
    wr_err err = wr_scope_new(&unasked, &(struct wr_scope_conf){ .name = "mcp.unasked",
                                                                 .deadline = WR_NEVER });
    if (!err && stdio->news)
        err = wr_scope_go(unasked, "mcp.speak", speak, stdio);
    wr_scope_enter(stdio->scope);
    if (!err)
        err = read_all(stdio);
    wr_scope_leave(stdio->scope);
    if (!err)
        (void)!wr_scope_join(stdio->scope, wr_after(GRACE));
    (void)!wr_scope_close(unasked);
    (void)!wr_scope_close(stdio->scope);
    return stdio->broken ? stdio->broken : err;
}

wr_err mcp_stdio_serve(const struct mcp_offer *offer, struct wr_fd *in, struct wr_fd *out)
{
    struct stdio stdio = { .in = in, .out = out, .news = offer->news };
    wr_err err = mcp_session_new(&stdio.session, offer);
    if (!err)
        err = wr_gate_new(&stdio.writing, "mcp.writing");
    if (!err)
        err = wr_sem_new(&stdio.errands, "mcp.errands", ERRANDS_MAX);
    if (!err)
        err = wr_scope_new(&stdio.scope, &(struct wr_scope_conf){
            .name = "mcp.stdio", .deadline = WR_NEVER, .independent = true });
    if (!err)
        err = serve(&stdio);
    wr_gate_free(stdio.writing);
    wr_sem_free(stdio.errands);
    mcp_session_free(stdio.session);
    wr_forget_free(stdio.line);
    return err;
}
