/* mcp_node.c - see mcp_node.h.
 *
 * Ours is run by a task beside whoever serves the client.  The two end one another by a child
 * of the node, the leash: it stops the node when the client has gone, and ends the serving when
 * the node is stopped.  Only a child may stop it at any time: a node is not there any more when
 * its run returns.
 */
#include "cmd/weir/mcp_node.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir/file.h>
#include <weir/lock.h>
#include <weir/once.h>
#include <weir/select.h>
#include <weir/sem.h>
#include <weir/stream.h>
#include <weir/task.h>

#include "base/text.h"
#include "cmd/weir/data.h"
#include "cmd/weir/services.h"
#include "cmd/weir/weir.h"
#include "svc/node/node.h"

#define ASK_WITHIN WR_S(2)
#define FIND_WITHIN WR_S(10)        /* for who has the directory to answer, or to go */
#define RETURN_WITHIN WR_S(10)      /* for a node that somebody runs to be back */
#define START_WITHIN WR_S(60)
#define MUTEX_RANK 697
#define STEP_MIN WR_MS(10)
#define STEP_MAX WR_MS(250)

enum { ROW_LEASH = SERVICES_COUNT, ROWS };

struct mcp_node {
    struct wr_conf *conf;
    struct wr_addr addr;            /* NONE: it can be asked nowhere */
    struct wr_sem *turn;            /* of who finds or becomes it */
    bool found, agents;             /* one was; it was an agent's */
    int lock;                       /* of the data directory; -1: not ours */
    /* what follows is of ours */
    bool begun;
    atomic_bool ours;
    struct services services;
    struct node_service rows[ROWS];
    struct wr_child leash;
    struct node_start start;
    struct node *node;
    struct wr_scope *scope;         /* of the task that runs it */
    struct wr_once *up, *done;      /* it can be asked, or never will; the client has gone */
    struct wr_mutex mutex;          /* of this: */
    struct wr_scope *serving;       /* the client, below the scope of the node; or NULL */
    wr_err result;
};

/* ---- ours ---- */

static wr_err hold(void *arg, struct wr_once *drain)
{
    struct mcp_node *self = arg;
    struct wr_case cases[] = { WR_CASE_ONCE(drain, NULL), WR_CASE_ONCE(self->done, NULL) };
    size_t which;
    wr_err err = wr_select(&which, cases, 2, WR_NEVER);
    if (!err && which == 1) {
        node_stop(self->node);
        return WR_OK;
    }
    wr_mutex_lock(&self->mutex);
    if (self->serving)
        wr_scope_cancel(self->serving);
    wr_mutex_unlock(&self->mutex);
    return err;
}

static void say_up(void *arg, const struct node_face *face)
{
    struct mcp_node *self = arg;
    (void)face;
    (void)!wr_once_set(self->up, NULL);
}

static wr_err run_node(void *arg)
{
    struct mcp_node *self = arg;
    self->result = node_run(&self->start, &self->node);
    wr_once_close(self->up);
    return WR_OK;
}

static void prepare(struct mcp_node *self, const struct wr_conf_source *source)
{
    memcpy(self->rows, self->services.rows, sizeof(self->services.rows));
    self->leash = (struct wr_child){ .name = "mcp.leash", .run = hold, .arg = self,
                                      .restart = WR_RESTART_ON_ERROR };
    self->rows[ROW_LEASH] = (struct node_service){ .name = "agent", .children = &self->leash,
                                                   .child_count = 1 };
    self->start = (struct node_start){
        .conf = self->conf, .source = source, .services = self->rows, .service_count = ROWS,
        .local = self->addr.kind == WR_ADDR_UNIX ? self->addr.path : NULL, .local_only = true,
        .ready = say_up, .arg = self };
}

/* It is tried once: what cannot start now has said why, and is not better the next time. */
static wr_err become(struct mcp_node *self, char *why)
{
    wr_err err = WR_OK;
    if (!self->begun)
        err = wr_scope_go(self->scope, "mcp.node", run_node, self);
    self->begun = true;
    if (!err)
        err = wr_once_wait(self->up, NULL, wr_after(START_WITHIN));
    bool over = err == WR_CLOSED;           /* ... and there is a result */
    if (!err)
        atomic_store(&self->ours, true);
    else if (over && self->start.why[0])
        snprintf(why, MCP_NODE_WHY, "%.299s", self->start.why);
    else
        snprintf(why, MCP_NODE_WHY, "this process could not become the node: %s",
                 wr_err_text(over && self->result ? self->result : err));
    return over && self->result ? self->result : err;
}

/* ---- another's ---- */

enum state { ABSENT, UNREADY, READY };

/* Who drains is there, and does not want to be asked. */
static enum state look(const struct mcp_node *self)
{
    static const char question[] = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n"
                                   "Connection: close\r\n\r\n";
    static const char good[] = "HTTP/1.1 200";
    struct wr_stream *stream;
    char answer[sizeof(good)] = "";
    size_t got = 1, len = 0;
    wr_time deadline = wr_after(ASK_WITHIN);
    if (self->addr.kind == WR_ADDR_NONE || wr_connect(&stream, &self->addr, deadline))
        return ABSENT;
    wr_err err = wr_stream_write(stream, &got, &(struct wr_piece){ question,
                                 strlen(question) }, 1, deadline);
    for (; !err && got && len < strlen(good); len += got)
        err = wr_stream_read(stream, &got, answer + len, strlen(good) - len, deadline);
    wr_stream_close(stream);
    return strcmp(answer, good) == 0 ? READY : UNREADY;
}

/* Whether we have the data directory now; else who has it, or why it cannot be had.  Under
 * amnesia nothing is kept there. */
static bool take_data(struct mcp_node *self, char *why, bool *ret_usable)
{
    char said[DATA_WHY] = "";
    const char *data = wr_conf_text(self->conf, "data"), *fix = "";
    if (!data || wr_conf_bool(self->conf, "security.amnesia"))
        return true;
    *ret_usable = data_usable(data, said, sizeof(said), &fix)
        && !wr_file_make_dir(data, 0700, wr_after(ASK_WITHIN));
    if (!*ret_usable) {
        snprintf(why, MCP_NODE_WHY, "data = \"%.80s\": %.110s; %.90s", data, said, fix);
        return false;
    }
    self->lock = data_take(data, MCP_NODE_WHO, said, sizeof(said));
    if (self->lock < 0)
        snprintf(why, MCP_NODE_WHY, "%.100s is in use (%.60s) and nobody answers there; wait "
                 "until that is done, or give another place (--set data=PATH)", data, said);
    return self->lock >= 0;
}

static void remember(struct mcp_node *self)
{
    char who[DATA_SIGNATURE] = "";
    const char *data = wr_conf_text(self->conf, "data");
    self->found = true;
    self->agents = data && data_in_use(data, who, sizeof(who)) && strstr(who, MCP_NODE_WHO);
}

/* ---- either ---- */

static wr_err find(struct mcp_node *self, char *why)
{
    bool usable = true, waits = self->found && !self->agents;
    wr_time patience = wr_after(waits ? RETURN_WITHIN : 0), end = wr_after(FIND_WITHIN);
    wr_err err = WR_OK;
    for (wr_time step = STEP_MIN; !err; step = 2 * step < STEP_MAX ? 2 * step : STEP_MAX) {
        enum state state = look(self);
        bool late = wr_now() >= end;
        if (state == READY || (state == UNREADY && late)) {
            remember(self);
            return WR_OK;
        }
        if (state == ABSENT && wr_now() >= patience) {
            if (take_data(self, why, &usable)) {
                if (self->found)
                    fprintf(stderr, "weir: the node has ended: this process is one now\n");
                return become(self, why);
            }
            if (!usable || late)
                return WR_BUSY;
        }
        err = wr_sleep(wr_after(step));
    }
    snprintf(why, MCP_NODE_WHY, "%s", wr_err_text(err));
    return err;
}

wr_err mcp_node_find(void *arg, char *why)
{
    struct mcp_node *self = arg;
    why[0] = '\0';
    wr_err err = wr_sem_acquire(self->turn, WR_NEVER);
    if (err) {
        snprintf(why, MCP_NODE_WHY, "%s", wr_err_text(err));
        return err;
    }
    if (self->begun)
        err = become(self, why);
    else
        err = find(self, why);
    wr_sem_release(self->turn);
    return err;
}

/* ---- the whole ---- */

static void take_place(struct mcp_node *self)
{
    const char *said = wr_conf_text(self->conf, "uds.path");
    const char *data = wr_conf_text(self->conf, "data");
    struct wr_text path = WR_TEXT(self->addr.path);
    if (!said && !data)
        return;
    wr_text_format(&path, "%s%s", said ? said : data, said ? "" : "/node.sock");
    if (path.cut)
        fprintf(stderr, "weir: %s is too long a name for a socket: no other program finds this "
                "one; give a shorter --set data=PATH\n", said ? said : data);
    else
        self->addr.kind = WR_ADDR_UNIX;
}

wr_err mcp_node_open(struct mcp_node **ret, const struct wr_conf_source *source,
                     struct wr_conf *conf)
{
    struct mcp_node *self = calloc(1, sizeof(*self));
    if (!self)
        return WR_NOMEM;
    self->conf = conf;
    self->lock = -1;
    self->mutex = (struct wr_mutex)WR_MUTEX("mcp.serving", MUTEX_RANK);
    take_place(self);
    wr_err err = services_make(&self->services);
    if (!err)
        err = wr_sem_new(&self->turn, "mcp.find", 1);
    if (!err)
        err = wr_once_new(&self->up, "mcp.up", 0);
    if (!err)
        err = wr_once_new(&self->done, "mcp.done", 0);
    if (!err)
        err = wr_scope_new(&self->scope, &(struct wr_scope_conf){ .name = "mcp.node",
                                                                  .deadline = WR_NEVER });
    if (err) {
        (void)!mcp_node_close(self);
        return err;
    }
    prepare(self, source);
    *ret = self;
    return WR_OK;
}

bool mcp_node_ours(const struct mcp_node *node)
{
    return atomic_load(&node->ours);
}

const struct wr_addr *mcp_node_addr(const struct mcp_node *node)
{
    return &node->addr;
}

const struct mcp_offer *mcp_node_offer(const struct mcp_node *node)
{
    return &node->services.offer;
}

static void set_serving(struct mcp_node *node, struct wr_scope *scope)
{
    wr_mutex_lock(&node->mutex);
    node->serving = scope;
    wr_mutex_unlock(&node->mutex);
}

wr_err mcp_node_serve(struct mcp_node *node, wr_task_fn serve, void *arg)
{
    struct wr_scope *scope;
    wr_scope_enter(node->scope);        /* who serves may have to start it */
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "mcp.serving",
                                                               .deadline = WR_NEVER });
    if (!err) {
        set_serving(node, scope);
        wr_scope_enter(scope);
        err = serve(arg);
        wr_scope_leave(scope);
        set_serving(node, NULL);
        (void)!wr_scope_close(scope);
    }
    wr_scope_leave(node->scope);
    return err == WR_CANCELED ? WR_OK : err;
}

wr_err mcp_node_close(struct mcp_node *node)
{
    if (!node)
        return WR_OK;
    if (node->done)
        (void)!wr_once_set(node->done, NULL);
    if (node->scope) {
        (void)!wr_scope_join(node->scope, WR_NEVER);
        (void)!wr_scope_close(node->scope);
    }
    wr_mutex_fini(&node->mutex);
    wr_err err = node->result;
    services_free(&node->services);
    wr_once_free(node->up);
    wr_once_free(node->done);
    wr_sem_free(node->turn);
    if (node->lock >= 0)
        close(node->lock);
    free(node);
    return err;
}
