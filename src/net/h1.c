/* h1.c - see h1.h. */
#include "net/h1.h"

#include <string.h>

static bool bad(struct h1 *h1, unsigned status, const char *why)
{
    if (h1->found != H1_BAD) {
        h1->found = H1_BAD;
        h1->status = status;
        h1->why = why;
    }
    return false;
}

/* ---- slices ---- */

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool is(struct slice slice, const char *text)
{
    size_t i = 0;
    for (; i < slice.len && text[i]; i++)
        if (lower(slice.at[i]) != text[i])
            return false;
    return i == slice.len && !text[i];
}

/* A further part of something that lies in one piece. */
static void extend(struct slice *slice, const char *at, size_t len)
{
    if (slice->len == 0)
        slice->at = at;
    slice->len += len;
}

static bool token(struct slice slice)
{
    static const char allowed[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < slice.len; i++) {
        int c = lower(slice.at[i]);
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!plain && (c == '\0' || !strchr(allowed, c)))
            return false;
    }
    return slice.len > 0;
}

const struct slice *h1_header(const struct h1 *h1, const char *name)
{
    for (size_t i = 0; i < h1->header_count; i++)
        if (is(h1->headers[i].name, name))
            return &h1->headers[i].value;
    return NULL;
}

/* ---- what llhttp tells ---- */

static int on_begin(llhttp_t *parser)
{
    struct h1 *h1 = parser->data;
    h1->target = h1->host = (struct slice){ 0 };
    h1->header_count = 0;
    h1->in_value = h1->expects_continue = h1->chunked = h1->length_known = false;
    return 0;
}

static int on_url(llhttp_t *parser, const char *at, size_t len)
{
    struct h1 *h1 = parser->data;
    extend(&h1->target, at, len);
    return 0;
}

static int on_field(llhttp_t *parser, const char *at, size_t len)
{
    struct h1 *h1 = parser->data;
    if (h1->header_count == 0 || h1->in_value) {
        if (h1->header_count == H1_HEADERS_MAX) {
            bad(h1, 431, "too many header fields");
            return -1;
        }
        h1->headers[h1->header_count++] = (struct h1_header){ 0 };
        h1->in_value = false;
    }
    extend(&h1->headers[h1->header_count - 1].name, at, len);
    return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t len)
{
    struct h1 *h1 = parser->data;
    h1->in_value = true;
    extend(&h1->headers[h1->header_count - 1].value, at, len);
    return 0;
}

/* A field without a value gets no on_value; the next name must begin anew. */
static int on_value_complete(llhttp_t *parser)
{
    ((struct h1 *)parser->data)->in_value = true;
    return 0;
}

static bool check_field(struct h1 *h1, struct h1_header *header)
{
    while (header->value.len > 0 && strchr(" \t", header->value.at[header->value.len - 1]))
        header->value.len--;
    if (!token(header->name))
        return bad(h1, 400, "a header field has a name that is none");
    for (size_t i = 0; i < header->value.len; i++)
        if (header->value.at[i] == '\r' || header->value.at[i] == '\n')
            return bad(h1, 400, "a header field is folded over lines");
    if (is(header->name, "host")) {
        if (h1->host.at)
            return bad(h1, 400, "two host fields");
        h1->host = header->value.at ? header->value : (struct slice){ "", 0 };
    } else if (is(header->name, "transfer-encoding")) {
        if (h1->chunked || !is(header->value, "chunked"))
            return bad(h1, 501, "a transfer coding other than chunked");
        h1->chunked = true;
    } else if (is(header->name, "content-length")) {
        h1->length_known = true;
    } else if (is(header->name, "expect")) {
        if (!is(header->value, "100-continue"))
            return bad(h1, 417, "an expectation other than 100-continue");
        h1->expects_continue = true;
    }
    return true;
}

static bool check_head(struct h1 *h1)
{
    for (size_t i = 0; i < h1->header_count; i++)
        if (!check_field(h1, &h1->headers[i]))
            return false;
    if (h1->minor >= 1 && !h1->host.at)
        return bad(h1, 400, "no host field");
    if (h1->chunked && h1->length_known)
        return bad(h1, 400, "a length beside chunks");
    if (h1->chunked && h1->minor == 0)
        return bad(h1, 400, "chunks in HTTP/1.0");
    if (h1->parser.method == HTTP_CONNECT)
        return bad(h1, 501, "this is no proxy");
    if (h1->target.at[-2] == ' ')
        return bad(h1, 400, "more than one space before the target");
    char first = h1->target.at[0];
    if (first != '/' && !is(h1->target, "*") && !memchr(h1->target.at, ':', h1->target.len))
        return bad(h1, 400, "a target that is no path");
    return true;
}

/* Upgrades are not for llhttp to act on: who wants one is answered without. */
static int on_head(llhttp_t *parser)
{
    struct h1 *h1 = parser->data;
    h1->method = llhttp_method_name((llhttp_method_t)parser->method);
    h1->minor = parser->http_minor;
    if (parser->http_major != 1 || h1->minor > 1) {
        bad(h1, 505, "a version other than HTTP/1.0 and HTTP/1.1");
        return -1;
    }
    if (!check_head(h1))
        return -1;
    h1->length = h1->length_known ? parser->content_length : 0;
    h1->keep_alive = llhttp_should_keep_alive(parser);
    parser->upgrade = 0;
    h1->found = H1_HEAD;
    return HPE_PAUSED;
}

static int on_body(llhttp_t *parser, const char *at, size_t len)
{
    struct h1 *h1 = parser->data;
    h1->on_body(h1->arg, at, len);
    return 0;
}

static int on_end(llhttp_t *parser)
{
    struct h1 *h1 = parser->data;
    h1->found = H1_DONE;
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_message_begin = on_begin, .on_url = on_url, .on_header_field = on_field,
    .on_header_value = on_value, .on_header_value_complete = on_value_complete,
    .on_headers_complete = on_head, .on_body = on_body, .on_message_complete = on_end,
};

/* ---- calls ---- */

void h1_open(struct h1 *h1, void (*body)(void *arg, const char *bytes, size_t len), void *arg)
{
    memset(h1, 0, offsetof(struct h1, headers));
    llhttp_init(&h1->parser, HTTP_REQUEST, &settings);
    h1->parser.data = h1;
    h1->on_body = body;
    h1->arg = arg;
}

enum h1_state h1_feed(struct h1 *h1, const char *bytes, size_t len, size_t *ret_used)
{
    *ret_used = 0;
    if (h1->found == H1_BAD)
        return H1_BAD;
    h1->found = H1_MORE;
    if (h1->paused)
        llhttp_resume(&h1->parser);
    h1->paused = false;
    llhttp_errno_t result = llhttp_execute(&h1->parser, bytes, len);
    if (result == HPE_OK) {
        *ret_used = len;
        return H1_MORE;
    }
    if (result == HPE_PAUSED && h1->found != H1_BAD) {
        h1->paused = true;
        *ret_used = (size_t)(llhttp_get_error_pos(&h1->parser) - bytes);
        return h1->found;
    }
    bad(h1, 400, "not HTTP");
    return H1_BAD;
}
