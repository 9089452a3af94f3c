/* h2.h - one connection that speaks HTTP/2.
 *
 * One fiber does all input and output: it reads what there is, gives nghttp2 all of
 * it, runs the calls that are whole by then, and writes what came of that at once.
 * Short calls go to the workers and come back by `done`, like those of HTTP/1;
 * priority calls run on the spot; the others are tasks of the connection's scope,
 * since they wait.
 *
 * A task and the connection may be on different workers.  The task hands its parts
 * over in a list that only it adds to and only the connection takes from, whole;
 * the first part of a list comes with a word through `done`.  So there is at most
 * one word of each call on the way, and `done` has room for all of them.
 */
#ifndef WR_NET_H2_H
#define WR_NET_H2_H

#include <nghttp2/nghttp2.h>

#include <weir/once.h>
#include <weir/scope.h>
#include <weir/sem.h>

#include "net/server.h"

#define H2_STREAMS_MAX 100          /* at the same time, as the peer is told */
#define H2_CALLS_MAX 128            /* ... and those that it has left alone */
#define H2_OWED_MAX ((size_t)1 << 20)   /* bytes of answers, beyond which none is begun */
#define H2_LIST_MAX 16384           /* bytes of a header list, counted as the RFC does */

enum part_kind { PART_BEGIN, PART_BYTES, PART_END };

/* What a task hands over: its head, a part of its body, its end. */
struct part {
    struct part *next;
    enum part_kind kind;
    size_t cost;                    /* units of `room` */
    size_t len;
    char *bytes;                    /* behind it */
};

enum h2_state {
    H2_READING,                     /* the request is not whole */
    H2_QUEUED,                      /* a worker has the call */
    H2_TASK,                        /* a task has it */
    H2_ANSWERED,                    /* the answer is nghttp2's to send */
};

struct h2_stream {
    struct h2 *h2;
    struct h2_stream *prev, *next;  /* among all of the connection */
    struct h2_stream *then;         /* among those whose requests are whole */
    struct wr_call *call;
    int32_t id;
    enum h2_state state;
    bool judged;                    /* the head is whole and the route known */
    bool refused;                   /* ... and the answer is there already */
    bool whole;                     /* the request has ended */
    bool closed;                    /* nghttp2 knows it no more */
    size_t list;                    /* bytes of the header list */
    size_t held;                    /* bytes of the body */
    size_t owed;                    /* bytes of the answer */
    wr_time due;                    /* something must have happened */
    size_t sent;                    /* of the reply, or of the first part */
    char status[4], length[21], date[DATE_STAMP_TEXT];

    /* Only when a task has it. */
    struct wr_once *gone;           /* set when nobody waits for the answer */
    struct wr_sem *room;            /* bytes that may be on their way */
    _Atomic(struct part *) parts;   /* the latest first */
    struct part begin, end;
    struct part *first, *last;      /* taken over by the connection, in order */
    bool begun;                     /* its head is nghttp2's to send */
    bool ended;
    bool deferred;                  /* nghttp2 waits for more */
};

struct h2 {
    struct visit *visit;
    struct wr_http *http;
    struct wr_stream *stream;
    nghttp2_session *session;
    struct wr_scope *scope;         /* of the tasks; made with the first */
    struct wr_chan *done;
    struct wr_rand ids;
    struct h2_stream *streams;      /* all */
    size_t count;
    struct h2_stream *ready, **ready_end;
    struct wr_call *spare;          /* a few calls for the next requests */
    size_t spare_count;
    size_t held;                    /* bytes of all bodies */
    size_t owed;                    /* bytes of answers that the peer has not taken whole */
    wr_time now;                    /* of this turn */
    wr_time began;
    wr_time last;                   /* when something happened */
    wr_time next_due;               /* nothing is due before */
    wr_time frames_since;           /* frames that bring nothing are counted from here */
    unsigned frames;
    bool greeted;                   /* the peer has said that it is HTTP/2 */
    bool draining;
    bool over;                      /* nothing can be read or written any more */
    char *in, *out;                 /* NULL when idle */
    size_t out_len;
};

/* Answer the requests of a connection until it ends.  `bytes` were read already. */
void h2_serve(struct visit *visit, const char *bytes, size_t len);

/* ---- h2_stream.c: what becomes of one request ---- */

/* A new one, with its call; NULL without memory, or when there are too many. */
struct h2_stream *h2_stream_new(struct h2 *h2, int32_t id);

/* Take a field of the head in.  False: it is too large, or contradicts another; the
 * answer says so. */
bool h2_stream_field(struct h2_stream *self, const char *name, size_t name_len,
                     const char *value, size_t value_len);

/* The head is whole: judge it. */
void h2_stream_head(struct h2_stream *self);

/* A part of the body. */
void h2_stream_body(struct h2_stream *self, const char *bytes, size_t len);

/* The request is whole, or will not be waited for: run or answer it. */
void h2_stream_run(struct h2_stream *self);

/* Its word has come. */
void h2_stream_word(struct h2_stream *self);

/* What was to happen by now has not. */
void h2_stream_late(struct h2_stream *self);

/* nghttp2 has done with it; it goes unless somebody else has its call. */
void h2_stream_close(struct h2_stream *self);

/* Let go of everything.  No task may have it. */
void h2_stream_free(struct h2_stream *self);

/* Something is due for this stream at `due`. */
void h2_stream_expect(struct h2_stream *self, wr_time due);

/* Give nghttp2 the head of the answer, and where its body comes from. */
void h2_stream_submit(struct h2_stream *self, const nghttp2_data_provider *body);

/* The answer is in the call: send it.  One that nobody waits for is let go of. */
void h2_stream_answer(struct h2_stream *self);

/* ---- h2_task.c: calls that wait ---- */

/* Run the call as a task.  Errors: NOMEM, BUSY, CANCELED, TIMEOUT; then it will not. */
wr_err h2_task_start(struct h2_stream *self);

/* Take over what the task has handed over. */
void h2_task_follow(struct h2_stream *self);

/* Let go of what only tasks need; the task has ended. */
void h2_task_free(struct h2_stream *self);

#endif
