/* stdio.c - the Model Context Protocol over two pipes. */
#include <stdlib.h>
#include <string.h>

#include <weir/offload.h>
#include <weir/scope.h>
#include <weir/sem.h>
#include <weir/task.h>

#include "base/forget.h"
#include "mcp/pipe.h"
#include "mcp/session.h"
#include "mcp/stdio.h"

#define GRACE WR_S(1)               /* for what is under way when the input ends */
#define ERRANDS_MAX ((size_t)2 * MCP_CALLS_MAX)     /* half of them to be refused at once */
#define AT_ONCE ((size_t)64 << 10)  /* what is longer is read by another thread */

struct stdio {
    struct mcp_session *session;
    struct mcp_pipe *pipe;
    bool news;                      /* there may be something to say unasked */
    struct wr_scope *scope;         /* of those who answer, and of who reads */
    struct wr_sem *errands;         /* who are under way */
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

static wr_err send_line(void *arg, const struct mcp_out *out)
{
    const struct stdio *stdio = arg;
    return mcp_pipe_write(stdio->pipe, out->at, out->len);
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

static wr_err read_all(struct stdio *stdio)
{
    const char *line;
    size_t len;
    for (;;) {
        wr_err err = mcp_pipe_read(stdio->pipe, &line, &len);
        if (err == WR_DENIED) {
            refuse_length(stdio);
            continue;
        }
        if (!err && !line)
            return WR_OK;
        if (!err)
            err = take_line(stdio, line, len);
        if (err)
            return err;
    }
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
    wr_err broken = mcp_pipe_broken(stdio->pipe);
    return broken ? broken : err;
}

wr_err mcp_stdio_serve(const struct mcp_offer *offer, struct wr_fd *in, struct wr_fd *out)
{
    struct stdio stdio = { .news = offer->news };
    wr_err err = mcp_session_new(&stdio.session, offer);
    if (!err)
        err = mcp_pipe_new(&stdio.pipe, in, out);
    if (!err)
        err = wr_sem_new(&stdio.errands, "mcp.errands", ERRANDS_MAX);
    if (!err)
        err = wr_scope_new(&stdio.scope, &(struct wr_scope_conf){
            .name = "mcp.stdio", .deadline = WR_NEVER, .independent = true });
    if (!err) {
        mcp_pipe_ends(stdio.pipe, stdio.scope);
        err = serve(&stdio);
    }
    mcp_pipe_free(stdio.pipe);
    wr_sem_free(stdio.errands);
    mcp_session_free(stdio.session);
    return err;
}
