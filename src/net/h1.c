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

/* ---- what llhttp tells ---- */

/* A further part of something that lies in one piece. */
static void extend(struct slice *slice, const char *at, size_t len)
{
    if (slice->len == 0)
        slice->at = at;
    slice->len += len;
}

static int on_begin(llhttp_t *parser)
{
    struct h1 *h1 = parser->data;
    head_clear(h1->head);
    h1->in_value = h1->chunked = h1->headed = false;
    h1->trailing = h1->extended = 0;
    return 0;
}

/* What follows the last chunk looks like fields of the head and is none: nothing is kept
 * of it, and it is not endless. */
static int skip_trailer(struct h1 *h1, size_t len)
{
    h1->trailing += len;
    if (h1->trailing <= H1_TRAILERS_MAX)
        return 0;
    bad(h1, 431, "the fields behind the body are too large");
    return -1;
}

/* Nobody knows what they mean. */
static int on_extension(llhttp_t *parser, const char *at, size_t len)
{
    struct h1 *h1 = parser->data;
    (void)at;
    h1->extended += len;
    if (h1->extended <= H1_TRAILERS_MAX)
        return 0;
    bad(h1, 400, "the extensions of the chunks are too large");
    return -1;
}

static int on_url(llhttp_t *parser, const char *at, size_t len)
{
    struct h1 *h1 = parser->data;
    extend(&h1->head->target, at, len);
    return 0;
}

static int on_field(llhttp_t *parser, const char *at, size_t len)
{
    struct h1 *h1 = parser->data;
    struct head *head = h1->head;
    if (h1->headed)
        return skip_trailer(h1, len);
    if (head->count == 0 || h1->in_value) {
        if (head->count == HEAD_FIELDS_MAX) {
            bad(h1, 431, "too many header fields");
            return -1;
        }
        head->fields[head->count++] = (struct field){ 0 };
        h1->in_value = false;
    }
    extend(&head->fields[head->count - 1].name, at, len);
    return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t len)
{
    struct h1 *h1 = parser->data;
    if (h1->headed)
        return skip_trailer(h1, len);
    h1->in_value = true;
    extend(&h1->head->fields[h1->head->count - 1].value, at, len);
    return 0;
}

/* An empty value has no place of its own, and what llhttp gives for it lies in the next
 * line: it gets the end of the name, where a zero byte may be put. */
static int on_value_complete(llhttp_t *parser)
{
    struct h1 *h1 = parser->data;
    if (h1->headed)
        return 0;
    struct field *field = &h1->head->fields[h1->head->count - 1];
    if (field->value.len == 0)
        field->value.at = field->name.at + field->name.len;
    h1->in_value = true;
    return 0;
}

static bool check_meaning(struct h1 *h1, const struct field *field)
{
    struct head *head = h1->head;
    if (SLICE_IS(field->name, "host")) {
        if (head->host.at)
            return bad(h1, 400, "two host fields");
        head->host = field->value.at ? field->value : (struct slice){ "", 0 };
    } else if (SLICE_IS(field->name, "transfer-encoding")) {
        if (h1->chunked || !SLICE_IS(field->value, "chunked"))
            return bad(h1, 501, "a transfer coding other than chunked");
        h1->chunked = true;
    } else if (SLICE_IS(field->name, "content-length")) {
        head->length_known = true;
    } else if (SLICE_IS(field->name, "expect")) {
        if (!SLICE_IS(field->value, "100-continue"))
            return bad(h1, 417, "an expectation other than 100-continue");
        head->expects_continue = true;
    } else {
        const char *twice = head_note_single(head, field);
        if (twice)
            return bad(h1, 400, twice);
        head_note_corr(head, field);
    }
    return true;
}

static bool check_field(struct h1 *h1, struct field *field)
{
    struct slice *value = &field->value;
    while (value->len > 0
           && (value->at[value->len - 1] == ' ' || value->at[value->len - 1] == '\t'))
        value->len--;
    if (!slice_token(field->name))
        return bad(h1, 400, "a header field has a name that is none");
    if (value->len > 0
        && (memchr(value->at, '\r', value->len) || memchr(value->at, '\n', value->len)))
        return bad(h1, 400, "a header field is folded over lines");
    return check_meaning(h1, field);
}

/* A target that is a whole URL names a host too.  It is to be preferred to the field, by
 * RFC 9112; but who was in between may have gone by the field, so they must agree. */
static bool check_target(struct h1 *h1)
{
    const struct head *head = h1->head;
    const struct slice *target = &head->target;
    if (target->at[-2] == ' ')
        return bad(h1, 400, "more than one space before the target");
    if (target->at[0] == '/' || SLICE_IS(*target, "*"))
        return true;
    const char *scheme = memmem(target->at, target->len, "://", 3);
    if (!scheme)
        return bad(h1, 400, "a target that is no path");
    struct slice name = { target->at, (size_t)(scheme - target->at) };
    if (!SLICE_IS(name, "http") && !SLICE_IS(name, "https"))
        return bad(h1, 400, "a target that is neither a path nor begins with http or https");
    if (!head->host.at)
        return bad(h1, 400, "a target that names a host needs a host field beside it");
    struct slice authority = { scheme + 3, 0 };
    for (const char *end = target->at + target->len;
         authority.at + authority.len < end && !strchr("/?#", authority.at[authority.len]);)
        authority.len++;
    if (!head_same_host(name, authority, head->host))
        return bad(h1, 400, "the target names another host than the host field");
    return true;
}

static bool check_head(struct h1 *h1)
{
    const struct head *head = h1->head;
    for (size_t i = 0; i < head->count; i++)
        if (!check_field(h1, &h1->head->fields[i]))
            return false;
    if (head->version > 10 && !head->host.at)
        return bad(h1, 400, "no host field");
    if (h1->chunked && head->length_known)
        return bad(h1, 400, "a length beside chunks");
    if (h1->chunked && head->version == 10)
        return bad(h1, 400, "chunks in HTTP/1.0");
    if (h1->parser.method == HTTP_CONNECT)
        return bad(h1, 501, "this is no proxy");
    return check_target(h1);
}

/* Upgrades are not for llhttp to act on: who wants one is answered without. */
static int on_head(llhttp_t *parser)
{
    struct h1 *h1 = parser->data;
    struct head *head = h1->head;
    head->method = llhttp_method_name((llhttp_method_t)parser->method);
    head->version = 10u + parser->http_minor;
    if (parser->http_major != 1 || parser->http_minor > 1) {
        bad(h1, 505, "a version other than HTTP/1.0 and HTTP/1.1");
        return -1;
    }
    if (!check_head(h1))
        return -1;
    head->length = head->length_known ? parser->content_length : 0;
    head->length_known |= !h1->chunked;         /* without a word there is no body */
    h1->keep_alive = llhttp_should_keep_alive(parser);
    parser->upgrade = 0;
    h1->headed = true;
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
    .on_chunk_extension_name = on_extension, .on_chunk_extension_value = on_extension,
    .on_headers_complete = on_head, .on_body = on_body, .on_message_complete = on_end,
};

/* ---- calls ---- */

void h1_open(struct h1 *h1, struct head *head,
             void (*body)(void *arg, const char *bytes, size_t len), void *arg)
{
    memset(h1, 0, sizeof(*h1));
    h1->head = head;
    head_clear(head);
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
