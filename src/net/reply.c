/* reply.c - what a handler says: see http.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <weir/select.h>

#include "base/json.h"
#include "net/flat.h"
#include "net/problem.h"
#include "net/server.h"

#define RETRY_AFTER_MAX 3600

/* ---- the reply ---- */

void wr_call_status(struct wr_call *call, unsigned status)
{
    call->status = status;
}

void wr_call_reply_header(struct wr_call *call, const char *name, const char *value)
{
    if (strpbrk(name, "\r\n: ") || strpbrk(value, "\r\n"))
        wr_panic("header \"%s\": a name without colon and spaces, and no line breaks", name);
    if (++call->header_count > CALL_HEADERS_COUNT_MAX)
        wr_panic("header \"%s\": more than %d headers", name, CALL_HEADERS_COUNT_MAX);
    if (strcasecmp(name, "Retry-After") == 0) {
        unsigned long seconds = strtoul(value, NULL, 10);
        call->retry_said = seconds > 0 ? (unsigned)seconds : 1;
    }
    wr_text_bytes(&call->headers, name, strlen(name));
    wr_text_bytes(&call->headers, ": ", 2);
    wr_text_bytes(&call->headers, value, strlen(value));
    wr_text_bytes(&call->headers, "\r\n", 2);
    if (call->headers.cut)
        wr_panic("header \"%s\": more than %d bytes of headers", name, CALL_HEADERS_MAX);
}

void wr_call_retry_after(struct wr_call *call, wr_time wait)
{
    char text[32];
    wr_time seconds = wait / WR_S(1) + (wait % WR_S(1) > 0);
    if (seconds > RETRY_AFTER_MAX)
        seconds = RETRY_AFTER_MAX;
    snprintf(text, sizeof(text), "%lld", (long long)(seconds > 0 ? seconds : 1));
    wr_call_reply_header(call, "Retry-After", text);
}

void wr_call_type(struct wr_call *call, const char *type)
{
    call->type = type;
}

void wr_call_write(struct wr_call *call, const void *bytes, size_t len)
{
    wr_text_bytes(&call->reply, bytes, len);
}

void wr_call_print(struct wr_call *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    wr_text_vformat(&call->reply, format, args);
    va_end(args);
}

wr_err wr_call_fail(struct wr_call *call, wr_err err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(call->why, sizeof(call->why), format, args);
    va_end(args);
    return err;
}

/* ---- errors ---- */

static void write_error(struct wr_call *call, wr_err err, const char *why)
{
    struct wr_json json = wr_json_to(&call->reply);
    wr_json_object(&json, NULL);
    wr_json_object(&json, "error");
    wr_json_str(&json, "code", wr_err_name(err));
    wr_json_str(&json, "message", why);
    wr_json_bool(&json, "retryable", wr_err_retryable(err));
    wr_json_str(&json, "corr_id", call->corr);
    wr_json_end(&json);
    wr_json_end(&json);
}

void call_refuse(struct wr_call *call, wr_err err, unsigned status, const char *why)
{
    const char *path = call->route ? call->route->path : call->path;
    bool problem = path && problem_path(call->http->conf.problems, path);
    bool flat = path && problem_path(call->http->conf.flats, path);
    call->failed = err;
    if (call->begun)
        return;                     /* its status is out; the connection breaks it off */
    call->status = status;
    call->type = problem ? PROBLEM_TYPE : "application/json";
    wr_text_rewind(&call->reply, 0);
    why = why && why[0] ? why : wr_err_text(err);
    if (problem)
        problem_write(&call->reply, call, err, why);
    else if (flat)
        flat_write(&call->reply, call, err, why);
    else
        write_error(call, err, why);
}

void call_fail(struct wr_call *call, wr_err err)
{
    unsigned status = call->status >= 400 ? call->status : (unsigned)wr_err_http(err);
    call_refuse(call, err, status, call->why);
}

/* ---- what goes out with every reply ---- */

const char *reply_reason(unsigned status)
{
    static const struct { unsigned status; const char *text; } reasons[] = {
        { 200, "OK" }, { 201, "Created" }, { 202, "Accepted" }, { 204, "No Content" },
        { 206, "Partial Content" }, { 304, "Not Modified" }, { 400, "Bad Request" },
        { 401, "Unauthorized" }, { 403, "Forbidden" }, { 404, "Not Found" },
        { 405, "Method Not Allowed" }, { 408, "Request Timeout" }, { 409, "Conflict" },
        { 412, "Precondition Failed" }, { 413, "Content Too Large" },
        { 415, "Unsupported Media Type" },
        { 416, "Range Not Satisfiable" }, { 417, "Expectation Failed" },
        { 421, "Misdirected Request" }, { 429, "Too Many Requests" },
        { 431, "Request Header Fields Too Large" }, { 500, "Internal Server Error" },
        { 501, "Not Implemented" }, { 502, "Bad Gateway" }, { 503, "Service Unavailable" },
        { 504, "Gateway Timeout" }, { 505, "HTTP Version Not Supported" },
    };
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].status == status)
            return reasons[i].text;
    return "Status";
}

bool reply_bodiless(const struct wr_call *call)
{
    return call->status == 204 || call->status == 304
        || (call->head.method && strcmp(call->head.method, "HEAD") == 0);
}

const char *reply_retry_after(const struct wr_call *call)
{
    return (call->status == 429 || call->status == 503) && !call->retry_said ? "1" : NULL;
}

unsigned reply_retry_seconds(const struct wr_call *call)
{
    return reply_retry_after(call) ? 1 : call->retry_said;
}

/* ---- streams ---- */

static void must_stream(const struct wr_call *call, bool may, const char *what)
{
    if (!may || !call->io)
        wr_panic("%s in %s %s: not for a route of its class", what, call->route->method,
                 call->route->path);
}

void wr_call_length(struct wr_call *call, uint64_t length)
{
    must_stream(call, call->route->class == WR_ROUTE_STREAM && !call->begun, "wr_call_length");
    call->sized = true;
    call->left = length;
}

wr_err wr_call_begin(struct wr_call *call)
{
    must_stream(call, call->route->class == WR_ROUTE_STREAM && !call->begun, "wr_call_begin");
    call->begun = true;
    return call->io->begin(call);
}

wr_err wr_call_send(struct wr_call *call, const void *bytes, size_t len, wr_time deadline)
{
    must_stream(call, call->begun, "wr_call_send before wr_call_begin");
    if (reply_bodiless(call))
        return WR_CLOSED;
    if (call->sized && len > call->left)
        wr_panic("%s %s: the body is longer than it was said to be", call->route->method,
                 call->route->path);
    if (len == 0)
        return WR_OK;
    wr_err err = call->io->send(call, bytes, len, deadline);
    if (call->sized && !err)
        call->left -= len;
    return err;
}

wr_err (wr_call_select)(struct wr_call *call, size_t *ret, struct wr_case *cases, size_t count,
                        wr_time deadline, const char *place)
{
    struct wr_case all[WR_SELECT_MAX];
    size_t which = 0;
    must_stream(call, call->route->class >= WR_ROUTE_LONG, "wr_call_select");
    if (count > WR_CALL_SELECT_MAX)
        wr_panic_at(place, "wr_call_select over %zu cases; at most %d", count,
                    WR_CALL_SELECT_MAX);
    all[0] = (struct wr_case)WR_CASE_ONCE(call->http->drain, NULL);
    for (size_t i = 0; i < count; i++)
        all[i + 1] = cases[i];
    wr_err err = call->io->select(call, &which, all, count + 1, deadline, place);
    if (err)
        return err;
    if (which == 0)
        return WR_DRAINING;
    *ret = which - 1;
    cases[*ret].err = all[which].err;
    return WR_OK;
}
