/* session.c - a client of the Model Context Protocol, and what it is answered. */
#include <stdlib.h>
#include <string.h>

#include <weir/task.h>

#include "base/forget.h"
#include "mcp/mcp_int.h"

#define LOCK_RANK 700
#define SEND_WITHIN WR_S(30)

struct mcp_session {
    const struct mcp_offer *offer;
    struct wr_mutex lock;           /* of all that follows */
    const char *version;            /* that it has begun with; NULL: it has not */
    unsigned abilities;             /* of its client */
    struct mcp_request *requests;   /* that can be canceled */
    size_t count;                   /* of these: who run */
    struct mcp_question *questions; /* to the client */
    size_t question_count;
    uint64_t asked;                 /* so many so far */
    char *uris[MCP_LISTENS_MAX];    /* that the client wants to hear of */
    size_t uri_count;
    bool spoken_for;                /* somebody tells it of them */
    enum mcp_level level;
};

wr_err mcp_session_new(struct mcp_session **ret, const struct mcp_offer *offer)
{
    struct mcp_session *session = calloc(1, sizeof(*session));
    if (!session)
        return WR_NOMEM;
    session->offer = offer;
    session->level = MCP_WARNING;   /* until the client says another */
    session->lock = (struct wr_mutex)WR_MUTEX("mcp.session", LOCK_RANK);
    *ret = session;
    return WR_OK;
}

void mcp_session_free(struct mcp_session *session)
{
    if (!session)
        return;
    WR_ASSERT(!session->requests && !session->questions);
    for (size_t i = 0; i < session->uri_count; i++)
        wr_forget_free(session->uris[i]);
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

const struct mcp_offer *mcp_session_offer(const struct mcp_session *session)
{
    return session->offer;
}

/* ---- what can be canceled ---- */

static void link_request(struct mcp_request *request)
{
    struct mcp_session *session = request->session;
    wr_mutex_lock(&session->lock);
    request->next = session->requests;
    request->linked = true;
    session->requests = request;
    wr_mutex_unlock(&session->lock);
}

static void unlink_request(struct mcp_request *request)
{
    struct mcp_session *session = request->session;
    wr_mutex_lock(&session->lock);
    struct mcp_request **at = &session->requests;
    while (*at != request)
        at = &(*at)->next;
    *at = request->next;
    request->linked = false;
    wr_mutex_unlock(&session->lock);
}

bool mcp_session_enter(struct mcp_request *request, struct wr_scope *scope)
{
    struct mcp_session *session = request->session;
    wr_mutex_lock(&session->lock);
    bool room = session->count < MCP_CALLS_MAX;
    if (room) {
        request->scope = scope;
        session->count++;
        if (request->canceled)
            wr_scope_cancel(scope);
    }
    wr_mutex_unlock(&session->lock);
    return room;
}

void mcp_session_leave(struct mcp_request *request)
{
    struct mcp_session *session = request->session;
    wr_mutex_lock(&session->lock);
    if (request->scope)
        session->count--;
    request->scope = NULL;
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
            if (at->scope)
                wr_scope_cancel(at->scope);
        }
    wr_mutex_unlock(&session->lock);
}

/* ---- what the client is asked ---- */

wr_err mcp_session_expect(struct mcp_session *session, struct mcp_question *question)
{
    wr_mutex_lock(&session->lock);
    bool room = session->question_count < MCP_CALLS_MAX;
    if (room) {
        struct wr_text id = WR_TEXT(question->id);
        wr_text_format(&id, "weir-%llu", (unsigned long long)++session->asked);
        question->session = session;
        question->next = session->questions;
        session->questions = question;
        session->question_count++;
    }
    wr_mutex_unlock(&session->lock);
    return room ? WR_OK : WR_BUSY;
}

void mcp_session_forget(struct mcp_question *question)
{
    struct mcp_session *session = question->session;
    if (!session)
        return;
    wr_mutex_lock(&session->lock);
    struct mcp_question **at = &session->questions;
    while (*at != question)
        at = &(*at)->next;
    *at = question->next;
    session->question_count--;
    wr_mutex_unlock(&session->lock);
}

/* An answer goes to who has asked; one that nobody waits for is passed over. */
static void take_response(struct mcp_session *session, const struct mcp_message *message)
{
    const char *id = json_string_value(json_object_get(message->json, "id"));
    json_t *copy = id ? json_deep_copy(message->json) : NULL;
    wr_mutex_lock(&session->lock);
    for (struct mcp_question *at = copy ? session->questions : NULL; at; at = at->next)
        if (strcmp(at->id, id) == 0 && !at->answer) {
            at->answer = copy;
            copy = NULL;
            (void)!wr_once_set(at->answered, NULL);
            break;
        }
    wr_mutex_unlock(&session->lock);
    json_decref(copy);
}

/* ---- what the client hears of ---- */

static size_t find_uri(const struct mcp_session *session, const char *uri)
{
    size_t i = 0;
    while (i < session->uri_count && strcmp(session->uris[i], uri) != 0)
        i++;
    return i;
}

bool mcp_session_subscribe(struct mcp_session *session, const char *uri)
{
    char *copy = strdup(uri);
    wr_mutex_lock(&session->lock);
    bool there = find_uri(session, uri) < session->uri_count;
    bool room = copy && session->uri_count < MCP_LISTENS_MAX;
    if (!there && room) {
        session->uris[session->uri_count++] = copy;
        copy = NULL;
    }
    wr_mutex_unlock(&session->lock);
    wr_forget_free(copy);
    return there || room;
}

void mcp_session_unsubscribe(struct mcp_session *session, const char *uri)
{
    char *gone = NULL;
    wr_mutex_lock(&session->lock);
    size_t i = find_uri(session, uri);
    if (i < session->uri_count) {
        gone = session->uris[i];
        session->uris[i] = session->uris[--session->uri_count];
    }
    wr_mutex_unlock(&session->lock);
    wr_forget_free(gone);
}

bool mcp_session_subscribed(struct mcp_session *session, const char *uri)
{
    wr_mutex_lock(&session->lock);
    bool there = find_uri(session, uri) < session->uri_count;
    wr_mutex_unlock(&session->lock);
    return there;
}

bool mcp_session_subscription(struct mcp_session *session, size_t i, char ret[MCP_URI_MAX])
{
    wr_mutex_lock(&session->lock);
    bool there = i < session->uri_count;
    if (there)
        memcpy(ret, session->uris[i], strlen(session->uris[i]) + 1);
    wr_mutex_unlock(&session->lock);
    return there;
}

bool mcp_session_claim(struct mcp_session *session)
{
    wr_mutex_lock(&session->lock);
    bool free = !session->spoken_for;
    session->spoken_for = true;
    wr_mutex_unlock(&session->lock);
    return free;
}

void mcp_session_unclaim(struct mcp_session *session)
{
    wr_mutex_lock(&session->lock);
    session->spoken_for = false;
    wr_mutex_unlock(&session->lock);
}

void mcp_session_level(struct mcp_session *session, enum mcp_level level)
{
    wr_mutex_lock(&session->lock);
    session->level = level;
    wr_mutex_unlock(&session->lock);
}

enum mcp_level mcp_session_heeds(struct mcp_session *session)
{
    wr_mutex_lock(&session->lock);
    enum mcp_level level = session->level;
    wr_mutex_unlock(&session->lock);
    return level;
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

const char mcp_session_first[] = "begin with \"initialize\", or say in _meta which " META
                                 "protocolVersion it is";

bool mcp_message_early(const struct mcp_message *message)
{
    const struct mcp_method *method = message->method ? mcp_method(message->method) : NULL;
    return method && method->early;
}

static void settle_era(struct mcp_request *request)
{
    const char *version = mcp_message_version(request->message);
    request->modern = version || request->peer->modern;
    if (!request->modern) {
        if (!mcp_session_begun(request->session) && !mcp_message_early(request->message))
            refuse(request, MCP_INVALID_PARAMS, mcp_session_first);
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
    settle_era(request);
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
                               request->out.max);
    }
    if (request->code)
        write_error(&request->out, request->message->id, request->code, request->why,
                    &request->data);
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

static void end_request(struct mcp_request *request)
{
    mcp_session_leave(request);
    unlink_request(request);
    mcp_request_free(request);
}

/* Whoever answered it has panicked. */
static void break_off(void *arg)
{
    struct mcp_request *request = arg;
    if (!request->answered && !request->canceled) {
        request->code = MCP_INTERNAL;
        write_error(&request->out, request->message->id, MCP_INTERNAL,
                    "it broke while it was being answered; the log of the server says more",
                    NULL);
        send_answer(request);
    }
    end_request(request);
}

struct mcp_request *mcp_session_take(struct mcp_session *session,
                                     const struct mcp_message *message,
                                     const struct mcp_peer *peer)
{
    if (message->kind == MCP_NOTIFICATION && strcmp(message->method,
                                                    "notifications/cancelled") == 0)
        cancel(session, message);
    if (message->kind == MCP_RESPONSE)
        take_response(session, message);
    if (message->kind != MCP_REQUEST)
        return NULL;
    struct mcp_request *request = mcp_request_new(session, message, peer);
    if (request) {
        link_request(request);
    } else {
        struct mcp_fault fault = { .code = MCP_INTERNAL, .why = "out of memory" };
        mcp_session_refuse(message, &fault, peer);
    }
    return request;
}

void mcp_session_finish(struct mcp_request *request)
{
    struct wr_cleanup cleanup = { .fn = break_off, .arg = request };
    wr_cleanup_push(&cleanup);
    answer(request);
    request->answered = true;
    if (!request->canceled)
        send_answer(request);
    wr_cleanup_pop(&cleanup);
    end_request(request);
}

void mcp_session_answer(struct mcp_session *session, const struct mcp_message *message,
                        const struct mcp_peer *peer)
{
    struct mcp_request *request = mcp_session_take(session, message, peer);
    if (request)
        mcp_session_finish(request);
}
