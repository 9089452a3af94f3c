/* post.c - messages to a server over HTTP, and those that come back. */
#include "mcp/post.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>

#include <weir/stream.h>

#include "base/text.h"
#include "mcp/endpoint.h"
#include "net/fetch_parse.h"

#define CONNECT_WITHIN WR_S(5)
#define SEND_WITHIN WR_S(30)
#define BODY_MAX ((size_t)64 << 20)
#define RAW_MAX 16384

struct coming {
    const struct mcp_post *post;
    struct mcp_posted *posted;
    struct answer answer;
    struct fetch_head head;
    bool events;
    struct wr_text line;            /* of the events; or all there is */
    struct wr_text data;            /* of the event at hand */
};

/* ---- events ---- */

static wr_err end_line(struct coming *coming)
{
    static const char key[] = "data:";
    struct wr_text *line = &coming->line, *data = &coming->data;
    size_t len = line->len;
    wr_err err = WR_OK;
    if (len && line->at[len - 1] == '\r')
        len--;
    if (len == 0 && data->len)
        err = data->cut ? WR_IO : coming->post->take(coming->post->arg, data->at, data->len);
    if (len == 0)
        wr_text_rewind(data, 0);
    if (len >= strlen(key) && memcmp(line->at, key, strlen(key)) == 0) {
        size_t from = strlen(key) + (len > strlen(key) && line->at[strlen(key)] == ' ');
        wr_text_bytes(data, line->at + from, len - from);
    }
    wr_text_rewind(line, 0);
    return err;
}

static wr_err take_events(struct coming *coming, const char *at, size_t len)
{
    wr_err err = WR_OK;
    while (len && !err) {
        const char *stop = memchr(at, '\n', len);
        size_t part = stop ? (size_t)(stop - at) : len;
        wr_text_bytes(&coming->line, at, part);
        if (coming->line.cut)
            return WR_IO;
        if (stop)
            err = end_line(coming);
        at += part + (stop != NULL);
        len -= part + (stop != NULL);
    }
    return err;
}

/* ---- the answer ---- */

static bool is(const char *type, const char *wanted)
{
    return type && strncasecmp(type, wanted, strlen(wanted)) == 0;
}

static void take_head(struct coming *coming)
{
    const char *type = fetch_head_get(&coming->head, "content-type");
    const char *session = fetch_head_get(&coming->head, "mcp-session-id");
    struct mcp_posted *posted = coming->posted;
    coming->events = is(type, "text/event-stream");
    posted->status = coming->head.status;
    posted->message = coming->events || is(type, "application/json");
    if (session && strlen(session) < sizeof(posted->session))
        memcpy(posted->session, session, strlen(session) + 1);
}

/* What is no message of the protocol is an error of HTTP, which says why in its own words. */
static wr_err end_body(struct coming *coming)
{
    const struct wr_text *body = &coming->line;
    struct mcp_posted *posted = coming->posted;
    if (coming->events || !body->len)
        return WR_OK;
    json_t *json = json_loadb(body->at, body->len, 0, NULL);
    const json_t *error = json_object_get(json, "error");
    const char *detail = json_string_value(json_object_get(json, "detail"));
    const char *said = json_string_value(json_object_get(error, "message"));
    const char *code = json_string_value(json_object_get(error ? error : json, "code"));
    bool ours = json_object_get(json, "jsonrpc");
    posted->declined = !ours && code && strcmp(code, wr_err_name(WR_DRAINING)) == 0;
    if (!ours)
        snprintf(posted->why, sizeof(posted->why), "%s", detail ? detail : said ? said : "");
    posted->message = posted->message && ours;
    json_decref(json);
    return ours ? coming->post->take(coming->post->arg, body->at, body->len) : WR_OK;
}

static wr_err take_bytes(struct coming *coming, const char *raw, size_t len)
{
    char body[RAW_MAX];
    wr_err err = WR_OK;
    while (len && !err && coming->answer.state != ANSWER_DONE) {
        enum answer_state before = coming->answer.state;
        size_t got = 0, used = answer_feed(&coming->answer, raw, len, body, &got);
        raw += used;
        len -= used;
        if (before == ANSWER_HEAD && coming->answer.state != ANSWER_HEAD)
            take_head(coming);
        if (coming->answer.state == ANSWER_BAD)
            err = WR_IO;
        else if (coming->events)
            err = take_events(coming, body, got);
        else
            wr_text_bytes(&coming->line, body, got);
        if (!err && coming->line.cut)
            err = WR_IO;
    }
    return err;
}

static wr_err take_answer(struct coming *coming, struct wr_stream *stream)
{
    char raw[RAW_MAX];
    size_t got = 1;
    wr_err err = WR_OK;
    while (!err && got && coming->answer.state != ANSWER_DONE) {
        err = wr_stream_read(stream, &got, raw, sizeof(raw), WR_NEVER);
        if (!err && got)
            err = take_bytes(coming, raw, got);
        else if (!err)
            answer_end(&coming->answer);
    }
    if (!err && coming->answer.state != ANSWER_DONE)
        err = WR_BROKENPIPE;
    return err ? err : end_body(coming);
}

static wr_err send_request(const struct mcp_post *post, struct wr_stream *stream)
{
    struct wr_text head = wr_text_heap(1 << 20);
    wr_text_format(&head, "%s " MCP_PATH " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                   "Accept: application/json, text/event-stream\r\n", post->method);
    if (post->body)
        wr_text_format(&head, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
                       post->len);
    for (size_t i = 0; i < post->count; i++)
        wr_text_format(&head, "%s: %s\r\n", post->headers[i].name, post->headers[i].value);
    wr_text_str(&head, "\r\n");
    const struct wr_piece pieces[] = { { head.at, head.len }, { post->body, post->len } };
    size_t sent;
    wr_err err = head.cut ? WR_NOMEM
                          : wr_stream_write(stream, &sent, pieces, post->body ? 2 : 1,
                                            wr_after(SEND_WITHIN));
    wr_text_free(&head);
    return err;
}

wr_err mcp_post(const struct mcp_post *post, struct mcp_posted *ret)
{
    struct coming coming = { .post = post, .posted = ret, .line = wr_text_heap(BODY_MAX),
                             .data = wr_text_heap(BODY_MAX) };
    struct wr_stream *stream = NULL;
    *ret = (struct mcp_posted){ 0 };
    wr_err err = wr_connect(&stream, post->addr, wr_after(CONNECT_WITHIN));
    ret->declined = err;
    if (!err)
        err = send_request(post, stream);
    if (!err) {
        answer_open(&coming.answer, &coming.head, false);
        err = take_answer(&coming, stream);
        answer_close(&coming.answer);
    }
    fetch_head_free(&coming.head);
    wr_text_free(&coming.line);
    wr_text_free(&coming.data);
    wr_stream_close(stream);
    return err;
}
