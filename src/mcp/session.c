/* session.c - a client of the Model Context Protocol, and what it is answered. */
#include <stdlib.h>
#include <string.h>

#include <weir/task.h>

#include "base/forget.h"
#include "mcp/mcp_int.h"

#define LOCK_RANK 700
#define REQUEST_RANK 701
#define OUT_MAX ((size_t)64 << 20)
#define DATA_MAX ((size_t)64 << 10)         /* of an error */
#define SEND_WITHIN WR_S(30)

struct mcp_session {
    const struct mcp_offer *offer;
    struct wr_mutex lock;           /* of all that follows */
    const char *version;            /* that it has begun with; NULL: it has not */
    unsigned abilities;             /* of its client */
    struct mcp_request *requests;   /* that can be canceled */
    size_t count;
};

wr_err mcp_session_new(struct mcp_session **ret, const struct mcp_offer *offer)
{
    struct mcp_session *session = calloc(1, sizeof(*session));
    if (!session)
        return WR_NOMEM;
    session->offer = offer;
    session->lock = (struct wr_mutex)WR_MUTEX("mcp.session", LOCK_RANK);
    *ret = session;
    return WR_OK;
}

void mcp_session_free(struct mcp_session *session)
{
    if (!session)
        return;
    WR_ASSERT(!session->requests);
    wr_mutex_fini(&session->lock);
    free(session);
}

void mcp_session_begin(struct mcp_session *session, const char *version, unsigned abilities)
{
    wr_mutex_lock(&session->lock);
    session->version = version;
    session->abilities = abilities;
    wr_mutex_unlock(&session->lock);
}

bool mcp_session_begun(struct mcp_session *session)
{
    wr_mutex_lock(&session->lock);
    bool begun = session->version;
    wr_mutex_unlock(&session->lock);
    return begun;
}

/* ---- what can be canceled ---- */

bool mcp_session_enter(struct mcp_request *request, struct wr_scope *scope)
{
    struct mcp_session *session = request->session;
    wr_mutex_lock(&session->lock);
    bool room = session->count < MCP_CALLS_MAX;
    if (room) {
        request->scope = scope;
        request->next = session->requests;
        session->requests = request;
        session->count++;
    }
    wr_mutex_unlock(&session->lock);
    return room;
}

void mcp_session_leave(struct mcp_request *request)
{
    struct mcp_session *session = request->session;
    wr_mutex_lock(&session->lock);
    if (request->scope) {
        struct mcp_request **at = &session->requests;
        while (*at != request)
            at = &(*at)->next;
        *at = request->next;
        session->count--;
        request->scope = NULL;
    }
    wr_mutex_unlock(&session->lock);
}

static void cancel(struct mcp_session *session, const struct mcp_message *message)
{
    char id[MCP_ID_MAX];
    if (!mcp_id_print(id, json_object_get(message->params, "requestId")))
        return;
    wr_mutex_lock(&session->lock);
    for (struct mcp_request *at = session->requests; at; at = at->next)
        if (strcmp(at->message->id, id) == 0) {
            at->canceled = true;
            wr_scope_cancel(at->scope);
        }
    wr_mutex_unlock(&session->lock);
}

/* ---- answers ---- */

static void begin_answer(struct wr_json *json, struct wr_text *text, const char *id)
{
    *json = wr_json_to(text);
    wr_json_object(json, NULL);
    wr_json_str(json, "jsonrpc", "2.0");
    if (id[0])
        wr_json_raw(json, "id", id, strlen(id));
}

/* `data` is JSON; NULL: there is none. */
static void write_error(struct wr_text *text, const char *id, enum mcp_code code,
                        const char *why, const struct wr_text *data)
{
    struct wr_json json;
    wr_text_rewind(text, 0);
    begin_answer(&json, text, id);
    wr_json_object(&json, "error");
    wr_json_i64(&json, "code", code);
    wr_json_str(&json, "message", why);
    if (data && data->len && !data->cut)
        wr_json_raw(&json, "data", data->at, data->len);
    wr_json_end(&json);
    wr_json_end(&json);
}

void mcp_session_refuse(const struct mcp_message *message, const struct mcp_fault *fault,
                        const struct mcp_peer *peer)
{
    char buf[3000];
    struct wr_text text = WR_TEXT(buf);
    write_error(&text, message->id, fault->code, fault->why, NULL);
    struct mcp_out out = { .at = text.at, .len = text.len, .last = true, .refused = true,
                           .code = fault->code };
    (void)!peer->send(peer->arg, &out);
}

/* What a modern result has besides. */
static void write_modern(struct mcp_request *request, const struct mcp_method *method)
{
    struct wr_json *json = &request->json;
    wr_json_str(json, "resultType", request->result_type);
    if (method->keep_ms >= 0) {
        wr_json_i64(json, "ttlMs", method->keep_ms);
        wr_json_str(json, "cacheScope", method->keep_ms ? "public" : "private");
    }
    wr_json_object(json, "_meta");
    wr_json_object(json, META "serverInfo");
    wr_json_str(json, "name", request->offer->name);
    wr_json_str(json, "version", request->offer->version);
    wr_json_end(json);
    if (strcmp(method->name, "subscriptions/listen") == 0)
        wr_json_raw(json, META "subscriptionId", request->message->id,
                    strlen(request->message->id));
    wr_json_end(json);
}

/* ---- which era it is of ---- */

const char *mcp_message_version(const struct mcp_message *message)
{
    const json_t *version = mcp_message_meta(message, META "protocolVersion");
    if (!version)
        return NULL;
    return json_is_string(version) ? json_string_value(version) : "";
}

static void refuse(struct mcp_request *request, enum mcp_code code, const char *why)
{
    mcp_request_refuse(request, code, "%s", why);
    request->refused = true;
}

static void refuse_version(struct mcp_request *request, const char *version)
{
    struct wr_json json = wr_json_to(&request->data);
    refuse(request, MCP_UNSUPPORTED_VERSION, "this version of the protocol is not supported");
    wr_json_object(&json, NULL);
    mcp_versions_write(&json, "supported");
    wr_json_str(&json, "requested", version);
    wr_json_end(&json);
}

/* What its client can, as far as it has said. */
static unsigned abilities_of(struct mcp_request *request)
{
    if (request->modern)
        return mcp_abilities(mcp_message_meta(request->message, META "clientCapabilities"));
    wr_mutex_lock(&request->session->lock);
    unsigned all = request->session->abilities;
    wr_mutex_unlock(&request->session->lock);
    return all;
}

static void settle_era(struct mcp_request *request, const struct mcp_method *method)
{
    const char *version = mcp_message_version(request->message);
    request->modern = version || request->peer->modern;
    if (!request->modern) {
        if (!mcp_session_begun(request->session) && !(method && method->early))
            refuse(request, MCP_INVALID_PARAMS, "begin with \"initialize\", or say in _meta "
                   "which " META "protocolVersion it is");
    } else if (!version || !version[0]) {
        refuse(request, MCP_INVALID_PARAMS, "_meta must have " META "protocolVersion, a "
               "string");
    } else if (strcmp(version, MCP_MODERN) != 0) {
        refuse_version(request, version);
    } else if (!json_is_object(mcp_message_meta(request->message,
                                                META "clientCapabilities"))) {
        refuse(request, MCP_INVALID_PARAMS, "_meta must have " META "clientCapabilities, an "
               "object");
    }
}

/* ---- the whole of it ---- */

static void answer(struct mcp_request *request)
{
    const char *name = request->message->method;
    const struct mcp_method *method = mcp_method(name);
    settle_era(request, method);
    request->abilities = abilities_of(request);
    enum mcp_era era = request->modern ? MCP_NOW : MCP_LEGACY;
    if (!method || !(method->eras & era)
        || (method->there && !method->there(request->offer)))
        mcp_request_refuse(request, MCP_METHOD_NOT_FOUND, "there is no method \"%.100s\"",
                           name);
    else if (!request->code) {
        begin_answer(&request->json, &request->out, request->message->id);
        wr_json_object(&request->json, "result");
        method->answer(request);
    }
    if (method && !request->code) {
        if (request->modern)
            write_modern(request, method);
        wr_json_end(&request->json);
        wr_json_end(&request->json);
        if (request->out.cut)
            mcp_request_refuse(request, MCP_INTERNAL, "the answer is larger than %zu bytes",
                               OUT_MAX);
    }
    if (request->code)
        write_error(&request->out, request->message->id, request->code, request->why,
                    &request->data);
}

static void end_request(void *arg)
{
    struct mcp_request *request = arg;
    mcp_session_leave(request);
    wr_mutex_fini(&request->lock);
    json_decref(request->inputs);
    wr_forget_free(request->page);
    wr_text_free(&request->text);
    wr_text_free(&request->structured);
    wr_text_free(&request->data);
    wr_text_free(&request->out);
    wr_forget_free(request);
}

/* Also when the scope has ended: whoever asked is still there, perhaps. */
static void send_answer(const struct mcp_request *request)
{
    struct mcp_out out = { .at = request->out.at, .len = request->out.len, .last = true,
                           .refused = request->refused, .code = request->code };
    struct wr_scope *scope;
    if (wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "mcp.answer", .shield = true,
                                                      .deadline = wr_after(SEND_WITHIN) }))
        return;
    wr_scope_enter(scope);
    (void)!request->peer->send(request->peer->arg, &out);
    wr_scope_leave(scope);
    (void)!wr_scope_close(scope);
}

void mcp_session_answer(struct mcp_session *session, const struct mcp_message *message,
                        const struct mcp_peer *peer)
{
    if (message->kind == MCP_NOTIFICATION && strcmp(message->method,
                                                    "notifications/cancelled") == 0)
        cancel(session, message);
    if (message->kind != MCP_REQUEST)
        return;
    struct mcp_request *request = calloc(1, sizeof(*request));
    if (!request) {
        struct mcp_fault fault = { .code = MCP_INTERNAL, .why = "out of memory" };
        mcp_session_refuse(message, &fault, peer);
        return;
    }
    request->session = session;
    request->offer = session->offer;
    request->message = message;
    request->peer = peer;
    request->lock = (struct wr_mutex)WR_MUTEX("mcp.request", REQUEST_RANK);
    request->text = wr_text_heap(MCP_ANSWER_MAX);
    request->structured = wr_text_heap(MCP_ANSWER_MAX);
    request->data = wr_text_heap(DATA_MAX);
    request->out = wr_text_heap(OUT_MAX);
    request->result_type = "complete";
    const json_t *token = mcp_message_meta(message, "progressToken");
    if (token && !mcp_id_print(request->token, token))
        request->token[0] = '\0';
    struct wr_cleanup cleanup = { .fn = end_request, .arg = request };
    wr_cleanup_push(&cleanup);
    answer(request);
    if (!request->canceled)
        send_answer(request);
    wr_cleanup_pop(&cleanup);
    end_request(request);
}
