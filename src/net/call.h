/* call.h - a request and its answer, on their way through the server.
 *
 * A call does not know which version of HTTP it came by: the connection fills in
 * its head (head.h) and its body, and gives it a call_io for what must go out
 * before the handler returns.
 *
 * A call owns everything it refers to: the bytes of its request, its body, its
 * reply.  It belongs to its connection while it is read and written, and to a
 * worker as well while it is queued or runs.  When a worker is not done at the
 * hard deadline the connection answers without it and lets go; the last of the
 * two gives the memory back.
 */
#ifndef WR_NET_CALL_H
#define WR_NET_CALL_H

#include <stdatomic.h>

#include <weir/chan.h>
#include <weir/file.h>
#include <weir/http.h>

#include "base/rand.h"
#include "base/text.h"
#include "net/head.h"
#include "net/route.h"

#define CALL_HEADERS_MAX 2048       /* bytes of headers that a handler adds */
#define CALL_HEADERS_COUNT_MAX 32
#define CALL_ROOM 1120              /* bytes of an HTTP/1 request, in a page with its call */
#define CALL_ROOM_MAX 16384         /* of one that is larger, or has a body */
#define CALL_REPLY_MAX ((size_t)64 << 20)
#define CALL_MEMORY_MAX ((size_t)1 << 20)

/* Who comes first: the worker with an answer, or the connection's patience. */
enum call_state { CALL_PENDING, CALL_ANSWERED, CALL_ABANDONED };

/* What a handler of a stream asks of the connection, whose fiber or whose task it
 * runs in.  The checks are made before (reply.c). */
struct call_io {
    /* Status and headers go out. */
    wr_err (*begin)(struct wr_call *call);
    /* A part of the body, not empty.  Errors: TIMEOUT, CANCELED, BROKENPIPE, IO; then
     * the rest is not sent. */
    wr_err (*send)(struct wr_call *call, const void *bytes, size_t len, wr_time deadline);
    /* As wr_select, or BROKENPIPE when the peer has gone. */
    wr_err (*select)(struct wr_call *call, size_t *ret, struct wr_case *cases, size_t count,
                     wr_time deadline, const char *place);
};

struct block { struct block *next; _Alignas(16) char bytes[]; };

struct wr_call {
    struct wr_http *http;
    const struct visit *visit;      /* its connection; only while its head is judged */
    const struct wr_route *route;
    size_t route_index;
    struct wr_addr peer;
    wr_time began, deadline, hard_deadline;

    /* The request.  The zero bytes that end names and values are written over what
     * stood between them. */
    char *path, *query;             /* decoded; as it came, or NULL */
    struct params params;
    size_t body_max;
    struct slice body;              /* in `bytes`, or all of `collected` */
    struct wr_text collected;
    bool body_over;                 /* it was larger than the route allows */
    struct call_coding *coding;     /* NULL when it is plain */
    bool large;                     /* it is among those of its server that are large */
    struct body_file *file;             /* what has come of it, but for `collected`; or NULL */
    size_t spilled;                 /* ... so many bytes */
    wr_err file_err;                /* it could not be written */
    struct wr_file_map map;         /* all of it, when it is whole */
    bool counted;                   /* among the running calls of its route */
    bool entered;                   /* among those that are being answered */
    bool admitted;                  /* conf.leave is to be told */
    bool control;                   /* among the running calls of priority of its guest: */
    struct wr_guest *guest;
    void *memo;                     /* between conf.admit and conf.leave */
    struct caller *caller;          /* who asks (caller.h); NULL: nobody wanted to know yet */
    unsigned repeated;              /* times it was given to conf.submit again */

    /* The answer. */
    unsigned status;
    const char *type;
    struct wr_text reply;
    struct wr_text headers;         /* "Name: value" lines */
    size_t header_count;
    unsigned retry_said;            /* seconds of the Retry-After among them; 0: none */
    wr_err failed;
    char why[200];
    const char *rejected;           /* a word for rejected_total, better than the status */

    /* The answer of a stream, while it goes out. */
    const struct call_io *io;
    void *conn;                     /* of io */
    bool begun;
    bool sized;                     /* its length was said; so much is to come: */
    uint64_t left;

    struct block *blocks;           /* wr_call_alloc */
    size_t allocated;

    _Atomic unsigned holders;
    _Atomic(enum call_state) state;
    struct wr_chan *done;           /* of the connection: told when it is answered */
    struct wr_call *next;           /* for the connection's lists */

    char corr[HEAD_CORR_MAX + 1];
    struct head head;
    size_t fill;                    /* of bytes; HTTP/1: with what follows this request */
    size_t room;
    char bytes[];
};

/* A new call, with one holder and room for so many bytes of its head; NULL without
 * memory. */
struct visit;
struct wr_call *call_new(const struct visit *visit, size_t room);

/* Let go of it. */
void call_drop(struct wr_call *call);

/* As call_new with CALL_ROOM, and call_drop, by way of a few that the server keeps:
 * a connection has one while it has a request.  Larger ones are not kept. */
struct wr_call *call_take(const struct visit *visit);
void call_give(struct wr_call *call, const struct visit *visit);

/* Forget everything but the bytes, for the next request of the connection. */
void call_reset(struct wr_call *call);

/* Give it its id, unless it has one: the client's own, as far as its head is known, or a
 * new one.  `ids` belongs to the connection. */
void call_identify(struct wr_call *call, struct wr_rand *ids);

/* The head is whole: everything that can be said before the body is there.  True:
 * read the body and go on.  False: the answer is in the call. */
bool call_judge(struct wr_call *call, struct wr_rand *ids, wr_time now);

/* Its body is whole: count it as running.  False: it cannot be decoded, or as many as
 * may run do already, and the answer says so.
 * The count goes back when the call has run (call_handle, wr_call_run) or by
 * call_uncount. */
bool call_count(struct wr_call *call);
void call_uncount(struct wr_call *call);

/* Give it to conf.submit: then wr_call_run or wr_call_refuse sends its address
 * through `done`, unless it was abandoned.  False: refused, the answer says so. */
bool call_submit(struct wr_call *call, struct wr_chan *done);

/* Wait no longer.  True: a worker has it still, and the caller must only let go.
 * False: its answer is there, and its word in the channel or on the way there. */
bool call_abandon(struct wr_call *call);

/* Wait for that word, though the scope may have ended. */
void call_await_word(struct wr_chan *done);

/* What is answered in place of a call that was abandoned: 504.  NULL without memory. */
struct wr_call *call_replace(struct wr_call *old, size_t room);

/* Call the handler, inside its deadline, in this fiber. */
void call_handle(struct wr_call *call);

/* ---- body.c ---- */

/* Judge what the head says of the body.  False: the answer says why it is not taken. */
bool call_body_open(struct wr_call *call);

/* A part of the body, in order, decoded when its head said so.  Beyond the limit of the
 * route only body_over changes. */
void call_collect(struct wr_call *call, const char *bytes, size_t len);

/* No more will come.  False: it could not be decoded, the answer says why. */
bool call_body_whole(struct wr_call *call);

void call_body_close(struct wr_call *call);

/* How long it may take to come. */
wr_time call_body_within(const struct wr_call *call);

/* ---- reply.c ---- */

/* The answer is an error now, with its status and a body that says so. */
void call_refuse(struct wr_call *call, wr_err err, unsigned status, const char *why);

/* ... with the status of the error, unless a worse one than 399 was set. */
void call_fail(struct wr_call *call, wr_err err);

/* The words behind a status: "Not Found". */
const char *reply_reason(unsigned status);

/* No body belongs to it, whatever was written: 204, 304, HEAD. */
bool reply_bodiless(const struct wr_call *call);

/* 429 and 503 tell when to come again, in seconds; NULL for what tells already, or
 * need not. */
const char *reply_retry_after(const struct wr_call *call);

/* ... whoever tells it; 0: nobody does. */
unsigned reply_retry_seconds(const struct wr_call *call);

#endif
