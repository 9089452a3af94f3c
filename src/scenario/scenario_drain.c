/* scenario_drain.c - a server under load is told to stop, at any moment.
 *
 * A supervisor has the server in its first group, the workers in the second and the
 * intake in the third; clients ask over a bad network and at a Unix socket, where
 * nothing goes wrong.  Handlers crash now and then.  However it is told, the drain is
 * over within its deadline; what was answered with 200 was applied, once, and what was
 * refused was not; and unless the drain had to be cut short, whoever sits at the Unix
 * socket has an answer to everything that was taken in.
 */
#include <weir/chan.h>
#include <weir/http.h>
#include <weir/sup.h>

#include <inttypes.h>
#include <stdio.h>

#include "scenario/scenarios.h"
#include "scenario/talk.h"

#define SERVER "10.0.0.2"
#define REQUESTS 1500
#define CHILDREN 4
#define DRAIN_WITHIN WR_S(3)    /* or less: then it is cut short */
#define GRACE WR_MS(500)        /* for answers that are there and not yet taken */
#define PATIENCE WR_S(10)

struct request { bool local, queued; unsigned applied, status; };

struct node {
    struct wr_sup *sup;
    struct wr_child children[CHILDREN];
    struct wr_http *http;
    struct wr_chan *work;
    struct wr_listener *far, *near;
    struct wr_addr addr, local;
    bool open, over;
    wr_time within, told;       /* the drain's deadline; when the order to stop came */
    size_t count;
    struct request requests[REQUESTS];
    uint64_t done, refused, failed, unanswered;
};

/* ---- the node ---- */

static struct request *request_of(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    size_t number = strtoul(wr_call_param(call, "n"), NULL, 10);
    WR_ASSERT(number < node->count);
    return &node->requests[number];
}

static wr_err add(struct wr_call *call)
{
    struct request *request = request_of(call);
    wr_time span = wr_sim_below(8) ? WR_MS(40) : WR_S(2);   /* that is too long for some */
    wr_err err = wr_sleep(some_time(span));
    if (err)
        return err;
    wr_sim_crash("before", 60);
    request->applied++;
    wr_sim_crash("after", 60);
    wr_call_print(call, "%s", wr_call_param(call, "n"));
    return WR_OK;
}

static wr_err ready(struct wr_call *call)
{
    struct node *node = wr_call_arg(call);
    enum wr_phase phase;
    (void)wr_watch_get(wr_sup_phase(node->sup), &phase);
    wr_call_status(call, phase == WR_PHASE_RUNNING ? 200 : 503);
    return WR_OK;
}

static wr_err submit(void *arg, struct wr_call *call)
{
    struct node *node = arg;
    wr_err err = wr_chan_send(node->work, &call, WR_NOW);
    if (!err)
        request_of(call)->queued = true;
    return err;
}

static void drop_call(void *item)
{
    wr_call_refuse(*(struct wr_call **)item, WR_DRAINING);
}

static wr_err serve_far(void *arg)
{
    struct node *node = arg;
    return wr_http_serve(node->http, node->far);
}

static wr_err serve_near(void *arg)
{
    struct node *node = arg;
    return wr_http_serve(node->http, node->near);
}

/* The workers are gone.  Those that had crashed, and waited to be started again, have
 * left without emptying the queue. */
static void refuse_rest(struct node *node)
{
    struct wr_call *call;
    while (wr_chan_recv(node->work, &call, WR_NOW) == WR_OK)
        wr_call_refuse(call, WR_DRAINING);
}

/* Leaves last: whoever got an answer may fetch it, for a moment. */
static wr_err be_server(void *arg, struct wr_once *drain)
{
    struct node *node = arg;
    struct wr_scope *scope = scope_named("drain.serving");
    MUST(wr_scope_go(scope, "drain.serve", serve_far, node));
    MUST(wr_scope_go(scope, "drain.serve", serve_near, node));
    node->open = true;
    wr_err err = wr_once_wait(drain, NULL, WR_NEVER);
    refuse_rest(node);
    wr_time until = wr_after(GRACE);
    while (!err && wr_http_connections(node->http) > 0 && wr_now() < until)
        err = wr_sleep(wr_after(WR_MS(5)));
    wr_scope_cancel(scope);
    (void)!wr_scope_close(scope);
    return err;
}

/* The queue is emptied first. */
static wr_err be_worker(void *arg, struct wr_once *drain)
{
    struct node *node = arg;
    struct wr_call *call;
    struct wr_case cases[] = { WR_CASE_RECV(node->work, &call), WR_CASE_ONCE(drain, NULL) };
    size_t which;
    wr_err err;
    while (!(err = wr_select(&which, cases, 2, WR_NEVER)) && which == 0)
        wr_call_run(call);
    return err;
}

static wr_err be_intake(void *arg, struct wr_once *drain)
{
    struct node *node = arg;
    wr_err err = wr_once_wait(drain, NULL, WR_NEVER);
    enum wr_phase phase;
    (void)wr_watch_get(wr_sup_phase(node->sup), &phase);
    WR_ASSERT(err || phase != WR_PHASE_RUNNING);    /* who asks is told before this */
    wr_http_drain(node->http);
    return err;
}

static void open_node(struct node *node)
{
    const struct wr_route routes[] = {
        { .method = "POST", .path = "/add/{n}", .handler = add, .arg = node },
        { .method = "GET", .path = "/ready", .handler = ready, .arg = node,
          .class = WR_ROUTE_PRIORITY },
    };
    const struct wr_child children[CHILDREN] = {
        { "drain.server", be_server, node, WR_RESTART_ALWAYS, .group = 0 },
        { "drain.worker", be_worker, node, WR_RESTART_ALWAYS, .group = 1 },
        { "drain.worker", be_worker, node, WR_RESTART_ALWAYS, .group = 1 },
        { "drain.intake", be_intake, node, WR_RESTART_ALWAYS, .group = 2,
          .stop_within = WR_S(1) },
    };
    memcpy(node->children, children, sizeof(children));
    MUST(wr_chan_new(&node->work, &(struct wr_chan_conf){
        .name = "drain.work", .item_size = sizeof(void *), .cap = 6, .policy = WR_REJECT,
        .drop = drop_call }));
    MUST(wr_http_new(&node->http, &(struct wr_http_conf){
        .routes = routes, .count = 2, .submit = submit, .arg = node }));
    node->within = wr_sim_below(2) ? DRAIN_WITHIN : 1 + (wr_time)wr_sim_below(DRAIN_WITHIN);
    MUST(wr_sup_new(&node->sup, &(struct wr_sup_conf){
        .name = "drain", .children = node->children, .count = CHILDREN, .quiet = true,
        .drain_within = node->within }));
}

static void close_node(struct node *node)
{
    WR_ASSERT(wr_http_connections(node->http) == 0);
    wr_chan_free(node->work);
    wr_http_free(node->http);
    wr_sup_free(node->sup);
}

/* ---- clients ---- */

static void check_answer(struct node *node, size_t number, const struct answer *a)
{
    struct request *request = &node->requests[number];
    request->status = a->status;
    char id[40];
    snprintf(id, sizeof(id), "r%zu", number);
    WR_ASSERT(strcmp(a->corr, id) == 0 || a->status == 408);
    switch (a->status) {
    case 200:
        WR_ASSERT(request->applied == 1 && strtoul(a->body, NULL, 10) == number);
        node->done++;
        break;
    case 429:
    case 503:
        WR_ASSERT(request->applied == 0);
        node->refused++;
        break;
    case 408: WR_ASSERT(!request->local && request->applied == 0); break;
    default: WR_ASSERT(a->status == 504 || a->status == 500); break;
    }
}

static bool ask(struct node *node, struct talk *t, bool local)
{
    char text[200];
    struct answer a;
    if (node->count == REQUESTS)
        return false;
    size_t number = node->count++;
    struct request *request = &node->requests[number];
    request->local = local;
    int len = snprintf(text, sizeof(text), "POST /add/%zu HTTP/1.1\r\nHost: a\r\n"
                       "X-Corr-ID: r%zu\r\nContent-Length: 2\r\n\r\nhi", number, number);
    wr_err err = talk_say(t, text, (size_t)len, wr_after(PATIENCE));
    if (!err)
        err = talk_hear(t, &a, wr_after(PATIENCE));
    if (err) {
        node->failed++;
        node->unanswered += local && request->queued;
        return false;
    }
    check_answer(node, number, &a);
    return !a.last;
}

static wr_err ask_on(struct node *node, const struct wr_addr *addr, bool local)
{
    while (!node->over) {
        struct talk t = { 0 };
        if (wr_connect(&t.stream, addr, wr_after(WR_S(1))) == WR_OK) {
            while (ask(node, &t, local))
                MUST(wr_sleep(some_time(WR_MS(15))));
            wr_stream_close(t.stream);
        }
        MUST(wr_sleep(some_time(WR_MS(60))));
    }
    return WR_OK;
}

static wr_err ask_far(void *arg)
{
    struct node *node = arg;
    return ask_on(node, &node->addr, false);
}

static wr_err ask_near(void *arg)
{
    struct node *node = arg;
    return ask_on(node, &node->local, true);
}

static wr_err far_clients(void *arg)
{
    struct wr_scope *scope = scope_named("drain.clients");
    MUST(wr_scope_go(scope, "drain.far", ask_far, arg));
    MUST(wr_scope_go(scope, "drain.far", ask_far, arg));
    MUST(wr_scope_join(scope, WR_NEVER));
    return wr_scope_close(scope);
}

static wr_err client_host(void *arg)
{
    return wr_sim_host("10.0.0.3", far_clients, arg);
}

/* ---- the run ---- */

static wr_err stop_sometime(void *arg)
{
    struct node *node = arg;
    MUST(wr_sleep(some_time(WR_S(2))));
    node->told = wr_now();
    wr_sup_stop(node->sup);
    if (!wr_sim_fault("second order", 8))
        return WR_OK;
    MUST(wr_sleep(some_time(WR_S(1))));
    if (!node->over)
        wr_sup_stop(node->sup);
    return WR_OK;
}

/* The local clients are on the server's host, so the node is the first task there. */
static wr_err be_node(void *arg)
{
    struct node *node = arg;
    MUST(wr_addr_parse(&node->addr, SERVER ":80"));
    MUST(wr_addr_parse(&node->local, "unix:/run/node.sock"));
    MUST(wr_listen(&node->far, &node->addr));
    MUST(wr_listen(&node->near, &node->local));
    struct wr_scope *scope = scope_named("drain.near");
    for (int i = 0; i < 3; i++)
        MUST(wr_scope_go(scope, "drain.near", ask_near, node));
    wr_err err = wr_sup_run(node->sup);
    wr_time took = wr_now() - node->told;
    node->over = true;
    WR_ASSERT(err == WR_OK || err == WR_TIMEOUT);
    WR_ASSERT(node->told && took <= node->within);
    wr_listener_close(node->far);
    wr_listener_close(node->near);
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    WR_ASSERT(err || node->unanswered == 0);
    wr_sim_note("drained in %" PRId64 " us%s: %" PRIu64 " done, %" PRIu64 " refused, %" PRIu64
                " failed", took / 1000, err ? ", aborted" : "", node->done, node->refused,
                node->failed);
    return WR_OK;
}

static wr_err node_host(void *arg)
{
    return wr_sim_host(SERVER, be_node, arg);
}

static wr_err run(void *arg)
{
    struct node *node = arg;
    open_node(node);
    struct wr_scope *scope = scope_named("drain");
    MUST(wr_scope_go(scope, "drain.node", node_host, node));
    while (!node->open)
        MUST(wr_sleep(wr_after(WR_MS(1))));
    MUST(wr_scope_go(scope, "drain.stopper", stop_sometime, node));
    MUST(wr_scope_go(scope, "drain.host", client_host, node));
    MUST(wr_scope_join(scope, WR_NEVER));
    MUST(wr_scope_close(scope));
    close_node(node);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct node *node = arg;
    for (size_t i = 0; i < node->count; i++)
        if (node->requests[i].applied > 1)
            return "a request was applied twice";
    return NULL;
}

static uint64_t state(void *arg)
{
    const struct node *node = arg;
    uint64_t state = state_mix(state_mix(0, node->done / 8), node->refused);
    state = state_mix(state, node->failed);
    for (size_t i = 0; i < CHILDREN && node->open && !node->over; i++)
        state = state_mix(state, wr_sup_stat(node->sup, i).state);
    return state;
}

const struct scenario wr_scenario_drain = {
    .name = "drain",
    .what = "a server under load is told to stop: in time, and nothing answered is lost",
    .size = sizeof(struct node), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_NET,
};
