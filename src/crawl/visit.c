/* visit.c - see visit.h. */
#include "crawl/visit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/date.h"

#define REFUSAL_MAX (128u << 10)    /* of a page that refuses */
#define FIRST_ROOM (32u << 10)
#define HEADERS_MAX 4
#define RETRY_AFTER_MAX WR_S(24 * 3600)

__attribute__((format(printf, 3, 4)))
static wr_err fail(struct visit *visit, wr_err err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(visit->why, sizeof(visit->why), format, args);
    va_end(args);
    return err;
}

/* ---- the body ---- */

/* Twice the room, or as much as there may be. */
static wr_err grow(struct wr_bytes **bytes, size_t max)
{
    struct wr_bytes *more;
    size_t room = (*bytes)->len * 2 < max ? (*bytes)->len * 2 : max;
    wr_err err = wr_bytes_new(&more, room);
    if (err)
        return err;
    memcpy(more->data, (*bytes)->data, (*bytes)->len);
    wr_bytes_unref(*bytes);
    *bytes = more;
    return WR_OK;
}

struct body { struct wr_bytes *bytes; size_t len; };

/* Read until there are `want` bytes, or all. */
static wr_err fill(struct body *body, bool *ret_end, struct wr_fetch *fetch, size_t want,
                   wr_time deadline)
{
    size_t got = 1;
    wr_err err = WR_OK;
    while (body->len < want && got > 0 && !err) {
        if (body->len == body->bytes->len)
            err = grow(&body->bytes, want);
        size_t room = body->bytes->len < want ? body->bytes->len : want;
        if (!err)
            err = wr_fetch_read(fetch, &got, body->bytes->data + body->len, room - body->len,
                                deadline);
        body->len += err ? 0 : got;
    }
    *ret_end = got == 0;
    return err;
}

static wr_err begin(struct body *body, size_t max)
{
    *body = (struct body){ 0 };
    return wr_bytes_new(&body->bytes, max < FIRST_ROOM ? max : FIRST_ROOM);
}

static struct wr_bytes *finish(struct body *body)
{
    body->bytes->len = body->len;
    body->bytes->data[body->len] = '\0';
    return body->bytes;
}

wr_err visit_read(struct wr_bytes **ret, bool *ret_more, struct wr_fetch *fetch, size_t max,
                  wr_time deadline)
{
    struct body body;
    bool end = false;
    wr_err err = begin(&body, max + 1);
    if (!err)
        err = fill(&body, &end, fetch, max + 1, deadline);
    if (err) {
        wr_bytes_unref(body.bytes);
        return err;
    }
    *ret_more = body.len > max;
    if (*ret_more)
        body.len = max;
    *ret = finish(&body);
    return WR_OK;
}

/* ---- what is wanted ---- */

static wr_err judge_kind(struct visit *visit)
{
    enum media_kind kind = visit->media.kind;
    if (visit->any_kind || kind == MEDIA_UNKNOWN)
        return WR_OK;
    if (kind == MEDIA_OTHER)
        return fail(visit, WR_UNSUPPORTED, "it is %.80s, and only text/html, "
                    "application/xhtml+xml, text/plain and application/pdf are read",
                    visit->type ? visit->type : "of an unknown kind");
    if (kind == MEDIA_PDF && visit->pdf_max == 0)
        return fail(visit, WR_UNSUPPORTED, "it is a PDF, and none was wanted");
    return WR_OK;
}

static size_t max_of(const struct visit *visit)
{
    return visit->media.kind == MEDIA_PDF && visit->pdf_max ? visit->pdf_max : visit->body_max;
}

static wr_err too_large(struct visit *visit)
{
    return fail(visit, WR_DENIED, "it is larger than the %zu bytes that are read of %s",
                max_of(visit), media_name(visit->media.kind));
}

/* The kind may show only in the first bytes, and with it how large it may be. */
static wr_err take_body(struct visit *visit, struct wr_fetch *fetch, const char *length,
                        wr_time deadline)
{
    struct body body;
    bool end = false;
    wr_err err = judge_kind(visit);
    if (err)
        return err;
    if (length && visit->media.kind != MEDIA_UNKNOWN
        && strtoull(length, NULL, 10) > (visit->pdf_max > max_of(visit) ? visit->pdf_max
                                                                         : max_of(visit)))
        return too_large(visit);
    err = begin(&body, FIRST_ROOM);
    if (!err)
        err = fill(&body, &end, fetch, MEDIA_SNIFF, deadline);
    if (!err) {
        visit->media.kind = media_sniff(visit->media.kind, (char *)body.bytes->data, body.len);
        err = judge_kind(visit);
    }
    if (!err && !end)
        err = fill(&body, &end, fetch, max_of(visit) + 1, deadline);
    if (!err && body.len > max_of(visit))
        err = too_large(visit);
    if (!err) {
        visit->bytes = finish(&body);
        return WR_OK;
    }
    wr_bytes_unref(body.bytes);
    return visit->why[0] ? err : fail(visit, err, "its body could not be read: %s",
                                      wr_fetch_why(fetch));
}

static bool may_challenge(unsigned status)
{
    return status == 401 || status == 403 || status == 429 || status == 503;
}

static void look_for_challenge(struct visit *visit, const struct wr_fetch_reply *head,
                               const struct wr_bytes *bytes)
{
    if (visit->media.kind != MEDIA_PDF && visit->media.kind != MEDIA_PLAIN && !visit->any_kind)
        visit->challenge = challenge_find(&(struct challenge_page){
            .status = visit->status, .mitigated = wr_fetch_reply_header(head, "cf-mitigated"),
            .bytes = (const char *)bytes->data, .len = bytes->len });
}

/* Why it refuses matters only if it can be had: what cannot be read says nothing. */
static void take_refusal(struct visit *visit, const struct wr_fetch_reply *head,
                         struct wr_fetch *fetch, wr_time deadline)
{
    struct wr_bytes *bytes;
    bool more;
    if (visit_read(&bytes, &more, fetch, REFUSAL_MAX, deadline))
        return;
    look_for_challenge(visit, head, bytes);
    wr_bytes_unref(bytes);
}

/* ---- the head ---- */

static char *copy_of(const struct wr_fetch_reply *head, const char *name)
{
    const char *value = wr_fetch_reply_header(head, name);
    return value && *value ? strdup(value) : NULL;
}

static wr_err take_answer(struct visit *visit, const struct wr_fetch_reply *head,
                          struct wr_fetch *fetch, wr_time deadline)
{
    visit->status = head->status;
    visit->type = copy_of(head, "content-type");
    visit->media = media_read(visit->type);
    visit->retry_after = date_retry_after(wr_fetch_reply_header(head, "retry-after"), wr_wall(),
                                          RETRY_AFTER_MAX);
    visit->new_etag = copy_of(head, "etag");
    visit->new_last_modified = copy_of(head, "last-modified");
    if (head->status >= 300 && head->status < 400 && head->status != 304) {
        visit->location = copy_of(head, "location");
        return WR_OK;
    }
    if (head->status >= 200 && head->status < 300) {
        wr_err err = take_body(visit, fetch, wr_fetch_reply_header(head, "content-length"),
                               deadline);
        if (!err)
            look_for_challenge(visit, head, visit->bytes);
        return err;
    }
    if (may_challenge(head->status))
        take_refusal(visit, head, fetch, deadline);
    return WR_OK;
}

static size_t write_headers(const struct visit *visit, struct wr_fetch_header *headers)
{
    size_t count = 0;
    headers[count++] = (struct wr_fetch_header){
        "Accept", visit->accept ? visit->accept
            : visit->pdf_max
                ? "text/html, application/xhtml+xml, application/pdf;q=0.9, text/plain;q=0.8"
                : "text/html, application/xhtml+xml, text/plain;q=0.8" };
    if (visit->etag)
        headers[count++] = (struct wr_fetch_header){ "If-None-Match", visit->etag };
    if (visit->last_modified)
        headers[count++] = (struct wr_fetch_header){ "If-Modified-Since",
                                                     visit->last_modified };
    if (visit->cookie)
        headers[count++] = (struct wr_fetch_header){ "Cookie", visit->cookie };
    return count;
}

wr_err visit_run(struct visit *visit, wr_time deadline)
{
    struct wr_fetch *fetch;
    struct wr_fetch_reply head;
    struct wr_fetch_header headers[HEADERS_MAX];
    size_t max = visit->pdf_max > visit->body_max ? visit->pdf_max : visit->body_max;
    visit->why[0] = '\0';
    wr_err err = wr_fetch_open(&fetch, visit->client, &(struct wr_fetch_request){
        .url = visit->url, .headers = headers, .header_count = write_headers(visit, headers),
        .body_max = max + FIRST_ROOM }, &head, deadline);
    if (err) {
        (void)!fail(visit, err, "%s", head.why);
    } else {
        err = take_answer(visit, &head, fetch, deadline);
        wr_fetch_close(fetch);
    }
    wr_fetch_reply_free(&head);
    return err;
}

void visit_free(struct visit *visit)
{
    wr_bytes_unref(visit->bytes);
    free(visit->type);
    free(visit->location);
    free(visit->new_etag);
    free(visit->new_last_modified);
    visit->bytes = NULL;
    visit->type = visit->location = visit->new_etag = visit->new_last_modified = NULL;
    visit->status = 0;
    visit->challenge = CHALLENGE_NONE;
    visit->retry_after = 0;
}
