/* bridge.c - pipes of an agent, joined to a node that runs. */
#include "mcp/bridge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/lock.h>
#include <weir/offload.h>
#include <weir/scope.h>
#include <weir/sem.h>
#include <weir/task.h>

#include "base/base64.h"
#include "base/forget.h"
#include "mcp/header.h"
#include "mcp/pipe.h"
#include "mcp/post.h"
#include "mcp/session.h"

#define LOCK_RANK 695
#define ERRANDS_MAX ((size_t)2 * MCP_CALLS_MAX)
#define GRACE WR_S(1)               /* for what is under way when the input ends */
#define AT_ONCE_WITHIN WR_S(30)     /* for what others wait behind */
#define LISTEN_AGAIN WR_S(1)
#define AT_ONCE ((size_t)64 << 10)  /* what is longer is read by another thread */
#define HEADERS_MAX 4
#define NODES_MAX 2                 /* that may end while one message is to be sent */

struct bridge {
    const struct mcp_bridge *conf;
    struct mcp_pipe *pipe;
    struct wr_sem *errands;
    struct wr_scope *scope;         /* of those under way */
    struct wr_scope *unasked;       /* of who hears what the node says unasked */
    struct wr_sem *beginning;       /* a lost session is begun anew by one at a time */
    struct wr_mutex lock;           /* of all that follows */
    struct errand *first;
    char session[MCP_POSTED_SESSION];
    char *initialize;               /* the line that began it, to begin anew */
    size_t initialize_len;
    bool hears;
};

/* A line on its way. */
struct errand {
    struct bridge *bridge;
    char *line;
    size_t len;
    struct mcp_message message;
    struct mcp_fault fault;
    bool good, modern;
    char session[MCP_POSTED_SESSION];   /* it was sent in; empty: none */
    struct mcp_posted posted;
    bool answered;
    bool lost, again;               /* the node knew no such session; it was begun anew */
    char why[MCP_BRIDGE_WHY];       /* there is no node, and none will be */
    bool sent, canceled;            /* these two, */
    struct wr_scope *scope;         /* ... and this, under the lock of the bridge */
    struct errand *next;
};

/* ---- one message ---- */

/* What comes is passed on, but for that a session is gone, the first time. */
static wr_err take(void *arg, const char *at, size_t len)
{
    struct errand *errand = arg;
    errand->lost = errand->posted.status == 404 && !errand->modern && !errand->again
        && errand->session[0];
    if (errand->lost)
        return WR_OK;
    errand->answered = true;
    return mcp_pipe_write(errand->bridge->pipe, at, len);
}

static wr_err keep_silent(void *arg, const char *at, size_t len)
{
    (void)arg;
    (void)at;
    (void)len;
    return WR_OK;
}

static wr_err send_out(void *arg, const struct mcp_out *out)
{
    return mcp_pipe_write(arg, out->at, out->len);
}

static void refuse(struct bridge *bridge, const struct mcp_message *message, enum mcp_code code,
                   const char *why)
{
    struct mcp_peer peer = { .send = send_out, .arg = bridge->pipe };
    struct mcp_fault fault = { .code = code };
    snprintf(fault.why, sizeof(fault.why), "%.299s", why);
    mcp_session_refuse(message, &fault, &peer);
}

/* A header cannot have everything that a name can: then it goes in base64. */
static char *header_text(const char *value)
{
    size_t len = value ? strlen(value) : 0, i = 0;
    char *text = value ? malloc(WR_BASE64_TEXT(len) + 20) : NULL;
    if (!text)
        return NULL;
    while (i < len && value[i] > ' ' && value[i] < 127 && value[i] != '=')
        i++;
    if (i == len && len) {
        memcpy(text, value, len + 1);
        return text;
    }
    size_t head = (size_t)snprintf(text, 10, "=?base64?");
    size_t at = head + wr_base64_print(text + head, value, len);
    for (i = head; i < at; i++)
        text[i] = (char)(text[i] == '-' ? '+' : text[i] == '_' ? '/' : text[i]);
    while ((at - head) % 4)
        text[at++] = '=';
    memcpy(text + at, "?=", 3);
    return text;
}

static bool is_initialize(const struct mcp_message *message)
{
    return message->method && strcmp(message->method, "initialize") == 0;
}

/* The one that is now. */
static void read_session(struct bridge *bridge, char ret[MCP_POSTED_SESSION])
{
    wr_mutex_lock(&bridge->lock);
    memcpy(ret, bridge->session, MCP_POSTED_SESSION);
    wr_mutex_unlock(&bridge->lock);
}

static wr_err post(struct errand *errand)
{
    struct bridge *bridge = errand->bridge;
    const struct mcp_message *message = &errand->message;
    struct wr_fetch_header headers[HEADERS_MAX];
    char *name = errand->modern ? header_text(mcp_message_name(message)) : NULL;
    size_t count = 0;
    read_session(bridge, errand->session);
    if (errand->modern) {
        headers[count++] = (struct wr_fetch_header){ "MCP-Protocol-Version",
                                                     mcp_message_version(message) };
        headers[count++] = (struct wr_fetch_header){ "Mcp-Method", message->method };
        if (name)
            headers[count++] = (struct wr_fetch_header){ "Mcp-Name", name };
    } else if (errand->session[0] && !is_initialize(message)) {
        headers[count++] = (struct wr_fetch_header){ "Mcp-Session-Id", errand->session };
    }
    struct mcp_post post = { .addr = bridge->conf->node, .method = "POST", .body = errand->line,
                             .len = errand->len, .headers = headers, .count = count,
                             .take = message->kind == MCP_REQUEST ? take : keep_silent,
                             .arg = errand };
    wr_err err = mcp_post(&post, &errand->posted);
    wr_forget_free(name);
    return err;
}

/* A request is answered, by whomever. */
static void make_up(struct errand *errand, wr_err err)
{
    const struct mcp_posted *posted = &errand->posted;
    char why[MCP_BRIDGE_WHY + 100];
    if (errand->message.kind != MCP_REQUEST || errand->answered || errand->canceled
        || (!err && posted->status < 300))
        return;
    if (errand->why[0])
        snprintf(why, sizeof(why), "there is no node: %s", errand->why);
    else if (err)
        snprintf(why, sizeof(why), "the node does not answer: %s", wr_err_text(err));
    else
        snprintf(why, sizeof(why), "the node refuses, with %u: %s", posted->status,
                 posted->why[0] ? posted->why : "it does not say why");
    refuse(errand->bridge, &errand->message, MCP_INTERNAL, why);
}

/* ---- what the node says unasked ---- */

static wr_err hear(void *arg)
{
    struct bridge *bridge = arg;
    struct errand listener = { .bridge = bridge };
    struct mcp_posted posted = { .status = 200 };
    wr_err err = WR_OK;
    while (!err && posted.status == 200) {
        read_session(bridge, listener.session);
        struct wr_fetch_header header = { "Mcp-Session-Id", listener.session };
        struct mcp_post get = { .addr = bridge->conf->node, .method = "GET", .headers = &header,
                                .count = 1, .take = take, .arg = &listener };
        (void)!mcp_post(&get, &posted);
        err = wr_sleep(wr_after(LISTEN_AGAIN));
    }
    wr_mutex_lock(&bridge->lock);
    bridge->hears = false;
    wr_mutex_unlock(&bridge->lock);
    return err;
}

static void start_hearing(struct bridge *bridge)
{
    wr_mutex_lock(&bridge->lock);
    bool start = !bridge->hears;
    bridge->hears = true;
    wr_mutex_unlock(&bridge->lock);
    if (start)
        (void)!wr_scope_go(bridge->unasked, "mcp.hear", hear, bridge);
}

/* ---- a session ---- */

static void keep_session(struct errand *errand)
{
    struct bridge *bridge = errand->bridge;
    const struct mcp_posted *posted = &errand->posted;
    char *before;
    if (posted->status != 200 || !posted->session[0])
        return;
    wr_mutex_lock(&bridge->lock);
    memcpy(bridge->session, posted->session, sizeof(bridge->session));
    before = bridge->initialize;
    bridge->initialize = errand->line;
    bridge->initialize_len = errand->len;
    wr_mutex_unlock(&bridge->lock);
    errand->line = NULL;
    wr_forget_free(before);
    start_hearing(bridge);
}

/* The line that began it; NULL: none did, or there is no memory.  The client may send another
 * meanwhile. */
static char *copy_initialize(struct bridge *bridge, size_t *ret_len)
{
    wr_mutex_lock(&bridge->lock);
    char *copy = bridge->initialize ? malloc(bridge->initialize_len + 1) : NULL;
    *ret_len = bridge->initialize_len;
    if (copy)
        memcpy(copy, bridge->initialize, *ret_len + 1);
    wr_mutex_unlock(&bridge->lock);
    return copy;
}

static bool initialize_again(struct bridge *bridge)
{
    static const char ready[] = "{\"jsonrpc\":\"2.0\","
                                "\"method\":\"notifications/initialized\"}";
    struct mcp_posted posted = { 0 }, unheard;
    struct mcp_post again = { .addr = bridge->conf->node, .method = "POST",
                              .take = keep_silent };
    char *line = copy_initialize(bridge, &again.len);
    again.body = line;
    bool begun = line && !mcp_post(&again, &posted) && posted.session[0];
    wr_forget_free(line);
    if (!begun)
        return false;
    wr_mutex_lock(&bridge->lock);
    memcpy(bridge->session, posted.session, sizeof(bridge->session));
    wr_mutex_unlock(&bridge->lock);
    struct wr_fetch_header header = { "Mcp-Session-Id", posted.session };
    struct mcp_post initialized = { .addr = bridge->conf->node, .method = "POST", .body = ready,
                                    .len = strlen(ready), .headers = &header, .count = 1,
                                    .take = keep_silent };
    (void)!mcp_post(&initialized, &unheard);
    start_hearing(bridge);
    return true;
}

/* The node has forgotten the session: begin it anew, without the client hearing of it.  Of
 * several who have found it lost one does, and the others go on in that. */
static bool begin_anew(struct errand *errand)
{
    struct bridge *bridge = errand->bridge;
    char now[MCP_POSTED_SESSION];
    if (wr_sem_acquire(bridge->beginning, WR_NEVER))
        return false;
    read_session(bridge, now);
    bool begun = strcmp(now, errand->session) != 0 || initialize_again(bridge);
    wr_sem_release(bridge->beginning);
    return begun;
}

/* ---- errands ---- */

static void link_errand(struct errand *errand)
{
    struct bridge *bridge = errand->bridge;
    wr_mutex_lock(&bridge->lock);
    errand->next = bridge->first;
    bridge->first = errand;
    wr_mutex_unlock(&bridge->lock);
}

static void drop(struct errand *errand)
{
    struct bridge *bridge = errand->bridge;
    wr_mutex_lock(&bridge->lock);
    struct errand **at = &bridge->first;
    while (*at && *at != errand)
        at = &(*at)->next;
    if (*at)
        *at = errand->next;
    wr_mutex_unlock(&bridge->lock);
    mcp_message_free(&errand->message);
    wr_forget_free(errand->line);
    wr_forget_free(errand);
}

/* Whether there is another node now, that can be asked instead. */
static bool revive(struct errand *errand)
{
    const struct mcp_bridge *conf = errand->bridge->conf;
    return errand->posted.declined && conf->revive && !conf->revive(conf->arg, errand->why);
}

/* What the node would say of it is about headers, which a pipe has none of. */
static bool comes_too_early(struct errand *errand)
{
    char session[MCP_POSTED_SESSION];
    read_session(errand->bridge, session);
    return !session[0] && !errand->modern && errand->message.kind == MCP_REQUEST
        && !mcp_message_early(&errand->message);
}

/* Send it, and have it answered. */
static void deliver(struct errand *errand)
{
    if (comes_too_early(errand)) {
        refuse(errand->bridge, &errand->message, MCP_INVALID_PARAMS, mcp_session_first);
        return;
    }
    wr_err err = post(errand);
    for (int i = 0; i < NODES_MAX && revive(errand); i++)
        err = post(errand);
    if (errand->lost && begin_anew(errand)) {
        errand->again = true;
        err = post(errand);
    }
    make_up(errand, err);
}

/* ... within a time, as others wait behind it. */
static wr_err deliver_now(struct errand *errand)
{
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){
        .name = "mcp.at-once", .deadline = wr_after(AT_ONCE_WITHIN) });
    if (err)
        return err;
    wr_scope_enter(scope);
    deliver(errand);
    wr_scope_leave(scope);
    (void)!wr_scope_close(scope);
    if (is_initialize(&errand->message))
        keep_session(errand);
    return WR_OK;
}

/* False: it was canceled before anybody heard of it. */
static bool may_send(struct errand *errand, struct wr_scope *scope)
{
    wr_mutex_lock(&errand->bridge->lock);
    errand->scope = scope;
    errand->sent = !errand->canceled;
    wr_mutex_unlock(&errand->bridge->lock);
    return errand->sent;
}

static wr_err run(void *arg)
{
    struct errand *errand = arg;
    struct bridge *bridge = errand->bridge;
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "mcp.errand",
                                                               .deadline = WR_NEVER });
    if (!err) {
        if (may_send(errand, scope)) {
            wr_scope_enter(scope);
            deliver(errand);
            wr_scope_leave(scope);
        }
        wr_mutex_lock(&bridge->lock);
        errand->scope = NULL;
        wr_mutex_unlock(&bridge->lock);
        (void)!wr_scope_close(scope);
    }
    drop(errand);
    wr_sem_release(bridge->errands);
    return WR_OK;
}

/* ---- lines ---- */

/* Whether nothing is left to do: a modern request ends with its connection, and one that was
 * not sent never is.  Others the node must be told of. */
static bool cancel(struct bridge *bridge, const struct mcp_message *message)
{
    char id[MCP_ID_MAX];
    bool done = false;
    if (!mcp_id_print(id, json_object_get(message->params, "requestId")))
        return true;
    wr_mutex_lock(&bridge->lock);
    for (struct errand *at = bridge->first; at; at = at->next)
        if (strcmp(at->message.id, id) == 0 && (at->modern || !at->sent)) {
            done = true;
            at->canceled = true;
            if (at->scope)
                wr_scope_cancel(at->scope);
        }
    wr_mutex_unlock(&bridge->lock);
    return done;
}

static wr_err start(struct errand *errand)
{
    struct bridge *bridge = errand->bridge;
    wr_err err = wr_sem_acquire(bridge->errands, WR_NEVER);
    if (err)
        return err;
    link_errand(errand);
    err = wr_scope_go(bridge->scope, "mcp.errand", run, errand);
    if (err)
        wr_sem_release(bridge->errands);
    return err;
}

static void read_message(void *arg)
{
    struct errand *errand = arg;
    errand->good = mcp_message_read(&errand->message, errand->line, errand->len,
                                    &errand->fault);
}

/* Takes it, unless it returns an error. */
static wr_err take_errand(struct errand *errand)
{
    struct bridge *bridge = errand->bridge;
    const struct mcp_message *message = &errand->message;
    wr_err err = errand->len > AT_ONCE ? wr_offload(read_message, errand, WR_NEVER) : WR_OK;
    if (errand->len <= AT_ONCE)
        read_message(errand);
    if (err)
        return err;
    errand->modern = mcp_message_version(message);
    if (!errand->good) {
        refuse(bridge, message, errand->fault.code, errand->fault.why);
    } else if (message->kind == MCP_REQUEST && !is_initialize(message)) {
        return start(errand);
    } else if (message->kind != MCP_NOTIFICATION
               || strcmp(message->method, "notifications/cancelled") != 0
               || !cancel(bridge, message)) {
        err = deliver_now(errand);
    }
    if (!err)
        drop(errand);
    return err;
}

static wr_err take_line(struct bridge *bridge, const char *line, size_t len)
{
    struct errand *errand = calloc(1, sizeof(*errand));
    if (!errand)
        return WR_NOMEM;
    errand->bridge = bridge;
    errand->line = malloc(len + 1);
    errand->len = len;
    wr_err err = errand->line ? WR_OK : WR_NOMEM;
    if (!err) {
        memcpy(errand->line, line, len);
        errand->line[len] = '\0';
        err = take_errand(errand);
    }
    if (err)
        drop(errand);
    return err;
}

static wr_err read_all(struct bridge *bridge)
{
    const char *line;
    size_t len;
    for (;;) {
        wr_err err = mcp_pipe_read(bridge->pipe, &line, &len);
        if (err == WR_DENIED) {
            refuse(bridge, &(struct mcp_message){ 0 }, MCP_INVALID_REQUEST,
                   "a line is longer than 4 MiB");
            continue;
        }
        if (!err && !line)
            return WR_OK;
        if (!err)
            err = take_line(bridge, line, len);
        if (err)
            return err;
    }
}

/* The node need not remember who has gone. */
static void end_session(struct bridge *bridge)
{
    struct wr_scope *scope;
    struct mcp_posted posted;
    struct wr_fetch_header header = { "Mcp-Session-Id", bridge->session };
    struct mcp_post end = { .addr = bridge->conf->node, .method = "DELETE", .headers = &header,
                            .count = 1, .take = keep_silent };
    if (!bridge->session[0]
        || wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "mcp.goodbye", .shield = true,
                                                         .deadline = wr_after(GRACE) }))
        return;
    wr_scope_enter(scope);
    (void)!mcp_post(&end, &posted);
    wr_scope_leave(scope);
    (void)!wr_scope_close(scope);
}

static wr_err serve(struct bridge *bridge)
{
    wr_scope_enter(bridge->unasked);    /* an errand, too, may have to begin to hear */
    wr_err err = wr_scope_new(&bridge->scope, &(struct wr_scope_conf){
        .name = "mcp.bridge", .deadline = WR_NEVER, .independent = true });
    if (!err) {
        mcp_pipe_ends(bridge->pipe, bridge->scope);
        wr_scope_enter(bridge->scope);
        err = read_all(bridge);
        wr_scope_leave(bridge->scope);
    }
    if (!err)
        (void)!wr_scope_join(bridge->scope, wr_after(GRACE));
    (void)!wr_scope_close(bridge->scope);
    wr_scope_leave(bridge->unasked);
    (void)!wr_scope_close(bridge->unasked);
    end_session(bridge);
    wr_err broken = mcp_pipe_broken(bridge->pipe);
    return broken ? broken : err;
}

wr_err mcp_bridge_serve(const struct mcp_bridge *conf, struct wr_fd *in, struct wr_fd *out)
{
    struct bridge bridge = { .conf = conf, .lock = WR_MUTEX("mcp.bridge", LOCK_RANK) };
    wr_err err = mcp_pipe_new(&bridge.pipe, in, out);
    if (!err)
        err = wr_sem_new(&bridge.errands, "mcp.errands", ERRANDS_MAX);
    if (!err)
        err = wr_sem_new(&bridge.beginning, "mcp.beginning", 1);
    if (!err)
        err = wr_scope_new(&bridge.unasked, &(struct wr_scope_conf){
            .name = "mcp.unasked", .deadline = WR_NEVER, .independent = true });
    if (!err)
        err = serve(&bridge);
    mcp_pipe_free(bridge.pipe);
    wr_sem_free(bridge.errands);
    wr_sem_free(bridge.beginning);
    wr_forget_free(bridge.initialize);
    wr_mutex_fini(&bridge.lock);
    return err;
}
