/* request.c - a request while it is answered. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <weir/task.h>

#include "mcp/mcp_int.h"

#define PULSE WR_MS(100)
#define SILENCE_MAX WR_S(10)
#define STEP_DIGITS 2
#define STEPS 100                   /* signs of life between two whole numbers */

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
