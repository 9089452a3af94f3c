/* h2_rig.h - a client of HTTP/2 for the tests: nghttp2's own, over a stream of ours. */
#ifndef WR_TESTING_H2_RIG_H
#define WR_TESTING_H2_RIG_H

#include <ctype.h>

#include <nghttp2/nghttp2.h>

#include "testing/http_rig.h"

#define GOT_MAX 300

struct got {
    char status[4];
    char head[2000];                /* "\r\nName: value" each, with capitals as in HTTP/1 */
    char body[200];                 /* as much as fits */
    size_t len;                     /* all of it */
    bool headed, closed;
    uint32_t code;                  /* that it was closed with */
    const char *left;               /* of the request's body */
    size_t left_len;
};

struct peer {
    struct wr_stream *stream;
    nghttp2_session *session;
    struct got got[GOT_MAX];        /* by half of the stream's number */
    bool told_to_go;                /* GOAWAY, with a code */
    uint32_t code;
    bool ended;
};

RIG struct got *got_of(struct peer *peer, int32_t id)
{
    return &peer->got[id / 2 % GOT_MAX];
}

RIG int peer_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                    size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                    void *arg)
{
    (void)session, (void)flags;
    struct got *got = got_of(arg, frame->hd.stream_id);
    if (name_len == 7 && memcmp(name, ":status", 7) == 0) {
        snprintf(got->status, sizeof(got->status), "%.*s", (int)value_len, value);
        got->headed = true;
        return 0;
    }
    size_t at = strlen(got->head);
    snprintf(got->head + at, sizeof(got->head) - at, "\r\n%.*s: %.*s", (int)name_len, name,
             (int)value_len, value);
    for (char *c = got->head + at + 2, before = '-'; *c && *c != ':'; before = *c++)
        if (before == '-')
            *c = (char)toupper(*c);
    return 0;
}

RIG int peer_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes,
                  size_t len, void *arg)
{
    (void)session, (void)flags;
    struct got *got = got_of(arg, id);
    for (size_t i = 0; i < len && got->len + i < sizeof(got->body) - 1; i++)
        got->body[got->len + i] = (char)bytes[i];
    got->len += len;
    return 0;
}

RIG int peer_close(nghttp2_session *session, int32_t id, uint32_t code, void *arg)
{
    (void)session;
    struct got *got = got_of(arg, id);
    got->closed = true;
    got->code = code;
    return 0;
}

RIG int peer_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct peer *peer = arg;
    (void)session;
    if (frame->hd.type == NGHTTP2_GOAWAY) {
        peer->told_to_go = true;
        peer->code = frame->goaway.error_code;
    }
    return 0;
}

RIG ssize_t peer_body(nghttp2_session *session, int32_t id, uint8_t *to, size_t size,
                      uint32_t *flags, nghttp2_data_source *source, void *arg)
{
    struct got *got = got_of(arg, id);
    (void)session, (void)source;
    if (!got->left)
        return NGHTTP2_ERR_DEFERRED;
    size_t len = got->left_len < size ? got->left_len : size;
    memcpy(to, got->left, len);
    got->left += len;
    got->left_len -= len;
    if (got->left_len == 0)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)len;
}

RIG struct peer *peer_over(struct wr_stream *stream)
{
    struct peer *peer = calloc(1, sizeof(*peer));
    nghttp2_session_callbacks *callbacks;
    peer->stream = stream;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, peer_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, peer_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, peer_close);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, peer_frame);
    nghttp2_option *option;
    nghttp2_option_new(&option);
    nghttp2_option_set_no_http_messaging(option, 1);
    nghttp2_session_client_new2(&peer->session, callbacks, peer, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(peer->session, 0, NULL, 0);
    return peer;
}

RIG struct peer *peer_dial(struct site *site)
{
    return peer_over(dial(site));
}

RIG void peer_close_all(struct peer *peer)
{
    nghttp2_session_del(peer->session);
    wr_stream_close(peer->stream);
    free(peer);
}

RIG void peer_flush(struct peer *peer)
{
    const uint8_t *bytes;
    ssize_t len;
    size_t size;
    while (!peer->ended && (len = nghttp2_session_mem_send(peer->session, &bytes)) > 0)
        if (wr_stream_write(peer->stream, &size, &(struct wr_piece){ bytes, (size_t)len }, 1,
                            WR_NEVER))
            peer->ended = true;
}

/* Read once; false when there is nothing any more. */
RIG bool peer_read(struct peer *peer, wr_time deadline)
{
    char bytes[16384];
    size_t size;
    peer_flush(peer);
    if (peer->ended || wr_stream_read(peer->stream, &size, bytes, sizeof(bytes), deadline)
        || size == 0) {
        peer->ended |= deadline == WR_NEVER;
        return false;
    }
    if (nghttp2_session_mem_recv(peer->session, (const uint8_t *)bytes, size) < 0)
        peer->ended = true;
    peer_flush(peer);
    return true;
}

RIG void peer_settle(struct peer *peer)
{
    peer_flush(peer);
    settle();
    while (peer_read(peer, WR_NOW))
        settle();
}

#define PEER_NV(name_, value_) \
    (nghttp2_nv) \
    { \
        (uint8_t *)(uintptr_t)(name_), (uint8_t *)(uintptr_t)(value_), strlen(name_), \
            strlen(value_), NGHTTP2_NV_FLAG_NONE \
    }

/* Send a request of so many header fields; a body of NULL: none, and the end. */
RIG int32_t peer_send(struct peer *peer, const nghttp2_nv *fields, size_t count,
                      const char *body)
{
    nghttp2_data_provider provider = { .read_callback = peer_body };
    int32_t id = nghttp2_submit_request(peer->session, NULL, fields, count,
                                        body ? &provider : NULL, NULL);
    CHECK(id > 0);
    struct got *got = got_of(peer, id);
    memset(got, 0, sizeof(*got));
    got->left = body && body[0] ? body : NULL;
    got->left_len = body ? strlen(body) : 0;
    peer_flush(peer);
    return id;
}

RIG int32_t peer_get(struct peer *peer, const char *path)
{
    nghttp2_nv fields[] = { PEER_NV(":method", "GET"), PEER_NV(":scheme", "http"),
                            PEER_NV(":authority", "a"), PEER_NV(":path", path) };
    return peer_send(peer, fields, 4, NULL);
}

/* The answer to a request: "200 body"; "closed" when the stream or all ended before. */
RIG const char *peer_hear(struct peer *peer, int32_t id)
{
    static char answer[300];
    struct got *got = got_of(peer, id);
    while (!got->closed && peer_read(peer, WR_NEVER))
        ;
    if (!got->closed || (got->code != NGHTTP2_NO_ERROR && !got->headed))
        return "closed";
    snprintf(answer_head, sizeof(answer_head), "%s", got->head);
    snprintf(answer, sizeof(answer), "%s%s%s", got->status, got->len ? " " : "", got->body);
    return answer;
}

/* A request as HTTP/1 would write it, without chunks, sent as HTTP/2 would. */
RIG const char *ask2(struct site *site, const char *text)
{
    static char copy[20000];
    nghttp2_nv fields[70];
    size_t count = 0;
    bool late = false;              /* a body was announced that may not come */
    snprintf(copy, sizeof(copy), "%s", text);
    char *body = strstr(copy, "\r\n\r\n") + 4, *line = strstr(copy, "\r\n") + 2;
    char *method = copy, *path = strchr(copy, ' ') + 1;
    path[-1] = '\0';
    *strchr(path, ' ') = '\0';
    fields[count++] = PEER_NV(":method", method);
    fields[count++] = PEER_NV(":scheme", "http");
    fields[count++] = PEER_NV(":path", path);
    while (line < body - 2) {
        char *end = strstr(line, "\r\n"), *next = end + 2, *colon = strchr(line, ':');
        *end = *colon = '\0';
        for (char *c = line; *c; c++)
            *c = (char)tolower(*c);
        char *value = colon + 1 + strspn(colon + 1, " ");
        while (end > value && end[-1] == ' ')
            *--end = '\0';
        late |= strcmp(line, "content-length") == 0 && strcmp(value, "0") != 0;
        fields[count++] = PEER_NV(strcmp(line, "host") == 0 ? ":authority" : line, value);
        line = next;
    }
    struct peer *peer = peer_dial(site);
    int32_t id = peer_send(peer, fields, count, body[0] || late ? body : NULL);
    const char *answer = peer_hear(peer, id);
    peer_close_all(peer);
    return answer;
}

#endif
