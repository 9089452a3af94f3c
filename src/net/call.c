/* call.c - what a handler sees: see http.h, and call.h for who owns what. */
#include "net/call.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/scope.h>

#include "base/json.h"

/* ---- making and letting go ---- */

struct wr_call *call_new(struct wr_http *http, const struct wr_addr *peer)
{
    struct wr_call *call = malloc(sizeof(*call));
    if (!call)
        return NULL;
    memset(call, 0, offsetof(struct wr_call, bytes));
    call->http = http;
    call->peer = *peer;
    atomic_init(&call->holders, 1);
    call_reset(call);
    return call;
}

static void free_blocks(struct wr_call *call)
{
    while (call->blocks) {
        struct block *block = call->blocks;
        call->blocks = block->next;
        free(block);
    }
    call->allocated = 0;
}

void call_reset(struct wr_call *call)
{
    free_blocks(call);
    wr_text_free(&call->collected);
    wr_text_free(&call->reply);
    call->collected = wr_text_heap(1);
    call->reply = wr_text_heap(CALL_REPLY_MAX);
    call->headers = WR_TEXT(call->headers_room);
    call->route = NULL;
    call->path = call->query = NULL;
    call->params = (struct params){ 0 };
    call->body = (struct slice){ "", 0 };
    call->body_over = false;
    call->status = 200;
    call->type = "text/plain; charset=utf-8";
    call->failed = WR_OK;
    call->why[0] = '\0';
}

void call_drop(struct wr_call *call)
{
    if (!call || atomic_fetch_sub_explicit(&call->holders, 1, memory_order_acq_rel) > 1)
        return;
    call_reset(call);
    wr_text_free(&call->collected);
    wr_text_free(&call->reply);
    free(call);
}

/* ---- the head ---- */

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* In place; false for what cannot be decoded, and for a zero byte. */
static bool decode(char *text, bool plus)
{
    unsigned char *to = (unsigned char *)text;
    for (const char *at = text; *at; at++) {
        if (*at == '%') {
            int high = hex(at[1]), low = high < 0 ? -1 : hex(at[2]);
            if (low < 0 || (high | low) == 0)
                return false;
            *to++ = (unsigned char)(high * 16 + low);
            at += 2;
        } else {
            *to++ = (unsigned char)(plus && *at == '+' ? ' ' : *at);
        }
    }
    *to = '\0';
    return true;
}

static void terminate(struct slice slice)
{
    if (slice.at)
        ((char *)(uintptr_t)slice.at)[slice.len] = '\0';
}

static wr_err invalid(struct wr_call *call, const char *why)
{
    call_refuse(call, WR_INVALID, 400, why);
    return WR_INVALID;
}

/* The authority of an absolute target is not ours to judge; the host header is. */
static char *path_of(char *target)
{
    char *scheme = strstr(target, "://");
    if (target[0] == '/' || !scheme)
        return target;
    char *slash = strchr(scheme + 3, '/');
    return slash ? slash : scheme;          /* "http://host": the root */
}

wr_err call_head(struct wr_call *call)
{
    struct h1 *h1 = &call->h1;
    for (size_t i = 0; i < h1->header_count; i++) {
        terminate(h1->headers[i].name);
        terminate(h1->headers[i].value);
    }
    terminate(h1->target);
    char *target = (char *)(uintptr_t)h1->target.at;
    call->path = path_of(target);
    if (call->path[0] == ':')
        call->path[0] = '/', call->path[1] = '\0';
    char *fragment = strchr(call->path, '#'), *query = strchr(call->path, '?');
    if (fragment)
        return invalid(call, "a fragment in the target");
    if (query) {
        *query = '\0';
        call->query = query + 1;
    }
    return decode(call->path, false) ? WR_OK
                                     : invalid(call, "a path that cannot be decoded");
}

/* ---- running ---- */

void call_refuse(struct wr_call *call, wr_err err, unsigned status, const char *why)
{
    call->failed = err;
    call->status = status;
    call->type = "application/json";
    wr_text_rewind(&call->reply, 0);
    struct wr_json json = wr_json_to(&call->reply);
    wr_json_object(&json, NULL);
    wr_json_object(&json, "error");
    wr_json_str(&json, "code", wr_err_name(err));
    wr_json_str(&json, "message", why && why[0] ? why : wr_err_text(err));
    wr_json_bool(&json, "retryable", wr_err_retryable(err));
    wr_json_end(&json);
    wr_json_end(&json);
}

static wr_err handle_in_time(struct wr_call *call)
{
    struct wr_scope *scope;
    wr_err err = wr_scope_new(&scope, &(struct wr_scope_conf){ .name = call->route->path,
                                                               .deadline = call->deadline });
    if (err)
        return err;
    wr_scope_enter(scope);
    err = call->route->handler(call);
    wr_scope_leave(scope);
    wr_err left = wr_scope_close(scope);
    return err ? err : left;
}

void call_handle(struct wr_call *call)
{
    wr_err err = call->route->class == WR_ROUTE_PRIORITY ? call->route->handler(call)
                                                         : handle_in_time(call);
    if (!err && call->reply.cut)
        err = wr_call_fail(call, WR_NOMEM, "the answer is larger than %zu bytes, or there is "
                           "no memory for it", CALL_REPLY_MAX);
    if (err)
        call_refuse(call, err, (unsigned)wr_err_http(err), call->why);
}

/* ---- the request ---- */

const char *wr_call_method(const struct wr_call *call)
{
    return call->h1.method;
}

const char *wr_call_path(const struct wr_call *call)
{
    return call->path;
}

const char *wr_call_param(const struct wr_call *call, const char *name)
{
    return route_param(call->route, &call->params, name);
}

/* Found in the query as it came, and decoded in the call's memory. */
const char *wr_call_query(struct wr_call *call, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = call->query; at; at = strchr(at, '&')) {
        at += *at == '&';
        if (strncmp(at, name, len) != 0 || (at[len] != '=' && at[len] != '&' && at[len]))
            continue;
        const char *value = at + len + (at[len] == '=');
        size_t size = strcspn(value, "&");
        char *copy = wr_call_alloc(call, size + 1);
        if (!copy)
            return NULL;
        memcpy(copy, value, size);
        copy[size] = '\0';
        return decode(copy, true) ? copy : NULL;
    }
    return NULL;
}

const char *wr_call_header(const struct wr_call *call, const char *name)
{
    const struct slice *value = h1_header(&call->h1, name);
    return !value ? NULL : value->at ? value->at : "";
}

const char *wr_call_body(const struct wr_call *call, size_t *ret_len)
{
    *ret_len = call->body.len;
    return call->body.at;
}

const struct wr_addr *wr_call_peer(const struct wr_call *call)
{
    return &call->peer;
}

void *wr_call_arg(const struct wr_call *call)
{
    return call->route->arg;
}

void *wr_call_alloc(struct wr_call *call, size_t size)
{
    if (size > CALL_MEMORY_MAX - call->allocated)
        return NULL;
    struct block *block = malloc(sizeof(*block) + size);
    if (!block)
        return NULL;
    block->next = call->blocks;
    call->blocks = block;
    call->allocated += size;
    return block->bytes;
}

/* ---- the reply ---- */

void wr_call_status(struct wr_call *call, unsigned status)
{
    call->status = status;
}

void wr_call_reply_header(struct wr_call *call, const char *name, const char *value)
{
    if (strpbrk(name, "\r\n: ") || strpbrk(value, "\r\n"))
        wr_panic("header \"%s\": a name without colon and spaces, and no line breaks", name);
    wr_text_format(&call->headers, "%s: %s\r\n", name, value);
    if (call->headers.cut)
        wr_panic("header \"%s\": more than %d bytes of headers", name, CALL_HEADERS_MAX);
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
