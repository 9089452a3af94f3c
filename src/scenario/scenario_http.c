/* scenario_http.c - the HTTP server, its workers and its clients, over a bad network.
 *
 * Clients on two hosts send requests one behind the other, whole and in chunks, at
 * once and hesitating, and one client sits at a Unix socket, where nothing goes wrong
 * and time is exact.  Every request is answered once, by its own answer, or its
 * connection has failed; what was answered with 200 was done, once, and what was
 * refused was not; at the Unix socket each answer is there within the deadline of its
 * route; and at the end no connection and no call is left.
 */
#include <weir/chan.h>
#include <weir/http.h>

#include <inttypes.h>
#include <stdio.h>

#include "scenario/scenarios.h"
#include "scenario/talk.h"

#define SERVER "10.0.0.2"
#define WORKERS 2
#define REQUESTS 240            /* of all clients */
#define CONNECTIONS 4           /* of each client, one after the other */
#define DEADLINE WR_S(2)
#define HEAD_WITHIN WR_S(1)
#define PATIENCE WR_S(20)       /* of a client */
#define EXACT WR_MS(5)

enum kind { ADD, ADD_CHUNKED, SLOW, STUBBORN, HEALTH, PARTS, POLL, NOWHERE, KINDS };

struct request { enum kind kind; bool asked, local; unsigned applied, answers, status; };

struct site {
    struct wr_http *http;
    struct wr_chan *work;
    struct wr_addr addr, local;
    bool open, left;            /* the server is there; its local visitor has gone */
    size_t count;               /* requests made up so far */
    struct request requests[REQUESTS];
    uint64_t submitted, finished, answered, failed;
};

/* ---- the server ---- */

static struct request *request_of(struct wr_call *call)
{
    struct site *site = wr_call_arg(call);
    size_t number = strtoul(wr_call_param(call, "n"), NULL, 10);
    WR_ASSERT(number < site->count);
    return &site->requests[number];
}

static wr_err add(struct wr_call *call)
{
    struct request *request = request_of(call);
    size_t len;
    const char *body = wr_call_body(call, &len);
    WR_ASSERT(len == 10 && memcmp(body, "0123456789", 10) == 0);
    wr_err err = wr_sleep(some_time(WR_MS(30)));
    if (err)
        return err;
    request->applied++;
    wr_call_print(call, "%s", wr_call_param(call, "n"));
    return WR_OK;
}

static wr_err slow(struct wr_call *call)
{
    (void)call;
    return wr_sleep(wr_after(WR_S(100)));
}

/* Its deadline does not reach it: the connection must answer alone. */
static wr_err stubborn(struct wr_call *call)
{
    struct wr_scope *shield;
    MUST(wr_scope_new(&shield, &(struct wr_scope_conf){
        .name = "http.stubborn", .deadline = wr_after(WR_S(3)), .shield = true }));
    wr_scope_enter(shield);
    wr_err err = wr_sleep(WR_NEVER);
    wr_scope_leave(shield);
    (void)!wr_scope_close(shield);
    wr_call_print(call, "far too late");
    return err;
}

static wr_err health(struct wr_call *call)
{
    wr_call_print(call, "ok");
    return WR_OK;
}

static wr_err parts(struct wr_call *call)
{
    wr_err err = wr_call_begin(call);
    for (int i = 0; i < 3 && !err; i++) {
        err = wr_call_send(call, "part ", 5, wr_after(WR_S(5)));
        if (!err)
            err = wr_sleep(some_time(WR_MS(20)));
    }
    return err;
}

/* What comes behind it meanwhile must not be lost. */
static wr_err poll(struct wr_call *call)
{
    size_t which;
    wr_err err = wr_call_select(call, &which, NULL, 0, some_time(WR_S(1)));
    if (err != WR_TIMEOUT)
        return err;
    wr_call_print(call, "nothing yet");
    return WR_OK;
}

struct job { struct site *site; struct wr_call *call; };

static wr_err submit(void *arg, struct wr_call *call)
{
    struct site *site = arg;
    struct job job = { site, call };
    wr_err err = wr_chan_send(site->work, &job, WR_NOW);
    site->submitted += !err;
    return err;
}

static wr_err work(void *arg)
{
    struct site *site = arg;
    struct job job;
    wr_err err;
    while (!(err = wr_chan_recv(site->work, &job, WR_NEVER))) {
        wr_call_run(job.call);
        site->finished++;
    }
    return err;
}

static void drop_job(void *item)
{
    struct job *job = item;
    wr_call_refuse(job->call, WR_DRAINING);
    job->site->finished++;
}

struct door { struct site *site; struct wr_listener *listener; };

static wr_err serve(void *arg)
{
    struct door *door = arg;
    return wr_http_serve(door->site->http, door->listener);
}

static void open_site(struct site *site)
{
    const struct wr_route routes[] = {
        { .method = "POST", .path = "/add/{n}", .handler = add, .arg = site },
        { .method = "GET", .path = "/slow/{n}", .handler = slow, .arg = site },
        { .method = "GET", .path = "/stubborn/{n}", .handler = stubborn, .arg = site },
        { .method = "GET", .path = "/health/{n}", .handler = health, .arg = site,
          .class = WR_ROUTE_PRIORITY },
        { .method = "GET", .path = "/parts/{n}", .handler = parts, .arg = site,
          .class = WR_ROUTE_STREAM },
        { .method = "GET", .path = "/poll/{n}", .handler = poll, .arg = site,
          .class = WR_ROUTE_LONG },
    };
    MUST(wr_chan_new(&site->work, &(struct wr_chan_conf){
        .name = "http.work", .item_size = sizeof(struct job), .cap = 3,
        .policy = WR_REJECT, .drop = drop_job }));
    MUST(wr_http_new(&site->http, &(struct wr_http_conf){
        .routes = routes, .count = sizeof(routes) / sizeof(routes[0]), .submit = submit,
        .arg = site, .head_within = HEAD_WITHIN }));
}

static void close_site(struct site *site)
{
    wr_chan_free(site->work);
    WR_ASSERT(wr_http_connections(site->http) == 0);
    WR_ASSERT(site->submitted == site->finished);
    wr_http_free(site->http);
}

/* ---- requests ---- */

static struct request *make_up(struct site *site, size_t *ret_number)
{
    static const enum kind often[] = { ADD, ADD, ADD, ADD_CHUNKED, HEALTH, PARTS, POLL };
    WR_ASSERT(site->count < REQUESTS);
    *ret_number = site->count++;
    struct request *request = &site->requests[*ret_number];
    request->kind = wr_sim_below(3) ? often[wr_sim_below(7)] : (enum kind)wr_sim_below(KINDS);
    return request;
}

static size_t write_down(const struct request *request, size_t number, char *buf, size_t size)
{
    static const char *const paths[KINDS] = {
        [ADD] = "POST /add", [ADD_CHUNKED] = "POST /add", [SLOW] = "GET /slow",
        [STUBBORN] = "GET /stubborn", [HEALTH] = "GET /health", [PARTS] = "GET /parts",
        [POLL] = "GET /poll", [NOWHERE] = "GET /nowhere",
    };
    static const char *const bodies[KINDS] = {
        [ADD] = "Content-Length: 10\r\n\r\n0123456789",
        [ADD_CHUNKED] = "Transfer-Encoding: chunked\r\n\r\n"
                        "4\r\n0123\r\n6\r\n456789\r\n0\r\n\r\n",
    };
    const char *body = bodies[request->kind];
    int len = snprintf(buf, size, "%s/%zu HTTP/1.1\r\nHost: a\r\nX-Corr-ID: r%zu\r\n%s",
                       paths[request->kind], number, number, body ? body : "\r\n");
    WR_ASSERT((size_t)len < size);
    return (size_t)len;
}

/* All at once, or in two parts with a pause that may be too long for the server. */
static wr_err say(struct talk *t, struct request *request, const char *text, size_t len)
{
    size_t first = len;
    request->asked = true;
    if (wr_sim_below(4) == 0)
        first = 1 + wr_sim_below(len - 1);
    wr_err err = talk_say(t, text, first, wr_after(PATIENCE));
    if (err || first == len)
        return err;
    err = wr_sleep(wr_sim_below(4) ? some_time(WR_MS(100)) : wr_after(WR_S(8)));
    return err ? err : talk_say(t, text + first, len - first, wr_after(PATIENCE));
}

static bool may_be(const struct request *request, unsigned status)
{
    if (status == 408)
        return !request->local;         /* it hesitated, or the network did */
    if (status == 429)
        return request->kind <= STUBBORN;
    switch (request->kind) {
    case SLOW:
    case STUBBORN: return status == 504;
    case NOWHERE: return status == 404;
    case HEALTH:
    case PARTS:
    case POLL: return status == 200;
    default: return status == 200 || status == 504;
    }
}

static void check_answer(struct site *site, size_t number, const struct answer *a)
{
    struct request *request = &site->requests[number];
    char id[40], text[40];
    snprintf(id, sizeof(id), "r%zu", number);
    snprintf(text, sizeof(text), "%zu", number);
    /* Of a head that was not whole the server does not know the id. */
    WR_ASSERT(strcmp(a->corr, id) == 0 || (a->status == 408 && a->last));
    WR_ASSERT(request->asked && may_be(request, a->status));
    WR_ASSERT(++request->answers == 1);
    request->status = a->status;
    if (request->kind <= ADD_CHUNKED) {
        WR_ASSERT(a->status != 200 || (request->applied == 1 && strcmp(a->body, text) == 0));
        WR_ASSERT(a->status != 429 || request->applied == 0);
    }
    if (request->kind == PARTS && a->status == 200)
        WR_ASSERT(strcmp(a->body, "part part part ") == 0);
    site->answered++;
}

/* ---- clients ---- */

/* Some requests, one behind the other, and their answers; false when that was the
 * end of the connection. */
static bool ask_some(struct site *site, struct talk *t)
{
    size_t numbers[3], count = 1 + wr_sim_below(3), heard = 0;
    char text[300];
    struct answer a;
    wr_err err = WR_OK;
    for (size_t i = 0; i < count; i++) {
        struct request *request = make_up(site, &numbers[i]);
        size_t len = write_down(request, numbers[i], text, sizeof(text));
        if (!err)
            err = say(t, request, text, len);
    }
    for (; !err && heard < count; heard++) {
        err = talk_hear(t, &a, wr_after(PATIENCE));
        if (err)
            break;
        check_answer(site, numbers[heard], &a);
        if (a.last)
            err = WR_CLOSED;
    }
    site->failed += count - heard;
    return !err;
}

static wr_err visit(void *arg)
{
    struct site *site = arg;
    for (int i = 0; i < CONNECTIONS; i++) {
        struct talk t = { 0 };
        MUST(wr_sleep(some_time(WR_MS(200))));
        if (wr_connect(&t.stream, &site->addr, wr_after(WR_S(3))))
            continue;
        while (wr_sim_below(4) && ask_some(site, &t))
            ;
        wr_stream_close(t.stream);
    }
    return WR_OK;
}

/* Nothing goes wrong here, so everything is answered, and in time. */
static void ask_locally(struct site *site, struct talk *t)
{
    size_t numbers[3], count = 1 + wr_sim_below(3);
    char text[300];
    struct answer a;
    for (size_t i = 0; i < count; i++) {
        struct request *request = make_up(site, &numbers[i]);
        size_t len = write_down(request, numbers[i], text, sizeof(text));
        request->asked = request->local = true;
        MUST(talk_say(t, text, len, wr_after(WR_S(1))));
    }
    for (size_t i = 0; i < count; i++) {
        enum kind kind = site->requests[numbers[i]].kind;
        wr_time before = wr_now();
        MUST(talk_hear(t, &a, wr_after(PATIENCE)));
        WR_ASSERT(wr_now() - before <= DEADLINE + EXACT);
        WR_ASSERT(kind != HEALTH || wr_now() - before <= EXACT);
        check_answer(site, numbers[i], &a);
        WR_ASSERT(!a.last);
    }
}

static wr_err visit_locally(void *arg)
{
    struct site *site = arg;
    struct talk t = { 0 };
    struct answer a;
    MUST(wr_connect(&t.stream, &site->local, wr_after(WR_S(1))));
    for (int i = 0; i < 8; i++)
        ask_locally(site, &t);
    wr_time before = wr_now();
    MUST(talk_say(&t, "GET /he", 7, wr_after(WR_S(1))));
    MUST(talk_hear(&t, &a, wr_after(PATIENCE)));
    WR_ASSERT(a.status == 408 && wr_now() - before <= HEAD_WITHIN + EXACT);
    WR_ASSERT(talk_hear(&t, &a, wr_after(PATIENCE)) == WR_CLOSED);
    wr_stream_close(t.stream);
    site->left = true;
    return WR_OK;
}

static wr_err two_visitors(void *arg)
{
    struct wr_scope *scope = scope_named("http.visitors");
    MUST(wr_scope_go(scope, "http.visit", visit, arg));
    MUST(wr_scope_go(scope, "http.visit", visit, arg));
    MUST(wr_scope_join(scope, WR_NEVER));
    return wr_scope_close(scope);
}

static wr_err first_host(void *arg)
{
    return wr_sim_host("10.0.0.3", two_visitors, arg);
}

static wr_err second_host(void *arg)
{
    return wr_sim_host("10.0.0.4", two_visitors, arg);
}

/* ---- the run ---- */

static wr_err server(void *arg)
{
    struct site *site = arg;
    struct door far = { .site = site }, near = { .site = site };
    MUST(wr_addr_parse(&site->addr, SERVER ":80"));
    MUST(wr_addr_parse(&site->local, "unix:/run/http.sock"));
    MUST(wr_listen(&far.listener, &site->addr));
    MUST(wr_listen(&near.listener, &site->local));
    struct wr_scope *scope = scope_named("http.server");
    MUST(wr_scope_go(scope, "http.serve", serve, &far));
    MUST(wr_scope_go(scope, "http.serve", serve, &near));
    for (int i = 0; i < WORKERS; i++)
        MUST(wr_scope_go(scope, "http.work", work, site));
    site->open = true;
    wr_err err = visit_locally(site);
    (void)!wr_scope_join(scope, WR_NEVER);
    (void)!wr_scope_close(scope);
    wr_listener_close(far.listener);
    wr_listener_close(near.listener);
    return err;
}

static wr_err server_host(void *arg)
{
    return wr_sim_host(SERVER, server, arg);
}

static wr_err run(void *arg)
{
    struct site *site = arg;
    open_site(site);
    struct wr_scope *serving = scope_named("http.serving"), *asking = scope_named("http");
    MUST(wr_scope_go(serving, "http.host", server_host, site));
    while (!site->open)
        MUST(wr_sleep(wr_after(WR_MS(1))));
    MUST(wr_scope_go(asking, "http.first", first_host, site));
    MUST(wr_scope_go(asking, "http.second", second_host, site));
    MUST(wr_scope_join(asking, WR_NEVER));
    MUST(wr_scope_close(asking));
    while (!site->left)
        MUST(wr_sleep(wr_after(WR_S(1))));
    wr_scope_cancel(serving);
    (void)!wr_scope_close(serving);
    close_site(site);
    WR_ASSERT(site->answered + site->failed == site->count);
    wr_sim_note("%" PRIu64 " requests answered, %" PRIu64 " not", site->answered, site->failed);
    return WR_OK;
}

static const char *invariant(void *arg)
{
    const struct site *site = arg;
    if (site->finished > site->submitted)
        return "more calls have run than were queued";
    for (size_t i = 0; i < site->count; i++)
        if (site->requests[i].applied > 1)
            return "a request was applied twice";
    return NULL;
}

static uint64_t state(void *arg)
{
    const struct site *site = arg;
    uint64_t state = state_mix(state_mix(0, site->answered), site->failed);
    state = state_mix(state, site->submitted - site->finished);
    return state_mix(state, site->count);
}

const struct scenario wr_scenario_http = {
    .name = "http",
    .what = "an HTTP server over a bad network: each request is answered once, in time",
    .size = sizeof(struct site), .run = run, .invariant = invariant, .state = state,
    .faults = WR_SIM_NET,
};
