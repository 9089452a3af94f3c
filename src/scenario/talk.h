/* talk.h - a client of HTTP/1.1 for scenarios: requests go out as text, answers come
 * in whatever pieces they come.
 *
 * It knows only what the server here sends, and panics at anything else: an answer
 * that is not one is a failure of the run.
 */
#ifndef WR_SCENARIO_TALK_H
#define WR_SCENARIO_TALK_H

#include <stdlib.h>
#include <string.h>

#include <weir/stream.h>

#include "sim/scenario.h"

struct talk { struct wr_stream *stream; size_t len; char buf[4000]; };

struct answer {
    unsigned status;
    bool last;                  /* the server closes after it */
    char corr[40];
    char body[400];
};

static inline wr_err talk_say(struct talk *t, const char *text, size_t len, wr_time deadline)
{
    size_t size;
    return wr_stream_write(t->stream, &size, &(struct wr_piece){ text, len }, 1, deadline);
}

/* More bytes.  Errors: of the stream; CLOSED (its end). */
static inline wr_err talk_fill(struct talk *t, wr_time deadline)
{
    size_t size;
    WR_ASSERT(t->len + 1 < sizeof(t->buf));
    wr_err err = wr_stream_read(t->stream, &size, t->buf + t->len, sizeof(t->buf) - 1 - t->len,
                                deadline);
    if (err)
        return err;
    t->len += size;
    t->buf[t->len] = '\0';
    return size ? WR_OK : WR_CLOSED;
}

static inline void talk_drop(struct talk *t, size_t len)
{
    memmove(t->buf, t->buf + len, t->len - len + 1);
    t->len -= len;
}

/* So much of the body, from `at` on, and drop what it stood in. */
static inline wr_err talk_take(struct talk *t, struct answer *a, size_t at, size_t len,
                               size_t behind, wr_time deadline)
{
    while (t->len < at + len + behind) {
        wr_err err = talk_fill(t, deadline);
        if (err)
            return err;
    }
    size_t used = strlen(a->body);
    WR_ASSERT(used + len < sizeof(a->body));
    memcpy(a->body + used, t->buf + at, len);
    a->body[used + len] = '\0';
    talk_drop(t, at + len + behind);
    return WR_OK;
}

static inline wr_err talk_chunks(struct talk *t, struct answer *a, wr_time deadline)
{
    for (;;) {
        char *end;
        while (!(end = strstr(t->buf, "\r\n"))) {
            wr_err err = talk_fill(t, deadline);
            if (err)
                return err;
        }
        size_t len = strtoul(t->buf, NULL, 16);
        wr_err err = talk_take(t, a, (size_t)(end + 2 - t->buf), len, 2, deadline);
        if (err || len == 0)
            return err;
    }
}

/* The value of a header, which is ours and so is written as we write it; NULL. */
static inline const char *talk_header(const struct talk *t, const char *end, const char *name)
{
    const char *at = strstr(t->buf, name);
    return at && at < end ? at + strlen(name) : NULL;
}

/* The next answer.  Errors: of the stream; CLOSED: it ended, before the answer. */
static inline wr_err talk_hear(struct talk *t, struct answer *a, wr_time deadline)
{
    char *end;
    *a = (struct answer){ 0 };
    t->buf[t->len] = '\0';
    while (!(end = strstr(t->buf, "\r\n\r\n"))) {
        wr_err err = talk_fill(t, deadline);
        if (err)
            return err;
    }
    WR_ASSERT(strncmp(t->buf, "HTTP/1.1 ", 9) == 0);
    a->status = (unsigned)strtoul(t->buf + 9, NULL, 10);
    a->last = talk_header(t, end, "\r\nConnection: close");
    const char *corr = talk_header(t, end, "\r\nX-Corr-ID: ");
    size_t len = corr ? strcspn(corr, "\r") : 0;
    WR_ASSERT(len < sizeof(a->corr));
    if (corr)
        memcpy(a->corr, corr, len);
    const char *length = talk_header(t, end, "\r\nContent-Length: ");
    bool chunked = talk_header(t, end, "\r\nTransfer-Encoding: chunked");
    size_t head = (size_t)(end + 4 - t->buf), body = length ? strtoul(length, NULL, 10) : 0;
    if (!chunked)
        return talk_take(t, a, head, body, 0, deadline);
    talk_drop(t, head);
    return talk_chunks(t, a, deadline);
}

#endif
