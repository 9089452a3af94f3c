/* method_listen.c - news for who has asked for it.
 *
 * A modern client opens a stream for what it wants to hear of, resources and tasks.  A legacy
 * one has its session remember resources, and hears of them wherever the session can speak
 * unasked: on the pipe, or on the stream that it opens with GET.
 */
#include <stdlib.h>
#include <string.h>

#include <weir/scope.h>
#include <weir/task.h>

#include "base/forget.h"
#include "mcp/mcp_int.h"
#include "mcp/news.h"

#define NOTICE_MAX ((size_t)1 << 20)

/* ---- what is said ---- */

/* `id` is that of the subscription, as JSON; NULL: a legacy client knows what it wanted. */
static void begin_notice(struct wr_json *json, struct wr_text *text, const char *method,
                         const char *id)
{
    *json = wr_json_to(text);
    wr_json_object(json, NULL);
    wr_json_str(json, "jsonrpc", "2.0");
    wr_json_str(json, "method", method);
    wr_json_object(json, "params");
    if (!id)
        return;
    wr_json_object(json, "_meta");
    wr_json_raw(json, META "subscriptionId", id, strlen(id));
    wr_json_end(json);
}

static wr_err send_notice(const struct mcp_peer *peer, struct wr_json *json)
{
    wr_json_end(json);
    wr_json_end(json);
    struct mcp_out out = { .at = json->text->at, .len = json->text->len };
    return json->text->cut ? WR_OK : peer->send(peer->arg, &out);
}

static wr_err tell_uri(const struct mcp_peer *peer, const char *uri, const char *id)
{
    char buf[4 * MCP_URI_MAX + 2 * MCP_ID_MAX + 200];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json;
    begin_notice(&json, &text, "notifications/resources/updated", id);
    wr_json_str(&json, "uri", uri);
    return send_notice(peer, &json);
}

/* ---- a modern stream ---- */

/* What of it can be had: strings, as many as may be. */
static size_t count_of(const json_t *list)
{
    size_t count = json_array_size(list);
    return count < MCP_LISTENS_MAX ? count : MCP_LISTENS_MAX;
}

static bool listed(const json_t *list, const char *uri)
{
    for (size_t i = 0; i < count_of(list); i++) {
        const char *one = json_string_value(json_array_get(list, i));
        if (one && (!uri || strcmp(one, uri) == 0))
            return true;
    }
    return false;
}

static wr_err tell_all(struct mcp_request *request, const json_t *list)
{
    wr_err err = WR_OK;
    for (size_t i = 0; i < count_of(list) && !err; i++) {
        const char *uri = json_string_value(json_array_get(list, i));
        if (uri && strlen(uri) < MCP_URI_MAX)
            err = tell_uri(request->peer, uri, request->message->id);
    }
    return err;
}

static const json_t *wanted(const struct mcp_request *request, const char *key)
{
    return json_object_get(mcp_param(request, "notifications"), key);
}

static wr_err hear_resources(struct mcp_request *request)
{
    const json_t *list = wanted(request, "resourceSubscriptions");
    char uri[MCP_URI_MAX];
    wr_err err = WR_OK;
    while (!err) {
        err = mcp_news_hear(&request->news, uri, WR_NEVER);
        if (err == WR_LAGGED)
            err = tell_all(request, list);
        else if (!err && listed(list, uri))
            err = tell_uri(request->peer, uri, request->message->id);
    }
    return err;
}

/* A task that is listened to, with a request of its own: what is asked of the provider is
 * written there. */
static wr_err hear_task(void *arg)
{
    struct mcp_request *watch = arg;
    struct wr_text text = wr_text_heap(NOTICE_MAX);
    uint64_t seen = 0;
    wr_err err = WR_OK;
    while (!err) {
        mcp_request_rewind(watch);
        err = mcp_task_look(watch, seen, WR_NEVER);
        if (err || watch->task.version == seen)
            continue;
        seen = watch->task.version;
        wr_text_rewind(&text, 0);
        begin_notice(&watch->json, &text, "notifications/tasks", watch->message->id);
        mcp_task_write(watch);
        err = send_notice(watch->peer, &watch->json);
        if (!err && mcp_task_ended(&watch->task))
            break;
    }
    wr_text_free(&text);
    mcp_request_free(watch);
    return err == WR_NOTFOUND ? WR_OK : err;
}

static wr_err watch_tasks(struct mcp_request *request, struct wr_scope *scope)
{
    const json_t *list = wanted(request, "taskIds");
    wr_err err = WR_OK;
    for (size_t i = 0; i < count_of(list) && !err && request->offer->tasks; i++) {
        const char *id = json_string_value(json_array_get(list, i));
        struct mcp_request *watch = id ? mcp_request_copy(request) : NULL;
        if (!id)
            continue;
        if (!watch)
            return WR_NOMEM;
        watch->uri = id;
        watch->arg = request->offer->tasks->arg;
        err = wr_scope_go(scope, "mcp.watch", hear_task, watch);
        if (err)
            mcp_request_free(watch);
    }
    return err;
}

static wr_err listen(struct mcp_request *request)
{
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "mcp.listen",
                                                               .deadline = WR_NEVER,
                                                               .independent = true });
    if (err)
        return err;
    if (request->abilities & MCP_TAKES_TASKS)
        err = watch_tasks(request, scope);
    if (!err)
        err = request->offer->news ? hear_resources(request) : wr_sleep(WR_NEVER);
    (void)!wr_scope_close(scope);
    return err;
}

static void acknowledge_list(struct wr_json *json, const char *key, const json_t *list)
{
    if (!listed(list, NULL))
        return;
    wr_json_array(json, key);
    for (size_t i = 0; i < count_of(list); i++)
        if (json_is_string(json_array_get(list, i)))
            wr_json_str(json, NULL, json_string_value(json_array_get(list, i)));
    wr_json_end(json);
}

/* Tables of ours do not change while it runs: of those nothing is promised. */
static wr_err acknowledge(struct mcp_request *request)
{
    struct wr_text text = wr_text_heap(NOTICE_MAX);
    struct wr_json json;
    begin_notice(&json, &text, "notifications/subscriptions/acknowledged",
                 request->message->id);
    wr_json_object(&json, "notifications");
    if (request->offer->news)
        acknowledge_list(&json, "resourceSubscriptions",
                         wanted(request, "resourceSubscriptions"));
    if (request->offer->tasks && (request->abilities & MCP_TAKES_TASKS))
        acknowledge_list(&json, "taskIds", wanted(request, "taskIds"));
    wr_json_end(&json);
    wr_err err = text.cut ? WR_INVALID : send_notice(request->peer, &json);
    wr_text_free(&text);
    return err;
}

void mcp_answer_listen(struct mcp_request *request)
{
    if (!json_is_object(mcp_param(request, "notifications"))) {
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.notifications must be an "
                           "object");
        return;
    }
    if (request->offer->news)
        request->news = mcp_news_listen(request->offer->news);
    wr_err err = acknowledge(request);
    if (err == WR_INVALID)
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.notifications asks for too "
                           "much: at most 1 MiB of names");
    else if (!err)
        (void)!mcp_request_run(request, listen, WR_NEVER);
}

/* ---- a legacy session ---- */

void mcp_answer_subscribe(struct mcp_request *request)
{
    const char *uri = mcp_string_param(request, "uri");
    if (!uri)
        return;
    if (strlen(uri) >= MCP_URI_MAX)
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.uri has %zu bytes: at most %d "
                           "can be told of", strlen(uri), MCP_URI_MAX - 1);
    else if (!mcp_session_subscribe(request->session, uri))
        mcp_request_refuse(request, MCP_BUSY, "%d resources are subscribed to already: "
                           "unsubscribe from one of them", MCP_LISTENS_MAX);
}

void mcp_answer_unsubscribe(struct mcp_request *request)
{
    const char *uri = mcp_string_param(request, "uri");
    if (uri)
        mcp_session_unsubscribe(request->session, uri);
}

static wr_err tell_subscribed(struct mcp_session *session, const struct mcp_peer *peer)
{
    char uri[MCP_URI_MAX];
    wr_err err = WR_OK;
    for (size_t i = 0; !err && mcp_session_subscription(session, i, uri); i++)
        err = tell_uri(peer, uri, NULL);
    return err;
}

wr_err mcp_session_speak(struct mcp_session *session, const struct mcp_peer *peer)
{
    struct mcp_news *news = mcp_session_offer(session)->news;
    if (!news)
        return wr_sleep(WR_NEVER);
    struct wr_bcast_reader reader = mcp_news_listen(news);
    char uri[MCP_URI_MAX];
    wr_err err = WR_OK;
    while (!err) {
        err = mcp_news_hear(&reader, uri, WR_NEVER);
        if (err == WR_LAGGED)
            err = tell_subscribed(session, peer);
        else if (!err && mcp_session_subscribed(session, uri))
            err = tell_uri(peer, uri, NULL);
    }
    return err;
}
