/* endpoint.c - the Model Context Protocol over HTTP. */
#include <stdlib.h>
#include <string.h>

#include <weir/chan.h>
#include <weir/offload.h>
#include <weir/scope.h>
#include <weir/select.h>
#include <weir/task.h>

#include "base/forget.h"
#include "mcp/endpoint.h"
#include "mcp/header.h"
#include "mcp/session.h"
#include "mcp/sessions.h"
#include "net/caller.h"

#define ROUTE_DEADLINE WR_S(330)
#define CONCURRENCY 256
#define PATIENCE WR_S(10)           /* without a word; then it becomes a stream */
#define HEARTBEAT WR_S(15)
#define SEND_WITHIN WR_S(5)
#define PARCELS 8
#define AT_ONCE ((size_t)64 << 10)  /* what is longer is read by another thread */

struct mcp_endpoint {
    const struct mcp_offer *offer;
    struct mcp_sessions *sessions;
};

/* A POST, from its body to its answer. */
struct exchange {
    struct mcp_endpoint *endpoint;
    struct wr_call *call;
    struct mcp_message message;
    struct mcp_fault fault;
    bool good;                      /* the message could be read */
    bool modern;
    bool streams;                   /* the client takes events */
    struct mcp_session *session;
    struct mcp_peer peer;
    unsigned status;                /* of a refusal, if it is another than usual */
    wr_err sent;                    /* what became of the answer */
    /* of one that takes its time */
    struct mcp_request *request;
    struct wr_chan *parcels;        /* from who answers to who sends */
    bool begun;                     /* as a stream of events */
    enum { THERE, GONE, LEAVING } state;        /* the client; LEAVING: we are */
};

struct parcel {
    char *at;
    struct mcp_out out;
};

static unsigned status_of(const struct exchange *exchange, const struct mcp_out *out)
{
    if (exchange->status)
        return exchange->status;
    if (out->refused || out->code == MCP_MISSING_CAPABILITY)
        return 400;
    if (out->code == MCP_BUSY || out->code == MCP_DENIED)
        return (unsigned)out->code;
    return exchange->modern && out->code == MCP_METHOD_NOT_FOUND ? 404 : 200;
}

/* An answer that comes alone. */
static wr_err reply(void *arg, const struct mcp_out *out)
{
    struct exchange *exchange = arg;
    struct wr_call *call = exchange->call;
    if (!out->last)
        return WR_OK;               /* there is no place for it */
    wr_call_status(call, status_of(exchange, out));
    wr_call_type(call, "application/json");
    wr_call_length(call, out->len);
    wr_err err = wr_call_begin(call);
    if (!err)
        err = wr_call_send(call, out->at, out->len, wr_after(SEND_WITHIN));
    exchange->sent = err;
    return err;
}

static wr_err refuse(struct exchange *exchange, unsigned status, enum mcp_code code,
                     const char *why)
{
    struct mcp_peer peer = { .send = reply, .arg = exchange };
    exchange->status = status;
    exchange->fault.code = code;
    if (why) {
        size_t len = strlen(why);
        len = len < sizeof(exchange->fault.why) ? len : sizeof(exchange->fault.why) - 1;
        memcpy(exchange->fault.why, why, len);
        exchange->fault.why[len] = '\0';
    }
    mcp_session_refuse(&exchange->message, &exchange->fault, &peer);
    return exchange->sent;
}

/* ---- an answer that takes its time ---- */

static void drop_parcel(void *item)
{
    wr_forget_free(((struct parcel *)item)->at);
}

static wr_err put_parcel(void *arg, const struct mcp_out *out)
{
    struct exchange *exchange = arg;
    struct parcel parcel = { .at = malloc(out->len), .out = *out };
    if (!parcel.at)
        return WR_NOMEM;
    memcpy(parcel.at, out->at, out->len);
    parcel.out.at = parcel.at;
    wr_err err = wr_chan_send(exchange->parcels, &parcel, wr_after(HEARTBEAT));
    if (err)
        wr_forget_free(parcel.at);
    return err;
}

static void end_parcels(void *arg)
{
    wr_chan_close(arg);
}

static wr_err speak(void *arg)
{
    struct exchange *exchange = arg;
    wr_err err = mcp_session_speak(exchange->session, &exchange->peer);
    end_parcels(exchange->parcels);
    return err;
}

static wr_err begin_stream(struct exchange *exchange)
{
    struct wr_call *call = exchange->call;
    if (exchange->begun)
        return WR_OK;
    exchange->begun = true;
    wr_call_type(call, "text/event-stream");
    wr_call_reply_header(call, "Cache-Control", "no-store");
    wr_call_reply_header(call, "X-Accel-Buffering", "no");
    return wr_call_begin(call);
}

static wr_err work(void *arg)
{
    struct exchange *exchange = arg;
    struct wr_cleanup cleanup = { .fn = end_parcels, .arg = exchange->parcels };
    wr_cleanup_push(&cleanup);
    mcp_session_finish(exchange->request);
    wr_cleanup_pop(&cleanup);
    end_parcels(exchange->parcels);
    return WR_OK;
}

/* It is known from now on, whoever answers it: another message may cancel it. */
static wr_err start_work(struct exchange *exchange, struct wr_scope *scope)
{
    exchange->request = mcp_session_take(exchange->session, &exchange->message,
                                         &exchange->peer);
    if (!exchange->request)
        return WR_NOMEM;
    wr_err err = wr_scope_go(scope, "mcp.request", work, exchange);
    if (err)
        mcp_session_finish(exchange->request);
    return err;
}

/* What there is to say unasked, for who has come to hear it. */
static wr_err start_speaking(struct exchange *exchange, struct wr_scope *scope)
{
    wr_err err = begin_stream(exchange);
    return err ? err : wr_scope_go(scope, "mcp.speak", speak, exchange);
}

static wr_err send_text(struct exchange *exchange, const char *text, size_t len)
{
    return wr_call_send(exchange->call, text, len, wr_after(SEND_WITHIN));
}

static wr_err send_event(struct exchange *exchange, const struct mcp_out *out)
{
    static const char head[] = "event: message\ndata: ";
    wr_err err = begin_stream(exchange);
    if (!err)
        err = send_text(exchange, head, strlen(head));
    if (!err)
        err = send_text(exchange, out->at, out->len);
    return err ? err : send_text(exchange, "\n\n", 2);
}

static wr_err send_parcel(struct exchange *exchange, const struct mcp_out *out)
{
    if (exchange->state == GONE)
        return WR_OK;
    if (exchange->begun || (!out->last && exchange->streams))
        return send_event(exchange, out);
    return reply(exchange, out);
}

/* Nothing was said for a while: that the connection lives is, where it can be. */
static wr_err keep_alive(struct exchange *exchange)
{
    wr_err err = exchange->streams ? begin_stream(exchange) : WR_OK;
    return err || !exchange->begun ? err : send_text(exchange, ":\n\n", 3);
}

/* The next parcel.  Errors: CLOSED (none will come), TIMEOUT (not yet), and those of
 * wr_call_select. */
static wr_err next_parcel(struct exchange *exchange, struct parcel *ret)
{
    struct wr_case cases[] = { WR_CASE_RECV(exchange->parcels, ret) };
    wr_time until = wr_after(exchange->begun ? HEARTBEAT : PATIENCE);
    size_t which;
    if (exchange->state != THERE)
        return wr_chan_recv(exchange->parcels, ret, WR_NEVER);
    wr_err err = wr_call_select(exchange->call, &which, cases, 1, until);
    return err ? err : cases[0].err;
}

/* What an error means; WR_OK: it goes on.  A modern client cancels by going.  A legacy one may
 * have lost the connection: what it asked for is done.  The server's end cancels both, and is
 * answered. */
static wr_err bear(struct exchange *exchange, struct wr_scope *scope, wr_err err)
{
    if (err == WR_TIMEOUT && exchange->state == THERE && !wr_scope_check())
        return keep_alive(exchange);
    if (err == WR_BROKENPIPE && !exchange->modern && exchange->state == THERE) {
        exchange->state = GONE;
        return WR_OK;
    }
    if (err == WR_DRAINING) {
        exchange->state = LEAVING;
        wr_scope_cancel(scope);
        return WR_OK;
    }
    return err;
}

/* Until the last parcel has gone, or nobody takes them any more. */
static wr_err forward(struct exchange *exchange, struct wr_scope *scope)
{
    for (;;) {
        struct parcel parcel;
        wr_err err = next_parcel(exchange, &parcel);
        if (err == WR_CLOSED)
            return begin_stream(exchange);          /* canceled: there is no answer */
        if (err) {
            err = bear(exchange, scope, err);
        } else {
            bool last = parcel.out.last;
            err = send_parcel(exchange, &parcel.out);
            wr_forget_free(parcel.at);
            if (last)
                return exchange->state == GONE ? WR_BROKENPIPE : err;
        }
        if (err)
            return err;
    }
}

static wr_err answer_slowly(struct exchange *exchange,
                            wr_err (*begin)(struct exchange *, struct wr_scope *))
{
    struct wr_scope *scope = NULL;
    exchange->peer.send = put_parcel;
    wr_err err = wr_chan_new(&exchange->parcels, &(struct wr_chan_conf){
        .name = "mcp.parcels", .item_size = sizeof(struct parcel), .cap = PARCELS,
        .policy = WR_WAIT, .drop = drop_parcel });
    if (!err)
        err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "mcp.exchange",
                                                            .deadline = WR_NEVER });
    if (!err)
        err = begin(exchange, scope);
    if (!err)
        err = forward(exchange, scope);
    if (exchange->parcels)
        wr_chan_close(exchange->parcels);       /* who still answers must not wait for us */
    (void)!wr_scope_close(scope);
    wr_chan_free(exchange->parcels);
    return err;
}

/* ---- who asks ---- */

static bool takes(const struct wr_call *call, const char *media)
{
    const char *accept = wr_call_header(call, "accept");
    return !accept || strstr(accept, "*/*") || strstr(accept, media);
}

static void read_body(void *arg)
{
    struct exchange *exchange = arg;
    size_t len;
    const char *body = wr_call_body(exchange->call, &len);
    exchange->good = mcp_message_read(&exchange->message, body, len, &exchange->fault);
}

static wr_err read_message(struct exchange *exchange)
{
    size_t len;
    (void)wr_call_body(exchange->call, &len);
    if (len > AT_ONCE)
        return wr_offload(read_body, exchange, WR_NEVER);
    read_body(exchange);
    return WR_OK;
}

static wr_err accepted(struct exchange *exchange)
{
    wr_call_status(exchange->call, 202);
    return WR_OK;
}

static bool may(void *arg, const char *scope)
{
    const struct exchange *exchange = arg;
    return caller_may(caller_of(exchange->call), scope);
}

static wr_err answer(struct exchange *exchange)
{
    exchange->peer = (struct mcp_peer){ .send = reply, .arg = exchange,
                                        .modern = exchange->modern,
                                        .tenant = wr_call_header(exchange->call, "x-tenant"),
                                        .share = caller_of(exchange->call)->share,
                                        .may = may };
    if (mcp_message_waits(&exchange->message))
        return answer_slowly(exchange, start_work);
    mcp_session_answer(exchange->session, &exchange->message, &exchange->peer);
    (void)!wr_yield();              /* who sends many at once must not keep others waiting */
    return exchange->message.kind == MCP_REQUEST ? exchange->sent : accepted(exchange);
}

/* Of no session that would go on. */
static wr_err answer_alone(struct exchange *exchange)
{
    wr_err err = mcp_session_new(&exchange->session, exchange->endpoint->offer);
    if (err)
        return err;
    err = answer(exchange);
    mcp_session_free(exchange->session);
    return err;
}

static wr_err answer_modern(struct exchange *exchange)
{
    const struct wr_call *call = exchange->call;
    struct mcp_headers headers = { .version = wr_call_header(call, "mcp-protocol-version"),
                                   .method = wr_call_header(call, "mcp-method"),
                                   .name = wr_call_header(call, "mcp-name") };
    if (!mcp_headers_agree(&headers, &exchange->message, &exchange->fault))
        return refuse(exchange, 400, exchange->fault.code, NULL);
    return answer_alone(exchange);
}

static wr_err begin_session(struct exchange *exchange)
{
    struct mcp_sessions *sessions = exchange->endpoint->sessions;
    char id[MCP_SESSION_ID];
    wr_err err = mcp_sessions_open(sessions, &exchange->session, id);
    if (err)
        return err;
    wr_call_reply_header(exchange->call, "Mcp-Session-Id", id);
    err = answer(exchange);
    if (!mcp_session_begun(exchange->session))
        (void)mcp_sessions_end(sessions, id);
    mcp_sessions_release(sessions, exchange->session);
    return err;
}

static wr_err answer_legacy(struct exchange *exchange)
{
    struct mcp_sessions *sessions = exchange->endpoint->sessions;
    const char *id = wr_call_header(exchange->call, "mcp-session-id");
    const char *version = wr_call_header(exchange->call, "mcp-protocol-version");
    const char *method = exchange->message.method;
    if (method && strcmp(method, "initialize") == 0)
        return begin_session(exchange);
    if (version && !mcp_version_known(version))
        return refuse(exchange, 400, MCP_INVALID_REQUEST,
                      "the header MCP-Protocol-Version names a version that is not supported");
    if (!id && mcp_message_early(&exchange->message))
        return answer_alone(exchange);
    if (!id)
        return refuse(exchange, 400, MCP_INVALID_REQUEST,
                      "the header Mcp-Session-Id is missing: begin with \"initialize\", or say "
                      "in _meta which version of the protocol it is");
    exchange->session = mcp_sessions_hold(sessions, id);
    if (!exchange->session)
        return refuse(exchange, 404, MCP_INVALID_REQUEST,
                      "there is no such session, or no more: begin with \"initialize\"");
    wr_err err = answer(exchange);
    mcp_sessions_release(sessions, exchange->session);
    return err;
}

static bool is_json(const struct wr_call *call)
{
    const char *type = wr_call_header(call, "content-type");
    size_t len = strlen("application/json");
    return type && strncasecmp(type, "application/json", len) == 0
        && (!type[len] || strchr("; \t", type[len]));
}

static wr_err post(struct wr_call *call)
{
    const char *version = wr_call_header(call, "mcp-protocol-version");
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    if (!exchange)
        return WR_NOMEM;
    exchange->endpoint = wr_call_arg(call);
    exchange->call = call;
    exchange->streams = takes(call, "text/event-stream");
    wr_err err = WR_OK;
    if (!is_json(call))
        err = refuse(exchange, 415, MCP_INVALID_REQUEST, "a message is application/json");
    else if (!takes(call, "application/json"))
        err = refuse(exchange, 406, MCP_INVALID_REQUEST, "accept application/json and "
                     "text/event-stream: answers are the one or the other");
    else if (!(err = read_message(exchange))) {
        exchange->modern = mcp_message_version(&exchange->message)
            || (version && strcmp(version, MCP_MODERN) == 0);
        err = !exchange->good    ? refuse(exchange, 400, exchange->fault.code, NULL)
              : exchange->modern ? answer_modern(exchange)
                                 : answer_legacy(exchange);
    }
    mcp_message_free(&exchange->message);
    wr_forget_free(exchange);
    return err;
}

/* The stream of a session, for what is said unasked: one at a time. */
static wr_err hear(struct exchange *exchange)
{
    struct mcp_sessions *sessions = exchange->endpoint->sessions;
    const char *id = wr_call_header(exchange->call, "mcp-session-id");
    if (!id)
        return wr_call_fail(exchange->call, WR_INVALID, "the header Mcp-Session-Id is missing");
    exchange->session = mcp_sessions_hold(sessions, id);
    if (!exchange->session)
        return wr_call_fail(exchange->call, WR_NOTFOUND, "there is no such session");
    wr_err err = WR_OK;
    if (mcp_session_claim(exchange->session)) {
        err = answer_slowly(exchange, start_speaking);
        mcp_session_unclaim(exchange->session);
    } else {
        err = wr_call_fail(exchange->call, WR_EXISTS, "the session has such a stream already");
    }
    mcp_sessions_release(sessions, exchange->session);
    return err;
}

static wr_err get(struct wr_call *call)
{
    struct mcp_endpoint *endpoint = wr_call_arg(call);
    if (!endpoint->offer->news || !takes(call, "text/event-stream")) {
        wr_call_reply_header(call, "Allow", "POST, DELETE");
        wr_call_status(call, 405);
        return wr_call_fail(call, WR_UNSUPPORTED, "nothing is said here unasked: POST");
    }
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    if (!exchange)
        return WR_NOMEM;
    exchange->endpoint = endpoint;
    exchange->call = call;
    exchange->streams = true;
    exchange->modern = true;            /* who goes wants nothing more */
    exchange->peer = (struct mcp_peer){ .send = put_parcel, .arg = exchange };
    wr_err err = hear(exchange);
    wr_forget_free(exchange);
    return err;
}

static wr_err end_session(struct wr_call *call)
{
    struct mcp_endpoint *endpoint = wr_call_arg(call);
    const char *id = wr_call_header(call, "mcp-session-id");
    if (!id)
        return wr_call_fail(call, WR_INVALID, "the header Mcp-Session-Id is missing");
    if (!mcp_sessions_end(endpoint->sessions, id))
        return wr_call_fail(call, WR_NOTFOUND, "there is no such session");
    wr_call_status(call, 204);
    return WR_OK;
}

/* ---- the endpoint ---- */

wr_err mcp_endpoint_new(struct mcp_endpoint **ret, const struct mcp_offer *offer)
{
    struct mcp_endpoint *endpoint = calloc(1, sizeof(*endpoint));
    if (!endpoint)
        return WR_NOMEM;
    mcp_message_forgets();
    endpoint->offer = offer;
    wr_err err = mcp_sessions_new(&endpoint->sessions, offer, MCP_SESSIONS_MAX);
    if (err)
        free(endpoint);
    else
        *ret = endpoint;
    return err;
}

void mcp_endpoint_free(struct mcp_endpoint *endpoint)
{
    if (!endpoint)
        return;
    mcp_sessions_free(endpoint->sessions);
    free(endpoint);
}

void mcp_endpoint_routes(struct mcp_endpoint *endpoint, struct wr_route *ret)
{
    ret[MCP_ROUTE_POST] = (struct wr_route){
        .method = "POST", .path = MCP_PATH, .handler = post, .arg = endpoint,
        .class = WR_ROUTE_STREAM, .body_max = MCP_MESSAGE_MAX, .deadline = ROUTE_DEADLINE,
        .concurrency = CONCURRENCY, .scope = "mcp.use", .tag = "mcp",
        .summary = "A message of the Model Context Protocol." };
    ret[MCP_ROUTE_DELETE] = (struct wr_route){
        .method = "DELETE", .path = MCP_PATH, .handler = end_session, .arg = endpoint,
        .scope = "mcp.use", .tag = "mcp",
        .summary = "The end of a session of that protocol." };
    ret[MCP_ROUTE_GET] = (struct wr_route){
        .method = "GET", .path = MCP_PATH, .handler = get, .arg = endpoint,
        .class = WR_ROUTE_STREAM, .concurrency = CONCURRENCY, .scope = "mcp.use", .tag = "mcp",
        .summary = "What a session of that protocol is told unasked, as events." };
}
