/* request.c - a request while it is answered. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/task.h>

#include "base/forget.h"

#include "mcp/mcp_int.h"
#include "net/caller.h"

#define PULSE WR_MS(100)
#define SILENCE_MAX WR_S(10)
#define STEP_DIGITS 2
#define STEPS 100                   /* signs of life between two whole numbers */

#define REQUEST_RANK 701
#define OUT_MAX ((size_t)64 << 20)
#define DATA_MAX ((size_t)64 << 10)         /* of an error */

/* ---- its life ---- */

struct mcp_request *mcp_request_new(struct mcp_session *session,
                                    const struct mcp_message *message,
                                    const struct mcp_peer *peer)
{
    struct mcp_request *request = calloc(1, sizeof(*request));
    const json_t *token = mcp_message_meta(message, "progressToken");
    if (!request)
        return NULL;
    request->session = session;
    request->offer = mcp_session_offer(session);
    request->message = message;
    request->peer = peer;
    request->lock = (struct wr_mutex)WR_MUTEX("mcp.request", REQUEST_RANK);
    request->text = wr_text_heap(MCP_ANSWER_MAX);
    request->structured = wr_text_heap(MCP_ANSWER_MAX);
    request->blocks = wr_text_heap(MCP_ANSWER_MAX);
    request->middle = wr_text_heap(MCP_MESSAGE_MAX);
    request->data = wr_text_heap(DATA_MAX);
    request->out = wr_text_heap(OUT_MAX);
    request->result_type = "complete";
    if (token && !mcp_id_print(request->token, token))
        request->token[0] = '\0';
    return request;
}

struct mcp_request *mcp_request_copy(const struct mcp_request *request)
{
    struct mcp_request *copy = mcp_request_new(request->session, request->message,
                                               request->peer);
    if (copy) {
        copy->modern = request->modern;
        copy->abilities = request->abilities;
    }
    return copy;
}

void mcp_request_rewind(struct mcp_request *request)
{
    wr_text_rewind(&request->text, 0);
    wr_text_rewind(&request->structured, 0);
    wr_text_rewind(&request->blocks, 0);
    json_decref(request->inputs);
    request->inputs = NULL;
    request->outcome = WR_OK;
    request->why[0] = '\0';
}

void mcp_request_free(struct mcp_request *request)
{
    WR_ASSERT(!request->linked);
    wr_mutex_fini(&request->lock);
    json_decref(request->inputs);
    json_decref(request->said);
    json_decref(request->asked);
    wr_forget_free(request->page);
    wr_text_free(&request->text);
    wr_text_free(&request->structured);
    wr_text_free(&request->blocks);
    wr_text_free(&request->middle);
    wr_text_free(&request->data);
    wr_text_free(&request->out);
    wr_forget_free(request);
}

/* ---- what handlers see ---- */

void *mcp_request_arg(const struct mcp_request *request)
{
    return request->arg;
}

bool mcp_request_local(const struct mcp_request *request)
{
    return request->peer->local;
}

const json_t *mcp_request_json(const struct mcp_request *request, const char *name)
{
    return json_object_get(request->arguments, name);
}

const char *mcp_request_string(const struct mcp_request *request, const char *name,
                               size_t *ret_len)
{
    const json_t *value = mcp_request_json(request, name);
    if (ret_len)
        *ret_len = json_string_length(value);
    return json_string_value(value);
}

int64_t mcp_request_integer(const struct mcp_request *request, const char *name,
                            int64_t otherwise)
{
    const json_t *value = mcp_request_json(request, name);
    return value ? json_integer_value(value) : otherwise;
}

bool mcp_request_boolean(const struct mcp_request *request, const char *name, bool otherwise)
{
    const json_t *value = mcp_request_json(request, name);
    return value ? json_is_true(value) : otherwise;
}

const char *mcp_request_uri(const struct mcp_request *request)
{
    return request->uri;
}

const char *mcp_request_rest(const struct mcp_request *request)
{
    return request->rest;
}

struct wr_text *mcp_request_text(struct mcp_request *request)
{
    return &request->text;
}

struct wr_text *mcp_request_structured(struct mcp_request *request)
{
    return &request->structured;
}

const char *mcp_request_tenant(const struct mcp_request *request)
{
    return request->peer->tenant;
}

const char *mcp_request_share(const struct mcp_request *request)
{
    return request->peer->share ? request->peer->share : CALLER_LOCAL;
}

bool mcp_request_may(struct mcp_request *request, const char *scope)
{
    const struct mcp_peer *peer = request->peer;
    if (!scope || !peer->may || peer->may(peer->arg, scope))
        return true;
    mcp_request_refuse(request, MCP_DENIED, "the token does not have the scope \"%s\", which "
                       "this needs", scope);
    return false;
}

bool mcp_request_defers(const struct mcp_request *request)
{
    return request->defers;
}

int64_t mcp_request_kept_ms(const struct mcp_request *request)
{
    const json_t *task = json_object_get(request->message->params, "task");
    const json_t *kept = request->modern ? NULL : json_object_get(task, "ttl");
    return json_is_integer(kept) && json_integer_value(kept) > 0 ? json_integer_value(kept) : 0;
}

void mcp_request_defer(struct mcp_request *request, const struct mcp_task *task)
{
    WR_ASSERT(request->defers && task->id[0] && task->version);
    request->task = *task;
}

wr_err mcp_request_fail(struct mcp_request *request, wr_err err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(request->why, sizeof(request->why), format, args);
    va_end(args);
    return err;
}

void mcp_request_refuse(struct mcp_request *request, enum mcp_code code, const char *format,
                        ...)
{
    char why[sizeof(request->why)];     /* what is said may be what was said before */
    va_list args;
    if (request->code)
        return;
    request->code = code;
    va_start(args, format);
    vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    memcpy(request->why, why, sizeof(why));
}

void mcp_request_media(struct mcp_request *request, const char *media, bool binary)
{
    request->media = media;
    request->binary = binary;
}

/* ---- for whoever watches ---- */

static const char *const level_names[] = { "debug", "info", "notice", "warning", "error",
                                           "critical", "alert", "emergency" };
#define LEVELS (sizeof(level_names) / sizeof(*level_names))

/* False: there is none of this name. */
static bool find_level(enum mcp_level *ret, const char *name)
{
    for (size_t i = 0; name && i < LEVELS; i++)
        if (strcmp(level_names[i], name) == 0) {
            *ret = (enum mcp_level)i;
            return true;
        }
    return false;
}

void mcp_answer_level(struct mcp_request *request)
{
    enum mcp_level level;
    const char *name = mcp_string_param(request, "level");
    if (name && find_level(&level, name))
        mcp_session_level(request->session, level);
    else if (name)
        mcp_request_refuse(request, MCP_INVALID_PARAMS, "params.level is \"%.40s\"; it must be "
                           "debug, info, notice, warning, error, critical, alert or emergency",
                           name);
}

/* A modern client says with each request what it wants to hear, or hears nothing. */
static bool heeds(struct mcp_request *request, enum mcp_level level)
{
    const json_t *said = mcp_message_meta(request->message, META "logLevel");
    enum mcp_level least;
    if (!request->offer->logs)
        return false;
    if (!request->modern)
        return level >= mcp_session_heeds(request->session);
    return find_level(&least, json_string_value(said)) && level >= least;
}

void mcp_request_log(struct mcp_request *request, enum mcp_level level, const char *format, ...)
{
    char said[1000], buf[4000];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    va_list args;
    if (!heeds(request, level))
        return;
    va_start(args, format);
    vsnprintf(said, sizeof(said), format, args);
    va_end(args);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "jsonrpc", "2.0");
    wr_json_str(&json, "method", "notifications/message");
    wr_json_object(&json, "params");
    wr_json_str(&json, "level", level_names[level]);
    wr_json_str(&json, "logger", request->offer->name);
    wr_json_str(&json, "data", said);
    wr_json_end(&json);
    wr_json_end(&json);
    struct mcp_out out = { .at = text.at, .len = text.len };
    if (!text.cut)
        (void)!request->peer->send(request->peer->arg, &out);
}

/* ---- progress ---- */

void mcp_request_progress(struct mcp_request *request, uint32_t done, uint32_t total,
                          const char *format, ...)
{
    va_list args;
    if (!request->token[0])
        return;
    va_start(args, format);
    wr_mutex_lock(&request->lock);
    if (done >= request->done) {
        request->spoke |= done > request->done || total != request->total;
        request->done = done;
        request->total = total;
        vsnprintf(request->note, sizeof(request->note), format, args);
    }
    wr_mutex_unlock(&request->lock);
    va_end(args);
}

/* What is said must be more each time: a sign of life is a hundredth more than the last, and
 * there are no more of them than keep below the next whole number. */
static bool advance(struct mcp_request *request, int64_t *last, bool silent)
{
    int64_t floor = (int64_t)request->done * STEPS;
    if (!request->spoke && !silent)
        return false;
    if (*last + 1 >= floor + STEPS)
        return false;
    *last = *last < floor ? floor : *last + 1;
    request->spoke = false;
    return true;
}

static wr_err send_progress(struct mcp_request *request, int64_t value, uint32_t total,
                            const char *note)
{
    char buf[1400];
    struct wr_text text = WR_TEXT(buf);
    struct wr_json json = wr_json_to(&text);
    wr_json_object(&json, NULL);
    wr_json_str(&json, "jsonrpc", "2.0");
    wr_json_str(&json, "method", "notifications/progress");
    wr_json_object(&json, "params");
    wr_json_raw(&json, "progressToken", request->token, strlen(request->token));
    wr_json_decimal(&json, "progress", value, STEP_DIGITS);
    if (total)
        wr_json_u64(&json, "total", total);
    if (note[0])
        wr_json_str(&json, "message", note);
    wr_json_end(&json);
    wr_json_end(&json);
    struct mcp_out out = { .at = text.at, .len = text.len };
    return text.cut ? WR_OK : request->peer->send(request->peer->arg, &out);
}

static wr_err pulse(void *arg)
{
    struct mcp_request *request = arg;
    wr_time sent = wr_now();
    int64_t last = -1;
    wr_err err;
    while (!(err = wr_sleep(wr_after(PULSE)))) {
        char note[sizeof(request->note)];
        wr_mutex_lock(&request->lock);
        bool more = advance(request, &last, wr_now() - sent >= SILENCE_MAX);
        uint32_t total = request->total;
        memcpy(note, request->note, sizeof(note));
        wr_mutex_unlock(&request->lock);
        if (!more)
            continue;
        sent = wr_now();
        err = send_progress(request, last, total, note);
        if (err)
            break;
    }
    return err == WR_TIMEOUT ? WR_OK : err;
}

wr_err mcp_request_run(struct mcp_request *request, wr_err (*handler)(struct mcp_request *),
                       wr_time within)
{
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = "mcp.call",
                                                               .deadline = wr_after(within) });
    if (err)
        return err;
    if (!mcp_session_enter(request, scope)) {
        mcp_request_refuse(request, MCP_BUSY, "%d calls are under way already: wait for one of "
                           "them, or cancel it", MCP_CALLS_MAX);
        err = WR_BUSY;
    }
    if (!err && request->token[0])
        err = wr_scope_go(scope, "mcp.pulse", pulse, request);
    if (!err) {
        wr_scope_enter(scope);
        err = handler(request);
        wr_scope_leave(scope);
    }
    mcp_session_leave(request);
    (void)!wr_scope_close(scope);
    return err;
}
