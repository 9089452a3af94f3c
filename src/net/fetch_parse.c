/* fetch_parse.c - see fetch_parse.h.  llhttp reads the syntax. */
#include "net/fetch_parse.h"

#include <stdlib.h>
#include <string.h>

static int bad(struct answer *answer, wr_err err, const char *why)
{
    if (answer->state != ANSWER_BAD) {
        answer->state = ANSWER_BAD;
        answer->err = err;
        answer->why = why;
    }
    return -1;
}

/* A name or value may come in pieces. */
static int extend(struct answer *answer, struct answer_part *part, const char *at, size_t len)
{
    if (len == 0)
        return 0;
    if (len > FETCH_HEAD_MAX - part->len)
        return bad(answer, WR_DENIED, "its head is larger than 64 KiB");
    if (part->len + len > part->cap) {
        size_t cap = part->cap ? part->cap : 256;
        while (cap < part->len + len)
            cap *= 2;
        char *more = realloc(part->at, cap);
        if (!more)
            return bad(answer, WR_NOMEM, "there is no memory for its head");
        part->at = more;
        part->cap = cap;
    }
    memcpy(part->at + part->len, at, len);
    part->len += len;
    return 0;
}

static int on_begin(llhttp_t *parser)
{
    struct answer *answer = parser->data;
    fetch_head_reset(answer->head);
    answer->name.len = answer->value.len = 0;
    return 0;
}

static int on_field(llhttp_t *parser, const char *at, size_t len)
{
    struct answer *answer = parser->data;
    return extend(answer, &answer->name, at, len);
}

static int on_value(llhttp_t *parser, const char *at, size_t len)
{
    struct answer *answer = parser->data;
    return extend(answer, &answer->value, at, len);
}

/* Fields after the body are not part of the head. */
static int on_value_complete(llhttp_t *parser)
{
    struct answer *answer = parser->data;
    const char *why;
    wr_err err = WR_OK;
    if (answer->state == ANSWER_HEAD)
        err = fetch_head_add(answer->head, answer->name.at, answer->name.len,
                             answer->value.len ? answer->value.at : "", answer->value.len);
    answer->name.len = answer->value.len = 0;
    if (!err)
        return 0;
    err = fetch_head_refused(err, &why);
    return bad(answer, err, why);
}

/* An interim answer (100, 103) is passed over; nobody asked for another protocol. */
static int on_head(llhttp_t *parser)
{
    struct answer *answer = parser->data;
    answer->head->status = parser->status_code;
    if (parser->http_major != 1 || parser->http_minor > 1)
        return bad(answer, WR_IO, "it has a version other than HTTP/1.0 and HTTP/1.1");
    if (parser->status_code < 100 || parser->status_code > 599)
        return bad(answer, WR_IO, "its status is not one of 100 to 599");
    if (parser->status_code == 101)
        return bad(answer, WR_IO, "it changes the protocol");
    if (parser->status_code < 200)
        return 0;
    if (answer->no_body || parser->status_code == 304)
        parser->flags |= F_SKIPBODY;
    parser->upgrade = 0;
    answer->state = ANSWER_BODY;
    return HPE_PAUSED;
}

static int on_body(llhttp_t *parser, const char *at, size_t len)
{
    struct answer *answer = parser->data;
    if (len > 0)
        memcpy(answer->body + answer->body_len, at, len);
    answer->body_len += len;
    return 0;
}

static int on_end(llhttp_t *parser)
{
    struct answer *answer = parser->data;
    if (answer->state == ANSWER_HEAD)
        return 0;
    answer->state = ANSWER_DONE;
    answer->keep_alive = llhttp_should_keep_alive(parser);
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_message_begin = on_begin, .on_header_field = on_field, .on_header_value = on_value,
    .on_header_value_complete = on_value_complete, .on_headers_complete = on_head,
    .on_body = on_body, .on_message_complete = on_end,
};

void answer_open(struct answer *answer, struct fetch_head *head, bool no_body)
{
    *answer = (struct answer){ .head = head, .no_body = no_body };
    llhttp_init(&answer->parser, HTTP_RESPONSE, &settings);
    answer->parser.data = answer;
    fetch_head_reset(head);
}

void answer_close(struct answer *answer)
{
    free(answer->name.at);
    free(answer->value.at);
    answer->name = answer->value = (struct answer_part){ 0 };
}

size_t answer_feed(struct answer *answer, const char *bytes, size_t len, char *body,
                   size_t *ret_body)
{
    *ret_body = 0;
    if (answer->state == ANSWER_BAD || answer->state == ANSWER_DONE)
        return 0;
    if (answer->paused)
        llhttp_resume(&answer->parser);
    answer->paused = false;
    answer->body = body;
    answer->body_len = 0;
    llhttp_errno_t result = llhttp_execute(&answer->parser, bytes, len);
    *ret_body = answer->body_len;
    if (result == HPE_OK)
        return len;
    if (result == HPE_PAUSED && answer->state != ANSWER_BAD) {
        answer->paused = true;
        return (size_t)(llhttp_get_error_pos(&answer->parser) - bytes);
    }
    bad(answer, WR_IO, "it is not HTTP");
    return 0;
}

void answer_end(struct answer *answer)
{
    size_t none;
    answer_feed(answer, "", 0, NULL, &none);    /* what the head alone decides */
    if (answer->state == ANSWER_BAD || answer->state == ANSWER_DONE)
        return;
    if (answer->state == ANSWER_HEAD) {
        bad(answer, WR_IO, "it breaks off in its head");
        return;
    }
    llhttp_errno_t result = llhttp_finish(&answer->parser);
    if (result == HPE_OK || (result == HPE_PAUSED && answer->state == ANSWER_DONE))
        answer->state = ANSWER_DONE;
    else
        bad(answer, WR_IO, "it breaks off in its body");
    answer->keep_alive = false;
}
